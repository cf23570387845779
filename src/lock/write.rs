//! The one spelling of a lockfile.
//!
//! [`to_text`] is pure: it knows the model and the escapes of the leaves, no file and no older text. The reader accepts
//! nothing else than what it gives, so the order of the keys below is a part of version 1.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{LockedServer, Lockfile, VERSION};
use crate::json::{self, Object, Value};
use crate::launch::{Launch, Transport};
use crate::surface::{About, Client, Item, Kind};
use crate::text;

/// What a reviewer reads first.
const HEAD: &str = "\
# MCP tool definitions that this project has approved. Written by `mcp-pin pin`.
# Review a change of this file as you would review code: it is what your agents will be told.
";

/// The text of a lockfile: equal lockfiles have equal texts, and [`super::parse`] gives an equal lockfile back.
///
/// It holds no character that a reviewer can't see, no blank at a line's end and no line that begins like a merge marker.
pub fn to_text(lockfile: &Lockfile) -> String {
    pieces(lockfile).collect()
}

/// The same text piece by piece: the head, then the blocks.
pub(super) fn pieces(lockfile: &Lockfile) -> impl Iterator<Item = String> {
    blocks(lockfile).map(|(_, text)| text)
}

/// What a piece of a lockfile's text is about.
pub(super) enum Block<'a> {
    /// Nothing: what stands before the first block.
    Head,
    /// The server of that name.
    Server(&'a str),
    /// An item of the server of that name.
    Item(&'a str, &'a Item),
}

/// The pieces with what each is about.
pub(super) fn blocks(lockfile: &Lockfile) -> impl Iterator<Item = (Block<'_>, String)> {
    let blocks = lockfile.servers.iter().flat_map(|(name, server)| {
        let mut items: Vec<&Item> = server.surface.items.iter().collect();
        items.sort_by_key(|item| (item.kind, &item.name, &item.digest));
        let items = items.into_iter().map(move |item| (Block::Item(name, item), item_block(name, item)));
        std::iter::once((Block::Server(name), server_block(name, server))).chain(items)
    });
    std::iter::once((Block::Head, head())).chain(blocks)
}

/// What stands before the first block.
pub(super) fn head() -> String {
    let mut out = HEAD.to_owned();
    push_key("version", &VERSION.to_string(), &mut out);
    out
}

/// A server's own block, after its blank line.
pub(super) fn server_block(name: &str, server: &LockedServer) -> String {
    let mut out = String::new();
    push_server(name, server, &mut out);
    out
}

/// An item's block, after its blank line.
pub(super) fn item_block(server: &str, item: &Item) -> String {
    let mut out = String::new();
    push_item(server, item, &mut out);
    out
}

fn push_server(name: &str, server: &LockedServer, out: &mut String) {
    push_block("server", out);
    push_key("name", &text::toml_basic(name), out);
    push_line_if_some("config", server.config.as_deref(), out);
    push_launch(&server.launch, out);
    if server.launch.transport == Transport::Saved {
        // A listing says nothing of the server itself.
        return;
    }
    push_client(&server.client, out);
    push_array("pass_env", &server.pass_env, out);
    if server.surface.pins_changing_resources() {
        push_key("pin_resources", "true", out);
    }
    push_key("protocol", &text::toml_basic(&server.surface.protocol), out);
    push_about(&server.surface.about, out);
}

fn push_launch(launch: &Launch, out: &mut String) {
    match &launch.transport {
        Transport::Stdio { command, args, env, cwd } => {
            push_key("command", &text::toml_basic(command), out);
            push_array("args", args, out);
            push_table("env", env, out);
            push_line_if_some("cwd", cwd.as_deref(), out);
        }
        Transport::Saved => push_key("saved_listing", "true", out),
        Transport::Http { url, headers } => {
            push_key("url", &text::toml_basic(url), out);
            push_table("headers", headers, out);
        }
    }
    if !launch.options.is_empty() {
        push_json("options", &launch.options, out);
    }
    push_array("unverified", &launch.unverified, out);
}

