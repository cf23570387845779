//! Reads many servers at the same time, each with its own clock.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use tokio::sync::watch;

use super::client;
use super::progress::{End, Progress, Times};
use crate::cli::ReadArguments;
use crate::config::ConfiguredServer;
use crate::connect::readings::{self, Readings};
use crate::connect::{Failure, Limits, Offer, ReadResources, Target, Watchdog, end_descendants, environment, profiles};
use crate::launch::Resolved;
use crate::problem::Problem;
use crate::surface::{Client, Surface};
use crate::text;

/// One server to read, and how often.
pub(super) struct Job<'a> {
    pub(super) name: String,
    pub(super) launch: Resolved,
    pub(super) folder: std::path::PathBuf,
    pub(super) client: Client,
    pub(super) plan: Plan<'a>,
    passed: BTreeSet<String>,
    limits: Limits,
}

/// How a server is read.
pub(super) enum Plan<'a> {
    /// Until it agrees with `expected`, or with itself, and at least `readings` times; in the protocol revision that
    /// `expected` names.
    Check { expected: &'a Surface, readings: usize },
    /// As another client than it is pinned with, in the revision that this one offers, until it agrees with `expected` or
    /// with itself.
    Other { expected: &'a Surface, readings: usize },
    /// At least three times; in this revision of the protocol, else in the newest that it speaks.
    Pin { readings: usize, resources: ReadResources, protocol: Option<String> },
}

impl Plan<'_> {
    /// Whether resources are listed: for a check, whether they were pinned.
    fn resources(&self) -> ReadResources {
        match self {
            Plan::Check { expected, .. } | Plan::Other { expected, .. } => expected.resources.into(),
            Plan::Pin { resources, .. } => *resources,
        }
    }
}

impl<'a> Job<'a> {
    /// A job for a configured server that is read as these arguments say, with its variables filled in and all that it gets
    /// of ours protected.
    ///
    /// # Errors
    /// One problem for each variable that nobody sets.
    pub(super) fn new(
        server: &ConfiguredServer,
        client: Client,
        read: &ReadArguments,
        plan: Plan<'a>,
    ) -> Result<Self, Problem> {
        if server.launch.is_legacy_sse() {
            return Err(Problem::new(
                "contacting the server",
                "it is configured for the older HTTP+SSE transport, which isn't supported",
                "give the address of its Streamable HTTP endpoint and \"type\": \"http\"",
            ));
        }
        let launch = server.launch.resolve(&|name| std::env::var(name).ok()).map_err(|missing| {
            let all: Vec<Problem> = missing.iter().map(Problem::from).collect();
            let joined = |part: fn(&Problem) -> &str| all.iter().map(part).collect::<Vec<_>>().join("\n");
            Problem::new("filling in variables", joined(|problem| &problem.cause), joined(|problem| &problem.help))
        })?;
        let mut launch = launch;
        let passed = passed_to(&server.name, read);
        for name in &passed {
            if let Ok(value) = std::env::var(name) {
                launch.protected.add_from_environment(&value);
            }
        }
        // Addresses of proxies and registries can hold credentials; paths can't.
        for (name, value) in environment::passed_on().filter(|(_, value)| value.contains("://")) {
            launch.protected.add_credentials_in(name, &value);
        }
        let (name, folder, limits) = (server.name.clone(), server.folder.clone(), limits(read));
        Ok(Self { name, launch, folder, client, plan, passed, limits })
    }
}

/// Reads all jobs, at most `--jobs` at a time, and gives their results in the same order.
pub(super) fn read_all(
    jobs: Vec<Job<'_>>,
    arguments: &ReadArguments,
    times: Times,
) -> Result<Vec<Result<Readings, Failure>>, Problem> {
    if jobs.is_empty() {
        return Ok(Vec::new());
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Problem::new("starting up", error.to_string(), "close other programs and try again"))?;
    let results = runtime.block_on(read_concurrently(jobs, arguments, times));
    // A task that waits for a pipe which never ends must not keep us.
    runtime.shutdown_timeout(Duration::from_millis(100));
    // Nothing of a server may be there any more when a person is asked about it.
    end_descendants();
    Ok(results)
}

/// A job that can be done more than once.
struct Prepared<'a> {
    name: String,
    target: Target,
    plan: Plan<'a>,
}

async fn read_concurrently(
    jobs: Vec<Job<'_>>,
    arguments: &ReadArguments,
    times: Times,
) -> Vec<Result<Readings, Failure>> {
    let (interrupt, interrupted) = watch::channel(false);
    let signals = tokio::spawn(async move {
        until_signal().await;
        let _ = interrupt.send(true);
        // Keeps the channel open until the run has ended.
        std::future::pending::<()>().await;
    });
    let progress = Progress::start(times);
    let watchdog = Arc::new(Watchdog::default());
    let prepare = |job| prepare(job, arguments, Arc::clone(&watchdog), interrupted.clone());
    let jobs: Vec<Prepared<'_>> = jobs.into_iter().map(prepare).collect();
    let reading = jobs.iter().enumerate().map(|(index, job)| {
        let progress = &progress;
        async move { (index, read_one(job, progress).await) }
    });
    let mut results: Vec<(usize, Result<Readings, Failure>)> =
        futures::stream::iter(reading).buffer_unordered(arguments.jobs).collect().await;
    results.sort_by_key(|(index, _)| *index);
    let mut results: Vec<Result<Readings, Failure>> = results.into_iter().map(|(_, result)| result).collect();
    retry_cache_races(&jobs, &mut results, &progress).await;
    signals.abort();
    results
}

