//! Points in nested boxes, to find the nearest of a point without looking at all.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use kohort_core::Codes;
use rayon::prelude::*;
use smallvec::SmallVec;

use crate::Draw;
use crate::extent::Extent;
use crate::space::From;
use crate::{Axis, Points, Space};

/// The most points in a box that is not divided further.
const LEAF: usize = 32;

/// The points of a table in nested boxes.
pub(crate) struct Tree {
    space: Space,
    // The points, those of a box together.
    order: Vec<u32>,
    // By box that is not divided further: the codes of its points, axis by axis. By place in that order:
    // the rows of each point.
    codes: Codes,
    weights: Vec<u32>,
    nodes: Vec<Node>,
}

struct Node {
    extent: Extent,
    start: usize,
    end: usize,
    // The two boxes within; none in a leaf.
    halves: Option<(u32, u32)>,
}

impl Tree {
    pub(crate) fn new(space: &Space, points: &Points) -> Self {
        let n_points = u32::try_from(points.len()).expect("points are fewer than rows");
        let axes = telling_axes(space, points, 0);
        let mut tree = Self {
            space: space.clone(),
            order: (0..n_points).collect(),
            codes: Codes::default(),
            weights: Vec::new(),
            nodes: Vec::new(),
        };
        tree.build(&axes, &|point| points.codes(point as usize), 0, points.len());
        // Boxes are cut with the axes as they are, and searched in the order that tells soonest.
        tree.space = space.reordered(&axes);
        for Node { extent, .. } in &mut tree.nodes {
            for corner in [&mut extent.lo, &mut extent.hi] {
                *corner = axes.iter().map(|&axis| corner[axis]).collect();
            }
        }
        let n_codes = space.axes().iter().map(Axis::n_codes).max().unwrap_or(0);
        let leaves = tree.nodes.iter().filter(|node| node.halves.is_none());
        let columns = leaves.flat_map(|leaf| {
            let leaf = &tree.order[leaf.start..leaf.end];
            axes.iter().flat_map(|&axis| leaf.iter().map(move |&point| (point as usize, axis)))
        });
        tree.codes = Codes::below(n_codes, columns.map(|(point, axis)| points.codes(point)[axis]));
        tree.weights = tree.order.iter().map(|&point| points.weight(point as usize)).collect();
        tree
    }

    /// Adds the box of some points and all within it; gives its number.
    fn build<'c>(
        &mut self,
        axes: &[usize],
        codes: &impl Fn(u32) -> &'c [u32],
        start: usize,
        end: usize,
    ) -> u32 {
        let order = &mut self.order[start..end];
        let extent = Extent::around(&self.space, order.iter().map(|&point| codes(point)));
        let at = self.nodes.len();
        let is_cut = end - start > LEAF;
        let cut = is_cut.then(|| cut(&self.space, axes, order, codes, &extent)).flatten();
        self.nodes.push(Node { extent, start, end, halves: None });
        if let Some(middle) = cut {
            let middle = start + middle;
            let halves =
                (self.build(axes, codes, start, middle), self.build(axes, codes, middle, end));
            self.nodes[at].halves = Some(halves);
        }
        u32::try_from(at).expect("boxes are fewer than points")
    }

    /// Where the codes of the points of a leaf are, axis by axis.
    fn columns(&self, leaf: &Node) -> impl Iterator<Item = Range<usize>> {
        let n_axes = self.space.n_axes();
        let (start, len) = (leaf.start * n_axes, leaf.end - leaf.start);
        (0..n_axes).map(move |axis| start + axis * len..start + (axis + 1) * len)
    }

    /// For each point, at most the distance within which `wanted` rows lie, its own included: what any
    /// class of as many rows costs it at least. Where the nearest are hard to find it is less than that
    /// distance.
    /// `limits` has for each point what that distance does not exceed.
    pub(crate) fn reaches(&self, wanted: u32, limits: &[f64]) -> Vec<f64> {
        let found = self.of_leaves(|desk, leaf| {
            let places = leaf.start..leaf.end;
            places.map(|place| self.reach(desk, leaf, place, wanted, limits)).collect::<Vec<f64>>()
        });
        let mut reaches = vec![0.0; self.order.len()];
        for (&point, reach) in self.order.iter().zip(found.into_iter().flatten()) {
            reaches[point as usize] = reach;
        }
        reaches
    }

    /// The sum of these distances over all rows.
    pub(crate) fn total_reach(&self, wanted: u32, limits: &[f64]) -> f64 {
        let found = self.of_leaves(|desk, leaf| {
            let of_point = |place: usize| {
                let reach = self.reach(desk, leaf, place, wanted, limits);
                reach * f64::from(self.weights[place])
            };
            (leaf.start..leaf.end).map(of_point).sum::<f64>()
        });
        found.iter().sum()
    }

    /// What is found in each leaf; leaves stand in the order of their points.
    fn of_leaves<T: Send>(&self, of_leaf: impl Fn(&mut Desk, &Node) -> T + Send + Sync) -> Vec<T> {
        let leaves = self.nodes.par_iter().filter(|node| node.halves.is_none());
        leaves.map_init(Desk::default, of_leaf).collect()
    }

    fn reach(
        &self,
        desk: &mut Desk,
        leaf: &Node,
        place: usize,
        wanted: u32,
        limits: &[f64],
    ) -> f64 {
        let (own, limit) = (self.weights[place], limits[self.order[place] as usize]);
        if own >= wanted {
            return 0.0;
        }
        Reach::new(self, leaf, place, wanted - own, limit).find(desk)
    }
}

