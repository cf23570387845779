//! What an answer means whose status isn't success.

use http::StatusCode;
use http::header::WWW_AUTHENTICATE;
use reqwest::Response;
use rmcp::transport::streamable_http_client::{StreamableHttpError, StreamableHttpPostResponse};

use super::super::events;
use super::super::masked_ends;
use super::super::tap::Effect;
use super::{Asked, Endpoint, HttpResult, JSON, SESSION_LOST, media_type};
use crate::problem::Problem;
use crate::text;

/// How much of the body of an error is read.
const ERROR_BODY: usize = 64 << 10;

impl Endpoint {
    /// What an answer with another status than success means.
    pub(super) async fn unsuccessful(
        &self,
        asked: &Asked,
        in_session: bool,
        response: Response,
    ) -> HttpResult<StreamableHttpPostResponse> {
        let status = response.status();
        let challenge = response.headers().contains_key(WWW_AUTHENTICATE);
        let is_json = media_type(&response).as_deref() == Some(JSON);
        let body = events::read_at_most(response, ERROR_BODY).await;
        if matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            return self.failed(self.authorization_problem(status, challenge));
        }
        if let (Asked::Discover(id), true) =
            (asked, status.is_client_error() && status != StatusCode::TOO_MANY_REQUESTS)
        {
            // An older server may refuse the probe in any way it likes; only a refusal of the newer era counts as one.
            if is_json && self.tap.is_modern_refusal(&body) {
                let forwarded = self.tap.incoming(&body).into_iter().find_map(|effect| match effect {
                    Effect::Forward(message) => Some(*message),
                    Effect::Reply(_) => None,
                });
                if let Some(message) = forwarded {
                    return Ok(StreamableHttpPostResponse::Json(message, None));
                }
            }
            return Ok(self.refused(*id));
        }
        if status == StatusCode::NOT_FOUND && in_session {
            self.tap.fail(Problem::new(
                SESSION_LOST,
                "the server has forgotten the session (HTTP 404)",
                "if several replicas serve this address, route a session to one of them",
            ));
            return Err(StreamableHttpError::SessionExpired);
        }
        if is_json && asked.id().is_some() {
            let forwarded = self.tap.incoming(&body).into_iter().find_map(|effect| match effect {
                Effect::Forward(message) => Some(*message),
                Effect::Reply(_) => None,
            });
            if let Some(message) = forwarded {
                return Ok(StreamableHttpPostResponse::Json(message, None));
            }
        }
        if asked.id().is_none() && status.is_client_error() {
            // A server that doesn't want a notification need not have it.
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        let excerpt = self.excerpt(&body);
        let (cause, help) = match status {
            StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED | StatusCode::BAD_REQUEST | StatusCode::GONE => (
                format!("the server answered HTTP {status}{excerpt}"),
                "make sure that the address is the Streamable HTTP endpoint; the older HTTP+SSE transport isn't supported",
            ),
            _ => (
                format!("the server answered HTTP {status}{excerpt}"),
                "try again later, or ask whoever runs the server",
            ),
        };
        self.failed(Problem::new("contacting the server", cause, help))
    }

    fn authorization_problem(&self, status: StatusCode, challenge: bool) -> Problem {
        let names = &self.header_names;
        let cause = match (names.is_empty(), challenge) {
            (false, _) => format!("the server rejected the configured headers, {names} (HTTP {status})"),
            (true, true) => format!("authentication required (HTTP {status}, with a challenge)"),
            (true, false) => format!("authentication required (HTTP {status})"),
        };
        let help = if names.is_empty() {
            "add \"headers\": { \"Authorization\": \"Bearer ${TOKEN}\" } to the server and set TOKEN; mcp-pin never opens a browser"
        } else {
            "make sure that the variables in the headers hold valid values; mcp-pin never opens a browser"
        };
        Problem::new("contacting the server", cause, help)
    }

    /// The beginning of an error's body, without secrets.
    fn excerpt(&self, body: &[u8]) -> String {
        let body = if body.len() < ERROR_BODY {
            self.protected.mask(&String::from_utf8_lossy(body))
        } else {
            masked_ends::beginning(body, &self.protected)
        };
        let shortened = text::shorten(body.trim(), 200);
        match (shortened.text, shortened.cut) {
            ("", _) => String::new(),
            (text, 0) => format!("\n{text}"),
            (text, _) => format!("\n{text}…"),
        }
    }
}
