//! `export` prints the pinned tools for other programs: from the lockfile, without a server or a configuration.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::common::{Finished, Project, listing, scripted_server, tool};
use crate::told::{folder, marked};

const FORMATS: [&str; 3] = ["ai-sdk", "jcs", "json"];

/// The digest that the Vercel AI SDK publishes for this tool.
const LOOKUP_DIGEST: &str = "J5ieGwK5yQt-HKIXJwpfiv6qwBrbreAYFb_kVcQJR38";

fn lookup() -> Value {
    json!({
        "name": "lookup_customer",
        "title": "Look up customer",
        "description": "Look up a customer record by ID.",
        "inputSchema": { "type": "object", "properties": { "id": { "type": "string" } }, "required": ["id"] },
        "annotations": { "readOnlyHint": true },
    })
}

/// Two servers, of whose starts a marker would tell, and no configuration any more.
fn pinned() -> Project {
    let mut project = Project::with_server("crm", &marked(listing(&[tool("b", "B."), lookup()]), "started"));
    project.server("files", &marked(listing(&[tool("read", "Reads.")]), "started"));
    project.pin();
    for gone in ["started", ".mcp.json"] {
        std::fs::remove_file(project.path(gone)).expect("removed");
    }
    project
}

/// A server whose tools are sent as these texts, pinned.
fn pinned_verbatim(tools: &[&str]) -> Project {
    let project = Project::with_server("crm", &json!({ "tools": tools }));
    project.pin();
    project
}

fn export(project: &Project, format: &str, more: &[&str]) -> Finished {
    project.run(&[&["export", "--format", format], more].concat()).finish()
}

/// The document of an export that had nothing to say on standard error.
#[track_caller]
fn exported(project: &Project, format: &str, more: &[&str]) -> Value {
    let finished = export(project, format, more);
    finished.expect_status(0).expect_stderr(&[]);
    finished.json()
}

#[test]
fn the_digests_for_the_ai_sdk_are_those_that_it_publishes() {
    let project = pinned();
    let digests = exported(&project, "ai-sdk", &["crm"]);
    assert_eq!(digests["lookup_customer"], LOOKUP_DIGEST);
    assert_eq!(digests.as_object().expect("a map").len(), 2);
}

#[test]
fn jcs_digests_are_of_the_whole_tool_and_json_is_the_whole_tool() {
    let project = pinned();
    let digest: String = Sha256::digest(serde_json_canonicalizer::to_vec(&lookup()).expect("serializable"))
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert_eq!(exported(&project, "jcs", &["crm"])["lookup_customer"], digest);
    assert_eq!(exported(&project, "json", &["crm"]), json!({ "b": tool("b", "B."), "lookup_customer": lookup() }));
}

