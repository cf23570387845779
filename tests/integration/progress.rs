//! Whom we wait for, on a terminal, and how long it took, with `-v`.

use serde_json::json;

use crate::common::{Project, listing, tool};

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
    use std::io::Read;

    use rustix::fs::{Mode, OFlags};
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    let slow = json!({ "tools": [tool("a", "A.")], "on": [{ "method": "start", "do": [{ "sleep_ms": 700 }] }] });
    let mut project = Project::with_server("crm", &slow);
    project.server("docs", &slow);
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&ours).expect("granted");
    unlockpt(&ours).expect("unlocked");
    let size = rustix::termios::Winsize { ws_row: 30, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };
    let name = ptsname(&ours, Vec::new()).expect("a name");
    let theirs = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("opened");
    rustix::termios::tcsetwinsize(&theirs, size).expect("a size");

    let mut command = project.run(&["pin", "--yes"]).env("TERM", "xterm").command();
    let mut child = command.stderr(theirs).spawn().expect("started");
    drop(command);
    drop(child.stdin.take());
    let mut shown = Vec::new();
    let mut terminal = std::fs::File::from(ours);
    let mut part = [0; 4096];
    // Once nobody holds the other side, Linux answers with an error.
    while let Ok(read @ 1..) = terminal.read(&mut part) {
        shown.extend_from_slice(&part[..read]);
    }
    assert_eq!(child.wait().expect("ended").code(), Some(0));
    let shown = String::from_utf8_lossy(&shown);
    for server in ["crm", "docs"] {
        assert!(shown.contains(&format!("waiting for {server} (")), "{shown:?}");
    }
    let last = shown.rsplit(['\r', '\n']).next().unwrap_or_default();
    assert!(!last.contains("waiting"), "{shown:?}");
}
