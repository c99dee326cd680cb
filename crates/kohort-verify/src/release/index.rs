//! Points in boxes: a k-d tree from which points can be taken away.

use super::cells::Interval;

/// A leaf holds at most this many points.
const LEAF: usize = 16;

/// The codes that a released row covers: for each axis, disjoint intervals.
pub(crate) type Shape<'a> = [&'a [Interval]];

/// Points under a tree of bounding boxes.
pub(crate) struct Index<'a> {
    n_axes: usize,
    // Row-major codes of each point.
    codes: &'a [u32],
    order: Vec<u32>,
    is_there: Vec<bool>,
    // Preorder: the left child of an inner node follows it.
    nodes: Vec<Node>,
    // For each node and axis, the lowest and the highest code below it.
    bounds: Vec<Interval>,
    // For each axis, how many codes a shape usually covers: cutting finer than that saves nothing.
    usual: Vec<f64>,
}

struct Node {
    start: u32,
    end: u32,
    // The right child; 0 for a leaf.
    right: u32,
    // The points below it that are there.
    n_there: u32,
}

/// What happens to a point that was found, and to the search.
#[derive(Clone, Copy)]
pub(crate) enum Then {
    /// The point stays; go on.
    Keep,
    /// The point is taken away; go on.
    Take,
    /// The point stays; the search is over.
    Stop,
    /// The point is taken away; the search is over.
    TakeAndStop,
}

impl<'a> Index<'a> {
    /// The tree of the points with these row-major codes, for searches with shapes like these.
    pub(crate) fn new(
        codes: &'a [u32],
        n_points: usize,
        n_axes: usize,
        shapes: &Shape<'_>,
    ) -> Self {
        let mut usual = vec![0.0; n_axes];
        for shape in shapes.chunks(n_axes.max(1)) {
            for (sum, intervals) in usual.iter_mut().zip(shape) {
                *sum += intervals.iter().map(|(lo, hi)| f64::from(hi - lo) + 1.0).sum::<f64>().ln();
            }
        }
        let n_shapes = f64::from(u32::try_from(shapes.len() / n_axes.max(1)).unwrap_or(u32::MAX));
        // The geometric mean: a few shapes that cover everything do not hide the many that are narrow.
        let usual = usual.into_iter().map(|sum: f64| (sum / n_shapes).exp().max(1.0)).collect();
        let n = u32::try_from(n_points).expect("points are rows, numbered by u32");
        let is_there = vec![true; n_points];
        let order = (0..n).collect();
        let (nodes, bounds) = (Vec::new(), Vec::new());
        let mut index = Self { n_axes, codes, order, is_there, nodes, bounds, usual };
        index.build(0, n_points);
        index
    }

    fn build(&mut self, start: usize, end: usize) -> u32 {
        kohort_core::alive();
        let id = self.nodes.len();
        let number = |at: usize| u32::try_from(at).expect("nodes are fewer than points");
        let (n_axes, codes) = (self.n_axes, self.codes);
        for axis in 0..n_axes {
            let below = &self.order[start..end];
            let values = || below.iter().map(|&point| codes[point as usize * n_axes + axis]);
            let (lo, hi) = values().fold((u32::MAX, 0), |(lo, hi), v| (lo.min(v), hi.max(v)));
            self.bounds.push((lo, hi));
        }
        let widest = (0..n_axes).max_by(|&a, &b| self.share(id, a).total_cmp(&self.share(id, b)));
        let axis = widest.filter(|&axis| self.share(id, axis) > 0.0);
        let (start_number, end_number) = (number(start), number(end));
        self.nodes.push(Node {
            start: start_number,
            end: end_number,
            right: 0,
            n_there: end_number - start_number,
        });
        if let Some(axis) = axis.filter(|_| end - start > LEAF) {
            let middle = (end - start) / 2;
            self.order[start..end]
                .select_nth_unstable_by_key(middle, |&p| codes[p as usize * n_axes + axis]);
            self.build(start, start + middle);
            self.nodes[id].right = self.build(start + middle, end);
        }
        number(id)
    }

