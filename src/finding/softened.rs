//! A finding that a policy softened.

use super::Finding;

/// A finding that doesn't fail, or isn't told, because a policy says so. Every report lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Softened {
    /// What was found, at the level that it has without the policy.
    pub finding: Finding,
    /// What it comes to.
    pub effect: Softening,
    /// The entry of the policy, as `mcp-pin.toml:3`.
    pub by: String,
    /// Why, in the words of whoever wrote the entry: foreign text.
    pub reason: Option<String>,
    /// The last day on which the entry counts.
    pub until: Option<String>,
}

/// How a finding was softened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Softening {
    /// It is shown and doesn't fail.
    Warned,
    /// It is listed.
    Allowed,
    /// The part of the text that differs doesn't count.
    Ignored,
}

impl Softening {
    /// The word in every format.
    pub fn as_str(self) -> &'static str {
        match self {
            Softening::Warned => "warned",
            Softening::Allowed => "allowed",
            Softening::Ignored => "ignored",
        }
    }
}
