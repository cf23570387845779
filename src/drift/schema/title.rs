//! Titles that generators write.

/// What generators append to a tool's name when they name its schema (FastMCP: `addArguments`, `addOutput`).
const ENDINGS: [&str; 12] = [
    "",
    "args",
    "arguments",
    "dictoutput",
    "input",
    "output",
    "params",
    "parameters",
    "request",
    "response",
    "result",
    "schema",
];

/// Whether a title says no more than the name of what it stands for: the same letters and digits, whatever their case and
/// what stands between them. A title with any other character says more.
pub(super) fn repeats(title: &str, name: &str) -> bool {
    let plain = |character: char| character.is_alphanumeric() || matches!(character, ' ' | '_' | '-' | '.' | '/');
    let letters = |text: &str| -> String {
        text.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let (title_letters, name) = (letters(title), letters(name));
    !name.is_empty()
        && title.chars().all(plain)
        && title_letters.strip_prefix(&name).is_some_and(|ending| ENDINGS.contains(&ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_other_letters_is_repeated() {
        for (title, name) in [
            ("User Id", "user_id"),
            ("user_id", "user_id"),
            ("Userid", "userId"),
            ("add_numbersArguments", "add_numbers"),
            ("Größe", "größe"),
        ] {
            assert!(repeats(title, name), "{title} {name}");
        }
    }

    #[test]
    fn a_title_that_says_more_is_a_text() {
        for (title, name) in [
            ("User Id, or a key", "user_id"),
            ("Key", "user_id"),
            ("User Id!", "user_id"),
            ("User\u{200b} Id", "user_id"),
            ("", ""),
            ("Arguments", ""),
            ("User Id Arguments please", "user_id"),
        ] {
            assert!(!repeats(title, name), "{title} {name}");
        }
    }
}
