//! A whole command line where the name of a program belongs: no client splits it, so nothing would be found.

use std::collections::{BTreeMap, BTreeSet};

use crate::json::{Object, Value, canonical};
use crate::launch::{Launch, Transport, literal_secrets};

/// Whether a command has words after the bare name of a program. A path may have blanks in it.
pub(super) fn is_command_line(command: &str) -> bool {
    let mut words = command.split_whitespace();
    let program = words.next().unwrap_or_default();
    words.next().is_some() && !program.contains(['/', '\\', '$'])
}

/// The members that a command line should be; `None` where quotation marks make it doubtful, or a secret would be shown.
pub(super) fn command_and_args(command: &str) -> Option<String> {
    let mut words = command.split_whitespace().map(str::to_owned);
    let program = words.next()?;
    let args: Vec<String> = words.collect();
    let quoted = |word: &str| canonical(&Value::from(word));
    let list: Vec<String> = args.iter().map(|word| quoted(word)).collect();
    let fix = format!("\"command\": {}, \"args\": [{}]", quoted(&program), list.join(", "));
    let transport = Transport::Stdio { command: program, args, env: BTreeMap::new(), cwd: None };
    let launch = Launch { transport, options: Object::new(), unverified: BTreeSet::new() };
    let shown = !command.contains(['"', '\'', '\\']) && literal_secrets(&launch).is_empty();
    shown.then_some(fix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_after_a_bare_name_make_a_command_line() {
        for command in ["npx -y pkg", "node server.mjs", "docker run -i image", " npx\tpkg"] {
            assert!(is_command_line(command), "{command}");
        }
        for command in ["npx", " npx ", "", "/opt/My App/server", "./my app", "C:\\Program Files\\x.exe", "${X} y"] {
            assert!(!is_command_line(command), "{command}");
        }
    }

    #[test]
    fn the_fix_is_what_to_write() {
        assert_eq!(command_and_args("npx pkg").as_deref(), Some(r#""command": "npx", "args": ["pkg"]"#));
    }

    #[test]
    fn a_fix_shows_no_secret_and_guesses_no_quotation_marks() {
        for command in ["npx pkg --token abc", "npx pkg --token=abc", "npx 'my pkg'", "npx my\\ pkg"] {
            assert_eq!(command_and_args(command), None, "{command}");
        }
    }
}
