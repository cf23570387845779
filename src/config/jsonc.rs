//! JSON with comments and trailing commas, as editors write it, read as strictly as any other JSON.
//!
//! Comments and trailing commas become blanks of the same length, so that every byte keeps its place, and the strict reader
//! reads the rest: it finds repeated keys, half surrogate pairs and hostile nesting, which readers of this dialect let pass.

use std::fmt;
use std::ops::Range;

use jsonc_parser::tokens::Token;
use jsonc_parser::{Scanner, ScannerOptions};

use super::error::{Fault, FaultKind};
use crate::json::{self, Kind, MAX_DEPTH, Reader, Value};

/// A place in a file, both counted from 1, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}, column {}", self.line, self.column)
    }
}

/// A text that is known to be one JSON value.
pub(super) struct Document<'a> {
    /// As it is in the file, without a byte order mark.
    original: &'a str,
    /// The same without comments and trailing commas.
    strict: String,
}

impl<'a> Document<'a> {
    /// Reads a file's bytes.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, Fault> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let original = json::utf8(bytes).map_err(|error| {
            let place = Place { line: error.line, column: error.column };
            Fault::at(FaultKind::Json(Box::new(error)), place)
        })?;
        let strict = without_comments(original)?;
        if let Err(error) = json::parse(&strict) {
            // The column counts characters, and a comment has more blanks now than it had characters.
            let place = place(original, error.offset);
            let error = json::Error { line: place.line, column: place.column, ..error };
            return Err(Fault::at(FaultKind::Json(Box::new(error)), place));
        }
        Ok(Self { original, strict })
    }

    /// The whole value.
    pub(super) fn root(&self) -> Node<'_> {
        Node { document: self, raw: self.strict.trim() }
    }
}

/// A value in a document.
#[derive(Clone, Copy)]
pub(super) struct Node<'a> {
    document: &'a Document<'a>,
    /// Its text, a part of the document's strict one.
    raw: &'a str,
}

impl<'a> Node<'a> {
    /// Where it begins.
    pub(super) fn place(&self) -> Place {
        let offset = self.raw.as_ptr().addr() - self.document.strict.as_ptr().addr();
        place(self.document.original, offset)
    }

    /// What kind of value it is.
    pub(super) fn kind(&self) -> Kind {
        self.reader().peek().unwrap_or(Kind::Null)
    }

    /// The value.
    pub(super) fn value(&self) -> Value {
        self.reader().value().unwrap_or(Value::Null)
    }

    /// The text of a string.
    pub(super) fn string(&self) -> Option<String> {
        self.reader().string().ok().map(|text| text.into_owned())
    }

    /// The members of an object in the order of the file; of another value, none.
    pub(super) fn members(&self) -> Vec<(String, Node<'a>)> {
        let mut members = Vec::new();
        // The document was read to its end before, so the only error is that this is no object.
        let _ = self.reader().object(|key, reader| {
            members.push((key.to_owned(), Node { document: self.document, raw: reader.raw()? }));
            Ok(())
        });
        members
    }

    /// The elements of an array; of another value, none.
    pub(super) fn elements(&self) -> Vec<Node<'a>> {
        let mut elements = Vec::new();
        // As above: the only error is that this is no array.
        let _ = self.reader().array(|_, reader| {
            elements.push(Node { document: self.document, raw: reader.raw()? });
            Ok(())
        });
        elements
    }

    fn reader(&self) -> Reader<'a> {
        Reader::new(self.raw, MAX_DEPTH)
    }
}

fn place(text: &str, offset: usize) -> Place {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    Place { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1 }
}

/// The text with blanks for comments and for commas before a closing bracket.
fn without_comments(text: &str) -> Result<String, Fault> {
    let mut blanks = superfluous(text)?;
    blanks.sort_by_key(|range| range.start);
    let mut strict = String::with_capacity(text.len());
    let mut kept = 0;
    for blank in blanks {
        strict.push_str(&text[kept..blank.start]);
        for byte in text[blank.clone()].bytes() {
            strict.push(if byte == b'\n' || byte == b'\r' { char::from(byte) } else { ' ' });
        }
        kept = blank.end;
    }
    strict.push_str(&text[kept..]);
    Ok(strict)
}

/// Where comments and trailing commas stand. Where the scanner understands nothing any more it stops: the strict reader will
/// stop there too, and says why.
fn superfluous(text: &str) -> Result<Vec<Range<usize>>, Fault> {
    let mut scanner = Scanner::new(text, &STRICT);
    let mut blanks = Vec::new();
    let mut after_value = false;
    let mut comma = None;
    while let Ok(Some(token)) = scanner.scan() {
        let range = scanner.token_start()..scanner.token_end();
        match token {
            Token::CommentLine(_) | Token::CommentBlock(_) => blanks.push(range),
            Token::Comma => {
                comma = after_value.then_some(range);
                after_value = false;
            }
            Token::CloseBrace | Token::CloseBracket => {
                blanks.extend(comma.take());
                after_value = true;
            }
            Token::OpenBrace | Token::OpenBracket | Token::Colon => {
                comma = None;
                after_value = false;
            }
            Token::String(_) | Token::Word(_) | Token::Boolean(_) | Token::Number(_) | Token::Null => {
                comma = None;
                after_value = true;
            }
        }
    }
    let stopped = scanner.token_start();
    let unclosed =
        scanner.token_end() >= stopped && text[stopped..].starts_with("/*") && !text[stopped..].contains("*/");
    if unclosed { Err(Fault::at(FaultKind::UnclosedComment, place(text, stopped))) } else { Ok(blanks) }
}

