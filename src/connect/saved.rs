//! A listing that another program has read and saved.
//!
//! For clients that do the fetching themselves. The text is read as strictly as what comes over the wire, by the same
//! [`Page`].

use super::catalogue::TOOLS;
use super::limits::{Limits, bytes};
use super::page::Page;
use crate::json::{Kind, MAX_DEPTH, Reader};
use crate::problem::Problem;
use crate::surface::{Item, ItemError};

/// The levels around an item's: those of a page, of its answer, and of a batch.
const AROUND: usize = 8;

/// The tools of a saved listing: a JSON-RPC answer to `tools/list`, its result, or the bare array of tools; several of them
/// one after the other are its pages.
///
/// # Errors
/// Whatever a server's own answer would be refused for, pages that are missing or too many, and more than `limits` allow.
pub fn tools(text: &[u8], limits: &Limits) -> Result<Vec<Item>, Problem> {
    if text.len() > limits.listing {
        let cause = format!("the listing is larger than {}", bytes(limits.listing));
        return Err(Problem::new(STEP, cause, "raise the limit with --max-listing if it is meant to be so large"));
    }
    let text = std::str::from_utf8(text).map_err(|error| broken(format!("byte {}: no UTF-8", error.valid_up_to())))?;
    let mut items = Vec::new();
    let mut pages = 0;
    let mut more = More::Unknown;
    for document in documents(text.strip_prefix('\u{feff}').unwrap_or(text))? {
        pages += 1;
        if more == More::No {
            return Err(broken(format!("document {pages} follows the last page of the listing: give one listing")));
        }
        let at = |cause: String| broken(format!("document {pages}: {cause}"));
        let page = page(document).map_err(at)?;
        items.extend(page.items);
        more = page.more;
    }
    match (pages, more) {
        (0, _) => Err(broken("there is nothing in it".to_owned())),
        (_, More::Yes) => Err(broken("its last page names a next one: the listing isn't complete".to_owned())),
        _ => Ok(items),
    }
}

const STEP: &str = "reading the saved listing";

fn broken(cause: String) -> Problem {
    let help = "save the whole answer to tools/list: as JSON-RPC, its result, the array of tools, or one page a line";
    Problem::new(STEP, cause, help)
}

/// Whether a page is followed by another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum More {
    Yes,
    No,
    /// It is a bare array, which can't say.
    Unknown,
}

struct SavedPage {
    items: Vec<Item>,
    more: More,
}

/// The JSON documents of a text, one after the other with nothing but white space between.
fn documents(text: &str) -> Result<Vec<&str>, Problem> {
    let white = |character: char| matches!(character, ' ' | '\t' | '\r' | '\n');
    let mut documents = Vec::new();
    let mut rest = text.trim_start_matches(white);
    while !rest.is_empty() {
        let raw = Reader::new(rest, MAX_DEPTH + AROUND).raw().map_err(|error| {
            let first = documents.len() + 1;
            broken(format!("document {first}: {error}"))
        })?;
        documents.push(raw);
        rest = rest.get(raw.len()..).unwrap_or_default().trim_start_matches(white);
    }
    Ok(documents)
}

fn page(document: &str) -> Result<SavedPage, String> {
    let mut reader = Reader::new(document, MAX_DEPTH + AROUND);
    match reader.peek().map_err(|error| error.to_string())? {
        Kind::Array => bare(document),
        Kind::Object => {
            let mut result = None;
            let mut error = false;
            let read = reader.object(|key, reader| {
                let raw = reader.raw()?;
                match key {
                    "result" => result = Some(raw),
                    "error" => error = true,
                    _ => {}
                }
                Ok(())
            });
            read.map_err(|error| error.to_string())?;
            match (result, error) {
                (Some(_), true) => Err("it is an answer and an error at once".to_owned()),
                (None, true) => Err("it is the answer of a server that refused".to_owned()),
                (result, false) => of_result(result.unwrap_or(document)),
            }
        }
        _ => Err("expected an object or an array".to_owned()),
    }
}

