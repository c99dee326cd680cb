//! Small series for tests.

pub(crate) mod people;
mod run_again;
