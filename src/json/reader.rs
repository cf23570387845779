//! The strict reader (RFC 8259, with what the specification leaves open refused).

use std::borrow::Cow;
use std::collections::HashSet;

use super::number::{Limits, NumberError};
use super::{Error, ErrorKind, MAX_DEPTH, Number, Object, Value};

/// Reads a whole text as one value, at most [`MAX_DEPTH`] levels deep.
///
/// # Errors
/// Anything that isn't exactly one JSON value, or that two readers could understand differently.
pub fn parse(text: &str) -> Result<Value, Error> {
    let mut reader = Reader::new(text, MAX_DEPTH);
    let value = reader.value()?;
    reader.finish()?;
    Ok(value)
}

/// [`parse`] for a text that [`super::canonical`] or [`super::pretty`] wrote: a number may be longer there than its sender
/// may write it, by what the canonical layout adds.
///
/// # Errors
/// As for [`parse`].
pub fn parse_stored(text: &str) -> Result<Value, Error> {
    let mut reader = Reader { numbers: Limits::STORED, ..Reader::new(text, MAX_DEPTH) };
    let value = reader.value()?;
    reader.finish()?;
    Ok(value)
}

/// [`parse`] for bytes that may not be UTF-8.
///
/// # Errors
/// As for [`parse`], and [`ErrorKind::NotUtf8`].
pub fn parse_bytes(bytes: &[u8]) -> Result<Value, Error> {
    parse(utf8(bytes)?)
}

/// The text of these bytes.
pub(crate) fn utf8(bytes: &[u8]) -> Result<&str, Error> {
    std::str::from_utf8(bytes).map_err(|error| {
        let valid = &bytes[..error.valid_up_to()];
        Error::at(ErrorKind::NotUtf8, std::str::from_utf8(valid).unwrap_or_default(), valid.len())
    })
}

/// What kind of value stands next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

/// Reads a text from left to right, member by member, so that a large answer is never held as a tree.
pub struct Reader<'a> {
    text: &'a str,
    position: usize,
    depth: usize,
    max_depth: usize,
    numbers: Limits,
}

impl<'a> Reader<'a> {
    /// A reader at the start of `text` that refuses more than `max_depth` levels.
    pub fn new(text: &'a str, max_depth: usize) -> Self {
        Self { text, position: 0, depth: 0, max_depth, numbers: Limits::SENT }
    }

    /// Which kind of value stands next.
    ///
    /// # Errors
    /// At the end of the text, and where no value begins.
    pub fn peek(&mut self) -> Result<Kind, Error> {
        self.skip_white_space();
        match self.byte() {
            Some(b'n') => Ok(Kind::Null),
            Some(b't' | b'f') => Ok(Kind::Bool),
            Some(b'-' | b'0'..=b'9') => Ok(Kind::Number),
            Some(b'"') => Ok(Kind::String),
            Some(b'[') => Ok(Kind::Array),
            Some(b'{') => Ok(Kind::Object),
            Some(_) => Err(self.error(ErrorKind::Expected("a value"))),
            None => Err(self.error(ErrorKind::UnexpectedEnd)),
        }
    }

    /// The next value as a tree.
    ///
    /// # Errors
    /// Where the text breaks a rule of this module.
    pub fn value(&mut self) -> Result<Value, Error> {
        Ok(match self.peek()? {
            Kind::Null => {
                self.literal("null")?;
                Value::Null
            }
            Kind::Bool => Value::Bool(self.bool()?),
            Kind::Number => Value::Number(self.number()?),
            Kind::String => Value::String(self.string()?.into_owned()),
            Kind::Array => {
                let mut elements = Vec::new();
                self.array(|_, reader| {
                    elements.push(reader.value()?);
                    Ok(())
                })?;
                Value::Array(elements)
            }
            Kind::Object => {
                let mut members = Vec::new();
                self.object(|key, reader| {
                    let value = reader.value()?;
                    members.push((key.to_owned(), value));
                    Ok(())
                })?;
                Value::Object(Object::from_distinct(members))
            }
        })
    }

