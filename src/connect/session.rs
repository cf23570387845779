//! One session with one server: opened, listed, closed.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{ClientConfig, ClientRequest, ListToolsRequest, PaginatedRequestParams, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, PeerRequestOptions, RunningService, serve_client_with_lifecycle};
use rmcp::{ClientHandler, RoleClient};
use tokio::time::{Instant, timeout, timeout_at};

use super::http::Http;
use super::limits::{Limits, seconds};
use super::process::ServerProcess;
use super::stdio::{Ended, Stdio};
use super::tap::{METHOD_NOT_FOUND, OddTraffic, Opening, Tap};
use super::{Again, Failure, Offer, Target, client, environment};
use crate::json::{self, Kind as JsonKind, Reader, Value};
use crate::launch::Transport;
use crate::problem::Problem;
use crate::surface::{About, Item, Kind, Surface};
use crate::text;

/// How long a server that has stopped answering may take to end, before we say only that it stopped answering.
const ENDING: Duration = Duration::from_millis(500);
/// The most levels of a page: those of an item, and those around it.
const MAX_PAGE_DEPTH: usize = json::MAX_DEPTH + 4;

/// A session that is open.
pub(super) struct Session<'a> {
    target: &'a Target,
    tap: Arc<Tap>,
    service: RunningService<RoleClient, Appearance>,
    channel: Channel,
    protocol: String,
    about: About,
    deadline: Instant,
}

/// What lies under a session.
enum Channel {
    Stdio(Stdio),
    Http,
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

/// rmcp's handler: it only says who we are, for the tap answers everything else.
struct Appearance(ClientConfig);

impl ClientHandler for Appearance {
    fn get_info(&self) -> ClientConfig {
        self.0.clone()
    }
}

impl<'a> Session<'a> {
    /// Starts or contacts the server and shakes hands.
    pub(super) async fn open(target: &'a Target, offer: &Offer, deadline: Instant) -> Result<Self, Failure> {
        let tap = Arc::new(Tap::new(target.limits));
        match &target.launch.transport {
            Transport::Stdio { .. } => Self::open_stdio(target, tap, offer, deadline).await,
            Transport::Http { url, headers } => {
                let http = Http::new(url, headers, target, Arc::clone(&tap)).map_err(Failure::new)?;
                let opening = shake_hands(target, offer, http.transport());
                let outcome = bounded(target, &tap, deadline, target.limits.start, "--start-timeout", opening).await;
                match outcome {
                    Ok(Ok(service)) => Self::opened(target, tap, service, Channel::Http, deadline).await,
                    Ok(Err(error)) => Err(opening_failure(target, &tap, offer, &error, None)),
                    Err(problem) => Err(Failure::new(tap.fault().unwrap_or(problem))),
                }
            }
        }
    }

