//! `check --clients`: reads each server once more as other clients, and tells what one is told and another is not.

use super::judge;
use super::policing::Policing;
use super::progress::Times;
use super::reading::{self, Job, Plan};
use crate::cli::CheckArguments;
use crate::config::ConfiguredServer;
use crate::connect::readings::Readings;
use crate::drift;
use crate::finding::{Finding, Softened, rule};
use crate::launch::Protected;
use crate::lock::LockedServer;
use crate::problem::Problem;
use crate::report::{ServerReport, State};
use crate::surface::{Client, Surface};
use crate::text;

/// A server that was read as the client that it is pinned with.
pub(super) struct Seen<'a> {
    pub(super) server: &'a ConfiguredServer,
    pub(super) locked: &'a LockedServer,
    pub(super) client: Client,
    pub(super) readings: &'a Readings,
}

/// What other clients are told.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// What differs from what the pinned client is told, without protected values.
    pub(super) findings: Vec<Finding>,
    /// What of that a policy ignores, without protected values.
    pub(super) softened: Vec<Softened>,
    /// Why the server could not be read as a client.
    pub(super) problem: Option<Problem>,
    /// The clients that it was read as.
    pub(super) clients: Vec<String>,
}

/// Reads the servers as each of these clients, one client after the other, so that no server runs twice at a time.
///
/// # Errors
/// When nothing can be read at all.
pub(super) fn read(
    clients: &[Client],
    seen: &[Seen<'_>],
    policing: &Policing,
    arguments: &CheckArguments,
) -> Result<Vec<Told>, Problem> {
    let mut told: Vec<Told> = seen.iter().map(|_| Told::default()).collect();
    for client in clients {
        let mut jobs = Vec::new();
        let mut of_job: Vec<(usize, Protected)> = Vec::new();
        for (index, one) in seen.iter().enumerate().filter(|(_, one)| one.client != *client) {
            let read = policing.reading(&one.server.name, &arguments.read);
            let plan = Plan::Other { expected: &one.locked.surface, readings: arguments.read.readings };
            match Job::new(one.server, client.clone(), &read, plan) {
                Ok(job) => {
                    of_job.push((index, job.launch.protected.clone()));
                    jobs.push(job);
                }
                Err(problem) => told[index].fail(client, problem),
            }
        }
        let results = reading::read_all(jobs, &arguments.read, Times::of(&arguments.output))?;
        for ((index, protected), result) in of_job.into_iter().zip(results) {
            match result {
                Ok(readings) => {
                    told[index].clients.push(client.to_string());
                    let (name, pinned) = (&seen[index].server.name, &seen[index].readings.surface);
                    let (findings, softened) = told_to_another(policing, name, pinned, &readings);
                    let softened = softened.into_iter().map(|one| judge::masked_softened(one, &protected));
                    told[index].ignored(client, softened.collect());
                    let findings = findings.into_iter().map(|finding| judge::masked_finding(finding, &protected));
                    told[index].add(client, findings.collect());
                }
                Err(failure) => told[index].fail(client, failure.problem),
            }
        }
    }
    for (one, told) in seen.iter().zip(&mut told) {
        let pinned = text::terminal_line(&one.client.to_string());
        for finding in &mut told.findings {
            let clients = finding.note.take().unwrap_or_default();
            finding.note = Some(format!("{clients}; the pin is what {pinned} is told"));
        }
    }
    Ok(told)
}

/// What any of the readings as another client has beyond what the pinned client is told: a lie counts even if it is told
/// once.
fn told_to_another(
    policing: &Policing,
    server: &str,
    pinned: &Surface,
    readings: &Readings,
) -> (Vec<Finding>, Vec<Softened>) {
    let mut findings: Vec<Finding> = Vec::new();
    let mut softened: Vec<Softened> = Vec::new();
    for surface in std::iter::once(&readings.surface).chain(&readings.earlier) {
        let late = surface != &readings.surface && !readings.unsettled && drift::grew(surface, &readings.surface);
        let (told, ignored) = policing.told(server, pinned, surface);
        softened.extend(ignored);
        for finding in told {
            // What was only registered late isn't missing.
            let missing_at_first = late && finding.new.is_none();
            if !missing_at_first && !findings.contains(&finding) {
                findings.push(finding);
            }
        }
    }
    for method in &readings.ambiguous {
        findings.push(Finding::new(&rule::CLIENT_DIFFERS).noting(format!("{method} answered twice, told")));
    }
    (findings, softened)
}

impl Told {
    /// The report with what other clients are told beside it.
    pub(super) fn beside(self, mut report: ServerReport) -> ServerReport {
        if !self.clients.is_empty() {
            report.context.push(format!("read as {} too", text::terminal_line(&self.clients.join(", "))));
        }
        report.findings.extend(self.findings);
        report.softened.extend(self.softened);
        drift::sort(&mut report.findings);
        let fails = report.findings.iter().any(|finding| finding.level.fails());
        report.state = match (report.state, &self.problem) {
            (State::InSync, Some(_)) if !fails => State::NotChecked,
            (State::InSync, _) if fails => State::Drift,
            (state, _) => state,
        };
        report.problem = report.problem.or(self.problem);
        report
    }

    fn fail(&mut self, client: &Client, problem: Problem) {
        let cause = format!("as client {}: {}", text::terminal_line(&client.to_string()), problem.cause);
        self.problem.get_or_insert(Problem { cause, ..problem });
    }

    /// Adds what is ignored of what one more client is told, each place once.
    fn ignored(&mut self, client: &Client, softened: Vec<Softened>) {
        for mut one in softened {
            let place = |one: &Softened| (one.finding.item.clone(), one.finding.pointer.clone());
            if !self.softened.iter().any(|known| place(known) == place(&one)) {
                let what = one.finding.note.take().unwrap_or_default();
                one.finding.note = Some(format!("{what} to {}", text::terminal_line(&client.to_string())));
                self.softened.push(one);
            }
        }
    }

    /// Adds what one more client is told; what another was told alike gets its name too.
    fn add(&mut self, client: &Client, findings: Vec<Finding>) {
        let client = text::terminal_line(&client.to_string());
        for finding in findings {
            let same = |known: &&mut Finding| {
                (known.rule, known.level, &known.item, &known.pointer, &known.old, &known.new)
                    == (finding.rule, finding.level, &finding.item, &finding.pointer, &finding.old, &finding.new)
            };
            let what = finding.note.clone().unwrap_or_default();
            match self.findings.iter_mut().find(same).map(|known| &mut known.note) {
                Some(Some(note)) => note.push_str(&format!(", {client}")),
                _ => self.findings.push(finding.noting(format!("{what} to {client}"))),
            }
        }
    }
}
