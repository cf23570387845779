//! `mcp-pin review`: shows what differs, part by part, and writes what a person accepts of exactly that reading.

mod decisions;
mod dialogue;
mod subject;

use std::fmt;
use std::path::Path;

use super::judge;
use super::output;
use super::parts;
use super::policing::Policing;
use super::progress::Times;
use super::reading;
use super::record;
use super::selection::Selection;
use super::standing::{self, Standing};
use super::workspace::{Workspace, both};
use crate::cli::ReviewArguments;
use crate::exit::Outcome;
use crate::finding::Finding;
use crate::invocation;
use crate::launch::Protected;
use crate::lock::store::{self, Seen};
use crate::lock::{self, Lockfile};
use crate::problem::Problem;
use crate::report::{Report, ServerReport, human};
use crate::text;
use decisions::Decision;
use subject::{Difference, Planned, Subject};

/// Runs the command.
pub(super) fn run(arguments: &ReviewArguments) -> Outcome {
    let report = match Workspace::open(&arguments.project) {
        Ok(workspace) => reviewed(arguments, &workspace),
        Err(problems) => Report::failed(COMMAND, String::new(), problems),
    };
    report.outcome.and(output::report(&report, &arguments.output))
}

const COMMAND: &str = "review";

fn reviewed(arguments: &ReviewArguments, workspace: &Workspace) -> Report {
    let review = match Review::read(arguments, workspace) {
        Ok(review) => review,
        Err(problems) => {
            let record = record::of(workspace, None);
            return Report::failed(COMMAND, workspace.lockfile.shown(), problems).recording(record);
        }
    };
    if review.subjects.iter().all(|subject| subject.failing().is_empty()) {
        return review.unchanged();
    }
    if !dialogue::has_terminal() {
        return review.commands();
    }
    let (values, detail) = (human::Values::Full, human::Detail::Normal);
    let style = human::Style { values, detail, ..output::style_of_messages(&arguments.output) };
    let show = |server: &str, difference: &Difference<'_>| {
        human::differences(server, &difference.findings, &difference.softened, &style)
    };
    let accept =
        |subject: &Subject, wanted: &lock::Accepted| subject.accepted(wanted, &review.lockfile, &review.policing);
    match decisions::decide(&review.subjects, show, accept) {
        Some(decisions) => review.write(decisions),
        None => {
            let help = "run the command again; q ends it and writes what was accepted";
            review.failed(Problem::new("asking", "the review was broken off", help))
        }
    }
}

/// A review for which everything is read.
struct Review<'a> {
    arguments: &'a ReviewArguments,
    workspace: &'a Workspace,
    path: &'a Path,
    lockfile: Lockfile,
    seen: Seen,
    policing: Policing,
    warnings: Vec<String>,
    /// The servers that were read.
    subjects: Vec<Subject>,
    /// The servers of which nothing can be accepted here.
    others: Vec<ServerReport>,
}

impl<'a> Review<'a> {
    /// Reads the servers whose launches are approved.
    fn read(arguments: &'a ReviewArguments, workspace: &'a Workspace) -> Result<Self, Vec<Problem>> {
        let one = |problem| vec![problem];
        let path = workspace.writable().map_err(one)?;
        let selection = Selection::of(&arguments.read, &workspace.folder).map_err(one)?;
        let opened = both(both(workspace.load(), workspace.servers()), Policing::of(workspace));
        let (((lockfile, seen), configured), policing) = opened?;
        if let Some(problem) = workspace.missing_configuration(&selection, &lockfile) {
            return Err(vec![problem]);
        }
        let selected = selection.apply(configured.clone(), &lockfile)?;
        let mut others = standing::only_in_lockfile(&lockfile, &configured, &selection);
        let (mut planned, mut jobs) = (Vec::new(), Vec::new());
        for server in &selected {
            match standing::of(server, &lockfile, &selection) {
                Standing::Decided(report) => others.push(*report),
                Standing::Approved(locked) => match Planned::new(server, locked, &lockfile, &policing, arguments) {
                    Ok((one, job)) => {
                        planned.push(one);
                        jobs.push(job);
                    }
                    Err(problem) => others.push(judge::not_checked(&server.name, problem)),
                },
            }
        }
        policing.require(&mut others, &configured, &selection);
        let mut warnings = policing.warnings(&lockfile, &configured, &selection);
        let results = reading::read_all(jobs, &arguments.read, Times::of(&arguments.output)).map_err(one)?;
        let mut subjects = Vec::new();
        for (planned, result) in planned.into_iter().zip(results) {
            match planned.judged(result, &policing, arguments, &mut warnings) {
                Ok(subject) => subjects.push(subject),
                Err(report) => others.push(*report),
            }
        }
        let mut protected = Protected::default();
        subjects.iter().for_each(|subject| protected.extend(&subject.protected));
        let reports = subjects.iter_mut().map(|Subject { report, reading, .. }| (report, &reading.surface));
        judge::add_collisions(reports.collect(), &lockfile, &protected);
        for subject in &mut subjects {
            subject.report = policing.effects(subject.report.clone());
        }
        let by_hand = selected.iter().find(|server| server.config.is_none()).map(|server| &server.launch);
        let others = others.into_iter().map(|report| {
            let as_read = reading::words(&report.name, &arguments.read);
            let report = policing.effects(report);
            let accept = judge::acceptance(&report, &arguments.project, &as_read, by_hand);
            ServerReport { accept, ..report }
        });
        let others = others.collect();
        Ok(Self { arguments, workspace, path, lockfile, seen, policing, warnings, subjects, others })
    }

