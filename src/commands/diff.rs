//! `mcp-pin diff`: compares two lockfiles, for the reviewer of a commit. No server is asked.

use std::path::Path;

use super::folder;
use super::lockfiles;
use super::output;
use super::workspace::{self, Place, Workspace, both};
use crate::cli::{DiffArguments, ProjectArguments};
use crate::config::LOCKFILE;
use crate::exit::Outcome;
use crate::finding::rule;
use crate::git::{Entry, Repository};
use crate::lock::{self, LockError, Lockfile};
use crate::problem::Problem;
use crate::report::Report;
use crate::report::definitions::Definitions;
use crate::text;

/// Runs the command.
pub(super) fn run(arguments: &DiffArguments) -> Outcome {
    let (report, definitions) = match compared(arguments) {
        Ok(compared) => compared,
        Err(problems) => (Report::failed("diff", arguments.old.clone(), problems), Vec::new()),
    };
    report.outcome.and(output::report_with(&report, &definitions, &arguments.output))
}

/// The project whose lockfile a revision without a path means.
pub(super) fn project(arguments: &DiffArguments) -> ProjectArguments {
    ProjectArguments { configs: Vec::new(), lockfile: arguments.lockfile.clone() }
}

fn compared(arguments: &DiffArguments) -> Result<(Report, Vec<Definitions>), Vec<Problem>> {
    if arguments.old == "-" && arguments.new == "-" {
        let help = "name a file or a revision for one of them";
        return Err(vec![Problem::new(STEP, "both lockfiles are standard input", help)]);
    }
    let workspace = Workspace::open(&project(arguments))?;
    let (old, new) = both(read(&arguments.old, &workspace), read(&arguments.new, &workspace))?;
    let (old_lockfile, new_lockfile) = match (old.lockfile, new.lockfile) {
        (None, None) => {
            let cause = format!("there is no lockfile in {}, nor in {}", old.shown, new.shown);
            return Err(vec![Problem::new(STEP, cause, "name revisions or files that have one")]);
        }
        (old_lockfile, new_lockfile) => {
            for (side, lockfile) in [(&old.shown, &old_lockfile), (&new.shown, &new_lockfile)] {
                if lockfile.is_none() {
                    let side = text::terminal_line(side);
                    output::message(&format!("note: there is no file {side}; it counts as an empty lockfile\n"));
                }
            }
            (old_lockfile.unwrap_or_default(), new_lockfile.unwrap_or_default())
        }
    };
    let servers = lockfiles::differences(&old_lockfile, &new_lockfile);
    // Nobody has read what a new server says, and there is nothing that it could be compared with.
    let is_new = |name: &str| !old_lockfile.servers.contains_key(name);
    let definitions = new_lockfile.servers.iter().filter(|(name, _)| is_new(name));
    let definitions = definitions.map(|(name, server)| Definitions::of(name, &server.client, &server.surface));
    let definitions: Vec<Definitions> = definitions.collect();
    let mut report = Report::new("diff", old.shown, servers, Vec::new());
    report.next = next(&report, &new.shown);
    Ok((report, definitions))
}

/// Whoever approves the commit approves what it holds.
fn next(report: &Report, new: &str) -> Vec<String> {
    if report.outcome != Outcome::Drift {
        return Vec::new();
    }
    let launches = |server: &crate::report::ServerReport| {
        server.findings.iter().any(|finding| finding.rule == &rule::LAUNCH_CHANGED)
    };
    let also = if report.servers.iter().any(launches) { ", and what its launches would run" } else { "" };
    vec![format!("read what differs above{also}; whoever approves {new} approves all of it")]
}

const STEP: &str = "reading the lockfiles";

/// One of the two lockfiles.
struct Side {
    /// Where it is, for messages.
    shown: String,
    /// None where a revision has no such file.
    lockfile: Option<Lockfile>,
}

