//! How a server is reached: as its configuration writes it, and resolved for use.
//!
//! [`Launch`] is what the lockfile holds and what is compared: `${VAR}` stays `${VAR}`. [`Resolved`] has the variables'
//! values and so may hold secrets: it has no `Debug`, and only the `connect` stage may look inside.

use std::collections::{BTreeMap, BTreeSet};

use crate::json;

/// A launch as written, every member of the configuration's entry but the cosmetic ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// How the server is reached.
    pub transport: Transport,
    /// The entry's members that mean nothing to us but may to another client.
    pub options: json::Object,
    /// Names of environment variables and headers whose literal values are not kept.
    pub unverified: BTreeSet<String>,
}

/// The two ways to reach a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transport {
    /// A child process that speaks over its standard input and output.
    Stdio {
        /// The program, as written.
        command: String,
        /// Its arguments, as written.
        args: Vec<String>,
        /// Variables that are set for it, as written.
        env: BTreeMap<String, String>,
        /// The folder it starts in, as written, relative to the configuration's folder.
        cwd: Option<String>,
    },
    /// Streamable HTTP.
    Http {
        /// The endpoint, as written.
        url: String,
        /// Headers of every request, as written.
        headers: BTreeMap<String, String>,
    },
}

/// A launch with its variables filled in, ready to use once. It may hold secrets and has no `Debug`.
pub struct Resolved {
    /// How the server is reached, literally.
    pub transport: Transport,
    /// The values that must never be shown; see [`Protected`].
    pub protected: Protected,
}

/// A variable that a launch names and nobody sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingVariable {
    /// Which member names it, such as `env.CRM_TOKEN` or `args[1]`.
    pub field: String,
    /// The variable.
    pub variable: String,
}

/// Values that must not appear in any output: what came from the environment, and what stands under a secret's name.
#[derive(Clone, Default)]
pub struct Protected {
    values: BTreeSet<String>,
}

impl Protected {
    /// The shortest value from the environment that is protected, in bytes; shorter ones occur in honest text.
    const SHORTEST: usize = 8;

    /// Protects what an environment variable held, unless it is too plain to be a secret.
    pub fn add_from_environment(&mut self, value: &str) {
        let plain = value.bytes().all(|byte| byte.is_ascii_lowercase())
            || value.bytes().all(|byte| byte.is_ascii_uppercase())
            || value.parse::<f64>().is_ok();
        if value.len() >= Self::SHORTEST && !plain {
            self.values.insert(value.to_owned());
        }
    }

    /// Protects a value that stands under a secret's name, however plain.
    pub fn add_secret(&mut self, value: &str) {
        if !value.is_empty() {
            self.values.insert(value.to_owned());
        }
    }

    /// The values.
    pub fn values(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(String::as_str)
    }
}
