//! Something that failed.

/// Something that failed: what we were doing, why it failed, and what to type. Texts are unescaped: causes may quote a
/// server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What was being done, such as `starting the server`.
    pub step: String,
    /// Why it failed; may have several lines.
    pub cause: String,
    /// What to do, ideally a command; may have several lines.
    pub help: String,
}

impl Problem {
    /// A problem from its three parts.
    pub fn new(step: impl Into<String>, cause: impl Into<String>, help: impl Into<String>) -> Self {
        Self { step: step.into(), cause: cause.into(), help: help.into() }
    }
}
