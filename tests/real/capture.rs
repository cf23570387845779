//! What a real server lists, read without any code of this project's: the oracle of the tests beside this file.
//!
//! A plain blocking client, of the standard library and `serde_json` only. It is as simple as real, well-behaved servers
//! allow: trees instead of raw text, no limits but time, one connection for each HTTP request, no event stream of the
//! server's own. It shares nothing with mcp-pin, so both being wrong in the same way is unlikely.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde_json::{Value, json};

mod http;

/// For a whole capture: start, handshake and every page.
const TIME_LIMIT: Duration = Duration::from_secs(90);
/// Between two listings of a session. A listing counts when the one after this pause agrees. The pause also lets
/// server-everything ask for the roots (350 ms after `initialized`): it lingers for a minute when it can't.
const SETTLE: Duration = Duration::from_millis(500);
/// Listings read before a server counts as one that never settles.
const MOST_LISTINGS: usize = 5;
/// For a server to leave by itself once its input has ended.
const GRACE: Duration = Duration::from_secs(2);
/// Characters of a server's own error output that are shown when it fails.
const SHOWN_STDERR: usize = 2000;

/// The code of an error that says that a method is unknown (JSON-RPC 2.0, Error object).
const METHOD_NOT_FOUND: i64 = -32601;
/// The places in a tool's `_meta` that may name a user interface.
const INTERFACE_PLACES: [&str; 3] = ["/ui/resourceUri", "/ui~1resourceUri", "/openai~1outputTemplate"];

/// The client that a server sees; some list more tools to one that can do more. It has no roots, and declines whatever
/// else a server asks of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Client {
    /// `clientInfo`, as JSON.
    pub(crate) info: &'static str,
    /// `capabilities`, as JSON.
    pub(crate) capabilities: &'static str,
    /// The protocol version that it offers.
    pub(crate) protocol: &'static str,
}

impl Client {
    /// Declares no capability.
    pub(crate) const PLAIN: Self =
        Self { info: r#"{"name":"raw-capture","version":"1"}"#, capabilities: "{}", protocol: "2025-11-25" };
    /// Declares roots, sampling and elicitation.
    pub(crate) const FULL: Self =
        Self { capabilities: r#"{"roots":{},"sampling":{},"elicitation":{}}"#, ..Self::PLAIN };
}

/// A kind of thing that a server lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Tool,
    Prompt,
    Resource,
    Template,
    /// A resource that a tool names as its user interface. Listed nowhere, but read.
    Interface,
}

/// The kinds that have a list each: the method, the member of a page, the member by which clients ask for an entry, and
/// the capability of a server that has such a list.
const LISTS: [(Kind, &str, &str, &str, &str); 4] = [
    (Kind::Tool, "tools/list", "tools", "name", "tools"),
    (Kind::Prompt, "prompts/list", "prompts", "name", "prompts"),
    (Kind::Resource, "resources/list", "resources", "uri", "resources"),
    (Kind::Template, "resources/templates/list", "resourceTemplates", "uriTemplate", "resources"),
];

/// Whole objects as they were sent, by what clients ask for them by.
pub(crate) type Listing = BTreeMap<String, Value>;

/// What a server said.
#[derive(Debug, PartialEq)]
pub(crate) struct Capture {
    /// The protocol version that the server chose.
    pub(crate) protocol: String,
    /// Its instructions, where it gives any.
    pub(crate) instructions: Option<String>,
    /// What it declares.
    pub(crate) capabilities: Value,
    /// Every entry of every page of every list that it declares, and the answer to `resources/read` for each user
    /// interface. A kind of which there is nothing is absent.
    pub(crate) items: BTreeMap<Kind, Listing>,
}

impl Capture {
    /// All of a kind.
    pub(crate) fn of(&self, kind: Kind) -> &Listing {
        static NOTHING: Listing = Listing::new();
        self.items.get(&kind).unwrap_or(&NOTHING)
    }

    /// All tools.
    pub(crate) fn tools(&self) -> &Listing {
        self.of(Kind::Tool)
    }
}

/// Starts a server and reads it over stdio. It sees `PATH`, `HOME`, the variables that mcp-pin fixes, and `env`, the
/// last winning. The process is gone when this returns.
pub(crate) fn capture_stdio(
    command: &Path,
    args: &[String],
    env: &[(String, String)],
    cwd: &Path,
    client: Client,
) -> Result<Capture> {
    let mut server = Pipes::start(command, args, env, cwd)?;
    let capture = Session::new(&mut server, client).capture();
    server.stop();
    capture.with_context(|| format!("{} {}\n{}", command.display(), args.join(" "), server.stderr_tail()))
}

/// Reads a running server over Streamable HTTP; `url` is `http://host:port/path`.
pub(crate) fn capture_http(url: &str, client: Client) -> Result<Capture> {
    let mut server = http::Http::new(url)?;
    let capture = Session::new(&mut server, client).capture();
    server.end_session();
    capture.with_context(|| url.to_owned())
}

/// A way to exchange messages with a server.
trait Transport {
    /// Sends one message.
    fn send(&mut self, message: &Value, deadline: Instant) -> Result<()>;

