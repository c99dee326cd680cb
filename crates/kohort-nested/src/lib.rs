//! Anonymizers of records inside records: from a forest and a goal to classes of aligned trees.

mod algorithm;
mod candidate;
mod problem;

pub use algorithm::{Failure, NestedAlgorithm};
pub use candidate::{AlignedClass, NestedCandidate, NestedForm};
pub use problem::NestedProblem;
