//! Boxes of codes and what they cost: every kind of attribute looks the same from here on.

use kohort_core::{Attribute, Cell};
use kohort_models::{CellMetric, Costs, Place};

/// The axes of the quasi-identifiers. Costs are weighted, and the weights sum to 1: the cost of a box is
/// the loss of each of its rows, from 0 to 1.
#[derive(Clone, Debug)]
pub struct Space {
    axes: Vec<Axis>,
    // The order in which costs are summed up.
    order: Vec<usize>,
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
        Self { axes: axes.collect(), order: (0..quasi.len()).collect() }
    }

    /// The same space where costs are summed up in another order of the axes: a sum that begins with those
    /// that cost most passes a limit early.
    #[must_use]
    pub(crate) fn summed_in(&self, order: Vec<usize>) -> Self {
        Self { axes: self.axes.clone(), order }
    }

    /// The same space with its axes in another order.
    #[must_use]
    pub(crate) fn reordered(&self, order: &[usize]) -> Self {
        let axes = order.iter().map(|&axis| self.axes[axis].clone());
        Self { axes: axes.collect(), order: (0..order.len()).collect() }
    }

    /// The axes, one per quasi-identifier.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// The axes with their numbers, in the order in which costs are summed up.
    #[inline]
    pub(crate) fn in_order(&self) -> impl Iterator<Item = (usize, &Axis)> {
        self.order.iter().map(|&axis| (axis, &self.axes[axis]))
    }

    /// The number of quasi-identifiers.
    pub fn n_axes(&self) -> usize {
        self.axes.len()
    }

    /// The cost of a box: per row, its loss.
    pub fn cost(&self, lo: &[u32], hi: &[u32]) -> f64 {
        self.in_order().map(|(at, axis)| axis.cost(lo[at], hi[at])).sum()
    }

    /// The cost of the smallest box around two points.
    pub fn distance(&self, a: &[u32], b: &[u32]) -> f64 {
        let of_axis = |(at, axis): (usize, &Axis)| axis.cost(a[at].min(b[at]), a[at].max(b[at]));
        self.in_order().map(of_axis).sum()
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
    /// Ranges of numbers: the weighted place of each code, where the smallest ranges that hold it begin and
    /// end, and the code of missing.
    Places(Vec<Place>, Option<u32>),
    /// A small tree: the cost of each pair of codes, in both orders.
    Pairs(Vec<f64>),
    /// A large tree: the node above each code, and the nodes.
    Tree(Vec<u32>, Vec<Node>),
}

/// A node of a tree: its first and last code, the node above (the root's is itself), and its cost.
#[derive(Clone, Debug)]
struct Node {
    first: u32,
    last: u32,
    parent: u32,
    cost: f64,
}

/// Trees of up to this many codes have a table of all pairs.
const SMALL: u32 = 200;

