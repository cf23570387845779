//! A server over Streamable HTTP (2025-11-25, Transports), with its answers sent through the tap.
//!
//! rmcp's worker runs sessions and resumes streams; this is the client that it sends through. It adds the configured
//! headers, follows redirects to the same origin only, tries again where a server asks for patience, and bounds what is
//! read. It never opens a browser and never asks for anything.

mod address;
mod content;
mod redirect;
mod refusal;
mod sending;
mod streams;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use futures::stream::BoxStream;
use http::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use reqwest::{Response, Url};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, RequestId};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::common::client_side_sse::SseRetryPolicy;
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError,
    StreamableHttpPostResponse,
};
use sse_stream::Sse;
use tokio::time::timeout;

use super::frames::{self, without_byte_order_mark};
use super::limits::{Limits, bytes};
use super::tap::{Effect, Tap};
use super::{Offer, Target, client};
use crate::launch::Protected;
use crate::problem::Problem;

use content::{is_identity, media_type, written_media_type};
use sending::causes;
pub(super) use streams::{Replier, StreamKind, Streams};

/// The step of a problem that a new session may cure.
pub(super) const SESSION_LOST: &str = "keeping the session";
/// How long a server may be silent when it is asked with `server/discover`; a little less than rmcp would wait.
const PROBE: Duration = Duration::from_secs(8);

const EVENT_STREAM: &str = "text/event-stream";
const JSON: &str = "application/json";
const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// The endpoint of one server.
pub(super) struct Http {
    endpoint: Endpoint,
    url: Url,
}

/// What rmcp sends through. Cheap to clone.
#[derive(Clone)]
pub(super) struct Endpoint {
    client: reqwest::Client,
    headers: HeaderMap,
    /// The configured headers, as the configuration spells them.
    header_names: String,
    tap: Arc<Tap>,
    limits: Limits,
    /// How long `server/discover` may be silent before the older handshake is tried.
    probe: Duration,
    protected: Protected,
    streams: Arc<Streams>,
}

/// The request could not be sent or its answer not be used; the tap knows why.
#[derive(Debug, thiserror::Error)]
#[error("the tap knows why")]
pub(super) struct Failed;

type HttpResult<T> = Result<T, StreamableHttpError<Failed>>;

/// How broken streams are resumed: soon, and not for ever.
#[derive(Debug)]
struct Resume;

impl SseRetryPolicy for Resume {
    fn retry(&self, times: usize) -> Option<Duration> {
        const DELAYS: [u64; 5] = [50, 200, 500, 1_000, 2_000];
        DELAYS.get(times).map(|&milliseconds| Duration::from_millis(milliseconds))
    }
}

impl Http {
    /// An endpoint for a URL and headers with their variables filled in.
    pub(super) fn new(
        url: &str,
        headers: &BTreeMap<String, String>,
        target: &Target,
        offer: &Offer,
        tap: Arc<Tap>,
    ) -> Result<Self, Problem> {
        let step = "preparing the connection";
        let url = address::of_server(url)
            .map_err(|cause| Problem::new(step, cause, "correct the address in the configuration"))?;
        let mut all = HeaderMap::new();
        if let Ok(agent) = HeaderValue::from_str(&client::agent(&target.client)) {
            all.insert(USER_AGENT, agent);
        }
        for (name, value) in headers {
            let parsed = HeaderName::try_from(name.as_str()).ok().zip(HeaderValue::try_from(value.as_str()).ok());
            let (name, mut value) = parsed.ok_or_else(|| {
                let cause = format!("header \"{name}\" has a name or a value that HTTP doesn't allow");
                Problem::new(step, cause, "correct the header, or the variable that it names")
            })?;
            value.set_sensitive(true);
            all.insert(name, value);
        }
        // Only a process that talks HTTP pays for a TLS stack; a second install of the same provider is refused, and
        // that is fine.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .pool_max_idle_per_host(0)
            .connect_timeout(target.limits.request)
            .build()
            .map_err(|error| Problem::new(step, causes(&error), "check the certificates of this system"))?;
        let protected = target.launch.protected.clone();
        let streams = Arc::default();
        let header_names = headers.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        let limits = target.limits;
        // Where nothing is guessed there is no hurry.
        let probe = if *offer == Offer::Newest { PROBE } else { limits.start };
        let endpoint = Endpoint { client, headers: all, header_names, tap, limits, probe, protected, streams };
        Ok(Self { endpoint, url })
    }

    /// The session's event streams.
    pub(super) fn streams(&self) -> Arc<Streams> {
        Arc::clone(&self.endpoint.streams)
    }

