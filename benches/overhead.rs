//! What a check costs beyond the exchange with its server: `cargo bench --bench overhead`.
//!
//! `mcp-pin check` and a bare pipe client read the same server, as whole processes, in turn: a machine that is slow or busy
//! is so for both, and only differences and ratios of such pairs mean something. Goals stand beside the figures and fail
//! nothing. This one executable plays every part: `serve N` is a trivial native server with that many tools,
//! `bare -- COMMAND…` is the bare client, and without one of these words it measures.

use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

/// The name that the servers are pinned under.
const NAME: &str = "measured";
/// Pairs that are run and not counted, for caches to fill.
const WARM_UP: usize = 3;
/// How often a process' memory is read while it runs.
const MEMORY_POLL: Duration = Duration::from_micros(100);
/// How many runs the peak of memory is the greatest of.
const MEMORY_RUNS: usize = 3;
/// What a check is to stay below.
const MEMORY_GOAL_MB: f64 = 15.0;
/// As `src/connect/process.rs` has it: how long a server may take to end by itself, and again after it was asked to.
const GRACE: Duration = Duration::from_secs(2);

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["serve", count] => count.parse().map_err(anyhow::Error::from).and_then(serve),
        ["bare", "--", program, arguments @ ..] => bare(program, arguments).map_err(Into::into),
        _ => measure(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "overhead: {error:#}");
            ExitCode::FAILURE
        }
    }
}

// The measurement.

/// What a scenario's times are held against.
enum Goal {
    /// So many milliseconds more than the bare client.
    More(f64),
    /// So many times what the bare client takes.
    Times(f64),
}

/// One server, read by both clients.
struct Scenario {
    title: String,
    /// How the server is started.
    server: Vec<String>,
    pairs: usize,
    goal: Goal,
}

fn measure() -> Result<()> {
    let this = env::current_exe()?.to_string_lossy().into_owned();
    let native = |count: usize, pairs, goal| Scenario {
        title: format!("{count} tools ({:.1} kB)", tools(count).len() as f64 / 1e3),
        server: vec![this.clone(), "serve".to_owned(), count.to_string()],
        pairs,
        goal,
    };
    say("whole processes, paired; medians, with the quartiles of the differences in brackets\n");
    run(&native(20, 40, Goal::More(3.0)), &this)?;
    run(&native(2_000, 40, Goal::More(15.0)), &this)?;
    let everything = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/real/npm/node_modules/@modelcontextprotocol/server-everything/dist/index.js");
    if everything.exists() {
        let server = vec!["node".to_owned(), everything.to_string_lossy().into_owned(), "stdio".to_owned()];
        let title = "server-everything".to_owned();
        run(&Scenario { title, server, pairs: 8, goal: Goal::Times(1.05) }, &this)
    } else {
        say("\nserver-everything: not installed; .ci/install-real-servers does that\n");
        Ok(())
    }
}

/// Pins a scenario's server, runs the pairs and says what came out.
fn run(scenario: &Scenario, this: &str) -> Result<()> {
    let project = tempfile::tempdir()?;
    let pinned = mcp_pin(project.path(), "pin", &scenario.server, &["--yes"]).output()?;
    ensure!(pinned.status.success(), "pinning {}: {}", scenario.title, String::from_utf8_lossy(&pinned.stderr));
    let check = || mcp_pin(project.path(), "check", &scenario.server, &[]);
    let bare = || {
        let mut command = scrubbed(this, project.path());
        command.args(["bare", "--"]).args(&scenario.server);
        command
    };
    let mut pairs = Vec::with_capacity(scenario.pairs);
    for number in 0..WARM_UP + scenario.pairs {
        // Neither client always runs after the other.
        let pair = if number % 2 == 0 {
            let ours = milliseconds(check())?;
            (ours, milliseconds(bare())?)
        } else {
            let theirs = milliseconds(bare())?;
            (milliseconds(check())?, theirs)
        };
        if number >= WARM_UP {
            pairs.push(pair);
        }
    }
    let mut text = report(scenario, &pairs);
    let memory = |megabytes: Option<f64>| megabytes.map_or("unknown".to_owned(), |value| format!("{value:.1} MB"));
    let (ours, theirs) = (peak_megabytes(check)?, peak_megabytes(bare)?);
    // Writing to a String can't fail.
    let _ = writeln!(
        text,
        "  peak memory    {:>10}   bare client {}   goal: below {MEMORY_GOAL_MB} MB",
        memory(ours),
        memory(theirs)
    );
    if cfg!(unix) {
        let untouched = trust_store_is_untouched(check(), project.path())?;
        let _ = writeln!(text, "  TLS stack      {:>10}   goal: none", if untouched { "none" } else { "built" });
    }
    say(&text);
    Ok(())
}

