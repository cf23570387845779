//! What a run found out, as one value that every format renders and none computes.
//!
//! [`human`] is for a person's screen or log, [`json`] for programs, [`sarif`] for code scanning, [`github`] for the
//! annotations of a workflow, [`junit`] for test reports and [`markdown`] for a comment on a pull request. This stage may
//! know the leaves and what a finding is; it knows nothing of servers, files or how a difference is found. All text of a
//! server is hostile here: it leaves through `crate::text`, as escaped JSON or as XML that a crate writes.

mod cut;
pub mod definitions;
mod difference;
pub mod github;
mod group;
pub mod human;
pub mod json;
pub mod junit;
pub mod markdown;
mod marked;
mod notice;
mod plain;
mod record;
pub mod sarif;
mod sarif_model;
mod spelling;
mod style;
mod summary;
mod value;

#[cfg(test)]
mod arbitrary;
#[cfg(test)]
mod human_tests;
#[cfg(test)]
mod json_tests;
#[cfg(test)]
mod markdown_tests;
#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod sarif_tests;

use std::collections::BTreeSet;

use crate::exit::Outcome;
use crate::finding::{Finding, ItemName, Level, Softened, rule};
use crate::invocation;
use crate::problem::Problem;
use crate::surface::{Counts, Digest};
use crate::text;

pub use record::{Base, Contact, Record};

/// The step of the one problem that says nothing of what was found out: a report that could not be written to a file.
pub const WRITING: &str = "writing the report";

/// The result of one `pin`, `check`, `verify` or `inspect`.
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
    /// What should be corrected although nothing fails, in our words with foreign text escaped.
    pub warnings: Vec<String>,
    /// What was done, in a pin: `wrote mcp-tools.lock`.
    pub done: Option<String>,
    /// What to type next, reading before accepting; may be empty.
    pub next: Vec<String>,
    /// What an auditor asks of the run beside its result.
    pub record: Record,
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
    /// What of its differences a policy softened.
    pub softened: Vec<Softened>,
    /// How many items it has now, if it was read.
    pub items: Option<Counts>,
    /// What to type to approve what it says now, if that is possible; a shell reads it.
    pub accept: Option<String>,
    /// The digest of the surface that the findings are about, if it was read.
    pub surface: Option<Digest>,
    /// The names of the items that it has now, or in a `verify` of those that are pinned.
    pub names: Vec<ItemName>,
    /// Whether it was started or contacted.
    pub contact: Contact,
    /// The line of its block in the lockfile, from 1, if it has one.
    pub line: Option<usize>,
}

impl ServerReport {
    /// A server about which there is nothing to say yet.
    pub fn new(name: &str, state: State) -> Self {
        Self {
            name: name.to_owned(),
            state,
            context: Vec::new(),
            problem: None,
            findings: Vec::new(),
            softened: Vec::new(),
            items: None,
            accept: None,
            surface: None,
            names: Vec::new(),
            contact: Contact::default(),
            line: None,
        }
    }
}

/// What one server came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It says what the lockfile holds.
    InSync,
    /// It differs.
    Drift,
    /// The lockfile doesn't hold it yet: only in the report of a pin.
    New,
    /// It was read and is compared with nothing: only in the report of an inspection.
    Read,
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
            State::New => "new",
            State::Read => "read",
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
    /// Servers that the lockfile doesn't hold yet.
    pub new: usize,
    /// Servers that were read and compared with nothing.
    pub read: usize,
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
    /// Findings that a policy softened.
    pub softened: usize,
    /// Items in the listings that were read.
    pub items: usize,
}

impl Report {
    /// A report of servers, sorted by name, and of what failed beside them.
    pub fn new(command: &'static str, lockfile: String, servers: Vec<ServerReport>, problems: Vec<Problem>) -> Self {
        let of_servers = servers.iter().map(|server| match server.state {
            State::InSync | State::New | State::Read | State::Skipped => Outcome::InSync,
            State::Drift => Outcome::Drift,
            State::NotChecked => Outcome::NotChecked,
        });
        let of_problems = if problems.is_empty() { Outcome::InSync } else { Outcome::NotChecked };
        let outcome = of_servers.fold(of_problems, Outcome::and);
        let (warnings, next, record) = (Vec::new(), Vec::new(), Record::default());
        let mut report = Self { command, outcome, lockfile, servers, problems, warnings, done: None, next, record };
        report.next = report.next_commands();
        report
    }

