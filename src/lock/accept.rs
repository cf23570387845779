//! Approving what a server was read to say: the one way in which a reading gets into a lockfile.
//!
//! Pure: a lockfile and a reading in, a lockfile out. A part is an item, or what the server says of itself. What is not
//! accepted stays as it was approved, byte for byte.

use std::collections::BTreeSet;
use std::fmt;

use super::{LockedServer, Lockfile};
use crate::surface::{Item, Kind, Resources, Surface};

/// Something of a server that can be approved by itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// What it says of itself: its name, capabilities, instructions and release, and the revision that it speaks.
    About,
    /// An item of this kind and name: as it is now, or that it is gone.
    Item(Kind, String),
}

impl Part {
    fn is(&self, item: &Item) -> bool {
        matches!(self, Part::Item(kind, name) if *kind == item.kind && *name == item.name)
    }
}

/// What of a reading is accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Accepted {
    /// All of it, with how the server is reached and read.
    Everything,
    /// These parts.
    Parts(BTreeSet<Part>),
}

/// Why parts of a reading can't be accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The lockfile doesn't hold the server.
    Unpinned,
    /// It is reached in another way than the approved one.
    LaunchChanged,
    /// It was read as another client, or with other variables.
    ReadOtherwise,
    /// Neither the lockfile nor the reading has such an item.
    NoSuchItem(Kind, String),
    /// Its resources are not pinned one by one.
    ResourcesUnpinned(String),
}

impl fmt::Display for Refusal {
    /// Names are foreign text: escape the whole for its destination.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Unpinned => {
                formatter.write_str("the server isn't pinned yet, so there is nothing to accept parts of")
            }
            Refusal::LaunchChanged => {
                formatter.write_str("its launch isn't the approved one, so all that it says is new")
            }
            Refusal::ReadOtherwise => {
                formatter.write_str("it is read as another client, or with other variables, than it is pinned with")
            }
            Refusal::NoSuchItem(kind, name) => {
                write!(formatter, "neither the server nor the lockfile has the {} \"{name}\"", kind.noun())
            }
            Refusal::ResourcesUnpinned(name) => {
                write!(
                    formatter,
                    "the resource \"{name}\" can't be accepted by itself: the server's resources aren't pinned"
                )
            }
        }
    }
}

/// Whether parts of what a server says may be accepted: it must be the approved server, reached and read as it was.
/// Nothing of the surface of `read` is looked at.
///
/// # Errors
/// The reason why not.
pub fn accepts_parts<'a>(lockfile: &'a Lockfile, name: &str, read: &LockedServer) -> Result<&'a LockedServer, Refusal> {
    let locked = lockfile.servers.get(name).ok_or(Refusal::Unpinned)?;
    if locked.config != read.config || locked.launch != read.launch {
        return Err(Refusal::LaunchChanged);
    }
    if locked.client != read.client || locked.pass_env != read.pass_env {
        return Err(Refusal::ReadOtherwise);
    }
    Ok(locked)
}

/// The server as the lockfile holds it once that much of what was `read` is accepted.
///
/// # Errors
/// When only parts are to be accepted, and it isn't the approved server or has no such part.
pub fn accept(
    lockfile: &Lockfile,
    name: &str,
    read: LockedServer,
    accepted: &Accepted,
) -> Result<LockedServer, Refusal> {
    match accepted {
        Accepted::Everything => Ok(read),
        Accepted::Parts(parts) => {
            let locked = accepts_parts(lockfile, name, &read)?;
            let surface = with_parts(&locked.surface, &read.surface, parts)?;
            Ok(LockedServer { surface, ..read })
        }
    }
}

