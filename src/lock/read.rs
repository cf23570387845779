//! From the text of a lockfile to what it holds, or to everything that is wrong with it.
//!
//! The order is: is this a text at all; did a merge or a crash damage it; is it TOML; which version; does every block hold
//! what it must; do definitions and digests belong together; is this the one spelling. Each step needs the one before, so
//! a later one runs only if the earlier found nothing. Nothing here is contacted, and nothing that is wrong is skipped.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::block::{Block, type_of};
use super::write::identity_key;
use super::{BlockName, Fault, FaultKind, LockError, LockedServer, Lockfile, VERSION, spelling};
use crate::json::{Object, Value};
use crate::launch::{Launch, Transport};
use crate::surface::{About, Client, Digest, Item, Kind, Resources, Surface};
use crate::text::{self, Source};

/// Reads a lockfile and proves it; `file` is its name in messages.
///
/// # Errors
/// Anything that isn't exactly what [`to_text`] writes, but for a byte order mark and carriage returns before line feeds.
pub fn parse(text: &str, file: &str) -> Result<Lockfile, LockError> {
    let text = spelling::without_transport_marks(text);
    let lockfile = read(&text, file)?;
    match spelling::first_difference(&text, &lockfile) {
        None => Ok(lockfile),
        Some(fault) => Err(LockError { file: file.to_owned(), faults: vec![fault] }),
    }
}

/// [`parse`] for bytes as they lie on the disk.
///
/// # Errors
/// As for [`parse`], and bytes that are no UTF-8.
pub fn parse_bytes(bytes: &[u8], file: &str) -> Result<Lockfile, LockError> {
    parse(utf8(bytes, file)?, file)
}

/// [`parse_bytes`] that accepts other spellings of the same content, to rewrite them: comments, order, escapes. Content is
/// proven as strictly.
///
/// # Errors
/// As for [`parse_bytes`], but for the spelling.
pub fn parse_any_spelling(bytes: &[u8], file: &str) -> Result<Lockfile, LockError> {
    read(&spelling::without_transport_marks(utf8(bytes, file)?), file)
}

fn utf8<'t>(bytes: &'t [u8], file: &str) -> Result<&'t str, LockError> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(LockError::of(file, FaultKind::Utf16, None));
    }
    std::str::from_utf8(bytes).map_err(|error| {
        let line = bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count() + 1;
        LockError::of(file, FaultKind::NotUtf8, Some(line))
    })
}

fn read(text: &str, file: &str) -> Result<Lockfile, LockError> {
    let source = Source::new(text);
    if let Some(fault) = damage(text, &source) {
        return Err(LockError { file: file.to_owned(), faults: vec![fault] });
    }
    let document = DeTable::parse(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        let kind = FaultKind::Syntax { column: source.column(offset), message: error.message().replace('\n', ", ") };
        LockError::of(file, kind, Some(source.line(offset)))
    })?;
    let mut faults = Vec::new();
    let mut head = Block::new(&source, BlockName::Head, document, &mut faults);
    check_version(&mut head, &source, file)?;
    let servers = head.blocks("server");
    let items: Vec<_> = Kind::ALL.into_iter().map(|kind| (kind, head.blocks(kind.as_str()))).collect();
    head.finish();

    let mut servers = read_servers(servers, &source, &mut faults);
    for (kind, blocks) in items {
        read_items(kind, blocks, &mut servers, &source, &mut faults);
    }
    if !faults.is_empty() {
        faults.sort_by_key(|fault| fault.line);
        return Err(LockError { file: file.to_owned(), faults });
    }
    Ok(Lockfile { servers: servers.into_iter().map(|(name, server)| (name, server.finish())).collect() })
}

/// What a crash, a merge or a careless hand leaves behind.
fn damage(text: &str, source: &Source<'_>) -> Option<Fault> {
    if text.trim_matches(|character: char| character.is_whitespace() || character == '\u{feff}').is_empty() {
        return Some(Fault { kind: FaultKind::Empty, line: None });
    }
    if let Some(at) = text.find('\0') {
        return Some(Fault { kind: FaultKind::Nul, line: Some(source.line(at)) });
    }
    // The writer escapes such a line inside a text, so this one comes from a merge even if it stands in a string.
    let conflict = text.split('\n').position(text::begins_like_merge_marker)?;
    Some(Fault { kind: FaultKind::Conflict, line: Some(conflict + 1) })
}

