//! Whom a server was talking to.

use std::fmt;

use crate::json::{Object, Value, canonical};

/// The client that a server was read as: it may say other things to others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// The frozen name, version and set of declared capabilities: the key `client`.
    pub profile: String,
    /// Another name than the profile's own, given with `--client-name`: the key `client_name`.
    pub name: Option<String>,
    /// Other capabilities than the profile's own, given with `--client-capability`: the key `client_capabilities`.
    pub capabilities: Option<Object>,
}

impl Default for Client {
    /// The profile that is used unless the user wants another, `mcp-pin/1`.
    fn default() -> Self {
        Self::of_profile(Self::MCP_PIN_1)
    }
}

impl Client {
    /// Declares roots, sampling, elicitation and the user interface extension.
    pub const MCP_PIN_1: &'static str = "mcp-pin/1";

    /// A profile as it is.
    pub fn of_profile(profile: &str) -> Self {
        Self { profile: profile.to_owned(), name: None, capabilities: None }
    }
}

impl fmt::Display for Client {
    /// Names may be foreign text: escape the whole for its destination.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.profile)?;
        if let Some(name) = &self.name {
            write!(formatter, " named {name}")?;
        }
        if let Some(capabilities) = &self.capabilities {
            write!(formatter, " declaring {}", canonical(&Value::Object(capabilities.clone())))?;
        }
        Ok(())
    }
}
