//! The representative of a class: the tree that all members are published as.
//!
//! # Notation
//! ĉ → `Representative`; Ψ, what the members lost already → inside of `cost`.
//!
//! # References
//! Özalp, Privacy Preserving Publishing of Hierarchical Data, 2017, Definition 15 and §2.3.3.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::AlignedClass;
use crate::costs::{Cost, TreeCosts, count};

/// A class of aligned trees as one tree. Its positions stand breadth first, the children of a position
/// side by side in the order of their kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Representative {
    class: AlignedClass,
    positions: Vec<PositionTotals>,
    // The codes of the members at each position, as one box.
    boxes: Vec<(u32, u32)>,
    // The sensitive codes at each position, sorted; as many as members.
    values: Vec<u32>,
    cost: Cost,
}

/// What is known of one position: side by side, as it is asked for together.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PositionTotals {
    kind: u16,
    // The quasi-identifiers are boxes[first_box..], so many.
    n_boxes: u16,
    first_box: u32,
    children: Range<u32>,
    // What a member's vertex costs here.
    loss: Cost,
    // What losing the position and all below it adds for all members.
    subtree: Cost,
    // What losing everything below adds for all members.
    below: Cost,
    // What one member pays when everything below is lost, whatever it paid before.
    lost_below: Cost,
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

    /// The representative of a class, whose positions it puts in its own order.
    pub(crate) fn of_class(costs: &TreeCosts<'_>, class: &AlignedClass) -> Self {
        let forest = costs.forest();
        let positions: Vec<&[u32]> = class.positions().collect();
        let position_of: BTreeMap<u32, usize> =
            (0..).zip(&positions).map(|(at, vertices)| (vertices[0], at)).collect();
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); positions.len()];
        for (at, vertices) in positions.iter().enumerate().skip(1) {
            below[position_of[&forest.parent(vertices[0])]].push(at);
        }
        let (mut order, mut children) = (vec![0], Vec::new());
        let mut vertices = Vec::with_capacity(class.vertices.len());
        while let Some(&at) = order.get(children.len()) {
            vertices.extend_from_slice(positions[at]);
            let first = order.len();
            below[at].sort_by_key(|&child| forest.kind(positions[child][0]));
            order.extend_from_slice(&below[at]);
            let place = |at: usize| u32::try_from(at).expect("no more positions than vertices");
            children.push(place(first)..place(order.len()));
        }
        Self::new(costs, AlignedClass { members: class.members.clone(), vertices }, children)
    }

    /// The representative of a class whose positions have these children.
    pub(crate) fn new(
        costs: &TreeCosts<'_>,
        class: AlignedClass,
        children: Vec<Range<u32>>,
    ) -> Self {
        let forest = costs.forest();
        let n = class.members.len();
        let mut positions = Vec::with_capacity(children.len());
        let mut boxes = Vec::with_capacity(children.len());
        let mut values = Vec::with_capacity(class.vertices.len());
        for (vertices, children) in class.positions().zip(children) {
            let kind = forest.kind(vertices[0]);
            let (mut loss, first_box) = (0, boxes.len());
            for (quasi, &code) in forest.labels(vertices[0]).iter().enumerate() {
                let codes = vertices.iter().map(|&vertex| forest.labels(vertex)[quasi]);
                let (lo, hi) =
                    codes.fold((code, code), |(lo, hi), code| (lo.min(code), hi.max(code)));
                loss += costs.of_cell(kind, quasi, lo, hi);
                boxes.push((lo, hi));
            }
            let start = values.len();
            values.extend(vertices.iter().map(|&vertex| forest.sensitive(vertex)));
            values[start..].sort_unstable();
            positions.push(PositionTotals {
                kind: u16::try_from(kind).expect("a forest has at most 65,535 kinds"),
                n_boxes: u16::try_from(boxes.len() - first_box).expect("a kind has few labels"),
                first_box: u32::try_from(first_box).expect("a record has at most 2^32 codes"),
                children,
                loss,
                subtree: (costs.of_lost(kind) - loss) * count(n),
                below: 0,
                lost_below: 0,
            });
        }
        let cost = class.members.iter().map(|&m| costs.of_record(m as usize)).sum::<Cost>()
            - positions.iter().map(|position| position.subtree).sum::<Cost>();
        // Children stand after their parents.
        for at in (0..positions.len()).rev() {
            let (before, after) = positions.split_at_mut(at + 1);
            let here = &mut before[at];
            for child in here.children.clone() {
                let child = &after[child as usize - at - 1];
                here.below += child.subtree;
                here.lost_below += costs.of_lost(child.kind.into()) + child.lost_below;
            }
            here.subtree += here.below;
        }
        Self { class, positions, boxes, values, cost }
    }

    /// The members and their vertices at each position.
    pub fn class(&self) -> &AlignedClass {
        &self.class
    }

    /// The vertices of the members at a position.
    pub(crate) fn vertices(&self, position: u32) -> &[u32] {
        let n = self.n_members();
        &self.class.vertices[position as usize * n..][..n]
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
        self.positions.len()
    }

    /// What the class costs: its members' published vertices and what they lost.
    pub fn cost(&self) -> Cost {
        self.cost
    }

    /// The kind of the vertices at a position.
    #[inline]
    pub fn kind(&self, position: u32) -> usize {
        self.positions[position as usize].kind.into()
    }

    /// The positions below a position, by kind.
    #[inline]
    pub fn children(&self, position: u32) -> Range<u32> {
        self.positions[position as usize].children.clone()
    }

    /// The lowest and the highest code of each quasi-identifier at a position.
    #[inline]
    pub fn boxes(&self, position: u32) -> &[(u32, u32)] {
        let position = &self.positions[position as usize];
        &self.boxes[position.first_box as usize..][..position.n_boxes.into()]
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
        self.positions[position as usize].loss
    }

    /// What losing a position and all below it adds to the cost of the class.
    #[inline]
    pub fn subtree(&self, position: u32) -> Cost {
        self.positions[position as usize].subtree
    }

    /// What losing all below a position adds to the cost of the class.
    #[inline]
    pub(crate) fn below(&self, position: u32) -> Cost {
        self.positions[position as usize].below
    }

    /// What losing all below a position costs one member, in all.
    #[inline]
    pub(crate) fn lost_below(&self, position: u32) -> Cost {
        self.positions[position as usize].lost_below
    }
}
