//! Text in a SARIF message.

/// A plain text message (SARIF 2.1.0, 3.11): one that a viewer makes no link of and fills nothing into.
///
/// There `[words](address)` is a link (3.11.6) and `{0}` a placeholder (3.11.5). The character that would make it one becomes
/// an escape as invisible characters do, for not every viewer knows the standard's own escapes.
pub fn sarif_message(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let next = characters.peek().copied();
        match (character, next) {
            ('{', Some(next)) if next.is_ascii_digit() => out.push_str("\\u{7b}"),
            ('(', _) if out.ends_with(']') => out.push_str("\\u{28}"),
            _ => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::sarif_message;

    #[test]
    fn nothing_links_and_nothing_is_filled_in() {
        assert_eq!(
            sarif_message("[a](https://evil.example) {0} {+x+} (b)"),
            "[a]\\u{28}https://evil.example) \\u{7b}0} {+x+} (b)"
        );
    }
}
