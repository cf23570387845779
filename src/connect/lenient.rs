//! What a forgiving reader of JSON could take a text for that the strict one refuses.
//!
//! Clients differ in what they forgive: repeated keys, half surrogate pairs, bytes that are no UTF-8, control characters,
//! odd numbers, comments, single quotes, names without quotes, more or fewer commas, text after the value, the case of a
//! key. All that is forgiven here, so that nothing is skipped which some client believes. Brackets, strings, colons and
//! commas must stand where they belong all the same: no client takes a line of a log for a message.

/// What a text could be.
#[derive(Debug, PartialEq)]
pub(super) enum Look {
    /// An answer, or several messages with one among them.
    Answer,
    /// A notification or a request.
    Message { method: String },
    /// Nothing of the protocol, or no JSON to anybody.
    Nothing,
}

/// Looks at a text that the strict reader refuses.
pub(super) fn look(text: &str) -> Look {
    // Clients trim lines, each in its own way.
    let text = text.trim_start_matches(|first: char| first.is_whitespace() || first <= ' ' || first == '\u{feff}');
    let mut scanner = Scanner { text, at: 0 };
    if scanner.peek() == Some(b'[') {
        return scanner.batch().unwrap_or(Look::Nothing);
    }
    let mut look = Look::Nothing;
    // A reader of streams needs nothing between two messages.
    while let Some(members) = scanner.message() {
        match members.look() {
            Look::Answer => return Look::Answer,
            Look::Nothing => {}
            message @ Look::Message { .. } => look = message,
        }
        scanner.blanks();
    }
    look
}

/// Whether some client takes this key for that name: some don't mind its case (Go's folds it by Unicode).
pub(super) fn is_named(key: &str, name: &str) -> bool {
    key.to_uppercase() == name.to_uppercase()
}

/// What the members of an object say of it.
#[derive(Default)]
struct Members {
    answers: bool,
    has_version: bool,
    has_id: bool,
    method: Option<String>,
}

impl Members {
    fn add(&mut self, key: &str, value: &str) {
        match key {
            _ if is_named(key, "result") || is_named(key, "error") => self.answers = true,
            _ if is_named(key, "jsonrpc") => self.has_version = true,
            _ if is_named(key, "id") => self.has_id |= value.trim() != "null",
            _ if is_named(key, "method") => {
                self.method = Scanner { text: value, at: 0 }.string().or_else(|| self.method.take());
            }
            _ => {}
        }
    }

    /// Without a version and an id it is the line of a log: nobody could tell whom it answers.
    fn look(self) -> Look {
        match self.method {
            _ if self.answers && (self.has_version || self.has_id) => Look::Answer,
            Some(method) if self.has_version => Look::Message { method },
            _ => Look::Nothing,
        }
    }
}