    async fn open_stdio(target: &'a Target, tap: Arc<Tap>, offer: &Offer, deadline: Instant) -> Result<Self, Failure> {
        let (process, pipes) = start(target).map_err(Failure::new)?;
        let (mut stdio, transport) = Stdio::new(process, pipes, Arc::clone(&tap), target.limits.message);
        let opening = shake_hands(target, offer, transport);
        match bounded(target, &tap, deadline, target.limits.start, "--start-timeout", opening).await {
            Ok(Ok(service)) => Self::opened(target, tap, service, Channel::Stdio(stdio), deadline).await,
            Ok(Err(error)) => {
                stdio.ended_within(ENDING).await;
                let ended = stdio.close().await;
                Err(opening_failure(target, &tap, offer, &error, Some(&ended)))
            }
            Err(problem) => {
                let ended = stdio.close().await;
                let mut problem = tap.fault().unwrap_or(problem);
                add_stderr(target, &mut problem, &ended.stderr);
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

    /// Reads the whole listing, every page.
    pub(super) async fn list(&mut self) -> Result<Surface, Failure> {
        self.tap.begin_listing();
        let items = self.read_pages().await?;
        Ok(Surface::new(self.protocol.clone(), self.about.clone(), items))
    }

    async fn read_pages(&mut self) -> Result<Vec<Item>, Failure> {
        let mut items = Vec::new();
        let mut cursors: Vec<String> = Vec::new();
        let mut previous: Option<String> = None;
        loop {
            let number = cursors.len() + 1;
            let cursor = cursors.last().cloned();
            let raw = match self.page(cursor.clone(), number).await {
                Ok(raw) => raw,
                Err(PageError::NoTools) => return Ok(Vec::new()),
                Err(PageError::Failed(problem)) => return Err(Failure::new(problem)),
                Err(PageError::SessionLost(problem)) => return Err(Failure { problem, again: Again::Fresh }),
            };
            // Older servers mean the end by an empty cursor: then the page that it leads to is the one before it again.
            if cursor.as_deref() == Some("") && previous.as_deref() == Some(raw.as_str()) {
                return Ok(items);
            }
            let page = Page::read(&raw).map_err(|cause| {
                Failure::new(Problem::new(
                    format!("listing tools, page {number}"),
                    format!("the server's list can't be used: {cause}"),
                    "report this to the server's author; nothing was taken for removed",
                ))
            })?;
            items.extend(page.items);
            let Some(next) = page.next else { return Ok(items) };
            if cursors.contains(&next) || cursors.len() + 1 >= Limits::PAGES {
                let cause = if cursors.contains(&next) {
                    format!("the listing does not end: page {number} leads back to an earlier one")
                } else {
                    format!("the listing does not end: it has more than {} pages", Limits::PAGES)
                };
                return Err(Failure::new(Problem::new("listing tools", cause, "report this to the server's author")));
            }
            cursors.push(next);
            previous = Some(raw);
        }
    }

    /// The text of one page's result.
    async fn page(&mut self, cursor: Option<String>, number: usize) -> Result<String, PageError> {
        let step = format!("listing tools, page {number}");
        let params = cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
        let request = ListToolsRequest { params, ..ListToolsRequest::default() };
        let peer = self.service.peer().clone();
        let asking = async {
            let handle = peer
                .send_request_with_option(ClientRequest::ListToolsRequest(request), PeerRequestOptions::no_options())
                .await?;
            let id = handle.id.clone();
            Ok::<_, rmcp::ServiceError>((id, handle.await_response().await))
        };
        let limit = self.target.limits.request;
        let answered = bounded(self.target, &self.tap, self.deadline, limit, "--request-timeout", asking).await;
        if let Some(problem) = self.tap.fault() {
            return Err(if problem.step == super::http::SESSION_LOST {
                PageError::SessionLost(problem)
            } else {
                PageError::Failed(problem)
            });
        }
        let (id, answer) = match answered {
            Ok(Ok(answered)) => answered,
            Ok(Err(error)) => return Err(PageError::Failed(self.broken_off(&step, &error.to_string()).await)),
            Err(problem) => return Err(PageError::Failed(Problem { step, ..problem })),
        };
        if let Some(raw) = self.tap.take_result(&id) {
            return Ok(raw);
        }
        if let Some(refusal) = self.tap.refusal(&id) {
            // A server without tools need not know the method.
            let declares_tools =
                self.about.members.get("capabilities").is_some_and(|capabilities| capabilities.get("tools").is_some());
            if refusal.code == METHOD_NOT_FOUND && !declares_tools && number == 1 {
                return Err(PageError::NoTools);
            }
            return Err(PageError::Failed(Problem::new(
                step,
                format!("the server answered with error {}: {}", refusal.code, excerpt(&refusal.message)),
                "look at the server's own log; nothing was taken for removed",
            )));
        }
        let error = answer.err().map_or_else(|| "no answer".to_owned(), |error| error.to_string());
        Err(PageError::Failed(self.broken_off(&step, &error).await))
    }

    /// Why the connection ended while we waited.
    async fn broken_off(&mut self, step: &str, error: &str) -> Problem {
        let cause = match &mut self.channel {
            Channel::Stdio(stdio) => match stdio.ended_within(ENDING).await {
                Some(status) if self.tap.cut_off() => format!("the server ended in the middle of an answer ({status})"),
                Some(status) => format!("the server ended before it answered ({status})"),
                None => "the server closed its output before it answered".to_owned(),
            },
            Channel::Http => format!("the connection ended before the answer came: {error}"),
        };
        Problem::new(step, cause, "look at the server's own log, or start it by hand")
    }

    /// Waits for the server to settle: until it says that its list has changed, but at most this long.
    pub(super) async fn settle(&self, time: Duration) {
        let _ = timeout(time, self.tap.until_list_changed()).await;
    }

    /// Whether the server has said that its list changed since the last listing began.
    pub(super) fn list_changed(&self) -> bool {
        self.tap.list_changed()
    }

    /// Ends the session in order, listening until the server's output ends.
    pub(super) async fn close(self) -> Closing {
        let Self { service, channel, tap, .. } = self;
        end_service(service).await;
        if let Channel::Stdio(stdio) = channel {
            stdio.close().await;
        }
        Closing { list_changed: tap.list_changed(), ambiguous: tap.ambiguous(), odd: tap.odd_traffic() }
    }

    /// Ends the session after a failure and adds what the server said on its standard error.
    pub(super) async fn fail(self, mut failure: Failure) -> Failure {
        let Self { service, channel, target, .. } = self;
        end_service(service).await;
        if let Channel::Stdio(stdio) = channel {
            let ended = stdio.close().await;
            add_stderr(target, &mut failure.problem, &ended.stderr);
        }
        failure
    }
}

enum PageError {
    /// The server has no tools and doesn't know the method.
    NoTools,
    Failed(Problem),
    /// The server has forgotten our session.
    SessionLost(Problem),
}

async fn end_service(service: RunningService<RoleClient, Appearance>) {
    // Over HTTP this sends DELETE for the session; a server that doesn't answer must not keep us.
    let _ = timeout(Duration::from_secs(2), service.cancel()).await;
}

/// Runs the handshake that the offer asks for.
async fn shake_hands<T, E, A>(
    target: &Target,
    offer: &Offer,
    transport: T,
) -> Result<RunningService<RoleClient, Appearance>, rmcp::service::ClientInitializeError>
where
    T: rmcp::transport::IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let lifecycle = match known(offer) {
        Some(version) if version.has_initialize() => ClientLifecycleMode::Initialize,
        _ => ClientLifecycleMode::Auto {
            preferred_versions: vec![ProtocolVersion::LATEST],
            legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
        },
    };
    let version =
        known(offer).filter(ProtocolVersion::has_initialize).unwrap_or(ProtocolVersion::LATEST_WITH_INITIALIZE);
    let appearance = Appearance(client::client_info(&target.client, version));
    serve_client_with_lifecycle(appearance, transport, lifecycle).await
}

fn known(offer: &Offer) -> Option<ProtocolVersion> {
    let Offer::Version(version) = offer else { return None };
    ProtocolVersion::KNOWN_VERSIONS.iter().find(|known| known.as_str() == version).cloned()
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
                format!("no answer within {}", seconds(limit)),
                format!("start the server by hand to see what it waits for, or allow more time with {flag} SECONDS"),
            )
        }),
        problem = tap.until_fault() => Err(problem),
        Ok(_) = interrupted.wait_for(|&interrupted| interrupted) => {
            Err(Problem::new(step, "interrupted", "run the command again"))
        }
    }
}

