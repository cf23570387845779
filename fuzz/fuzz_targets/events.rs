//! The reader of event streams, its limits, and what the tap makes of the events.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_pin::connect::fuzzing::{Seen, event_stream};

/// Larger than any input.
const NO_LIMIT: usize = 1 << 20;

fuzz_target!(|input: &[u8]| {
    let Some((&piece, bytes)) = input.split_first() else { return };
    for standing in [false, true] {
        let whole = event_stream(bytes, bytes.len(), standing, NO_LIMIT);
        for piece in [1, 2 + usize::from(piece % 64)] {
            assert_eq!(event_stream(bytes, piece, standing, NO_LIMIT), whole, "in pieces of {piece}");
        }
        sound(bytes, &whole);
        if standing {
            // No answer belongs there.
            assert!(whole.results.is_empty() && whole.refused.is_empty(), "{whole:?}");
        } else if std::str::from_utf8(bytes).is_ok() {
            by_the_book(bytes, &whole);
        }
        limited(bytes, piece, standing, &whole);
    }
});

fn sound(bytes: &[u8], seen: &Seen) {
    let text = String::from_utf8_lossy(bytes);
    for (_, raw) in &seen.results {
        // Lines of one event are joined by line feeds.
        assert!(raw.split('\n').all(|line| text.contains(line)), "{raw:?}");
        assert!(!seen.forwarded.iter().any(|event| event.len() > 4 * bytes.len() + 1_000));
    }
    for reply in &seen.replies {
        serde_json::from_str::<serde::de::IgnoredAny>(reply).expect("a reply is valid JSON");
    }
}

/// The data of every message, by the plainest reading of WHATWG HTML, 9.2.6, goes through the tap: nothing that another
/// reader sees is passed over, and nothing else is seen.
fn by_the_book(bytes: &[u8], seen: &Seen) {
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text).replace("\r\n", "\n").replace('\r', "\n");
    let mut messages = Vec::new();
    let (mut data, mut name) = (Vec::new(), "");
    let Some((complete, _)) = text.rsplit_once('\n') else { return };
    for line in complete.split('\n') {
        if line.is_empty() {
            if matches!(name, "" | "message") && !data.is_empty() {
                messages.push(data.join("\n"));
            }
            (data, name) = (Vec::new(), "");
            continue;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => data.push(value),
            "event" => name = value,
            _ => {}
        }
    }
    let messages = messages.iter().filter(|data| !data.trim().is_empty()).map(|data| data.as_bytes());
    let expected = mcp_pin::connect::fuzzing::output(messages, None);
    let seen = Seen { forwarded: Vec::new(), ..seen.clone() };
    assert_eq!(seen, Seen { forwarded: Vec::new(), ..expected });
}

/// A limit ends the stream or changes nothing.
fn limited(bytes: &[u8], piece: u8, standing: bool, whole: &Seen) {
    let limited = event_stream(bytes, 1 + usize::from(piece % 64), standing, 64);
    if limited.fault.is_none() {
        assert_eq!(limited, *whole);
    }
}
