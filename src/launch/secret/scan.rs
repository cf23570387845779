//! Where in a value secrets stand: in a whole value, and in the URL, the JSON, the header, the option or the assignment that
//! a value can be.

use std::ops::Range;

use super::name::{Says, may_count, says};
use super::value::{is_harmless, is_issued, is_long_number, is_plain_words, is_private_key, is_url, looks_random};
use crate::json::{self, Value};
use crate::launch::template::{Part, Piece, is_name, parts};

/// A secret in a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// Its bytes.
    pub(super) range: Range<usize>,
    /// The name that it stands under; `None` where only its looks give it away.
    pub(super) name: Option<String>,
}

/// How deep one text is looked for within another: JSON in an assignment in an option, and no further.
const MOST_LEVELS: usize = 4;
/// The longest text that is read as JSON, in bytes.
const LONGEST_JSON: usize = 64 * 1024;
/// The shortest value that is a secret under a name that only may be a secret's.
const SHORTEST_PERHAPS: usize = 8;
/// How credentials in a header begin (RFC 9110, section 11.4).
const SCHEMES: &[&str] = &["bearer ", "basic ", "token ", "apikey ", "api-key ", "digest ", "key ", "bot "];

/// The secrets in a value that stands under a name, in order and apart.
pub(super) fn secrets_in(name: Option<&str>, value: &str) -> Vec<Found> {
    let mut found = Vec::new();
    scan(name, Piece { start: 0, text: value }, MOST_LEVELS, &mut found);
    found.sort_by_key(|found| (found.range.start, std::cmp::Reverse(found.range.end)));
    let mut apart: Vec<Found> = Vec::new();
    for next in found {
        match apart.last_mut() {
            Some(last) if next.range.start < last.range.end => last.range.end = last.range.end.max(next.range.end),
            _ => apart.push(next),
        }
    }
    apart
}

fn scan(name: Option<&str>, piece: Piece<'_>, levels: usize, found: &mut Vec<Found>) {
    let said = name.map_or(Says::Nothing, says);
    let parts = parts(piece.text);
    let literal = matches!(parts.as_slice(), [Part::Literal(_)]);
    if literal && let Some(credential) = credential(name.unwrap_or_default(), said, piece) {
        return push(name, credential, found);
    }
    if is_private_key(piece.text) {
        return push(name, trimmed(piece), found);
    }
    for part in &parts {
        match *part {
            Part::Variable { default: Some(default), .. } if levels > 0 => {
                scan(name, within(piece, default.start, default.text), levels - 1, found);
            }
            Part::Variable { .. } => {}
            Part::Literal(text) => {
                let text = within(piece, text.start, text.text);
                if !literal && matches!(said, Says::Secret | Says::Perhaps) {
                    remains(name, text, found);
                }
            }
        }
    }
    if levels > 0 && !scan_json(piece, levels, found) {
        scan_header(piece, levels, found);
        for word in split(piece, |character| character.is_whitespace() || "\"'`;,".contains(character)) {
            scan_word(name, said, word, levels, found);
        }
    }
}

/// The secret that a literal value is under a name that says so: all of it, or what follows the scheme of a header.
fn credential<'a>(name: &str, said: Says, piece: Piece<'a>) -> Option<Piece<'a>> {
    let value = after_scheme(trimmed(piece));
    let secret = match said {
        Says::Secret => !is_harmless(value.text) || (is_long_number(value.text) && !may_count(name)),
        Says::Perhaps => {
            value.text.len() >= SHORTEST_PERHAPS && !is_harmless(value.text) && !is_plain_words(value.text)
        }
        Says::Harmless | Says::Nothing => {
            value.start > trimmed(piece).start && value.text.len() >= SHORTEST_PERHAPS && is_opaque(value.text)
        }
    };
    secret.then_some(value)
}

/// One word with a digit in it that people wouldn't write.
fn is_opaque(text: &str) -> bool {
    !text.contains(char::is_whitespace) && !is_plain_words(text) && !is_harmless(text)
}

/// The literal text beside a variable under a secret's name: `Bearer ` and `user:` are none, half a password is.
fn remains(name: Option<&str>, piece: Piece<'_>, found: &mut Vec<Found>) {
    for word in split(piece, |character| character.is_whitespace() || "=:;,&@/?".contains(character)) {
        if word.text.len() >= SHORTEST_PERHAPS && !is_plain_words(word.text) && !is_harmless(word.text) {
            push(name, word, found);
        }
    }
}

