//! What is ignored, put back before two surfaces are compared.

use super::mend::{Mended, Numbered};
use super::model::Ignore;
use super::pattern::{Volatile, without};
use super::places::{any_text, at, with};
use crate::finding::ItemName;
use crate::json::{Object, Pointer, Value};
use crate::surface::{About, Item, Kind, Surface};

/// What a reading is once what is ignored doesn't count.
#[derive(Clone, Debug)]
pub struct Tolerated {
    /// The reading with what is ignored as the reference has it: what is compared.
    pub compared: Surface,
    /// The reading with each item as the reference has it that differs in nothing else: what is pinned. Nothing in it is
    /// put together, each item is as it was sent once.
    pub stored: Surface,
    /// The reference with what is ignored as the reading has it: how it differs from the reference is what was tolerated.
    pub only: Surface,
    /// The places that were put back.
    pub uses: Vec<Use>,
}

/// One place that was put back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// The item, or `None` for the server itself.
    pub item: Option<ItemName>,
    /// The place.
    pub pointer: Pointer,
    /// The index of the entry among those that were given.
    pub ignore: usize,
}

/// Puts back in `reading` what these entries ignore and `reference` has otherwise. Items match by kind and name, where
/// neither side has two of one name.
pub fn tolerate(ignores: &[&Ignore], reference: &Surface, reading: &Surface) -> Tolerated {
    let mut tolerated =
        Tolerated { compared: reading.clone(), stored: reading.clone(), only: reference.clone(), uses: Vec::new() };
    if ignores.is_empty() {
        return tolerated;
    }
    if reference.about != reading.about {
        let sides = (Value::Object(reference.about.whole()), Value::Object(reading.about.whole()));
        let mended = Mended::of(&applying(ignores, None), &sides.0, sides.1);
        tolerated.uses.extend(uses(&mended, None));
        tolerated.compared.about = about(mended.compared);
        tolerated.only.about = about(mended.only);
        if tolerated.compared.about == reference.about {
            tolerated.stored.about = reference.about.clone();
        }
    }
    for (index, item) in reading.items.iter().enumerate() {
        let name = name_of(item);
        let ignores = applying(ignores, Some(&name));
        let alone = of_name(&reading.items, item).count() == 1;
        let Some((place, old)) = only_one(of_name(&reference.items, item)) else { continue };
        if ignores.is_empty() || !alone || old.digest == item.digest {
            continue;
        }
        let mended = Mended::of(&ignores, &Value::Object(old.object()), Value::Object(item.object()));
        if mended.places.is_empty() {
            continue;
        }
        tolerated.uses.extend(uses(&mended, Some(&name)));
        let compared = from_value(item, mended.compared);
        if compared.digest == old.digest {
            tolerated.stored.items[index] = old.clone();
            tolerated.compared.items[index] = old.clone();
        } else {
            tolerated.compared.items[index] = compared;
        }
        tolerated.only.items[place] = from_value(old, mended.only);
    }
    tolerated
}

/// Whether an entry covers anything of what the server says: else nobody needs it.
pub fn covers(ignore: &Ignore, surface: &Surface) -> bool {
    let of = |value: &Value| {
        at(value, ignore.pointer.segments()).is_some_and(|part| match &ignore.pattern {
            Some(pattern) => any_text(part, &|text| pattern.covers_some_of(text)),
            None => true,
        })
    };
    if ignore.items.is_none() {
        return of(&Value::Object(surface.about.whole()));
    }
    let mut about = surface.items.iter().filter(|item| ignore.is_about(Some(&name_of(item))));
    about.any(|item| of(&Value::Object(item.object())))
}

/// The surface without what these entries ignore: what of it must be the same on each machine.
pub fn without_ignored(ignores: &[&Ignore], surface: &Surface) -> Surface {
    let mut surface = surface.clone();
    let mut whole = Value::Object(surface.about.whole());
    for (_, ignore) in applying(ignores, None) {
        whole = emptied(ignore, whole);
    }
    surface.about = about(whole);
    for item in &mut surface.items {
        let ignores = applying(ignores, Some(&name_of(item)));
        if !ignores.is_empty() {
            let object = ignores.iter().fold(Value::Object(item.object()), |value, (_, ignore)| emptied(ignore, value));
            *item = from_value(item, object);
        }
    }
    surface
}

fn emptied(ignore: &Ignore, value: Value) -> Value {
    let place = ignore.pointer.segments();
    let Some(part) = at(&value, place) else { return value };
    let empty = match &ignore.pattern {
        Some(pattern) => texts_without(pattern, part),
        None => Value::Null,
    };
    with(value, place, Some(&empty))
}

fn texts_without(pattern: &Volatile, value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(without(&[pattern], text)),
        Value::Array(elements) => {
            Value::Array(elements.iter().map(|element| texts_without(pattern, element)).collect())
        }
        Value::Object(members) => {
            Value::Object(members.iter().map(|(key, value)| (key.to_owned(), texts_without(pattern, value))).collect())
        }
        scalar => scalar.clone(),
    }
}