/// The version comes first: of another one nothing else is known, not even whether its keys are faults.
fn check_version(head: &mut Block<'_, '_>, source: &Source<'_>, file: &str) -> Result<(), LockError> {
    const KEY: &str = "version";
    let Some(value) = head.take(KEY) else { return Err(LockError::of(file, FaultKind::NoVersion, None)) };
    let kind = match value.get_ref() {
        DeValue::Integer(version) => match i64::from_str_radix(version.as_str(), version.radix()) {
            Ok(VERSION) => return Ok(()),
            Ok(older) if older < VERSION => FaultKind::UnknownVersion(version.to_string()),
            Err(_) if version.as_str().starts_with('-') => FaultKind::UnknownVersion(version.to_string()),
            _ => FaultKind::NewerVersion(version.to_string()),
        },
        other => {
            FaultKind::WrongType { block: BlockName::Head, key: KEY, expected: "an integer", found: type_of(other) }
        }
    };
    Err(LockError::of(file, kind, Some(source.line(value.span().start))))
}

/// A server whose items are still being gathered.
struct ServerBlock {
    /// The line of its block, from 1.
    line: usize,
    config: Option<String>,
    launch: Launch,
    client: Client,
    pass_env: BTreeSet<String>,
    protocol: String,
    about: About,
    pin_resources: bool,
    /// The items by kind and name, each with the line of its block.
    items: BTreeMap<(Kind, String), (usize, Item)>,
}

impl ServerBlock {
    fn finish(self) -> LockedServer {
        let items = self.items.into_values().map(|(_, item)| item).collect();
        let unpinned = self.about.resources_change() && !self.pin_resources;
        let resources = if unpinned { Resources::Changing } else { Resources::Pinned };
        LockedServer {
            config: self.config,
            launch: self.launch,
            client: self.client,
            pass_env: self.pass_env,
            surface: Surface::new(self.protocol, self.about, items).with_resources(resources),
        }
    }
}

fn read_servers<'t>(
    blocks: Vec<Spanned<DeTable<'t>>>,
    source: &'t Source<'t>,
    faults: &mut Vec<Fault>,
) -> BTreeMap<String, ServerBlock> {
    let mut servers: BTreeMap<String, ServerBlock> = BTreeMap::new();
    for table in blocks {
        let name = peek(&table, "name");
        let mut block = Block::new(source, BlockName::Server(name), table, faults);
        let name = block.text("name");
        let server = read_server(&mut block);
        match servers.entry(name) {
            Entry::Occupied(first) => {
                block.fault(FaultKind::RepeatedServer { name: first.key().clone(), first: first.get().line });
            }
            Entry::Vacant(vacant) => {
                vacant.insert(server);
            }
        }
        block.finish();
    }
    servers
}

fn read_server(block: &mut Block<'_, '_>) -> ServerBlock {
    if block.has("saved_listing") {
        return read_saved(block);
    }
    ServerBlock {
        line: block.line(),
        config: block.optional_text("config"),
        launch: Launch {
            transport: read_transport(block),
            options: block.optional_object("options"),
            unverified: block.texts("unverified").into_iter().collect(),
        },
        client: read_client(block),
        pass_env: block.texts("pass_env").into_iter().collect(),
        pin_resources: block.flag("pin_resources"),
        protocol: read_protocol(block),
        about: read_about(block),
        items: BTreeMap::new(),
    }
}

/// A server of which another program has saved a listing: nothing else of it is known.
fn read_saved(block: &mut Block<'_, '_>) -> ServerBlock {
    // Another value is another spelling, as any other key here is unknown.
    block.flag("saved_listing");
    ServerBlock {
        line: block.line(),
        config: None,
        launch: Launch { transport: Transport::Saved, options: Object::new(), unverified: BTreeSet::new() },
        client: Client::default(),
        pass_env: BTreeSet::new(),
        pin_resources: false,
        protocol: String::new(),
        about: About::default(),
        items: BTreeMap::new(),
    }
}

/// The revision of the protocol that was agreed on: only known ones are, and those have a date for a name.
fn read_protocol(block: &mut Block<'_, '_>) -> String {
    const KEY: &str = "protocol";
    let protocol = block.text(KEY);
    let is_date = protocol.len() == 10
        && protocol.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    // What is missing, or no text, is told already.
    if !is_date && !protocol.is_empty() {
        let (expected, found) = ("a revision such as 2025-11-25", "another text");
        block.fault(FaultKind::WrongType { block: block.name().clone(), key: KEY, expected, found });
    }
    protocol
}

fn read_client(block: &mut Block<'_, '_>) -> Client {
    let capabilities = block.has("client_capabilities").then(|| block.optional_object("client_capabilities"));
    Client { profile: block.text("client"), name: block.optional_text("client_name"), capabilities }
}

