//! Values that must not be shown, and how they are taken out of a text.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use super::search::Search;

/// Values that must not appear in any output: what came from the environment, and what stands under a secret's name.
///
/// They are found as they are, percent-encoded, with backslash escapes, and in Base64 of either alphabet, at any place
/// within a longer encoded text. Values of four bytes are found in Base64 only where they stand alone. Base64, and values
/// too long to be joined from words by chance, are found where line breaks and blanks part them, too.
#[derive(Clone, Default)]
pub struct Protected {
    values: BTreeSet<String>,
    /// Built when a text is searched first; a new value undoes it.
    search: OnceLock<Search>,
}

/// Stands for a protected value wherever one was.
const MASK: &str = "[masked]";
/// The shortest value from the environment that is protected, in bytes; shorter ones occur in honest text.
const SHORTEST_FROM_ENVIRONMENT: usize = 8;
/// The shortest secret that is protected, in bytes: taking out shorter ones would make a text unreadable and so show them.
const SHORTEST_SECRET: usize = 4;
/// The shortest line of a longer secret that is protected by itself.
const SHORTEST_LINE: usize = 16;
/// The longest run of letters that can be a word of some language.
const LONGEST_WORD: usize = 20;

impl Protected {
    /// Protects what an environment variable held, unless it is too plain to be a secret.
    pub fn add_from_environment(&mut self, value: &str) {
        let value = value.trim();
        if value.len() >= SHORTEST_FROM_ENVIRONMENT && !is_plain(value) {
            self.add(value);
        }
    }

    /// Protects a value that stands under a secret's name, however plain, unless it is `true`, `false` or shorter than four
    /// bytes. Of a value with several lines each long line is protected too: programs print them apart.
    pub fn add_secret(&mut self, value: &str) {
        let value = value.trim();
        if value.len() < SHORTEST_SECRET || value == "true" || value == "false" {
            return;
        }
        self.add(value);
        for line in value.lines().map(str::trim) {
            if line.len() >= SHORTEST_LINE && !line.starts_with("-----") {
                self.add(line);
            }
        }
    }

    /// Protects all that `other` protects.
    pub fn extend(&mut self, other: &Protected) {
        for value in &other.values {
            self.add(value);
        }
    }

    /// The values.
    pub fn values(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(String::as_str)
    }

    /// The text with `[masked]` for every protected value in it.
    pub fn mask(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut shown = 0;
        for range in self.search().covered(text) {
            out.push_str(&text[shown..range.start]);
            out.push_str(MASK);
            shown = range.end;
        }
        out.push_str(&text[shown..]);
        out
    }

    /// How many bytes the longest protected value can take in any encoding; a text cut anywhere may begin or end with a
    /// part of one that is no longer found, so whoever cuts leaves that much out.
    pub fn longest(&self) -> usize {
        // `\u{41}` takes six bytes for one.
        self.values().map(|value| 6 * value.len()).max().unwrap_or_default()
    }

    /// Whether the text gives a protected value away. A value that could be a word or a number (a password `postgres`)
    /// doesn't count: honest text holds it too, and can't be refused for it; [`Protected::mask`] takes it out all the same.
    pub fn find(&self, text: &str) -> bool {
        let mut found = false;
        self.search().each(text, |_, telling| found |= telling);
        found
    }

    fn add(&mut self, value: &str) {
        if self.values.insert(value.to_owned()) {
            self.search = OnceLock::new();
        }
    }

    fn search(&self) -> &Search {
        self.search.get_or_init(|| Search::new(self.values()))
    }
}

