//! `mcp-pin pin`: reads the servers, shows what they say, and writes exactly that reading to the lockfile.

mod writing;

use std::collections::BTreeSet;
use std::path::Path;

use crate::cli::{PinArguments, PinResources};
use crate::commands::approval::{self, Consent};
use crate::commands::client;
use crate::commands::judge;
use crate::commands::output;
use crate::commands::parts;
use crate::commands::policing::Policing;
use crate::commands::progress::Times;
use crate::commands::reading::{self, Job, Plan};
use crate::commands::record;
use crate::commands::saved;
use crate::commands::selection::Selection;
use crate::commands::standing;
use crate::commands::workspace::{Workspace, both};
use crate::config::{ConfiguredServer, State as Configured};
use crate::connect::ReadResources;
use crate::connect::readings::Readings;
use crate::exit::Outcome;
use crate::launch::Protected;
use crate::lock::store::Seen;
use crate::lock::{self, Accepted, LockedServer, Lockfile};
use crate::problem::Problem;
use crate::report::{Report, ServerReport, State};
use crate::surface::{Client, Surface};
use crate::text;

/// Runs the command.
pub(super) fn run(arguments: &PinArguments) -> Outcome {
    let (report, outcome) = pinned(arguments);
    let printed = output::report(&report, &arguments.output);
    if let (Outcome::NotChecked, Some(done)) = (printed, &report.done) {
        // Whoever sees no report must know all the same whether the lockfile is a new one now.
        output::message(&format!("pin: a report could not be written; {}\n", text::terminal_line(done)));
    }
    outcome.and(printed)
}

/// What is known when the reading begins.
struct Plans {
    path: std::path::PathBuf,
    shown: String,
    lockfile: Lockfile,
    /// The lockfile's file; `None` if there is none yet.
    seen: Option<Seen>,
    servers: Vec<Planned>,
    /// What there is to say about servers that are not read.
    others: Vec<ServerReport>,
    policing: Policing,
    /// What there is to say about the policy.
    warnings: Vec<String>,
    /// What of the readings the user accepts.
    accepted: Accepted,
}

/// One server that will be read.
struct Planned {
    server: ConfiguredServer,
    /// As it goes into the lockfile.
    launch: crate::launch::Launch,
    client: Client,
    resources: ReadResources,
    /// Names of our variables that it is given.
    pass_env: BTreeSet<String>,
    /// The revision of the protocol that it is read in; `None` for the newest that it speaks.
    protocol: Option<String>,
}

impl Planned {
    /// The same read so that this much of it can be accepted: parts in the revision in which the rest is pinned.
    fn accepting(self, accepted: &Accepted, lockfile: &Lockfile) -> Result<Self, Problem> {
        let Accepted::Parts(_) = accepted else { return Ok(self) };
        let name = self.server.name.as_str();
        let locked = parts::approved(lockfile, name, &self.reading(Surface::default()))?;
        let (protocol, resources) = (Some(locked.surface.protocol.clone()), locked.surface.resources.into());
        Ok(Self { protocol, resources, ..self })
    }

    /// What is to be approved of it, once it was read.
    fn reading(&self, surface: Surface) -> LockedServer {
        LockedServer {
            config: self.server.config.clone(),
            launch: self.launch.clone(),
            client: self.client.clone(),
            pass_env: self.pass_env.clone(),
            surface,
        }
    }
}

/// What became of one server.
struct Read {
    report: ServerReport,
    /// What the lockfile will hold of it, unless it may not be pinned.
    pin: Option<LockedServer>,
}

fn pinned(arguments: &PinArguments) -> (Report, Outcome) {
    let failed = |shown: String, problems| (Report::failed("pin", shown, problems), Outcome::NotChecked);
    let workspace = match Workspace::open(&arguments.project) {
        Ok(workspace) => workspace,
        Err(problems) => return failed(String::new(), problems),
    };
    let shown = workspace.lockfile.shown();
    let read = match &arguments.from {
        Some(path) => read_saved(arguments, &workspace, path),
        None => plan(arguments, &workspace).and_then(|plans| read(plans, arguments)),
    };
    match read {
        Ok((plans, read)) => {
            let (report, outcome) = writing::finish(arguments, plans, read);
            (pointed(report, &workspace, arguments), outcome)
        }
        Err(problems) => {
            let (report, outcome) = failed(shown, problems);
            (report.recording(record::of(&workspace, None)), outcome)
        }
    }
}

