//! One session with one server: opened, asked, closed. What is asked is in [`super::listing`].

use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{ClientRequest, ProtocolVersion};
use rmcp::service::{PeerRequestOptions, RunningService};
use tokio::time::{Instant, timeout, timeout_at};

use super::client::Face;
use super::handshake::{self, Appearance};
use super::http::{Http, SESSION_LOST, Streams};
use super::launching;
use super::limits::seconds;
use super::stdio::{Ended, Stdio};
use super::tap::{OddTraffic, Opening, Refusal, Tap};
use super::{Failure, Offer, Target};
use crate::json::{self, Value};
use crate::launch::Transport;
use crate::problem::Problem;
use crate::surface::About;

/// How many times as long as it takes to settle we wait for a server that goes on to announce changes.
const MOST_RESTLESS: u32 = 10;
/// How long a server that has stopped answering may take to end, before we say only that it stopped answering.
const ENDING: Duration = Duration::from_millis(500);

/// A session that is open.
pub(super) struct Session<'a> {
    pub(super) target: &'a Target,
    pub(super) tap: Arc<Tap>,
    service: RunningService<RoleClient, Appearance>,
    channel: Channel,
    pub(super) protocol: String,
    pub(super) about: About,
    deadline: Instant,
}

/// What lies under a session.
enum Channel {
    Stdio(Stdio),
    Http(Arc<Streams>),
}

impl Channel {
    /// See [`Stdio::abandoned`].
    async fn abandoned(&mut self) -> Problem {
        match self {
            Channel::Stdio(stdio) => stdio.abandoned().await,
            Channel::Http(_) => std::future::pending().await,
        }
    }
}

/// What was noticed by the time a session was closed.
#[derive(Debug, Default)]
pub(super) struct Closing {
    /// The server said that its list had changed, and we had no time to read it again.
    pub(super) list_changed: bool,
    /// Methods that were answered twice with different bytes.
    pub(super) ambiguous: Vec<&'static str>,
    /// What was skipped.
    pub(super) odd: OddTraffic,
}

impl Closing {
    /// This closing, with what an earlier session of the same server had noticed beside it.
    pub(super) fn after(mut self, earlier: Self) -> Self {
        self.ambiguous.extend(earlier.ambiguous);
        self.odd =
            OddTraffic { count: earlier.odd.count + self.odd.count, sample: earlier.odd.sample.or(self.odd.sample) };
        self
    }
}

impl<'a> Session<'a> {
    /// Starts or contacts the server and shakes hands.
    pub(super) async fn open(target: &'a Target, offer: &Offer, deadline: Instant) -> Result<Self, Failure> {
        let face = Face::of(&target.client);
        let tap = Arc::new(Tap::new(target.limits, target.launch.protected.clone(), face));
        match &target.launch.transport {
            Transport::Stdio { .. } => Self::open_stdio(target, tap, offer, deadline).await,
            Transport::Saved => Err(Failure::new(Problem::new(
                "starting the server",
                "it was pinned from a saved listing, so there is nothing to start",
                "give its listing with --from FILE",
            ))),
            Transport::Http { url, headers } => {
                let http = Http::new(url, headers, target, offer, Arc::clone(&tap)).map_err(Failure::new)?;
                let opening = handshake::shake_hands(offer, http.transport());
                let outcome = bounded(target, &tap, deadline, target.limits.start, "--start-timeout", opening).await;
                match outcome {
                    Ok(Ok(service)) => {
                        Self::opened(target, tap, service, Channel::Http(http.streams()), deadline).await
                    }
                    Ok(Err(error)) => Err(handshake::failure(target, &tap, offer, &error, None)),
                    Err(problem) => Err(handshake::lost_or_failed(tap.fault().unwrap_or(problem))),
                }
            }
        }
    }

    async fn open_stdio(target: &'a Target, tap: Arc<Tap>, offer: &Offer, deadline: Instant) -> Result<Self, Failure> {
        let (process, pipes) = launching::start(target).map_err(Failure::new)?;
        let protected = target.launch.protected.clone();
        let (mut stdio, transport) = Stdio::new(process, pipes, Arc::clone(&tap), target.limits.message, protected);
        let opening = async {
            tokio::select! {
                opened = handshake::shake_hands(offer, transport) => Ok(opened),
                problem = stdio.abandoned() => Err(problem),
            }
        };
        let outcome = bounded(target, &tap, deadline, target.limits.start, "--start-timeout", opening).await;
        match outcome.and_then(std::convert::identity) {
            Ok(Ok(service)) => Self::opened(target, tap, service, Channel::Stdio(stdio), deadline).await,
            Ok(Err(error)) => {
                // How it ends once we close its input says nothing.
                let status = stdio.ended_within(ENDING).await;
                let ended = Ended { status, ..stdio.close().await };
                Err(handshake::failure(target, &tap, offer, &error, Some(&ended)))
            }
            Err(problem) => {
                let ended = stdio.close().await;
                let mut problem = tap.fault().unwrap_or(problem);
                // It ended because we ended it.
                launching::add_last_words(target, &mut problem, &Ended { status: None, ..ended });
                Err(Failure::new(problem))
            }
        }
    }

