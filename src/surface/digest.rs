//! The digest of a definition.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use crate::json::{Value, canonical};

/// SHA-256 over a canonical JSON text, written as `sha256-` and standard base64 (as in Subresource Integrity).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(String);

impl Digest {
    /// The digest of a value's canonical text.
    pub fn of(value: &Value) -> Self {
        let hash = Sha256::digest(canonical(value).as_bytes());
        Self(format!("sha256-{}", STANDARD.encode(hash)))
    }

    /// A digest from its text, if it has the form of one.
    pub fn parse(text: &str) -> Option<Self> {
        let encoded = text.strip_prefix("sha256-")?;
        let bytes = STANDARD.decode(encoded).ok()?;
        (bytes.len() == 32).then(|| Self(text.to_owned()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn digest_is_sha256_of_the_canonical_text() {
        let value = parse("{ \"b\": 1.0, \"a\": \"\\u00e9\" }").expect("valid");
        // printf '{"a":"é","b":1}' | openssl dgst -sha256 -binary | base64
        assert_eq!(Digest::of(&value).as_str(), "sha256-qlj7qEg2I77TfBsC7fzL3ZpTEjg3wgv6TLQEmZOihy4=");
    }

    #[test]
    fn only_whole_digests_are_read() {
        let digest = Digest::of(&Value::Null);
        assert_eq!(Digest::parse(digest.as_str()), Some(digest));
        for text in ["", "sha256-", "sha256-AAAA", "md5-AAAA", "sha256-????"] {
            assert_eq!(Digest::parse(text), None, "{text}");
        }
    }
}
