//! Launches as they are typed, for the commands that messages suggest.

use std::path::Path;

use crate::cli::ProjectArguments;
use crate::launch::{Launch, Transport};
use crate::text::shell_word;

/// The options that say where the project is.
pub(super) fn of_project(project: &ProjectArguments) -> Vec<String> {
    let option = |name: &str, path: &Path| format!("{name} {}", shell_word(&path.display().to_string()));
    let configs = project.configs.iter().map(|path| option("--config", path));
    configs.chain(project.lockfile.iter().map(|path| option("--lockfile", path))).collect()
}

/// A launch as it is given on the command line, on one line. Literal secrets and values in an address's query are left
/// out; variables stay, so that most lines can be used as they are.
pub(super) fn words(launch: &Launch) -> String {
    let mut words: Vec<String> = Vec::new();
    let withheld = |name: &String| format!("{name}=(the literal value)");
    match &launch.without_secrets().transport {
        Transport::Stdio { command, args, env, cwd } => {
            words.extend(env.iter().map(|(name, value)| format!("--env {}", shell_word(&format!("{name}={value}")))));
            words.extend(launch.unverified.iter().map(|name| format!("--env {}", shell_word(&withheld(name)))));
            words.extend(cwd.iter().map(|cwd| format!("--cwd {}", shell_word(cwd))));
            words.push("--".into());
            words.push(shell_word(command));
            words.extend(args.iter().map(|argument| shell_word(argument)));
        }
        Transport::Saved => words.push("--from FILE".to_owned()),
        Transport::Http { url, headers } => {
            words.push(format!("--url {}", shell_word(url)));
            words.extend(
                headers.iter().map(|(name, value)| format!("--header {}", shell_word(&format!("{name}: {value}")))),
            );
        }
    }
    words.join(" ")
}
