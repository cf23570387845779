//! The strict JSON reader and the canonical form.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_pin::json::{self, ErrorKind, Kind, MAX_DEPTH, Reader, Value};
use mcp_pin::text;
use serde::de::IgnoredAny;

fuzz_target!(|bytes: &[u8]| {
    let read = json::parse_bytes(bytes);
    raw_is_as_strict(bytes, &read);
    match read {
        Ok(value) => accepted(bytes, &value),
        Err(error) => refused(bytes, &error),
    }
});

/// The reader that builds no tree refuses the same texts at the same places.
fn raw_is_as_strict(bytes: &[u8], read: &Result<Value, json::Error>) {
    let Ok(source) = std::str::from_utf8(bytes) else { return };
    let mut reader = Reader::new(source, MAX_DEPTH);
    let raw = reader.raw().and_then(|raw| reader.finish().map(|()| raw));
    match (raw, read) {
        (Ok(raw), Ok(value)) => assert_eq!(json::parse(raw).as_ref(), Ok(value)),
        (Err(one), Err(other)) => assert_eq!(one, *other),
        (raw, _) => panic!("{raw:?} and {read:?}"),
    }
}

fn accepted(bytes: &[u8], value: &Value) {
    // Whatever we accept is JSON to others, and its top is of the same kind.
    serde_json::from_slice::<IgnoredAny>(bytes).expect("what is accepted is valid JSON");

    let canonical = json::canonical(value);
    let again = json::parse_stored(&canonical).expect("the canonical text is read back");
    assert_eq!(again, *value);
    assert_eq!(json::canonical(&again), canonical);
    serde_json::from_str::<IgnoredAny>(&canonical).expect("the canonical text is valid JSON");

    let pretty = json::pretty(value);
    assert_eq!(json::parse_stored(&pretty).as_ref(), Ok(value));
    assert!(!pretty.contains("'''"), "{pretty}");
    assert!(!pretty.chars().any(text::is_invisible), "{pretty:?}");
    assert!(!pretty.split('\n').any(|line| line.ends_with([' ', '\t'])), "{pretty:?}");

    in_order(value);
    // Where another reader keeps the whole value, both canonical texts mean the same to it.
    if let (Ok(one), Ok(other)) =
        (serde_json::from_slice::<serde_json::Value>(bytes), serde_json::from_str::<serde_json::Value>(&canonical))
    {
        assert!(same(&one, &other), "{one} and {other}");
    }
}

/// Another reader refuses it too, or it is one of the things that only we refuse.
fn refused(bytes: &[u8], error: &json::Error) {
    let _ = error.to_string();
    assert!(error.offset <= bytes.len() && error.line > 0 && error.column > 0);
    let ours = matches!(
        error.kind,
        ErrorKind::RepeatedKey(_) | ErrorKind::TooDeep(_) | ErrorKind::NumberTooLong | ErrorKind::ExponentTooLarge
    );
    if !ours {
        let other = serde_json::from_slice::<serde_json::Value>(bytes);
        assert!(other.is_err(), "{error} but {other:?}");
    }
}

/// Members in the order of their UTF-16 code units, each once; numbers in a text that is their own.
fn in_order(value: &Value) {
    match value {
        Value::Array(elements) => elements.iter().for_each(in_order),
        Value::Object(object) => {
            let keys: Vec<Vec<u16>> = object.keys().map(|key| key.encode_utf16().collect()).collect();
            assert!(keys.is_sorted_by(|one, other| one < other));
            for (key, member) in object.iter() {
                assert_eq!(object.get(key), Some(member));
                in_order(member);
            }
        }
        Value::Number(number) => {
            let text = number.as_str();
            assert_eq!(Reader::new(text, 1).peek(), Ok(Kind::Number));
            assert_eq!(json::parse_stored(text), Ok(value.clone()));
            assert!(!number.to_f64().is_nan());
        }
        _ => {}
    }
}

/// Equal, numbers as doubles.
fn same(one: &serde_json::Value, other: &serde_json::Value) -> bool {
    use serde_json::Value as Other;
    match (one, other) {
        (Other::Number(one), Other::Number(other)) => one.as_f64() == other.as_f64(),
        (Other::Array(one), Other::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Other::Object(one), Other::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, one)| other.get(key).is_some_and(|other| same(one, other)))
        }
        (one, other) => one == other,
    }
}
