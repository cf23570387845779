//! Sends one request: again where a server asks for patience, and to wherever it moved on the same origin.

use std::time::Duration;

use http::header::RETRY_AFTER;
use http::{HeaderMap, Method, StatusCode};
use reqwest::{Response, Url};
use tokio::time::sleep;

use super::{Endpoint, address, redirect};
use crate::problem::Problem;

/// How often a request is sent again, and how long at most we wait before it.
const ATTEMPTS: u32 = 4;
const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// How many redirects to the same origin are followed.
const REDIRECTS: usize = 5;

impl Endpoint {
    /// Sends one request, again where the server asks for patience, and to wherever it moved on the same origin.
    pub(super) async fn send(
        &self,
        method: &Method,
        url: &str,
        headers: HeaderMap,
        body: Option<Vec<u8>>,
    ) -> Result<Response, Problem> {
        let step = "contacting the server";
        let mut url = Url::parse(url).map_err(|error| Problem::new(step, error.to_string(), "correct the address"))?;
        let mut redirects = 0;
        let mut attempt = 0;
        loop {
            attempt += 1;
            let mut request = self.client.request(method.clone(), url.clone()).headers(headers.clone());
            if let Some(body) = &body {
                request = request.body(body.clone());
            }
            let response = match request.send().await {
                Ok(response) => response,
                Err(error) => {
                    let problem = connection_problem(error, &url);
                    if attempt >= ATTEMPTS || !problem.1 {
                        return Err(problem.0);
                    }
                    sleep(backoff(attempt)).await;
                    continue;
                }
            };
            let status = response.status();
            if asks_for_patience(status) && attempt < ATTEMPTS {
                sleep(retry_after(response.headers()).unwrap_or_else(|| backoff(attempt))).await;
                continue;
            }
            if status.is_redirection() && status != StatusCode::NOT_MODIFIED {
                redirects += 1;
                attempt = 0;
                if redirects > REDIRECTS {
                    let cause = format!("more than {REDIRECTS} redirects");
                    return Err(Problem::new(step, cause, "ask whoever runs the server"));
                }
                url = redirect::target(&url, status, response.headers(), &self.protected)?;
                continue;
            }
            return Ok(response);
        }
    }
}

/// A connection that failed: what to tell, and whether another attempt makes sense.
fn connection_problem(error: reqwest::Error, url: &Url) -> (Problem, bool) {
    let step = "contacting the server";
    let connecting = error.is_connect() || error.is_timeout();
    let cause = causes(&error.without_url());
    if cause.to_lowercase().contains("certificate") {
        let help = "if a private authority issued it, set SSL_CERT_FILE to that authority's certificate";
        return (Problem::new(step, format!("the server's certificate isn't trusted: {cause}"), help), false);
    }
    if let Some(variable) = address::unusable_proxy(url, |name| std::env::var(name).ok()) {
        let cause = format!("{cause}; {variable} holds no address of a proxy that can be used");
        let help =
            format!("correct {variable}, as in http://HOST:PORT, or unset it: only http and https proxies can be used");
        return (Problem::new(step, cause, help), false);
    }
    (Problem::new(step, cause, "make sure that the server runs and that this machine reaches it"), connecting)
}

/// An error with what lies under it, most general first, nothing twice.
pub(super) fn causes(error: &dyn std::error::Error) -> String {
    let mut texts = vec![error.to_string()];
    let mut source = error.source();
    while let Some(error) = source {
        let text = error.to_string();
        if texts.last().is_none_or(|last| !last.contains(&text)) {
            texts.push(text);
        }
        source = error.source();
    }
    texts.join(": ")
}

fn asks_for_patience(status: StatusCode) -> bool {
    matches!(
        status,
        StatusCode::TOO_MANY_REQUESTS
            | StatusCode::BAD_GATEWAY
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT
    )
}

fn backoff(attempt: u32) -> Duration {
    Duration::from_millis(150) * 2_u32.pow(attempt)
}

/// How long the server wants us to wait, in whole seconds (RFC 9110, section 10.2.3), within our patience.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds: u64 = headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds).min(LONGEST_WAIT))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn patience_has_an_end() {
        let headers = |value: &'static str| HeaderMap::from_iter([(RETRY_AFTER, HeaderValue::from_static(value))]);
        assert_eq!(retry_after(&headers("2")), Some(Duration::from_secs(2)));
        assert_eq!(retry_after(&headers("86400")), Some(LONGEST_WAIT));
        assert_eq!(retry_after(&headers("tomorrow")), None);
    }
}
