//! Which servers a command is about: the command line's words as one value.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::cli::ReadArguments;
use crate::config::{ConfiguredServer, State};
use crate::json;
use crate::launch::{Launch, Transport};
use crate::lock::Lockfile;
use crate::problem::Problem;
use crate::text;

/// Which servers are meant.
pub(super) enum Selection {
    /// All of the configuration, and all of the lockfile.
    All,
    /// These, by name.
    Named(BTreeSet<String>),
    /// One launch that no configuration names.
    AdHoc(Box<ConfiguredServer>),
}

impl Selection {
    /// The selection that the arguments mean. Paths of a launch given by hand count from `folder`.
    pub(super) fn of(arguments: &ReadArguments, folder: &Path) -> Result<Self, Problem> {
        let step = "reading the command line";
        let transport = match (arguments.command.split_first(), &arguments.url) {
            (Some((command, args)), _) => Transport::Stdio {
                command: command.clone(),
                args: args.to_vec(),
                env: arguments.environment.iter().cloned().collect(),
                cwd: arguments.cwd.clone(),
            },
            (None, Some(url)) => {
                let headers: BTreeMap<String, String> = arguments.headers.iter().cloned().collect();
                Transport::Http { url: url.clone(), headers }
            }
            (None, None) => {
                if !arguments.environment.is_empty() || arguments.cwd.is_some() {
                    let help =
                        "write the command after `--`, as in: mcp-pin pin NAME --env TOKEN='${TOKEN}' -- COMMAND";
                    return Err(Problem::new(step, "--env and --cwd belong to a command given by hand", help));
                }
                return Ok(Self::named(&arguments.servers));
            }
        };
        let [name] = arguments.servers.as_slice() else {
            let help = "as in: mcp-pin pin NAME -- COMMAND";
            return Err(Problem::new(step, "a launch given by hand needs exactly one server name", help));
        };
        let launch = Launch { transport, options: json::Object::new(), unverified: BTreeSet::new() };
        Ok(Selection::AdHoc(Box::new(ConfiguredServer {
            name: name.clone(),
            config: None,
            folder: folder.to_owned(),
            launch,
            state: State::Enabled,
        })))
    }

    /// The servers of these names; all if there are none.
    pub(super) fn named(names: &[String]) -> Self {
        if names.is_empty() { Selection::All } else { Selection::Named(names.iter().cloned().collect()) }
    }

    /// Whether a server of that name is meant.
    pub(super) fn includes(&self, name: &str) -> bool {
        match self {
            Selection::All => true,
            Selection::Named(names) => names.contains(name),
            Selection::AdHoc(server) => server.name == name,
        }
    }

    /// Whether the user named this server rather than all.
    pub(super) fn names(&self, name: &str) -> bool {
        !matches!(self, Selection::All) && self.includes(name)
    }

    /// The servers that are meant, of those that are configured.
    ///
    /// # Errors
    /// When a name is neither configured nor in the lockfile, and when a launch given by hand has a configured name.
    pub(super) fn apply(
        &self,
        configured: Vec<ConfiguredServer>,
        lockfile: &Lockfile,
    ) -> Result<Vec<ConfiguredServer>, Vec<Problem>> {
        let step = "selecting servers";
        match self {
            Selection::All => Ok(configured),
            Selection::Named(names) => {
                let known: BTreeSet<&str> = configured
                    .iter()
                    .map(|server| server.name.as_str())
                    .chain(lockfile.servers.keys().map(String::as_str))
                    .collect();
                let problems: Vec<Problem> = names
                    .iter()
                    .filter(|name| !known.contains(name.as_str()))
                    .map(|name| {
                        let cause = format!("no server is called \"{name}\"");
                        let help = match text::nearest(name, known.iter().copied()) {
                            Some(nearest) => format!("did you mean \"{nearest}\"?"),
                            None if known.is_empty() => "no server is configured or pinned yet".to_owned(),
                            None => format!("known servers: {}", known.iter().copied().collect::<Vec<_>>().join(", ")),
                        };
                        Problem::new(step, cause, help)
                    })
                    .collect();
                if !problems.is_empty() {
                    return Err(problems);
                }
                Ok(configured.into_iter().filter(|server| names.contains(&server.name)).collect())
            }
            Selection::AdHoc(server) => {
                if let Some(other) = configured.iter().find(|other| other.name == server.name) {
                    let cause = format!("server \"{}\" is configured in {}", server.name, other.origin());
                    let help = "leave out the launch, or use another name";
                    return Err(vec![Problem::new(step, cause, help)]);
                }
                Ok(vec![server.as_ref().clone()])
            }
        }
    }
}

/// A name as messages show it.
pub(super) fn shown(name: &str) -> String {
    text::identifier(name)
}
