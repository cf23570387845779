//! Whether a `package.json` leads a package runner into the checkout, so that it runs code from there and not what it would
//! fetch.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::json::{self, Value};

/// The most bytes of a manifest; none that people write is larger.
const MOST: u64 = 1 << 20;
/// Members that give programs of the project itself.
const OWN: &[&str] = &["bin", "directories", "workspaces"];
/// Members that say where packages come from.
const SOURCES: &[&str] = &[
    "dependencies",
    "devDependencies",
    "optionalDependencies",
    "peerDependencies",
    "overrides",
    "resolutions",
    "catalog",
    "catalogs",
    "pnpm",
];
/// How a source in the checkout, or in what lies beside it, begins.
const BESIDE: &[&str] = &["file:", "link:", "portal:", "workspace:", ".", "/", "~"];

/// Whether the manifest of this folder, if there is one, may lead there. One that can't be read may.
pub(super) fn leads_inside(folder: &Path) -> bool {
    let path = folder.join("package.json");
    if path.symlink_metadata().is_err() {
        return false;
    }
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(MOST + 1).read_to_string(&mut text));
    if read.is_err() || text.len() as u64 > MOST {
        return true;
    }
    match json::parse(&text) {
        Ok(Value::Object(manifest)) => {
            OWN.iter().any(|member| manifest.get(member).is_some())
                || SOURCES.iter().filter_map(|member| manifest.get(member)).any(holds_a_place)
        }
        _ => true,
    }
}

fn holds_a_place(value: &Value) -> bool {
    match value {
        Value::String(text) => BESIDE.iter().any(|beginning| text.trim_start().starts_with(beginning)),
        Value::Array(elements) => elements.iter().any(holds_a_place),
        Value::Object(members) => members.iter().any(|(_, member)| holds_a_place(member)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::leads_inside;

    #[test]
    fn a_manifest_leads_inside_where_it_gives_programs_or_names_places() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(!leads_inside(folder.path()));
        for (manifest, leads) in [
            (r#"{"name":"p","version":"1.0.0","scripts":{"x":"./x"},"dependencies":{"a":"^1","b":"npm:c@2"}}"#, false),
            ("{}", false),
            (r#"{"bin":"x.js"}"#, true),
            (r#"{"workspaces":["packages/*"]}"#, true),
            (r#"{"directories":{"bin":"bin"}}"#, true),
            (r#"{"devDependencies":{"a":"file:lib"}}"#, true),
            (r#"{"dependencies":{"a":"workspace:*"}}"#, true),
            (r#"{"dependencies":{"a":"./lib"}}"#, true),
            (r#"{"overrides":{"a":{"b":"link:lib"}}}"#, true),
            (r#"{"name":"a","name":"b"}"#, true),
            ("[]", true),
            ("", true),
        ] {
            std::fs::write(folder.path().join("package.json"), manifest).expect("written");
            assert_eq!(leads_inside(folder.path()), leads, "{manifest}");
        }
    }
}
