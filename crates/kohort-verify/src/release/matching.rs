//! How many released rows can be given an original row each: a flow from boxes to points.
//!
//! # Method
//! 1. Greedy: the boxes in order of how much they cover, the most specific first, take what is left of
//!    the points inside.
//! 2. While rows are left over: search from all boxes that lack rows at once, from a box to the points
//!    inside it, from a full point to the boxes that hold its rows. Each point is visited once.
//! 3. Where a point with rows left is reached, move rows along the path.
//! 4. When a search moves nothing, no matching is larger (no augmenting path is left).
//!
//! # Cost
//! A search visits every box and point at most once and finds the points through the index; how many
//! searches there are grows with the length of the longest path that is needed.
//!
//! # References
//! Hopcroft and Karp, SIAM J. Comput. 2(4), 1973 (searching from all free vertices at once).

use super::cells::Interval;
use super::index::{Index, Then};

/// Boxes that want points, by number.
pub(crate) struct Wanted<'a> {
    /// The shape of each box, one entry per axis, row-major.
    pub(crate) shapes: Vec<&'a [Interval]>,
    /// The rows of each box.
    pub(crate) rows: Vec<u32>,
    /// The boxes in order of how much they cover.
    pub(crate) order: Vec<u32>,
}

/// Rows of boxes given rows of points.
pub(crate) struct Flow<'a> {
    n_axes: usize,
    wanted: &'a Wanted<'a>,
    // The rows each box still lacks, and those each point still has.
    lacking: Vec<u32>,
    left: Vec<u32>,
    // For each point, the boxes that hold its rows and how many.
    held: Vec<Vec<(u32, u32)>>,
}

const NONE: u32 = u32::MAX;

/// Where a search has come from.
struct Paths {
    // The box that started the tree a box is in, and the point through which the box was reached.
    root: Vec<u32>,
    point_before: Vec<u32>,
    // The box through which a point was reached.
    box_before: Vec<u32>,
}

impl<'a> Flow<'a> {
    /// The largest matching between boxes and the points of an index, whose rows are `rows`.
    pub(crate) fn largest(
        wanted: &'a Wanted<'a>,
        n_axes: usize,
        index: &mut Index<'_>,
        rows: Vec<u32>,
    ) -> Self {
        let held = vec![Vec::new(); rows.len()];
        let mut flow = Self { n_axes, wanted, lacking: wanted.rows.clone(), left: rows, held };
        flow.greedy(index);
        while flow.n_unmatched() > 0 {
            kohort_core::alive();
            index.restore();
            if !flow.augment(index) {
                break;
            }
        }
        flow
    }

    /// The rows of boxes that no point is left for.
    pub(crate) fn n_unmatched(&self) -> u64 {
        self.lacking.iter().map(|&rows| u64::from(rows)).sum()
    }

    /// For each point, the boxes that hold its rows and how many.
    pub(crate) fn held(&self) -> &[Vec<(u32, u32)>] {
        &self.held
    }