fn with_parts(locked: &Surface, read: &Surface, parts: &BTreeSet<Part>) -> Result<Surface, Refusal> {
    for part in parts {
        let Part::Item(kind, name) = part else { continue };
        if *kind == Kind::Resource && locked.resources == Resources::Changing {
            return Err(Refusal::ResourcesUnpinned(name.clone()));
        }
        if !locked.items.iter().chain(&read.items).any(|item| part.is(item)) {
            return Err(Refusal::NoSuchItem(*kind, name.clone()));
        }
    }
    let said_of_itself = if parts.contains(&Part::About) { read } else { locked };
    let is_accepted = |item: &&Item| parts.iter().any(|part| part.is(item));
    let kept = locked.items.iter().filter(|item| !is_accepted(item));
    let items = kept.chain(read.items.iter().filter(is_accepted)).cloned().collect();
    // A server that declares no change any more can have none but pinned resources.
    let resources = if said_of_itself.about.resources_change() { locked.resources } else { Resources::Pinned };
    let surface = Surface::new(said_of_itself.protocol.clone(), said_of_itself.about.clone(), items);
    Ok(surface.with_resources(resources))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::{Object, Value};
    use crate::launch::{Launch, Transport};
    use crate::surface::{About, Client};

    fn server(about: &str, items: &[(Kind, &str, &str)]) -> LockedServer {
        let transport =
            Transport::Stdio { command: "node".to_owned(), args: Vec::new(), env: Default::default(), cwd: None };
        let item = |&(kind, name, text): &(Kind, &str, &str)| {
            let members = [("description".to_owned(), Value::from(text))].into_iter().collect();
            Item::from_object(kind, name, members)
        };
        let about = About { instructions: Some(about.to_owned()), ..About::default() };
        LockedServer {
            config: Some(".mcp.json".to_owned()),
            launch: Launch { transport, options: Object::new(), unverified: BTreeSet::new() },
            client: Client::default(),
            pass_env: BTreeSet::new(),
            surface: Surface::new("2025-11-25".to_owned(), about, items.iter().map(item).collect()),
        }
    }

    fn lockfile(locked: &LockedServer) -> Lockfile {
        Lockfile { servers: [("crm".to_owned(), locked.clone())].into() }
    }

    fn parts(parts: &[Part]) -> Accepted {
        Accepted::Parts(parts.iter().cloned().collect())
    }

    fn tool(name: &str) -> Part {
        Part::Item(Kind::Tool, name.to_owned())
    }

    #[test]
    fn a_part_is_taken_from_the_reading_and_the_rest_from_the_lockfile() {
        let locked = server("Old.", &[(Kind::Tool, "a", "A."), (Kind::Tool, "b", "B."), (Kind::Tool, "gone", "G.")]);
        let read = server("New.", &[(Kind::Tool, "a", "A2."), (Kind::Tool, "b", "B2."), (Kind::Tool, "new", "N.")]);
        let accepted = |what: &[Part]| accept(&lockfile(&locked), "crm", read.clone(), &parts(what)).expect("accepted");
        let (a2, b) = ((Kind::Tool, "a", "A2."), (Kind::Tool, "b", "B."));
        assert_eq!(accepted(&[tool("a")]), server("Old.", &[a2, b, (Kind::Tool, "gone", "G.")]));
        assert_eq!(accepted(&[tool("gone")]), server("Old.", &[(Kind::Tool, "a", "A."), b]));
        let with_new = [(Kind::Tool, "a", "A."), b, (Kind::Tool, "gone", "G."), (Kind::Tool, "new", "N.")];
        assert_eq!(accepted(&[tool("new")]), server("Old.", &with_new));
        assert_eq!(accepted(&[Part::About]).surface.about.instructions.as_deref(), Some("New."));
        assert_eq!(accepted(&[Part::About]).surface.items, locked.surface.items);
        assert_eq!(accept(&lockfile(&locked), "crm", read.clone(), &Accepted::Everything), Ok(read));
    }

    #[test]
    fn an_item_of_another_kind_has_another_name() {
        let locked = server("", &[(Kind::Tool, "a", "A."), (Kind::Prompt, "a", "A.")]);
        let read = server("", &[(Kind::Tool, "a", "A2."), (Kind::Prompt, "a", "A2.")]);
        let accepted = accept(&lockfile(&locked), "crm", read, &parts(&[tool("a")])).expect("accepted");
        assert_eq!(accepted, server("", &[(Kind::Tool, "a", "A2."), (Kind::Prompt, "a", "A.")]));
    }

    #[test]
    fn parts_are_of_the_approved_server_only() {
        let locked = server("", &[(Kind::Tool, "a", "A.")]);
        let refused = |read: LockedServer, what: &[Part]| accept(&lockfile(&locked), "crm", read, &parts(what)).err();
        assert_eq!(accept(&Lockfile::default(), "crm", locked.clone(), &parts(&[])), Err(Refusal::Unpinned));
        let elsewhere = LockedServer { config: None, ..locked.clone() };
        assert_eq!(refused(elsewhere, &[]), Some(Refusal::LaunchChanged));
        let mut launch = locked.launch.clone();
        launch.unverified.insert("TOKEN".to_owned());
        assert_eq!(refused(LockedServer { launch, ..locked.clone() }, &[]), Some(Refusal::LaunchChanged));
        let client = Client::of_profile("codex/1");
        assert_eq!(refused(LockedServer { client, ..locked.clone() }, &[]), Some(Refusal::ReadOtherwise));
        let pass_env = ["REGION".to_owned()].into();
        assert_eq!(refused(LockedServer { pass_env, ..locked.clone() }, &[]), Some(Refusal::ReadOtherwise));
        let missing = Some(Refusal::NoSuchItem(Kind::Tool, "b".to_owned()));
        assert_eq!(refused(locked.clone(), &[tool("b")]), missing);
    }

    #[test]
    fn a_resource_is_no_part_where_resources_change_by_themselves() {
        let mut locked = server("", &[]);
        locked.surface.resources = Resources::Changing;
        let read = server("", &[(Kind::Resource, "file:a", "A.")]);
        let what = parts(&[Part::Item(Kind::Resource, "file:a".to_owned())]);
        let refused = accept(&lockfile(&locked), "crm", read, &what);
        assert_eq!(refused, Err(Refusal::ResourcesUnpinned("file:a".to_owned())));
    }

    fn surfaces() -> impl Strategy<Value = LockedServer> {
        let kind = prop::sample::select(vec![Kind::Tool, Kind::Prompt]);
        let item = (kind, prop::sample::select(vec!["a", "b", "c"]), prop::sample::select(vec!["1", "2"]));
        (prop::sample::select(vec!["x", "y"]), prop::collection::vec(item, 0..6)).prop_map(|(about, mut items)| {
            items.sort_unstable();
            items.dedup_by_key(|(kind, name, _)| (*kind, *name));
            server(about, &items)
        })
    }

    proptest! {
        #[test]
        fn all_parts_one_after_the_other_are_everything(locked in surfaces(), read in surfaces()) {
            let items = locked.surface.items.iter().chain(&read.surface.items);
            let parts: BTreeSet<Part> =
                items.map(|item| Part::Item(item.kind, item.name.clone())).chain([Part::About]).collect();
            let mut now = locked;
            for part in parts {
                let one = Accepted::Parts([part].into());
                now = accept(&lockfile(&now), "crm", read.clone(), &one).expect("accepted");
            }
            prop_assert_eq!(now, read);
        }
    }
}
