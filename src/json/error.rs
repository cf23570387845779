//! What can be wrong with a text.

use std::fmt;

use super::{MAX_DEPTH, Pointer};

/// How many bytes of a key or a place a message shows.
const MOST_POINTER: usize = 200;

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What is wrong.
    pub kind: ErrorKind,
    /// The byte at which it was seen.
    pub offset: usize,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The part of the value that was being read.
    pub pointer: Pointer,
}

/// What can be wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The bytes are no UTF-8.
    NotUtf8,
    /// The text ends too early.
    UnexpectedEnd,
    /// Something else than this was expected.
    Expected(&'static str),
    /// A second member of that name in one object.
    RepeatedKey(String),
    /// A `\u` escape for one half of a surrogate pair.
    LoneSurrogate,
    /// A control character inside a string, not escaped.
    ControlCharacter,
    /// More levels of arrays and objects than this.
    TooDeep(usize),
    /// A number of more than 1,000 characters.
    NumberTooLong,
    /// A number whose exponent is beyond ±1,000,000.
    ExponentTooLarge,
    /// Something stands after the value.
    TrailingText,
}

impl Error {
    pub(super) fn at(kind: ErrorKind, text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            kind,
            offset,
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            pointer: Pointer::root(),
        }
    }

    pub(super) fn within(mut self, segment: impl fmt::Display) -> Self {
        self.pointer.prepend(segment.to_string());
        self
    }
}

impl std::error::Error for Error {}

impl fmt::Display for Error {
    /// The key of a repeated member is foreign text: escape the whole for its destination.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ErrorKind::NotUtf8 => write!(formatter, "bytes that are no UTF-8")?,
            ErrorKind::UnexpectedEnd => write!(formatter, "unexpected end of the text")?,
            ErrorKind::Expected(what) => write!(formatter, "expected {what}")?,
            ErrorKind::RepeatedKey(key) if key.len() <= MOST_POINTER => write!(formatter, "repeated key \"{key}\"")?,
            ErrorKind::RepeatedKey(_) => write!(formatter, "a long key repeated")?,
            ErrorKind::LoneSurrogate => write!(formatter, "half a surrogate pair")?,
            ErrorKind::ControlCharacter => write!(formatter, "a control character inside a string")?,
            // What lies around an item may be deeper; whoever reads this knows the item's limit.
            ErrorKind::TooDeep(_) => write!(formatter, "nesting of more than {MAX_DEPTH} levels")?,
            ErrorKind::NumberTooLong => write!(formatter, "a number of more than 1,000 characters")?,
            ErrorKind::ExponentTooLarge => write!(formatter, "a number with an exponent beyond 1,000,000")?,
            ErrorKind::TrailingText => write!(formatter, "text after the end of the value")?,
        }
        if !self.pointer.is_root() {
            // A key is shown whole or not at all: a part of one could hide that it holds a secret.
            let mut shown = self.pointer.clone();
            while shown.to_string().len() > MOST_POINTER {
                shown.shorten();
            }
            write!(formatter, " in {shown}{}", if shown == self.pointer { "" } else { "/…" })?;
        }
        write!(formatter, " (line {}, column {})", self.line, self.column)
    }
}
