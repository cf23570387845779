//! What is approved is what was shown: `check` names the surface it saw, and a `pin` that reads another refuses.

use crate::common::{Finished, Project, listing, tool};
use crate::told::stamp;

/// A drifted server, and the command that accepts exactly what its check showed.
fn drifted() -> (Project, Vec<String>) {
    let project = Project::with_server("crm", &listing(&[tool("a", "A.")]));
    project.pin();
    project.script("crm", &listing(&[tool("a", "A, as shown.")]));
    let finished = project.check();
    finished.expect_status(1).expect_stdout(&["mcp-pin pin crm --expect sha256-"]);
    (project, accepting(&finished))
}

fn accepting(finished: &Finished) -> Vec<String> {
    let at = finished.stdout.find("mcp-pin pin crm --expect ").expect("shown");
    let line = finished.stdout[at..].lines().next().expect("a line");
    line.split(' ').skip(1).map(str::to_owned).collect()
}

fn run(project: &Project, command: &[String]) -> Finished {
    project.run(&command.iter().map(String::as_str).collect::<Vec<_>>()).finish()
}

#[test]
fn the_command_that_a_check_prints_pins_what_it_showed() {
    let (project, command) = drifted();
    run(&project, &command).expect_status(0).expect_stdout(&["wrote mcp-tools.lock"]);
    assert!(project.lockfile().contains("A, as shown."));
    project.check().expect_status(0);
}

#[test]
fn a_pin_that_reads_something_else_than_was_shown_refuses_with_1() {
    let (project, command) = drifted();
    let before = stamp(&project, "mcp-tools.lock");
    project.script("crm", &listing(&[tool("a", "A, poisoned since.")]));
    let finished = run(&project, &command);
    finished.expect_status(1).expect_stdout(&["nothing was written", "poisoned since"]);
    assert_eq!(stamp(&project, "mcp-tools.lock"), before);
}
