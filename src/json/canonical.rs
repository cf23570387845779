//! The two texts of a value: one to digest, one to review.

use std::fmt::Write;

use super::Value;
use crate::text;

/// The canonical text (RFC 8785), without white space; see [`super::Number`] for numbers beyond a double.
pub fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write_compact(value, &mut out);
    out
}

/// The same members in the same order on lines of their own, two spaces a level, with no newline at the end.
///
/// Every character that a reader can't see is written as an escape, and so is the third apostrophe of a run, so that
/// the text stands in a multi-line literal string of TOML. It reads back to the same value.
pub fn pretty(value: &Value) -> String {
    let mut out = String::new();
    write_pretty(value, 0, &mut out);
    out
}

fn write_compact(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => canonical_string(text, out),
        Value::Array(elements) => {
            out.push('[');
            for (index, element) in elements.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_compact(element, out);
            }
            out.push(']');
        }
        Value::Object(object) => {
            out.push('{');
            for (index, (key, member)) in object.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                canonical_string(key, out);
                out.push(':');
                write_compact(member, out);
            }
            out.push('}');
        }
        scalar => write_scalar(scalar, out),
    }
}

fn write_pretty(value: &Value, level: usize, out: &mut String) {
    match value {
        Value::String(text) => review_string(text, out),
        Value::Array(elements) if !elements.is_empty() => {
            out.push('[');
            for (index, element) in elements.iter().enumerate() {
                out.push_str(if index > 0 { ",\n" } else { "\n" });
                indent(level + 1, out);
                write_pretty(element, level + 1, out);
            }
            out.push('\n');
            indent(level, out);
            out.push(']');
        }
        Value::Object(object) if !object.is_empty() => {
            out.push('{');
            for (index, (key, member)) in object.iter().enumerate() {
                out.push_str(if index > 0 { ",\n" } else { "\n" });
                indent(level + 1, out);
                review_string(key, out);
                out.push_str(": ");
                write_pretty(member, level + 1, out);
            }
            out.push('\n');
            indent(level, out);
            out.push('}');
        }
        Value::Array(_) => out.push_str("[]"),
        Value::Object(_) => out.push_str("{}"),
        scalar => write_scalar(scalar, out),
    }
}

fn indent(level: usize, out: &mut String) {
    for _ in 0..level {
        out.push_str("  ");
    }
}

fn write_scalar(value: &Value, out: &mut String) {
    match value {
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => out.push_str(number.as_str()),
        _ => out.push_str("null"),
    }
}

/// Whether the lockfile spells `character` as an escape, `apostrophes` being the length of the run before it.
fn needs_review_escape(character: char, apostrophes: usize) -> bool {
    text::is_invisible(character) || (character == '\'' && apostrophes == 2)
}

/// A string's canonical text.
fn canonical_string(text: &str, out: &mut String) {
    let plain = |byte: &&u8| !matches!(byte, 0..=0x1f | b'"' | b'\\');
    write_string(text, |rest| rest.as_bytes().iter().take_while(plain).count(), |_, _| false, out);
}

/// A string as [`pretty`] writes it.
fn review_string(text: &str, out: &mut String) {
    let plain = |byte: &&u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\' | b'\'');
    write_string(text, |rest| rest.as_bytes().iter().take_while(plain).count(), needs_review_escape, out);
}

/// Writes a string; `plain` says how many bytes from a text's start are written as they are, whatever stands around them.
fn write_string(text: &str, plain: impl Fn(&str) -> usize, escape: impl Fn(char, usize) -> bool, out: &mut String) {
    out.push('"');
    let mut apostrophes = 0;
    let mut rest = text;
    loop {
        // Most of most texts needs no look at each character.
        let run = plain(rest);
        if run > 0 {
            out.push_str(&rest[..run]);
            apostrophes = 0;
        }
        let mut characters = rest[run..].chars();
        let Some(character) = characters.next() else { break };
        rest = characters.as_str();
        let escaped = escape(character, apostrophes);
        apostrophes = if character == '\'' && !escaped { apostrophes + 1 } else { 0 };
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            other if other < ' ' || escaped => {
                for unit in other.encode_utf16(&mut [0; 2]) {
                    // Writing to a String can't fail.
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn value(json: &str) -> Value {
        parse(json).expect("valid JSON")
    }

    #[test]
    fn order_spacing_and_escapes_of_the_source_do_not_show() {
        let one = value(r#"{ "b" : [1.0, "\u00e9\/"], "a": null }"#);
        let other = value("{\"a\":null,\"b\":[1,\"é/\"]}");
        assert_eq!(canonical(&one), "{\"a\":null,\"b\":[1,\"é/\"]}");
        assert_eq!(canonical(&one), canonical(&other));
    }

    #[test]
    fn control_characters_use_the_escapes_of_rfc_8785() {
        let text = value(r#""\b\f\n\r\t\u000f\u007f\"\\\/""#);
        assert_eq!(canonical(&text), "\"\\b\\f\\n\\r\\t\\u000f\u{7f}\\\"\\\\/\"");
    }

    #[test]
    fn pretty_text_spells_what_a_reader_cannot_see() {
        let text = Value::from("a\u{200b}b\u{e0041}\u{7f}");
        assert_eq!(pretty(&text), r#""a\u200bb\udb40\udc41\u007f""#);
        assert_eq!(parse(&pretty(&text)).as_ref(), Ok(&text));
    }

    #[test]
    fn pretty_text_never_holds_three_apostrophes_in_a_row() {
        let text = Value::from("'''''''");
        assert_eq!(pretty(&text), r#""''\u0027''\u0027'""#);
        assert_eq!(parse(&pretty(&text)).as_ref(), Ok(&text));
    }

    #[test]
    fn pretty_text_is_indented_and_keeps_empty_containers_short() {
        let value = value(r#"{"b":[],"a":{"x":[1,{}]}}"#);
        assert_eq!(pretty(&value), "{\n  \"a\": {\n    \"x\": [\n      1,\n      {}\n    ]\n  },\n  \"b\": []\n}");
    }
}
