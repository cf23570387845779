//! The capture and the reader of lockfiles, on what none of the published servers has: several pages of each kind, and
//! user interfaces.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::capture::{Client, Kind, capture_http, capture_stdio};
use crate::common::{Project, scripted_server, tool};
use crate::{lockfile, skipped};

#[test]
fn every_page_of_each_kind_and_each_user_interface_of_a_scripted_server_is_pinned_as_it_is() {
    if skipped() {
        return;
    }
    let script = script();
    let mut project = Project::with_server("over-stdio", &script);
    let serving = project.http_server("over-http", &script);
    project.pin();
    let arguments = ["over-stdio.json".to_owned()];
    let raw = capture_stdio(&scripted_server(), &arguments, &[], &project.path(""), Client::FULL).expect("captured");
    assert_eq!(raw.items, capture_http(&serving.url(), Client::FULL).expect("captured").items);
    for name in ["over-stdio", "over-http"] {
        let pinned = lockfile::pinned(&project.lockfile(), name);
        pinned.expect(&raw);
        let kinds = [Kind::Tool, Kind::Prompt, Kind::Resource, Kind::Template, Kind::Interface];
        assert_eq!(pinned.counts(), BTreeMap::from(kinds.map(|kind| (kind, 3))));
    }
    project.check().expect_status(0).expect_stderr(&[]);
}

/// Three of each kind, on two pages.
fn script() -> Value {
    let showing = |name: &str, meta: Value| {
        let mut tool = tool(name, "Shows a board.");
        tool["_meta"] = meta;
        tool
    };
    let tools = [
        showing("a", json!({ "ui": { "resourceUri": "ui://a" } })),
        showing("b", json!({ "ui/resourceUri": "ui://b" })),
        showing(
            "c",
            json!({ "openai/outputTemplate": "ui://c", "ui": { "resourceUri": "https://elsewhere.example" } }),
        ),
    ];
    let prompt = |name: &str| json!({ "name": name, "title": "Greet", "description": "Greets\nall.", "arguments": [] });
    let resource = |name: &str| json!({ "uri": format!("file:///{name}"), "name": name, "title": "T", "size": 7 });
    let template = |name: &str| json!({ "uriTemplate": format!("file:///{name}/{{x}}"), "name": name, "x": null });
    let policy = json!({ "ui": { "csp": { "connectDomains": ["https://a.example"] } } });
    let text = |uri: &str| json!({ "contents": [{ "uri": uri, "text": "<p>Board</p>", "_meta": policy }] });
    json!({
        "capabilities": { "tools": {}, "prompts": {}, "resources": { "listChanged": false } },
        "listings": on_two_pages(&tools),
        "prompts": on_two_pages(&["d", "e", "f"].map(prompt)),
        "resources": on_two_pages(&["g", "h", "i"].map(resource)),
        "templates": on_two_pages(&["j", "k", "l"].map(template)),
        "contents": {
            "ui://a": text("ui://a"),
            "ui://b": text("ui://b"),
            "ui://c": { "contents": [{ "uri": "ui://c", "mimeType": "text/html", "blob": "PHA+" }, { "uri": "ui://d" }] },
        },
    })
}

fn on_two_pages(entries: &[Value; 3]) -> Value {
    json!([[&entries[..2], &entries[2..]]])
}
