//! A text as another program would read it: with one kind of escapes undone, and each byte's place in the original.

use std::ops::Range;

/// A text with escapes undone. Bytes that an escape stands for are kept even where they are no UTF-8.
pub(super) struct View {
    /// What the text means.
    pub(super) bytes: Vec<u8>,
    /// For each byte, and for the end, where it comes from.
    origins: Vec<usize>,
    /// For each byte where what it comes from ends; empty where that is where the next one begins.
    ends: Vec<usize>,
}

impl View {
    /// The text with `%41` undone (RFC 3986, section 2.1), if it has any.
    pub(super) fn percent_decoded(text: &str) -> Option<Self> {
        text.contains('%').then(|| Self::decoded(text, percent_escape))
    }

    /// The text as a form's, where a blank is a plus (WHATWG URL, application/x-www-form-urlencoded), if it has any.
    pub(super) fn form_decoded(text: &str) -> Option<Self> {
        text.contains('+').then(|| {
            Self::decoded(text, |rest, out| {
                if rest[0] == b'+' {
                    out.push(b' ');
                    return 1;
                }
                percent_escape(rest, out)
            })
        })
    }

    /// The text with backslash escapes undone: those of JSON, and `\u{41}` as our own reports write it.
    pub(super) fn unescaped(text: &str) -> Option<Self> {
        if !text.contains('\\') {
            return None;
        }
        Some(Self::decoded(text, |rest, out| {
            let (b'\\', Some(&letter)) = (rest[0], rest.get(1)) else { return 0 };
            let byte = match letter {
                b'"' | b'\\' | b'/' | b'\'' => letter,
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                b'b' => 8,
                b'f' => 12,
                b'u' => return unicode_escape(rest, out),
                _ => return 0,
            };
            out.push(byte);
            2
        }))
    }

    /// The text as a JSON Pointer's, with `~1` and `~0` undone (RFC 6901, section 4), if it has any.
    pub(super) fn pointer_decoded(text: &str) -> Option<Self> {
        text.contains('~').then(|| {
            Self::decoded(text, |rest, out| {
                let byte = match rest {
                    [b'~', b'1', ..] => b'/',
                    [b'~', b'0', ..] => b'~',
                    _ => return 0,
                };
                out.push(byte);
                2
            })
        })
    }

    /// The text without white space, whether it is spelled as it is, with backslashes (in JSON within JSON, several) or with
    /// percent signs; for Base64, which programs break into lines. `None` where no white space parts anything.
    pub(super) fn unwrapped(text: &str) -> Option<Self> {
        let inner = text.trim();
        if !inner.bytes().any(|byte| byte.is_ascii_whitespace() || matches!(byte, b'\\' | b'%')) {
            return None;
        }
        let mut view = Self::decoded(text, |rest, out| match rest[0] {
            byte if byte.is_ascii_whitespace() => 1,
            b'\\' => {
                let backslashes = rest.iter().take_while(|&&byte| byte == b'\\').count();
                match rest.get(backslashes) {
                    Some(b'n' | b'r' | b't') => backslashes + 1,
                    Some(b'u') => {
                        backslashes - 1 + without_space(out, |out| unicode_escape(&rest[backslashes - 1..], out)).max(1)
                    }
                    _ => backslashes,
                }
            }
            b'%' => without_space(out, |out| percent_escape(rest, out)),
            _ => 0,
        });
        // White space after a byte is none of its own.
        let source = text.as_bytes();
        let end = |(index, byte): (usize, &u8)| {
            let start = view.origins[index];
            if source[start] == *byte { start + 1 } else { view.origins[index + 1] }
        };
        view.ends = view.bytes.iter().enumerate().map(end).collect();
        Some(view)
    }

    /// The place in the original of a range of [`View::bytes`].
    pub(super) fn origin(&self, range: Range<usize>) -> Range<usize> {
        let end = range.end.checked_sub(1).and_then(|last| self.ends.get(last)).unwrap_or(&self.origins[range.end]);
        self.origins[range.start]..*end
    }

    /// `decode` writes what stands next and says how many bytes it took, or 0 where a byte stands for itself.
    fn decoded(text: &str, decode: impl Fn(&[u8], &mut Vec<u8>) -> usize) -> Self {
        let source = text.as_bytes();
        let mut view = Self {
            bytes: Vec::with_capacity(source.len()),
            origins: Vec::with_capacity(source.len() + 1),
            ends: Vec::new(),
        };
        let mut at = 0;
        while at < source.len() {
            let taken = decode(&source[at..], &mut view.bytes);
            if taken == 0 {
                view.bytes.push(source[at]);
            }
            view.origins.resize(view.bytes.len(), at);
            at += taken.max(1);
        }
        view.origins.push(source.len());
        view
    }
}

