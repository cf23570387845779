//! The report as a SARIF 2.1.0 log, for code scanning.
//!
//! Results point at lines of the lockfile, by paths that count from the repository's root. What could not be checked is no
//! result but a notification of an invocation that didn't succeed. Messages are safe for a terminal, and the document is
//! ASCII as that of [`super::json`] is.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::json::ascii;
use super::plain::{difference, lines, subject};
use super::sarif_model::{
    Artifact, ArtifactLocation, AutomationDetails, Configuration, Driver, Invocation, Location, Log, LogicalLocation,
    Message, Notification, PhysicalLocation, Properties, Region, ReportingDescriptor, Run, SarifResult, Tool,
};
use super::style::{count, counted, name, note, own_words};
use super::{Report, ServerReport, State, notice};
use crate::finding::{Finding, Level, RULES, Rule, rule};
use crate::invocation;
use crate::json::Value;
use crate::problem::Problem;
use crate::surface::Digest;
use crate::text;

/// The standard's published schema.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// The most characters of a message.
const MOST_CHARACTERS: usize = 4_000;
/// The most results: code scanning keeps so many of a run, not always the worst, and takes no run of more than 25,000.
const MOST_RESULTS: usize = 5_000;
/// The most bytes of all results but for the blanks between them: code scanning takes 10 MB, compressed, and what a server
/// says needn't get smaller by that.
const MOST_BYTES: usize = 9_000_000;

/// The log, ending with a line feed.
pub fn render(report: &Report) -> String {
    let (results, left_out) = results(report);
    let log = Log {
        schema: SCHEMA,
        version: "2.1.0",
        runs: [Run {
            tool: Tool {
                driver: Driver {
                    name: "mcp-pin",
                    semantic_version: env!("CARGO_PKG_VERSION"),
                    rules: RULES.iter().map(|rule| descriptor(rule)).collect(),
                },
            },
            // What stands before the last slash tells this run from others of the same commit.
            automation_details: AutomationDetails {
                id: format!("mcp-pin {}/{}/", report.command, text::uri_path(&report.record.artifact)),
            },
            invocations: [invocation(report, left_out)],
            artifacts: artifacts(report),
            results,
            column_kind: "unicodeCodePoints",
        }],
    };
    // Structs of texts and numbers can always be written.
    ascii(&serde_json::to_string_pretty(&log).unwrap_or_default()) + "\n"
}

/// The worst findings of all servers together, as many as there is room for, and how many more there are.
fn results(report: &Report) -> (Vec<SarifResult>, usize) {
    let servers = report.servers.iter();
    let mut findings: Vec<(&ServerReport, &Finding)> =
        servers.flat_map(|server| server.findings.iter().map(move |finding| (server, finding))).collect();
    findings.sort_by_key(|(_, finding)| Reverse(finding.level));
    let mut room = MOST_BYTES;
    let written = findings.iter().take(MOST_RESULTS).filter_map(|(server, finding)| {
        let result = result(report, server, finding);
        let length = ascii(&serde_json::to_string(&result).unwrap_or_default()).len();
        room = room.checked_sub(length)?;
        Some(result)
    });
    let written: Vec<SarifResult> = written.collect();
    let left_out = findings.len() - written.len();
    (written, left_out)
}

/// A level by the standard's word (3.27.10).
fn level(level: Level) -> &'static str {
    match level {
        Level::Danger => "error",
        Level::Change => "warning",
        Level::Notice => "note",
    }
}

fn descriptor(rule: &'static Rule) -> ReportingDescriptor {
    ReportingDescriptor {
        id: rule.id,
        short_description: message(rule.id.replace('-', " ")),
        full_description: message(rule.why.to_owned()),
        help: message(format!("{}\n\n{}", rule.why, rule.todo)),
        default_configuration: Configuration { level: level(rule.change) },
    }
}

fn message(words: String) -> Message {
    Message { text: text::sarif_message(&words) }
}

fn artifacts(report: &Report) -> Vec<Artifact> {
    let hash = report.record.lockfile_sha256.clone().map(|digits| ("sha-256", digits));
    vec![Artifact { location: artifact(report), hashes: hash.into_iter().collect() }]
}

fn artifact(report: &Report) -> ArtifactLocation {
    ArtifactLocation { uri: text::uri_path(&report.record.artifact), uri_base_id: "%SRCROOT%" }
}

fn location(report: &Report, line: Option<usize>, logical_locations: Vec<LogicalLocation>) -> Location {
    // Code scanning refuses a result without a line.
    let region = Region { start_line: line.unwrap_or(1) };
    let physical_location = PhysicalLocation { artifact_location: artifact(report), region };
    Location { physical_location, logical_locations }
}

