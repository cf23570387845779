//! What a program reads.

use super::json::render;
use super::{Base, Contact, Record, Report, ServerReport, State};
use crate::exit::Outcome;
use crate::finding::{Finding, Softened, Softening, rule};
use crate::json::{Pointer, Value, parse};
use crate::problem::Problem;
use crate::surface::{Counts, Kind};

fn report(findings: Vec<Finding>) -> Report {
    let server = ServerReport {
        context: vec!["read as mcp-pin/1".to_owned()],
        findings,
        items: Some(Counts::from_iter([(Kind::Tool, 3)])),
        contact: Contact::Made { client: "mcp-pin/1".to_owned(), readings: 2 },
        line: Some(5),
        ..ServerReport::new("crm", State::Drift)
    };
    let skipped = ServerReport {
        contact: Contact::None { why: "it is disabled".to_owned() },
        ..ServerReport::new("off", State::Skipped)
    };
    Report {
        done: None,
        warnings: Vec::new(),
        command: "check",
        outcome: Outcome::Drift,
        lockfile: "mcp-tools.lock".to_owned(),
        servers: vec![server, skipped],
        problems: vec![Problem::new("reading", "no", "try")],
        next: vec!["mcp-pin diff crm".to_owned()],
        record: Record {
            lockfile_sha256: Some("0f".repeat(32)),
            artifact: "mcp-tools.lock".to_owned(),
            base: Some(Base { revision: "main".to_owned(), commit: "a".repeat(40) }),
            configurations: vec![".mcp.json".to_owned()],
        },
    }
}

#[test]
fn the_document_has_everything_and_its_version() {
    let finding = Finding::new(&rule::META_CHANGED)
        .of_item(Kind::Tool, "t")
        .at(Pointer::of(["_meta", "a/b"]))
        .between(None, Some(Value::Null))
        .noting("why not");
    let finding = Finding { line: Some(9), proposed: true, ..finding };
    let document: serde_json::Value = serde_json::from_str(&render(&report(vec![finding]))).expect("one document");
    assert_eq!(
        document,
        serde_json::json!({
            "version": 1,
            "tool": { "name": "mcp-pin", "version": env!("CARGO_PKG_VERSION") },
            "command": "check",
            "outcome": "drift",
            "exit_code": 1,
            "lockfile": "mcp-tools.lock",
            "lockfile_sha256": "0f".repeat(32),
            "base": { "revision": "main", "commit": "a".repeat(40) },
            "configurations": [".mcp.json"],
            "launches": { "started": ["crm"], "not_started": [{ "server": "off", "why": "it is disabled" }] },
            "servers": [{
                "name": "crm",
                "state": "drift",
                "context": ["read as mcp-pin/1"],
                "client": "mcp-pin/1",
                "readings": 2,
                "line": 5,
                "items": 3,
                "findings": [{
                    "rule": "meta-changed",
                    "level": "danger",
                    "item": { "kind": "tool", "name": "t" },
                    "pointer": "/_meta/a~1b",
                    "new": null,
                    "note": "why not",
                    "line": 9,
                    "proposed": true
                }],
                "softened": []
            }, {
                "name": "off", "state": "skipped", "context": [], "readings": 0, "findings": [], "softened": []
            }],
            "problems": [{ "step": "reading", "cause": "no", "help": "try" }],
            "warnings": [],
            "rules": { "meta-changed": { "why": rule::META_CHANGED.why, "todo": rule::META_CHANGED.todo } },
            "totals": {
                "in_sync": 0, "drift": 1, "new": 0, "read": 0, "not_checked": 0, "skipped": 1,
                "danger": 1, "change": 0, "notice": 0, "softened": 0, "items": 3
            },
            "next": ["mcp-pin diff crm"]
        })
    );
}

#[test]
fn what_a_policy_softened_is_told_with_the_entry_and_the_rule() {
    let mut report = report(Vec::new());
    report.servers[0].softened.push(Softened {
        finding: Finding::new(&rule::TITLE_CHANGED).at(Pointer::of(["title"])),
        effect: Softening::Ignored,
        by: "mcp-pin.toml:3".to_owned(),
        reason: Some("names a day".to_owned()),
        until: None,
    });
    let document: serde_json::Value = serde_json::from_str(&render(&report)).expect("one document");
    let finding = serde_json::json!({ "rule": "title-changed", "level": "change", "pointer": "/title" });
    assert_eq!(
        document["servers"][0]["softened"],
        serde_json::json!([{ "effect": "ignored", "by": "mcp-pin.toml:3", "reason": "names a day", "finding": finding }])
    );
    assert!(document["rules"]["title-changed"].is_object());
    assert_eq!(document["totals"]["softened"], 1);
}

#[test]
fn numbers_keep_every_digit() {
    let value = parse("[9007199254740993,1e999,1.0]").expect("valid");
    let text = render(&report(vec![Finding::new(&rule::META_CHANGED).between(Some(value), None)]));
    assert!(text.contains("9007199254740993,\n") && text.contains("1e+999,\n"));
}

#[test]
fn nothing_in_it_acts_on_a_terminal_or_a_log() {
    let value = Value::from("\u{1b}[2J\u{9b}\u{202e}é##[error]##vso[x]###[y]\u{e0041}");
    let text = render(&report(vec![Finding::new(&rule::META_CHANGED).between(Some(value.clone()), None)]));
    assert!(text.bytes().all(|byte| byte == b'\n' || (b' '..=b'~').contains(&byte)));
    assert!(!text.contains("##"));
    let read = parse(&text).expect("one document");
    let finding = &read.get("servers").and_then(Value::as_array).expect("servers")[0];
    assert_eq!(finding.get("findings").and_then(Value::as_array).expect("findings")[0].get("old"), Some(&value));
}

#[test]
fn the_schema_refuses_what_is_no_report() {
    let schema: serde_json::Value = serde_json::from_str(super::json::SCHEMA).expect("a document");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let document: serde_json::Value = serde_json::from_str(&render(&report(Vec::new()))).expect("one document");
    assert!(validator.is_valid(&document));
    let kinds: Vec<&str> = Kind::ALL.iter().map(|kind| kind.as_str()).collect();
    assert_eq!(schema["$defs"]["kind"]["enum"], serde_json::json!(kinds));
    for (member, wrong) in [("version", 2.into()), ("outcome", "fine".into()), ("servers", serde_json::Value::Null)] {
        let mut other = document.clone();
        other[member] = wrong;
        assert!(!validator.is_valid(&other), "{member}");
    }
}