fn applying<'i>(ignores: &[&'i Ignore], item: Option<&ItemName>) -> Vec<Numbered<'i>> {
    ignores.iter().enumerate().filter(|(_, ignore)| ignore.is_about(item)).map(|(at, ignore)| (at, *ignore)).collect()
}

fn uses(mended: &Mended, item: Option<&ItemName>) -> Vec<Use> {
    let of =
        |(ignore, pointer): &(usize, Pointer)| Use { item: item.cloned(), pointer: pointer.clone(), ignore: *ignore };
    mended.places.iter().map(of).collect()
}

fn about(whole: Value) -> About {
    match whole {
        Value::Object(whole) => About::from_answer(&whole),
        _ => About::default(),
    }
}

fn from_value(item: &Item, value: Value) -> Item {
    let object = if let Value::Object(object) = value { object } else { Object::new() };
    Item::from_object(item.kind, &item.name, object)
}

fn name_of(item: &Item) -> ItemName {
    ItemName { kind: item.kind, name: item.name.clone() }
}

/// The items of a list that share kind and name with this one. Lists are sorted by both.
fn of_name<'i>(items: &'i [Item], item: &Item) -> impl Iterator<Item = (usize, &'i Item)> {
    let key: (Kind, &str) = (item.kind, &item.name);
    let start = items.partition_point(|other| (other.kind, other.name.as_str()) < key);
    let (kind, name) = (item.kind, item.name.clone());
    items.iter().enumerate().skip(start).take_while(move |(_, other)| other.kind == kind && other.name == name)
}

