//! What holds for every lockfile: it reads back, from one text only, and that text hides nothing.

use proptest::prelude::*;

use super::*;
use crate::lock::{parse_any_spelling, parse_bytes, to_text};
use crate::text;

proptest! {
    #[test]
    fn every_lockfile_reads_back_and_is_written_alike(locked in arbitrary::lockfile()) {
        let text = to_text(&locked);
        let read = parse(&text, FILE).expect(&text);
        prop_assert!(same(&read, &locked), "{}", text);
        prop_assert_eq!(to_text(&read), text);
    }

    #[test]
    fn line_ends_and_the_mark_of_other_systems_do_not_matter(locked in arbitrary::lockfile()) {
        let text = to_text(&locked);
        let read = parse(&text, FILE);
        prop_assert_eq!(parse(&text.replace('\n', "\r\n"), FILE), read.clone());
        prop_assert_eq!(parse(&format!("\u{feff}{text}"), FILE), read);
    }

    #[test]
    fn a_written_lockfile_hides_nothing(locked in arbitrary::lockfile()) {
        let text = to_text(&locked);
        prop_assert!(!text.chars().any(text::is_invisible), "{:?}", text);
        for line in text.split('\n') {
            prop_assert!(!line.ends_with(' ') && !text::begins_like_merge_marker(line), "{:?}", line);
        }
        prop_assert!(text.ends_with('\n') && !text.ends_with("\n\n"));
    }

    #[test]
    fn a_changed_text_is_refused_or_means_something_else(
        locked in arbitrary::lockfile(),
        place in any::<prop::sample::Index>(),
        other in any::<prop::sample::Index>(),
        edit in 0..6_usize,
        piece in arbitrary::text(),
    ) {
        let text = to_text(&locked);
        let changed = edited(&text, place.index(text.chars().count()), other, edit, &piece);
        let normal = changed.strip_prefix('\u{feff}').unwrap_or(&changed).replace("\r\n", "\n");
        prop_assume!(normal != text);
        if let Ok(read) = parse(&changed, FILE) {
            prop_assert!(!same(&read, &locked), "{:?}", changed);
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), piece in arbitrary::text()) {
        let _ = parse_bytes(&bytes, FILE);
        let _ = parse(&format!("version = 1\n[[server]]\nname = {piece}\n"), FILE);
        let _ = parse_any_spelling(format!("version = 1\n{piece}").as_bytes(), FILE);
    }
}

/// A text after one of the edits that people, tools and attackers make.
fn edited(text: &str, place: usize, other: prop::sample::Index, edit: usize, piece: &str) -> String {
    let (at, character) = text.char_indices().nth(place).expect("in the text");
    let after = at + character.len_utf8();
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let line = text[..at].matches('\n').count();
    match edit {
        0 => format!("{}{piece}{}", &text[..at], &text[at..]),
        1 => format!("{}{piece}{}", &text[..at], &text[after..]),
        2 => format!("{}\\u{:04X}{}", &text[..at], u32::from(character), &text[after..]),
        3 => {
            lines.remove(line);
            lines.concat()
        }
        4 => {
            let other = other.index(lines.len());
            lines.swap(line, other);
            lines.concat()
        }
        _ => {
            lines.insert(line, lines[other.index(lines.len())]);
            lines.concat()
        }
    }
}

#[test]
fn no_single_character_can_be_added_taken_or_exchanged_unnoticed() {
    let locked = example();
    let text = to_text(&locked);
    let items = text.find("[[tool]]").expect("an item");
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    for &at in &places {
        for piece in ["", " ", "\n", "\t", "\r", "#", "\"", "'", "a", "\u{200b}", "\u{feff}", "\\u0041"] {
            let after = text[at..].chars().next().map_or(at, |character| at + character.len_utf8());
            for changed in
                [format!("{}{piece}{}", &text[..at], &text[at..]), format!("{}{piece}{}", &text[..at], &text[after..])]
            {
                let normal = changed.strip_prefix('\u{feff}').unwrap_or(&changed).replace("\r\n", "\n");
                match parse(&changed, FILE) {
                    _ if normal == text => {}
                    Err(_) => {}
                    Ok(read) => assert!(at < items && !same(&read, &locked), "{changed}"),
                }
            }
        }
    }
}

#[test]
fn a_lockfile_cut_off_anywhere_is_refused_unless_what_is_left_is_whole() {
    let items = || vec![tool(r#"{"name":"a","description":"two\nlines"}"#), tool(r#"{"name":"b","x":"é😀"}"#)];
    let locked = lockfile([("crm", server(stdio("node"), items())), ("zoo", server(stdio("node"), items()))]);
    let text = to_text(&locked);
    let mut whole = Vec::new();
    for end in 0..text.len() {
        if parse_bytes(&text.as_bytes()[..end], FILE).is_ok() {
            whole.push(&text[end..]);
        }
    }
    // After the head and after each block; and before a server's instructions, whose loss is a difference like any other.
    for rest in &whole {
        assert!(rest.starts_with("\n[[") || rest.starts_with("instructions = "), "{rest}");
    }
    assert_eq!(whole.len(), 1 + 5 + 2);
}

#[test]
fn an_unusual_answer_is_pinned_as_it_was_sent() {
    for raw in [
        r#"{"name":"","description":null,"inputSchema":{}}"#,
        r#"{"name":"a","x":[1.0,1e3,-0,0.1e-7,123456789012345678901234567890]}"#,
        r#"{"name":"\u00e9\/","title":"","description":""}"#,
        r#"{"name":"a","$serde_json::private::Number":"1","x":{"":{}}}"#,
        r#"{"description":" ","name":"a\u0000b","z":{"'''":"'''\u2028"}}"#,
    ] {
        let locked = lockfile([("crm", server(stdio("node"), vec![tool(raw)]))]);
        let read = parse(&to_text(&locked), FILE).expect(raw);
        assert_eq!(read.servers["crm"].surface.items[0].digest, tool(raw).digest, "{raw}");
    }
}
