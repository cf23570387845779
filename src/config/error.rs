//! Everything that can be wrong with a configuration. No message holds a value of the configuration, for it may be a secret;
//! names and members are foreign text, escaped where they are shown.

use std::fmt;

use super::jsonc::Place;
use crate::json;
use crate::problem::Problem;

/// A configuration that can't be used, with all its faults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The file, relative to the project folder.
    pub file: String,
    /// What is wrong, in the order of the file; never empty.
    pub faults: Vec<Fault>,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What it is.
    pub kind: FaultKind,
    /// The server whose entry has it.
    pub server: Option<String>,
    /// The member of that entry, such as `args[1]` or `env.PORT`.
    pub member: Option<String>,
    /// Where it is.
    pub place: Option<Place>,
}

/// The kinds of faults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// There is no such file.
    Missing,
    /// The system refuses, for this reason.
    Unreadable(String),
    /// A folder, a pipe or a device.
    NotAFile,
    /// More bytes than this.
    TooLarge(u64),
    /// The lockfile couldn't name the file.
    NoRelativePath,
    /// No JSON, or JSON that two readers could understand differently.
    Json(Box<json::Error>),
    /// A comment without an end.
    UnclosedComment,
    /// The file holds something else than an object.
    NotAnObject,
    /// The file has no `mcpServers`.
    NoServersMember,
    /// The file has servers where another client keeps them.
    OtherClient(&'static str),
    /// `mcpServers` is empty.
    NoServers,
    /// A server without a name.
    EmptyName,
    /// A server whose name a command line would take for an option.
    NameOfAnOption,
    /// Servers under `servers` too, which another client reads from the same file.
    SecondList,
    /// A member of another type than this.
    WrongType(&'static str),
    /// Neither `command` nor `url`.
    NoTransport,
    /// `command` and `url`.
    TwoTransports,
    /// An empty `command` or `url`.
    Empty,
    /// A whole command line in `command`, and the two members as they should be if that can be shown.
    CommandLine(Option<String>),
    /// A URL that isn't one of HTTP.
    NotHttp,
    /// A `type` that we don't know.
    UnknownType,
    /// A `type` for the other transport.
    ContradictoryType,
    /// The address under another client's name for it.
    OtherAddress,
    /// A variable in another client's form, such as `${env:`.
    OtherVariable(&'static str),
    /// A name that no environment variable can have.
    BadVariableName,
}

impl Fault {
    /// A fault of the file itself.
    pub(super) fn of_file(kind: FaultKind) -> Self {
        Self { kind, server: None, member: None, place: None }
    }

    /// A fault at a place.
    pub(super) fn at(kind: FaultKind, place: Place) -> Self {
        Self { place: Some(place), ..Self::of_file(kind) }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match &self.kind {
            FaultKind::Missing => "name an existing file with `--config FILE`, or go to the project with `-C DIR`",
            FaultKind::Unreadable(_) => "make the file readable, or name another with `--config FILE`",
            FaultKind::NotAFile => "name a regular file with `--config FILE`",
            FaultKind::TooLarge(_) => {
                "a file of this size is hardly a configuration; name another with `--config FILE`"
            }
            FaultKind::NoRelativePath => "keep the configuration on the drive of the project, under a name in Unicode",
            FaultKind::Json(error) => match error.kind {
                json::ErrorKind::NotUtf8 => "save the file as UTF-8",
                json::ErrorKind::RepeatedKey(_) => "keep one of the two; clients disagree on which one counts",
                _ => "correct the file at this place; comments and trailing commas are fine",
            },
            FaultKind::UnclosedComment => "end the comment with `*/`",
            FaultKind::NotAnObject | FaultKind::NoServersMember | FaultKind::NoServers => {
                "name a file with servers under \"mcpServers\": {\"mcpServers\": {\"NAME\": {\"command\": \"…\"}}}"
            }
            FaultKind::OtherClient(_) => {
                "this version reads `.mcp.json`; other clients' files come in a later version. \
                 Until then keep the servers under \"mcpServers\""
            }
            FaultKind::EmptyName => "give the server a name",
            FaultKind::NameOfAnOption => "give the server a name that begins otherwise",
            FaultKind::SecondList => "keep the servers in one list: mcp-pin would not check those under \"servers\"",
            FaultKind::WrongType("a string") => "write the value as a string, in quotation marks",
            FaultKind::WrongType(_) => "correct the type of the value",
            FaultKind::NoTransport => "add \"command\" for a program, or \"url\" for a remote server",
            FaultKind::TwoTransports => "keep \"command\" for a program, or \"url\" for a remote server",
            FaultKind::Empty => "fill it in, or take the server out",
            FaultKind::CommandLine(Some(fix)) => return format!("write {fix}"),
            FaultKind::CommandLine(None) => {
                "write the program into \"command\" and each argument into \"args\", as a string of its own"
            }
            FaultKind::NotHttp => "write a URL that begins with `https://` or `http://`",
            FaultKind::UnknownType => "write \"stdio\" or \"http\", or leave \"type\" out",
            FaultKind::ContradictoryType => "leave \"type\" out, or correct it",
            FaultKind::OtherAddress => "write the address as \"url\"",
            FaultKind::OtherVariable(_) => "write `${NAME}`; its value comes from the environment",
            FaultKind::BadVariableName => "write a name that isn't empty and has no `=`",
        }
        .to_owned()
    }
}

impl fmt::Display for Fault {
    /// Names and members are foreign text: escape the whole for its destination.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(server) = &self.server {
            write!(formatter, "server \"{server}\": ")?;
        }
        if let Some(member) = &self.member {
            write!(formatter, "{member}: ")?;
        }
        match &self.kind {
            FaultKind::Missing => formatter.write_str("there is no such file")?,
            FaultKind::Unreadable(reason) => write!(formatter, "can't be read: {reason}")?,
            FaultKind::NotAFile => formatter.write_str("not a regular file")?,
            FaultKind::TooLarge(most) => write!(formatter, "larger than {} MiB", most / 1024 / 1024)?,
            FaultKind::NoRelativePath => {
                formatter.write_str("has no path relative to the project that can be written")?
            }
            // It names the place itself.
            FaultKind::Json(error) => return write!(formatter, "{error}"),
            FaultKind::UnclosedComment => formatter.write_str("a comment that never ends")?,
            FaultKind::NotAnObject => {
                formatter.write_str("no servers found: expected an object with \"mcpServers\"")?
            }
            FaultKind::NoServersMember => formatter.write_str("no servers found: there is no \"mcpServers\"")?,
            FaultKind::OtherClient(client) => {
                write!(formatter, "no servers found: there is no \"mcpServers\", this is a file of {client}")?;
            }
            FaultKind::NoServers => formatter.write_str("no servers found: \"mcpServers\" is empty")?,
            FaultKind::EmptyName => formatter.write_str("a server with an empty name")?,
            FaultKind::NameOfAnOption => formatter.write_str("the name begins with `-`, as an option does")?,
            FaultKind::SecondList => {
                formatter
                    .write_str("servers under \"servers\" beside \"mcpServers\", which Visual Studio would start")?;
            }
            FaultKind::WrongType(expected) => write!(formatter, "expected {expected}")?,
            FaultKind::NoTransport => formatter.write_str("neither \"command\" nor \"url\"")?,
            FaultKind::TwoTransports => formatter.write_str("both \"command\" and \"url\"")?,
            FaultKind::Empty => formatter.write_str("is empty")?,
            FaultKind::CommandLine(_) => {
                formatter.write_str("a whole command line, where the name of a program is expected")?
            }
            FaultKind::NotHttp => formatter.write_str("not a URL of HTTP")?,
            FaultKind::UnknownType => formatter.write_str("an unknown type of server")?,
            FaultKind::ContradictoryType => formatter.write_str("contradicts the other members")?,
            FaultKind::OtherAddress => formatter.write_str("another client's name for \"url\"")?,
            FaultKind::OtherVariable(form) => {
                write!(formatter, "`{form}…}}` is another client's way to name a variable")?;
            }
            FaultKind::BadVariableName => formatter.write_str("no variable can have this name")?,
        }
        match self.place {
            Some(place) => write!(formatter, " ({place})"),
            None => Ok(()),
        }
    }
}

impl ConfigError {
    /// An error of a file as a whole.
    pub(super) fn of_file(file: &str, kind: FaultKind) -> Self {
        Self { file: file.to_owned(), faults: vec![Fault::of_file(kind)] }
    }

    /// One problem for each fault.
    pub fn problems(&self) -> Vec<Problem> {
        let problem = |fault: &Fault| Problem::new(format!("reading {}", self.file), fault.to_string(), fault.help());
        self.faults.iter().map(problem).collect()
    }
}

impl std::error::Error for ConfigError {}

impl fmt::Display for ConfigError {
    /// One line for each fault; foreign text, as in [`Fault`].
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.faults.iter().enumerate() {
            let newline = if index > 0 { "\n" } else { "" };
            write!(formatter, "{newline}{}: {fault}", self.file)?;
        }
        Ok(())
    }
}
