//! Doors for the fuzz targets, in builds of cargo-fuzz only: the readers of hostile bytes are private to this stage, and
//! fuzzing them through processes and connections would take seconds for what takes microseconds here.

use std::cell::RefCell;
use std::convert::Infallible;
use std::sync::{Arc, LazyLock};

use bytes::Bytes;
use futures::stream;
use rmcp::model::{ClientJsonRpcMessage, RequestId};
use serde_json::json;
use tokio::io::BufReader;

use super::client::Face;
use super::events;
use super::frames::{AnswerId, Frame, Line, LineError, Lines, Payload};
use super::http::StreamKind;
use super::limits::Limits;
use super::tap::{DISCOVER, Effect, INITIALIZE, Tap};
use crate::launch::Protected;
use crate::surface::Client;

/// The number of the request for the list that waits in every tap here.
pub const LIST: i64 = 2;

/// What a message is taken for, with the parts of its text that are kept.
#[derive(Debug, PartialEq)]
pub enum Message<'a> {
    /// An answer: the number of its request, the raw result or the raw data of the error.
    Answer(Option<i64>, Result<&'a str, Option<&'a str>>),
    /// A request of the server, and its raw id.
    Request(&'a str),
    /// A notification, and its method.
    Notification(String),
    /// An answer that can't be used.
    Unusable,
    /// A request or a notification of which only the method can be used.
    Unclear,
    /// Several messages.
    Batch(Vec<&'a str>),
    /// Nothing of the protocol.
    Noise,
}

/// Looks at one message.
pub fn message(bytes: &[u8]) -> Message<'_> {
    match Frame::read(bytes) {
        Frame::Answer { id, payload } => {
            let id = match id {
                AnswerId::Number(id) => Some(id),
                AnswerId::Null | AnswerId::Foreign => None,
            };
            let payload = match payload {
                Payload::Result(raw) => Ok(raw),
                Payload::Error { data, .. } => Err(data),
            };
            Message::Answer(id, payload)
        }
        Frame::Request { id, .. } => Message::Request(id),
        Frame::Notification { method } => Message::Notification(method),
        Frame::Unusable { .. } => Message::Unusable,
        Frame::Unclear { .. } => Message::Unclear,
        Frame::Batch(messages) => Message::Batch(messages),
        Frame::Noise => Message::Noise,
    }
}

/// What came of some bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// The messages that rmcp was handed.
    pub forwarded: Vec<String>,
    /// What the server was answered.
    pub replies: Vec<String>,
    /// The raw results that were kept, by the number of their request.
    pub results: Vec<(i64, String)>,
    /// The numbers of the requests that were refused.
    pub refused: Vec<i64>,
    /// Why the session can't go on.
    pub fault: Option<String>,
    /// The methods that were answered in two ways.
    pub ambiguous: Vec<&'static str>,
    /// Whether the list was said to have changed.
    pub list_changed: bool,
    /// How many messages were skipped.
    pub odd: usize,
}

/// A server's output as lines, read with a buffer of that size: the lines, each with whether its end was seen, and
/// whether one was longer than the limit.
pub fn lines(bytes: &[u8], buffer: usize, limit: usize) -> (Vec<(Vec<u8>, bool)>, bool) {
    let mut lines = Lines::new(BufReader::with_capacity(buffer.max(1), bytes), limit);
    let mut read = Vec::new();
    block_on(async {
        loop {
            match lines.next().await {
                Ok(Line::Whole(line)) => read.push((line, true)),
                Ok(Line::CutOff(line)) => read.push((line, false)),
                Ok(Line::End) => return (read, false),
                Err(LineError::TooLong) => return (read, true),
                Err(LineError::Io(_)) => unreachable!("a slice can be read"),
            }
        }
    })
}

/// A server's output through the tap, as over standard output: messages that came whole, then a last one that was cut off.
pub fn output<'a>(messages: impl Iterator<Item = &'a [u8]>, last: Option<&[u8]>) -> Seen {
    let tap = tap();
    let mut seen = Seen::default();
    let mut keep = |effects: Vec<Effect>| {
        for effect in effects {
            match effect {
                Effect::Forward(message) => seen.forwarded.extend(serde_json::to_string(&message).ok()),
                Effect::Reply(reply) => seen.replies.push(reply),
            }
        }
    };
    messages.for_each(|message| keep(tap.incoming(message)));
    if let Some(last) = last {
        keep(tap.last(last));
    }
    ended(&tap, seen)
}

/// An event stream in pieces of at most that size, through the limits, the reader and the tap: the answer to a request, or
/// the standing stream. Each event that rmcp would see is among the forwarded.
pub fn event_stream(bytes: &[u8], piece: usize, standing: bool, limit: usize) -> Seen {
    let stream = if standing { StreamKind::Standing } else { StreamKind::OfAnswer };
    let limits = Limits { message: limit, ..Limits::default() };
    let tap = Arc::new(tap());
    let seen = RefCell::new(Seen::default());
    let pieces: Vec<_> =
        bytes.chunks(piece.max(1)).map(|piece| Ok::<_, Infallible>(Bytes::copy_from_slice(piece))).collect();
    block_on(events::read(
        stream::iter(pieces),
        stream,
        Arc::clone(&tap),
        limits,
        |reply| seen.borrow_mut().replies.push(reply),
        |event| seen.borrow_mut().forwarded.push(format!("{event:?}")),
    ));
    ended(&tap, seen.into_inner())
}

/// The requests of every tap here: 0 and 1 open a session, [`LIST`] lists. Made once, for that takes longer than the rest.
static REQUESTS: LazyLock<Vec<ClientJsonRpcMessage>> = LazyLock::new(|| {
    let client =
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "", "version": "" } });
    let requests = [(INITIALIZE, client), (DISCOVER, json!({})), ("tools/list", json!({}))];
    let message = |(id, (method, params))| json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    let read = |request| serde_json::from_value(request).unwrap_or_else(|error| panic!("{error}"));
    requests.into_iter().enumerate().map(message).map(read).collect()
});

/// Nothing protected, ready to be searched for.
static PROTECTED: LazyLock<Protected> = LazyLock::new(|| {
    let protected = Protected::default();
    protected.mask("");
    protected
});

/// A tap whose three requests wait for their answers.
fn tap() -> Tap {
    let tap = Tap::new(Limits::default(), PROTECTED.clone(), Face::of(&Client::default()));
    REQUESTS.iter().for_each(|request| drop(tap.outgoing(request)));
    tap
}

fn ended(tap: &Tap, mut seen: Seen) -> Seen {
    for id in 0..=LIST {
        let request = RequestId::Number(id);
        seen.results.extend(tap.take_result(&request).map(|raw| (id, raw)));
        seen.refused.extend(tap.refusal(&request).map(|_| id));
    }
    seen.fault = tap.fault().map(|problem| problem.cause);
    seen.ambiguous = tap.ambiguous();
    seen.list_changed = tap.list_changed();
    seen.odd = tap.odd_traffic().count;
    seen
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap_or_else(|error| panic!("{error}")).block_on(future)
}
