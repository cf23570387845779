//! From the text of a policy to what it says, or to everything that is wrong with it.

use std::collections::BTreeSet;

use toml::de::DeTable;

use super::error::{Fault, FaultKind, PolicyError};
use super::model::{Effect, Effects, Ignore, Policy, Presence, ServerPolicy, is_softenable};
use super::pattern::{Items, Volatile};
use super::table::Table;
use crate::finding::{RULES, Rule};
use crate::json::Pointer;
use crate::surface::Kind;
use crate::text::{self, Source};

/// Reads a policy; `file` is its name in messages and reports.
///
/// # Errors
/// Anything that isn't understood to the last key, for a key that is skipped would be a promise that isn't kept.
pub fn parse(text: &str, file: &str) -> Result<Policy, PolicyError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let source = Source::new(text);
    let document = DeTable::parse(text).map_err(|error| {
        let line = error.span().map(|span| source.line(span.start));
        let kind = FaultKind::Syntax(error.message().replace('\n', ", "));
        PolicyError { file: file.to_owned(), faults: vec![Fault { kind, line }] }
    })?;
    let mut faults = Vec::new();
    let mut head = Table::new(&source, "the policy", document, &mut faults);
    let (rules, ignores, servers) = (head.tables("rule"), head.tables("ignore"), head.named_tables("server"));
    head.finish();
    let mut policy = Policy { file: file.to_owned(), ..Policy::default() };
    for table in rules {
        policy.rules.push(read_effects(Table::new(&source, "[[rule]]", table, &mut faults)));
    }
    for table in ignores {
        policy.ignores.push(read_ignore(Table::new(&source, "[[ignore]]", table, &mut faults)));
    }
    for (name, table) in servers {
        policy.servers.insert(name, read_server(Table::new(&source, "[server.NAME]", table, &mut faults)));
    }
    if faults.is_empty() {
        return Ok(policy);
    }
    faults.sort_by_key(|fault| fault.line);
    Err(PolicyError { file: file.to_owned(), faults })
}

fn read_effects(mut table: Table<'_, '_>) -> Effects {
    let (word, line) = table.text("effect", "");
    let effect = Effect::ALL.iter().find(|(name, _)| *name == word).map(|(_, effect)| *effect);
    if effect.is_none() && !word.is_empty() {
        let known = Effect::ALL.iter().map(|(name, _)| *name);
        unknown_word(&mut table, "effect", word, known, line);
    }
    let effect = effect.unwrap_or(Effect::Deny);
    let mut rules = BTreeSet::new();
    for (id, line) in table.texts("rules") {
        match RULES.iter().find(|rule| rule.id == id) {
            Some(rule) => {
                refuse_softening(&mut table, rule, effect, line);
                rules.insert(rule.id);
            }
            None => unknown_word(&mut table, "rules", id, RULES.iter().map(|rule| rule.id), line),
        }
    }
    let effects = Effects {
        line: table.line(),
        rules,
        server: table.optional_text("server").map(|(name, _)| name),
        items: read_items(&mut table),
        effect,
        reason: table.optional_text("reason").map(|(reason, _)| reason),
    };
    table.finish();
    effects
}

fn refuse_softening(table: &mut Table<'_, '_>, rule: &'static Rule, effect: Effect, line: usize) {
    if effect != Effect::Deny && !is_softenable(rule) {
        table.fault_at(line, FaultKind::NeverSoftened(rule.id));
    }
}

fn read_ignore(mut table: Table<'_, '_>) -> Ignore {
    let server = table.text("server", "").0;
    let items = read_items(&mut table);
    let pointer = table.optional_text("pointer");
    let pattern = table.optional_text("pattern");
    if pointer.is_none() && pattern.is_none() {
        table.fault(FaultKind::IgnoresAll);
    }
    let ignore = Ignore {
        line: table.line(),
        server,
        items,
        pointer: pointer.map(|(text, line)| read_pointer(&mut table, text, line)).unwrap_or_default(),
        pattern: pattern.and_then(|(text, line)| read_pattern(&mut table, &text, line)),
        reason: table.text("reason", ": say why this part may be anything").0,
        until: table.date("until"),
    };
    table.finish();
    ignore
}

