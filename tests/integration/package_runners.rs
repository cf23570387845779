//! Servers that a package runner installs on their first start.

use serde_json::json;

use crate::common::{Project, scripted_server};

/// A project whose `npx` fails as npm does when two installs meet: while another one runs.
fn project_with_npx(servers: &[&str]) -> Project {
    let mut project = Project::new();
    project.write("face.json", "{}");
    project.write(
        "bin/npx",
        format!(
            "#!/bin/sh\nif ! mkdir lock 2>/dev/null; then echo 'npm error code ENOTEMPTY' >&2; exit 217; fi\n\
             echo start >> starts\nsleep 0.3\nrmdir lock\nexec '{}' face.json\n",
            scripted_server().display()
        ),
    );
    #[cfg(unix)]
    std::fs::set_permissions(project.path("bin/npx"), std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .expect("executable");
    for name in servers {
        project.configure(name, json!({ "command": "npx", "args": ["-y", "pkg@1.0.0"] }));
    }
    project
}

#[cfg(unix)]
#[test]
fn parallel_first_installs_that_break_each_other_are_tried_again_alone() {
    let project = project_with_npx(&["one", "two", "three"]);
    let path = format!("{}:/usr/bin:/bin", project.path("bin").display());
    let pinned = project.run(&["pin", "--yes"]).env("PATH", &path).finish();
    pinned.expect_status(0).expect_stdout(&["3 servers, 3 new"]);
}

#[cfg(unix)]
#[test]
fn a_single_install_that_fails_is_not_tried_again() {
    let project = project_with_npx(&["one"]);
    project.write("lock/held", "");
    let path = format!("{}:/usr/bin:/bin", project.path("bin").display());
    let pinned = project.run(&["pin", "--yes"]).env("PATH", &path).finish();
    pinned.expect_status(2).expect_stdout(&["could not check `one`", "ENOTEMPTY", "exit status: 217"]);
    assert!(!project.exists("starts"));
}
