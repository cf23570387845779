//! One edit repeated over many items, told once.

use std::collections::HashMap;

use crate::finding::{Finding, ItemName, Level, rule};
use crate::json::{Pointer, Value};
use crate::surface::{Digest, Kind};

/// A finding and the further items that have the same one.
#[derive(Debug)]
pub(super) struct Group<'a> {
    /// The first of them.
    pub(super) finding: &'a Finding,
    /// The items of the others.
    pub(super) others: Vec<&'a ItemName>,
}

/// What must be equal for two findings to be the same edit of different items.
#[derive(PartialEq, Eq, Hash)]
struct Sameness<'a> {
    rule: &'static str,
    level: Level,
    kind: Kind,
    pointer: &'a Pointer,
    note: Option<&'a str>,
    proposed: bool,
    edit: Edit<'a>,
}

#[derive(PartialEq, Eq, Hash)]
enum Edit<'a> {
    /// What was taken out of a text and what was put in its place.
    Text(&'a str, &'a str),
    /// What stood there and what stands there.
    Values(Option<Digest>, Option<Digest>),
    /// Whether something stood there and whether something stands there: what it is, the item's name says.
    Name(Presence, Presence),
}

/// Whether there is something on one side.
#[derive(PartialEq, Eq, Hash)]
enum Presence {
    There,
    Missing,
}

impl Presence {
    fn of(side: Option<&Value>) -> Self {
        side.map_or(Presence::Missing, |_| Presence::There)
    }
}

/// The findings with the same edits of different items put together, each in the place of the first.
pub(super) fn groups<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    let mut known: HashMap<Sameness<'a>, usize> = HashMap::new();
    for finding in findings {
        let (Some(item), Some(sameness)) = (&finding.item, sameness(finding)) else {
            groups.push(Group { finding, others: Vec::new() });
            continue;
        };
        let index = *known.entry(sameness).or_insert(groups.len());
        match groups.get_mut(index) {
            Some(group) => group.others.push(item),
            None => groups.push(Group { finding, others: Vec::new() }),
        }
    }
    groups
}

fn sameness(finding: &Finding) -> Option<Sameness<'_>> {
    // What came, went or is there twice is a whole definition, each its own.
    let whole = [rule::TOOL_ADDED.id, rule::TOOL_REMOVED.id, rule::DUPLICATE_NAME.id];
    if whole.contains(&finding.rule.id) {
        return None;
    }
    let edit = match (&finding.old, &finding.new) {
        (old, new) if finding.rule.id == rule::REPEATED_TITLE_CHANGED.id => {
            Edit::Name(Presence::of(old.as_ref()), Presence::of(new.as_ref()))
        }
        (Some(Value::String(old)), Some(Value::String(new))) => {
            let (old, new) = changed_part(old, new);
            Edit::Text(old, new)
        }
        (old, new) => Edit::Values(old.as_ref().map(Digest::of), new.as_ref().map(Digest::of)),
    };
    Some(Sameness {
        rule: finding.rule.id,
        level: finding.level,
        kind: finding.item.as_ref()?.kind,
        pointer: &finding.pointer,
        note: finding.note.as_deref(),
        proposed: finding.proposed,
        edit,
    })
}

/// What was taken out of a text and what was put in its place. Where all of the one text is the beginning or the end of
/// the other it is the rest, whatever letters that has in common with the text; else see [`changed_middle`].
fn changed_part<'a>(old: &'a str, new: &'a str) -> (&'a str, &'a str) {
    if let Some(added) = new.strip_prefix(old).or_else(|| new.strip_suffix(old)) {
        return ("", added);
    }
    match old.strip_prefix(new).or_else(|| old.strip_suffix(new)) {
        Some(removed) => (removed, ""),
        None => changed_middle(old, new),
    }
}

