//! One escape for each place that foreign text is written to.

use std::fmt::Write;

use super::invisible::is_invisible;

/// Text for a person's screen or log, on as many lines as it has; the caller begins each line with something of its own.
///
/// Invisible characters become `\u{…}`, and backslashes that would look like a part of such an escape are doubled, so
/// that different texts never look the same. `##[` and `##vso[`, which build systems obey anywhere in a line, are broken.
pub fn terminal(text: &str) -> String {
    escape(text, |_| false)
}

/// [`terminal`] text on one line: line feeds are escapes too.
pub fn terminal_line(text: &str) -> String {
    escape(text, |character| character == '\n')
}

/// [`terminal_line`] text in which the caller's characters are escapes as well, so that they can be told from others.
pub fn terminal_spelling(text: &str, also: impl Fn(char) -> bool) -> String {
    escape(text, |character| character == '\n' || also(character))
}

/// A name for a person's screen: anything that isn't printable ASCII is an escape, so that a look-alike shows.
pub fn identifier(name: &str) -> String {
    escape(name, |character| character == '\n' || !character.is_ascii())
}

/// [`terminal`], with more characters that become escapes.
fn escape(text: &str, also: impl Fn(char) -> bool) -> String {
    let begins_escape = |at: usize, character: char| {
        is_invisible(character) || also(character) || (character == '#' && is_build_command(text, at))
    };
    let mut out = String::with_capacity(text.len());
    // How many backslashes stand directly before: whether they are doubled depends on what follows the run.
    let mut backslashes = 0;
    for (at, character) in text.char_indices() {
        if character == '\\' {
            backslashes += 1;
            out.push('\\');
            continue;
        }
        let begins = begins_escape(at, character);
        if begins || text[at..].starts_with("u{") {
            out.extend(std::iter::repeat_n('\\', backslashes));
        }
        backslashes = 0;
        if begins {
            // Writing to a String can't fail.
            let _ = write!(out, "\\u{{{:x}}}", u32::from(character));
        } else {
            out.push(character);
        }
    }
    out
}

/// Whether the `#` at this place is the second of `##[` or `##vso[`.
fn is_build_command(text: &str, at: usize) -> bool {
    let following = &text[at + 1..];
    text[..at].ends_with('#') && (following.starts_with('[') || following.starts_with("vso["))
}

/// A TOML basic string (TOML 1.0, String), quotes included.
pub fn toml_basic(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    push_toml_text(text, &mut out);
    out.push('"');
    out
}

/// [`push_toml`] for all characters of a text, those that stay as they are at once.
fn push_toml_text(text: &str, out: &mut String) {
    let mut rest = text;
    loop {
        let plain = |byte: &&u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
        let run = rest.as_bytes().iter().take_while(plain).count();
        out.push_str(&rest[..run]);
        let mut characters = rest[run..].chars();
        let Some(character) = characters.next() else { return };
        push_toml(character, out);
        rest = characters.as_str();
    }
}

/// A TOML multi-line basic string, delimiters included: each line of the text on a line of its own.
///
/// A blank at a line's end is an escape, for editors strip it; so is the first character of a line that begins like a
/// merge marker, and the third quotation mark of a run.
pub fn toml_multi_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    out.push_str("\"\"\"");
    // How many quotation marks in a row were just written as they are.
    let mut quotation_marks = 0;
    for line in text.split('\n') {
        out.push('\n');
        quotation_marks = 0;
        let marker = begins_like_merge_marker(line);
        let visible = line.trim_end_matches(' ').len();
        if !marker && visible == line.len() && !line.contains('"') {
            push_toml_text(line, &mut out);
            continue;
        }
        for (position, character) in line.char_indices() {
            if character == '"' && quotation_marks < 2 {
                quotation_marks += 1;
                out.push('"');
                continue;
            }
            quotation_marks = 0;
            if (marker && position == 0) || position >= visible {
                push_toml_unicode(character, &mut out);
            } else {
                push_toml(character, &mut out);
            }
        }
    }
    // The closing delimiter must not grow by a quotation mark of the text.
    out.truncate(out.len() - quotation_marks);
    for _ in 0..quotation_marks {
        out.push_str("\\\"");
    }
    out.push_str("\"\"\"");
    out
}

/// What git and other tools write at the start of a line where two sides conflict.
const MERGE_MARKERS: [&str; 4] = ["<<<<<<<", "=======", ">>>>>>>", "|||||||"];

/// Whether a line looks like the ones that a merge leaves behind where two sides conflict. [`toml_multi_line`] writes no
/// such line.
pub fn begins_like_merge_marker(line: &str) -> bool {
    MERGE_MARKERS.iter().any(|marker| line.starts_with(marker))
}

