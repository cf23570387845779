//! `check --base REV`: lockfile and policy of a revision, so that a pull request can't edit what it is compared with.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::again;
use super::diff;
use super::folder;
use super::judge;
use super::policing::Policing;
use super::reach::{Reach, Said};
use super::reading;
use super::selection::Selection;
use super::workspace::{Place, Workspace, both};
use crate::cli::{CheckArguments, ReadArguments};
use crate::config::{self, ConfiguredServer, State as Configured};
use crate::drift;
use crate::exit::Outcome;
use crate::finding::{Finding, rule};
use crate::git::{Differing, Entry, Repository, Revision};
use crate::invocation;
use crate::json::{Pointer, Value};
use crate::launch::Launch;
use crate::lock::store::Seen;
use crate::lock::{self, LockedServer, Lockfile};
use crate::policy::{self, Date, POLICY, Policy, PolicyError};
use crate::problem::Problem;
use crate::report::{self, Report, ServerReport, State};
use crate::text;

const STEP: &str = "reading the base";
/// The most files that are named where a server isn't started for them.
const MOST_FILES: usize = 5;

/// What servers are compared with, and by which policy.
pub(super) struct Approved {
    pub(super) lockfile: Lockfile,
    /// The lockfile's bytes.
    pub(super) seen: Seen,
    pub(super) policing: Policing,
    /// The revision that both are of; `None` for the work tree.
    pub(super) base: Option<Base>,
}

/// A revision that servers are compared with, beside what the work tree makes of it.
pub(super) struct Base {
    revision: Revision,
    /// The lockfile, as `main:mcp-tools.lock`.
    shown: String,
    /// The lockfile of the work tree, as a word that names a file and no revision.
    work_shown: String,
    /// What it holds; `None` where there is none.
    proposed: Option<Lockfile>,
    /// The policy of the work tree.
    work_policy: Policy,
    /// The servers that the revision's configurations disable, and what else they would be.
    disabled: BTreeMap<String, Launch>,
    /// The files that are compared by their meaning: no launch runs them.
    spared: BTreeSet<String>,
    /// The files that this run writes reports to: untracked, they are of an earlier one.
    reports: BTreeSet<String>,
}

impl Approved {
    /// What the arguments mean to be compared with.
    ///
    /// # Errors
    /// When lockfile or policy can't be read, be it of the revision or of the work tree.
    pub(super) fn of(arguments: &CheckArguments, workspace: &Workspace) -> Result<Self, Vec<Problem>> {
        if let Some(name) = &arguments.baseline.base {
            return Self::of_revision(name, arguments, workspace);
        }
        let ((lockfile, seen), policing) = both(workspace.load(), Policing::of(workspace))?;
        Ok(Self { lockfile, seen, policing, base: None })
    }

    fn of_revision(name: &str, arguments: &CheckArguments, workspace: &Workspace) -> Result<Self, Vec<Problem>> {
        let one = |problem| vec![problem];
        let Place::File(lockfile) = &workspace.lockfile else {
            let help = "leave out --lockfile, or --base";
            return Err(one(Problem::new(STEP, "both --base and --lockfile - say where the lockfile is", help)));
        };
        folder::refuse_links(workspace).map_err(one)?;
        let repository = Repository::of(&workspace.folder).map_err(one)?;
        folder::refuse_submodule(&repository, name).map_err(one)?;
        let revision = repository.revision(name).map_err(one)?;
        folder::refuse_another(workspace, &revision).map_err(one)?;
        let lockfile_path = in_tree(lockfile, &repository).map_err(one)?;
        let policy_path = in_tree(&workspace.folder.join(POLICY), &repository).map_err(one)?;
        let configs: Result<Vec<String>, Problem> =
            workspace.configuration_files().iter().map(|path| in_tree(path, &repository)).collect();
        let configs = configs.map_err(one)?;
        let shown = format!("{}:{lockfile_path}", revision.name());
        let of_base = both(locked(&revision, &lockfile_path, &shown), policy_of(&revision, &policy_path));
        let of_work = both(workspace.load_or_new(), Policing::of(workspace));
        let (((lockfile, seen), policy), ((proposed, there), work)) = both(of_base, of_work)?;
        let policing = Policing::on(policy, Date::today()).map_err(PolicyError::problems)?;
        let disabled = disabled_in(&revision, &configs, workspace);
        let spared = configs.into_iter().chain([lockfile_path, policy_path]).collect();
        let proposed = there.map(|_| proposed);
        let mut work_policy = work.policy().clone();
        if work_policy.file.is_empty() {
            POLICY.clone_into(&mut work_policy.file);
        }
        let file = workspace.lockfile.shown();
        let work_shown = if Path::new(&file).is_absolute() { file } else { format!("./{file}") };
        let reports = arguments.output.files.iter().filter_map(|(_, file)| repository.path(file)).collect();
        let base = Base { revision, shown, work_shown, proposed, work_policy, disabled, spared, reports };
        Ok(Self { lockfile, seen, policing, base: Some(base) })
    }
}