/// Starts the server's process.
fn start(target: &Target) -> Result<(ServerProcess, super::process::Pipes), Problem> {
    let Transport::Stdio { command, args, env, cwd } = &target.launch.transport else {
        return Err(Problem::new("starting the server", "it has no command", "check its configuration"));
    };
    let folder = cwd.as_ref().map_or_else(|| target.folder.clone(), |cwd| target.folder.join(cwd));
    let passed: Vec<String> = target.pass_environment.iter().cloned().collect();
    let environment = environment::for_child(|name| std::env::var_os(name), &passed, env);
    // A relative path counts from the configuration's folder, a bare name is looked up in PATH.
    let program = if command.contains(['/', std::path::MAIN_SEPARATOR]) {
        target.folder.join(command).into_os_string()
    } else {
        command.into()
    };
    ServerProcess::start(&program, args, &environment, &folder).map_err(|error| {
        let shown = target.launch.protected.mask(command);
        if !folder.is_dir() {
            let cause = format!("the folder it is to start in doesn't exist: {}", folder.display());
            return Problem::new("starting the server", cause, "create the folder, or correct \"cwd\"");
        }
        let help = match error.kind() {
            std::io::ErrorKind::NotFound => format!("install {shown}, or correct \"command\" in the configuration"),
            std::io::ErrorKind::PermissionDenied => format!("make {shown} executable"),
            _ => format!("try to start {shown} by hand"),
        };
        let cause = match error.kind() {
            std::io::ErrorKind::NotFound => format!("command not found: {shown}"),
            _ => format!("{shown}: {error}"),
        };
        Problem::new("starting the server", cause, help)
    })
}

