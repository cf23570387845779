//! Event streams: bounded, and with every payload kept by the tap.

use std::sync::Arc;

use bytes::Bytes;
use futures::stream::{self, BoxStream};
use futures::{Stream, StreamExt};
use reqwest::Response;
use rmcp::transport::streamable_http_client::SseError;
use sse_stream::Sse;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::event_stream::EventStream;
use super::http::{Replier, StreamKind, too_large};
use super::limits::Limits;
use super::tap::{Effect, Tap};
use crate::problem::Problem;

/// The longest that a server may make us wait before a stream is resumed, in milliseconds.
const LONGEST_RETRY: u64 = 2_000;
/// The soonest that it may have a stream resumed, in milliseconds.
const SHORTEST_RETRY: u64 = 50;

/// A stream ended because it was too large; the tap knows more.
#[derive(Debug, thiserror::Error)]
#[error("the stream can't be read any further")]
struct Ended;

/// The events of a response, and the task that reads them; data that the tap keeps is replaced by its stand-in, and what it
/// answers is sent. The task reads on when nobody wants the events any more: rmcp stops at the answer, we don't.
pub(super) fn through_tap(
    response: Response,
    stream: StreamKind,
    tap: Arc<Tap>,
    limits: Limits,
    replier: Replier,
) -> (BoxStream<'static, Result<Sse, SseError>>, JoinHandle<()>) {
    let (forward, mut events) = mpsc::unbounded_channel();
    let bytes = response.bytes_stream();
    let reading = tokio::spawn(async move {
        // Once rmcp has what it waited for, events are only noted by the tap.
        let forward = |event| drop(forward.send(event));
        read(bytes, stream, tap, limits, |reply| replier.reply(reply), forward).await;
    });
    (stream::poll_fn(move |context| events.poll_recv(context)).boxed(), reading)
}

/// Reads a stream to its end, and hands on each event as rmcp may see it.
pub(super) async fn read<E>(
    bytes: impl Stream<Item = Result<Bytes, E>> + Send + 'static,
    stream: StreamKind,
    tap: Arc<Tap>,
    limits: Limits,
    reply: impl Fn(String),
    forward: impl Fn(Result<Sse, SseError>),
) where
    E: std::error::Error + Send + Sync + 'static,
{
    let mut incoming = std::pin::pin!(bounded(bytes, Arc::clone(&tap), limits));
    let mut events = EventStream::default();
    while let Some(chunk) = incoming.next().await {
        match chunk {
            Ok(chunk) => events.push(&chunk),
            Err(ended) => forward(Err(SseError::Body(Box::new(ended)))),
        }
        while let Some(event) = events.next() {
            if event.is_err() {
                tap.fail(Problem::new(
                    "reading the server's answer",
                    "the server's answer can't be used: an event holds bytes that are no UTF-8",
                    "report this to the server's author",
                ));
            }
            forward(event.map(|event| keep(event, stream, &tap, &reply)).map_err(SseError::Utf8Parse));
        }
    }
}

/// Passes one event through the tap. Its id and retry time are rmcp's, which resumes the stream by them.
fn keep(mut event: Sse, stream: StreamKind, tap: &Tap, reply: impl Fn(String)) -> Sse {
    event.retry = event.retry.map(|milliseconds| milliseconds.clamp(SHORTEST_RETRY, LONGEST_RETRY));
    let data = event.data.take().unwrap_or_default();
    let is_message = event.event.as_deref().is_none_or(|name| name.is_empty() || name == "message");
    if !is_message || data.trim().is_empty() {
        return event;
    }
    let effects = match stream {
        StreamKind::OfAnswer => tap.incoming(data.as_bytes()),
        StreamKind::Standing => tap.aside(data.as_bytes()),
    };
    for effect in effects {
        match effect {
            Effect::Forward(message) => event.data = serde_json::to_string(&message).ok(),
            Effect::Reply(answer) => reply(answer),
        }
    }
    event
}

/// The bytes of a stream until one event, or all of them, exceed the limits.
fn bounded<E>(
    bytes: impl Stream<Item = Result<Bytes, E>> + Send + 'static,
    tap: Arc<Tap>,
    limits: Limits,
) -> impl Stream<Item = Result<Bytes, Ended>> + Send + 'static
where
    E: std::error::Error + Send + Sync + 'static,
{
    let state = (bytes.boxed(), EventSize::default());
    stream::unfold(Some(state), move |state| {
        let tap = Arc::clone(&tap);
        async move {
            let (mut bytes, mut event) = state?;
            let chunk = match bytes.next().await? {
                Ok(chunk) => chunk,
                Err(_) => return Some((Err(Ended), None)),
            };
            if event.largest_with(&chunk) > limits.message {
                tap.fail(too_large("an event", limits.message, "--max-message"));
                return Some((Err(Ended), None));
            }
            // Comments and retries count too, over streams that break and are resumed.
            if tap.streamed(chunk.len()) > limits.listing {
                tap.fail(too_large("an event stream", limits.listing, "--max-listing"));
                return Some((Err(Ended), None));
            }
            Some((Ok(chunk), Some((bytes, event))))
        }
    })
}

/// How large the event is that is being read: an empty line ends it.
#[derive(Default)]
struct EventSize {
    size: usize,
    line_is_empty: bool,
    /// A line feed that follows ends no other line.
    after_carriage_return: bool,
}

impl EventSize {
    /// The largest size that any event has reached within this chunk.
    fn largest_with(&mut self, chunk: &[u8]) -> usize {
        let mut largest = self.size;
        for &byte in chunk {
            self.size += 1;
            match byte {
                b'\n' if self.after_carriage_return => {}
                b'\n' | b'\r' if self.line_is_empty => self.size = 0,
                b'\n' | b'\r' => self.line_is_empty = true,
                _ => self.line_is_empty = false,
            }
            self.after_carriage_return = byte == b'\r';
            largest = largest.max(self.size);
        }
        largest
    }
}

/// The beginning of a body, for a message; what can't be read is left out.
pub(super) async fn read_at_most(response: Response, limit: usize) -> Vec<u8> {
    let mut body = Vec::new();
    let mut chunks = response.bytes_stream();
    while let Some(Ok(chunk)) = chunks.next().await {
        let room = limit - body.len();
        body.extend_from_slice(&chunk[..chunk.len().min(room)]);
        if body.len() == limit {
            break;
        }
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_line_ends_an_event() {
        let mut event = EventSize::default();
        assert_eq!(event.largest_with(b"data: 1\n\n"), 8);
        assert_eq!(event.largest_with(b"data: 1\r\ndata: 2\r\n\r\n"), 18);
        assert_eq!(event.largest_with(b"data: 3"), 8);
        assert_eq!(event.largest_with(&[b'x'; 100]), 108);
    }
}
