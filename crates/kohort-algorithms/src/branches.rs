//! The children of every node of a taxonomy, as intervals of codes.

use kohort_core::{Cell, Taxonomy};

/// A child of a node of a taxonomy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The first code below it.
    pub first: u32,
    /// The last code below it.
    pub last: u32,
    /// What is published for it.
    pub cell: Cell,
}

/// For each node of a taxonomy its children, leaves included, in code order.
pub fn branches(taxonomy: &Taxonomy) -> Vec<Vec<Branch>> {
    let mut found = vec![Vec::new(); taxonomy.nodes().len()];
    for (id, node) in (0..).zip(taxonomy.nodes()) {
        if let Some(parent) = node.parent {
            let cell = Cell::Node(id);
            found[parent as usize].push(Branch { first: node.first, last: node.last, cell });
        }
    }
    for code in 0..taxonomy.n_leaves() {
        let parent = taxonomy.parent(code) as usize;
        found[parent].push(Branch { first: code, last: code, cell: Cell::Leaf(code) });
    }
    for children in &mut found {
        children.sort_by_key(|branch| branch.first);
    }
    found
}
