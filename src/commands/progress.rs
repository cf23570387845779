//! The line on a terminal that says whom we wait for and how long.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::text;

/// How many names are shown at most.
const NAMES: usize = 3;

/// Shows the servers that are being read; on anything but a terminal it shows nothing.
pub(super) struct Progress {
    line: Option<ProgressBar>,
    waiting: RefCell<BTreeSet<String>>,
}

impl Progress {
    /// Begins to show, if standard error is a terminal.
    pub(super) fn start() -> Self {
        let line = std::io::stderr().is_terminal().then(|| {
            let line = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("waiting for {msg} ({elapsed})") {
                line.set_style(style);
            }
            line.enable_steady_tick(Duration::from_millis(250));
            line
        });
        Self { line, waiting: RefCell::default() }
    }

    /// A server is being read.
    pub(super) fn begin(&self, name: &str) {
        self.waiting.borrow_mut().insert(name.to_owned());
        self.show();
    }

    /// A server was read, or failed.
    pub(super) fn end(&self, name: &str) {
        self.waiting.borrow_mut().remove(name);
        self.show();
    }

    fn show(&self) {
        let Some(line) = &self.line else { return };
        let waiting = self.waiting.borrow();
        let shown: Vec<String> = waiting.iter().take(NAMES).map(|name| text::identifier(name)).collect();
        if waiting.is_empty() {
            return line.set_message("the end of the run");
        }
        let more = waiting.len().saturating_sub(NAMES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        line.set_message(format!("{}{more}", shown.join(", ")));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(line) = &self.line {
            line.finish_and_clear();
        }
    }
}