    /// A report of a run that came to no server.
    pub fn failed(command: &'static str, lockfile: String, problems: Vec<Problem>) -> Self {
        let outcome = Outcome::NotChecked;
        let (servers, warnings, next) = (Vec::new(), Vec::new(), Vec::new());
        let record = Record::default();
        Self { command, outcome, lockfile, servers, problems, warnings, done: None, next, record }
    }

    /// The same with what an auditor asks.
    #[must_use]
    pub fn recording(self, record: Record) -> Self {
        Self { record, ..self }
    }

    /// The same with something that failed after all else was found out: it can't make a drift less.
    #[must_use]
    pub fn with_problem(mut self, problem: Problem) -> Self {
        self.problems.push(problem);
        self.outcome = self.outcome.and(Outcome::NotChecked);
        self
    }

    /// Whether all was compared and yet something failed that concerns it all, such as a lockfile that changed meanwhile.
    fn counts_for_nothing(&self) -> bool {
        let totals = self.totals();
        self.outcome == Outcome::NotChecked
            && self.command != "pin"
            && totals.in_sync > 0
            && totals.not_checked == 0
            && self.problems.iter().any(|problem| problem.step != WRITING)
    }

    /// Whether nothing failed but that not all reports could be written to their files.
    fn is_only_unwritten(&self) -> bool {
        self.outcome == Outcome::NotChecked
            && self.totals().not_checked == 0
            && !self.problems.is_empty()
            && self.problems.iter().all(|problem| problem.step == WRITING)
    }

    /// What to type after a drift: read, then accept.
    fn next_commands(&self) -> Vec<String> {
        if self.outcome != Outcome::Drift || self.command == "pin" {
            return Vec::new();
        }
        let mcp_pin = invocation::words("mcp-pin");
        let drifted = self.servers.iter().filter(|server| server.state == State::Drift);
        let removed =
            |server: &&ServerReport| server.findings.iter().any(|finding| finding.rule == &rule::SERVER_REMOVED);
        let (gone, changed): (Vec<_>, Vec<_>) = drifted.partition(removed);
        let mut next = match self.lockfile.as_str() {
            "-" => vec!["read what differs above, and pin where the lockfile is kept".to_owned()],
            lockfile => {
                let lockfile = text::shell_word(lockfile);
                let git = invocation::words("git");
                vec![format!("read what differs above; {git} log -p {lockfile} shows what was approved before")]
            }
        };
        if !changed.is_empty() {
            let accept = changed.iter().filter_map(|server| server.accept.as_ref());
            let commands = accept.map(|command| format!("only if all of it is meant: {command}"));
            next.extend(commands);
            // A pin is of a whole server; more than one part of it can be decided one by one.
            let parts = |server: &&ServerReport| -> usize {
                let failing = server.findings.iter().filter(|finding| finding.level.fails());
                failing.map(|finding| &finding.item).collect::<BTreeSet<_>>().len()
            };
            if self.command == "check" && changed.iter().any(|server| server.accept.is_some() && parts(server) > 1) {
                next.push(format!("if only some of it is meant: {mcp_pin} review asks part by part"));
            }
        }
        if !gone.is_empty() {
            next.push(format!("only if a server is gone for good: {mcp_pin} pin --prune"));
        }
        next
    }

    /// The counts.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for server in &self.servers {
            match server.state {
                State::InSync => totals.in_sync += 1,
                State::Drift => totals.drift += 1,
                State::New => totals.new += 1,
                State::Read => totals.read += 1,
                State::NotChecked => totals.not_checked += 1,
                State::Skipped => totals.skipped += 1,
            }
            totals.items += server.items.as_ref().map_or(0, Counts::total);
            totals.softened += server.softened.len();
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