/// What happened beside the results, `left_out` of which had no room.
fn invocation(report: &Report, left_out: usize) -> Invocation {
    let mut notifications = Vec::new();
    for server in &report.servers {
        let location = || location(report, server.line, Vec::new());
        let what = format!("could not check {}: ", name(&server.name));
        match &server.problem {
            Some(problem) => notifications.push(notification(&what, problem, location())),
            None if server.state == State::NotChecked => {
                let problem = Problem::new("checking", "no reason is known", "");
                notifications.push(notification(&what, &problem, location()));
            }
            None => {}
        }
        for softened in &server.softened {
            let words = format!("policy: {}: {}", name(&server.name), notice::softened(softened));
            notifications.push(Notification { level: "note", message: message(words), locations: vec![location()] });
        }
        if server.state == State::Skipped {
            let reasons: Vec<String> = server.context.iter().map(|words| own_words(words)).collect();
            let words = format!("skipped {}: {}", name(&server.name), reasons.join("; "));
            notifications.push(Notification { level: "note", message: message(words), locations: vec![location()] });
        }
    }
    for problem in &report.problems {
        notifications.push(notification("", problem, location(report, None, Vec::new())));
    }
    if left_out > 0 {
        let more = counted(left_out, "finding");
        let words = format!(
            "{more} more, which had no room here: {} {} shows them all",
            invocation::words("mcp-pin"),
            report.command
        );
        let locations = vec![location(report, None, Vec::new())];
        notifications.push(Notification { level: "warning", message: message(words), locations });
    }
    let failed = report.servers.iter().any(|server| server.state == State::NotChecked || server.problem.is_some());
    Invocation {
        execution_successful: !failed && report.problems.is_empty(),
        exit_code: report.outcome.code(),
        tool_execution_notifications: notifications,
    }
}

fn notification(what: &str, problem: &Problem, location: Location) -> Notification {
    let mut told = vec![format!("{what}{}", text::terminal_line(&problem.step))];
    told.extend(lines(&problem.cause));
    told.extend(lines(&problem.help).into_iter().map(|help| format!("help: {help}")));
    Notification { level: "error", message: message(shortened(&told.join("\n"))), locations: vec![location] }
}

fn result(report: &Report, server: &ServerReport, finding: &Finding) -> SarifResult {
    let mut told = vec![subject(&server.name, finding)];
    told.extend(difference(finding));
    told.extend(finding.note.as_deref().map(note));
    told.extend([finding.rule.why.to_owned(), finding.rule.todo.to_owned()]);
    let logical = finding.item.as_ref().map(|item| LogicalLocation {
        name: text::identifier(&item.name),
        fully_qualified_name: format!("{}/{}", text::identifier(&server.name), text::identifier(&item.name)),
        kind: item.kind.as_str(),
    });
    SarifResult {
        rule_id: finding.rule.id,
        rule_index: RULES.iter().position(|rule| *rule == finding.rule),
        level: level(finding.level),
        message: message(shortened(&told.join("\n"))),
        locations: [location(report, finding.line, logical.into_iter().collect())],
        partial_fingerprints: fingerprints(&server.name, finding),
        properties: Properties {
            server: server.name.clone(),
            item: finding.item.as_ref().map(|item| item.name.clone()),
            pointer: finding.pointer.to_string(),
            proposed: finding.proposed.then_some(true),
        },
    }
}

fn shortened(words: &str) -> String {
    let shown = text::shorten(words, MOST_CHARACTERS);
    match shown.cut {
        0 => words.to_owned(),
        cut => format!("{}… {} more characters", shown.text, count(cut)),
    }
}

/// What makes two findings of different runs one: rule, server, item and place, and the values too, for who has dismissed
/// one change of a text has not dismissed the next. The values of a listing that changes by itself are others each time.
///
/// GitHub knows `primaryLocationLineHash` alone, and without it takes the lockfile's line, which stays the same whatever the
/// server says next.
fn fingerprints(server: &str, finding: &Finding) -> BTreeMap<&'static str, String> {
    let steady = finding.rule != &rule::UNSTABLE_LISTING;
    let digest = |value: &Option<Value>| value.as_ref().filter(|_| steady).map(Digest::of);
    let item = finding.item.as_ref().map(|item| format!("{} {}", item.kind, item.name));
    let optional = |text: Option<String>| text.map_or(Value::Null, Value::from);
    let parts = Value::Array(vec![
        finding.rule.id.into(),
        server.into(),
        optional(item),
        finding.pointer.to_string().into(),
        optional(digest(&finding.old).map(|digest| digest.to_string())),
        optional(digest(&finding.new).map(|digest| digest.to_string())),
    ]);
    let digest = Digest::of(&parts).to_string();
    BTreeMap::from([("mcpPinFinding/v1", digest.clone()), ("primaryLocationLineHash", digest)])
}
