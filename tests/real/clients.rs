//! server-everything, which lists other tools to other clients, read as each client that mcp-pin can appear as.

use std::collections::BTreeSet;
use std::thread;

use serde_json::{Value, json};

use crate::capture::{Client, Kind};
use crate::common::Project;
use crate::serving::Serving;
use crate::{lockfile, processes, servers, skipped};

/// A client, and what the server tells it.
struct Told {
    /// As `--client` has it.
    name: &'static str,
    client: Client,
    /// How many tools it is told.
    tools: usize,
    /// Those of them that a client that declares nothing isn't told.
    more: &'static [&'static str],
}

const ROOTS: &str = "get-roots-list";
const SAMPLING: &str = "trigger-sampling-request";
const SAMPLING_TASK: &str = "trigger-sampling-request-async";
const ELICITATION: &str = "trigger-elicitation-request";
const ELICITATION_TASK: &str = "trigger-elicitation-request-async";
const ELICITATION_BY_URL: &str = "trigger-url-elicitation";

/// The clients, in the order in which a check reads as them.
const CLIENTS: [Told; 6] = [
    Told {
        name: "mcp-pin",
        client: Client {
            info: r#"{"name":"mcp-pin","version":"1"}"#,
            capabilities: r#"{"roots":{},"sampling":{},"elicitation":{},"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}"#,
            protocol: "2025-11-25",
        },
        tools: 16,
        more: &[ROOTS, ELICITATION, SAMPLING],
    },
    Told {
        name: "claude-code",
        client: Client {
            info: r#"{"name":"claude-code","title":"Claude Code","version":"2.1.292"}"#,
            capabilities: r#"{"roots":{"listChanged":true},"elicitation":{"form":{},"url":{}}}"#,
            protocol: "2025-11-25",
        },
        tools: 16,
        more: &[ROOTS, ELICITATION, ELICITATION_BY_URL],
    },
    Told {
        name: "cursor",
        client: Client {
            info: r#"{"name":"cursor-vscode","version":"1.0.0"}"#,
            capabilities: r#"{"elicitation":{"form":{}},"roots":{"listChanged":false},"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}"#,
            protocol: "2025-11-25",
        },
        tools: 15,
        more: &[ROOTS, ELICITATION],
    },
    Told {
        name: "vscode",
        client: Client {
            info: r#"{"name":"Visual Studio Code","version":"1.140.0"}"#,
            capabilities: r#"{"roots":{"listChanged":true},"sampling":{},"elicitation":{"form":{},"url":{}},"tasks":{"list":{},"cancel":{},"requests":{"sampling":{"createMessage":{}},"elicitation":{"create":{}}}},"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}"#,
            protocol: "2025-11-25",
        },
        tools: 19,
        more: &[ROOTS, ELICITATION, ELICITATION_TASK, SAMPLING, SAMPLING_TASK, ELICITATION_BY_URL],
    },
    Told {
        name: "codex",
        client: Client {
            info: r#"{"name":"codex-mcp-client","title":"Codex","version":"0.160.0"}"#,
            capabilities: r#"{"experimental":{"codex/auth-change":{}},"elicitation":{"form":{},"url":{}}}"#,
            protocol: "2025-06-18",
        },
        tools: 15,
        more: &[ELICITATION, ELICITATION_BY_URL],
    },
    Told {
        name: "minimal",
        client: Client { info: r#"{"name":"minimal","version":"1"}"#, capabilities: "{}", protocol: "2025-11-25" },
        tools: 13,
        more: &[],
    },
];

#[test]
fn pinned_as_each_client_it_has_the_tools_that_a_raw_capture_as_that_client_has() {
    if skipped() {
        return;
    }
    let server = servers::everything();
    let serving = Serving::start();
    let plain: BTreeSet<String> = server.capture(Client::PLAIN).tools().keys().cloned().collect();
    for told in &CLIENTS {
        let mut project = Project::new();
        project.configure("over-stdio", server.entry());
        project.configure("over-http", json!({ "type": "http", "url": serving.url }));
        let raw = thread::scope(|scope| {
            let raw = scope.spawn(|| server.capture(told.client));
            project.run(&["pin", "--yes", "--client", told.name]).finish().expect_status(0);
            raw.join().expect("captured")
        });
        processes::expect_none(&project);
        let text = project.lockfile();
        assert_eq!(text.matches(&format!("\nclient = \"{}/1\"\n", told.name)).count(), 2, "{}", told.name);
        for name in ["over-stdio", "over-http"] {
            let pinned = lockfile::pinned(&text, name);
            pinned.expect(&raw);
            assert_eq!(pinned.protocol, raw.protocol);
            assert_eq!(pinned.protocol, told.client.protocol);
            assert_eq!(pinned.counts()[&Kind::Tool], told.tools, "{}", told.name);
            let more: Vec<&str> =
                pinned.items[&Kind::Tool].keys().filter(|&tool| !plain.contains(tool)).map(String::as_str).collect();
            assert_eq!(more, told.more, "{}", told.name);
        }
        // It is checked as the client that it is pinned with.
        let in_sync = format!("{} tools, 4 prompts, 2 templates", told.tools);
        project.check().expect_status(0).expect_stderr(&[]).expect_stdout(&[
            &format!("in sync: `over-http`, {in_sync}"),
            &format!("in sync: `over-stdio`, {in_sync}"),
        ]);
        processes::expect_none(&project);
    }
}

#[test]
fn pinned_as_mcp_pin_the_three_tools_that_other_clients_alone_are_told_are_drift() {
    if skipped() {
        return;
    }
    let (status, differing) = check_as_all_clients("mcp-pin");
    assert_eq!(status, 1);
    assert_eq!(
        differing,
        [
            "danger trigger-elicitation-request-async: tool-added, told to vscode/1",
            "danger trigger-sampling-request-async: tool-added, told to vscode/1",
            "danger trigger-url-elicitation: tool-added, told to claude-code/1, vscode/1, codex/1",
            "notice get-roots-list: tool-removed, not told to codex/1, minimal/1",
            "notice trigger-elicitation-request: tool-removed, not told to minimal/1",
            "notice trigger-sampling-request: tool-removed, not told to claude-code/1, cursor/1, codex/1, minimal/1",
        ]
    );
    assert_eq!(differing, expected_of("mcp-pin"));
}

#[test]
fn pinned_as_the_client_that_is_told_most_it_is_in_sync_and_notices_say_who_is_told_less() {
    if skipped() {
        return;
    }
    let (status, differing) = check_as_all_clients("vscode");
    assert_eq!(status, 0);
    assert_eq!(
        differing,
        [
            "notice get-roots-list: tool-removed, not told to codex/1, minimal/1",
            "notice trigger-elicitation-request-async: tool-removed, not told to mcp-pin/1, claude-code/1, cursor/1, \
             codex/1, minimal/1",
            "notice trigger-elicitation-request: tool-removed, not told to minimal/1",
            "notice trigger-sampling-request-async: tool-removed, not told to mcp-pin/1, claude-code/1, cursor/1, \
             codex/1, minimal/1",
            "notice trigger-sampling-request: tool-removed, not told to claude-code/1, cursor/1, codex/1, minimal/1",
            "notice trigger-url-elicitation: tool-removed, not told to mcp-pin/1, cursor/1, minimal/1",
        ]
    );
    assert_eq!(differing, expected_of("vscode"));
}

/// Pins the server as a client, checks it as all of them, and gives the status and what differs, a line for each.
#[track_caller]
fn check_as_all_clients(client: &str) -> (i32, Vec<String>) {
    let server = servers::everything();
    let mut project = Project::new();
    project.configure(server.name, server.entry());
    project.run(&["pin", "--yes", "--client", client]).finish().expect_status(0);
    let text = project.lockfile();
    let pinned = lockfile::pinned(&text, server.name);
    let finished = project.run(&["check", "--clients", "all", "--format", "json"]).finish();
    finished.expect_stderr(&[]);
    processes::expect_none(&project);
    assert_eq!(project.lockfile(), text);

    let report: Value = serde_json::from_str(&finished.stdout).expect("a report is JSON");
    let findings = report["servers"][0]["findings"].as_array().expect("findings");
    let (differing, others): (Vec<&Value>, Vec<&Value>) =
        findings.iter().partition(|finding| finding["rule"] == "client-differs");
    assert!(others.iter().all(|finding| finding["level"] == "notice"), "{report:#}");
    let pin_is = format!("; the pin is what {client}/1 is told");
    let lines = differing.into_iter().map(|finding| {
        let word = |value: &Value| value.as_str().expect("a word").to_owned();
        let (level, tool, note) = (word(&finding["level"]), word(&finding["item"]["name"]), word(&finding["note"]));
        assert_eq!((&finding["item"]["kind"], &finding["pointer"]), (&"tool".into(), &"".into()));
        assert_eq!(finding.get("old"), pinned.items[&Kind::Tool].get(&tool));
        format!("{level} {tool}: {}", note.strip_suffix(&pin_is).unwrap_or_else(|| panic!("{note}")))
    });
    let mut lines: Vec<String> = lines.collect();
    lines.sort();
    (finished.status, lines)
}

/// What differs when the server is pinned as a client, by what each client is told.
fn expected_of(client: &str) -> Vec<String> {
    let pinned = CLIENTS.iter().find(|told| told.name == client).expect("a client").more;
    let tools: BTreeSet<&str> = CLIENTS.iter().flat_map(|told| told.more).copied().collect();
    let lines = tools.into_iter().filter_map(|tool| {
        let is_pinned = pinned.contains(&tool);
        let others = CLIENTS.iter().filter(|told| told.more.contains(&tool) != is_pinned);
        let others: Vec<String> = others.map(|told| format!("{}/1", told.name)).collect();
        let what = if is_pinned { "notice {}: tool-removed, not told to" } else { "danger {}: tool-added, told to" };
        (!others.is_empty()).then(|| format!("{} {}", what.replace("{}", tool), others.join(", ")))
    });
    let mut lines: Vec<String> = lines.collect();
    lines.sort();
    lines
}
