//! What a reviewer should look at once, when it is new: approved as it is, it is never told again.

use std::collections::{BTreeMap, HashSet};

use super::inspect::baseline;
use super::{headers, order};
use crate::finding::{Finding, rule};
use crate::json::Pointer;
use crate::surface::{About, Item, Kind, Surface};

/// The most bytes of instructions that every client tells the model whole: Claude Code, which is known to cut them, cuts
/// after 2 KB (its documentation of MCP, 2026), and others took that number over.
const MOST_INSTRUCTIONS: usize = 2_048;

/// The most characters of a tool's name (2025-11-25, Server Features, Tools, Tool Names).
const MOST_OF_A_NAME: usize = 128;

/// What needs no baseline and is about something that `approved` doesn't hold: new and changed items, and instructions.
pub fn novelties(approved: &Surface, now: &Surface) -> Vec<Finding> {
    let mut findings = Vec::new();
    if approved.about.instructions != now.about.instructions {
        findings.extend(of_server(&now.about));
    }
    let same_items = approved.items.iter().map(|item| &item.digest).eq(now.items.iter().map(|item| &item.digest));
    if same_items {
        return findings;
    }
    let known: HashSet<_> = approved.items.iter().map(|item| (item.kind, &item.digest)).collect();
    let before: BTreeMap<_, _> = approved.items.iter().map(|item| ((item.kind, &item.name), item)).collect();
    for item in now.items.iter().filter(|item| !known.contains(&(item.kind, &item.digest))) {
        let told = before.get(&(item.kind, &item.name)).map(|item| of_item(item)).unwrap_or_default();
        findings.extend(of_item(item).into_iter().filter(|finding| !told.contains(finding)));
    }
    order::sort(&mut findings);
    findings
}

/// Instructions that not every client tells the model whole.
pub(super) fn of_server(about: &About) -> Option<Finding> {
    let instructions = about.instructions.as_deref().filter(|text| text.len() > MOST_INSTRUCTIONS)?;
    let length = instructions.chars().count();
    let note = format!("{length} characters; some clients cut after {MOST_INSTRUCTIONS} bytes");
    Some(baseline(&rule::LONG_INSTRUCTIONS).at(Pointer::of(["instructions"])).noting(note))
}

/// A name that clients rewrite, and headers that they refuse.
pub(super) fn of_item(item: &Item) -> Vec<Finding> {
    if item.kind != Kind::Tool {
        return Vec::new();
    }
    let mut findings: Vec<Finding> = nonconforming(&item.name).into_iter().collect();
    // Any spelling of the key that has no escape ends so.
    if item.raw().contains("x-mcp-header") || item.raw().contains("\\u") {
        findings.extend(headers::misused(&item.object()));
    }
    findings.into_iter().map(|finding| finding.of_item(item.kind, &item.name)).collect()
}

/// What of a tool's name isn't as the specification asks. The name is the item's, which every report spells as a name.
fn nonconforming(name: &str) -> Option<Finding> {
    let plain = |character: char| character.is_ascii_alphanumeric() || "_-.".contains(character);
    let length = name.chars().count();
    let note = match name.chars().find(|&character| !plain(character)) {
        _ if name.is_empty() => "it is empty".to_owned(),
        Some(other) => format!("it holds {}", spelled(other)),
        None if length > MOST_OF_A_NAME => format!("it has {length} characters"),
        None => return None,
    };
    Some(baseline(&rule::NONCONFORMING_NAME).at(Pointer::of(["name"])).noting(note))
}

/// A character by its look, and by its number where a look could deceive.
fn spelled(character: char) -> String {
    match character {
        ' ' => "a blank".to_owned(),
        '!'..='~' => format!("`{character}`"),
        other => format!("\\u{{{:x}}}", u32::from(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surface(instructions: &str, items: &[&str]) -> Surface {
        let about = About { instructions: Some(instructions.to_owned()), ..About::default() };
        let items = items.iter().map(|raw| Item::from_raw(Kind::Tool, raw).expect(raw)).collect();
        Surface::new("2025-11-25".to_owned(), about, items)
    }

    fn rules(findings: &[Finding]) -> Vec<&'static str> {
        findings.iter().map(|finding| finding.rule.id).collect()
    }

    #[test]
    fn names_of_plain_characters_are_ordinary() {
        for name in ["a", "getUser", "DATA_EXPORT_v2", "admin.tools.list", "a-b", &"x".repeat(128)] {
            assert_eq!(nonconforming(name), None, "{name}");
        }
    }

    #[test]
    fn other_names_are_told_with_what_is_wrong() {
        let note = |name: &str| nonconforming(name).and_then(|finding| finding.note).unwrap_or_default();
        assert_eq!(note(""), "it is empty");
        assert_eq!(note("get user"), "it holds a blank");
        assert_eq!(note("files/read"), "it holds `/`");
        assert_eq!(note("re\u{430}d"), "it holds \\u{430}");
        assert_eq!(note(&"x".repeat(129)), "it has 129 characters");
    }

    #[test]
    fn instructions_are_long_when_a_client_cuts_them() {
        let long = |length: usize| of_server(&surface(&"x".repeat(length), &[]).about).is_some();
        assert_eq!([long(2_048), long(2_049)], [false, true]);
    }

    #[test]
    fn what_was_approved_is_no_novelty() {
        let long = "x".repeat(3_000);
        let odd = r#"{"name":"get user","inputSchema":{"type":"object"}}"#;
        let changed = r#"{"name":"get user","description":"new","inputSchema":{"type":"object"}}"#;
        let approved = surface(&long, &[odd]);
        assert_eq!(rules(&novelties(&approved, &approved)), Vec::<&str>::new());
        assert_eq!(rules(&novelties(&approved, &surface(&long, &[changed]))), Vec::<&str>::new());
        let added = surface(&long, &[odd, r#"{"name":"other one"}"#]);
        assert_eq!(rules(&novelties(&approved, &added)), ["nonconforming-name"]);
        let longer = surface(&"y".repeat(3_000), &[odd]);
        assert_eq!(rules(&novelties(&approved, &longer)), ["long-instructions"]);
    }

    #[test]
    fn a_header_that_an_approved_tool_gains_is_a_novelty() {
        let tool = |header: &str| {
            format!(
                r#"{{"name":"t","inputSchema":{{"type":"object","properties":{{"a":{{"type":"array"{header}}}}}}}}}"#
            )
        };
        let approved = surface("", &[&tool("")]);
        let now = surface("", &[&tool(r#","x-mcp\u002dheader":"A""#)]);
        assert_eq!(rules(&novelties(&approved, &now)), ["header-misuse"]);
        assert_eq!(rules(&novelties(&now, &now)), Vec::<&str>::new());
    }
}
