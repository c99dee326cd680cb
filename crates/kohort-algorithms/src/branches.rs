//! The children of every node of a taxonomy, as intervals of codes.

use kohort_core::{Cell, Taxonomy};

/// A child of a node: the first and last code below it, and what is published for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Branch {
    pub(crate) first: u32,
    pub(crate) last: u32,
    pub(crate) cell: Cell,
}

/// For each node of a taxonomy its children, leaves included, in code order.
pub(crate) fn branches(taxonomy: &Taxonomy) -> Vec<Vec<Branch>> {
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
