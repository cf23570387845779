//! A check as it was typed, for the messages that suggest another one.

use super::command_line;
use super::reading;
use crate::cli::CheckArguments;
use crate::config::ConfiguredServer;
use crate::invocation;
use crate::text;

/// The options of a check that a suggested one repeats: with what servers are compared.
pub(super) fn options(arguments: &CheckArguments) -> Vec<String> {
    let base = arguments.baseline.base.iter().map(|base| format!("--base {}", text::shell_word(base)));
    command_line::of_project(&arguments.project).into_iter().chain(base).collect()
}

/// The same check of one server that is started in spite of what differs.
pub(super) fn running_changed(server: &ConfiguredServer, arguments: &CheckArguments) -> String {
    let mut words = vec![invocation::words("mcp-pin"), "check".to_owned(), text::shell_word(&server.name)];
    words.extend(options(arguments));
    words.push("--run-changed".to_owned());
    words.extend(reading::words(&server.name, &arguments.read));
    if !arguments.clients.is_empty() {
        words.push(format!("--clients {}", text::shell_word(&arguments.clients.join(","))));
    }
    words.extend(server.config.is_none().then(|| command_line::words(&server.launch)));
    words.join(" ")
}
