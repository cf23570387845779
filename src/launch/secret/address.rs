//! Secrets in addresses: URLs, and the ways of drivers and tools to write a user, a password and a host without one.

use std::ops::Range;

use super::scan::{Found, scan, split, within};
use super::value::{is_long_number, is_plain_words};
use crate::launch::address::shape;
use crate::launch::template::Piece;
use crate::launch::view::View;

/// What stands before a colon in names that go on with `@` and are no logins: `npm:pkg@1`, `mailto:me@host`.
const NO_USERS: &[&str] = &[
    "acct",
    "arn",
    "bun",
    "cc",
    "deno",
    "docker",
    "domain",
    "from",
    "gh",
    "git",
    "github",
    "gitlab",
    "group",
    "jsr",
    "mailto",
    "npm",
    "pkg",
    "pypi",
    "serviceaccount",
    "sip",
    "sips",
    "ssh",
    "to",
    "urn",
    "user",
    "workspace",
    "xmpp",
];
/// The shortest password that its looks alone give away before a host.
const SHORTEST_PASSWORD: usize = 6;

/// Credentials before the host, values in the query and the fragment under their names, and whatever looks like a secret
/// elsewhere (RFC 3986, section 3).
pub(super) fn scan_url(url: Piece<'_>, levels: usize, found: &mut Vec<Found>) {
    let Some((scheme, rest)) = url.text.split_once("://") else { return };
    let rest_start = scheme.len() + 3;
    let authority_end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, tail) = rest.split_at(authority_end);
    if let Some((user, _)) = authority.rsplit_once('@') {
        match user.split_once(':') {
            Some((name, password)) => {
                let at = rest_start + name.len() + 1;
                scan(Some("password"), within(url, at, password), levels - 1, found);
            }
            None => scan(Some("auth"), within(url, rest_start, user), levels - 1, found),
        }
    }
    for part in split(within(url, rest_start + authority_end, tail), |character| "/?&#;".contains(character)) {
        match part.text.split_once('=') {
            Some((key, value)) if !value.is_empty() => {
                let value = within(part, key.len() + 1, value);
                scan(Some(key), value, levels - 1, found);
                scan_decoded(key, value, levels - 1, found);
            }
            _ => scan(None, part, levels - 1, found),
        }
    }
}

/// What a query's value means without percent signs, such as `config=%7B%22apiKey%22…`.
fn scan_decoded(key: &str, value: Piece<'_>, levels: usize, found: &mut Vec<Found>) {
    let Some(view) = View::form_decoded(value.text).or_else(|| View::percent_decoded(value.text)) else { return };
    let Ok(text) = std::str::from_utf8(&view.bytes) else { return };
    let mut inner = Vec::new();
    scan(Some(key), Piece { start: 0, text }, levels, &mut inner);
    found.extend(inner.into_iter().map(|secret| {
        let range = view.origin(secret.range);
        Found { range: value.start + range.start..value.start + range.end, name: secret.name }
    }));
}

/// Passwords that stand before a host in what isn't, or isn't quite, a URL.
pub(super) fn scan_logins(piece: Piece<'_>, levels: usize, found: &mut Vec<Found>) {
    for word in split(piece, |character| character.is_whitespace() || "\"'`<>".contains(character)) {
        let shape = shape(word.text);
        let mut passwords = Vec::new();
        if shape.contains("://") {
            let mut starts = shape.match_indices("://").map(|(at, mark)| at + mark.len()).peekable();
            while let Some(start) = starts.next() {
                let end = starts.peek().map_or(shape.len(), |next| next - 3);
                passwords
                    .extend(unescaped_password(&shape[start..end]).map(|range| start + range.start..start + range.end));
            }
        } else if let Some(range) = oracle_password(&shape) {
            passwords.push(range);
        } else {
            let start = assignment(&shape);
            passwords.extend(login_password(&shape[start..]).map(|range| start + range.start..start + range.end));
        }
        for password in passwords {
            scan(Some("password"), within(word, password.start, &word.text[password]), levels - 1, found);
        }
    }
}

