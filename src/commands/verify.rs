//! `mcp-pin verify`: the lockfile is sound and every configured launch is the pinned one. No server is asked.

use super::judge;
use super::output;
use super::policing::Policing;
use super::record;
use super::selection::Selection;
use super::standing::{self, Standing};
use super::workspace::{Workspace, both};
use crate::cli::VerifyArguments;
use crate::exit::Outcome;
use crate::lock::store::Seen;
use crate::problem::Problem;
use crate::report::{Report, ServerReport, State};
use crate::surface::Counts;

/// Runs the command.
pub(super) fn run(arguments: &VerifyArguments) -> Outcome {
    let report = report(arguments);
    report.outcome.and(output::report(&report, &arguments.output))
}

fn report(arguments: &VerifyArguments) -> Report {
    let workspace = match Workspace::open(&arguments.project) {
        Ok(workspace) => workspace,
        Err(problems) => return Report::failed("verify", String::new(), problems),
    };
    let shown = workspace.lockfile.shown();
    match verified(arguments, &workspace) {
        Ok(Verified { servers, warnings, seen }) => {
            let report = Report::new("verify", shown, servers, Vec::new());
            Report { warnings, ..report }.recording(record::of(&workspace, Some(&seen)))
        }
        Err(problems) => Report::failed("verify", shown, problems).recording(record::of(&workspace, None)),
    }
}

/// What was found out, and by which lockfile.
struct Verified {
    servers: Vec<ServerReport>,
    warnings: Vec<String>,
    seen: Seen,
}

fn verified(arguments: &VerifyArguments, workspace: &Workspace) -> Result<Verified, Vec<Problem>> {
    let selection = Selection::named(&arguments.servers);
    let opened = both(both(workspace.load(), workspace.servers()), Policing::of(workspace));
    let (((lockfile, seen), configured), policing) = opened?;
    if let Some(problem) = workspace.missing_configuration(&selection, &lockfile) {
        return Err(vec![problem]);
    }
    let selected = selection.apply(configured.clone(), &lockfile)?;
    // A launch that only the command line knows has nothing to be compared with; its block is sound.
    let mut servers: Vec<ServerReport> = standing::only_in_lockfile(&lockfile, &configured, &selection)
        .into_iter()
        .map(|server| match server.state {
            State::NotChecked => ServerReport {
                state: State::InSync,
                problem: None,
                context: vec!["no configuration names its launch, so there is none to compare".to_owned()],
                ..server
            },
            _ => server,
        })
        .collect();
    for server in &selected {
        servers.push(match standing::of(server, &lockfile, &selection) {
            Standing::Decided(report) => *report,
            Standing::Approved(locked) => ServerReport {
                items: Some(Counts::of(&locked.surface.items)),
                names: judge::names(&locked.surface),
                context: judge::unverified_context(&locked.launch).into_iter().collect(),
                ..judge::blank(&server.name, State::InSync)
            },
        });
    }
    policing.require(&mut servers, &configured, &selection);
    servers = servers.into_iter().map(|server| policing.effects(server)).collect();
    for server in &mut servers {
        server.accept = judge::acceptance(server, &arguments.project, &[], None);
    }
    servers.sort_by(|a, b| a.name.cmp(&b.name));
    let warnings = policing.warnings(&lockfile, &configured, &selection);
    record::tell_why_not_started(&mut servers, "no server is asked");
    record::point(&mut servers, &lockfile);
    Ok(Verified { servers, warnings, seen })
}
