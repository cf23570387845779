//! Text in a workflow command (GitHub Actions, Workflow commands): `::error file=a,title=b::message`.
//!
//! The runner ends a command at its line's end, and reads `%25`, `%0D` and `%0A` back (actions/toolkit,
//! `packages/core/src/command.ts`). What is escaped here is safe for a terminal already, for a log shows it too.

/// A command's message. Line feeds stay what they are, as `%0A`.
pub fn workflow_message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of one of a command's properties, which commas and colons end.
pub fn workflow_property(text: &str) -> String {
    workflow_message(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_a_command_or_a_property() {
        assert_eq!(workflow_message("100%\r\n::error::x"), "100%25%0D%0A::error::x");
        assert_eq!(workflow_property("a,line=1::b%2C"), "a%2Cline=1%3A%3Ab%252C");
    }
}
