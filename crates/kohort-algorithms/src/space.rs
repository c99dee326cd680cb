//! Boxes of codes and what they cost: every kind of attribute looks the same from here on.

use kohort_core::{Attribute, Cell};
use kohort_models::{CellMetric, Costs};

/// The axes of the quasi-identifiers. Costs are weighted, and the weights sum to 1: the cost of a box is
/// the loss of each of its rows, from 0 to 1.
#[derive(Clone, Debug)]
pub struct Space {
    axes: Vec<Axis>,
}

impl Space {
    /// The space of these attributes under a metric; `weights` has one entry per attribute, and not all
    /// are zero.
    pub fn new(quasi: &[&Attribute], metric: CellMetric, weights: &[f64]) -> Self {
        let total: f64 = weights.iter().sum();
        let axes = quasi
            .iter()
            .zip(weights)
            .map(|(attribute, weight)| Axis::new(attribute, metric, weight / total));
        Self { axes: axes.collect() }
    }

    /// The axes, one per quasi-identifier.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// The number of quasi-identifiers.
    pub fn n_axes(&self) -> usize {
        self.axes.len()
    }

    /// The cost of a box: per row, its loss.
    pub fn cost(&self, lo: &[u32], hi: &[u32]) -> f64 {
        self.axes.iter().zip(lo).zip(hi).map(|((axis, &lo), &hi)| axis.cost(lo, hi)).sum()
    }

    /// The cost of the smallest box around two points.
    pub fn distance(&self, a: &[u32], b: &[u32]) -> f64 {
        self.axes.iter().zip(a).zip(b).map(|((axis, &a), &b)| axis.cost(a.min(b), a.max(b))).sum()
    }
}

/// One quasi-identifier.
#[derive(Clone, Debug)]
pub struct Axis {
    n_codes: u32,
    weight: f64,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    /// Ranges of numbers: the weighted place of each code, and the code of missing.
    Places(Vec<f64>, Option<u32>),
    /// A small tree: the cost of each pair of codes.
    Pairs(Vec<f64>),
    /// A large tree: the node above each code; and the last code, the parent and the cost of each node.
    Tree(Vec<u32>, Vec<(u32, u32, f64)>),
}

/// Trees of up to this many codes have a table of all pairs.
const SMALL: u32 = 200;

impl Axis {
    fn new(attribute: &Attribute, metric: CellMetric, weight: f64) -> Self {
        let costs = Costs::new(attribute, metric);
        let n_codes = attribute.n_codes();
        let kind = if attribute.is_ranged() {
            let first = (0..n_codes).find(|&code| attribute.number(code).is_some());
            let place = |code| match (first, attribute.number(code)) {
                (Some(lo), Some(_)) if lo != code => {
                    weight * costs.of(Cell::Range { lo, hi: code })
                }
                _ => 0.0,
            };
            Kind::Places((0..n_codes).map(place).collect(), attribute.missing())
        } else if n_codes <= SMALL {
            let pair = |lo: u32, hi: u32| {
                if lo < hi { weight * costs.of(attribute.smallest_cell(lo, hi)) } else { 0.0 }
            };
            let all = (0..n_codes).flat_map(|lo| (0..n_codes).map(move |hi| (lo, hi)));
            Kind::Pairs(all.map(|(lo, hi)| pair(lo, hi)).collect())
        } else {
            let taxonomy = attribute.taxonomy();
            let nodes = (0..).zip(taxonomy.nodes()).map(|(id, node)| {
                (node.last, node.parent.unwrap_or(0), weight * costs.of(Cell::Node(id)))
            });
            let parents = (0..n_codes).map(|code| taxonomy.parent(code)).collect();
            Kind::Tree(parents, nodes.collect())
        };
        Self { n_codes, weight, kind }
    }

    /// The number of codes.
    pub fn n_codes(&self) -> u32 {
        self.n_codes
    }

    /// The share of this axis in the cost of a box that tells nothing.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// The weighted place of a number on its axis: two places differ by the cost of the range between
    /// them. A missing value and values of other kinds have none.
    pub(crate) fn place(&self, code: u32) -> Option<f64> {
        match &self.kind {
            Kind::Places(places, missing) if *missing != Some(code) => Some(places[code as usize]),
            _ => None,
        }
    }

    /// The weighted cost of the smallest cell that covers the codes from `lo` to `hi`; `lo ≤ hi`.
    #[inline]
    pub fn cost(&self, lo: u32, hi: u32) -> f64 {
        if lo == hi {
            return 0.0;
        }
        match &self.kind {
            Kind::Places(_, missing) if *missing == Some(hi) => self.weight,
            Kind::Places(places, _) => places[hi as usize] - places[lo as usize],
            Kind::Pairs(pairs) => pairs[(lo * self.n_codes + hi) as usize],
            Kind::Tree(parents, nodes) => {
                let mut node = nodes[parents[lo as usize] as usize];
                while node.0 < hi {
                    node = nodes[node.1 as usize];
                }
                node.2
            }
        }
    }
}