    /// What rmcp talks to.
    pub(super) fn transport(&self) -> StreamableHttpClientTransport<Endpoint> {
        let mut config = StreamableHttpClientTransportConfig::with_uri(self.url.as_str());
        config.retry_config = Arc::new(Resume);
        config.allow_stateless = true;
        // A lost session is a new start of ours, so that no listing mixes the pages of two sessions.
        config.reinit_on_expired_session = false;
        StreamableHttpClientTransport::with_client(self.endpoint.clone(), config)
    }
}

impl Endpoint {
    fn failed<T>(&self, problem: Problem) -> HttpResult<T> {
        self.tap.fail(problem);
        Err(StreamableHttpError::Client(Failed))
    }

    /// The headers of a request: the protocol's, then the configured ones.
    fn request_headers(
        &self,
        accept: &'static str,
        session: Option<&str>,
        protocol: HashMap<HeaderName, HeaderValue>,
    ) -> HeaderMap {
        let mut headers: HeaderMap = protocol.into_iter().collect();
        headers.extend(self.headers.clone());
        headers.insert(ACCEPT, HeaderValue::from_static(accept));
        if let Some(session) = session.and_then(|session| HeaderValue::from_str(session).ok()) {
            headers.insert(SESSION_ID, session);
        }
        headers
    }

    async fn post(
        &self,
        url: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        protocol: HashMap<HeaderName, HeaderValue>,
    ) -> HttpResult<StreamableHttpPostResponse> {
        let body = self.tap.outgoing(&message)?;
        let asked = Asked::of(&message);
        let mut headers =
            self.request_headers("application/json, text/event-stream", session.as_deref(), protocol.clone());
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
        let sending = self.send(&Method::POST, &url, headers, Some(body));
        let response = match asked {
            Asked::Discover(id) => match timeout(self.probe, sending).await {
                Ok(sent) => sent,
                // Silence means that the server is older; the handshake goes on as if it had said so.
                Err(_) => return Ok(self.refused(id)),
            },
            _ => sending.await,
        };
        let response = match response {
            Ok(response) => response,
            Err(problem) => return self.failed(problem),
        };
        if !response.status().is_success() {
            return self.unsuccessful(&asked, session.is_some(), response).await;
        }
        let Some(id) = asked.id() else {
            // Nothing is awaited, so whatever a server says to it is read by nobody.
            return Ok(StreamableHttpPostResponse::Accepted);
        };
        let status = response.status();
        let kind = media_type(&response);
        // As it was written: in other letters a protected value in it would not be found.
        let shown_type = written_media_type(&response).map(str::to_owned);
        let without_answer = || match asked {
            // An older server may say so that it doesn't know the question.
            Asked::Discover(id) => Ok(self.refused(id)),
            _ if self.tap.is_answered(id) => Ok(StreamableHttpPostResponse::Accepted),
            _ => self.failed(Problem::new(
                "reading the server's answer",
                format!("the server answered HTTP {status} without an answer to the request"),
                "make sure that the address is that of an MCP server",
            )),
        };
        let has_body = matches!(kind.as_deref(), Some(EVENT_STREAM | JSON));
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) && !has_body {
            return without_answer();
        }
        let header = response.headers().get(SESSION_ID).and_then(|value| value.to_str().ok());
        let new_session = header.map(str::to_owned);
        let current = new_session.as_deref().map(Arc::from).or(session);
        if let Some(encoding) = response.headers().get(CONTENT_ENCODING).filter(|encoding| !is_identity(encoding)) {
            return self.failed(Problem::new(
                "reading the server's answer",
                format!("it is compressed ({}), which was not asked for", String::from_utf8_lossy(encoding.as_bytes())),
                "turn compression off for this server, or in the proxy before it",
            ));
        }
        let replier = Replier { endpoint: self.clone(), url, session: current, protocol };
        match kind.as_deref() {
            Some(EVENT_STREAM) => {
                let events = replier.events(response, StreamKind::OfAnswer);
                if let Asked::Discover(id) = asked
                    && timeout(self.probe, self.tap.until_answered(id)).await.is_err()
                {
                    return Ok(self.refused(id));
                }
                Ok(StreamableHttpPostResponse::Sse(events, new_session))
            }
            Some(JSON) => {
                let body = self.body(response).await.or_else(|problem| self.failed(problem))?;
                if body.trim_ascii().is_empty() {
                    return without_answer();
                }
                let mut answer = None;
                for effect in self.tap.incoming(&body) {
                    match effect {
                        Effect::Forward(message) => answer = Some(*message),
                        Effect::Reply(reply) => replier.reply(reply),
                    }
                }
                match answer {
                    Some(message) => Ok(StreamableHttpPostResponse::Json(message, new_session)),
                    // The answer came by another way before; the tap has compared the two.
                    None if self.tap.is_answered(id) => Ok(StreamableHttpPostResponse::Accepted),
                    None => self.failed(Problem::new(
                        "reading the server's answer",
                        match frames::flaw(&body) {
                            Some(error) => format!("the server's answer can't be used: {error}"),
                            None => format!("the body is JSON but no answer to request {id}"),
                        },
                        "make sure that the address is that of an MCP server",
                    )),
                }
            }
            _ => {
                let kind = shown_type.unwrap_or_else(|| "something without a content type".to_owned());
                self.failed(Problem::new(
                    "reading the server's answer",
                    format!("the server sent {kind} instead of JSON or an event stream"),
                    "make sure that the address is that of an MCP server and not of a web page or a login",
                ))
            }
        }
    }

    /// An answer as if the server had said that it doesn't know `server/discover`.
    fn refused(&self, id: i64) -> StreamableHttpPostResponse {
        StreamableHttpPostResponse::Json(self.tap.refuse(id), None)
    }

    /// A whole body within the limit, without a byte order mark.
    async fn body(&self, response: Response) -> Result<Vec<u8>, Problem> {
        let mut body = Vec::new();
        let mut chunks = response.bytes_stream();
        while let Some(chunk) = chunks.next().await {
            let chunk = chunk.map_err(|error| {
                let cause = format!("the answer broke off: {}", causes(&error.without_url()));
                Problem::new("reading the server's answer", cause, "try again")
            })?;
            if body.len() + chunk.len() > self.limits.message {
                return Err(too_large("the body", self.limits.message, "--max-message"));
            }
            body.extend_from_slice(&chunk);
        }
        without_byte_order_mark(&mut body);
        Ok(body)
    }
}

