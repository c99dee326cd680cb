//! Databases: the statements that count in them, and tables that are read from them, on a real PostgreSQL and on
//! SQLite.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, outside a test function")]
#![expect(clippy::disallowed_methods, reason = "tests write files, and look at a clock")]

mod catalog;
mod faults;
mod in_place;
mod postgres;
mod read;
mod sql;
mod write;
