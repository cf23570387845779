//! Parts of foreign bytes that were cut off somewhere, without protected values.
//!
//! Where bytes are cut, a value may be cut too, and a part of one is no longer found. So as much is left out there as such a
//! part can take, counted in what the text was before it was masked: masking makes it shorter.

use crate::launch::Protected;

/// What [`Protected::mask`] writes for a value.
const MASK: &str = "[masked]";

/// The end of something whose beginning was cut off.
pub(super) fn end(bytes: &[u8], protected: &Protected) -> String {
    let whole = protected.mask(&String::from_utf8_lossy(bytes));
    let mut rest = whole.as_str();
    let mut count = Count::new(protected);
    while count.is_short() {
        let Some(first) = rest.chars().next() else { break };
        rest = match rest.strip_prefix(MASK) {
            Some(rest) => {
                count.mask();
                rest
            }
            None => {
                count.text(first.len_utf8());
                &rest[first.len_utf8()..]
            }
        };
    }
    count.shown(rest)
}

/// The beginning of something whose end was cut off.
pub(super) fn beginning(bytes: &[u8], protected: &Protected) -> String {
    let whole = protected.mask(&String::from_utf8_lossy(bytes));
    let mut rest = whole.as_str();
    let mut count = Count::new(protected);
    while count.is_short() {
        let Some(last) = rest.chars().next_back() else { break };
        rest = match rest.strip_suffix(MASK) {
            Some(rest) => {
                count.mask();
                rest
            }
            None => {
                count.text(last.len_utf8());
                &rest[..rest.len() - last.len_utf8()]
            }
        };
    }
    count.shown(rest)
}

/// How many bytes the longest value can take in any encoding.
pub(super) fn longest(protected: &Protected) -> usize {
    // `\u{000041}` takes ten bytes for one.
    protected.longest() * 2
}

/// How much is left out where something was cut.
struct Count {
    missing: usize,
    /// How many bytes a mask stands for at least: no encoding is shorter than the value.
    shortest: usize,
    was_masked: bool,
}

impl Count {
    fn new(protected: &Protected) -> Self {
        let longest = longest(protected);
        // Of a character that was cut, each byte became one of three.
        let missing = if longest == 0 { 0 } else { longest + 9 };
        Self { missing, shortest: protected.values().map(str::len).min().unwrap_or_default(), was_masked: false }
    }

    fn is_short(&self) -> bool {
        self.missing > 0
    }

    fn text(&mut self, bytes: usize) {
        self.missing = self.missing.saturating_sub(bytes);
    }

    fn mask(&mut self) {
        self.text(self.shortest);
        self.was_masked = true;
    }

    /// What is left, or at least that there was something.
    fn shown(&self, rest: &str) -> String {
        if rest.trim().is_empty() && self.was_masked { MASK.to_owned() } else { rest.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "Kp2_Lm9-qR7_tU5-vW3_xY1-zA8_bC6-dE4_fG2-hI0_jK9-lM7_nO5-pQ3";

    fn protected() -> Protected {
        let mut protected = Protected::default();
        protected.add_secret(SECRET);
        protected
    }

    /// No four characters of the secret follow each other anywhere.
    #[track_caller]
    fn holds_nothing(text: &str) {
        let parts = (0..SECRET.len() - 4).map(|start| &SECRET[start..start + 4]);
        parts.for_each(|part| assert!(!text.contains(part), "{part} in {text}"));
    }

    #[test]
    fn wherever_it_was_cut_nothing_of_a_value_is_left() {
        let escaped: String = SECRET.bytes().map(|byte| format!("\\u{{{byte:06x}}}")).collect();
        for line in [SECRET.to_owned(), format!("{SECRET}\n"), format!("token {SECRET}! "), escaped] {
            let text = line.repeat(2_000 / line.len() + 3);
            for cut in (0..line.len()).step_by(7) {
                let last = end(&text.as_bytes()[cut..], &protected());
                let first = beginning(&text.as_bytes()[..text.len() - cut], &protected());
                for part in [last, first] {
                    holds_nothing(&part);
                    assert!(!part.contains("\\u{") && part.contains("masked]"), "{part}");
                }
            }
        }
    }

    #[test]
    fn the_rest_is_kept() {
        let text = format!("{}the end", "x".repeat(2_000));
        assert!(end(text.as_bytes(), &protected()).ends_with("xxxthe end"));
        assert_eq!(end(b"all of it", &Protected::default()), "all of it");
        assert_eq!(beginning(b"all of it", &Protected::default()), "all of it");
        assert_eq!(end("caf\u{e9}".as_bytes(), &Protected::default()), "caf\u{e9}");
    }
}
