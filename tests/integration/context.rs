//! What a report says before it lists differences: how this reading differs from the one that was pinned.

use serde_json::{Value, json};

use crate::common::{Finished, Project, listing, tool};

/// The lines of a server's part of the report.
fn part(finished: &Finished) -> Vec<&str> {
    finished.stdout.lines().take_while(|line| !line.is_empty()).collect()
}

fn released(version: &str, description: &str) -> Value {
    let mut script = listing(&[tool("lookup", description)]);
    script["server"] = json!({ "name": "crm", "version": version });
    script
}

#[test]
fn variables_that_were_passed_at_the_pin_and_are_not_now_are_named_first() {
    let project = Project::with_server("crm", &listing(&[tool("lookup", "Look up.")]));
    project.run(&["pin", "--yes", "--pass-env", "CRM_REGION"]).env("CRM_REGION", "eu").finish().expect_status(0);
    assert!(project.lockfile().contains("pass_env = [\"CRM_REGION\"]\n"), "{}", project.lockfile());
    let finished = project.check();
    finished.expect_status(0).expect_stderr(&[]);
    assert_eq!(part(&finished), ["in sync: `crm`, 1 tool", "  | read with no variable passed, pinned with CRM_REGION"]);
    let same = project.run(&["check", "--pass-env", "crm:CRM_REGION"]).finish();
    same.expect_status(0).expect_nowhere(&["passed"]);
}

#[test]
fn another_client_is_named_before_the_differences() {
    let project = Project::with_server("crm", &listing(&[tool("lookup", "Look up.")]));
    project.run(&["pin", "--yes", "--client-name", "claude-code"]).finish().expect_status(0);
    project.check().expect_status(0).expect_nowhere(&["read as"]);
    project.script("crm", &listing(&[tool("lookup", "Look up anything.")]));
    let finished = project.run(&["check", "--client-name", "other"]).finish();
    finished.expect_status(1).expect_stderr(&[]);
    assert_eq!(
        part(&finished),
        ["drift: `crm`, 1 danger", "  | read as mcp-pin/1 named other, pinned as mcp-pin/1 named claude-code"]
    );
}

#[cfg(unix)]
#[test]
fn another_release_of_a_launch_without_a_version_leads_the_report() {
    let mut project = Project::new();
    project.script("face", &released("0.1.0", "Look up."));
    let server = crate::common::scripted_server();
    project.write("bin/npx", format!("#!/bin/sh\nexec '{}' face.json\n", server.display()));
    std::fs::set_permissions(project.path("bin/npx"), std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .expect("executable");
    project.configure("crm", json!({ "command": "npx", "args": ["-y", "crm-server"] }));
    let path = format!("{}:/usr/bin:/bin", project.path("bin").display());
    project.run(&["pin", "--yes"]).env("PATH", &path).finish().expect_status(0);
    project.script("face", &released("0.2.0", "Look up anything."));
    let finished = project.run(&["check"]).env("PATH", &path).finish();
    finished.expect_status(1).expect_stderr(&[]);
    assert_eq!(
        part(&finished)[..2],
        ["drift: `crm`, 1 danger", "  | release 0.1.0 was pinned, 0.2.0 answers; its launch names no version"]
    );
}
