//! The report as one JSON document, for programs.
//!
//! Its shape has a version of its own and is apart from the types within. Values of definitions stand in it as they are
//! in canonical form, numbers to the last digit, which is why it is built from [`Value`] and not by way of doubles. Every
//! character beyond ASCII is an escape: the document may be printed to a terminal or a log, and names that look alike
//! can be told apart.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::definitions::Definitions;
use super::{Base, Contact, Report, ServerReport, Totals};
use crate::finding::{Finding, Rule, Softened};
use crate::json::{Object, Value, parse, pretty};
use crate::problem::Problem;

/// The version of the shape. It grows when a member changes its meaning or goes; new members don't change it.
const VERSION: usize = 1;

/// The document's shape, as a JSON Schema (2020-12).
pub const SCHEMA: &str = include_str!("report.schema.json");

/// The document, ending with a line feed.
///
/// `old` and `new` of a finding are left out where there is nothing: `null` is a value that was sent. Likewise `item` of
/// a finding about the server itself, `problem` where nothing failed, `items` and `surface` where the listing wasn't read,
/// `line` where the lockfile has none for it, `proposed` where it isn't so.
pub fn render(report: &Report) -> String {
    render_with(report, &[])
}

/// The same with `definitions` in each server that was inspected: what it says of itself, and its items whole.
pub fn render_with(report: &Report, definitions: &[Definitions]) -> String {
    let mut rules: BTreeMap<&str, &Rule> = BTreeMap::new();
    let softened = report.servers.iter().flat_map(|server| &server.softened).map(|softened| &softened.finding);
    for finding in report.servers.iter().flat_map(|server| &server.findings).chain(softened) {
        rules.insert(finding.rule.id, finding.rule);
    }
    let document = object([
        ("version", Some(number(VERSION))),
        ("tool", Some(tool())),
        ("command", Some(report.command.into())),
        ("outcome", Some(report.outcome.as_str().into())),
        ("exit_code", Some(number(usize::from(report.outcome.code())))),
        ("lockfile", Some(report.lockfile.as_str().into())),
        ("lockfile_sha256", report.record.lockfile_sha256.as_deref().map(Value::from)),
        ("base", report.record.base.as_ref().map(base)),
        ("configurations", Some(strings(&report.record.configurations))),
        ("launches", Some(launches(report))),
        ("servers", Some(Value::Array(report.servers.iter().map(|one| server(one, definitions)).collect()))),
        ("problems", Some(Value::Array(report.problems.iter().map(problem).collect()))),
        ("warnings", Some(strings(&report.warnings))),
        ("rules", Some(object(rules.into_iter().map(|(id, rule)| (id, Some(explanation(rule))))))),
        ("totals", Some(totals(&report.totals()))),
        ("done", report.done.as_deref().map(Value::from)),
        ("next", Some(strings(&report.next))),
    ]);
    text(&document)
}

/// A value on lines of its own, ending with a line feed, such that nothing in it acts on a terminal or a log.
pub fn text(value: &Value) -> String {
    ascii(&pretty(value)) + "\n"
}

/// What has written the document.
fn tool() -> Value {
    object([("name", Some("mcp-pin".into())), ("version", Some(env!("CARGO_PKG_VERSION").into()))])
}

/// Where the lockfile was taken from.
fn base(base: &Base) -> Value {
    object([("revision", Some(base.revision.as_str().into())), ("commit", Some(base.commit.as_str().into()))])
}

/// Which servers were started or contacted, and which weren't and why.
fn launches(report: &Report) -> Value {
    let (mut started, mut not_started) = (Vec::new(), Vec::new());
    for server in &report.servers {
        match &server.contact {
            Contact::Made { .. } => started.push(Value::from(server.name.as_str())),
            Contact::None { why } => not_started
                .push(object([("server", Some(server.name.as_str().into())), ("why", Some(why.as_str().into()))])),
        }
    }
    object([("started", Some(Value::Array(started))), ("not_started", Some(Value::Array(not_started)))])
}

