//! One server under review: how it is read, and what of it can be accepted.

use std::collections::BTreeMap;

use crate::cli::ReviewArguments;
use crate::commands::approval;
use crate::commands::client;
use crate::commands::judge;
use crate::commands::parts;
use crate::commands::policing::Policing;
use crate::commands::reading::{self, Job, Plan};
use crate::commands::record;
use crate::config::ConfiguredServer;
use crate::connect::Failure;
use crate::connect::readings::Readings;
use crate::finding::{Finding, Softened};
use crate::launch::{Launch, Protected};
use crate::lock::{self, Accepted, LockedServer, Lockfile, Part};
use crate::problem::Problem;
use crate::report::{ServerReport, State};
use crate::surface::Surface;

/// A server that will be read.
pub(super) struct Planned<'a> {
    server: &'a ConfiguredServer,
    locked: &'a LockedServer,
    /// How it is reached and read; what it says isn't known yet.
    reading: LockedServer,
    protected: Protected,
}

/// All that differs in one part, which is accepted whole: what doesn't fail by itself, too.
pub(super) struct Difference<'s> {
    pub(super) part: Part,
    pub(super) findings: Vec<&'s Finding>,
    /// What the policy softens.
    pub(super) softened: Vec<&'s Softened>,
}

impl Difference<'_> {
    fn fails(&self) -> bool {
        self.findings.iter().any(|finding| finding.level.fails())
    }
}

/// Differences in the order in which their parts were met.
#[derive(Default)]
struct Differences<'s> {
    all: Vec<Difference<'s>>,
    places: BTreeMap<Part, usize>,
}

impl<'s> Differences<'s> {
    fn of(&mut self, part: Part) -> &mut Difference<'s> {
        let next = self.all.len();
        let place = *self.places.entry(part.clone()).or_insert(next);
        if place == next {
            self.all.push(Difference { part, findings: Vec::new(), softened: Vec::new() });
        }
        &mut self.all[place]
    }
}

/// A server that was read.
pub(super) struct Subject {
    /// What was found out, as a person is shown it.
    pub(super) report: ServerReport,
    /// What the report is about, as the lockfile would hold all of it.
    pub(super) reading: LockedServer,
    /// What of it must never be written.
    pub(super) protected: Protected,
    /// The options that make a pin read it in the same way.
    pub(super) as_read: Vec<String>,
    /// Its launch, where only the command line knows it.
    pub(super) by_hand: Option<Launch>,
}

impl<'a> Planned<'a> {
    /// A server whose launch is approved, and its job: as often as a pin reads it, in the revision in which it is pinned.
    ///
    /// # Errors
    /// When it can't be started, or isn't read as it was pinned, so that no part of what it says could stand beside the rest.
    pub(super) fn new(
        server: &'a ConfiguredServer,
        locked: &'a LockedServer,
        lockfile: &Lockfile,
        policing: &Policing,
        arguments: &ReviewArguments,
    ) -> Result<(Self, Job<'a>), Problem> {
        let read = policing.reading(&server.name, &arguments.read);
        let client = client::of(&read, Some(&locked.client))?;
        let reading = LockedServer {
            client: client.clone(),
            pass_env: reading::passed_to(&server.name, &read),
            surface: Surface::default(),
            ..locked.clone()
        };
        parts::approved(lockfile, &server.name, &reading)?;
        let plan = Plan::Pin {
            readings: read.readings,
            resources: locked.surface.resources.into(),
            protocol: Some(locked.surface.protocol.clone()),
        };
        let job = Job::new(server, client, &read, plan)?;
        let protected = job.launch.protected.clone();
        Ok((Self { server, locked, reading, protected }, job))
    }

    /// What its readings come to.
    ///
    /// # Errors
    /// The report of a server that could not be read, or whose readings can't be pinned.
    pub(super) fn judged(
        self,
        result: Result<Readings, Failure>,
        policing: &Policing,
        arguments: &ReviewArguments,
        warnings: &mut Vec<String>,
    ) -> Result<Subject, Box<ServerReport>> {
        let Self { server, locked, reading, protected } = self;
        let name = server.name.as_str();
        let contact = record::contact(&reading.client, &result.as_ref().map(|readings| readings.count));
        let masked =
            |report: ServerReport| judge::masked(ServerReport { contact: contact.clone(), ..report }, &protected);
        let settled = match result {
            Ok(readings) => policing.settle(name, Some(&locked.surface), readings),
            Err(failure) => return Err(Box::new(masked(judge::not_checked(name, failure.problem)))),
        };
        let mut report = judge::readings(name, Some(&locked.surface), &settled.readings);
        report.softened = settled.softened;
        report.context.extend(judge::release_context(locked, &settled.readings));
        report.context.extend(judge::unverified_context(&locked.launch));
        warnings.extend(settled.unused);
        if let Some(problem) = judge::unpinnable(&report) {
            let state = State::NotChecked;
            return Err(Box::new(masked(ServerReport { state, problem: Some(problem), ..report })));
        }
        Ok(Subject {
            report: masked(report),
            reading: LockedServer { surface: settled.stored, ..reading },
            protected,
            as_read: reading::words(name, &arguments.read),
            by_hand: server.config.is_none().then(|| server.launch.clone()),
        })
    }
}

impl Subject {
    /// What differs and fails, part by part, in the order of the report.
    pub(super) fn failing(&self) -> Vec<Difference<'_>> {
        self.differences().into_iter().filter(|difference| difference.fails()).collect()
    }

    /// What differs and doesn't fail: notices, and what the policy softens.
    pub(super) fn passing(&self) -> Vec<Difference<'_>> {
        self.differences().into_iter().filter(|difference| !difference.fails()).collect()
    }

    fn differences(&self) -> Vec<Difference<'_>> {
        let mut differences = Differences::default();
        for finding in self.report.findings.iter().filter(|finding| !judge::is_in_no_pin(finding)) {
            differences.of(parts::of(finding)).findings.push(finding);
        }
        for softened in &self.report.softened {
            differences.of(parts::of(&softened.finding)).softened.push(softened);
        }
        differences.all
    }

    /// The server as the lockfile would hold it if that much of it were accepted.
    ///
    /// # Errors
    /// When that must not be written.
    pub(super) fn accepted(
        &self,
        accepted: &Accepted,
        lockfile: &Lockfile,
        policing: &Policing,
    ) -> Result<LockedServer, Problem> {
        let name = &self.report.name;
        let pin = lock::accept(lockfile, name, self.reading.clone(), accepted)
            .map_err(|refusal| parts::refused(name, &refusal, &self.reading.surface))?;
        let refused = approval::protected_value(&pin.surface, &self.protected)
            .or_else(|| approval::home_folder(&policing.portable(name, &pin.surface)));
        refused.map_or(Ok(pin), Err)
    }
}
