//! A project's policy at work: how its servers are read, what of their readings counts, and what findings come to.

use std::collections::BTreeSet;

use super::judge;
use super::selection::{Selection, shown};
use super::workspace::Workspace;
use crate::cli::ReadArguments;
use crate::config::{ConfiguredServer, State as Configured};
use crate::connect::profiles;
use crate::connect::readings::Readings;
use crate::drift;
use crate::finding::{Finding, Softened, Softening, rule};
use crate::lock::Lockfile;
use crate::policy::{self, Applied, Date, Fault, FaultKind, Ignore, POLICY, Policy, PolicyError, Presence, Use};
use crate::problem::Problem;
use crate::report::{ServerReport, State};
use crate::surface::Surface;
use crate::text;

/// A policy on the day of the run.
pub(super) struct Policing {
    policy: Policy,
    today: Date,
}

/// Readings without what is ignored.
pub(super) struct Settled {
    /// The readings as they are compared.
    pub(super) readings: Readings,
    /// What a pin stores: an item that differs in nothing but what is ignored stays as it was.
    pub(super) stored: Surface,
    /// What was ignored.
    pub(super) softened: Vec<Softened>,
    /// What to say of entries that ignore nothing.
    pub(super) unused: Vec<String>,
}

impl Policing {
    /// The policy of the project folder, or the one that changes nothing.
    ///
    /// # Errors
    /// When there is one that isn't understood to the last key.
    pub(super) fn of(workspace: &Workspace) -> Result<Self, Vec<Problem>> {
        let path = workspace.folder.join(POLICY);
        let here = std::env::current_dir().unwrap_or_default();
        let shown = path.strip_prefix(&here).unwrap_or(&path).display().to_string();
        let policy = policy::load(&path, &shown).map_err(PolicyError::problems)?;
        Self::on(policy, Date::today()).map_err(PolicyError::problems)
    }

    /// A policy on a day, wherever it was read from.
    ///
    /// # Errors
    /// When it names a client that there isn't.
    pub(super) fn on(policy: Policy, today: Date) -> Result<Self, PolicyError> {
        let unknown = policy.servers.values().filter_map(|server| {
            let client = server.client.as_ref().filter(|client| profiles::meant_by(client).is_none())?;
            Some(Fault { kind: FaultKind::UnknownClient(client.clone()), line: Some(server.line) })
        });
        let faults: Vec<Fault> = unknown.collect();
        if faults.is_empty() { Ok(Self { policy, today }) } else { Err(PolicyError { file: policy.file, faults }) }
    }

    /// The policy itself.
    pub(super) fn policy(&self) -> &Policy {
        &self.policy
    }

    /// How that server is read: as the command line says, else as the policy does. Variables are passed of both.
    pub(super) fn reading(&self, server: &str, arguments: &ReadArguments) -> ReadArguments {
        let mut read = arguments.clone();
        if let Some(said) = self.policy.servers.get(server) {
            read.client = read.client.or_else(|| said.client.clone());
            read.pass_environment.extend(said.pass_env.iter().map(|name| format!("{server}:{name}")));
            read.start_timeout = read.start_timeout.or(said.start_timeout);
            read.request_timeout = read.request_timeout.or(said.request_timeout);
            read.server_timeout = read.server_timeout.or(said.server_timeout);
        }
        read
    }

    /// The readings with what is ignored as it was approved, and between each other as in the last one.
    pub(super) fn settle(&self, server: &str, approved: Option<&Surface>, readings: Readings) -> Settled {
        let ignores = self.policy.ignores_of(server, self.today);
        let mut softened = Vec::new();
        if ignores.is_empty() {
            return Settled { stored: readings.surface.clone(), readings, softened, unused: Vec::new() };
        }
        let mut mend = |surface: &Surface| match approved {
            Some(approved) => {
                let tolerated = policy::tolerate(&ignores, approved, surface);
                let findings = drift::surfaces(approved, &tolerated.only);
                self.list(&mut softened, findings, &ignores, &tolerated.uses);
                (tolerated.compared, tolerated.stored)
            }
            None => (surface.clone(), surface.clone()),
        };
        let (last, stored) = mend(&readings.surface);
        let before: Vec<Surface> = readings.earlier.iter().map(|surface| mend(surface).0).collect();
        let mut earlier: Vec<Surface> = Vec::new();
        for surface in before {
            let tolerated = policy::tolerate(&ignores, &last, &surface);
            let findings = drift::unstable(&tolerated.only, &last);
            self.list(&mut softened, findings, &ignores, &tolerated.uses);
            let known = |known: &Surface| known.agrees_with(&tolerated.compared);
            if !known(&last) && !earlier.iter().any(known) {
                earlier.push(tolerated.compared);
            }
        }
        let idle = |ignore: &&&Ignore| {
            !policy::covers(ignore, &readings.surface) && approved.is_none_or(|known| !policy::covers(ignore, known))
        };
        let unused = ignores.iter().filter(idle).map(|ignore| {
            format!(
                "{}: this ignore covers nothing of \"{}\"; correct it or take it out",
                self.at(ignore.line),
                shown(server)
            )
        });
        Settled {
            unused: unused.collect(),
            stored,
            softened,
            readings: Readings { surface: last, earlier, ..readings },
        }
    }

    /// What of a surface must be the same on each machine.
    pub(super) fn portable(&self, server: &str, surface: &Surface) -> Surface {
        policy::without_ignored(&self.policy.ignores_of(server, self.today), surface)
    }