/// Nothing of JSON5.
const STRICT: ScannerOptions = ScannerOptions {
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{ErrorKind, canonical};
    use proptest::prelude::*;

    fn read(text: &str) -> String {
        let document = Document::read(text.as_bytes()).unwrap_or_else(|fault| panic!("{text}: {fault}"));
        canonical(&document.root().value())
    }

    fn fault(text: &str) -> Fault {
        Document::read(text.as_bytes()).err().unwrap_or_else(|| panic!("{text} was read"))
    }

    #[test]
    fn comments_and_trailing_commas_are_fine() {
        for text in [
            "// head\n{\"a\": [1, 2,], /* b */ \"c\": {\"d\": null,},}\n// tail",
            "{\"a\":[1,2 /* last */ , // really\n],\"c\":{\"d\":null}}/**/",
            "\u{feff}{\"a\":[1,2],\r\n\"c\":{\"d\":null, /* é\n , */ }}",
        ] {
            assert_eq!(read(text), r#"{"a":[1,2],"c":{"d":null}}"#, "{text}");
        }
    }

    #[test]
    fn strings_keep_what_looks_like_a_comment_or_a_comma() {
        for text in [r#"["https://x//y"]"#, r#"["/* no */"]"#, r#"["a,]","b,}"]"#, r#"["\"// no"]"#] {
            assert_eq!(read(text), text);
        }
    }

    #[test]
    fn only_one_comma_after_a_value_is_superfluous() {
        for text in ["[,]", "{,}", "[1,,]", "[1,,2]", "{\"a\":1,,}", "{\"a\":,}", "[1],", ","] {
            assert!(matches!(fault(text).kind, FaultKind::Json(_)), "{text}");
        }
    }

    #[test]
    fn nothing_else_of_other_dialects_is_read() {
        for text in ["{a: 1}", "['a']", "[0x1]", "[+1]", "[.5]", "[NaN]", r#"["\x41"]"#, "[1] # no", "[\u{a0}1]", ""] {
            assert!(matches!(fault(text).kind, FaultKind::Json(_)), "{text}");
        }
    }

    #[test]
    fn a_comment_that_never_ends_is_named() {
        let fault = fault("{\n  /* \"a\": 1 }");
        assert_eq!((fault.kind, fault.place), (FaultKind::UnclosedComment, Some(Place { line: 2, column: 3 })));
    }

    #[test]
    fn places_are_those_of_the_file() {
        let fault = fault("\u{feff}{ // é\n  /* éé */ \"a\": 1 \"b\" }");
        assert_eq!(fault.place, Some(Place { line: 2, column: 19 }));
        assert_eq!(fault.to_string(), "expected \",\" or \"}\" (line 2, column 19)");
    }

    #[test]
    fn what_two_readers_could_understand_differently_is_refused() {
        let kind = |text: &str| match fault(text).kind {
            FaultKind::Json(error) => error.kind,
            other => panic!("{other:?}"),
        };
        assert_eq!(kind("{\"a\":1, // no\n \"a\":2}"), ErrorKind::RepeatedKey("a".to_owned()));
        assert_eq!(kind(r#"["\ud800"]"#), ErrorKind::LoneSurrogate);
        assert_eq!(kind(&"[".repeat(100_000)), ErrorKind::TooDeep(128));
        assert!(matches!(Document::read(b"[\"\xff\"]").err().map(|fault| fault.kind), Some(FaultKind::Json(_))));
    }

    #[test]
    fn nodes_know_where_they_begin() {
        let document = Document::read("{\n \"a\": [ 1,\n  \"b\", ] }".as_bytes()).expect("valid");
        let (key, array) = document.root().members().remove(0);
        let element = array.elements()[1];
        assert_eq!((key.as_str(), array.place()), ("a", Place { line: 2, column: 7 }));
        assert_eq!((element.string(), element.place()), (Some("b".to_owned()), Place { line: 3, column: 3 }));
        assert!(element.members().is_empty() && element.elements().is_empty());
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_fail(text in "[\\[\\]{},:/*\"\\\\ \n1aé]{0,40}") {
            let _ = Document::read(text.as_bytes());
        }

        #[test]
        fn strict_json_means_the_same(text in "[\\[\\]{},:\" 1a/*]{0,16}") {
            if let Ok(value) = json::parse(&text) {
                prop_assert_eq!(read(&text), canonical(&value));
            }
        }
    }
}
