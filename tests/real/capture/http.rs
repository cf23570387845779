//! Streamable HTTP for the raw capture: HTTP/1.1 by hand, a connection for each request.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::{GRACE, TIME_LIMIT, Transport, is_answer};

/// A server over Streamable HTTP. The messages that a POST brings are read while it is awaited.
pub(super) struct Http {
    /// `host:port`.
    authority: String,
    path: String,
    /// What the server named at `initialize`: its session, and the version that it chose.
    session: Option<String>,
    protocol: Option<String>,
    /// Messages that came and weren't asked for yet, and the event streams that may bring more.
    arrived: VecDeque<Value>,
    streams: Vec<BufReader<Body>>,
}

impl Http {
    pub(super) fn new(url: &str) -> Result<Self> {
        let rest = url.strip_prefix("http://").context("not an http:// URL")?;
        let (authority, path) = rest.split_once('/').context("a URL without a path")?;
        Ok(Self {
            authority: authority.to_owned(),
            path: format!("/{path}"),
            session: None,
            protocol: None,
            arrived: VecDeque::new(),
            streams: Vec::new(),
        })
    }

    /// Sends one request and reads the head of its answer: status, content type, and the body, still to be read.
    fn exchange(&mut self, method: &str, body: &str, deadline: Instant) -> Result<(u16, String, Body)> {
        let mut head = format!(
            "{method} {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n",
            self.path,
            self.authority,
            body.len()
        );
        for (name, value) in [("Mcp-Session-Id", &self.session), ("MCP-Protocol-Version", &self.protocol)] {
            if let Some(value) = value {
                head += &format!("{name}: {value}\r\n");
            }
        }
        let mut connection = Connection { stream: TcpStream::connect(&self.authority)?, deadline };
        connection.stream.set_write_timeout(Some(TIME_LIMIT))?;
        connection.stream.write_all(format!("{head}\r\n{body}").as_bytes())?;

        let mut reader = BufReader::new(connection);
        let status = line(&mut reader)?;
        let status = status.split(' ').nth(1).and_then(|code| code.parse().ok()).context("no HTTP status")?;
        let (mut kind, mut length) = (String::new(), Length::ToTheEnd);
        loop {
            let header = line(&mut reader)?;
            let Some((name, value)) = header.split_once(':') else { break };
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "content-type" => kind = value.to_owned(),
                "content-length" => length = Length::Bytes(value.parse()?),
                "transfer-encoding" => length = Length::Chunks(0),
                "mcp-session-id" => self.session = Some(value.to_owned()),
                _ => {}
            }
        }
        Ok((status, kind, Body { reader, length }))
    }

    /// Tells the server that the session is over; whether it cares is its own affair.
    pub(super) fn end_session(&mut self) {
        if self.session.is_some() {
            let _ = self.exchange("DELETE", "", Instant::now() + GRACE);
        }
    }
}

impl Transport for Http {
    fn send(&mut self, message: &Value, deadline: Instant) -> Result<()> {
        let (status, kind, mut body) = self.exchange("POST", &message.to_string(), deadline)?;
        if status == 200 && kind.starts_with("text/event-stream") {
            self.streams.push(BufReader::new(body));
            return Ok(());
        }
        // An answer that has no content must be awaited too: it says that `initialized` was dealt with.
        let mut text = String::new();
        if !matches!(status, 204 | 304) {
            body.read_to_string(&mut text)?;
        }
        ensure!((200..300).contains(&status), "HTTP status {status}: {text}");
        if kind.starts_with("application/json") && !text.is_empty() {
            self.arrived.push_back(serde_json::from_str(&text)?);
        }
        Ok(())
    }

    fn receive(&mut self, until: Instant) -> Result<Option<Value>> {
        while self.arrived.is_empty()
            && let Some(stream) = self.streams.last_mut()
        {
            match event(stream)? {
                // A stream ends with the answer that it was opened for.
                Some(message) if is_answer(&message) => {
                    self.arrived.push_back(message);
                    self.streams.pop();
                }
                Some(message) => self.arrived.push_back(message),
                None => bail!("an event stream ended before its answer"),
            }
        }
        let message = self.arrived.pop_front();
        match &message {
            Some(message) => {
                if let Some(protocol) = message["result"]["protocolVersion"].as_str() {
                    self.protocol = Some(protocol.to_owned());
                }
            }
            // Nothing is open that could bring a message.
            None => thread::sleep(until.saturating_duration_since(Instant::now())),
        }
        Ok(message)
    }
}

/// The next event with data, as a message; `None` at the end of the stream.
fn event(stream: &mut impl BufRead) -> Result<Option<Value>> {
    let mut data = String::new();
    let mut text = String::new();
    while stream.read_line(&mut text)? > 0 {
        let line = text.trim_end_matches(['\r', '\n']);
        if let Some(more) = line.strip_prefix("data:") {
            data += more.strip_prefix(' ').unwrap_or(more);
            data.push('\n');
        } else if line.is_empty() {
            // Two popular servers begin with an event whose data is empty.
            if !data.trim().is_empty() {
                return Ok(Some(serde_json::from_str(&data)?));
            }
            data.clear();
        }
        text.clear();
    }
    Ok(None)
}

/// One line without its end.
fn line(reader: &mut impl BufRead) -> Result<String> {
    let mut line = String::new();
    ensure!(reader.read_line(&mut line)? > 0, "the connection was closed");
    line.truncate(line.trim_end_matches(['\r', '\n']).len());
    Ok(line)
}

/// A connection on which no read outlasts the deadline.
struct Connection {
    stream: TcpStream,
    deadline: Instant,
}

impl Read for Connection {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left))?;
        self.stream.read(buffer)
    }
}

/// How much of a body is left.
enum Length {
    Bytes(u64),
    /// Of the current chunk; the next chunk's size follows it.
    Chunks(u64),
    ToTheEnd,
}

/// The body of an HTTP answer.
struct Body {
    reader: BufReader<Connection>,
    length: Length,
}

impl Read for Body {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let left = match &mut self.length {
            Length::ToTheEnd => return self.reader.read(buffer),
            Length::Bytes(left) => left,
            Length::Chunks(left) => {
                if *left == 0 {
                    *left = next_chunk(&mut self.reader)?;
                    if *left == 0 {
                        self.length = Length::Bytes(0);
                        return Ok(0);
                    }
                }
                left
            }
        };
        let count = (&mut self.reader).take(*left).read(buffer)?;
        *left -= count as u64;
        if *left == 0 && matches!(self.length, Length::Chunks(_)) {
            // The line end that closes a chunk.
            self.reader.read_line(&mut String::new())?;
        }
        Ok(count)
    }
}

/// The size of the chunk that begins here.
fn next_chunk(reader: &mut impl BufRead) -> std::io::Result<u64> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let size = line.split(';').next().unwrap_or_default().trim();
    u64::from_str_radix(size, 16).map_err(|error| std::io::Error::new(ErrorKind::InvalidData, error))
}
