//! What holds for every report, however hostile what it quotes.

use proptest::prelude::*;

use super::human::{Colour, Detail, Style, Values};
use super::{Report, ServerReport, State, human, json};
use crate::exit::Outcome;
use crate::finding::{Finding, Level, RULES, Softened, Softening};
use crate::json::{Object, Pointer, Value};
use crate::problem::Problem;
use crate::surface::{Counts, Kind};
use crate::text;

/// Text of pieces that terminals, build systems and our own marks give a meaning to.
fn nasty() -> impl Strategy<Value = String> {
    let pieces = [
        "::error::x",
        "##[error]",
        "##vso[task]",
        "#",
        "#[",
        "\u{1b}[2J",
        "\u{9b}31m",
        "\u{202e}",
        "\u{200b}",
        "\r",
        "\n",
        "\n::set-output",
        "\n\n",
        "\t",
        "\\u{200b}",
        "\\",
        "`",
        "{+",
        "+}",
        "[-",
        "-]",
        "a",
        "word",
        " ",
        "  ",
        "é",
        "e\u{301}",
        "\u{430}",
        "\u{57d}",
        "日本",
        "\u{e0041}",
        "\u{feff}",
        "\u{2028}",
        "\0",
        "…",
        "\"",
        "\u{7f}",
    ];
    let piece = prop_oneof![
        4 => prop::sample::select(pieces.to_vec()).prop_map(str::to_owned),
        1 => any::<String>(),
        1 => Just("long ".repeat(200)),
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        nasty().prop_map(Value::from),
        prop::collection::vec(nasty().prop_map(Value::from), 0..3).prop_map(Value::Array),
        prop::collection::vec(
            (prop_oneof![Just("description".to_owned()), Just("name".to_owned()), nasty()], nasty()),
            0..4
        )
        .prop_map(|members| Value::Object(
            members.into_iter().map(|(key, text)| (key, text.into())).collect::<Object>()
        )),
    ]
}

fn finding() -> impl Strategy<Value = Finding> {
    let level = prop::sample::select(vec![Level::Notice, Level::Change, Level::Danger]);
    (
        0..RULES.len(),
        level,
        prop::option::of(nasty()),
        prop::collection::vec(nasty(), 0..3),
        prop::option::of(value()),
        prop::option::of(value()),
        prop::option::of(nasty()),
    )
        .prop_map(|(rule, level, item, pointer, old, new, note)| {
            let finding = Finding::new(RULES[rule]).at_level(level).at(Pointer::of(pointer)).between(old, new);
            let finding = item.iter().fold(finding, |finding, item| finding.of_item(Kind::Tool, item));
            note.into_iter().fold(finding, Finding::noting)
        })
}

fn problem() -> impl Strategy<Value = Problem> {
    (nasty(), nasty(), nasty()).prop_map(|(step, cause, help)| Problem::new(step, cause, help))
}

fn softened() -> impl Strategy<Value = Softened> {
    let effect = prop::sample::select(vec![Softening::Warned, Softening::Allowed, Softening::Ignored]);
    (finding(), effect, nasty(), prop::option::of(nasty())).prop_map(|(finding, effect, by, reason)| Softened {
        finding,
        effect,
        by,
        until: reason.clone(),
        reason,
    })
}

fn server() -> impl Strategy<Value = ServerReport> {
    let state = prop::sample::select(vec![State::InSync, State::Drift, State::NotChecked, State::Skipped]);
    (
        nasty(),
        state,
        prop::collection::vec(nasty(), 0..3),
        prop::option::of(problem()),
        prop::collection::vec(finding(), 0..6),
        prop::collection::vec(softened(), 0..3),
        prop::option::of(0_usize..5_000),
    )
        .prop_map(|(name, state, context, problem, findings, softened, items)| ServerReport {
            name,
            state,
            context,
            problem,
            findings,
            items: items.map(|items| Counts::from_iter([(Kind::Tool, items)])),
            surface: None,
            accept: None,
            softened,
        })
}

fn report() -> impl Strategy<Value = Report> {
    let outcome = prop::sample::select(vec![Outcome::InSync, Outcome::Drift, Outcome::NotChecked]);
    (
        outcome,
        nasty(),
        prop::collection::vec(server(), 0..4),
        prop::collection::vec(problem(), 0..2),
        prop::collection::vec(nasty(), 0..3),
        prop::collection::vec(nasty(), 0..3),
    )
        .prop_map(|(outcome, lockfile, servers, problems, warnings, next)| Report {
            done: None,
            warnings,
            command: "check",
            outcome,
            lockfile,
            servers,
            problems,
            next,
        })
}

fn style() -> impl Strategy<Value = Style> {
    (
        prop::sample::select(vec![Values::Short, Values::Full]),
        prop::sample::select(vec![Detail::Quiet, Detail::Normal, Detail::Verbose]),
        prop::sample::select(vec![Colour::Plain, Colour::Ansi]),
    )
        .prop_map(|(values, detail, colour)| Style { values, detail, colour })
}

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
    fn both_formats_have_the_same_findings(report in report()) {
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
