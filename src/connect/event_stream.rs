//! The text of an event stream, read as every browser reads it (WHATWG HTML, 9.2.6), whatever the pieces it arrives in.
//!
//! A server must not be able to show an answer to clients that read by the book and hide it from us. So a field that
//! nobody knows is ignored, a field without a colon has an empty value, and of a repeated one the last counts; bytes
//! that are no UTF-8 are an error, for others replace them.

use std::collections::VecDeque;
use std::str::Utf8Error;

use sse_stream::Sse;

/// What has been read of a stream so far.
#[derive(Default)]
pub(super) struct EventStream {
    line: Vec<u8>,
    /// A line feed that follows ends no other line.
    after_carriage_return: bool,
    begun: bool,
    current: Option<Sse>,
    events: VecDeque<Result<Sse, Utf8Error>>,
}

impl EventStream {
    /// Reads on.
    pub(super) fn push(&mut self, mut bytes: &[u8]) {
        while let Some((&first, rest)) = bytes.split_first() {
            if std::mem::take(&mut self.after_carriage_return) && first == b'\n' {
                bytes = rest;
                continue;
            }
            let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
                self.line.extend_from_slice(bytes);
                return;
            };
            self.line.extend_from_slice(&bytes[..end]);
            self.after_carriage_return = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
            let mut line = std::mem::take(&mut self.line);
            if !std::mem::replace(&mut self.begun, true) {
                super::frames::without_byte_order_mark(&mut line);
            }
            if let Err(error) = self.end_line(&line) {
                self.events.push_back(Err(error));
            }
            // The next line needs no new memory.
            line.clear();
            self.line = line;
        }
    }

    /// The next event that is complete: one that the stream ends within is none.
    pub(super) fn next(&mut self) -> Option<Result<Sse, Utf8Error>> {
        self.events.pop_front()
    }

    fn end_line(&mut self, line: &[u8]) -> Result<(), Utf8Error> {
        if line.is_empty() {
            self.events.extend(self.current.take().map(Ok));
            return Ok(());
        }
        let colon = line.iter().position(|&byte| byte == b':');
        let (field, value) = match colon {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &line[line.len()..]),
        };
        if !matches!(field, b"data" | b"event" | b"id" | b"retry") {
            return Ok(());
        }
        let value = std::str::from_utf8(value.strip_prefix(b" ").unwrap_or(value))?;
        let event = self.current.get_or_insert_default();
        match field {
            b"data" => match &mut event.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => event.data = Some(value.to_owned()),
            },
            b"event" => event.event = Some(value.to_owned()),
            b"id" if !value.contains('\0') => event.id = Some(value.to_owned()),
            b"retry" if value.bytes().all(|byte| byte.is_ascii_digit()) => {
                event.retry = value.parse().ok().or(event.retry);
            }
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The events of a text, the same however it is cut into pieces.
    fn events(text: &[u8]) -> Vec<Option<Sse>> {
        let read = |size: usize| {
            let mut stream = EventStream::default();
            text.chunks(size).for_each(|piece| stream.push(piece));
            std::iter::from_fn(|| stream.next()).map(Result::ok).collect::<Vec<_>>()
        };
        let whole = read(text.len());
        for size in 1..text.len() {
            assert_eq!(read(size), whole, "in pieces of {size}");
        }
        whole
    }

    fn message(data: &str) -> Option<Sse> {
        Some(Sse::default().data(data))
    }

    #[test]
    fn every_line_end_ends_a_line() {
        let text = b"\xef\xbb\xbfdata: 1\n\ndata:2\r\n\r\ndata: 3\rdata:  4\r\r\ndata: 5\n";
        assert_eq!(events(text), [message("1"), message("2"), message("3\n 4")]);
    }

    #[test]
    fn an_unknown_field_hides_nothing_that_comes_with_it() {
        let text = b"data: 1\n\nunknown: x\n\nno colon\ndata: 2\n\n: \xff\ndata: 3\n\n";
        assert_eq!(events(text), [message("1"), message("2"), message("3")]);
    }

    #[test]
    fn of_a_repeated_field_the_last_counts() {
        let text = b"event: ping\nid: 1\nretry: 5\nevent: message\nid: 2\nretry: 6\nretry: soon\ndata\ndata: x\n\n";
        let expected = Sse::default().event("message").id("2").retry(6).data("\nx");
        assert_eq!(events(text), [Some(expected)]);
        assert_eq!(events(b"event: ping\nevent\ndata: x\n\n"), [Some(Sse::default().event("").data("x"))]);
    }

    #[test]
    fn bytes_that_are_no_utf8_are_an_error_of_their_line_alone() {
        assert_eq!(events(b"data: \xff\n\ndata: 2\n\n"), [None, message("2")]);
    }
}