fn read_transport(block: &mut Block<'_, '_>) -> Transport {
    let name = block.name().clone();
    match (block.has("command"), block.has("url")) {
        (true, true) => block.fault(FaultKind::BothTransports { block: name }),
        (false, false) => block.fault(FaultKind::NoTransport { block: name }),
        (true, false) => refuse_keys(block, "command", &["headers"]),
        (false, true) => refuse_keys(block, "url", &["args", "env", "cwd"]),
    }
    // All keys are read whatever the kind: a wrong type is worth telling too.
    let command = block.optional_text("command");
    let args = block.texts("args");
    let env = block.table("env");
    let cwd = block.optional_text("cwd");
    let url = block.optional_text("url");
    let headers = block.table("headers");
    match url {
        Some(url) => Transport::Http { url, headers },
        None => Transport::Stdio { command: command.unwrap_or_default(), args, env, cwd },
    }
}

/// Records each of the keys that the block has although its kind of launch doesn't.
fn refuse_keys(block: &mut Block<'_, '_>, transport: &'static str, keys: &[&'static str]) {
    for &key in keys {
        if block.has(key) {
            let name = block.name().clone();
            block.fault(FaultKind::OtherTransport { block: name, key, transport });
        }
    }
}

/// Parts what `About::from_answer` parts: a member that has a key of its own has no second place in the JSON.
fn read_about(block: &mut Block<'_, '_>) -> About {
    let release = block.optional_text("release");
    let members = block.object("about");
    let instructions = block.optional_text("instructions");
    let version = members.get("serverInfo").and_then(|info| info.get("version"));
    refuse_second_place(block, "about", "version", version, release.as_deref());
    refuse_second_place(block, "about", "instructions", members.get("instructions"), instructions.as_deref());
    About { release, instructions, members }
}

/// A member stays in the JSON only if it is no string; then the block doesn't have its key.
fn refuse_second_place(
    block: &mut Block<'_, '_>,
    key: &'static str,
    member: &'static str,
    held: Option<&Value>,
    text: Option<&str>,
) {
    if held.is_some_and(|held| text.is_some() || held.as_str().is_some()) {
        let name = block.name().clone();
        block.fault(FaultKind::Misplaced { block: name, key, member });
    }
}

fn read_items<'t>(
    kind: Kind,
    blocks: Vec<Spanned<DeTable<'t>>>,
    servers: &mut BTreeMap<String, ServerBlock>,
    source: &'t Source<'t>,
    faults: &mut Vec<Fault>,
) {
    for table in blocks {
        let name = BlockName::Item { kind, server: peek(&table, "server"), name: peek(&table, identity_key(kind)) };
        let mut block = Block::new(source, name, table, faults);
        let server = block.text("server");
        let item = read_item(kind, &mut block);
        let name = block.name().clone();
        match servers.get_mut(&server) {
            None => block.fault(FaultKind::NoSuchServer { block: name }),
            Some(server) => match server.items.entry((kind, item.name.clone())) {
                Entry::Occupied(first) => block.fault(FaultKind::RepeatedItem { block: name, first: first.get().0 }),
                Entry::Vacant(vacant) => {
                    vacant.insert((block.line(), item));
                }
            },
        }
        block.finish();
    }
}

/// An item whose digest is proven to be the one of the text that a reviewer sees.
fn read_item(kind: Kind, block: &mut Block<'_, '_>) -> Item {
    let faults_before = block.fault_count();
    let name = block.text(identity_key(kind));
    let stated = read_digest(block);
    let item = Item::from_object(kind, &name, read_members(kind, block));
    if let Some(stated) = stated
        && stated != item.digest
        && block.fault_count() == faults_before
    {
        let computed = item.digest.clone();
        let name = block.name().clone();
        block.fault(FaultKind::Inconsistent { block: name, stated, computed });
    }
    item
}

fn read_digest(block: &mut Block<'_, '_>) -> Option<Digest> {
    let faults_before = block.fault_count();
    let digest = Digest::parse(&block.text("digest"));
    if digest.is_none() && block.fault_count() == faults_before {
        let name = block.name().clone();
        block.fault(FaultKind::BadDigest { block: name });
    }
    digest
}

/// The members of an item but the one that it is called by.
fn read_members(kind: Kind, block: &mut Block<'_, '_>) -> Object {
    let texts = ["title", "description"].map(|key| (key, block.optional_text(key)));
    let mut members = block.object("definition");
    if members.contains_key(kind.identity()) {
        let name = block.name().clone();
        block.fault(FaultKind::Misplaced { block: name, key: "definition", member: kind.identity() });
    }
    for (key, text) in texts {
        refuse_second_place(block, "definition", key, members.get(key), text.as_deref());
        if let Some(text) = text {
            members.insert(key, Value::from(text));
        }
    }
    members
}

/// A block's name before it is read, for the messages about its other keys.
fn peek(table: &Spanned<DeTable<'_>>, key: &str) -> Option<String> {
    match table.get_ref().get(key)?.get_ref() {
        DeValue::String(text) => Some(text.to_string()),
        _ => None,
    }
}
