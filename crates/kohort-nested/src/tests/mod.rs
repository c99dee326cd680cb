//! Forests for tests: written by hand, or made of random schemas and random data.

mod figures;
mod forests;
mod given;
mod laws;
mod models;
mod order;
mod pairs;
mod plain;
mod rivals;
mod students;

pub(crate) use forests::{Asked, forest, random};
pub(crate) use students::students;