/// A problem of something that exceeds a limit, which the flag raises.
pub(super) fn too_large(what: &str, limit: usize, flag: &str) -> Problem {
    Problem::new(
        "reading the server's answer",
        format!("{what} is larger than {}", bytes(limit)),
        format!("raise the limit with {flag} if the server is meant to send so much"),
    )
}

/// What a message wants to know.
enum Asked {
    Discover(i64),
    Request(i64),
    Nothing,
}

impl Asked {
    fn of(message: &ClientJsonRpcMessage) -> Self {
        let ClientJsonRpcMessage::Request(request) = message else { return Asked::Nothing };
        let RequestId::Number(id) = request.id else { return Asked::Nothing };
        match request.request {
            ClientRequest::DiscoverRequest(_) => Asked::Discover(id),
            _ => Asked::Request(id),
        }
    }

    fn id(&self) -> Option<i64> {
        match self {
            Asked::Discover(id) | Asked::Request(id) => Some(*id),
            Asked::Nothing => None,
        }
    }
}

impl StreamableHttpClient for Endpoint {
    type Error = Failed;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        _auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> HttpResult<StreamableHttpPostResponse> {
        self.post(uri, message, session_id, custom_headers).await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        _auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> HttpResult<()> {
        let headers = self.request_headers("application/json", Some(&session_id), custom_headers);
        // The session ends with or without the server's consent.
        let _ = timeout(Duration::from_secs(1), self.send(&Method::DELETE, &uri, headers, None)).await;
        Ok(())
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        _auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> HttpResult<BoxStream<'static, Result<Sse, SseError>>> {
        let resumes = last_event_id.is_some();
        let mut headers = self.request_headers(EVENT_STREAM, session_id.as_deref(), custom_headers.clone());
        if let Some(id) = last_event_id.and_then(|id| HeaderValue::from_str(&id).ok()) {
            self.tap.resuming();
            headers.insert(LAST_EVENT_ID, id);
        }
        // A check can do without this stream, so whatever goes wrong with it is no fault.
        let unsupported = || StreamableHttpError::ServerDoesNotSupportSse;
        let opening = self.streams.opening();
        let response = self.send(&Method::GET, &uri, headers, None).await.map_err(|_| unsupported())?;
        drop(opening);
        if response.status() != StatusCode::OK || media_type(&response).as_deref() != Some(EVENT_STREAM) {
            return Err(unsupported());
        }
        let replier = Replier { endpoint: self.clone(), url: uri, session: session_id, protocol: custom_headers };
        let stream = if resumes { StreamKind::OfAnswer } else { StreamKind::Standing };
        Ok(replier.events(response, stream))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_resumed_a_few_times_only() {
        assert!(Resume.retry(0).is_some());
        assert_eq!(Resume.retry(5), None);
    }
}