/// Whether a value could be a word or a number.
pub(super) fn is_plain(value: &str) -> bool {
    let word = value.len() <= LONGEST_WORD
        && (value.bytes().all(|byte| byte.is_ascii_lowercase()) || value.bytes().all(|byte| byte.is_ascii_uppercase()));
    word || value.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;
    use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
    use proptest::prelude::*;

    fn protecting(values: &[&str]) -> Protected {
        let mut protected = Protected::default();
        for value in values {
            protected.add_secret(value);
        }
        protected
    }

    fn percent_encoded(value: &str) -> String {
        value.bytes().map(|byte| format!("%{byte:02X}")).collect()
    }

    /// The value in every encoding that is searched for.
    fn encodings(value: &str) -> Vec<String> {
        let json = crate::json::canonical(&crate::json::Value::from(value));
        let escaped = value.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
        let mut encodings =
            vec![value.to_owned(), percent_encoded(value), percent_encoded(value).to_lowercase(), escaped];
        encodings.push(json[1..json.len() - 1].to_owned());
        for before in ["", "x", "xy", "user:"] {
            for after in ["", "z", "\n"] {
                let embedded = format!("{before}{value}{after}");
                for engine in [STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD] {
                    encodings.push(engine.encode(&embedded));
                }
            }
        }
        encodings
    }

    #[test]
    fn every_encoding_of_a_value_is_masked() {
        let value = "s3cr/t+\"é\\ x";
        let protected = protecting(&[value]);
        for encoding in encodings(value) {
            let text = format!("before {encoding} after");
            assert!(protected.find(&text), "{encoding}");
            let masked = protected.mask(&text);
            assert!(masked.starts_with("before ") && masked.ends_with(" after"), "{masked}");
            assert!(masked.contains(MASK) && !masked.contains(&encoding), "{masked}");
        }
        assert_eq!(protected.mask("q=s3cr%2Ft%2B%22%C3%A9%5C+x&r=1"), "q=[masked]&r=1");
    }

    #[test]
    fn base64_in_lines_is_masked_whole() {
        let value: String = (0..120_u8).map(|index| char::from(b'!' + index % 90)).collect();
        let protected = protecting(&[&value]);
        let wrapped = |line_end: &str, value: &str| {
            let encoded = STANDARD.encode(value);
            encoded.as_bytes().chunks(76).map(String::from_utf8_lossy).collect::<Vec<_>>().join(line_end)
        };
        for line_end in ["\n", "\r\n", "\\n", "\\r\\n", "\\\\n", "\\u000a", "%0A", "\n    ", " "] {
            let text = format!("before: {}{line_end}after", wrapped(line_end, &value));
            assert!(protected.find(&text), "{text}");
            assert_eq!(protected.mask(&text), format!("before: [masked]{line_end}after"));
            let inside = protected.mask(&wrapped(line_end, &format!("user:{value}@host")));
            assert!(inside.len() < 28 && inside.contains(MASK), "{inside}");
        }
        let token = "a1B2c3D4e5F6g7H8i9J0";
        assert_eq!(protecting(&[token]).mask("a1B2c3D4e5\n  F6g7H8i9J0."), "[masked].");
    }

    #[test]
    fn words_that_white_space_parts_are_no_value() {
        let protected = protecting(&["mysecret1", "thesecret"]);
        for text in ["my secret1 is the secret", "the\nsecret"] {
            assert_eq!(protected.mask(text), text);
        }
    }

    #[test]
    fn the_longest_and_all_overlapping_values_go() {
        let protected = protecting(&["token-abc", "Bearer token-abc", "abc-def"]);
        assert_eq!(protected.mask("Bearer token-abc!"), "[masked]!");
        assert_eq!(protected.mask("token-abc-def."), "[masked].");
    }

    #[test]
    fn other_text_stays_as_it_is() {
        let protected = protecting(&["s3cr3t"]);
        for text in ["", "nothing here", "s3cr3", "é%zz\\u12 100%"] {
            assert_eq!(protected.mask(text), text);
            assert!(!protected.find(text));
        }
        assert_eq!(Protected::default().mask("s3cr3t"), "s3cr3t");
    }

    #[test]
    fn plain_values_of_the_environment_are_not_protected() {
        let mut protected = Protected::default();
        for value in ["production", "INFO", "12345678901", "short7", "1.5e10"] {
            protected.add_from_environment(value);
        }
        assert_eq!(protected.values().count(), 0);
        protected.add_from_environment("abcdefghijklmnopqrstuvwxyz");
        protected.add_from_environment("abc-1234");
        assert_eq!(protected.values().count(), 2);
    }

    #[test]
    fn a_secret_that_is_a_word_is_masked_but_gives_nothing_away() {
        let protected = protecting(&["postgres"]);
        assert_eq!(protected.mask("a postgres database"), "a [masked] database");
        assert!(!protected.find("a postgres database"));
    }

    #[test]
    fn secrets_too_short_to_hide_are_left() {
        assert_eq!(protecting(&["", "abc", "true", "false"]).values().count(), 0);
    }

    #[test]
    fn each_line_of_a_long_secret_is_masked() {
        let key = "-----BEGIN X-----\nMIIEvQIBADANBgkqhkiG\nAAAA\n-----END X-----\n";
        let protected = protecting(&[key]);
        assert_eq!(protected.mask("line MIIEvQIBADANBgkqhkiG"), "line [masked]");
        assert_eq!(protected.mask("-----BEGIN X----- AAAA"), "-----BEGIN X----- AAAA");
    }

    #[test]
    fn a_value_that_is_added_later_is_masked_too() {
        let mut protected = protecting(&["first-1"]);
        assert_eq!(protected.mask("first-1 second-2"), "[masked] second-2");
        protected.extend(&protecting(&["second-2"]));
        assert_eq!(protected.mask("first-1 second-2"), "[masked] [masked]");
    }

    #[test]
    fn a_megabyte_and_fifty_values_are_no_trouble() {
        let values: Vec<String> = (0..50).map(|index| format!("value-{index}-of-fifty")).collect();
        let protected = protecting(&values.iter().map(String::as_str).collect::<Vec<_>>());
        let text = format!("{}value-7-of-fifty", "a%20line\\n with value-7-of-fift and more+text\n".repeat(25_000));
        let masked = protected.mask(&text);
        assert!(
            masked.ends_with("text\n[masked]") && masked.len() == text.len() - "value-7-of-fifty".len() + MASK.len()
        );
    }

    #[test]
    fn hostile_texts_are_masked_in_no_time() {
        let protected = protecting(&["a1B2c3D4e5F6g7H8i9J0", "hunter"]);
        for text in ["\\", " ", "%0A", "\\u", "\\\\n", "%", "aB \n"] {
            let text = text.repeat(200_000);
            assert_eq!(protected.mask(&text), text);
        }
    }

    proptest! {
        #[test]
        fn no_value_is_left_in_any_encoding(
            values in prop::collection::vec("[A-Z][a-zA-Z0-9+/=%\\\\\" é-]{5,30}[0-9]", 1..4),
            around in "[a-z0-9%\\\\+ ]{0,12}",
        ) {
            let protected = protecting(&values.iter().map(String::as_str).collect::<Vec<_>>());
            for value in values.iter().map(|value| value.trim()) {
                for encoding in encodings(value) {
                    let masked = protected.mask(&format!("{around}, {encoding} {around}"));
                    prop_assert!(!masked.contains(&encoding), "{} in {}", encoding, masked);
                    prop_assert!(!protected.find(&masked), "{}", masked);
                }
            }
        }

        #[test]
        fn masking_never_fails(value in ".{4,20}", text in ".{0,60}") {
            let protected = protecting(&[&value]);
            protected.mask(&text);
            protected.mask(&format!("{text}{value}{text}"));
        }
    }
}
