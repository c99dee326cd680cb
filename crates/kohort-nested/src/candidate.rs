//! What a maker of nested releases makes: classes of people whose trees are laid on one another.

use kohort_core::Forest;

use crate::{Failure, NestedProblem};

/// A release that has not been judged. Whoever is in no class is not published; a vertex that is at no
/// position is not published, nor is anything below it.
#[derive(Clone, Debug)]
pub struct NestedCandidate {
    /// The classes; nobody is in two.
    pub classes: Vec<AlignedClass>,
    /// What is published of them.
    pub form: NestedForm,
    /// For each vertex of the forest its group, where the form is `Apart`; else empty.
    pub group_of_vertex: Vec<u32>,
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
    /// Every tree by itself, as a class of one: a vertex has the smallest cells that cover all vertices
    /// of its group, wherever they are. It hides nobody, and is made by rivals only.
    Apart,
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

/// The group of a vertex that is not published.
pub(crate) const NO_GROUP: u32 = u32::MAX;

/// Every tree by itself, without the vertices that have no group and what is below them.
pub(crate) fn apart(
    problem: &NestedProblem<'_>,
    mut group_of_vertex: Vec<u32>,
) -> Result<NestedCandidate, Failure> {
    let forest = problem.forest;
    let mut classes = Vec::new();
    for record in 0..forest.n_records() {
        let mut vertices = Vec::new();
        for vertex in forest.vertices(record) {
            // Parents stand before their children.
            if group_of_vertex[forest.parent(vertex) as usize] == NO_GROUP {
                group_of_vertex[vertex as usize] = NO_GROUP;
            }
            if group_of_vertex[vertex as usize] != NO_GROUP {
                vertices.push(vertex);
            }
        }
        if !vertices.is_empty() {
            let member = u32::try_from(record).expect("a forest has at most 2^32 records");
            classes.push(AlignedClass { members: vec![member], vertices });
        }
    }
    if classes.is_empty() {
        let reason = format!("a class has at least {} records", problem.smallest());
        return Err(Failure::Infeasible { reason });
    }
    let form = NestedForm::Apart;
    Ok(NestedCandidate { classes, form, group_of_vertex, notes: Vec::new() })
}