    async fn opened(
        target: &'a Target,
        tap: Arc<Tap>,
        service: RunningService<RoleClient, Appearance>,
        channel: Channel,
        deadline: Instant,
    ) -> Result<Self, Failure> {
        let mut session =
            Self { target, tap, service, channel, protocol: String::new(), about: About::default(), deadline };
        match session.read_opening() {
            Ok((protocol, about)) => {
                session.protocol = protocol;
                session.about = about;
                Ok(session)
            }
            Err(problem) => Err(session.fail(Failure::new(problem)).await),
        }
    }

    /// What the server said of itself, and the revision that it agreed on.
    fn read_opening(&self) -> Result<(String, About), Problem> {
        let step = "shaking hands";
        let broken = |cause: String| Problem::new(step, cause, "report this to the server's author");
        let (opening, raw) =
            self.tap.take_opening().ok_or_else(|| broken("the server's answer was lost".to_owned()))?;
        let result =
            json::parse(&raw).map_err(|error| broken(format!("the server's answer can't be used: {error}")))?;
        let Value::Object(members) = &result else {
            return Err(broken("the server's answer isn't an object".to_owned()));
        };
        let protocol = match opening {
            Opening::Initialize => {
                members.get("protocolVersion").and_then(Value::as_str).unwrap_or_default().to_owned()
            }
            Opening::Discover => self
                .service
                .peer()
                .peer_info()
                .map(|info| info.protocol_version.as_str().to_owned())
                .unwrap_or_default(),
        };
        if !ProtocolVersion::KNOWN_VERSIONS.iter().any(|version| version.as_str() == protocol) {
            return Err(Problem::new(
                step,
                format!("the server speaks protocol version \"{protocol}\", which mcp-pin doesn't know"),
                "look for a newer version of mcp-pin, or ask the server's author",
            ));
        }
        Ok((protocol, About::from_answer(members)))
    }

    /// The text of the result that answers a request.
    pub(super) async fn ask(&mut self, request: ClientRequest, step: &str) -> Result<String, NoResult> {
        let peer = self.service.peer().clone();
        let asking = async {
            let handle = peer.send_request_with_option(request, PeerRequestOptions::no_options()).await?;
            let id = handle.id.clone();
            Ok::<_, rmcp::ServiceError>((id, handle.await_response().await))
        };
        let limit = self.target.limits.request;
        let channel = &mut self.channel;
        let asking = async {
            tokio::select! {
                answered = asking => Ok(answered),
                problem = channel.abandoned() => Err(NoResult::Failed(problem)),
                refusal = self.tap.until_disowned() => Err(NoResult::Refused(refusal)),
            }
        };
        let answered = bounded(self.target, &self.tap, self.deadline, limit, "--request-timeout", asking).await;
        if let Some(problem) = self.tap.fault() {
            return Err(if problem.step == SESSION_LOST {
                NoResult::SessionLost(problem)
            } else {
                let cause = format!("{}: {}", problem.step, problem.cause);
                NoResult::Failed(Problem { step: step.to_owned(), cause, ..problem })
            });
        }
        if let Some(refusal) = self.tap.disowned() {
            return Err(NoResult::Refused(refusal));
        }
        let (id, answer) = match answered.unwrap_or_else(|problem| Err(NoResult::Failed(problem))) {
            Ok(Ok(answered)) => answered,
            Ok(Err(error)) => return Err(NoResult::Failed(self.broken_off(step, &error.to_string()).await)),
            Err(NoResult::Failed(problem)) => {
                return Err(NoResult::Failed(Problem { step: step.to_owned(), ..problem }));
            }
            Err(without) => return Err(without),
        };
        if let Some(raw) = self.tap.take_result(&id) {
            return Ok(raw);
        }
        if let Some(refusal) = self.tap.refusal(&id) {
            return Err(NoResult::Refused(refusal));
        }
        let error = answer.err().map_or_else(|| "no answer".to_owned(), |error| error.to_string());
        Err(NoResult::Failed(self.broken_off(step, &error).await))
    }

    /// Why the connection ended while we waited.
    async fn broken_off(&mut self, step: &str, error: &str) -> Problem {
        let cause = match &mut self.channel {
            Channel::Stdio(stdio) => match stdio.ended_within(ENDING).await {
                Some(status) if self.tap.cut_off() => format!("the server ended in the middle of an answer ({status})"),
                Some(status) => format!("the server ended before it answered ({status})"),
                None => "the server closed its output before it answered".to_owned(),
            },
            Channel::Http(_) => format!("the connection ended before the answer came: {error}"),
        };
        Problem::new(step, cause, "look at the server's own log, or start it by hand")
    }

