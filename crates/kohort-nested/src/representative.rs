//! The representative of a class: the tree that all members are published as.
//!
//! # Notation
//! ĉ → `Representative`; Ψ, what the members lost already → inside of `cost`.
//!
//! # References
//! Özalp, Privacy Preserving Publishing of Hierarchical Data, 2017, Definition 15 and §2.3.3; specs/06 §1 and §2.

use std::ops::Range;

use crate::AlignedClass;
use crate::costs::{Cost, TreeCosts, count};

/// A class of aligned trees as one tree. Its positions stand breadth first, the children of a position
/// side by side in the order of their kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Representative {
    class: AlignedClass,
    kinds: Vec<u16>,
    children: Vec<Range<u32>>,
    // The codes of the members at each position, as one box: the quasi-identifiers of position p are
    // boxes[first_box[p]..first_box[p + 1]].
    first_box: Vec<u32>,
    boxes: Vec<(u32, u32)>,
    // The sensitive codes at each position, sorted; as many as members.
    values: Vec<u32>,
    // What a member's vertex costs at each position, and what losing the position and all below it adds
    // for all members.
    losses: Vec<Cost>,
    subtrees: Vec<Cost>,
    cost: Cost,
}

impl Representative {
    /// The class of one record.
    pub fn of_record(costs: &TreeCosts<'_>, record: u32) -> Self {
        let forest = costs.forest();
        let range = forest.vertices(record as usize);
        let place = |vertices: Range<u32>| {
            // A vertex without children has no place for them.
            if vertices.is_empty() {
                0..0
            } else {
                vertices.start - range.start..vertices.end - range.start
            }
        };
        let children = range.clone().map(|vertex| place(forest.children(vertex))).collect();
        let class = AlignedClass { members: vec![record], vertices: range.collect() };
        Self::new(costs, class, children)
    }

    /// The representative of a class whose positions have these children.
    pub(crate) fn new(
        costs: &TreeCosts<'_>,
        class: AlignedClass,
        children: Vec<Range<u32>>,
    ) -> Self {
        let forest = costs.forest();
        let n = class.members.len();
        let mut kinds = Vec::with_capacity(children.len());
        let mut losses = Vec::with_capacity(children.len());
        let (mut first_box, mut boxes) = (vec![0], Vec::new());
        let mut values = Vec::with_capacity(class.vertices.len());
        for vertices in class.positions() {
            let kind = forest.kind(vertices[0]);
            let mut loss = 0;
            for (quasi, &code) in forest.labels(vertices[0]).iter().enumerate() {
                let codes = vertices.iter().map(|&vertex| forest.labels(vertex)[quasi]);
                let (lo, hi) =
                    codes.fold((code, code), |(lo, hi), code| (lo.min(code), hi.max(code)));
                loss += costs.of_cell(kind, quasi, lo, hi);
                boxes.push((lo, hi));
            }
            first_box.push(u32::try_from(boxes.len()).expect("a record has at most 2^32 codes"));
            let start = values.len();
            values.extend(vertices.iter().map(|&vertex| forest.sensitive(vertex)));
            values[start..].sort_unstable();
            kinds.push(u16::try_from(kind).expect("a forest has at most 65,535 kinds"));
            losses.push(loss);
        }
        let mut subtrees: Vec<Cost> = (kinds.iter().zip(&losses))
            .map(|(&kind, loss)| (costs.of_lost(kind.into()) - loss) * count(n))
            .collect();
        let cost = class.members.iter().map(|&m| costs.of_record(m as usize)).sum::<Cost>()
            - subtrees.iter().sum::<Cost>();
        // Children stand after their parents.
        for position in (0..children.len()).rev() {
            let below: Cost =
                children[position].clone().map(|child| subtrees[child as usize]).sum();
            subtrees[position] += below;
        }
        Self { class, kinds, children, first_box, boxes, values, losses, subtrees, cost }
    }

    /// The members and their vertices at each position.
    pub fn class(&self) -> &AlignedClass {
        &self.class
    }

    /// The same, when nothing else is needed.
    pub fn into_class(self) -> AlignedClass {
        self.class
    }

    /// The number of members.
    pub fn n_members(&self) -> usize {
        self.class.members.len()
    }

    /// The number of positions.
    pub fn n_positions(&self) -> usize {
        self.kinds.len()
    }

    /// What the class costs: its members' published vertices and what they lost.
    pub fn cost(&self) -> Cost {
        self.cost
    }

    /// The kind of the vertices at a position.
    #[inline]
    pub fn kind(&self, position: u32) -> usize {
        self.kinds[position as usize].into()
    }

    /// The positions below a position, by kind.
    #[inline]
    pub fn children(&self, position: u32) -> Range<u32> {
        self.children[position as usize].clone()
    }

    /// The lowest and the highest code of each quasi-identifier at a position.
    #[inline]
    pub fn boxes(&self, position: u32) -> &[(u32, u32)] {
        let position = position as usize;
        &self.boxes[self.first_box[position] as usize..self.first_box[position + 1] as usize]
    }

    /// The sensitive codes at a position, sorted: one for each member.
    #[inline]
    pub fn values(&self, position: u32) -> &[u32] {
        let n = self.n_members();
        &self.values[position as usize * n..][..n]
    }

    /// What one member's vertex at a position costs.
    #[inline]
    pub fn loss(&self, position: u32) -> Cost {
        self.losses[position as usize]
    }

    /// What losing a position and all below it adds to the cost of the class.
    #[inline]
    pub fn subtree(&self, position: u32) -> Cost {
        self.subtrees[position as usize]
    }
}
