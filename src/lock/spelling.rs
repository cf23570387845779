//! The proof that a text is the one spelling of what it says.
//!
//! Two texts that say the same to us may say different things to a reviewer: a comment, an escape, a blank line that
//! pushes something out of sight. So there is one text for each lockfile, and this part knows how to name the first line
//! that is another.

use std::borrow::Cow;

use super::write::pieces;
use super::{Fault, FaultKind, Lockfile};
use crate::text;

/// How many characters of a line are shown before and after the place where it differs.
const SHOWN_BEFORE: usize = 40;
const SHOWN_AFTER: usize = 60;

/// The text without what editors and version control add to it on some systems: a byte order mark, and a carriage return
/// before each line feed.
pub(super) fn without_transport_marks(text: &str) -> Cow<'_, str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) }
}

/// The first line at which `found` isn't the text of this lockfile, or `None` if it is.
pub(super) fn first_difference(found: &str, lockfile: &Lockfile) -> Option<Fault> {
    // Piece by piece: the whole text would be in memory twice.
    if pieces(lockfile).try_fold(found, |rest, piece| rest.strip_prefix(&*piece)) == Some("") {
        return None;
    }
    let expected: String = pieces(lockfile).collect();
    let mut found_lines = found.split_inclusive('\n');
    let mut expected_lines = expected.split_inclusive('\n');
    let mut line = 1;
    let (found, expected) = loop {
        match (found_lines.next(), expected_lines.next()) {
            // The texts differ, so the lines don't end together.
            (Some(found), Some(expected)) if found == expected => line += 1,
            (found, expected) => break (found.unwrap_or_default(), expected.unwrap_or_default()),
        }
    };
    let same = found.chars().zip(expected.chars()).take_while(|(found, expected)| found == expected).count();
    let kind = FaultKind::Spelling { column: same + 1, found: excerpt(found, same), expected: excerpt(expected, same) };
    Some(Fault { kind, line: Some(line) })
}

/// A line around the character at which it differs, with what a reader must know of its end.
fn excerpt(line: &str, same: usize) -> String {
    if line.is_empty() {
        return "the end of the file".to_owned();
    }
    let (content, end) = match line.strip_suffix('\n') {
        Some(content) => (content, ""),
        None => (line, " without a line feed"),
    };
    let skipped = same.saturating_sub(SHOWN_BEFORE);
    let start = content.char_indices().nth(skipped).map_or(content.len(), |(start, _)| start);
    let shown = text::shorten(&content[start..], SHOWN_BEFORE + SHOWN_AFTER);
    let before = if start > 0 { "…" } else { "" };
    let after = if shown.cut > 0 { "…" } else { "" };
    format!("{before}`{}`{after}{end}", shown.text)
}
