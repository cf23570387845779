//! Which texts of a launch are secrets.
//!
//! Two things give a secret away: the name that it stands under, and its own looks. False alarms cost more than they seem to:
//! who can't pin because of an image digest turns the whole check off. So a URL, a path, an option, a number or a switch is no
//! secret whatever its name, names are read word by word, and only a text that no person would write counts by its looks.

mod address;
mod name;
mod pair;
mod scan;
mod structured;
mod value;

use std::fmt;
use std::ops::Range;

use super::field::{Field, Member};
use super::view::View;
use super::{Launch, Protected, template};
use crate::problem::Problem;
use name::{Says, says, variable_for};
use scan::{Found, secrets_in};

/// A secret that stands in a configuration as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiteralSecret {
    /// Where it stands, such as `env.CRM_TOKEN`, `args[1]` or `oauth.clientSecret`.
    pub field: String,
    /// The name that it stands under, or where there is none its place.
    pub name: String,
    /// The name to give to `--unverified`; `None` where the value can't be left out of the lockfile.
    pub unverified: Option<String>,
    /// The whole text with variables instead of secrets, such as `Bearer ${TOKEN}`.
    pub suggestion: String,
}

/// Every text of the launch that holds a secret, once.
pub fn literal_secrets(launch: &Launch) -> Vec<LiteralSecret> {
    let mut secrets = Vec::new();
    launch.each_text(|field| {
        let found = secrets_in(field.name, field.value);
        if let Some(first) = found.first() {
            let own_name = field.name.filter(|_| matches!(field.member, Member::Variable | Member::Header));
            let name = own_name.or(first.name.as_deref()).or(field.name);
            secrets.push(LiteralSecret {
                field: field.path.clone(),
                name: name.unwrap_or(&field.path).to_owned(),
                unverified: own_name.map(str::to_owned),
                suggestion: suggestion(field, &found),
            });
        }
    });
    secrets
}

impl fmt::Display for LiteralSecret {
    /// The field is foreign text: escape the whole for its destination.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: a secret stands here as it is", self.field)
    }
}

impl From<&LiteralSecret> for Problem {
    fn from(secret: &LiteralSecret) -> Self {
        let write = format!("write {} and set the variable where the server is started", secret.suggestion);
        let help = match &secret.unverified {
            Some(name) => format!("{write}, or keep its value out of the lockfile: `--unverified {name}`"),
            None => write,
        };
        Problem::new("looking for secrets", secret.to_string(), help)
    }
}

/// Whether a value that stands under a name (a variable's, a header's, an option's) may appear in a report: no secret is in
/// it. `${VAR}` is safe. For the texts of a launch, where a name can stand in the argument before, use
/// [`Launch::without_secrets`].
pub fn safe_to_show(name: &str, value: &str) -> bool {
    secrets_in(Some(name), value).is_empty()
}

impl Launch {
    /// The same launch with `[masked]` for every literal secret: to be shown, not to be compared.
    #[must_use]
    pub fn without_secrets(&self) -> Launch {
        self.rewrite(|field| replaced(field.value, &secrets_in(field.name, field.value), |_| "[masked]".to_owned()))
    }
}

impl Protected {
    /// Protects the credentials in a variable that is passed on for what else it says, such as a proxy's address.
    pub fn add_credentials_in(&mut self, name: &str, value: &str) {
        self.add_secrets_in(Some(name), value);
    }

    /// Protects the secrets in a text that stands under a name, and what they mean without percent escapes.
    pub(super) fn add_secrets_in(&mut self, name: Option<&str>, text: &str) {
        for found in secrets_in(name, text) {
            let secret = &text[found.range];
            self.add_secret(secret);
            if let Some(decoded) = View::percent_decoded(secret).and_then(|view| String::from_utf8(view.bytes).ok()) {
                self.add_secret(&decoded);
            }
        }
    }
}

/// Whether a name says that what stands under it is or may be a secret.
pub(super) fn names_a_secret(name: &str) -> bool {
    matches!(says(name), Says::Secret | Says::Perhaps)
}

/// The text as it would be written with variables.
fn suggestion(field: &Field<'_>, found: &[Found]) -> String {
    replaced(field.value, found, |found| {
        let own_name = field.name.filter(|name| field.member == Member::Variable && template::is_name(name));
        let variable = match own_name {
            Some(name) => name.to_owned(),
            None => variable_for(found.name.as_deref().or(field.name).unwrap_or_default()),
        };
        format!("${{{variable}}}")
    })
}

fn replaced(text: &str, found: &[Found], replacement: impl Fn(&Found) -> String) -> String {
    let mut out = String::new();
    let mut shown = 0;
    for secret in found {
        let Range { start, end } = secret.range;
        out.push_str(&text[shown..start]);
        out.push_str(&replacement(secret));
        shown = end;
    }
    out.push_str(&text[shown..]);
    out
}

#[cfg(test)]
mod tests;