/// Why the handshake failed, and whether another one may succeed.
fn opening_failure(
    target: &Target,
    tap: &Tap,
    offer: &Offer,
    error: &rmcp::service::ClientInitializeError,
    ended: Option<&Ended>,
) -> Failure {
    use rmcp::service::ClientInitializeError;

    let step = "shaking hands";
    let probing = known(offer).is_none_or(|version| !version.has_initialize());
    let refusal = tap.opening_refusal();
    let supported = tap.supported();
    let mut again = Again::No;
    let mut problem = if let Some(fault) = tap.fault() {
        fault
    } else if let (Some(versions), true) = (&supported, probing) {
        // The server speaks the newer era, but none of its versions is ours: an older one may be.
        let common = ProtocolVersion::KNOWN_VERSIONS
            .iter()
            .rev()
            .find(|known| versions.iter().any(|version| version == known.as_str()));
        if let Some(version) = common {
            again = Again::With(Offer::Version(version.as_str().to_owned()));
        }
        Problem::new(
            step,
            format!("the server speaks only protocol versions that mcp-pin doesn't know: {}", versions.join(", ")),
            "look for a newer version of mcp-pin",
        )
    } else if let Some(refusal) = &refusal {
        Problem::new(
            step,
            format!("the server answered with error {}: {}", refusal.code, excerpt(&refusal.message)),
            "look at the server's own log",
        )
    } else {
        let cause = match (ended.and_then(|ended| ended.status), error) {
            (Some(status), _) => format!("the server ended before it answered ({status})"),
            (None, ClientInitializeError::ConnectionClosed(_)) => {
                "the server closed its output before it answered".to_owned()
            }
            (None, error) => format!("the server's answer can't be used: {error}"),
        };
        Problem::new(step, cause, "start the server by hand to see why")
    };
    // A server that dies of a message it doesn't know gets the older handshake from a new start; one that knows only the
    // newer handshake refuses the older one.
    if again == Again::No && tap.fault().is_none() && supported.is_none() {
        let older = Offer::Version(ProtocolVersion::LATEST_WITH_INITIALIZE.as_str().to_owned());
        match (probing, &refusal, ended) {
            (true, None, Some(_)) => again = Again::With(older),
            (false, Some(_), _) => again = Again::With(Offer::Newest),
            _ => {}
        }
    }
    if let Some(ended) = ended {
        add_stderr(target, &mut problem, &ended.stderr);
        if ended.status.is_some_and(|status| !status.success()) {
            add_withheld_variables(target, &mut problem);
        }
    }
    Failure { problem, again }
}

/// Says which of our variables the server might have missed.
fn add_withheld_variables(target: &Target, problem: &mut Problem) {
    let Transport::Stdio { env, .. } = &target.launch.transport else { return };
    let passed: Vec<String> = target.pass_environment.iter().cloned().collect();
    let environment = environment::for_child(|name| std::env::var_os(name), &passed, env);
    let ours = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let withheld = environment::withheld(ours, &environment);
    if withheld.is_empty() {
        return;
    }
    let shown: Vec<&str> = withheld.iter().take(12).map(String::as_str).collect();
    let more = withheld.len() - shown.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    problem.help = format!(
        "{}; if it needs one of your variables, name it in \"env\" or pass it with --pass-env (not passed: {}{more})",
        problem.help,
        shown.join(", ")
    );
}

