//! Words to type.

use super::is_invisible;

/// A word as a POSIX shell reads it back. For display it must pass through its destination's escape as well.
pub fn shell_word(word: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || "-_./:=@%+,".contains(character);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else if word.chars().any(|character| character == '\n' || is_invisible(character)) {
        // The quoting of POSIX.1-2024 that spells such characters: the word stays on one line and can be typed.
        let spelled = word.chars().map(|character| match character {
            '\'' | '\\' => format!("\\{character}"),
            other if other == '\n' || is_invisible(other) => {
                other.encode_utf8(&mut [0; 4]).bytes().map(|byte| format!("\\{byte:03o}")).collect()
            }
            other => other.to_string(),
        });
        format!("$'{}'", spelled.collect::<String>())
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// An option with its value, for a shell: in one word where the value could be taken for an option itself.
pub fn shell_option(option: &str, value: &str) -> String {
    let between = if value.starts_with('-') { "=" } else { " " };
    format!("{option}{between}{}", shell_word(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(shell_word("server.mjs"), "server.mjs");
        assert_eq!(shell_word("${TOKEN}"), "'${TOKEN}'");
        assert_eq!(shell_word("it's"), "'it'\\''s'");
        assert_eq!(shell_word(""), "''");
        assert_eq!(shell_word("a\n'\u{200b}"), "$'a\\012\\'\\342\\200\\213'");
    }
}
