//! One run of git: with an environment of its own, a limit and a clock.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::STEP;
use crate::problem::Problem;

/// How long one run may take.
const TIME: Duration = Duration::from_secs(60);
/// The most bytes of an answer that names objects.
const MOST: u64 = 256 << 20;
/// The most bytes of a complaint.
const MOST_COMPLAINT: u64 = 8 << 10;

/// Variables of ours that git gets: where programs, and the user's own configuration, are.
const PASSED: [&str; 12] = [
    "HOME",
    "XDG_CONFIG_HOME",
    "USERPROFILE",
    "HOMEDRIVE",
    "HOMEPATH",
    "APPDATA",
    "PROGRAMDATA",
    "SYSTEMROOT",
    "TMPDIR",
    "TMP",
    "TEMP",
    "USER",
];

/// What stands before every command: nothing that a repository's configuration names is run.
#[rustfmt::skip]
const GUARDS: [&str; 16] = [
    "--no-pager", "--no-replace-objects", "--no-optional-locks", "--literal-pathspecs",
    "-c", "core.fsmonitor=false",
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.untrackedCache=false",
    "-c", "core.alternateRefsCommand=",
    "-c", "protocol.allow=never",
    "-c", "credential.helper=",
];

/// What git gave.
pub(super) struct Output {
    succeeded: bool,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl Output {
    /// Standard output, or what git complained of.
    pub(super) fn success(&self) -> Result<&[u8], String> {
        match self.succeeded {
            true => Ok(&self.stdout),
            false => Err(String::from_utf8_lossy(&self.stderr).trim().to_owned()),
        }
    }
}

/// Runs git in a folder, with these bytes as its standard input.
pub(super) fn git(folder: &Path, words: &[&str], input: &[u8]) -> Result<Output, Problem> {
    git_within(folder, words, input, MOST)
}

/// The same with a limit of its own: at most one byte more is given.
pub(super) fn git_within(folder: &Path, words: &[&str], input: &[u8], most: u64) -> Result<Output, Problem> {
    let (program, path) = program()
        .ok_or_else(|| Problem::new(STEP, "git isn't installed, or not in a folder of PATH", "install git"))?;
    let mut command = Command::new(program);
    command.args(GUARDS).args(words).current_dir(folder);
    command.env_clear();
    for name in PASSED {
        command.envs(std::env::var_os(name).map(|value| (name, value)));
    }
    command.env("PATH", path).env("LC_ALL", "C").env("GIT_TERMINAL_PROMPT", "0");
    command.env("GIT_NO_LAZY_FETCH", "1").env("GIT_OPTIONAL_LOCKS", "0").env("GIT_NO_REPLACE_OBJECTS", "1");
    // Not a repository further up, should the one here turn out to be none.
    command.envs(folder.parent().map(|parent| ("GIT_CEILING_DIRECTORIES", parent)));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| failed(&error.to_string()))?;
    let answer = answer(&mut child, input.to_vec(), most);
    if answer.is_err() {
        let _ = child.kill();
    }
    let _ = child.wait();
    answer
}

fn answer(child: &mut Child, input: Vec<u8>, most: u64) -> Result<Output, Problem> {
    let slow = || Problem::new(STEP, format!("git took more than {} s", TIME.as_secs()), "run the command again");
    let deadline = Instant::now() + TIME;
    let (Some(mut stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(failed("no pipes"));
    };
    std::thread::spawn(move || {
        // Git may end before it has read all.
        let _ = stdin.write_all(&input);
    });
    let stdout = read(stdout, most.saturating_add(1));
    let stderr = read(stderr, MOST_COMPLAINT);
    let left = || deadline.saturating_duration_since(Instant::now());
    let stdout = stdout.recv_timeout(left()).map_err(|_| slow())?.map_err(|error| failed(&error.to_string()))?;
    if stdout.len() as u64 > most {
        // Git would wait for somebody to read the rest.
        let _ = child.kill();
        return Ok(Output { succeeded: true, stdout, stderr: Vec::new() });
    }
    let stderr = stderr.recv_timeout(left()).map_err(|_| slow())?.unwrap_or_default();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(Output { succeeded: status.success(), stdout, stderr }),
            Ok(None) if left().is_zero() => return Err(slow()),
            Ok(None) => std::thread::sleep(Duration::from_millis(2)),
            Err(error) => return Err(failed(&error.to_string())),
        }
    }
}

/// Reads a pipe to its end, or to the limit, beside what else happens.
fn read(pipe: impl Read + Send + 'static, most: u64) -> mpsc::Receiver<std::io::Result<Vec<u8>>> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let result = pipe.take(most).read_to_end(&mut bytes).map(|_| bytes);
        let _ = sender.send(result);
    });
    receiver
}

/// Git, and the search path that it gets: ours without the folders that count from where a process starts, for a
/// repository could hold a `git` there. An empty folder is such a one too, so the path is never empty.
fn program() -> Option<(PathBuf, OsString)> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect();
    let name = format!("git{}", std::env::consts::EXE_SUFFIX);
    let program = folders.iter().map(|folder| folder.join(&name)).find(|file| file.is_file())?;
    Some((program, std::env::join_paths(folders).ok()?))
}

/// A problem in git's words.
pub(super) fn failed(complaint: &str) -> Problem {
    let cause = if complaint.is_empty() { "git failed without a word".to_owned() } else { format!("git: {complaint}") };
    Problem::new(STEP, cause, "see what `git status` says here, then run the command again")
}
