//! What an auditor asks of a run, beside its result.

/// What was read and compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// SHA-256 of the lockfile's bytes in hexadecimal digits, as `sha256sum` prints it: of the file that was compared, in a
    /// pin of the file as the pin leaves it. `None` if there is none.
    pub lockfile_sha256: Option<String>,
    /// The file that a result points at, relative to the repository's root, with `/`: the lockfile, or what an inspection
    /// has read. Never absolute.
    pub artifact: String,
    /// Where that lockfile was taken from, if from a revision.
    pub base: Option<Base>,
    /// The configurations that were read, relative to the project folder, with `/`.
    pub configurations: Vec<String>,
}

/// The revision that lockfile and policy were taken from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    /// As the user typed it.
    pub revision: String,
    /// The commit that it was.
    pub commit: String,
}

/// Whether a server was started, or contacted over HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contact {
    /// It was, as this client; so many of its listings were read to their end, none where it failed.
    Made {
        /// Whom it spoke to, such as `mcp-pin/1`.
        client: String,
        /// How many listings.
        readings: usize,
    },
    /// It was not.
    None {
        /// The reason, in our words; foreign text in it is unescaped.
        why: String,
    },
}

impl Default for Contact {
    fn default() -> Self {
        Self::None { why: "it wasn't come to".to_owned() }
    }
}
