//! Reads what a server says.
//!
//! [`Target`] says which server, as which client and within which limits; [`readings`] opens as many sessions and reads
//! as many listings as it takes to be sure. rmcp runs the protocol behind this stage alone, and never sees a payload:
//! the tap keeps the text of every answer. This is the only stage that holds resolved launches, and the only one that
//! starts processes and contacts hosts. It knows nothing of lockfiles.

mod catalogue;
mod client;
pub mod environment;
mod event_stream;
mod events;
mod frames;
#[cfg(fuzzing)]
pub mod fuzzing;
mod handshake;
mod http;
mod launching;
mod lenient;
mod limits;
mod listing;
mod masked_ends;
mod page;
mod process;
pub mod profiles;
pub mod readings;
pub mod saved;
mod session;
mod stand_ins;
mod stdio;
mod tap;
pub mod watchdog;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::launch::Resolved;
use crate::problem::Problem;
use crate::surface::{Client, Resources};
use crate::text;

pub use limits::Limits;
pub use process::{Descendants, end_descendants};
pub use watchdog::Watchdog;

/// One server to read.
pub struct Target {
    /// How it is reached, literally.
    pub launch: Resolved,
    /// The folder that relative paths count from.
    pub folder: PathBuf,
    /// Whom it is to see.
    pub client: Client,
    /// Which revision of the protocol is offered.
    pub offer: Offer,
    /// Whether its resources are listed.
    pub resources: ReadResources,
    /// How long it gets to settle before it is listed again.
    pub settle: Duration,
    /// How long and how much it may take.
    pub limits: Limits,
    /// Names of our variables that it gets beside the usual ones.
    pub pass_environment: BTreeSet<String>,
    /// Ends the server's process if we are killed.
    pub watchdog: Arc<Watchdog>,
    /// Becomes true when everything is to end.
    pub interrupted: watch::Receiver<bool>,
}

/// Which revision of the protocol is offered to a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Offer {
    /// The newest that we know, then older ones: what a pin does.
    Newest,
    /// This one, so that nothing differs merely because mcp-pin was upgraded: what a check does.
    Version(String),
}

/// Whether the resources of a server are listed. Its templates and the user interfaces of its tools always are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadResources {
    /// They are.
    Always,
    /// They are unless the server declares that the list changes by itself.
    UnlessChanging,
}

impl From<Resources> for ReadResources {
    /// What is read where they were pinned like this. A server that declares no change any more has resources that could be
    /// pinned.
    fn from(pinned: Resources) -> Self {
        match pinned {
            Resources::Pinned => ReadResources::Always,
            Resources::Changing => ReadResources::UnlessChanging,
        }
    }
}

/// A server that could not be read, and why. Texts are unescaped but hold no protected value.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What to tell.
    pub problem: Problem,
    /// Whether another attempt with a fresh session may go better.
    pub(crate) again: Again,
}

/// Whether another attempt makes sense after a failure, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Again {
    /// It would fail in the same way.
    No,
    /// With the older handshake: the server died of the newer one's first message, or speaks only that.
    With(Offer),
    /// In the same way: the server lost our session.
    Fresh,
}

impl Failure {
    fn new(problem: Problem) -> Self {
        Self { problem, again: Again::No }
    }
}

/// The beginning of a server's message, without protected values: they are taken out before anything is cut.
fn excerpt(target: &Target, message: &str) -> String {
    let message = target.launch.protected.mask(message);
    let shortened = text::shorten(&message, 500);
    if shortened.cut > 0 { format!("{}…", shortened.text) } else { shortened.text.to_owned() }
}
