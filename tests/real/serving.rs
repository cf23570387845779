//! server-everything over HTTP.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

use crate::common::eventually;
use crate::servers;

/// The server, listening on loopback until this is dropped.
pub(crate) struct Serving {
    process: Child,
    pub(crate) url: String,
}

impl Serving {
    pub(crate) fn start() -> Self {
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
