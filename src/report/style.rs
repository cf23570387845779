//! How a person wants a report, and how foreign and own text are put on a line.

use anstyle::{AnsiColor, Style as Ansi};

use crate::finding::Level;
use crate::json::Pointer;
use crate::text;
pub(super) use crate::text::count;

/// How a report is written for a person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// How much of long values and long lists.
    pub values: Values,
    /// How much beside the differences.
    pub detail: Detail,
    /// With or without colour.
    pub colour: Colour,
}

/// How much of long values and long lists is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Values {
    /// Enough to judge most of them, with a count of what was left out.
    #[default]
    Short,
    /// Everything.
    Full,
}

/// How much is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// One line for each failing finding and each problem, nothing of servers that are in sync.
    Quiet,
    /// The differences, and of the notices those that a reader must know.
    #[default]
    Normal,
    /// All notices too.
    Verbose,
}

/// Whether escape sequences for colour are written. The text reads the same without.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colour {
    /// No escape sequence at all.
    #[default]
    Plain,
    /// Sequences of ECMA-48 for colour and weight.
    Ansi,
}

/// What a piece of text is, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    /// A word that says how bad it is.
    Level(Level),
    /// A server that is as it should be.
    Fine,
    /// Something that failed.
    Failed,
    /// What was there.
    Old,
    /// What was there, and is changed.
    OldChanged,
    /// What is there.
    New,
    /// What is there, and is changed.
    NewChanged,
    /// Words of ours that matter less.
    Quiet,
}

impl Colour {
    /// A text in its tone. It must be safe for a terminal already.
    pub(super) fn paint(self, tone: Tone, text: &str) -> String {
        match self {
            Colour::Plain => text.to_owned(),
            Colour::Ansi => {
                let style = ansi(tone);
                format!("{}{text}{}", style.render(), style.render_reset())
            }
        }
    }
}

fn ansi(tone: Tone) -> Ansi {
    let colour = |colour: AnsiColor| Ansi::new().fg_color(Some(colour.into()));
    match tone {
        Tone::Level(Level::Danger) | Tone::Failed => colour(AnsiColor::Red).bold(),
        Tone::Level(Level::Change) => colour(AnsiColor::Yellow).bold(),
        Tone::Level(Level::Notice) => colour(AnsiColor::Cyan),
        Tone::Fine => colour(AnsiColor::Green),
        Tone::Old => colour(AnsiColor::Red),
        Tone::OldChanged => colour(AnsiColor::Red).bold().underline(),
        Tone::New => colour(AnsiColor::Green),
        Tone::NewChanged => colour(AnsiColor::Green).bold().underline(),
        Tone::Quiet => Ansi::new().dimmed(),
    }
}

/// The most characters of a name, a place or a note: a server chooses their length too.
const MOST: usize = 300;

/// A name on a line: every character that isn't printable ASCII is an escape.
pub(super) fn name(name: &str) -> String {
    let shown = text::shorten(name, MOST);
    format!("`{}`{}", text::identifier(shown.text), cut_off(shown.cut))
}

/// ` at` and a place, empty for the whole. The keys in it are names.
pub(super) fn place(pointer: &Pointer) -> String {
    if pointer.is_root() {
        return String::new();
    }
    let pointer = pointer.to_string();
    let shown = text::shorten(&pointer, MOST);
    format!(" at {}{}", text::identifier(shown.text), cut_off(shown.cut))
}

/// A finding's note.
pub(super) fn note(note: &str) -> String {
    let shown = text::shorten(note, 2 * MOST);
    own_words(shown.text) + &cut_off(shown.cut)
}

fn cut_off(characters: usize) -> String {
    if characters == 0 { String::new() } else { format!("… {} more characters", count(characters)) }
}

/// Words of ours that may quote foreign text, escaped where they were made. Escaping twice would double backslashes, so
/// it is done again only if something unsafe is left.
pub(super) fn own_words(words: &str) -> String {
    let unsafe_left = words.chars().any(|character| character == '\n' || text::is_invisible(character));
    if unsafe_left || ["##[", "##vso["].iter().any(|command| words.contains(command)) {
        text::terminal_line(words)
    } else {
        words.to_owned()
    }
}

/// A count with its noun: `1 server`, `2 servers`.
pub(super) fn counted(number: usize, noun: &str) -> String {
    format!("{} {noun}{}", count(number), if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_adds_nothing_but_sequences() {
        assert_eq!(Colour::Plain.paint(Tone::Fine, "x"), "x");
        assert_eq!(Colour::Ansi.paint(Tone::Fine, "x"), "\u{1b}[32mx\u{1b}[0m");
    }

    #[test]
    fn words_that_are_safe_are_not_escaped_again() {
        assert_eq!(own_words("from `a\\u{200b}`"), "from `a\\u{200b}`");
        assert_eq!(own_words("a\n::error::b\u{1b}"), "a\\u{a}::error::b\\u{1b}");
        assert!(!own_words("##[error]").contains("##["));
    }

    #[test]
    fn a_name_or_a_place_is_never_a_flood() {
        assert!(name(&"\u{200b}".repeat(1_000_000)).ends_with("`… 999,700 more characters"));
        assert!(place(&Pointer::of(["x".repeat(1_000)])).ends_with("xx… 701 more characters"));
        assert_eq!(place(&Pointer::root()), "");
    }

    #[test]
    fn counts_are_readable() {
        assert_eq!([count(1), count(1_234), count(1_234_567)], ["1", "1,234", "1,234,567"]);
        assert_eq!([counted(1, "tool"), counted(0, "tool")], ["1 tool", "0 tools"]);
    }
}
