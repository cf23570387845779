//! A run that is killed while it writes.

use std::time::Duration;

use crate::common::{Project, listing, tool};

/// A catalogue that takes a while to write.
fn catalogue(word: &str) -> serde_json::Value {
    let tools: Vec<_> = (0..400).map(|index| tool(&format!("tool_{index}"), &word.repeat(200))).collect();
    listing(&tools)
}

#[cfg(unix)]
#[test]
fn a_pin_that_is_killed_at_any_moment_leaves_the_old_lockfile_or_the_new() {
    let project = Project::with_server("crm", &catalogue("old "));
    project.pin();
    let old = project.lockfile();
    project.script("crm", &catalogue("new "));
    let mut written = 0;
    for milliseconds in (300..700).step_by(20) {
        project.write("mcp-tools.lock", &old);
        let mut child = project.run(&["pin"]).command().spawn().expect("started");
        std::thread::sleep(Duration::from_millis(milliseconds));
        let _ = child.kill();
        child.wait().expect("ended");
        let now = project.lockfile();
        if now != old {
            assert!(now.contains("new new") && !now.contains("old old"), "a mixture");
            written += 1;
        }
        // Whatever lies there is whole.
        project.run(&["list"]).finish().expect_status(0).expect_stderr(&[]);
    }
    // Without a kill it is written.
    project.write("mcp-tools.lock", &old);
    project.pin();
    assert_ne!(project.lockfile(), old, "nothing was ever written ({written})");
    project.check().expect_status(0);
}
