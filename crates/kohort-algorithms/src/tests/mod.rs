//! Tables and problems to test with.

mod laws;
pub(crate) mod tables;
