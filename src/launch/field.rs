//! The texts of a launch, one by one: the only walk over them, so that nothing is expanded, judged or hidden by one rule
//! and forgotten by another.

use super::{Launch, Transport};
use crate::json::{Object, Value};

/// One text of a launch.
pub(super) struct Field<'a> {
    /// Where it stands, such as `env.CRM_TOKEN`, `args[1]` or `oauth.clientSecret`.
    pub(super) path: String,
    /// The name that it stands under: a variable's, a header's, an option's, or that of the option before an argument.
    pub(super) name: Option<&'a str>,
    /// What sort of member it is in.
    pub(super) member: Member,
    /// The text.
    pub(super) value: &'a str,
}

/// The members that hold texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Member {
    /// `command`, `cwd` or an element of `args`.
    Words,
    /// A value in `env`.
    Variable,
    /// `url`
    Url,
    /// A value in `headers`.
    Header,
    /// Text in a member that we don't use; nothing is expanded there.
    Option,
}

impl Launch {
    /// The same launch with every text replaced by what `change` makes of it.
    pub(super) fn rewrite(&self, mut change: impl FnMut(&Field<'_>) -> String) -> Launch {
        let mut text = |path: String, name: Option<&str>, member: Member, value: &str| {
            change(&Field { path, name, member, value })
        };
        let transport = match &self.transport {
            Transport::Stdio { command, args, env, cwd } => Transport::Stdio {
                command: text("command".to_owned(), None, Member::Words, command),
                args: args
                    .iter()
                    .enumerate()
                    .map(|(index, argument)| {
                        let before = index.checked_sub(1).and_then(|before| option_name(&args[before]));
                        text(format!("args[{index}]"), before, Member::Words, argument)
                    })
                    .collect(),
                env: env
                    .iter()
                    .map(|(name, value)| {
                        (name.clone(), text(format!("env.{name}"), Some(name), Member::Variable, value))
                    })
                    .collect(),
                cwd: cwd.as_ref().map(|folder| text("cwd".to_owned(), None, Member::Words, folder)),
            },
            Transport::Saved => Transport::Saved,
            Transport::Http { url, headers } => Transport::Http {
                url: text("url".to_owned(), None, Member::Url, url),
                headers: headers
                    .iter()
                    .map(|(name, value)| {
                        (name.clone(), text(format!("headers.{name}"), Some(name), Member::Header, value))
                    })
                    .collect(),
            },
        };
        let mut option = |path: &str, name: &str, value: &str| text(path.to_owned(), Some(name), Member::Option, value);
        let options = rewrite_members(&self.options, "", &mut option);
        Launch { transport, options, unverified: self.unverified.clone() }
    }

    /// Shows every text to `look`.
    pub(super) fn each_text(&self, mut look: impl FnMut(&Field<'_>)) {
        self.rewrite(|field| {
            look(field);
            String::new()
        });
    }
}

/// The name of an option whose value, if it takes one, is the next argument.
fn option_name(argument: &str) -> Option<&str> {
    let name = argument.trim_start_matches('-');
    let is_option = name.len() < argument.len() && !name.is_empty();
    (is_option && !name.contains(['=', ' '])).then_some(name)
}

fn rewrite_members(object: &Object, path: &str, change: &mut impl FnMut(&str, &str, &str) -> String) -> Object {
    object
        .iter()
        .map(|(key, value)| {
            let inner = if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
            (key.to_owned(), rewrite_value(value, &inner, key, change))
        })
        .collect()
}

fn rewrite_value(value: &Value, path: &str, name: &str, change: &mut impl FnMut(&str, &str, &str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(change(path, name, text)),
        Value::Array(elements) => Value::Array(
            elements
                .iter()
                .enumerate()
                .map(|(index, element)| rewrite_value(element, &format!("{path}[{index}]"), name, change))
                .collect(),
        ),
        Value::Object(object) => Value::Object(rewrite_members(object, path, change)),
        scalar => scalar.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{http, stdio};
    use super::*;
    use crate::json::parse;

    fn walked(launch: &Launch) -> Vec<String> {
        let mut walked = Vec::new();
        launch.each_text(|field| {
            walked.push(format!("{} {} {}", field.path, field.name.unwrap_or("-"), field.value));
        });
        walked
    }

    #[test]
    fn every_text_of_a_process_is_walked_with_its_name() {
        let mut launch = stdio("node", ["--token", "a", "--x=y", "b", "-", "--"], [("T", "v")]);
        if let Transport::Stdio { cwd, .. } = &mut launch.transport {
            *cwd = Some("sub".to_owned());
        }
        assert_eq!(
            walked(&launch),
            [
                "command - node",
                "args[0] - --token",
                "args[1] token a",
                "args[2] - --x=y",
                "args[3] - b",
                "args[4] - -",
                "args[5] - --",
                "env.T T v",
                "cwd - sub",
            ]
        );
    }

    #[test]
    fn every_text_of_an_address_and_its_options_is_walked() {
        let mut launch = http("https://h", [("X", "v")]);
        launch.options.insert("oauth", parse(r#"{"clientSecret":"s","scopes":["a",1,{"b":"c"}]}"#).expect("valid"));
        assert_eq!(
            walked(&launch),
            [
                "url - https://h",
                "headers.X X v",
                "oauth.clientSecret clientSecret s",
                "oauth.scopes[0] scopes a",
                "oauth.scopes[2].b b c",
            ]
        );
    }

    #[test]
    fn rewriting_with_the_same_texts_changes_nothing() {
        let mut launch = stdio("node", ["a"], [("T", "v")]);
        launch.options.insert("x", parse(r#"[null,true,1.5,"t",{"k":[]}]"#).expect("valid"));
        launch.unverified.insert("U".to_owned());
        assert_eq!(launch.rewrite(|field| field.value.to_owned()), launch);
    }
}
