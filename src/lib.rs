//! x
pub mod exit;
pub mod finding;
pub mod json;
pub mod launch;
pub mod lock;
pub mod problem;
pub mod report;
pub mod surface;
pub mod text;
