//! Requests of a server, before or instead of its answer: each is answered at once, and nothing is granted.

use std::time::Duration;

use serde_json::{Value, json};

use crate::served::{Over, Served, clean, clean_but, expect_in_sync, with};

/// The client's answers to requests of the server, by id.
fn answers(served: &Served) -> Vec<Value> {
    let log = served.log("crm.log");
    let messages = log.iter().map(|entry| &entry["message"]);
    messages.filter(|message| message["method"].is_null() && message.is_object()).cloned().collect()
}

fn answer_to(served: &Served, id: &str) -> Value {
    let all = answers(served);
    let own: Vec<&Value> = all.iter().filter(|answer| answer["id"] == id).collect();
    assert_eq!(own.len(), 1, "answers to {id}: {all:?}");
    assert_eq!(own[0]["jsonrpc"], "2.0");
    own[0].clone()
}

#[test]
fn everything_that_a_server_asks_before_its_list_is_answered_at_once() {
    let asked = json!([
        "ping", "roots/list", "sampling/createMessage", "elicitation/create", {"method": "tasks/get", "params": {}},
        {"method": "anything/else", "params": null},
    ]);
    for over in Over::BOTH {
        let script = with(with(clean(), "ask_before_list", asked.clone()), "log", json!("crm.log"));
        let served = Served::pinned(over, &script);
        let finished = served.check();
        expect_in_sync(&finished, &["1 tool"]).expect_nowhere(&["odd-traffic"]);
        assert!(finished.took < Duration::from_secs(4), "{:?}", finished.took);
        assert_eq!(answer_to(&served, "ask-1")["result"], json!({}));
        assert_eq!(answer_to(&served, "ask-2")["result"], json!({"roots": []}));
        assert_eq!(answer_to(&served, "ask-3")["result"], Value::Null);
        assert!(answer_to(&served, "ask-3")["error"]["code"].is_i64());
        assert_eq!(answer_to(&served, "ask-4")["result"], json!({"action": "decline"}));
        assert_eq!(answer_to(&served, "ask-5")["error"]["code"], -32601);
        assert_eq!(answer_to(&served, "ask-6")["error"]["code"], -32601);
    }
}

#[test]
fn a_first_pin_answers_too() {
    for over in Over::BOTH {
        let script = with(with(clean(), "ask_before_list", json!(["roots/list"])), "log", json!("crm.log"));
        let served = Served::new(over, &script);
        let finished = served.run(&["pin", "--yes"]).finish();
        finished.expect_status(0);
        assert!(finished.took < Duration::from_secs(6), "{:?}", finished.took);
    }
}

#[test]
fn a_request_during_the_handshake_is_answered() {
    for over in Over::BOTH {
        let rules = json!([{"method": "initialize", "do": [
            {"request": {"method": "ping", "id": "early"}}, {"wait_for_answer": "early"}, {"answer": true},
        ]}]);
        let served = Served::pinned(over, &with(clean_but(rules), "log", json!("crm.log")));
        expect_in_sync(&served.check_with(&["--start-timeout", "5"]), &["1 tool"]);
        assert_eq!(answer_to(&served, "early")["result"], json!({}));
    }
}

#[test]
fn ids_of_every_kind_are_given_back_as_they_came() {
    for id in [json!("a \"quoted\" id"), json!(0), json!(-7), json!(1.5), json!("1")] {
        let rules = json!([{"method": "tools/list", "do": [
            {"request": {"method": "ping", "id": id}}, {"wait_for_answer": id}, {"answer": true},
        ]}]);
        let served = Served::pinned(Over::Stdio, &with(clean_but(rules), "log", json!("crm.log")));
        expect_in_sync(&served.check_with(&["--request-timeout", "5"]), &["1 tool"]);
        assert!(answers(&served).iter().any(|answer| answer["id"] == id), "{:?}", answers(&served));
    }
}

#[test]
fn a_request_with_the_id_of_ours_is_no_answer() {
    for over in Over::BOTH {
        let request = r#"{"jsonrpc":"2.0","id":$ID,"method":"ping"}"#;
        let rules = json!([{"method": "tools/list", "do": [{"message_raw": request}, {"answer": true}]}]);
        let script = with(with(clean_but(rules), "http", json!({"answer": "sse"})), "log", json!("crm.log"));
        let served = Served::pinned(over, &script);
        expect_in_sync(&served.check(), &["1 tool"]);
    }
}

#[test]
fn a_request_on_the_standing_stream_is_answered() {
    let rules = json!([{"method": "tools/list", "do": [
        {"request": {"method": "roots/list", "id": "r"}, "to": "get"}, {"wait_for_answer": "r"}, {"answer": true},
    ]}]);
    let script = with(with(clean_but(rules), "http", json!({"get": "stream"})), "log", json!("crm.log"));
    let served = Served::pinned(Over::Http, &script);
    expect_in_sync(&served.check_with(&["--request-timeout", "5"]), &["1 tool"]);
    assert_eq!(answer_to(&served, "r")["result"], json!({"roots": []}));
    let log = served.log("crm.log");
    let reply = log.iter().find(|entry| entry["message"]["id"] == "r").expect("the answer");
    assert!(reply["headers"]["mcp-session-id"].is_string(), "{reply}");
}

#[test]
fn a_thousand_requests_and_notifications_do_not_delay_an_answer() {
    let mut actions: Vec<Value> = vec![json!({"stderr": "busy\n"})];
    for number in 0..200 {
        actions.push(json!({"notify": {"method": "notifications/progress", "params": {"progress": number}}}));
        actions.push(json!({"request": {"method": "ping", "id": format!("p{number}")}}));
    }
    actions.push(json!({"answer": true}));
    for over in Over::BOTH {
        let rules = json!([{"method": "tools/list", "do": actions}]);
        let served = Served::pinned(over, &clean_but(rules));
        let finished = served.check();
        expect_in_sync(&finished, &["1 tool"]);
        assert!(finished.took < Duration::from_secs(8), "{:?}", finished.took);
    }
}

#[test]
fn a_server_that_floods_requests_and_never_reads_is_given_up() {
    let one = r#"{"jsonrpc":"2.0","id":"x","method":"roots/list"}"#;
    let rules = json!([{"method": "tools/list", "do": [{"forever": format!("{one}\n")}]}]);
    let served = Served::pinned(Over::Stdio, &clean_but(rules));
    let finished = served.check_with(&["--request-timeout", "0.7"]);
    crate::served::expect_not_checked(&finished, &["no answer within 0.7 s"]);
    assert!(finished.took < Duration::from_secs(8), "{:?}", finished.took);
}

#[test]
fn no_tool_is_ever_called() {
    for over in Over::BOTH {
        let served = Served::new(over, &with(clean(), "log", json!("crm.log")));
        served.pin();
        expect_in_sync(&served.check(), &["1 tool"]);
        let allowed =
            ["initialize", "notifications/initialized", "server/discover", "tools/list", "notifications/cancelled"];
        for method in served.methods("crm.log") {
            assert!(allowed.contains(&method.as_str()), "{method}");
        }
    }
}
