//! What an entry of a policy is about: items by their names, and the volatile part of a text.

use std::ops::Range;

use regex::{Regex, RegexBuilder};

use crate::finding::ItemName;
use crate::surface::Kind;
use crate::text;

/// The items that an entry is about: `tool = "debug_*"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Items {
    /// Their kind.
    pub kind: Kind,
    /// Their names, `*` standing for any characters.
    pub names: String,
}

impl Items {
    /// Whether this item is one of them.
    pub fn include(&self, item: &ItemName) -> bool {
        self.kind == item.kind && matches(&self.names, &item.name)
    }
}

/// Whether a name is what a pattern says, in which `*` stands for any characters and all others for themselves.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// The part of a text that may differ: a regular expression without look-around, so that no text takes long.
#[derive(Clone, Debug)]
pub struct Volatile(Regex);

impl Volatile {
    /// The largest compiled expression, in bytes.
    const MOST: usize = 1 << 20;

    /// From the expression.
    ///
    /// # Errors
    /// Why it can't be used, in words.
    pub fn new(expression: &str) -> Result<Self, String> {
        let built = RegexBuilder::new(expression).size_limit(Self::MOST).build();
        let regex = built.map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => "it is too large".to_owned(),
            // The reader draws the expression with a mark under the place; its last line has the words.
            other => other.to_string().lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned(),
        })?;
        match regex.is_match("") {
            true => Err("it matches nothing at all, and so every place of a text".to_owned()),
            false => Ok(Self(regex)),
        }
    }

    /// The expression.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Whether any part of the text is covered.
    pub fn covers_some_of(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

impl PartialEq for Volatile {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Volatile {}

/// Whether two texts are the same outside of what the patterns cover, and what the new one has there can be seen.
pub(super) fn agree(patterns: &[&Volatile], old: &str, new: &str) -> bool {
    let (before, after) = (covered(patterns, old), covered(patterns, new));
    let visible = after.iter().all(|range| !new[range.clone()].chars().any(text::is_invisible));
    visible && !after.is_empty() && outside(old, &before) == outside(new, &after)
}

/// The text without what the patterns cover.
pub(super) fn without(patterns: &[&Volatile], text: &str) -> String {
    outside(text, &covered(patterns, text)).concat()
}

/// The parts of a text that any of the patterns covers, in order; what overlaps is one part.
fn covered(patterns: &[&Volatile], text: &str) -> Vec<Range<usize>> {
    let mut all: Vec<Range<usize>> =
        patterns.iter().flat_map(|pattern| pattern.0.find_iter(text).map(|found| found.range())).collect();
    all.sort_by_key(|range| (range.start, range.end));
    let mut parts: Vec<Range<usize>> = Vec::new();
    for range in all {
        match parts.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => parts.push(range),
        }
    }
    parts
}

/// The parts of a text around these.
fn outside<'t>(text: &'t str, covered: &[Range<usize>]) -> Vec<&'t str> {
    let starts = std::iter::once(0).chain(covered.iter().map(|range| range.end));
    let ends = covered.iter().map(|range| range.start).chain(std::iter::once(text.len()));
    starts.zip(ends).map(|(start, end)| &text[start..end]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agree_by(expressions: &[&str], old: &str, new: &str) -> bool {
        let patterns: Vec<Volatile> = expressions.iter().map(|one| Volatile::new(one).expect(one)).collect();
        agree(&patterns.iter().collect::<Vec<_>>(), old, new)
    }

    const DATE: &str = r"\d{4}-\d{2}-\d{2}";

    #[test]
    fn names_match_with_stars() {
        for (pattern, name, expected) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("*", "", true),
            ("debug_*", "debug_x", true),
            ("debug_*", "xdebug_x", false),
            ("*_x", "a_x", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("a*a", "a", false),
            ("a?", "ab", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn texts_agree_when_only_the_covered_part_differs() {
        assert!(agree_by(&[DATE], "Today is 2026-11-30.", "Today is 2026-12-01."));
        assert!(!agree_by(&[DATE], "Today is 2026-11-30.", "Today is 2026-12-01. Tell evil."));
        assert!(!agree_by(&[DATE], "Today is 2026-11-30.", "Today was 2026-12-01."));
        assert!(!agree_by(&[DATE], "Today is 2026-11-30.", "Today is ."));
        assert!(!agree_by(&[DATE], "Today is 2026-11-30.", "Today is 2026-11-302026-11-30."));
        assert!(!agree_by(&[DATE], "One.", "Two."));
    }

    #[test]
    fn several_patterns_cover_one_text_together() {
        let (old, new) = ("On 2026-11-30 in /tmp/a1.", "On 2026-12-01 in /tmp/b2.");
        assert!(agree_by(&[DATE, r"/tmp/\w+"], old, new));
        assert!(!agree_by(&[DATE], old, new));
    }

    #[test]
    fn nothing_invisible_hides_in_a_covered_part() {
        assert!(agree_by(&["<.*>"], "<a>", "<b>"));
        assert!(!agree_by(&["<.*>"], "<a>", "<b\u{200b}>"));
    }

    #[test]
    fn an_expression_must_cover_something_in_particular() {
        for wrong in ["a*", "", "(", r"(?=a)", r"(a)\1", "(?:a{1000}){1000}"] {
            let words = Volatile::new(wrong).expect_err(wrong);
            assert!(!words.is_empty() && !words.contains('\n'), "{wrong}: {words}");
        }
    }
}
