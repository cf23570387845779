//! User interfaces that tools point to, and what of them is pinned.
//!
//! A tool can name a resource that a client shows as its user interface (the extension `io.modelcontextprotocol/ui`,
//! SEP-1865). The tool's bytes stay the same while that resource changes, so it is read and pinned too: whole, but for its
//! body, which is too large to review and stands in as its digest.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use super::{Item, ItemError, Kind};
use crate::json::{self, Object, Pointer, Value};

/// Where a tool names a user interface: the extension's two spellings and its forerunner's.
const PLACES: [&[&str]; 3] = [&["ui", "resourceUri"], &["ui/resourceUri"], &["openai/outputTemplate"]];
/// The scheme of resources that are user interfaces.
const SCHEME: &str = "ui://";
/// The members of a content that hold its body (2025-11-25, Server Features, Resources, Resource Contents).
const BODIES: [&str; 2] = ["text", "blob"];

/// The user interfaces that a tool points to, each with its place.
pub fn pointers(tool: &Object) -> Vec<(Pointer, &str)> {
    let Some(meta) = tool.get("_meta") else { return Vec::new() };
    let place = |path: &[&'static str]| {
        let target = path.iter().try_fold(meta, |value, key| value.get(key))?.as_str()?;
        Some((Pointer::of(std::iter::once("_meta").chain(path.iter().copied())), target))
    };
    let mut found: Vec<(Pointer, &str)> = Vec::new();
    for (pointer, target) in PLACES.iter().filter_map(|path| place(path)) {
        if found.iter().all(|(_, known)| *known != target) {
            found.push((pointer, target));
        }
    }
    found
}

/// Whether what this address names is read and pinned.
pub fn is_pinned(uri: &str) -> bool {
    uri.starts_with(SCHEME)
}

/// The addresses of all user interfaces that these items point to and that are read, once each and in order.
pub fn addresses(items: &[Item]) -> Vec<String> {
    // Only an object with a member `_meta`, however it is spelled, takes a closer look.
    let may_point =
        |item: &&Item| item.kind == Kind::Tool && (item.raw().contains("_meta") || item.raw().contains("\\u"));
    let mut addresses = std::collections::BTreeSet::new();
    for tool in items.iter().filter(may_point) {
        let object = tool.object();
        addresses
            .extend(pointers(&object).into_iter().map(|(_, uri)| uri).filter(|uri| is_pinned(uri)).map(str::to_owned));
    }
    addresses.into_iter().collect()
}

/// The item that an answer to `resources/read` comes to: its contents, each body replaced by `sha256-` and the base64 of
/// its SHA-256, and the entries of the list that are about it, where they aren't items themselves.
///
/// # Errors
/// When the text isn't strict JSON, no object, no complete answer (2026-07-28, Basic Protocol, `resultType`), or has no
/// contents.
pub fn from_answer(uri: &str, raw: &str, listed: &[&Item]) -> Result<Item, ItemError> {
    let value = json::parse(raw).map_err(ItemError::Json)?;
    let Value::Object(answer) = value else { return Err(ItemError::NotAnObject) };
    if answer.get("resultType").is_some_and(|kind| kind.as_str() != Some("complete")) {
        return Err(ItemError::Incomplete);
    }
    let contents = answer.get("contents").and_then(Value::as_array).ok_or(ItemError::NoContents)?;
    let contents = contents.iter().map(without_body).collect();
    let mut object = Object::new();
    object.insert("contents", Value::Array(contents));
    insert_listed(&mut object, listed);
    Ok(Item::from_object(Kind::Interface, uri, object))
}

/// The item for a user interface that the server refuses to give: clients can't show it, until one day they can.
pub fn refused(uri: &str, code: i64, listed: &[&Item]) -> Item {
    let mut error = Object::new();
    error.insert("code", json::parse(&code.to_string()).unwrap_or(Value::Null));
    let mut object = Object::new();
    object.insert("error", Value::Object(error));
    insert_listed(&mut object, listed);
    Item::from_object(Kind::Interface, uri, object)
}