    /// The width of a node on an axis in units of what a shape usually covers there.
    fn share(&self, id: usize, axis: usize) -> f64 {
        let (lo, hi) = self.bounds[id * self.n_axes + axis];
        f64::from(hi.saturating_sub(lo)) / self.usual[axis]
    }

    /// Puts every point back.
    pub(crate) fn restore(&mut self) {
        self.is_there.fill(true);
        for node in &mut self.nodes {
            node.n_there = node.end - node.start;
        }
    }

    /// Calls `found` with the points in a shape that are there.
    pub(crate) fn search(&mut self, shape: &Shape<'_>, found: &mut impl FnMut(u32) -> Then) {
        self.visit(0, shape, false, found);
    }

    /// Calls `found` with every point in a shape, whether it is there or was taken away.
    pub(crate) fn scan(&self, shape: &Shape<'_>, found: &mut impl FnMut(u32)) {
        self.scan_below(0, shape, false, found);
    }

    fn scan_below(
        &self,
        id: usize,
        shape: &Shape<'_>,
        mut is_inside: bool,
        found: &mut impl FnMut(u32),
    ) {
        if !is_inside {
            let Some(inside) = self.meets(id, shape) else { return };
            is_inside = inside;
        }
        let Node { start, end, right, .. } = self.nodes[id];
        if is_inside || right == 0 {
            let points = &self.order[start as usize..end as usize];
            points.iter().filter(|&&p| is_inside || self.has(shape, p)).for_each(|&p| found(p));
        } else {
            self.scan_below(id + 1, shape, false, found);
            self.scan_below(right as usize, shape, false, found);
        }
    }

    /// Whether a shape covers all that is below a node; none where it touches nothing of it.
    fn meets(&self, id: usize, shape: &Shape<'_>) -> Option<bool> {
        let bounds = &self.bounds[id * self.n_axes..][..self.n_axes];
        let mut is_inside = true;
        for (intervals, &(lo, hi)) in shape.iter().zip(bounds) {
            let &(from, to) = intervals.iter().find(|interval| interval.1 >= lo)?;
            if from > hi {
                return None;
            }
            is_inside &= from <= lo && hi <= to;
        }
        Some(is_inside)
    }

    /// Whether a shape covers a point.
    fn has(&self, shape: &Shape<'_>, point: u32) -> bool {
        let codes = &self.codes[point as usize * self.n_axes..][..self.n_axes];
        let covers = |(intervals, code): (&&[Interval], &u32)| {
            intervals.iter().any(|(lo, hi)| lo <= code && code <= hi)
        };
        shape.iter().zip(codes).all(covers)
    }

    /// Searches below a node; the number of points taken away, and whether to go on.
    fn visit(
        &mut self,
        id: usize,
        shape: &Shape<'_>,
        mut is_inside: bool,
        found: &mut impl FnMut(u32) -> Then,
    ) -> (u32, bool) {
        if self.nodes[id].n_there == 0 {
            return (0, true);
        }
        if !is_inside {
            let Some(inside) = self.meets(id, shape) else { return (0, true) };
            is_inside = inside;
        }
        let right = self.nodes[id].right as usize;
        let (taken, goes_on) = if right == 0 {
            self.visit_leaf(id, shape, is_inside, found)
        } else {
            let (left, goes_on) = self.visit(id + 1, shape, is_inside, found);
            let (rest, goes_on) =
                if goes_on { self.visit(right, shape, is_inside, found) } else { (0, false) };
            (left + rest, goes_on)
        };
        self.nodes[id].n_there -= taken;
        (taken, goes_on)
    }

    fn visit_leaf(
        &mut self,
        id: usize,
        shape: &Shape<'_>,
        is_inside: bool,
        found: &mut impl FnMut(u32) -> Then,
    ) -> (u32, bool) {
        let mut taken = 0;
        for at in self.nodes[id].start as usize..self.nodes[id].end as usize {
            let point = self.order[at];
            if !self.is_there[at] || !(is_inside || self.has(shape, point)) {
                continue;
            }
            let then = found(point);
            if matches!(then, Then::Take | Then::TakeAndStop) {
                self.is_there[at] = false;
                taken += 1;
            }
            if matches!(then, Then::Stop | Then::TakeAndStop) {
                return (taken, false);
            }
        }
        (taken, true)
    }
}
