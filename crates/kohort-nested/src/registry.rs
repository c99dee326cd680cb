//! The makers of nested releases.

use crate::{NestedAlgorithm, TreeAnatomy};

/// Every maker; whoever looks for one by its id looks here.
pub static NESTED_ALGORITHMS: &[&dyn NestedAlgorithm] = &[
    &TreeAnatomy::BY_TREE,
    &TreeAnatomy::BY_VERTEX,
    &TreeAnatomy::BY_TREE_FIRST_FIT,
    &TreeAnatomy::BY_VERTEX_FIRST_FIT,
];
