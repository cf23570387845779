//! Members that haven't the type that the specification gives them. They are pinned as they are.

use super::annotations::hints;
use super::inspect::baseline;
use crate::finding::{Finding, rule};
use crate::json::{Object, Pointer, Value};
use crate::surface::{About, Kind};

/// A type that a member may be expected to have.
#[derive(Clone, Copy)]
enum Expected {
    String,
    Boolean,
    Object,
    Array,
}

impl Expected {
    fn fits(self, value: &Value) -> bool {
        match self {
            Expected::String => matches!(value, Value::String(_)),
            Expected::Boolean => matches!(value, Value::Bool(_)),
            Expected::Object => matches!(value, Value::Object(_)),
            Expected::Array => matches!(value, Value::Array(_)),
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Expected::String => "a string",
            Expected::Boolean => "a boolean",
            Expected::Object => "an object",
            Expected::Array => "an array",
        }
    }
}

/// What of an item has the wrong type (2025-11-25, Schema Reference).
pub(super) fn of_item(kind: Kind, item: &Object) -> Vec<Finding> {
    let members: &[(&str, Expected)] = match kind {
        Kind::Tool => return of_tool(item),
        Kind::Prompt => &[("arguments", Expected::Array)],
        Kind::Resource | Kind::Template => {
            &[("name", Expected::String), ("mimeType", Expected::String), ("annotations", Expected::Object)]
        }
        Kind::Interface => &[],
    };
    let common = [
        ("title", Expected::String),
        ("description", Expected::String),
        ("icons", Expected::Array),
        ("_meta", Expected::Object),
    ];
    let all = common.iter().chain(members);
    all.filter_map(|(key, expected)| mistyped(item, key, *expected, &Pointer::root())).collect()
}

/// What of a tool has the wrong type (2025-11-25, Server Features, Tools, `Tool`).
fn of_tool(tool: &Object) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (key, expected) in [
        ("title", Expected::String),
        ("description", Expected::String),
        ("inputSchema", Expected::Object),
        ("outputSchema", Expected::Object),
        ("annotations", Expected::Object),
        ("icons", Expected::Array),
        ("execution", Expected::Object),
        ("_meta", Expected::Object),
    ] {
        findings.extend(mistyped(tool, key, expected, &Pointer::root()));
    }
    match tool.get("inputSchema") {
        None => findings.push(missing("inputSchema")),
        Some(Value::Object(schema)) => findings.extend(of_input(schema)),
        Some(_) => {}
    }
    if let Some(Value::Object(annotations)) = tool.get("annotations") {
        let at = Pointer::of(["annotations"]);
        findings.extend(mistyped(annotations, "title", Expected::String, &at));
        findings.extend(hints().filter_map(|key| mistyped(annotations, key, Expected::Boolean, &at)));
    }
    findings
}

fn of_input(schema: &Object) -> Vec<Finding> {
    let at = Pointer::of(["inputSchema"]);
    let mut findings = Vec::new();
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        let finding = baseline(&rule::MALFORMED_MEMBER).at(at.join("type")).noting("expected \"object\"");
        findings.push(finding.between(None, schema.get("type").cloned()));
    }
    findings.extend(mistyped(schema, "properties", Expected::Object, &at));
    findings.extend(mistyped(schema, "required", Expected::Array, &at));
    findings
}

/// What of a server's own account has the wrong type.
pub(super) fn of_server(about: &About) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (key, expected) in
        [("serverInfo", Expected::Object), ("capabilities", Expected::Object), ("instructions", Expected::String)]
    {
        findings.extend(mistyped(&about.members, key, expected, &Pointer::root()));
    }
    for key in ["serverInfo", "capabilities"] {
        if !about.members.contains_key(key) {
            findings.push(missing(key));
        }
    }
    if let Some(Value::Object(info)) = about.members.get("serverInfo") {
        for key in ["name", "version"] {
            findings.extend(mistyped(info, key, Expected::String, &Pointer::of(["serverInfo"])));
        }
    }
    findings
}

fn mistyped(object: &Object, key: &str, expected: Expected, at: &Pointer) -> Option<Finding> {
    let value = object.get(key).filter(|value| !expected.fits(value))?;
    let finding = baseline(&rule::MALFORMED_MEMBER).at(at.join(key)).between(None, Some(value.clone()));
    Some(finding.noting(format!("expected {}", expected.as_str())))
}

fn missing(key: &str) -> Finding {
    baseline(&rule::MALFORMED_MEMBER).at(Pointer::of([key])).noting("missing")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn told(tool: &str) -> Vec<String> {
        let tool = parse(tool).expect(tool);
        of_tool(tool.as_object().expect("an object"))
            .into_iter()
            .map(|finding| format!("{} {}", finding.pointer, finding.note.unwrap_or_default()))
            .collect()
    }

    #[test]
    fn members_of_the_wrong_type_are_told() {
        assert_eq!(told(r#"{"name":"t"}"#), ["/inputSchema missing"]);
        assert_eq!(told(r#"{"name":"t","inputSchema":true}"#), ["/inputSchema expected an object"]);
        assert_eq!(told(r#"{"name":"t","inputSchema":{}}"#), ["/inputSchema/type expected \"object\""]);
        assert_eq!(
            told(
                r#"{"name":"t","title":null,"inputSchema":{"type":"object","properties":[]},"annotations":{"readOnlyHint":"yes"}}"#
            ),
            [
                "/title expected a string",
                "/inputSchema/properties expected an object",
                "/annotations/readOnlyHint expected a boolean"
            ]
        );
    }

    #[test]
    fn each_kind_has_its_own_members() {
        let item = parse(r#"{"arguments":{},"mimeType":7,"title":[],"annotations":[]}"#).expect("valid");
        let places = |kind| -> Vec<String> {
            let found = of_item(kind, item.as_object().expect("an object"));
            found.iter().map(|finding| finding.pointer.to_string()).collect()
        };
        assert_eq!(places(Kind::Prompt), ["/title", "/arguments"]);
        assert_eq!(places(Kind::Resource), ["/title", "/mimeType", "/annotations"]);
    }

    #[test]
    fn a_server_without_a_name_for_itself_is_told() {
        let answer = parse(r#"{"serverInfo":null,"instructions":[]}"#).expect("valid");
        let about = About::from_answer(answer.as_object().expect("an object"));
        let places: Vec<_> = of_server(&about).iter().map(|finding| finding.pointer.to_string()).collect();
        assert_eq!(places, ["/serverInfo", "/instructions", "/capabilities"]);
    }
}
