//! Event streams that break, are resumed, stay open, or hold odd events.

use std::time::Duration;

use serde_json::{Value, json};

use crate::served::{
    Over, Served, check, clean_but, clean_tool, expect_in_sync, expect_not_checked, poisoned_tool, with,
};

/// The list is answered by this stream.
fn stream(actions: Value) -> Value {
    with(clean_but(json!([{"method": "tools/list", "do": actions}])), "log", json!("crm.log"))
}

/// The same, with what a GET for the rest of the stream is answered.
fn resumed_by(actions: Value, rest: Value) -> Value {
    let mut script = stream(actions);
    let rule = json!({"method": "http-get", "header": "last-event-id", "do": rest});
    script["on"].as_array_mut().expect("rules").push(rule);
    script
}

#[test]
fn a_first_event_without_data_is_skipped() {
    for event in
        [json!({"id": "1", "data": ""}), json!({"data": ""}), json!({"retry": 1000}), json!({"event": "message"})]
    {
        let finished = check(Over::Http, &stream(json!([{"sse_event": event}, {"answer": true}])), &[]);
        expect_in_sync(&finished, &["1 tool"]).expect_nowhere(&["odd-traffic"]);
    }
}

#[test]
fn comments_other_events_and_split_data_are_read_as_the_standard_says() {
    let actions = json!([
        {"sse_event": {"comment": "keepalive"}},
        {"sse_event": {"event": "ping", "data": "{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"tools\":[]}}"}},
        {"notify": {"method": "notifications/progress", "params": {"progressToken": 1, "progress": 1}}},
        {"answer": {"split": true}},
        {"leave_open": true},
    ]);
    let finished = check(Over::Http, &stream(actions), &["--request-timeout", "5"]);
    expect_in_sync(&finished, &["1 tool"]).expect_nowhere(&["ambiguous"]);
    assert!(finished.took < Duration::from_secs(4), "{:?}", finished.took);
}

#[test]
fn a_named_message_event_is_a_message() {
    let answer = json!({"jsonrpc": "2.0", "id": "$ID", "result": {"tools": [poisoned_tool()]}}).to_string();
    let answer = answer.replace("\"$ID\"", "$ID");
    check(Over::Http, &stream(json!([{"sse_event": {"event": "message", "data": answer}}])), &[])
        .expect_status(1)
        .expect_stdout(&["description-changed"]);
}

#[test]
fn a_broken_stream_is_resumed_where_it_broke() {
    let actions = json!([{"sse_event": {"id": "e1", "data": "", "retry": 10}}, {"drop": true}]);
    let served = Served::pinned(Over::Http, &resumed_by(actions, json!([{"sse_event": {"data": "$ANSWER"}}])));
    expect_in_sync(&served.check(), &["1 tool"]);
    let log = served.log("crm.log");
    let get = log.iter().find(|entry| entry["headers"]["last-event-id"] == "e1").expect("resumed");
    assert_eq!(get["method"], "GET");
    assert!(get["headers"]["mcp-session-id"].is_string(), "{get}");
}

#[test]
fn a_stream_that_ended_early_is_resumed() {
    let actions = json!([{"sse_event": {"id": "e1", "data": "", "retry": 10}}, {"sse_end": true}]);
    expect_in_sync(
        &check(Over::Http, &resumed_by(actions, json!([{"sse_event": {"data": "$ANSWER"}}])), &[]),
        &["1 tool"],
    );
}

#[test]
fn an_answer_that_comes_by_a_resumed_stream_is_kept_raw() {
    let tool =
        r#"{"name":"lookup","description":"Look up a customer.","inputSchema":{"type":"object"},"x-unknown":1.0}"#;
    let answer = format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{{"tools":[{tool}]}}}}"#);
    let actions = json!([{"sse_event": {"id": "e1", "data": "", "retry": 10}}, {"drop": true}]);
    check(Over::Http, &resumed_by(actions, json!([{"sse_event": {"id": "e2", "data": answer}}])), &[])
        .expect_status(1)
        .expect_stdout(&["change[unknown-member-changed] `crm` tool `lookup` at /x-unknown"])
        .expect_stderr(&[]);
}

#[test]
fn a_stream_that_breaks_in_mid_event_is_resumed_and_the_half_is_forgotten() {
    let actions = json!([
        {"sse_event": {"id": "e1", "data": "", "retry": 10}}, {"answer": {"cut": 50, "sse_id": "e2"}}, {"drop": true},
    ]);
    expect_in_sync(
        &check(Over::Http, &resumed_by(actions, json!([{"sse_event": {"data": "$ANSWER"}}])), &[]),
        &["1 tool"],
    );
}