fn of_result(raw: &str) -> Result<SavedPage, String> {
    let Page { items, next } = Page::read(TOOLS, raw)?;
    // An empty cursor is the end for some servers, and their clients have taken it for that.
    let more = if next.is_some_and(|next| !next.is_empty()) { More::Yes } else { More::No };
    Ok(SavedPage { items, more })
}

fn bare(document: &str) -> Result<SavedPage, String> {
    let mut items = Vec::new();
    let mut wrong: Option<String> = None;
    let read = Reader::new(document, MAX_DEPTH + AROUND).array(|index, reader| {
        match Item::from_raw(TOOLS.kind, reader.raw()?) {
            Ok(item) => items.push(item),
            Err(error) => drop(wrong.get_or_insert_with(|| place(index, &error))),
        }
        Ok(())
    });
    read.map_err(|error| error.to_string())?;
    match wrong {
        Some(wrong) => Err(wrong),
        None => Ok(SavedPage { items, more: More::Unknown }),
    }
}

fn place(index: usize, error: &ItemError) -> String {
    format!("/{index}: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Result<Vec<String>, String> {
        match tools(text.as_bytes(), &Limits::default()) {
            Ok(items) => Ok(items.into_iter().map(|item| item.name).collect()),
            Err(problem) => Err(problem.cause),
        }
    }

    #[test]
    fn each_form_gives_the_same_tools() {
        let array = r#"[{"name":"a"},{"name":"b","x":1.0}]"#;
        for text in [
            array.to_owned(),
            format!(r#"{{"tools":{array}}}"#),
            format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"tools":{array}}}}}"#),
            format!("\u{feff} \r\n{{\n  \"tools\": {array}\n}}\n\n"),
            r#"{"tools":[{"name":"a"}],"nextCursor":"2"}{"result":{"tools":[{"name":"b"}],"nextCursor":""}}"#
                .to_owned(),
            "[{\"name\":\"a\"}]\n[{\"name\":\"b\"}]\n".to_owned(),
        ] {
            assert_eq!(names(&text), Ok(vec!["a".to_owned(), "b".to_owned()]), "{text}");
        }
    }

    #[test]
    fn what_is_no_whole_listing_is_refused_with_its_place() {
        for (text, expected) in [
            ("", "there is nothing in it"),
            (" \n", "there is nothing in it"),
            ("7", "document 1: expected an object or an array"),
            ("{}", "document 1: it has no \"tools\" that is an array"),
            (r#"{"error":{"code":1}}"#, "document 1: it is the answer of a server that refused"),
            (r#"{"error":{},"result":{"tools":[]}}"#, "document 1: it is an answer and an error at once"),
            (r#"[{"name":"a"},{}]"#, "document 1: /1: expected a \"name\" that is a string"),
            (r#"{"tools":[],"nextCursor":"2"}"#, "its last page names a next one: the listing isn't complete"),
            (r#"{"tools":[]}{"tools":[]}"#, "document 2 follows the last page of the listing: give one listing"),
        ] {
            assert_eq!(names(text), Err(expected.to_owned()), "{text}");
        }
        for text in [
            r#"{"result":{"tools":[]},"result":{"tools":[]}}"#,
            r#"[{"name":"a","name":"b"}]"#,
            "[",
            "[]]",
            "[\"\u{1}\"]",
        ] {
            assert!(names(text).is_err(), "{text}");
        }
        assert!(tools(b"\xff", &Limits::default()).is_err());
    }

    #[test]
    fn a_listing_has_the_limit_of_a_listing() {
        let limits = Limits { listing: 4, ..Limits::default() };
        let problem = tools(b"[    ]", &limits).expect_err("too large");
        assert!(problem.help.contains("--max-listing"), "{problem:?}");
    }
}
