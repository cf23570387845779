//! Whom we wait for, on a terminal, and how long it took, with `-v`.

use serde_json::json;

use crate::common::{Project, listing, tool};
#[cfg(unix)]
use crate::terminal::Terminal;

#[test]
fn a_verbose_run_tells_how_long_each_server_took() {
    let mut project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    project.pin();
    let check = project.run(&["check", "-v"]).finish();
    check.expect_status(0).expect_stdout(&["in sync"]).expect_stderr(&["`crm` was read in 0.", " s\n"]);
    assert_eq!(check.stderr.lines().count(), 1, "{}", check.stderr);
    project.check().expect_status(0).expect_stderr(&[]);

    project.configure("gone", json!({ "command": "no-such-program" }));
    let pin = project.run(&["pin", "--yes", "--keep-going", "-v", "--format", "json"]).finish();
    pin.expect_status(2).expect_stderr(&["`crm` was read in 0.", "`gone` failed after 0."]);
    assert_eq!(pin.json()["outcome"], "not-checked");
    let inspect = project.run(&["inspect", "crm", "--yes", "-v"]).finish();
    inspect.expect_status(0).expect_stderr(&["`crm` was read in 0."]);
}

#[cfg(unix)]
#[test]
fn a_terminal_has_a_line_for_each_server_while_it_is_read_and_none_afterwards() {
    let slow = json!({ "tools": [tool("a", "A.")], "on": [{ "method": "start", "do": [{ "sleep_ms": 700 }] }] });
    let mut project = Project::with_server("crm", &slow);
    project.server("docs", &slow);
    let finished = Terminal::run(&project.run(&["pin", "--yes"])).finish();
    assert_eq!(finished.status, 0, "{}", finished.shown);
    for server in ["crm", "docs"] {
        assert!(finished.shown.contains(&format!("waiting for {server} (")), "{:?}", finished.shown);
    }
    let last = finished.shown.rsplit(['\r', '\n']).next().unwrap_or_default();
    assert!(!last.contains("waiting"), "{:?}", finished.shown);
}