fn report(scenario: &Scenario, pairs: &[(f64, f64)]) -> String {
    let of = |figure: fn(&(f64, f64)) -> f64| sorted(pairs.iter().map(figure).collect());
    let (ours, theirs) = (of(|pair| pair.0), of(|pair| pair.1));
    let (differences, ratios) = (of(|pair| pair.0 - pair.1), of(|pair| pair.0 / pair.1));
    let (more, times) = match scenario.goal {
        Goal::More(goal) => (format!("   goal: at most {goal} ms"), String::new()),
        Goal::Times(goal) => (String::new(), format!("   goal: at most {goal}")),
    };
    format!(
        "\n{}, {} pairs\n  mcp-pin check  {:>7.2} ms\n  bare client    {:>7.2} ms\n  difference     {:>7.2} ms \
         [{:.2} to {:.2}]{more}\n  ratio          {:>10.3} [{:.3} to {:.3}]{times}\n",
        scenario.title,
        pairs.len(),
        quantile(&ours, 0.5),
        quantile(&theirs, 0.5),
        quantile(&differences, 0.5),
        quantile(&differences, 0.25),
        quantile(&differences, 0.75),
        quantile(&ratios, 0.5),
        quantile(&ratios, 0.25),
        quantile(&ratios, 0.75),
    )
}

/// `mcp-pin` with a launch that no configuration names.
fn mcp_pin(project: &Path, subcommand: &str, server: &[String], options: &[&str]) -> Command {
    let mut command = scrubbed(env!("CARGO_BIN_EXE_mcp-pin"), project);
    command.args([subcommand, NAME]).args(options).arg("--").args(server);
    command
}

/// A program in the project's folder, with the variables that mcp-pin gives to a server: so both clients' servers start
/// alike.
fn scrubbed(program: &str, project: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(project).env_clear();
    command.envs(["PATH", "HOME", "SYSTEMROOT"].iter().filter_map(|name| Some((name, env::var_os(name)?))));
    command.envs([("LANG", "C.UTF-8"), ("LC_ALL", "C.UTF-8"), ("TZ", "UTC"), ("PYTHONHASHSEED", "0")]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// How long a process takes, from its start to its end.
fn milliseconds(mut command: Command) -> Result<f64> {
    let start = Instant::now();
    let status = command.status()?;
    let elapsed = start.elapsed();
    ensure!(status.success(), "{} ended with {status}", command.get_program().display());
    Ok(elapsed.as_secs_f64() * 1e3)
}

/// The greatest resident memory that a process had; `None` where the system doesn't say.
fn peak_megabytes(command: impl Fn() -> Command) -> Result<Option<f64>> {
    let mut peak = None;
    for _ in 0..MEMORY_RUNS {
        let mut child = command().spawn()?;
        let status = PathBuf::from(format!("/proc/{}/status", child.id()));
        while child.try_wait()?.is_none() {
            // The kernel keeps the peak (VmHWM, proc(5)), so only what is added in the last moment is missed.
            let megabytes = fs::read_to_string(&status).ok().and_then(|text| high_water_mark(&text));
            peak = megabytes.map_or(peak, |value| Some(peak.map_or(value, |peak| f64::max(peak, value))));
            thread::sleep(MEMORY_POLL);
        }
    }
    Ok(peak)
}

/// `VmHWM`, in millions of bytes; a process that has ended has none.
fn high_water_mark(status: &str) -> Option<f64> {
    let kibibytes = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().strip_suffix(" kB")?;
    Some(kibibytes.parse::<f64>().ok()? * 1024.0 / 1e6)
}

/// Whether a check ends though its trust store is a pipe that nobody writes to. Whoever builds a TLS stack opens the trust
/// store, and would wait there.
fn trust_store_is_untouched(mut check: Command, project: &Path) -> Result<bool> {
    let pipe = project.join("trust-store");
    let made = Command::new("mkfifo").arg(&pipe).status().context("mkfifo")?;
    ensure!(made.success(), "mkfifo ended with {made}");
    let mut child = check.env("SSL_CERT_FILE", &pipe).spawn()?;
    match ended_within(&mut child, Duration::from_secs(20))? {
        Some(status) if status.success() => Ok(true),
        Some(status) => bail!("a check with SSL_CERT_FILE ended with {status}"),
        None => {
            child.kill()?;
            child.wait()?;
            Ok(false)
        }
    }
}

fn ended_within(child: &mut Child, time: Duration) -> io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    loop {
        let status = child.try_wait()?;
        if status.is_some() || start.elapsed() > time {
            return Ok(status);
        }
        thread::sleep(Duration::from_millis(5));
    }
}

fn sorted(mut figures: Vec<f64>) -> Vec<f64> {
    figures.sort_by(f64::total_cmp);
    figures
}

/// The figure below which that share of the sorted figures lies, interpolated.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    sorted[below] + (sorted[above] - sorted[below]) * place.fract()
}

fn say(text: &str) {
    let _ = io::stdout().write_all(text.as_bytes());
}

// The native server.

