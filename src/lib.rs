//! `mcp-pin`, the lockfile for MCP tools.
//!
//! An MCP server tells an agent what its tools do, and may say something else tomorrow. `mcp-pin` reads what the servers
//! of a project really send, writes it to `mcp-tools.lock`, and fails when it differs. It never calls a tool, and it
//! judges definitions, not behaviour.
//!
//! # The flow
//!
//! ```text
//! config → connect → lock → drift → report → exit
//! ```
//!
//! - [`config`] finds servers and how they are launched,
//! - [`connect`] reads what they say,
//! - [`lock`] reads and writes the file,
//! - [`drift`] compares two surfaces and names each difference by a rule,
//! - [`report`] renders one value in every format,
//! - [`exit`] knows the three codes.
//!
//! A stage uses only stages to its left and the leaves: [`json`] (strict reading, canonical form), [`text`] (foreign text
//! made safe), [`launch`], [`surface`], [`finding`] and [`problem`]. [`commands`] are thin and the only place that sees
//! every stage; a check is a pin into memory, compared with the file. [`demo`], [`explain`], [`export`], [`git`] and [`policy`]
//! stand beside the flow.

pub mod cli;
pub mod commands;
pub mod config;
pub mod connect;
pub mod demo;
pub mod drift;
pub mod exit;
pub mod explain;
pub mod export;
pub mod finding;
pub mod git;
pub mod invocation;
pub mod json;
pub mod launch;
pub mod lock;
pub mod policy;
pub mod problem;
pub mod report;
pub mod surface;
pub mod text;
