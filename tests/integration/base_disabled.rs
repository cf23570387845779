//! Servers that a pull request disables, or brings along disabled.

use serde_json::json;

use crate::base::{check, report, stdio};
use crate::common::{listing, scripted_server, tool};
use crate::repository::commit;
use crate::told::{failing, finding, marked};

#[test]
fn a_server_that_was_disabled_since_is_a_finding() {
    let mut project = stdio();
    project.server("other", &listing(&[tool("a", "Other.")]));
    project.pin();
    commit(&project);
    let entry = |disabled: bool| json!({ "command": scripted_server(), "args": ["crm.json"], "disabled": disabled });
    project.configure("crm", entry(true));
    project.check().expect_status(0).expect_stdout(&["skipped: `crm`"]);
    for more in [&[][..], &["crm"]] {
        let finished = check(&project, more);
        finished
            .expect_status(1)
            .expect_stdout(&["change[server-disabled] `crm`\n", "= note: \"disabled\": true in .mcp.json"]);
        finished.expect_nowhere(&["mcp-pin pin"]);
    }
    commit(&project);
    check(&project, &[]).expect_status(0).expect_stdout(&["skipped: `crm`"]);
    project.configure("crm", entry(false));
    check(&project, &[]).expect_status(0);
}

#[test]
fn a_new_server_is_unpinned_although_it_is_disabled() {
    let mut project = stdio();
    project.script("late", &marked(listing(&[tool("l", "L.")]), "late.started"));
    let entry = |more: &str| json!({ "command": scripted_server(), "args": ["late.json", more], "disabled": true });
    project.configure("late", entry("a"));
    for words in [&["check", "crm", "late"][..], &["verify", "late"]] {
        project.run(words).finish().expect_nowhere(&["its pins stay"]);
    }
    project.check().expect_status(0).expect_stdout(&["skipped: `late`", "true in .mcp.json; it has no pins"]);
    project.run(&["verify"]).finish().expect_status(0).expect_stdout(&["it has no pins"]);
    let unpinned = || {
        let told = report(&project, 1);
        assert_eq!(failing(&told, "late"), ["danger server-unpinned"]);
        let note = "\"disabled\": true in .mcp.json, which not every client heeds";
        assert_eq!(finding(&told, "late", "server-unpinned")["note"], note);
    };
    unpinned();
    check(&project, &["late"]).expect_status(1).expect_nowhere(&["mcp-pin pin late"]);
    commit(&project);
    check(&project, &[]).expect_status(0).expect_stdout(&["it has no pins"]);
    // Another launch than the one that was disabled.
    project.configure("late", entry("b"));
    let told = report(&project, 1);
    assert_eq!(failing(&told, "late"), ["danger server-unpinned"]);
    assert!(!project.exists("late.started"));
}
