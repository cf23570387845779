//! Two texts as lines that show where they differ.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::spelling::look_alike;
use super::style::counted;

/// One line of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// Which text it is from.
    pub(super) sign: Sign,
    /// Its pieces, in order.
    pub(super) parts: Vec<Part>,
}

/// Which text a line is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// Both.
    Both,
    /// The old one.
    Old,
    /// The new one.
    New,
}

/// A piece of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Words of ours.
    Own(String),
    /// Foreign text that both sides have.
    Same(String),
    /// Foreign text that only this side has.
    Changed(String),
    /// Foreign text that only this side has, and that could be taken for what the other side has in its place.
    Alike(String),
    /// Foreign text of a line that only this side has.
    Whole(String),
}

/// The lines of a text that only one side has.
pub(super) fn whole(sign: Sign, text: &str) -> Vec<Line> {
    text.split('\n').map(|line| Line { sign, parts: vec![Part::Whole(line.to_owned())] }).collect()
}

/// The lines in which two different texts differ, with one line of what surrounds each place.
pub(super) fn between(old: &str, new: &str) -> Vec<Line> {
    let (before, after): (Vec<&str>, Vec<&str>) = (old.split('\n').collect(), new.split('\n').collect());
    let operations = operations(&before, &after);
    let mut lines = Vec::new();
    let last = operations.len().saturating_sub(1);
    for (index, operation) in operations.iter().enumerate() {
        let (gone, come) = (&before[operation.old_range()], &after[operation.new_range()]);
        if matches!(operation, DiffOp::Equal { .. }) {
            lines.extend(surroundings(gone, index.min(1), (last - index).min(1)));
            continue;
        }
        let pairs = gone.len().min(come.len());
        for (old, new) in gone.iter().zip(come) {
            lines.extend(words(old, new));
        }
        lines.extend(gone[pairs..].iter().flat_map(|line| whole(Sign::Old, line)));
        lines.extend(come[pairs..].iter().flat_map(|line| whole(Sign::New, line)));
    }
    lines
}

/// The most lines or words that are compared one by one. A longer text, which nobody reads to the end, is compared by what
/// it begins and ends with: a server chooses its length, and must not choose how long we take.
const MOST: usize = 10_000;

/// How to come from one list to the other.
fn operations(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    if old.len().max(new.len()) <= MOST {
        return capture_diff_slices(Algorithm::Myers, old, new);
    }
    let start = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (old_rest, new_rest) = (&old[start..], &new[start..]);
    let end = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(old, new)| old == new).count();
    let (old_len, new_len) = (old_rest.len() - end, new_rest.len() - end);
    let same = |old_index, new_index, len| DiffOp::Equal { old_index, new_index, len };
    [
        same(0, 0, start),
        DiffOp::Replace { old_index: start, old_len, new_index: start, new_len },
        same(start + old_len, start + new_len, end),
    ]
    .into_iter()
    .filter(|operation| !operation.old_range().is_empty() || !operation.new_range().is_empty())
    .collect()
}

/// The first and the last of the lines that both texts have, and how many stand between those.
fn surroundings(unchanged: &[&str], first: usize, last: usize) -> Vec<Line> {
    let line = |part: Part| Line { sign: Sign::Both, parts: vec![part] };
    let same = |text: &&str| line(Part::Same((*text).to_owned()));
    if unchanged.len() <= first + last {
        return unchanged.iter().map(same).collect();
    }
    let between = unchanged.len() - first - last;
    let mut lines: Vec<Line> = unchanged[..first].iter().map(same).collect();
    lines.push(line(Part::Own(format!("… {} unchanged", counted(between, "line")))));
    lines.extend(unchanged[unchanged.len() - last..].iter().map(same));
    lines
}

/// What two lines have in common, and what each has instead of the other.
enum Piece {
    Same(String),
    Changed(String, String),
}

/// Two lines, word by word; as a whole each if they have too little in common.
fn words(old: &str, new: &str) -> Vec<Line> {
    let pieces = pieces(old, new);
    let common: usize = pieces.iter().map(|piece| if let Piece::Same(text) = piece { visible(text) } else { 0 }).sum();
    if common * 3 < visible(old).min(visible(new)) || common == 0 {
        let part = if look_alike(old, new) { Part::Alike } else { Part::Whole };
        let line = |sign, text: &str| Line { sign, parts: vec![part(text.to_owned())] };
        return vec![line(Sign::Old, old), line(Sign::New, new)];
    }
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for piece in pieces {
        match piece {
            Piece::Same(text) => {
                push_same(&text, &mut before);
                push_same(&text, &mut after);
            }
            Piece::Changed(old, new) => {
                let part = if look_alike(&old, &new) { Part::Alike } else { Part::Changed };
                before.extend((!old.is_empty()).then(|| part(old)));
                after.extend((!new.is_empty()).then(|| part(new)));
            }
        }
    }
    vec![Line { sign: Sign::Old, parts: before }, Line { sign: Sign::New, parts: after }]
}

