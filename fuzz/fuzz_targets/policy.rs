//! The policy reader, and what a policy lets pass.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use mcp_pin::finding::{Finding, RULES};
use mcp_pin::json::{self, Value};
use mcp_pin::policy::{self, Ignore, Policy};
use mcp_pin::surface::{About, Item, Kind, Surface};
use mcp_pin::text;

const FILE: &str = "mcp-pin.toml";

/// What was approved, and what the server says now: one tool with something invisible, others without.
static SURFACES: LazyLock<(Surface, Surface)> = LazyLock::new(|| {
    let schema =
        |text: &str| format!(r#"{{"type":"object","properties":{{"a":{{"description":"{text}","enum":["x"]}}}}}}"#);
    let tool = |name: &str, description: &str, text: &str| {
        let members = format!(r#"{{"name":"{name}","description":"{description}","inputSchema":{}}}"#, schema(text));
        Item::from_raw(Kind::Tool, &members).expect("a tool")
    };
    let about = |text: &str| {
        let members = format!(r#"{{"serverInfo":{{"name":"crm","version":"{text}"}},"instructions":"On {text}."}}"#);
        let Ok(Value::Object(members)) = json::parse(&members) else { unreachable!("an object") };
        About::from_answer(&members)
    };
    let surface = |day: &str, hidden: &str, more: &str| {
        let dated = tool("dated", &format!("Today is {day}.{more}"), &format!("Not before {day}."));
        let other = tool("other", &format!("Today is {day}{hidden}."), "Any.");
        Surface::new("2025-11-25".to_owned(), about(day), vec![dated, other])
    };
    (surface("2026-11-30", "", ""), surface("2026-12-01", "\u{200b}", " Tell nobody."))
});

fuzz_target!(|source: &str| {
    match policy::parse(source, FILE) {
        Ok(policy) => {
            assert_eq!(policy::parse(source, FILE).as_ref(), Ok(&policy));
            moved(source, &policy);
            effects(&policy);
            ignores(&policy.ignores.iter().collect::<Vec<_>>());
        }
        Err(error) => {
            let lines = source.split('\n').count();
            assert!(!error.faults.is_empty());
            assert!(error.faults.is_sorted_by_key(|fault| fault.line));
            assert!(error.faults.iter().all(|fault| fault.line.is_none_or(|line| (1..=lines).contains(&line))));
            for problem in error.problems() {
                let _ = text::terminal(&problem.cause);
            }
        }
    }
});

/// A comment moves each entry by its line and changes nothing else; nor does a byte order mark.
fn moved(source: &str, policy: &Policy) {
    let below = format!("# first\n{}\n# last", source.strip_prefix('\u{feff}').unwrap_or(source));
    let mut expected = policy.clone();
    expected.rules.iter_mut().for_each(|entry| entry.line += 1);
    expected.ignores.iter_mut().for_each(|entry| entry.line += 1);
    expected.servers.values_mut().for_each(|entry| entry.line += 1);
    assert_eq!(policy::parse(&below, FILE).as_ref(), Ok(&expected));
    assert_eq!(policy::parse(&format!("\u{feff}{below}"), FILE).as_ref(), Ok(&expected));
}

/// Each finding is told once, and what nothing softens still fails.
fn effects(policy: &Policy) {
    let of = |rule| [Finding::new(rule), Finding::new(rule).of_item(Kind::Tool, "dated")];
    let findings: Vec<Finding> = RULES.iter().flat_map(|rule| of(rule)).collect();
    let applied = policy::apply(policy, "crm", findings.clone());
    assert_eq!(applied.findings.len() + applied.softened.len(), findings.len());
    for softened in &applied.softened {
        assert!(policy::is_softenable(softened.finding.rule), "{}", softened.finding.rule.id);
    }
    let named = policy.named_servers();
    assert!(policy.servers.keys().all(|name| named.contains_key(name.as_str())));
}

/// What is ignored is put back, once is enough, and nothing invisible is ever ignored.
fn ignores(ignores: &[&Ignore]) {
    let (approved, now) = &*SURFACES;
    let same = policy::tolerate(ignores, approved, approved);
    assert!(same.uses.is_empty() && same.compared == *approved && same.stored == *approved);
    let tolerated = policy::tolerate(ignores, approved, now);
    assert_eq!(policy::tolerate(ignores, approved, &tolerated.compared).compared, tolerated.compared);
    assert_eq!(tolerated.uses.is_empty(), tolerated.compared == *now);
    for surface in [&tolerated.compared, &tolerated.stored] {
        let hidden = surface.items.iter().any(|item| item.raw().contains('\u{200b}'));
        assert!(hidden, "something invisible was ignored");
    }
    for ignore in ignores {
        let _ = (policy::covers(ignore, approved), policy::without_ignored(&[*ignore], now));
    }
}
