//! Messages as bytes: where one ends, and what sort it is. No SDK type appears here.
//!
//! [`Lines`] cuts a server's output into lines of bounded length. [`Frame::read`] looks at the envelope of one message
//! by the strict reader and leaves its payload as text.

use std::hash::{BuildHasher, RandomState};
use std::io::BufRead;

use tokio::io::{AsyncBufRead, AsyncBufReadExt};

use super::lenient::{self, Look, is_named};
use crate::json::{self, Kind, Number, Reader, Value};

/// The most levels of a whole message: those of an item, and those around it.
const MAX_FRAME_DEPTH: usize = json::MAX_DEPTH + 8;

/// What one message is.
#[derive(Debug, PartialEq)]
pub(super) enum Frame<'a> {
    /// The answer to the request of that number.
    Answer { id: AnswerId, payload: Payload<'a> },
    /// A request of the server; its id is kept as it was written.
    Request { id: &'a str, method: String },
    /// A notification of the server.
    Notification { method: String },
    /// Something that some client could take for an answer and that can't be one: the request that it belongs to must fail.
    Unusable { id: Option<AnswerId>, cause: String },
    /// A request or a notification whose other members can't be used: only its method counts.
    Unclear { method: String },
    /// Several messages at once, as JSON-RPC 2.0 and the revision 2025-03-26 allow.
    Batch(Vec<&'a str>),
    /// Nothing of the protocol.
    Noise,
}

/// Which request an answer names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AnswerId {
    /// One of our numbers; `"7"` counts as 7, for some servers echo it so.
    Number(i64),
    /// `null` or absent: the server couldn't read the request.
    Null,
    /// None of ours.
    Foreign,
}

/// What an answer carries.
#[derive(Debug, PartialEq)]
pub(super) enum Payload<'a> {
    /// The text of `result`.
    Result(&'a str),
    /// An error, and the text of its `data`.
    Error { code: i64, message: String, data: Option<&'a str> },
}

impl Payload<'_> {
    /// What tells one answer from another: the bytes of a result, the code and the message of an error.
    /// The key is of this session alone, so that no server can aim at two answers of one digest.
    pub(super) fn digest(&self, key: &RandomState) -> u64 {
        match self {
            Payload::Result(raw) => key.hash_one(raw),
            Payload::Error { code, message, .. } => key.hash_one((code, message)),
        }
    }
}

impl<'a> Frame<'a> {
    /// Looks at one message.
    pub(super) fn read(bytes: &'a [u8]) -> Self {
        let text = match json::utf8(bytes) {
            Ok(text) => text,
            Err(error) => return unreadable(&String::from_utf8_lossy(bytes), &error),
        };
        if text.trim_start().starts_with('[') {
            return read_batch(text);
        }
        match Envelope::read(text) {
            Ok(envelope) => envelope.frame(),
            Err(error) => unreadable(text, &error),
        }
    }
}

/// A text that the strict reader refuses: an answer that can't be used if any other reader may understand one.
fn unreadable<'a>(text: &str, error: &json::Error) -> Frame<'a> {
    match lenient::look(text) {
        Look::Answer => Frame::Unusable { id: None, cause: error.to_string() },
        Look::Message { method } => Frame::Unclear { method },
        Look::Nothing => Frame::Noise,
    }
}

/// What is wrong with a text that should be JSON.
pub(super) fn flaw(bytes: &[u8]) -> Option<json::Error> {
    let read = json::utf8(bytes).and_then(|text| {
        let mut reader = Reader::new(text, MAX_FRAME_DEPTH);
        reader.raw()?;
        reader.finish()
    });
    read.err()
}

/// Whether a text that the output ended within began as an answer.
pub(super) fn begins_an_answer(bytes: &[u8]) -> bool {
    const WORDS: [&str; 3] = ["\"jsonrpc\"", "\"result\"", "\"error\""];
    let text = String::from_utf8_lossy(bytes);
    flaw(bytes).is_some() && text.trim_start().starts_with(['{', '[']) && WORDS.iter().any(|word| text.contains(word))
}

fn read_batch(text: &str) -> Frame<'_> {
    let mut messages = Vec::new();
    let mut reader = Reader::new(text, MAX_FRAME_DEPTH);
    let result = reader.array(|_, reader| {
        messages.push(reader.raw()?);
        Ok(())
    });
    match result.and_then(|()| reader.finish()) {
        Ok(()) if messages.iter().any(|message| message.starts_with('{')) => Frame::Batch(messages),
        Ok(()) => Frame::Noise,
        Err(error) => unreadable(text, &error),
    }
}

/// The members of a message that say what it is.
#[derive(Default)]
struct Envelope<'a> {
    version: Option<String>,
    id: Option<&'a str>,
    method: Option<String>,
    result: Option<&'a str>,
    error: Option<&'a str>,
    /// It has a member that only some clients take for `result` or `error`.
    is_two_faced: bool,
}

impl<'a> Envelope<'a> {
    fn read(text: &'a str) -> Result<Self, json::Error> {
        let mut envelope = Self::default();
        let mut reader = Reader::new(text, MAX_FRAME_DEPTH);
        reader.object(|key, reader| {
            match key {
                "jsonrpc" if reader.peek()? == Kind::String => envelope.version = Some(reader.string()?.into_owned()),
                "method" if reader.peek()? == Kind::String => envelope.method = Some(reader.string()?.into_owned()),
                _ => {
                    let raw = reader.raw()?;
                    match key {
                        "id" => envelope.id = Some(raw),
                        "result" => envelope.result = Some(raw),
                        "error" => envelope.error = Some(raw),
                        _ if is_named(key, "result") || is_named(key, "error") => envelope.is_two_faced = true,
                        _ => {}
                    }
                }
            }
            Ok(())
        })?;
        reader.finish()?;
        Ok(envelope)
    }

