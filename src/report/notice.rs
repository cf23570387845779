//! Which notices a person is shown, and in which words.

use std::collections::BTreeMap;

use super::State;
use super::style::{Detail, count, note, place};
use crate::finding::{Finding, Level, rule};
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
        (Some(old), None) => format!("{} is gone", short(old)),
        (None, Some(new)) => format!("{}. {}", short(new), finding.rule.why),
        (None, None) => finding.rule.why.to_owned(),
    };
    match &finding.note {
        Some(words_of_note) => format!("{words} ({})", note(words_of_note)),
        None => words,
    }
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
