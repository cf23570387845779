//! The servers that `.ci/install-real-servers` installs, and how each is started.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::capture::{Capture, Client, Kind, capture_stdio};
use crate::common::{Project, Run};

/// The protocol revision that servers of the official TypeScript SDK agree on.
const WITH_INITIALIZE: &str = "2025-11-25";
/// The revision that the newest servers of the official Python SDK agree on.
const WITH_DISCOVER: &str = "2026-07-28";

/// An installed server.
pub(crate) struct Server {
    /// How a project calls it.
    pub(crate) name: &'static str,
    /// What runs the program, if it isn't one by itself.
    interpreter: Option<&'static str>,
    /// The file that is the server.
    pub(crate) program: PathBuf,
    args: Vec<&'static str>,
    env: Vec<(&'static str, &'static str)>,
    /// Variables that a configuration names and whose values it doesn't hold.
    pub(crate) secrets: Vec<(&'static str, &'static str)>,
    /// How many tools it lists to a client that declares what mcp-pin does.
    tools: usize,
    /// How many there are to pin of other kinds: what it lists, without resources that it declares to change.
    others: Vec<(Kind, usize)>,
    /// The revision that mcp-pin and the server agree on.
    pub(crate) protocol: &'static str,
}

pub(crate) fn everything() -> Server {
    Server {
        args: vec!["stdio"],
        others: vec![(Kind::Prompt, 4), (Kind::Template, 2)],
        ..node("everything", "@modelcontextprotocol/server-everything/dist/index.js", 16)
    }
}

pub(crate) fn filesystem() -> Server {
    filesystem_of("@modelcontextprotocol/server-filesystem")
}

pub(crate) fn filesystem_2026_1_14() -> Server {
    filesystem_of("server-filesystem-2026-1-14")
}

pub(crate) fn filesystem_2026_7_10() -> Server {
    filesystem_of("server-filesystem-2026-7-10")
}

fn filesystem_of(package: &str) -> Server {
    Server { args: vec!["."], ..node("filesystem", &format!("{package}/dist/index.js"), 14) }
}

pub(crate) fn memory() -> Server {
    node("memory", "@modelcontextprotocol/server-memory/dist/index.js", 9)
}

pub(crate) fn memory_2026_1_26() -> Server {
    node("memory", "server-memory-2026-1-26/dist/index.js", 9)
}

pub(crate) fn sequential_thinking() -> Server {
    node("sequential-thinking", "@modelcontextprotocol/server-sequential-thinking/dist/index.js", 1)
}

pub(crate) fn playwright() -> Server {
    node("playwright", "@playwright/mcp/cli.js", 25)
}

pub(crate) fn git() -> Server {
    python("git", ".venv-reference/bin/mcp-server-git", 12)
}

pub(crate) fn git_2026_1_14() -> Server {
    python("git", ".venv-git-2026-1-14/bin/mcp-server-git", 12)
}

pub(crate) fn git_2026_6_16() -> Server {
    python("git", ".venv-git-2026-6-16/bin/mcp-server-git", 12)
}

pub(crate) fn time() -> Server {
    python("time", ".venv-reference/bin/mcp-server-time", 2)
}

pub(crate) fn fetch() -> Server {
    Server { others: vec![(Kind::Prompt, 1)], ..python("fetch", ".venv-reference/bin/mcp-server-fetch", 1) }
}

pub(crate) fn atlassian() -> Server {
    Server {
        env: vec![
            ("JIRA_URL", "https://jira.example.com"),
            ("JIRA_USERNAME", "someone"),
            ("CONFLUENCE_URL", "https://wiki.example.com"),
            ("CONFLUENCE_USERNAME", "someone"),
            ("FASTMCP_CHECK_FOR_UPDATES", "off"),
        ],
        secrets: vec![("JIRA_API_TOKEN", "jira-token-of-the-test"), ("CONFLUENCE_API_TOKEN", "wiki-token-of-the-test")],
        protocol: WITH_INITIALIZE,
        ..python("atlassian", ".venv-atlassian/bin/mcp-atlassian", 98)
    }
}

/// A file of an npm package, run by Node.
fn node(name: &'static str, file: &str, tools: usize) -> Server {
    Server {
        name,
        interpreter: Some("node"),
        program: installed(&Path::new("npm/node_modules").join(file)),
        args: Vec::new(),
        env: Vec::new(),
        secrets: Vec::new(),
        tools,
        others: Vec::new(),
        protocol: WITH_INITIALIZE,
    }
}

/// A script of a virtual environment, which names its interpreter.
fn python(name: &'static str, script: &str, tools: usize) -> Server {
    Server {
        name,
        interpreter: None,
        program: installed(&Path::new("pypi").join(script)),
        args: Vec::new(),
        env: Vec::new(),
        secrets: Vec::new(),
        tools,
        others: Vec::new(),
        protocol: WITH_DISCOVER,
    }
}

/// The path of a file below `tests/real`, which must be there.
fn installed(file: &Path) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/real").join(file);
    assert!(path.exists(), "tests/real/{} is missing: run `bash .ci/install-real-servers`", file.display());
    path
}

impl Server {
    /// Its entry in a configuration.
    pub(crate) fn entry(&self) -> Value {
        self.entry_of(&self.program.to_string_lossy())
    }

    /// The same for another path of the program.
    pub(crate) fn entry_of(&self, program: &str) -> Value {
        let (command, args) = self.words(program);
        let literal = self.env.iter().map(|&(name, value)| (name, value.to_owned()));
        let named = self.secrets.iter().map(|&(name, _)| (name, format!("${{{name}}}")));
        let env: Map<String, Value> =
            literal.chain(named).map(|(name, value)| (name.to_owned(), Value::from(value))).collect();
        json!({ "command": command, "args": args, "env": env })
    }

    fn words(&self, program: &str) -> (String, Vec<String>) {
        let words = self.interpreter.into_iter().chain([program]).chain(self.args.iter().copied());
        let mut words = words.map(str::to_owned);
        (words.next().expect("a command"), words.collect())
    }

    /// How many there are to pin of each kind, the kinds of which there are none left out.
    pub(crate) fn counts(&self) -> BTreeMap<Kind, usize> {
        std::iter::once((Kind::Tool, self.tools)).chain(self.others.iter().copied()).collect()
    }

    /// A run of mcp-pin in a project that configures it.
    pub(crate) fn run<'p>(&self, project: &'p Project, arguments: &[&str]) -> Run<'p> {
        self.secrets.iter().fold(project.run(arguments), |run, (name, value)| run.env(name, value))
    }

    /// What it really says over stdio, in a folder of its own.
    pub(crate) fn capture(&self, client: Client) -> Capture {
        self.capture_with(client, &[])
    }

    /// The same with more variables.
    pub(crate) fn capture_with(&self, client: Client, more: &[(&str, &str)]) -> Capture {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (command, args) = self.words(&self.program.to_string_lossy());
        let env = self.env.iter().chain(&self.secrets).chain(more);
        let env: Vec<_> = env.map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        capture_stdio(Path::new(&command), &args, &env, folder.path(), client)
            .unwrap_or_else(|error| panic!("{}: {error:#}", self.name))
    }
}
