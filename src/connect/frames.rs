//! Messages as bytes: where one ends, and what sort it is. No SDK type appears here.
//!
//! [`Lines`] cuts a server's output into lines of bounded length. [`Frame::read`] looks at the envelope of one message
//! by the strict reader and leaves its payload as text.

use std::hash::{BuildHasher, RandomState};
use std::io::BufRead;

use tokio::io::{AsyncBufRead, AsyncBufReadExt};

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
    /// Something that looks like an answer and can't be one: the request that it belongs to must fail.
    Unusable { id: Option<AnswerId>, cause: String },
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
        match text.trim_start().bytes().next() {
            Some(b'{') => {}
            Some(b'[') => return read_batch(text),
            _ => return Frame::Noise,
        }
        match Envelope::read(text) {
            Ok(envelope) => envelope.frame(),
            Err(error) => unreadable(text, &error),
        }
    }
}

/// A text that the strict reader refuses: an answer that can't be used if it claims to be of the protocol.
fn unreadable<'a>(text: &str, error: &json::Error) -> Frame<'a> {
    // Other readers may understand what ours refuses, and an escape can hide the words of a key.
    const WORDS: [&str; 4] = ["\"jsonrpc\"", "\"result\"", "\"error\"", "\\u"];
    let claims = text.trim_start().starts_with(['{', '[']) && WORDS.iter().any(|word| text.contains(word));
    if claims { Frame::Unusable { id: None, cause: error.to_string() } } else { Frame::Noise }
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
                    return if id == AnswerId::Foreign || self.id.is_none() {
                        Frame::Noise
                    } else {
                        unusable("an answer whose \"jsonrpc\" isn't \"2.0\"")
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
mod tests {
    use super::*;

    fn read(text: &str) -> Frame<'_> {
        Frame::read(text.as_bytes())
    }

    #[test]
    fn answers_keep_the_text_of_their_result() {
        assert_eq!(
            read(r#"{"jsonrpc":"2.0","id":3,"result":{ "tools" : [1.0] }}"#),
            Frame::Answer { id: AnswerId::Number(3), payload: Payload::Result(r#"{ "tools" : [1.0] }"#) }
        );
    }

    #[test]
    fn an_echoed_string_id_is_the_number() {
        for id in ["3", "\"3\"", "3.0"] {
            let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
            assert!(matches!(read(&text), Frame::Answer { id: AnswerId::Number(3), .. }), "{id}");
        }
        assert!(matches!(
            read(r#"{"jsonrpc":"2.0","id":"x","result":{}}"#),
            Frame::Answer { id: AnswerId::Foreign, .. }
        ));
    }

    #[test]
    fn errors_may_have_no_id() {
        let expected = Frame::Answer {
            id: AnswerId::Null,
            payload: Payload::Error { code: -32700, message: "what".into(), data: Some("[1]") },
        };
        assert_eq!(
            read(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what","data":[1]}}"#),
            expected
        );
        assert_eq!(read(r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"what","data":[1]}}"#), expected);
    }

    #[test]
    fn requests_and_notifications_are_told_apart() {
        assert_eq!(
            read(r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#),
            Frame::Request { id: "\"a\"", method: "ping".into() }
        );
        assert_eq!(read(r#"{"jsonrpc":"2.0","method":"x"}"#), Frame::Notification { method: "x".into() });
    }

    #[test]
    fn what_is_not_of_the_protocol_is_noise() {
        for text in ["", "hello", "{banner}", r#"{"level":"info"}"#, "[1,2]", "42", "null", "[]", r#"{"id":1}"#] {
            assert_eq!(read(text), Frame::Noise, "{text}");
        }
    }

    #[test]
    fn answers_that_two_readers_could_understand_differently_are_unusable() {
        for text in [
            r#"{"jsonrpc":"2.0","id":1,"method":"x","result":{}}"#,
            r#"{"json\u0072pc":"2.0","id":1,"result":{"a":1,"a":2}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{},"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","name":"b"}]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}"#,
            r#"{"jsonrpc":"1.0","id":1,"result":{}}"#,
            r#"{"id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"a":"\ud800"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"#,
            r#"{"jsonrpc":"2.0","id":1,"error":"no"}"#,
        ] {
            assert!(matches!(read(text), Frame::Unusable { .. }), "{text}: {:?}", read(text));
        }
        assert!(matches!(Frame::read(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"\xff\"}"), Frame::Unusable { .. }));
        let deep = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{}{}}}"#, "[".repeat(10_000), "]".repeat(10_000));
        assert!(matches!(read(&deep), Frame::Unusable { .. }));
    }

    #[test]
    fn an_escape_hides_no_message() {
        // Found with the fuzz targets: the version was compared as it is written, so that such a message was noise to us alone.
        assert!(matches!(
            read(r#"{"jsonrpc":"\u0032.0","id":3,"result":{}}"#),
            Frame::Answer { id: AnswerId::Number(3), .. }
        ));
        assert_eq!(read(r#"{"\u006asonrpc":"2\u002e0","method":"x"}"#), Frame::Notification { method: "x".into() });
    }

    #[test]
    fn batches_are_taken_apart() {
        let batch = r#"[{"jsonrpc":"2.0","method":"x"}, {"jsonrpc":"2.0","id":1,"result":{}}]"#;
        let Frame::Batch(messages) = read(batch) else { panic!("no batch") };
        assert_eq!(messages.len(), 2);
    }

    async fn lines(input: &[u8], limit: usize) -> Vec<Result<String, ()>> {
        let mut lines = Lines::new(input, limit);
        let mut seen = Vec::new();
        loop {
            match lines.next().await {
                Ok(Line::Whole(line) | Line::CutOff(line)) => seen.push(Ok(String::from_utf8(line).expect("text"))),
                Ok(Line::End) => return seen,
                Err(_) => {
                    seen.push(Err(()));
                    return seen;
                }
            }
        }
    }

    #[tokio::test]
    async fn lines_lose_their_ends_and_a_first_byte_order_mark() {
        let seen = lines(b"\xef\xbb\xbfone\r\ntwo\n\nlast", 10).await;
        assert_eq!(seen, [Ok("one".into()), Ok("two".into()), Ok(String::new()), Ok("last".into())]);
    }

    #[tokio::test]
    async fn lines_beyond_the_limit_are_an_error() {
        assert_eq!(lines(b"12345\n123456\n", 5).await, [Ok("12345".into()), Err(())]);
    }
}
