//! A difference's lines with their marks, safe for a terminal.

use super::difference::{Line, Part, Sign};
use super::spelling::{Spelling, spelled_out};
use super::style::{Colour, Tone};
use crate::text;

/// Which characters are spelled out on the lines of each side.
#[derive(Debug)]
pub(super) struct Spellings {
    old: Spelling,
    new: Spelling,
}

impl Spellings {
    /// For all lines of a difference, before any is cut.
    pub(super) fn of(lines: &[Line]) -> Self {
        let (old, new) = (side(lines, Sign::Old), side(lines, Sign::New));
        Self { old: Spelling::of(&old, &new), new: Spelling::of(&new, &old) }
    }
}

/// The foreign text of one side, and of both.
fn side(lines: &[Line], sign: Sign) -> String {
    let of_side = lines.iter().filter(|line| line.sign == sign || line.sign == Sign::Both);
    of_side.flat_map(|line| &line.parts).filter_map(foreign).flat_map(|text| [text, "\n"]).collect()
}

fn foreign(part: &Part) -> Option<&str> {
    match part {
        Part::Own(_) => None,
        Part::Same(text) | Part::Changed(text) | Part::Alike(text) | Part::Whole(text) => Some(text),
    }
}

/// One line that begins with the mark of its side. What changed is marked in characters as well as by colour: the text
/// reads the same without.
pub(super) fn line(line: &Line, spellings: &Spellings, colour: Colour) -> String {
    let side = match line.sign {
        Sign::Both => return line.parts.iter().fold("  | ".to_owned(), |out, part| out + &plain(part)),
        Sign::Old => {
            Side { marks: ["{-", "-}"], tones: [Tone::Old, Tone::OldChanged], spelling: &spellings.old, colour }
        }
        Sign::New => {
            Side { marks: ["{+", "+}"], tones: [Tone::New, Tone::NewChanged], spelling: &spellings.new, colour }
        }
    };
    let sign = if line.sign == Sign::Old { "  - " } else { "  + " };
    line.parts.iter().fold(colour.paint(side.tones[0], sign), |out, part| out + &side.part(part))
}

fn plain(part: &Part) -> String {
    match part {
        Part::Own(words) => words.clone(),
        other => foreign(other).map(text::terminal_line).unwrap_or_default(),
    }
}

/// How the lines of one side are written. No mark begins with `[`: after a text that ends with `##` it would make up a
/// command to a build system.
struct Side<'a> {
    marks: [&'static str; 2],
    tones: [Tone; 2],
    spelling: &'a Spelling,
    colour: Colour,
}

impl Side<'_> {
    fn part(&self, part: &Part) -> String {
        match part {
            Part::Own(words) => words.clone(),
            Part::Same(text) => self.colour.paint(self.tones[0], &text::terminal_line(text)),
            Part::Changed(text) => self.changed(&self.spelling.line(text)),
            Part::Alike(text) => self.changed(&spelled_out(text)),
            // Nobody sees a line of blanks.
            Part::Whole(text) if text.trim().is_empty() => self.changed(&self.spelling.line(text)),
            Part::Whole(text) => self.colour.paint(self.tones[0], &self.spelling.line(text)),
        }
    }

    fn changed(&self, shown: &str) -> String {
        self.colour.paint(self.tones[1], &format!("{}{shown}{}", self.marks[0], self.marks[1]))
    }
}

#[cfg(test)]
mod tests {
    use super::super::difference::{between, whole};
    use super::*;

    fn shown(old: &str, new: &str) -> Vec<String> {
        let lines = between(old, new);
        let spellings = Spellings::of(&lines);
        lines.iter().map(|one| line(one, &spellings, Colour::Plain)).collect()
    }

    #[test]
    fn changed_words_carry_marks() {
        assert_eq!(
            shown("send it to me now", "send it to them now"),
            ["  - send it to {-me-} now", "  + send it to {+them+} now"]
        );
    }

    #[test]
    fn texts_that_look_alike_can_be_told_apart() {
        assert_eq!(shown("paypal", "p\u{430}ypal"), ["  - {-paypal-}", "  + {+p\\u{430}ypal+}"]);
        assert_eq!(
            shown("the caf\u{e9} next door", "the cafe\u{301} next door"),
            ["  - the {-caf\\u{e9}-} next door", "  + the {+cafe\\u{301}+} next door"]
        );
    }

    #[test]
    fn a_line_of_blanks_is_seen() {
        let lines = whole(Sign::New, "  ");
        assert_eq!(line(&lines[0], &Spellings::of(&lines), Colour::Plain), "  + {+  +}");
    }

    #[test]
    fn the_text_is_the_same_with_colour() {
        let lines = between("send it to me now", "send it to them now");
        let spellings = Spellings::of(&lines);
        let coloured = line(&lines[1], &spellings, Colour::Ansi);
        let without: String =
            coloured.split('\u{1b}').map(|piece| piece.split_once('m').map_or(piece, |(_, text)| text)).collect();
        assert!(coloured.contains('\u{1b}'));
        assert_eq!(without.replace("\u{1b}", ""), line(&lines[1], &spellings, Colour::Plain));
    }
}
