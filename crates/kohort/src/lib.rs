//! Publish data about people without publishing the people: plans, classification, diagnosis and
//! reports, in the order the steps run. This is the one crate that surfaces import.

pub mod classify;
pub mod demo;
mod error;
pub mod taxonomy;

pub use error::{Error, Kind};
