//! Places of a value: reading one, putting something else there, and what can be seen in it.

use std::collections::BTreeSet;

use crate::json::Value;
use crate::text;

/// What stands in a place.
pub(super) fn at<'v>(value: &'v Value, place: &[String]) -> Option<&'v Value> {
    place.iter().try_fold(value, |value, segment| match value {
        Value::Object(members) => members.get(segment),
        Value::Array(elements) => elements.get(index(segment)?),
        _ => None,
    })
}

/// The value with `new` in a place, or with nothing there; as it is where there is no such place. An element of an array
/// can be exchanged and not be taken out, for the others would move.
pub(super) fn with(value: Value, place: &[String], new: Option<&Value>) -> Value {
    let Some((first, rest)) = place.split_first() else { return new.cloned().unwrap_or(value) };
    match value {
        Value::Object(mut members) => {
            let inner = if rest.is_empty() {
                new.cloned()
            } else {
                members.get(first).cloned().map(|member| with(member, rest, new))
            };
            match inner {
                Some(inner) => drop(members.insert(first, inner)),
                None if rest.is_empty() => drop(members.remove(first)),
                None => {}
            }
            Value::Object(members)
        }
        Value::Array(mut elements) => {
            if let Some(element) = index(first).and_then(|index| elements.get_mut(index)) {
                let inner = std::mem::replace(element, Value::Null);
                *element = with(inner, rest, new);
            }
            Value::Array(elements)
        }
        scalar => scalar,
    }
}

/// An index as RFC 6901 writes it.
fn index(segment: &str) -> Option<usize> {
    let plain = segment == "0" || (!segment.starts_with('0') && segment.bytes().all(|byte| byte.is_ascii_digit()));
    if plain { segment.parse().ok() } else { None }
}

/// Whether `new` holds a text or key with invisible characters that `old` doesn't hold.
pub(super) fn brings_hidden(old: Option<&Value>, new: Option<&Value>) -> bool {
    let mut known = BTreeSet::new();
    old.into_iter().for_each(|old| texts(old, &mut known));
    let mut present = BTreeSet::new();
    new.into_iter().for_each(|new| texts(new, &mut present));
    present.difference(&known).any(|text| text.chars().any(text::is_invisible))
}

fn texts<'v>(value: &'v Value, found: &mut BTreeSet<&'v str>) {
    match value {
        Value::String(text) => drop(found.insert(text)),
        Value::Array(elements) => elements.iter().for_each(|element| texts(element, found)),
        Value::Object(members) => members.iter().for_each(|(key, member)| {
            found.insert(key);
            texts(member, found);
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Whether any text of the value is as asked.
pub(super) fn any_text(value: &Value, is: &impl Fn(&str) -> bool) -> bool {
    match value {
        Value::String(text) => is(text),
        Value::Array(elements) => elements.iter().any(|element| any_text(element, is)),
        Value::Object(members) => members.iter().any(|(_, member)| any_text(member, is)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Pointer, canonical, parse};

    fn changed(value: &str, place: &str, new: Option<&str>) -> String {
        let place = Pointer::parse(place).expect(place);
        let new = new.map(|new| parse(new).expect(new));
        canonical(&with(parse(value).expect(value), place.segments(), new.as_ref()))
    }

    #[test]
    fn a_place_is_exchanged_filled_or_emptied() {
        assert_eq!(changed(r#"{"a":{"b":1}}"#, "/a/b", Some("2")), r#"{"a":{"b":2}}"#);
        assert_eq!(changed(r#"{"a":{}}"#, "/a/b", Some("2")), r#"{"a":{"b":2}}"#);
        assert_eq!(changed(r#"{"a":{"b":1}}"#, "/a/b", None), r#"{"a":{}}"#);
        assert_eq!(changed(r#"{"a":[1,2]}"#, "/a/1", Some("3")), r#"{"a":[1,3]}"#);
    }

    #[test]
    fn a_place_that_is_not_there_stays_so() {
        for place in ["/x/b", "/a/01", "/a/2", "/a/-", "/a/0/c"] {
            assert_eq!(changed(r#"{"a":[1,2]}"#, place, Some("3")), r#"{"a":[1,2]}"#, "{place}");
        }
        assert_eq!(changed(r#"{"a":[1,2]}"#, "/a/0", None), r#"{"a":[1,2]}"#);
    }
}
