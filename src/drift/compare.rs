//! What differs between the approved surface and the present one.

use std::collections::{BTreeMap, BTreeSet};

use super::schema::Purpose;
use super::values::leaves;
use super::{about, annotations, content, hidden, order, prompt, rename, schema};
use crate::finding::{Finding, Rule, rule};
use crate::json::{Object, Pointer, Value};
use crate::surface::{Item, Kind, Surface};

/// Names every difference of `new`, what a server says now, from `old`, what the lockfile holds.
///
/// Items match by kind and by the bytes of their names; the order in which a server lists them means nothing. Two items
/// of one name are a finding even when one of them is what was approved.
pub fn surfaces(old: &Surface, new: &Surface) -> Vec<Finding> {
    let mut findings = about::differences(old, new);
    if old.repeated_name().is_none()
        && old.items.iter().map(|item| &item.digest).eq(new.items.iter().map(|item| &item.digest))
    {
        // The digest covers the name.
        order::sort(&mut findings);
        return findings;
    }
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    for (before, after) in by_name(&old.items, &new.items).into_values() {
        match (before.as_slice(), after.as_slice()) {
            ([before], [after]) if before.digest == after.digest => {}
            ([before], [after]) => findings.extend(definitions(before, after)),
            ([before], []) => removed.push(*before),
            ([], [after]) => added.push(*after),
            (before, after) => findings.extend(duplicates(before, after)),
        }
    }
    findings.extend(rename::differences(&removed, &added));
    order::sort(&mut findings);
    findings
}

/// The items of each name on both sides.
type ByName<'a> = BTreeMap<(Kind, &'a str), (Vec<&'a Item>, Vec<&'a Item>)>;

fn by_name<'a>(old: &'a [Item], new: &'a [Item]) -> ByName<'a> {
    let mut names = ByName::new();
    for item in old {
        names.entry((item.kind, item.name.as_str())).or_default().0.push(item);
    }
    for item in new {
        names.entry((item.kind, item.name.as_str())).or_default().1.push(item);
    }
    names
}

/// Two items of one name: each client keeps another of the two. What the lockfile holds is `old`, all that the server
/// lists is `new`, in an order that doesn't depend on the listing's.
pub(super) fn duplicates(old: &[&Item], new: &[&Item]) -> Vec<Finding> {
    let all = |items: &[&Item]| {
        let mut items = items.to_vec();
        items.sort_by(|one, other| one.digest.cmp(&other.digest));
        let mut definitions: Vec<Value> = items.iter().map(|item| Value::Object(item.object())).collect();
        match definitions.len() {
            0 | 1 => definitions.pop(),
            _ => Some(Value::Array(definitions)),
        }
    };
    let Some(first) = new.first().or(old.first()) else { return Vec::new() };
    let note = match new.len() {
        0 | 1 => format!("{} items had this name", old.len()),
        count => format!("{count} items have this name; clients differ in which of them they use"),
    };
    let mut findings = vec![
        Finding::new(&rule::DUPLICATE_NAME).of_item(first.kind, &first.name).between(all(old), all(new)).noting(note),
    ];
    let before = old.first().map(|item| Value::Object(item.object()));
    for item in new.iter().filter(|item| old.iter().all(|old| old.digest != item.digest)) {
        let found = hidden::differences(before.as_ref(), &Value::Object(item.object()), &Pointer::root());
        findings.extend(found.into_iter().map(|finding| finding.of_item(item.kind, &item.name)));
    }
    findings
}

/// Two items of one kind and name whose digests differ. Their trees live no longer than this.
fn definitions(old: &Item, new: &Item) -> Vec<Finding> {
    let (before, after) = (Value::Object(old.object()), Value::Object(new.object()));
    let none = Object::new();
    let mut findings = members(new, before.as_object().unwrap_or(&none), after.as_object().unwrap_or(&none));
    findings.extend(hidden::differences(Some(&before), &after, &Pointer::root()));
    findings.into_iter().map(|finding| finding.of_item(new.kind, &new.name)).collect()
}

fn members(item: &Item, old: &Object, new: &Object) -> Vec<Finding> {
    let mut findings = Vec::new();
    let keys: BTreeSet<&str> = old.keys().chain(new.keys()).collect();
    for key in keys {
        let (before, after) = (old.get(key), new.get(key));
        if before != after {
            findings.extend(member(item, key, before, after));
        }
    }
    findings
}

fn member(item: &Item, key: &str, old: Option<&Value>, new: Option<&Value>) -> Vec<Finding> {
    let at = Pointer::of([key]);
    match (item.kind, key) {
        // Whatever differs in an interface is shown to the user and runs in the client.
        (Kind::Interface, _) => places(&rule::INTERFACE_CHANGED, old, new, &at),
        (_, "title") => places(&rule::TITLE_CHANGED, old, new, &at),
        (_, "description") => places(&rule::DESCRIPTION_CHANGED, old, new, &at),
        (_, "icons") => places(&rule::ICONS_CHANGED, old, new, &at),
        (_, "_meta") => places(&rule::META_CHANGED, old, new, &at),
        (Kind::Tool, "inputSchema") => schema::differences(Purpose::Input, &item.name, old, new, &at),
        (Kind::Tool, "outputSchema") => schema::differences(Purpose::Output, &item.name, old, new, &at),
        (Kind::Tool, "annotations") => annotations::differences(old, new, &at),
        (Kind::Tool, "execution") => places(&rule::EXECUTION_CHANGED, old, new, &at),
        (Kind::Prompt, "arguments") => prompt::arguments(old, new, &at),
        (Kind::Resource | Kind::Template, _) => content::differences(key, old, new, &at),
        _ => places(&rule::UNKNOWN_MEMBER_CHANGED, old, new, &at),
    }
}

/// One finding of a rule for each place at which two values differ.
pub(super) fn places(rule: &'static Rule, old: Option<&Value>, new: Option<&Value>, at: &Pointer) -> Vec<Finding> {
    let finding = |leaf: super::values::Leaf<'_>| {
        Finding::new(rule).at(leaf.pointer).between(leaf.old.cloned(), leaf.new.cloned())
    };
    leaves(old, new, at).into_iter().map(finding).collect()
}