/// A file's path in revisions.
fn in_tree(path: &Path, repository: &Repository) -> Result<String, Problem> {
    repository.path(path).filter(|_| !path.is_symlink()).ok_or_else(|| {
        let cause = format!("{} is no path of this repository, or leads through a link", path.display());
        let help = "with --base, keep lockfile, policy and configurations in the repository, as files and without `..`";
        Problem::new(STEP, cause, help)
    })
}

fn locked(revision: &Revision, path: &str, shown: &str) -> Result<(Lockfile, Seen), Vec<Problem>> {
    match revision.entry(path, lock::MAX_SIZE).map_err(|problem| vec![problem])? {
        Entry::File(bytes) => Ok((diff::parsed(&bytes, shown)?, Seen::of(&bytes))),
        Entry::Nothing => {
            let cause = format!("there is no lockfile {}: nothing is approved there", text::terminal_line(shown));
            let help =
                "name a revision that has one; the first lockfile is reviewed as it is: mcp-pin list, mcp-pin show";
            Err(vec![Problem::new(STEP, cause, help)])
        }
    }
}

fn policy_of(revision: &Revision, path: &str) -> Result<Policy, Vec<Problem>> {
    let shown = format!("{}:{path}", revision.name());
    match revision.entry(path, policy::MAX_SIZE).map_err(|problem| vec![problem])? {
        Entry::File(bytes) => policy::parse_bytes(bytes, &shown).map_err(PolicyError::problems),
        Entry::Nothing => Ok(Policy { file: shown, ..Policy::default() }),
    }
}

/// The servers that were disabled already. Of a configuration that can't be read there, none is.
fn disabled_in(revision: &Revision, configs: &[String], workspace: &Workspace) -> BTreeMap<String, Launch> {
    let mut disabled = BTreeMap::new();
    for path in configs {
        let Ok(Entry::File(bytes)) = revision.entry(path, config::LARGEST_FILE) else { continue };
        let source = config::Source { config: path.clone(), folder: workspace.folder.clone() };
        let servers = config::parse(&bytes, &source).unwrap_or_default();
        let off = servers.into_iter().filter(|server| server.state == Configured::Disabled);
        disabled.extend(off.map(|server| (server.name, server.launch)));
    }
    disabled
}

impl Base {
    /// The lockfile, as `main:mcp-tools.lock`.
    pub(super) fn shown(&self) -> String {
        self.shown.clone()
    }

    /// What an auditor asks of it.
    pub(super) fn record(&self) -> report::Base {
        report::Base { revision: self.revision.name().to_owned(), commit: self.revision.commit().to_owned() }
    }

    /// The lockfile of the work tree: what annotations of a pull request can point at.
    pub(super) fn proposed(&self) -> Option<&Lockfile> {
        self.proposed.as_ref()
    }

    /// A problem if the work tree has no lockfile any more.
    pub(super) fn lost_lockfile(&self) -> Option<Problem> {
        self.proposed.is_none().then(|| {
            let cause = format!("the work tree has no lockfile any more, {} has one", self.revision.name());
            let (revision, path) = self.shown.split_once(':').unwrap_or((self.shown.as_str(), ""));
            let (revision, path) = (text::shell_word(revision), text::shell_word(path));
            Problem::new(STEP, cause, {
                let git = invocation::words("git");
                format!("put it back: {git} checkout {revision} -- :/{path}")
            })
        })
    }

