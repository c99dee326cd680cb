//! The augmented tree of a group: its common structure, and at each position the members' vertices.

use std::ops::Range;

use kohort_core::{Forest, NO_VALUE};

use crate::AlignedClass;

/// A group of trees cut to a common structure. Positions are in the order of the first member's vertices,
/// so breadth first, the children of a position side by side and by kind.
pub(super) struct Augmented<'a> {
    forest: &'a Forest,
    class: AlignedClass,
    children: Vec<Range<u32>>,
    // The sensitive codes of the members at each position: position-major.
    values: Vec<u32>,
    n_of_kind: Vec<u32>,
}

impl<'a> Augmented<'a> {
    /// A group of one.
    pub(super) fn of_record(forest: &'a Forest, record: u32) -> Self {
        let vertices = forest.vertices(record as usize).collect();
        Self::new(forest, AlignedClass { members: vec![record], vertices })
    }

    /// The group of a class.
    pub(super) fn new(forest: &'a Forest, class: AlignedClass) -> Self {
        let firsts: Vec<u32> = class.positions().map(|vertices| vertices[0]).collect();
        let place = |vertex| number(firsts.partition_point(|&first| first < vertex));
        let below = |&first: &u32| {
            let children = forest.children(first);
            place(children.start)..place(children.end)
        };
        let mut n_of_kind = vec![0; forest.kinds().len()];
        for &vertex in &firsts {
            n_of_kind[forest.kind(vertex)] += 1;
        }
        let children = firsts.iter().map(below).collect();
        let values = class.vertices.iter().map(|&vertex| forest.sensitive(vertex)).collect();
        Self { forest, class, children, values, n_of_kind }
    }

    /// The group with a further member: of its positions only those are left that are matched with one of
    /// the member's vertices.
    pub(super) fn joined(&self, record: u32, pairs: &[(u32, u32)]) -> Self {
        let members = self.members().iter().copied().chain([record]).collect();
        let mut pairs = pairs.to_vec();
        pairs.sort_unstable();
        let vertices = pairs.iter().flat_map(|&(position, vertex)| {
            self.vertices(position).iter().copied().chain([vertex])
        });
        let vertices = vertices.collect();
        Self::new(self.forest, AlignedClass { members, vertices })
    }

    /// The group without some positions and all below them.
    pub(super) fn without(&self, cut: &[u32]) -> Self {
        let mut is_cut = vec![false; self.n_positions()];
        for &position in cut {
            is_cut[position as usize] = true;
        }
        // Children stand after their parents.
        for position in 0..self.n_positions() {
            if is_cut[position] {
                for child in self.children[position].clone() {
                    is_cut[child as usize] = true;
                }
            }
        }
        let left = (0..).zip(&is_cut).filter(|&(_, &is_cut)| !is_cut);
        let vertices = left.flat_map(|(position, _)| self.vertices(position)).copied().collect();
        Self::new(self.forest, AlignedClass { members: self.members().to_vec(), vertices })
    }

    pub(super) fn forest(&self) -> &'a Forest {
        self.forest
    }

    pub(super) fn into_class(self) -> AlignedClass {
        self.class
    }

    pub(super) fn members(&self) -> &[u32] {
        &self.class.members
    }

    pub(super) fn n_positions(&self) -> usize {
        self.children.len()
    }

    /// How many positions have a kind.
    pub(super) fn n_of_kind(&self, kind: usize) -> u32 {
        self.n_of_kind[kind]
    }

    pub(super) fn vertices(&self, position: u32) -> &[u32] {
        let n = self.members().len();
        &self.class.vertices[position as usize * n..][..n]
    }

    pub(super) fn kind(&self, position: u32) -> usize {
        self.forest.kind(self.vertices(position)[0])
    }

    pub(super) fn children(&self, position: u32) -> Range<u32> {
        self.children[position as usize].clone()
    }

    /// The position above one that is not the root.
    pub(super) fn parent(&self, position: u32) -> u32 {
        // Breadth first: whose children come first stands first.
        number(self.children.partition_point(|children| children.end <= position))
    }

    /// The sensitive codes at a position, in the order of the members (SAG).
    #[inline]
    pub(super) fn values(&self, position: u32) -> &[u32] {
        let n = self.members().len();
        &self.values[position as usize * n..][..n]
    }

    /// How many members have a sensitive code at a position.
    #[inline]
    pub(super) fn count(&self, position: u32, code: u32) -> usize {
        self.values(position).iter().filter(|&&value| value == code).count()
    }

    /// Whether a further member's vertex of the same kind may stand at a position, where so many members
    /// may have one value.
    #[inline]
    pub(super) fn has_room(&self, position: u32, vertex: u32, at_most: usize) -> bool {
        let code = self.forest.sensitive(vertex);
        code == NO_VALUE || self.count(position, code) < at_most
    }

    /// The number of positions at and below each position.
    pub(super) fn sizes(&self) -> Vec<u32> {
        let mut sizes = vec![1; self.n_positions()];
        for position in (0..self.n_positions()).rev() {
            sizes[position] +=
                self.children[position].clone().map(|c| sizes[c as usize]).sum::<u32>();
        }
        sizes
    }

    /// The vertices that all members lose when so many positions are matched with a further record.
    pub(super) fn lost(&self, record: u32, n_matched: usize) -> u64 {
        let n = self.members().len();
        let own = self.forest.vertices(record as usize).len() - n_matched;
        (own + n * (self.n_positions() - n_matched)) as u64
    }
}

fn number(position: usize) -> u32 {
    u32::try_from(position).expect("no more positions than vertices")
}
