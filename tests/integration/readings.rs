//! More than one reading: late lists, lists that differ from reading to reading, announcements of change.

use serde_json::{Value, json};

use crate::common::{listing, tool};
use crate::served::{Over, Served, check, clean, clean_but, clean_tool, expect_in_sync, poisoned_tool, with};

const LIST_CHANGED: &str = "notifications/tools/list_changed";

/// The n-th listing of a session is the n-th of these.
fn listings(listings: &[Value]) -> Value {
    let listings: Vec<Value> = listings.iter().map(|tools| json!([tools])).collect();
    json!({"listings": listings})
}

/// The script with a change that is announced right after the first listing.
fn announced(script: Value) -> Value {
    with(script, "on", json!([{"method": "tools/list", "nth": 1, "do": [{"answer": true}, {"notify": LIST_CHANGED}]}]))
}

/// The poisoned text was seen, beside the fact that readings differ.
#[track_caller]
fn expect_unstable_drift(finished: &crate::common::Finished) {
    finished
        .expect_status(1)
        .expect_stdout(&[
            "danger[unstable-listing] `crm` tool `lookup` at /description",
            "danger[description-changed] `crm` tool `lookup` at /description",
            "evil.example",
        ])
        .expect_stderr(&[]);
}

#[test]
fn an_empty_first_listing_is_read_again_with_a_notice() {
    for over in Over::BOTH {
        for script in
            [listings(&[json!([]), json!([clean_tool()])]), announced(listings(&[json!([]), json!([clean_tool()])]))]
        {
            expect_in_sync(&check(over, &script, &[]), &["1 tool", "notice[listing-grew] `crm`", "0 items"]);
        }
    }
}

#[test]
fn an_empty_first_listing_can_be_pinned_once_it_is_whole() {
    for over in Over::BOTH {
        let served = Served::new(over, &listings(&[json!([]), json!([clean_tool()])]));
        served.pin();
        assert_eq!(served.lockfile().matches("[[tool]]").count(), 1);
        expect_in_sync(&served.check(), &["1 tool"]);
    }
}

#[test]
fn a_partial_first_listing_is_read_again_with_a_notice() {
    for over in Over::BOTH {
        let (a, b) = (tool("a", "A."), tool("b", "B."));
        let served = Served::new(over, &listing(&[a.clone(), b.clone()]));
        served.pin();
        let late = listings(&[json!([a]), json!([a, b])]);
        for script in [late.clone(), announced(late)] {
            served.turn_into(&script);
            expect_in_sync(&served.check(), &["2 tools", "notice[listing-grew] `crm`", "1 item, a later one 2 items"]);
        }
    }
}

#[test]
fn a_listing_that_stays_empty_is_drift_and_not_pinned_unless_it_is_meant() {
    let served = Served::pinned(Over::Stdio, &listing(&[]));
    let lockfile = served.lockfile();
    served.check().expect_status(1).expect_stdout(&["tool-removed", "`lookup`"]).expect_stderr(&[]);
    let finished = served.run(&["pin"]).finish();
    finished.expect_status(2).expect_stdout(&["lists no tools any more", "--allow-empty", "nothing was written"]);
    assert_eq!(served.lockfile(), lockfile);
}

#[test]
fn a_listing_that_stays_empty_costs_about_five_seconds() {
    let finished = check(Over::Stdio, &listing(&[]), &[]);
    finished.expect_status(1);
    assert!(finished.took.as_secs_f64() < 7.0, "{:?}", finished.took);
}

#[test]
fn a_clean_first_listing_and_a_poisoned_second_one_is_drift_when_it_is_announced() {
    for over in Over::BOTH {
        let mut script = announced(listings(&[json!([clean_tool()]), json!([poisoned_tool()])]));
        script["http"] = json!({"answer": "sse", "get": "stream"});
        expect_unstable_drift(&check(over, &script, &[]));
    }
}

#[test]
fn an_announcement_on_the_standing_stream_is_heard() {
    let mut script = listings(&[json!([clean_tool()]), json!([poisoned_tool()])]);
    script["on"] = json!([{"method": "tools/list", "nth": 1, "do": [
        {"notify": LIST_CHANGED, "to": "get"}, {"sleep_ms": 100}, {"answer": true},
    ]}]);
    script["http"] = json!({"get": "stream"});
    expect_unstable_drift(&check(Over::Http, &script, &[]));
}

