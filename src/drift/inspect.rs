//! What can be said of a surface without anything to compare it with.

use std::collections::{BTreeMap, BTreeSet};

use super::compare::duplicates;
use super::schema::visit;
use super::{about, hidden, malformed, order, unusual};
use crate::finding::{Finding, Level, Rule, rule};
use crate::json::{self, Object, Pointer, Value};
use crate::surface::{Item, Kind, Resources, Surface, interface};

/// Names everything that needs no baseline, at the rules' level without one: what a reviewer should know before the
/// surface is approved.
pub fn inspect(surface: &Surface) -> Vec<Finding> {
    let mut findings = of_server(surface);
    findings.extend(unusual::of_server(&surface.about));
    let interfaces = interfaces(surface);
    let mut names: BTreeMap<(Kind, &str), Vec<&Item>> = BTreeMap::new();
    for item in &surface.items {
        findings.extend(of_item(item, &interfaces));
        findings.extend(unusual::of_item(item));
        names.entry((item.kind, &item.name)).or_default().push(item);
    }
    for items in names.values().filter(|items| items.len() > 1) {
        // Hidden characters were found item by item.
        findings
            .extend(duplicates(&[], items).into_iter().filter(|finding| finding.rule.id == rule::DUPLICATE_NAME.id));
    }
    order::sort(&mut findings);
    findings
}

/// What of [`inspect`] is worth knowing and fails nothing: text that was approved as it is stays approved.
pub fn notices(surface: &Surface) -> Vec<Finding> {
    let mut findings = of_server(surface);
    // Hidden characters are no notice, so most items need no close look.
    let unusual = surface.items.iter().filter(|item| item.kind != Kind::Tool || is_ordinary(item.raw()) != Ok(true));
    let interfaces = interfaces(surface);
    findings.extend(unusual.flat_map(|item| of_item(item, &interfaces)));
    findings.retain(|finding| finding.level == Level::Notice);
    order::sort(&mut findings);
    findings
}

/// Whether a tool's text shows at first sight that there is no notice of it; false if it takes a closer look.
fn is_ordinary(raw: &str) -> Result<bool, json::Error> {
    // Any spelling of `$ref` and its relatives ends so, but for one with escapes.
    if raw.contains("Ref\"") || raw.contains("$ref\"") || raw.contains("\\u") || raw.contains("\"_meta\"") {
        return Ok(false);
    }
    let (mut ordinary, mut has_schema) = (true, false);
    json::Reader::new(raw, json::MAX_DEPTH).object(|key, reader| {
        let expected = match key {
            "title" | "description" => json::Kind::String,
            "icons" => json::Kind::Array,
            "outputSchema" | "execution" => json::Kind::Object,
            "inputSchema" | "annotations" if reader.peek()? == json::Kind::Object => {
                has_schema |= key == "inputSchema";
                let mut is_object = key == "annotations";
                reader.object(|key, reader| {
                    let kind = reader.peek()?;
                    ordinary &= match (is_object, key) {
                        (_, "title") => kind == json::Kind::String,
                        (_, "properties") => kind == json::Kind::Object,
                        (_, "required") => kind == json::Kind::Array,
                        (_, key) if key.ends_with("Hint") => kind == json::Kind::Bool,
                        _ => true,
                    };
                    let text = reader.raw()?;
                    is_object |= key == "type" && text == "\"object\"";
                    Ok(())
                })?;
                ordinary &= is_object;
                return Ok(());
            }
            "inputSchema" | "annotations" => json::Kind::Object,
            _ => reader.peek()?,
        };
        ordinary &= reader.peek()? == expected;
        reader.raw().map(drop)
    })?;
    Ok(ordinary && has_schema)
}

/// A finding at the level that its rule has without a baseline.
pub(super) fn baseline(rule: &'static Rule) -> Finding {
    Finding::new(rule).at_level(rule.baseline.unwrap_or(rule.change))
}

