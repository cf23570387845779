//! Definitions of which the SDK's client makes no tool.
//!
//! It checks the types of the members that it knows, refuses keys by which JavaScript finds an object's prototype, and
//! wants the address of a tool's user interface to be one. A single tool that breaks this fails its `client.tools()`, and
//! so the whole server; over HTTP, an answer that is no event stream escapes the check of the keys. Since this can't be
//! told from a lockfile, such a tool is left out in any case.

use crate::export::{place_of, shown};
use crate::json::{Object, Pointer, Value};

/// The hints whose type the client checks.
const HINTS: [&str; 4] = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
/// The members of `_meta` that name a tool's user interface, the second being the older.
const UI: &str = "ui";
const UI_ADDRESS: &str = "ui/resourceUri";

/// The input schema of a tool that the client accepts.
///
/// # Errors
/// When it accepts no such tool, with the place.
pub(super) fn input_schema(definition: &Value) -> Result<&Object, String> {
    accepted(definition).map_err(|(place, what)| {
        format!("the AI SDK can't read the server's tools while this is one: {} {what}", shown(&place))
    })
}

/// A place in a definition, and what is wrong with it.
type Fault = (Pointer, &'static str);

fn accepted(definition: &Value) -> Result<&Object, Fault> {
    if let Some(place) = place_of(definition, &sets_prototype) {
        return Err((place, "has a key that it forbids"));
    }
    for member in ["title", "description"] {
        expect(definition, &[member], is_string, "is no string")?;
    }
    let Some(schema) = definition.get("inputSchema").and_then(Value::as_object) else {
        return Err((Pointer::of(["inputSchema"]), "is no object"));
    };
    for path in [&["inputSchema", "properties"][..], &["outputSchema"], &["annotations"], &["_meta"]] {
        expect(definition, path, is_object, "is no object")?;
    }
    expect(definition, &["annotations", "title"], is_string, "is no string")?;
    for hint in HINTS {
        expect(definition, &["annotations", hint], is_boolean, "is neither true nor false")?;
    }
    match user_interface(definition) {
        Some((place, address)) if !address.as_str().is_some_and(|address| address.starts_with("ui://")) => {
            Err((place, "is no ui:// address"))
        }
        _ => Ok(schema),
    }
}

/// A member that is there must be of the type.
fn expect(definition: &Value, path: &[&str], is: fn(&Value) -> bool, what: &'static str) -> Result<(), Fault> {
    let found = path.iter().try_fold(definition, |value, key| value.get(key));
    match found {
        Some(value) if !is(value) => Err((Pointer::of(path.iter().copied()), what)),
        _ => Ok(()),
    }
}

fn is_string(value: &Value) -> bool {
    value.as_str().is_some()
}

fn is_boolean(value: &Value) -> bool {
    value.as_bool().is_some()
}

fn is_object(value: &Value) -> bool {
    value.as_object().is_some()
}

/// The address of a tool's user interface: `null` in the newer place lets the older one count.
fn user_interface(definition: &Value) -> Option<(Pointer, &Value)> {
    let meta = definition.get("_meta")?;
    let newer = meta.get(UI).and_then(|ui| ui.get("resourceUri")).filter(|address| **address != Value::Null);
    match newer {
        Some(address) => Some((Pointer::of(["_meta", UI, "resourceUri"]), address)),
        None => Some((Pointer::of(["_meta", UI_ADDRESS]), meta.get(UI_ADDRESS)?)),
    }
}

/// Whether this is an object with a key that would set a prototype in JavaScript: `__proto__`, or `prototype` of a
/// `constructor`.
fn sets_prototype(value: &Value) -> bool {
    let of_constructor = || value.get("constructor")?.get("prototype");
    value.get("__proto__").or_else(of_constructor).is_some()
}
