//! The client that servers see: its name, its profile, and servers that show each client something else.

use serde_json::{Value, json};

use crate::common::{listing, tool};
use crate::served::{Over, Served, clean, expect_in_sync, poisoned_tool, with};

/// Clean to everybody but `claude-code`.
fn two_faced() -> Value {
    let script = with(clean(), "client_faces", json!({"claude-code": {"tools": [poisoned_tool()]}}));
    with(script, "log", json!("crm.log"))
}

/// The names that the server was told since its log was read last.
fn names(served: &Served) -> Vec<String> {
    let log = served.log("crm.log");
    let _ = std::fs::remove_file(served.path("crm.log"));
    let infos = log.iter().filter_map(|entry| {
        let params = &entry["message"]["params"];
        let legacy = params["clientInfo"]["name"].as_str();
        legacy.or(params["_meta"]["io.modelcontextprotocol/clientInfo"]["name"].as_str()).map(str::to_owned)
    });
    infos.collect()
}

#[test]
fn the_client_has_a_name_and_a_frozen_profile() {
    for over in Over::BOTH {
        let served = Served::new(over, &with(clean(), "log", json!("crm.log")));
        served.pin();
        assert!(served.lockfile().contains("client = \"mcp-pin/1\""), "{}", served.lockfile());
        let log = served.log("crm.log");
        let initialize = log.iter().find(|entry| entry["message"]["method"] == "initialize").expect("initialize");
        let params = &initialize["message"]["params"];
        assert_eq!(params["clientInfo"], json!({"name": "mcp-pin", "version": "1"}));
        let capabilities = params["capabilities"].as_object().expect("capabilities");
        assert_eq!(capabilities.keys().collect::<Vec<_>>(), ["elicitation", "extensions", "roots", "sampling"]);
        assert!(params["capabilities"]["extensions"]["io.modelcontextprotocol/ui"].is_object());
        if over == Over::Http {
            assert_eq!(initialize["headers"]["user-agent"], "mcp-pin/1");
        }
        assert!(names(&served).iter().all(|name| name == "mcp-pin"));
    }
}

#[test]
fn another_name_is_recorded_and_used_by_every_check() {
    for over in Over::BOTH {
        let served = Served::new(over, &two_faced());
        served.run(&["pin", "--yes", "--client-name", "claude-code"]).finish().expect_status(0);
        assert!(served.lockfile().contains("evil.example"));
        assert!(served.lockfile().lines().any(|line| line.starts_with("client") && line.contains("claude-code")));
        names(&served);
        expect_in_sync(&served.check(), &["1 tool"]);
        let told = names(&served);
        assert!(!told.is_empty() && told.iter().all(|name| name == "claude-code"), "{told:?}");
    }
}

#[test]
fn a_pin_keeps_the_recorded_name() {
    let served = Served::new(Over::Stdio, &two_faced());
    served.run(&["pin", "--yes", "--client-name", "claude-code"]).finish().expect_status(0);
    let lockfile = served.lockfile();
    served.pin();
    assert_eq!(served.lockfile(), lockfile);
}

#[test]
fn the_agents_name_shows_what_the_agent_is_shown() {
    for over in Over::BOTH {
        let served = Served::pinned(over, &two_faced());
        expect_in_sync(&served.check(), &["1 tool"]);
        let finished = served.check_with(&["--client-name", "claude-code"]);
        finished.expect_status(1).expect_stdout(&["danger[description-changed]", "evil.example", "claude-code"]);
        let by_variable = served.run(&["check"]).env("MCP_PIN_CLIENT_NAME", "claude-code").finish();
        by_variable.expect_status(1).expect_stdout(&["evil.example"]);
    }
}

#[test]
fn a_name_over_http_is_the_user_agent_too() {
    let served = Served::new(Over::Http, &with(clean(), "log", json!("crm.log")));
    served.run(&["pin", "--yes", "--client-name", "claude-code"]).finish().expect_status(0);
    let log = served.log("crm.log");
    let agents: Vec<&Value> =
        log.iter().filter(|entry| entry["event"] == "http").map(|entry| &entry["headers"]["user-agent"]).collect();
    assert!(
        !agents.is_empty()
            && agents.iter().all(|&agent| agent.as_str().is_some_and(|agent| agent.starts_with("claude-code"))),
        "{agents:?}"
    );
}

#[test]
fn a_name_of_any_characters_does_no_harm() {
    for name in ["caf\u{e9} \"quoted\"", "evil\r\nx-injected: 1", "\u{202e}::error::"] {
        for over in Over::BOTH {
            let served = Served::new(over, &with(listing(&[tool("a", "A.")]), "log", json!("crm.log")));
            let finished = served.run(&["pin", "--yes", "--client-name", name]).finish();
            assert!([0, 2].contains(&finished.status), "{finished:?}");
            if finished.status == 0 {
                expect_in_sync(&served.check(), &["1 tool"]);
                assert!(names(&served).iter().all(|told| told == name));
            }
            for entry in served.log("crm.log") {
                assert_eq!(entry["headers"]["x-injected"], Value::Null);
            }
        }
    }
}
