//! The client that servers see: what it says of itself, and what it answers.

use rmcp::model::{ClientCapabilities, ClientConfig, ClientJsonRpcMessage, Implementation, ProtocolVersion};
use serde_json::Value;

use super::profiles::{self, PROFILES};
use crate::json;
use crate::surface::Client;

/// Where a message of 2026-07-28 says who sends it (Basic Protocol, `_meta`).
const META_INFO: &str = "io.modelcontextprotocol/clientInfo";
const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// What a client says of itself.
#[derive(Clone, Debug)]
pub(super) struct Face {
    info: Value,
    capabilities: Value,
}

impl Face {
    /// What this client says of itself: its profile, with its own name and capabilities where it has some.
    pub(super) fn of(client: &Client) -> Self {
        let profile = profiles::of(client).unwrap_or(&PROFILES[0]);
        // Our own constants, which a test proves to be JSON.
        let parsed = |text: &str| serde_json::from_str(text).unwrap_or(Value::Null);
        let mut info: Value = parsed(profile.info);
        if let (Some(name), Some(info)) = (&client.name, info.as_object_mut()) {
            info.insert("name".to_owned(), Value::from(name.as_str()));
        }
        let capabilities = match &client.capabilities {
            Some(given) => parsed(&json::canonical(&json::Value::Object(given.clone()))),
            None => parsed(profile.capabilities),
        };
        Self { info, capabilities }
    }

    /// A message as it goes out. rmcp knows some capabilities and drops others, so it names none and ours are put in here.
    pub(super) fn encode(&self, message: &ClientJsonRpcMessage) -> serde_json::Result<Vec<u8>> {
        let mut message = serde_json::to_value(message)?;
        let opens = message.get("method").is_some_and(|method| method == "initialize");
        if let Some(params) = message.get_mut("params").and_then(Value::as_object_mut) {
            if opens {
                params.insert("clientInfo".to_owned(), self.info.clone());
                params.insert("capabilities".to_owned(), self.capabilities.clone());
            }
            if let Some(meta) = params.get_mut("_meta").and_then(Value::as_object_mut) {
                for (key, value) in [(META_INFO, &self.info), (META_CAPABILITIES, &self.capabilities)] {
                    if let Some(place) = meta.get_mut(key) {
                        *place = value.clone();
                    }
                }
            }
        }
        serde_json::to_vec(&message)
    }
}

/// What rmcp believes that we are; see [`Face::encode`].
pub(super) fn config(protocol: ProtocolVersion) -> ClientConfig {
    ClientConfig::new(ClientCapabilities::default(), Implementation::new("mcp-pin", "1"))
        .with_protocol_version(protocol)
}

/// The header `User-Agent`.
pub(super) fn agent(client: &Client) -> String {
    match &client.name {
        Some(name) => format!("{name}/1"),
        None => profiles::of(client).unwrap_or(&PROFILES[0]).agent.to_owned(),
    }
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

    /// The parameters of a message that a client sends with these.
    fn sent(client: &Client, method: &str, params: Value) -> Value {
        let message = serde_json::json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let message = serde_json::from_value(message).expect("a message");
        let bytes = Face::of(client).encode(&message).expect("encoded");
        serde_json::from_slice::<Value>(&bytes).expect("JSON")["params"].clone()
    }

    #[test]
    fn every_capability_of_a_profile_goes_out_as_it_is() {
        for profile in &PROFILES {
            let params = serde_json::to_value(config(ProtocolVersion::V_2025_11_25)).expect("serialisable");
            let said = sent(&Client::of_profile(profile.id), "initialize", params);
            assert_eq!(said["capabilities"], serde_json::from_str::<Value>(profile.capabilities).expect("JSON"));
            assert_eq!(said["clientInfo"], serde_json::from_str::<Value>(profile.info).expect("JSON"));
            assert_eq!(said["protocolVersion"], "2025-11-25");
        }
    }

    #[test]
    fn what_the_user_gives_replaces_the_profile_s() {
        let capabilities = json::parse(r#"{"x-novel":{"a":1}}"#).expect("valid");
        let client = Client {
            name: Some("other".to_owned()),
            capabilities: capabilities.as_object().cloned(),
            ..Client::of_profile("codex/1")
        };
        let meta = serde_json::json!({ "_meta": { META_INFO: {"name": "", "version": ""}, META_CAPABILITIES: {}, "kept": 1 } });
        let meta = sent(&client, "tools/list", meta)["_meta"].clone();
        assert_eq!(meta[META_CAPABILITIES], serde_json::json!({ "x-novel": { "a": 1 } }));
        assert_eq!((&meta[META_INFO]["name"], &meta[META_INFO]["title"]), (&"other".into(), &"Codex".into()));
        assert_eq!(meta["kept"], 1);
        assert_eq!(agent(&client), "other/1");
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
