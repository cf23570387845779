//! What holds for every report, however hostile what it quotes.

use std::sync::LazyLock;

use proptest::prelude::*;

use super::arbitrary::{report, style};
use super::human::{Colour, Detail, Style, Values};
use super::{github, human, json, junit, markdown, sarif};
use crate::json::Value;
use crate::text;

/// The text without sequences for colour and weight, the only ones that are ours.
fn without_colour(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        out.push_str(before);
        let end = after.find(|character: char| !character.is_ascii_digit() && character != ';').unwrap_or(after.len());
        // Any other sequence is left in for the assertions to find.
        match after[end..].strip_prefix('m') {
            Some(after) => rest = after,
            None => {
                out.push_str("\u{1b}[");
                rest = after;
            }
        }
    }
    out + rest
}

/// What every line begins with, after blanks: words and marks of ours.
const BEGINNINGS: &[&str] = &[
    "in sync: `",
    "new: `",
    "read: `",
    "drift: `",
    "skipped: `",
    "error: ",
    "help: ",
    "danger[",
    "change[",
    "notice[",
    "warned[",
    "allowed[",
    "ignored[",
    "warning: ",
    "| ",
    "- ",
    "+ ",
    "= ",
    "… and ",
    "check: ",
    "next: ",
];

/// The published shape of a report.
static SHAPE: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
    let schema: serde_json::Value = serde_json::from_str(json::SCHEMA).expect("a document");
    jsonschema::validator_for(&schema).expect("a schema")
});

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn nothing_that_is_quoted_acts(report in report(), style in style()) {
        let out = human::render(&report, &style);
        if style.colour == Colour::Plain {
            prop_assert!(!out.contains('\u{1b}'), "an escape in plain text");
        }
        let text = without_colour(&out);
        prop_assert!(!text.chars().any(text::is_invisible), "{:?}", text);
        prop_assert!(!text.contains("##[") && !text.contains("##vso["), "{:?}", text);
        prop_assert!(!out.contains("##[") && !out.contains("##vso["), "{:?}", out);
        for line in text.lines().filter(|line| !line.is_empty()) {
            prop_assert!(BEGINNINGS.iter().any(|beginning| line.trim_start().starts_with(beginning)), "{:?}", line);
        }
    }

    #[test]
    fn people_and_programs_have_the_same_findings(report in report()) {
        let text = human::render(&report, &Style { values: Values::Full, detail: Detail::Verbose, colour: Colour::Plain });
        let document: serde_json::Value = serde_json::from_str(&json::render(&report)).expect("one document");
        let totals = report.totals();
        for (level, count) in [("danger", totals.danger), ("change", totals.change), ("notice", totals.notice)] {
            prop_assert_eq!(document["totals"][level].as_u64(), u64::try_from(count).ok());
            let servers = document["servers"].as_array().expect("servers");
            let findings = servers.iter().flat_map(|server| server["findings"].as_array().expect("findings"));
            prop_assert_eq!(findings.filter(|finding| finding["level"] == level).count(), count);
            prop_assert_eq!(text.contains(&format!("\n{level}[")) || text.starts_with(&format!("{level}[")), count > 0);
        }
        prop_assert_eq!(document["exit_code"].as_u64(), Some(u64::from(report.outcome.code())));
    }

    #[test]
    fn json_is_ascii_and_reads_back(report in report()) {
        let text = json::render(&report);
        prop_assert!(text.bytes().all(|byte| byte == b'\n' || (b' '..=b'~').contains(&byte)));
        prop_assert!(!text.contains("##"));
        let read = crate::json::parse(&text).expect("one document");
        for (server, told) in report.servers.iter().zip(read.get("servers").and_then(Value::as_array).expect("servers")) {
            prop_assert_eq!(told.get("name").and_then(Value::as_str), Some(server.name.as_str()));
            let findings = told.get("findings").and_then(Value::as_array).expect("findings");
            for (finding, told) in server.findings.iter().zip(findings) {
                prop_assert_eq!((told.get("old"), told.get("new")), (finding.old.as_ref(), finding.new.as_ref()));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn every_json_report_has_the_published_shape(report in report()) {
        let document: serde_json::Value = serde_json::from_str(&json::render(&report)).expect("one document");
        let errors: Vec<String> = SHAPE.iter_errors(&document).map(|error| error.to_string()).collect();
        // A reason is never empty in earnest.
        let errors: Vec<&String> = errors.iter().filter(|error| !error.contains("shorter than 1 character")).collect();
        prop_assert!(errors.is_empty(), "{:?}", errors);
    }

    #[test]
    fn a_sarif_log_has_each_finding_and_nothing_that_links(report in report()) {
        let text = sarif::render(&report);
        prop_assert!(text.bytes().all(|byte| byte == b'\n' || (b' '..=b'~').contains(&byte)));
        let log: serde_json::Value = serde_json::from_str(&text).expect("one document");
        let run = &log["runs"][0];
        let results = run["results"].as_array().expect("results");
        let totals = report.totals();
        for (level, count) in [("error", totals.danger), ("warning", totals.change), ("note", totals.notice)] {
            prop_assert_eq!(results.iter().filter(|result| result["level"] == level).count(), count);
        }
        let notifications = run["invocations"][0]["toolExecutionNotifications"].as_array().expect("notifications");
        for told in results.iter().chain(notifications) {
            let message = told["message"]["text"].as_str().expect("a text");
            prop_assert!(!message.contains("](") && !message.contains("{0}"), "{:?}", message);
            prop_assert!(!message.chars().any(text::is_invisible), "{:?}", message);
            let uri = told["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str().expect("a reference");
            prop_assert!(uri.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~/%".contains(&byte)), "{}", uri);
        }
    }

    #[test]
    fn a_workflow_sees_commands_of_ours_only(report in report(), style in style()) {
        let out = github::render(&report, style.detail);
        prop_assert!(!out.contains("##[") && !out.contains("##vso["), "{:?}", out);
        prop_assert!(!out.chars().any(text::is_invisible), "{:?}", out);
        for command in ["error", "warning", "notice"] {
            let beginning = format!("::{command} ");
            prop_assert!(out.lines().filter(|line| line.starts_with(&beginning)).count() <= 10);
        }
        for line in out.lines() {
            let is_command = ["::error ", "::warning ", "::notice "].iter().any(|command| line.starts_with(command));
            let is_ours = ["check: ", "next: ", "policy: "].iter().any(|words| line.starts_with(words));
            prop_assert!(is_command || is_ours, "{:?}", line);
            if is_command {
                // The runner takes what stands between the command's name and the next `::` for its properties.
                let properties = line.split_once(' ').and_then(|(_, rest)| rest.split_once("::")).expect("a command").0;
                let keys: Vec<&str> = properties.split(',').map(|pair| pair.split('=').next().unwrap_or_default()).collect();
                prop_assert!(keys == ["title"] || keys == ["file", "line", "title"], "{:?}", line);
            }
        }
    }

    #[test]
    fn junit_is_xml_with_a_case_for_each_item(report in report()) {
        let xml = junit::render(&report);
        let document = roxmltree::Document::parse(&xml).expect("XML");
        let suites: Vec<_> = document.descendants().filter(|node| node.has_tag_name("testsuite")).collect();
        prop_assert_eq!(suites.len(), report.servers.len() + usize::from(!report.problems.is_empty()));
        for (suite, server) in suites.iter().zip(&report.servers) {
            let fails = |item: &Option<crate::finding::ItemName>| {
                server.findings.iter().any(|finding| finding.level.fails() && finding.item == *item)
            };
            let items: std::collections::BTreeSet<_> = server.findings.iter().map(|finding| finding.item.clone()).collect();
            let failures = suite.descendants().filter(|node| node.has_tag_name("failure")).count();
            prop_assert_eq!(failures, items.iter().filter(|item| fails(item)).count());
            let errors = suite.descendants().filter(|node| node.has_tag_name("error")).count();
            prop_assert_eq!(errors > 0, server.problem.is_some() || server.state == super::State::NotChecked);
        }
        let forbidden = |character: char| {
            (character < ' ' && character != '\n') || matches!(character, '\u{fffe}' | '\u{ffff}')
        };
        prop_assert!(!xml.chars().any(forbidden), "{:?}", xml);
    }

    #[test]
    fn markdown_has_no_construct_that_is_not_ours(report in report(), style in style()) {
        super::markdown_tests::expect_tame(&markdown::render(&report, style.detail), &report)?;
    }
}