#[test]
fn an_announcement_at_the_end_of_the_servers_output_is_heard() {
    let mut script = listings(&[json!([clean_tool()]), json!([poisoned_tool()])]);
    script["on"] = json!([{"method": "eof", "do": [{"notify": LIST_CHANGED}]}]);
    expect_unstable_drift(&check(Over::Stdio, &script, &[]));
}

#[test]
fn a_change_that_is_announced_after_each_answer_is_waited_for() {
    for over in Over::BOTH {
        let mut script = listings(&[json!([clean_tool()]), json!([clean_tool()]), json!([poisoned_tool()])]);
        script["on"] = json!([{"method": "tools/list", "do": [
            {"answer": true}, {"sleep_ms": 30}, {"notify": LIST_CHANGED, "to": "get"},
        ]}]);
        script["http"] = json!({"get": "stream"});
        let finished = check(over, &script, &[]);
        finished.expect_status(1).expect_stdout(&["danger[description-changed] `crm` tool `lookup`", "evil.example"]);
    }
}

#[test]
fn a_list_that_grows_by_and_by_is_read_once_it_is_whole() {
    let tools: Vec<Value> = (0..12).map(|index| tool(&format!("tool_{index}"), "T.")).collect();
    let growing: Vec<Value> = (1..=12).map(|count| json!(tools[..count])).collect();
    // Each listing has one tool more, and its successor is announced at once, five times.
    let mut script = listings(&growing[..5]);
    script["on"] = json!([
        {"method": "tools/list", "nth": 5, "do": [{"answer": true}]},
        {"method": "tools/list", "do": [{"answer": true}, {"notify": LIST_CHANGED}]},
    ]);
    let served = Served::new(Over::Stdio, &script);
    served.pin();
    assert_eq!(served.lockfile().matches("[[tool]]").count(), 5);
    expect_in_sync(&served.check(), &["5 tools"]);
    // One that never comes to an end isn't pinned, whatever it lists by then.
    let mut endless = listings(&growing);
    endless["on"] = json!([{"method": "tools/list", "do": [{"answer": true}, {"notify": LIST_CHANGED}]}]);
    served.turn_into(&endless);
    let finished = served.run(&["pin", "--yes"]).finish();
    finished.expect_status(2).expect_stdout(&["unstable-listing", "nothing was written"]);
    served.check().expect_status(1).expect_stdout(&["danger[unstable-listing]"]);
}

#[test]
fn an_announcement_of_nothing_new_is_in_sync() {
    for over in Over::BOTH {
        let script = with(announced(clean()), "http", json!({"answer": "sse"}));
        expect_in_sync(&check(over, &script, &[]), &["1 tool"]);
    }
}

#[test]
fn announcements_without_end_end() {
    let rules = json!([{"method": "tools/list", "do": [{"answer": true}, {"notify": LIST_CHANGED}]}]);
    let served = Served::pinned(Over::Stdio, &with(clean_but(rules), "log", json!("crm.log")));
    let finished = served.check();
    expect_in_sync(&finished, &["1 tool"]);
    assert!(finished.took.as_secs() < 8, "{:?}", finished.took);
    let lists = served.methods("crm.log").iter().filter(|&method| method == "tools/list").count();
    assert!((2..=12).contains(&lists), "{lists} listings");
}

#[test]
fn a_silent_second_listing_is_not_read_by_check_and_refused_by_pin() {
    for over in Over::BOTH {
        let script = listings(&[json!([clean_tool()]), json!([poisoned_tool()])]);
        let served = Served::pinned(over, &script);
        let lockfile = served.lockfile();
        expect_in_sync(&served.check(), &["1 tool"]);
        let twice = served.check_with(&["--readings", "2"]);
        twice.expect_status(1).expect_stdout(&["danger[unstable-listing]", "danger[description-changed]"]);
        let finished = served.run(&["pin"]).finish();
        finished.expect_status(2).expect_stdout(&[
            "unstable-listing",
            "tool \"lookup\" /description",
            "nothing was written",
        ]);
        assert_eq!(served.lockfile(), lockfile);
    }
}

#[test]
fn over_http_more_readings_are_more_sessions() {
    // One address, two servers behind it: every other session meets the poisoned one.
    let script = with(clean(), "faces", json!({"3": {"tools": [poisoned_tool()]}}));
    let served = Served::pinned(Over::Http, &with(script, "log", json!("crm.log")));
    expect_in_sync(&served.check(), &["1 tool"]);
    let starts = || served.methods("crm.log").iter().filter(|&method| method == "initialize").count();
    let before = starts();
    let finished = served.check_with(&["--readings", "4", "--settle", "50"]);
    assert_eq!(starts() - before, 4, "four sessions");
    finished.expect_status(1).expect_stdout(&["danger[unstable-listing]", "danger[description-changed]"]);
}

