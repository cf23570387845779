//! What every test of the lockfile needs: examples, and when two lockfiles are the same.

mod arbitrary;
mod disk;
mod layout;
mod merging;
mod refusals;
mod round_trip;

use std::collections::{BTreeMap, BTreeSet};

use super::{FaultKind, LockError, LockedServer, Lockfile, parse};
use crate::json::{self, Object, Value};
use crate::launch::{Launch, Transport};
use crate::surface::{About, Client, Item, Kind, Surface};

/// The name of the file in messages.
const FILE: &str = "mcp-tools.lock";

fn object(json: &str) -> Object {
    match json::parse(json) {
        Ok(Value::Object(object)) => object,
        other => panic!("{json}: {other:?}"),
    }
}

fn tool(raw: &str) -> Item {
    Item::from_raw(Kind::Tool, raw).expect(raw)
}

fn stdio(command: &str) -> Launch {
    Launch {
        transport: Transport::Stdio {
            command: command.to_owned(),
            args: vec!["server.mjs".to_owned()],
            env: BTreeMap::new(),
            cwd: None,
        },
        options: Object::new(),
        unverified: BTreeSet::new(),
    }
}

fn server(launch: Launch, items: Vec<Item>) -> LockedServer {
    let about = About {
        release: Some("1.0.0".to_owned()),
        instructions: Some("A customer database.".to_owned()),
        members: object(r#"{"serverInfo":{"name":"demo-crm"},"capabilities":{"tools":{}}}"#),
    };
    LockedServer {
        config: Some(".mcp.json".to_owned()),
        launch,
        client: Client::default(),
        pass_env: BTreeSet::new(),
        surface: Surface::new("2025-11-25".to_owned(), about, items),
    }
}

fn lockfile(servers: impl IntoIterator<Item = (&'static str, LockedServer)>) -> Lockfile {
    Lockfile { servers: servers.into_iter().map(|(name, server)| (name.to_owned(), server)).collect() }
}

/// The lockfile of the documentation.
fn example() -> Lockfile {
    let mut launch = stdio("node");
    if let Transport::Stdio { env, .. } = &mut launch.transport {
        env.insert("LOG_LEVEL".to_owned(), "info".to_owned());
        env.insert("CRM_TOKEN".to_owned(), "${CRM_TOKEN}".to_owned());
    }
    let lookup = tool(
        r#"{"name":"lookup_customer","title":"Look up customer",
            "description":"Look up a customer record by ID.\nFails when the ID is unknown.",
            "inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}"#,
    );
    lockfile([("crm", server(launch, vec![lookup]))])
}

/// Whether two lockfiles are the same in all that a lockfile keeps: everything but how an item's sender spelled it.
fn same(one: &Lockfile, other: &Lockfile) -> bool {
    one.servers.len() == other.servers.len()
        && one.servers.iter().zip(&other.servers).all(|((one_name, one), (other_name, other))| {
            let items = |server: &LockedServer| -> Vec<(Kind, String, Object)> {
                server.surface.items.iter().map(|item| (item.kind, item.name.clone(), item.object())).collect()
            };
            one_name == other_name
                && (&one.config, &one.launch, &one.client) == (&other.config, &other.launch, &other.client)
                && one.pass_env == other.pass_env
                && one.surface.protocol == other.surface.protocol
                && one.surface.about == other.surface.about
                && one.surface.resources == other.surface.resources
                && items(one) == items(other)
        })
}

/// What is wrong with a text, by the faults' kinds.
fn kinds(text: &str) -> Vec<FaultKind> {
    refusal(text).faults.into_iter().map(|fault| fault.kind).collect()
}

fn refusal(text: &str) -> LockError {
    parse(text, FILE).expect_err(text)
}
