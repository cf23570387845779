use super::*;

fn read(text: &str) -> Frame<'_> {
    Frame::read(text.as_bytes())
}

#[test]
fn answers_keep_the_text_of_their_result() {
    assert_eq!(
        read(r#"{"jsonrpc":"2.0","id":3,"result":{ "tools" : [1.0] }}"#),
        Frame::Answer { id: AnswerId::Number(3), payload: Payload::Result(r#"{ "tools" : [1.0] }"#) }
    );
}

#[test]
fn an_echoed_string_id_is_the_number() {
    for id in ["3", "\"3\"", "3.0"] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
        assert!(matches!(read(&text), Frame::Answer { id: AnswerId::Number(3), .. }), "{id}");
    }
    assert!(matches!(read(r#"{"jsonrpc":"2.0","id":"x","result":{}}"#), Frame::Answer { id: AnswerId::Foreign, .. }));
}

#[test]
fn errors_may_have_no_id() {
    let expected = Frame::Answer {
        id: AnswerId::Null,
        payload: Payload::Error { code: -32700, message: "what".into(), data: Some("[1]") },
    };
    assert_eq!(read(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what","data":[1]}}"#), expected);
    assert_eq!(read(r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"what","data":[1]}}"#), expected);
}

#[test]
fn requests_and_notifications_are_told_apart() {
    assert_eq!(
        read(r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#),
        Frame::Request { id: "\"a\"", method: "ping".into() }
    );
    assert_eq!(read(r#"{"jsonrpc":"2.0","method":"x"}"#), Frame::Notification { method: "x".into() });
}

#[test]
fn what_is_not_of_the_protocol_is_noise() {
    for text in ["", "hello", "{banner}", r#"{"level":"info"}"#, "[1,2]", "42", "null", "[]", r#"{"id":1}"#] {
        assert_eq!(read(text), Frame::Noise, "{text}");
    }
}

#[test]
fn answers_that_two_readers_could_understand_differently_are_unusable() {
    for text in [
        r#"{"jsonrpc":"2.0","id":1,"method":"x","result":{}}"#,
        r#"{"json\u0072pc":"2.0","id":1,"result":{"a":1,"a":2}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{},"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","name":"b"}]}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}"#,
        r#"{"jsonrpc":"1.0","id":1,"result":{}}"#,
        r#"{"id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"a":"\ud800"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":"no"}"#,
    ] {
        assert!(matches!(read(text), Frame::Unusable { .. }), "{text}: {:?}", read(text));
    }
    assert!(matches!(Frame::read(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"\xff\"}"), Frame::Unusable { .. }));
    let deep = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{}{}}}"#, "[".repeat(10_000), "]".repeat(10_000));
    assert!(matches!(read(&deep), Frame::Unusable { .. }));
}

#[test]
fn lines_of_a_log_are_noise_whatever_words_they_hold() {
    for text in [
        "[2026-01-01 12:00:00] INFO upstream said \"error\": none",
        r"[info] watching C:\users\me\src",
        r#"{ level: 'info', msg: 'got "result" back' }"#,
        r#"{"level":50,"id":null,"error":"x"}"#,
        r#"{"level":50,"Error":"x"}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"#,
    ] {
        assert_eq!(read(text), Frame::Noise, "{text}");
    }
}

#[test]
fn members_that_only_some_clients_read_make_an_answer_unusable() {
    for text in [
        r#"{"jsonrpc":"2.0","id":1,"Result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{},"RESULT":{}}"#,
        "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
        r#"{"jsonrpc":"2.0","id":1,"result":{}} x"#,
        r#"[{"jsonrpc":"2.0","id":1,"result":{}},]"#,
    ] {
        assert!(matches!(read(text), Frame::Unusable { .. }), "{text}: {:?}", read(text));
    }
}

#[test]
fn a_notification_with_unusable_params_is_known_by_its_method() {
    assert_eq!(read(r#"{"jsonrpc":"2.0","method":"x","params":{"a":1,"a":2}}"#), Frame::Unclear { method: "x".into() });
}

#[test]
fn an_escape_hides_no_message() {
    // Found with the fuzz targets: the version was compared as it is written, so that such a message was noise to us alone.
    assert!(matches!(
        read(r#"{"jsonrpc":"\u0032.0","id":3,"result":{}}"#),
        Frame::Answer { id: AnswerId::Number(3), .. }
    ));
    assert_eq!(read(r#"{"\u006asonrpc":"2\u002e0","method":"x"}"#), Frame::Notification { method: "x".into() });
}

#[test]
fn batches_are_taken_apart() {
    let batch = r#"[{"jsonrpc":"2.0","method":"x"}, {"jsonrpc":"2.0","id":1,"result":{}}]"#;
    let Frame::Batch(messages) = read(batch) else { panic!("no batch") };
    assert_eq!(messages.len(), 2);
}

async fn lines(input: &[u8], limit: usize) -> Vec<Result<String, ()>> {
    let mut lines = Lines::new(input, limit);
    let mut seen = Vec::new();
    loop {
        match lines.next().await {
            Ok(Line::Whole(line) | Line::CutOff(line)) => seen.push(Ok(String::from_utf8(line).expect("text"))),
            Ok(Line::End) => return seen,
            Err(_) => {
                seen.push(Err(()));
                return seen;
            }
        }
    }
}

#[tokio::test]
async fn lines_lose_their_ends_and_a_first_byte_order_mark() {
    let seen = lines(b"\xef\xbb\xbfone\r\ntwo\n\nlast", 10).await;
    assert_eq!(seen, [Ok("one".into()), Ok("two".into()), Ok(String::new()), Ok("last".into())]);
}

#[tokio::test]
async fn lines_beyond_the_limit_are_an_error() {
    assert_eq!(lines(b"12345\n123456\n", 5).await, [Ok("12345".into()), Err(())]);
}
