//! What can be wrong with a lockfile, and what to do about it.
//!
//! One variant for each cause, so that commands and tests can tell them apart. Whatever is wrong, nothing of the file is
//! used: a lockfile that can't be trusted is "could not check", never an empty one.

use std::fmt;

use crate::invocation;
use crate::json;
use crate::problem::Problem;
use crate::surface::{Digest, Kind};
use crate::text::{did_you_mean, shell_word, terminal_line, toml_basic};

/// Why a lockfile can't be used: the file and everything that was found wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockError {
    /// The file, as the user would type it.
    pub file: String,
    /// What is wrong, in the order in which it was found; never empty.
    pub faults: Vec<Fault>,
}

/// One thing that is wrong with a lockfile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub kind: FaultKind,
    /// The line, from 1; `None` where the file as a whole is meant.
    pub line: Option<usize>,
}

/// What can be wrong with a lockfile. Names are foreign text as they were read; the message spells them as the lockfile
/// does, each on one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultKind {
    /// Nothing is there.
    #[error("there is no lockfile")]
    Missing,
    /// A folder is there.
    #[error("this is a folder, not a lockfile")]
    Folder,
    /// A pipe, a socket or a device is there.
    #[error("this is no ordinary file")]
    NotAFile,
    /// The file is larger than [`super::MAX_SIZE`].
    #[error("the file has more than {0} bytes")]
    TooLarge(u64),
    /// The system doesn't give the file's bytes: its message.
    #[error("the file can't be read: {0}")]
    Unreadable(String),

    /// The bytes begin with the mark of UTF-16.
    #[error("the file is UTF-16, not UTF-8: something other than mcp-pin has written it")]
    Utf16,
    /// The bytes are no UTF-8.
    #[error("bytes that are no UTF-8: the file was cut off, or something other than mcp-pin has written it")]
    NotUtf8,
    /// A NUL stands in the text.
    #[error("a NUL byte: writing the file was cut off, or it is UTF-16")]
    Nul,
    /// There is nothing but white space.
    #[error("the file is empty: the baseline is lost")]
    Empty,
    /// A line begins like a merge marker, which no written lockfile has.
    #[error("a merge conflict that nobody has resolved")]
    Conflict,
    /// The text is no TOML.
    #[error("no valid TOML: {message} (column {column})")]
    Syntax {
        /// The column in characters, from 1.
        column: usize,
        /// The TOML reader's words.
        message: String,
    },

    /// The key `version` isn't there.
    #[error("missing key \"version\": this is no lockfile, or its head was lost")]
    NoVersion,
    /// The version is one that this program doesn't know yet: its text.
    #[error("written by a newer version of mcp-pin: lockfile version {0}, this one reads version {version}", version = super::VERSION)]
    NewerVersion(String),
    /// The version is one that never was: its text.
    #[error("lockfile version {0} does not exist; this mcp-pin reads version {version}", version = super::VERSION)]
    UnknownVersion(String),

    /// A key that the format doesn't have.
    #[error("unknown key {} in {block}{}", toml_basic(key), did_you_mean(nearest.as_deref()))]
    UnknownKey {
        /// Where it stands.
        block: BlockName,
        /// The key.
        key: String,
        /// The known key that it is most like, if any is alike.
        nearest: Option<String>,
    },
    /// A key that every such block has.
    #[error("missing key \"{key}\" in {block}")]
    MissingKey {
        /// Where it should stand.
        block: BlockName,
        /// The key.
        key: &'static str,
    },
    /// A value of another type than its key has.
    #[error("\"{key}\" in {block} is {found}, not {expected}")]
    WrongType {
        /// Where it stands.
        block: BlockName,
        /// The key.
        key: &'static str,
        /// What the key has.
        expected: &'static str,
        /// What it has here.
        found: &'static str,
    },
    /// A second block of one server.
    #[error("a second [[server]] {}; the first is on line {first}", toml_basic(name))]
    RepeatedServer {
        /// The server.
        name: String,
        /// The first block's line, from 1.
        first: usize,
    },
    /// A second block of one item.
    #[error("a second {block}; the first is on line {first}")]
    RepeatedItem {
        /// The item.
        block: BlockName,
        /// The first block's line, from 1.
        first: usize,
    },
    /// An item of a server that has no block.
    #[error("{block} belongs to a server that has no block")]
    NoSuchServer {
        /// The item.
        block: BlockName,
    },
    /// A launch of both kinds.
    #[error("{block} has both \"command\" and \"url\"")]
    BothTransports {
        /// The server.
        block: BlockName,
    },
    /// A launch of no kind.
    #[error("{block} has neither \"command\" nor \"url\"")]
    NoTransport {
        /// The server.
        block: BlockName,
    },
    /// A key that only the other kind of launch has.
    #[error("\"{key}\" in {block} does not belong to a launch by \"{transport}\"")]
    OtherTransport {
        /// The server.
        block: BlockName,
        /// The key that doesn't belong.
        key: &'static str,
        /// The key that says how the server is reached.
        transport: &'static str,
    },

    /// A digest that doesn't look like one.
    #[error("\"digest\" in {block} is no digest: expected \"sha256-\" and 32 bytes in base64")]
    BadDigest {
        /// The item.
        block: BlockName,
    },
    /// A text that should be strict JSON and isn't.
    #[error("\"{key}\" in {block} is no strict JSON: {}", one_line(error))]
    Json {
        /// Where it stands.
        block: BlockName,
        /// The key.
        key: &'static str,
        /// The reason; its line counts from the file's start.
        error: Box<json::Error>,
    },
    /// JSON that should be an object and isn't.
    #[error("\"{key}\" in {block} is JSON but no object")]
    NotAnObject {
        /// Where it stands.
        block: BlockName,
        /// The key.
        key: &'static str,
    },
    /// A member of a JSON text that the block has a key for.
    #[error("\"{key}\" in {block} holds \"{member}\", which has a key of its own")]
    Misplaced {
        /// Where it stands.
        block: BlockName,
        /// The key whose JSON text it is.
        key: &'static str,
        /// The member.
        member: &'static str,
    },
    /// A definition and a digest that don't belong together.
    #[error(
        "lock entry inconsistent: text and digest of {block} don't belong together \
         (the file says {stated}, its text gives {computed})"
    )]
    Inconsistent {
        /// The item.
        block: BlockName,
        /// The digest that the file holds.
        stated: Digest,
        /// The digest of the definition that the file holds.
        computed: Digest,
    },

    /// Another spelling than the one that a lockfile has.
    #[error("not the one spelling of a lockfile, from column {column}\n  found:    {found}\n  expected: {expected}")]
    Spelling {
        /// The column in characters, from 1.
        column: usize,
        /// The line, or the part of it around that column.
        found: String,
        /// What the writer would have written.
        expected: String,
    },
}