fn server(server: &ServerReport, definitions: &[Definitions]) -> Value {
    let definitions = definitions.iter().find(|definitions| definitions.server == server.name);
    let (client, readings) = match &server.contact {
        Contact::Made { client, readings } => (Some(client.as_str()), *readings),
        Contact::None { .. } => (None, 0),
    };
    object([
        ("name", Some(server.name.as_str().into())),
        ("state", Some(server.state.as_str().into())),
        ("context", Some(strings(&server.context))),
        ("client", client.map(Value::from)),
        ("readings", Some(number(readings))),
        ("line", server.line.map(number)),
        ("items", server.items.as_ref().map(|items| number(items.total()))),
        ("accept", server.accept.as_deref().map(Value::from)),
        ("surface", server.surface.as_ref().map(|digest| digest.as_str().into())),
        ("problem", server.problem.as_ref().map(problem)),
        ("findings", Some(Value::Array(server.findings.iter().map(finding).collect()))),
        ("softened", Some(Value::Array(server.softened.iter().map(softened).collect()))),
        ("definitions", definitions.map(Definitions::value)),
    ])
}

fn finding(finding: &Finding) -> Value {
    let item = finding
        .item
        .as_ref()
        .map(|item| object([("kind", Some(item.kind.as_str().into())), ("name", Some(item.name.as_str().into()))]));
    object([
        ("rule", Some(finding.rule.id.into())),
        ("level", Some(finding.level.as_str().into())),
        ("item", item),
        ("pointer", Some(finding.pointer.to_string().into())),
        ("old", finding.old.clone()),
        ("new", finding.new.clone()),
        ("note", finding.note.as_deref().map(Value::from)),
        ("line", finding.line.map(number)),
        ("proposed", finding.proposed.then_some(Value::Bool(true))),
    ])
}

/// The finding without the policy, beside what the policy made of it.
fn softened(softened: &Softened) -> Value {
    object([
        ("effect", Some(softened.effect.as_str().into())),
        ("by", Some(softened.by.as_str().into())),
        ("reason", softened.reason.as_deref().map(Value::from)),
        ("until", softened.until.as_deref().map(Value::from)),
        ("finding", Some(finding(&softened.finding))),
    ])
}

fn problem(problem: &Problem) -> Value {
    object([
        ("step", Some(problem.step.as_str().into())),
        ("cause", Some(problem.cause.as_str().into())),
        ("help", Some(problem.help.as_str().into())),
    ])
}

fn explanation(rule: &Rule) -> Value {
    object([("why", Some(rule.why.into())), ("todo", Some(rule.todo.into()))])
}

fn totals(totals: &Totals) -> Value {
    object([
        ("in_sync", Some(number(totals.in_sync))),
        ("drift", Some(number(totals.drift))),
        ("new", Some(number(totals.new))),
        ("read", Some(number(totals.read))),
        ("not_checked", Some(number(totals.not_checked))),
        ("skipped", Some(number(totals.skipped))),
        ("danger", Some(number(totals.danger))),
        ("change", Some(number(totals.change))),
        ("notice", Some(number(totals.notice))),
        ("softened", Some(number(totals.softened))),
        ("items", Some(number(totals.items))),
    ])
}

/// The members that there are.
pub(super) fn object<'k>(members: impl IntoIterator<Item = (&'k str, Option<Value>)>) -> Value {
    let present = members.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    Value::Object(present.collect::<Object>())
}

fn strings(texts: &[String]) -> Value {
    Value::Array(texts.iter().map(|text| text.as_str().into()).collect())
}

fn number(number: usize) -> Value {
    // The digits of a count are JSON, so there is no other case.
    parse(&number.to_string()).unwrap_or(Value::Null)
}

/// The same document with every character beyond ASCII as an escape, and without the `##` by which build systems know a
/// command. Both stand only within strings.
pub(super) fn ascii(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        if character == '#' && out.ends_with('#') {
            out.push_str("\\u0023");
        } else if character == '\n' || (' '..='~').contains(&character) {
            out.push(character);
        } else {
            for unit in character.encode_utf16(&mut [0; 2]) {
                // Writing to a String can't fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out
}