fn of_server(surface: &Surface) -> Vec<Finding> {
    let whole = about::whole(&surface.about);
    // A saved listing is of items only.
    let is_told = !surface.protocol.is_empty();
    let mut findings = if is_told { malformed::of_server(&surface.about) } else { Vec::new() };
    findings.extend(hidden::differences(None, &whole, &Pointer::root()));
    let changes = ["capabilities", "tools", "listChanged"];
    if whole.get(changes[0]).and_then(|value| value.get(changes[1])?.get(changes[2])) == Some(&Value::Bool(true)) {
        findings.push(baseline(&rule::LISTING_DYNAMIC).at(Pointer::of(changes)).between(None, Some(Value::Bool(true))));
    }
    if !surface.has(Kind::Tool) {
        findings.push(baseline(&rule::NO_TOOLS));
    }
    if surface.resources == Resources::Changing {
        findings.push(baseline(&rule::RESOURCES_UNPINNED).at(Pointer::of(["capabilities", "resources"])));
    }
    findings
}

/// The addresses of the user interfaces that were read.
fn interfaces(surface: &Surface) -> BTreeSet<&str> {
    let read = surface.items.iter().filter(|item| item.kind == Kind::Interface);
    read.map(|item| item.name.as_str()).collect()
}

fn of_item(item: &Item, interfaces: &BTreeSet<&str>) -> Vec<Finding> {
    let object = item.object();
    let mut findings = malformed::of_item(item.kind, &object);
    for key in ["inputSchema", "outputSchema"] {
        if let Some(schema) = object.get(key) {
            findings.extend(remote_references(schema, &Pointer::of([key])));
        }
    }
    match item.kind {
        Kind::Tool => findings.extend(unpinned_content(&object, interfaces)),
        Kind::Interface if interface::is_refused(&object) => findings
            .push(baseline(&rule::UNPINNED_CONTENT).at(Pointer::of(["error"])).noting("the server refused to give it")),
        _ => {}
    }
    findings.extend(hidden::differences(None, &Value::Object(object), &Pointer::root()));
    findings.into_iter().map(|finding| finding.of_item(item.kind, &item.name)).collect()
}

/// References that lead out of the schema they stand in (2020-12 core, sections 8.2.3 and 9.3).
fn remote_references(schema: &Value, at: &Pointer) -> Vec<Finding> {
    let mut known = BTreeSet::new();
    visit(schema, at, &mut |object, _| {
        known.extend(["$id", "id"].iter().filter_map(|key| object.get(key)?.as_str()));
    });
    let mut findings = Vec::new();
    visit(schema, at, &mut |object, at| {
        for key in ["$ref", "$dynamicRef", "$recursiveRef"] {
            let Some(target) = object.get(key).and_then(Value::as_str) else { continue };
            let document = target.split('#').next().unwrap_or_default();
            let local = document.is_empty() || known.iter().any(|id| id.trim_end_matches('#') == document);
            if !local {
                let finding = baseline(&rule::REMOTE_REFERENCE).at(at.join(key));
                findings.push(finding.between(None, Some(Value::from(target))));
            }
        }
    });
    findings
}

