//! Reads servers to show what they say: after the same consent as a pin, and in the same way.

use super::approval::{self, Consent};
use super::policing::{Policing, Settled};
use super::progress::Times;
use super::reading::{self, Job, Plan};
use crate::cli::ReadArguments;
use crate::config::ConfiguredServer;
use crate::connect::ReadResources;
use crate::connect::readings::Readings;
use crate::launch::{Launch, Protected};
use crate::lock::LockedServer;
use crate::problem::Problem;
use crate::surface::Client;

/// A server to read.
pub(super) struct Wanted<'a> {
    pub(super) server: ConfiguredServer,
    pub(super) client: Client,
    /// What of it is approved: its launch, if it is the same, needs no consent.
    pub(super) locked: Option<&'a LockedServer>,
}

/// A server that was read, or why it could not be.
pub(super) struct Live {
    pub(super) server: ConfiguredServer,
    pub(super) client: Client,
    /// What must not be shown of what it said.
    pub(super) protected: Protected,
    pub(super) result: Result<Readings, Problem>,
    /// Whether it was started or contacted.
    pub(super) is_started: bool,
}

/// Reads all that can be started. A variable that nobody sets keeps its server from being read, and no other.
///
/// # Errors
/// Without consent, and when nothing at all could be read.
pub(super) fn read(
    wanted: Vec<Wanted<'_>>,
    arguments: &ReadArguments,
    policing: &Policing,
    consent: Consent,
    times: Times,
) -> Result<Vec<Live>, Vec<Problem>> {
    let mut jobs = Vec::new();
    let mut all: Vec<(Wanted<'_>, Result<Protected, Problem>)> = Vec::new();
    for one in wanted {
        let read = policing.reading(&one.server.name, arguments);
        let resources = match one.locked {
            Some(locked) if locked.surface.pins_changing_resources() => ReadResources::Always,
            _ => ReadResources::UnlessChanging,
        };
        let plan = Plan::Pin { readings: arguments.readings, resources, protocol: None };
        match Job::new(&one.server, one.client.clone(), &read, plan) {
            Ok(job) => {
                all.push((one, Ok(job.launch.protected.clone())));
                jobs.push(job);
            }
            Err(problem) => all.push((one, Err(problem))),
        }
    }
    // Nothing is written, so a literal secret is no reason to refuse; it isn't shown either.
    let ready: Vec<(&Wanted<'_>, Launch)> = all
        .iter()
        .filter(|(_, protected)| protected.is_ok())
        .map(|(one, _)| (one, one.server.launch.without_secrets()))
        .collect();
    let launches: Vec<_> = ready.iter().map(|(one, launch)| (&one.server, launch, one.locked)).collect();
    approval::ask(&launches, consent).map_err(|problem| vec![problem])?;
    let mut results = reading::read_all(jobs, arguments, times).map_err(|problem| vec![problem])?.into_iter();
    let live = all.into_iter().filter_map(|(Wanted { server, client, .. }, protected)| match protected {
        Ok(protected) => {
            let result = results.next()?.map_err(|failure| failure.problem);
            Some(Live { server, client, protected, result, is_started: true })
        }
        Err(problem) => {
            let protected = Protected::default();
            Some(Live { server, client, protected, result: Err(problem), is_started: false })
        }
    });
    Ok(live.collect())
}

/// A problem with no protected value in it.
pub(super) fn masked(problem: Problem, protected: &Protected) -> Problem {
    let mask = |text: String| protected.mask(&text);
    Problem { step: mask(problem.step), cause: mask(problem.cause), help: mask(problem.help) }
}

/// Why a pin would refuse what was read, if it would.
pub(super) fn refusal(live: &Live, settled: &Settled, policing: &Policing) -> Option<Problem> {
    let secret = approval::secrets(&live.server, &live.server.launch).into_iter().next();
    secret
        .or_else(|| approval::protected_value(&settled.stored, &live.protected))
        .or_else(|| approval::home_folder(&policing.portable(&live.server.name, &settled.stored)))
}
