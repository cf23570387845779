//! The two handshakes, and what it means when one fails.

use rmcp::model::ClientConfig;
use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientInitializeError, ClientLifecycleMode, RunningService, serve_client_with_lifecycle};
use rmcp::{ClientHandler, RoleClient};

use super::http::SESSION_LOST;
use super::launching::add_last_words;
use super::stdio::Ended;
use super::tap::Tap;
use super::{Again, Failure, Offer, Target, client, excerpt};
use crate::problem::Problem;

/// rmcp's handler: it only says which revision we speak, for the tap answers everything and says who we are.
pub(super) struct Appearance(ClientConfig);

impl ClientHandler for Appearance {
    fn get_info(&self) -> ClientConfig {
        self.0.clone()
    }
}

/// Runs the handshake that the offer asks for.
pub(super) async fn shake_hands<T, E, A>(
    offer: &Offer,
    transport: T,
) -> Result<RunningService<RoleClient, Appearance>, ClientInitializeError>
where
    T: rmcp::transport::IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let newest = vec![ProtocolVersion::LATEST];
    let lifecycle = match known(offer) {
        Some(version) if version.has_initialize() => ClientLifecycleMode::Initialize,
        // A server that is known to speak the newer era may take its time to start: no guess is made meanwhile.
        Some(_) => ClientLifecycleMode::Discover { preferred_versions: newest },
        None => ClientLifecycleMode::Auto {
            preferred_versions: newest,
            legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
        },
    };
    let version =
        known(offer).filter(ProtocolVersion::has_initialize).unwrap_or(ProtocolVersion::LATEST_WITH_INITIALIZE);
    let appearance = Appearance(client::config(version));
    serve_client_with_lifecycle(appearance, transport, lifecycle).await
}

fn known(offer: &Offer) -> Option<ProtocolVersion> {
    let Offer::Version(version) = offer else { return None };
    ProtocolVersion::KNOWN_VERSIONS.iter().find(|known| known.as_str() == version).cloned()
}

/// Why the handshake failed, and whether another one may succeed.
pub(super) fn failure(
    target: &Target,
    tap: &Tap,
    offer: &Offer,
    error: &ClientInitializeError,
    ended: Option<&Ended>,
) -> Failure {
    let mut problem = tap.fault().unwrap_or_else(|| refusal(target, tap, error, ended));
    if let Some(ended) = ended {
        add_last_words(target, &mut problem, ended);
    }
    Failure { problem, again: again(tap, offer) }
}

/// A failure before there was a session: one that was lost may be had again.
pub(super) fn lost_or_failed(problem: Problem) -> Failure {
    let again = if problem.step == SESSION_LOST { Again::Fresh } else { Again::No };
    Failure { problem, again }
}

fn refusal(target: &Target, tap: &Tap, error: &ClientInitializeError, ended: Option<&Ended>) -> Problem {
    let step = "shaking hands";
    if let Some(versions) = tap.supported().filter(|versions| !versions.is_empty()) {
        let cause =
            format!("the server speaks only protocol versions that mcp-pin doesn't offer: {}", versions.join(", "));
        return Problem::new(step, cause, "look for a newer version of mcp-pin");
    }
    if let Some(refusal) = tap.opening_refusal() {
        let cause = format!("the server answered with error {}: {}", refusal.code, excerpt(target, &refusal.message));
        return Problem::new(step, cause, "look at the server's own log");
    }
    let cause = match (ended.and_then(|ended| ended.status), error) {
        (Some(status), _) => format!("the server ended before it answered ({status})"),
        (None, ClientInitializeError::ConnectionClosed(_)) => {
            "the server closed its output before it answered".to_owned()
        }
        (None, ClientInitializeError::NoCompatibleProtocolVersion { .. }) => {
            "the server's answer names no protocol version".to_owned()
        }
        (None, _) => "the server's answer can't be used".to_owned(),
    };
    Problem::new(step, cause, "start the server by hand to see why")
}

/// Whether another handshake may succeed. A server that dies of a message it doesn't know, or answers it with nonsense,
/// gets the older handshake; one that refuses the older handshake gets the newer; one that names versions gets the newest
/// that we have in common.
fn again(tap: &Tap, offer: &Offer) -> Again {
    if let Some(fault) = tap.fault() {
        return lost_or_failed(fault).again;
    }
    let named = tap.supported().unwrap_or_default();
    let is_named = |known: &&ProtocolVersion| named.iter().any(|version| version == known.as_str());
    if let Some(version) = ProtocolVersion::KNOWN_VERSIONS.iter().rev().find(is_named) {
        return Again::With(Offer::Version(version.as_str().to_owned()));
    }
    let older = || Again::With(Offer::Version(ProtocolVersion::LATEST_WITH_INITIALIZE.as_str().to_owned()));
    match (known(offer), tap.opening_refusal().is_some()) {
        _ if !named.is_empty() => Again::No,
        (None, false) => older(),
        // It spoke the newer era when it was pinned; now it may speak only the older one, or die of the newer.
        (Some(version), _) if !version.has_initialize() => older(),
        (Some(_), true) => Again::With(Offer::Newest),
        _ => Again::No,
    }
}
