//! The tap: it owns every payload, and lets rmcp see none.
//!
//! A frame that answers one of our requests is kept whole, by the request's number, and rmcp is handed a minimal valid
//! stand-in, so that nothing in a payload can be dropped, misread or waited for. Requests of the server are answered
//! here at once; notifications are only noted. What can't be used ends the request that waits for it.

mod unowned;

use std::collections::BTreeMap;
use std::hash::RandomState;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rmcp::model::{ClientJsonRpcMessage, ClientRequest, RequestId, ServerJsonRpcMessage};
use tokio::sync::Notify;

use super::catalogue::{List, PROMPTS, RESOURCES, TEMPLATES, TOOLS};
use super::client::{self, Face};
use super::frames::{self, AnswerId, Frame, Payload};
use super::limits::{Limits, bytes};
use super::stand_ins::{error_stand_in, forward_error, stand_in, supported_versions};
use crate::launch::Protected;
use crate::problem::Problem;
use crate::text;
use unowned::Unowned;

/// What is to be done with one incoming message.
pub(super) enum Effect {
    /// rmcp is to see this.
    Forward(Box<ServerJsonRpcMessage>),
    /// The server is to get this answer.
    Reply(String),
}

/// An error answer of the server. The message is foreign text.
#[derive(Clone, Debug)]
pub(super) struct Refusal {
    pub(super) code: i64,
    pub(super) message: String,
}

/// What has become of a request.
enum Request {
    Waiting {
        method: &'static str,
    },
    Answered {
        method: &'static str,
        seen: u64,
    },
    /// We no longer wait: a late answer is ignored.
    Abandoned,
}

#[derive(Default)]
struct State {
    requests: BTreeMap<i64, Request>,
    results: BTreeMap<i64, String>,
    refusals: BTreeMap<i64, Refusal>,
    /// Why the session can't go on; the first reason counts.
    fault: Option<Problem>,
    /// What is listed: a change of another list is no news.
    lists: Vec<List>,
    list_changed: bool,
    cut_off: bool,
    ambiguous: Vec<&'static str>,
    /// What was answered where no answer belongs, to be compared with the real one.
    asides: BTreeMap<i64, u64>,
    odd: OddTraffic,
    /// What was skipped since the last request was sent.
    skipped: OddTraffic,
    unowned: Option<Unowned>,
    listing_bytes: usize,
    streamed_bytes: usize,
    resumed: usize,
    /// The versions that a server named in answer to `server/discover`, whether it agreed or not.
    supported: Option<Vec<String>>,
}

/// What was skipped, counted, with one sample.
#[derive(Clone, Debug, Default)]
pub(super) struct OddTraffic {
    pub(super) count: usize,
    pub(super) sample: Option<String>,
}

/// One session's tap, shared by its transport and its reader.
pub(super) struct Tap {
    limits: Limits,
    protected: Protected,
    face: Face,
    /// Of the digests by which two answers are told apart.
    key: RandomState,
    state: Mutex<State>,
    changed: Notify,
    failed: Notify,
    answered: Notify,
    unowned: Notify,
}

