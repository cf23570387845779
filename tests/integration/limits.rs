//! Answers without end and answers too large or too deep: each limit names itself and its flag.

use std::time::Duration;

use serde_json::{Value, json};

use crate::common::{Finished, listing, tool};
use crate::served::{Over, Served, check, clean_but, expect_in_sync, expect_not_checked, with};

#[track_caller]
fn expect_soon(finished: &Finished) {
    assert!(finished.took < Duration::from_secs(7), "{:?}", finished.took);
}

/// Instead of the list, this.
fn instead_of_the_list(actions: Value) -> Value {
    clean_but(json!([{"method": "tools/list", "do": actions}]))
}

#[test]
fn a_line_without_end_is_ended_at_the_limit() {
    let script = instead_of_the_list(json!([{"send": "{\"jsonrpc\":\"2.0\",\"id\":"}, {"forever": "x"}]));
    let finished = check(Over::Stdio, &script, &["--max-message", "1MiB"]);
    expect_not_checked(&finished, &["a line is longer than 1 MiB", "raise the limit with --max-message"]);
    expect_soon(&finished);
}

#[test]
fn a_line_without_end_before_the_handshake_is_ended_at_the_limit() {
    let script = clean_but(json!([{"method": "start", "do": [{"forever": "x"}]}]));
    let finished = check(Over::Stdio, &script, &["--max-message", "64KiB"]);
    expect_not_checked(&finished, &["a line is longer than 64 KiB", "raise the limit with --max-message"]);
    expect_soon(&finished);
}

#[test]
fn a_body_without_end_is_ended_at_the_limit() {
    let head = json!({"http_head": {"status": 200, "headers": {"content-type": "application/json"}, "chunked": true}});
    let finished = check(Over::Http, &instead_of_the_list(json!([head, {"forever": "x"}])), &["--max-message", "1MiB"]);
    expect_not_checked(&finished, &["the body is larger than 1 MiB", "raise the limit with --max-message"]);
    expect_soon(&finished);
}

#[test]
fn a_body_without_end_of_an_error_is_not_read_to_its_end() {
    let head = json!({"http_head": {"status": 500, "headers": {"content-type": "text/plain"}, "chunked": true}});
    let finished = check(Over::Http, &instead_of_the_list(json!([head, {"forever": "sorry "}])), &[]);
    expect_not_checked(&finished, &["HTTP 500", "sorry sorry"]);
    assert!(finished.stdout.len() < 2_000, "{}", finished.stdout);
    expect_soon(&finished);
}

#[test]
fn an_event_without_end_is_ended_at_the_limit() {
    let script = instead_of_the_list(json!([{"sse_event": {"comment": "hi"}}, {"send": "data: "}, {"forever": "x"}]));
    let finished = check(Over::Http, &script, &["--max-message", "1MiB"]);
    expect_not_checked(&finished, &["an event is larger than 1 MiB", "raise the limit with --max-message"]);
    expect_soon(&finished);
}

#[test]
fn an_event_of_many_lines_without_end_is_ended_at_the_limit() {
    let script = instead_of_the_list(json!([{"sse_event": {"comment": "hi"}}, {"forever": "data: x\n"}]));
    let finished = check(Over::Http, &script, &["--max-message", "1MiB"]);
    expect_not_checked(&finished, &["an event is larger than 1 MiB", "raise the limit with --max-message"]);
    expect_soon(&finished);
}

#[test]
fn an_event_stream_without_end_is_ended_at_the_limit_which_names_its_own_flag() {
    let script = instead_of_the_list(json!([{"sse_event": {"comment": "hi"}}, {"forever": ": keepalive\n\n"}]));
    let finished = check(Over::Http, &script, &["--max-listing", "1MiB"]);
    expect_not_checked(&finished, &["an event stream is larger than 1 MiB", "--max-listing"])
        .expect_nowhere(&["--max-message"]);
    expect_soon(&finished);
}

#[test]
fn the_limit_of_a_listing_holds_over_streams_that_break_and_are_resumed() {
    let break_off = |id: &str| {
        json!([
            {"sse_event": {"id": id, "data": "", "retry": 10}},
            {"repeat": {"text": ": keepalive\n\n", "times": 3500}},
            {"sse_end": true},
        ])
    };
    let mut script = instead_of_the_list(break_off("first"));
    script["on"].as_array_mut().expect("rules").push(json!({"method": "http-get", "do": break_off("next")}));
    let finished = check(Over::Http, &script, &["--max-listing", "64KiB", "--request-timeout", "20"]);
    expect_not_checked(&finished, &["larger than 64 KiB", "--max-listing"]);
    expect_soon(&finished);
}

