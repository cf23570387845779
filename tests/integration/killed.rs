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

/// A limit on the size of files stops a write in its middle, as a full disk does.
#[cfg(unix)]
#[test]
fn a_write_that_fails_in_its_middle_leaves_the_old_lockfile_and_nothing_beside_it() {
    let project = Project::with_server("crm", &listing(&[tool("a", "Does a.")]));
    project.pin();
    let old = project.lockfile();
    project.script("crm", &catalogue("new "));
    let run = project.run(&["pin", "--yes"]);
    // Blocks of 512 bytes or of 1,024: more than the old lockfile, less than the new one. Ignored, the signal is an error.
    let mut limited = std::process::Command::new("sh");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 16; exec \"$0\" \"$@\"", crate::common::MCP_PIN, "pin", "--yes"]);
    let prepared = run.command();
    limited.current_dir(prepared.get_current_dir().expect("a folder")).env_clear();
    limited.envs(prepared.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = limited.output().expect("started");
    let told = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(told.contains("mcp-tools.lock: ") && told.contains("the old file, if any, is untouched"), "{told}");
    assert!(told.contains("nothing was written"), "{told}");
    assert_eq!(project.lockfile(), old);
    let names: Vec<_> =
        std::fs::read_dir(project.path("")).expect("readable").flatten().map(|e| e.file_name()).collect();
    assert!(!names.iter().any(|name| name.to_string_lossy().ends_with(".tmp")), "{names:?}");
}
