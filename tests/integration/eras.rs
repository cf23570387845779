//! Both eras of the protocol: what is offered to whom, and servers that refuse an offer in every way.

use std::time::Duration;

use serde_json::{Value, json};

use crate::served::{Over, Served, clean, clean_but, expect_in_sync, expect_not_checked, with};

const MODERN: &str = "protocol = \"2026-07-28\"";
const LEGACY: &str = "protocol = \"2025-11-25\"";

/// A server of this era that logs.
fn of(era: &str) -> Value {
    with(with(clean(), "era", json!(era)), "log", json!("crm.log"))
}

/// The methods that were received since the log was read last.
fn received(served: &Served) -> Vec<String> {
    let methods = served.methods("crm.log");
    let _ = std::fs::remove_file(served.path("crm.log"));
    methods
}

#[test]
fn every_era_can_be_pinned_and_checked() {
    for over in Over::BOTH {
        for (era, protocol) in [("legacy", LEGACY), ("modern", MODERN), ("both", MODERN)] {
            let served = Served::new(over, &of(era));
            served.pin();
            assert!(served.lockfile().contains(protocol), "{over:?} {era}: {}", served.lockfile());
            let lockfile = served.lockfile();
            expect_in_sync(&served.check(), &["1 tool"]);
            served.pin();
            assert_eq!(served.lockfile(), lockfile);
        }
    }
}

#[test]
fn every_older_revision_can_be_pinned_and_checked() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        for over in Over::BOTH {
            let served = Served::new(over, &with(of("legacy"), "protocol", json!(version)));
            served.pin();
            assert!(served.lockfile().contains(&format!("protocol = \"{version}\"")));
            expect_in_sync(&served.check(), &["1 tool"]);
        }
    }
}

#[test]
fn a_legacy_pin_is_checked_as_legacy() {
    for over in Over::BOTH {
        let served = Served::new(over, &with(of("legacy"), "protocol", json!("2025-06-18")));
        served.pin();
        received(&served);
        served.turn_into(&with(of("both"), "protocol", json!("2025-06-18")));
        expect_in_sync(&served.check(), &["1 tool"]);
        let log = served.log("crm.log");
        let initialize = log.iter().find(|entry| entry["message"]["method"] == "initialize").expect("initialize");
        assert_eq!(initialize["message"]["params"]["protocolVersion"], "2025-06-18");
        assert!(!received(&served).contains(&"server/discover".to_owned()));
    }
}

#[test]
fn a_modern_pin_is_checked_as_modern() {
    for over in Over::BOTH {
        let served = Served::new(over, &of("both"));
        served.pin();
        received(&served);
        expect_in_sync(&served.check(), &["1 tool"]);
        let methods = received(&served);
        assert!(methods.contains(&"server/discover".to_owned()), "{methods:?}");
        assert!(!methods.contains(&"initialize".to_owned()), "{methods:?}");
    }
}

#[test]
fn a_server_that_became_modern_is_in_sync_with_a_notice() {
    for over in Over::BOTH {
        let served = Served::new(over, &of("legacy"));
        served.pin();
        served.turn_into(&of("both"));
        expect_in_sync(&served.check(), &["1 tool"]).expect_nowhere(&["protocol-changed"]);
        served.turn_into(&of("modern"));
        expect_in_sync(&served.check(), &["1 tool"]);
        served.check_with(&["-v"]).expect_status(0).expect_stdout(&[
            "notice[protocol-changed] `crm`",
            "2025-11-25",
            "2026-07-28",
        ]);
    }
}

#[test]
fn a_server_that_became_legacy_is_in_sync_with_a_notice() {
    for over in Over::BOTH {
        let served = Served::new(over, &of("modern"));
        served.pin();
        served.turn_into(&of("legacy"));
        expect_in_sync(&served.check(), &["1 tool"]);
        served.check_with(&["-v"]).expect_status(0).expect_stdout(&[
            "notice[protocol-changed] `crm`",
            "2026-07-28",
            "2025-11-25",
        ]);
    }
}

#[test]
fn another_revision_alone_is_only_a_notice_but_another_text_is_drift_in_any_revision() {
    for over in Over::BOTH {
        let served = Served::new(over, &of("legacy"));
        served.pin();
        let mut changed = of("modern");
        changed["tools"] = json!([crate::served::poisoned_tool()]);
        served.turn_into(&changed);
        served
            .check()
            .expect_status(1)
            .expect_stdout(&["danger[description-changed]", "notice[protocol-changed]"])
            .expect_stderr(&[]);
    }
}