/// Whether the server refused to give this interface.
pub fn is_refused(interface: &Object) -> bool {
    interface.contains_key("error")
}

fn insert_listed(object: &mut Object, listed: &[&Item]) {
    if !listed.is_empty() {
        let mut entries = listed.to_vec();
        entries.sort_by(|one, other| one.digest.cmp(&other.digest));
        object.insert("listed", Value::Array(entries.iter().map(|entry| Value::Object(entry.object())).collect()));
    }
}

fn without_body(content: &Value) -> Value {
    let Value::Object(content) = content else { return content.clone() };
    let mut content = content.clone();
    for key in BODIES {
        if let Some(Value::String(body)) = content.get(key) {
            let digest = format!("sha256-{}", STANDARD.encode(Sha256::digest(body.as_bytes())));
            content.insert(key, Value::from(digest.as_str()));
        }
    }
    Value::Object(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(raw: &str) -> Item {
        Item::from_raw(Kind::Tool, raw).expect(raw)
    }

    #[test]
    fn each_spelling_of_a_pointer_is_found_once() {
        for meta in [
            r#"{"ui":{"resourceUri":"ui://x"}}"#,
            r#"{"ui/resourceUri":"ui://x"}"#,
            r#"{"openai/outputTemplate":"ui://x"}"#,
            r#"{"ui":{"resourceUri":"ui://x"},"ui/resourceUri":"ui://x"}"#,
        ] {
            for key in ["_meta", "\\u005fmeta"] {
                assert_eq!(
                    addresses(&[tool(&format!(r#"{{"name":"t","{key}":{meta}}}"#))]),
                    ["ui://x"],
                    "{key} {meta}"
                );
            }
        }
        for meta in
            [r#"{"ui":{"resourceUri":7}}"#, r#"{"ui":"ui://x"}"#, r#"{"ui":{"resourceUri":"https://x"}}"#, "null"]
        {
            assert!(addresses(&[tool(&format!(r#"{{"name":"t","_meta":{meta}}}"#))]).is_empty(), "{meta}");
        }
    }

    #[test]
    fn every_member_counts_and_the_body_by_its_digest() {
        let item = |contents: &str| {
            from_answer("ui://x", &format!(r#"{{"contents":{contents},"_meta":{{}}}}"#), &[]).expect("valid")
        };
        let one = item(r#"[{"uri":"ui://x","mimeType":"text/html","text":"<p>","_meta":{"ui":{"csp":{}}}}]"#);
        assert_eq!((one.kind, one.name.as_str()), (Kind::Interface, "ui://x"));
        assert!(one.raw().contains("sha256-") && !one.raw().contains("<p>"));
        for other in [
            r#"[{"uri":"ui://x","mimeType":"text/html","text":"<b>","_meta":{"ui":{"csp":{}}}}]"#,
            r#"[{"uri":"ui://x","mimeType":"text/html","text":"<p>","_meta":{"ui":{"csp":{"connectDomains":["https://a.example"]}}}}]"#,
            r#"[{"uri":"ui://x","mimeType":"text/html","blob":"<p>","_meta":{"ui":{"csp":{}}}}]"#,
            r#"[{"uri":"ui://x","mimeType":"text/html","text":["<p>"],"_meta":{"ui":{"csp":{}}}}]"#,
            "[]",
        ] {
            assert_ne!(item(other).digest, one.digest, "{other}");
        }
        assert_ne!(refused("ui://x", -32002, &[]).digest, item("[]").digest);
    }

    #[test]
    fn an_answer_without_contents_is_none() {
        let error = |raw| from_answer("ui://x", raw, &[]).expect_err("no item");
        assert_eq!(error("{}"), ItemError::NoContents);
        assert_eq!(error(r#"{"contents":{}}"#), ItemError::NoContents);
        assert_eq!(error("[]"), ItemError::NotAnObject);
        assert_eq!(error(r#"{"contents":[],"resultType":"input_required"}"#), ItemError::Incomplete);
        assert!(matches!(error(r#"{"contents":[{"a":1,"a":2}]}"#), ItemError::Json(_)));
    }
}