fn push_client(client: &Client, out: &mut String) {
    push_key("client", &text::toml_basic(&client.profile), out);
    push_line_if_some("client_name", client.name.as_deref(), out);
    if let Some(capabilities) = &client.capabilities {
        push_json("client_capabilities", capabilities, out);
    }
}

fn push_about(about: &About, out: &mut String) {
    push_line_if_some("release", about.release.as_deref(), out);
    push_json("about", &about.members, out);
    push_prose("instructions", about.instructions.as_deref(), out);
}

fn push_item(server: &str, item: &Item, out: &mut String) {
    let mut members = item.object();
    members.remove(item.kind.identity());
    let title = take_string(&mut members, "title");
    let description = take_string(&mut members, "description");
    push_block(item.kind.as_str(), out);
    push_key("server", &text::toml_basic(server), out);
    push_key(identity_key(item.kind), &text::toml_basic(&item.name), out);
    push_key("digest", &text::toml_basic(item.digest.as_str()), out);
    push_prose("title", title.as_deref(), out);
    push_prose("description", description.as_deref(), out);
    push_json("definition", &members, out);
}

/// The key of what an item is called by: [`Kind::identity`] in the lockfile's spelling.
pub(super) fn identity_key(kind: Kind) -> &'static str {
    match kind {
        Kind::Tool | Kind::Prompt => "name",
        Kind::Resource | Kind::Interface => "uri",
        Kind::Template => "uri_template",
    }
}

/// Takes a member out where it is a string; one of another type stays.
fn take_string(members: &mut Object, key: &str) -> Option<String> {
    let text = members.get(key)?.as_str()?.to_owned();
    members.remove(key);
    Some(text)
}

/// The head of a block, after a blank line.
fn push_block(name: &str, out: &mut String) {
    // Writing to a String can't fail.
    let _ = write!(out, "\n[[{name}]]\n");
}

/// A key and its value, which is TOML already.
fn push_key(key: &str, value: &str, out: &mut String) {
    // Writing to a String can't fail.
    let _ = writeln!(out, "{key} = {value}");
}

/// A text that is a name of something: on one line, whatever it holds.
fn push_line_if_some(key: &str, value: Option<&str>, out: &mut String) {
    if let Some(value) = value {
        push_key(key, &text::toml_basic(value), out);
    }
}

/// A text that people and models read: on as many lines as it has.
fn push_prose(key: &str, value: Option<&str>, out: &mut String) {
    if let Some(value) = value {
        let spelled = if value.contains('\n') { text::toml_multi_line(value) } else { text::toml_basic(value) };
        push_key(key, &spelled, out);
    }
}

/// An array of strings on one line; nothing if it is empty.
fn push_array<'a>(key: &str, values: impl IntoIterator<Item = &'a String>, out: &mut String) {
    let values: Vec<String> = values.into_iter().map(|value| text::toml_basic(value)).collect();
    if !values.is_empty() {
        push_key(key, &format!("[{}]", values.join(", ")), out);
    }
}

/// An inline table of strings; nothing if it is empty.
fn push_table(key: &str, values: &BTreeMap<String, String>, out: &mut String) {
    let members: Vec<String> =
        values.iter().map(|(name, value)| format!("{} = {}", table_key(name), text::toml_basic(value))).collect();
    if !members.is_empty() {
        push_key(key, &format!("{{ {} }}", members.join(", ")), out);
    }
}

/// A key of an inline table: bare where TOML lets it be (TOML 1.0, Keys), else quoted.
fn table_key(name: &str) -> String {
    let bare = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if bare { name.to_owned() } else { text::toml_basic(name) }
}

/// An object as pretty canonical JSON in a multi-line literal string: `json::pretty` never writes three apostrophes.
fn push_json(key: &str, object: &Object, out: &mut String) {
    push_key(key, &format!("'''\n{}\n'''", json::pretty(&Value::Object(object.clone()))), out);
}
