//! Paths as relative references.

use std::fmt::Write;

/// A relative path with `/` as a relative reference (RFC 3986, 4.2): what isn't unreserved is an escape, so that nothing in it
/// is taken for a scheme, a query or a fragment.
pub fn uri_path(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'/') {
            out.push(char::from(byte));
        } else {
            // Writing to a String can't fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::uri_path;

    #[test]
    fn a_path_is_nothing_but_a_path() {
        assert_eq!(uri_path("a b/mcp-tools.lock"), "a%20b/mcp-tools.lock");
        assert_eq!(uri_path("x:y?z#é%"), "x%3Ay%3Fz%23%C3%A9%25");
    }
}
