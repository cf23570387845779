//! How a configured server stands to the lockfile before anything is started.

use super::command_line;
use super::judge;
use super::selection::Selection;
use crate::config::{ConfiguredServer, State as Configured};
use crate::finding::{Finding, rule};
use crate::invocation;
use crate::launch::Transport;
use crate::lock::{LockedServer, Lockfile};
use crate::problem::Problem;
use crate::report::{ServerReport, State};
use crate::text::shell_word;

/// How a server stands.
pub(super) enum Standing<'a> {
    /// Every word of its launch is approved: it may be started.
    Approved(&'a LockedServer),
    /// It is not to be started, and this is what there is to say.
    Decided(Box<ServerReport>),
}

/// How this server stands.
pub(super) fn of<'a>(server: &ConfiguredServer, lockfile: &'a Lockfile, selection: &Selection) -> Standing<'a> {
    let name = server.name.as_str();
    let decided = |report| Standing::Decided(Box::new(report));
    let locked = lockfile.servers.get(name);
    // Not every client heeds `disabled`, so a changed launch is told all the same.
    let findings = locked.map(|locked| judge::launch_findings(locked, server)).unwrap_or_default();
    match locked {
        _ if !findings.is_empty() => decided(judge::found(name, findings)),
        _ if server.state == Configured::Disabled => decided(disabled(server, locked, selection)),
        Some(locked) => Standing::Approved(locked),
        None => decided(judge::found(name, vec![Finding::new(&rule::SERVER_UNPINNED)])),
    }
}

/// A disabled server is skipped, unless it was asked for by name.
pub(super) fn disabled(
    server: &ConfiguredServer,
    locked: Option<&LockedServer>,
    selection: &Selection,
) -> ServerReport {
    let name = server.name.as_str();
    let place = format!("\"disabled\": true in {}", server.origin());
    if selection.names(name) {
        let help = "enable it in the configuration, or leave it out of the command";
        return judge::not_checked(name, Problem::new("starting the server", format!("it is disabled: {place}"), help));
    }
    let pins = if locked.is_some() { "its pins stay as they are" } else { "it has no pins" };
    let mut report = judge::blank(name, State::Skipped);
    report.context.push(crate::text::terminal_line(&format!("disabled: {place}; {pins}")));
    report
}

/// The selected servers that the lockfile holds and no configuration names.
pub(super) fn only_in_lockfile(
    lockfile: &Lockfile,
    configured: &[ConfiguredServer],
    selection: &Selection,
) -> Vec<ServerReport> {
    not_configured(lockfile, configured, selection, &[])
}

/// The same in a check with these options, which a suggested command repeats.
pub(super) fn not_configured(
    lockfile: &Lockfile,
    configured: &[ConfiguredServer],
    selection: &Selection,
    options: &[String],
) -> Vec<ServerReport> {
    let ad_hoc = matches!(selection, Selection::AdHoc(_));
    lockfile
        .servers
        .iter()
        .filter(|(name, _)| selection.includes(name) && !ad_hoc)
        .filter(|(name, _)| !configured.iter().any(|server| server.name == **name))
        .map(|(name, locked)| match &locked.config {
            Some(config) => {
                let finding = Finding::new(&rule::SERVER_REMOVED)
                    .between(Some(config.as_str().into()), None)
                    .noting(format!("it was pinned from {}", crate::text::terminal_line(config)));
                judge::found(name, vec![finding])
            }
            None if locked.launch.transport == Transport::Saved => saved_elsewhere(name),
            None => judge::not_checked(name, typed(name, locked, "check", options)),
        })
        .collect()
}

/// A server that was pinned from a saved listing: there is nothing to start.
fn saved_elsewhere(name: &str) -> ServerReport {
    let help = format!("give its listing: {} check {} --from FILE", invocation::words("mcp-pin"), shell_word(name));
    let cause = "it was pinned from a saved listing, so there is nothing to start";
    judge::not_checked(name, Problem::new("starting the server", cause, help))
}

/// What to type for a server whose launch only the command line knows. The command is told, never run from the lockfile.
pub(super) fn given_by_hand(name: &str, locked: &LockedServer, command: &str) -> Problem {
    typed(name, locked, command, &[])
}

fn typed(name: &str, locked: &LockedServer, command: &str, options: &[String]) -> Problem {
    let start = [invocation::words("mcp-pin"), command.to_owned(), shell_word(name)];
    let words = start.into_iter().chain(options.iter().cloned()).chain([command_line::words(&locked.launch)]);
    let words = words.collect::<Vec<_>>().join(" ");
    Problem::new(
        "starting the server",
        "its launch was given on the command line, and mcp-pin runs nothing that only the lockfile names",
        format!("read this command, then run it: {words}\nor move the server into .mcp.json and pin it there"),
    )
}