/// Where a tool points to a user interface that wasn't read.
fn unpinned_content(tool: &Object, interfaces: &BTreeSet<&str>) -> Vec<Finding> {
    let unpinned = interface::pointers(tool).into_iter().filter(|(_, uri)| !interfaces.contains(uri));
    let finding = |(pointer, uri): (Pointer, &str)| {
        baseline(&rule::UNPINNED_CONTENT).at(pointer).between(None, Some(Value::from(uri)))
    };
    unpinned.map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;
    use crate::surface::About;

    fn surface(about: &str, items: &[&str]) -> Surface {
        let items = items.iter().map(|raw| Item::from_raw(Kind::Tool, raw).expect(raw)).collect();
        let about = parse(about).expect(about);
        Surface::new("2025-11-25".to_owned(), About::from_answer(about.as_object().expect("an object")), items)
    }

    fn of_tool(raw: &str) -> Vec<String> {
        let about = r#"{"serverInfo":{"name":"s","version":"1"},"capabilities":{}}"#;
        inspect(&surface(about, &[raw]))
            .iter()
            .map(|finding| format!("{} {}", finding.rule.id, finding.pointer))
            .collect()
    }

    #[test]
    fn an_ordinary_tool_has_nothing_to_tell() {
        let tool = r##"{"name":"t","title":"T","description":"x","inputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}}},
            "annotations":{"readOnlyHint":true},"outputSchema":{"type":"object"},"_meta":{}}"##;
        assert_eq!(of_tool(tool), Vec::<String>::new());
    }

    #[test]
    fn references_that_lead_elsewhere_are_told() {
        let tool = r##"{"name":"t","inputSchema":{"type":"object","$id":"https://a.example/t","$schema":"https://json-schema.org/draft/2020-12/schema",
            "properties":{"a":{"$ref":"https://b.example/s.json"},"b":{"$ref":"https://a.example/t#/x"},"c":{"items":{"$dynamicRef":"other.json#y"}},
            "$ref":{"default":{"$ref":"https://c.example"}}}}}"##;
        assert_eq!(
            of_tool(tool),
            [
                "remote-reference /inputSchema/properties/a/$ref",
                "remote-reference /inputSchema/properties/c/items/$dynamicRef"
            ]
        );
    }

    #[test]
    fn user_interfaces_that_are_not_read_are_told_once() {
        let tool = |meta: &str| of_tool(&format!(r#"{{"name":"t","inputSchema":{{"type":"object"}},"_meta":{meta}}}"#));
        assert_eq!(tool(r#"{"ui":{"resourceUri":"https://x"}}"#), ["unpinned-content /_meta/ui/resourceUri"]);
        assert_eq!(tool(r#"{"openai/outputTemplate":"x:y"}"#), ["unpinned-content /_meta/openai~1outputTemplate"]);
        assert_eq!(tool(r#"{"ui":{"resourceUri":"x:y"},"ui/resourceUri":"x:y"}"#).len(), 1);
        assert_eq!(tool(r#"{"ui":{"resourceUri":"ui://x"}}"#), ["unpinned-content /_meta/ui/resourceUri"]);
    }

    #[test]
    fn a_user_interface_that_is_read_is_told_only_where_the_server_refused_it() {
        let raw = r#"{"name":"t","inputSchema":{"type":"object"},"_meta":{"ui":{"resourceUri":"ui://x"}}}"#;
        let about = About::from_answer(
            parse(r#"{"serverInfo":{"name":"s"},"capabilities":{}}"#).expect("valid").as_object().expect("an object"),
        );
        let told = |interface: Item| -> Vec<String> {
            let items = vec![Item::from_raw(Kind::Tool, raw).expect(raw), interface];
            let found = inspect(&Surface::new("2025-11-25".to_owned(), about.clone(), items));
            found.iter().map(|finding| format!("{} {}", finding.rule.id, finding.pointer)).collect()
        };
        let read = interface::from_answer("ui://x", r#"{"contents":[]}"#, &[]).expect("valid");
        assert_eq!(told(read), Vec::<String>::new());
        assert_eq!(told(interface::refused("ui://x", -32002, &[])), ["unpinned-content /error"]);
    }

    #[test]
    fn two_tools_of_one_name_are_told_once_whatever_their_order() {
        let (one, other) =
            (r#"{"name":"t","inputSchema":{"type":"object"}}"#, r#"{"name":"t","description":"\u200b"}"#);
        let about = r#"{"serverInfo":{"name":"s"},"capabilities":{}}"#;
        let found = inspect(&surface(about, &[one, other]));
        assert_eq!(found, inspect(&surface(about, &[other, one])));
        let rules: Vec<_> = found.iter().map(|finding| (finding.rule.id, finding.level)).collect();
        assert_eq!(
            rules,
            [
                ("duplicate-name", Level::Danger),
                ("hidden-characters", Level::Danger),
                ("malformed-member", Level::Notice)
            ]
        );
        assert_eq!(found[0].new.as_ref().and_then(Value::as_array).map(<[Value]>::len), Some(2));
    }

    #[test]
    fn hidden_characters_in_instructions_are_told() {
        let about = r#"{"serverInfo":{"name":"s","version":"1\u200b"},"capabilities":{},"instructions":"\u202ex"}"#;
        let found = inspect(&surface(about, &[r#"{"name":"t","inputSchema":{"type":"object"}}"#]));
        let places: Vec<_> = found.iter().map(|finding| finding.pointer.to_string()).collect();
        assert_eq!(places, ["/instructions", "/serverInfo/version"]);
    }

    #[test]
    fn notices_leave_out_what_would_fail() {
        let about =
            r#"{"serverInfo":{"name":"s"},"capabilities":{"tools":{"listChanged":true}},"instructions":"\u200b"}"#;
        let surface = surface(about, &[]);
        let rules: Vec<_> = notices(&surface).iter().map(|finding| finding.rule.id).collect();
        assert_eq!(rules, ["listing-dynamic", "no-tools"]);
        assert_eq!(inspect(&surface).len(), 3);
    }
}
