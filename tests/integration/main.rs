//! The built binary, as its users meet it: one file for each topic.

#![allow(clippy::expect_used, clippy::panic, reason = "a test ends by panicking")]

mod common;

mod answers;
mod approval_races;
mod by_hand;
mod client;
mod client_name;
mod config_files;
mod config_variables;
mod context;
mod deaths;
mod drift_names;
mod drift_rules;
mod drift_sameness;
mod drift_server;
mod environment;
mod eras;
mod export;
mod frozen;
mod hangs;
mod http_answers;
mod http_sessions;
mod http_streams;
mod http_tls;
mod killed;
mod limits;
mod lockfile_damage;
mod lockfile_place;
mod many_servers;
mod merge;
mod nothing_left;
mod offline;
mod outcomes;
mod output;
mod output_hostile;
mod package_runners;
mod pages;
mod pin_consent;
mod pin_refusals;
mod pin_roundtrip;
mod pin_secrets;
mod pin_write;
mod project_folder;
mod published_study;
mod readings;
mod readme;
mod repeated_secrets;
mod requests;
mod reviews;
mod served;
mod smoke;
mod texts;
mod told;
mod usage;
