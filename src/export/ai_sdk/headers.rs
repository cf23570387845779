//! Tools that the SDK leaves out over HTTP because of their `x-mcp-header`.
//!
//! Since 2026-07-28 a schema may say that an argument travels in a header too. A client must leave a tool out that says so
//! in a way that can't work (2026-07-28, Basic, Transports, Custom Headers from Tool Parameters), as the SDK does by its
//! own reading of the rule.

use std::collections::BTreeSet;

use crate::json::{Object, Value};

const HEADER: &str = "x-mcp-header";

/// Where in a schema a part of it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// It is the schema itself.
    Root,
    /// `properties` alone lead to it, so that its value is always to be found.
    Property,
    /// Some other keyword leads to it.
    Elsewhere,
}

/// Whether the SDK leaves a tool with this input schema out.
pub(super) fn are_misused(schema: &Object) -> bool {
    !are_sound(schema, Place::Root, &mut BTreeSet::new())
}

/// Whether every header in this part can work, `names` being those before it.
fn are_sound(part: &Object, place: Place, names: &mut BTreeSet<String>) -> bool {
    if let Some(header) = part.get(HEADER) {
        let name = header.as_str().filter(|name| is_token(name));
        let can_be_text = matches!(part.get("type").and_then(Value::as_str), Some("boolean" | "integer" | "string"));
        // Names of headers have no case.
        let is_new = name.is_some_and(|name| names.insert(name.to_ascii_lowercase()));
        if place != Place::Property || !can_be_text || !is_new {
            return false;
        }
    }
    part.iter().filter(|(key, _)| *key != HEADER).all(|(key, member)| match member {
        Value::Object(properties) if key == "properties" => {
            let place = if place == Place::Elsewhere { place } else { Place::Property };
            properties.iter().filter_map(|(_, schema)| schema.as_object()).all(|part| are_sound(part, place, names))
        }
        Value::Object(part) => are_sound(part, Place::Elsewhere, names),
        _ => true,
    })
}

/// Whether a text can be a header's name (RFC 9110, section 5.6.2).
fn is_token(text: &str) -> bool {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_token)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn misused(schema: &str) -> bool {
        are_misused(parse(schema).expect("valid JSON").as_object().expect("an object"))
    }

    #[test]
    fn a_property_of_a_plain_type_may_name_a_header() {
        for schema in [
            "{}",
            r#"{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"integer","x-mcp-header":"B"}}}"#,
            r#"{"properties":{"a":{"type":"object","properties":{"b":{"type":"boolean","x-mcp-header":"X.y~z"}}}}}"#,
            // Arrays hold nothing for the SDK.
            r#"{"anyOf":[{"x-mcp-header":"A"}]}"#,
        ] {
            assert!(!misused(schema), "{schema}");
        }
    }

    #[test]
    fn what_can_not_work_is_misuse() {
        for schema in [
            r#"{"x-mcp-header":"A","type":"string"}"#,
            r#"{"items":{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}}"#,
            r#"{"properties":{"a":{"type":"number","x-mcp-header":"A"}}}"#,
            r#"{"properties":{"a":{"type":["string"],"x-mcp-header":"A"}}}"#,
            r#"{"properties":{"a":{"type":"string","x-mcp-header":""}}}"#,
            r#"{"properties":{"a":{"type":"string","x-mcp-header":"a b"}}}"#,
            r#"{"properties":{"a":{"type":"string","x-mcp-header":1}}}"#,
            r#"{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}}"#,
        ] {
            assert!(misused(schema), "{schema}");
        }
    }
}
