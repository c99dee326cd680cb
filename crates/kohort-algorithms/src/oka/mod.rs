//! OKA, the one-pass k-means algorithm: deals rows out to centroids once, then evens out the sizes.
//!
//! # Guarantee
//! Every class keeps every promise. Where only a size k is asked for there are ⌊n/k⌋ clusters.
//!
//! # Method
//! 1. Sort the rows by their quasi-identifiers: numbers ascending, values in the order of the taxonomy.
//! 2. Draw K = ⌊n/k⌋ rows; each is a cluster, and its own centroid.
//! 3. Give every other row, in this order, to the nearest centroid, and move that centroid at once.
//! 4. From each cluster of more than k rows remove those furthest from its centroid, until k are left.
//! 5. Give each removed row, in random order, to the nearest cluster of fewer than k rows; when there is
//!    none, to the nearest cluster.
//! 6. Join classes that break a promise other than size with their cheapest neighbors.
//!
//! # Notation
//! N records: `ranked`. Centroids: `centroids`. Clusters Pᵢ: `members`. R: `removed`.
//!
//! # Cost
//! O(n · K · d) = O(n² · d / k) time; equal rows are compared with all centroids once. Memory O(n + K · d).
//!
//! # Deviations
//! - The centroid of a taxonomy is the lowest common ancestor of the members, as one prefers for
//!   small losses. Its distance from a value is the loss of the ancestor of both in the metric asked for,
//!   of which Byun's height is one.
//! - A missing number is as far as can be from every number and from the mean of a cluster that holds one,
//!   as in the box that is published.
//! - Centroids rest after step 3: all distances of steps 4 and 5 are to the same centroids.
//! - Ties go to the lowest rank, see `ranked`: of the row that is removed, and of the row that a cluster
//!   was drawn with.
//!
//! # References
//! Lin, Wei: An Efficient Clustering Method for k-Anonymization, PAIS 2008, §3.

use kohort_core::{Ctx, Spec};

use crate::Draw;
use crate::algorithm::seconds_per_cell;
use crate::check::require_feasible;
use crate::ranked::{Ranked, by_cost, release};
use crate::scan::first_least;
use crate::{Algorithm, Candidate, Facts, Failure, Problem};
use centroids::Centroids;

mod centroids;
#[cfg(test)]
mod tests;

const SPEC: Spec = Spec {
    id: "oka",
    title: "OKA, one-pass k-means",
    paper: "Lin and Wei 2008",
    promise: "clusters around centroids, made in one pass and then balanced; slow on large tables",
    parameters: &[],
};

/// One-pass k-means.
pub(crate) struct Oka;

impl Algorithm for Oka {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn facts(&self) -> Facts {
        Facts { is_quadratic: true, ..Facts::PLAIN }
    }

    fn seconds(&self, n_distinct: u64, n_quasi: u64, k: u64) -> f64 {
        seconds_per_cell(n_distinct, n_quasi, 2.5e-9) / kohort_core::Ratio::whole(k.max(1)).value()
    }

    fn anonymize(&self, ctx: &Ctx<'_>, problem: &Problem<'_>) -> Result<Candidate, Failure> {
        require_feasible(problem)?;
        let (ranked, k) = (Ranked::new(problem), problem.smallest());
        let mut draw = Draw::new(problem.settings().seed);
        let mut seeds = ranked.all();
        draw.shuffle(&mut seeds);
        seeds.truncate(ranked.len() / k);
        seeds.sort_unstable();
        let mut run = Run::new(&ranked, &seeds);
        run.assign(ctx, &seeds);
        let mut removed = run.remove(k);
        draw.shuffle(&mut removed);
        run.give_back(ctx, &removed, k);
        release(problem, run.members)
    }
}

struct Run<'r> {
    ranked: &'r Ranked<'r>,
    centroids: Centroids<'r>,
    members: Vec<Vec<u32>>,
    // Of the row at hand from each centroid.
    distances: Vec<f64>,
}

impl<'r> Run<'r> {
    fn new(ranked: &'r Ranked<'r>, seeds: &[u32]) -> Self {
        let codes: Vec<&[u32]> = seeds.iter().map(|&seed| ranked.codes(seed)).collect();
        Self {
            ranked,
            centroids: Centroids::new(ranked.space, &codes),
            members: seeds.iter().map(|&seed| vec![seed]).collect(),
            distances: vec![0.0; seeds.len()],
        }
    }

    /// Step 3: every other row to the nearest centroid, which moves.
    fn assign(&mut self, ctx: &Ctx<'_>, seeds: &[u32]) {
        let others =
            self.ranked.all().into_iter().filter(|rank| seeds.binary_search(rank).is_err());
        let n = (self.ranked.len() - seeds.len()) as u64;
        let mut last: Option<(u32, usize)> = None;
        for (done, rank) in (0..).zip(others) {
            if done % 1024 == 0 {
                ctx.progress("comparing rows with centroids", done, n);
            }
            let point = self.ranked.point(rank);
            if let Some((_, moved)) = last.filter(|&(before, _)| before == point) {
                // Of an equal row all is known but the distance from the centroid that moved.
                self.distances[moved] = self.centroids.distance(moved);
            } else {
                self.centroids.start(self.ranked.codes(rank), self.distances.len());
                self.centroids.distances(&mut self.distances);
            }
            let nearest = first_least(&self.distances);
            self.centroids.take_in(nearest, self.ranked.codes(rank));
            self.members[nearest].push(rank);
            last = Some((point, nearest));
        }
    }

    /// Step 4: what is furthest from the centroids of clusters of more than k rows.
    fn remove(&mut self, k: usize) -> Vec<u32> {
        let mut removed = Vec::new();
        for (index, members) in self.members.iter_mut().enumerate().filter(|(_, m)| m.len() > k) {
            let mut far: Vec<(f64, u32)> = Vec::with_capacity(members.len());
            for &rank in &*members {
                self.centroids.start(self.ranked.codes(rank), 1);
                far.push((self.centroids.distance(index), rank));
            }
            far.sort_unstable_by(|a, b| by_cost(b.0, a.0).then(a.1.cmp(&b.1)));
            let (out, kept) = far.split_at(far.len() - k);
            removed.extend(out.iter().map(|&(_, rank)| rank));
            *members = kept.iter().map(|&(_, rank)| rank).collect();
        }
        removed
    }

    /// Step 5: the removed rows to clusters of fewer than k rows, then to any.
    fn give_back(&mut self, ctx: &Ctx<'_>, removed: &[u32], k: usize) {
        let mut n_small = self.members.iter().filter(|members| members.len() < k).count();
        for (done, &rank) in removed.iter().enumerate() {
            if done % 1024 == 0 {
                ctx.progress("giving rows back", done as u64, removed.len() as u64);
            }
            self.centroids.start(self.ranked.codes(rank), self.distances.len());
            self.centroids.distances(&mut self.distances);
            if n_small > 0 {
                let clusters = self.distances.iter_mut().zip(&self.members);
                clusters
                    .filter(|(_, members)| members.len() >= k)
                    .for_each(|(distance, _)| *distance = f64::INFINITY);
            }
            let nearest = first_least(&self.distances);
            self.members[nearest].push(rank);
            n_small -= usize::from(self.members[nearest].len() == k);
        }
    }
}
