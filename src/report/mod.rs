//! What a run found out, as one value that every format renders and none computes.

use crate::exit::Outcome;
use crate::finding::{Finding, Level};
use crate::problem::Problem;

/// The result of one `pin`, `check` or `verify`.
#[derive(Clone, Debug)]
pub struct Report {
    /// Which command this is the result of, such as `check`.
    pub command: &'static str,
    /// The exit code that it comes to.
    pub outcome: Outcome,
    /// The lockfile's path as the user would type it.
    pub lockfile: String,
    /// Every selected server, sorted by name.
    pub servers: Vec<ServerReport>,
    /// What failed beside the servers: configurations, the lockfile.
    pub problems: Vec<Problem>,
    /// What to type next, reading before accepting; may be empty.
    pub next: Vec<String>,
}

/// What was found out about one server.
#[derive(Clone, Debug)]
pub struct ServerReport {
    /// Its name: foreign text.
    pub name: String,
    /// What it came to.
    pub state: State,
    /// What a reader must know before the findings, in our words with foreign text escaped.
    pub context: Vec<String>,
    /// Why it could not be checked.
    pub problem: Option<Problem>,
    /// How it differs from the lockfile, worst first.
    pub findings: Vec<Finding>,
    /// How many items its current listing has, if it was read.
    pub items: Option<usize>,
}

/// What one server came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It says what the lockfile holds.
    InSync,
    /// It differs.
    Drift,
    /// It could not be read to the end.
    NotChecked,
    /// It is disabled in its configuration.
    Skipped,
}

impl State {
    /// The state's word in every format.
    pub fn as_str(self) -> &'static str {
        match self {
            State::InSync => "in-sync",
            State::Drift => "drift",
            State::NotChecked => "not-checked",
            State::Skipped => "skipped",
        }
    }
}

/// How many servers and findings a report has of each sort.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Servers that are in sync.
    pub in_sync: usize,
    /// Servers that drifted.
    pub drift: usize,
    /// Servers that could not be checked.
    pub not_checked: usize,
    /// Servers that are disabled.
    pub skipped: usize,
    /// Findings of level danger.
    pub danger: usize,
    /// Findings of level change.
    pub change: usize,
    /// Findings of level notice.
    pub notice: usize,
    /// Items in the listings that were read.
    pub items: usize,
}

impl Report {
    /// The counts.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for server in &self.servers {
            match server.state {
                State::InSync => totals.in_sync += 1,
                State::Drift => totals.drift += 1,
                State::NotChecked => totals.not_checked += 1,
                State::Skipped => totals.skipped += 1,
            }
            totals.items += server.items.unwrap_or_default();
            for finding in &server.findings {
                match finding.level {
                    Level::Danger => totals.danger += 1,
                    Level::Change => totals.change += 1,
                    Level::Notice => totals.notice += 1,
                }
            }
        }
        totals
    }
}
