//! How a server is reached: as its configuration writes it, and resolved for use.
//!
//! [`Launch`] is what the lockfile holds and what is compared: `${VAR}` stays `${VAR}`. [`Resolved`] has the variables'
//! values and so may hold secrets: it has no `Debug`, and only the `connect` stage may look inside. What is a secret is
//! decided in one place ([`literal_secrets`], [`safe_to_show`]), and [`Protected`] takes out of any text what must not be
//! shown. This leaf reads no file and no environment: the caller hands variables in.

mod address;
mod expand;
mod field;
mod protected;
mod release;
mod search;
mod secret;
mod template;
mod view;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::json;
use crate::problem::Problem;

pub use address::hidden_values;
pub use protected::Protected;
pub(crate) use secret::names_a_secret;
pub use secret::{LiteralSecret, literal_secrets, safe_to_show};

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

/// How a server is reached.
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
    /// Not by us: another program reads it and saves what it lists.
    Saved,
}

impl Transport {
    /// The name of the program that is started, without its folder and without what Windows adds; None if none is.
    pub fn program(&self) -> Option<&str> {
        let Transport::Stdio { command, .. } = self else { return None };
        let name = command.rsplit(['/', '\\']).next().unwrap_or(command);
        Some(name.strip_suffix(".cmd").or_else(|| name.strip_suffix(".exe")).unwrap_or(name))
    }
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

impl fmt::Display for MissingVariable {
    /// The field is foreign text: escape the whole for its destination.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: ${{{}}} is not set", self.field, self.variable)
    }
}

impl From<&MissingVariable> for Problem {
    fn from(missing: &MissingVariable) -> Self {
        let variable = &missing.variable;
        let help = format!("set {variable} in the environment, or write a default: ${{{variable}:-…}}");
        Problem::new("filling in variables", missing.to_string(), help)
    }
}

impl Launch {
    /// Whether the entry asks for the transport of 2024-11-05 with two endpoints (`"type": "sse"`), which we can't speak.
    pub fn is_legacy_sse(&self) -> bool {
        let named = self.options.get("type").and_then(json::Value::as_str);
        matches!(self.transport, Transport::Http { .. }) && named == Some("sse")
    }

    /// Whether an environment variable or a header has this name, so that [`Launch::withhold`] can leave its value out.
    pub fn can_withhold(&self, name: &str) -> bool {
        self.named_values().keys().any(|key| self.same_name(key, name))
    }

    /// The same launch without the values of these environment variables and headers; their names, as the
    /// configuration spells them, are in [`Launch::unverified`] instead. Names that the launch doesn't have are ignored, so
    /// that a name which is added or taken away is still a difference.
    #[must_use]
    pub fn withhold(&self, names: &BTreeSet<String>) -> Launch {
        let withheld: BTreeSet<String> = self
            .named_values()
            .keys()
            .filter(|key| names.iter().any(|name| self.same_name(key, name)))
            .cloned()
            .collect();
        let mut launch = self.clone();
        if let Some(values) = launch.named_values_mut() {
            values.retain(|key, _| !withheld.contains(key));
        }
        launch.unverified.extend(withheld);
        launch
    }

    fn named_values(&self) -> &BTreeMap<String, String> {
        static NONE: BTreeMap<String, String> = BTreeMap::new();
        match &self.transport {
            Transport::Stdio { env, .. } => env,
            Transport::Http { headers, .. } => headers,
            Transport::Saved => &NONE,
        }
    }

    fn named_values_mut(&mut self) -> Option<&mut BTreeMap<String, String>> {
        match &mut self.transport {
            Transport::Stdio { env, .. } => Some(env),
            Transport::Http { headers, .. } => Some(headers),
            Transport::Saved => None,
        }
    }

    /// Headers are the same in upper and lower case (RFC 9110, section 5.1), variables aren't.
    fn same_name(&self, one: &str, other: &str) -> bool {
        match self.transport {
            Transport::Stdio { .. } | Transport::Saved => one == other,
            Transport::Http { .. } => one.eq_ignore_ascii_case(other),
        }
    }
}

#[cfg(test)]
pub(crate) mod samples {
    //! Launches for tests.

    use super::{Launch, Transport};
    use crate::json;

    fn owned<const N: usize>(pairs: [(&str, &str); N]) -> std::collections::BTreeMap<String, String> {
        pairs.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    pub(crate) fn stdio<const A: usize, const E: usize>(
        command: &str,
        args: [&str; A],
        env: [(&str, &str); E],
    ) -> Launch {
        let args = args.into_iter().map(str::to_owned).collect();
        Launch {
            transport: Transport::Stdio { command: command.to_owned(), args, env: owned(env), cwd: None },
            options: json::Object::new(),
            unverified: Default::default(),
        }
    }

    pub(crate) fn http<const H: usize>(url: &str, headers: [(&str, &str); H]) -> Launch {
        Launch {
            transport: Transport::Http { url: url.to_owned(), headers: owned(headers) },
            options: json::Object::new(),
            unverified: Default::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::samples::{http, stdio};
    use super::*;

    fn names<const N: usize>(names: [&str; N]) -> BTreeSet<String> {
        names.into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn a_withheld_value_is_a_name_and_nothing_else() {
        let launch =
            stdio("node", [], [("CRM_TOKEN", "abc"), ("LOG", "info")]).withhold(&names(["CRM_TOKEN", "OTHER"]));
        let mut expected = stdio("node", [], [("LOG", "info")]);
        expected.unverified = names(["CRM_TOKEN"]);
        assert_eq!(launch, expected);
    }

    #[test]
    fn two_withheld_values_of_one_name_are_alike_and_a_missing_name_is_not() {
        let withhold = |launch: Launch| launch.withhold(&names(["T"]));
        assert_eq!(withhold(stdio("x", [], [("T", "1")])), withhold(stdio("x", [], [("T", "2")])));
        assert_ne!(withhold(stdio("x", [], [("T", "1")])), withhold(stdio("x", [], [])));
    }

    #[test]
    fn headers_are_withheld_in_any_case_and_variables_are_not() {
        let launch = http("https://h", [("Authorization", "Bearer abc")]);
        assert!(launch.can_withhold("authorization"));
        assert_eq!(launch.withhold(&names(["AUTHORIZATION"])).unverified, names(["Authorization"]));
        assert!(!stdio("x", [], [("TOKEN", "1")]).can_withhold("token"));
    }

    #[test]
    fn a_missing_variable_says_where_it_is_named() {
        let missing = MissingVariable { field: "env.CRM_TOKEN".to_owned(), variable: "TOKEN".to_owned() };
        let problem = Problem::from(&missing);
        assert_eq!(problem.cause, "env.CRM_TOKEN: ${TOKEN} is not set");
        assert_eq!(problem.help, "set TOKEN in the environment, or write a default: ${TOKEN:-…}");
    }

    #[test]
    fn a_program_is_called_by_its_name_alone() {
        for command in ["npx", "/usr/bin/npx", "npx.cmd", "C:\\node\\npx.cmd", "./npx.exe"] {
            assert_eq!(stdio(command, [], []).transport.program(), Some("npx"), "{command}");
        }
        assert_eq!(stdio("/opt/npx/server", [], []).transport.program(), Some("server"));
        assert_eq!(http("https://h/npx", []).transport.program(), None);
    }

    #[test]
    fn the_transport_with_two_endpoints_is_recognised() {
        let mut launch = http("https://h", []);
        assert!(!launch.is_legacy_sse());
        launch.options.insert("type", json::Value::from("sse"));
        assert!(launch.is_legacy_sse());
    }
}