fn add_stderr(target: &Target, problem: &mut Problem, stderr: &str) {
    let stderr = target.launch.protected.mask(stderr.trim());
    if !stderr.is_empty() {
        problem.cause = format!("{}\nits standard error ends with:\n{stderr}", problem.cause);
    }
}

/// The beginning of a server's message.
fn excerpt(message: &str) -> String {
    let shortened = text::shorten(message, 500);
    if shortened.cut > 0 { format!("{}…", shortened.text) } else { shortened.text.to_owned() }
}

/// One page of `tools/list` (2025-11-25, Server Features, Tools).
struct Page {
    items: Vec<Item>,
    next: Option<String>,
}

impl Page {
    /// Reads a page's result. What makes it unusable is told with its place.
    fn read(raw: &str) -> Result<Self, String> {
        let mut items = None;
        let mut next = None;
        let mut reader = Reader::new(raw, MAX_PAGE_DEPTH);
        if reader.peek().map_err(|error| error.to_string())? != JsonKind::Object {
            return Err("the result isn't an object".to_owned());
        }
        let mut wrong: Option<String> = None;
        let read = reader.object(|key, reader| {
            match (key, reader.peek()?) {
                ("tools", JsonKind::Array) => {
                    let mut list = Vec::new();
                    reader.array(|index, reader| {
                        match Item::from_raw(Kind::Tool, reader.raw()?) {
                            Ok(item) => list.push(item),
                            Err(error) => {
                                wrong.get_or_insert_with(|| format!("/tools/{index}: {error}"));
                            }
                        }
                        Ok(())
                    })?;
                    items = Some(list);
                }
                ("nextCursor", JsonKind::String) => next = Some(reader.string()?.into_owned()),
                ("nextCursor", JsonKind::Null) => {
                    reader.raw()?;
                }
                ("nextCursor", _) => {
                    reader.raw()?;
                    wrong.get_or_insert_with(|| "/nextCursor isn't a string".to_owned());
                }
                _ => {
                    reader.raw()?;
                }
            }
            Ok(())
        });
        read.and_then(|()| reader.finish()).map_err(|error| error.to_string())?;
        match (wrong, items) {
            (Some(wrong), _) => Err(wrong),
            (None, Some(items)) => Ok(Self { items, next }),
            (None, None) => Err("it has no \"tools\" that is an array".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_keeps_every_member_of_its_items() {
        let page =
            Page::read(r#"{"tools":[{"name":"b","x":1},{"name":"a"}],"nextCursor":"2","_meta":{}}"#).expect("usable");
        assert_eq!(page.items[0].raw(), r#"{"name":"b","x":1}"#);
        assert_eq!(page.items.len(), 2);
        assert_eq!(page.next.as_deref(), Some("2"));
    }

    #[test]
    fn an_unusable_page_is_told_with_its_place() {
        for (raw, expected) in [
            ("[]", "the result isn't an object"),
            ("{}", "it has no \"tools\" that is an array"),
            (r#"{"tools":null}"#, "it has no \"tools\" that is an array"),
            (r#"{"tools":[{"name":"a"},{"title":"b"}]}"#, "/tools/1: expected a \"name\" that is a string"),
            (r#"{"tools":[7]}"#, "/tools/0: expected an object"),
            (r#"{"tools":[],"nextCursor":7}"#, "/nextCursor isn't a string"),
        ] {
            assert_eq!(Page::read(raw).err().as_deref(), Some(expected), "{raw}");
        }
    }

    #[test]
    fn a_null_cursor_is_the_end_and_an_empty_one_is_a_cursor() {
        assert_eq!(Page::read(r#"{"tools":[],"nextCursor":null}"#).expect("usable").next, None);
        assert_eq!(Page::read(r#"{"tools":[],"nextCursor":""}"#).expect("usable").next.as_deref(), Some(""));
    }
}
