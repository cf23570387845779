//! The digests that `fingerprintTools(await client.tools())` of the Vercel AI SDK gives (`ai` 7.0.173 with `@ai-sdk/mcp`
//! 2.0.99, the newest at the end of November 2026).
//!
//! The SDK takes SHA-256 over a JSON text with sorted keys, in the URL's alphabet of base64 without padding. It looks at
//! what it makes of a tool and not at the tool: the description with a tag; the input schema, which it closes
//! (`additionalProperties` is `false` whatever the server says); and a title, from the tool or from its annotations. Hints,
//! the output schema, `_meta` and every other member don't count, so this is less than the lockfile's own digest.

mod headers;
mod refusal;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use crate::json::{Object, Value, canonical};
use crate::launch::Transport;
use crate::lock::LockedServer;

/// The revision of the protocol from which on the SDK reads `x-mcp-header` over HTTP.
const WITH_HEADERS: &str = "2026-07-28";

/// What the SDK does with a listing depends on the way that it comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wire {
    /// Every tool is taken.
    Plain,
    /// Arguments may travel in headers, and a tool that misuses them is left out.
    WithHeaders,
}

impl Wire {
    /// The way to a server, as its pin says.
    pub(super) fn of(server: &LockedServer) -> Self {
        match &server.launch.transport {
            Transport::Http { .. } if server.surface.protocol == WITH_HEADERS => Wire::WithHeaders,
            _ => Wire::Plain,
        }
    }
}

/// The digest of a tool.
///
/// # Errors
/// When the SDK's client makes no tool of the definition.
pub(super) fn fingerprint(definition: &Value, wire: Wire) -> Result<String, String> {
    let schema = refusal::input_schema(definition)?;
    if wire == Wire::WithHeaders && headers::are_misused(schema) {
        return Err("over HTTP the AI SDK leaves it out too: it misuses x-mcp-header".to_owned());
    }
    let text = format!(
        "{{\"description\":{},\"inputSchema\":{},\"title\":{}}}",
        description(definition),
        canonical(&Value::Object(closed(schema))),
        title(definition),
    );
    Ok(URL_SAFE_NO_PAD.encode(Sha256::digest(text)))
}

/// The description with its tag.
fn description(definition: &Value) -> String {
    match definition.get("description") {
        Some(text) => format!("{{\"type\":\"string\",\"value\":{}}}", canonical(text)),
        None => "{\"type\":\"none\"}".to_owned(),
    }
}

/// The title, else the one of the annotations. The SDK writes the word `undefined` where there is neither, which is no JSON
/// and is what its digest is of.
fn title(definition: &Value) -> String {
    let of_annotations = || definition.get("annotations")?.get("title");
    definition.get("title").or_else(of_annotations).map_or_else(|| "undefined".to_owned(), canonical)
}

/// The input schema as the SDK hands it to a model.
fn closed(schema: &Object) -> Object {
    let mut closed: Object = schema.iter().map(|(key, value)| (key.to_owned(), as_javascript(value))).collect();
    if !closed.contains_key("properties") {
        closed.insert("properties", Value::Object(Object::new()));
    }
    closed.insert("additionalProperties", Value::Bool(false));
    closed
}

/// What JavaScript writes of a value that it has read: numbers are doubles, and those beyond their range `null`.
fn as_javascript(value: &Value) -> Value {
    match value {
        Value::Number(number) => number.as_double().map_or(Value::Null, Value::Number),
        Value::Array(elements) => Value::Array(elements.iter().map(as_javascript).collect()),
        Value::Object(object) => {
            Value::Object(object.iter().map(|(key, member)| (key.to_owned(), as_javascript(member))).collect())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests;
