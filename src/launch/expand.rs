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
            let filled = fill(field, environment, &mut missing);
            let text: String = filled.iter().map(Filled::text).collect();
            protect(field, &filled, &text, &mut protected);
            text
        });
        if missing.is_empty() { Ok(Resolved { transport: resolved.transport, protected }) } else { Err(missing) }
    }
}

/// The parts of a text that we expand; of any other, none.
fn expandable_parts<'a>(field: &Field<'a>) -> Vec<Part<'a>> {
    if field.member == Member::Option { Vec::new() } else { parts(field.value) }
}

/// A part of a text whose variables are filled in.
pub(super) enum Filled<'a> {
    /// Text that stands for itself, or a variable's default.
    Text(&'a str),
    /// What a variable held.
    Value {
        /// Its name.
        variable: &'a str,
        /// What it held.
        value: String,
    },
}

impl Filled<'_> {
    fn text(&self) -> &str {
        match self {
            Filled::Text(text) => text,
            Filled::Value { value, .. } => value,
        }
    }
}

fn fill<'a>(
    field: &Field<'a>,
    environment: &dyn Fn(&str) -> Option<String>,
    missing: &mut Vec<MissingVariable>,
) -> Vec<Filled<'a>> {
    if field.member == Member::Option {
        return vec![Filled::Text(field.value)];
    }
    let mut filled = Vec::new();
    for part in expandable_parts(field) {
        let (name, default) = match part {
            Part::Literal(piece) => {
                filled.push(Filled::Text(piece.text));
                continue;
            }
            Part::Variable { name, default } => (name, default),
        };
        let value = environment(name).filter(|value| default.is_none() || !value.is_empty());
        match (value, default) {
            (Some(value), _) => filled.push(Filled::Value { variable: name, value }),
            (None, Some(default)) => filled.push(Filled::Text(default.text)),
            (None, None) => {
                let variable = MissingVariable { field: field.path.clone(), variable: name.to_owned() };
                if !missing.contains(&variable) {
                    missing.push(variable);
                }
            }
        }
    }
    filled
}

/// Protects what the variables of a text hold, as secrets if their own names, that of the member or their places say so; the
/// secrets that stand in the text then; and the whole of it under a secret's name.
fn protect(field: &Field<'_>, filled: &[Filled<'_>], text: &str, protected: &mut Protected) {
    let secret_name = field.name.filter(|name| names_a_secret(name));
    let mut has_value = false;
    for part in filled {
        if let Filled::Value { variable, value } = part {
            has_value = true;
            match secret_name.or(Some(*variable).filter(|name| names_a_secret(name))) {
                Some(name) => protected.add_secret_of(name, value),
                None => protected.add_from_environment(value),
            }
        }
    }
    protected.add_secrets_in(field.name, text);
    protected.add_values_in_secret_places(field.name, filled);
    let has_variable = has_value || expandable_parts(field).iter().any(|part| matches!(part, Part::Variable { .. }));
    if has_variable && secret_name.is_some() {
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

    /// What is protected where `V` holds a value.
    fn protected_with(launch: &Launch, value: &str) -> Vec<String> {
        let resolved = launch.resolve(&|_| Some(value.to_owned())).unwrap_or_else(|missing| panic!("{missing:?}"));
        resolved.protected.values().map(str::to_owned).collect()
    }

    #[test]
    fn a_word_that_stands_where_a_secret_belongs_is_protected() {
        for launch in [
            stdio("x", [], [("DB", "jdbc:mysql://h/db?password=${V}")]),
            stdio("x", [], [("DB", "root:${V}@tcp(h)/db")]),
            stdio("x", [], [("PROXY", "u:${V}@proxy.example")]),
            stdio("x", [], [("CONFIG", r#"{"password":"${V}"}"#)]),
            stdio("x", ["-c", "npx -y srv --api-key ${V}"], []),
            stdio("x", ["-c", "API_TOKEN='${V}' npx x"], []),
            stdio("x", ["--header", "apikey:${V}"], []),
            http("https://h/?x=1&password=${V}", []),
        ] {
            assert_eq!(protected_with(&launch, "with"), ["with"], "{launch:?}");
        }
        for launch in
            [stdio("x", ["--auth=${V}", "http://h:${V}/@scope/pkg"], []), stdio("x", ["--name ${V} --mode ${V}"], [])]
        {
            assert_eq!(protected_with(&launch, "8080"), [""; 0], "{launch:?}");
        }
    }

    #[test]
    fn a_value_beside_a_secret_is_not_protected_for_it() {
        let launch = stdio("x", [], [("CONFIG", r#"{"user":"${WORD}","password":"${PLACE}"}"#)]);
        assert_eq!(protected(&launch), ["somewhere/else-1"]);
        assert_eq!(protected(&stdio("x", [], [("DB", "${WORD}:${HOST}@tcp(h)/db")])), ["crm.example"]);
    }

    #[test]
    fn the_password_in_what_a_variable_holds_is_protected() {
        for (value, password) in [
            ("jdbc:postgresql://localhost/db?user=me&password=hunter2", "hunter2"),
            ("root:hunter@tcp(127.0.0.1:3306)/app", "hunter"),
            ("postgres://u:hunt/er2@host/db", "hunt/er2"),
            ("Server = db; Pwd = hunter2; Encrypt = yes", "hunter2"),
            ("--api-key 'correct horse'", "correct horse"),
        ] {
            let protected = protected_with(&stdio("x", [], [("DB", "${V}")]), value);
            assert!(protected.iter().any(|part| part == password), "{value}: {protected:?}");
        }
    }

    #[test]
    fn the_parts_of_a_secret_that_programs_use_apart_are_protected() {
        for (name, value, parts) in [
            ("API_KEYS", "abc1,de-f2", &["abc1", "de-f2"][..]),
            ("API_KEY", "abcd-1234,x", &["abcd-1234"]),
            ("AUTH", "user:pw12", &["pw12"]),
            ("CREDENTIALS", "user:hunter", &["hunter"]),
            ("PASSWORD", "\"hunter2\"", &["hunter2"]),
            ("COOKIE", "a=b; sid=0a1b2c3d", &["sid=0a1b2c3d", "0a1b2c3d"]),
            ("Authorization", "Basic dXNlcjpwYXNz", &["dXNlcjpwYXNz", "user:pass", "pass"]),
            ("PROXY_AUTH", "Basic dXNlcjpwYXNz", &["dXNlcjpwYXNz", "user:pass", "pass"]),
        ] {
            for launch in [stdio("x", [], [(name, "${V}")]), http("https://h", [(name, "${V}")])] {
                let protected = protected_with(&launch, value);
                let missed: Vec<_> =
                    parts.iter().filter(|part| !protected.iter().any(|found| found == *part)).collect();
                assert!(missed.is_empty(), "{name}={value}: {missed:?} not in {protected:?}");
            }
        }
        let launch = http("https://h", [("Authorization", "Basic ${V}")]);
        assert!(protected_with(&launch, "dXNlcjpwYXNz").contains(&"user:pass".to_owned()));
        assert_eq!(protected_with(&stdio("x", [], [("TOKEN", "${V}")]), "ab,cd:ef"), ["ab,cd:ef"]);
        let json = r#"{"type":"service_account","token":"hunter"}"#;
        assert_eq!(protected_with(&stdio("x", [], [("CREDENTIALS", "${V}")]), json), ["hunter", json]);
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