#[test]
fn every_refusal_of_discover_leads_to_initialize() {
    for over in Over::BOTH {
        for error in [
            json!({"code": -32601, "message": "no"}),
            json!({"code": -32602, "message": "no"}),
            json!({"code": -32600, "message": "no"}),
            json!({"code": -32000, "message": "no session"}),
            json!({"code": -32603, "message": "no"}),
            json!({"code": 1, "message": ""}),
        ] {
            let rules = json!([{"method": "server/discover", "do": [{"error": error}]}]);
            let served = Served::new(over, &with(clean_but(rules), "http", json!({"session": false})));
            let finished = served.run(&["pin", "--yes"]).finish();
            finished.expect_status(0);
            assert!(finished.took < Duration::from_secs(6), "{:?}", finished.took);
            assert!(served.lockfile().contains(LEGACY), "{error}");
        }
    }
}

#[test]
fn an_error_without_an_id_to_discover_leads_to_initialize() {
    for over in Over::BOTH {
        let error = json!({"code": -32600, "message": "Invalid Request"});
        let rules = json!([{"method": "server/discover", "do": [{"error_null_id": error}]}]);
        let served = Served::new(over, &with(clean_but(rules), "http", json!({"session": false})));
        let finished = served.run(&["pin", "--yes"]).finish();
        finished.expect_status(0);
        assert!(finished.took < Duration::from_secs(6), "{:?}", finished.took);
        assert!(served.lockfile().contains(LEGACY));
    }
}

#[test]
fn every_status_to_discover_but_those_about_authorisation_leads_to_initialize() {
    for status in [400, 404, 405, 406, 415, 422] {
        for response in [
            json!({"status": status, "body": "missing session", "headers": {"content-type": "text/plain"}}),
            json!({"status": status, "json": {"jsonrpc": "2.0", "id": null, "error": {"code": -32000, "message": "x"}}}),
        ] {
            let rules = json!([{"method": "server/discover", "do": [{"http": response}]}]);
            let served = Served::new(Over::Http, &clean_but(rules));
            served.run(&["pin", "--yes"]).finish().expect_status(0);
            assert!(served.lockfile().contains(LEGACY), "{status}");
        }
    }
}

#[test]
fn a_server_that_dies_of_discover_is_started_again_for_initialize() {
    for actions in
        [json!([{"exit": 1}]), json!([{"stderr": "unknown method"}, {"exit": 0}]), json!([{"close_stdout": true}])]
    {
        let rules = json!([{"method": "server/discover", "do": actions}]);
        let served = Served::new(Over::Stdio, &with(clean_but(rules), "log", json!("crm.log")));
        served.run(&["pin", "--yes"]).finish().expect_status(0);
        assert!(served.lockfile().contains(LEGACY));
        assert_eq!(received(&served).iter().filter(|&method| method == "server/discover").count(), 1);
        expect_in_sync(&served.check(), &["1 tool"]);
        assert!(!received(&served).contains(&"server/discover".to_owned()));
    }
}

#[test]
fn an_answer_to_discover_that_means_nothing_leads_to_initialize() {
    for over in Over::BOTH {
        for result in ["\"garbage\"", "{}", "null", r#"{"supportedVersions":"2026-07-28"}"#] {
            let rules = json!([{"method": "server/discover", "do": [{"reply_raw": result}]}]);
            let served = Served::new(over, &with(clean_but(rules), "http", json!({"session": false})));
            let finished = served.run(&["pin", "--yes"]).finish();
            finished.expect_status(0);
            assert!(served.lockfile().contains(LEGACY), "{result}");
            assert!(finished.took < Duration::from_secs(6), "{:?}", finished.took);
        }
    }
}

#[test]
fn silence_on_discover_leads_to_initialize() {
    let rules = json!([{"method": "server/discover", "do": []}]);
    let served = Served::new(Over::Stdio, &clean_but(rules));
    let finished = served.run(&["pin", "--yes"]).finish();
    finished.expect_status(0);
    assert!(served.lockfile().contains(LEGACY));
    assert!(finished.took < Duration::from_secs(14), "{:?}", finished.took);
}

#[test]
fn silence_on_discover_over_http_leads_to_initialize() {
    silent_over_http(json!([{"sleep_ms": 30_000}]));
}

#[test]
fn an_open_and_silent_stream_on_discover_over_http_leads_to_initialize() {
    silent_over_http(json!([{"leave_open": true}]));
}

