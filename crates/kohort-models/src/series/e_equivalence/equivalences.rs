//! Who is shown to have the same value as whom: the chains of D and D' of one row each.
//!
//! # Method
//! 1. For each pair of releases, rows x and y with D = {x} and D' = {y} are two edges whose removal cuts
//!    the graph in two. Edges outside of a spanning forest get random labels, and an edge of the forest
//!    the sum (exclusive or) of the labels of the cycles through it: two edges that cut have the same
//!    label.
//! 2. Of edges with the same label, remove two and look at the side without "out": if one of them leaves
//!    it from a class of the earlier release and one from a class of the later, they have equal values.
//! 3. What is equal by any pair of releases is one block.
//!
//! # References
//! Pritchard, Thurimella: Fast Computation of Small Cuts via Cycle Space Sampling, 2011.

use std::collections::BTreeMap;

use kohort_core::History;

use super::super::min_cut::Joined;
use super::{Pair, Who};

/// Who is shown to have the same value as whom, as long as values do not change.
#[derive(Clone, Debug)]
pub struct Equivalences {
    blocks: Vec<Vec<u32>>,
}

impl Equivalences {
    /// What the pairs of releases show.
    pub fn of(history: &History) -> Self {
        let mut things: BTreeMap<(usize, Who), u32> = BTreeMap::new();
        let mut found = Vec::new();
        for (late, later) in history.releases.iter().enumerate() {
            for (early, earlier) in history.releases[..late].iter().enumerate() {
                let pair = Pair::new(earlier, later);
                let mut thing = |who: Who| {
                    let release = match who {
                        Who::Person(_) => 0,
                        Who::Counterfeit { is_later, .. } => {
                            if is_later {
                                late
                            } else {
                                early
                            }
                        }
                    };
                    let next = u32::try_from(things.len()).expect("rows are counted in u32");
                    let who = match who {
                        Who::Counterfeit { class, number, .. } => {
                            Who::Counterfeit { is_later: false, class, number }
                        }
                        Who::Person(_) => who,
                    };
                    *things.entry((release, who)).or_insert(next)
                };
                let equal = Cuts::new(&pair).equal();
                found.extend(equal.into_iter().map(|(x, y)| {
                    (thing(pair.rows[x as usize].who), thing(pair.rows[y as usize].who))
                }));
            }
        }
        let mut joined = Joined::new(u32::try_from(things.len()).expect("rows are counted in u32"));
        for (a, b) in found {
            joined.join(a, b);
        }
        let mut blocks: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (&(_, who), &thing) in &things {
            if let Who::Person(person) = who {
                blocks.entry(joined.first(thing)).or_default().push(person);
            }
        }
        let mut blocks: Vec<Vec<u32>> = blocks.into_values().filter(|b| b.len() > 1).collect();
        blocks.sort_unstable();
        Self { blocks }
    }

    /// The people with equal values, in blocks of two or more; the lowest person first.
    pub fn blocks(&self) -> &[Vec<u32>] {
        &self.blocks
    }
}

/// The edges of two releases at each vertex.
pub(super) struct Cuts<'p> {
    pair: &'p Pair,
    // The edges of each vertex one after the other, and where those of each end.
    edges: Vec<u32>,
    ends: Vec<usize>,
}

impl<'p> Cuts<'p> {
    pub(super) fn new(pair: &'p Pair) -> Self {
        let mut at: Vec<(u32, u32)> = (0..)
            .zip(&pair.rows)
            .flat_map(|(edge, row)| row.ends.map(|vertex| (vertex, edge)))
            .collect();
        at.sort_unstable();
        let mut ends = vec![0; pair.n_vertices as usize];
        for &(vertex, _) in &at {
            ends[vertex as usize] += 1;
        }
        let mut sum = 0;
        for end in &mut ends {
            sum += *end;
            *end = sum;
        }
        Self { pair, edges: at.into_iter().map(|(_, edge)| edge).collect(), ends }
    }