/// The report with what an auditor asks, and with lines of the lockfile as the pin leaves it.
fn pointed(mut report: Report, workspace: &Workspace, arguments: &PinArguments) -> Report {
    let otherwise = if arguments.from.is_some() { "a saved listing was read instead" } else { "nothing was started" };
    record::tell_why_not_started(&mut report.servers, otherwise);
    let (lockfile, seen) = workspace.load_or_new().unwrap_or_default();
    record::point(&mut report.servers, &lockfile);
    report.recording(record::of(workspace, seen.as_ref()))
}

/// Everything that can be found out without starting anything, and the user's consent.
fn plan(arguments: &PinArguments, workspace: &Workspace) -> Result<Plans, Vec<Problem>> {
    let path = workspace.writable().map_err(|problem| vec![problem])?;
    let selection = Selection::of(&arguments.read, &workspace.folder).map_err(|problem| vec![problem])?;
    let opened = both(both(workspace.load_or_new(), workspace.servers()), Policing::of(workspace));
    let (((lockfile, seen), configured), policing) = opened?;
    if let Some(problem) = workspace.missing_configuration(&selection, &Lockfile::default()) {
        return Err(vec![problem]);
    }
    let selected = selection.apply(configured.clone(), &lockfile)?;
    if arguments.expect.is_some() && selected.len() != 1 {
        let help = "as in: mcp-pin pin NAME --expect sha256-…";
        return Err(vec![Problem::new("reading the command line", "--expect is about exactly one server", help)]);
    }
    let accepted = parts::accepted(&arguments.parts);
    let is_named = |server: &ConfiguredServer| selection.names(&server.name);
    if accepted != Accepted::Everything && !matches!(selected.as_slice(), [server] if is_named(server)) {
        let help = "as in: mcp-pin pin NAME --tool TOOL";
        return Err(vec![Problem::new("reading the command line", "parts are of exactly one server", help)]);
    }
    let mut others: Vec<ServerReport> = standing::only_in_lockfile(&lockfile, &configured, &selection)
        .into_iter()
        .filter(|report| report.state == State::Drift)
        .collect();
    let by_hand: Vec<Problem> = lockfile
        .servers
        .iter()
        .filter(|(name, locked)| selection.names(name) && locked.config.is_none())
        .filter(|(name, _)| !selected.iter().any(|server| server.name == **name))
        .map(|(name, locked)| standing::given_by_hand(name, locked, "pin"))
        .collect();
    if !by_hand.is_empty() {
        return Err(by_hand);
    }
    let can_withhold = |name: &String| selected.iter().any(|server| server.launch.can_withhold(name));
    if let Some(name) = arguments.unverified.iter().find(|name| !can_withhold(name)) {
        let cause = format!("--unverified {name}: no selected server has a variable or header of that name");
        return Err(vec![Problem::new("reading the command line", cause, "correct the name")]);
    }
    let unverified: BTreeSet<String> = arguments.unverified.iter().cloned().collect();
    let mut servers = Vec::new();
    let mut problems = Vec::new();
    for server in selected {
        if server.state == Configured::Disabled {
            others.push(standing::disabled(&server, lockfile.servers.get(&server.name), &selection));
            continue;
        }
        let locked = lockfile.servers.get(&server.name);
        let mut withheld = unverified.clone();
        withheld.extend(locked.into_iter().flat_map(|locked| locked.launch.unverified.iter().cloned()));
        let launch = server.launch.withhold(&withheld);
        problems.extend(approval::secrets(&server, &launch));
        let reading = policing.reading(&server.name, &arguments.read);
        let client = match client::of(&reading, locked.map(|locked| &locked.client)) {
            Ok(client) => client,
            Err(problem) => {
                problems.push(problem);
                continue;
            }
        };
        let pass_env = reading::passed_to(&server.name, &reading);
        let protocol = None;
        let planned = Planned { server, launch, client, resources: resources(arguments, locked), pass_env, protocol };
        match planned.accepting(&accepted, &lockfile) {
            Ok(planned) => servers.push(planned),
            Err(problem) => problems.push(problem),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let new: Vec<(&ConfiguredServer, &crate::launch::Launch, Option<&LockedServer>)> = servers
        .iter()
        .map(|planned| (&planned.server, &planned.launch, lockfile.servers.get(&planned.server.name)))
        .collect();
    approval::ask(&new, Consent::of(arguments.yes)).map_err(|problem| vec![problem])?;
    let warnings = policing.warnings(&lockfile, &configured, &selection);
    let (path, shown) = (path.to_owned(), workspace.lockfile.shown());
    Ok(Plans { path, shown, lockfile, seen, servers, others, policing, warnings, accepted })
}

/// Whether a server's resources are pinned: as the user says, else as they were before.
fn resources(arguments: &PinArguments, locked: Option<&LockedServer>) -> ReadResources {
    let before = locked.map(|locked| &locked.surface);
    match arguments.pin_resources {
        Some(PinResources::Always) => ReadResources::Always,
        Some(PinResources::UnlessChanging) => ReadResources::UnlessChanging,
        None if before.is_some_and(|surface| surface.pins_changing_resources()) => ReadResources::Always,
        None => ReadResources::UnlessChanging,
    }
}

/// Reads the planned servers; an unset variable stops all of them.
fn read(mut plans: Plans, arguments: &PinArguments) -> Result<(Plans, Vec<Read>), Vec<Problem>> {
    let planned = std::mem::take(&mut plans.servers);
    let mut jobs = Vec::new();
    let mut problems = Vec::new();
    for one in &planned {
        match Job::new(
            &one.server,
            one.client.clone(),
            &plans.policing.reading(&one.server.name, &arguments.read),
            Plan::Pin { readings: arguments.read.readings, resources: one.resources, protocol: one.protocol.clone() },
        ) {
            Ok(job) => jobs.push(job),
            Err(problem) => problems
                .push(Problem { cause: format!("server \"{}\": {}", one.server.name, problem.cause), ..problem }),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let protected: Vec<Protected> = jobs.iter().map(|job| job.launch.protected.clone()).collect();
    let mut all_protected = Protected::default();
    protected.iter().for_each(|protected| all_protected.extend(protected));
    let results =
        reading::read_all(jobs, &arguments.read, Times::of(&arguments.output)).map_err(|problem| vec![problem])?;
    let read = planned.into_iter().zip(protected).zip(results).map(|((planned, protected), result)| {
        let name = planned.server.name.as_str();
        let contact = record::contact(&planned.client, &result.as_ref().map(|readings| readings.count));
        let (report, pin) = match result {
            Ok(readings) => plans.judged(&planned, readings, &protected, arguments),
            Err(failure) => (judge::not_checked(name, failure.problem), None),
        };
        let report = ServerReport { contact, ..judge::masked(report, &protected) };
        Read { report, pin }
    });
    let read = read.collect();
    let read = judged_together(read, &plans, &all_protected, arguments);
    Ok((plans, read))
}

/// A saved listing in place of a server: nothing is started, so nobody is asked.
fn read_saved(
    arguments: &PinArguments,
    workspace: &Workspace,
    listing: &Path,
) -> Result<(Plans, Vec<Read>), Vec<Problem>> {
    let one = |problem| vec![problem];
    let path = workspace.writable().map_err(one)?;
    let name = saved::named(&arguments.read).map_err(one)?;
    let opened = both(both(workspace.load_or_new(), workspace.servers()), Policing::of(workspace));
    let (((lockfile, seen), configured), policing) = opened?;
    let warnings = policing.warnings(&lockfile, &configured, &Selection::named(&arguments.read.servers));
    if let Some(problem) = saved::unpinnable(name, &lockfile, &configured) {
        return Err(vec![problem]);
    }
    let accepted = parts::accepted(&arguments.parts);
    let server = saved::server(name);
    let planned = Planned {
        launch: server.launch.clone(),
        server,
        client: Client::default(),
        resources: ReadResources::UnlessChanging,
        pass_env: reading::passed_to(name, &policing.reading(name, &arguments.read)),
        protocol: None,
    };
    let planned = planned.accepting(&accepted, &lockfile).map_err(one)?;
    let (path, shown) = (path.to_owned(), workspace.lockfile.shown());
    let (servers, others) = (Vec::new(), Vec::new());
    let mut plans = Plans { path, shown, lockfile, seen, servers, others, policing, warnings, accepted };
    let (report, pin) = match saved::read(listing, None, &arguments.read) {
        Ok(readings) => plans.judged(&planned, readings, &Protected::default(), arguments),
        Err(problem) => (judge::not_checked(name, problem), None),
    };
    let read = judged_together(vec![Read { report, pin }], &plans, &Protected::default(), arguments);
    Ok((plans, read))
}

/// What the readings come to together: names of one server that clients can take for another's, what the policy says, and
/// what of that the user accepts.
fn judged_together(mut read: Vec<Read>, plans: &Plans, protected: &Protected, arguments: &PinArguments) -> Vec<Read> {
    let reports = read.iter_mut().filter_map(|Read { report, pin }| Some((report, &pin.as_ref()?.surface)));
    judge::add_collisions(reports.collect(), &plans.lockfile, protected);
    let judged = read.into_iter().map(|one| {
        let mut report = plans.policing.effects(one.report);
        // Whoever was shown something else, or gets nothing, must see all of it.
        if one.pin.is_some() && approval::is_expected(&report, arguments) {
            parts::only_accepted(&mut report, &plans.accepted);
        }
        Read { report, ..one }
    });
    judged.collect()
}

impl Plans {
    /// What one server's readings come to, and what a pin of them would hold unless it is refused.
    fn judged(
        &mut self,
        planned: &Planned,
        readings: Readings,
        protected: &Protected,
        arguments: &PinArguments,
    ) -> (ServerReport, Option<LockedServer>) {
        let name = planned.server.name.as_str();
        let locked = self.lockfile.servers.get(name);
        let settled = self.policing.settle(name, locked.map(|locked| &locked.surface), readings);
        self.warnings.extend(settled.unused);
        let mut report = judge::readings(name, locked.map(|locked| &locked.surface), &settled.readings);
        report.softened = settled.softened;
        let reading = planned.reading(settled.stored);
        let pin = match judge::unpinnable(&report) {
            Some(problem) => Err(problem),
            None => lock::accept(&self.lockfile, name, reading, &self.accepted)
                .map_err(|refusal| parts::refused(name, &refusal, &settled.readings.surface))
                .and_then(|pin| match self.refusal(&pin.surface, name, locked, protected, arguments) {
                    Some(problem) => Err(problem),
                    None => Ok(pin),
                }),
        };
        let pin = match pin {
            Ok(pin) => pin,
            Err(problem) => {
                report.state = State::NotChecked;
                report.problem = Some(problem);
                return (report, None);
            }
        };
        let Some(locked) = locked else {
            report.state = State::New;
            report.context.push(approval::names(&pin.surface));
            return (report, Some(pin));
        };
        report.context.extend(judge::reading_context(locked, &planned.client, &planned.pass_env));
        report.context.extend(judge::release_context(locked, &settled.readings));
        report.context.extend(judge::unverified_context(&planned.launch));
        report.findings.extend(judge::launch_findings(locked, &planned.server));
        let found = judge::found(name, std::mem::take(&mut report.findings));
        (report.state, report.findings) = (found.state, found.findings);
        (report, Some(pin))
    }

    /// Why what would be pinned must not be.
    fn refusal(
        &self,
        surface: &Surface,
        name: &str,
        locked: Option<&LockedServer>,
        protected: &Protected,
        arguments: &PinArguments,
    ) -> Option<Problem> {
        approval::protected_value(surface, protected)
            .or_else(|| approval::home_folder(&self.policing.portable(name, surface)))
            .or_else(|| approval::empty_listing(locked, surface, arguments))
    }
}