/// Reads a text from left to right. What can't be passed is `None`.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl Scanner<'_> {
    fn batch(&mut self) -> Option<Look> {
        self.expect(b'[')?;
        let mut look = Look::Nothing;
        let mut separated = true;
        loop {
            separated |= self.commas();
            if self.eat(b']') {
                return Some(look);
            }
            if !std::mem::take(&mut separated) {
                return None;
            }
            if self.peek() != Some(b'{') {
                self.value()?;
            } else if self.message()?.look() == Look::Answer {
                look = Look::Answer;
            }
        }
    }

    fn message(&mut self) -> Option<Members> {
        self.expect(b'{')?;
        let mut members = Members::default();
        let mut separated = true;
        loop {
            separated |= self.commas();
            if self.eat(b'}') {
                return Some(members);
            }
            if !std::mem::take(&mut separated) {
                return None;
            }
            let key = self.key()?;
            let start = self.at;
            self.value()?;
            members.add(&key, self.text.get(start..self.at)?);
        }
    }

    /// Passes a value, however deep it is.
    fn value(&mut self) -> Option<()> {
        let mut open = Vec::new();
        loop {
            self.blanks();
            let mut separated = false;
            if self.eat(b'{') {
                open.push(b'}');
                separated = true;
            } else if self.eat(b'[') {
                open.push(b']');
                separated = true;
            } else {
                self.scalar()?;
            }
            // What has ended, and the key of what stands next.
            loop {
                let Some(&end) = open.last() else { return Some(()) };
                separated |= self.commas();
                if self.eat(end) {
                    open.pop();
                    separated = false;
                    continue;
                }
                if !separated {
                    return None;
                }
                if end == b'}' {
                    self.key()?;
                }
                break;
            }
        }
    }

    /// A key and its colon.
    fn key(&mut self) -> Option<String> {
        let key = match self.peek()? {
            b'"' | b'\'' => self.string()?,
            _ => {
                let word = self.word(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'-'));
                if word.is_empty() || word.starts_with(|first: char| first.is_ascii_digit() || first == '-') {
                    return None;
                }
                word.to_owned()
            }
        };
        self.blanks();
        self.expect(b':')?;
        self.blanks();
        Some(key)
    }

    fn scalar(&mut self) -> Option<()> {
        const LITERALS: [&str; 5] = ["null", "true", "false", "none", "undefined"];
        if matches!(self.peek(), Some(b'"' | b'\'')) {
            return self.string().map(drop);
        }
        let word = self.word(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'+' | b'-'));
        let is_literal = LITERALS.iter().any(|literal| word.eq_ignore_ascii_case(literal));
        let digits = word.trim_start_matches(['+', '-']);
        let hexadecimal = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
        let is_hexadecimal = hexadecimal.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        // This knows infinities and what is not a number too.
        (is_literal || is_hexadecimal || word.parse::<f64>().is_ok()).then_some(())
    }

    /// A string, decoded as far as a key's name needs it.
    fn string(&mut self) -> Option<String> {
        let quote = self.peek().filter(|first| matches!(first, b'"' | b'\''))?;
        let mut characters = self.text.get(self.at + 1..)?.char_indices();
        let start = self.at + 1;
        let mut out = String::new();
        while let Some((at, character)) = characters.next() {
            match character {
                '\\' => match characters.next()?.1 {
                    'u' => {
                        let digits = self.text.get(start + at + 2..start + at + 6);
                        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
                        if let Some(code) = code {
                            out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                            characters.nth(3)?;
                        }
                    }
                    escaped => out.push(escaped),
                },
                _ if character == char::from(quote) => {
                    self.at = start + at + 1;
                    return Some(out);
                }
                _ => out.push(character),
            }
        }
        None
    }

    fn word(&mut self, belongs: impl Fn(u8) -> bool) -> &str {
        let start = self.at;
        while self.peek().is_some_and(&belongs) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    /// Passes blanks and comments.
    fn blanks(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let blanks = rest.bytes().take_while(|&byte| byte <= b' ').count();
            let comment = match rest.as_bytes().get(blanks..) {
                Some([b'/', b'*', ..]) => rest[blanks..].find("*/").map_or(rest.len(), |end| blanks + end + 2),
                Some([b'/', b'/', ..]) => rest[blanks..].find('\n').map_or(rest.len(), |end| blanks + end),
                _ => {
                    self.at += blanks;
                    return;
                }
            };
            self.at += comment;
        }
    }

    /// Passes blanks and commas; whether there was a comma.
    fn commas(&mut self) -> bool {
        self.blanks();
        let mut any = false;
        while self.eat(b',') {
            any = true;
            self.blanks();
        }
        any
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        self.eat(byte).then_some(())
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.at += 1;
        }
        found
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_some_client_takes_for_an_answer_is_one() {
        for text in [
            r#"{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}}"#,
            r#"{"json\u0072pc":"2.0","id":1,"r\u0065sult":{}}"#,
            "{\"id\":1,\"result\":\"a\u{0}\tb\"}",
            "\u{feff} \u{a0}{\"id\":1,\"result\":{}}",
            "\u{c}{\"id\":1,\"error\":\"\u{fffd}\"}",
            r#"{"id":1,"result":"\ud800 \q"}"#,
            r#"{"id":1,"result":[NaN,-Infinity,+1,.5,1.,0x1F,007,True,None,undefined,1e9999999],}"#,
            r#"{"id":1,"result":{}} and more"#,
            r#"{"id":1,"result":{}},"#,
            r#"{"jsonrpc":"2.0","method":"x"} {"jsonrpc":"2.0","id":1,"result":{}}"#,
            "{/* a comment */\"id\":1, // another\n\"result\":{}}",
            r#"{jsonrpc:'2.0',id:1,result:{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"Re\u017fult":{}}"#,
            r#"[1,{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}},"x"]"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"x","error":{"a":[{},[],""],"b":{}}}"#,
        ] {
            assert_eq!(look(text), Look::Answer, "{text}");
        }
        let deep = format!(r#"{{"id":1,"result":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(look(&deep), Look::Answer);
    }

    #[test]
    fn what_no_client_takes_for_a_message_is_nothing() {
        for text in [
            "",
            "[2026-01-01 12:00:00] INFO upstream said \"error\": none",
            r"[info] watching C:\users\me\src",
            r#"[info] sent {"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"[7] sent {"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"INFO {"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{ level: 'info', msg: 'got "result" back' }"#,
            r#"{"level":50,"error":"x","error":"y"}"#,
            r#"{"level":50,"id":null,"error":"x","error":"y"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{]}"#,
            r#"{"jsonrpc":"2.0" "id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result" {}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":see below}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":"unended}"#,
            r#"{"jsonrpc":"2.0","id":1,"x":{"result":1,"result":2}}"#,
            "{not json at all",
            "{\"a\":1 /* unended",
        ] {
            assert_eq!(look(text), Look::Nothing, "{text}");
        }
    }

    #[test]
    fn the_method_of_a_message_with_unusable_members_is_known() {
        for text in [
            r#"{"jsonrpc":"2.0","method":"a/b","params":{"x":"\ud800"}}"#,
            r#"{"jsonrpc":"2.0","id":7,"method":"a\/b","params":{"x":1,"x":2}}"#,
            r#"{"jsonrpc":"2.0","method":"a/b","Method":5,"params":{"x":1,"x":2}}"#,
        ] {
            assert_eq!(look(text), Look::Message { method: "a/b".to_owned() }, "{text}");
        }
    }
}
