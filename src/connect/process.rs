//! A server's process: started as a group of its own, and ended with all that it started.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use super::watchdog::Watchdog;
use process_wrap::tokio::{ChildWrapper, CommandWrap};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::time::{sleep, timeout};

/// How long a server may take to end by itself, and again after it was asked to.
const GRACE: Duration = Duration::from_secs(2);
/// How often we look whether a group is empty.
const POLL: Duration = Duration::from_millis(10);

/// A running server. Dropped before [`ServerProcess::end`], it is killed at once with its whole group.
pub(super) struct ServerProcess {
    child: Box<dyn ChildWrapper>,
    group: Group,
    /// Whether anything may be left to kill: the number of an empty group may be another's by now.
    left: Left,
    _watched: Watched,
}

/// What a process has left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    Maybe,
    Nothing,
}

/// A group that the watchdog knows, until this is dropped.
struct Watched {
    group: Option<u32>,
    watchdog: Arc<Watchdog>,
}

impl Watched {
    fn new(group: Option<u32>, watchdog: &Arc<Watchdog>) -> Self {
        if let Some(group) = group {
            watchdog.watch(group);
        }
        Self { group, watchdog: Arc::clone(watchdog) }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        if let Some(group) = self.group {
            self.watchdog.forget(group);
        }
    }
}

/// The three pipes of a new process.
pub(super) struct Pipes {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
}

impl ServerProcess {
    /// Starts a program in a folder with exactly this environment.
    ///
    /// # Errors
    /// When the operating system can't start it.
    pub(super) fn start(
        program: &OsString,
        args: &[String],
        environment: &BTreeMap<OsString, OsString>,
        folder: &Path,
        watchdog: &Arc<Watchdog>,
    ) -> std::io::Result<(Self, Pipes)> {
        let mut command = CommandWrap::with_new(program, |command| {
            command.args(args).env_clear().envs(environment).current_dir(folder);
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        });
        #[cfg(unix)]
        // A session of its own is a group of its own, and has no terminal on which it could talk to whoever reviews it.
        command.wrap(process_wrap::tokio::ProcessSession);
        #[cfg(windows)]
        command.wrap(process_wrap::tokio::JobObject);
        let mut child = command.spawn()?;
        let group = Group::led_by(child.id());
        let watched = Watched::new(child.id(), watchdog);
        let pipes = (child.stdin().take(), child.stdout().take(), child.stderr().take());
        let process = Self { child, group, left: Left::Maybe, _watched: watched };
        match pipes {
            (Some(stdin), Some(stdout), Some(stderr)) => Ok((process, Pipes { stdin, stdout, stderr })),
            _ => Err(std::io::Error::other("the process has no pipes")),
        }
    }

    /// Waits for the process' end; its descendants may go on.
    pub(super) async fn ended(&mut self) -> Option<ExitStatus> {
        // The group's own `wait` would wait for descendants that never end.
        self.child.inner_mut().wait().await.ok()
    }

    /// How the process ended, if it does within that time. Its descendants may go on.
    pub(super) async fn ended_within(&mut self, time: Duration) -> Option<ExitStatus> {
        timeout(time, self.ended()).await.ok()?
    }

    /// Ends the process after its standard input was closed: it may end by itself, then it is asked to, then the whole
    /// group is killed. Returns how it ended.
    pub(super) async fn end(mut self) -> Option<ExitStatus> {
        let mut status = self.ended_within(GRACE).await;
        if status.is_none() {
            self.group.ask_to_end();
            status = self.ended_within(GRACE).await;
            self.group.kill();
            if status.is_none() {
                status = self.ended_within(GRACE).await;
            }
        }
        self.end_descendants().await;
        if status.is_some() && self.group.is_empty() {
            self.left = Left::Nothing;
        }
        status
    }

