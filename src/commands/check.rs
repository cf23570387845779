//! `mcp-pin check`: reads the servers again and compares; never writes.

use std::collections::BTreeMap;

use super::again;
use super::base::{Approved, Base};
use super::client;
use super::judge;
use super::other_clients::{self, Seen};
use super::output;
use super::policing::{Policing, Settled};
use super::progress::Times;
use super::proposal::Proposal;
use super::reading::{self, Job, Plan};
use super::record;
use super::saved;
use super::selection::Selection;
use super::standing::{self, Standing};
use super::workspace::{Place, Workspace, both};
use crate::cli::CheckArguments;
use crate::config::{ConfiguredServer, State as Configured};
use crate::connect::Failure;
use crate::connect::readings::Readings;
use crate::drift;
use crate::exit::Outcome;
use crate::finding::{Finding, rule};
use crate::launch::Protected;
use crate::lock::{LockedServer, Lockfile, store};
use crate::problem::Problem;
use crate::report::{Record, Report, ServerReport, State};
use crate::surface::Client;

/// Runs the command.
pub(super) fn run(arguments: &CheckArguments) -> Outcome {
    let report = report(arguments);
    report.outcome.and(output::report(&report, &arguments.output))
}

/// What the command finds out.
pub(super) fn report(arguments: &CheckArguments) -> Report {
    let workspace = match Workspace::open(&arguments.project) {
        Ok(workspace) => workspace,
        Err(problems) => return Report::failed("check", String::new(), problems),
    };
    let shown = workspace.lockfile.shown();
    match checked(arguments, &workspace) {
        Ok(Checked { mut servers, problems, warnings, approved }) => {
            record::tell_why_not_started(&mut servers, "a saved listing was read instead");
            let record = record::of(&workspace, Some(&approved.seen));
            let Some(base) = &approved.base else {
                record::point(&mut servers, &approved.lockfile);
                return Report { warnings, ..Report::new("check", shown, servers, problems) }.recording(record);
            };
            // Whoever reviews a pull request sees the files of its work tree.
            record::point(&mut servers, base.proposed().unwrap_or(&Lockfile::default()));
            let report = Report::new("check", base.shown(), servers, problems);
            let (next, base) = (base.next(&report), Some(base.record()));
            Report { warnings, next, ..report }.recording(Record { base, ..record })
        }
        Err(problems) => Report::failed("check", shown, problems).recording(record::of(&workspace, None)),
    }
}

/// What was found out, and by which lockfile.
struct Checked {
    servers: Vec<ServerReport>,
    problems: Vec<Problem>,
    warnings: Vec<String>,
    approved: Approved,
}

