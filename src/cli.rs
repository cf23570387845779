//! The command line, and nothing else: what can be typed and what it is called.

use std::path::PathBuf;
use std::time::Duration;

use bytesize::ByteSize;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use crate::surface::Digest;

mod explanation;
mod inspection;
mod reports;
mod reviewing;
mod shells;

pub use explanation::{ExplainArguments, ExplainFormat};
pub use inspection::{InspectArguments, ShowArguments, ShowFormat};
pub use reports::{Color, Format, OutputArguments, SchemaArguments, SchemaSubject};
use reviewing::PARTS;
pub use reviewing::{BaselineArguments, DiffArguments, PartsArguments, ReviewArguments};
pub use shells::{CompletionsArguments, ManArguments};

/// The lockfile for MCP tools: pin what every server says, fail when it changes.
#[derive(Debug, Parser)]
#[command(name = "mcp-pin", version, long_version = shells::FACTS)]
#[command(disable_help_subcommand = true, max_term_width = 100)]
#[command(after_help = "Exit codes: 0 in sync, 1 drift, 2 could not check; anything else means: not checked.")]
pub struct Cli {
    /// Start in this folder
    #[arg(short = 'C', value_name = "DIR", global = true)]
    pub directory: Option<PathBuf>,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// The words that were typed; ends the process where they can't be understood, as clap does.
    pub fn of_process() -> Self {
        let matches = without_empty_variables(Self::command()).get_matches();
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }
}

/// The command without the variables that are set but empty: build systems make those from inputs that nobody gave.
fn without_empty_variables(command: clap::Command) -> clap::Command {
    let is_empty =
        |argument: &clap::Arg| argument.get_env().and_then(std::env::var_os).is_some_and(|value| value.is_empty());
    command
        .mut_args(|argument| if is_empty(&argument) { argument.env(None::<&str>) } else { argument })
        .mut_subcommands(without_empty_variables)
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Read the servers, show what they say, and write it to the lockfile
    Pin(PinArguments),
    /// Read the servers again and compare; never writes
    Check(CheckArguments),
    /// Go through what differs and accept it part by part
    Review(ReviewArguments),
    /// Compare two lockfiles: files, `-`, or git revisions; no server is asked
    Diff(DiffArguments),
    /// Check the lockfile and the configured launches without asking any server
    Verify(VerifyArguments),
    /// Show what the lockfile holds, without asking any server
    List(ListArguments),
    /// Print the pinned tools for other programs, without asking any server
    Export(ExportArguments),
    /// Show a definition whole: from the lockfile, or with --live as the server gives it now
    Show(ShowArguments),
    /// Read the servers and show what they say, without any lockfile: what to look at before the first pin
    Inspect(InspectArguments),
    /// Print the JSON Schema of something that programs read
    Schema(SchemaArguments),
    /// Say what a rule means and what to do about it; without RULE, list them all
    Explain(ExplainArguments),
    /// Rewrite the lockfile in its one spelling, without asking any server
    Fmt(FmtArguments),
    /// Merge two lockfiles block by block, as git's merge driver: mcp-pin merge-driver %O %A %B
    MergeDriver(MergeDriverArguments),
    /// Print what a shell needs to complete the command line
    Completions(CompletionsArguments),
    /// Print the manual page of mcp-pin, or of one of its commands
    Man(ManArguments),
    /// See a server change its tools behind your back, and be caught; needs nothing set up
    Demo(DemoArguments),
    /// Ends servers that a killed run has left behind
    #[command(hide = true)]
    Watchdog,
    /// The two-faced server of the demo
    #[command(hide = true)]
    DemoServer(DemoServerArguments),
}

/// Where the project is.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Project")]
pub struct ProjectArguments {
    /// Read this configuration instead of the project's .mcp.json (repeatable)
    #[arg(long = "config", value_name = "FILE", env = "MCP_PIN_CONFIG", value_delimiter = None)]
    pub configs: Vec<PathBuf>,
    /// Use this lockfile; `-` reads standard input in check and verify
    #[arg(long, value_name = "FILE", env = "MCP_PIN_LOCKFILE")]
    pub lockfile: Option<PathBuf>,
}