    /// The report with these servers beside those of which nothing can be accepted here.
    fn report(&self, subjects: Vec<ServerReport>, problems: Vec<Problem>, done: String) -> Report {
        let mut servers: Vec<ServerReport> = self.others.iter().cloned().chain(subjects).collect();
        servers.sort_by(|a, b| a.name.cmp(&b.name));
        record::tell_why_not_started(&mut servers, "nothing was started");
        let (lockfile, seen) = self.workspace.load_or_new().unwrap_or_default();
        record::point(&mut servers, &lockfile);
        let report = Report::new(COMMAND, self.workspace.lockfile.shown(), servers, problems);
        let warnings = self.warnings.clone();
        Report { done: Some(done), warnings, ..report }.recording(record::of(self.workspace, seen.as_ref()))
    }

    /// The report of a review in which there was nothing to ask.
    fn unchanged(&self) -> Report {
        self.report(self.as_read(), Vec::new(), format!("{} is unchanged", self.workspace.lockfile.shown()))
    }

    /// The report of a review that failed: what was found out is no answer to what was asked.
    fn failed(&self, problem: Problem) -> Report {
        let report = self.report(self.as_read(), vec![problem], "nothing was written".to_owned());
        Report { outcome: Outcome::NotChecked, next: Vec::new(), ..report }
    }

    fn as_read(&self) -> Vec<ServerReport> {
        self.subjects.iter().map(|subject| subject.report.clone()).collect()
    }

    /// The report where nobody can be asked: it has the commands that accept each part.
    fn commands(&self) -> Report {
        let commands = self.subjects.iter().flat_map(|subject| {
            subject.failing().into_iter().map(|difference| {
                let Subject { report, as_read, by_hand, .. } = subject;
                let project = &self.arguments.project;
                judge::pin_command(report, &[parts::option(&difference.part)], project, as_read, by_hand.as_ref())
            })
        });
        let next = commands.map(|command| format!("only if it is meant: {command}")).collect();
        let help = "run it on a terminal, or type the command of each part that is meant";
        Report { next, ..self.failed(Problem::new("asking", "there is no terminal to ask on", help)) }
    }

    /// Writes what was accepted, unless somebody else wrote meanwhile.
    fn write(&self, decisions: Vec<Decision>) -> Report {
        let mut lockfile = self.lockfile.clone();
        let mut tally = Tally::default();
        let mut reports = Vec::new();
        for (subject, decision) in self.subjects.iter().zip(decisions) {
            tally.add(subject, &decision);
            reports.push(decided(subject, &decision));
            if let Some(pin) = decision.pin {
                lockfile.servers.insert(subject.report.name.clone(), pin);
            }
        }
        let shown = self.workspace.lockfile.shown();
        let mut next = Vec::new();
        let done = if tally.accepted > 0 {
            if let Err(problem) = store::save(self.path, &lock::to_text(&lockfile), Some(&self.seen)) {
                return self.failed(problem);
            }
            next.push(format!(
                "review it ({} diff {}), then commit it",
                invocation::words("git"),
                text::shell_word(&shown)
            ));
            format!("{tally}; wrote {shown}")
        } else {
            format!("{tally}; {shown} is unchanged")
        };
        if tally.rejected > 0 {
            next.push(
                "ask the server's author about what was rejected, or run the release that was approved".to_owned(),
            );
        }
        let whole = self.others.iter().filter_map(|report| report.accept.as_ref());
        next.extend(whole.map(|command| format!("only if all of it is meant: {command}")));
        if tally.left > 0 {
            next.push("run the command again for what was left".to_owned());
        }
        Report { next, ..self.report(reports, Vec::new(), done) }
    }
}

/// How many parts were decided how.
#[derive(Default)]
struct Tally {
    accepted: usize,
    rejected: usize,
    left: usize,
}

impl Tally {
    fn add(&mut self, subject: &Subject, decision: &Decision) {
        let (accepted, rejected) = (decision.accepted.len(), decision.rejected.len());
        self.accepted += accepted;
        self.rejected += rejected;
        self.left += subject.failing().len() - accepted - rejected;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { accepted, rejected, left } = self;
        write!(formatter, "{accepted} accepted, {rejected} rejected, {left} left")
    }
}

/// A server's report after a person's decision: what was accepted is no difference any more.
fn decided(subject: &Subject, decision: &Decision) -> ServerReport {
    let is_accepted =
        |finding: &Finding| decision.accepted.contains(&parts::of(finding)) && !judge::is_in_no_pin(finding);
    let findings = subject.report.findings.iter().filter(|finding| !is_accepted(finding)).cloned();
    let found = judge::found(&subject.report.name, findings.collect());
    // What was softened of an accepted part is approved with it.
    let softened = subject.report.softened.iter().filter(|one| !is_accepted(&one.finding)).cloned().collect();
    let mut context = subject.report.context.clone();
    for (word, parts) in [("accepted", &decision.accepted), ("rejected", &decision.rejected)] {
        if !parts.is_empty() {
            context.push(format!("{word}: {}", parts::names(parts)));
        }
    }
    ServerReport { state: found.state, findings: found.findings, softened, context, ..subject.report.clone() }
}