/// Which block of a lockfile is meant, by whatever of its name could be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockName {
    /// What stands before the first block.
    Head,
    /// A server's block.
    Server(Option<String>),
    /// An item's block.
    Item {
        /// The item's kind.
        kind: Kind,
        /// Its server.
        server: Option<String>,
        /// Its name.
        name: Option<String>,
    },
}

impl fmt::Display for BlockName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (block, name, server) = match self {
            BlockName::Head => return formatter.write_str("the file's head"),
            BlockName::Server(name) => ("server", name, &None),
            BlockName::Item { kind, server, name } => (kind.as_str(), name, server),
        };
        write!(formatter, "[[{block}]]")?;
        if let Some(name) = name {
            write!(formatter, " {}", toml_basic(name))?;
        }
        if let Some(server) = server {
            write!(formatter, " of server {}", toml_basic(server))?;
        }
        Ok(())
    }
}

/// The message of a JSON error, whose keys are foreign text and may hold line feeds.
fn one_line(error: &json::Error) -> String {
    terminal_line(&error.to_string())
}

impl FaultKind {
    /// What to type, reading before accepting.
    pub(super) fn help(&self, file: &str) -> String {
        let file = shell_word(file);
        let (git, mcp_pin) = (invocation::words("git"), invocation::words("mcp-pin"));
        let restore = format!(
            "`{git} diff -- {file}` and `{git} log -p -- {file}` show what became of it, `{git} checkout -- {file}` brings \
             the committed file back"
        );
        match self {
            FaultKind::Missing => format!(
                "if it was committed, `{git} checkout -- {file}` brings it back; for a first one read what \
                 `{mcp_pin} pin --dry-run` shows, then run `{mcp_pin} pin`"
            ),
            FaultKind::Folder | FaultKind::NotAFile => format!("see what it is with `ls -ld {file}`, and move it away"),
            FaultKind::Unreadable(_) => format!("see who may read it with `ls -l {file}`"),
            FaultKind::Conflict => format!(
                "take one side whole with `{git} checkout --ours -- {file}` (or --theirs), then read `{git} diff` before \
                 you pin what the other side had pinned"
            ),
            FaultKind::NewerVersion(_) => {
                "upgrade with `cargo install mcp-pin --locked`; the file was left as it is".to_owned()
            }
            FaultKind::UnknownKey { .. } => {
                format!("{restore}; if a newer mcp-pin wrote it, upgrade with `cargo install mcp-pin --locked`")
            }
            FaultKind::Inconsistent { .. } => {
                format!("approve neither the text nor the digest: {restore}")
            }
            FaultKind::Spelling { .. } => {
                let which = if file == "mcp-tools.lock" { String::new() } else { format!(" --lockfile {file}") };
                format!("`{mcp_pin} fmt{which}` rewrites it; then read `{git} diff -- {file}`")
            }
            _ => restore,
        }
    }
}

