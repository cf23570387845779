//! The reader of messages: lines, the envelope of one message, and what the tap makes of it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_pin::connect::fuzzing::{LIST, Message, lines, message, output};
use mcp_pin::json::{MAX_DEPTH, Reader};
use serde_json::Value;

fuzz_target!(|bytes: &[u8]| {
    let (whole, _) = lines(bytes, 8 << 10, usize::MAX);
    for buffer in [1, 2, 7] {
        assert_eq!(lines(bytes, buffer, usize::MAX).0, whole, "a buffer of {buffer}");
    }
    let (short, too_long) = lines(bytes, 16, 64);
    assert!(short.iter().all(|(line, _)| line.len() <= 64) && whole.starts_with(&short));
    assert!(too_long || short == whole);

    for (line, _) in &whole {
        look(line);
    }
    look(bytes);
    through_the_tap(&whole);
});

fn look(bytes: &[u8]) {
    let seen = message(bytes);
    match &seen {
        Message::Answer(_, Ok(raw)) | Message::Answer(_, Err(Some(raw))) | Message::Request(raw) => part(bytes, raw),
        Message::Batch(messages) => messages.iter().for_each(|raw| part(bytes, raw)),
        _ => {}
    }
    if let Ok(Value::Object(other)) = serde_json::from_slice::<Value>(bytes) {
        agrees(bytes, &seen, &other);
    }
}

/// What is kept is a part of the message, and valid as the strict reader sees it.
fn part(bytes: &[u8], raw: &str) {
    let (outer, inner) = (bytes.as_ptr_range(), raw.as_bytes().as_ptr_range());
    assert!(outer.start <= inner.start && inner.end <= outer.end);
    let mut reader = Reader::new(raw, MAX_DEPTH + 8);
    assert_eq!(reader.raw(), Ok(raw));
    assert_eq!(reader.finish(), Ok(()));
    serde_json::from_str::<serde::de::IgnoredAny>(raw).expect("what is kept is valid JSON");
}

/// What another reader of JSON understands as a message, we don't pass over; where we take it for one, it is.
fn agrees(bytes: &[u8], seen: &Message<'_>, other: &serde_json::Map<String, Value>) {
    let has = |key: &str| other.contains_key(key);
    let of_protocol = other.get("jsonrpc").and_then(Value::as_str) == Some("2.0");
    let method = other.get("method").and_then(Value::as_str);
    if of_protocol && (has("result") || has("error")) {
        assert!(matches!(seen, Message::Answer(..) | Message::Unusable), "{}", String::from_utf8_lossy(bytes));
    } else if of_protocol && method.is_some() {
        assert!(
            matches!(seen, Message::Request(_) | Message::Notification(_) | Message::Unusable | Message::Unclear),
            "{}",
            String::from_utf8_lossy(bytes)
        );
    }
    match seen {
        Message::Answer(id, payload) => {
            assert!(of_protocol && method.is_none());
            if let Some(id) = id {
                let named = match &other["id"] {
                    Value::String(text) => text.parse().ok(),
                    Value::Number(number) => number.as_f64().map(|number| number as i64),
                    _ => None,
                };
                assert!(named == Some(*id) || id.unsigned_abs() > 1 << 53, "{id} and {named:?}");
            }
            match payload {
                Ok(raw) => assert!(!has("error") && same(raw, &other["result"])),
                Err(data) => {
                    assert!(!has("result"));
                    assert!(data.is_none_or(|raw| same(raw, &other["error"]["data"])));
                }
            }
        }
        Message::Request(id) => assert!(of_protocol && same(id, &other["id"]) && method.is_some()),
        Message::Notification(name) => assert!(of_protocol && method == Some(name)),
        Message::Batch(_) => panic!("an object is no batch"),
        Message::Unusable | Message::Unclear | Message::Noise => {}
    }
}

fn same(raw: &str, value: &Value) -> bool {
    serde_json::from_str::<Value>(raw).ok().as_ref() == Some(value)
}

/// rmcp sees nothing of a payload, every request gets at most one end, and what is kept was sent.
fn through_the_tap(lines: &[(Vec<u8>, bool)]) {
    let messages = lines.iter().filter(|(_, whole)| *whole).map(|(line, _)| line.as_slice());
    let last = lines.iter().find(|(_, whole)| !whole).map(|(line, _)| line.as_slice());
    let seen = output(messages, last);
    assert!(seen.forwarded.len() <= 3, "{seen:?}");
    for (id, raw) in &seen.results {
        assert!(lines.iter().any(|(line, _)| line.windows(raw.len()).any(|part| part == raw.as_bytes())));
        if *id == LIST {
            let stand_in = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":[]}}}}"#);
            assert!(seen.forwarded.contains(&stand_in), "{seen:?}");
        }
    }
    for reply in &seen.replies {
        assert!(!reply.contains('\n'), "{reply:?}");
        serde_json::from_str::<serde::de::IgnoredAny>(reply).expect("a reply is valid JSON");
    }
}
