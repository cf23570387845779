//! Ends our servers when we can't: a process beside ours that outlives us only for that.
//!
//! A killed process cleans up nothing. The watchdog holds the other end of a pipe of ours, learns which process groups
//! we started, and kills those that are left when the pipe closes. It is started with the first server, while that one
//! is busy starting itself.

use std::collections::BTreeSet;
use std::io::{self, BufRead, Write};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// The word that makes the binary a watchdog.
const ROLE: &str = "watchdog";

/// Watches over the process groups of one run. Dropped, it ends and leaves them alone.
#[derive(Default)]
pub struct Watchdog {
    process: Mutex<Option<Child>>,
}

impl Watchdog {
    /// From now on this group must not outlive us.
    pub(super) fn watch(&self, group: u32) {
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        // Without a watchdog everything works but for a killed run, so nothing is said if it can't start.
        if process.is_none() {
            *process = start().ok();
        }
        tell(process.as_mut(), &format!("+{group}\n"));
    }

    /// This group has ended; its number may be another's by now.
    pub(super) fn forget(&self, group: u32) {
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        tell(process.as_mut(), &format!("-{group}\n"));
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        let process = self.process.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(mut process) = process.take() {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

fn start() -> io::Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(ROLE).env_clear().stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    // A signal to our group must not take the watchdog along.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn()
}

fn tell(process: Option<&mut Child>, line: &str) {
    if let Some(stdin) = process.and_then(|process| process.stdin.as_mut()) {
        let _ = stdin.write_all(line.as_bytes());
    }
}

/// Runs as the watchdog: reads groups until standard input ends, then kills those that are left.
pub fn run() {
    let mut groups = BTreeSet::new();
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        match line.split_at_checked(1) {
            Some(("+", group)) => groups.insert(group.to_owned()),
            Some(("-", group)) => groups.remove(group),
            _ => false,
        };
    }
    for group in groups.iter().filter_map(|group| group.parse().ok()) {
        super::process::kill_group(group);
    }
}