    fn frame(self) -> Frame<'a> {
        let is_json_rpc = self.version.as_deref() == Some("2.0");
        if self.is_two_faced && (is_json_rpc || self.id.is_some_and(|id| id != "null")) {
            let cause = "a \"result\" or an \"error\" in other letters, which some clients read".to_owned();
            return Frame::Unusable { id: Some(answer_id(self.id)), cause };
        }
        match (self.method, self.result, self.error) {
            (Some(method), None, None) if is_json_rpc => match self.id {
                Some(id) if id != "null" => Frame::Request { id, method },
                _ => Frame::Notification { method },
            },
            (Some(_), None, None) | (None, None, None) => Frame::Noise,
            (Some(_), _, _) => Frame::Unusable {
                id: Some(answer_id(self.id)),
                cause: "a message with both a \"method\" and an answer".to_owned(),
            },
            (None, result, error) => {
                let id = answer_id(self.id);
                let unusable = |cause: &str| Frame::Unusable { id: Some(id.clone()), cause: cause.to_owned() };
                if !is_json_rpc {
                    // Without a version and an id it is the line of a log: no client could tell whom it answers.
                    return match id {
                        AnswerId::Foreign | AnswerId::Null => Frame::Noise,
                        AnswerId::Number(_) => unusable("an answer whose \"jsonrpc\" isn't \"2.0\""),
                    };
                }
                match (result, error) {
                    (Some(result), None) => Frame::Answer { id, payload: Payload::Result(result) },
                    (None, Some(error)) => match read_error(error) {
                        Some(payload) => Frame::Answer { id, payload },
                        None => unusable("an error answer without a numeric \"code\" and a \"message\""),
                    },
                    _ => unusable("an answer with both \"result\" and \"error\""),
                }
            }
        }
    }
}

fn answer_id(raw: Option<&str>) -> AnswerId {
    let number = |number: &Number| number.as_str().parse().map_or(AnswerId::Foreign, AnswerId::Number);
    match raw.map(json::parse) {
        None | Some(Ok(Value::Null)) => AnswerId::Null,
        Some(Ok(Value::Number(value))) => number(&value),
        Some(Ok(Value::String(text))) => text.parse().map_or(AnswerId::Foreign, AnswerId::Number),
        _ => AnswerId::Foreign,
    }
}

fn read_error(raw: &str) -> Option<Payload<'_>> {
    let mut code = None;
    let mut message = None;
    let mut data = None;
    let mut reader = Reader::new(raw, MAX_FRAME_DEPTH);
    let read = reader.object(|key, reader| {
        match (key, reader.peek()?) {
            ("code", Kind::Number) => {
                code = reader.value().ok().and_then(|value| match value {
                    Value::Number(number) => number.as_str().parse().ok(),
                    _ => None,
                });
            }
            ("message", Kind::String) => message = Some(reader.string()?.into_owned()),
            ("data", _) => data = Some(reader.raw()?),
            _ => {
                reader.raw()?;
            }
        }
        Ok(())
    });
    read.ok()?;
    Some(Payload::Error { code: code?, message: message.unwrap_or_default(), data })
}

/// A stream's lines, each at most `limit` bytes long.
pub(super) struct Lines<R> {
    input: R,
    limit: usize,
    first: bool,
}

/// A line, or what stands there instead of one.
#[derive(Debug, PartialEq)]
pub(super) enum Line {
    /// A whole line, without its end.
    Whole(Vec<u8>),
    /// The stream ended in the middle of this line.
    CutOff(Vec<u8>),
    /// The stream has ended.
    End,
}

/// Why there is no further line.
#[derive(Debug)]
pub(super) enum LineError {
    /// A line is longer than the limit.
    TooLong,
    /// The stream broke.
    Io(std::io::Error),
}

impl<R: AsyncBufRead + Unpin> Lines<R> {
    pub(super) fn new(input: R, limit: usize) -> Self {
        Self { input, limit, first: true }
    }

    /// The next line, without a byte order mark before the first.
    pub(super) async fn next(&mut self) -> Result<Line, LineError> {
        let mut line = Vec::new();
        loop {
            let available = self.input.fill_buf().await.map_err(LineError::Io)?;
            if available.is_empty() {
                return Ok(if line.is_empty() { Line::End } else { Line::CutOff(self.trimmed(line)) });
            }
            // Reading from memory can't fail.
            let taken = BufRead::read_until(&mut &*available, b'\n', &mut line).map_err(LineError::Io)?;
            self.input.consume(taken);
            let ends = line.pop_if(|last| *last == b'\n').is_some();
            if line.len() > self.limit {
                return Err(LineError::TooLong);
            }
            if ends {
                return Ok(Line::Whole(self.trimmed(line)));
            }
        }
    }

    fn trimmed(&mut self, mut line: Vec<u8>) -> Vec<u8> {
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        if std::mem::replace(&mut self.first, false) {
            without_byte_order_mark(&mut line);
        }
        line
    }
}

/// Drops a UTF-8 byte order mark at the start.
pub(super) fn without_byte_order_mark(bytes: &mut Vec<u8>) {
    if bytes.starts_with(b"\xef\xbb\xbf") {
        bytes.drain(..3);
    }
}

#[cfg(test)]
#[path = "frames_tests.rs"]
mod tests;
