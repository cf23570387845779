//! One server's entry, from its members to a launch.

use std::collections::{BTreeMap, BTreeSet};

use super::State;
use super::command_line::{command_and_args, is_command_line};
use super::error::{Fault, FaultKind};
use super::jsonc::Node;
use crate::json::{Kind, Object};
use crate::launch::{Launch, Transport};

/// Members that change neither what is started nor what it is given, and so are no part of the launch: notes to a reader,
/// and `disabled`, which is the server's state. `type` is left out too where it only repeats which transport the entry has.
/// Everything else is kept, known to us or not: a client may act on it.
const COSMETIC: &[&str] = &["description", "$comment", "comment", "//", "disabled"];

/// The types that name a transport, and what they name.
const TYPES: &[(&str, Named)] = &[
    ("stdio", Named::Stdio),
    ("http", Named::Http),
    ("streamable-http", Named::Http),
    ("streamableHttp", Named::Http),
    ("streamable_http", Named::Http),
    ("sse", Named::LegacySse),
];

/// Other clients' names for `url`.
const OTHER_ADDRESSES: &[&str] = &["httpUrl", "serverUrl"];

/// Other clients' forms of `${NAME}`; sent as they are they would end in a refusal that nobody understands.
const OTHER_VARIABLES: &[&str] = &["${env:", "${input:"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    Stdio,
    Http,
    /// The transport of 2024-11-05 with two endpoints. It stays in the options, where [`Launch::is_legacy_sse`] finds it.
    LegacySse,
}

/// The launch and the state that an entry describes.
///
/// # Errors
/// With everything that is wrong with the entry.
pub(super) fn read_entry(server: &str, entry: Node<'_>) -> Result<(Launch, State), Vec<Fault>> {
    let mut reader = Entry { server, members: entry.members(), faults: Vec::new() };
    if entry.kind() != Kind::Object {
        reader.fault(FaultKind::WrongType("an object"), None, entry);
        return Err(reader.faults);
    }
    for other in OTHER_ADDRESSES {
        if let Some(node) = reader.member(other) {
            reader.fault(FaultKind::OtherAddress, Some(other), node);
        }
    }
    let transport = match (reader.member("command"), reader.member("url")) {
        (Some(command), None) => Some(reader.stdio(command)),
        (None, Some(url)) => Some(reader.http(url)),
        (Some(_), Some(url)) => {
            reader.fault(FaultKind::TwoTransports, None, url);
            None
        }
        (None, None) => {
            if reader.faults.is_empty() {
                reader.fault(FaultKind::NoTransport, None, entry);
            }
            None
        }
    };
    let state = reader.state();
    let launch = transport.map(|transport| {
        let options = reader.options(&transport);
        Launch { transport, options, unverified: BTreeSet::new() }
    });
    match launch {
        Some(launch) if reader.faults.is_empty() => Ok((launch, state)),
        _ => Err(reader.faults),
    }
}

/// An entry that is being read. Where a member is faulty, the fault is noted and something empty stands for it.
struct Entry<'a> {
    server: &'a str,
    members: Vec<(String, Node<'a>)>,
    faults: Vec<Fault>,
}