/// A password in a URL with characters in it that should have been escaped, such as `postgres://u:a/b@host/db`, given what
/// follows `://`. A port before a path isn't one.
fn unescaped_password(rest: &str) -> Option<Range<usize>> {
    let plain_end = rest.find(['/', '?', '#', ';', ',']).unwrap_or(rest.len());
    let colon = rest[..plain_end].find(':')?;
    let before_mark = &rest[colon + 1..plain_end];
    let port = before_mark.bytes().all(|byte| byte.is_ascii_digit());
    if port || before_mark.contains('@') || !is_user(&rest[..colon], Empty::Allowed) {
        return None;
    }
    let first = plain_end + rest[plain_end..].find('@')?;
    let end = rest[first..].find(['/', '?', '#']).map_or(rest.len(), |end| first + end);
    let last = rest[..end].rfind('@')?;
    let host = rest[last + 1..].starts_with(|first: char| first.is_ascii_alphanumeric() || first == '[');
    host.then_some(colon + 1..last)
}

/// `jdbc:oracle:thin:scott/tiger@…`
fn oracle_password(shape: &str) -> Option<Range<usize>> {
    const MARK: &str = "jdbc:oracle:";
    let start = shape.to_ascii_lowercase().find(MARK)? + MARK.len();
    let user = start + shape[start..].find(':')? + 1;
    let at = user + shape[user..].find('@')?;
    let slash = user + shape[user..at].find('/')?;
    (slash + 1 < at).then_some(slash + 1..at)
}

/// `root:password@tcp(127.0.0.1:3306)/db`, `user:password@host:/path`, `user:password@proxy:8080`; `user:password@host` only
/// where the password can't be a word, for a package's or a mailbox's name looks like that too.
fn login_password(shape: &str) -> Option<Range<usize>> {
    let colon = shape.find(':')?;
    let user = &shape[..colon];
    if !is_user(user, Empty::Refused) {
        return None;
    }
    let ats = [shape.rfind('@')?, shape.find('@')?];
    let (at, host) = ats.into_iter().find_map(|at| Some((at, Host::of(shape.get(at + 1..)?)?)))?;
    let password = shape.get(colon + 1..at)?;
    let word = is_plain_words(password) && !is_long_number(password);
    let apart = password.starts_with(['/', '\\', '@']) || password.is_empty();
    let other = NO_USERS.contains(&user.to_ascii_lowercase().as_str());
    let counts = match host {
        Host::Reached => !(other && word),
        Host::Usual => !word && password.len() >= SHORTEST_PASSWORD && !password.contains([':', '/']),
        Host::Named => !other && !word && password.len() >= SHORTEST_PASSWORD && !password.contains([':', '/']),
    };
    (counts && !apart).then_some(colon + 1..at)
}

/// What follows an `@`.
enum Host {
    /// With a port, a path or a protocol: a host and nothing else.
    Reached,
    /// Nothing before a path: a driver's usual host.
    Usual,
    /// A word that can be a host's name.
    Named,
}

impl Host {
    fn of(text: &str) -> Option<Self> {
        let end = text.find(|character: char| !(character.is_ascii_alphanumeric() || "-_.".contains(character)));
        let (label, rest) = text.split_at(end.unwrap_or(text.len()));
        let port = rest.strip_prefix(':').map(|port| port.bytes().take_while(u8::is_ascii_digit).count());
        let numbers =
            label.split('.').filter(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
        let release = label.starts_with(|first: char| first.is_ascii_digit()) && numbers.count() != 4;
        if label.is_empty() && rest.starts_with('/') {
            return Some(Self::Usual);
        }
        if label.is_empty() || label.starts_with("sha") && rest.starts_with(':') {
            return None;
        }
        if rest.starts_with('(')
            || rest.starts_with(":/")
            || rest.starts_with(":~")
            || port.is_some_and(|port| port >= 2)
        {
            return Some(Self::Reached);
        }
        (!release && (rest.is_empty() || rest.starts_with('/'))).then_some(Self::Named)
    }
}

#[derive(PartialEq, Eq)]
enum Empty {
    Allowed,
    Refused,
}

fn is_user(user: &str, empty: Empty) -> bool {
    (empty == Empty::Allowed || !user.is_empty())
        && user.chars().all(|character| character.is_ascii_alphanumeric() || "-_.+%".contains(character))
}

/// Where the value begins that a word assigns, as in `--dsn=…`.
fn assignment(shape: &str) -> usize {
    shape.split_once('=').filter(|(name, _)| is_user(name, Empty::Refused)).map_or(0, |(name, _)| name.len() + 1)
}
