//! Merges two lockfiles that grew from one, block by block.
//!
//! A block that only one side changed is that side's; a block that both changed to different texts is a conflict and
//! stays one, for a person to settle. Pure: texts of blocks in, a text out.

use std::collections::{BTreeMap, BTreeSet};

use super::write::{head, item_block, server_block};
use super::{Lockfile, parse};
use crate::surface::Kind;

/// What became of a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// The merged lockfile; where both sides differ it holds both, between conflict markers.
    pub text: String,
    /// How many conflicts there are.
    pub conflicts: usize,
}

/// A server's own block, or one of its items': they sort as the lockfile holds them.
type Key = Option<(Kind, String)>;
/// The texts of one server's blocks, each after its blank line.
type Blocks = BTreeMap<Key, String>;

/// Merges `ours` and `theirs`, which both grew from `base`; an empty `base` is two first pins.
pub fn merge(base: &Lockfile, ours: &Lockfile, theirs: &Lockfile) -> Merged {
    let mut merged = Merged { text: head(), conflicts: 0 };
    let names: BTreeSet<&String> = ours.servers.keys().chain(theirs.servers.keys()).collect();
    for name in names {
        let [base, ours, theirs] = [base, ours, theirs].map(|lockfile| blocks(lockfile, name));
        merged.server(&base, &ours, &theirs);
    }
    // Each block is sound by itself; should they not be together, a person must look.
    if merged.conflicts == 0 && parse(&merged.text, "").is_err() {
        merged.conflicts = 1;
    }
    merged
}

impl Merged {
    fn server(&mut self, base: &Blocks, ours: &Blocks, theirs: &Blocks) {
        // A server that one side dropped is gone only if the other side left all of it alone.
        if ours.is_empty() || theirs.is_empty() {
            let kept = if ours.is_empty() { theirs } else { ours };
            if base.is_empty() {
                self.text.extend(kept.values().map(String::as_str));
            } else if kept != base {
                self.conflict(
                    &ours.values().cloned().collect::<String>(),
                    &theirs.values().cloned().collect::<String>(),
                );
            }
            return;
        }
        let keys: BTreeSet<&Key> = ours.keys().chain(theirs.keys()).collect();
        for key in keys {
            let [base, ours, theirs] = [base, ours, theirs].map(|blocks| blocks.get(key).map_or("", String::as_str));
            match (ours == base, theirs == base) {
                (_, true) => self.text.push_str(ours),
                (true, false) => self.text.push_str(theirs),
                (false, false) if ours == theirs => self.text.push_str(ours),
                (false, false) => self.conflict(ours, theirs),
            }
        }
    }

    fn conflict(&mut self, ours: &str, theirs: &str) {
        self.conflicts += 1;
        let side = |text: &str| text.strip_prefix('\n').unwrap_or(text).to_owned();
        self.text.push_str(&format!("\n<<<<<<< ours\n{}=======\n{}>>>>>>> theirs\n", side(ours), side(theirs)));
    }
}

fn blocks(lockfile: &Lockfile, name: &str) -> Blocks {
    let Some(server) = lockfile.servers.get(name) else { return Blocks::new() };
    let items = server.surface.items.iter().map(|item| (Some((item.kind, item.name.clone())), item_block(name, item)));
    std::iter::once((None, server_block(name, server))).chain(items).collect()
}
