//! What must be masked of the texts that a launch hands to a server: the same places in which `pin` refuses a literal.

use super::name::{Says, may_count, says, words};
use super::scan::secrets_in;
use super::value::basic_login;
use crate::launch::Protected;
use crate::launch::expand::Filled;
use crate::launch::view::View;

/// The longest number that is taken for a port or a count.
const LONGEST_COUNT: usize = 5;
/// The shortest part of a secret that is protected whatever the name says, in bytes.
const SHORTEST_PART: usize = 8;

impl Protected {
    /// Protects the credentials in a variable that is passed on for what else it says, such as a proxy's address.
    pub fn add_credentials_in(&mut self, name: &str, value: &str) {
        self.add_secrets_in(Some(name), value);
    }

    /// Protects the secrets in a text that stands under a name, and what they mean without percent escapes.
    pub(in crate::launch) fn add_secrets_in(&mut self, name: Option<&str>, text: &str) {
        for found in secrets_in(name, text) {
            let under = found.name.as_deref().or(name).unwrap_or_default();
            let secret = &text[found.range.clone()];
            self.add_secret_of(under, secret);
            if let Some(decoded) = View::percent_decoded(secret).and_then(|view| String::from_utf8(view.bytes).ok()) {
                self.add_secret_of(under, &decoded);
            }
            let before = text[..found.range.start].trim_end().to_ascii_lowercase();
            if (before.ends_with("basic") || words(under).iter().any(|word| word == "basic"))
                && let Some(login) = basic_login(secret)
            {
                self.add_secret_of("auth", &login);
            }
        }
    }

    /// Protects a secret that stands under a name, and its parts where programs use them apart: what quotation marks enclose,
    /// the secrets in JSON, the elements of a list, the value of a cookie, the password behind a user's name.
    pub(in crate::launch) fn add_secret_of(&mut self, name: &str, value: &str) {
        let whole = value.trim();
        self.add_secret(whole);
        let inside = ['"', '\''].iter().find_map(|&quote| whole.strip_prefix(quote)?.strip_suffix(quote));
        let inside = inside.unwrap_or(whole);
        self.add_secret(inside);
        if let Some((scheme, credential)) = inside.split_once(' ')
            && scheme.eq_ignore_ascii_case("basic")
            && let Some(login) = basic_login(credential)
        {
            self.add_secret(credential);
            self.add_secret_of("auth", &login);
        }
        if inside.starts_with(['{', '[']) {
            for found in secrets_in(None, inside).into_iter().filter(|found| found.range.len() < inside.len()) {
                self.add_secret_of(found.name.as_deref().unwrap_or_default(), &inside[found.range]);
            }
            return;
        }
        let shortest = |certain| if certain { 0 } else { SHORTEST_PART };
        let several = may_count(name);
        for element in inside.split([',', ';', '\n']).map(str::trim).filter(|element| element.len() < whole.len()) {
            if element.len() >= shortest(several) {
                self.add_secret(element);
            }
        }
        let logins = words(name).iter().any(|word| is_login(word));
        for element in inside.split([',', ';', '\n']).map(str::trim).filter(|element| !element.contains("://")) {
            for (sign, shortest) in [(':', shortest(logins)), ('=', SHORTEST_PART)] {
                let part = element.split_once(sign).filter(|(user, _)| !user.contains(char::is_whitespace));
                if let Some((_, part)) = part.filter(|(_, part)| part.len() >= shortest) {
                    self.add_secret(part);
                }
            }
        }
    }

    /// Protects each variable's value that stands where a secret belongs, however plain it is: `?password=${V}`.
    pub(in crate::launch) fn add_values_in_secret_places(&mut self, name: Option<&str>, filled: &[Filled<'_>]) {
        let mut text = String::new();
        let mut places = Vec::new();
        for part in filled {
            match part {
                Filled::Value { value, .. } if !is_count(value) => {
                    let start = text.len();
                    text.push_str(&stand_in(places.len()));
                    places.push((start..text.len(), value));
                }
                Filled::Value { value, .. } => text.push_str(value),
                Filled::Text(literal) => text.push_str(literal),
            }
        }
        if places.is_empty() {
            return;
        }
        let mut places = places.into_iter().peekable();
        for found in secrets_in(name, &text) {
            while places.next_if(|(place, _)| place.end <= found.range.start).is_some() {}
            while let Some((_, value)) = places.next_if(|(place, _)| place.start < found.range.end) {
                let under = found.name.as_deref().unwrap_or_default();
                if says(under) == Says::Secret {
                    self.add_secret_of(under, value);
                }
            }
        }
    }
}

/// Stands for a variable's value while places are looked for: no word, no number, without the looks of a secret, and in no
/// other place.
fn stand_in(index: usize) -> String {
    format!("m4r{index}k3r7x")
}

fn is_login(word: &str) -> bool {
    matches!(
        word,
        "auth" | "basic" | "cred" | "credential" | "credentials" | "creds" | "login" | "userpass" | "userpwd"
    )
}

fn is_count(value: &str) -> bool {
    value.len() <= LONGEST_COUNT && value.bytes().all(|byte| byte.is_ascii_digit())
}