    /// The edges at a vertex, each with its other end.
    fn at(&self, vertex: u32) -> impl Iterator<Item = (u32, u32)> {
        let end = self.ends[vertex as usize];
        let start = if vertex == 0 { 0 } else { self.ends[vertex as usize - 1] };
        self.edges[start..end].iter().map(move |&edge| {
            let [a, b] = self.pair.rows[edge as usize].ends;
            (edge, if a == vertex { b } else { a })
        })
    }

    /// The pairs of rows with equal values.
    pub(super) fn equal(&self) -> Vec<(u32, u32)> {
        let labels = self.labels();
        let mut order: Vec<u32> =
            (0..).take(labels.len()).filter(|&e| labels[e as usize] != 0).collect();
        order.sort_unstable_by_key(|&edge| (labels[edge as usize], edge));
        let mut equal = Vec::new();
        for same in order.chunk_by(|&a, &b| labels[a as usize] == labels[b as usize]) {
            for (index, &x) in same.iter().enumerate() {
                let others = same[index + 1..].iter();
                equal.extend(others.filter(|&&y| self.is_equal(x, y)).map(|&y| (x, y)));
            }
        }
        equal
    }

    /// Step 1: the label of each edge; 0 for one that cuts alone.
    fn labels(&self) -> Vec<u128> {
        let n = self.pair.n_vertices as usize;
        let mut labels = vec![0; self.pair.rows.len()];
        let mut above: Vec<Option<(u32, u32)>> = vec![None; n];
        let mut is_seen = vec![false; n];
        let mut order = Vec::with_capacity(n);
        for root in 0..self.pair.n_vertices {
            if !std::mem::replace(&mut is_seen[root as usize], true) {
                order.push(root);
                let mut next = order.len() - 1;
                while let Some(&vertex) = order.get(next) {
                    next += 1;
                    for (edge, other) in self.at(vertex) {
                        if !std::mem::replace(&mut is_seen[other as usize], true) {
                            above[other as usize] = Some((edge, vertex));
                            order.push(other);
                        }
                    }
                }
            }
        }
        let mut sums = vec![0_u128; n];
        for (edge, row) in (0..).zip(&self.pair.rows) {
            let is_in_forest =
                row.ends.iter().any(|&end| above[end as usize].is_some_and(|(up, _)| up == edge));
            if !is_in_forest {
                let label = u128::from(mixed(2 * u64::from(edge))) << 64
                    | u128::from(mixed(2 * u64::from(edge) + 1));
                labels[edge as usize] = label;
                row.ends.iter().for_each(|&end| sums[end as usize] ^= label);
            }
        }
        for &vertex in order.iter().rev() {
            if let Some((edge, up)) = above[vertex as usize] {
                labels[edge as usize] = sums[vertex as usize];
                sums[up as usize] ^= sums[vertex as usize];
            }
        }
        labels
    }

    /// Step 2: whether two edges cut off classes with as many rows in either release.
    fn is_equal(&self, x: u32, y: u32) -> bool {
        let [a, b] = self.pair.rows[x as usize].ends;
        [(a, b), (b, a)].into_iter().any(|(start, outside)| {
            let Some(inside) = self.side(start, outside, [x, y]) else { return false };
            let is_earlier = |vertex: u32| vertex < self.pair.n_earlier;
            let ends = self.pair.rows[y as usize].ends;
            let end = ends.into_iter().find(|end| inside.contains(end));
            end.is_some_and(|end| is_earlier(end) != is_earlier(start))
        })
    }

    /// What can be reached without these edges; nothing where that is "out", or the other end.
    fn side(&self, start: u32, outside: u32, without: [u32; 2]) -> Option<Vec<u32>> {
        let mut inside = vec![start];
        let mut is_inside = std::collections::BTreeSet::from([start]);
        let mut next = 0;
        while let Some(&vertex) = inside.get(next) {
            next += 1;
            if vertex >= self.pair.n_classes || vertex == outside {
                return None;
            }
            let kept = self.at(vertex).filter(|(edge, _)| !without.contains(edge));
            inside.extend(kept.filter(|&(_, other)| is_inside.insert(other)).map(|(_, o)| o));
        }
        Some(inside)
    }
}

/// A number that looks random (splitmix64).
fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}