#[test]
fn a_compressed_answer_that_nobody_asked_for_is_refused_unread() {
    let headers = json!({"content-type": "application/json", "content-encoding": "gzip"});
    let script = instead_of_the_list(json!([
        {"http_head": {"status": 200, "headers": headers, "chunked": true}},
        {"forever": "\u{1f}"},
    ]));
    let finished = check(Over::Http, &script, &[]);
    expect_not_checked(&finished, &["it is compressed (gzip), which was not asked for", "turn compression off"]);
    expect_soon(&finished);
    let script = with(with(clean_but(json!([])), "http", json!({"answer": "sse"})), "on", json!([]));
    let mut script = script;
    script["http"]["headers"] = json!({"content-encoding": "br"});
    expect_not_checked(&check(Over::Http, &script, &[]), &["it is compressed (br), which was not asked for"]);
}

#[test]
fn the_client_never_asks_for_compression() {
    let served = Served::pinned(Over::Http, &with(clean_but(json!([])), "log", json!("crm.log")));
    expect_in_sync(&served.check(), &[]);
    for entry in served.log("crm.log").iter().filter(|entry| entry["event"] == "http") {
        assert_eq!(entry["headers"]["accept-encoding"], Value::Null, "{entry}");
        assert_eq!(entry["headers"]["accept-language"], Value::Null, "{entry}");
    }
}

#[test]
fn a_listing_of_many_pages_is_ended_at_the_limit_of_a_listing() {
    for over in Over::BOTH {
        let text = "many words ".repeat(1000);
        let script = with(listing(&[tool("lookup", &text)]), "endless", json!("new"));
        let finished = check(over, &script, &["--max-listing", "100KiB"]);
        expect_not_checked(
            &finished,
            &["listing tools", "the listing is larger than 100 KiB", "raise the limit with --max-listing"],
        );
        expect_soon(&finished);
    }
}

#[test]
fn a_message_just_within_the_limit_is_read() {
    for over in Over::BOTH {
        let script = listing(&[tool("big", &"x".repeat(60_000))]);
        let served = Served::new(over, &script);
        served.run(&["pin", "--yes", "--max-message", "64KiB"]).finish().expect_status(0);
        expect_in_sync(&served.check_with(&["--max-message", "64KiB"]), &["1 tool"]);
        let finished = served.check_with(&["--max-message", "32KiB"]);
        expect_not_checked(&finished, &["than 32 KiB", "--max-message"]);
    }
}

/// A tool whose schema nests so many objects.
fn nested(levels: usize) -> Value {
    let schema = format!("{}true{}", "{\"not\":".repeat(levels), "}".repeat(levels));
    let text = format!(r#"{{"name":"deep","inputSchema":{{"type":"object","properties":{{"a":{schema}}}}}}}"#);
    json!({"tools": [text]})
}

#[test]
fn a_hundred_levels_are_pinned_and_in_sync() {
    for over in Over::BOTH {
        let served = Served::new(over, &nested(100));
        served.pin();
        expect_in_sync(&served.check(), &["1 tool"]);
    }
}

#[test]
fn ten_thousand_levels_are_refused_and_the_other_servers_are_checked() {
    for over in Over::BOTH {
        let finished = check(over, &nested(10_000), &[]);
        expect_not_checked(&finished, &["levels"]);
        expect_soon(&finished);
    }
    let mut project = crate::common::Project::with_server("good", &listing(&[tool("a", "A.")]));
    project.server("deep", &listing(&[tool("a", "A.")]));
    project.pin();
    project.script("deep", &nested(10_000));
    project.check().expect_status(2).expect_stdout(&["in sync: `good`", "could not check `deep`"]).expect_stderr(&[]);
}

#[test]
fn a_pin_of_ten_thousand_levels_is_refused() {
    for over in Over::BOTH {
        let served = Served::new(over, &nested(10_000));
        let finished = served.run(&["pin", "--yes"]).finish();
        finished.expect_status(2).expect_stdout(&["could not check `crm`", "levels"]).expect_nowhere(&["panicked"]);
        assert!(!served.exists("mcp-tools.lock"));
    }
}

#[test]
fn cyclic_references_are_not_followed() {
    let schema = json!({"type": "object", "allOf": [{"$ref": "#"}], "$defs": {"a": {"$ref": "#/$defs/a"}}});
    let served = Served::new(Over::Stdio, &json!({"tools": [{"name": "cyclic", "inputSchema": schema}]}));
    served.pin();
    expect_in_sync(&served.check(), &["1 tool"]);
}