#[test]
fn a_stream_that_never_comes_to_its_answer_is_given_up() {
    let break_off = json!([{"sse_event": {"id": "e1", "data": "", "retry": 10}}, {"sse_end": true}]);
    let served = Served::pinned(Over::Http, &resumed_by(break_off.clone(), break_off));
    let finished = served.check_with(&["--request-timeout", "5"]);
    expect_not_checked(&finished, &["listing tools, page 1"]);
    assert!(finished.took < Duration::from_secs(8), "{:?}", finished.took);
    let gets = served.log("crm.log").iter().filter(|entry| entry["method"] == "GET").count();
    assert!(gets <= 20, "{gets} attempts to resume");
}

#[test]
fn a_stream_that_can_not_be_resumed_is_given_up() {
    for (first, rest) in [
        (json!({"id": "e1", "data": "", "retry": 10}), json!([{"http": {"status": 405}}])),
        (json!({"id": "e1", "data": "", "retry": 10}), json!([{"http": {"status": 404}}])),
        (json!({"comment": "no id to resume by"}), json!([{"answer": true}])),
    ] {
        let script = resumed_by(json!([{"sse_event": first}, {"sse_end": true}]), rest);
        let finished = check(Over::Http, &script, &["--request-timeout", "4"]);
        expect_not_checked(&finished, &[]);
        assert!(finished.took < Duration::from_secs(7), "{:?}", finished.took);
    }
}

#[test]
fn a_long_wait_that_a_stream_asks_for_is_bounded() {
    let actions = json!([{"sse_event": {"id": "e1", "data": "", "retry": 3_600_000}}, {"drop": true}]);
    let finished = check(
        Over::Http,
        &resumed_by(actions, json!([{"sse_event": {"data": "$ANSWER"}}])),
        &["--request-timeout", "10"],
    );
    expect_in_sync(&finished, &["1 tool"]);
    assert!(finished.took < Duration::from_secs(5), "{:?}", finished.took);
}

#[test]
fn an_event_that_is_no_usable_answer_ends_the_request() {
    let tools = json!([clean_tool()]);
    for data in [
        format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{{"tools":[]}},"result":{{"tools":{tools}}}}}"#),
        r#"{"jsonrpc":"2.0","id":$ID,"result":{"tools":[{"name":"\ud800"}]}}"#.to_owned(),
        format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{}{}}}"#, "[".repeat(500), "]".repeat(500)),
        r#"{"jsonrpc":"2.0","id":$ID,"result":{"tools":[1e99999999]}}"#.to_owned(),
    ] {
        let finished = check(Over::Http, &stream(json!([{"sse_event": {"data": data}}, {"leave_open": true}])), &[]);
        expect_not_checked(&finished, &["can't be used"]);
        assert!(finished.took < Duration::from_secs(5), "{:?}", finished.took);
    }
}

#[test]
fn a_whole_handshake_over_streams_that_stay_open_ends_in_time() {
    let http = json!({"answer": "sse", "leave_open": true, "prime": true, "get": "stream"});
    let served = Served::pinned(Over::Http, &with(clean_but(json!([])), "http", http));
    let finished = served.check();
    expect_in_sync(&finished, &["1 tool"]);
    assert!(finished.took < Duration::from_secs(4), "{:?}", finished.took);
}

#[test]
fn a_standing_stream_of_noise_does_no_harm() {
    let rules = json!([{"method": "http-get", "do": [
        {"sse_event": {"comment": "hi"}}, {"repeat": {"text": "data: noise\n\n", "times": 500}}, {"leave_open": true},
    ]}]);
    expect_in_sync(&check(Over::Http, &clean_but(rules), &[]), &["1 tool"]);
}

#[test]
fn a_standing_stream_without_end_does_no_harm_to_the_answer_or_is_told() {
    let rules = json!([
        {"method": "http-get", "do": [{"sse_event": {"comment": "hi"}}, {"forever": "data: "}]},
        {"method": "tools/list", "do": [{"sleep_ms": 300}, {"answer": true}]},
    ]);
    let finished = check(Over::Http, &clean_but(rules), &["--max-message", "1MiB"]);
    assert!([0, 2].contains(&finished.status), "{finished:?}");
    assert!(finished.took < Duration::from_secs(6), "{:?}", finished.took);
}
