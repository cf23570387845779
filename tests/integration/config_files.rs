//! `.mcp.json` as people write it, and everything that can be wrong with it.

use serde_json::json;

use crate::common::{Project, listing, scripted_server, tool};
use crate::told::marked;

fn pinned() -> Project {
    let project = Project::with_server("crm", &marked(listing(&[tool("a", "A.")]), "started"));
    project.pin();
    std::fs::remove_file(project.path("started")).expect("pinned");
    project
}

/// The path of the scripted server inside a JSON string.
fn program() -> String {
    let quoted = json!(scripted_server()).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

#[track_caller]
fn expect_broken(config: impl AsRef<[u8]>, parts: &[&str]) {
    let project = pinned();
    let lockfile = project.lockfile();
    project.write(".mcp.json", config);
    for command in [&["check"][..], &["verify"], &["pin", "--yes"], &["check", "crm"]] {
        project.run(command).finish().expect_refused(parts).expect_told(&["help: "]);
    }
    assert_eq!(project.lockfile(), lockfile);
    assert!(!project.exists("started"));
}

#[test]
fn comments_trailing_commas_and_a_byte_order_mark_are_fine() {
    let project = pinned();
    let text = format!(
        "\u{feff}// the team's servers\n{{\n  /* one */ \"mcpServers\": {{\n    \"crm\": {{ \"command\": \"{}\", \"args\": [\"crm.json\",], }}, // last\n  }},\n}}\n",
        program()
    );
    project.write(".mcp.json", &text);
    project.check().expect_status(0).expect_stdout(&["in sync: `crm`"]).expect_stderr(&[]);
    project.write(".mcp.json", text.replace('\n', "\r\n"));
    project.check().expect_status(0).expect_stderr(&[]);
}

#[test]
fn slashes_inside_a_string_are_no_comment() {
    let project = pinned();
    project.write(".mcp.json", r#"{"mcpServers":{"web":{"url":"https://web.example//mcp/*x*/"}}}"#);
    let finished = project.run(&["pin"]).finish();
    finished.expect_status(2).expect_stderr(&["https://web.example//mcp/*x*/"]);
}

#[test]
fn a_syntax_error_has_file_line_and_column() {
    expect_broken("{\"mcpServers\": {\n  \"crm\" {} }}", &["reading .mcp.json", "line 2, column 9"]);
    expect_broken("{\"mcpServers\": {\n  \"crm\": {\"command\": x}}}", &["reading .mcp.json", "line 2"]);
    expect_broken("", &["reading .mcp.json", "line 1, column 1"]);
    expect_broken("{} {}", &["reading .mcp.json", "line 1, column 4"]);
}

#[test]
fn a_repeated_server_or_key_is_an_error_with_its_place() {
    expect_broken(
        "{\"mcpServers\": {\"crm\": {\"command\": \"a\"},\n \"crm\": {\"command\": \"b\"}}}",
        &["repeated key \"crm\"", "line 2"],
    );
    expect_broken(
        "{\"mcpServers\": {\"crm\": {\"command\": \"a\", \"command\": \"b\"}}}",
        &["repeated key \"command\""],
    );
    expect_broken(
        "{\"mcpServers\": {\"crm\": {\"command\": \"a\", \"env\": {\"A\": \"1\", \"\\u0041\": \"2\"}}}}",
        &["repeated key \"A\""],
    );
}

#[test]
fn no_server_is_never_a_clean_project() {
    expect_broken("{}", &["no servers found"]);
    expect_broken(r#"{"mcpServers": {}}"#, &["no servers found", "\"mcpServers\" is empty"]);
    expect_broken("[]", &["no servers found"]);
    expect_broken(r#"{"mcpServers": []}"#, &["mcpServers"]);
    expect_broken(r#"{"mcpservers": {"a": {"command": "x"}}}"#, &["no servers found"]);
}

#[test]
fn another_client_s_file_is_recognised_in_one_line() {
    expect_broken(r#"{"servers": {"crm": {"command": "x"}}}"#, &["no servers found", "VS Code", "later version"]);
    expect_broken(r#"{"context_servers": {"crm": {"command": "x"}}}"#, &["no servers found", "Zed"]);
}

#[test]
fn an_entry_of_an_unknown_shape_is_named() {
    for (entry, parts) in [
        (r#"{}"#, ["neither \"command\" nor \"url\"", "\"crm\""]),
        (r#"{"command": "x", "url": "https://h.example"}"#, ["both \"command\" and \"url\"", "\"crm\""]),
        (r#"{"httpUrl": "https://h.example"}"#, ["httpUrl", "\"url\""]),
        (r#"{"command": "x", "args": "y"}"#, ["args", "an array of strings"]),
        (r#"{"command": "x", "env": {"PORT": 80}}"#, ["env.PORT", "a string"]),
        (r#"{"command": "npx -y pkg"}"#, ["a whole command line", "\"command\": \"npx\", \"args\": [\"-y\", \"pkg\"]"]),
        (r#"{"url": "ftp://h.example"}"#, ["url", "HTTP"]),
        (r#"{"type": "ws", "url": "https://h.example"}"#, ["type", "unknown"]),
        (r#"7"#, ["expected an object", "\"crm\""]),
    ] {
        expect_broken_quick(entry, &parts);
    }
}

/// As [`expect_broken`], by `verify` alone.
#[track_caller]
fn expect_broken_quick(entry: &str, parts: &[&str]) {
    let project = Project::new();
    project.write(".mcp.json", format!("{{\"mcpServers\": {{\"crm\": {entry}}}}}"));
    project.run(&["pin", "--yes"]).finish().expect_refused(parts).expect_told(&["reading .mcp.json", "help: "]);
    assert!(!project.exists("mcp-tools.lock"));
}

#[test]
fn all_faults_of_a_configuration_are_told_at_once() {
    expect_broken(
        "{\"mcpServers\": {\"a\": {}, \"b\": {\"command\": 1}, \"c\": 7}}",
        &["server \"a\"", "server \"b\"", "server \"c\""],
    );
}

#[test]
fn no_message_about_a_configuration_holds_its_values() {
    let project = Project::new();
    let text = r#"{"mcpServers": {"crm": {"command": "x", "args": ["s3cr3t-in-args"], "env": {"TOKEN": "s3cr3t-in-env", "A": 1}, "headers": {} "url"}}}"#;
    project.write(".mcp.json", text);
    project.check().expect_status(2).expect_nowhere(&["s3cr3t"]);
    project.write(".mcp.json", r#"{"mcpServers": {"crm": {"command": "npx pkg --token s3cr3t-in-line"}}}"#);
    project.check().expect_status(2).expect_nowhere(&["s3cr3t"]);
}

#[test]
fn a_configuration_that_is_missing_or_none_is_2() {
    let project = pinned();
    project.run(&["check", "--config", "none.json"]).finish().expect_refused(&["none.json", "there is no such file"]);
    project.write("folder/x", "");
    project.run(&["check", "--config", "folder"]).finish().expect_refused(&["folder", "not a regular file"]);
    std::fs::remove_file(project.path(".mcp.json")).expect("removed");
    for command in [&["check"][..], &["verify"], &["pin", "--yes"]] {
        project.run(command).finish().expect_refused(&["no servers found", ".mcp.json", "--config"]);
    }
    assert!(!project.exists("started"));
}

#[test]
fn an_empty_folder_says_how_to_begin() {
    let project = Project::new();
    project.run(&["pin", "--yes"]).finish().expect_refused(&["no servers found", "mcp-pin pin NAME -- COMMAND"]);
    project.run(&["check"]).finish().expect_refused(&["no servers found: there is no .mcp.json"]);
}

#[test]
fn a_configuration_that_moved_is_drift_and_nothing_is_started() {
    let project = pinned();
    project.write("sub/.mcp.json", "");
    std::fs::rename(project.path(".mcp.json"), project.path("servers.json")).expect("moved");
    std::fs::remove_file(project.path("sub/.mcp.json")).expect("removed");
    let finished = project.run(&["check", "--config", "servers.json"]).finish();
    finished.expect_status(1).expect_stderr(&[]).expect_stdout(&["danger[launch-changed] `crm` at /config"]);
    assert!(!project.exists("started"));
}

#[test]
fn hostile_names_of_a_configuration_stay_text() {
    let project = pinned();
    project.write(
        ".mcp.json",
        "{\"mcpServers\": {\"\\u001b[2J\\n::error::\\u202e\": {\"command\": 1}, \"##[x\": {\"nope\": 1}}}",
    );
    for command in [&["check"][..], &["pin"], &["verify"]] {
        let finished = project.run(command).finish();
        finished.expect_status(2).expect_told(&["\\u{1b}"]).expect_nowhere(&["\u{1b}", "\u{202e}", "##["]);
        assert!(!finished.stdout.lines().any(|line| line.trim_start().starts_with("::")), "{}", finished.stdout);
    }
}