fn read_pointer(table: &mut Table<'_, '_>, text: String, line: usize) -> Pointer {
    Pointer::parse(&text).filter(|pointer| !pointer.is_root()).unwrap_or_else(|| {
        table.fault_at(line, FaultKind::Pointer(text));
        Pointer::root()
    })
}

fn read_pattern(table: &mut Table<'_, '_>, text: &str, line: usize) -> Option<Volatile> {
    Volatile::new(text).map_err(|words| table.fault_at(line, FaultKind::Pattern(words))).ok()
}

/// The items that an entry is about, under the word of their kind.
fn read_items(table: &mut Table<'_, '_>) -> Option<Items> {
    let mut found: Vec<Items> = Vec::new();
    for kind in Kind::ALL {
        found.extend(table.optional_text(kind.as_str()).map(|(names, _)| Items { kind, names }));
    }
    if found.len() > 1 {
        let block = table.block();
        table.fault(FaultKind::TwoKinds { block });
    }
    found.pop()
}

fn read_server(mut table: Table<'_, '_>) -> ServerPolicy {
    let server = ServerPolicy {
        line: table.line(),
        presence: if table.flag("required") { Presence::Required } else { Presence::Optional },
        client: table.optional_text("client").map(|(client, _)| client),
        pass_env: read_variables(&mut table),
        start_timeout: table.seconds("start_timeout"),
        request_timeout: table.seconds("request_timeout"),
        server_timeout: table.seconds("server_timeout"),
    };
    table.finish();
    server
}

/// Names of variables, without their values.
fn read_variables(table: &mut Table<'_, '_>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (name, line) in table.texts("pass_env") {
        let is_name = |character: char| character.is_ascii_alphanumeric() || character == '_';
        if name.is_empty() || !name.chars().all(is_name) {
            let block = table.block();
            let (expected, found) = ("names of variables, without their values", "something else");
            table.fault_at(line, FaultKind::WrongType { block, key: "pass_env", expected, found });
        }
        names.insert(name);
    }
    names
}