/// Which servers, and how they are read.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Reading")]
pub struct ReadArguments {
    /// Only these servers; without any, all that are configured
    #[arg(value_name = "SERVER")]
    pub servers: Vec<String>,
    /// A launch that no configuration names, for the one SERVER named before it
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
    /// A variable for that COMMAND, such as TOKEN='${TOKEN}' (repeatable)
    #[arg(long = "env", value_name = "NAME=VALUE", value_parser = environment_variable)]
    pub environment: Vec<(String, String)>,
    /// The folder that COMMAND starts in
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<String>,
    /// An HTTP address that no configuration names, for the one SERVER
    #[arg(long, value_name = "URL", conflicts_with_all = ["command", "environment", "cwd"])]
    pub url: Option<String>,
    /// A header for that URL, such as 'Authorization: Bearer ${TOKEN}' (repeatable)
    #[arg(long = "header", value_name = "NAME: VALUE", requires = "url", value_parser = header)]
    pub headers: Vec<(String, String)>,
    /// List each server at least this often, some time apart, over HTTP in as many sessions; two listings that differ are
    /// drift, and nothing that can be pinned
    #[arg(long, value_name = "N", env = "MCP_PIN_READINGS", default_value = "1", value_parser = positive)]
    pub readings: usize,
    /// How long a server may settle between two listings
    #[arg(long, value_name = "MILLISECONDS", env = "MCP_PIN_SETTLE", default_value = "300", value_parser = milliseconds)]
    pub settle: Duration,
    /// How many servers are read at the same time
    #[arg(long, value_name = "N", env = "MCP_PIN_JOBS", default_value = "8", value_parser = positive)]
    pub jobs: usize,
    /// How long a server may take to start; first runs install packages [default: the policy's, else 60]
    #[arg(long, value_name = "SECONDS", env = "MCP_PIN_START_TIMEOUT", value_parser = seconds)]
    pub start_timeout: Option<Duration>,
    /// How long a server may take for one answer [default: the policy's, else 30]
    #[arg(long, value_name = "SECONDS", env = "MCP_PIN_REQUEST_TIMEOUT", value_parser = seconds)]
    pub request_timeout: Option<Duration>,
    /// How long one server may take in all [default: the policy's, else 300]
    #[arg(long, value_name = "SECONDS", env = "MCP_PIN_SERVER_TIMEOUT", value_parser = seconds)]
    pub server_timeout: Option<Duration>,
    /// The largest message, such as 16MiB
    #[arg(long, value_name = "BYTES", env = "MCP_PIN_MAX_MESSAGE", default_value = "16MiB", value_parser = size)]
    pub max_message: usize,
    /// The largest listing of one server, such as 64MiB
    #[arg(long, value_name = "BYTES", env = "MCP_PIN_MAX_LISTING", default_value = "64MiB", value_parser = size)]
    pub max_listing: usize,
    /// Appear as this client: mcp-pin, claude-code, cursor, vscode, codex or minimal; the lockfile records it
    #[arg(long, value_name = "CLIENT", env = "MCP_PIN_CLIENT")]
    pub client: Option<String>,
    /// Declare this capability, as NAME or NAME=JSON, and no other of the client's (repeatable)
    #[arg(long = "client-capability", value_name = "CAPABILITY")]
    pub client_capabilities: Vec<String>,
    /// Call ourselves by this name; the lockfile records it
    #[arg(long, value_name = "NAME", env = "MCP_PIN_CLIENT_NAME")]
    pub client_name: Option<String>,
    /// Pass a variable of ours on, to all servers or one (repeatable)
    #[arg(long = "pass-env", value_name = "[SERVER:]NAME", env = "MCP_PIN_PASS_ENV", value_delimiter = ',', value_parser = passed_name)]
    pub pass_environment: Vec<String>,
}

/// `mcp-pin pin`
#[derive(Debug, Args)]
pub struct PinArguments {
    /// Pin this saved listing as the one SERVER named, and start nothing; `-` reads standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["command", "url", "client", "client_name", "client_capabilities"])]
    pub from: Option<PathBuf>,
    /// Start new and changed launches without asking
    #[arg(short, long)]
    pub yes: bool,
    /// Show what would change and write nothing; exit 1 if anything would
    #[arg(long)]
    pub dry_run: bool,
    /// Drop servers that no configuration names any more
    #[arg(long, conflicts_with_all = PARTS)]
    pub prune: bool,
    /// Write what could be read even if a server failed
    #[arg(long)]
    pub keep_going: bool,
    /// Pin a server that lists no tools although it declares some, or had some
    #[arg(long)]
    pub allow_empty: bool,
    /// Pin the one server only if it says what a check showed, by the digest that the check printed
    #[arg(long, value_name = "DIGEST", value_parser = digest)]
    pub expect: Option<String>,
    /// Pin each resource even of a server that declares that they change by themselves; the lockfile records it
    #[arg(long, value_name = "WHEN", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "always", conflicts_with_all = PARTS)]
    pub pin_resources: Option<PinResources>,
    /// Keep the name of this variable or header, but not its literal value (repeatable)
    #[arg(long, value_name = "NAME", conflicts_with_all = PARTS)]
    pub unverified: Vec<String>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub project: ProjectArguments,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub read: ReadArguments,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub output: OutputArguments,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub parts: PartsArguments,
}

/// Which resources are pinned one by one.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum PinResources {
    /// All
    Always,
    /// Those of servers that don't declare that they change by themselves
    UnlessChanging,
}

/// `mcp-pin check`
#[derive(Debug, Args)]
pub struct CheckArguments {
    /// Compare this saved listing with the one SERVER named, and start nothing; `-` reads standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["command", "url", "client", "client_name", "client_capabilities", "clients"])]
    pub from: Option<PathBuf>,
    /// Read each server as these clients too, or as all, and report what one is told and another is not
    #[arg(long, value_name = "CLIENT,…", env = "MCP_PIN_CLIENTS", value_delimiter = ',')]
    pub clients: Vec<String>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub baseline: BaselineArguments,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub project: ProjectArguments,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub read: ReadArguments,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub output: OutputArguments,
}

