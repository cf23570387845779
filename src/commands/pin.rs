//! `mcp-pin pin`: reads the servers, shows what they say, and writes exactly that reading to the lockfile.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::approval::{self, Consent};
use super::client;
use super::judge;
use super::output;
use super::policing::{Policing, Settled};
use super::progress::Times;
use super::reading::{self, Job, Plan};
use super::record;
use super::saved;
use super::selection::Selection;
use super::standing;
use super::workspace::{Place, Workspace, both};
use crate::cli::{PinArguments, PinResources};
use crate::config::{ConfiguredServer, State as Configured};
use crate::connect::ReadResources;
use crate::exit::Outcome;
use crate::finding::rule;
use crate::launch::Protected;
use crate::lock::store::Seen;
use crate::lock::{self, LockedServer, Lockfile, store};
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
}

/// One server that will be read.
struct Planned {
    server: ConfiguredServer,
    /// As it goes into the lockfile.
    launch: crate::launch::Launch,
    client: Client,
    resources: ReadResources,
}

/// What became of one server.
struct Read {
    planned: Planned,
    report: ServerReport,
    surface: Option<Surface>,
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
            let (report, outcome) = finish(arguments, plans, read);
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
    let path = writable(workspace).map_err(|problem| vec![problem])?;
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
            others.push(standing::disabled(&server, &selection));
            continue;
        }
        let locked = lockfile.servers.get(&server.name);
        let mut withheld = unverified.clone();
        withheld.extend(locked.into_iter().flat_map(|locked| locked.launch.unverified.iter().cloned()));
        let launch = server.launch.withhold(&withheld);
        problems.extend(approval::secrets(&server, &launch));
        let client =
            match client::of(&policing.reading(&server.name, &arguments.read), locked.map(|locked| &locked.client)) {
                Ok(client) => client,
                Err(problem) => {
                    problems.push(problem);
                    continue;
                }
            };
        servers.push(Planned { server, launch, client, resources: resources(arguments, locked) });
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
    Ok(Plans { path, shown, lockfile, seen, servers, others, policing, warnings })
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
            Plan::Pin { readings: arguments.read.readings, resources: one.resources },
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
        let (report, surface) = match result {
            Ok(readings) => {
                let locked = plans.lockfile.servers.get(name);
                let settled = plans.policing.settle(name, locked.map(|locked| &locked.surface), readings);
                let report = judged(&planned, locked, &settled, &plans.policing, &protected, arguments);
                plans.warnings.extend(settled.unused);
                let surface = (report.state != State::NotChecked).then_some(settled.stored);
                (report, surface)
            }
            Err(failure) => (judge::not_checked(name, failure.problem), None),
        };
        let report = ServerReport { contact, ..judge::masked(report, &protected) };
        Read { report, surface, planned }
    });
    let mut read: Vec<Read> = read.collect();
    tell_collisions(&mut read, &plans.lockfile, &all_protected);
    let read = with_effects(read, &plans.policing);
    Ok((plans, read))
}

/// A saved listing in place of a server: nothing is started, so nobody is asked.
fn read_saved(
    arguments: &PinArguments,
    workspace: &Workspace,
    listing: &Path,
) -> Result<(Plans, Vec<Read>), Vec<Problem>> {
    let one = |problem| vec![problem];
    let path = writable(workspace).map_err(one)?;
    let name = saved::named(&arguments.read).map_err(one)?;
    let opened = both(both(workspace.load_or_new(), workspace.servers()), Policing::of(workspace));
    let (((lockfile, seen), configured), policing) = opened?;
    let mut warnings = policing.warnings(&lockfile, &configured, &Selection::named(&arguments.read.servers));
    if let Some(problem) = saved::unpinnable(name, &lockfile, &configured) {
        return Err(vec![problem]);
    }
    let server = saved::server(name);
    let (launch, client) = (server.launch.clone(), Client::default());
    let planned = Planned { server, launch, client, resources: ReadResources::UnlessChanging };
    let read = match saved::read(listing, None, &arguments.read) {
        Ok(readings) => {
            let locked = lockfile.servers.get(name);
            let settled = policing.settle(name, locked.map(|locked| &locked.surface), readings);
            let report = judged(&planned, locked, &settled, &policing, &Protected::default(), arguments);
            warnings.extend(settled.unused);
            let surface = (report.state != State::NotChecked).then_some(settled.stored);
            Read { planned, report, surface }
        }
        Err(problem) => Read { planned, report: judge::not_checked(name, problem), surface: None },
    };
    let mut read = vec![read];
    tell_collisions(&mut read, &lockfile, &Protected::default());
    let read = with_effects(read, &policing);
    let (path, shown) = (path.to_owned(), workspace.lockfile.shown());
    let (servers, others) = (Vec::new(), Vec::new());
    Ok((Plans { path, shown, lockfile, seen, servers, others, policing, warnings }, read))
}

/// The lockfile's path, if it can be written.
fn writable(workspace: &Workspace) -> Result<&Path, Problem> {
    match &workspace.lockfile {
        Place::File(path) => Ok(path),
        Place::StandardInput => {
            let help = "name a file with --lockfile, or leave the option out";
            Err(Problem::new("opening the lockfile", "`-` can be read but not written", help))
        }
    }
}

