//! Long values cut to a length that a report can bear.

/// A text that may have been cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortened<'a> {
    /// What is left, whole characters.
    pub text: &'a str,
    /// How many characters were cut off; 0 if none.
    pub cut: usize,
}

/// The first `most` characters.
pub fn shorten(text: &str, most: usize) -> Shortened<'_> {
    match text.char_indices().nth(most) {
        Some((end, _)) => Shortened { text: &text[..end], cut: text[end..].chars().count() },
        None => Shortened { text, cut: 0 },
    }
}

/// The end of a text, at most this many bytes of whole characters.
pub fn last(text: &str, most: usize) -> &str {
    let mut start = text.len().saturating_sub(most);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_text_is_whole_characters() {
        assert_eq!(last("äöü", 3), "ü");
        assert_eq!(last("abc", 9), "abc");
    }

    #[test]
    fn long_texts_are_cut_at_a_character_and_counted() {
        assert_eq!(shorten("äöü", 2), Shortened { text: "äö", cut: 1 });
        assert_eq!(shorten("äöü", 3), Shortened { text: "äöü", cut: 0 });
    }
}
