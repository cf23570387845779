//! The clients that we can appear as.
//!
//! A server may list other things to another client, so what each says of itself is frozen under a name that the lockfile
//! records. A profile never changes once it is released: a newer release of that client is another profile beside it.

use super::Offer;
use crate::surface::Client;

/// What one client says of itself when a session begins.
#[derive(Debug)]
pub(super) struct Profile {
    /// The name in the lockfile, with the version of the profile.
    pub(super) id: &'static str,
    /// `clientInfo` (2025-11-25, Lifecycle, Initialization), as JSON.
    pub(super) info: &'static str,
    /// `capabilities`, as JSON.
    pub(super) capabilities: &'static str,
    /// Over HTTP, the header `User-Agent`.
    pub(super) agent: &'static str,
    /// How it opens a session.
    pub(super) opening: Opening,
}

/// How a client opens a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opening {
    /// With `server/discover` of the newest revision, then with `initialize`.
    Newest,
    /// With `initialize` and this revision.
    Initialize(&'static str),
}

/// Every profile; the first is ours.
pub(super) static PROFILES: [Profile; 6] = [
    // A popular reference server lists three more tools to a client that declares so much.
    Profile {
        id: Client::MCP_PIN_1,
        info: r#"{"name":"mcp-pin","version":"1"}"#,
        capabilities: r#"{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}},"roots":{},"sampling":{},"elicitation":{}}"#,
        agent: "mcp-pin/1",
        opening: Opening::Newest,
    },
    // Claude Code 2.1.292, from messages that authors of servers recorded in October 2026. It declares no sampling, no tasks
    // and no user interfaces. To `initialize` releases up to 2.1.283 sent an empty `elicitation`.
    Profile {
        id: "claude-code/1",
        info: r#"{"name":"claude-code","title":"Claude Code","version":"2.1.292","description":"Anthropic's agentic coding tool","websiteUrl":"https://claude.com/claude-code"}"#,
        capabilities: r#"{"roots":{"listChanged":true},"elicitation":{"form":{},"url":{}}}"#,
        agent: "claude-code/2.1.292 (cli)",
        opening: Opening::Newest,
    },
    // Cursor 3.4 to 3.20, from recorded messages of May to September 2026; the version is the same in all of them, and no
    // recording shows its User-Agent.
    Profile {
        id: "cursor/1",
        info: r#"{"name":"cursor-vscode","version":"1.0.0"}"#,
        capabilities: r#"{"elicitation":{"form":{}},"roots":{"listChanged":false},"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}"#,
        agent: "cursor-vscode/1.0.0",
        opening: Opening::Initialize("2025-11-25"),
    },
    // Visual Studio Code 1.140, as its public code (mcpServerRequestHandler.ts, extHostMcp.ts) has it in October 2026 and
    // recordings of 1.138 show it.
    Profile {
        id: "vscode/1",
        info: r#"{"name":"Visual Studio Code","version":"1.140.0"}"#,
        capabilities: r#"{"roots":{"listChanged":true},"sampling":{},"elicitation":{"form":{},"url":{}},"tasks":{"list":{},"cancel":{},"requests":{"sampling":{"createMessage":{}},"elicitation":{"create":{}}}},"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}"#,
        agent: "Visual Studio Code/1.140.0",
        opening: Opening::Initialize("2025-11-25"),
    },
    // Codex CLI 0.160, as its public code (codex-rs, rmcp_client.rs) has it and recordings of October 2026 show it.
    Profile {
        id: "codex/1",
        info: r#"{"name":"codex-mcp-client","title":"Codex","version":"0.160.0"}"#,
        capabilities: r#"{"experimental":{"codex/auth-change":{}},"elicitation":{"form":{},"url":{}}}"#,
        agent: "codex-mcp-client/0.160.0",
        opening: Opening::Initialize("2025-06-18"),
    },
    // A client that can do nothing but call tools, as many programs that use an SDK are.
    Profile {
        id: "minimal/1",
        info: r#"{"name":"minimal","version":"1"}"#,
        capabilities: "{}",
        agent: "minimal/1",
        opening: Opening::Initialize("2025-11-25"),
    },
];

/// The names of all profiles; the first is the one that is used unless the user wants another.
pub fn names() -> impl Iterator<Item = &'static str> {
    PROFILES.iter().map(|profile| profile.id)
}

/// The newest profile that a user means by `vscode` or `vscode/1`.
pub fn meant_by(text: &str) -> Option<&'static str> {
    names().filter(|id| *id == text || id.split_once('/').is_some_and(|(client, _)| client == text)).last()
}

/// What a client offers first when nothing is known of the server; `None` if there is no such profile.
pub fn opening_offer(client: &Client) -> Option<Offer> {
    Some(match of(client)?.opening {
        Opening::Newest => Offer::Newest,
        Opening::Initialize(version) => Offer::Version(version.to_owned()),
    })
}

/// The profile of a client.
pub(super) fn of(client: &Client) -> Option<&'static Profile> {
    PROFILES.iter().find(|profile| profile.id == client.profile)
}

#[cfg(test)]
mod tests {
    use rmcp::model::ProtocolVersion;
    use sha2::{Digest as _, Sha256};

    use super::*;

    #[test]
    fn profiles_are_frozen() {
        let digests: Vec<String> = PROFILES
            .iter()
            .map(|profile| {
                let Profile { id, info, capabilities, agent, opening } = profile;
                let said = format!("{id}\n{info}\n{capabilities}\n{agent}\n{opening:?}");
                let hash = Sha256::digest(said.as_bytes());
                format!("{} {:02x}{:02x}{:02x}{:02x}", profile.id, hash[0], hash[1], hash[2], hash[3])
            })
            .collect();
        // A released profile never changes: add another one instead.
        assert_eq!(
            digests,
            [
                "mcp-pin/1 a28eb9ad",
                "claude-code/1 f0386557",
                "cursor/1 fc4ed881",
                "vscode/1 754086e7",
                "codex/1 d1e7dae1",
                "minimal/1 3d76c3db"
            ]
        );
    }

    #[test]
    fn every_profile_is_json_and_offers_a_revision_that_is_known() {
        for profile in &PROFILES {
            for text in [profile.info, profile.capabilities] {
                let value: serde_json::Value = serde_json::from_str(text).expect(profile.id);
                assert!(value.is_object(), "{}", profile.id);
            }
            if let Opening::Initialize(version) = profile.opening {
                let known = ProtocolVersion::KNOWN_VERSIONS.iter().any(|known| known.as_str() == version);
                assert!(known, "{}", profile.id);
            }
        }
    }

    #[test]
    fn a_profile_is_meant_with_and_without_its_version() {
        assert_eq!(meant_by("vscode"), Some("vscode/1"));
        assert_eq!(meant_by("mcp-pin/1"), Some("mcp-pin/1"));
        for text in ["vscode/2", "vscode/", "", "/1", "VSCode"] {
            assert_eq!(meant_by(text), None, "{text}");
        }
    }
}
