//! Small series for tests.

pub(crate) mod people;