fn unknown_word(
    table: &mut Table<'_, '_>,
    key: &'static str,
    word: String,
    known: impl Iterator<Item = &'static str>,
    line: usize,
) {
    let nearest = text::nearest(&word, known).map(str::to_owned);
    let block = table.block();
    table.fault_at(line, FaultKind::UnknownWord { block, key, word, nearest });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Date;

    /// The faults of a policy, each with its line.
    fn faults(text: &str) -> Vec<String> {
        let error = parse(text, "mcp-pin.toml").expect_err(text);
        error.problems().into_iter().map(|problem| problem.cause.replace("mcp-pin.toml:", "")).collect()
    }

    const IGNORE: &str = "[[ignore]]\nserver = \"s\"\ntool = \"t\"\n";

    #[test]
    fn a_policy_says_what_it_says() {
        let policy = parse(
            &format!(
                "{IGNORE}pointer = \"/a~1b/0\"\npattern = '\\d+'\nreason = \"counts\"\nuntil = 2027-01-31\n\
                 [[rule]]\nrules = [\"title-changed\"]\neffect = \"warn\"\n\
                 [server.crm]\nrequired = true\npass_env = [\"A\"]\nstart_timeout = 90\nrequest_timeout = 0.5\n"
            ),
            "mcp-pin.toml",
        )
        .expect("valid");
        let [ignore] = policy.ignores.as_slice() else { panic!("{policy:?}") };
        assert_eq!((ignore.line, ignore.pointer.clone()), (1, Pointer::of(["a/b", "0"])));
        assert_eq!(ignore.until, Some(Date { year: 2027, month: 1, day: 31 }));
        assert_eq!(policy.rules[0].effect, Effect::Warn);
        let server = &policy.servers["crm"];
        assert_eq!((server.presence, server.start_timeout.map(|time| time.as_secs())), (Presence::Required, Some(90)));
        assert_eq!(policy.named_servers().into_iter().collect::<Vec<_>>(), [("crm", 11), ("s", 1)]);
    }

    #[test]
    fn an_ignore_counts_until_its_day_is_over() {
        let text = format!("{IGNORE}pointer = \"/a\"\nreason = \"r\"\nuntil = 2027-01-31\n");
        let policy = parse(&text, "p").expect("valid");
        let on = |month, day| policy.ignores_of("s", Date { year: 2027, month, day }).len();
        assert_eq!((on(1, 30), on(1, 31), on(2, 1)), (1, 1, 0));
        assert!(policy.ignores_of("other", Date { year: 2000, month: 1, day: 1 }).is_empty());
    }

    #[test]
    fn unknown_keys_and_words_are_refused_with_the_nearest() {
        assert_eq!(faults("[[rules]]\n"), ["1: unknown key \"rules\" in the policy; did you mean \"rule\"?"]);
        assert_eq!(
            faults("[[rule]]\neffect = \"alow\"\nrules = [\"tittle-changed\"]\nservr = \"a\"\n"),
            [
                "2: \"effect\" in [[rule]] can't be \"alow\"; did you mean \"allow\"?",
                "3: \"rules\" in [[rule]] can't be \"tittle-changed\"; did you mean \"title-changed\"?",
                "4: unknown key \"servr\" in [[rule]]; did you mean \"server\"?",
            ]
        );
        assert_eq!(
            faults("[server.crm]\nstart_timout = 1\n"),
            ["2: unknown key \"start_timout\" in [server.NAME]; did you mean \"start_timeout\"?"]
        );
    }

    #[test]
    fn an_ignore_says_where_and_why() {
        assert_eq!(
            faults(IGNORE),
            [
                "1: an [[ignore]] needs a \"pointer\", a \"pattern\", or both: a whole item or server is never ignored",
                "1: missing key \"reason\" in [[ignore]]: say why this part may be anything",
            ]
        );
        for (pointer, fault) in
            [("\"description\"", "no JSON pointer"), ("\"/a~2\"", "no JSON pointer"), ("\"\"", "empty")]
        {
            let told = faults(&format!("{IGNORE}reason = \"r\"\npointer = {pointer}\n"));
            assert!(told[0].starts_with("5: ") || told[0].starts_with("1: "), "{told:?}");
            assert!(told.iter().any(|told| told.contains(fault)), "{told:?}");
        }
        let told = faults(&format!("{IGNORE}reason = \" \"\npattern = 'a*'\nuntil = \"2027-01-31\"\nprompt = \"p\"\n"));
        assert_eq!(told.len(), 4, "{told:?}");
        assert!(told[0].starts_with("1: a [[ignore]] is about items of one kind"), "{told:?}");
        assert!(told[3].starts_with("6: \"until\" in [[ignore]] is a string, not a date"), "{told:?}");
    }

    #[test]
    fn what_nothing_softens_is_refused_by_name() {
        for id in ["launch-changed", "server-unpinned", "ambiguous-answer", "duplicate-name", "required-server"] {
            let text = format!("[[rule]]\nrules = [\"{id}\"]\neffect = \"warn\"\n");
            assert_eq!(faults(&text), [format!("2: nothing softens \"{id}\": such a finding always fails")]);
            assert!(parse(&text.replace("warn", "deny"), "p").is_ok());
        }
    }

    #[test]
    fn values_of_another_type_are_refused() {
        for (text, line) in [
            ("rule = 1\n", 1),
            ("server = [1]\n", 1),
            ("[server]\ncrm = 1\n", 2),
            ("[server.crm]\nrequired = \"yes\"\n", 2),
            ("[server.crm]\nstart_timeout = 0\n", 2),
            ("[server.crm]\nstart_timeout = nan\n", 2),
            ("[server.crm]\nstart_timeout = \"60\"\n", 2),
            ("[server.crm]\npass_env = [\"A=B\"]\n", 2),
            ("[server.crm]\npass_env = \"A\"\n", 2),
            ("[[rule]]\neffect = \"deny\"\nrules = []\n", 3),
            ("[[rule]]\neffect = \"deny\"\neffect = \"deny\"\n", 3),
            ("[[ignore]]\nserver = \"s\"\npointer = \"/a\"\nreason = \"r\"\nuntil = 2027-01-31T00:00:00\n", 5),
        ] {
            let told = faults(text);
            assert!(told.len() == 1 && told[0].starts_with(&format!("{line}: ")), "{text}: {told:?}");
        }
    }

    #[test]
    fn a_text_that_is_no_toml_has_a_place() {
        assert!(faults("a = \n")[0].starts_with("1: no valid TOML: "));
    }
}