/// The axes on which two rows differ most first: a sum over axes then passes a limit early.
pub(crate) fn telling_axes(space: &Space, points: &Points, seed: u64) -> Vec<usize> {
    const PAIRS: usize = 1000;
    let mut draw = Draw::new(seed);
    let mut costs: Vec<(f64, usize)> = (0..space.n_axes()).map(|axis| (0.0, axis)).collect();
    for _ in 0..PAIRS {
        let (a, b) = (draw.below(points.len()), draw.below(points.len()));
        for (cost, axis) in &mut costs {
            let (a, b) = (points.codes(a)[*axis], points.codes(b)[*axis]);
            *cost += space.axes()[*axis].cost(a.min(b), a.max(b));
        }
    }
    costs.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    costs.into_iter().map(|(_, axis)| axis).collect()
}

/// Sorts items along the axis where a cut in two saves most, and says where to cut: near the middle,
/// between two codes. Of axes that save the same it is the first in this order. No cut when all items are
/// equal.
fn cut<'c>(
    space: &Space,
    axes: &[usize],
    items: &mut [u32],
    codes: &impl Fn(u32) -> &'c [u32],
    extent: &Extent,
) -> Option<usize> {
    let mut best: Option<(f64, usize, u32)> = None;
    let mut sorted: Vec<u32> = Vec::with_capacity(items.len());
    for &at in axes {
        let axis = &space.axes()[at];
        let (lo, hi) = (extent.lo[at], extent.hi[at]);
        if lo == hi {
            continue;
        }
        sorted.clear();
        sorted.extend(items.iter().map(|&item| codes(item)[at]));
        sorted.sort_unstable();
        // Cut between two codes where the number of items on the left is nearest to a half.
        let half = items.len().div_ceil(2);
        let middle = sorted[half - 1];
        let ends = [middle, sorted[half..].first().copied().unwrap_or(hi)];
        let lefts = ends.map(|code| sorted.partition_point(|&other| other < code));
        let lefts = [lefts[0], lefts[1], sorted.partition_point(|&other| other <= middle)];
        let lefts = lefts.into_iter().filter(|&left| left > 0 && left < items.len());
        let left = lefts.min_by_key(|&left| (left.abs_diff(items.len() - left), left));
        let left = left.expect("two codes are apart");
        let (code, next) = (sorted[left - 1], sorted[left]);
        let share = left as f64 / items.len() as f64;
        let halves = share * axis.cost(lo, code) + (1.0 - share) * axis.cost(next, hi);
        let saved = axis.cost(lo, hi) - halves;
        if best.is_none_or(|(most, ..)| saved > most) {
            best = Some((saved, at, code));
        }
    }
    let (_, axis, code) = best?;
    items.sort_unstable_by_key(|&item| (codes(item)[axis], item));
    Some(items.partition_point(|&item| codes(item)[axis] <= code))
}

/// Items in boxes of at most `size`, near ones together; equal items are never apart.
pub(crate) fn boxes<'c>(
    space: &Space,
    mut items: Vec<u32>,
    codes: &impl Fn(u32) -> &'c [u32],
    size: usize,
) -> Vec<Vec<u32>> {
    if items.len() <= size {
        return vec![items];
    }
    let extent = Extent::around(space, items.iter().map(|&item| codes(item)));
    let axes: Vec<usize> = (0..space.n_axes()).collect();
    let Some(at) = cut(space, &axes, &mut items, codes, &extent) else { return vec![items] };
    let rest = items.split_off(at);
    let mut found = boxes(space, items, codes, size);
    found.extend(boxes(space, rest, codes, size));
    found
}