/// The strings of JSON, each under its key; says whether the text is JSON with members or elements.
fn scan_json(piece: Piece<'_>, levels: usize, found: &mut Vec<Found>) -> bool {
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
                let secret_text = &text[secret.range];
                let places: Vec<_> = whole.text.match_indices(secret_text).map(|(at, _)| at).collect();
                let name = secret.name.as_deref();
                if places.is_empty() {
                    // It is spelled with escapes: nothing of the text can be shown.
                    push(name, trimmed(whole), found);
                }
                for at in places {
                    push(name, within(whole, at, &whole.text[at..at + secret_text.len()]), found);
                }
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
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// `Authorization: Bearer abc`, as options that set a header take it, up to a closing quotation mark. Within a longer text
/// only well-known headers count, for prose has colons too, as have `image:tag` and `host:port`.
fn scan_header(piece: Piece<'_>, levels: usize, found: &mut Vec<Found>) {
    let text = piece.text;
    let not_of_a_name = |character: char| !(character.is_ascii_alphanumeric() || "-_".contains(character));
    let header = text.match_indices(':').find_map(|(colon, _)| {
        let name = text[..colon].rsplit(not_of_a_name).next().unwrap_or_default();
        let before = &text[..colon - name.len()];
        let alone = before.trim().is_empty() || before.ends_with('=');
        let spaced = alone && text[colon + 1..].starts_with(' ');
        (!name.is_empty() && (spaced || is_well_known(name))).then_some((name, colon + 1))
    });
    if let Some((name, start)) = header {
        let value = text[start..].split(['"', '\'']).next().unwrap_or_default();
        scan(Some(name), within(piece, start, value), levels - 1, found);
    }
}

fn is_well_known(header: &str) -> bool {
    let name = header.to_ascii_lowercase();
    name.starts_with("x-") || ["authorization", "proxy-authorization", "cookie", "api-key"].contains(&name.as_str())
}

fn scan_word(name: Option<&str>, said: Says, word: Piece<'_>, levels: usize, found: &mut Vec<Found>) {
    if is_url(word.text) {
        return scan_url(word, levels, found);
    }
    if let Some((before, after)) = word.text.split_once('=') {
        let key = before.trim_start_matches('-');
        let named =
            !key.is_empty() && key.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter));
        if named && !after.is_empty() && !after.starts_with('=') {
            return scan(Some(key), within(word, before.len() + 1, after), levels - 1, found);
        }
    }
    for part in parts(word.text) {
        if let Part::Literal(text) = part {
            scan_looks(name, said, within(word, text.start, text.text), found);
        }
    }
}

/// Credentials before the host, values in the query and the fragment under their names, and whatever looks like a secret
/// elsewhere (RFC 3986, section 3).
fn scan_url(url: Piece<'_>, levels: usize, found: &mut Vec<Found>) {
    let Some((scheme, rest)) = url.text.split_once("://") else { return };
    let rest_start = scheme.len() + 3;
    let authority_end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, tail) = rest.split_at(authority_end);
    if let Some((user, _)) = authority.rsplit_once('@') {
        match user.split_once(':') {
            Some((name, password)) => {
                let at = rest_start + name.len() + 1;
                scan(Some("password"), within(url, at, password), levels - 1, found);
            }
            None => scan(Some("auth"), within(url, rest_start, user), levels - 1, found),
        }
    }
    for part in split(within(url, rest_start + authority_end, tail), |character| "/?&#;".contains(character)) {
        match part.text.split_once('=') {
            Some((key, value)) if !value.is_empty() => {
                scan(Some(key), within(part, key.len() + 1, value), levels - 1, found);
            }
            _ => scan(None, part, levels - 1, found),
        }
    }
}

/// Words whose own looks say secret. Under a harmless name a random text is an id.
fn scan_looks(name: Option<&str>, said: Says, word: Piece<'_>, found: &mut Vec<Found>) {
    let letters = |character: char| !(character.is_ascii_alphanumeric() || "-_+".contains(character));
    let with_dots = |character: char| letters(character) && character != '.';
    let issued: Vec<_> = split(word, with_dots).into_iter().filter(|part| is_issued(part.text)).collect();
    let random = split(word, letters).into_iter().filter(|part| said != Says::Harmless && looks_random(part.text));
    for part in issued.into_iter().chain(random) {
        // A variable's name tells what to call the secret; an option's name that says nothing doesn't.
        let name = name.filter(|name| is_name(name) && name.len() > 1);
        push(name, part, found);
    }
}

fn push(name: Option<&str>, piece: Piece<'_>, found: &mut Vec<Found>) {
    let range = piece.start..piece.start + piece.text.len();
    found.push(Found { range, name: name.map(str::to_owned) });
}

fn after_scheme(piece: Piece<'_>) -> Piece<'_> {
    let begins =
        |scheme: &&&str| piece.text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    match SCHEMES.iter().find(begins) {
        Some(scheme) => trimmed(within(piece, scheme.len(), &piece.text[scheme.len()..])),
        None => piece,
    }
}

fn trimmed(piece: Piece<'_>) -> Piece<'_> {
    let text = piece.text.trim_start();
    within(piece, piece.text.len() - text.len(), text.trim_end())
}

/// A part of a piece that begins `start` bytes into it.
fn within<'a>(piece: Piece<'_>, start: usize, text: &'a str) -> Piece<'a> {
    Piece { start: piece.start + start, text }
}

/// The parts between separators, empty ones left out. What stands in a variable's braces separates nothing.
fn split(piece: Piece<'_>, separates: impl Fn(char) -> bool) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut push = |from: usize, to: usize| {
        if from < to {
            pieces.push(within(piece, from, &piece.text[from..to]));
        }
    };
    for part in parts(piece.text) {
        if let Part::Literal(literal) = part {
            for (at, separator) in literal.text.match_indices(&separates) {
                push(start, literal.start + at);
                start = literal.start + at + separator.len();
            }
        }
    }
    push(start, piece.text.len());
    pieces
}
