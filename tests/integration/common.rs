//! A project in a folder of its own, and runs of the binary in it.
//!
//! A run sees a scrubbed environment: a fixed PATH and home, and what the test adds. Its output is compared as text, with
//! the project's folder written as `[project]`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// The binary under test.
pub(crate) const MCP_PIN: &str = env!("CARGO_BIN_EXE_mcp-pin");

/// The scripted server, built as an example (fixtures/servers/README.md says what it can do).
pub(crate) fn scripted_server() -> PathBuf {
    let folder = Path::new(MCP_PIN).parent().expect("the binary has a folder");
    let path = folder.join("examples").join(format!("scripted-server{}", std::env::consts::EXE_SUFFIX));
    assert!(path.exists(), "build the scripted server first: cargo build --examples");
    path
}

/// A project folder that goes when it is dropped.
pub(crate) struct Project {
    folder: TempDir,
    servers: BTreeMap<String, Value>,
}

/// What a run came to.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) took: Duration,
}

impl Project {
    /// An empty project.
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder"), servers: BTreeMap::new() }
    }

    /// A project with one configured stdio server that follows a script.
    pub(crate) fn with_server(name: &str, script: &Value) -> Self {
        let mut project = Self::new();
        project.server(name, script);
        project
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("created");
        std::fs::write(path, content).expect("written");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn exists(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// The lockfile's text.
    pub(crate) fn lockfile(&self) -> String {
        self.read("mcp-tools.lock")
    }

    /// Writes `NAME.json`, the script of that server; call it again to give the server another face. A server that reads
    /// it again meanwhile sees the old one or the new one.
    pub(crate) fn script(&self, name: &str, script: &Value) {
        let beside = format!("{name}.json.new");
        self.write(&beside, script.to_string());
        std::fs::rename(self.path(&beside), self.path(&format!("{name}.json"))).expect("renamed");
    }

    /// Configures a stdio server that follows a script.
    pub(crate) fn server(&mut self, name: &str, script: &Value) {
        self.script(name, script);
        self.configure(name, json!({ "command": scripted_server(), "args": [format!("{name}.json")] }));
    }

    /// Configures a server with this entry.
    pub(crate) fn configure(&mut self, name: &str, entry: Value) {
        self.servers.insert(name.to_owned(), entry);
        self.write(".mcp.json", json!({ "mcpServers": self.servers }).to_string());
    }

    /// Starts a server that follows a script over HTTP, and configures it. It ends with what is returned.
    pub(crate) fn http_server(&mut self, name: &str, script: &Value) -> HttpServer {
        let server = self.unconfigured_http_server(name, script);
        self.configure(name, json!({ "type": "http", "url": server.url() }));
        server
    }

    /// The same without configuring it.
    pub(crate) fn unconfigured_http_server(&self, name: &str, script: &Value) -> HttpServer {
        self.script(name, script);
        let port_file = format!("{name}.port");
        let mut command = Command::new(scripted_server());
        command.args([&format!("{name}.json"), "--http", &port_file]).current_dir(self.folder.path());
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut server = HttpServer { process: command.spawn().expect("started"), port: 0 };
        eventually("the server listens", || self.exists(&port_file));
        server.port = self.read(&port_file).parse().expect("a port");
        server
    }

    /// What a server received and did, from the file that its script names as `log`.
    pub(crate) fn log(&self, file: &str) -> Vec<Value> {
        let text = std::fs::read_to_string(self.path(file)).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"))).collect()
    }

    /// The methods of the messages that a server received, in order.
    pub(crate) fn methods(&self, file: &str) -> Vec<String> {
        let log = self.log(file);
        log.iter().filter_map(|entry| entry["message"]["method"].as_str().map(str::to_owned)).collect()
    }

    /// The process id that a server has written to a file.
    pub(crate) fn process_id(&self, file: &str) -> u32 {
        self.read(file).trim().parse().expect("a process id")
    }

    /// A run of the binary in the project folder.
    pub(crate) fn run(&self, arguments: &[&str]) -> Run<'_> {
        let mut environment = BTreeMap::new();
        for name in ["PATH", "TMPDIR", "SYSTEMROOT"] {
            environment.extend(std::env::var_os(name).map(|value| (OsString::from(name), value)));
        }
        environment.insert("HOME".into(), self.path("home").into());
        Run {
            project: self,
            arguments: arguments.iter().map(|&argument| argument.to_owned()).collect(),
            environment,
            stdin: Vec::new(),
        }
    }

    /// `mcp-pin pin --yes`, which must succeed.
    pub(crate) fn pin(&self) {
        self.run(&["pin", "--yes"]).finish().expect_status(0);
    }

    /// `mcp-pin check`
    pub(crate) fn check(&self) -> Finished {
        self.run(&["check"]).finish()
    }
}

