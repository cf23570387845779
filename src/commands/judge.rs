//! What one server comes to: its launch against the approved one, its readings against the approved surface.

use std::collections::BTreeSet;

use super::command_line;
use crate::cli::ProjectArguments;
use crate::config::ConfiguredServer;
use crate::connect::readings::Readings;
use crate::drift::{self, Offer};
use crate::finding::{Finding, ItemName, Level, Softened, Softening, rule};
use crate::invocation;
use crate::json::{Pointer, Value};
use crate::launch::{Launch, Protected};
use crate::lock::{LockedServer, Lockfile};
use crate::problem::Problem;
use crate::report::{Contact, ServerReport, State};
use crate::surface::{Client, Counts, Surface};
use crate::text;

/// A server about which there is nothing to say yet.
pub(super) fn blank(name: &str, state: State) -> ServerReport {
    ServerReport::new(name, state)
}

/// A server that could not be checked.
pub(super) fn not_checked(name: &str, problem: Problem) -> ServerReport {
    ServerReport { problem: Some(problem), ..blank(name, State::NotChecked) }
}

/// What a surface's items are called.
pub(super) fn names(surface: &Surface) -> Vec<ItemName> {
    surface.items.iter().map(|item| ItemName { kind: item.kind, name: item.name.clone() }).collect()
}

/// A server with these findings: drift if any of them fails.
pub(super) fn found(name: &str, mut findings: Vec<Finding>) -> ServerReport {
    drift::sort(&mut findings);
    let state = if findings.iter().any(|finding| finding.level.fails()) { State::Drift } else { State::InSync };
    ServerReport { findings, ..blank(name, state) }
}

/// How the configured launch differs from the approved one; nothing if it is the same.
pub(super) fn launch_findings(locked: &LockedServer, configured: &ConfiguredServer) -> Vec<Finding> {
    let launch = configured.launch.withhold(&locked.launch.unverified);
    let mut findings = drift::launches(&locked.launch, &launch);
    findings.extend(config_finding(locked.config.as_deref(), configured.config.as_deref()));
    findings
}

/// That a launch is written in another configuration than before; None is the command line.
pub(super) fn config_finding(old: Option<&str>, new: Option<&str>) -> Option<Finding> {
    let shown = |config: Option<&str>| Some(config.unwrap_or("(the command line)").into());
    let finding = || Finding::new(&rule::LAUNCH_CHANGED).at(Pointer::of(["config"])).between(shown(old), shown(new));
    (old != new).then(finding)
}

/// What a server's readings come to against what was approved; without a baseline, what they are by themselves.
pub(super) fn readings(name: &str, approved: Option<&Surface>, readings: &Readings) -> ServerReport {
    let mut findings = match approved {
        Some(approved) => drift::surfaces(approved, &readings.surface),
        None => drift::inspect(&readings.surface),
    };
    for earlier in &readings.earlier {
        if !readings.unsettled && drift::grew(earlier, &readings.surface) {
            findings.push(Finding::new(&rule::LISTING_GREW).noting(format!(
                "the first listing had {}, a later one {}",
                count(earlier.items.len()),
                count(readings.surface.items.len())
            )));
            continue;
        }
        let told = |findings: &[Finding], finding: &Finding| {
            findings.iter().any(|known| {
                (known.rule, &known.item, &known.pointer) == (finding.rule, &finding.item, &finding.pointer)
            })
        };
        // Of a text that is another at each reading, one difference is enough.
        for finding in drift::unstable(earlier, &readings.surface) {
            if !told(&findings, &finding) {
                findings.push(finding);
            }
        }
        if let Some(approved) = approved {
            for finding in drift::surfaces(approved, earlier) {
                if !told(&findings, &finding) {
                    findings.push(finding);
                }
            }
        }
    }
    for method in &readings.ambiguous {
        findings
            .push(Finding::new(&rule::AMBIGUOUS_ANSWER).noting(format!("a request for {method} was answered twice")));
    }
    if readings.odd > 0 {
        let sample = readings.odd_sample.as_deref().unwrap_or_default();
        findings.push(Finding::new(&rule::ODD_TRAFFIC).noting(format!(
            "{} skipped, the first begins: {}",
            if readings.odd == 1 { "1 message".to_owned() } else { format!("{} messages", readings.odd) },
            text::terminal_line(sample)
        )));
    }
    if let Some(approved) = approved {
        add_new(&mut findings, drift::notices(&readings.surface));
        add_new(&mut findings, drift::novelties(approved, &readings.surface));
    }
    let mut report = found(name, findings);
    report.items = Some(Counts::of(&readings.surface.items));
    report.surface = Some(readings.surface.digest());
    report.names = names(&readings.surface);
    report
}