    /// Passes the next value, checked by the same rules, and gives its text.
    ///
    /// # Errors
    /// Where the text breaks a rule of this module.
    pub fn raw(&mut self) -> Result<&'a str, Error> {
        let kind = self.peek()?;
        let start = self.position;
        match kind {
            Kind::Null => self.literal("null")?,
            Kind::Bool => {
                self.bool()?;
            }
            Kind::Number => {
                self.number()?;
            }
            Kind::String => {
                self.string()?;
            }
            Kind::Array => self.array(|_, reader| reader.raw().map(drop))?,
            Kind::Object => self.object(|_, reader| reader.raw().map(drop))?,
        }
        Ok(&self.text[start..self.position])
    }

    /// Visits the members of the object that stands next; `visit` must read each member's value.
    ///
    /// # Errors
    /// If no object stands next, on a repeated key, and what `visit` reports.
    pub fn object(&mut self, mut visit: impl FnMut(&str, &mut Self) -> Result<(), Error>) -> Result<(), Error> {
        self.open(b'{', "an object")?;
        let mut keys = Keys::default();
        self.skip_white_space();
        if self.eat(b'}') {
            self.depth -= 1;
            return Ok(());
        }
        loop {
            self.skip_white_space();
            let at = self.position;
            let key = self.string()?;
            if !keys.insert(key.clone()) {
                return Err(Error::at(ErrorKind::RepeatedKey(key.into_owned()), self.text, at));
            }
            self.skip_white_space();
            self.expect(b':', "\":\"")?;
            visit(&key, self).map_err(|error| error.within(&key))?;
            self.skip_white_space();
            if self.eat(b'}') {
                self.depth -= 1;
                return Ok(());
            }
            self.expect(b',', "\",\" or \"}\"")?;
        }
    }

    /// Visits the elements of the array that stands next; `visit` must read each element.
    ///
    /// # Errors
    /// If no array stands next, and what `visit` reports.
    pub fn array(&mut self, mut visit: impl FnMut(usize, &mut Self) -> Result<(), Error>) -> Result<(), Error> {
        self.open(b'[', "an array")?;
        self.skip_white_space();
        if self.eat(b']') {
            self.depth -= 1;
            return Ok(());
        }
        for index in 0.. {
            visit(index, self).map_err(|error| error.within(index))?;
            self.skip_white_space();
            if self.eat(b']') {
                break;
            }
            self.expect(b',', "\",\" or \"]\"")?;
        }
        self.depth -= 1;
        Ok(())
    }

    /// The string that stands next, decoded.
    ///
    /// # Errors
    /// If no string stands next, on control characters and half surrogate pairs.
    pub fn string(&mut self) -> Result<Cow<'a, str>, Error> {
        self.skip_white_space();
        self.expect(b'"', "a string")?;
        let start = self.position;
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.position) {
            match byte {
                b'"' => {
                    let text = &self.text[start..self.position];
                    self.position += 1;
                    return Ok(Cow::Borrowed(text));
                }
                b'\\' => return self.string_with_escapes(start).map(Cow::Owned),
                0..=0x1f => return Err(self.error(ErrorKind::ControlCharacter)),
                _ => self.position += 1,
            }
        }
        Err(self.error(ErrorKind::UnexpectedEnd))
    }

    /// Checks that nothing but white space is left.
    ///
    /// # Errors
    /// [`ErrorKind::TrailingText`].
    pub fn finish(mut self) -> Result<(), Error> {
        self.skip_white_space();
        if self.position < self.text.len() {
            return Err(self.error(ErrorKind::TrailingText));
        }
        Ok(())
    }

    fn string_with_escapes(&mut self, start: usize) -> Result<String, Error> {
        let mut out = self.text[start..self.position].to_owned();
        loop {
            let rest = &self.text[self.position..];
            let run = rest
                .find(|character: char| matches!(character, '"' | '\\') || character < ' ')
                .ok_or_else(|| Error::at(ErrorKind::UnexpectedEnd, self.text, self.text.len()))?;
            out.push_str(&rest[..run]);
            self.position += run;
            match self.byte() {
                Some(b'"') => {
                    self.position += 1;
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape()?),
                _ => return Err(self.error(ErrorKind::ControlCharacter)),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Error> {
        let at = self.position;
        self.position += 1;
        let character = match self.byte() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.position += 1;
                return self.unicode_escape(at);
            }
            Some(_) => return Err(self.error(ErrorKind::Expected("an escape sequence"))),
            None => return Err(self.error(ErrorKind::UnexpectedEnd)),
        };
        self.position += 1;
        Ok(character)
    }

    fn unicode_escape(&mut self, at: usize) -> Result<char, Error> {
        let lone = |reader: &Self| Error::at(ErrorKind::LoneSurrogate, reader.text, at);
        let unit = self.hexadecimal()?;
        let code = match unit {
            0xd800..=0xdbff => {
                if !self.text[self.position..].starts_with("\\u") {
                    return Err(lone(self));
                }
                self.position += 2;
                let low = self.hexadecimal()?;
                if !(0xdc00..=0xdfff).contains(&low) {
                    return Err(lone(self));
                }
                0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00)
            }
            unit => unit,
        };
        char::from_u32(code).ok_or_else(|| lone(self))
    }

    fn hexadecimal(&mut self) -> Result<u32, Error> {
        let digits = self
            .text
            .as_bytes()
            .get(self.position..self.position + 4)
            .filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))
            .ok_or_else(|| self.error(ErrorKind::Expected("four hexadecimal digits")))?;
        let code = digits.iter().fold(0, |code, &digit| code * 16 + char::from(digit).to_digit(16).unwrap_or_default());
        self.position += 4;
        Ok(code)
    }

    fn number(&mut self) -> Result<Number, Error> {
        let start = self.position;
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if matches!(self.byte(), Some(b'e' | b'E')) {
            self.position += 1;
            if matches!(self.byte(), Some(b'+' | b'-')) {
                self.position += 1;
            }
            self.digits()?;
        }
        Number::from_json(&self.text[start..self.position], self.numbers).map_err(|error| {
            let kind = match error {
                NumberError::TooLong => ErrorKind::NumberTooLong,
                NumberError::ExponentTooLarge => ErrorKind::ExponentTooLarge,
            };
            Error::at(kind, self.text, start)
        })
    }

    fn digits(&mut self) -> Result<(), Error> {
        let start = self.position;
        while matches!(self.byte(), Some(b'0'..=b'9')) {
            self.position += 1;
        }
        if self.position == start {
            return Err(self.error(ErrorKind::Expected("a digit")));
        }
        Ok(())
    }

    fn bool(&mut self) -> Result<bool, Error> {
        if self.byte() == Some(b't') {
            self.literal("true")?;
            Ok(true)
        } else {
            self.literal("false")?;
            Ok(false)
        }
    }

    fn literal(&mut self, word: &'static str) -> Result<(), Error> {
        if !self.text[self.position..].starts_with(word) {
            return Err(self.error(ErrorKind::Expected("a value")));
        }
        self.position += word.len();
        Ok(())
    }

    fn open(&mut self, bracket: u8, what: &'static str) -> Result<(), Error> {
        self.skip_white_space();
        if self.byte() == Some(bracket) && self.depth == self.max_depth {
            return Err(self.error(ErrorKind::TooDeep(self.max_depth)));
        }
        self.expect(bracket, what)?;
        self.depth += 1;
        Ok(())
    }

    fn expect(&mut self, byte: u8, what: &'static str) -> Result<(), Error> {
        if self.eat(byte) {
            Ok(())
        } else if self.byte().is_none() {
            Err(self.error(ErrorKind::UnexpectedEnd))
        } else {
            Err(self.error(ErrorKind::Expected(what)))
        }
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.byte() == Some(byte);
        if found {
            self.position += 1;
        }
        found
    }

    fn skip_white_space(&mut self) {
        while matches!(self.byte(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.position += 1;
        }
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.position).copied()
    }

    fn error(&self, kind: ErrorKind) -> Error {
        Error::at(kind, self.text, self.position)
    }
}

/// The keys that an object has had so far: few objects have many members, some hostile ones have a million.
#[derive(Default)]
struct Keys<'a> {
    few: Vec<Cow<'a, str>>,
    many: HashSet<Cow<'a, str>>,
}

impl<'a> Keys<'a> {
    const FEW: usize = 16;

    /// Whether the key is new.
    fn insert(&mut self, key: Cow<'a, str>) -> bool {
        if self.few.contains(&key) {
            return false;
        }
        if self.few.len() < Self::FEW {
            self.few.push(key);
            return true;
        }
        self.many.insert(key)
    }
}

#[cfg(test)]
#[path = "reader_tests.rs"]
mod tests;
