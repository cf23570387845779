//! Which texts of a launch are secrets.
//!
//! Two things give a secret away: the name that it stands under, and its own looks. False alarms cost more than they seem to:
//! who can't pin because of an image digest turns the whole check off. So a URL, a path, an option, a number or a switch is no
//! secret whatever its name, names are read word by word, and only a text that no person would write counts by its looks.

mod address;
mod name;
mod pair;
mod protecting;
mod scan;
mod structured;
mod value;

use std::fmt;
use std::ops::Range;

use super::Launch;
use super::address::shown_address;
use super::field::{Field, Member};
use super::template::{self, Part};
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
    /// The whole text with variables instead of secrets, such as `Bearer ${TOKEN}`; of an address without its other values.
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
    /// The same launch with `[masked]` for every literal secret, and without the values in its address: to be shown, not to
    /// be compared.
    #[must_use]
    pub fn without_secrets(&self) -> Launch {
        self.rewrite(|field| {
            let masked = |text: &str| replaced(text, &secrets_in(field.name, text), |_| "[masked]".to_owned());
            if field.member == Member::Url { masked(&shown_address(field.value)) } else { masked(field.value) }
        })
    }
}

/// Whether a name says that what stands under it is or may be a secret.
pub(crate) fn names_a_secret(name: &str) -> bool {
    matches!(says(name), Says::Secret | Says::Perhaps)
}

/// The text as it would be written with variables, those that have a secret for a default without it.
fn suggestion(field: &Field<'_>, found: &[Found]) -> String {
    let own_name = field.name.filter(|name| field.member == Member::Variable && template::is_name(name));
    let mut named: Vec<(Range<usize>, String)> = Vec::new();
    for found in found {
        let variable = match own_name {
            Some(name) => name.to_owned(),
            None => variable_for(found.name.as_deref().or(field.name).unwrap_or_default()),
        };
        let (range, variable) = variable_around(field.value, found).unwrap_or((found.range.clone(), variable));
        if named.last().is_none_or(|(last, _)| last.end <= range.start) {
            named.push((range, variable));
        }
    }
    let mut variables = named.iter().map(|(_, variable)| format!("${{{variable}}}"));
    let found: Vec<Found> = named.iter().map(|(range, _)| Found { range: range.clone(), name: None }).collect();
    let suggestion = replaced(field.value, &found, |_| variables.next().unwrap_or_default());
    if field.member == Member::Url { shown_address(&suggestion) } else { suggestion }
}

/// The variable whose default a secret is in, and where it stands.
fn variable_around(text: &str, found: &Found) -> Option<(Range<usize>, String)> {
    template::parts(text).into_iter().find_map(|part| match part {
        Part::Variable { name, default: Some(default) } => {
            let inside = default.start..default.start + default.text.len();
            let around = default.start - name.len() - "${:-".len()..inside.end + "}".len();
            (inside.start <= found.range.start && found.range.end <= inside.end).then(|| (around, name.to_owned()))
        }
        _ => None,
    })
}

fn replaced(text: &str, found: &[Found], mut replacement: impl FnMut(&Found) -> String) -> String {
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
