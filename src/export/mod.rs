//! A server's pinned tools in the forms that other programs compare: digests by their rules, or whole definitions.
//!
//! Everything comes from the lockfile. A form that can't say exactly what the lockfile holds of a tool leaves the tool out
//! and says why: a digest that nobody else computes would be a false baseline. Only tools are exported; the other programs
//! know nothing else.

mod ai_sdk;
mod jcs;

use crate::json::{Object, Pointer, Value};
use crate::lock::LockedServer;
use crate::surface::{Item, Kind};
use crate::text;

/// How much of a place in a definition a message shows, in characters.
const MOST_POINTER: usize = 200;

/// The forms of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The digests that `fingerprintTools` of the Vercel AI SDK gives.
    AiSdk,
    /// SHA-256 over RFC 8785, in hexadecimal digits.
    Jcs,
    /// The definitions themselves.
    Definitions,
}

/// One server's tools in one form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// What stands for each tool, by its name.
    pub tools: Object,
    /// The tools that the form has no place for, in the lockfile's order.
    pub left_out: Vec<LeftOut>,
}

/// A tool that isn't in an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The tool's name.
    pub tool: String,
    /// Why it isn't, on one line. Unescaped: it may hold keys of the definition.
    pub why: String,
}

/// The tools of a server of the lockfile.
pub fn tools(server: &LockedServer, form: Form) -> Exported {
    let mut exported = Exported::default();
    for item in server.surface.items.iter().filter(|item| item.kind == Kind::Tool) {
        match one(item, server, form) {
            Ok(value) => {
                exported.tools.insert(item.name.as_str(), value);
            }
            Err(why) => exported.left_out.push(LeftOut { tool: item.name.clone(), why }),
        }
    }
    exported
}

/// What stands for a tool, or why nothing can.
fn one(item: &Item, server: &LockedServer, form: Form) -> Result<Value, String> {
    let definition = Value::Object(item.object());
    match form {
        Form::AiSdk => ai_sdk::fingerprint(&definition, ai_sdk::Wire::of(server)).map(Value::from),
        Form::Jcs => jcs::digest(&definition).map(Value::from),
        Form::Definitions => Ok(definition),
    }
}

/// Where the first part of a value is that `is` one, the value itself counted.
fn place_of(value: &Value, is: &impl Fn(&Value) -> bool) -> Option<Pointer> {
    let mut outward = Vec::new();
    let found = find(value, is, &mut outward);
    found.then(|| Pointer::of(outward.into_iter().rev()))
}

/// The same; the steps are put down on the way back, since most parts lead nowhere.
fn find(value: &Value, is: &impl Fn(&Value) -> bool, outward: &mut Vec<String>) -> bool {
    if is(value) {
        return true;
    }
    let step = match value {
        Value::Array(elements) => {
            elements.iter().position(|element| find(element, is, outward)).map(|index| index.to_string())
        }
        Value::Object(object) => {
            object.iter().find(|(_, member)| find(member, is, outward)).map(|(key, _)| key.to_owned())
        }
        _ => None,
    };
    step.map(|step| outward.push(step)).is_some()
}

/// A place as messages show it: the beginning, if it is long.
fn shown(pointer: &Pointer) -> String {
    if pointer.is_root() {
        return "the tool itself".to_owned();
    }
    let pointer = pointer.to_string();
    let shortened = text::shorten(&pointer, MOST_POINTER);
    format!("{}{}", shortened.text, if shortened.cut > 0 { "…" } else { "" })
}
