//! The built binary, as its users meet it: one file for each topic.

#![allow(clippy::expect_used, clippy::panic, reason = "a test ends by panicking")]

mod common;

mod merge;
mod package_runners;
mod readme;
mod smoke;