/// Undoes an escape, and takes what it stands for away again where that is white space.
fn without_space(out: &mut Vec<u8>, decode: impl FnOnce(&mut Vec<u8>) -> usize) -> usize {
    let before = out.len();
    let taken = decode(out);
    if out[before..].iter().all(u8::is_ascii_whitespace) {
        out.truncate(before);
    }
    taken
}

/// `%41`
fn percent_escape(rest: &[u8], out: &mut Vec<u8>) -> usize {
    let code = (rest[0] == b'%').then(|| hexadecimal(rest.get(1..3)?)).flatten();
    let Some(byte) = code.and_then(|code| u8::try_from(code).ok()) else { return 0 };
    out.push(byte);
    3
}

/// `\u0041`, a pair of surrogates, or `\u{41}`.
fn unicode_escape(rest: &[u8], out: &mut Vec<u8>) -> usize {
    let four = |at: usize| hexadecimal(rest.get(at..at + 4)?);
    let (code, taken) = if rest.get(2) == Some(&b'{') {
        let Some(length) = rest.iter().skip(3).take(7).position(|&byte| byte == b'}') else { return 0 };
        (hexadecimal(&rest[3..3 + length]), length + 4)
    } else {
        match (four(2), four(8)) {
            (Some(high @ 0xd800..=0xdbff), Some(low @ 0xdc00..=0xdfff)) if rest[6..8] == *b"\\u" => {
                (Some(0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00)), 12)
            }
            (code, _) => (code, 6),
        }
    };
    let Some(character) = code.and_then(char::from_u32) else { return 0 };
    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    taken
}

fn hexadecimal(digits: &[u8]) -> Option<u32> {
    let all = !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit);
    all.then(|| digits.iter().fold(0, |code, &digit| code * 16 + char::from(digit).to_digit(16).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(view: Option<View>) -> String {
        String::from_utf8(view.expect("something to undo").bytes).expect("UTF-8")
    }

    #[test]
    fn percent_escapes_are_undone_in_either_case() {
        assert_eq!(text(View::percent_decoded("a%2Fb%2fc%zz%")), "a/b/c%zz%");
        assert_eq!(text(View::form_decoded("a+b%2B")), "a b+");
        assert!(View::percent_decoded("plain").is_none() && View::form_decoded("plain").is_none());
    }

    #[test]
    fn pointer_escapes_are_undone() {
        assert_eq!(text(View::pointer_decoded("/a~1b~0c~2~")), "/a/b~c~2~");
        assert!(View::pointer_decoded("plain").is_none());
    }

    #[test]
    fn backslash_escapes_are_undone() {
        assert_eq!(text(View::unescaped(r#"\"\\\/\n\u00e9\ud83d\ude00\u{41}"#)), "\"\\/\né😀A");
        assert_eq!(text(View::unescaped(r"\x \u12 \u{zz} \ud800 \")), r"\x \u12 \u{zz} \ud800 \");
    }

    #[test]
    fn white_space_is_taken_out_however_it_is_spelled() {
        for wrapped in ["ab\ncd", "ab \r\n\tcd", r"ab\ncd", r"ab\\r\\ncd", r"ab\u000acd", "ab%0D%0Acd"] {
            assert_eq!(text(View::unwrapped(wrapped)), "abcd", "{wrapped}");
        }
        assert_eq!(text(View::unwrapped(r"a\/b \u002b%3D%zz\")), "a/b+=%zz");
        assert_eq!(text(View::unwrapped(r"a \u")), "au");
        assert!(View::unwrapped("plain\n").is_none());
        let view = View::unwrapped("a\n b").expect("something to take out");
        assert_eq!((view.origin(0..1), view.origin(0..2), view.origin(1..2)), (0..1, 0..4, 3..4));
    }

    #[test]
    fn a_range_leads_back_to_the_escapes_it_came_from() {
        let view = View::unescaped(r"a\u00e9b\n").expect("something to undo");
        assert_eq!(view.bytes, "aéb\n".as_bytes());
        assert_eq!(view.origin(1..3), 1..7);
        assert_eq!(view.origin(3..5), 7..10);
    }
}
