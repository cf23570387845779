//! Which client a server is read as.

use crate::cli::ReadArguments;
use crate::connect::profiles;
use crate::json::{self, Object};
use crate::problem::Problem;
use crate::surface::Client;
use crate::text;

/// The client that a server is read as: the one that it was pinned with, but for what the user says; else ours.
///
/// # Errors
/// When there is no such profile, or a capability is no JSON.
pub(super) fn of(arguments: &ReadArguments, pinned: Option<&Client>) -> Result<Client, Problem> {
    let mut client = match (&arguments.client, pinned) {
        (Some(text), _) => named(text)?,
        (None, Some(pinned)) => pinned.clone(),
        (None, None) => Client::default(),
    };
    if profiles::meant_by(&client.profile).is_none() {
        let profile = text::terminal_line(&client.profile);
        return Err(Problem::new(
            STEP,
            format!("it was pinned as client \"{profile}\", which this version of mcp-pin doesn't know"),
            "update mcp-pin; the pin stays as it is",
        ));
    }
    if let Some(name) = &arguments.client_name {
        client.name = Some(name.clone());
    }
    if !arguments.client_capabilities.is_empty() {
        client.capabilities = Some(capabilities(&arguments.client_capabilities)?);
    }
    Ok(client)
}

/// The options that choose the client, as a user types them again.
pub(super) fn words(arguments: &ReadArguments) -> Vec<String> {
    let mut words = Vec::new();
    let mut option = |name: &str, value: &String| words.push(text::shell_option(name, value));
    arguments.client.iter().for_each(|client| option("--client", client));
    arguments.client_name.iter().for_each(|name| option("--client-name", name));
    arguments.client_capabilities.iter().for_each(|capability| option("--client-capability", capability));
    words
}

/// The clients that a list such as `all` or `vscode,codex/1` means, each once.
///
/// # Errors
/// When there is no such profile.
pub(super) fn all_of(list: &[String]) -> Result<Vec<Client>, Problem> {
    let mut clients: Vec<Client> = Vec::new();
    for text in list {
        let more = match text.trim() {
            "all" => profiles::names().map(Client::of_profile).collect(),
            text => vec![named(text)?],
        };
        clients.extend(more);
    }
    let mut seen: Vec<String> = Vec::new();
    clients.retain(|client| {
        let new = !seen.contains(&client.profile);
        seen.push(client.profile.clone());
        new
    });
    Ok(clients)
}

const STEP: &str = "choosing the client";

fn named(text: &str) -> Result<Client, Problem> {
    profiles::meant_by(text).map(Client::of_profile).ok_or_else(|| {
        let known: Vec<&str> = profiles::names().collect();
        let cause = format!("there is no client \"{}\"", text::terminal_line(text));
        Problem::new(STEP, cause, format!("these are known: {}", known.join(", ")))
    })
}

/// Capabilities from `NAME` or `NAME=JSON`, each once.
fn capabilities(given: &[String]) -> Result<Object, Problem> {
    let mut all = Object::new();
    for one in given {
        let (name, value) = one.split_once('=').unwrap_or((one, "{}"));
        let value = json::parse(value).map_err(|error| {
            let cause = format!("the capability \"{}\" is no JSON: {error}", text::terminal_line(name));
            Problem::new(
                STEP,
                cause,
                "as in: --client-capability sampling --client-capability 'elicitation={\"url\":{}}'",
            )
        })?;
        if name.is_empty() || all.insert(name, value).is_some() {
            let cause = format!("the capability \"{}\" has no name or is given twice", text::terminal_line(name));
            return Err(Problem::new(STEP, cause, "give each capability once, as NAME or NAME=JSON"));
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Value;

    fn texts(list: &[&str]) -> Vec<String> {
        list.iter().map(|&text| text.to_owned()).collect()
    }

    #[test]
    fn a_list_of_clients_names_each_once() {
        let names = |list: &[&str]| -> Vec<String> {
            all_of(&texts(list)).expect("known").into_iter().map(|client| client.profile).collect()
        };
        assert_eq!(names(&["vscode", "codex/1", "vscode/1"]), ["vscode/1", "codex/1"]);
        assert_eq!(names(&["all", "vscode"]).len(), profiles::names().count());
        let problem = all_of(&texts(&["vsc"])).expect_err("unknown");
        assert!(problem.help.contains("claude-code/1"), "{problem:?}");
    }

    #[test]
    fn capabilities_are_names_or_json() {
        let all = capabilities(&texts(&["sampling", "elicitation={\"url\":{}}"])).expect("valid");
        assert_eq!(json::canonical(&Value::Object(all)), r#"{"elicitation":{"url":{}},"sampling":{}}"#);
        for wrong in [&["a=b"][..], &["a", "a={}"], &["=1"]] {
            assert!(capabilities(&texts(wrong)).is_err(), "{wrong:?}");
        }
    }
}