    /// Ends what the process has left behind in its group.
    async fn end_descendants(&mut self) {
        if self.group.is_empty() {
            return;
        }
        self.group.ask_to_end();
        let waited = timeout(GRACE, async {
            while !self.group.is_empty() {
                sleep(POLL).await;
            }
        });
        if waited.await.is_err() {
            self.group.kill();
            let _ = timeout(GRACE, async {
                while !self.group.is_empty() {
                    sleep(POLL).await;
                }
            })
            .await;
        }
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        if self.left == Left::Maybe {
            self.group.kill();
            // On Windows the job object's handle ends the rest.
            let _ = self.child.start_kill();
        }
    }
}

#[cfg(unix)]
mod unix {
    use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, test_kill_process_group, waitpgid};

    /// A process group, known by its leader.
    pub(super) struct Group(Option<Pid>);

    impl Group {
        pub(super) fn led_by(leader: Option<u32>) -> Self {
            Self(leader.and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)))
        }

        pub(super) fn ask_to_end(&self) {
            self.signal(Signal::TERM);
        }

        pub(super) fn kill(&self) {
            self.signal(Signal::KILL);
        }

        fn signal(&self, signal: Signal) {
            if let Some(leader) = self.0 {
                // An empty group can't be signalled, and that is what we want.
                let _ = kill_process_group(leader, signal);
            }
        }

        /// Whether no process is left; the dead among those that were handed to us are reaped.
        pub(super) fn is_empty(&self) -> bool {
            let Some(leader) = self.0 else { return true };
            while let Ok(Some(_)) = waitpgid(leader, WaitOptions::NOHANG) {}
            test_kill_process_group(leader).is_err()
        }
    }
}

#[cfg(not(unix))]
mod elsewhere {
    /// On Windows the job object is the group, and it ends with its handle.
    pub(super) struct Group;

    impl Group {
        pub(super) fn led_by(_leader: Option<u32>) -> Self {
            Self
        }

        pub(super) fn ask_to_end(&self) {}

        pub(super) fn kill(&self) {}

        pub(super) fn is_empty(&self) -> bool {
            true
        }
    }
}

#[cfg(not(unix))]
use elsewhere::Group;
#[cfg(unix)]
use unix::Group;

/// Kills all processes of a group.
pub(super) fn kill_group(leader: u32) {
    Group::led_by(Some(leader)).kill();
}

/// Makes the orphans of our servers our children (Linux), and ends whatever of them is left when it is dropped: also a
/// process that left its group with `setsid`. Other systems have no such thing.
pub struct Descendants(());

impl Descendants {
    /// Takes charge of orphans from now on.
    pub fn adopt() -> Self {
        #[cfg(target_os = "linux")]
        {
            // Where the kernel refuses, orphans go to init and only groups are ended.
            let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
        }
        Self(())
    }
}

impl Drop for Descendants {
    fn drop(&mut self) {
        end_descendants();
    }
}

/// Ends all processes that servers have left behind (Linux), be it outside of their groups, once none is read any more.
pub fn end_descendants() {
    #[cfg(target_os = "linux")]
    linux::end_children();
}

#[cfg(target_os = "linux")]
mod linux {
    use std::time::Duration;

    use rustix::process::{Pid, Signal, WaitOptions, kill_process, wait};

    /// Kills and reaps our children until none is left: the children of a killed child become ours.
    pub(super) fn end_children() {
        // A process in an uninterruptible wait can't be killed; it must not keep us.
        for _ in 0..200 {
            match wait(WaitOptions::NOHANG) {
                // A dead child is reaped; there may be more.
                Ok(Some(_)) => continue,
                Ok(None) => {}
                Err(_) => return,
            }
            for child in children() {
                let _ = kill_process(child, Signal::KILL);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Our children, by the fourth field of each process' `stat` (proc(5)).
    fn children() -> Vec<Pid> {
        let ours = rustix::process::getpid().as_raw_nonzero().get();
        let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
        processes
            .flatten()
            .filter_map(|entry| {
                let id: i32 = entry.file_name().to_str()?.parse().ok()?;
                let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
                // The second field is a name in parentheses that may hold anything.
                let parent: i32 = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
                (parent == ours).then(|| Pid::from_raw(id)).flatten()
            })
            .collect()
    }
}