/// The lockfile that a word of the command line means: `-`, a file, `REVISION:PATH` or a revision.
fn read(word: &str, workspace: &Workspace) -> Result<Side, Vec<Problem>> {
    let one = |problem| vec![problem];
    if word == "-" {
        let (lockfile, _) = workspace::from_standard_input()?;
        return Ok(Side { shown: "-".to_owned(), lockfile: Some(lockfile) });
    }
    let repository = Repository::of(&workspace.folder);
    let path = Path::new(word);
    if path.is_file() {
        // A pull request could add a file that has the name of a branch, or of a branch's file.
        let revision = word.split_once(':').map_or(word, |(revision, _)| revision);
        if repository.as_ref().is_ok_and(|repository| repository.knows(revision)) {
            let shown = text::terminal_line(word);
            let help = format!(
                "write ./{shown} for the file; name the revision in another way, as refs/heads/… or refs/remotes/… in full"
            );
            return Err(vec![Problem::new(STEP, format!("\"{shown}\" is both a file and a revision"), help)]);
        }
        let loaded =
            lock::store::load(path).map_err(|error| LockError { file: word.to_owned(), ..error }.problems())?;
        return Ok(Side { shown: word.to_owned(), lockfile: Some(loaded.lockfile) });
    }
    let repository = repository.map_err(|problem| {
        let cause = format!("\"{}\" is no file, and {}", text::terminal_line(word), problem.cause);
        let help = "run it in a checkout, or name lockfiles as files".to_owned();
        vec![Problem { step: STEP.to_owned(), cause, help }]
    })?;
    let (revision, path) = match word.split_once(':') {
        Some((revision, path)) => (revision, in_tree(path, &repository)),
        None => (
            word,
            match &workspace.lockfile {
                Place::File(path) => repository.path(path),
                Place::StandardInput => None,
            },
        ),
    };
    let Some(path) = path else {
        let help = "name the file as REVISION:PATH, from the repository's root and through no link";
        return Err(vec![Problem::new(STEP, "the lockfile is no path of this repository", help)]);
    };
    folder::refuse_links(workspace).map_err(one)?;
    folder::refuse_submodule(&repository, revision).map_err(one)?;
    let revision = repository.revision(revision).map_err(|problem| {
        let is_unknown = problem.cause.ends_with("is no commit of this repository") && !word.contains(':');
        let cause = if is_unknown { format!("{}, nor a file here", problem.cause) } else { problem.cause };
        vec![Problem { cause, ..problem }]
    })?;
    let by_search = matches!(&workspace.lockfile, Place::File(path) if *path == workspace.folder.join(LOCKFILE));
    if by_search && !word.contains(':') {
        folder::refuse_farther(workspace, &revision).map_err(one)?;
    }
    let shown = format!("{}:{path}", revision.name());
    let lockfile = match revision.entry(&path, lock::MAX_SIZE).map_err(one)? {
        Entry::Nothing => None,
        Entry::File(bytes) => Some(parsed(&bytes, &shown)?),
    };
    Ok(Side { shown, lockfile })
}

/// As in git: from the root, or with a dot from here.
fn in_tree(path: &str, repository: &Repository) -> Option<String> {
    match path.starts_with("./") || path.starts_with("../") {
        true => {
            let here = std::env::current_dir().ok()?;
            repository.path(&folder::normal(&here.join(path)))
        }
        false => Some(path.to_owned()),
    }
}

/// A lockfile that a revision holds. There is nothing to run there that would mend it.
pub(super) fn parsed(bytes: &[u8], shown: &str) -> Result<Lockfile, Vec<Problem>> {
    lock::parse_bytes(bytes, shown).map_err(|error| {
        let help = "take a revision whose lockfile is sound; its author mends it with mcp-pin pin or mcp-pin fmt";
        error.problems().into_iter().map(|problem| Problem { help: help.to_owned(), ..problem }).collect()
    })
}