fn checked(arguments: &CheckArguments, workspace: &Workspace) -> Result<Checked, Vec<Problem>> {
    let selection = Selection::of(&arguments.read, &workspace.folder).map_err(|problem| vec![problem])?;
    if let Some(problem) = workspace.nothing_here(&selection) {
        return Err(vec![problem]);
    }
    if let Some(path) = &arguments.from {
        saved::named(&arguments.read).map_err(|problem| vec![problem])?;
        let approved = Approved::of(arguments, workspace)?;
        let report = saved::checked(path, &approved.lockfile, &approved.policing, arguments);
        let servers = vec![report.map_err(|problem| vec![problem])?];
        let problems = changed_meanwhile(workspace, &approved.seen);
        let warnings = approved.policing.warnings(&approved.lockfile, &[], &selection);
        return Ok(Checked { servers, problems, warnings, approved });
    }
    let (approved, configured) = both(Approved::of(arguments, workspace), workspace.servers())?;
    let Approved { lockfile, policing, base, .. } = &approved;
    if let Some(problem) = workspace.missing_configuration(&selection, lockfile) {
        return Err(vec![problem]);
    }
    let selected = selection.apply(configured.clone(), lockfile)?;
    let options = again::options(arguments);
    let mut servers = standing::not_configured(lockfile, &configured, &selection, &options);
    let others = client::all_of(&arguments.clients).map_err(|problem| vec![problem])?;
    let proposed = base.as_ref().and_then(Base::proposed);
    let proposal = Proposal::of(lockfile, proposed, policing, &configured);
    let (mut planned, mut jobs) = (Vec::new(), Vec::new());
    for (server, standing) in stands(&selected, &approved, &selection, arguments) {
        let (locked, before) = match standing {
            Stand::Decided(report) => {
                servers.push(*report);
                continue;
            }
            Stand::Ready(locked, before) => (locked, before),
        };
        let read = policing.reading(&server.name, &arguments.read);
        let client = client::of(&read, Some(&locked.client));
        let plan = Plan::Check { expected: &locked.surface, readings: arguments.read.readings };
        match client.and_then(|client| Job::new(server, client, &read, plan)) {
            Ok(job) => {
                let (client, protected) = (job.client.clone(), job.launch.protected.clone());
                planned.push(Planned { server, locked, client, protected, before });
                jobs.push(job);
            }
            Err(problem) => {
                servers.push(with_findings(judge::not_checked(&server.name, problem), before));
            }
        }
    }
    policing.require(&mut servers, &configured, &selection);
    let mut warnings = policing.warnings(lockfile, &configured, &selection);
    let read = read(planned, jobs, &others, &proposal, policing, arguments).map_err(|problem| vec![problem])?;
    warnings.extend(read.unused);
    let mut servers: Vec<ServerReport> = servers.into_iter().map(|report| proposal.beside(report, None)).collect();
    let more: BTreeMap<String, Vec<String>> =
        read.reports.iter().map(|(report, more)| (report.name.clone(), more.clone())).collect();
    servers.extend(read.reports.into_iter().map(|(report, _)| report));
    proposal.add_others(&mut servers, &selection);
    if let Some(base) = base {
        base.tell_policy(&mut servers, policing, &selection);
    }
    let by_hand = selected.iter().find(|server| server.config.is_none()).map(|server| &server.launch);
    let judged = servers.into_iter().map(|report| {
        let mut as_read = reading::words(&report.name, &arguments.read);
        as_read.extend(more.get(&report.name).into_iter().flatten().cloned());
        let report = policing.effects(report);
        // A pin leaves a disabled server as it is.
        let is_off = |server: &ConfiguredServer| server.name == report.name && server.state == Configured::Disabled;
        let accept = (!selected.iter().any(is_off))
            .then(|| judge::acceptance(&report, &arguments.project, &as_read, by_hand))
            .flatten();
        ServerReport { accept, ..report }
    });
    let mut servers: Vec<ServerReport> = judged.collect();
    servers.sort_by(|a, b| a.name.cmp(&b.name));
    let mut problems = match base {
        // A commit doesn't change.
        Some(base) => base.lost_lockfile().into_iter().collect(),
        None => changed_meanwhile(workspace, &approved.seen),
    };
    problems.extend(nothing_compared(&servers));
    Ok(Checked { servers, problems, warnings, approved })
}

/// How a server stands to what is approved, and to the revision that this is taken from.
enum Stand<'a> {
    /// It may be started; what is found of it already stands beside what is approved.
    Ready(&'a LockedServer, Vec<Finding>),
    /// It is not to be started.
    Decided(Box<ServerReport>),
}

fn stands<'a>(
    selected: &'a [ConfiguredServer],
    approved: &'a Approved,
    selection: &Selection,
    arguments: &CheckArguments,
) -> Vec<(&'a ConfiguredServer, Stand<'a>)> {
    let Approved { lockfile, policing, base, .. } = approved;
    let mut changes = base.as_ref().map(Base::changes);
    let mut stand = |server: &'a ConfiguredServer| {
        let locked = lockfile.servers.get(&server.name);
        match (standing::of(server, lockfile, selection), base) {
            (Standing::Approved(locked), _) => {
                let read = policing.reading(&server.name, &arguments.read);
                let changes = changes.as_mut().filter(|_| !arguments.baseline.run_changed);
                match changes.and_then(|changes| changes.refusal(server, &read, arguments)) {
                    Some(problem) => Stand::Decided(Box::new(judge::not_checked(&server.name, problem))),
                    None => Stand::Ready(locked, Vec::new()),
                }
            }
            (Standing::Decided(report), None) => Stand::Decided(report),
            (Standing::Decided(report), Some(base)) => match base.consented(server, lockfile, arguments) {
                Some(locked) => {
                    let noted = |finding: Finding| finding.noting("it was started all the same, for --run-changed");
                    Stand::Ready(locked, report.findings.into_iter().map(noted).collect())
                }
                None => Stand::Decided(Box::new(base.disabled(*report, server, locked))),
            },
        }
    };
    selected.iter().map(|server| (server, stand(server))).collect()
}

/// A report with what was found before its server was started.
fn with_findings(mut report: ServerReport, before: Vec<Finding>) -> ServerReport {
    if before.iter().any(|finding| finding.level.fails()) {
        report.state = State::Drift;
    }
    report.findings.extend(before);
    drift::sort(&mut report.findings);
    report
}

/// A server that will be read.
struct Planned<'a> {
    server: &'a ConfiguredServer,
    locked: &'a LockedServer,
    client: Client,
    protected: Protected,
    /// What was found of it before it is started.
    before: Vec<Finding>,
}

