//! Reports of every shape, with hostile text in every place that foreign text can have.

use proptest::prelude::*;

use super::human::{Colour, Detail, Style, Values};
use super::{Base, Contact, Record, Report, ServerReport, State};
use crate::exit::Outcome;
use crate::finding::{Finding, ItemName, Level, RULES, Softened, Softening};
use crate::json::{Object, Pointer, Value};
use crate::problem::Problem;
use crate::surface::{Counts, Kind};

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
        "%0A::error::x",
        ",line=1::",
        "```",
        "~~~",
        "|",
        "\n| a | b |\n|---|---|\n",
        "<img src=x>",
        "</details>",
        "<!--",
        "]]>",
        "<![CDATA[",
        "&amp;",
        "![x](http://evil.example/x.png)",
        "[x](http://evil.example)",
        "[x]: http://evil.example",
        "https://evil.example/a",
        "www.evil.example",
        "@all",
        "#1",
        "GH-1",
        "owner/name#1",
        "0123456789012345678901234567890123456789",
        "**",
        "$x$",
        ":tada:",
        "{0}",
        "\u{fffe}",
        "\u{b}",
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
        prop::option::of(1_usize..1_000_000),
        any::<bool>(),
    )
        .prop_map(|(rule, level, item, pointer, old, new, note, line, proposed)| {
            let finding = Finding::new(RULES[rule]).at_level(level).at(Pointer::of(pointer)).between(old, new);
            let finding = item.iter().fold(finding, |finding, item| finding.of_item(Kind::Tool, item));
            let finding = note.into_iter().fold(finding, Finding::noting);
            Finding { line, proposed, ..finding }
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
    let states = vec![State::InSync, State::Drift, State::NotChecked, State::Skipped, State::New, State::Read];
    let state = prop::sample::select(states);
    let contact = prop_oneof![
        (nasty(), 0_usize..9).prop_map(|(client, readings)| Contact::Made { client, readings }),
        nasty().prop_map(|why| Contact::None { why }),
    ];
    (
        nasty(),
        state,
        prop::collection::vec(nasty(), 0..3),
        prop::option::of(problem()),
        prop::collection::vec(finding(), 0..6),
        prop::collection::vec(softened(), 0..3),
        prop::option::of(0_usize..5_000),
        prop::collection::vec(nasty(), 0..4),
        contact,
        prop::option::of(nasty()),
    )
        .prop_map(|(name, state, context, problem, findings, softened, items, names, contact, accept)| {
            ServerReport {
                state,
                context,
                problem,
                findings,
                softened,
                items: items.map(|items| Counts::from_iter([(Kind::Tool, items)])),
                names: names.into_iter().map(|name| ItemName { kind: Kind::Tool, name }).collect(),
                contact,
                accept,
                ..ServerReport::new(&name, state)
            }
        })
}

pub(super) fn report() -> impl Strategy<Value = Report> {
    let outcome = prop::sample::select(vec![Outcome::InSync, Outcome::Drift, Outcome::NotChecked]);
    (
        outcome,
        nasty(),
        prop::collection::vec(server(), 0..4),
        prop::collection::vec(problem(), 0..2),
        prop::collection::vec(nasty(), 0..3),
        prop::collection::vec(nasty(), 0..3),
        record(),
        prop::option::of(nasty()),
    )
        .prop_map(|(outcome, lockfile, servers, problems, warnings, next, record, done)| Report {
            done,
            command: "check",
            outcome,
            lockfile,
            servers,
            problems,
            warnings,
            next,
            record,
        })
}

fn record() -> impl Strategy<Value = Record> {
    let base = (nasty().prop_map(|revision| format!("r{revision}")), "[0-9a-f]{40}");
    let base = base.prop_map(|(revision, commit)| Base { revision, commit });
    (nasty(), prop::collection::vec(nasty(), 0..2), prop::option::of("[0-9a-f]{64}"), prop::option::of(base)).prop_map(
        |(artifact, configurations, lockfile_sha256, base)| Record { lockfile_sha256, artifact, base, configurations },
    )
}

pub(super) fn style() -> impl Strategy<Value = Style> {
    (
        prop::sample::select(vec![Values::Short, Values::Full]),
        prop::sample::select(vec![Detail::Quiet, Detail::Normal, Detail::Verbose]),
        prop::sample::select(vec![Colour::Plain, Colour::Ansi]),
    )
        .prop_map(|(values, detail, colour)| Style { values, detail, colour })
}
