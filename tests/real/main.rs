//! Published MCP servers, and the Vercel AI SDK as their client, as their users install them: one file for each topic.
//!
//! `bash .ci/install-real-servers` installs them, and `MCP_PIN_REAL_SERVERS=1` asks for these tests. Without it they say
//! that they are skipped. With it, a server that isn't installed is a failure. What a server really says is read by
//! [`capture`], which shares no code with mcp-pin, and what a lockfile holds by [`lockfile`], which doesn't either.

// The installation has the layout of Unix: shebangs, and `bin` in a virtual environment.
#![cfg(unix)]
#![allow(clippy::expect_used, clippy::panic, reason = "a test ends by panicking")]

use std::io::Write;
use std::sync::Once;

mod capture;
#[path = "../integration/common.rs"]
#[allow(dead_code, reason = "the runner of the other tests, which use more of it")]
mod common;
mod lockfile;
mod processes;
mod servers;
mod serving;

mod ai_sdk;
mod clients;
mod drift;
mod everything;
mod kinds;
mod pre_commit;
mod sarif;
mod steady;

/// Whether nobody asked for these tests, which is said once.
fn skipped() -> bool {
    static SAID: Once = Once::new();
    let skipped = std::env::var_os("MCP_PIN_REAL_SERVERS").is_none_or(|value| value != "1");
    if skipped {
        // Not by `eprintln`, which the test harness keeps to itself while tests pass.
        SAID.call_once(|| {
            let _ = writeln!(std::io::stderr(), "skipped: tests on real servers run with MCP_PIN_REAL_SERVERS=1");
        });
    }
    skipped
}