fn add_new(findings: &mut Vec<Finding>, more: Vec<Finding>) {
    for finding in more {
        if !findings.contains(&finding) {
            findings.push(finding);
        }
    }
}

/// Adds to each report the names that clients can take for another's, be it of the same server or of another one that was
/// read or is pinned. A report comes with its server's surface. One server's secret can stand in the name of another's tool,
/// so what is `protected` is that of all.
pub(super) fn add_collisions(reports: Vec<(&mut ServerReport, &Surface)>, lockfile: &Lockfile, protected: &Protected) {
    let names: Vec<String> = reports.iter().map(|(report, _)| report.name.clone()).collect();
    let approved = |server: &String| lockfile.servers.get(server).map(|locked| &locked.surface);
    let of_reports = reports.iter().zip(&names);
    let mut offers: Vec<Offer<'_>> =
        of_reports.map(|((_, surface), server)| Offer { server, surface, approved: approved(server) }).collect();
    // Those were told when they were approved.
    let pinned = lockfile.servers.iter().map(|(name, locked)| (name, &locked.surface));
    let read: BTreeSet<&String> = names.iter().collect();
    let others = pinned.filter(|(name, _)| !read.contains(name));
    offers.extend(others.map(|(server, surface)| Offer { server, surface, approved: Some(surface) }));
    for ((report, ..), findings) in reports.into_iter().zip(drift::collisions(&offers)) {
        report.findings.extend(findings.into_iter().map(|finding| masked_finding(finding, protected)));
        drift::sort(&mut report.findings);
    }
}

/// The report without any protected value, wherever a server has repeated it.
pub(super) fn masked(report: ServerReport, protected: &Protected) -> ServerReport {
    let mask = |text: String| protected.mask(&text);
    ServerReport {
        context: report.context.into_iter().map(mask).collect(),
        problem: report.problem.map(|problem| Problem {
            step: mask(problem.step),
            cause: mask(problem.cause),
            help: mask(problem.help),
        }),
        findings: report.findings.into_iter().map(|finding| masked_finding(finding, protected)).collect(),
        softened: report.softened.into_iter().map(|one| masked_softened(one, protected)).collect(),
        names: report.names.into_iter().map(|item| ItemName { name: protected.mask(&item.name), ..item }).collect(),
        contact: match report.contact {
            Contact::None { why } => Contact::None { why: protected.mask(&why) },
            made @ Contact::Made { .. } => made,
        },
        ..report
    }
}

pub(super) fn masked_softened(softened: Softened, protected: &Protected) -> Softened {
    Softened { finding: masked_finding(softened.finding, protected), ..softened }
}

pub(super) fn masked_finding(finding: Finding, protected: &Protected) -> Finding {
    let mask = |value: Option<Value>| value.map(|value| masked_value(&value, protected));
    Finding {
        item: finding.item.map(|item| ItemName { name: protected.mask(&item.name), ..item }),
        pointer: Pointer::of(finding.pointer.segments().iter().map(|segment| protected.mask(segment))),
        old: mask(finding.old),
        new: mask(finding.new),
        note: finding.note.map(|note| protected.mask(&note)),
        ..finding
    }
}

fn masked_value(value: &Value, protected: &Protected) -> Value {
    match value {
        Value::String(text) => Value::String(protected.mask(text)),
        Value::Array(elements) => {
            Value::Array(elements.iter().map(|element| masked_value(element, protected)).collect())
        }
        Value::Object(object) => Value::Object(
            object.iter().map(|(key, member)| (protected.mask(key), masked_value(member, protected))).collect(),
        ),
        scalar => scalar.clone(),
    }
}

/// What leads the report of a server that is read in another way than it was pinned: names only.
pub(super) fn reading_context(locked: &LockedServer, client: &Client, passed: &BTreeSet<String>) -> Vec<String> {
    let mut context = Vec::new();
    if *client != locked.client {
        let shown = |client: &Client| text::terminal_line(&client.to_string());
        context.push(format!("read as {}, pinned as {}", shown(client), shown(&locked.client)));
    }
    if *passed != locked.pass_env {
        let shown = |names: &BTreeSet<String>| match names.len() {
            0 => "no variable".to_owned(),
            _ => text::terminal_line(&names.iter().map(String::as_str).collect::<Vec<_>>().join(", ")),
        };
        context.push(format!("read with {} passed, pinned with {}", shown(passed), shown(&locked.pass_env)));
    }
    context
}

