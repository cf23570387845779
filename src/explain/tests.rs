//! Every rule has its pair, its text and its page.

use std::collections::BTreeSet;
use std::path::Path;

use super::*;
use crate::finding::rule;

/// The rules that two surfaces can't show, and a test of each: it takes configurations, processes or answers.
const SHOWN_BY_SERVERS: [(&str, &str, &str); 10] = [
    (rule::LAUNCH_CHANGED.id, "drift_server", "a_changed_launch_is_drift_and_is_not_started"),
    (rule::SERVER_UNPINNED.id, "drift_server", "a_server_that_nobody_pinned_is_drift_and_is_not_started"),
    (rule::SERVER_REMOVED.id, "drift_server", "a_server_that_left_the_configuration_is_drift_until_it_is_pruned"),
    (rule::READING_CHANGED.id, "diff", "servers_launches_clients_and_variables_are_compared_too"),
    (rule::REQUIRED_SERVER.id, "policy_rules", "a_required_server_that_is_missing_or_disabled_fails"),
    (rule::SERVER_DISABLED.id, "base_disabled", "a_server_that_was_disabled_since_is_a_finding"),
    (rule::POLICY_LOOSENED.id, "base", "each_way_to_loosen_the_policy_is_told_and_nothing_softens_it"),
    (rule::AMBIGUOUS_ANSWER.id, "answers", "a_second_answer_with_other_bytes_is_ambiguous_and_refused_by_pin"),
    (rule::LISTING_GREW.id, "drift_names", "a_first_listing_that_is_incomplete_is_a_notice"),
    (rule::ODD_TRAFFIC.id, "drift_server", "words_on_stdout_beside_the_protocol_are_a_notice_with_a_sample"),
];

/// Of these, one edit is told of every tool that it concerns.
const TOLD_OF_EACH: [&str; 1] = [rule::NAME_COLLISION.id];

fn repository(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_rule_has_a_pair_or_a_test_with_a_server() {
    for rule in RULES {
        let shown = SHOWN_BY_SERVERS.iter().find(|(id, ..)| *id == rule.id);
        assert_ne!(Pair::of(rule).is_some(), shown.is_some(), "{}: a pair, or a test that is named here", rule.id);
        if let Some((_, file, test)) = shown {
            let source = repository(&format!("tests/integration/{file}.rs"));
            let (_, body) = source.split_once(&format!("fn {test}()")).unwrap_or_else(|| panic!("no test {test}"));
            let body = body.split("\n}\n").next().unwrap_or_default();
            assert!(body.contains(rule.id), "{test} doesn't show {}", rule.id);
        }
    }
}

#[test]
fn every_pair_shows_its_rule_and_nothing_else() {
    for rule in RULES {
        let Some(pair) = Pair::of(rule) else { continue };
        let findings = pair.findings().unwrap_or_else(|error| panic!("{}: {error}", rule.id));
        let told: BTreeSet<&str> = findings.iter().map(|finding| finding.rule.id).collect();
        assert_eq!(told, BTreeSet::from([rule.id]), "{findings:?}");
        assert!(findings.len() == 1 || TOLD_OF_EACH.contains(&rule.id), "{findings:?}");
        for finding in &findings {
            assert!(rule.levels().contains(&finding.level), "{finding:?}");
        }
    }
}

#[test]
fn every_pair_on_disk_is_that_of_a_rule() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/pairs");
    let entries = std::fs::read_dir(folder).expect("the pairs");
    let on_disk: BTreeSet<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    let known: BTreeSet<String> =
        RULES.iter().filter(|rule| Pair::of(rule).is_some()).map(|rule| rule.id.into()).collect();
    assert_eq!(on_disk, known);
    assert_eq!(PAIRS.len(), known.len());
}

#[test]
fn every_page_says_what_why_and_what_to_do() {
    for rule in RULES {
        let page = page(rule, &human::Style::default());
        for part in [rule.id, rule.means, rule.why, rule.todo, rule.change.as_str()] {
            assert!(page.contains(part), "{part}\n{page}");
        }
        let heading = format!("[{}] `crm`", rule.id);
        assert_eq!(page.contains(&heading), Pair::of(rule).is_some(), "{page}");
        assert!(page.chars().all(|character| character == '\n' || !character.is_control()), "{page}");
        assert!(page.ends_with('\n') && !page.ends_with("\n\n"), "{page}");
    }
}

#[test]
fn the_table_has_a_line_for_every_rule() {
    let table = table();
    for rule in RULES {
        let line = table.lines().find(|line| line.split(' ').next() == Some(rule.id)).expect(rule.id);
        assert!(line.ends_with(rule.means) && line.contains(rule.change.as_str()), "{line}");
        assert!(line.chars().count() <= 140, "{line}");
    }
    let Value::Object(document) = table_as_value() else { panic!("no object") };
    assert_eq!(document.get("rules").and_then(Value::as_array).map(<[Value]>::len), Some(RULES.len()));
}

#[test]
fn a_mistyped_rule_gets_the_nearest() {
    assert!(find("parameter-added").is_ok());
    assert_eq!(find("parameter-aded"), Err(Some("parameter-added")));
    assert_eq!(find("dialect"), Err(Some("schema-dialect-changed")));
    assert_eq!(find("zzzzzzzzzzzz"), Err(None));
    assert_eq!(find(""), Err(None));
}
