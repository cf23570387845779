//! Runs of the binary on a terminal of their own: what they ask there, and what a person types.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};

use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::Winsize;

use crate::common::{Run, eventually};

/// A run whose standard input and standard error are a terminal.
pub(crate) struct Terminal {
    child: Child,
    keyboard: File,
    screen: Arc<Mutex<String>>,
    reader: std::thread::JoinHandle<()>,
    /// How much of the screen was waited for.
    seen: usize,
}

/// What a run on a terminal came to.
pub(crate) struct Finished {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    /// All that the terminal was shown, and what was typed.
    pub(crate) shown: String,
}

impl Terminal {
    pub(crate) fn run(run: &Run<'_>) -> Self {
        let (ours, theirs) = open();
        let stdin = theirs.try_clone().expect("cloned");
        let mut command = run.command();
        command.env("TERM", "xterm").env("NO_COLOR", "1").stdin(stdin).stderr(theirs).stdout(Stdio::piped());
        let child = command.spawn().expect("started");
        // Else our copy of the terminal's other side would keep it open.
        drop(command);
        let keyboard = ours.try_clone().expect("cloned");
        let screen = Arc::new(Mutex::new(String::new()));
        let (mut terminal, shared) = (ours, Arc::clone(&screen));
        let reader = std::thread::spawn(move || {
            let mut part = [0; 4096];
            // Once nobody holds the other side, Linux answers with an error.
            while let Ok(read @ 1..) = terminal.read(&mut part) {
                shared.lock().expect("not poisoned").push_str(&String::from_utf8_lossy(&part[..read]));
            }
        });
        Self { child, keyboard, screen, reader, seen: 0 }
    }

    /// Waits until the terminal shows this after what was waited for before.
    pub(crate) fn until(&mut self, text: &str) -> &mut Self {
        let find = |terminal: &Self| {
            let screen = terminal.screen.lock().expect("not poisoned");
            screen[terminal.seen..].find(text).map(|at| terminal.seen + at + text.len())
        };
        eventually(&format!("the terminal shows {text:?}"), || find(self).is_some());
        self.seen = find(self).unwrap_or_default();
        self
    }

    /// Types a line.
    pub(crate) fn say(&mut self, line: &str) -> &mut Self {
        self.keyboard.write_all(format!("{line}\n").as_bytes()).expect("typed");
        self
    }

    /// Presses the keys that end the input.
    pub(crate) fn end_input(&mut self) -> &mut Self {
        self.keyboard.write_all(&[4]).expect("typed");
        self
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let id = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).expect("a process");
        rustix::process::kill_process(id, signal).expect("sent");
    }

    /// Waits for its end.
    pub(crate) fn finish(mut self) -> Finished {
        let mut stdout = String::new();
        self.child.stdout.take().expect("a pipe").read_to_string(&mut stdout).expect("UTF-8");
        let status = self.child.wait().expect("ended").code().unwrap_or(-1);
        self.reader.join().expect("read to its end");
        let shown = self.screen.lock().expect("not poisoned").clone();
        Finished { status, stdout, shown }
    }
}

fn open() -> (File, OwnedFd) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&ours).expect("granted");
    unlockpt(&ours).expect("unlocked");
    let name = ptsname(&ours, Vec::new()).expect("a name");
    let theirs = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("opened");
    let size = Winsize { ws_row: 30, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };
    rustix::termios::tcsetwinsize(&theirs, size).expect("a size");
    (File::from(ours), theirs)
}