impl<'a> Entry<'a> {
    fn member(&self, name: &str) -> Option<Node<'a>> {
        self.members.iter().find(|(key, _)| key == name).map(|(_, node)| *node)
    }

    fn fault(&mut self, kind: FaultKind, member: Option<&str>, node: Node<'_>) {
        let (server, member) = (Some(self.server.to_owned()), member.map(str::to_owned));
        self.faults.push(Fault { kind, server, member, place: Some(node.place()) });
    }

    fn stdio(&mut self, node: Node<'a>) -> Transport {
        let command = self.filled("command", node);
        let mut args = Vec::new();
        if let Some(node) = self.member("args") {
            if node.kind() != Kind::Array {
                self.fault(FaultKind::WrongType("an array of strings"), Some("args"), node);
            }
            for (index, element) in node.elements().into_iter().enumerate() {
                args.push(self.text(&format!("args[{index}]"), element));
            }
        }
        if args.is_empty() && is_command_line(&command) {
            self.fault(FaultKind::CommandLine(command_and_args(&command)), Some("command"), node);
        }
        let env = self.texts("env");
        let variables = self.member("env").map(|node| node.members()).unwrap_or_default();
        for (name, node) in variables.into_iter().filter(|(name, _)| name.is_empty() || name.contains(['=', '\0'])) {
            self.fault(FaultKind::BadVariableName, Some(&format!("env.{name}")), node);
        }
        let cwd = self.member("cwd").map(|node| self.filled("cwd", node));
        Transport::Stdio { command, args, env, cwd }
    }

    fn http(&mut self, node: Node<'a>) -> Transport {
        let url = self.filled("url", node);
        let scheme = url.split("://").next().unwrap_or_default().to_ascii_lowercase();
        // A variable may hold the whole address, or its beginning.
        let named = matches!(scheme.as_str(), "http" | "https") || url.starts_with("${");
        if !url.is_empty() && !named {
            self.fault(FaultKind::NotHttp, Some("url"), node);
        }
        Transport::Http { url, headers: self.texts("headers") }
    }

    /// An object of strings.
    fn texts(&mut self, member: &str) -> BTreeMap<String, String> {
        let Some(node) = self.member(member) else { return BTreeMap::new() };
        if node.kind() != Kind::Object {
            self.fault(FaultKind::WrongType("an object of strings"), Some(member), node);
        }
        let read = |(name, node): (String, Node<'a>)| {
            let text = self.text(&format!("{member}.{name}"), node);
            (name, text)
        };
        node.members().into_iter().map(read).collect()
    }

    /// A string that isn't empty.
    fn filled(&mut self, member: &str, node: Node<'a>) -> String {
        let text = self.text(member, node);
        if node.kind() == Kind::String && text.trim().is_empty() {
            self.fault(FaultKind::Empty, Some(member), node);
        }
        text
    }

    /// A string.
    fn text(&mut self, member: &str, node: Node<'a>) -> String {
        let Some(text) = node.string() else {
            self.fault(FaultKind::WrongType("a string"), Some(member), node);
            return String::new();
        };
        if let Some(form) = OTHER_VARIABLES.iter().find(|form| text.contains(**form)) {
            self.fault(FaultKind::OtherVariable(form), Some(member), node);
        }
        text
    }

    fn state(&mut self) -> State {
        let Some(node) = self.member("disabled") else { return State::Enabled };
        match node.value().as_bool() {
            Some(true) => State::Disabled,
            Some(false) => State::Enabled,
            None => {
                self.fault(FaultKind::WrongType("true or false"), Some("disabled"), node);
                State::Enabled
            }
        }
    }

    /// Every member that the transport doesn't use, but for the cosmetic ones.
    fn options(&mut self, transport: &Transport) -> Object {
        let used: &[&str] = match transport {
            Transport::Stdio { .. } => &["command", "args", "env", "cwd"],
            Transport::Http { .. } => &["url", "headers"],
            // No configuration names it.
            Transport::Saved => &[],
        };
        let mut options: Object = self
            .members
            .iter()
            .filter(|(key, _)| !used.contains(&key.as_str()) && !COSMETIC.contains(&key.as_str()))
            .map(|(key, node)| (key.clone(), node.value()))
            .collect();
        if let Some(node) = self.member("type") {
            let text = self.text("type", node);
            let named = TYPES.iter().find(|(name, _)| *name == text).map(|(_, named)| *named);
            match (transport, named) {
                (Transport::Stdio { .. }, Some(Named::Stdio)) | (Transport::Http { .. }, Some(Named::Http)) => {
                    options.remove("type");
                }
                (Transport::Http { .. }, Some(Named::LegacySse)) => {}
                (_, Some(_)) => self.fault(FaultKind::ContradictoryType, Some("type"), node),
                (_, None) if node.kind() == Kind::String => self.fault(FaultKind::UnknownType, Some("type"), node),
                (_, None) => {}
            }
        }
        options
    }
}

#[cfg(test)]
mod tests {
    use super::super::jsonc::Document;
    use super::*;
    use crate::json::{Value, canonical};
    use crate::launch::samples::{http, stdio};

    fn read(entry: &str) -> Result<(Launch, State), Vec<Fault>> {
        let document = Document::read(entry.as_bytes()).unwrap_or_else(|fault| panic!("{entry}: {fault}"));
        read_entry("s", document.root())
    }

    fn launch(entry: &str) -> Launch {
        read(entry).unwrap_or_else(|faults| panic!("{entry}: {faults:?}")).0
    }

