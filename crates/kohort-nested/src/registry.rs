//! The makers of nested releases in the box.

use crate::auto::Auto;
use crate::clus_tree::ClusTree;
use crate::ctoff::CToff;
use crate::dmiracle::DMiRaCle;
use crate::each_table_alone::EachTableAlone;
use crate::universal_relation::UniversalRelation;
use crate::{Mapping, NestedAlgorithm, TreeAnatomy};

/// Every maker of nested releases, in the order they are listed.
pub static NESTED_ALGORITHMS: &[&dyn NestedAlgorithm] = &[
    &Auto,
    &ClusTree(Mapping::Assignment),
    &ClusTree(Mapping::Greedy),
    &CToff(Mapping::Assignment),
    &CToff(Mapping::Greedy),
    &TreeAnatomy::BY_TREE,
    &TreeAnatomy::BY_VERTEX,
    &TreeAnatomy::BY_TREE_FIRST_FIT,
    &TreeAnatomy::BY_VERTEX_FIRST_FIT,
    &DMiRaCle,
    &EachTableAlone,
    &UniversalRelation,
];

/// The maker with this id.
pub fn nested_algorithm(id: &str) -> Option<&'static dyn NestedAlgorithm> {
    NESTED_ALGORITHMS.iter().copied().find(|algorithm| algorithm.spec().id == id)
}
