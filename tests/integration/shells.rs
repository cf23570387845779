//! Completions, manual pages and the facts of the build.

use std::process::{Command, Stdio};

use crate::common::Project;
use crate::told::folder;

/// The commands that the help names.
fn commands(project: &Project) -> Vec<String> {
    let help = project.run(&["--help"]).finish().stdout;
    let listed = help.split_once("Commands:\n").expect("commands").1.split("\n\n").next().expect("a list").to_owned();
    let names = listed.lines().filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' ')));
    names.filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

#[test]
fn every_shell_is_told_every_command() {
    let project = Project::new();
    let commands = commands(&project);
    assert!(commands.len() > 10 && commands.contains(&"completions".to_owned()), "{commands:?}");
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let finished = project.run(&["completions", shell]).finish();
        finished.expect_status(0).expect_stderr(&[]).expect_stdout(&["mcp-pin"]);
        finished.expect_stdout(&commands.iter().map(String::as_str).collect::<Vec<_>>());
        finished.expect_nowhere(&["watchdog", "demo-server"]);
    }
    let wrong = project.run(&["completions", "cmd"]).finish();
    wrong.expect_status(2).expect_stderr(&["cmd", "possible values: bash"]);
    assert_eq!((wrong.stdout.as_str(), folder(&project)), ("", Vec::new()));
}

#[cfg(unix)]
#[test]
fn a_bash_completes_commands_and_values() {
    let project = Project::new();
    project.write("completions", project.run(&["completions", "bash"]).finish().stdout);
    for (words, completed) in
        [("mcp-pin ver", "verify"), ("mcp-pin check --format jun", "junit"), ("mcp-pin completions fi", "fish")]
    {
        let typed: Vec<&str> = words.split(' ').collect();
        let script = format!(
            "source ./completions; COMP_WORDS=({words}); COMP_CWORD={last}; \
             _mcp__pin mcp-pin {word} {before}; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            last = typed.len() - 1,
            word = typed[typed.len() - 1],
            before = typed[typed.len() - 2],
        );
        let mut bash = Command::new("bash");
        let output = bash.args(["--norc", "-c", &script]).current_dir(project.path("")).output().expect("bash runs");
        let (out, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!((output.status.code(), out.as_ref(), error.as_ref()), (Some(0), &*format!("{completed}\n"), ""));
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let project = Project::new();
    let whole = project.run(&["man"]).finish();
    whole.expect_status(0).expect_stderr(&[]).expect_stdout(&[".TH mcp-pin 1", "mcp\\-pin\\-verify(1)", "Exit codes"]);
    whole.expect_nowhere(&["demo\\-server", "watchdog"]);
    for command in commands(&project) {
        let page = project.run(&["man", &command]).finish();
        page.expect_status(0).expect_stderr(&[]).expect_stdout(&[&format!(".TH mcp-pin-{command} 1"), ".SH OPTIONS"]);
    }
    for wrong in ["demo-server", "watchdog", "bogus"] {
        let finished = project.run(&["man", wrong]).finish();
        finished.expect_status(2).expect_stderr(&["there is no command", wrong, "mcp-pin --help"]);
        assert_eq!(finished.stdout, "");
    }
}

#[test]
fn the_long_version_tells_of_the_build_and_the_short_one_is_a_line() {
    let project = Project::new();
    let first = format!("mcp-pin {}\n", env!("CARGO_PKG_VERSION"));
    let short = project.run(&["-V"]).finish();
    short.expect_status(0).expect_stderr(&[]);
    assert_eq!(short.stdout, first);
    let long = project.run(&["--version"]).finish();
    long.expect_status(0).expect_stderr(&[]).expect_stdout(&[std::env::consts::ARCH, "\nlockfile format: 1\n"]);
    assert!(long.stdout.starts_with(&first) && long.stdout.contains("\ntarget: "), "{}", long.stdout);
}

#[test]
fn a_reader_that_has_gone_away_is_no_error() {
    let project = Project::new();
    let run = project.run(&["completions", "bash"]);
    let mut child = run.command().stdout(Stdio::piped()).spawn().expect("started");
    drop(child.stdout.take());
    assert_eq!(child.wait_with_output().expect("ended").status.code(), Some(0));
}
