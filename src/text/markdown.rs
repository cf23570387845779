//! Foreign text on a Markdown page: only ever as code, in which no parser looks for anything.
//!
//! Outside code, GitHub makes links of addresses, mentions of `@name` and references of `#1` and of commits' digests
//! (GitHub Flavored Markdown 0.29, and its notes on autolinked references). Within a code span or a fenced block it does
//! none of these.

use super::destination::{terminal_line, terminal_spelling};

/// A name as a code span (CommonMark 0.31, Code spans), which may stand in a cell of a table.
///
/// As in [`super::identifier`] anything that isn't printable ASCII is an escape. So are backticks and vertical bars: the span
/// ends where we end it and a cell does too, however a parser of tables counts backslashes. Never empty: an empty span would
/// be no span.
pub fn markdown_code(name: &str) -> String {
    let spelled = terminal_spelling(name, |character| matches!(character, '`' | '|') || !character.is_ascii());
    if spelled.trim().is_empty() { format!("`\"{spelled}\"`") } else { format!("`{spelled}`") }
}

/// Lines as a fenced block (CommonMark 0.31, Fenced code blocks) with its word for the language, ending with a line feed.
/// The fence is longer than any run of backticks within.
pub fn markdown_fence(language: &str, lines: &[String]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| terminal_line_again(line)).collect();
    let longest = lines.iter().map(|line| longest_run(line)).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    let mut out = format!("{fence}{language}\n");
    for line in lines {
        out.push_str(&line);
        out.push('\n');
    }
    out + &fence + "\n"
}

/// The line as it is if it is safe already: escaping twice would double backslashes.
fn terminal_line_again(line: &str) -> String {
    let is_safe = !line.chars().any(|character| character == '\n' || super::is_invisible(character));
    if is_safe { line.to_owned() } else { terminal_line(line) }
}

fn longest_run(line: &str) -> usize {
    line.split(|character| character != '`').map(str::len).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_its_span_or_its_cell() {
        assert_eq!(markdown_code("a`b|c\\"), "`a\\u{60}b\\u{7c}c\\`");
        assert_eq!(markdown_code("\\|"), "`\\\\\\u{7c}`");
        assert_eq!(markdown_code(""), "`\"\"`");
        assert_eq!(markdown_code("  "), "`\"  \"`");
        assert_eq!(markdown_code("@all #1 <img>\n# x"), "`@all #1 <img>\\u{a}# x`");
    }

    #[test]
    fn a_fence_is_longer_than_what_stands_in_it() {
        let lines = ["+ ````".to_owned(), "two\nlines".to_owned()];
        assert_eq!(markdown_fence("diff", &lines), "`````diff\n+ ````\ntwo\\u{a}lines\n`````\n");
        assert_eq!(markdown_fence("", &[]), "```\n```\n");
    }
}
