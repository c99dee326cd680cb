//! Tables and problems to test with.

pub(crate) mod clusters;
mod laws;
pub(crate) mod tables;
