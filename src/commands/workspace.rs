//! What a command works on: the project folder, its configurations, its lockfile.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::selection::Selection;
use crate::cli::ProjectArguments;
use crate::config::{self, ConfiguredServer};
use crate::lock::store::Seen;
use crate::lock::{self, LockError, Lockfile};
use crate::policy::POLICY;
use crate::problem::Problem;

/// A project.
pub(super) struct Workspace {
    /// The folder that paths count from.
    pub(super) folder: PathBuf,
    /// Where the lockfile is.
    pub(super) lockfile: Place,
    /// Where the search for the folder began; nowhere if a lockfile was named for configurations of several projects.
    pub(super) starts: Vec<PathBuf>,
    configs: Vec<PathBuf>,
}

/// Where a lockfile is.
pub(super) enum Place {
    File(PathBuf),
    StandardInput,
}

impl Place {
    /// As the user would type it.
    pub(super) fn shown(&self) -> String {
        match self {
            Place::File(path) => {
                let here = std::env::current_dir().unwrap_or_default();
                path.strip_prefix(&here).unwrap_or(path).display().to_string()
            }
            Place::StandardInput => "-".to_owned(),
        }
    }
}

impl Workspace {
    /// Finds the project that the arguments mean.
    pub(super) fn open(arguments: &ProjectArguments) -> Result<Self, Vec<Problem>> {
        let start = working_folder().map_err(|problem| vec![problem])?;
        let lockfile = arguments.lockfile.as_ref().map(|path| match path.as_os_str() == "-" {
            true => Place::StandardInput,
            false => Place::File(start.join(path)),
        });
        let given: Vec<PathBuf> = arguments.configs.iter().map(|path| start.join(path)).collect();
        let beginnings: Vec<PathBuf> = given.iter().filter_map(|path| path.parent()).map(Path::to_owned).collect();
        let (starts, config::Project { folder, configs }) =
            match (given.is_empty(), config::of_configs(&given), &lockfile) {
                (true, _, _) => (vec![start.clone()], config::find(&start)),
                (false, Ok(project), _) => (beginnings, project),
                // Configurations of several projects are one project where their lockfile is.
                (false, Err(_), Some(Place::File(path))) => (Vec::new(), config::beside_lockfile(path, given)),
                (false, Err(_), Some(Place::StandardInput)) => {
                    (Vec::new(), config::Project { folder: start, configs: given })
                }
                (false, Err(different), None) => return Err(vec![different.into()]),
            };
        let lockfile = lockfile.unwrap_or_else(|| Place::File(folder.join(config::LOCKFILE)));
        Ok(Self { folder, lockfile, starts, configs })
    }

    /// The servers of all configurations. A launch given by hand needs none.
    pub(super) fn servers(&self) -> Result<Vec<ConfiguredServer>, Vec<Problem>> {
        let mut read = Vec::new();
        let mut problems = Vec::new();
        for path in &self.configs {
            match config::read(path, &self.folder) {
                Ok(servers) => read.push(servers),
                Err(error) => problems.extend(error.problems()),
            }
        }
        if problems.is_empty() { Ok(config::merge(read)) } else { Err(problems) }
    }

    /// The configurations relative to the project folder, with `/`.
    pub(super) fn configurations(&self) -> Vec<String> {
        self.configs.iter().map(|path| config::shown(path, &self.folder)).collect()
    }

    /// The files that make up the project, and what each is.
    pub(super) fn files(&self) -> Vec<(&'static str, PathBuf)> {
        let mut files = vec![("the policy", self.folder.join(POLICY))];
        if let Place::File(path) = &self.lockfile {
            files.push(("the lockfile", path.clone()));
        }
        files.extend(self.configs.iter().map(|path| ("a configuration", path.clone())));
        files
    }

    /// The configurations as files.
    pub(super) fn configuration_files(&self) -> &[PathBuf] {
        &self.configs
    }

    /// The first configuration.
    pub(super) fn first_configuration(&self) -> Option<&Path> {
        self.configs.first().map(PathBuf::as_path)
    }