    /// The report of a server that isn't read, with the finding that it has been disabled since, or is new: not every client
    /// heeds that it is disabled.
    pub(super) fn disabled(
        &self,
        mut report: ServerReport,
        server: &ConfiguredServer,
        locked: Option<&LockedServer>,
    ) -> ServerReport {
        let before = self.disabled.get(&server.name);
        let place = format!("\"disabled\": true in {}", server.origin());
        let finding = match locked {
            Some(_) if before.is_some() => None,
            None if before == Some(&server.launch) => None,
            Some(_) => Some(Finding::new(&rule::SERVER_DISABLED).noting(text::terminal_line(&place))),
            None => {
                let note = format!("{place}, which not every client heeds");
                Some(Finding::new(&rule::SERVER_UNPINNED).noting(text::terminal_line(&note)))
            }
        };
        if let (Configured::Disabled, Some(finding)) = (server.state, finding) {
            report.findings.push(finding);
            drift::sort(&mut report.findings);
            report.state = State::Drift;
            report.problem = None;
            report.context.clear();
        }
        report
    }

    /// What is approved of a server whose launch isn't, if the work tree's lockfile approves it and the user consents: its
    /// author has written both.
    pub(super) fn consented<'a>(
        &self,
        server: &ConfiguredServer,
        approved: &'a Lockfile,
        arguments: &CheckArguments,
    ) -> Option<&'a LockedServer> {
        let proposed = self.proposed.as_ref()?.servers.get(&server.name)?;
        let is_meant = arguments.baseline.run_changed && server.state == Configured::Enabled;
        (is_meant && judge::launch_findings(proposed, server).is_empty()).then(|| approved.servers.get(&server.name))?
    }

    /// Which files differ from the revision.
    pub(super) fn changes(&self) -> Changes<'_> {
        Changes { base: self, all: None }
    }

    /// Adds what the work tree's policy lets pass beyond that of the revision, and how it reads servers otherwise. What is
    /// said of every server is told once, of the first one.
    pub(super) fn tell_policy(&self, servers: &mut Vec<ServerReport>, policing: &Policing, selection: &Selection) {
        for (name, finding) in self.policy_findings(policing.policy()) {
            if name.as_ref().is_some_and(|name| !selection.includes(name)) {
                continue;
            }
            let first = || servers.iter().map(|report| report.name.clone()).min();
            let name = name.or_else(first).unwrap_or_else(|| POLICY.to_owned());
            match servers.iter_mut().find(|report| report.name == name) {
                Some(report) => {
                    report.findings.push(finding);
                    drift::sort(&mut report.findings);
                    report.state = State::Drift;
                }
                None => servers.push(judge::found(&name, vec![finding])),
            }
        }
    }

    fn policy_findings(&self, before: &Policy) -> Vec<(Option<String>, Finding)> {
        let after = &self.work_policy;
        let of_entry = |one: policy::Loosened| {
            let whom = if one.server.is_none() { "; it is about every server" } else { "" };
            let note = format!("{}{whom}", text::terminal_line(&one.how));
            let finding = Finding::new(&rule::POLICY_LOOSENED).at(Pointer::of(["policy", one.block]));
            (one.server, finding.between(one.old, one.new).noting(note))
        };
        let mut findings: Vec<(Option<String>, Finding)> =
            policy::loosened(before, after).into_iter().map(of_entry).collect();
        let names: BTreeSet<&String> = before.servers.keys().chain(after.servers.keys()).collect();
        for name in names {
            let (old, new) = (before.servers.get(name), after.servers.get(name));
            let client =
                |said: Option<&policy::ServerPolicy>| said.and_then(|said| said.client.as_deref().map(Value::from));
            let passed = |said: Option<&policy::ServerPolicy>| {
                let names: Vec<Value> = said?.pass_env.iter().map(|name| name.as_str().into()).collect();
                (!names.is_empty()).then_some(Value::Array(names))
            };
            for (key, old, new) in [("client", client(old), client(new)), ("pass_env", passed(old), passed(new))] {
                if old != new {
                    let finding = Finding::new(&rule::READING_CHANGED).at(Pointer::of(["policy", "server", key]));
                    let note = format!("the policy says so; it was read as {} says", self.revision.name());
                    findings.push((Some(name.clone()), finding.between(old, new).noting(text::terminal_line(&note))));
                }
            }
        }
        findings
    }

    /// What a reviewer does next, and what is left to the author.
    pub(super) fn next(&self, report: &Report) -> Vec<String> {
        let of_findings = |is: fn(&Finding) -> bool| {
            report
                .servers
                .iter()
                .any(|server| server.findings.iter().any(|finding| finding.level.fails() && is(finding)))
        };
        let mut moved_on = Vec::new();
        if report.outcome != Outcome::InSync && !self.revision.is_within_head() {
            let (git, revision) = (invocation::words("git"), text::shell_word(self.revision.name()));
            moved_on.push(format!(
                "{revision} may have moved on since the branch began: {git} merge-base {revision} HEAD names what both share"
            ));
        }
        if !of_findings(|_| true) {
            return moved_on;
        }
        let mut next = vec![match of_findings(|finding| finding.proposed) {
            true => "read what differs above; whoever approves the commit approves what is proposed".to_owned(),
            false => "read what differs above".to_owned(),
        }];
        if of_findings(|finding| finding.proposed && finding.rule == &rule::SERVER_UNPINNED) {
            let revision = text::shell_word(self.revision.name());
            let file = text::shell_word(&self.work_shown);
            let mcp_pin = invocation::words("mcp-pin");
            next.push(format!("{mcp_pin} diff {revision} {file} shows what is proposed of a new server"));
        }
        let accept = report.servers.iter().filter_map(|server| server.accept.as_ref());
        next.extend(accept.map(|command| format!("what isn't proposed and is meant, its author pins: {command}")));
        if of_findings(|finding| !finding.proposed && finding.rule == &rule::SERVER_REMOVED) {
            let mcp_pin = invocation::words("mcp-pin");
            next.push(format!("only if a server is gone for good, its author drops it: {mcp_pin} pin --prune"));
        }
        next.extend(moved_on);
        next
    }
}