/// A run that is being prepared.
pub(crate) struct Run<'a> {
    project: &'a Project,
    arguments: Vec<String>,
    environment: BTreeMap<OsString, OsString>,
    stdin: Vec<u8>,
}

impl Run<'_> {
    /// Sets a variable.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.environment.insert(name.into(), value.into());
        self
    }

    /// Gives it a standard input.
    pub(crate) fn stdin(mut self, input: impl AsRef<[u8]>) -> Self {
        self.stdin = input.as_ref().to_owned();
        self
    }

    /// The command, for tests that need the running process.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(MCP_PIN);
        command.args(&self.arguments).env_clear().envs(&self.environment).current_dir(self.project.folder.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs it to its end.
    pub(crate) fn finish(self) -> Finished {
        let started = Instant::now();
        let mut child = self.command().spawn().expect("started");
        let mut stdin = child.stdin.take().expect("a pipe");
        // A run that never reads its input closes the pipe.
        let _ = std::io::Write::write_all(&mut stdin, &self.stdin);
        drop(stdin);
        let output = child.wait_with_output().expect("ended");
        let folder = self.project.folder.path().to_string_lossy().into_owned();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8").replace(&folder, "[project]");
        Finished {
            status: output.status.code().unwrap_or(-1),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
            took: started.elapsed(),
        }
    }
}

/// A server over HTTP, which ends when it is dropped.
pub(crate) struct HttpServer {
    process: Child,
    port: u16,
}

impl HttpServer {
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Finished {
    /// The run ended with this status.
    #[track_caller]
    pub(crate) fn expect_status(&self, status: i32) -> &Self {
        assert_eq!(self.status, status, "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// Standard output holds all of these.
    #[track_caller]
    pub(crate) fn expect_stdout(&self, parts: &[&str]) -> &Self {
        for part in parts {
            assert!(self.stdout.contains(part), "no {part:?} in stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        }
        self
    }

    /// Standard error holds all of these; with none, it is empty.
    #[track_caller]
    pub(crate) fn expect_stderr(&self, parts: &[&str]) -> &Self {
        if parts.is_empty() {
            assert_eq!(self.stderr, "", "stdout:\n{}", self.stdout);
        }
        for part in parts {
            assert!(self.stderr.contains(part), "no {part:?} in stderr:\n{}\nstdout:\n{}", self.stderr, self.stdout);
        }
        self
    }

    /// Either output holds each of these: a report of servers is a result, what stopped a run before them is not.
    #[track_caller]
    pub(crate) fn expect_told(&self, parts: &[&str]) -> &Self {
        for part in parts {
            let told = self.stdout.contains(part) || self.stderr.contains(part);
            assert!(told, "no {part:?} in stdout:\n{}\nor stderr:\n{}", self.stdout, self.stderr);
        }
        self
    }

    /// Neither output holds any of these.
    #[track_caller]
    pub(crate) fn expect_nowhere(&self, parts: &[&str]) -> &Self {
        for part in parts {
            assert!(!self.stdout.contains(part), "{part:?} is in stdout:\n{}", self.stdout);
            assert!(!self.stderr.contains(part), "{part:?} is in stderr:\n{}", self.stderr);
        }
        self
    }
}

/// Whether a process exists and is no zombie (Linux).
pub(crate) fn lives(process_id: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process_id}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
}

/// Waits until something is true, at most ten seconds.
#[track_caller]
pub(crate) fn eventually(what: &str, mut is_true: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !is_true() {
        assert!(Instant::now() < deadline, "never: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A tool with a description and an object schema without properties.
pub(crate) fn tool(name: &str, description: &str) -> Value {
    json!({ "name": name, "description": description, "inputSchema": { "type": "object" } })
}

/// A script that lists these tools.
pub(crate) fn listing(tools: &[Value]) -> Value {
    json!({ "tools": tools })
}
