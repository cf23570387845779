//! `mcp-pin inspect`: reads servers and shows what they say, without any lockfile.

use std::path::PathBuf;

use super::approval::Consent;
use super::client;
use super::command_line;
use super::judge;
use super::live::{self, Live, Wanted};
use super::output;
use super::policing::Policing;
use super::progress::Times;
use super::record;
use super::selection::Selection;
use super::standing;
use super::workspace::Workspace;
use crate::cli::{InspectArguments, ProjectArguments};
use crate::config::{ConfiguredServer, State as Configured};
use crate::connect::readings::Readings;
use crate::exit::Outcome;
use crate::invocation;
use crate::launch::Protected;
use crate::lock::Lockfile;
use crate::problem::Problem;
use crate::report::definitions::Definitions;
use crate::report::{Report, ServerReport, State};
use crate::surface::Surface;
use crate::text;

/// Runs the command.
pub(super) fn run(arguments: &InspectArguments) -> Outcome {
    let (report, definitions) = match inspected(arguments) {
        Ok(inspected) => inspected,
        Err(problems) => (Report::failed("inspect", String::new(), problems), Vec::new()),
    };
    report.outcome.and(output::report_with(&report, &definitions, &arguments.output))
}

/// The project whose configurations are read.
pub(super) fn project(arguments: &InspectArguments) -> ProjectArguments {
    // Configurations of any folders may be read together: there is no lockfile that their paths would count from.
    let lockfile = (arguments.configs.len() > 1).then(|| PathBuf::from("-"));
    ProjectArguments { configs: arguments.configs.clone(), lockfile }
}

fn inspected(arguments: &InspectArguments) -> Result<(Report, Vec<Definitions>), Vec<Problem>> {
    let workspace = Workspace::open(&project(arguments))?;
    let selection = Selection::of(&arguments.read, &workspace.folder).map_err(|problem| vec![problem])?;
    let configured = workspace.servers()?;
    if let Some(problem) = workspace.missing_configuration(&selection, &Lockfile::default()) {
        let help =
            "change to the project, name a file with --config, or give a launch: mcp-pin inspect NAME -- COMMAND";
        return Err(vec![Problem { help: help.to_owned(), ..problem }]);
    }
    let selected = selection.apply(configured, &Lockfile::default())?;
    let (disabled, enabled): (Vec<_>, Vec<_>) =
        selected.into_iter().partition(|server| server.state == Configured::Disabled);
    let mut servers: Vec<ServerReport> = disabled.iter().map(|server| not_read(server, &selection)).collect();
    let policing = Policing::of(&workspace)?;
    let wanted = enabled.into_iter().map(|server| {
        let client = client::of(&policing.reading(&server.name, &arguments.read), None)?;
        Ok(Wanted { server, client, locked: None })
    });
    let wanted: Result<Vec<Wanted<'_>>, Problem> = wanted.collect();
    let wanted = wanted.map_err(|problem| vec![problem])?;
    let live =
        live::read(wanted, &arguments.read, &policing, Consent::of(arguments.yes), Times::of(&arguments.output))?;
    let mut definitions: Vec<Definitions> = live.iter().filter_map(definitions_of).collect();
    definitions.sort_by(|a, b| a.server.cmp(&b.server));
    let by_hand = matches!(selection, Selection::AdHoc(_)).then(|| live.first().map(|live| live.server.clone()));
    servers.extend(judged(live, &policing));
    servers.sort_by(|a, b| a.name.cmp(&b.name));
    record::tell_why_not_started(&mut servers, "nothing of it could be read");
    let record = record::without_lockfile(&workspace, workspace.first_configuration());
    let mut report = Report::new("inspect", String::new(), servers, Vec::new()).recording(record);
    report.next = next(&report, arguments, by_hand.flatten().as_ref());
    Ok((report, definitions))
}

/// A disabled server is skipped, unless it was asked for by name.
fn not_read(server: &ConfiguredServer, selection: &Selection) -> ServerReport {
    let mut report = standing::disabled(server, None, selection);
    if report.state == State::Skipped {
        report.context = vec![text::terminal_line(&format!("\"disabled\": true in {}", server.origin()))];
    }
    report
}

fn definitions_of(live: &Live) -> Option<Definitions> {
    let surface = &live.result.as_ref().ok()?.surface;
    Some(Definitions::of(&live.server.name, &live.client, surface).masked(&live.protected))
}

/// What the readings come to by themselves. No finding makes an inspection fail.
fn judged(live: Vec<Live>, policing: &Policing) -> Vec<ServerReport> {
    let mut protected = Protected::default();
    let mut read: Vec<(ServerReport, Option<Surface>)> = Vec::new();
    for one in live {
        protected.extend(&one.protected);
        let report = match &one.result {
            Ok(readings) => of_readings(&one, readings, policing),
            Err(problem) => judge::not_checked(&one.server.name, problem.clone()),
        };
        let contact = match one.is_started {
            true => record::contact(&one.client, &one.result.as_ref().map(|readings| readings.count)),
            false => report.contact.clone(),
        };
        let report = ServerReport { contact, ..report };
        read.push((judge::masked(report, &one.protected), one.result.ok().map(|readings| readings.surface)));
    }
    let reports = read.iter_mut().filter_map(|(report, surface)| Some((report, surface.as_ref()?)));
    judge::add_collisions(reports.collect(), &Lockfile::default(), &protected);
    read.into_iter().map(|(report, _)| report).collect()
}

fn of_readings(live: &Live, readings: &Readings, policing: &Policing) -> ServerReport {
    let settled = policing.settle(&live.server.name, None, readings.clone());
    let mut report = judge::readings(&live.server.name, None, &settled.readings);
    report.state = State::Read;
    report.softened.clone_from(&settled.softened);
    let refusal = judge::unpinnable(&report).or_else(|| live::refusal(live, &settled, policing));
    report.context.extend(refusal.map(|problem| {
        let cause = problem.cause.lines().next().unwrap_or_default();
        format!("pin would refuse it: {}", text::terminal_line(cause))
    }));
    report
}

/// What to type after reading: for one server exactly what was shown.
fn next(report: &Report, arguments: &InspectArguments, by_hand: Option<&ConfiguredServer>) -> Vec<String> {
    let refused = report.servers.iter().any(|server| !server.context.is_empty() && server.state == State::Read);
    if report.outcome != Outcome::InSync || refused || report.totals().read == 0 {
        return Vec::new();
    }
    let mut words = vec![format!("{} pin", invocation::words("mcp-pin"))];
    words.extend(arguments.read.servers.iter().map(|name| text::shell_word(name)));
    let option = |name: &str, value: &str| format!("{name} {}", text::shell_word(value));
    words.extend(arguments.configs.iter().map(|path| option("--config", &path.display().to_string())));
    words.extend(client::words(&arguments.read));
    words.extend(arguments.read.pass_environment.iter().map(|name| option("--pass-env", name)));
    if let [server] = report.servers.as_slice() {
        words.extend(server.surface.as_ref().map(|digest| format!("--expect {digest}")));
    }
    words.extend(by_hand.map(|server| command_line::words(&server.launch.without_secrets())));
    vec![format!("read what stands above; only if all of it is meant: {}", words.join(" "))]
}