fn push_toml(character: char, out: &mut String) {
    match character {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        other if is_invisible(other) => push_toml_unicode(other, out),
        other => out.push(other),
    }
}

fn push_toml_unicode(character: char, out: &mut String) {
    let code = u32::from(character);
    // Writing to a String can't fail.
    let _ = if code > 0xffff { write!(out, "\\U{code:08X}") } else { write!(out, "\\u{code:04X}") };
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn control_sequences_do_not_reach_a_terminal() {
        assert_eq!(terminal("a\u{1b}[2Jb\rc\u{9b}d\u{202e}e"), "a\\u{1b}[2Jb\\u{d}c\\u{9b}d\\u{202e}e");
        assert_eq!(terminal("two\nlines"), "two\nlines");
        assert_eq!(terminal_line("two\nlines"), "two\\u{a}lines");
    }

    #[test]
    fn an_escape_and_the_text_of_an_escape_look_different() {
        assert_ne!(terminal("\u{200b}"), terminal("\\u{200b}"));
        assert_ne!(terminal("\\\u{200b}"), terminal("\\u{200b}"));
        assert_ne!(identifier("\\é"), identifier("\\u{e9}"));
        assert_eq!(terminal("C:\\users"), "C:\\users");
    }

    #[test]
    fn commands_to_build_systems_are_broken() {
        assert!(!terminal("x ##[error]y ##vso[task]z").contains("##"));
        assert_eq!(terminal("## heading #[test]"), "## heading #[test]");
    }

    #[test]
    fn a_megabyte_of_backslashes_is_no_trouble() {
        let run = "\\".repeat(1_000_000);
        assert_eq!(terminal(&run).len(), run.len());
        assert_eq!(terminal(&format!("{run}\u{200b}")).len(), 2 * run.len() + 8);
    }

    #[test]
    fn a_caller_can_have_more_characters_spelled() {
        assert_eq!(terminal_spelling("paypal \u{440}\n", |character| character == '\u{440}'), "paypal \\u{440}\\u{a}");
    }

    #[test]
    fn look_alikes_in_names_show() {
        assert_eq!(identifier("verify_u\u{57d}er"), "verify_u\\u{57d}er");
    }

    #[test]
    fn blanks_at_line_ends_and_merge_markers_are_spelled_in_toml() {
        assert_eq!(toml_multi_line("a  \n=======\nb"), "\"\"\"\na\\u0020\\u0020\n\\u003D======\nb\"\"\"");
        assert_eq!(toml_multi_line("q\"\"\"\"\""), "\"\"\"\nq\"\"\\\"\\\"\\\"\"\"\"");
    }

    #[test]
    fn quotation_marks_at_the_ends_of_many_lines_cost_no_more_than_others() {
        let lines = "\"\n".repeat(1_000_000);
        assert_eq!(toml_multi_line(&lines).len(), lines.len() + "\"\"\"\n\"\"\"".len());
    }

    fn read_back(literal: &str) -> String {
        let document: toml::Table = toml::from_str(&format!("text = {literal}\n")).expect(literal);
        document["text"].as_str().expect("a string").to_owned()
    }

    /// Characters of every kind that the escapes treat specially, and arbitrary ones.
    fn awkward_text() -> impl Strategy<Value = String> {
        let special = prop::sample::select(vec![
            "\"",
            "\"\"",
            "\\",
            "\n",
            "\r",
            "\t",
            " ",
            "'",
            "<<<<<<<",
            "=======",
            "\u{200b}",
            "\u{e0041}",
            "\u{7f}",
            "#",
            "\u{feff}",
            "é",
        ]);
        prop::collection::vec(prop_oneof![special.prop_map(str::to_owned), any::<String>()], 0..12)
            .prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn every_text_reads_back_from_toml(text in awkward_text()) {
            prop_assert_eq!(&read_back(&toml_basic(&text)), &text);
            prop_assert_eq!(&read_back(&toml_multi_line(&text)), &text);
        }

        #[test]
        fn no_invisible_character_leaves_by_any_way(text in awkward_text()) {
            for out in [terminal_line(&text), identifier(&text), toml_basic(&text)] {
                prop_assert!(!out.contains('\n') && !out.chars().any(is_invisible), "{:?}", out);
            }
            prop_assert!(!terminal(&text).chars().any(is_invisible));
            prop_assert!(!toml_multi_line(&text).chars().any(is_invisible));
        }

        #[test]
        fn different_texts_look_different(one in awkward_text(), other in awkward_text()) {
            prop_assert_eq!(one == other, terminal(&one) == terminal(&other));
        }
    }
}
