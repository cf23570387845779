//! Where in a value secrets stand: in a whole value, and in the URL, the JSON, the header, the option or the assignment that
//! a value can be.

use std::ops::Range;

use super::address::{scan_logins, scan_url};
use super::name::{Says, counts_symbols, may_count, says, sets_header, takes_login};
use super::pair::{Standing, pairs};
use super::structured::scan_json;
use super::value::{
    are_symbols, basic_login, is_harmless, is_issued, is_long_number, is_path_below_variable, is_plain_words,
    is_private_key, is_url, looks_random,
};
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

/// Adds the secrets in a piece of a value that stands under a name.
pub(super) fn scan(name: Option<&str>, piece: Piece<'_>, levels: usize, found: &mut Vec<Found>) {
    let said = name.map_or(Says::Nothing, says);
    let parts = parts(piece.text);
    let literal = matches!(parts.as_slice(), [Part::Literal(_)]);
    if literal && let Some(credential) = credential(name.unwrap_or_default(), said, piece) {
        return push(name, credential, found);
    }
    if name.is_some_and(takes_login)
        && let Some((user, password)) = piece.text.split_once(':')
        && is_opaque(password)
        && literal
    {
        return push(Some("password"), within(piece, user.len() + 1, password), found);
    }
    if is_private_key(piece.text) {
        return push(name, trimmed(piece), found);
    }
    let beside = !literal && matches!(said, Says::Secret | Says::Perhaps) && !is_path_below_variable(&parts);
    for part in &parts {
        match *part {
            Part::Variable { name: variable, default: Some(default) } if levels > 0 => {
                let default = within(piece, default.start, default.text);
                scan(default_name(name, said, variable), default, levels - 1, found);
            }
            Part::Variable { .. } => {}
            Part::Literal(text) if beside => remains(name, within(piece, text.start, text.text), found),
            Part::Literal(_) => {}
        }
    }
    if levels > 0 && !scan_json(piece, levels, found) {
        scan_header(name, piece, levels, found);
        scan_logins(piece, levels, found);
        scan_pairs(piece, levels, found);
        for word in split(piece, |character| character.is_whitespace() || "\"'`;,".contains(character)) {
            scan_word(name, said, word, levels, found);
        }
    }
}

/// The name that a variable's default stands under: its own where that says secret and the other doesn't.
fn default_name<'a>(name: Option<&'a str>, said: Says, variable: &'a str) -> Option<&'a str> {
    let own = matches!(says(variable), Says::Secret | Says::Perhaps);
    if own && !matches!(said, Says::Secret | Says::Perhaps) { Some(variable) } else { name }
}

/// The secret that a literal value is under a name that says so: all of it, or what follows the scheme of a header.
pub(super) fn credential<'a>(name: &str, said: Says, piece: Piece<'a>) -> Option<Piece<'a>> {
    let value = after_scheme(trimmed(piece));
    let scheme = &piece.text[..value.start - piece.start];
    if scheme.trim().eq_ignore_ascii_case("basic") && basic_login(value.text).is_some() {
        return Some(value);
    }
    let secret = match said {
        Says::Secret if counts_symbols(name) && are_symbols(value.text) => false,
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

/// `Authorization: Bearer abc`, as options that set a header take it, up to a closing quotation mark. Within a longer text
/// only well-known headers count, for prose has colons too, as have `image:tag` and `host:port`.
fn scan_header(option: Option<&str>, piece: Piece<'_>, levels: usize, found: &mut Vec<Found>) {
    let text = piece.text;
    let not_of_a_name = |character: char| !(character.is_ascii_alphanumeric() || "-_".contains(character));
    let header = text.match_indices(':').find_map(|(colon, _)| {
        let spelled = text[..colon].rsplit(not_of_a_name).next().unwrap_or_default();
        let before = &text[..colon - spelled.len()];
        let alone = before.trim().is_empty();
        let attached = spelled.strip_prefix("-H").filter(|_| alone);
        let name = attached.unwrap_or(spelled);
        let given = attached.is_some() || (alone && option.is_some_and(sets_header));
        let certain = given || is_well_known(name);
        let spaced = (alone || before.ends_with('=')) && text[colon + 1..].starts_with(' ');
        (!name.is_empty() && (spaced || certain)).then_some((name, colon + 1, certain))
    });
    if let Some((name, start, certain)) = header {
        let value = text[start..].split(['"', '\'', '\n', '\r']).next().unwrap_or_default();
        if certain || !is_sentence(value) {
            scan(Some(name), within(piece, start, value), levels - 1, found);
        }
    }
}

/// Several words and nothing else, such as `see the docs`.
fn is_sentence(value: &str) -> bool {
    value.trim().contains(char::is_whitespace) && value.split_whitespace().all(is_plain_words)
}

/// The values of names that stand within a text.
fn scan_pairs(piece: Piece<'_>, levels: usize, found: &mut Vec<Found>) {
    for pair in pairs(piece.text) {
        let value = within(piece, pair.value.start, &piece.text[pair.value]);
        if pair.standing == Standing::Value || is_opaque(value.text) {
            scan(Some(pair.name), value, levels - 1, found);
        }
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

/// Adds a piece as a secret.
pub(super) fn push(name: Option<&str>, piece: Piece<'_>, found: &mut Vec<Found>) {
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

/// The piece without white space around it.
pub(super) fn trimmed(piece: Piece<'_>) -> Piece<'_> {
    let text = piece.text.trim_start();
    within(piece, piece.text.len() - text.len(), text.trim_end())
}

/// A part of a piece that begins `start` bytes into it.
pub(super) fn within<'a>(piece: Piece<'_>, start: usize, text: &'a str) -> Piece<'a> {
    Piece { start: piece.start + start, text }
}

/// The parts between separators, empty ones left out. What stands in a variable's braces separates nothing.
pub(super) fn split(piece: Piece<'_>, separates: impl Fn(char) -> bool) -> Vec<Piece<'_>> {
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
