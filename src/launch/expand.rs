//! From a launch as written to one that can be used.

use std::collections::BTreeSet;

use super::field::{Field, Member};
use super::secret::names_a_secret;
use super::template::{Part, parts};
use super::{Launch, MissingVariable, Protected, Resolved};

impl Launch {
    /// The variables that the launch names, those with a default too.
    pub fn variables(&self) -> BTreeSet<String> {
        let mut variables = BTreeSet::new();
        self.each_text(|field| {
            for part in expandable_parts(field) {
                if let Part::Variable { name, .. } = part {
                    variables.insert(name.to_owned());
                }
            }
        });
        variables
    }

    /// Fills in `${VAR}` and `${VAR:-default}` in the command, its arguments, folder and variables, the URL and the headers.
    /// A value is never expanded again. As in a shell a default stands for an empty variable too; without a default, empty
    /// counts as set. Call it on the configuration's own launch: one that went through [`Launch::withhold`] lacks values.
    ///
    /// # Errors
    /// Every variable that is unset and has no default, once for each member that names it.
    pub fn resolve(&self, environment: &dyn Fn(&str) -> Option<String>) -> Result<Resolved, Vec<MissingVariable>> {
        let mut missing = Vec::new();
        let mut protected = Protected::default();
        let resolved = self.rewrite(|field| {
            let text = expand(field, environment, &mut missing, &mut protected);
            protect_text(field, &text, &mut protected);
            text
        });
        if missing.is_empty() { Ok(Resolved { transport: resolved.transport, protected }) } else { Err(missing) }
    }
}

/// The parts of a text that we expand; of any other, none.
fn expandable_parts<'a>(field: &Field<'a>) -> Vec<Part<'a>> {
    if field.member == Member::Option { Vec::new() } else { parts(field.value) }
}

fn expand(
    field: &Field<'_>,
    environment: &dyn Fn(&str) -> Option<String>,
    missing: &mut Vec<MissingVariable>,
    protected: &mut Protected,
) -> String {
    if field.member == Member::Option {
        return field.value.to_owned();
    }
    let mut out = String::new();
    for part in expandable_parts(field) {
        let (name, default) = match part {
            Part::Literal(piece) => {
                out.push_str(piece.text);
                continue;
            }
            Part::Variable { name, default } => (name, default),
        };
        let value = environment(name).filter(|value| default.is_none() || !value.is_empty());
        match (value, default) {
            (Some(value), _) => {
                out.push_str(&value);
                protect_variable(field, name, &value, protected);
            }
            (None, Some(default)) => out.push_str(default.text),
            (None, None) => {
                let variable = MissingVariable { field: field.path.clone(), variable: name.to_owned() };
                if !missing.contains(&variable) {
                    missing.push(variable);
                }
            }
        }
    }
    out
}

/// Protects what a variable holds, as a secret if its own name or that of the member says so.
fn protect_variable(field: &Field<'_>, variable: &str, value: &str, protected: &mut Protected) {
    if names_a_secret(variable) || field.name.is_some_and(names_a_secret) {
        protected.add_secret(value);
    } else {
        protected.add_from_environment(value);
    }
}

