//! Whatever a server says: what is pinned checks clean, and pinning it again changes no byte.

use serde_json::{Value, json};

use crate::common::{Project, listing};
use crate::told::stamp;

/// Pins these tools (text is sent verbatim), checks them, pins them again, and formats the lockfile.
#[track_caller]
fn expect_round_trip(tools: &Value) -> Project {
    let project = Project::with_server("crm", &json!({ "tools": tools }));
    project.pin();
    let before = stamp(&project, "mcp-tools.lock");
    let finished = project.check();
    finished.expect_status(0).expect_stderr(&[]);
    finished.expect_stdout(&["check: 1 server in sync"]);
    project.run(&["pin"]).finish().expect_status(0).expect_stdout(&["is unchanged"]);
    project.run(&["fmt"]).finish().expect_status(0).expect_stdout(&["in its one spelling already"]);
    project.run(&["verify"]).finish().expect_status(0);
    assert_eq!(stamp(&project, "mcp-tools.lock"), before);
    project
}

#[test]
fn unusual_numbers_round_trip() {
    let numbers =
        "[0,-0,0.0,1.0,1e3,1E-7,1e21,123456789012345678901234567890,0.1,1e308,1e998,-1.5e-300,9007199254740993]";
    expect_round_trip(&json!([format!(r#"{{"name":"n","inputSchema":{{"type":"object","enum":{numbers}}}}}"#)]));
}

#[test]
fn unusual_strings_round_trip() {
    let texts = [
        "",
        " ",
        "\n",
        "a\nb",
        "a\r\nb",
        "a\rb",
        "a\tb",
        "trailing \nblank\t\n",
        "\n\nleading",
        "'''",
        "''''''",
        "\"\"\"",
        "\"\"\"\"\"\"",
        "\\",
        "a\\nb",
        "\\u0041",
        "#",
        "[[tool]]",
        "= ''' \n",
        "<<<<<<< ours\n=======\n>>>>>>> theirs",
        "${HOME}",
        "\u{0}",
        "\u{1b}[2J",
        "\u{7f}",
        "\u{9b}",
        "\u{200b}",
        "\u{202e}",
        "\u{2028}",
        "\u{feff}",
        "\u{e000}",
        "\u{fffe}",
        "\u{10ffff}",
        "\u{e0041}",
        "é",
        "e\u{301}",
        "日本",
        "👩\u{200d}💻",
    ];
    let tools: Vec<Value> = texts
        .iter()
        .enumerate()
        .map(|(index, text)| {
            json!({ "name": format!("t{index:02}"), "title": text, "description": text, "inputSchema": { "type": "object", "default": text, "x": { *text: 1 } } })
        })
        .collect();
    let project = expect_round_trip(&json!(tools));
    let odd: Vec<char> = project
        .lockfile()
        .chars()
        .filter(|&character| {
            character != '\n'
                && (character.is_control() || "\u{200b}\u{202e}\u{2028}\u{feff}\u{e0041}".contains(character))
        })
        .collect();
    assert_eq!(odd, Vec::<char>::new(), "the lockfile shows what can't be seen");
}

#[test]
fn unusual_names_round_trip() {
    let names = [
        "",
        " ",
        "a b",
        "a.b",
        "a\"b",
        "a'b",
        "a\\b",
        "a\nb",
        "\u{1b}[2J",
        "\u{200b}",
        "日本",
        "[[tool]]",
        "#",
        "::error::",
    ];
    let tools: Vec<Value> =
        names.iter().map(|name| json!({ "name": name, "inputSchema": { "type": "object" } })).collect();
    expect_round_trip(&json!(tools));
}

#[test]
fn unusual_shapes_round_trip() {
    expect_round_trip(&json!([
        { "name": "bare" },
        { "name": "nulls", "title": null, "description": null, "inputSchema": null, "annotations": null, "_meta": null },
        { "name": "empty", "inputSchema": {}, "annotations": {}, "_meta": {}, "icons": [], "": "" },
        { "name": "wrong", "title": 1, "description": { "text": "a" }, "inputSchema": [], "annotations": "x" },
        { "name": "clash", "digest": "sha256-x", "server": "other", "definition": "'''", "version": 2, "inputSchema": { "type": "object" } },
        { "name": "private", "$serde_json::private::Number": "1", "inputSchema": { "$serde_json::private::RawValue": "x", "default": { "$serde_json::private::Number": "not a number" } } },
    ]));
}

#[test]
fn keys_in_an_order_of_their_own_round_trip() {
    // UTF-16 order is not the order of code points for these two.
    let tool = r#"{"z":1,"name":"k","é":2,"\uD83D\uDE00":3,"\uFB33":4,"A":5,"a":6,"10":7,"9":8,"inputSchema":{"b":{},"a":{},"type":"object"}}"#;
    let project = expect_round_trip(&json!([tool]));
    let lockfile = project.lockfile();
    let place = |key: &str| lockfile.find(key).unwrap_or_else(|| panic!("{key}: {lockfile}"));
    assert!(place("\"10\"") < place("\"9\"") && place("\"A\"") < place("\"a\": 6"));
    assert!(place("😀") < place("\u{fb33}"), "surrogates sort before U+FB33 in UTF-16");
}

#[test]
fn levels_round_trip_to_128_and_not_beyond() {
    // The tool is one level, and the innermost schema is one.
    let nested = |levels: usize| {
        let inside = levels - 2;
        format!(r#"{{"name":"deep","inputSchema":{}{{}}{}}}"#, r#"{"items":"#.repeat(inside), "}".repeat(inside))
    };
    expect_round_trip(&json!([nested(128)]));
    let project = Project::with_server("crm", &json!({ "tools": [nested(129)] }));
    let finished = project.run(&["pin", "--yes"]).finish();
    finished.expect_status(2).expect_stdout(&["could not check `crm`", "128 levels"]);
    assert!(finished.stdout.lines().all(|line| line.len() < 700), "a long place is cut:\n{}", finished.stdout);
    assert!(!project.exists("mcp-tools.lock"));
}

#[test]
fn what_a_server_says_of_itself_round_trips() {
    for more in [
        json!({ "instructions": "One.\n'''\n\u{200b}two \n" }),
        json!({ "instructions": ["no", "string"] }),
        json!({ "server": { "name": "a\u{1b}", "version": "1\n2", "title": null } }),
        json!({ "server": { "name": "a", "version": 2 } }),
        json!({ "capabilities": { "tools": { "listChanged": true }, "experimental": { "x": [1.0] } } }),
    ] {
        let project = Project::with_server("crm", &crate::told::with(listing(&[crate::common::tool("a", "A.")]), more));
        project.pin();
        let before = project.lockfile();
        project.check().expect_status(0).expect_stderr(&[]);
        project.pin();
        assert_eq!(project.lockfile(), before);
    }
}

#[test]
fn a_text_of_200_kilobytes_and_300_tools_round_trip() {
    let mut tools: Vec<Value> = (0..300).map(|n| crate::common::tool(&format!("t{n}"), "Does it.")).collect();
    tools.push(crate::common::tool("long", &"A line of text, again and again.\n".repeat(6_000)));
    expect_round_trip(&json!(tools));
}
