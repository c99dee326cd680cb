//! Points in nested boxes, to find the nearest of a point without looking at all.

use rayon::prelude::*;

use crate::extent::Extent;
use crate::{Points, Space};

/// The most points in a box that is not divided further.
const LEAF: usize = 16;

/// The points of a table in nested boxes.
pub(crate) struct Tree<'a> {
    space: &'a Space,
    points: &'a Points,
    // The points, those of a box together.
    order: Vec<u32>,
    nodes: Vec<Node>,
}

struct Node {
    extent: Extent,
    start: usize,
    end: usize,
    // The two boxes within; none in a leaf.
    halves: Option<(u32, u32)>,
}

impl<'a> Tree<'a> {
    pub(crate) fn new(space: &'a Space, points: &'a Points) -> Self {
        let n_points = u32::try_from(points.len()).expect("points are fewer than rows");
        let mut tree = Self { space, points, order: (0..n_points).collect(), nodes: Vec::new() };
        tree.build(0, points.len());
        tree
    }

    /// Adds the box of some points and all within it; gives its number.
    fn build(&mut self, start: usize, end: usize) -> u32 {
        let codes = self.order[start..end].iter().map(|&point| self.points.codes(point as usize));
        let extent = Extent::around(self.space, codes);
        let at = self.nodes.len();
        let (points, order) = (self.points, &mut self.order[start..end]);
        let codes = |point: u32| points.codes(point as usize);
        let cut = if end - start > LEAF { cut(self.space, order, &codes, &extent) } else { None };
        self.nodes.push(Node { extent, start, end, halves: None });
        if let Some(middle) = cut {
            let middle = start + middle;
            let halves = (self.build(start, middle), self.build(middle, end));
            self.nodes[at].halves = Some(halves);
        }
        u32::try_from(at).expect("boxes are fewer than points")
    }

    /// For each point, at most the distance within which `wanted` rows lie, its own included: what any
    /// class of as many rows costs it at least. Where the nearest are hard to find it is less than that
    /// distance.
    /// `limits` has for each point what that distance does not exceed.
    pub(crate) fn reaches(&self, wanted: u32, limits: &[f64]) -> Vec<f64> {
        (0..self.points.len())
            .into_par_iter()
            .map(|point| {
                let own = self.points.weight(point);
                let reach = || Reach::new(self, point, wanted - own, limits[point]).find();
                if own >= wanted { 0.0 } else { reach() }
            })
            .collect()
    }
}

/// Sorts items along the axis where a cut in two saves most, and says where to cut: near the middle,
/// between two codes. No cut when all items are equal.
fn cut<'c>(
    space: &Space,
    items: &mut [u32],
    codes: &impl Fn(u32) -> &'c [u32],
    extent: &Extent,
) -> Option<usize> {
    let mut best: Option<(f64, usize, u32)> = None;
    let mut counts: Vec<usize> = Vec::new();
    for (at, axis) in space.axes().iter().enumerate() {
        let (lo, hi) = (extent.lo[at], extent.hi[at]);
        counts.clear();
        counts.resize((hi - lo) as usize + 1, 0);
        for &item in &*items {
            counts[(codes(item)[at] - lo) as usize] += 1;
        }
        // Cut after the code that brings the number of items on the left nearest to a half.
        let (mut left, mut nearest): (usize, Option<(usize, usize, u32)>) = (0, None);
        for (code, count) in (lo..hi).zip(&counts) {
            left += count;
            let off = left.abs_diff(items.len() - left);
            if *count > 0 && nearest.is_none_or(|(least, ..)| off < least) {
                nearest = Some((off, left, code));
            }
        }
        let Some((_, left, code)) = nearest else { continue };
        let next = (code + 1..=hi).find(|next| counts[(next - lo) as usize] > 0);
        let next = next.expect("the highest code occurs");
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
    let Some(at) = cut(space, &mut items, codes, &extent) else { return vec![items] };
    let rest = items.split_off(at);
    let mut found = boxes(space, items, codes, size);
    found.extend(boxes(space, rest, codes, size));
    found
}

/// One search for the nearest rows.
struct Reach<'t, 'a> {
    tree: &'t Tree<'a>,
    point: usize,
    extent: Extent,
    wanted: u32,
    // What the distance looked for does not exceed.
    limit: f64,
    // The nearest so far, furthest last, with their rows; enough of them once `n_rows` is `wanted`.
    nearest: Vec<(f64, u32)>,
    n_rows: u32,
    n_looked_at: usize,
    // What is nearer than this was looked at.
    unseen: f64,
}

/// How many points are looked at before a search settles for less.
const PATIENCE: usize = 1000;

impl<'t, 'a> Reach<'t, 'a> {
    fn new(tree: &'t Tree<'a>, point: usize, wanted: u32, limit: f64) -> Self {
        let extent = Extent::of(tree.points.codes(point));
        Self {
            tree,
            point,
            extent,
            wanted,
            limit,
            nearest: Vec::new(),
            n_rows: 0,
            n_looked_at: 0,
            unseen: f64::INFINITY,
        }
    }

    fn find(mut self) -> f64 {
        self.visit(0);
        self.limit().min(self.unseen)
    }

    /// What is not nearer than this is of no use.
    fn limit(&self) -> f64 {
        let is_full = self.n_rows >= self.wanted;
        self.nearest.last().filter(|_| is_full).map_or(self.limit, |&(distance, _)| distance)
    }

    fn visit(&mut self, node: u32) {
        let here = &self.tree.nodes[node as usize];
        let Some((a, b)) = here.halves else {
            for &point in &self.tree.order[here.start..here.end] {
                self.look_at(point as usize);
            }
            self.n_looked_at += here.end - here.start;
            return;
        };
        let (to_a, to_b) = (self.distance_to(a), self.distance_to(b));
        let (first, second) =
            if to_b < to_a { ((to_b, b), (to_a, a)) } else { ((to_a, a), (to_b, b)) };
        for (distance, node) in [first, second] {
            if distance >= self.limit() {
                continue;
            }
            if self.n_looked_at < PATIENCE {
                self.visit(node);
            } else {
                self.unseen = self.unseen.min(distance);
            }
        }
    }

    /// What is at most the distance to any point in a box.
    fn distance_to(&self, node: u32) -> f64 {
        let extent = &self.tree.nodes[node as usize].extent;
        let codes = self.tree.points.codes(self.point);
        let limit = self.limit();
        let mut sum = 0.0;
        for (at, axis) in self.tree.space.axes().iter().enumerate() {
            let code = codes[at];
            if code < extent.lo[at] {
                sum += axis.cost(code, extent.lo[at]);
            } else if code > extent.hi[at] {
                sum += axis.cost(extent.hi[at], code);
            }
            if sum >= limit {
                break;
            }
        }
        sum
    }

    fn look_at(&mut self, other: usize) {
        if other == self.point {
            return;
        }
        let limit = self.limit();
        let others = self.tree.points.codes(other);
        let distance = self.extent.cost_with_point(self.tree.space, others, limit);
        if distance >= limit {
            return;
        }
        let at = self.nearest.partition_point(|&(near, _)| near <= distance);
        self.nearest.insert(at, (distance, self.tree.points.weight(other)));
        self.n_rows += self.tree.points.weight(other);
        while let Some(&(_, n_rows)) = self.nearest.last()
            && self.n_rows - n_rows >= self.wanted
        {
            self.nearest.pop();
            self.n_rows -= n_rows;
        }
    }
}
