//! Anonymizers of records inside records: from a forest and a goal to classes of aligned trees.

mod algorithm;
mod assignment;
mod candidate;
mod costs;
mod pairs;
mod problem;
mod representative;
#[cfg(test)]
mod tests;

pub use algorithm::{Failure, NestedAlgorithm};
pub use candidate::{AlignedClass, NestedCandidate, NestedForm};
pub use costs::{Cost, ONE, TreeCosts};
pub use pairs::{Mapping, Pairs, Scratch};
pub use problem::NestedProblem;
pub use representative::Representative;
