//! Names and their values within a text that is no single value: a shell's line, YAML, TOML, a connection string, netrc.

use std::ops::Range;

use super::name::{Says, says, sets_header, takes_login};
use crate::launch::template::{Part, parts};

/// A value in a text and the name that it stands under.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Pair<'a> {
    /// The name, without what marks it as an option.
    pub(super) name: &'a str,
    /// The value, without quotation marks.
    pub(super) value: Range<usize>,
    /// How it stands there.
    pub(super) standing: Standing,
}

/// How a value stands in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It can be nothing but the name's value.
    Value,
    /// It may as well be the next word of a sentence: `the token: see below`, `use --token to sign in`.
    Sentence,
}

/// The longest name that is looked for, in bytes: none is longer, and a text of names alone must not cost its length squared.
const LONGEST_NAME: usize = 64;
/// Words that follow an option's name in a sentence.
const SENTENCE_WORDS: &[&str] = &[
    "also", "always", "argument", "before", "both", "either", "flag", "flags", "from", "have", "here", "instead",
    "into", "must", "never", "only", "option", "options", "should", "that", "then", "this", "unless", "value", "when",
    "where", "which", "will", "with", "without", "your",
];

/// The pairs whose names say secret, or whose values may hold one: a header's, a login's. What a pair's value holds is not looked through again.
pub(super) fn pairs(text: &str) -> Vec<Pair<'_>> {
    let variables = variables(text);
    let mut coming = variables.iter().peekable();
    let bytes = text.as_bytes();
    let (mut pairs, mut words) = (Vec::new(), Words::default());
    let (mut word, mut at) = (0, 0);
    while at < bytes.len() {
        while coming.next_if(|variable| variable.end <= at).is_some() {}
        if let Some(variable) = coming.peek().filter(|variable| variable.contains(&at)) {
            at = variable.end;
            continue;
        }
        let found = match bytes[at] {
            b'=' | b':' => assigned(text, at, &variables),
            b' ' | b'\t' | b'\n' if word < at => {
                words.push(&text[word..at]);
                option(text, word..at, &variables).or_else(|| login(text, at, &words, &variables))
            }
            _ => None,
        };
        if bytes[at].is_ascii_whitespace() || is_quote(bytes[at]) || matches!(bytes[at], b';' | b'|' | b'(') {
            word = at + 1;
        }
        at += 1;
        if let Some(pair) = found {
            at = pair.value.end.max(at);
            word = word.max(pair.value.start);
            pairs.push(pair);
        }
    }
    pairs
}

/// Whether a word can be a value: in a sentence only one that no person writes as a word.
pub(super) fn is_word_of_sentence(value: &str) -> bool {
    let word = value.trim_end_matches(['.', '!', '?', ')', ':']);
    word.chars().all(char::is_alphabetic)
        && (word.len() < 4 || SENTENCE_WORDS.contains(&word.to_ascii_lowercase().as_str()))
}

/// `NAME=value`, `name = "value"`, `"name": value`, `--name:value`
fn assigned<'a>(text: &'a str, sign: usize, variables: &[Range<usize>]) -> Option<Pair<'a>> {
    let bytes = text.as_bytes();
    let next = bytes.get(sign + 1).copied().unwrap_or_default();
    if matches!(next, b'=' | b'~' | b'>') || text[sign..].starts_with("://") || text[sign..].starts_with("::") {
        return None;
    }
    let before = text[..sign].trim_end_matches([' ', '\t']);
    let unquoted = before.trim_end_matches(['"', '\'', '\\']);
    let spelled = name_before(unquoted)?;
    let name = spelled.trim_start_matches('-');
    if !matters(name) {
        return None;
    }
    let start = unquoted.len() - spelled.len();
    let quoted_name = unquoted.len() < before.len();
    let spaced = blanks(&text[sign + 1..]) > 0;
    let marked = spelled.len() > name.len() || is_slash_option(&text[..start]);
    if bytes[sign] == b':' && !spaced && !(marked || quoted_name || matches!(next, b'"' | b'\'' | b'\\')) {
        // `image:tag`, `host:port`
        return None;
    }
    let (value, quoted) = value_at(text, sign + 1 + blanks(&text[sign + 1..]), variables)?;
    let whole = begins_line(&text[..start]) && ends_line(&text[value.end..]);
    let sure = match bytes[sign] {
        b'=' => !spaced || quoted == Quoted::Yes || whole,
        _ if spaced => quoted == Quoted::Yes || quoted_name || whole,
        _ => true,
    };
    Some(Pair { name, value, standing: if sure { Standing::Value } else { Standing::Sentence } })
}