impl Tap {
    pub(super) fn new(limits: Limits, protected: Protected, face: Face) -> Self {
        Self {
            limits,
            protected,
            face,
            key: RandomState::new(),
            state: Mutex::default(),
            changed: Notify::new(),
            failed: Notify::new(),
            answered: Notify::new(),
            unowned: Notify::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a message that rmcp is about to send, and gives what goes out for it.
    pub(super) fn outgoing(&self, message: &ClientJsonRpcMessage) -> serde_json::Result<Vec<u8>> {
        self.note(message);
        self.face.encode(message)
    }

    fn note(&self, message: &ClientJsonRpcMessage) {
        let ClientJsonRpcMessage::Request(request) = message else { return };
        let RequestId::Number(id) = &request.id else { return };
        let method = match &request.request {
            ClientRequest::InitializeRequest(_) => INITIALIZE,
            ClientRequest::DiscoverRequest(_) => DISCOVER,
            ClientRequest::ListToolsRequest(_) => TOOLS.method,
            ClientRequest::ListPromptsRequest(_) => PROMPTS.method,
            ClientRequest::ListResourcesRequest(_) => RESOURCES.method,
            ClientRequest::ListResourceTemplatesRequest(_) => TEMPLATES.method,
            ClientRequest::ReadResourceRequest(_) => RESOURCES_READ,
            _ => return,
        };
        let mut state = self.state();
        if method == INITIALIZE {
            for earlier in state.requests.values_mut() {
                if matches!(earlier, Request::Waiting { method: DISCOVER }) {
                    *earlier = Request::Abandoned;
                }
            }
        }
        state.requests.insert(*id, Request::Waiting { method });
        state.skipped = OddTraffic::default();
    }

    /// Looks at one message in answer to a request.
    pub(super) fn incoming(&self, message: &[u8]) -> Vec<Effect> {
        self.each(message, Self::frame)
    }

    /// Looks at a line that nothing ends: an answer that was cut off is no answer.
    pub(super) fn last(&self, message: &[u8]) -> Vec<Effect> {
        if matches!(Frame::read(message), Frame::Unusable { .. }) || frames::begins_an_answer(message) {
            self.state().cut_off = true;
            return Vec::new();
        }
        self.line(message)
    }

    /// Looks at a message of the standing stream. No answer belongs there (2025-11-25, Transports, Listening for Messages),
    /// so rmcp gets none; but another client could believe it, so it is compared with the real one.
    pub(super) fn aside(&self, message: &[u8]) -> Vec<Effect> {
        self.each(message, Self::frame_aside)
    }

    /// Looks at each message of a batch, or at the one that it is.
    fn each(&self, message: &[u8], look: impl Fn(&Self, Frame<'_>, &[u8]) -> Option<Effect>) -> Vec<Effect> {
        match Frame::read(message) {
            Frame::Batch(messages) => messages
                .into_iter()
                .filter_map(|message| look(self, Frame::read(message.as_bytes()), message.as_bytes()))
                .collect(),
            frame => look(self, frame, message).into_iter().collect(),
        }
    }

    fn frame_aside(&self, frame: Frame<'_>, message: &[u8]) -> Option<Effect> {
        let Frame::Answer { id, payload } = frame else { return self.frame(frame, message) };
        let AnswerId::Number(id) = id else {
            self.odd(b"an answer to no request of ours");
            return None;
        };
        let seen = payload.digest(&self.key);
        let mut state = self.state();
        match state.requests.get(&id) {
            Some(Request::Answered { method, seen: first }) if *first != seen => {
                let method = *method;
                state.ambiguous(method);
            }
            Some(Request::Waiting { .. }) => {
                state.asides.insert(id, seen);
            }
            _ => {}
        }
        None
    }

    /// Whether the server's output ended in the middle of an answer.
    pub(super) fn cut_off(&self) -> bool {
        self.state().cut_off
    }

    fn frame(&self, frame: Frame<'_>, message: &[u8]) -> Option<Effect> {
        match frame {
            Frame::Answer { id, payload } => self.answer(&id, payload, message.len()),
            Frame::Request { id, method } => Some(Effect::Reply(client::reply(id, &method))),
            Frame::Notification { method } => {
                self.notified(&method);
                None
            }
            Frame::Unclear { method } => {
                self.notified(&method);
                self.odd(message);
                None
            }
            Frame::Unusable { id, cause } => self.unusable(id.as_ref(), &cause),
            // A batch within a batch is nothing of the protocol.
            Frame::Batch(_) | Frame::Noise => {
                self.odd(message);
                None
            }
        }
    }

    fn notified(&self, method: &str) {
        let mut state = self.state();
        if state.lists.iter().any(|list| list.changed == method) {
            state.list_changed = true;
            self.changed.notify_one();
        }
    }

    fn answer(&self, id: &AnswerId, payload: Payload<'_>, size: usize) -> Option<Effect> {
        let mut state = self.state();
        let id = match (id, &payload) {
            (AnswerId::Number(id), _) => Some(*id),
            // A server that couldn't read a request answers with no id; only one request is ever under way.
            (AnswerId::Null, Payload::Error { .. }) => state.waiting(),
            _ => None,
        };
        let Some(id) = id else {
            drop(state);
            self.odd(b"an answer to no request of ours");
            return None;
        };
        let seen = payload.digest(&self.key);
        let method = match state.requests.get(&id) {
            Some(Request::Waiting { method }) => *method,
            Some(Request::Answered { method, seen: first }) => {
                if *first != seen {
                    let method = *method;
                    state.ambiguous(method);
                }
                return None;
            }
            Some(Request::Abandoned) => {
                if let Payload::Result(raw) = payload {
                    state.supported = supported_versions(raw);
                }
                return None;
            }
            None => {
                drop(state);
                self.odd(b"an answer to no request of ours");
                return None;
            }
        };
        if state.asides.remove(&id).is_some_and(|aside| aside != seen) {
            state.ambiguous(method);
        }
        state.requests.insert(id, Request::Answered { method, seen });
        self.answered.notify_one();
        state.listing_bytes += size;
        if state.listing_bytes > self.limits.listing {
            state.fault.get_or_insert_with(|| {
                Problem::new(
                    "reading a listing",
                    format!("the listing is larger than {}", bytes(self.limits.listing)),
                    "raise the limit with --max-listing if the server is meant to send so much",
                )
            });
            self.failed.notify_one();
            return Some(forward_error(id, -32603, None));
        }
        match payload {
            Payload::Result(raw) => {
                if method == DISCOVER {
                    state.supported = supported_versions(raw);
                }
                state.results.insert(id, raw.to_owned());
                Some(stand_in(id, method, raw))
            }
            Payload::Error { code, message, data } => {
                let supported = data.and_then(supported_versions);
                if supported.is_some() {
                    state.supported.clone_from(&supported);
                }
                state.refusals.insert(id, Refusal { code, message });
                Some(forward_error(id, code, supported))
            }
        }
    }

    /// Ends the request that an unusable answer belongs to.
    fn unusable(&self, id: Option<&AnswerId>, cause: &str) -> Option<Effect> {
        let mut state = self.state();
        let id = match id {
            Some(AnswerId::Number(id)) if matches!(state.requests.get(id), Some(Request::Waiting { .. })) => *id,
            Some(AnswerId::Number(_) | AnswerId::Foreign) => return None,
            Some(AnswerId::Null) | None => state.waiting()?,
        };
        state.requests.insert(id, Request::Abandoned);
        state.fault.get_or_insert_with(|| {
            Problem::new(
                "reading an answer",
                format!("the server's answer can't be used: {cause}"),
                "report this to the server's author: clients can understand such an answer in different ways",
            )
        });
        self.failed.notify_one();
        Some(forward_error(id, -32700, None))
    }

    /// Notes something that was skipped.
    pub(super) fn odd(&self, message: &[u8]) {
        if message.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        let mut state = self.state();
        let State { odd, skipped, .. } = &mut *state;
        for traffic in [odd, skipped] {
            traffic.count += 1;
            traffic.sample.get_or_insert_with(|| {
                let sample = self.protected.mask(&String::from_utf8_lossy(message));
                text::shorten(&sample, 80).text.to_owned()
            });
        }
    }

    /// What was skipped since the last request was sent: it may be what should have been the answer.
    pub(super) fn skipped(&self) -> OddTraffic {
        self.state().skipped.clone()
    }

    /// Notes why the session can't go on, unless a reason is known already.
    pub(super) fn fail(&self, problem: Problem) {
        self.state().fault.get_or_insert(problem);
        self.failed.notify_one();
        self.answered.notify_one();
    }

    /// Counts bytes of event streams, and gives the sum since the listing began.
    pub(super) fn streamed(&self, bytes: usize) -> usize {
        let mut state = self.state();
        state.streamed_bytes += bytes;
        state.streamed_bytes
    }

    /// Counts another attempt to go on with a stream that broke.
    pub(super) fn resuming(&self) {
        let mut state = self.state();
        state.resumed += 1;
        let too_often = state.resumed > MOST_RESUMED;
        drop(state);
        if too_often {
            self.fail(Problem::new(
                "reading the server's answer",
                format!("its event stream broke more than {MOST_RESUMED} times before the answer came"),
                "look at the server's own log, or at the proxy before it",
            ));
        }
    }

    /// Whether that request has its answer.
    pub(super) fn is_answered(&self, id: i64) -> bool {
        matches!(self.state().requests.get(&id), Some(Request::Answered { .. }))
    }

    /// Waits until that request has its answer, or can't get one any more.
    pub(super) async fn until_answered(&self, id: i64) {
        while !self.is_answered(id) && self.fault().is_none() {
            self.answered.notified().await;
        }
    }

    /// Waits until the session can't go on.
    pub(super) async fn until_fault(&self) -> Problem {
        loop {
            if let Some(problem) = self.fault() {
                return problem;
            }
            self.failed.notified().await;
        }
    }

    /// Refuses a request in the server's name, as a server does that doesn't know the method.
    pub(super) fn refuse(&self, id: i64) -> ServerJsonRpcMessage {
        let mut state = self.state();
        state.requests.insert(id, Request::Abandoned);
        drop(state);
        error_stand_in(id, METHOD_NOT_FOUND, None)
    }

    /// Whether a body is an error answer that only a server of the newer era gives (2026-07-28, Versioning).
    pub(super) fn is_modern_refusal(&self, body: &[u8]) -> bool {
        matches!(Frame::read(body), Frame::Answer { payload: Payload::Error { code: -32022..=-32020, .. }, .. })
    }

    pub(super) fn fault(&self) -> Option<Problem> {
        self.state().fault.clone()
    }

    /// The text of the result of that request.
    pub(super) fn take_result(&self, id: &RequestId) -> Option<String> {
        let RequestId::Number(id) = id else { return None };
        self.state().results.remove(id)
    }

    /// The error that the server answered that request with.
    pub(super) fn refusal(&self, id: &RequestId) -> Option<Refusal> {
        let RequestId::Number(id) = id else { return None };
        self.state().refusals.get(id).cloned()
    }

    /// The result that opened the session, and whether it came from `initialize`.
    pub(super) fn take_opening(&self) -> Option<(Opening, String)> {
        let mut state = self.state();
        let found = state.requests.iter().rev().find_map(|(id, request)| match request {
            Request::Answered { method: INITIALIZE, .. } => Some((*id, Opening::Initialize)),
            Request::Answered { method: DISCOVER, .. } => Some((*id, Opening::Discover)),
            _ => None,
        });
        let (id, opening) = found?;
        state.results.remove(&id).map(|raw| (opening, raw))
    }

    /// The last error that the server gave to the opening requests.
    pub(super) fn opening_refusal(&self) -> Option<Refusal> {
        let state = self.state();
        // A refused probe says nothing of the handshake that followed it.
        let (last, _) = state.requests.iter().next_back()?;
        state.refusals.get(last).cloned()
    }

    /// The versions that the server named when it was asked with `server/discover`.
    pub(super) fn supported(&self) -> Option<Vec<String>> {
        self.state().supported.clone()
    }

    /// Begins a listing: its bytes are counted anew, and a change of these lists from now on is news.
    pub(super) fn begin_listing(&self, lists: &[List]) {
        let mut state = self.state();
        state.lists = lists.to_vec();
        state.listing_bytes = 0;
        state.streamed_bytes = 0;
        state.resumed = 0;
        state.list_changed = false;
    }

    /// Whether the server said that its list has changed since the listing began.
    pub(super) fn list_changed(&self) -> bool {
        self.state().list_changed
    }

    /// Waits until the server says once more that its list has changed.
    pub(super) async fn until_announced(&self) {
        self.changed.notified().await;
    }

    /// The methods of requests that were answered twice with different bytes.
    pub(super) fn ambiguous(&self) -> Vec<&'static str> {
        self.state().ambiguous.clone()
    }

    pub(super) fn odd_traffic(&self) -> OddTraffic {
        self.state().odd.clone()
    }
}

impl State {
    /// Notes that a request was answered twice with different bytes.
    fn ambiguous(&mut self, method: &'static str) {
        if !self.ambiguous.contains(&method) {
            self.ambiguous.push(method);
        }
    }

    /// The request that is under way.
    fn waiting(&self) -> Option<i64> {
        self.requests.iter().rev().find_map(|(id, request)| matches!(request, Request::Waiting { .. }).then_some(*id))
    }
}

/// Which of the two handshakes opened a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opening {
    Initialize,
    Discover,
}

/// JSON-RPC 2.0, section 5.1.
pub(super) const METHOD_NOT_FOUND: i64 = -32601;

/// How often the streams of one listing may break and be resumed.
const MOST_RESUMED: usize = 10;

pub(super) const INITIALIZE: &str = "initialize";
pub(super) const DISCOVER: &str = "server/discover";
pub(super) const RESOURCES_READ: &str = "resources/read";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::Client;

