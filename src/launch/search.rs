//! Finds values in a text, in every encoding in which programs repeat them.

use std::collections::BTreeSet;
use std::ops::Range;

use aho_corasick::AhoCorasick;
use base64::Engine;
use base64::alphabet;
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};

use super::protected::is_plain;
use super::view::View;

/// The shortest piece of Base64 that is searched for.
const SHORTEST_BASE64: usize = 6;
/// The shortest piece of Base64, and the shortest value, that are searched for in a text without its white space.
const SHORTEST_WRAPPED_BASE64: usize = 8;
const SHORTEST_WRAPPED: usize = 16;

/// All patterns of all values, ready to be searched for.
#[derive(Clone)]
pub(super) struct Search {
    /// `None` only when there are more patterns than an automaton can hold.
    automaton: Option<AhoCorasick>,
    patterns: Vec<Pattern>,
}

/// What there is to know of a pattern once it is found.
#[derive(Clone, Copy)]
struct Pattern {
    /// Whether its value can't be honest text.
    telling: bool,
    /// Whether it may be parted by white space.
    wraps: bool,
}

impl Search {
    pub(super) fn new<'a>(values: impl Iterator<Item = &'a str>) -> Self {
        let mut texts = Vec::new();
        let mut patterns = Vec::new();
        for value in values {
            let telling = !is_plain(value);
            patterns.push(Pattern { telling, wraps: telling && value.len() >= SHORTEST_WRAPPED });
            texts.push(value.to_owned());
            for text in base64_patterns(value) {
                patterns.push(Pattern { telling, wraps: text.len() >= SHORTEST_WRAPPED_BASE64 });
                texts.push(text);
            }
        }
        Self { automaton: AhoCorasick::new(texts).ok(), patterns }
    }

    /// Shows every place of every value, with whether the value can't be honest text, to `see`. Places may overlap.
    pub(super) fn each(&self, text: &str, mut see: impl FnMut(Range<usize>, bool)) {
        if self.patterns.is_empty() {
            return;
        }
        let Some(automaton) = &self.automaton else {
            // What can't be searched must not be shown.
            return see(0..text.len(), true);
        };
        for found in automaton.find_overlapping_iter(text) {
            see(found.range(), self.patterns[found.pattern()].telling);
        }
        let views = [View::percent_decoded, View::form_decoded, View::unescaped, View::pointer_decoded];
        // One at a time: each takes several times the memory of the text.
        for view in views.into_iter().filter_map(|view| view(text)) {
            for found in automaton.find_overlapping_iter(&view.bytes) {
                see(view.origin(found.range()), self.patterns[found.pattern()].telling);
            }
        }
        if let Some(view) = View::unwrapped(text) {
            for found in automaton.find_overlapping_iter(&view.bytes) {
                let pattern = self.patterns[found.pattern()];
                if pattern.wraps {
                    see(view.origin(found.range()), pattern.telling);
                }
            }
        }
    }

    /// The places of all values in order, those that touch or overlap as one.
    pub(super) fn covered(&self, text: &str) -> Vec<Range<usize>> {
        let mut ranges = Vec::new();
        self.each(text, |range, _| ranges.push(whole_characters(text, range)));
        ranges.sort_by_key(|range| (range.start, range.end));
        let mut covered: Vec<Range<usize>> = Vec::new();
        for range in ranges {
            match covered.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => covered.push(range),
            }
        }
        covered
    }
}

/// The range, widened to where characters begin and end.
fn whole_characters(text: &str, range: Range<usize>) -> Range<usize> {
    let mut whole = range;
    while !text.is_char_boundary(whole.start) {
        whole.start -= 1;
    }
    while !text.is_char_boundary(whole.end) {
        whole.end += 1;
    }
    whole
}

/// What a value looks like in Base64 (RFC 4648, sections 4 and 5), wherever it begins within a group of three bytes. Next to
/// a value, characters that depend on its neighbours are left out; where it is the last thing encoded, they are known.
fn base64_patterns(value: &str) -> BTreeSet<String> {
    let mut patterns = BTreeSet::new();
    for alphabet in [alphabet::STANDARD, alphabet::URL_SAFE] {
        let engine = GeneralPurpose::new(&alphabet, GeneralPurposeConfig::new());
        for (before, foreign) in [(0, 0), (1, 2), (2, 3)] {
            let mut bytes = vec![0; before];
            bytes.extend_from_slice(value.as_bytes());
            let padded = engine.encode(&bytes);
            let inside = &padded[foreign..bytes.len() * 8 / 6];
            for pattern in [inside, padded[foreign..].trim_end_matches('='), &padded[foreign..]] {
                if pattern.len() >= SHORTEST_BASE64 {
                    patterns.insert(pattern.to_owned());
                }
            }
        }
    }
    patterns
}