/// `--api-key value`, `-H 'name: value'`
fn option<'a>(text: &'a str, word: Range<usize>, variables: &[Range<usize>]) -> Option<Pair<'a>> {
    let spelled = &text[word.clone()];
    let name = spelled.trim_start_matches('-');
    let is_option = name.len() < spelled.len() && name.starts_with(|first: char| first.is_ascii_alphabetic());
    if !is_option || name_before(name)?.len() < name.len() || !matters(name) {
        return None;
    }
    let rest = &text[word.end..];
    let start = word.end + rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\\']).len();
    let (value, quoted) = value_at(text, start, variables)?;
    if text[value.clone()].starts_with('-') {
        return None;
    }
    let sentence = quoted == Quoted::No && is_word_of_sentence(&text[value.clone()]);
    Some(Pair { name, value, standing: if sentence { Standing::Sentence } else { Standing::Value } })
}

/// `machine host login user password value`, as netrc has it.
fn login<'a>(text: &'a str, at: usize, words: &Words<'a>, variables: &[Range<usize>]) -> Option<Pair<'a>> {
    let [machine, _, login, _, name] = words.last;
    let default = words.last[1] == "default";
    if name != "password" || login != "login" || !(machine == "machine" || default) {
        return None;
    }
    let rest = &text[at..];
    let (value, _) = value_at(text, at + rest.len() - rest.trim_start().len(), variables)?;
    Some(Pair { name, value, standing: Standing::Value })
}

/// The last words before a place.
#[derive(Default)]
struct Words<'a> {
    last: [&'a str; 5],
}

impl<'a> Words<'a> {
    fn push(&mut self, word: &'a str) {
        self.last.rotate_left(1);
        self.last[4] = word;
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quoted {
    Yes,
    No,
}

/// The value that begins here: up to the quotation mark that closes it, or to what ends a word.
fn value_at(text: &str, start: usize, variables: &[Range<usize>]) -> Option<(Range<usize>, Quoted)> {
    let rest = &text[start..];
    let escaped = rest.starts_with("\\\"") || rest.starts_with("\\'");
    let mark = usize::from(escaped);
    if let Some(quote) = rest.as_bytes().get(mark).copied().filter(|&byte| byte == b'"' || byte == b'\'') {
        let inside = start + mark + 1;
        let closes = text[inside..].find(char::from(quote)).unwrap_or(text.len() - inside);
        let value = text[inside..inside + closes].trim_end_matches('\\');
        return (!value.is_empty()).then_some((inside..inside + value.len(), Quoted::Yes));
    }
    let mut end = start;
    let first = variables.partition_point(|variable| variable.end <= start);
    let mut coming = variables[first..].iter().peekable();
    while let Some(character) = text[end..].chars().next() {
        if let Some(variable) = coming.next_if(|variable| variable.start == end) {
            end = variable.end;
        } else if character.is_whitespace() || "\"'`;,&|<>)]}".contains(character) {
            break;
        } else {
            end += character.len_utf8();
        }
    }
    (start < end).then_some((start..end, Quoted::No))
}

/// The name that a text ends in.
fn name_before(text: &str) -> Option<&str> {
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    let length = text.bytes().rev().take(LONGEST_NAME + 1).collect::<Vec<_>>().iter().take_while(is_part).count();
    (1..=LONGEST_NAME).contains(&length).then(|| &text[text.len() - length..])
}

fn matters(name: &str) -> bool {
    sets_header(name) || takes_login(name) || matches!(says(name), Says::Secret | Says::Perhaps)
}

/// `/password=x`, as some programs for Windows have their options.
fn is_slash_option(before: &str) -> bool {
    before.strip_suffix('/').is_some_and(|before| before.is_empty() || before.ends_with(char::is_whitespace))
}

fn begins_line(before: &str) -> bool {
    let before = before.trim_end_matches([' ', '\t', '"', '\'', '\\']);
    let before = before.strip_suffix('-').map_or(before, |list| list.trim_end_matches([' ', '\t']));
    before.is_empty() || before.ends_with(['\n', '\r', ';', '{'])
}

fn ends_line(after: &str) -> bool {
    let after = after.trim_start_matches([' ', '\t']);
    after.is_empty() || after.starts_with(['\n', '\r', ';', '}', '#'])
}

fn blanks(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t']).len()
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// Where variables stand.
fn variables(text: &str) -> Vec<Range<usize>> {
    let mut variables = Vec::new();
    let mut at = 0;
    let mut after_variable = false;
    for part in parts(text) {
        match part {
            Part::Literal(piece) => {
                if after_variable {
                    variables.push(at..piece.start);
                }
                at = piece.start + piece.text.len();
                after_variable = false;
            }
            Part::Variable { .. } => after_variable = true,
        }
    }
    if after_variable {
        variables.push(at..text.len());
    }
    variables
}
