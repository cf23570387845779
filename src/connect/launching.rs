//! Starts a server's process, and adds its last words to a problem.

use std::collections::BTreeMap;
use std::ffi::OsString;

use super::Target;
use super::environment;
use super::process::{Pipes, ServerProcess};
use super::stdio::Ended;
use crate::launch::Transport;
use crate::problem::Problem;

/// Starts the server's process.
pub(super) fn start(target: &Target) -> Result<(ServerProcess, Pipes), Problem> {
    let Transport::Stdio { command, args, env, cwd } = &target.launch.transport else {
        return Err(Problem::new("starting the server", "it has no command", "check its configuration"));
    };
    let folder = cwd.as_ref().map_or_else(|| target.folder.clone(), |cwd| target.folder.join(cwd));
    let environment = environment_of(target, env);
    // A relative path counts from the configuration's folder, a bare name is looked up in PATH.
    let program = if command.contains(['/', std::path::MAIN_SEPARATOR]) {
        target.folder.join(command).into_os_string()
    } else {
        command.into()
    };
    ServerProcess::start(&program, args, &environment, &folder, &target.watchdog).map_err(|error| {
        let shown = target.launch.protected.mask(command);
        if !folder.is_dir() {
            let cause = format!("the folder it is to start in doesn't exist: {}", folder.display());
            return Problem::new("starting the server", cause, "create the folder, or correct \"cwd\"");
        }
        let help = match error.kind() {
            std::io::ErrorKind::NotFound => format!("install {shown}, or correct \"command\" in the configuration"),
            std::io::ErrorKind::PermissionDenied => format!("make {shown} executable"),
            _ => format!("try to start {shown} by hand"),
        };
        let cause = match error.kind() {
            std::io::ErrorKind::NotFound => format!("command not found: {shown}"),
            _ => format!("{shown}: {error}"),
        };
        Problem::new("starting the server", cause, help)
    })
}

/// The child's whole environment.
fn environment_of(target: &Target, configured: &BTreeMap<String, String>) -> BTreeMap<OsString, OsString> {
    let passed: Vec<String> = target.pass_environment.iter().cloned().collect();
    environment::for_child(|name| std::env::var_os(name), &passed, configured)
}

/// Adds what a process said on its standard error before it ended, and what it might have missed.
pub(super) fn add_last_words(target: &Target, problem: &mut Problem, ended: &Ended) {
    let stderr = ended.stderr.trim();
    if !stderr.is_empty() {
        problem.cause = format!("{}\nits standard error ends with:\n{stderr}", problem.cause);
    }
    let Transport::Stdio { args, env, .. } = &target.launch.transport else { return };
    if ended.status.is_some_and(|status| !status.success()) {
        add_withheld_variables(&environment_of(target, env), problem);
    }
    let is_npx = target.launch.transport.program() == Some("npx");
    if is_npx && !args.iter().any(|argument| argument == "-y" || argument == "--yes") {
        problem.help = format!("{}; npx may wait for consent to install the package: add -y to its args", problem.help);
    }
}

/// Says which of our variables the server might have missed.
fn add_withheld_variables(environment: &BTreeMap<OsString, OsString>, problem: &mut Problem) {
    const MOST: usize = 12;
    let ours = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let withheld = environment::withheld(ours, environment);
    if withheld.is_empty() {
        return;
    }
    let shown: Vec<&str> = withheld.iter().take(MOST).map(String::as_str).collect();
    let more = withheld.len() - shown.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    problem.help = format!(
        "{}; if it needs one of your variables, name it in \"env\" or pass it with --pass-env (not passed: {}{more})",
        problem.help,
        shown.join(", ")
    );
}
