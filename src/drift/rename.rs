//! Items that came and went, and which of them are likely one under two names.

use std::collections::BTreeSet;

use super::hidden;
use super::values::{common_prefix, common_suffix};
use crate::finding::{Finding, Rule, rule};
use crate::json::{Pointer, Value};
use crate::surface::{Digest, Item, Kind};
use crate::text;

/// Names every item that came or went. One that came while a similar one went is told with a note and carries both
/// definitions, so that their texts can be compared: a renamed tool is where new text is least expected.
pub(super) fn differences(removed: &[&Item], added: &[&Item]) -> Vec<Finding> {
    let removed: Vec<Candidate> = removed.iter().map(|item| Candidate::of(item)).collect();
    let added: Vec<Candidate> = added.iter().map(|item| Candidate::of(item)).collect();
    let partners = partners(&removed, &added);
    let mut findings = Vec::new();
    for candidate in &removed {
        let finding =
            Finding::new(removed_rule(candidate.item.kind)).of_item(candidate.item.kind, &candidate.item.name);
        findings.push(finding.between(Some(definition(candidate.item)), None));
    }
    for (candidate, partner) in added.iter().zip(partners) {
        let item = candidate.item;
        let old = partner.map(|index| removed[index].item);
        let (before, after) = (old.map(definition), definition(item));
        for finding in hidden::differences(before.as_ref(), &after, &Pointer::root()) {
            findings.push(finding.of_item(item.kind, &item.name));
        }
        let finding = Finding::new(added_rule(item.kind)).of_item(item.kind, &item.name).between(before, Some(after));
        findings.push(match old {
            Some(old) => finding.noting(format!("likely renamed from `{}`", text::identifier(&old.name))),
            None => finding,
        });
    }
    findings
}

/// The most pairs of removed and added items that are compared.
const MOST_PAIRS: usize = 250_000;

fn added_rule(kind: Kind) -> &'static Rule {
    match kind {
        Kind::Tool => &rule::TOOL_ADDED,
        Kind::Prompt => &rule::PROMPT_ADDED,
        Kind::Resource => &rule::RESOURCE_ADDED,
        Kind::Template => &rule::TEMPLATE_ADDED,
        Kind::Interface => &rule::INTERFACE_ADDED,
    }
}

fn removed_rule(kind: Kind) -> &'static Rule {
    match kind {
        Kind::Tool => &rule::TOOL_REMOVED,
        Kind::Prompt => &rule::PROMPT_REMOVED,
        Kind::Resource => &rule::RESOURCE_REMOVED,
        Kind::Template => &rule::TEMPLATE_REMOVED,
        Kind::Interface => &rule::INTERFACE_REMOVED,
    }
}

fn definition(item: &Item) -> Value {
    Value::Object(item.object())
}

/// What of an item tells whether it is another one renamed.
struct Candidate<'a> {
    item: &'a Item,
    /// Everything but what it is called by.
    rest: Digest,
    /// The name as a hurried reader sees it.
    look: Vec<char>,
    /// The schema of what it takes.
    schema: Option<Digest>,
}

impl<'a> Candidate<'a> {
    fn of(item: &'a Item) -> Self {
        let mut members = item.object();
        members.remove(item.kind.identity());
        let schema = members.get("inputSchema").map(Digest::of);
        Self { item, schema, look: look(&item.name), rest: Digest::of(&Value::Object(members)) }
    }
}

/// The removed item that each added one likely was, each of them used once, the best reasons first: the same but for the
/// name, a name that looks alike, the same input schema.
fn partners(removed: &[Candidate], added: &[Candidate]) -> Vec<Option<usize>> {
    let reasons: [fn(&Candidate, &Candidate) -> bool; 3] = [
        |one, other| one.rest == other.rest,
        |one, other| looks_alike(&one.look, &other.look),
        |one, other| one.schema.is_some() && one.schema == other.schema,
    ];
    let mut partners = vec![None; added.len()];
    // Where so much came and went nobody renamed it one by one, and looking would take longer than reading did.
    if removed.len().saturating_mul(added.len()) > MOST_PAIRS {
        return partners;
    }
    let mut free: BTreeSet<usize> = (0..removed.len()).collect();
    for reason in reasons {
        for (candidate, partner) in added.iter().zip(&mut partners).filter(|(_, partner)| partner.is_none()) {
            let likely = free
                .iter()
                .copied()
                .filter(|&index| removed[index].item.kind == candidate.item.kind && reason(&removed[index], candidate));
            *partner = likely.max_by_key(|&index| common_ends(&removed[index].item.name, &candidate.item.name));
            if let Some(index) = partner {
                free.remove(index);
            }
        }
    }
    partners
}

/// How many bytes two names begin and end with alike.
fn common_ends(one: &str, other: &str) -> usize {
    common_prefix(one.as_bytes(), other.as_bytes()) + common_suffix(one.as_bytes(), other.as_bytes())
}

/// Whether two different names could be taken for one: they differ in case, in characters that nobody sees, or here and
/// there in a letter of another alphabet that stands for one of ours.
fn looks_alike(one: &[char], other: &[char]) -> bool {
    let pairs = || one.iter().zip(other);
    one.len() == other.len()
        && pairs().all(|(one, other)| one == other || !one.is_ascii() || !other.is_ascii())
        && pairs().filter(|(one, other)| one == other).count() * 2 >= one.len()
}

/// A name's characters in lower case without those that nobody sees and without marks that combine.
fn look(name: &str) -> Vec<char> {
    name.chars()
        .filter(|&character| !text::is_invisible(character) && !matches!(character, '\u{300}'..='\u{36f}'))
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_could_be_taken_for_one_look_alike() {
        for (one, other) in [
            ("delete_file", "Delete_File"),
            ("verify_user", "verify_u\u{57d}er"),
            ("café", "cafe\u{301}"),
            ("read", "re\u{200b}ad"),
        ] {
            assert!(looks_alike(&look(one), &look(other)), "{one} {other}");
        }
        for (one, other) in [("read", "reap"), ("read", "reads"), ("ab", "日本")] {
            assert!(!looks_alike(&look(one), &look(other)), "{one} {other}");
        }
    }
}
