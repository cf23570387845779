//! What a lockfile holds.

use std::collections::{BTreeMap, BTreeSet};

use crate::launch::Launch;
use crate::surface::{Client, Surface};

/// All approved servers by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lockfile {
    /// The servers, sorted by the bytes of their names.
    pub servers: BTreeMap<String, LockedServer>,
}

/// One approved server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockedServer {
    /// The configuration that names it, relative to the project folder with `/`; `None` for a launch given on the
    /// command line.
    pub config: Option<String>,
    /// How it is reached, as written.
    pub launch: Launch,
    /// The client that it was read as.
    pub client: Client,
    /// Names of the variables that it was given with `--pass-env`, beside those that its launch names.
    pub pass_env: BTreeSet<String>,
    /// What it said.
    pub surface: Surface,
}