/// `mcp-pin verify`
#[derive(Debug, Args)]
pub struct VerifyArguments {
    /// Only these servers; without any, all that are configured
    #[arg(value_name = "SERVER")]
    pub servers: Vec<String>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub project: ProjectArguments,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub output: OutputArguments,
}

/// `mcp-pin list`
#[derive(Debug, Args)]
pub struct ListArguments {
    /// Only these servers
    #[arg(value_name = "SERVER")]
    pub servers: Vec<String>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub project: ProjectArguments,
}

/// `mcp-pin export`
#[derive(Debug, Args)]
pub struct ExportArguments {
    /// Only this server, as one map of its tools; without it, a map of all servers
    #[arg(value_name = "SERVER")]
    pub server: Option<String>,
    /// What stands for each tool
    #[arg(long, value_enum)]
    pub format: ExportFormat,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub project: ProjectArguments,
}

/// The formats of an export.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ExportFormat {
    /// The digest that fingerprintTools of the Vercel AI SDK gives
    AiSdk,
    /// SHA-256 over RFC 8785, in hexadecimal digits
    Jcs,
    /// The definition
    Json,
}

/// `mcp-pin fmt`
#[derive(Debug, Args)]
pub struct FmtArguments {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub project: ProjectArguments,
}

/// `mcp-pin merge-driver`
#[derive(Debug, Args)]
pub struct MergeDriverArguments {
    /// The common ancestor; may be empty
    pub base: PathBuf,
    /// Our side, which gets the result
    pub ours: PathBuf,
    /// The other side
    pub theirs: PathBuf,
}

/// `mcp-pin demo`
#[derive(Debug, Args)]
pub struct DemoArguments {
    /// When to use colour
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    pub color: Color,
}

/// `mcp-pin demo-server`
#[derive(Debug, Args)]
pub struct DemoServerArguments {
    /// The second face is shown once this file exists
    pub switch: PathBuf,
}

fn environment_variable(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write it as NAME=VALUE")?;
    if name.is_empty() {
        return Err("the name is empty".to_owned());
    }
    Ok((name.to_owned(), value.to_owned()))
}

/// `[SERVER:]NAME`, the name alone: a value here would end up in the lockfile.
fn passed_name(text: &str) -> Result<String, String> {
    let text = text.trim();
    let name = text.rsplit_once(':').map_or(text, |(_, name)| name);
    let is_name = |character: char| character.is_ascii_alphanumeric() || character == '_';
    if name.is_empty() || !name.chars().all(is_name) {
        return Err("give the name of a variable, without its value".to_owned());
    }
    Ok(text.to_owned())
}

fn digest(text: &str) -> Result<String, String> {
    Digest::parse(text)
        .map(|digest| digest.to_string())
        .ok_or_else(|| "a digest such as check prints, sha256-…".to_owned())
}

fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once(':').ok_or("write it as 'Name: value'")?;
    if name.trim().is_empty() {
        return Err("the name is empty".to_owned());
    }
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

fn positive(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&number| number > 0).ok_or_else(|| "a whole number above 0".to_owned())
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: Option<f64> = text.parse().ok().filter(|&seconds: &f64| seconds > 0.0);
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .filter(|duration| duration.as_secs() <= 7 * 24 * 3600)
        .ok_or_else(|| "seconds above 0, at most a week".to_owned())
}

fn milliseconds(text: &str) -> Result<Duration, String> {
    let milliseconds = text.parse().ok().map(Duration::from_millis);
    milliseconds.filter(|duration| duration.as_secs() <= 3600).ok_or_else(|| "milliseconds, at most an hour".to_owned())
}

fn size(text: &str) -> Result<usize, String> {
    let size: ByteSize = text.parse().map_err(|_| "a size such as 16MiB or 1000000".to_owned())?;
    usize::try_from(size.as_u64()).ok().filter(|&size| size > 0).ok_or_else(|| "a size above 0".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_launch_can_be_given_by_hand() {
        let cli = Cli::parse_from(["mcp-pin", "pin", "crm", "--env", "A=${A}=b", "--", "node", "server.mjs", "--flag"]);
        let Command::Pin(arguments) = cli.command else { panic!("not pin") };
        assert_eq!(arguments.read.servers, ["crm"]);
        assert_eq!(arguments.read.environment, [("A".to_owned(), "${A}=b".to_owned())]);
        assert_eq!(arguments.read.command, ["node", "server.mjs", "--flag"]);
    }

    #[test]
    fn sizes_and_times_have_units_people_use() {
        assert_eq!(size("16MiB"), Ok(16 << 20));
        assert_eq!(size("1000"), Ok(1000));
        assert!(size("0").is_err() && size("lots").is_err());
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for wrong in ["0", "-1", "NaN", "inf", "1e300", "soon"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