/// Adds the names that clients can take for another's, of what was read and of what is pinned beside it.
fn tell_collisions(read: &mut [Read], lockfile: &Lockfile, protected: &Protected) {
    let names: BTreeSet<String> = read.iter().map(|read| read.report.name.clone()).collect();
    let reports = read.iter_mut().filter_map(|Read { report, surface, .. }| {
        let approved = lockfile.servers.get(&report.name).map(|locked| &locked.surface);
        Some((report, surface.as_ref()?, approved))
    });
    let others = lockfile.servers.iter().filter(|(name, _)| !names.contains(*name));
    judge::add_collisions(reports.collect(), others.map(|(name, locked)| (name, &locked.surface)), protected);
}

/// What the findings come to under the policy.
fn with_effects(read: Vec<Read>, policing: &Policing) -> Vec<Read> {
    read.into_iter().map(|one| Read { report: policing.effects(one.report), ..one }).collect()
}

/// What one reading comes to, and whether it may be pinned.
fn judged(
    planned: &Planned,
    locked: Option<&LockedServer>,
    settled: &Settled,
    policing: &Policing,
    protected: &Protected,
    arguments: &PinArguments,
) -> ServerReport {
    let name = planned.server.name.as_str();
    let mut report = judge::readings(name, locked.map(|locked| &locked.surface), &settled.readings);
    report.softened.clone_from(&settled.softened);
    let refusal = judge::unpinnable(&report)
        .or_else(|| approval::protected_value(&settled.stored, protected))
        .or_else(|| approval::home_folder(&policing.portable(name, &settled.stored)))
        .or_else(|| approval::empty_listing(locked, &settled.stored, arguments));
    if let Some(problem) = refusal {
        report.state = State::NotChecked;
        report.problem = Some(problem);
        return report;
    }
    let Some(locked) = locked else {
        report.state = State::New;
        report.context.push(approval::names(&settled.stored));
        return report;
    };
    let passed = reading::passed_to(name, &policing.reading(name, &arguments.read));
    report.context.extend(judge::reading_context(locked, &planned.client, &passed));
    report.context.extend(judge::release_context(locked, &settled.readings));
    report.context.extend(judge::unverified_context(&planned.launch));
    report.findings.extend(judge::launch_findings(locked, &planned.server));
    ServerReport {
        context: report.context,
        items: report.items,
        surface: report.surface,
        softened: report.softened,
        names: report.names,
        ..judge::found(name, report.findings)
    }
}

/// Writes what was read, unless something forbids it.
fn finish(arguments: &PinArguments, plans: Plans, read: Vec<Read>) -> (Report, Outcome) {
    let Plans { path, shown, mut lockfile, seen, others, policing, warnings, .. } = plans;
    let before = seen.as_ref().map(|_| lock::to_text(&lockfile));
    let mut servers = others;
    let mut failed = servers.iter().any(|server| server.state == State::NotChecked);
    if arguments.prune {
        let gone: Vec<String> = servers
            .iter()
            .filter(|server| server.findings.iter().any(|finding| finding.rule == &rule::SERVER_REMOVED))
            .map(|server| server.name.clone())
            .collect();
        lockfile.servers.retain(|name, _| !gone.contains(name));
    }
    let mut pins: BTreeMap<String, LockedServer> = BTreeMap::new();
    for Read { planned, report, surface } in read {
        match surface {
            Some(surface) => {
                let config = planned.server.config.clone();
                let name = planned.server.name.as_str();
                let pin = LockedServer {
                    config,
                    launch: planned.launch,
                    client: planned.client,
                    pass_env: reading::passed_to(name, &policing.reading(name, &arguments.read)),
                    surface,
                };
                pins.insert(planned.server.name, pin);
            }
            None => failed = true,
        }
        servers.push(report);
    }
    servers.sort_by(|a, b| a.name.cmp(&b.name));
    let mut report = Report { warnings, ..Report::new("pin", shown.clone(), servers, Vec::new()) };
    if let Some(problem) = approval::unexpected(&report, arguments) {
        report.problems.push(problem);
        report.outcome = Outcome::Drift;
        return (report, Outcome::Drift);
    }
    if failed && !arguments.keep_going {
        report.outcome = Outcome::NotChecked;
        report.next = vec!["correct what failed, or write the rest with --keep-going".to_owned()];
        return (report, Outcome::NotChecked);
    }
    lockfile.servers.extend(pins);
    let new = lock::to_text(&lockfile);
    let same = before.as_ref() == Some(&new);
    let outcome = if failed { Outcome::NotChecked } else { Outcome::InSync };
    let (outcome, done) = if arguments.dry_run {
        let changes = if same { Outcome::InSync } else { Outcome::Drift };
        let done = if same {
            format!("{shown} would stay as it is")
        } else {
            format!("{shown} would change, nothing was written")
        };
        (outcome.and(changes), done)
    } else if same {
        (outcome, format!("{shown} is unchanged"))
    } else {
        match store::save(&path, &new, seen.as_ref()) {
            Ok(_) => {
                let read =
                    if seen.is_some() { format!("review it (git diff {shown})") } else { format!("read {shown}") };
                report.next = vec![format!("{read}, then commit it")];
                (outcome, format!("wrote {shown}"))
            }
            Err(problem) => {
                report.problems.push(problem);
                (Outcome::NotChecked, "nothing was written".to_owned())
            }
        }
    };
    report.outcome = outcome;
    report.done = Some(done);
    (report, outcome)
}
