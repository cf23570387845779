//! What differs between the arguments of two prompts.

use std::collections::BTreeMap;

use super::compare::places;
use crate::finding::{Finding, rule};
use crate::json::{Pointer, Value};

/// Names what differs between two lists of arguments (2025-11-25, Server Features, Prompts, `PromptArgument`). Arguments
/// match by name where each side has one of that name; otherwise the lists are compared place by place.
pub(super) fn arguments(old: Option<&Value>, new: Option<&Value>, at: &Pointer) -> Vec<Finding> {
    let (Some(before), Some(after)) = (old.and_then(by_name), new.and_then(by_name)) else {
        return places(&rule::ARGUMENT_CHANGED, old, new, at);
    };
    let mut findings = Vec::new();
    for (name, (index, argument)) in &after {
        let place = at.join(index);
        let old = before.get(name).map(|(_, old)| *old);
        if old != Some(*argument) {
            findings.extend(argument_differences(old, Some(argument), &place));
        }
    }
    for (name, (index, argument)) in &before {
        if !after.contains_key(name) {
            findings.extend(argument_differences(Some(argument), None, &at.join(index)));
        }
    }
    if findings.is_empty() && old != new {
        findings.push(Finding::new(&rule::ORDER_CHANGED).at(at.clone()).between(old.cloned(), new.cloned()));
    }
    findings
}

fn argument_differences(old: Option<&Value>, new: Option<&Value>, at: &Pointer) -> Vec<Finding> {
    let mut findings = places(&rule::ARGUMENT_CHANGED, old, new, at);
    for finding in &mut findings {
        let last = finding.pointer.segments().last().map(String::as_str);
        if last == Some("description") && finding.pointer.segments().len() == at.segments().len() + 1 {
            *finding = Finding {
                rule: &rule::DESCRIPTION_CHANGED,
                level: rule::DESCRIPTION_CHANGED.change,
                ..finding.clone()
            };
        }
    }
    findings
}

/// The arguments by name; `None` if one has no name of its own.
fn by_name(arguments: &Value) -> Option<BTreeMap<&str, (usize, &Value)>> {
    let mut names = BTreeMap::new();
    for (index, argument) in arguments.as_array()?.iter().enumerate() {
        if names.insert(argument.get("name")?.as_str()?, (index, argument)).is_some() {
            return None;
        }
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn told(old: &str, new: &str) -> Vec<String> {
        let (old, new) = (parse(old).expect(old), parse(new).expect(new));
        let found = arguments(Some(&old), Some(&new), &Pointer::of(["arguments"]));
        found.iter().map(|finding| format!("{} {}", finding.rule.id, finding.pointer)).collect()
    }

    #[test]
    fn arguments_match_by_name_and_their_order_is_a_notice() {
        let (a, b) = (r#"{"name":"a","description":"x"}"#, r#"{"name":"b","required":true}"#);
        assert_eq!(told(&format!("[{a},{b}]"), &format!("[{b},{a}]")), ["order-changed /arguments"]);
        assert_eq!(told(&format!("[{a}]"), &format!("[{b},{a}]")), ["argument-changed /arguments/0"]);
        assert_eq!(told(&format!("[{a},{b}]"), &format!("[{a}]")), ["argument-changed /arguments/1"]);
        assert_eq!(
            told(&format!("[{a},{b}]"), r#"[{"name":"b","required":false},{"name":"a","description":"y"}]"#),
            ["description-changed /arguments/1/description", "argument-changed /arguments/0/required"]
        );
    }

    #[test]
    fn lists_without_names_of_their_own_are_compared_by_place() {
        let a = r#"{"name":"a"}"#;
        assert_eq!(told(&format!("[{a},{a}]"), &format!("[{a}]")), ["argument-changed /arguments/1"]);
        assert_eq!(told("7", "8"), ["argument-changed /arguments"]);
        assert_eq!(told("[]", "{}"), ["argument-changed /arguments"]);
    }
}
