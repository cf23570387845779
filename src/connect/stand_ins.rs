//! What rmcp is handed in place of payloads: the least that it accepts.

use rmcp::model::ServerJsonRpcMessage;
use serde_json::json;

use super::catalogue::{PROMPTS, RESOURCES, TEMPLATES};
use super::tap::{DISCOVER, Effect, INITIALIZE, RESOURCES_READ};
use crate::json;

/// The strings in `supportedVersions` (of a result) or `supported` (of an error's data).
pub(super) fn supported_versions(raw: &str) -> Option<Vec<String>> {
    let value = json::parse(raw).ok()?;
    let versions = value.get("supportedVersions").or_else(|| value.get("supported"))?;
    Some(versions.as_array()?.iter().filter_map(|version| version.as_str().map(str::to_owned)).collect())
}

/// The least that rmcp accepts as an answer to that method.
pub(super) fn stand_in(id: i64, method: &str, raw: &str) -> Effect {
    let result = match method {
        INITIALIZE => {
            let version = json::parse(raw).ok();
            let version = version.as_ref().and_then(|result| result.get("protocolVersion")?.as_str());
            json!({
                "protocolVersion": version.unwrap_or_default(),
                "capabilities": {},
                "serverInfo": { "name": "", "version": "" },
            })
        }
        DISCOVER => json!({
            "resultType": "complete",
            "supportedVersions": supported_versions(raw).unwrap_or_default(),
            "capabilities": {},
            "ttlMs": 0,
            "cacheScope": "private",
        }),
        RESOURCES_READ => json!({ "contents": [] }),
        _ if method == PROMPTS.method => json!({ "prompts": [] }),
        _ if method == RESOURCES.method => json!({ "resources": [] }),
        _ if method == TEMPLATES.method => json!({ "resourceTemplates": [] }),
        _ => json!({ "tools": [] }),
    };
    Effect::Forward(Box::new(stand_in_from(json!({ "jsonrpc": "2.0", "id": id, "result": result }))))
}

pub(super) fn forward_error(id: i64, code: i64, supported: Option<Vec<String>>) -> Effect {
    Effect::Forward(Box::new(error_stand_in(id, code, supported)))
}

pub(super) fn error_stand_in(id: i64, code: i64, supported: Option<Vec<String>>) -> ServerJsonRpcMessage {
    // rmcp holds codes as 32-bit numbers; what lies beyond is no code that it knows.
    let code = i32::try_from(code).unwrap_or(-32603);
    stand_in_from(json!({
        "jsonrpc": "2.0",
        "id": id,
        "error": { "code": code, "message": "", "data": { "supported": supported.unwrap_or_default() } },
    }))
}

fn stand_in_from(message: serde_json::Value) -> ServerJsonRpcMessage {
    // Only our own constants and strings are in it, so it always reads; an empty error would still end the request.
    serde_json::from_value(message).unwrap_or_else(|_| ServerJsonRpcMessage::error(rmcp::ErrorData::default(), None))
}
