//! A server as a child process: its pipes, cut into messages and sent through the tap.

use std::collections::VecDeque;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::frames::{Line, LineError, Lines};
use super::limits::bytes;
use super::masked_ends;
use super::process::{Pipes, ServerProcess};
use super::tap::{Effect, Tap};
use crate::launch::Protected;
use crate::problem::Problem;
use crate::text;

/// How much of a server's standard error is kept, in bytes.
const STDERR_TAIL: usize = 8 << 10;
/// How many answers to a server's requests may wait until it reads them; more are dropped.
const REPLIES: usize = 256;
/// How long a failed process' children may go on answering in its place.
const ABANDONED: Duration = Duration::from_secs(2);

/// The pipes of one server process.
pub(super) struct Stdio {
    process: ServerProcess,
    writer: JoinHandle<()>,
    outgoing: mpsc::Sender<Vec<u8>>,
    reader: JoinHandle<()>,
    stderr: JoinHandle<()>,
    tail: Arc<Mutex<Tail>>,
    protected: Protected,
}

/// The end of a server's standard error.
#[derive(Default)]
struct Tail {
    bytes: VecDeque<u8>,
    /// There was more before it.
    cut: bool,
}

/// What rmcp talks to instead of the pipes.
pub(super) struct StdioTransport {
    tap: Arc<Tap>,
    outgoing: mpsc::Sender<Vec<u8>>,
    incoming: mpsc::UnboundedReceiver<ServerJsonRpcMessage>,
}

impl Stdio {
    /// Begins to read and write a process' pipes; they are drained until their end, whatever rmcp does.
    pub(super) fn new(
        process: ServerProcess,
        pipes: Pipes,
        tap: Arc<Tap>,
        message_limit: usize,
        protected: Protected,
    ) -> (Self, StdioTransport) {
        let (outgoing, to_write) = mpsc::channel(REPLIES);
        let (forward, incoming) = mpsc::unbounded_channel();
        let tail = Arc::<Mutex<Tail>>::default();
        let writer = tokio::spawn(write_all(pipes.stdin, to_write));
        let reader =
            tokio::spawn(read_all(pipes.stdout, Arc::clone(&tap), message_limit, forward, outgoing.downgrade()));
        // A value that the tail begins inside of would not be found, so more is kept than is shown.
        let kept = STDERR_TAIL + masked_ends::longest(&protected);
        let stderr = tokio::spawn(keep_tail(pipes.stderr, Arc::clone(&tail), kept));
        let transport = StdioTransport { tap, outgoing: outgoing.clone(), incoming };
        (Self { process, writer, outgoing, reader, stderr, tail, protected }, transport)
    }

    /// How the process ended, if it does within that time.
    pub(super) async fn ended_within(&mut self, time: Duration) -> Option<ExitStatus> {
        self.process.ended_within(time).await
    }

    /// Waits until the process has failed and nobody has answered in its place for a while: a child of it may hold the
    /// pipes open for ever. A launcher that ends well may leave its server behind, so then it waits for ever.
    pub(super) async fn abandoned(&mut self) -> Problem {
        match self.process.ended().await {
            Some(status) if !status.success() => {
                sleep(ABANDONED).await;
                let cause = format!("the server ended before it answered ({status})");
                Problem::new("waiting for the server", cause, "start the server by hand to see why")
            }
            _ => std::future::pending().await,
        }
    }

    /// Closes the server's standard input, reads its output to the end and ends it.
    pub(super) async fn close(self) -> Ended {
        let Self { process, writer, outgoing, reader, stderr, tail, protected } = self;
        // The writer ends with the last sender, and the pipe with the writer; a server that doesn't read keeps it.
        drop(outgoing);
        end_within(Duration::from_millis(200), writer).await;
        let status = process.end().await;
        // The pipes end with the processes that hold them; one that left the group may hold them for ever.
        end_within(Duration::from_millis(500), reader).await;
        end_within(Duration::from_millis(500), stderr).await;
        let Tail { bytes, cut } = std::mem::take(&mut *tail.lock().unwrap_or_else(PoisonError::into_inner));
        let bytes = Vec::from(bytes);
        let stderr =
            if cut { masked_ends::end(&bytes, &protected) } else { protected.mask(&String::from_utf8_lossy(&bytes)) };
        Ended { status, stderr: text::last(&stderr, STDERR_TAIL).to_owned() }
    }
}

/// How a server's process ended.
pub(super) struct Ended {
    /// Its exit status, if it could be ended at all.
    pub(super) status: Option<ExitStatus>,
    /// The end of its standard error, without protected values: foreign text.
    pub(super) stderr: String,
}

async fn end_within(time: Duration, task: JoinHandle<()>) {
    let abort = task.abort_handle();
    if timeout(time, task).await.is_err() {
        abort.abort();
    }
}

async fn write_all(mut stdin: ChildStdin, mut messages: mpsc::Receiver<Vec<u8>>) {
    while let Some(message) = messages.recv().await {
        // A server that has closed its input may still answer; its end is seen on its output.
        if stdin.write_all(&message).await.is_err() || stdin.flush().await.is_err() {
            break;
        }
    }
}

async fn read_all(
    stdout: ChildStdout,
    tap: Arc<Tap>,
    limit: usize,
    forward: mpsc::UnboundedSender<ServerJsonRpcMessage>,
    outgoing: mpsc::WeakSender<Vec<u8>>,
) {
    let mut lines = Lines::new(BufReader::with_capacity(64 << 10, stdout), limit);
    loop {
        let effects = match lines.next().await {
            Ok(Line::Whole(line)) => tap.line(&line),
            Ok(Line::CutOff(line)) => tap.last(&line),
            Ok(Line::End) => return,
            Err(LineError::TooLong) => {
                tap.fail(Problem::new(
                    "reading the server's output",
                    format!("a line is longer than {}", bytes(limit)),
                    "raise the limit with --max-message if the server is meant to send so much",
                ));
                return;
            }
            Err(LineError::Io(error)) => {
                tap.fail(Problem::new("reading the server's output", error.to_string(), "try again"));
                return;
            }
        };
        for effect in effects {
            match effect {
                // rmcp may be gone already; what comes now is only noted by the tap.
                Effect::Forward(message) => drop(forward.send(*message)),
                Effect::Reply(reply) => {
                    if let Some(outgoing) = outgoing.upgrade() {
                        let _ = outgoing.try_send(line_of(reply.into_bytes()));
                    }
                }
            }
        }
    }
}

fn line_of(mut message: Vec<u8>) -> Vec<u8> {
    message.push(b'\n');
    message
}

async fn keep_tail(mut stderr: ChildStderr, tail: Arc<Mutex<Tail>>, kept: usize) {
    let mut buffer = vec![0; STDERR_TAIL];
    while let Ok(count @ 1..) = stderr.read(&mut buffer).await {
        let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
        tail.bytes.extend(&buffer[..count]);
        let surplus = tail.bytes.len().saturating_sub(kept);
        tail.bytes.drain(..surplus);
        tail.cut |= surplus > 0;
    }
}

impl Transport<RoleClient> for StdioTransport {
    type Error = std::io::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let line = self.tap.outgoing(&message).map(line_of);
        let outgoing = self.outgoing.clone();
        async move {
            let line = line?;
            outgoing.send(line).await.map_err(|_| std::io::Error::from(std::io::ErrorKind::BrokenPipe))
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        self.incoming.recv().await
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.incoming.close();
        Ok(())
    }
}
