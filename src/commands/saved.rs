//! `--from FILE`: a listing that another program has saved, in place of a server.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::judge;
use super::policing::Policing;
use super::reading;
use super::selection::shown;
use crate::cli::{CheckArguments, ReadArguments};
use crate::config::ConfiguredServer;
use crate::connect::readings::Readings;
use crate::connect::saved;
use crate::finding::{Finding, rule};
use crate::invocation;
use crate::json::Object;
use crate::launch::{Launch, Transport};
use crate::lock::Lockfile;
use crate::problem::Problem;
use crate::report::ServerReport;
use crate::surface::{About, Kind, Surface};
use crate::text;

/// The server that a saved listing is of.
///
/// # Errors
/// When not exactly one is named.
pub(super) fn named(arguments: &ReadArguments) -> Result<&str, Problem> {
    match arguments.servers.as_slice() {
        [name] => Ok(name),
        _ => Err(Problem::new(
            "reading the command line",
            "--from is about exactly one server",
            "as in: mcp-pin check NAME --from FILE",
        )),
    }
}

/// The one reading that a saved listing is; `-` is standard input. What it doesn't tell is as `approved` has it.
///
/// # Errors
/// When the file can't be read or holds no whole listing.
pub(super) fn read(path: &Path, approved: Option<&Surface>, arguments: &ReadArguments) -> Result<Readings, Problem> {
    let limits = reading::limits(arguments);
    let text = bytes(path, limits.listing).map_err(|error| {
        let cause = format!("{}: {error}", path.display());
        Problem::new("reading the saved listing", cause, "name a file that can be read, or - for standard input")
    })?;
    let mut items = saved::tools(&text, &limits)?;
    let (protocol, about) = match approved {
        Some(approved) => {
            items.extend(approved.items.iter().filter(|item| item.kind != Kind::Tool).cloned());
            (approved.protocol.clone(), approved.about.clone())
        }
        None => (String::new(), About::default()),
    };
    let resources = approved.map(|approved| approved.resources).unwrap_or_default();
    Ok(Readings::of_one(Surface::new(protocol, about, items).with_resources(resources)))
}

/// The file's bytes, at most one more than the limit.
fn bytes(path: &Path, limit: usize) -> io::Result<Vec<u8>> {
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::new();
    match path.as_os_str() == "-" {
        true => io::stdin().lock().take(most).read_to_end(&mut bytes)?,
        false => File::open(path)?.take(most).read_to_end(&mut bytes)?,
    };
    Ok(bytes)
}

/// A server that nobody starts: its listing comes from elsewhere.
pub(super) fn server(name: &str) -> ConfiguredServer {
    ConfiguredServer {
        name: name.to_owned(),
        config: None,
        folder: std::path::PathBuf::new(),
        launch: Launch { transport: Transport::Saved, options: Object::new(), unverified: BTreeSet::new() },
        state: crate::config::State::Enabled,
    }
}

/// What the saved listing comes to against what was approved.
pub(super) fn checked(
    path: &Path,
    lockfile: &Lockfile,
    policing: &Policing,
    arguments: &CheckArguments,
) -> Result<ServerReport, Problem> {
    let name = named(&arguments.read)?;
    let Some(locked) = lockfile.servers.get(name) else {
        return Ok(judge::found(name, vec![Finding::new(&rule::SERVER_UNPINNED)]));
    };
    let readings = match read(path, Some(&locked.surface), &arguments.read) {
        Ok(readings) => readings,
        Err(problem) => return Ok(judge::not_checked(name, problem)),
    };
    let settled = policing.settle(name, Some(&locked.surface), readings);
    let mut report = judge::readings(name, Some(&locked.surface), &settled.readings);
    report.softened = settled.softened;
    let mut report = policing.effects(report);
    report.context.push("a saved listing was compared: its tools, and nothing else of the server".to_owned());
    if locked.launch.transport == Transport::Saved {
        report.accept = judge::acceptance(&report, &arguments.project, &[], None)
            .map(|command| format!("{command} --from {}", text::shell_word(&path.display().to_string())));
    } else {
        report.surface = None;
    }
    Ok(report)
}

/// A problem if a server that is read live would be pinned from a saved listing.
pub(super) fn unpinnable(name: &str, lockfile: &Lockfile, configured: &[ConfiguredServer]) -> Option<Problem> {
    let problem = |cause: String| {
        let help = format!(
            "pin it as it is reached ({} pin {}), or use another name",
            invocation::words("mcp-pin"),
            text::shell_word(name)
        );
        Some(Problem::new("pinning", cause, help))
    };
    if let Some(server) = configured.iter().find(|server| server.name == name) {
        return problem(format!("{} is configured in {}", shown(name), text::terminal_line(server.origin())));
    }
    let live = lockfile.servers.get(name).filter(|locked| locked.launch.transport != Transport::Saved);
    live.and_then(|_| problem(format!("{} was pinned from the server itself, not from a saved listing", shown(name))))
}
