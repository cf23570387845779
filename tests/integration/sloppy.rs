//! Honest servers that write more to their output than the protocol asks for: logs, odd notifications, refusals of what
//! needs no answer. They are in sync; what a client could believe is never among what is skipped.

use std::time::Duration;

use serde_json::{Value, json};

use crate::served::{Over, check, clean_but, expect_in_sync, expect_not_checked, poisoned_tool, with};

/// Lines of logs that no client takes for a message, whatever words they hold.
const LOGS: [&str; 9] = [
    r#"[2026-01-01 12:00:00] INFO upstream said "error": none"#,
    r"[info] watching C:\users\me\src",
    r#"{ level: 'info', msg: 'got "result" back' }"#,
    r#"{"level":50,"id":null,"error":"x"}"#,
    r#"{"level":50,"time":1,"error":"x","error":"y"}"#,
    r#"[debug] sent {"jsonrpc":"2.0","id":1,"result":{}}"#,
    r#"{"jsonrpc":"2.0","id":1,"result":{"#,
    r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"\ud800"}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"data":1,"data":2}}"#,
];

/// Before the list, this; over HTTP as an event.
fn before_the_list(text: &str) -> Value {
    let rules = json!([{"method": "tools/list", "do": [{"message_raw": text}, {"answer": true}]}]);
    with(clean_but(rules), "http", json!({"answer": "sse"}))
}

#[test]
fn lines_of_a_log_are_skipped_and_noted_whatever_words_they_hold() {
    for log in LOGS {
        for over in Over::BOTH {
            let finished = check(over, &before_the_list(log), &[]);
            expect_in_sync(&finished, &["1 tool", "notice[odd-traffic] `crm`", "1 message skipped"]);
        }
    }
    let lines: Vec<Value> = LOGS.iter().map(|log| json!({"line": log})).collect();
    let finished = check(Over::Stdio, &clean_but(json!([{"method": "start", "do": lines}])), &[]);
    expect_in_sync(&finished, &["9 messages skipped, the first begins: [2026-01-01 12:00:00] INFO upstream"]);
}

#[test]
fn what_only_some_client_takes_for_an_answer_is_never_skipped() {
    let tools = Value::from(vec![poisoned_tool()]);
    for first in [
        format!(r#"{{"jsonrpc":"2.0","id":$ID,"Result":{{"tools":{tools}}}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{{"tools":{tools}}}}} and more"#),
        format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{{"tools":{tools},}}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{{"tools":{tools},"x":NaN}}}}"#),
        format!("{{/**/\"id\":$ID,\"result\":{{\"tools\":{tools}}}}}"),
        format!("\u{feff}{{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{{\"tools\":{tools}}}}}"),
        format!(r#"{{"jsonrpc":"2.0","method":"x"}}{{"jsonrpc":"2.0","id":$ID,"result":{{"tools":{tools}}}}}"#),
        format!(r#"{{jsonrpc:'2.0',id:$ID,result:{{"tools":{tools}}}}}"#),
        format!(r#"[{{"jsonrpc":"2.0","id":$ID,"result":{{"tools":{tools}}}}},]"#),
    ] {
        for over in Over::BOTH {
            let finished = check(over, &before_the_list(&first), &[]);
            expect_not_checked(&finished, &["the server's answer can't be used"]);
        }
    }
}

#[test]
fn a_broken_line_instead_of_an_answer_is_told_when_the_time_is_up() {
    let rules = json!([
        {"method": "start", "do": [{"line": "a banner"}]},
        {"method": "tools/list", "do": [{"line": "{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"tools\":[}}"}]},
    ]);
    let finished = check(Over::Stdio, &clean_but(rules), &["--request-timeout", "0.5"]);
    expect_not_checked(
        &finished,
        &[
            "listing tools, page 1: no answer within 0.5 s; 1 message was skipped",
            "it begins: {\"jsonrpc\":\"2.0\",\"id\":",
        ],
    );
}

#[test]
fn a_body_that_is_no_json_is_told_with_its_flaw() {
    let body = json!({"status": 200, "headers": {"content-type": "application/json"}, "body": "{\"jsonrpc\":\"2.0\""});
    let rules = json!([{"method": "tools/list", "do": [{"http": body}]}]);
    let finished = check(Over::Http, &clean_but(rules), &[]);
    expect_not_checked(&finished, &["the server's answer can't be used: unexpected end of the text"]);
}

#[test]
fn a_notification_with_unusable_params_announces_a_change_all_the_same() {
    let changed = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"a":1,"a":2}}"#;
    let mut script = clean_but(json!([
        {"method": "tools/list", "nth": 1, "do": [{"line": changed}, {"answer": true}]},
    ]));
    script["listings"] = json!([[[crate::served::clean_tool()]], [[poisoned_tool()]]]);
    check(Over::Stdio, &script, &[]).expect_status(1).expect_stdout(&["evil.example"]);
}

/// The refusal of something that has no id.
const REFUSAL: &str = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found"}}"#;

#[test]
fn a_refusal_of_the_notification_that_ends_the_handshake_is_skipped() {
    for wait in [0, 300] {
        let rules = json!([
            {"method": "initialized", "do": [{"sleep_ms": wait}, {"line": REFUSAL}]},
            {"method": "tools/list", "do": [{"sleep_ms": wait}, {"answer": true}]},
        ]);
        let finished = check(Over::Stdio, &clean_but(rules), &[]);
        expect_in_sync(&finished, &["1 tool", "notice[odd-traffic] `crm`"]).expect_nowhere(&["ambiguous-answer"]);
    }
}

#[test]
fn an_error_without_an_id_is_the_answer_when_no_other_comes() {
    let rules = json!([{"method": "tools/list", "do": [{"line": REFUSAL}]}]);
    let finished = check(Over::Stdio, &clean_but(rules), &[]);
    expect_not_checked(&finished, &["listing tools, page 1: the server answered with error -32601: Method not found"]);
    assert!(finished.took < Duration::from_secs(5), "{:?}", finished.took);

    for (then, arguments) in [(json!({"exit": 1}), &[][..]), (json!({"hang": true}), &["--request-timeout", "0.5"])] {
        let rules = json!([{"method": "tools/list", "do": [{"line": REFUSAL}, then]}]);
        let finished = check(Over::Stdio, &clean_but(rules), arguments);
        expect_not_checked(&finished, &["the server answered with error -32601: Method not found"]);
    }
}
