//! What a maker of nested releases makes: classes of people whose trees are laid on one another.

use kohort_core::Forest;

/// A release that has not been judged. Whoever is in no class is not published; a vertex that is at no
/// position is not published, nor is anything below it.
#[derive(Clone, Debug)]
pub struct NestedCandidate {
    /// The classes; nobody is in two.
    pub classes: Vec<AlignedClass>,
    /// What is published of them.
    pub form: NestedForm,
    /// What a user should know about how it was made, in sentences without a closing stop.
    pub notes: Vec<String>,
}

/// What is published of the classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NestedForm {
    /// Every member's tree, with the smallest cell that covers all members at each position.
    Generalized,
    /// Quasi-identifiers as they are in one tree per member, sensitive values in another (t-t anatomy).
    TreeAnatomy,
    /// Quasi-identifiers as they are, and the sensitive values of each position in a list (v-v anatomy).
    VertexAnatomy,
}

/// People whose trees are laid on one another.
///
/// Invariants: position 0 has the roots; the vertices of a position have one kind; the parents of a
/// position's vertices are together at one earlier position, in the same order of members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlignedClass {
    /// The members, as numbers of records.
    pub members: Vec<u32>,
    /// For each position the vertex of each member: position-major, as many per position as members.
    pub vertices: Vec<u32>,
}

impl AlignedClass {
    /// The vertices of each position, in the order of the members.
    pub fn positions(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.vertices.chunks_exact(self.members.len())
    }

    /// Checks that the trees are laid on one another as said above.
    ///
    /// # Panics
    /// When an invariant is broken.
    pub fn assert_aligned(&self, forest: &Forest) {
        let n = self.members.len();
        let mut position_of = std::collections::BTreeMap::new();
        for (position, vertices) in self.positions().enumerate() {
            for (member, &vertex) in vertices.iter().enumerate() {
                assert_eq!(forest.record_of(vertex), self.members[member] as usize);
                assert_eq!(forest.kind(vertex), forest.kind(vertices[0]));
                assert!(position_of.insert(vertex, position).is_none(), "a vertex is at one place");
                let above = forest.parent(vertex);
                if position == 0 {
                    assert_eq!(above, vertex, "position 0 has the roots");
                } else {
                    assert_eq!(position_of[&above], position_of[&forest.parent(vertices[0])]);
                }
            }
        }
        assert!(n > 0 && !self.vertices.is_empty() && self.vertices.len().is_multiple_of(n));
    }
}
