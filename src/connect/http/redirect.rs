//! Where a redirect leads, and what may be said of it.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use http::header::LOCATION;
use http::{HeaderMap, StatusCode};
use reqwest::Url;

use crate::launch::Protected;
use crate::problem::Problem;

/// Where a redirect leads, if we follow it.
pub(super) fn target(
    from: &Url,
    status: StatusCode,
    headers: &HeaderMap,
    protected: &Protected,
) -> Result<Url, Problem> {
    let step = "contacting the server";
    let location = headers.get(LOCATION).and_then(|location| location.to_str().ok());
    let Some((location, target)) = location.and_then(|location| Some((location, from.join(location).ok()?))) else {
        let cause = format!("HTTP {status} without a usable location");
        return Err(Problem::new(step, cause, "ask whoever runs the server"));
    };
    if target.origin() != from.origin() {
        let origin = target.origin().ascii_serialization();
        let whither = if holds_anything(protected, &[location, &origin]) {
            "whose address holds a protected value".to_owned()
        } else {
            origin
        };
        return Err(Problem::new(
            step,
            format!("the server redirects to another origin, {whither}; nothing was sent there"),
            "if you trust that server, write its address into the configuration",
        ));
    }
    if status == StatusCode::SEE_OTHER {
        let cause = format!("HTTP {status} asks for another kind of request");
        return Err(Problem::new(step, cause, "make sure that the address is that of an MCP server"));
    }
    Ok(target)
}

/// Whether one of the texts holds a protected value, in whatever letters: hosts have no case.
fn holds_anything(protected: &Protected, texts: &[&str]) -> bool {
    let mut folded = Protected::default();
    for value in protected.values() {
        folded.add_secret(&value.to_lowercase());
        // Of each way that it can lie in Base64, what its neighbours have no part in.
        for before in 0..3 {
            let bytes = [&vec![0; before], value.as_bytes()].concat();
            for encoded in [STANDARD.encode(&bytes), URL_SAFE.encode(&bytes)] {
                folded.add_secret(&encoded[(before * 4).div_ceil(3)..bytes.len() * 4 / 3].to_lowercase());
            }
        }
    }
    let holds = |protected: &Protected, text: &str| protected.mask(text) != text;
    texts.iter().any(|text| holds(protected, text) || holds(&folded, &text.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "Kp2_Lm9-qR7.tU5";

    fn told(location: &str) -> String {
        let mut protected = Protected::default();
        protected.add_secret(SECRET);
        let from = Url::parse("http://127.0.0.1:80/mcp").expect("an address");
        let headers = HeaderMap::from_iter([(LOCATION, location.parse().expect("a header"))]);
        target(&from, StatusCode::TEMPORARY_REDIRECT, &headers, &protected).expect_err("another origin").cause
    }

    #[test]
    fn no_host_that_holds_a_protected_value_is_shown() {
        let encoded = |before: &str, after: &str| URL_SAFE.encode(format!("{before}{SECRET}{after}")).replace('=', "");
        for label in [
            SECRET.to_owned(),
            SECRET.to_uppercase(),
            SECRET.replace('-', "%2D"),
            encoded("", ""),
            encoded("a", "b"),
            encoded("ab", "c"),
            encoded("user:", ""),
        ] {
            let cause = told(&format!("http://{label}.evil.example/"));
            assert!(cause.contains("holds a protected value") && !cause.contains("evil"), "{label}: {cause}");
        }
    }

    #[test]
    fn any_other_origin_is_shown() {
        assert!(told("https://other.example/x").contains("another origin, https://other.example;"));
    }
}