#[test]
fn without_a_server_named_there_is_a_map_of_all_servers_even_of_one() {
    let project = pinned();
    let alone = pinned_verbatim(&[r#"{"name":"a","inputSchema":{}}"#]);
    for format in FORMATS {
        let all = exported(&project, format, &[]);
        for server in ["crm", "files"] {
            assert_eq!(all[server], exported(&project, format, &[server]), "{format}");
        }
        assert_eq!(all.as_object().expect("a map").len(), 2);
        let all = exported(&alone, format, &[]);
        assert_eq!(all["crm"], exported(&alone, format, &["crm"]), "{format}");
        assert_eq!(all.as_object().expect("a map").len(), 1);
    }
}

#[test]
fn a_server_without_tools_is_an_empty_map() {
    let project = Project::with_server("crm", &json!({ "tools": [], "capabilities": {} }));
    project.pin();
    for format in FORMATS {
        assert_eq!(exported(&project, format, &["crm"]), json!({}));
        assert_eq!(exported(&project, format, &[]), json!({ "crm": {} }));
    }
}

#[test]
fn no_server_is_asked_and_nothing_is_written() {
    let project = pinned();
    let before = folder(&project);
    for format in FORMATS {
        exported(&project, format, &[]);
    }
    assert_eq!(folder(&project), before);
}

#[test]
fn the_lockfile_may_be_elsewhere_or_come_from_standard_input() {
    let project = pinned();
    let expected = exported(&project, "ai-sdk", &[]);
    project.write("sub/other.lock", project.lockfile());
    std::fs::remove_file(project.path("mcp-tools.lock")).expect("removed");
    assert_eq!(exported(&project, "ai-sdk", &["--lockfile", "sub/other.lock"]), expected);
    assert_eq!(exported(&project, "ai-sdk", &["-C", "sub", "--lockfile", "other.lock"]), expected);
    let arguments = ["export", "--format", "ai-sdk", "--lockfile", "-"];
    let piped = project.run(&arguments).stdin(project.read("sub/other.lock")).finish();
    piped.expect_status(0).expect_stderr(&[]);
    assert_eq!(piped.json(), expected);
}

#[test]
fn the_output_is_the_same_bytes_each_time_with_sorted_keys_and_a_final_newline() {
    let project = pinned();
    let finished = export(&project, "ai-sdk", &["crm"]);
    assert_eq!(finished.stdout, export(&project, "ai-sdk", &["crm"]).stdout);
    let lines: Vec<&str> = finished.stdout.lines().collect();
    assert!(lines[1].starts_with("  \"b\": \"") && lines[2].starts_with("  \"lookup_customer\": \""), "{lines:?}");
    assert!(finished.stdout.ends_with("\"\n}\n"));
}

#[test]
fn export_fails_when_the_lockfile_is_damaged_or_missing() {
    let project = pinned();
    let sound = project.lockfile();
    for format in FORMATS {
        project.write("mcp-tools.lock", sound.replace("Reads.", "Writes."));
        // The damage counts whichever server is asked for.
        for more in [&[][..], &["crm"]] {
            let finished = export(&project, format, more);
            finished.expect_status(2).expect_stderr(&["lock entry inconsistent", "help: "]);
            assert_eq!(finished.stdout, "");
        }
        std::fs::remove_file(project.path("mcp-tools.lock")).expect("removed");
        let finished = export(&project, format, &[]);
        finished.expect_status(2).expect_stderr(&["there is no lockfile", "mcp-pin pin"]);
        assert_eq!(finished.stdout, "");
        project.write("mcp-tools.lock", &sound);
    }
}

#[test]
fn export_of_an_unknown_server_gets_the_nearest_name() {
    let project = pinned();
    let finished = export(&project, "ai-sdk", &["fils"]);
    finished.expect_status(2).expect_stderr(&["no server is called \"fils\"", "did you mean \"files\"?"]);
    assert_eq!(finished.stdout, "");
}

#[test]
fn export_without_a_format_or_with_two_servers_is_a_usage_error() {
    let project = pinned();
    for arguments in [&["export"][..], &["export", "--format", "yaml"], &["export", "--format", "jcs", "crm", "files"]]
    {
        let finished = project.run(arguments).finish();
        finished.expect_status(2).expect_stderr(&["--help"]);
        assert_eq!(finished.stdout, "");
    }
}

#[test]
fn a_variable_for_reports_is_no_format_of_an_export() {
    let project = pinned();
    let finished = project.run(&["export", "--format", "jcs", "crm"]).env("MCP_PIN_FORMAT", "json").finish();
    finished.expect_status(0).expect_stderr(&[]);
    assert_eq!(finished.json()["b"].as_str().expect("a digest").len(), 64);
}

#[test]
fn a_number_that_is_no_double_is_exact_in_json_rounded_for_the_ai_sdk_and_left_out_of_jcs() {
    let project = pinned_verbatim(&[
        r#"{"name":"big","inputSchema":{"properties":{"n":{"maximum":9007199254740993}}}}"#,
        r#"{"name":"even","inputSchema":{"properties":{"n":{"maximum":9007199254740992}}}}"#,
        r#"{"name":"huge","inputSchema":{"const":1e400}}"#,
        // Two texts of 16 digits are as close to this double; ECMAScript writes the even one, and so may a server.
        r#"{"name":"tie","inputSchema":{"const":1087470425559857.2}}"#,
    ]);
    let definitions = export(&project, "json", &["crm"]);
    definitions.expect_status(0).expect_stderr(&[]);
    definitions.expect_stdout(&["\"maximum\": 9007199254740993\n", "\"const\": 1e+400\n"]);

    let digests = exported(&project, "ai-sdk", &["crm"]);
    assert_eq!(digests["big"], digests["even"], "JavaScript reads both alike");
    assert!(digests["huge"].is_string());

    let jcs = export(&project, "jcs", &["crm"]);
    jcs.expect_status(0);
    assert_eq!(jcs.json().as_object().expect("a map").keys().collect::<Vec<_>>(), ["even", "tie"]);
    assert_eq!(
        jcs.stderr,
        "warning: `crm` tool `big` is left out: RFC 8785 can't represent the number at \
         /inputSchema/properties/n/maximum exactly\n\
         warning: `crm` tool `huge` is left out: RFC 8785 can't represent the number at /inputSchema/const exactly\n"
    );
}

#[test]
fn a_tool_that_the_ai_sdk_can_not_read_is_left_out_and_named() {
    let project = pinned_verbatim(&[
        r#"{"name":"fine","inputSchema":{}}"#,
        r#"{"name":"odd","inputSchema":{},"annotations":{"openWorldHint":"maybe"}}"#,
        r#"{"name":"proto","inputSchema":{"default":{"__proto__":{}}}}"#,
    ]);
    let finished = export(&project, "ai-sdk", &[]);
    finished.expect_status(0).expect_stderr(&[
        "warning: `crm` tool `odd` is left out: the AI SDK can't read the server's tools while this is one: \
         /annotations/openWorldHint is neither true nor false\n",
        "warning: `crm` tool `proto` is left out: ",
        "/inputSchema/default has a key that it forbids\n",
    ]);
    assert_eq!(finished.json()["crm"].as_object().expect("a map").keys().collect::<Vec<_>>(), ["fine"]);
    // The others have no such trouble.
    for format in ["jcs", "json"] {
        assert_eq!(exported(&project, format, &["crm"]).as_object().expect("a map").len(), 3);
    }
}

#[test]
fn a_misused_header_leaves_a_tool_out_over_http_only_as_in_the_ai_sdk() {
    let misused = json!({ "name": "a", "inputSchema": { "type": "string", "x-mcp-header": "A" } });
    let script = json!({ "era": "modern", "tools": [misused, tool("b", "B.")] });
    let mut project = Project::with_server("over-stdio", &script);
    let _server = project.http_server("over-http", &script);
    project.pin();
    let finished = export(&project, "ai-sdk", &[]);
    finished.expect_status(0);
    assert_eq!(
        finished.stderr,
        "warning: `over-http` tool `a` is left out: over HTTP the AI SDK leaves it out too: it misuses x-mcp-header\n"
    );
    let names = |server: &str| finished.json()[server].as_object().expect("a map").keys().cloned().collect::<Vec<_>>();
    assert_eq!((names("over-http"), names("over-stdio")), (vec!["b".to_owned()], vec!["a".to_owned(), "b".to_owned()]));
}

#[test]
fn hostile_text_stays_text_and_means_the_same() {
    let hostile = "\u{1b}[2J\r\u{202e}\u{200b}\u{e0041}\n::error::x\n##[error]y ##vso[task]z é";
    let more = json!({ "name": hostile, "inputSchema": { hostile: [hostile], "const": hostile }, "_meta": null });
    let mut project = Project::new();
    project.script("face", &listing(&[tool("a", hostile), more.clone()]));
    project.configure(hostile, json!({ "command": scripted_server(), "args": ["face.json"] }));
    project.pin();
    for format in FORMATS {
        let finished = export(&project, format, &[]);
        finished.expect_status(0);
        for text in [&finished.stdout, &finished.stderr] {
            assert!(text.bytes().all(|byte| byte == b'\n' || (b' '..=b'~').contains(&byte)), "{text:?}");
            assert!(!text.contains("##[") && !text.contains("##vso["), "{text}");
            assert!(!text.lines().any(|line| line.trim_start().starts_with("::")), "{text}");
        }
    }
    let definitions = exported(&project, "json", &[]);
    assert_eq!(definitions[hostile][hostile], more);
    export(&project, "ai-sdk", &[hostile]).expect_status(0).expect_stderr(&["/_meta is no object"]);
}
