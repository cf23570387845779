//! `mcp-pin check`: reads the servers again and compares; never writes.

use std::collections::BTreeMap;

use super::client;
use super::judge;
use super::other_clients::{self, Seen};
use super::output;
use super::policing::{Policing, Settled};
use super::progress::Times;
use super::reading::{self, Job, Plan};
use super::record;
use super::saved;
use super::selection::Selection;
use super::standing::{self, Standing};
use super::workspace::{Place, Workspace, both};
use crate::cli::CheckArguments;
use crate::config::ConfiguredServer;
use crate::connect::Failure;
use crate::connect::readings::Readings;
use crate::exit::Outcome;
use crate::launch::Protected;
use crate::lock::{LockedServer, Lockfile, store};
use crate::problem::Problem;
use crate::report::{Report, ServerReport, State};
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
        Ok(Checked { mut servers, problems, warnings, lockfile, seen }) => {
            record::tell_why_not_started(&mut servers, "a saved listing was read instead");
            record::point(&mut servers, &lockfile);
            let report = Report::new("check", shown, servers, problems);
            Report { warnings, ..report }.recording(record::of(&workspace, Some(&seen)))
        }
        Err(problems) => Report::failed("check", shown, problems).recording(record::of(&workspace, None)),
    }
}

/// What was found out, and by which lockfile.
struct Checked {
    servers: Vec<ServerReport>,
    problems: Vec<Problem>,
    warnings: Vec<String>,
    lockfile: Lockfile,
    seen: store::Seen,
}

fn checked(arguments: &CheckArguments, workspace: &Workspace) -> Result<Checked, Vec<Problem>> {
    let selection = Selection::of(&arguments.read, &workspace.folder).map_err(|problem| vec![problem])?;
    if let Some(problem) = workspace.nothing_here(&selection) {
        return Err(vec![problem]);
    }
    if let Some(path) = &arguments.from {
        saved::named(&arguments.read).map_err(|problem| vec![problem])?;
        let ((lockfile, seen), policing) = both(workspace.load(), Policing::of(workspace))?;
        let report = saved::checked(path, &lockfile, &policing, arguments).map_err(|problem| vec![problem])?;
        let (servers, problems) = (vec![report], changed_meanwhile(workspace, &seen));
        let warnings = policing.warnings(&lockfile, &[], &selection);
        return Ok(Checked { servers, problems, warnings, lockfile, seen });
    }
    let opened = both(both(workspace.load(), workspace.servers()), Policing::of(workspace));
    let (((lockfile, seen), configured), policing) = opened?;
    if let Some(problem) = workspace.missing_configuration(&selection, &lockfile) {
        return Err(vec![problem]);
    }
    let selected = selection.apply(configured.clone(), &lockfile)?;
    let mut servers = standing::only_in_lockfile(&lockfile, &configured, &selection);
    let others = client::all_of(&arguments.clients).map_err(|problem| vec![problem])?;
    let (mut planned, mut jobs) = (Vec::new(), Vec::new());
    for server in &selected {
        match standing::of(server, &lockfile, &selection) {
            Standing::Decided(report) => servers.push(*report),
            Standing::Approved(locked) => {
                let read = policing.reading(&server.name, &arguments.read);
                let client = client::of(&read, Some(&locked.client));
                let plan = Plan::Check { expected: &locked.surface, readings: arguments.read.readings };
                match client.and_then(|client| Job::new(server, client, &read, plan)) {
                    Ok(job) => {
                        let (client, protected) = (job.client.clone(), job.launch.protected.clone());
                        planned.push(Planned { server, locked, client, protected });
                        jobs.push(job);
                    }
                    Err(problem) => servers.push(judge::not_checked(&server.name, problem)),
                }
            }
        }
    }
    policing.require(&mut servers, &configured, &selection);
    let mut warnings = policing.warnings(&lockfile, &configured, &selection);
    let read = read(planned, jobs, &others, &policing, arguments).map_err(|problem| vec![problem])?;
    warnings.extend(read.unused);
    let unread = servers.into_iter().map(|report| (report, Vec::new()));
    let by_hand = selected.iter().find(|server| server.config.is_none()).map(|server| &server.launch);
    let judged = unread.chain(read.reports).map(|(report, more)| {
        let mut as_read = reading::words(&report.name, &arguments.read);
        as_read.extend(more);
        let report = policing.effects(report);
        let accept = judge::acceptance(&report, &arguments.project, &as_read, by_hand);
        ServerReport { accept, ..report }
    });
    let mut servers: Vec<ServerReport> = judged.collect();
    servers.sort_by(|a, b| a.name.cmp(&b.name));
    let mut problems = changed_meanwhile(workspace, &seen);
    problems.extend(nothing_compared(&servers));
    Ok(Checked { servers, problems, warnings, lockfile, seen })
}

/// A server that will be read.
struct Planned<'a> {
    server: &'a ConfiguredServer,
    locked: &'a LockedServer,
    client: Client,
    protected: Protected,
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
        let Planned { server, locked, client, protected } = planned;
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
    all_skipped.then(|| {
        Problem::new(
            "comparing",
            "nothing was checked: every server is disabled",
            "enable a server in its configuration, or don't run the check where there is none",
        )
    })
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