/// Serves that many tools until its input ends.
fn serve(count: usize) -> Result<()> {
    // Made before anything is asked, so that both clients wait for the pipe alone.
    let listing = format!(r#"{{"tools":{}}}"#, tools(count));
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        let Some(id) = message.get("id") else { continue };
        let (member, text) = match message.get("method").and_then(Value::as_str) {
            Some("initialize") => ("result", INITIALIZED_BY_SERVER),
            Some("tools/list") => ("result", listing.as_str()),
            Some("ping") => ("result", "{}"),
            _ => ("error", r#"{"code":-32601,"message":"Method not found"}"#),
        };
        writeln!(out, r#"{{"jsonrpc":"2.0","id":{id},"{member}":{text}}}"#)?;
    }
    Ok(())
}

const INITIALIZED_BY_SERVER: &str =
    r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"trivial","version":"1.0.0"}}"#;

/// An array of tools, each as large as those of real servers are: about 0.7 kB.
fn tools(count: usize) -> String {
    let one = json!({
        "name": "search_records_NUMBER",
        "title": "Search records of table NUMBER",
        "description": "Searches the records of one table and returns those that match, newest first.\n\nUse it when the user \
            asks for records by their content; don't use it to read a record whose ID is known.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "query": { "type": "string", "description": "What to look for: words, or a \"quoted phrase\"" },
                "limit": { "type": "integer", "minimum": 1, "maximum": 100, "default": 20 },
                "fields": {
                    "type": "array",
                    "items": { "type": "string" },
                    "description": "Fields to return; all of them if left out",
                },
            },
            "required": ["query"],
            "additionalProperties": false,
        },
        "annotations": { "readOnlyHint": true, "openWorldHint": false },
    });
    // Trees of thousands of tools would take longer than all else that is measured.
    let one = one.to_string();
    let parts: Vec<&str> = one.split("NUMBER").collect();
    let all: Vec<String> = (0..count).map(|number| parts.join(&format!("{number:04}"))).collect();
    format!("[{}]", all.join(","))
}

// The bare client.

/// Does what a check does with a server, and nothing with what it says. It knows just enough JSON for the servers above.
fn bare(program: &str, arguments: &[&str]) -> io::Result<()> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    // Nobody reads it: these servers say little there.
    command.stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn()?;
    let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(io::Error::other("the server has no pipes"));
    };
    let lines = BufReader::with_capacity(64 << 10, stdout);
    let mut client = Bare { stdin: Some(stdin), lines, line: Vec::new(), list_changed: false };
    client.send(INITIALIZE)?;
    client.wait_for_answer(1)?;
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)?;
    for id in 2.. {
        client.list_changed = false;
        client.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list"}}"#))?;
        client.wait_for_answer(id)?;
        // As a check does: a list that changed meanwhile is read again.
        if !client.list_changed {
            break;
        }
    }
    client.stdin = None;
    let server = child.id();
    thread::spawn(move || end(server));
    while client.next()? {}
    child.wait().map(drop)
}

/// The client that mcp-pin appears as (`src/connect/client.rs`): a server may do other things with another.
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}},"roots":{},"sampling":{},"elicitation":{}},"clientInfo":{"name":"mcp-pin","version":"1"}}}"#;

struct Bare {
    stdin: Option<ChildStdin>,
    lines: BufReader<ChildStdout>,
    line: Vec<u8>,
    list_changed: bool,
}

impl Bare {
    fn send(&mut self, message: &str) -> io::Result<()> {
        let Some(stdin) = &mut self.stdin else { return Ok(()) };
        stdin.write_all(format!("{message}\n").as_bytes())
    }

    /// Reads a line; false at the end of the server's output.
    fn next(&mut self) -> io::Result<bool> {
        self.line.clear();
        Ok(self.lines.read_until(b'\n', &mut self.line)? > 0)
    }

    /// Reads until the answer of that number comes, and answers what the server asks meanwhile.
    fn wait_for_answer(&mut self, id: u64) -> io::Result<()> {
        let first = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":"#);
        let last = format!(r#","jsonrpc":"2.0","id":{id}}}"#);
        while self.next()? {
            let line = self.line.trim_ascii_end();
            if line.starts_with(br#"{"method":"#) {
                let text = String::from_utf8_lossy(line).into_owned();
                self.list_changed |= text.contains("notifications/tools/list_changed");
                if let Some((_, id)) = text.rsplit_once(r#""id":"#).filter(|_| text.contains("roots/list")) {
                    self.send(&format!(r#"{{"jsonrpc":"2.0","result":{{"roots":[]}},"id":{id}"#))?;
                }
            } else if line.starts_with(first.as_bytes()) || line.ends_with(last.as_bytes()) {
                return Ok(());
            }
        }
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

/// Ends a server as mcp-pin does, in case it doesn't end with its input.
#[cfg(unix)]
fn end(server: u32) {
    use rustix::process::{Pid, Signal, kill_process_group};

    let Some(group) = i32::try_from(server).ok().and_then(Pid::from_raw) else { return };
    for signal in [Signal::TERM, Signal::KILL] {
        thread::sleep(GRACE);
        let _ = kill_process_group(group, signal);
    }
}

/// Elsewhere nothing asks a process to end, and the servers above end with their input.
#[cfg(not(unix))]
fn end(_server: u32) {
    thread::sleep(GRACE);
}
