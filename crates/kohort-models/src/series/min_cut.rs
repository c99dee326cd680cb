//! Whether some vertices of a graph can be cut off by removing edges of small weight.
//!
//! # Method
//! 1. From any vertex, visit the vertex with the largest weight of edges to those visited, again and
//!    again (a phase of Stoer and Wagner). The edges of the last one are a cut.
//! 2. Two vertices are joined by as much as the weight to what was visited when the edge between them
//!    is seen (Nagamochi and Ibaraki): where that is no less than the threshold, no small cut parts
//!    them, and they become one. So do the last two, after the cut of the last was looked at.
//! 3. Repeat until each component is one vertex.
//!
//! # Cost
//! O(E log V) for a phase; each leaves at most half as many vertices on graphs of classes, and at least
//! one fewer on any.
//!
//! # References
//! Stoer, Wagner: A Simple Min-Cut Algorithm, J. ACM 44, 1997. Nagamochi, Ono, Ibaraki: Implementing an
//! Efficient Minimum Capacity Cut Algorithm, Math. Programming 67, 1994.

use std::collections::BinaryHeap;

/// A graph with weighted edges; parallel edges add up.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    n_vertices: u32,
    // Both ends, the smaller first, and the weight.
    edges: Vec<(u32, u32, u64)>,
}

impl Graph {
    /// The graph of these edges; a loop is left out.
    pub(super) fn new(n_vertices: u32, edges: impl IntoIterator<Item = (u32, u32, u64)>) -> Self {
        let mut edges: Vec<(u32, u32, u64)> = (edges.into_iter())
            .filter(|&(a, b, _)| a != b)
            .map(|(a, b, weight)| (a.min(b), a.max(b), weight))
            .collect();
        edges.sort_unstable();
        edges.dedup_by(|next, kept| {
            let is_same = (next.0, next.1) == (kept.0, kept.1);
            kept.2 += if is_same { next.2 } else { 0 };
            is_same
        });
        Self { n_vertices, edges }
    }

    /// Whether every set of vertices is joined to the others by edges of weight `least` or more, or by
    /// none at all.
    pub(super) fn all_joined_by(mut self, least: u64) -> bool {
        while !self.edges.is_empty() {
            match self.phase(least) {
                Some(merged) => self = merged,
                None => return false,
            }
        }
        true
    }

    /// Steps 1 and 2: a smaller graph with the same small cuts, or nothing when a small cut is found.
    fn phase(&self, least: u64) -> Option<Self> {
        let n = self.n_vertices as usize;
        let (neighbors, ends) = self.neighbors();
        let mut weight_to_visited = vec![0_u64; n];
        let mut is_visited = vec![false; n];
        let mut joined = Joined::new(self.n_vertices);
        for start in 0..self.n_vertices {
            if is_visited[start as usize] {
                continue;
            }
            let mut order = Vec::new();
            let mut heap = BinaryHeap::from([(0, std::cmp::Reverse(start))]);
            while let Some((weight, std::cmp::Reverse(vertex))) = heap.pop() {
                let at = vertex as usize;
                if is_visited[at] || weight != weight_to_visited[at] {
                    continue;
                }
                is_visited[at] = true;
                order.push(vertex);
                let first = if at == 0 { 0 } else { ends[at - 1] };
                for &(other, weight) in &neighbors[first..ends[at]] {
                    if is_visited[other as usize] {
                        continue;
                    }
                    let sum = &mut weight_to_visited[other as usize];
                    *sum += weight;
                    if *sum >= least {
                        joined.join(vertex, other);
                    }
                    heap.push((*sum, std::cmp::Reverse(other)));
                }
            }
            if let [.., before, last] = order[..] {
                if weight_to_visited[last as usize] < least {
                    return None;
                }
                joined.join(before, last);
            }
        }
        let (number, n_vertices) = joined.numbered();
        let edges = (self.edges.iter())
            .map(|&(a, b, weight)| (number[a as usize], number[b as usize], weight));
        Some(Self::new(n_vertices, edges))
    }

    /// The neighbors of each vertex one after the other, and where those of each end.
    fn neighbors(&self) -> (Vec<(u32, u64)>, Vec<usize>) {
        let mut both: Vec<(u32, u32, u64)> = (self.edges.iter())
            .flat_map(|&(a, b, weight)| [(a, b, weight), (b, a, weight)])
            .collect();
        both.sort_unstable();
        let mut ends = vec![0; self.n_vertices as usize];
        for &(vertex, ..) in &both {
            ends[vertex as usize] += 1;
        }
        let mut sum = 0;
        for end in &mut ends {
            sum += *end;
            *end = sum;
        }
        (both.into_iter().map(|(_, other, weight)| (other, weight)).collect(), ends)
    }
}

/// Which things are known to be the same: a union-find.
#[derive(Clone, Debug)]
pub(super) struct Joined {
    above: Vec<u32>,
}

impl Joined {
    /// Each of `n` things is only itself.
    pub(super) fn new(n: u32) -> Self {
        Self { above: (0..n).collect() }
    }

    /// The lowest thing that is the same.
    pub(super) fn first(&mut self, mut thing: u32) -> u32 {
        while self.above[thing as usize] != thing {
            let above = self.above[thing as usize];
            self.above[thing as usize] = self.above[above as usize];
            thing = above;
        }
        thing
    }

    /// Makes two things the same.
    pub(super) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.first(a), self.first(b));
        self.above[a.max(b) as usize] = a.min(b);
    }

    /// Numbers from 0 for what is not the same, and how many there are.
    fn numbered(mut self) -> (Vec<u32>, u32) {
        let mut number = vec![0; self.above.len()];
        let mut n = 0;
        for thing in (0..).take(self.above.len()) {
            let first = self.first(thing);
            if first == thing {
                number[thing as usize] = n;
                n += 1;
            } else {
                number[thing as usize] = number[first as usize];
            }
        }
        (number, n)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// By looking at every set of vertices.
    fn plain(n: u32, edges: &[(u32, u32, u64)], least: u64) -> bool {
        (0_u32..1 << n).all(|set| {
            let cut = edges.iter().filter(|&&(a, b, _)| (set >> a ^ set >> b) & 1 == 1);
            let weight: u64 = cut.map(|&(.., weight)| weight).sum();
            weight == 0 || weight >= least
        })
    }

    proptest! {
        #[test]
        fn phases_find_a_small_cut_where_there_is_one(
            edges in prop::collection::vec((0_u32..7, 0_u32..7, 1_u64..4), 0..16),
            least in 1_u64..9,
        ) {
            let graph = Graph::new(7, edges.iter().copied());
            prop_assert_eq!(graph.all_joined_by(least), plain(7, &edges, least));
        }
    }
}