impl Axis {
    fn new(attribute: &Attribute, metric: CellMetric, weight: f64) -> Self {
        let costs = Costs::new(attribute, metric);
        let n_codes = attribute.n_codes();
        let kind = if attribute.is_ranged() {
            let place = |code| {
                let Place { at, start, end } = costs.place(code).unwrap_or_default();
                Place { at: weight * at, start: weight * start, end: weight * end }
            };
            Kind::Places((0..n_codes).map(place).collect(), attribute.missing())
        } else if n_codes <= SMALL {
            let mut pairs = vec![0.0; (n_codes * n_codes) as usize];
            for lo in 0..n_codes {
                for hi in lo + 1..n_codes {
                    let cost = weight * costs.of(attribute.smallest_cell(lo, hi));
                    pairs[(lo * n_codes + hi) as usize] = cost;
                    pairs[(hi * n_codes + lo) as usize] = cost;
                }
            }
            Kind::Pairs(pairs)
        } else {
            let taxonomy = attribute.taxonomy();
            let nodes = (0..).zip(taxonomy.nodes()).map(|(id, node)| Node {
                first: node.first,
                last: node.last,
                parent: node.parent.unwrap_or(0),
                cost: weight * costs.of(Cell::Node(id)),
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
    /// them, where its bounds are not rounded. A missing value and values of other kinds have none.
    pub(crate) fn place(&self, code: u32) -> Option<f64> {
        match &self.kind {
            Kind::Places(places, missing) if *missing != Some(code) => {
                Some(places[code as usize].at)
            }
            _ => None,
        }
    }

    /// The weighted cost of the smallest cell that covers the codes from `lo` to `hi`; `lo ≤ hi`.
    #[inline]
    pub fn cost(&self, lo: u32, hi: u32) -> f64 {
        match &self.kind {
            Kind::Pairs(pairs) => pairs[(lo * self.n_codes + hi) as usize],
            Kind::Places(..) | Kind::Tree(..) => self.cost_among_many(lo, hi),
        }
    }

    // Apart, so that the short way is part of the loops that ask.
    #[inline(never)]
    fn cost_among_many(&self, lo: u32, hi: u32) -> f64 {
        match &self.kind {
            _ if lo == hi => 0.0,
            Kind::Places(_, missing) if *missing == Some(hi) => self.weight,
            Kind::Places(places, _) => places[hi as usize].end - places[lo as usize].start,
            Kind::Pairs(pairs) => pairs[(lo * self.n_codes + hi) as usize],
            Kind::Tree(parents, nodes) => {
                let mut node = &nodes[parents[lo as usize] as usize];
                while node.last < hi {
                    node = &nodes[node.parent as usize];
                }
                node.cost
            }
        }
    }

    /// The costs of the smallest cells that cover a code and others.
    pub(crate) fn from(&self, code: u32) -> From<'_> {
        match &self.kind {
            Kind::Pairs(pairs) => {
                let n_codes = self.n_codes as usize;
                From::Table(&pairs[code as usize * n_codes..][..n_codes])
            }
            Kind::Places(..) | Kind::Tree(..) => From::Axis(self, code),
        }
    }

    /// The cost of the smallest cell that covers `from` and each code, for every code.
    pub(crate) fn costs_from(&self, from: u32, costs: &mut Vec<f64>) {
        costs.clear();
        let Kind::Tree(parents, nodes) = &self.kind else {
            costs.extend((0..self.n_codes).map(|code| self.cost(from.min(code), from.max(code))));
            return;
        };
        costs.resize(self.n_codes as usize, 0.0);
        // The codes below the node at hand, which have their costs.
        let mut below = from as usize..from as usize + 1;
        let mut at = parents[from as usize];
        loop {
            let node = &nodes[at as usize];
            let all = node.first as usize..node.last as usize + 1;
            costs[all.start..below.start].fill(node.cost);
            costs[below.end..all.end].fill(node.cost);
            if at == node.parent {
                return;
            }
            (below, at) = (all, node.parent);
        }
    }
}

/// What the smallest cell around one code and any other costs, on one axis.
#[derive(Clone, Copy)]
pub(crate) enum From<'s> {
    Table(&'s [f64]),
    Axis(&'s Axis, u32),
}

impl From<'_> {
    /// Adds to each sum the cost of the smallest cell that covers its code too.
    pub(crate) fn add_to<T: Copy + Into<u32>>(self, codes: &[T], sums: &mut [f64]) {
        let codes = sums.iter_mut().zip(codes.iter().map(|&code| code.into()));
        match self {
            Self::Table(costs) => codes.for_each(|(sum, code)| *sum += costs[code as usize]),
            Self::Axis(axis, from) => {
                codes.for_each(|(sum, code)| *sum += axis.cost(from.min(code), from.max(code)));
            }
        }
    }

    /// The cost of the smallest cell that covers this code too.
    #[inline]
    pub(crate) fn to(self, code: u32) -> f64 {
        match self {
            Self::Table(costs) => costs[code as usize],
            Self::Axis(axis, from) => axis.cost(from.min(code), from.max(code)),
        }
    }
}

#[cfg(test)]
mod tests {
    use kohort_core::Role;

    use super::*;
    use crate::tests::tables::{Given, dataset};

    #[test]
    fn costs_from_a_code_are_those_of_its_pairs() {
        let lines: Vec<String> = (0..300)
            .map(|leaf| match leaf {
                0..7 => format!("v{leaf};v{leaf};v{leaf};*"),
                _ => format!("v{leaf};g{};h{};*", leaf / 9, leaf / 54),
            })
            .collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let values: Vec<&str> = lines.iter().map(|line| line.split(';').next().unwrap()).collect();
        let numbers: Vec<String> =
            (0..300).map(|n| if n == 9 { String::new() } else { (n % 40).to_string() }).collect();
        let data = dataset(&[
            Given::flat("tree", Role::Quasi, &values).with_taxonomy(&lines),
            Given::flat("number", Role::Quasi, &numbers),
        ]);
        let space = Space::new(&data.quasi(), CellMetric::Ncp, &[1.0, 1.0]);
        assert!(matches!(space.axes()[0].kind, Kind::Tree(..)));
        let mut costs = Vec::new();
        for axis in space.axes() {
            for from in 0..axis.n_codes() {
                axis.costs_from(from, &mut costs);
                let pair = |code: u32| axis.cost(from.min(code), from.max(code));
                assert_eq!(costs, (0..axis.n_codes()).map(pair).collect::<Vec<f64>>());
            }
        }
    }
}