/// Protects the secrets in a text whose variables are filled in, and the whole of it under a secret's name.
fn protect_text(field: &Field<'_>, text: &str, protected: &mut Protected) {
    protected.add_secrets_in(field.name, text);
    let has_variable = expandable_parts(field).iter().any(|part| matches!(part, Part::Variable { .. }));
    if has_variable && field.name.is_some_and(names_a_secret) {
        protected.add_secret(text);
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{http, stdio};
    use super::super::{Transport, literal_secrets};
    use super::*;
    use proptest::prelude::*;

    fn environment(name: &str) -> Option<String> {
        let value = match name {
            "HOST" => "crm.example",
            "TOKEN" => "t0k-n/value",
            "EMPTY" => "",
            "REFERENCE" => "${TOKEN}",
            "PLACE" => "somewhere/else-1",
            "WORD" => "production",
            "PASSWORD" => "hunter",
            _ => return None,
        };
        Some(value.to_owned())
    }

    fn resolved(launch: &Launch) -> Resolved {
        launch.resolve(&environment).unwrap_or_else(|missing| panic!("{missing:?}"))
    }

    fn expanded(text: &str) -> String {
        match resolved(&stdio(text, [], [])).transport {
            Transport::Stdio { command, .. } => command,
            Transport::Http { .. } | Transport::Saved => unreachable!(),
        }
    }

    fn protected(launch: &Launch) -> Vec<String> {
        resolved(launch).protected.values().map(str::to_owned).collect()
    }

    #[test]
    fn variables_are_filled_in_everywhere_but_in_options() {
        let mut launch = stdio("/opt/${HOST}/run", ["--at=${HOST}", "${WORD}"], [("A", "x${HOST}y"), ("B", "plain")]);
        if let Transport::Stdio { cwd, .. } = &mut launch.transport {
            *cwd = Some("${WORD}/sub".to_owned());
        }
        launch.options.insert("envFile", crate::json::Value::from("${UNSET}"));
        let mut expected =
            stdio("/opt/crm.example/run", ["--at=crm.example", "production"], [("A", "xcrm.exampley"), ("B", "plain")]);
        if let Transport::Stdio { cwd, .. } = &mut expected.transport {
            *cwd = Some("production/sub".to_owned());
        }
        assert_eq!(resolved(&launch).transport, expected.transport);

        let launch = http("https://${HOST}/mcp", [("Authorization", "Bearer ${TOKEN}")]);
        let expected = http("https://crm.example/mcp", [("Authorization", "Bearer t0k-n/value")]);
        assert_eq!(resolved(&launch).transport, expected.transport);
    }

    #[test]
    fn a_default_stands_for_what_is_unset_or_empty() {
        assert_eq!(expanded("${UNSET:-a b}|${EMPTY:-c}|${WORD:-d}|${UNSET:-}"), "a b|c|production|");
    }

    #[test]
    fn without_a_default_empty_counts_as_set() {
        assert_eq!(expanded("[${EMPTY}]"), "[]");
    }

    #[test]
    fn values_are_never_expanded_again() {
        assert_eq!(expanded("${REFERENCE}"), "${TOKEN}");
    }

    #[test]
    fn every_missing_variable_is_named_with_its_member() {
        let launch = stdio("${A}", ["x", "${B}${B}${HOST}"], [("C", "${A}"), ("D", "${D:-}")]);
        let missing = launch.resolve(&environment).err().expect("missing variables");
        let named: Vec<_> = missing.iter().map(|missing| (missing.field.as_str(), missing.variable.as_str())).collect();
        assert_eq!(named, [("command", "A"), ("args[1]", "B"), ("env.C", "A")]);

        let missing = http("https://${A}", [("Authorization", "Bearer ${B}")]).resolve(&environment).err();
        let named: Vec<_> = missing.into_iter().flatten().map(|missing| missing.field).collect();
        assert_eq!(named, ["url", "headers.Authorization"]);
    }

    #[test]
    fn the_names_that_a_launch_needs_are_known_without_values() {
        let launch = stdio("${A}", ["${B:-x}"], [("C", "$D ${A}")]);
        assert_eq!(launch.variables().into_iter().collect::<Vec<_>>(), ["A", "B"]);
    }

    #[test]
    fn a_token_and_the_header_around_it_are_protected() {
        let launch = http("https://h", [("Authorization", "Bearer ${TOKEN}")]);
        assert_eq!(protected(&launch), ["Bearer t0k-n/value", "t0k-n/value"]);
    }

    #[test]
    fn what_came_from_the_environment_is_protected_unless_plain() {
        assert_eq!(protected(&stdio("x", ["${PLACE}", "${WORD}"], [])), ["somewhere/else-1"]);
        assert_eq!(protected(&stdio("x", [], [("DB_PASSWORD", "${WORD}")])), ["production"]);
        assert_eq!(protected(&stdio("x", ["--as=${PASSWORD}"], [])), ["hunter"]);
    }

    #[test]
    fn literal_secrets_and_those_in_a_url_are_protected() {
        assert_eq!(protected(&stdio("x", ["--token", "abc123"], [])), ["abc123"]);
        let launch = http("https://me:p%40ss@${HOST}/mcp?api_key=k-1234&page=2", []);
        assert_eq!(protected(&launch), ["crm.example", "k-1234", "p%40ss", "p@ss"]);
    }

    proptest! {
        #[test]
        fn text_without_a_dollar_sign_is_unchanged(text in "[^$]{0,40}") {
            prop_assert_eq!(expanded(&text), text);
        }

        #[test]
        fn a_variable_is_exactly_its_value(before in "[^$}]{0,9}", after in "[^$}]{0,9}", value in ".{0,30}") {
            let launch = stdio(&format!("{before}${{V}}{after}"), [], []);
            let resolved = launch.resolve(&|_| Some(value.clone())).unwrap_or_else(|missing| panic!("{missing:?}"));
            let expected = stdio(&format!("{before}{value}{after}"), [], []);
            prop_assert_eq!(resolved.transport, expected.transport);
        }

        #[test]
        fn no_text_makes_any_function_fail(text in r#"[a-zA-Z0-9${}:/?&=@.; \-\\"é]{0,60}"#) {
            let launch = stdio(&text, [text.as_str(), text.as_str()], [("TOKEN", text.as_str())]);
            launch.variables();
            let _ = launch.resolve(&environment);
            literal_secrets(&launch);
            let _ = launch.without_secrets();
        }

        #[test]
        fn no_expanded_secret_is_left_in_a_masked_text(value in "[a-z0-9/+]{6,30}-[0-9A-Z]") {
            let launch = http("https://h/${T}", [("Authorization", "Bearer ${T}")]);
            let resolved = launch.resolve(&|_| Some(value.clone())).unwrap_or_else(|missing| panic!("{missing:?}"));
            let masked = resolved.protected.mask(&format!("{:?}", resolved.transport));
            prop_assert!(!masked.contains(&value));
        }
    }
}
