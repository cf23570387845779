//! `.mcp.json`: an object `mcpServers` with one entry for each server.

use super::entry::read_entry;
use super::error::{Fault, FaultKind};
use super::jsonc::Node;
use super::{ConfiguredServer, Source};
use crate::json::Kind;

/// Where other clients keep their servers, as far as it can be told from the file.
const OTHER_CLIENTS: &[(&str, &str)] = &[
    ("servers", "VS Code or Visual Studio"),
    ("mcp", "VS Code or opencode"),
    ("mcp.servers", "VS Code"),
    ("context_servers", "Zed"),
    ("mcp_servers", "another client"),
    ("amp.mcpServers", "Amp"),
    ("extensions", "another client"),
];

/// The servers, in the order of their names.
pub(super) fn servers(root: Node<'_>, source: &Source) -> Result<Vec<ConfiguredServer>, Vec<Fault>> {
    let entries = entries(root).map_err(|fault| vec![fault])?;
    let mut servers = Vec::new();
    let mut faults = Vec::new();
    for (name, entry) in entries {
        if name.is_empty() {
            faults.push(Fault::at(FaultKind::EmptyName, entry.place()));
        }
        // On a command line it would be an option, and commands that we suggest would mean something else.
        if name.starts_with('-') {
            faults.push(Fault { server: Some(name.clone()), ..Fault::at(FaultKind::NameOfAnOption, entry.place()) });
        }
        match read_entry(&name, entry) {
            Ok((launch, state)) => {
                let Source { config, folder } = source.clone();
                servers.push(ConfiguredServer { name, config: Some(config), folder, launch, state });
            }
            Err(of_entry) => faults.extend(of_entry),
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    servers.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(servers)
}

fn entries(root: Node<'_>) -> Result<Vec<(String, Node<'_>)>, Fault> {
    if root.kind() != Kind::Object {
        return Err(Fault::at(FaultKind::NotAnObject, root.place()));
    }
    let members = root.members();
    let Some((_, servers)) = members.iter().find(|(key, _)| key == "mcpServers") else {
        let other = OTHER_CLIENTS.iter().find(|(other, _)| members.iter().any(|(key, _)| key == other));
        return Err(Fault::of_file(match other {
            Some((_, client)) => FaultKind::OtherClient(client),
            None => FaultKind::NoServersMember,
        }));
    };
    // Visual Studio reads `servers` from this file: what stands there would be started by it and checked by nobody.
    let second = members.iter().find(|(key, other)| key == "servers" && other.kind() == Kind::Object);
    if let Some((_, other)) = second.filter(|(_, other)| !other.members().is_empty()) {
        return Err(Fault::at(FaultKind::SecondList, other.place()));
    }
    if servers.kind() != Kind::Object {
        let fault = Fault::at(FaultKind::WrongType("an object"), servers.place());
        return Err(Fault { member: Some("mcpServers".to_owned()), ..fault });
    }
    let entries = servers.members();
    if entries.is_empty() { Err(Fault::at(FaultKind::NoServers, servers.place())) } else { Ok(entries) }
}

#[cfg(test)]
mod tests {
    use super::super::{ConfigError, State, parse};
    use super::*;
    use crate::launch::samples::{http, stdio};
    use std::path::PathBuf;

    fn source() -> Source {
        Source { config: ".mcp.json".to_owned(), folder: PathBuf::from("/project") }
    }

    fn read(text: &str) -> Result<Vec<ConfiguredServer>, ConfigError> {
        parse(text.as_bytes(), &source())
    }

    fn messages(text: &str) -> Vec<String> {
        let error = read(text).expect_err(text);
        error.to_string().lines().map(str::to_owned).collect()
    }

    #[test]
    fn both_transports_are_read_in_the_order_of_names() {
        let servers = read(
            r#"{
                // what the team uses
                "mcpServers": {
                    "web": { "type": "http", "url": "https://x//y", "headers": { "Authorization": "Bearer ${T}" } },
                    "crm": { "command": "node", "args": ["server.mjs"], "env": { "LOG": "info", }, "disabled": true },
                },
            }"#,
        )
        .expect("servers");
        let server = |name: &str, launch, state| ConfiguredServer {
            name: name.to_owned(),
            config: Some(".mcp.json".to_owned()),
            folder: PathBuf::from("/project"),
            launch,
            state,
        };
        let crm = server("crm", stdio("node", ["server.mjs"], [("LOG", "info")]), State::Disabled);
        let web = server("web", http("https://x//y", [("Authorization", "Bearer ${T}")]), State::Enabled);
        assert_eq!(servers, [crm, web]);
    }

    #[test]
    fn a_syntax_error_has_its_place() {
        assert_eq!(
            messages("{\"mcpServers\": {\n  \"a\" {} }}"),
            [".mcp.json: expected \":\" in /mcpServers (line 2, column 7)"]
        );
        assert_eq!(messages(""), [".mcp.json: unexpected end of the text (line 1, column 1)"]);
    }

    #[test]
    fn a_server_named_twice_is_refused() {
        assert_eq!(
            messages(r#"{"mcpServers": {"a": {"command": "x"}, "\u0061": {"command": "y"}}}"#),
            [".mcp.json: repeated key \"a\" in /mcpServers (line 1, column 40)"]
        );
    }

    #[test]
    fn a_file_without_servers_is_never_an_empty_project() {
        for (text, expected) in [
            ("[]", "no servers found: expected an object with \"mcpServers\" (line 1, column 1)"),
            ("{}", "no servers found: there is no \"mcpServers\""),
            (r#"{"MCPServers":{}}"#, "no servers found: there is no \"mcpServers\""),
            (r#"{"mcpServers":{}}"#, "no servers found: \"mcpServers\" is empty (line 1, column 15)"),
            (r#"{"mcpServers":[]}"#, "mcpServers: expected an object (line 1, column 15)"),
            (r#"{"mcpServers":null}"#, "mcpServers: expected an object (line 1, column 15)"),
        ] {
            assert_eq!(messages(text), [format!(".mcp.json: {expected}")]);
        }
    }

    #[test]
    fn other_clients_files_are_recognised() {
        for (key, client) in [("servers", "VS Code or Visual Studio"), ("context_servers", "Zed")] {
            let error = read(&format!(r#"{{"{key}": {{"a": {{"command": "x"}}}}}}"#)).expect_err(key);
            assert!(error.to_string().contains(client), "{error}");
            assert!(error.problems()[0].help.contains("later version"), "{error}");
        }
    }

    #[test]
    fn all_problems_of_a_file_are_reported() {
        assert_eq!(
            messages("{\"mcpServers\": {\n\"a\": {},\n\"\": {\"command\": 1},\n\"b\": 7}}"),
            [
                ".mcp.json: server \"a\": neither \"command\" nor \"url\" (line 2, column 6)",
                ".mcp.json: a server with an empty name (line 3, column 5)",
                ".mcp.json: server \"\": command: expected a string (line 3, column 17)",
                ".mcp.json: server \"b\": expected an object (line 4, column 6)",
            ]
        );
    }

    #[test]
    fn any_name_but_an_empty_one_is_a_name() {
        let servers = read("{\"mcpServers\": {\"\\u001b[2J\\u202e\": {\"command\": \"x\"}}}").expect("servers");
        assert_eq!(servers[0].name, "\u{1b}[2J\u{202e}");
    }

    #[test]
    fn every_problem_says_what_to_do() {
        for problem in read("{\"mcpServers\": {\"a\": {\"args\": 1}, \"b\": []}}").expect_err("faults").problems() {
            assert_eq!(problem.step, "reading .mcp.json");
            assert!(!problem.cause.is_empty() && !problem.help.is_empty());
        }
    }
}