/// What the servers that were read came to.
struct Read {
    /// Beside each report stand the options that a pin needs to read as much as was read.
    reports: Vec<(ServerReport, Vec<String>)>,
    /// What to say of the policy.
    unused: Vec<String>,
}

/// Reads the servers, then once more as the other clients that the user names.
fn read(
    planned: Vec<Planned<'_>>,
    jobs: Vec<Job<'_>>,
    others: &[Client],
    proposal: &Proposal<'_>,
    policing: &Policing,
    arguments: &CheckArguments,
) -> Result<Read, Problem> {
    let results = planned.iter().zip(reading::read_all(jobs, &arguments.read, Times::of(&arguments.output))?);
    let settle = |(planned, result): (&Planned<'_>, Result<Readings, Failure>)| {
        result.map(|readings| policing.settle(&planned.server.name, Some(&planned.locked.surface), readings))
    };
    let results: Vec<Result<Settled, Failure>> = results.map(settle).collect();
    let seen: Vec<Seen<'_>> = planned
        .iter()
        .zip(&results)
        .filter_map(|(planned, result)| {
            let Planned { server, locked, client, .. } = planned;
            let settled = result.as_ref().ok()?;
            Some(Seen { server, locked, client: client.clone(), readings: &settled.readings })
        })
        .collect();
    let told = if others.is_empty() { Vec::new() } else { other_clients::read(others, &seen, policing, arguments)? };
    let mut told = seen.iter().map(|seen| seen.server.name.as_str()).zip(told).collect::<BTreeMap<_, _>>();
    let judged = planned.iter().zip(&results).map(|(planned, result)| {
        let Planned { server, locked, client, protected, before } = planned;
        let mut report = match result {
            Ok(settled) => ServerReport {
                softened: settled.softened.clone(),
                ..judge::readings(&server.name, Some(&locked.surface), &settled.readings)
            },
            Err(failure) => judge::not_checked(&server.name, failure.problem.clone()),
        };
        report.contact = record::contact(client, &result.as_ref().map(|settled| settled.readings.count));
        let readings = result.as_ref().ok().map(|settled| &settled.readings);
        let passed = reading::passed_to(&server.name, &policing.reading(&server.name, &arguments.read));
        report.context.extend(judge::reading_context(locked, client, &passed));
        report.context.extend(readings.and_then(|readings| judge::release_context(locked, readings)));
        report.context.extend(judge::unverified_context(&locked.launch));
        let told = told.remove(server.name.as_str()).unwrap_or_default();
        let more = readings.and_then(|readings| pinning_resources(locked, readings));
        let surface = readings.map(|readings| &readings.surface);
        let report = proposal.beside(with_findings(report, before.clone()), surface);
        (told.beside(judge::masked(report, protected)), more.into_iter().collect())
    });
    let reports = judged.collect();
    let unused = results.iter().flatten().flat_map(|settled| settled.unused.iter().cloned());
    Ok(Read { reports, unused: unused.collect() })
}

/// The option for a server that declares only now that its resources change: they are pinned and were compared, and a pin
/// without it would leave them out.
fn pinning_resources(locked: &LockedServer, readings: &Readings) -> Option<String> {
    let only_now = readings.surface.pins_changing_resources() && !locked.surface.pins_changing_resources();
    only_now.then(|| "--pin-resources".to_owned())
}

/// A problem if there are servers and none was compared: that says nothing of any of them.
fn nothing_compared(servers: &[ServerReport]) -> Option<Problem> {
    let all_skipped = !servers.is_empty() && servers.iter().all(|server| server.state == State::Skipped);
    let is_gone = |server: &ServerReport| server.softened.iter().any(|one| one.finding.rule == &rule::SERVER_REMOVED);
    let (cause, help) = match servers.iter().any(is_gone) {
        true => (
            "nothing was checked: every server is disabled or not configured any more",
            "put a server back into its configuration, or drop its pins: mcp-pin pin --prune",
        ),
        false => (
            "nothing was checked: every server is disabled",
            "enable a server in its configuration, or don't run the check where there is none",
        ),
    };
    all_skipped.then(|| Problem::new("comparing", cause, help))
}

/// A problem if the lockfile is not what was compared any more.
fn changed_meanwhile(workspace: &Workspace, seen: &store::Seen) -> Vec<Problem> {
    match &workspace.lockfile {
        Place::File(path) if !store::unchanged_since(path, seen) => vec![Problem::new(
            "comparing",
            format!("{} changed while the servers were read", workspace.lockfile.shown()),
            "run the command again",
        )],
        _ => Vec::new(),
    }
}
