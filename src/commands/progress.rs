//! The lines on a terminal that say whom we wait for and how long, and what is told of times with `-v`.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::output;
use crate::cli::OutputArguments;
use crate::text;

/// How many servers have a line at most.
const LINES: usize = 8;

/// Whether it is told how long each server took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Times {
    /// On standard error, once it was read.
    Told,
    /// Not at all.
    Untold,
}

impl Times {
    /// What the arguments ask for.
    pub(super) fn of(arguments: &OutputArguments) -> Self {
        if arguments.verbose { Times::Told } else { Times::Untold }
    }
}

/// How the reading of a server ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// With what it says.
    Read,
    /// With a problem.
    Failed,
}

/// Shows the servers that are being read, a line for each; on anything but a terminal it shows none.
pub(super) struct Progress {
    screen: Option<Screen>,
    times: Times,
    begun: RefCell<BTreeMap<String, (Instant, Option<ProgressBar>)>>,
}

struct Screen {
    lines: MultiProgress,
    style: ProgressStyle,
}

impl Progress {
    /// Begins to show, if standard error is a terminal.
    pub(super) fn start(times: Times) -> Self {
        let style = ProgressStyle::with_template("waiting for {msg} ({elapsed})").ok();
        let style = style.filter(|_| std::io::stderr().is_terminal());
        let screen =
            style.map(|style| Screen { lines: MultiProgress::with_draw_target(ProgressDrawTarget::stderr()), style });
        Self { screen, times, begun: RefCell::default() }
    }

    /// A server is being read.
    pub(super) fn begin(&self, name: &str) {
        let mut begun = self.begun.borrow_mut();
        let shown = begun.values().filter(|(_, line)| line.is_some()).count();
        let line = self.screen.as_ref().filter(|_| shown < LINES).map(|screen| {
            let line = screen.lines.add(ProgressBar::new_spinner());
            line.set_style(screen.style.clone());
            line.set_message(text::identifier(name));
            line.enable_steady_tick(Duration::from_millis(250));
            line
        });
        begun.insert(name.to_owned(), (Instant::now(), line));
    }

    /// A server was read, or failed.
    pub(super) fn end(&self, name: &str, end: End) {
        let Some((begun, line)) = self.begun.borrow_mut().remove(name) else { return };
        if let (Some(line), Some(screen)) = (line, &self.screen) {
            line.finish_and_clear();
            screen.lines.remove(&line);
        }
        if self.times == Times::Told {
            let told = took(name, end, begun.elapsed());
            match &self.screen {
                Some(screen) => screen.lines.suspend(|| output::message(&told)),
                None => output::message(&told),
            }
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(screen) = &self.screen {
            let _ = screen.lines.clear();
        }
    }
}

fn took(name: &str, end: End, time: Duration) -> String {
    let end = match end {
        End::Read => "was read in",
        End::Failed => "failed after",
    };
    format!("`{}` {end} {:.2} s\n", text::identifier(name), time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_line_whatever_the_name() {
        assert_eq!(took("crm", End::Read, Duration::from_millis(1234)), "`crm` was read in 1.23 s\n");
        assert_eq!(took("a\nb\u{1b}", End::Failed, Duration::from_secs(60)).lines().count(), 1);
    }
}
