//! An address as it may be shown: without what its credentials, its query and its fragment hold.

use std::ops::Range;

use super::template::{Part, parts};

/// Stands for what is left out.
const LEFT_OUT: &str = "…";

/// The address with `…` for each literal text in its credentials, and for each value in its query and its fragment. Names and
/// `${VAR}` stay, so that an address without literal values can be used as it is shown.
pub(super) fn shown_address(url: &str) -> String {
    let mut shown = String::new();
    let mut done = 0;
    for hidden in hidden(url) {
        shown.push_str(&url[done..hidden.start]);
        shown.push_str(&variables_of(&url[hidden.clone()]));
        done = hidden.end;
    }
    shown.push_str(&url[done..]);
    shown
}

/// What is left out where an address is shown, to be compared: the texts in its credentials, its query and its fragment.
pub fn hidden_values(url: &str) -> Vec<&str> {
    hidden(url).into_iter().map(|range| &url[range]).collect()
}

/// Where the texts stand that aren't shown, in order (RFC 3986, section 3).
fn hidden(url: &str) -> Vec<Range<usize>> {
    let shape = shape(url);
    let start = shape.find("://").map_or(0, |mark| mark + 3);
    let tail = shape[start..].find(['?', '#']).map_or(shape.len(), |at| start + at);
    let mut hidden = Vec::new();
    let authority = shape[start..tail].find('/').map_or(tail, |slash| start + slash);
    if let Some(at) = shape[start..authority].rfind('@') {
        hidden.extend(user_and_password(&shape, start..start + at));
    }
    let mut part = tail;
    while part < shape.len() {
        let begins = part + 1;
        let ends = shape[begins..].find(['&', '#', ';']).map_or(shape.len(), |end| begins + end);
        let value = shape[begins..ends].find('=').map_or(begins, |sign| begins + sign + 1);
        if value < ends {
            hidden.push(value..ends);
        }
        part = ends;
    }
    hidden
}

fn user_and_password(shape: &str, range: Range<usize>) -> Vec<Range<usize>> {
    match shape[range.clone()].find(':') {
        Some(colon) => vec![range.start..range.start + colon, range.start + colon + 1..range.end],
        None => vec![range],
    }
}

/// The variables of a text by their names alone, and `…` for all else.
fn variables_of(text: &str) -> String {
    let mut shown = String::new();
    for part in parts(text) {
        match part {
            Part::Literal(_) => shown.push_str(LEFT_OUT),
            Part::Variable { name, default: None } => shown.push_str(&format!("${{{name}}}")),
            Part::Variable { name, default: Some(default) } => {
                let default = if default.text.is_empty() { "" } else { LEFT_OUT };
                shown.push_str(&format!("${{{name}:-{default}}}"));
            }
        }
    }
    shown
}

/// The text with digits in the place of its variables, which nothing that parts a text can be in.
pub(super) fn shape(text: &str) -> String {
    let mut shape = String::with_capacity(text.len());
    for part in parts(text) {
        if let Part::Literal(piece) = part {
            shape.push_str(&"0".repeat(piece.start - shape.len()));
            shape.push_str(piece.text);
        }
    }
    shape.push_str(&"0".repeat(text.len() - shape.len()));
    shape
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_are_left_out_and_names_and_variables_stay() {
        for (url, shown) in [
            ("https://h/mcp", "https://h/mcp"),
            ("http://127.0.0.1:9/mcp?x=hunter2secret", "http://127.0.0.1:9/mcp?x=…"),
            ("https://h/mcp?x=1&y=${Y}&z=&w#top", "https://h/mcp?x=…&y=${Y}&z=&…#…"),
            ("https://h/mcp?x=a${Y}b=c;z=1", "https://h/mcp?x=…${Y}…;z=…"),
            ("https://h/mcp?x=${Y:-abc}&z=${Z:-}", "https://h/mcp?x=${Y:-…}&z=${Z:-}"),
            ("https://h?hunter2#access_token=abc&a", "https://h?…#access_token=…&…"),
            ("https://me:pw@h/mcp", "https://…:…@h/mcp"),
            ("https://pw@h/mcp", "https://…@h/mcp"),
            ("https://${U}:${P}@h:${PORT}/@a", "https://${U}:${P}@h:${PORT}/@a"),
            ("https://h/mcp?u=http://a?b=c", "https://h/mcp?u=…"),
            ("${BASE:-http://h/?a}/mcp?é=é", "${BASE:-http://h/?a}/mcp?é=…"),
            ("?", "?"),
            ("", ""),
        ] {
            assert_eq!(shown_address(url), shown, "{url}");
        }
        assert_eq!(hidden_values("https://me:pw@h/mcp?x=1&y=${Y}"), ["me", "pw", "1", "${Y}"]);
    }

    proptest! {
        #[test]
        fn no_address_makes_it_fail_and_no_value_is_shown(url in "[a${}:/?&=@#;\\-é]{0,30}") {
            let shown = shown_address(&format!("https://h/{}?{url}&x=QQ", url.replace("${", "")));
            prop_assert!(!shown.contains("QQ"), "{}", shown);
        }
    }
}