    /// The server's next message, or `None` when there was none until then.
    fn receive(&mut self, until: Instant) -> Result<Option<Value>>;
}

/// One session: the protocol, whatever carries it.
struct Session<'a, T> {
    transport: &'a mut T,
    client: Client,
    deadline: Instant,
    last_id: u64,
}

impl<'a, T: Transport> Session<'a, T> {
    fn new(transport: &'a mut T, client: Client) -> Self {
        Self { transport, client, deadline: Instant::now() + TIME_LIMIT, last_id: 0 }
    }

    fn capture(mut self) -> Result<Capture> {
        let about = self.request(
            "initialize",
            json!({
                "protocolVersion": self.client.protocol,
                "capabilities": serde_json::from_str::<Value>(self.client.capabilities)?,
                "clientInfo": serde_json::from_str::<Value>(self.client.info)?,
            }),
        )?;
        let protocol = about["protocolVersion"].as_str().context("no protocolVersion")?.to_owned();
        let instructions = about["instructions"].as_str().map(str::to_owned);
        let capabilities = about["capabilities"].clone();
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        let items = self.settled_items(&capabilities)?;
        Ok(Capture { protocol, instructions, capabilities, items })
    }

    /// The first items that are the same after a pause.
    fn settled_items(&mut self, capabilities: &Value) -> Result<BTreeMap<Kind, Listing>> {
        let mut items = self.items(capabilities)?;
        for _ in 1..MOST_LISTINGS {
            self.pause(SETTLE)?;
            let again = self.items(capabilities)?;
            if again == items {
                return Ok(items);
            }
            items = again;
        }
        bail!("no two of {MOST_LISTINGS} listings in a row agree")
    }

    /// Every list that is declared, and the user interfaces.
    fn items(&mut self, capabilities: &Value) -> Result<BTreeMap<Kind, Listing>> {
        let mut items = BTreeMap::new();
        for (kind, method, member, identity, capability) in LISTS {
            if capabilities.get(capability).is_some() {
                items.insert(kind, self.listing(method, member, identity)?);
            }
        }
        let tools = items.get(&Kind::Tool).into_iter().flat_map(Listing::values);
        let named = tools.flat_map(|tool| INTERFACE_PLACES.map(|place| tool["_meta"].pointer(place)));
        let named = named.flatten().filter_map(Value::as_str).filter(|uri| uri.starts_with("ui://"));
        let mut interfaces = Listing::new();
        for uri in named.map(str::to_owned).collect::<BTreeSet<_>>() {
            interfaces.insert(uri.clone(), self.request("resources/read", json!({ "uri": uri }))?);
        }
        items.insert(Kind::Interface, interfaces);
        items.retain(|_, listing| !listing.is_empty());
        Ok(items)
    }

    /// All pages. Some servers declare a list and don't know the request for it: then it has nothing.
    fn listing(&mut self, method: &str, member: &str, identity: &str) -> Result<Listing> {
        let mut listing = Listing::new();
        let mut cursors = BTreeSet::new();
        let mut params = json!({});
        loop {
            let answer = self.exchange(method, params)?;
            if answer["error"]["code"] == METHOD_NOT_FOUND && cursors.is_empty() {
                return Ok(listing);
            }
            let page = result(method, answer)?;
            for entry in page[member].as_array().with_context(|| format!("a page without {member}"))? {
                let name = entry[identity].as_str().with_context(|| format!("an entry without {identity}"))?;
                ensure!(listing.insert(name.to_owned(), entry.clone()).is_none(), "{name} is listed twice");
            }
            let Some(cursor) = page["nextCursor"].as_str() else { return Ok(listing) };
            ensure!(cursors.insert(cursor.to_owned()), "a cursor is repeated");
            params = json!({ "cursor": cursor });
        }
    }

    /// The result of one request.
    fn request(&mut self, method: &str, params: Value) -> Result<Value> {
        result(method, self.exchange(method, params)?)
    }

