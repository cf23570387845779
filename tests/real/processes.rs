//! Which processes a run of mcp-pin started, and whether one is left.
//!
//! A process counts as started for a project when the project's folder is in its environment, which every run sets as
//! the home, in its command line, or is where it works. Reads `/proc`, so where there is none, no process is ever seen.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::common::Project;

/// How often processes are looked for.
const POLL: Duration = Duration::from_millis(20);

/// A process; its id may be given to another one once it is gone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Process {
    id: u32,
    /// When it was started, in ticks since the system was.
    started: u64,
    command: String,
}

/// Does some work, and makes sure that it starts a process whose command line names `program`, and leaves none.
#[track_caller]
pub(crate) fn expect_started_and_ended<T>(project: &Project, program: &Path, work: impl FnOnce() -> T) -> T {
    let (result, seen) = watched(project, work);
    if cfg!(target_os = "linux") {
        let program = program.to_string_lossy();
        assert!(
            seen.iter().any(|process| process.command.contains(&*program)),
            "{program} was never seen to run, only {seen:#?}"
        );
    }
    let left: Vec<_> = seen.iter().filter(|process| is_running(process)).collect();
    assert!(left.is_empty(), "still running: {left:#?}");
    expect_none(project);
    result
}

/// No process that was started for a project is running.
#[track_caller]
pub(crate) fn expect_none(project: &Project) {
    let left = of(&project.path(""));
    assert!(left.is_empty(), "still running: {left:#?}");
}

/// Does some work, and records the processes that run for a project meanwhile.
fn watched<T>(project: &Project, work: impl FnOnce() -> T) -> (T, BTreeSet<Process>) {
    let folder = project.path("");
    thread::scope(|scope| {
        // Dropped when the work ends in whatever way, which ends the watching.
        let (working, done) = mpsc::channel::<()>();
        let watcher = scope.spawn(move || {
            let mut seen = BTreeSet::new();
            while done.recv_timeout(POLL) == Err(RecvTimeoutError::Timeout) {
                seen.extend(of(&folder));
            }
            seen
        });
        let result = work();
        drop(working);
        (result, watcher.join().expect("watched"))
    })
}

/// The running processes that were started for a project.
fn of(folder: &Path) -> Vec<Process> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let ids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.filter_map(|id| process_of(id, folder)).collect()
}

/// The process with an id, if it was started for a project and hasn't ended meanwhile.
fn process_of(id: u32, folder: &Path) -> Option<Process> {
    let text = |name: &str| {
        let bytes = std::fs::read(format!("/proc/{id}/{name}")).unwrap_or_default();
        String::from_utf8_lossy(&bytes).replace('\0', " ")
    };
    let command = text("cmdline");
    let named = folder.to_string_lossy();
    let named = named.trim_end_matches('/');
    let works_there = || std::fs::read_link(format!("/proc/{id}/cwd")).is_ok_and(|place| place.starts_with(folder));
    let (runs, started) = state(id)?;
    let ours = runs && (command.contains(named) || text("environ").contains(named) || works_there());
    ours.then_some(Process { id, started, command })
}

/// Whether a process is still the one that was seen, and running.
fn is_running(process: &Process) -> bool {
    state(process.id) == Some((true, process.started))
}

/// Whether a process is more than a dead one that nobody asked after yet, and when it was started (proc(5), `stat`).
fn state(id: u32) -> Option<(bool, u64)> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The second field is a name in parentheses that may hold anything.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let runs = !matches!(fields.next()?, "Z" | "X");
    Some((runs, fields.nth(18)?.parse().ok()?))
}
