//! The README and the example lockfile are what the binary really writes.
//!
//! With `MCP_PIN_UPDATE=1` the tests write them anew instead of comparing.

use std::path::{Path, PathBuf};

use crate::common::{Finished, Project, scripted_server};

fn repository(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn read(name: &str) -> String {
    std::fs::read_to_string(repository(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The README's project: its server is started as `node server.mjs`, and is the scripted one.
fn project() -> Project {
    let mut project = Project::new();
    project.configure(
        "crm",
        serde_json::json!({
            "command": "node",
            "args": ["server.mjs"],
            "env": { "CRM_TOKEN": "${CRM_TOKEN}", "LOG_LEVEL": "info" }
        }),
    );
    project.write("bin/node", format!("#!/bin/sh\nexec '{}' face.json\n", scripted_server().display()));
    let path = project.path("bin/node");
    #[cfg(unix)]
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("executable");
    show(&project, "reviewed");
    project
}

fn show(project: &Project, face: &str) {
    project.write("face.json", read(&format!("fixtures/servers/example/{face}.json")));
}

fn run(project: &Project, arguments: &[&str]) -> Finished {
    let path = format!("{}:/usr/bin:/bin", project.path("bin").display());
    project.run(arguments).env("PATH", &path).env("CRM_TOKEN", "tok-0123456789").finish()
}

/// The fenced block of a text after a comment.
fn block<'a>(text: &'a str, comment: &str) -> &'a str {
    let after = text.split_once(&format!("<!-- {comment} -->\n")).unwrap_or_else(|| panic!("no comment {comment}")).1;
    let (fence, body) = after.split_once('\n').expect("a fence");
    assert!(fence.starts_with("```"), "{fence}");
    body.split_once("```").expect("the fence ends").0
}

#[track_caller]
fn expect_block(comment: &str, expected: &str) {
    let readme = read("README.md");
    let found = block(&readme, comment);
    if std::env::var_os("MCP_PIN_UPDATE").is_some() {
        let marker = format!("<!-- {comment} -->\n");
        let start = readme.find(&marker).expect("the comment") + marker.len();
        let body = start + readme[start..].find('\n').expect("a fence") + 1;
        let updated = [&readme[..body], expected, &readme[body + found.len()..]].concat();
        std::fs::write(repository("README.md"), updated).expect("written");
        return;
    }
    assert_eq!(found, expected, "README.md isn't what the binary writes");
}

#[cfg(unix)]
#[test]
fn the_readme_shows_a_real_check_and_a_real_lockfile() {
    let project = project();
    run(&project, &["pin", "--yes"]).expect_status(0);
    let lockfile = project.lockfile();
    if std::env::var_os("MCP_PIN_UPDATE").is_some() {
        std::fs::write(repository("mcp-tools.lock.example"), &lockfile).expect("written");
    }
    assert_eq!(read("mcp-tools.lock.example"), lockfile);
    let first_tool = lockfile.match_indices("\n[[tool]]").nth(1).expect("two tools").0;
    expect_block("beginning of: mcp-tools.lock.example", &lockfile[..first_tool]);

    let export = run(&project, &["export", "--format", "ai-sdk", "crm"]);
    export.expect_status(0).expect_stderr(&[]);
    expect_block("output of: mcp-pin export --format ai-sdk crm", &export.stdout);

    run(&project, &["check"]).expect_status(0).expect_stderr(&[]);
    show(&project, "changed");
    let check = run(&project, &["check"]);
    check.expect_status(1).expect_stderr(&[]);
    expect_block("output of: mcp-pin check", &check.stdout);
}

#[cfg(unix)]
#[test]
fn the_readme_s_commands_do_what_it_says() {
    let project = project();
    let readme = read("README.md");
    for line in readme.lines().filter(|line| line.starts_with("mcp-pin ")) {
        let command = line.split('#').next().unwrap_or_default().trim();
        assert!(is_known(command), "no test knows the README's command: {command}");
    }
    run(&project, &["pin", "--yes"]).expect_status(0);
    run(&project, &["verify"]).expect_status(0);
    run(&project, &["list"]).expect_status(0);
    run(&project, &["review"]).expect_status(0);
    run(&project, &["pin", "crm", "--tool", "lookup_customer"]).expect_status(0);
    let reports = ["--format", "github", "--output", "sarif=mcp-pin.sarif", "--output", "markdown=mcp-pin.md"];
    run(&project, &[&["check"], &reports[..]].concat()).expect_status(0).expect_stderr(&[]);
    assert!(project.exists("mcp-pin.sarif") && project.exists("mcp-pin.md"));
    let files = ["check", "--output", "junit=mcp-pin.xml", "--output", "markdown=mcp-pin.md"];
    run(&project, &files).expect_status(0).expect_stderr(&[]);
    run(&project, &["completions", "bash"]).expect_status(0);
    run(&project, &["man", "check"]).expect_status(0);
    run(&project, &["schema", "report"]).expect_status(0);
    run(&project, &["inspect", "--yes"]).expect_status(0);
    run(&project, &["show", "crm/lookup_customer"]).expect_status(0);
    run(&project, &["fmt"]).expect_status(0);
    run(&project, &["export", "--format", "jcs"]).expect_status(0);
    run(&project, &["export", "--format", "json"]).expect_status(0);
    run(&project, &["explain"]).expect_status(0);
    run(&project, &["explain", "parameter-added"]).expect_status(0);
    run(&project, &["--help"]).expect_status(0);
    let lockfile = project.lockfile();
    let piped = project.run(&["verify", "--lockfile", "-"]).stdin(&lockfile).finish();
    piped.expect_status(0);

    let by_hand = ["--env", "NOTES_TOKEN=${NOTES_TOKEN}", "--", "node", "notes.mjs"];
    let with_token = |words: &[&str]| {
        let path = format!("{}:/usr/bin:/bin", project.path("bin").display());
        project.run(words).env("PATH", &path).env("NOTES_TOKEN", "tok-0123456789").finish()
    };
    with_token(&["inspect", "notes", "--yes", "--", "node", "notes.mjs"]).expect_status(0);
    with_token(&[&["pin", "notes", "--yes"], &by_hand[..]].concat()).expect_status(0);
    with_token(&[&["check", "notes"], &by_hand[..]].concat()).expect_status(0);

    project.write("listing.json", r#"{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}"#);
    run(&project, &["pin", "saved", "--from", "listing.json"]).expect_status(0);
    let saved = project.run(&["check", "saved", "--from", "-"]).stdin(project.read("listing.json")).finish();
    saved.expect_status(0);
}

#[test]
fn the_readme_s_policy_is_one() {
    let readme = read("README.md");
    let policy = block(&readme, "example policy");
    let project = Project::with_server("crm", &serde_json::json!({}));
    project.pin();
    project.write("mcp-pin.toml", policy);
    let finished = project.run(&["check"]).finish();
    finished.expect_status(0).expect_stderr(&[]).expect_stdout(&["no server is called \"search\""]);
    let ended = policy.replace("2027-06-30", "2027-06-31");
    project.write("mcp-pin.toml", ended);
    project.run(&["check"]).finish().expect_status(2).expect_stderr(&["mcp-pin.toml:7: no valid TOML"]);
}

/// The commands at the start of a line of the README, each of which a test runs.
fn is_known(command: &str) -> bool {
    [
        "mcp-pin pin",
        "mcp-pin check",
        "mcp-pin review",
        "mcp-pin pin crm --tool lookup_customer",
        "mcp-pin check --format github --output sarif=mcp-pin.sarif --output markdown=mcp-pin.md",
        "mcp-pin check --output junit=mcp-pin.xml --output markdown=mcp-pin.md",
        "mcp-pin completions bash > ~/.local/share/bash-completion/completions/mcp-pin",
        "mcp-pin man check > mcp-pin-check.1",
        "mcp-pin inspect",
        "mcp-pin inspect notes -- node notes.mjs",
        "mcp-pin explain",
        "mcp-pin explain parameter-added",
        "mcp-pin show crm/lookup_customer",
        "mcp-pin pin notes --env NOTES_TOKEN='${NOTES_TOKEN}' -- node notes.mjs",
        "mcp-pin check notes --env NOTES_TOKEN='${NOTES_TOKEN}' -- node notes.mjs",
        "mcp-pin diff refs/heads/main HEAD",
        "mcp-pin check --base refs/remotes/origin/main",
        "mcp-pin pin saved --from listing.json",
        "mcp-pin check saved --from -",
        "mcp-pin pin docs --url https://docs.example/mcp --header 'Authorization: Bearer ${DOCS_TOKEN}'",
    ]
    .contains(&command)
}
