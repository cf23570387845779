//! A server behind a certificate of a private authority.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::json;

use crate::common::{Finished, HttpServer, Project};
use crate::served::clean;

const AUTHORITY: &str = include_str!("tls/authority.pem");

/// A server over HTTP, and a listener before it that speaks TLS; gives the listener's port.
fn behind_tls(project: &mut Project, host: &str) -> (HttpServer, u16) {
    let server = project.http_server("crm", &clean());
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(include_bytes!("tls/server.pem")).collect();
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("tls/server-key.pem")).expect("a key");
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(certificates.expect("certificates"), key)
        .expect("usable");
    let config = Arc::new(config);
    let listener = TcpListener::bind((host, 0)).expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let plain = server.port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let config = Arc::clone(&config);
            // A client that refuses the certificate ends the exchange.
            std::thread::spawn(move || drop(relay(config, stream, plain)));
        }
    });
    (server, port)
}

/// One request to the server behind, and its answer.
fn relay(config: Arc<ServerConfig>, stream: TcpStream, plain: u16) -> std::io::Result<()> {
    let connection = ServerConnection::new(config).map_err(std::io::Error::other)?;
    let mut client = BufReader::new(StreamOwned::new(connection, stream));
    let mut head = String::new();
    let mut length = 0;
    loop {
        let mut line = String::new();
        if client.read_line(&mut line)? == 0 {
            return Ok(());
        }
        if line == "\r\n" {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().map_err(std::io::Error::other)?;
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    client.read_exact(&mut body)?;
    let mut server = TcpStream::connect(("127.0.0.1", plain))?;
    server.write_all(format!("{head}connection: close\r\n\r\n").as_bytes())?;
    server.write_all(&body)?;
    let mut answer = Vec::new();
    server.read_to_end(&mut answer)?;
    let client = client.get_mut();
    client.write_all(&answer)?;
    client.conn.send_close_notify();
    client.flush()
}

fn run(project: &Project, arguments: &[&str], trusted: bool) -> Finished {
    let run = project.run(arguments);
    let authority = project.path("authority.pem");
    if trusted { run.env("SSL_CERT_FILE", &authority.to_string_lossy()).finish() } else { run.finish() }
}

#[test]
fn a_private_authority_is_trusted_when_it_is_named_and_the_reason_is_told_when_not() {
    let mut project = Project::new();
    project.write("authority.pem", AUTHORITY);
    let (_server, port) = behind_tls(&mut project, "127.0.0.1");
    for host in ["127.0.0.1", "localhost"] {
        project.configure("crm", json!({"url": format!("https://{host}:{port}/mcp")}));
        let untrusted = run(&project, &["pin", "--yes"], false);
        untrusted.expect_status(2).expect_stdout(&[
            "certificate isn't trusted",
            "SSL_CERT_FILE",
            "nothing was written",
        ]);
        assert!(untrusted.took.as_secs() < 3, "{:?}", untrusted.took);
        run(&project, &["pin", "--yes"], true).expect_status(0);
        run(&project, &["check"], true).expect_status(0).expect_stdout(&["in sync: `crm`, 1 tool"]).expect_stderr(&[]);
        run(&project, &["check"], false).expect_status(2).expect_stdout(&["certificate isn't trusted"]);
        std::fs::remove_file(project.path("mcp-tools.lock")).expect("removed");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_certificate_for_another_name_is_refused_although_its_authority_is_trusted() {
    let mut project = Project::new();
    project.write("authority.pem", AUTHORITY);
    let (_server, port) = behind_tls(&mut project, "127.0.0.2");
    project.configure("crm", json!({"url": format!("https://127.0.0.2:{port}/mcp")}));
    let finished = run(&project, &["pin", "--yes"], true);
    finished.expect_status(2).expect_stdout(&["could not check `crm`", "certificate isn't trusted"]);
    assert!(!project.exists("mcp-tools.lock"));
}
