//! Secrets in a value that is JSON.

use super::name::{Says, says};
use super::scan::{Found, credential, push, scan, trimmed, within};
use crate::json::{self, Value};
use crate::launch::template::Piece;

/// The longest text that is read as JSON, in bytes.
const LONGEST_JSON: usize = 64 * 1024;

/// The strings of JSON, each under its key; says whether the text is JSON with members or elements.
pub(super) fn scan_json(piece: Piece<'_>, levels: usize, found: &mut Vec<Found>) -> bool {
    let text = piece.text.trim();
    if !text.starts_with(['{', '[']) || text.len() > LONGEST_JSON {
        return false;
    }
    let Ok(value) = json::parse(text) else { return false };
    scan_json_value(None, &value, piece, levels, found);
    true
}

fn scan_json_value(name: Option<&str>, value: &Value, whole: Piece<'_>, levels: usize, found: &mut Vec<Found>) {
    match value {
        Value::String(text) => {
            let mut inner = Vec::new();
            scan(name, Piece { start: 0, text }, levels - 1, &mut inner);
            for secret in inner {
                push_everywhere(secret.name.as_deref(), &text[secret.range], whole, found);
            }
        }
        Value::Array(elements) => {
            for element in elements {
                scan_json_value(name, element, whole, levels, found);
            }
        }
        Value::Object(object) => {
            for (key, member) in object.iter() {
                scan_json_value(Some(key), member, whole, levels, found);
            }
        }
        Value::Number(number) => {
            let said = name.map_or(Says::Nothing, says);
            let piece = Piece { start: 0, text: number.as_str() };
            if credential(name.unwrap_or_default(), said, piece).is_some() {
                push_everywhere(name, number.as_str(), whole, found);
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

/// The secret wherever the text has it; all of the text where it has another spelling, for then nothing can be shown.
fn push_everywhere(name: Option<&str>, secret: &str, whole: Piece<'_>, found: &mut Vec<Found>) {
    let before = found.len();
    for (at, _) in whole.text.match_indices(secret) {
        push(name, within(whole, at, &whole.text[at..at + secret.len()]), found);
    }
    if found.len() == before {
        push(name, trimmed(whole), found);
    }
}