fn prepare<'a>(
    job: Job<'a>,
    arguments: &ReadArguments,
    watchdog: Arc<Watchdog>,
    interrupted: watch::Receiver<bool>,
) -> Prepared<'a> {
    let offer = match &job.plan {
        Plan::Check { expected, .. } => Offer::Version(expected.protocol.clone()),
        Plan::Pin { protocol: Some(protocol), .. } => Offer::Version(protocol.clone()),
        Plan::Pin { .. } | Plan::Other { .. } => profiles::opening_offer(&job.client).unwrap_or(Offer::Newest),
    };
    let target = Target {
        launch: job.launch,
        folder: job.folder,
        client: job.client,
        offer,
        resources: job.plan.resources(),
        settle: arguments.settle,
        limits: job.limits,
        pass_environment: job.passed,
        watchdog,
        interrupted,
    };
    Prepared { name: job.name, target, plan: job.plan }
}

async fn read_one(job: &Prepared<'_>, progress: &Progress) -> Result<Readings, Failure> {
    progress.begin(&job.name);
    let result = match &job.plan {
        Plan::Check { expected, readings } => readings::check(&job.target, Some(expected), *readings).await,
        Plan::Other { expected, readings } => readings::check(&job.target, Some(expected), *readings).await,
        Plan::Pin { readings, .. } => readings::pin(&job.target, *readings).await,
    };
    progress.end(&job.name, if result.is_ok() { End::Read } else { End::Failed });
    result
}

/// Reads again, once and one by one, the servers whose package runners got into each other's way: npm's cache doesn't
/// bear two first installs at a time.
async fn retry_cache_races(jobs: &[Prepared<'_>], results: &mut [Result<Readings, Failure>], progress: &Progress) {
    if jobs.iter().filter(|job| runs_npm(job)).count() < 2 {
        return;
    }
    for (job, result) in jobs.iter().zip(results) {
        let raced = result.as_ref().is_err_and(|failure| tells_of_npm(&failure.problem.cause));
        if runs_npm(job) && raced {
            *result = read_one(job, progress).await;
        }
    }
}

fn runs_npm(job: &Prepared<'_>) -> bool {
    matches!(job.target.launch.transport.program(), Some("npx" | "npm"))
}

/// Whether a server's last words are npm's about a failed install.
fn tells_of_npm(cause: &str) -> bool {
    let about_npm = ["npm error", "npm ERR!"].iter().any(|words| cause.contains(words));
    about_npm && ["ENOTEMPTY", "EEXIST", "ENOENT", "ECOMPROMISED", "EINTEGRITY"].iter().any(|code| cause.contains(code))
}

pub(super) fn limits(arguments: &ReadArguments) -> Limits {
    let usual = Limits::default();
    Limits {
        start: arguments.start_timeout.unwrap_or(usual.start),
        request: arguments.request_timeout.unwrap_or(usual.request),
        server: arguments.server_timeout.unwrap_or(usual.server),
        message: arguments.max_message,
        listing: arguments.max_listing,
    }
}

/// The variables that `--pass-env` gives to that server: `NAME` to all, `SERVER:NAME` to one.
pub(super) fn passed_to(server: &str, arguments: &ReadArguments) -> BTreeSet<String> {
    passed_of(server, &arguments.pass_environment)
}

/// The options by which a server is read as it was, as a user types them again: they decide what it says.
pub(super) fn words(server: &str, arguments: &ReadArguments) -> Vec<String> {
    let passed = passed_to(server, arguments).into_iter();
    let passed = passed.map(|name| format!("--pass-env {}", text::shell_word(&name)));
    client::words(arguments).into_iter().chain(passed).collect()
}

fn passed_of(server: &str, arguments: &[String]) -> BTreeSet<String> {
    arguments
        .iter()
        .filter_map(|argument| match argument.rsplit_once(':') {
            Some((name, variable)) => (name == server).then(|| variable.to_owned()),
            None => Some(argument.clone()),
        })
        .collect()
}

/// A line that somebody types; `None` once the terminal is gone, or a signal ends the run. Whoever has read servers must
/// ask for signals: nothing ends the process by itself any more.
pub(super) fn line_from_terminal() -> Option<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
    let line = runtime.block_on(async {
        let line = tokio::task::spawn_blocking(|| {
            let mut line = String::new();
            std::io::stdin().read_line(&mut line).map(|_| line)
        });
        tokio::select! {
            line = line => line.ok()?.ok().filter(|line| !line.is_empty()),
            () = until_signal() => None,
        }
    });
    // The thread that waits for a line can't be stopped.
    runtime.shutdown_background();
    line
}

#[cfg(unix)]
async fn until_signal() {
    use tokio::signal::unix::{SignalKind, signal};

    let listen = |kind| signal(kind).ok();
    let (mut interrupt, mut terminate, mut hangup) =
        (listen(SignalKind::interrupt()), listen(SignalKind::terminate()), listen(SignalKind::hangup()));
    let wait = async |signal: &mut Option<tokio::signal::unix::Signal>| match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    };
    tokio::select! {
        () = wait(&mut interrupt) => {}
        () = wait(&mut terminate) => {}
        () = wait(&mut hangup) => {}
    }
}

#[cfg(not(unix))]
async fn until_signal() {
    let _ = tokio::signal::ctrl_c().await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_passed_to_all_or_to_one() {
        let arguments = ["A", "crm:B", "other:C"].map(str::to_owned);
        assert_eq!(passed_of("crm", &arguments), ["A", "B"].map(str::to_owned).into());
    }
}
