//! The event streams of a session, and the answers to what a server asks inside them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::stream::BoxStream;
use http::header::CONTENT_TYPE;
use http::{HeaderName, HeaderValue, Method};
use reqwest::Response;
use rmcp::transport::streamable_http_client::SseError;
use sse_stream::Sse;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::super::events;
use super::{Endpoint, JSON};

/// How long the stream of an answer may stay open after it when the session ends.
const STREAM_GRACE: Duration = Duration::from_millis(100);
/// How long the standing stream is listened to before the session ends: it never ends by itself.
const STANDING_GRACE: Duration = Duration::from_millis(50);

/// Which of a session's event streams one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::connect) enum StreamKind {
    /// The answer to a request: it ends soon after the answer.
    OfAnswer,
    /// The standing one, which ends with the session.
    Standing,
}

/// The tasks that read event streams to their end, whatever rmcp still wants of them: what comes after an answer counts.
#[derive(Default)]
pub(in crate::connect) struct Streams {
    /// How many streams are asked for and not open yet.
    opening: AtomicUsize,
    reading: Mutex<Vec<(StreamKind, JoinHandle<()>)>>,
}

impl Streams {
    pub(super) fn add(&self, stream: StreamKind, task: JoinHandle<()>) {
        let mut reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        reading.retain(|(_, task)| !task.is_finished());
        reading.push((stream, task));
    }

    /// A stream is being asked for; the session waits a moment for it until what is returned is dropped.
    pub(super) fn opening(&self) -> Opening<'_> {
        self.opening.fetch_add(1, Ordering::Relaxed);
        Opening(&self.opening)
    }

    /// Gives the streams of answers a moment to end, and ends all.
    pub(in crate::connect) async fn close(&self) {
        let began = Instant::now();
        while self.opening.load(Ordering::Relaxed) > 0 && began.elapsed() < STANDING_GRACE {
            sleep(Duration::from_millis(2)).await;
        }
        let reading = std::mem::take(&mut *self.reading.lock().unwrap_or_else(PoisonError::into_inner));
        for (stream, mut task) in reading {
            let patience = match stream {
                StreamKind::OfAnswer => STREAM_GRACE,
                StreamKind::Standing => STANDING_GRACE,
            };
            let _ = timeout_at(began + patience, &mut task).await;
            task.abort();
        }
    }
}

/// A stream that is asked for and not open yet.
pub(super) struct Opening<'a>(&'a AtomicUsize);

impl Drop for Opening<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Whatever is needed to answer a server's request that comes inside a stream.
#[derive(Clone)]
pub(in crate::connect) struct Replier {
    pub(super) endpoint: Endpoint,
    pub(super) url: Arc<str>,
    pub(super) session: Option<Arc<str>>,
    pub(super) protocol: HashMap<HeaderName, HeaderValue>,
}

impl Replier {
    /// Sends an answer without waiting for what the server says to it.
    pub(in crate::connect) fn reply(&self, reply: String) {
        let replier = self.clone();
        tokio::spawn(async move {
            let mut headers = replier.endpoint.request_headers(
                "application/json, text/event-stream",
                replier.session.as_deref(),
                replier.protocol,
            );
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
            let sending = replier.endpoint.send(&Method::POST, &replier.url, headers, Some(reply.into_bytes()));
            let _ = timeout(replier.endpoint.limits.request, sending).await;
        });
    }

    /// A response's events, with every payload kept by the tap.
    pub(super) fn events(self, response: Response, stream: StreamKind) -> BoxStream<'static, Result<Sse, SseError>> {
        let tap = Arc::clone(&self.endpoint.tap);
        let limits = self.endpoint.limits;
        let streams = Arc::clone(&self.endpoint.streams);
        let (events, reading) = events::through_tap(response, stream, tap, limits, self);
        streams.add(stream, reading);
        events
    }
}