/// Working memory of searches: one after another uses it again.
#[derive(Default)]
struct Desk {
    // Boxes that were not looked into, the nearest on top: the bits of numbers that are not negative are
    // in the order of the numbers.
    open: BinaryHeap<Reverse<(u64, u32)>>,
    // How far the points of a leaf are.
    distances: Vec<f64>,
}

/// One search for the nearest rows.
struct Reach<'t> {
    tree: &'t Tree,
    // The place of the point from which is looked, its codes, and what the others cost.
    place: usize,
    codes: SmallVec<[u32; 12]>,
    from: SmallVec<[From<'t>; 12]>,
    wanted: u32,
    // What the distance looked for does not exceed.
    limit: f64,
    // The nearest so far, furthest last, with their rows; enough of them once `n_rows` is `wanted`.
    nearest: Vec<(f64, u32)>,
    n_rows: u32,
}

/// How many points are looked at before a search settles for less.
const PATIENCE: usize = 400;

/// How many boxes are opened in a search for so many rows, at most. Of many rows less is told about the
/// loss, however long the search.
fn most_boxes(wanted: u32) -> u32 {
    (1000 / wanted).clamp(30, 200)
}

impl<'t> Reach<'t> {
    /// From a place in a leaf.
    fn new(tree: &'t Tree, leaf: &Node, place: usize, wanted: u32, limit: f64) -> Self {
        let codes: SmallVec<[u32; 12]> =
            tree.columns(leaf).map(|c| tree.codes.get(c.start + place - leaf.start)).collect();
        let from = tree.space.axes().iter().zip(&codes).map(|(axis, &code)| axis.from(code));
        let from = from.collect();
        Self { tree, place, codes, from, wanted, limit, nearest: Vec::new(), n_rows: 0 }
    }

    /// Looks into the nearest box first: what is in no box that was opened is no nearer than the next.
    fn find(mut self, Desk { open, distances }: &mut Desk) -> f64 {
        let (mut n_looked_at, mut n_boxes) = (0, 0);
        open.clear();
        open.push(Reverse((0, 0)));
        while let Some(Reverse((distance, node))) = open.pop() {
            let distance = f64::from_bits(distance);
            if distance >= self.limit {
                break;
            }
            if n_looked_at >= PATIENCE || n_boxes >= most_boxes(self.wanted) {
                return distance;
            }
            n_boxes += 1;
            let here = &self.tree.nodes[node as usize];
            let Some((a, b)) = here.halves else {
                self.look_into(here, distances);
                n_looked_at += here.end - here.start;
                continue;
            };
            for half in [a, b] {
                let distance = self.distance_to(half);
                if distance < self.limit {
                    open.push(Reverse((distance.to_bits(), half)));
                }
            }
        }
        self.limit
    }

    /// What is at most the distance to any point in a box.
    fn distance_to(&self, node: u32) -> f64 {
        let Extent { lo, hi, .. } = &self.tree.nodes[node as usize].extent;
        let axes = self.from.iter().zip(&self.codes).zip(lo.iter().zip(hi));
        axes.map(|((from, &code), (&lo, &hi))| from.to(code.clamp(lo, hi))).sum()
    }

    fn look_into(&mut self, leaf: &Node, distances: &mut Vec<f64>) {
        distances.clear();
        distances.resize(leaf.end - leaf.start, 0.0);
        for (from, column) in self.from.iter().zip(self.tree.columns(leaf)) {
            match &self.tree.codes {
                Codes::U8(codes) => from.add_to(&codes[column], distances),
                Codes::U16(codes) => from.add_to(&codes[column], distances),
                Codes::U32(codes) => from.add_to(&codes[column], distances),
            }
        }
        for (other, &distance) in (leaf.start..).zip(&*distances) {
            if distance < self.limit && other != self.place {
                self.take_in(other, distance);
            }
        }
    }

    fn take_in(&mut self, other: usize, distance: f64) {
        let weight = self.tree.weights[other];
        let at = self.nearest.partition_point(|&(near, _)| near <= distance);
        self.nearest.insert(at, (distance, weight));
        self.n_rows += weight;
        while let Some(&(_, n_rows)) = self.nearest.last()
            && self.n_rows - n_rows >= self.wanted
        {
            self.nearest.pop();
            self.n_rows -= n_rows;
        }
        if self.n_rows >= self.wanted
            && let Some(&(furthest, _)) = self.nearest.last()
        {
            self.limit = furthest;
        }
    }
}
