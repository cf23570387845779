//! `${VAR}` and `${VAR:-default}` inside a text.
//!
//! Exactly these two forms are variables. A name is a letter or an underscore, then letters, digits and underscores, all
//! ASCII. A default has no `${` in it. Anything else (`$VAR`, `$$`, `${1}`, `${A:-${B}}`, a brace that never closes) is
//! text, the nested parts of a closed brace too, for no client agrees with another on what they mean.

use std::collections::BTreeMap;

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part<'a> {
    /// Text that stands for itself.
    Literal(Piece<'a>),
    /// A variable.
    Variable {
        /// Its name.
        name: &'a str,
        /// What stands for it where it is unset or empty.
        default: Option<Piece<'a>>,
    },
}

/// Some text and the byte where it starts in the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece<'a> {
    /// The first byte.
    pub(super) start: usize,
    /// The text.
    pub(super) text: &'a str,
}

/// The parts of a text in order; empty literals are left out.
pub(super) fn parts(text: &str) -> Vec<Part<'_>> {
    let closes = closing_braces(text);
    let mut parts = Vec::new();
    let mut literal = 0;
    let mut at = 0;
    while let Some(found) = text[at..].find("${") {
        let open = at + found;
        let Some(&close) = closes.get(&open) else {
            at = open + 2;
            continue;
        };
        at = close + 1;
        if let Some(variable) = variable(text, open + 2, close) {
            push_literal(text, literal, open, &mut parts);
            parts.push(variable);
            literal = at;
        }
    }
    push_literal(text, literal, text.len(), &mut parts);
    parts
}

fn push_literal<'a>(text: &'a str, start: usize, end: usize, parts: &mut Vec<Part<'a>>) {
    if start < end {
        parts.push(Part::Literal(Piece { start, text: &text[start..end] }));
    }
}

/// Where each `${` closes, found in one pass: a text of nothing but `${` must not cost its length squared.
fn closing_braces(text: &str) -> BTreeMap<usize, usize> {
    let mut closes = BTreeMap::new();
    let mut open = Vec::new();
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' if text[..at].ends_with('$') => open.push(at - 1),
            b'}' => {
                if let Some(start) = open.pop() {
                    closes.insert(start, at);
                }
            }
            _ => {}
        }
    }
    closes
}

/// The variable that the text between the braces is, if it is one.
fn variable(text: &str, start: usize, end: usize) -> Option<Part<'_>> {
    let inside = &text[start..end];
    let (name, default) = match inside.split_once(":-") {
        Some((name, default)) => (name, Some(Piece { start: start + name.len() + 2, text: default })),
        None => (inside, None),
    };
    let nested = default.is_some_and(|default| default.text.contains("${"));
    (is_name(name) && !nested).then_some(Part::Variable { name, default })
}

/// Whether this can be a variable's name.
pub(super) fn is_name(name: &str) -> bool {
    let starts_well = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    starts_well && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn spelled(text: &str) -> Vec<String> {
        parts(text)
            .into_iter()
            .map(|part| match part {
                Part::Literal(piece) => piece.text.to_owned(),
                Part::Variable { name, default: None } => format!("<{name}>"),
                Part::Variable { name, default: Some(default) } => format!("<{name}|{}>", default.text),
            })
            .collect()
    }

    #[test]
    fn both_forms_are_found_between_text() {
        assert_eq!(spelled("Bearer ${TOKEN}!"), ["Bearer ", "<TOKEN>", "!"]);
        assert_eq!(spelled("${_a1:-x y}${B:-}"), ["<_a1|x y>", "<B|>"]);
        assert_eq!(spelled("${A:-http://h:1/-x}"), ["<A|http://h:1/-x>"]);
        assert_eq!(spelled(""), [""; 0]);
    }

    #[test]
    fn what_is_not_exactly_a_form_is_text() {
        for text in [
            "$VAR",
            "$$",
            "$",
            "${",
            "${}",
            "${1x}",
            "${A-b}",
            "${A:b}",
            "${A:=b}",
            "${ A }",
            "${env:A}",
            "${é}",
            "${A",
            "${A:-b",
            "${A:-${B}}",
            "${A:-x${B}y}z",
            "${${A}}",
            "}{",
            "$ {A}",
        ] {
            assert_eq!(spelled(text), [text], "{text}");
        }
    }

    #[test]
    fn a_brace_that_never_closes_hides_no_later_variable() {
        assert_eq!(spelled("${ and ${A}"), ["${ and ", "<A>"]);
        assert_eq!(spelled("$${A}"), ["$", "<A>"]);
        assert_eq!(spelled("${A}}"), ["<A>", "}"]);
    }

    #[test]
    fn a_long_text_of_open_braces_is_read_at_once() {
        let text = "${".repeat(200_000);
        assert_eq!(parts(&text).len(), 1);
    }

    proptest! {
        #[test]
        fn the_pieces_are_where_they_say(text in "[a${}:\\-é1]{0,24}") {
            for part in parts(&text) {
                if let Part::Literal(piece) | Part::Variable { default: Some(piece), .. } = part {
                    prop_assert!(text[piece.start..].starts_with(piece.text));
                }
            }
        }
    }
}
