//! server-everything, over both transports and to clients of both kinds.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;

use serde_json::json;

use crate::capture::{ClientKind, capture_http};
use crate::common::{Project, eventually};
use crate::{lockfile, processes, servers, skipped};

/// The tools that it shows only to a client that declares roots, elicitation and sampling.
const FOR_ABLE_CLIENTS: [&str; 3] = ["get-roots-list", "trigger-elicitation-request", "trigger-sampling-request"];

#[test]
fn over_stdio_and_http_it_has_the_same_tools_and_digests() {
    if skipped() {
        return;
    }
    let server = servers::everything();
    let serving = Serving::start();
    let mut project = Project::new();
    project.configure("over-stdio", server.entry());
    project.configure("over-http", json!({ "type": "http", "url": serving.url }));
    let (over_stdio, over_http) = thread::scope(|scope| {
        let over_stdio = scope.spawn(|| server.capture(ClientKind::Full));
        let over_http = scope.spawn(|| capture_http(&serving.url, ClientKind::Full).expect("captured"));
        project.pin();
        (over_stdio.join().expect("captured"), over_http.join().expect("captured"))
    });
    processes::expect_none(&project);
    let text = project.lockfile();
    let [stdio, http] = ["over-stdio", "over-http"].map(|name| lockfile::pinned(&text, name));
    stdio.expect(&over_stdio);
    http.expect(&over_http);
    assert_eq!(stdio.tools, http.tools);
    assert_eq!(stdio.digests, http.digests);
    assert_eq!(stdio.tools.len(), 16);

    for _ in 0..3 {
        project.check().expect_status(0).expect_stdout(&["`over-http`, 16 tools", "`over-stdio`, 16 tools"]);
        processes::expect_none(&project);
    }
    project.run(&["pin"]).finish().expect_status(0);
    assert_eq!(project.lockfile(), text);
}

#[test]
fn a_client_that_declares_nothing_would_be_shown_three_tools_less() {
    if skipped() {
        return;
    }
    let server = servers::everything();
    let serving = Serving::start();
    let (able, plain, plain_over_http) = thread::scope(|scope| {
        let able = scope.spawn(|| server.capture(ClientKind::Full));
        let plain = scope.spawn(|| server.capture(ClientKind::Plain));
        let plain_over_http = capture_http(&serving.url, ClientKind::Plain).expect("captured");
        (able.join().expect("captured"), plain.join().expect("captured"), plain_over_http)
    });
    assert_eq!(plain.tools.len(), 13);
    assert_eq!(plain.tools, plain_over_http.tools);
    let mut able = able.tools;
    for name in FOR_ABLE_CLIENTS {
        assert!(able.remove(name).is_some(), "{name}");
    }
    assert_eq!(able, plain.tools);
}

/// The server, listening on loopback until this is dropped.
struct Serving {
    process: Child,
    url: String,
}

impl Serving {
    fn start() -> Self {
        // Free when we ask, and most likely still a moment later.
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
        let address = free.expect("a free port");
        let process = Command::new("node")
            .arg(servers::everything().program)
            .arg("streamableHttp")
            .env_clear()
            .env("PATH", std::env::var_os("PATH").expect("a PATH"))
            .env("PORT", address.port().to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("node runs");
        let serving = Self { process, url: format!("http://{address}/mcp") };
        eventually("server-everything listens", || TcpStream::connect(address).is_ok());
        serving
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // Fails only when it has ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
