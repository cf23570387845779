//! What can be wrong with a policy. Whatever is wrong, nothing of it is used, and nothing is checked.

use crate::problem::Problem;
use crate::text::{did_you_mean, toml_basic};

/// Why a policy can't be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyError {
    /// The file, as the user would type it.
    pub file: String,
    /// What is wrong, in the order of the file; never empty.
    pub faults: Vec<Fault>,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What it is.
    pub kind: FaultKind,
    /// The line, from 1; `None` where the file as a whole is meant.
    pub line: Option<usize>,
}

/// The kinds of faults. Texts are foreign, as they were read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultKind {
    /// The system refuses, for this reason.
    #[error("the policy can't be read: {0}")]
    Unreadable(String),
    /// A folder, a pipe or a device.
    #[error("this is no ordinary file")]
    NotAFile,
    /// More bytes than this.
    #[error("the policy has more than {0} bytes")]
    TooLarge(u64),
    /// Bytes that are no text.
    #[error("the policy is no UTF-8")]
    NotUtf8,
    /// No TOML, in the reader's words.
    #[error("no valid TOML: {0}")]
    Syntax(String),
    /// A key that there isn't.
    #[error("unknown key {} in {block}{}", toml_basic(key), did_you_mean(nearest.as_deref()))]
    UnknownKey {
        /// Where it stands.
        block: &'static str,
        /// The key.
        key: String,
        /// The key that it is most like, if any is alike.
        nearest: Option<String>,
    },
    /// A key that must be there.
    #[error("missing key \"{key}\" in {block}{why}")]
    MissingKey {
        /// Where it should stand.
        block: &'static str,
        /// The key.
        key: &'static str,
        /// Why it must be there, if that isn't plain.
        why: &'static str,
    },
    /// A value of another type, or an empty one.
    #[error("\"{key}\" in {block} is {found}, not {expected}")]
    WrongType {
        /// Where it stands.
        block: &'static str,
        /// The key.
        key: &'static str,
        /// What it should be.
        expected: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// A word that is none of those that a key may have.
    #[error("\"{key}\" in {block} can't be {}{}", toml_basic(word), did_you_mean(nearest.as_deref()))]
    UnknownWord {
        /// Where it stands.
        block: &'static str,
        /// The key.
        key: &'static str,
        /// The word.
        word: String,
        /// The word that it is most like, if any is alike.
        nearest: Option<String>,
    },
    /// A rule that nothing may soften.
    #[error("nothing softens \"{0}\": such a finding always fails")]
    NeverSoftened(&'static str),
    /// An entry about items of two kinds.
    #[error("a {block} is about items of one kind; write one for each")]
    TwoKinds {
        /// Where they stand.
        block: &'static str,
    },
    /// Neither place nor pattern.
    #[error("an [[ignore]] needs a \"pointer\", a \"pattern\", or both: a whole item or server is never ignored")]
    IgnoresAll,
    /// A pointer that is none.
    #[error("\"pointer\" is no JSON pointer: {}; one begins with / as in /description", toml_basic(.0))]
    Pointer(String),
    /// A pattern that is none.
    #[error("\"pattern\" can't be used: {0}")]
    Pattern(String),
    /// A client that there isn't.
    #[error("there is no client {}", toml_basic(.0))]
    UnknownClient(String),
}

impl PolicyError {
    /// One fault of the file as a whole.
    pub(super) fn of(file: &str, kind: FaultKind) -> Self {
        Self { file: file.to_owned(), faults: vec![Fault { kind, line: None }] }
    }

    /// One problem for each fault.
    pub fn problems(self) -> Vec<Problem> {
        let Self { file, faults } = self;
        let problem = |fault: Fault| {
            let place = fault.line.map_or_else(|| file.clone(), |line| format!("{file}:{line}"));
            let help = match fault.kind {
                FaultKind::NeverSoftened(_) => {
                    "take the rule out of the entry; what it tells of must be approved or undone"
                }
                _ => "correct the policy (mcp-pin schema policy prints what it may hold); nothing was checked",
            };
            Problem::new("reading the policy", format!("{place}: {}", fault.kind), help)
        };
        faults.into_iter().map(problem).collect()
    }
}