    /// What another client is told and the pinned one isn't, and what of that is ignored.
    pub(super) fn told(&self, server: &str, pinned: &Surface, other: &Surface) -> (Vec<Finding>, Vec<Softened>) {
        let ignores = self.policy.ignores_of(server, self.today);
        if ignores.is_empty() {
            return (drift::clients(pinned, other), Vec::new());
        }
        let tolerated = policy::tolerate(&ignores, pinned, other);
        let mut softened = Vec::new();
        self.list(&mut softened, drift::clients(pinned, &tolerated.only), &ignores, &tolerated.uses);
        (drift::clients(pinned, &tolerated.compared), softened)
    }

    /// Adds what was ignored, each with the entries that did it.
    fn list(&self, softened: &mut Vec<Softened>, findings: Vec<Finding>, ignores: &[&Ignore], uses: &[Use]) {
        for finding in findings {
            let known = |other: &Softened| {
                (other.finding.rule, &other.finding.item, &other.finding.pointer)
                    == (finding.rule, &finding.item, &finding.pointer)
            };
            if softened.iter().any(known) {
                continue;
            }
            let place = finding.pointer.segments();
            let near = |one: &&Use| {
                let other = one.pointer.segments();
                place.starts_with(other) || other.starts_with(place)
            };
            let of_item = || uses.iter().filter(|one| one.item == finding.item);
            // A difference that is told of a larger place than any that was put back comes from one of them.
            let used: BTreeSet<usize> = match of_item().any(|one| near(&one)) {
                true => of_item().filter(near).map(|one| one.ignore).collect(),
                false => of_item().map(|one| one.ignore).collect(),
            };
            let entries: Vec<&&Ignore> = used.iter().filter_map(|index| ignores.get(*index)).collect();
            let joined = |part: &dyn Fn(&Ignore) -> String, between: &str| {
                entries.iter().map(|entry| part(entry)).collect::<Vec<_>>().join(between)
            };
            softened.push(Softened {
                finding,
                effect: Softening::Ignored,
                by: joined(&|entry| self.policy.place(entry.line), ", "),
                reason: Some(joined(&|entry| entry.reason.clone(), "; ")),
                until: entries.iter().filter_map(|entry| entry.until).min().map(|until| until.to_string()),
            });
        }
    }

    /// What the findings of a server come to.
    pub(super) fn effects(&self, mut report: ServerReport) -> ServerReport {
        let Applied { findings, softened } =
            policy::apply(&self.policy, &report.name, std::mem::take(&mut report.findings));
        let unread = [&rule::SERVER_REMOVED, &rule::SERVER_DISABLED];
        let gone = softened.iter().any(|softened| unread.contains(&softened.finding.rule));
        let fails = findings.iter().any(|finding| finding.level.fails());
        report.state = match report.state {
            State::Drift if !fails && report.problem.is_some() => State::NotChecked,
            // Nothing of it was compared.
            State::Drift if !fails && gone => State::Skipped,
            State::Drift if !fails => State::InSync,
            State::InSync if fails => State::Drift,
            other => other,
        };
        report.softened.extend(softened);
        report.findings = findings;
        drift::sort(&mut report.findings);
        report
    }

    /// Adds that a selected server is missing or disabled although the policy requires it.
    pub(super) fn require(
        &self,
        servers: &mut Vec<ServerReport>,
        configured: &[ConfiguredServer],
        selection: &Selection,
    ) {
        if matches!(selection, Selection::AdHoc(_)) {
            return;
        }
        let required = self
            .policy
            .servers
            .iter()
            .filter(|(name, said)| said.presence == Presence::Required && selection.includes(name));
        for (name, said) in required {
            let why = match configured.iter().find(|server| server.name == *name) {
                None => "no configuration names it".to_owned(),
                Some(server) if server.state == Configured::Disabled => {
                    format!("it is disabled in {}", text::terminal_line(server.origin()))
                }
                Some(_) => continue,
            };
            let finding =
                Finding::new(&rule::REQUIRED_SERVER).noting(format!("{} requires it; {why}", self.at(said.line)));
            match servers.iter_mut().find(|report| report.name == *name) {
                // It fails already, and by more than its absence.
                Some(report) if report.state == State::NotChecked => {}
                Some(report) => {
                    report.state = State::Drift;
                    report.findings.push(finding);
                    drift::sort(&mut report.findings);
                }
                None => servers.push(judge::found(name, vec![finding])),
            }
        }
    }

    /// What to say of entries that count no more, or never, whatever the servers say.
    pub(super) fn warnings(
        &self,
        lockfile: &Lockfile,
        configured: &[ConfiguredServer],
        selection: &Selection,
    ) -> Vec<String> {
        let mut warnings = Vec::new();
        for ignore in &self.policy.ignores {
            if let Some(until) =
                ignore.until.filter(|_| !ignore.counts_on(self.today) && selection.includes(&ignore.server))
            {
                let place = self.at(ignore.line);
                warnings.push(format!("{place}: this ignore has ended on {until}; renew it or take it out"));
            }
        }
        if matches!(selection, Selection::All) {
            let known =
                || configured.iter().map(|server| &server.name).chain(lockfile.servers.keys()).map(String::as_str);
            for (name, line) in self.policy.named_servers() {
                let required = self.policy.servers.get(name).is_some_and(|said| said.presence == Presence::Required);
                if required || known().any(|known| known == name) {
                    continue;
                }
                let hint = text::nearest(name, known())
                    .map(|name| format!("; did you mean \"{}\"?", shown(name)))
                    .unwrap_or_default();
                warnings.push(format!("{}: no server is called \"{}\"{hint}", self.at(line), shown(name)));
            }
        }
        warnings
    }

    fn at(&self, line: usize) -> String {
        text::terminal_line(&self.policy.place(line))
    }
}
