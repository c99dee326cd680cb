//! Sketches: how much of a record's labels lies under each node of their taxonomies.
//!
//! Every label is spread over the nodes above it, each node with what widening a cell from the node to its
//! parent costs. So two labels differ by exactly what their smallest common cell costs them, and the distance
//! of the sketches of two records is at most what their labels lose in one class: nodes that share a slot can
//! only hide a difference. Numbers without a taxonomy are spread over steps of their range.

use kohort_core::{Attribute, Cell};
use kohort_models::{CellMetric, Costs};
use rayon::prelude::*;

use crate::NestedProblem;

/// The slots of a sketch.
pub(super) const SLOTS: usize = 128;

/// What a label that is lost counts.
const WHOLE: f64 = 64.0;

/// The steps of the range of numbers.
const STEPS: u32 = 8;

/// The sketch of a record.
pub(super) type Sketch = [u16; SLOTS];

/// The sketch of each record.
pub(super) fn sketches(problem: &NestedProblem<'_>) -> Vec<Sketch> {
    let forest = problem.forest;
    let shares: Vec<Vec<Shares>> = (forest.kinds().iter().enumerate())
        .map(|(kind, of_kind)| {
            let quasi = of_kind.quasi.iter().enumerate();
            quasi.map(|(at, attribute)| Shares::new(attribute, (kind, at))).collect()
        })
        .collect();
    let sketch = |record: usize| {
        let mut slots = [0_u16; SLOTS];
        for vertex in forest.vertices(record) {
            let of_kind = &shares[forest.kind(vertex)];
            for (shares, &code) in of_kind.iter().zip(forest.labels(vertex)) {
                for &(slot, share) in shares.of(code) {
                    slots[slot] = slots[slot].saturating_add(share);
                }
            }
        }
        slots
    };
    (0..forest.n_records()).into_par_iter().map(sketch).collect()
}

/// How far two sketches differ.
#[inline]
pub(super) fn distance(a: &Sketch, b: &Sketch) -> u32 {
    a.iter().zip(b).map(|(&a, &b)| u32::from(a.abs_diff(b))).sum()
}

/// What each code of a quasi-identifier adds to the slots.
struct Shares {
    first: Vec<u32>,
    all: Vec<(usize, u16)>,
}

impl Shares {
    fn new(attribute: &Attribute, place: (usize, usize)) -> Self {
        // A single value tells nobody from anybody.
        if attribute.n_codes() <= 1 {
            return Self { first: vec![0; 3], all: Vec::new() };
        }
        let costs = Costs::new(attribute, CellMetric::Lm);
        let slot = |node: u32| {
            // Neighboring nodes fall into slots that have nothing to do with each other.
            let number = (place.0 as u64) << 48 | (place.1 as u64) << 32 | u64::from(node);
            let mixed = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            usize::try_from(mixed >> 57).expect("seven bits")
        };
        let mut shares = Self { first: vec![0], all: Vec::new() };
        for code in 0..attribute.n_codes() {
            if attribute.is_ranged() {
                shares.push_number(attribute, &costs, code, &slot);
            } else {
                shares.push_nodes(attribute, &costs, code, &slot);
            }
            let n = u32::try_from(shares.all.len()).expect("codes and levels are few");
            shares.first.push(n);
        }
        shares
    }

    fn of(&self, code: u32) -> &[(usize, u16)] {
        let code = code as usize;
        &self.all[self.first[code] as usize..self.first[code + 1] as usize]
    }

    /// The nodes from the code up to below the root, each with what going one up costs.
    fn push_nodes(
        &mut self,
        attribute: &Attribute,
        costs: &Costs,
        code: u32,
        slot: &impl Fn(u32) -> usize,
    ) {
        let taxonomy = attribute.taxonomy();
        let n_nodes = u32::try_from(taxonomy.nodes().len()).expect("nodes are numbered by u32");
        let (mut at, mut told) = (n_nodes + code, 0.0);
        let mut next = Some(taxonomy.parent(code));
        while let Some(node) = next {
            let cost = costs.of(Cell::Node(node));
            self.push(slot(at), cost - told);
            (at, told) = (node, cost);
            next = taxonomy.nodes()[node as usize].parent;
        }
    }

    /// The steps of the range that lie below a number; a missing one has a slot of its own.
    fn push_number(
        &mut self,
        attribute: &Attribute,
        costs: &Costs,
        code: u32,
        slot: &impl Fn(u32) -> usize,
    ) {
        if attribute.missing() == Some(code) {
            return self.push(slot(STEPS), 1.0);
        }
        let place = if code == 0 { 0.0 } else { costs.of(Cell::Range { lo: 0, hi: code }) };
        for step in 0..STEPS {
            let width = 1.0 / f64::from(STEPS);
            let covered = ((place - f64::from(step) * width) / width).clamp(0.0, 1.0);
            // Both of two numbers are widened by their difference.
            self.push(slot(step), 2.0 * width * covered);
        }
    }

    fn push(&mut self, slot: usize, share: f64) {
        #[expect(clippy::cast_possible_truncation, reason = "a share is 1 at most")]
        #[expect(clippy::cast_sign_loss, reason = "going up costs nothing or more")]
        let share = (share * WHOLE).round() as u16;
        if share > 0 {
            self.all.push((slot, share));
        }
    }
}
