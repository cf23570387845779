//! What the headers of an answer say of its body.

use http::HeaderValue;
use http::header::CONTENT_TYPE;
use reqwest::Response;

/// The media type of a response without parameters, in lower case.
pub(super) fn media_type(response: &Response) -> Option<String> {
    written_media_type(response).map(str::to_ascii_lowercase)
}

/// The media type of a response without parameters.
pub(super) fn written_media_type(response: &Response) -> Option<&str> {
    let value = response.headers().get(CONTENT_TYPE)?.to_str().ok()?;
    Some(value.split(';').next().unwrap_or_default().trim())
}

/// Whether a content coding leaves a body as it is (RFC 9110, section 8.4.1: names of codings have no case).
pub(super) fn is_identity(encoding: &HeaderValue) -> bool {
    let encoding = encoding.as_bytes().trim_ascii();
    encoding.is_empty() || encoding.eq_ignore_ascii_case(b"identity")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_codings_have_no_case() {
        for (encoding, expected) in [("identity", true), ("Identity", true), ("", true), ("gzip", false)] {
            assert_eq!(is_identity(&HeaderValue::from_static(encoding)), expected, "{encoding}");
        }
    }
}
