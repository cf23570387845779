//! What an auditor asks of a run, and the lines that its report points at.

use std::path::Path;

use super::workspace::{Place, Workspace};
use crate::config;
use crate::finding::rule;
use crate::lock::Lockfile;
use crate::lock::lines::{self, Wanted};
use crate::lock::store::Seen;
use crate::report::{Contact, Record, ServerReport, State};
use crate::surface::Client;

/// What is known of a run in this workspace, with the lockfile as it was seen.
pub(super) fn of(workspace: &Workspace, lockfile: Option<&Seen>) -> Record {
    let artifact = match &workspace.lockfile {
        Place::File(path) => config::in_repository(path),
        // Wherever it came from, this is where a reader looks.
        Place::StandardInput => config::LOCKFILE.to_owned(),
    };
    Record {
        lockfile_sha256: lockfile.map(Seen::sha256),
        artifact,
        base: None,
        configurations: workspace.configurations(),
    }
}

/// The same of a run that knows no lockfile: it points at the first configuration.
pub(super) fn without_lockfile(workspace: &Workspace, first: Option<&Path>) -> Record {
    let artifact = first.map_or_else(|| config::LOCKFILE.to_owned(), config::in_repository);
    Record { lockfile_sha256: None, artifact, base: None, configurations: workspace.configurations() }
}

/// A server that was started or contacted, and what came of it.
pub(super) fn contact<E>(client: &Client, result: &Result<usize, E>) -> Contact {
    Contact::Made { client: client.to_string(), readings: result.as_ref().copied().unwrap_or_default() }
}

/// Says of each server that wasn't started why not: by what was found out before, else by `otherwise`.
pub(super) fn tell_why_not_started(servers: &mut [ServerReport], otherwise: &str) {
    for server in servers {
        if matches!(server.contact, Contact::None { .. }) {
            server.contact = Contact::None { why: why_not_started(server, otherwise) };
        }
    }
}

fn why_not_started(server: &ServerReport, otherwise: &str) -> String {
    let has = |id: &str| server.findings.iter().any(|finding| finding.rule.id == id);
    let cause = server.problem.as_ref().and_then(|problem| problem.cause.lines().next());
    if has(rule::LAUNCH_CHANGED.id) {
        "its launch is not the approved one".to_owned()
    } else if has(rule::SERVER_UNPINNED.id) {
        "nobody has approved it".to_owned()
    } else if has(rule::SERVER_REMOVED.id) {
        "no configuration names it any more".to_owned()
    } else if server.state == State::Skipped || has(rule::SERVER_DISABLED.id) {
        "it is disabled".to_owned()
    } else {
        cause.unwrap_or(otherwise).to_owned()
    }
}

/// Notes the line of the lockfile for each finding, and for each server that has one; of what isn't in it, the first line.
pub(super) fn point(servers: &mut [ServerReport], lockfile: &Lockfile) {
    let told = |server: &ServerReport| server.problem.is_some() || !server.findings.is_empty();
    let mut wanted = Vec::new();
    for server in servers.iter().filter(|server| told(server)) {
        wanted.push(Wanted { server: &server.name, item: None, segments: &[] });
        wanted.extend(server.findings.iter().map(|finding| Wanted {
            server: &server.name,
            item: finding.item.as_ref().map(|item| (item.kind, item.name.as_str())),
            segments: finding.pointer.segments(),
        }));
    }
    let mut found = lines::lines(lockfile, &wanted).into_iter();
    for server in servers.iter_mut().filter(|server| told(server)) {
        server.line = found.next().flatten();
        for finding in &mut server.findings {
            finding.line = found.next().flatten().or(Some(1));
        }
    }
}
