//! What the lockfile of the work tree holds and that of the base doesn't: what whoever approves the commit approves.

use super::judge;
use super::lockfiles;
use super::policing::Policing;
use super::selection::Selection;
use crate::config::ConfiguredServer;
use crate::connect::readings::Readings;
use crate::drift;
use crate::finding::{Finding, rule};
use crate::json::Pointer;
use crate::lock::Lockfile;
use crate::report::{ServerReport, State};
use crate::surface::Surface;

/// Two lockfiles, of which one is approved and the other proposed.
pub(super) struct Proposal<'a> {
    approved: &'a Lockfile,
    /// That of the work tree; `None` where there is none, or where it is the approved one.
    proposed: Option<&'a Lockfile>,
    policing: &'a Policing,
    configured: &'a [ConfiguredServer],
}

impl<'a> Proposal<'a> {
    /// What `proposed` holds beyond `approved`.
    pub(super) fn of(
        approved: &'a Lockfile,
        proposed: Option<&'a Lockfile>,
        policing: &'a Policing,
        configured: &'a [ConfiguredServer],
    ) -> Self {
        Self { approved, proposed, policing, configured }
    }

    /// What differs of a server, without notices. A part that the policy ignores is as approved, or as it is `read` now.
    fn differences(&self, name: &str, read: Option<&Surface>) -> Vec<Finding> {
        let Some(all) = self.proposed else { return Vec::new() };
        let (approved, mut proposed) = (only(self.approved, name), only(all, name));
        let known = self.approved.servers.get(name).map(|server| &server.surface);
        if let Some(server) = proposed.servers.get_mut(name) {
            for known in known.into_iter().chain(read) {
                let readings = Readings::of_one(server.surface.clone());
                server.surface = self.policing.settle(name, Some(known), readings).readings.surface;
            }
        }
        let mut findings: Vec<Finding> =
            lockfiles::differences(&approved, &proposed).into_iter().flat_map(|report| report.findings).collect();
        findings.retain(|finding| finding.level.fails());
        // Another launch than the configured one approves nothing of that.
        let is_elsewhere = |server: &ConfiguredServer| {
            let locked = all.servers.get(name);
            server.name == name && locked.is_some_and(|locked| !judge::launch_findings(locked, server).is_empty())
        };
        if self.configured.iter().any(is_elsewhere) {
            findings.retain(|finding| finding.rule != &rule::SERVER_UNPINNED);
        }
        findings
    }

    /// The report with what the work tree's lockfile already holds marked, and with what it holds and nobody else says.
    /// What was `read` of the server, if it was.
    pub(super) fn beside(&self, mut report: ServerReport, read: Option<&Surface>) -> ServerReport {
        let proposed = self.differences(&report.name, read);
        for finding in &mut report.findings {
            finding.proposed = proposed.iter().any(|other| is_same(other, finding));
        }
        let is_told = |other: &&Finding| report.findings.iter().any(|finding| is_same(other, finding));
        let untold: Vec<Finding> = proposed.iter().filter(|other| !is_told(other)).cloned().collect();
        for finding in untold {
            let of_definitions =
                ![&rule::LAUNCH_CHANGED, &rule::READING_CHANGED, &rule::SERVER_REMOVED, &rule::SERVER_UNPINNED]
                    .contains(&finding.rule);
            // What a server agrees on is told once.
            let agreed = |known: &Finding| {
                let is_protocol = finding.pointer == Pointer::of(["protocol"]) && known.new == finding.new;
                is_protocol && finding.rule == &rule::READING_CHANGED && known.rule == &rule::PROTOCOL_CHANGED
            };
            let is_agreed = report.findings.iter().any(agreed);
            report.findings.retain(|known| !agreed(known));
            let words = match (of_definitions, read.is_some()) {
                _ if is_agreed => "the server agrees on that too",
                (false, _) => "only the lockfile of the work tree says so",
                (true, true) => "the lockfile of the work tree says so, and the server doesn't",
                (true, false) => "the lockfile of the work tree says so; the server was not read",
            };
            let note = finding.note.as_ref().map_or(words.to_owned(), |note| format!("{note}; {words}"));
            report.findings.push(Finding { proposed: true, ..finding.noting(note) });
            report.state = State::Drift;
        }
        drift::sort(&mut report.findings);
        report
    }

    /// Adds the servers that only the work tree's lockfile tells of.
    pub(super) fn add_others(&self, servers: &mut Vec<ServerReport>, selection: &Selection) {
        let names = self.proposed.into_iter().flat_map(|proposed| proposed.servers.keys());
        for name in names.chain(self.approved.servers.keys()).filter(|name| selection.includes(name)) {
            if servers.iter().any(|known| known.name == *name) {
                continue;
            }
            let report = self.beside(judge::blank(name, State::InSync), None);
            if report.state == State::Drift {
                servers.push(report);
            }
        }
    }
}

/// The lockfile with one server at most.
fn only(lockfile: &Lockfile, name: &str) -> Lockfile {
    let server = lockfile.servers.get_key_value(name).map(|(name, server)| (name.clone(), server.clone()));
    Lockfile { servers: server.into_iter().collect() }
}

/// Whether both say that the same has become the same.
fn is_same(one: &Finding, other: &Finding) -> bool {
    (one.rule, &one.item, &one.pointer, &one.new) == (other.rule, &other.item, &other.pointer, &other.new)
}
