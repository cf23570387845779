//! Foreign text made safe for where it goes.
//!
//! Names, descriptions, error messages and standard error of a server are hostile until they pass through here. There is
//! one function for each destination: [`terminal`] and [`identifier`] for a person's screen or log, [`toml_basic`] for
//! the lockfile, [`markdown_code`] for a page, [`workflow_message`] for a workflow's annotations. JSON escapes itself
//! (`json::pretty`) by the same table, [`is_invisible`].

mod destination;
mod invisible;
mod markdown;
mod nearest;
mod number;
mod sarif;
mod shell;
mod shorten;
mod source;
mod uri;
mod workflow;

pub use destination::{
    begins_like_merge_marker, identifier, terminal, terminal_line, terminal_spelling, toml_basic, toml_multi_line,
};
pub use invisible::{is_invisible, name, spelled};
pub use markdown::{markdown_code, markdown_fence};
pub use nearest::{did_you_mean, nearest};
pub use number::count;
pub use sarif::sarif_message;
pub use shell::{shell_option, shell_word};
pub use shorten::{Shortened, last, shorten};
pub use source::Source;
pub use uri::uri_path;
pub use workflow::{workflow_message, workflow_property};
