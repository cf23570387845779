//! Which characters of two texts are spelled out, so that the texts can be told apart on paper.

use std::collections::BTreeSet;

use crate::text;

/// The characters of one side that are escapes where the sides differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Spelling {
    characters: BTreeSet<char>,
}

impl Spelling {
    /// For `text` beside `other`: marks and signs that look like plain letters; letters of an alphabet like ours that the
    /// other side doesn't use and that this text isn't written in; and such letters within a word of ours.
    pub(super) fn of(text: &str, other: &str) -> Self {
        if text.is_ascii() {
            return Self::default();
        }
        let used: BTreeSet<Alphabet> = other.chars().filter_map(alphabet).collect();
        let letters = text.chars().filter(|character| character.is_alphabetic()).count();
        let common = |wanted: Alphabet| {
            text.chars().filter(|&character| alphabet(character) == Some(wanted)).count() * 2 >= letters
        };
        let strange: BTreeSet<Alphabet> = text
            .chars()
            .filter_map(alphabet)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .filter(|&alphabet| !used.contains(&alphabet) && !common(alphabet))
            .collect();
        let mut characters: BTreeSet<char> = text
            .chars()
            .filter(|&character| {
                is_deceptive(character) || alphabet(character).is_some_and(|own| strange.contains(&own))
            })
            .collect();
        for word in text.split(|character: char| !character.is_alphanumeric()) {
            if word.chars().any(|character| character.is_ascii_alphabetic()) {
                characters.extend(word.chars().filter(|&character| alphabet(character).is_some()));
            }
        }
        Self { characters }
    }

    /// The text on one line, this spelling's characters as escapes.
    pub(super) fn line(&self, text: &str) -> String {
        text::terminal_spelling(text, |character| self.characters.contains(&character))
    }
}

/// An alphabet with letters that look like Latin ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Alphabet {
    Greek,
    Cyrillic,
    Armenian,
    Cherokee,
    Coptic,
    Lisu,
    Phonetic,
}

fn alphabet(character: char) -> Option<Alphabet> {
    match character {
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Some(Alphabet::Greek),
        '\u{400}'..='\u{52f}' | '\u{1c80}'..='\u{1c8f}' | '\u{2de0}'..='\u{2dff}' | '\u{a640}'..='\u{a69f}' => {
            Some(Alphabet::Cyrillic)
        }
        '\u{530}'..='\u{58f}' => Some(Alphabet::Armenian),
        '\u{13a0}'..='\u{13ff}' | '\u{ab70}'..='\u{abbf}' => Some(Alphabet::Cherokee),
        '\u{2c80}'..='\u{2cff}' => Some(Alphabet::Coptic),
        '\u{a4d0}'..='\u{a4ff}' => Some(Alphabet::Lisu),
        '\u{180}'..='\u{2ff}' | '\u{1d00}'..='\u{1dbf}' => Some(Alphabet::Phonetic),
        _ => None,
    }
}

/// Whether a character has a twin that looks the same in whatever text: marks that combine with the letter before them,
/// the parts of Hangul syllables, compatibility forms of letters and digits, and other dashes than the hyphen.
fn is_deceptive(character: char) -> bool {
    matches!(character,
        '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}'
        | '\u{fe20}'..='\u{fe2f}'
        | '\u{1100}'..='\u{11ff}' | '\u{a960}'..='\u{a97f}' | '\u{d7b0}'..='\u{d7ff}'
        | '\u{2100}'..='\u{218f}' | '\u{f900}'..='\u{faff}' | '\u{2f800}'..='\u{2fa1f}' | '\u{fb00}'..='\u{fb06}'
        | '\u{ff10}'..='\u{ff19}' | '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}' | '\u{1d400}'..='\u{1d7ff}'
        | '\u{2010}'..='\u{2012}' | '\u{2212}' | '\u{37e}' | '\u{1fef}' | '\u{2024}' | '\u{2044}')
}

/// Whether two different pieces could be taken for one another: as long as each other, and different only where one of
/// them has a character beyond ASCII.
pub(super) fn look_alike(old: &str, new: &str) -> bool {
    let visible = |text: &str| -> Vec<char> {
        text.chars().filter(|&character| !text::is_invisible(character) && !is_mark(character)).collect()
    };
    let (old, new) = (visible(old), visible(new));
    old.len() == new.len()
        && old.iter().zip(&new).all(|(old, new)| old == new || !old.is_ascii() || !new.is_ascii())
        && old.iter().zip(&new).any(|(old, new)| old == new || old.is_ascii() || new.is_ascii())
}

fn is_mark(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}')
}

/// The text on one line, everything beyond ASCII an escape.
pub(super) fn spelled_out(text: &str) -> String {
    text::terminal_spelling(text, |character| !character.is_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, other: &str) -> String {
        Spelling::of(text, other).line(text)
    }

    #[test]
    fn letters_of_another_alphabet_are_spelled() {
        assert_eq!(line("verify u\u{57d}er", "verify user"), "verify u\\u{57d}er");
        assert_eq!(line("p\u{430}ypal", "paypal"), "p\\u{430}ypal");
        // Even where the other side uses the alphabet too.
        assert_eq!(line("p\u{430}ypal привет", "paypal привет"), "p\\u{430}ypal привет");
    }

    #[test]
    fn a_text_in_its_own_alphabet_stays_readable() {
        assert_eq!(line("Найти клиента", "Find a customer"), "Найти клиента");
        assert_eq!(line("顧客を探す é", "Find a customer"), "顧客を探す é");
    }

    #[test]
    fn another_normal_form_is_spelled() {
        assert_eq!(line("cafe\u{301}", "café"), "cafe\\u{301}");
        assert_eq!(line("café", "cafe\u{301}"), "café");
    }

    #[test]
    fn pieces_that_could_be_taken_for_one_another_look_alike() {
        assert!(look_alike("paypal", "p\u{430}ypal"));
        assert!(look_alike("é", "e\u{301}"));
        assert!(!look_alike("pay", "way"));
        assert!(!look_alike("顧客", "探す"));
    }
}
