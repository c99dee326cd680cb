//! Tables and problems to test with.

pub(crate) mod laws;
pub(crate) mod tables;