    /// A tap whose request 1, for the list, waits for its answer.
    pub(super) fn waiting() -> Tap {
        let tap = Tap::new(Limits::default(), Protected::default(), Face::of(&Client::default()));
        let request = serde_json::json!({ "jsonrpc": "2.0", "id": 1, "method": TOOLS.method });
        tap.outgoing(&serde_json::from_value(request).expect("a request")).expect("encoded");
        tap
    }

    #[test]
    fn no_answer_on_the_standing_stream_is_believed_in_whatever_form() {
        // Found with the fuzz targets: a batch was taken apart as if it were an answer's own, and an error without an id too.
        for message in [
            r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}"#,
            r#"[{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}]"#,
            r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}}"#,
            r#"[{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}]"#,
        ] {
            let tap = waiting();
            assert!(tap.aside(message.as_bytes()).is_empty(), "{message}");
            assert!(!tap.is_answered(1) && tap.fault().is_none(), "{message}");
        }
    }

    #[test]
    fn a_batch_on_the_standing_stream_is_compared_with_the_real_answer() {
        let tap = waiting();
        tap.aside(br#"[{"jsonrpc":"2.0","id":1,"result":{"tools":[1]}}]"#);
        assert_eq!(tap.incoming(br#"{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}"#).len(), 1);
        assert_eq!(tap.ambiguous(), [TOOLS.method]);
    }
}