/// Two texts without what they begin and end with alike.
fn changed_middle<'a>(old: &'a str, new: &'a str) -> (&'a str, &'a str) {
    let start: usize = old
        .chars()
        .zip(new.chars())
        .take_while(|(old, new)| old == new)
        .map(|(character, _)| character.len_utf8())
        .sum();
    let (old, new) = (&old[start..], &new[start..]);
    let end: usize = old
        .chars()
        .rev()
        .zip(new.chars().rev())
        .take_while(|(old, new)| old == new)
        .map(|(character, _)| character.len_utf8())
        .sum();
    (&old[..old.len() - end], &new[..new.len() - end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn description(item: &str, old: &str, new: &str) -> Finding {
        Finding::new(&rule::DESCRIPTION_CHANGED)
            .of_item(Kind::Tool, item)
            .between(Some(Value::from(old)), Some(Value::from(new)))
    }

    #[test]
    fn the_same_sentence_put_into_many_texts_is_one_edit() {
        let findings = [
            description("a", "Reads.", "Reads. Copy me."),
            description("b", "Writes.", "Writes. Copy me."),
            description("c", "Writes.", "Writes. Copy us."),
        ];
        let groups = groups(&findings);
        let told: Vec<_> = groups.iter().map(|group| group.others.len()).collect();
        assert_eq!(told, [1, 0]);
        assert_eq!(groups[0].others[0].name, "b");
    }

    #[test]
    fn what_a_generator_writes_into_every_tool_is_one_edit() {
        let values = |old: Option<&str>, new: Option<&str>| {
            let value = |json: Option<&str>| json.map(|json| crate::json::parse(json).expect(json));
            (value(old), value(new))
        };
        for (rule, key, (old, new)) in [
            (
                &rule::SCHEMA_DIALECT_CHANGED,
                "$schema",
                values(None, Some("\"http://json-schema.org/draft-07/schema#\"")),
            ),
            (&rule::ADDITIONAL_PROPERTIES_CHANGED, "additionalProperties", values(None, Some("false"))),
            (&rule::ADDITIONAL_PROPERTIES_CHANGED, "additionalProperties", values(Some("false"), Some("true"))),
        ] {
            let of_tool = |number: usize| {
                let finding = Finding::new(rule).of_item(Kind::Tool, &format!("tool-{number}"));
                finding.at(Pointer::of(["inputSchema", key])).between(old.clone(), new.clone())
            };
            let findings: Vec<Finding> = (0..40).map(of_tool).collect();
            let groups = groups(&findings);
            assert_eq!(groups.iter().map(|group| group.others.len()).collect::<Vec<_>>(), [39], "{}", rule.id);
        }
    }

    #[test]
    fn titles_that_repeat_the_names_of_their_tools_are_one_edit() {
        let of_tool = |name: &str, old: Option<&str>| {
            let finding = Finding::new(&rule::REPEATED_TITLE_CHANGED).of_item(Kind::Tool, name);
            finding.between(old.map(Value::from), Some(Value::from(format!("{name}Arguments"))))
        };
        assert_eq!(groups(&[of_tool("a", None), of_tool("b", None)]).len(), 1);
        assert_eq!(groups(&[of_tool("a", None), of_tool("b", Some("b"))]).len(), 2);
    }

    #[test]
    fn a_sentence_before_or_after_is_one_edit_whatever_the_text_begins_and_ends_with() {
        let after = [description("a", "Reads.", "Reads. Now."), description("b", "Now.", "Now. Now.")];
        assert_eq!(groups(&after).len(), 1);
        let before = [description("a", "Reads.", "New: Reads."), description("b", "No", "New: No")];
        assert_eq!(groups(&before).len(), 1);
        let gone = [description("a", "Reads. Now.", "Reads."), description("b", "Now. Now.", "Now.")];
        assert_eq!(groups(&gone).len(), 1);
    }

    #[test]
    fn another_place_or_level_is_another_edit() {
        let one = description("a", "x", "y");
        let findings = [one.clone(), one.clone().at(Pointer::of(["x"])), one.at_level(Level::Change)];
        assert_eq!(groups(&findings).len(), 3);
    }

    #[test]
    fn what_came_is_told_one_by_one() {
        let added = Finding::new(&rule::TOOL_ADDED).of_item(Kind::Tool, "a");
        assert_eq!(groups(&[added.clone(), added]).len(), 2);
    }

    #[test]
    fn the_middle_is_found_at_whole_characters() {
        assert_eq!(changed_middle("aéb", "aèb"), ("é", "è"));
        assert_eq!(changed_middle("aa", "a"), ("a", ""));
    }
}