    /// The answer to one request; what else the server says or asks meanwhile is dealt with.
    fn exchange(&mut self, method: &str, params: Value) -> Result<Value> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .with_context(|| format!("sending {method}"))?;
        loop {
            let message = self.transport.receive(self.deadline).with_context(|| format!("waiting for {method}"))?;
            let message = message.ok_or_else(|| anyhow!("no answer to {method} in time"))?;
            if is_answer(&message) && message["id"] == id {
                return Ok(message);
            }
            self.reply(&message)?;
        }
    }

    /// Waits, dealing with what the server says or asks meanwhile.
    fn pause(&mut self, duration: Duration) -> Result<()> {
        let until = Instant::now() + duration;
        while let Some(message) = self.transport.receive(until)? {
            self.reply(&message)?;
        }
        Ok(())
    }

    /// Answers a message if it is a request.
    fn reply(&mut self, message: &Value) -> Result<()> {
        let (Some(id), Some(method)) = (message.get("id"), message["method"].as_str()) else { return Ok(()) };
        let answer = match method {
            "ping" => json!({ "jsonrpc": "2.0", "id": id, "result": {} }),
            "roots/list" => json!({ "jsonrpc": "2.0", "id": id, "result": { "roots": [] } }),
            _ => json!({ "jsonrpc": "2.0", "id": id, "error": { "code": METHOD_NOT_FOUND, "message": "declined" } }),
        };
        self.send(&answer)
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        self.transport.send(message, self.deadline)
    }
}

/// The result that an answer brings.
fn result(method: &str, mut answer: Value) -> Result<Value> {
    ensure!(answer.get("error").is_none(), "{method} failed: {}", answer["error"]);
    Ok(answer["result"].take())
}

/// Whether a message answers a request, rather than being one, or a notification.
fn is_answer(message: &Value) -> bool {
    message.get("method").is_none() && (message.get("result").is_some() || message.get("error").is_some())
}

/// A server as a child, one message a line. Dropping it ends the child, on every path.
struct Pipes {
    child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Value>,
    stderr: Arc<Mutex<String>>,
}

impl Pipes {
    fn start(command: &Path, args: &[String], env: &[(String, String)], cwd: &Path) -> Result<Self> {
        let inherited = ["PATH", "HOME"].into_iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
        let mut child = Command::new(command)
            .args(args)
            .env_clear()
            .envs(inherited)
            .envs([("LANG", "C.UTF-8"), ("LC_ALL", "C.UTF-8"), ("TZ", "UTC"), ("PYTHONHASHSEED", "0")])
            .envs(env.iter().map(|(name, value)| (name, value)))
            .current_dir(cwd)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("starting {}", command.display()))?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (sender, messages) = mpsc::channel();
        let server = Self { child, stdin, messages, stderr: Arc::default() };

        let mut stdout = BufReader::new(stdout.context("no stdout")?);
        thread::spawn(move || {
            let mut line = Vec::new();
            while stdout.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
                // Some servers print a banner on stdout.
                if let Ok(message) = serde_json::from_slice::<Value>(&line)
                    && sender.send(message).is_err()
                {
                    return;
                }
                line.clear();
            }
        });
        let mut stderr = BufReader::new(stderr.context("no stderr")?);
        let kept = Arc::clone(&server.stderr);
        thread::spawn(move || {
            let mut line = Vec::new();
            while stderr.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
                kept.lock().unwrap_or_else(PoisonError::into_inner).push_str(&String::from_utf8_lossy(&line));
                line.clear();
            }
        });
        Ok(server)
    }

    /// Ends the input, which tells a server to leave, and the process if it stays.
    fn stop(&mut self) {
        drop(self.stdin.take());
        let until = Instant::now() + GRACE;
        while Instant::now() < until {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            thread::sleep(Duration::from_millis(5));
        }
        // Both fail only when the process is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    fn stderr_tail(&self) -> String {
        let kept = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        let skipped = kept.chars().count().saturating_sub(SHOWN_STDERR);
        kept.chars().skip(skipped).collect()
    }
}

impl Drop for Pipes {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Transport for Pipes {
    fn send(&mut self, message: &Value, _deadline: Instant) -> Result<()> {
        let stdin = self.stdin.as_mut().context("stopped")?;
        // One write: messages this small fit a pipe, so it doesn't block.
        stdin.write_all(format!("{message}\n").as_bytes())?;
        Ok(stdin.flush()?)
    }

    fn receive(&mut self, until: Instant) -> Result<Option<Value>> {
        match self.messages.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(message) => Ok(Some(message)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => bail!("the server ended its output"),
        }
    }
}
