//! The built binary, as its users meet it: one file for each topic.

mod common;

mod smoke;
