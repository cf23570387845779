//! Parameters that a tool wants mirrored into headers of HTTP (2026-07-28, Server Features, Tools, x-mcp-header).
//!
//! A client over HTTP must leave out a tool whose schema breaks one of the rules, and one over stdio may ignore them: the
//! same server offers other tools to other clients.

use std::collections::BTreeMap;

use super::inspect::baseline;
use super::schema::visit;
use crate::finding::{Finding, rule};
use crate::json::{Object, Pointer, Value};
use crate::launch::names_a_secret;
use crate::text;

/// The key under which a property's schema names its header.
const KEY: &str = "x-mcp-header";

/// Every use of a header in a tool's input schema that breaks a rule, each with what is wrong.
pub(super) fn misused(tool: &Object) -> Vec<Finding> {
    let root = Pointer::of(["inputSchema"]);
    let mut findings = Vec::new();
    let mut used: BTreeMap<String, Pointer> = BTreeMap::new();
    let Some(schema) = tool.get("inputSchema") else { return findings };
    visit(schema, &root, &mut |property, at| {
        let Some(header) = property.get(KEY) else { return };
        let mut faults = Vec::new();
        faults.extend(fault_of_name(header));
        if let Some(name) = header.as_str().filter(|name| !name.is_empty()) {
            match used.get(&name.to_ascii_lowercase()) {
                Some(first) => {
                    let first = text::shorten(&first.to_string(), MOST_OF_A_PLACE).text.to_owned();
                    faults.push(format!("the same header is at {}", text::identifier(&first)));
                }
                None => drop(used.insert(name.to_ascii_lowercase(), at.clone())),
            }
        }
        match parameter(at) {
            None => faults.push("clients can't find the value: the way to it isn't `properties` alone".to_owned()),
            Some(name) => {
                faults.extend(fault_of_type(property.get("type")));
                if names_a_secret(name) {
                    faults.push(
                        "its name says that it may hold a secret, which everyone on the way would see".to_owned(),
                    );
                }
            }
        }
        if !faults.is_empty() {
            let finding = baseline(&rule::HEADER_MISUSE).at(at.join(KEY)).noting(faults.join("; "));
            findings.push(finding.between(None, Some(header.clone())));
        }
    });
    findings
}

/// The most characters of another place in a note.
const MOST_OF_A_PLACE: usize = 100;

/// What is wrong with a header's name: it must be a token (RFC 9110, section 5.6.2).
fn fault_of_name(header: &Value) -> Option<String> {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    match header.as_str() {
        None => Some("it is no string".to_owned()),
        Some("") => Some("it is empty".to_owned()),
        Some(name) if !name.bytes().all(is_token) => Some("it holds characters that no header's name has".to_owned()),
        Some(_) => None,
    }
}

/// What is wrong with the type of a parameter that goes into a header; one that may be null is left out when it is.
fn fault_of_type(kind: Option<&Value>) -> Option<String> {
    let fits = |kind: &Value| matches!(kind.as_str(), Some("string" | "integer" | "boolean"));
    let is_null = |kind: &Value| kind.as_str() == Some("null");
    let primitive = match kind {
        Some(Value::Array(kinds)) => kinds.iter().any(fits) && kinds.iter().all(|kind| fits(kind) || is_null(kind)),
        Some(kind) => fits(kind),
        None => false,
    };
    (!primitive).then(|| "its parameter's type isn't string, integer or boolean".to_owned())
}

/// The parameter that a schema within `inputSchema` describes, if it is reached by `properties` alone.
fn parameter(at: &Pointer) -> Option<&str> {
    let steps = at.segments().get(1..)?;
    let (pairs, rest) = steps.as_chunks::<2>();
    let by_properties = rest.is_empty() && pairs.iter().all(|[keyword, _]| keyword == "properties");
    let [_, name] = pairs.last().filter(|_| by_properties)?;
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn told(schema: &str) -> Vec<String> {
        let tool = parse(&format!(r#"{{"name":"t","inputSchema":{schema}}}"#)).expect(schema);
        misused(tool.as_object().expect("an object"))
            .into_iter()
            .map(|finding| format!("{} {}", finding.pointer, finding.note.unwrap_or_default()))
            .collect()
    }

    fn of_property(property: &str) -> Vec<String> {
        let at = "/inputSchema/properties/p/x-mcp-header ";
        let told = told(&format!(r#"{{"type":"object","properties":{{"p":{property}}}}}"#));
        told.into_iter().map(|told| told.replace(at, "")).collect()
    }

    #[test]
    fn headers_by_the_rules_are_not_told() {
        for kind in [r#""string""#, r#""integer""#, r#""boolean""#, r#"["string","null"]"#] {
            assert_eq!(of_property(&format!(r#"{{"type":{kind},"x-mcp-header":"Region"}}"#)), Vec::<String>::new());
        }
        let nested = r#"{"properties":{"properties":{"properties":{"items":{"type":"string","x-mcp-header":"A"}}},
            "default":{"default":{"x-mcp-header":7}}}}"#;
        assert_eq!(told(nested), Vec::<String>::new());
    }

    #[test]
    fn a_name_must_be_a_token() {
        for (header, fault) in [
            (r#""""#, "it is empty"),
            ("7", "it is no string"),
            (r#""a b""#, "it holds characters that no header's name has"),
            (r#""a\r\nb""#, "it holds characters that no header's name has"),
            (r#""Régio""#, "it holds characters that no header's name has"),
        ] {
            assert_eq!(of_property(&format!(r#"{{"type":"string","x-mcp-header":{header}}}"#)), [fault]);
        }
    }

    #[test]
    fn a_parameter_must_have_a_primitive_type() {
        for kind in
            [r#""type":"number","#, r#""type":"array","#, r#""type":["string","object"],"#, r#""type":["null"],"#, ""]
        {
            assert_eq!(
                of_property(&format!(r#"{{{kind}"x-mcp-header":"A"}}"#)),
                ["its parameter's type isn't string, integer or boolean"]
            );
        }
    }

    #[test]
    fn one_header_is_for_one_parameter_whatever_its_case() {
        let schema = r#"{"properties":{"a":{"type":"string","x-mcp-header":"Region"},"b":{"type":"string","x-mcp-header":"REGION"}}}"#;
        assert_eq!(
            told(schema),
            ["/inputSchema/properties/b/x-mcp-header the same header is at /inputSchema/properties/a"]
        );
    }

    #[test]
    fn a_value_that_is_not_reached_by_properties_alone_is_told() {
        let leaf = r#"{"type":"string","x-mcp-header":"A"}"#;
        for (schema, place) in [
            (format!(r#"{{"items":{leaf}}}"#), "/items"),
            (format!(r#"{{"anyOf":[{{"properties":{{"a":{leaf}}}}}]}}"#), "/anyOf/0/properties/a"),
            (format!(r#"{{"properties":{{"a":{{"items":{leaf}}}}}}}"#), "/properties/a/items"),
            (format!(r#"{{"$defs":{{"a":{leaf}}}}}"#), "/$defs/a"),
            (leaf.to_owned(), ""),
        ] {
            let expected = format!(
                "/inputSchema{place}/x-mcp-header clients can't find the value: the way to it isn't `properties` alone"
            );
            assert_eq!(told(&schema), [expected]);
        }
    }

    #[test]
    fn a_parameter_for_a_secret_is_told() {
        let found = told(r#"{"properties":{"api_key":{"type":"string","x-mcp-header":"Key"}}}"#);
        assert!(found[0].contains("may hold a secret"), "{found:?}");
    }
}
