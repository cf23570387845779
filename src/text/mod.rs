//! Foreign text made safe for where it goes.
//!
//! Names, descriptions, error messages and standard error of a server are hostile until they pass through here. There is
//! one function for each destination: [`terminal`] and [`identifier`] for a person's screen or log, [`toml_basic`] for
//! the lockfile. JSON escapes itself (`json::pretty`) by the same table, [`is_invisible`].

mod destination;
mod invisible;
mod number;
mod shell;
mod shorten;

pub use destination::{
    begins_like_merge_marker, identifier, terminal, terminal_line, terminal_spelling, toml_basic, toml_multi_line,
};
pub use invisible::{is_invisible, name, spelled};
pub use number::count;
pub use shell::shell_word;
pub use shorten::{Shortened, last, shorten};