/// The files that differ from a revision.
pub(super) struct Changes<'b> {
    base: &'b Base,
    /// All that differs, once it was needed.
    all: Option<Differing>,
}

impl Changes<'_> {
    /// Why a server isn't started: files that its launch can reach differ. It will be read as `read` says.
    pub(super) fn refusal(
        &mut self,
        server: &ConfiguredServer,
        read: &ReadArguments,
        arguments: &CheckArguments,
    ) -> Option<Problem> {
        let base = self.base;
        match self.within_reach(server, read) {
            Err(problem) => Some(problem),
            Ok((files, _)) if files.is_empty() => None,
            Ok((files, place)) => {
                let shown: Vec<String> = files.iter().take(MOST_FILES).map(|file| on_one_line(file)).collect();
                let more = files.len() - shown.len();
                let more = if more > 0 { format!(" and {} more", text::count(more)) } else { String::new() };
                let revision = base.revision.name();
                let only = match place {
                    Differs::InCommits => "",
                    Differs::OnDisk => "; only on the disk: edited and not added, or converted or left out by git",
                };
                let cause = match files.len() {
                    1 => format!("its launch can reach {}, which differs from {revision}{only}", shown.join("")),
                    _ => format!(
                        "its launch can reach files that differ from {revision}: {}{more}{only}",
                        shown.join(", ")
                    ),
                };
                let command = again::running_changed(server, arguments);
                let help = format!("read what differs, then let it run: {command}\nor check it after the merge");
                Some(Problem::new("starting the server", cause, help))
            }
        }
    }

    fn within_reach(
        &mut self,
        server: &ConfiguredServer,
        read: &ReadArguments,
    ) -> Result<(BTreeSet<String>, Differs), Problem> {
        let Base { revision, spared, reports, .. } = self.base;
        let said = Said::of(server, &reading::passed_to(&server.name, read));
        let reach = Reach::of(server, &said, revision.repository().root());
        let includes = |path: &str| reach.includes(path, spared);
        let differing = match (&reach, self.all.take()) {
            (Reach::Nothing, all) => {
                self.all = all;
                return Ok((BTreeSet::new(), Differs::InCommits));
            }
            (Reach::Packages { .. }, None) => &revision.differing(includes)?,
            (Reach::Packages { .. } | Reach::Everything { .. }, Some(all)) => self.all.insert(all),
            (Reach::Everything { .. }, None) => self.all.insert(revision.differing(|_| true)?),
        };
        let mut files = differing.within(includes);
        files.retain(|file| !(reports.contains(file) && differing.is_untracked(file)));
        let on_disk = files.iter().all(|file| differing.is_on_disk_only(file));
        Ok((files, if on_disk { Differs::OnDisk } else { Differs::InCommits }))
    }
}

/// Where files differ from a revision.
enum Differs {
    /// Some of them in what is committed or added, or they are new.
    InCommits,
    /// All of them only on the disk.
    OnDisk,
}

/// A file's name in a cause, of which each line is escaped where it is shown.
fn on_one_line(file: &str) -> String {
    if file.contains(['\n', '\r']) { text::terminal_line(file) } else { file.to_owned() }
}