    fn faults(entry: &str) -> Vec<(Option<String>, FaultKind)> {
        let faults = read(entry).expect_err(entry);
        assert!(faults.iter().all(|fault| fault.place.is_some() && fault.server.as_deref() == Some("s")), "{entry}");
        faults.into_iter().map(|fault| (fault.member, fault.kind)).collect()
    }

    fn one(member: &str, kind: FaultKind) -> Vec<(Option<String>, FaultKind)> {
        let member = (!member.is_empty()).then(|| member.to_owned());
        vec![(member, kind)]
    }

    #[test]
    fn every_member_is_part_of_the_launch_but_the_cosmetic_ones() {
        let launch = launch(
            r#"{"command": "x", "type": "stdio", "disabled": false, "description": "d", "$comment": 1, "comment": 2,
                "//": [], "alwaysAllow": ["a"], "timeout": 60.0, "x-unknown": null, "envFile": ".env", "url2": {}}"#,
        );
        assert_eq!(
            canonical(&Value::Object(launch.options)),
            r#"{"alwaysAllow":["a"],"envFile":".env","timeout":60,"url2":{},"x-unknown":null}"#
        );
    }

    #[test]
    fn members_of_the_other_transport_are_kept_too() {
        let launch = launch(r#"{"url": "https://h", "args": ["a"], "env": {"A": "b"}}"#);
        assert_eq!(canonical(&Value::Object(launch.options)), r#"{"args":["a"],"env":{"A":"b"}}"#);
    }

    #[test]
    fn a_type_that_names_the_transport_anyway_is_cosmetic() {
        for name in ["http", "streamable-http", "streamableHttp", "streamable_http"] {
            assert_eq!(
                launch(&format!(r#"{{"type": "{name}", "url": "https://h"}}"#)),
                http("https://h", []),
                "{name}"
            );
        }
        assert_eq!(launch(r#"{"type": "stdio", "command": "x"}"#), stdio("x", [], []));
    }

    #[test]
    fn the_legacy_transport_is_kept_to_be_refused() {
        assert!(launch(r#"{"type": "sse", "url": "https://h/sse"}"#).is_legacy_sse());
    }

    #[test]
    fn a_type_for_the_other_transport_is_a_contradiction() {
        for entry in [
            r#"{"type": "stdio", "url": "https://h"}"#,
            r#"{"type": "http", "command": "x"}"#,
            r#"{"type": "sse", "command": "x"}"#,
        ] {
            assert_eq!(faults(entry), one("type", FaultKind::ContradictoryType), "{entry}");
        }
    }

    #[test]
    fn an_unknown_type_is_refused() {
        assert_eq!(faults(r#"{"type": "ws", "url": "https://h"}"#), one("type", FaultKind::UnknownType));
        assert_eq!(faults(r#"{"type": 1, "url": "https://h"}"#), one("type", FaultKind::WrongType("a string")));
    }

    #[test]
    fn exactly_one_transport_is_needed() {
        assert_eq!(faults(r#"{"env": {}}"#), one("", FaultKind::NoTransport));
        assert_eq!(faults(r#"{"command": "x", "url": "https://h"}"#), one("", FaultKind::TwoTransports));
    }

    #[test]
    fn other_clients_names_for_the_address_are_explained() {
        for entry in [r#"{"httpUrl": "https://h"}"#, r#"{"url": "https://g", "httpUrl": "https://h"}"#] {
            assert_eq!(faults(entry), one("httpUrl", FaultKind::OtherAddress), "{entry}");
        }
        assert_eq!(faults(r#"{"serverUrl": "https://h"}"#), one("serverUrl", FaultKind::OtherAddress));
    }

    #[test]
    fn members_of_a_wrong_type_are_named() {
        for (entry, member, expected) in [
            (r#"{"command": ["x"]}"#, "command", "a string"),
            (r#"{"command": null}"#, "command", "a string"),
            (r#"{"command": "x", "args": "y"}"#, "args", "an array of strings"),
            (r#"{"command": "x", "args": ["y", 1]}"#, "args[1]", "a string"),
            (r#"{"command": "x", "env": []}"#, "env", "an object of strings"),
            (r#"{"command": "x", "env": {"PORT": 8080}}"#, "env.PORT", "a string"),
            (r#"{"command": "x", "env": {"DEBUG": true}}"#, "env.DEBUG", "a string"),
            (r#"{"command": "x", "cwd": 1}"#, "cwd", "a string"),
            (r#"{"command": "x", "disabled": "yes"}"#, "disabled", "true or false"),
            (r#"{"url": 1}"#, "url", "a string"),
            (r#"{"url": "https://h", "headers": null}"#, "headers", "an object of strings"),
            (r#"{"url": "https://h", "headers": {"A": {}}}"#, "headers.A", "a string"),
        ] {
            assert_eq!(faults(entry), one(member, FaultKind::WrongType(expected)), "{entry}");
        }
        assert_eq!(faults("[]"), one("", FaultKind::WrongType("an object")));
    }

    #[test]
    fn all_faults_of_an_entry_are_found() {
        let found = faults(r#"{"command": "", "args": [1], "env": {"A": 1, "B": 2}, "type": "http", "disabled": 0}"#);
        let members: Vec<_> = found.into_iter().filter_map(|(member, _)| member).collect();
        assert_eq!(members, ["command", "args[0]", "env.A", "env.B", "disabled", "type"]);
    }

    #[test]
    fn what_must_not_be_empty_is_not() {
        for (entry, member) in
            [(r#"{"command": " "}"#, "command"), (r#"{"command": "x", "cwd": ""}"#, "cwd"), (r#"{"url": ""}"#, "url")]
        {
            assert_eq!(faults(entry), one(member, FaultKind::Empty), "{entry}");
        }
    }

    #[test]
    fn a_whole_command_line_is_refused_with_the_exact_fix() {
        let fix = r#""command": "npx", "args": ["-y", "pkg"]"#;
        for entry in [r#"{"command": "npx -y pkg"}"#, r#"{"command": "npx -y  pkg", "args": []}"#] {
            assert_eq!(faults(entry), one("command", FaultKind::CommandLine(Some(fix.to_owned()))), "{entry}");
        }
    }

    #[test]
    fn a_path_with_blanks_is_a_command() {
        for command in ["/opt/My App/server", "./my app", "C:\\\\Program Files\\\\x.exe", "${HOME}/My App/x"] {
            assert!(read(&format!(r#"{{"command": "{command}"}}"#)).is_ok(), "{command}");
        }
        assert_eq!(launch(r#"{"command": "my app", "args": ["x"]}"#), stdio("my app", ["x"], []));
    }

    #[test]
    fn an_address_is_one_of_http() {
        for url in ["ws://h", "localhost:3000/mcp", "file:///x", "h"] {
            assert_eq!(faults(&format!(r#"{{"url": "{url}"}}"#)), one("url", FaultKind::NotHttp), "{url}");
        }
        for url in ["http://h", "HTTPS://h", "${BASE}/mcp", "https://${HOST}/mcp"] {
            assert!(read(&format!(r#"{{"url": "{url}"}}"#)).is_ok(), "{url}");
        }
    }

    #[test]
    fn other_clients_variables_are_explained() {
        assert_eq!(
            faults(r#"{"command": "x", "env": {"T": "${env:T}"}}"#),
            one("env.T", FaultKind::OtherVariable("${env:"))
        );
        assert_eq!(
            faults(r#"{"url": "https://h", "headers": {"A": "Bearer ${input:t}"}}"#),
            one("headers.A", FaultKind::OtherVariable("${input:"))
        );
    }

    #[test]
    fn impossible_names_of_variables_are_refused() {
        assert_eq!(faults(r#"{"command": "x", "env": {"": "a"}}"#), one("env.", FaultKind::BadVariableName));
        assert_eq!(faults(r#"{"command": "x", "env": {"A=B": "a"}}"#), one("env.A=B", FaultKind::BadVariableName));
    }

    #[test]
    fn no_message_holds_a_value() {
        let entry =
            r#"{"command": "npx abc-secret", "env": {"A": 7654321}, "type": "abc-secret", "disabled": "abc-secret"}"#;
        let entry = entry.replace("npx abc-secret", "npx --token abc-secret");
        for fault in read(&entry).expect_err("faults") {
            let shown = format!("{fault} {}", fault.help());
            assert!(!shown.contains("abc-secret") && !shown.contains("7654321"), "{shown}");
        }
    }
}