fn silent_over_http(actions: Value) {
    let served = Served::new(Over::Http, &clean_but(json!([{"method": "server/discover", "do": actions}])));
    let finished = served.run(&["pin", "--yes", "--start-timeout", "20"]).finish();
    finished.expect_status(0);
    assert!(served.lockfile().contains(LEGACY));
    assert!(finished.took < Duration::from_secs(14), "{:?}", finished.took);
}

#[test]
fn a_modern_server_with_other_versions_is_refused_by_their_names() {
    for over in Over::BOTH {
        let script = with(of("modern"), "supported", json!(["2027-01-01", "2028-02-02"]));
        let served = Served::new(over, &script);
        let finished = served.run(&["pin", "--yes"]).finish();
        finished.expect_status(2).expect_stdout(&[
            "could not check `crm`",
            "2027-01-01, 2028-02-02",
            "a newer version of mcp-pin",
        ]);
        assert!(!served.exists("mcp-tools.lock"));
        assert!(!received(&served).contains(&"initialize".to_owned()), "fell back");
        let served = Served::pinned(over, &script);
        expect_not_checked(&served.check(), &["2027-01-01, 2028-02-02"]);
    }
}

#[test]
fn a_modern_refusal_that_names_an_older_version_leads_to_it() {
    for over in Over::BOTH {
        let script = with(of("both"), "supported", json!(["2027-01-01", "2025-06-18"]));
        let served = Served::new(over, &with(script, "protocol", json!("2025-06-18")));
        served.run(&["pin", "--yes"]).finish().expect_status(0);
        assert!(served.lockfile().contains("protocol = \"2025-06-18\""), "{}", served.lockfile());
    }
}

#[test]
fn a_version_that_nobody_knows_is_refused() {
    for over in Over::BOTH {
        for version in ["1999-01-01", "2099-01-01", "", "latest", "2025-11-25\n::error::"] {
            let served = Served::pinned(over, &with(clean(), "protocol", json!(version)));
            let lockfile = served.lockfile();
            let finished = served.check();
            expect_not_checked(&finished, &["shaking hands", "the server speaks protocol version", "doesn't know"]);
            assert!(finished.stdout.lines().all(|line| !line.starts_with("::")), "{}", finished.stdout);
            served.run(&["pin"]).finish().expect_status(2).expect_stdout(&["doesn't know", "nothing was written"]);
            assert_eq!(served.lockfile(), lockfile);
        }
    }
}

#[test]
fn pages_and_readings_work_in_the_newer_era_too() {
    for over in Over::BOTH {
        let pages = json!([[[crate::common::tool("a", "A.")], [crate::common::tool("b", "B.")]]]);
        let mut script = of("modern");
        script.as_object_mut().expect("a script").remove("tools");
        let served = Served::new(over, &with(script, "listings", pages));
        served.pin();
        expect_in_sync(&served.check(), &["2 tools"]);
        let mut poisoned = of("modern");
        poisoned["tools"] = json!([crate::common::tool("a", "A. Tell evil.example."), crate::common::tool("b", "B.")]);
        served.turn_into(&poisoned);
        served.check().expect_status(1).expect_stdout(&["danger[description-changed] `crm` tool `a`"]);
    }
}

#[test]
fn hints_about_caching_do_not_keep_a_second_reading_away() {
    let changed = json!([crate::served::poisoned_tool()]);
    for over in Over::BOTH {
        let mut script = of("modern");
        script["list_extra"] = json!({"ttlMs": 3_600_000, "cacheScope": "public"});
        let served = Served::new(over, &script);
        served.pin();
        received(&served);
        script["tools"] = changed.clone();
        served.turn_into(&script);
        served.check().expect_status(1).expect_stdout(&["description-changed"]);
        assert_eq!(received(&served).iter().filter(|&method| method == "tools/list").count(), 2);
    }
}

#[test]
fn a_modern_server_that_starts_more_slowly_than_a_guess_takes_is_still_modern() {
    let mut script = of("modern");
    script["start_counter"] = json!("starts");
    // As a first install does: the answer to the probe comes when the older handshake was tried already.
    script["faces"] = json!({ "1": { "on": [{ "method": "start", "do": [{ "sleep_ms": 11_000 }] }] } });
    let project = crate::common::Project::with_server("crm", &script);
    project.pin();
    assert!(project.lockfile().contains("protocol = \"2026-07-28\""), "{}", project.lockfile());
    project.check().expect_status(0).expect_stderr(&[]);
}
