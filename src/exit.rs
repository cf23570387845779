//! The three exit codes, and how they combine.

use std::process::ExitCode;

/// What a run found out. The codes are promised: 0, 1 and 2, and anything else means "not checked".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// Everything that was selected was read, and it is what the lockfile holds: 0.
    #[default]
    InSync,
    /// Something could not be checked: 2.
    NotChecked,
    /// Something differs, whatever else failed: 1.
    Drift,
}

impl Outcome {
    /// The outcome of both: drift wins, for it is known; then failure.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.max(other)
    }

    /// The outcome's word in every format.
    pub fn as_str(self) -> &'static str {
        match self {
            Outcome::InSync => "in-sync",
            Outcome::NotChecked => "not-checked",
            Outcome::Drift => "drift",
        }
    }

    /// The process exit code, 0 to 2.
    pub fn code(self) -> u8 {
        match self {
            Outcome::InSync => 0,
            Outcome::Drift => 1,
            Outcome::NotChecked => 2,
        }
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        ExitCode::from(outcome.code())
    }
}

#[cfg(test)]
mod tests {
    use super::Outcome::{Drift, InSync, NotChecked};

    #[test]
    fn drift_and_failure_together_are_drift() {
        assert_eq!(Drift.and(NotChecked), Drift);
        assert_eq!(NotChecked.and(Drift), Drift);
        assert_eq!(InSync.and(NotChecked), NotChecked);
        assert_eq!([InSync.code(), Drift.code(), NotChecked.code()], [0, 1, 2]);
    }
}