impl LockError {
    /// The error of one fault.
    pub(super) fn of(file: &str, kind: FaultKind, line: Option<usize>) -> Self {
        Self { file: file.to_owned(), faults: vec![Fault { kind, line }] }
    }

    /// Whether there is no lockfile at all, the only case in which `pin` may begin a new one.
    pub fn is_missing(&self) -> bool {
        self.faults.iter().any(|fault| fault.kind == FaultKind::Missing)
    }

    /// The faults as problems of a run: one for all faults that the same help is good for.
    pub fn problems(&self) -> Vec<Problem> {
        let mut by_help: Vec<(String, Vec<&Fault>)> = Vec::new();
        for fault in &self.faults {
            let help = fault.kind.help(&self.file);
            match by_help.iter_mut().find(|(known, _)| *known == help) {
                Some((_, faults)) => faults.push(fault),
                None => by_help.push((help, vec![fault])),
            }
        }
        by_help
            .into_iter()
            .map(|(help, faults)| Problem::new("reading the lockfile", self.lines(&faults), help))
            .collect()
    }

    /// Faults with their places, each on lines of its own.
    fn lines(&self, faults: &[&Fault]) -> String {
        /// How many faults are worth reading: hundreds have one cause.
        const MOST: usize = 20;
        let place = |fault: &Fault| match fault.line {
            Some(line) => format!("{}:{line}", self.file),
            None => self.file.clone(),
        };
        let mut lines: Vec<String> =
            faults.iter().take(MOST).map(|fault| format!("{}: {}", place(fault), fault.kind)).collect();
        if faults.len() > MOST {
            lines.push(format!("{}: {} more like these", self.file, faults.len() - MOST));
        }
        lines.join("\n")
    }
}

impl std::error::Error for LockError {}

impl fmt::Display for LockError {
    /// Not safe for a terminal: a line of the file may be quoted.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.lines(&self.faults.iter().collect::<Vec<_>>()))
    }
}
