//! Where two values of no known meaning differ.

use crate::json::{Pointer, Value};

/// A place where two values differ, and what stands there.
#[derive(Debug, PartialEq)]
pub(super) struct Leaf<'a> {
    /// The place.
    pub(super) pointer: Pointer,
    /// What stood there.
    pub(super) old: Option<&'a Value>,
    /// What stands there.
    pub(super) new: Option<&'a Value>,
}

/// The smallest places at which two values differ; none exactly when they are equal.
///
/// What stands on one side only is one place, however much it holds. Of two arrays of different lengths the common
/// beginning and end are left out, so that one inserted element is one place. Values that differ in more than [`MOST`]
/// places differ as a whole.
pub(super) fn leaves<'a>(old: Option<&'a Value>, new: Option<&'a Value>, at: &Pointer) -> Vec<Leaf<'a>> {
    let mut found = Vec::new();
    collect(old, new, at, &mut found);
    if found.len() > MOST { vec![Leaf { pointer: at.clone(), old, new }] } else { found }
}

/// The most places that are told apart: more say no more to a reader, and a hostile value has millions.
const MOST: usize = 1_000;

fn collect<'a>(old: Option<&'a Value>, new: Option<&'a Value>, at: &Pointer, found: &mut Vec<Leaf<'a>>) {
    match (old, new) {
        (old, new) if old == new || found.len() > MOST => {}
        (Some(Value::Object(before)), Some(Value::Object(after))) => {
            for (key, value) in before.iter() {
                collect(Some(value), after.get(key), &at.join(key), found);
            }
            for (key, value) in after.iter().filter(|(key, _)| !before.contains_key(key)) {
                collect(None, Some(value), &at.join(key), found);
            }
        }
        (Some(Value::Array(before)), Some(Value::Array(after))) => {
            let common = if before.len() == after.len() { 0 } else { common_prefix(before, after) };
            let rest = (&before[common..], &after[common..]);
            let tail = if before.len() == after.len() { 0 } else { common_suffix(rest.0, rest.1) };
            let (before, after) = (&rest.0[..rest.0.len() - tail], &rest.1[..rest.1.len() - tail]);
            for index in 0..before.len().max(after.len()) {
                collect(before.get(index), after.get(index), &at.join(common + index), found);
            }
        }
        (old, new) => found.push(Leaf { pointer: at.clone(), old, new }),
    }
}

/// How many elements two slices begin with alike.
pub(super) fn common_prefix<T: PartialEq>(one: &[T], other: &[T]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

/// How many elements two slices end with alike.
pub(super) fn common_suffix<T: PartialEq>(one: &[T], other: &[T]) -> usize {
    one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{canonical, parse};

    fn told(old: &str, new: &str) -> Vec<(String, String, String)> {
        let (old, new) = (parse(old).expect(old), parse(new).expect(new));
        leaves(Some(&old), Some(&new), &Pointer::root())
            .into_iter()
            .map(|leaf| {
                let text = |value: Option<&Value>| value.map_or("-".to_owned(), canonical);
                (leaf.pointer.to_string(), text(leaf.old), text(leaf.new))
            })
            .collect()
    }

    fn place(pointer: &str, old: &str, new: &str) -> (String, String, String) {
        (pointer.to_owned(), old.to_owned(), new.to_owned())
    }

    #[test]
    fn members_are_told_one_by_one() {
        assert_eq!(
            told(r#"{"a":{"x":1,"y":2},"b":3}"#, r#"{"a":{"x":1,"y":null},"c":[4]}"#),
            [place("/a/y", "2", "null"), place("/b", "3", "-"), place("/c", "-", "[4]")]
        );
    }

    #[test]
    fn an_inserted_element_is_one_place() {
        assert_eq!(told("[1,2,3]", "[1,9,2,3]"), [place("/1", "-", "9")]);
        assert_eq!(told("[1,1]", "[1]"), [place("/1", "1", "-")]);
        assert_eq!(told("[1,2]", "[2,1]"), [place("/0", "1", "2"), place("/1", "2", "1")]);
    }

    #[test]
    fn too_many_places_are_one() {
        let list = |element: &str| format!("{{\"a\":[{}]}}", vec![element; 1_001].join(","));
        assert_eq!(told(&list("1"), &list("2")).len(), 1);
        assert_eq!(told(&list("1"), &list("1")), []);
    }

    #[test]
    fn another_type_is_one_place() {
        assert_eq!(told(r#"{"a":[]}"#, r#"{"a":{}}"#), [place("/a", "[]", "{}")]);
        assert_eq!(told("1", "1.0"), []);
    }
}