fn only_one<T>(mut all: impl Iterator<Item = T>) -> Option<T> {
    let first = all.next()?;
    all.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::policy::parse;

    fn surface(tools: &[&str]) -> Surface {
        let items = tools.iter().map(|raw| Item::from_raw(Kind::Tool, raw).expect(raw)).collect();
        Surface::new("2025-11-25".to_owned(), About::default(), items)
    }

    fn of_server(instructions: &str, version: &str) -> Surface {
        let about = format!(r#"{{"serverInfo":{{"name":"s","version":"{version}"}},"instructions":"{instructions}"}}"#);
        let about = About::from_answer(crate::json::parse(&about).expect("JSON").as_object().expect("an object"));
        Surface::new("2025-11-25".to_owned(), about, Vec::new())
    }

    /// What these entries, each without its server and reason, make of a reading.
    fn mend(entries: &[&str], old: &Surface, new: &Surface) -> Tolerated {
        let text: String =
            entries.iter().map(|entry| format!("[[ignore]]\nserver = \"s\"\nreason = \"r\"\n{entry}\n")).collect();
        let policy = parse(&text, "p").expect(&text);
        tolerate(&policy.ignores.iter().collect::<Vec<_>>(), old, new)
    }

    const OLD: &str = r#"{"name":"t","description":"Today is 2026-11-30.","_meta":{"build":1}}"#;
    const DAY: &str = "tool = \"t\"\npointer = \"/description\"\npattern = '\\d{4}-\\d{2}-\\d{2}'";
    const BUILD: &str = "tool = \"*\"\npointer = \"/_meta/build\"";

    #[test]
    fn an_item_that_differs_in_nothing_else_is_kept_as_it_was() {
        let old = surface(&[OLD]);
        let new = surface(&[r#"{"name":"t","description":"Today is 2026-12-01.","_meta":{"build":1}}"#]);
        let tolerated = mend(&[DAY], &old, &new);
        assert_eq!((&tolerated.compared, &tolerated.stored), (&old, &old));
        assert!(tolerated.only.agrees_with(&new));
        let item = Some(ItemName { kind: Kind::Tool, name: "t".to_owned() });
        assert_eq!(tolerated.uses, [Use { item, pointer: Pointer::of(["description"]), ignore: 0 }]);
    }

    #[test]
    fn an_item_that_differs_elsewhere_too_is_stored_as_it_is_now() {
        let old = surface(&[OLD]);
        let new = surface(&[r#"{"name":"t","title":"T","description":"Today is 2026-12-01."}"#]);
        let tolerated = mend(&[DAY, BUILD], &old, &new);
        assert_eq!(tolerated.stored, new);
        let compared = surface(&[r#"{"name":"t","title":"T","description":"Today is 2026-11-30."}"#]);
        assert!(tolerated.compared.agrees_with(&compared), "{tolerated:?}");
    }

    #[test]
    fn a_member_that_is_ignored_may_come_and_go() {
        let (with, none) =
            (surface(&[r#"{"name":"t","_meta":{"build":1}}"#]), surface(&[r#"{"name":"t","_meta":{}}"#]));
        assert_eq!(mend(&[BUILD], &with, &none).stored, with);
        assert_eq!(mend(&[BUILD], &none, &with).stored, none);
    }

    #[test]
    fn another_item_another_place_and_two_of_one_name_are_not_ignored() {
        let old = surface(&[OLD]);
        let new = surface(&[&OLD.replace("11-30", "12-01")]);
        for entry in
            [DAY.replace("\"t\"", "\"u\""), DAY.replace("tool", "prompt"), DAY.replace("/description", "/title")]
        {
            assert_eq!(mend(&[&entry], &old, &new).compared, new, "{entry}");
        }
        let twice = surface(&[OLD, &OLD.replace("11-30", "12-01")]);
        assert_eq!(mend(&[DAY], &old, &twice).compared, twice);
        assert_eq!(mend(&[DAY], &twice, &new).compared, new);
    }

    #[test]
    fn a_pattern_without_a_place_is_about_every_text_of_the_item() {
        let day = "tool = \"t\"\npattern = '\\d{4}-\\d{2}-\\d{2}'";
        let texts =
            |day: &str| format!(r#"{{"name":"t","description":"{day}","inputSchema":{{"default":["{day}"]}}}}"#);
        let (old, new) = (surface(&[&texts("2026-11-30")]), surface(&[&texts("2026-12-01")]));
        let tolerated = mend(&[day], &old, &new);
        assert_eq!((tolerated.stored, tolerated.uses.len()), (old, 2));
    }

    #[test]
    fn what_the_server_says_of_itself_is_ignored_in_the_same_way() {
        let (old, new) = (of_server("Day 1.", "1.0"), of_server("Day 2.", "1.1"));
        let day = "pointer = \"/instructions\"\npattern = '\\d+'";
        let version = "pointer = \"/serverInfo/version\"";
        assert_eq!(mend(&[day, version], &old, &new).stored, old);
        let tolerated = mend(&[day], &old, &new);
        assert_eq!(tolerated.compared.about, of_server("Day 1.", "1.1").about);
        assert_eq!(tolerated.stored.about, new.about);
        assert_eq!(mend(&["tool = \"*\"\npattern = '\\d+'"], &old, &new).compared, new);
    }

    #[test]
    fn nothing_invisible_comes_with_what_is_ignored() {
        let old = surface(&[OLD]);
        let hidden = surface(&[&OLD.replace("Today", "To\u{200b}day")]);
        let whole = "tool = \"t\"\npointer = \"/description\"";
        assert_eq!(mend(&[whole], &old, &hidden).compared, hidden);
        assert_eq!(mend(&[whole], &hidden, &old).stored, hidden);
        assert_eq!(mend(&[whole], &hidden, &hidden).stored, hidden);
    }

    #[test]
    fn an_entry_covers_what_is_there_whether_it_differs_or_not() {
        let covers = |entry: &str, surface: &Surface| {
            let text = format!("[[ignore]]\nserver = \"s\"\nreason = \"r\"\n{entry}\n");
            super::covers(&parse(&text, "p").expect(&text).ignores[0], surface)
        };
        assert!(covers(DAY, &surface(&[OLD])) && covers(BUILD, &surface(&[OLD])));
        assert!(!covers(DAY, &surface(&[r#"{"name":"t","description":"No day."}"#])));
        assert!(!covers(BUILD, &surface(&[r#"{"name":"t"}"#])));
        assert!(covers("pointer = \"/instructions\"", &of_server("x", "1")));
        assert!(!covers("pointer = \"/instructions\"", &surface(&[OLD])));
    }

    #[test]
    fn what_is_ignored_can_be_taken_out() {
        let text = format!("[[ignore]]\nserver = \"s\"\nreason = \"r\"\n{DAY}\n");
        let policy = parse(&text, "p").expect("valid");
        let ignores: Vec<&Ignore> = policy.ignores.iter().collect();
        let (one, other) = (surface(&[OLD]), surface(&[&OLD.replace("11-30", "12-01")]));
        assert!(without_ignored(&ignores, &one).agrees_with(&without_ignored(&ignores, &other)));
        assert!(!without_ignored(&ignores, &one).agrees_with(&one));
    }

    fn texts() -> impl Strategy<Value = String> {
        prop::collection::vec(prop::sample::select(vec!["a", "b", " ", "1", "22", "\u{200b}"]), 0..6)
            .prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn texts_that_differ_outside_of_the_pattern_are_never_tolerated(old in texts(), new in texts()) {
            let tool = |text: &str| surface(&[&format!(r#"{{"name":"t","description":"{text}"}}"#)]);
            let (before, after) = (tool(&old), tool(&new));
            let tolerated = mend(&["tool = \"t\"\npointer = \"/description\"\npattern = '[0-9]+'"], &before, &after);
            let letters = |text: &str| text.chars().filter(|character| !character.is_ascii_digit()).collect::<String>();
            if letters(&old) != letters(&new) {
                prop_assert_eq!(tolerated.compared, after);
            } else {
                prop_assert!(tolerated.stored == before || tolerated.stored == after);
            }
        }

        #[test]
        fn without_entries_nothing_changes(old in texts(), new in texts()) {
            let tool = |text: &str| surface(&[&format!(r#"{{"name":"t","description":"{text}"}}"#)]);
            let tolerated = mend(&[], &tool(&old), &tool(&new));
            prop_assert_eq!((tolerated.compared, tolerated.stored), (tool(&new), tool(&new)));
        }
    }
}
