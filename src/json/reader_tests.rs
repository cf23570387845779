//! What the strict reader accepts and refuses.

use super::*;

fn kind(json: &str) -> ErrorKind {
    parse(json).expect_err(json).kind
}

#[test]
fn repeated_keys_are_refused_at_any_depth_and_after_decoding() {
    let error = parse(r#"{"a":[{"b":1,"\u0062":2}]}"#).expect_err("repeated");
    assert_eq!(error.kind, ErrorKind::RepeatedKey("b".into()));
    assert_eq!(error.pointer.to_string(), "/a/0");
    assert_eq!((error.line, error.column), (1, 14));
}

#[test]
fn repeated_keys_are_found_in_large_objects_too() {
    let members: Vec<String> = (0..100).map(|index| format!("\"k{index}\":0")).collect();
    for repeated in ["k3", "k99"] {
        let json = format!("{{{},\"{repeated}\":1}}", members.join(","));
        assert_eq!(kind(&json), ErrorKind::RepeatedKey(repeated.into()));
    }
}

#[test]
fn half_surrogate_pairs_are_refused() {
    for json in [r#""\ud800""#, r#""\udc00""#, r#""\ud800\u0041""#, r#""\ud83d \ude00""#] {
        assert_eq!(kind(json), ErrorKind::LoneSurrogate, "{json}");
    }
    assert_eq!(parse(r#""\ud83d\ude00""#), Ok(Value::from("😀")));
}

#[test]
fn bytes_that_are_no_utf8_are_refused_with_their_place() {
    let error = parse_bytes(b"{\n\"a\": \"\xff\xfe\"}").expect_err("no UTF-8");
    assert_eq!((error.kind, error.line, error.column), (ErrorKind::NotUtf8, 2, 7));
}

#[test]
fn nesting_is_counted_from_the_value_itself() {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert!(parse(&nested(128)).is_ok());
    assert_eq!(kind(&nested(129)), ErrorKind::TooDeep(128));
    assert_eq!(kind(&"[".repeat(1_000_000)), ErrorKind::TooDeep(128));
}

#[test]
fn what_is_no_json_is_refused() {
    for json in [
        "",
        " ",
        "{",
        "[1,]",
        "{\"a\":1,}",
        "01",
        "1.",
        "-",
        "+1",
        ".5",
        "1e",
        "NaN",
        "nul",
        "'a'",
        "\"\t\"",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"\\u+123\"",
        "[1 2]",
        "{\"a\" 1}",
        "{1:2}",
        "1 2",
        "\u{feff}1",
        "// c\n1",
    ] {
        assert!(parse(json).is_err(), "{json:?} was accepted");
    }
}

#[test]
fn raw_text_is_what_was_written() {
    let text = r#" {"a" : [ 1.0 , "\u0041" ], "b":2}"#;
    let mut reader = Reader::new(text, MAX_DEPTH);
    let mut seen = Vec::new();
    reader
        .object(|key, reader| {
            seen.push((key.to_owned(), reader.raw()?));
            Ok(())
        })
        .expect("valid");
    reader.finish().expect("nothing left");
    assert_eq!(seen, [("a".to_owned(), r#"[ 1.0 , "\u0041" ]"#), ("b".to_owned(), "2")]);
}

#[test]
fn raw_reading_is_as_strict_as_reading_trees() {
    for json in ["[{\"a\":1,\"a\":2}]", "[\"\\ud800\"]", "[1e1000001]", "[tru]"] {
        let raw = Reader::new(json, MAX_DEPTH).raw().map(drop);
        assert_eq!(raw.expect_err(json), parse(json).expect_err(json));
    }
}
