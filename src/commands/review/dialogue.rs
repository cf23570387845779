//! The questions of a review, on a terminal.

use std::io::{self, IsTerminal};

use crate::commands::{output, reading};

/// What a person says to one part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// It is meant.
    Accept,
    /// It is not.
    Reject,
    /// Not now.
    Skip,
    /// It is meant, and so is all that follows of this server.
    Whole,
    /// Not now, and neither is all that follows.
    Quit,
}

const ANSWERS: [(&str, Answer); 5] = [
    ("accept", Answer::Accept),
    ("reject", Answer::Reject),
    ("skip", Answer::Skip),
    ("whole", Answer::Whole),
    ("quit", Answer::Quit),
];

const HELP: &str = concat!(
    "  a accept: it is meant, approve it\n",
    "  r reject: it is not meant, it stays as it was approved\n",
    "  s skip: decide later, it stays as it was approved\n",
    "  w whole server: show all that follows of this server, then accept it with this\n",
    "  q quit: ask no more; what was accepted is written\n",
);

impl Answer {
    /// The answer that a line means: its word or the beginning of it.
    fn of(line: &str) -> Option<Self> {
        let word = line.trim().to_lowercase();
        let meant = |(name, _): &&(&str, Answer)| !word.is_empty() && name.starts_with(&word);
        ANSWERS.iter().find(meant).map(|(_, answer)| *answer)
    }
}

/// Whether there is a person to ask.
pub(super) fn has_terminal() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Whether a person agrees to what is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Confirmation {
    /// They do.
    Given,
    /// They don't.
    Withheld,
}

/// Asks for a yes; `None` once the terminal is gone or the run is to end.
pub(super) fn confirm(question: &str) -> Option<Confirmation> {
    forget_what_was_typed();
    output::message(&format!("{question} [y/N] "));
    let line = reading::line_from_terminal()?;
    let agrees = matches!(line.trim().to_lowercase().as_str(), "y" | "yes");
    Some(if agrees { Confirmation::Given } else { Confirmation::Withheld })
}

/// Asks until there is an answer; `None` once the terminal is gone or the run is to end.
pub(super) fn ask(question: &str) -> Option<Answer> {
    loop {
        forget_what_was_typed();
        output::message(&format!("{question}: accept, reject, skip, whole server or quit? [a/r/s/w/q] "));
        let line = reading::line_from_terminal()?;
        match Answer::of(&line) {
            Some(answer) => return Some(answer),
            None => output::message(HELP),
        }
    }
}

/// What was typed before a question was shown is no answer to it, least of all if a server has typed it.
#[cfg(unix)]
fn forget_what_was_typed() {
    let _ = rustix::termios::tcflush(io::stdin(), rustix::termios::QueueSelector::IFlush);
}

#[cfg(not(unix))]
fn forget_what_was_typed() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_a_word_or_its_beginning_and_nothing_is_no_answer() {
        for (line, answer) in [
            ("a\n", Some(Answer::Accept)),
            ("Accept\r\n", Some(Answer::Accept)),
            ("r", Some(Answer::Reject)),
            ("sk", Some(Answer::Skip)),
            ("whole", Some(Answer::Whole)),
            ("q", Some(Answer::Quit)),
            ("\n", None),
            ("y", None),
            ("accepted", None),
        ] {
            assert_eq!(Answer::of(line), answer, "{line:?}");
        }
    }

    #[test]
    fn each_answer_begins_with_a_letter_of_its_own() {
        for (word, answer) in ANSWERS {
            assert_eq!(Answer::of(&word[..1]), Some(answer));
            assert!(HELP.contains(&format!("  {} {word}", &word[..1])));
        }
    }
}