/// What a report must say of a launch whose values aren't all pinned.
pub(super) fn unverified_context(launch: &Launch) -> Option<String> {
    let names: Vec<&str> = launch.unverified.iter().map(String::as_str).collect();
    (!names.is_empty()).then(|| format!("not pinned: the literal value of {}", text::terminal_line(&names.join(", "))))
}

/// What leads the report of a server that says it is another release: the likeliest reason for all that follows.
pub(super) fn release_context(locked: &LockedServer, readings: &Readings) -> Option<String> {
    let (old, new) = (&locked.surface.about.release, &readings.surface.about.release);
    if old == new {
        return None;
    }
    let shown =
        |release: &Option<String>| text::terminal_line(text::shorten(release.as_deref().unwrap_or("none"), 100).text);
    let unversioned = if locked.launch.runs_newest_release() { "; its launch names no version" } else { "" };
    Some(format!("release {} was pinned, {} answers{unversioned}", shown(old), shown(new)))
}

/// The command that approves what a server says now; none where a pin would refuse it, or change nothing. `as_read` are
/// the options that make it read the server as the check did.
pub(super) fn acceptance(
    report: &ServerReport,
    project: &ProjectArguments,
    as_read: &[String],
    by_hand: Option<&Launch>,
) -> Option<String> {
    let from_elsewhere = project.lockfile.as_ref().is_some_and(|path| path.as_os_str() == "-");
    let mut failing = report.findings.iter().filter(|finding| finding.level.fails());
    // Only a pin of all drops what is gone.
    let absent = |finding: &Finding| [&rule::REQUIRED_SERVER, &rule::SERVER_REMOVED].contains(&finding.rule);
    if report.state != State::Drift
        || from_elsewhere
        || unpinnable(report).is_some()
        || report.findings.iter().any(absent)
        || failing.all(is_in_no_pin)
    {
        return None;
    }
    Some(pin_command(report, &[], project, as_read, by_hand))
}

/// Whether no pin changes anything about a finding: what other clients alone are told is in no pin, nor is what a policy
/// denies by itself, and what is proposed is pinned already.
pub(super) fn is_in_no_pin(finding: &Finding) -> bool {
    let denied = finding.rule.change == Level::Notice && finding.rule.baseline.is_some();
    let elsewhere = [&rule::CLIENT_DIFFERS, &rule::POLICY_LOOSENED, &rule::SERVER_DISABLED];
    let of_policy = finding.pointer.segments().first().is_some_and(|first| first == "policy")
        && finding.rule == &rule::READING_CHANGED;
    elsewhere.contains(&finding.rule) || denied || of_policy || finding.proposed
}

/// The command that pins what a report is about: all of it, or these `parts` as options. `as_read` are the options that
/// make it read the server as it was read.
pub(super) fn pin_command(
    report: &ServerReport,
    parts: &[String],
    project: &ProjectArguments,
    as_read: &[String],
    by_hand: Option<&Launch>,
) -> String {
    let mut words = vec![format!("{} pin", invocation::words("mcp-pin")), text::shell_word(&report.name)];
    words.extend(parts.iter().cloned());
    words.extend(command_line::of_project(project));
    words.extend(as_read.iter().cloned());
    words.extend(report.surface.as_ref().map(|digest| format!("--expect {digest}")));
    if report.findings.iter().any(|finding| finding.rule == &rule::NO_TOOLS) {
        words.push("--allow-empty".to_owned());
    }
    words.extend(by_hand.map(command_line::words));
    words.join(" ")
}

/// Whether a server may not be pinned for what its readings show, and why.
pub(super) fn unpinnable(report: &ServerReport) -> Option<Problem> {
    // What a policy softened in a check is no more fit to be approved; what it ignores is.
    let softened = report.softened.iter().filter(|one| one.effect != Softening::Ignored).map(|one| &one.finding);
    let worst = report.findings.iter().chain(softened).find(|finding| {
        finding.level == Level::Danger
            && [&rule::UNSTABLE_LISTING, &rule::DUPLICATE_NAME, &rule::AMBIGUOUS_ANSWER].contains(&finding.rule)
    })?;
    let place = match &worst.item {
        Some(item) => format!("{} \"{}\" {}", item.kind, item.name, worst.pointer),
        None => worst.pointer.to_string(),
    };
    let cause = format!("{}: {} {}", worst.rule.id, worst.rule.why, place.trim());
    Some(Problem::new("pinning", cause.trim().to_owned(), worst.rule.todo))
}

fn count(items: usize) -> String {
    if items == 1 { "1 item".to_owned() } else { format!("{items} items") }
}