/// Adds unchanged text. Where nothing of this side stands between two pieces they are one: they are escaped together.
fn push_same(text: &str, parts: &mut Vec<Part>) {
    match parts.last_mut() {
        Some(Part::Same(before)) => before.push_str(text),
        _ => parts.push(Part::Same(text.to_owned())),
    }
}

fn visible(text: &str) -> usize {
    text.chars().filter(|character| !character.is_whitespace()).count()
}

fn pieces(old: &str, new: &str) -> Vec<Piece> {
    let (before, after) = (tokens(old), tokens(new));
    let mut pieces: Vec<Piece> = Vec::new();
    for operation in operations(&before, &after) {
        let (gone, come) = (before[operation.old_range()].concat(), after[operation.new_range()].concat());
        if matches!(operation, DiffOp::Equal { .. }) {
            pieces.push(Piece::Same(gone));
            continue;
        }
        // Two changes with nothing but a blank between them read better as one.
        let blank = match pieces.as_slice() {
            [.., Piece::Changed(..), Piece::Same(between)] if visible(between) == 0 => Some(between.clone()),
            _ => None,
        };
        if let Some(between) = blank {
            pieces.pop();
            if let Some(Piece::Changed(old, new)) = pieces.last_mut() {
                *old = [old.as_str(), &between, &gone].concat();
                *new = [new.as_str(), &between, &come].concat();
            }
        } else {
            pieces.push(Piece::Changed(gone, come));
        }
    }
    pieces
}

/// A line's words, blanks and signs.
fn tokens(line: &str) -> Vec<&str> {
    let kind = |character: char| {
        if character.is_alphanumeric() || character == '_' {
            Some(Token::Word)
        } else {
            character.is_whitespace().then_some(Token::Blank)
        }
    };
    let mut tokens = Vec::new();
    let mut start = 0;
    let mut previous = None;
    for (at, character) in line.char_indices() {
        let current = kind(character);
        if at > start && (current.is_none() || current != previous) {
            tokens.push(&line[start..at]);
            start = at;
        }
        previous = current;
    }
    if start < line.len() {
        tokens.push(&line[start..]);
    }
    tokens
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Token {
    Word,
    Blank,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines as a person would read them.
    fn told(old: &str, new: &str) -> Vec<String> {
        between(old, new).iter().map(plain).collect()
    }

    fn plain(line: &Line) -> String {
        let mut out = match line.sign {
            Sign::Both => "| ".to_owned(),
            Sign::Old => "- ".to_owned(),
            Sign::New => "+ ".to_owned(),
        };
        for part in &line.parts {
            match part {
                Part::Own(text) | Part::Same(text) | Part::Whole(text) => out.push_str(text),
                Part::Changed(text) => out.push_str(&format!("<{text}>")),
                Part::Alike(text) => out.push_str(&format!("<<{text}>>")),
            }
        }
        out
    }

    #[test]
    fn changed_words_are_marked() {
        assert_eq!(
            told("Look up a customer by ID.", "Look up a customer by name or ID, always."),
            ["- Look up a customer by ID.", "+ Look up a customer by <name or >ID<, always>."]
        );
        assert_eq!(told("one two three four", "one 2 3 four"), ["- one <two three> four", "+ one <2 3> four"]);
        assert_eq!(told("a  b", "a b"), ["- a<  >b", "+ a< >b"]);
    }

    #[test]
    fn unchanged_text_around_an_insertion_is_one_piece() {
        assert_eq!(between("aa##[b]", "aa##vso[b]")[0].parts, [Part::Same("aa##[b]".to_owned())]);
    }

    #[test]
    fn lines_with_little_in_common_are_shown_as_they_are() {
        assert_eq!(told("one two", "three four five"), ["- one two", "+ three four five"]);
        assert_eq!(told("", "new"), ["- ", "+ new"]);
    }

    #[test]
    fn unchanged_lines_are_counted() {
        assert_eq!(told("a\nb\nc\nd\ne", "a\nb\nc\nd\nx"), ["| … 3 lines unchanged", "| d", "- e", "+ x"]);
        assert_eq!(told("a\nb", "a\nb\nc"), ["| … 1 line unchanged", "| b", "+ c"]);
        assert_eq!(told("a\nb\nc\nd\ne", "x\nb\nc\nd\ny").len(), 7);
    }

    #[test]
    fn pieces_that_look_alike_are_known() {
        assert_eq!(
            told("send to paypal now", "send to p\u{430}ypal now"),
            ["- send to <<paypal>> now", "+ send to <<p\u{430}ypal>> now"]
        );
    }

    #[test]
    fn a_very_long_text_is_compared_by_its_ends() {
        let long = "word ".repeat(MOST);
        let [old, new] = ["one", "two"].map(|word| format!("{long}{word} and {word} {long}"));
        let lines = between(&old, &new);
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[1].parts[1], Part::Changed("two and two".to_owned()));
    }

    #[test]
    fn tokens_make_up_the_line() {
        for line in ["", "a", "a b_c, d!!  e", "é日本 x"] {
            assert_eq!(tokens(line).concat(), line);
        }
        assert_eq!(tokens("a b_c, d!!"), ["a", " ", "b_c", ",", " ", "d", "!", "!"]);
    }
}
