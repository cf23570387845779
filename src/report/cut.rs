//! Differences cut to a length that a log can bear, with a count of what was left out.

use super::difference::{Line, Part, Sign};
use super::style::count;
use crate::text::shorten;

/// The most lines of one difference, and how many of those are from its end: padding must not push anything out of sight.
const LINES: usize = 16;
const LINES_END: usize = 6;
/// The most characters of one changed piece, and how many of those are from its end.
const CHANGED: usize = 400;
const CHANGED_END: usize = 80;
/// The most characters of unchanged text beside a change.
const SAME: usize = 60;

/// The lines with long pieces cut and without those beyond the most.
pub(super) fn cut(mut lines: Vec<Line>) -> Vec<Line> {
    let more = lines.len().saturating_sub(LINES);
    // Cutting one line saves nothing.
    if more > 1 {
        let words = format!("… {} more lines, --full shows all", count(more));
        let cut = Line { sign: Sign::Both, parts: vec![Part::Own(words)] };
        let first = LINES - LINES_END;
        lines.splice(first..first + more, [cut]);
    }
    lines.into_iter().map(cut_line).collect()
}

fn cut_line(line: Line) -> Line {
    let last = line.parts.len().saturating_sub(1);
    let mut parts = Vec::with_capacity(line.parts.len());
    for (index, part) in line.parts.into_iter().enumerate() {
        match part {
            Part::Own(words) => parts.push(Part::Own(words)),
            Part::Same(text) => {
                let (before, after) = (index.min(1) * SAME, (last - index).min(1) * SAME);
                // A line that both sides have has no change to stand beside.
                let (before, after) = if last == 0 { (2 * SAME, 0) } else { (before, after) };
                ends(text, before, after, "unchanged", Part::Same, &mut parts);
            }
            Part::Changed(text) => changed(text, Part::Changed, &mut parts),
            Part::Alike(text) => changed(text, Part::Alike, &mut parts),
            Part::Whole(text) => changed(text, Part::Whole, &mut parts),
        }
    }
    Line { sign: line.sign, parts }
}

fn changed(text: String, part: fn(String) -> Part, parts: &mut Vec<Part>) {
    ends(text, CHANGED - CHANGED_END, CHANGED_END, "more characters, --full shows all", part, parts);
}

/// The beginning and the end of a piece, with words for what was between them.
fn ends(text: String, first: usize, last: usize, words: &str, part: fn(String) -> Part, parts: &mut Vec<Part>) {
    let length = text.chars().count();
    let between = length.saturating_sub(first + last);
    // The words are as long as what they would replace.
    if between <= words.len() {
        return parts.push(part(text));
    }
    let head = shorten(&text, first).text;
    let tail = &text[shorten(&text, length - last).text.len()..];
    parts.extend((!head.is_empty()).then(|| part(head.to_owned())));
    parts.push(Part::Own(format!("(… {} {words} …)", count(between))));
    parts.extend((!tail.is_empty()).then(|| part(tail.to_owned())));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(parts: Vec<Part>) -> Line {
        Line { sign: Sign::New, parts }
    }

    #[test]
    fn unchanged_text_is_kept_next_to_the_change() {
        let (long, change) = ("x".repeat(500), Part::Changed("!".to_owned()));
        let parts = vec![Part::Same(long.clone()), change.clone(), Part::Same(long)];
        let kept = || Part::Same("x".repeat(60));
        let words = || Part::Own("(… 440 unchanged …)".to_owned());
        assert_eq!(cut(vec![line(parts)]), [line(vec![words(), kept(), change, kept(), words()])]);
    }

    #[test]
    fn a_long_change_shows_both_ends() {
        let text = format!("{}{}{}", "a".repeat(320), "b".repeat(1_234), "c".repeat(80));
        assert_eq!(
            cut(vec![line(vec![Part::Whole(text)])]),
            [line(vec![
                Part::Whole("a".repeat(320)),
                Part::Own("(… 1,234 more characters, --full shows all …)".to_owned()),
                Part::Whole("c".repeat(80))
            ])]
        );
    }

    #[test]
    fn many_lines_are_counted() {
        let mut lines = vec![line(vec![Part::Whole("x".to_owned())]); 99];
        lines.push(line(vec![Part::Whole("the end".to_owned())]));
        let shown = cut(lines);
        assert_eq!(shown.len(), 17);
        assert_eq!(shown[10].parts, [Part::Own("… 84 more lines, --full shows all".to_owned())]);
        assert_eq!(shown[16].parts, [Part::Whole("the end".to_owned())]);
    }
}