    /// A problem if servers of a configuration are meant and there is no configuration.
    pub(super) fn missing_configuration(&self, selection: &Selection, lockfile: &Lockfile) -> Option<Problem> {
        let only_by_hand =
            !lockfile.servers.is_empty() && lockfile.servers.values().all(|server| server.config.is_none());
        (self.configs.is_empty() && matches!(selection, Selection::All) && !only_by_hand).then(|| {
            Problem::new(
                "finding the project",
                format!("no servers found: there is no .mcp.json in {}", self.folder.display()),
                "change to the project, name a file with --config, or give a launch: mcp-pin pin NAME -- COMMAND",
            )
        })
    }

    /// A problem if there is neither a configuration nor a lockfile: the user stands in the wrong place.
    pub(super) fn nothing_here(&self, selection: &Selection) -> Option<Problem> {
        let no_lockfile = matches!(&self.lockfile, Place::File(path) if !path.is_symlink() && !path.exists());
        if no_lockfile { self.missing_configuration(selection, &Lockfile::default()) } else { None }
    }

    /// The lockfile and its bytes as seen, or an empty one where there is none yet.
    pub(super) fn load_or_new(&self) -> Result<(Lockfile, Option<Seen>), Vec<Problem>> {
        match &self.lockfile {
            Place::File(path) => match lock::store::load(path) {
                Ok(loaded) => Ok((loaded.lockfile, Some(loaded.seen))),
                Err(error) if error.is_missing() => Ok((Lockfile::default(), None)),
                Err(error) => Err(self.told(error)),
            },
            Place::StandardInput => self.load().map(|(lockfile, seen)| (lockfile, Some(seen))),
        }
    }

    /// The lockfile's path, if it can be written.
    pub(super) fn writable(&self) -> Result<&Path, Problem> {
        match &self.lockfile {
            Place::File(path) => Ok(path),
            Place::StandardInput => {
                let help = "name a file with --lockfile, or leave the option out";
                Err(Problem::new("opening the lockfile", "`-` can be read but not written", help))
            }
        }
    }

    /// The lockfile, and its bytes as seen.
    pub(super) fn load(&self) -> Result<(Lockfile, Seen), Vec<Problem>> {
        match &self.lockfile {
            Place::File(path) => {
                let loaded = lock::store::load(path).map_err(|error| self.told(error))?;
                Ok((loaded.lockfile, loaded.seen))
            }
            Place::StandardInput => from_standard_input(),
        }
    }
}

impl Workspace {
    /// A lockfile's faults, with the file as the user would type it.
    pub(super) fn told(&self, error: LockError) -> Vec<Problem> {
        LockError { file: self.lockfile.shown(), ..error }.problems()
    }
}

/// The lockfile that is piped in.
pub(super) fn from_standard_input() -> Result<(Lockfile, Seen), Vec<Problem>> {
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes).map_err(|error| {
        vec![Problem::new("reading the lockfile", format!("standard input: {error}"), "pipe the lockfile in")]
    })?;
    let lockfile = lock::parse_bytes(&bytes, "standard input").map_err(|error| {
        let help = "make sure that what is piped in is the whole lockfile, as in: git show main:mcp-tools.lock";
        let told = error.problems().into_iter().map(|problem| Problem { help: help.to_owned(), ..problem });
        told.collect::<Vec<_>>()
    })?;
    Ok((lockfile, Seen::of(&bytes)))
}

/// What both give, or the problems of both: all of a run's problems are told, not only the first file's.
pub(super) fn both<A, B>(
    first: Result<A, Vec<Problem>>,
    second: Result<B, Vec<Problem>>,
) -> Result<(A, B), Vec<Problem>> {
    match (first, second) {
        (Ok(first), Ok(second)) => Ok((first, second)),
        (first, second) => Err(first.err().into_iter().chain(second.err()).flatten().collect()),
    }
}

fn working_folder() -> Result<PathBuf, Problem> {
    std::env::current_dir()
        .map_err(|error| Problem::new("finding the project", error.to_string(), "change to a folder that exists"))
}
