//! The client that servers see.
//!
//! A server may list other things to another client, so what we say of ourselves is frozen under a name that the
//! lockfile records. A profile never changes once it is released; another one is added beside it.

use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitationCapability, ExtensionCapabilities, Implementation, ProtocolVersion,
    RootsCapabilities, SamplingCapability,
};

use crate::surface::Client;

/// What we say of ourselves when a session begins. `mcp-pin/1` declares roots, sampling, elicitation and the user
/// interface extension: a popular reference server lists three more tools to such a client.
pub(super) fn client_info(client: &Client, protocol: ProtocolVersion) -> ClientConfig {
    let mut extensions = ExtensionCapabilities::new();
    let mime_types = serde_json::json!({ "mimeTypes": ["text/html;profile=mcp-app"] });
    if let serde_json::Value::Object(settings) = mime_types {
        extensions.insert("io.modelcontextprotocol/ui".to_owned(), settings);
    }
    let mut capabilities = ClientCapabilities::default();
    capabilities.roots = Some(RootsCapabilities::default());
    capabilities.sampling = Some(SamplingCapability::default());
    capabilities.elicitation = Some(ElicitationCapability::default());
    capabilities.extensions = Some(extensions);
    ClientConfig::new(capabilities, Implementation::new(name(client), "1")).with_protocol_version(protocol)
}

/// The name in `clientInfo` and, over HTTP, in `User-Agent`.
pub(super) fn name(client: &Client) -> &str {
    client.name.as_deref().unwrap_or("mcp-pin")
}

/// The answer to a request of the server, by its method: everything is answered at once and nothing is granted
/// (2025-11-25, Client Features). `id` is the request's id as it was written.
pub(super) fn reply(id: &str, method: &str) -> String {
    let body = match method {
        "ping" => r#""result":{}"#,
        "roots/list" => r#""result":{"roots":[]}"#,
        "elicitation/create" => r#""result":{"action":"decline"}"#,
        "sampling/createMessage" => r#""error":{"code":-1,"message":"User rejected sampling request"}"#,
        _ => r#""error":{"code":-32601,"message":"Method not found"}"#,
    };
    format!(r#"{{"jsonrpc":"2.0","id":{id},{body}}}"#)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_profile_is_frozen() {
        let info = client_info(&Client::default(), ProtocolVersion::V_2025_11_25);
        let said = serde_json::to_string(&info).expect("serialisable");
        assert_eq!(
            said,
            r#"{"protocolVersion":"2025-11-25","capabilities":{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}},"roots":{},"sampling":{},"elicitation":{}},"clientInfo":{"name":"mcp-pin","version":"1"}}"#
        );
    }

    #[test]
    fn every_request_is_answered_and_nothing_is_granted() {
        for (method, expected) in [
            ("ping", r#"{"jsonrpc":"2.0","id":"a","result":{}}"#),
            ("roots/list", r#"{"jsonrpc":"2.0","id":"a","result":{"roots":[]}}"#),
            ("elicitation/create", r#"{"jsonrpc":"2.0","id":"a","result":{"action":"decline"}}"#),
        ] {
            assert_eq!(reply("\"a\"", method), expected);
        }
        for method in ["sampling/createMessage", "anything/else"] {
            assert!(reply("1", method).contains(r#""error""#), "{method}");
        }
    }
}
