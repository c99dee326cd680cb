//! Anonymizers of records inside records: from a forest and a goal to classes of aligned trees.

mod algorithm;
mod anatomy;
mod assignment;
mod auto;
mod candidate;
mod clus_tree;
mod costs;
mod ctoff;
mod cut;
mod dmiracle;
mod each_table_alone;
mod even;
mod left_out;
mod models;
mod nearest;
mod own_costs;
mod pairs;
mod position;
mod problem;
mod registry;
mod representative;
#[cfg(test)]
mod tests;
mod transparent;
mod universal_relation;

pub use algorithm::{Failure, NestedAlgorithm};
pub use anatomy::{BetterAnatomy, TreeAnatomy};
pub use candidate::{AlignedClass, NestedCandidate, NestedForm};
pub use costs::{Cost, ONE, TreeCosts};
pub use left_out::make;
pub use models::NestedModel;
pub use nearest::nearest;
pub use own_costs::{OwnCosts, Sorts};
pub use pairs::{Mapping, Pairs, Scratch};
pub use problem::NestedProblem;
pub use registry::{NESTED_ALGORITHMS, nested_algorithm};
pub use representative::Representative;