    /// Waits for the server to settle, twice as long for each doubling. One that says that its list has changed is settled
    /// once it has said so no more for that long; there is a limit to that.
    pub(super) async fn settle(&self, doublings: u32) {
        let time = self.target.settle.saturating_mul(2_u32.saturating_pow(doublings));
        let end = self.deadline.min(Instant::now() + time.saturating_mul(MOST_RESTLESS));
        let mut interrupted = self.target.interrupted.clone();
        let quiet = async {
            let mut announced = self.list_changed() || self.is_announced_within(time).await;
            while announced && Instant::now() < end {
                announced = self.is_announced_within(time).await;
            }
        };
        tokio::select! {
            _ = timeout_at(end, quiet) => {}
            Ok(_) = interrupted.wait_for(|&interrupted| interrupted) => {}
        }
    }

    /// Whether the server says nothing of a change for as long as it takes to settle.
    pub(super) async fn is_quiet(&self) -> bool {
        let mut interrupted = self.target.interrupted.clone();
        tokio::select! {
            announced = self.is_announced_within(self.target.settle) => !announced && !self.list_changed(),
            Ok(_) = interrupted.wait_for(|&interrupted| interrupted) => true,
        }
    }

    async fn is_announced_within(&self, time: Duration) -> bool {
        timeout_at(self.deadline.min(Instant::now() + time), self.tap.until_announced()).await.is_ok()
    }

    /// Whether the server has said that its list changed since the last listing began.
    pub(super) fn list_changed(&self) -> bool {
        self.tap.list_changed()
    }

    /// Ends the session in order, listening until the server's output ends.
    pub(super) async fn close(self) -> Closing {
        let Self { service, channel, tap, .. } = self;
        match channel {
            Channel::Stdio(stdio) => {
                end_service(service).await;
                stdio.close().await;
            }
            Channel::Http(streams) => {
                streams.close().await;
                end_service(service).await;
            }
        }
        Closing { list_changed: tap.list_changed(), ambiguous: tap.ambiguous(), odd: tap.odd_traffic() }
    }

    /// Ends the session after a failure and adds what the server said on its standard error.
    pub(super) async fn fail(self, mut failure: Failure) -> Failure {
        let Self { service, channel, target, .. } = self;
        end_service(service).await;
        if let Channel::Stdio(stdio) = channel {
            let ended = stdio.close().await;
            launching::add_last_words(target, &mut failure.problem, &Ended { status: None, ..ended });
        }
        failure
    }
}

/// Why a request has no result.
pub(super) enum NoResult {
    /// The server answered with an error.
    Refused(Refusal),
    Failed(Problem),
    /// The server has forgotten our session.
    SessionLost(Problem),
}

async fn end_service(service: RunningService<RoleClient, Appearance>) {
    // Over HTTP this sends DELETE for the session; a server that doesn't answer must not keep us.
    let _ = timeout(Duration::from_secs(2), service.cancel()).await;
}

/// Waits for `work` within three clocks, this step's, the server's and the user's patience, and no longer than the
/// session can go on.
async fn bounded<T>(
    target: &Target,
    tap: &Tap,
    deadline: Instant,
    limit: Duration,
    flag: &str,
    work: impl Future<Output = T>,
) -> Result<T, Problem> {
    let mut interrupted = target.interrupted.clone();
    let step_deadline = Instant::now() + limit;
    let step = if flag == "--start-timeout" { "starting the server" } else { "waiting for the server" };
    tokio::select! {
        outcome = timeout_at(step_deadline.min(deadline), work) => outcome.map_err(|_| {
            let (limit, flag) = if step_deadline <= deadline {
                (limit, flag)
            } else {
                (target.limits.server, "--server-timeout")
            };
            Problem::new(
                step,
                format!("no answer within {}{}", seconds(limit), skipped(&tap.skipped())),
                format!("start the server by hand to see what it waits for, or allow more time with {flag} SECONDS"),
            )
        }),
        problem = tap.until_fault() => Err(problem),
        Ok(_) = interrupted.wait_for(|&interrupted| interrupted) => {
            Err(Problem::new(step, "interrupted", "run the command again"))
        }
    }
}

/// What was skipped while an answer was waited for, as a part of a cause.
fn skipped(odd: &OddTraffic) -> String {
    let Some(sample) = &odd.sample else { return String::new() };
    match odd.count {
        1 => format!("; 1 message was skipped, for it is none of the protocol; it begins: {sample}"),
        count => {
            format!("; {count} messages were skipped, for they are none of the protocol; the first begins: {sample}")
        }
    }
}
