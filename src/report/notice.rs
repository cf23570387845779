//! Which notices a person is shown, and in which words.

use std::collections::BTreeMap;

use super::State;
use super::style::{Detail, count, name, note, place};
use crate::finding::{Finding, Level, Softened, rule};
use crate::json::{Value, canonical};
use crate::text;

/// The most characters of a value on a notice's line.
const MOST: usize = 80;

/// What a reader must know of a server that is in sync: where the pin doesn't reach, and what was odd.
static ALWAYS_SHOWN: [&str; 4] =
    [rule::REMOTE_REFERENCE.id, rule::UNPINNED_CONTENT.id, rule::ODD_TRAFFIC.id, rule::LISTING_GREW.id];

/// Whether a finding is a notice that is shown.
pub(super) fn is_shown(finding: &Finding, state: State, detail: Detail) -> bool {
    finding.level == Level::Notice
        && match detail {
            Detail::Quiet => false,
            Detail::Normal => {
                matches!(state, State::Drift | State::New | State::Read) || ALWAYS_SHOWN.contains(&finding.rule.id)
            }
            Detail::Verbose => true,
        }
}

/// Findings by rule, the rules in the order of their first finding.
pub(super) fn by_rule<'a>(findings: impl Iterator<Item = &'a Finding>) -> Vec<Vec<&'a Finding>> {
    let mut rules: Vec<Vec<&Finding>> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in findings {
        let place = *places.entry(finding.rule.id).or_insert(rules.len());
        match rules.get_mut(place) {
            Some(of_one_rule) => of_one_rule.push(finding),
            None => rules.push(vec![finding]),
        }
    }
    rules
}

/// What the notices of one rule say: the place and the values of a single one, else why they are notices.
pub(super) fn words(of_one_rule: &[&Finding]) -> String {
    match of_one_rule {
        [] => String::new(),
        [only] => format!("{}: {}", place(&only.pointer), values(only)),
        [first, ..] => format!(": {}", first.rule.why),
    }
}

fn values(finding: &Finding) -> String {
    let words = match (&finding.old, &finding.new) {
        (Some(old), Some(new)) => format!("{} → {}", short(old), short(new)),
        // The server itself went, not the value that told of it.
        (Some(_), None) if finding.rule == &rule::SERVER_REMOVED => finding.rule.why.to_owned(),
        (Some(old), None) => format!("{} is gone", short(old)),
        (None, Some(new)) => format!("{}. {}", short(new), finding.rule.why),
        (None, None) => finding.rule.why.to_owned(),
    };
    match &finding.note {
        Some(words_of_note) => format!("{words} ({})", note(words_of_note)),
        None => words,
    }
}

/// The place of a softened finding and what differs there, a text without most of what its sides have alike.
pub(super) fn brief(finding: &Finding) -> String {
    let place = place(&finding.pointer);
    match (&finding.old, &finding.new) {
        (Some(Value::String(old)), Some(Value::String(new))) => {
            let (old, new) = around(old, new);
            let words = finding.note.as_ref().map(|words| format!(" ({})", note(words))).unwrap_or_default();
            format!("{place}: {} → {}{words}", short(&Value::from(old)), short(&Value::from(new)))
        }
        _ => format!("{place}: {}", values(finding)),
    }
}

/// What a policy softened, on one line.
pub(super) fn softened(softened: &Softened) -> String {
    let finding = &softened.finding;
    let item = finding.item.as_ref().map(|item| format!(" {} {}", item.kind, name(&item.name))).unwrap_or_default();
    format!("{}[{}]{item}{}, by {}", softened.effect.as_str(), finding.rule.id, brief(finding), by(softened))
}

/// By which entry of a policy, why, and until when.
pub(super) fn by(softened: &Softened) -> String {
    let reason = softened.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
    let until = softened.until.as_ref().map(|until| format!(" (until {until})")).unwrap_or_default();
    text::terminal_line(&format!("{}{reason}{until}", softened.by))
}

/// Two texts without what they have alike at both ends, but for a few characters, for a reader to know the place.
fn around(old: &str, new: &str) -> (String, String) {
    const KEPT: usize = 20;
    let (before, after): (Vec<char>, Vec<char>) = (old.chars().collect(), new.chars().collect());
    let most = before.len().min(after.len());
    let start = (0..most).take_while(|&at| before[at] == after[at]).count();
    let end = (0..most - start).take_while(|&at| before[before.len() - 1 - at] == after[after.len() - 1 - at]).count();
    let (start, end) = (start.saturating_sub(KEPT), end.saturating_sub(KEPT));
    let part = |all: &[char]| {
        let middle: String = all[start..all.len() - end].iter().collect();
        let (before, after) = (if start > 0 { "…" } else { "" }, if end > 0 { "…" } else { "" });
        format!("{before}{middle}{after}")
    };
    (part(&before), part(&after))
}

fn short(value: &Value) -> String {
    let json = canonical(value);
    let shortened = text::shorten(&json, MOST);
    let cut = if shortened.cut > 0 { format!("… {} more characters", count(shortened.cut)) } else { String::new() };
    text::terminal_line(shortened.text) + &cut
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Pointer;
    use crate::surface::Kind;

    #[test]
    fn a_single_notice_says_where_and_what() {
        let release = Finding::new(&rule::RELEASE_CHANGED)
            .at(Pointer::of(["serverInfo", "version"]))
            .between(Some(Value::from("1.0.0")), Some(Value::from("1.1.0")));
        assert_eq!(words(&[&release]), " at /serverInfo/version: \"1.0.0\" → \"1.1.0\"");
    }

    #[test]
    fn a_softened_text_is_told_around_what_differs() {
        let (old, new) =
            ("Search the web. Today is 2026-11-30. Be kind to it, always.", "2026-12-01. Be kind to it, always.");
        let finding = |old: &str, new: &str| {
            Finding::new(&rule::DESCRIPTION_CHANGED).between(Some(Value::from(old)), Some(Value::from(new)))
        };
        assert_eq!(brief(&finding("a é b", "a è b")), ": \"a é b\" → \"a è b\"");
        assert_eq!(brief(&finding("aa", "aaa")), ": \"aa\" → \"aaa\"");
        let told = brief(&finding(old, &format!("Search the web. Today is {new}")));
        assert_eq!(
            told,
            ": \"…web. Today is 2026-11-30. Be kind to it, alw…\" → \"…web. Today is 2026-12-01. Be kind to it, alw…\""
        );
    }

    #[test]
    fn where_the_pin_does_not_reach_is_always_shown() {
        let remote = Finding::new(&rule::REMOTE_REFERENCE).of_item(Kind::Tool, "t");
        let dynamic = Finding::new(&rule::LISTING_DYNAMIC);
        assert!(is_shown(&remote, State::InSync, Detail::Normal));
        assert!(!is_shown(&dynamic, State::InSync, Detail::Normal));
        assert!(is_shown(&dynamic, State::Drift, Detail::Normal));
        assert!(is_shown(&dynamic, State::InSync, Detail::Verbose));
        assert!(!is_shown(&remote, State::Drift, Detail::Quiet));
    }
}