#[test]
fn a_poisoned_first_listing_is_drift_even_if_the_next_is_clean() {
    for over in Over::BOTH {
        expect_unstable_drift(&check(over, &listings(&[json!([poisoned_tool()]), json!([clean_tool()])]), &[]));
    }
}

#[test]
fn readings_that_never_agree_are_unstable() {
    for over in Over::BOTH {
        let changing = tool("lookup", "It is $TIME.");
        let script = listing(&[changing]);
        check(over, &script, &[])
            .expect_status(1)
            .expect_stdout(&["danger[unstable-listing] `crm` tool `lookup` at /description"])
            .expect_stderr(&[]);
        let served = Served::new(over, &script);
        let finished = served.run(&["pin", "--yes"]).finish();
        finished.expect_status(2).expect_stdout(&["unstable-listing", "tool \"lookup\" /description"]);
        assert!(!served.exists("mcp-tools.lock"));
    }
}

#[test]
fn a_pin_refuses_what_differs_only_at_the_second_start() {
    for over in Over::BOTH {
        let script = json!({
            "start_counter": "starts",
            "faces": {"1": {"tools": [clean_tool()]}, "2+": {"tools": [poisoned_tool()]}},
        });
        let served = Served::new(over, &script);
        let finished = served.run(&["pin", "--yes"]).finish();
        finished.expect_status(2).expect_stdout(&[
            "unstable-listing",
            "tool \"lookup\" /description",
            "nothing was written",
        ]);
        assert!(!served.exists("mcp-tools.lock"));
    }
}

#[test]
fn a_pin_refuses_instructions_that_differ_at_the_second_start() {
    for over in Over::BOTH {
        let script = with(with(clean(), "start_counter", json!("starts")), "instructions", json!("Started as $START."));
        let served = Served::new(over, &script);
        let finished = served.run(&["pin", "--yes"]).finish();
        finished.expect_status(2).expect_stdout(&["unstable-listing", "/instructions"]);
        assert!(!served.exists("mcp-tools.lock"));
    }
}

#[test]
fn a_pin_refuses_a_tool_that_is_there_only_sometimes() {
    for over in Over::BOTH {
        let extra = tool("sometimes", "Now and then.");
        let served =
            Served::new(over, &listings(&[json!([clean_tool(), extra]), json!([clean_tool()]), json!([clean_tool()])]));
        let finished = served.run(&["pin", "--yes"]).finish();
        finished.expect_status(2).expect_stdout(&["unstable-listing", "sometimes"]);
        assert!(!served.exists("mcp-tools.lock"));
    }
}

#[test]
fn a_pin_reads_three_times_from_two_starts_and_a_check_once() {
    let served = Served::new(Over::Stdio, &with(clean(), "log", json!("crm.log")));
    served.pin();
    let log = served.log("crm.log");
    assert_eq!(log.iter().filter(|entry| entry["event"] == "start").count(), 2);
    let lists = |served: &Served| served.methods("crm.log").iter().filter(|&method| method == "tools/list").count();
    assert_eq!(lists(&served), 3);
    expect_in_sync(&served.check(), &[]);
    assert_eq!(lists(&served), 4);
}

#[test]
fn a_drift_was_read_twice_some_time_apart() {
    for over in Over::BOTH {
        let served = Served::pinned(over, &with(listing(&[poisoned_tool()]), "log", json!("crm.log")));
        let finished = served.check();
        finished.expect_status(1).expect_stdout(&["description-changed"]).expect_nowhere(&["unstable-listing"]);
        assert!(finished.took.as_millis() >= 300, "{:?}", finished.took);
        assert_eq!(served.methods("crm.log").iter().filter(|&method| method == "tools/list").count(), 2);
    }
}

#[test]
fn an_order_of_names_that_changes_from_start_to_start_is_stable() {
    for over in Over::BOTH {
        let with_required = |required: Value| {
            let schema = json!({"type": "object", "properties": {"a": {}, "b": {}}, "required": required});
            json!([{"name": "lookup", "inputSchema": schema}])
        };
        let script = json!({
            "start_counter": "starts",
            "faces": {"1": {"tools": with_required(json!(["a", "b"]))}, "2+": {"tools": with_required(json!(["b", "a"]))}},
        });
        let served = Served::new(over, &script);
        served.pin();
        expect_in_sync(&served.check(), &["1 tool"]);
    }
}
