//! One page of a listing, read from the text of its result.

use super::catalogue::List;
use crate::json::{self, Kind as JsonKind, Reader};
use crate::surface::Item;

/// The most levels of a page: those of an item, and those around it.
const MAX_PAGE_DEPTH: usize = json::MAX_DEPTH + 4;

/// One page of a list (2025-11-25, Server Features, Utilities, Pagination).
pub(super) struct Page {
    /// Its items, in the order of the server.
    pub(super) items: Vec<Item>,
    /// The cursor of the next page, if there is one.
    pub(super) next: Option<String>,
}

impl Page {
    /// Reads a page's result. What makes it unusable is told with its place.
    pub(super) fn read(list: List, raw: &str) -> Result<Self, String> {
        let member = list.member;
        let mut items = None;
        let mut next = None;
        let mut reader = Reader::new(raw, MAX_PAGE_DEPTH);
        if reader.peek().map_err(|error| error.to_string())? != JsonKind::Object {
            return Err("the result isn't an object".to_owned());
        }
        let mut wrong: Option<String> = None;
        let read = reader.object(|key, reader| {
            match (key, reader.peek()?) {
                (key, JsonKind::Array) if key == member => {
                    let mut entries = Vec::new();
                    reader.array(|index, reader| {
                        match Item::from_raw(list.kind, reader.raw()?) {
                            Ok(item) => entries.push(item),
                            Err(error) => {
                                wrong.get_or_insert_with(|| format!("/{member}/{index}: {error}"));
                            }
                        }
                        Ok(())
                    })?;
                    items = Some(entries);
                }
                ("resultType", JsonKind::String) => {
                    let kind = reader.string()?;
                    if kind != "complete" {
                        wrong.get_or_insert_with(|| format!("/resultType is \"{kind}\", not \"complete\""));
                    }
                }
                ("nextCursor", JsonKind::String) => next = Some(reader.string()?.into_owned()),
                ("nextCursor", JsonKind::Null) => {
                    reader.raw()?;
                }
                ("nextCursor", _) => {
                    reader.raw()?;
                    wrong.get_or_insert_with(|| "/nextCursor isn't a string".to_owned());
                }
                _ => {
                    reader.raw()?;
                }
            }
            Ok(())
        });
        read.and_then(|()| reader.finish()).map_err(|error| error.to_string())?;
        match (wrong, items) {
            (Some(wrong), _) => Err(wrong),
            (None, Some(items)) => Ok(Self { items, next }),
            (None, None) => Err(format!("it has no \"{member}\" that is an array")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::catalogue::{TEMPLATES, TOOLS};
    use super::*;

    #[test]
    fn a_page_keeps_every_member_of_its_items() {
        let page = Page::read(TOOLS, r#"{"tools":[{"name":"b","x":1},{"name":"a"}],"nextCursor":"2","_meta":{}}"#)
            .expect("usable");
        assert_eq!(page.items[0].raw(), r#"{"name":"b","x":1}"#);
        assert_eq!(page.items.len(), 2);
        assert_eq!(page.next.as_deref(), Some("2"));
    }

    #[test]
    fn an_unusable_page_is_told_with_its_place() {
        for (raw, expected) in [
            ("[]", "the result isn't an object"),
            ("{}", "it has no \"tools\" that is an array"),
            (r#"{"tools":null}"#, "it has no \"tools\" that is an array"),
            (r#"{"tools":[{"name":"a"},{"title":"b"}]}"#, "/tools/1: expected a \"name\" that is a string"),
            (r#"{"tools":[7]}"#, "/tools/0: expected an object"),
            (r#"{"tools":[],"nextCursor":7}"#, "/nextCursor isn't a string"),
            (r#"{"tools":[],"resultType":"input_required"}"#, "/resultType is \"input_required\", not \"complete\""),
        ] {
            assert_eq!(Page::read(TOOLS, raw).err().as_deref(), Some(expected), "{raw}");
        }
    }

    #[test]
    fn each_list_has_its_own_member_and_entries() {
        let page =
            Page::read(TEMPLATES, r#"{"tools":7,"resourceTemplates":[{"uriTemplate":"a:{b}"}]}"#).expect("usable");
        assert_eq!(page.items[0].name, "a:{b}");
        let cause = Page::read(TEMPLATES, r#"{"resourceTemplates":[{"name":"a"}]}"#).err();
        assert_eq!(cause.as_deref(), Some("/resourceTemplates/0: expected a \"uriTemplate\" that is a string"));
    }

    #[test]
    fn a_null_cursor_is_the_end_and_an_empty_one_is_a_cursor() {
        assert_eq!(Page::read(TOOLS, r#"{"tools":[],"nextCursor":null}"#).expect("usable").next, None);
        assert_eq!(Page::read(TOOLS, r#"{"tools":[],"nextCursor":""}"#).expect("usable").next.as_deref(), Some(""));
    }
}
