//! How long and how much a server may take.

use std::time::Duration;

/// The limits of one server. Each names itself, and the flag that raises it, when it strikes.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// From the start of a server to the end of its handshake. First runs of `npx` and `uvx` install packages.
    pub start: Duration,
    /// For one request.
    pub request: Duration,
    /// For all that is done with one server.
    pub server: Duration,
    /// Bytes of one message: a line of output, an HTTP body, an event.
    pub message: usize,
    /// Bytes of all answers of one listing, over reconnects too.
    pub listing: usize,
}

impl Limits {
    /// The most pages that one listing may have.
    pub const PAGES: usize = 1_000;
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(60),
            request: Duration::from_secs(30),
            server: Duration::from_secs(300),
            message: 16 << 20,
            listing: 64 << 20,
        }
    }
}

/// A duration as messages write it: `60 s`, `0.5 s`.
pub(super) fn seconds(duration: Duration) -> String {
    format!("{} s", duration.as_secs_f64())
}

/// A size as messages write it: `16 MiB`, or bytes where it is no whole number of those.
pub(super) fn bytes(size: usize) -> String {
    const UNITS: [(usize, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    UNITS
        .iter()
        .find(|(unit, _)| size >= *unit && size.is_multiple_of(*unit))
        .map_or_else(|| format!("{size} bytes"), |(unit, name)| format!("{} {name}", size / unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_written_as_people_write_them() {
        assert_eq!(seconds(Duration::from_secs(60)), "60 s");
        assert_eq!(seconds(Duration::from_millis(500)), "0.5 s");
        assert_eq!(bytes(16 << 20), "16 MiB");
        assert_eq!(bytes(1_000), "1000 bytes");
    }
}
