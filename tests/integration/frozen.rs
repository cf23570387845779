//! A lockfile of format 1 that every later version must read as it is.
//!
//! Until the first release it may be written anew, with `MCP_PIN_UPDATE=1`.

use std::path::Path;

use serde_json::json;

use crate::common::{Project, scripted_server};

const FROZEN: &str = "fixtures/locks/format-1.lock";

fn frozen() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FROZEN);
    std::fs::read_to_string(path).expect("the frozen lockfile")
}

/// A project whose lockfile holds something of everything.
#[cfg(unix)]
fn everything() -> Project {
    let mut project = Project::new();
    let tools = json!([
        {"name": "plain", "inputSchema": {"type": "object"}},
        {"name": "odd \"name\"\n\u{200b}", "title": null, "description": "Two lines, \u{202e}\n======= a blank at the end \n'''", "x": [1e3, 9007199254740993_i64]},
        {"name": "ünï", "title": "A title", "description": "One line.", "_meta": {"a": {}}, "icons": []}
    ]);
    project.script(
        "one",
        &json!({
            "server": {"name": "one", "version": "1.0.0"}, "instructions": "Be kind.\nTwice.", "tools": tools
        }),
    );
    project.script("two", &json!({"era": "modern", "tools": []}));
    project.write("bin/serve", format!("#!/bin/sh\nexec '{}' \"$1\"\n", scripted_server().display()));
    std::fs::set_permissions(project.path("bin/serve"), std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .expect("executable");
    project.configure(
        "one",
        json!({
            "command": "serve", "args": ["one.json", "a \"b\""], "cwd": ".", "alwaysAllow": ["plain"],
            "env": {"TOKEN": "${TOKEN}", "API_KEY": "literal-0123456789abcdef"}
        }),
    );
    project.configure("two words", json!({ "command": "serve", "args": ["two.json"] }));
    let arguments =
        ["pin", "--yes", "--allow-empty", "--unverified", "API_KEY", "--pass-env", "REGION", "--client-name", "agent"];
    let path = format!("{}:/usr/bin:/bin", project.path("bin").display());
    project.run(&arguments).env("PATH", &path).env("TOKEN", "tok-0123456789").finish().expect_status(0);
    project
}

#[cfg(unix)]
#[test]
fn the_frozen_lockfile_is_what_this_version_writes() {
    let lockfile = everything().lockfile();
    if std::env::var_os("MCP_PIN_UPDATE").is_some() {
        std::fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join(FROZEN), &lockfile).expect("written");
    }
    assert_eq!(frozen(), lockfile);
}

#[test]
fn the_frozen_lockfile_is_read_and_left_as_it_is() {
    let project = Project::new();
    project.write("mcp-tools.lock", frozen());
    project.run(&["list"]).finish().expect_status(0).expect_stdout(&["2 servers, 3 tools pinned"]).expect_stderr(&[]);
    project.run(&["fmt"]).finish().expect_status(0).expect_stderr(&[]);
    assert_eq!(project.lockfile(), frozen());
}
