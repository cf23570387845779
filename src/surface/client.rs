//! Whom a server was talking to.

use std::fmt;

/// The client that a server was read as: it may say other things to others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// The frozen set of declared capabilities: the key `client`.
    pub profile: String,
    /// Another name than the profile's own, given with `--client-name`: the key `client_name`.
    pub name: Option<String>,
}

impl Default for Client {
    /// The only profile of this version, `mcp-pin/1`.
    fn default() -> Self {
        Self { profile: Self::MCP_PIN_1.to_owned(), name: None }
    }
}

impl Client {
    /// Declares roots, sampling, elicitation and the user interface extension.
    pub const MCP_PIN_1: &'static str = "mcp-pin/1";
}

impl fmt::Display for Client {
    /// The name may be foreign text: escape it for its destination.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(formatter, "{} named {name}", self.profile),
            None => formatter.write_str(&self.profile),
        }
    }
}
