//! `mcp-pin check`: reads the servers again and compares; never writes.

use super::judge;
use super::output;
use super::reading::{self, Job, Plan};
use super::selection::Selection;
use super::standing::{self, Standing};
use super::workspace::{Place, Workspace, both};
use crate::cli::CheckArguments;
use crate::exit::Outcome;
use crate::lock::store::Seen;
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
        Ok((servers, problems)) => Report::new("check", shown, servers, problems),
        Err(problems) => Report::failed("check", shown, problems),
    }
}

fn checked(
    arguments: &CheckArguments,
    workspace: &Workspace,
) -> Result<(Vec<ServerReport>, Vec<Problem>), Vec<Problem>> {
    let selection = Selection::of(&arguments.read, &workspace.folder).map_err(|problem| vec![problem])?;
    if let Some(problem) = workspace.nothing_here(&selection) {
        return Err(vec![problem]);
    }
    let ((lockfile, seen), configured) = both(workspace.load(), workspace.servers())?;
    if let Some(problem) = workspace.missing_configuration(&selection, &lockfile) {
        return Err(vec![problem]);
    }
    let selected = selection.apply(configured.clone(), &lockfile)?;
    let mut servers = standing::only_in_lockfile(&lockfile, &configured, &selection);
    let mut jobs = Vec::new();
    for server in &selected {
        match standing::of(server, &lockfile, &selection) {
            Standing::Decided(report) => servers.push(*report),
            Standing::Approved(locked) => {
                let client = client(arguments, locked);
                let passed = reading::passed_to(&server.name, &arguments.read);
                let plan = Plan::Check { expected: &locked.surface, readings: arguments.read.readings };
                match client.and_then(|client| Job::new(server, client, &passed, plan)) {
                    Ok(job) => jobs.push(job),
                    Err(problem) => servers.push(judge::not_checked(&server.name, problem)),
                }
            }
        }
    }
    servers.extend(read(jobs, arguments, &lockfile).map_err(|problem| vec![problem])?);
    let by_hand = selected.iter().find(|server| server.config.is_none()).map(|server| &server.launch);
    for server in &mut servers {
        server.accept = judge::acceptance(server, &arguments.project, by_hand);
    }
    servers.sort_by(|a, b| a.name.cmp(&b.name));
    let mut problems = changed_meanwhile(workspace, &seen);
    problems.extend(nothing_compared(&servers));
    Ok((servers, problems))
}

/// The client that the server is read as: the one that it was pinned with, unless the user wants another.
fn client(arguments: &CheckArguments, locked: &LockedServer) -> Result<Client, Problem> {
    let profile = &locked.client.profile;
    if profile != Client::MCP_PIN_1 {
        return Err(Problem::new(
            "choosing the client",
            format!("it was pinned as client \"{profile}\", which this version of mcp-pin doesn't know"),
            "update mcp-pin; the pin stays as it is",
        ));
    }
    let name = arguments.read.client_name.clone().or_else(|| locked.client.name.clone());
    Ok(Client { profile: profile.clone(), name })
}

fn read(jobs: Vec<Job<'_>>, arguments: &CheckArguments, lockfile: &Lockfile) -> Result<Vec<ServerReport>, Problem> {
    let about: Vec<_> =
        jobs.iter().map(|job| (job.name.clone(), job.client.clone(), job.launch.protected.clone())).collect();
    let results = reading::read_all(jobs, &arguments.read)?;
    let judged = about.into_iter().zip(results).map(|((name, client, protected), result)| {
        let locked = lockfile.servers.get(&name);
        let mut report = match &result {
            Ok(readings) => judge::readings(&name, locked.map(|locked| &locked.surface), readings),
            Err(failure) => judge::not_checked(&name, failure.problem.clone()),
        };
        if let Some(locked) = locked {
            let passed = reading::passed_to(&name, &arguments.read);
            report.context.extend(judge::reading_context(locked, &client, &passed));
            report.context.extend(result.ok().and_then(|readings| judge::release_context(locked, &readings)));
            report.context.extend(judge::unverified_context(&locked.launch));
        }
        judge::masked(report, &protected)
    });
    Ok(judged.collect())
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
fn changed_meanwhile(workspace: &Workspace, seen: &Seen) -> Vec<Problem> {
    match &workspace.lockfile {
        Place::File(path) if !store::unchanged_since(path, seen) => vec![Problem::new(
            "comparing",
            format!("{} changed while the servers were read", workspace.lockfile.shown()),
            "run the command again",
        )],
        _ => Vec::new(),
    }
}
