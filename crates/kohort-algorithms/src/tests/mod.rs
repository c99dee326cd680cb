//! Tables and problems to test with.

pub(crate) mod clusters;
pub(crate) mod laws;
pub(crate) mod tables;