    fn shape(&self, id: u32) -> &'a [&'a [Interval]] {
        &self.wanted.shapes[id as usize * self.n_axes..][..self.n_axes]
    }

    fn greedy(&mut self, index: &mut Index<'_>) {
        for &id in &self.wanted.order {
            kohort_core::alive();
            let shape = self.shape(id);
            let Self { lacking, left, held, .. } = self;
            let lacking = &mut lacking[id as usize];
            index.search(shape, &mut |point| {
                let left = &mut left[point as usize];
                let taken = (*left).min(*lacking);
                if taken > 0 {
                    held[point as usize].push((id, taken));
                }
                *left -= taken;
                *lacking -= taken;
                match (*left, *lacking) {
                    (0, 0) => Then::TakeAndStop,
                    (0, _) => Then::Take,
                    (_, 0) => Then::Stop,
                    _ => Then::Keep,
                }
            });
        }
    }

    /// One search from every box that lacks rows; whether anything was moved.
    fn augment(&mut self, index: &mut Index<'_>) -> bool {
        let n_boxes = self.lacking.len();
        let mut paths = Paths {
            root: vec![NONE; n_boxes],
            point_before: vec![NONE; n_boxes],
            box_before: vec![NONE; self.left.len()],
        };
        let mut queue: Vec<u32> = Vec::new();
        for &id in self.wanted.order.iter().filter(|&&id| self.lacking[id as usize] > 0) {
            kohort_core::alive();
            paths.root[id as usize] = id;
            queue.push(id);
        }
        let mut has_moved = false;
        let mut next = 0;
        while let Some(&id) = queue.get(next) {
            kohort_core::alive();
            next += 1;
            let root = paths.root[id as usize];
            if self.lacking[root as usize] == 0 {
                continue;
            }
            index.search(self.shape(id), &mut |point| {
                paths.box_before[point as usize] = id;
                if self.left[point as usize] > 0 {
                    has_moved |= self.move_along(&paths, root, point);
                }
                for &(holder, _) in &self.held[point as usize] {
                    if paths.root[holder as usize] == NONE {
                        paths.root[holder as usize] = root;
                        paths.point_before[holder as usize] = point;
                        queue.push(holder);
                    }
                }
                if self.lacking[root as usize] == 0 { Then::TakeAndStop } else { Then::Take }
            });
        }
        has_moved
    }

    /// Gives a row of a point to the last box of a path, which frees a row for the box before it, and so
    /// on up to the root; as many rows as every step can move.
    fn move_along(&mut self, paths: &Paths, root: u32, end: u32) -> bool {
        let mut moved = self.lacking[root as usize].min(self.left[end as usize]);
        let steps = || {
            std::iter::successors(Some(end), |&point| {
                let id = paths.box_before[point as usize];
                let before = paths.point_before[id as usize];
                (before != NONE).then_some(before)
            })
        };
        // The box reached through a point gives back rows of that point.
        let back = || steps().skip(1).zip(steps().map(|point| paths.box_before[point as usize]));
        for (point, holder) in back() {
            let rows = self.held[point as usize].iter().find(|entry| entry.0 == holder);
            moved = moved.min(rows.map_or(0, |entry| entry.1));
        }
        if moved == 0 {
            return false;
        }
        for (point, holder) in back() {
            let held = &mut self.held[point as usize];
            held.iter_mut().filter(|entry| entry.0 == holder).for_each(|entry| entry.1 -= moved);
            held.retain(|entry| entry.1 > 0);
        }
        for point in steps() {
            let id = paths.box_before[point as usize];
            let held = &mut self.held[point as usize];
            match held.iter_mut().find(|entry| entry.0 == id) {
                Some(entry) => entry.1 += moved,
                None => held.push((id, moved)),
            }
        }
        self.lacking[root as usize] -= moved;
        self.left[end as usize] -= moved;
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const AXES: usize = 3;

    /// Up to two disjoint intervals.
    fn intervals() -> impl Strategy<Value = Vec<Interval>> {
        (0_u32..12, 0_u32..5, 0_u32..3, prop::option::weighted(0.2, 0_u32..5)).prop_map(
            |(lo, width, gap, second)| {
                let hi = lo + width;
                let next = second.map(|width| (hi + 2 + gap, hi + 2 + gap + width));
                std::iter::once((lo, hi)).chain(next).collect()
            },
        )
    }

    /// The rows matched when one path at a time is searched from box to box.
    fn plain(edges: &[Vec<usize>], rows: &[u32], left: &[u32]) -> u32 {
        fn place(
            id: usize,
            edges: &[Vec<usize>],
            seen: &mut [bool],
            held: &mut [Vec<usize>],
            left: &[u32],
        ) -> bool {
            for &point in &edges[id] {
                if std::mem::replace(&mut seen[point], true) {
                    continue;
                }
                if held[point].len() < left[point] as usize {
                    held[point].push(id);
                    return true;
                }
                for slot in 0..held[point].len() {
                    if place(held[point][slot], edges, seen, held, left) {
                        held[point][slot] = id;
                        return true;
                    }
                }
            }
            false
        }
        let mut held = vec![Vec::new(); left.len()];
        let each = rows.iter().enumerate().flat_map(|(id, &rows)| (0..rows).map(move |_| id));
        let mut matched = 0;
        for id in each {
            matched += u32::from(place(id, edges, &mut vec![false; left.len()], &mut held, left));
        }
        matched
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn the_flow_is_as_large_as_the_plain_one(
            points in prop::collection::vec(([0_u32..16, 0..16, 0..16], 1_u32..3), 1..150),
            boxes in prop::collection::vec(([intervals(), intervals(), intervals()], 1_u32..5), 1..60),
        ) {
            let codes: Vec<u32> = points.iter().flat_map(|point| point.0).collect();
            let left: Vec<u32> = points.iter().map(|point| point.1).collect();
            let shapes: Vec<&[Interval]> =
                boxes.iter().flat_map(|shape| shape.0.iter().map(Vec::as_slice)).collect();
            let rows: Vec<u32> = boxes.iter().map(|shape| shape.1).collect();
            let order = (0..).zip(&rows).map(|(id, _)| id).collect();
            let wanted = Wanted { shapes, rows: rows.clone(), order };
            let mut index = Index::new(&codes, points.len(), AXES, &wanted.shapes);
            let flow = Flow::largest(&wanted, AXES, &mut index, left.clone());
            let is_in = |shape: &[Vec<Interval>; AXES], point: &[u32; AXES]| {
                let mut axes = shape.iter().zip(point);
                axes.all(|(all, code)| all.iter().any(|(lo, hi)| (lo..=hi).contains(&code)))
            };
            let edges: Vec<Vec<usize>> = (boxes.iter())
                .map(|(shape, _)| (0..points.len()).filter(|&p| is_in(shape, &points[p].0)).collect())
                .collect();
            let total: u32 = rows.iter().sum();
            let expected = u64::from(total - plain(&edges, &rows, &left));
            prop_assert_eq!(flow.n_unmatched(), expected);
            // What is held is inside, and no more than there was.
            for (point, held) in flow.held().iter().enumerate() {
                prop_assert!(held.iter().map(|entry| entry.1).sum::<u32>() <= left[point]);
                prop_assert!(held.iter().all(|entry| edges[entry.0 as usize].contains(&point)));
            }
        }
    }
}
