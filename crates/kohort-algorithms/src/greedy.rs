//! Greedy clustering from seeds far apart: what k-member and two-phase clustering share.

use kohort_core::Ctx;

use crate::ranked::{Cluster, Ranked, by_cost, rounded};
use crate::remaining::Remaining;

/// How to cluster.
#[derive(Clone, Copy)]
pub(crate) struct Greedy {
    /// The least number of rows of a cluster.
    pub(crate) k: usize,
    /// Whether a cluster of k rows stays open: it takes rows while ΔIL ≤ (1 + τ) · D.
    pub(crate) tau: Option<f64>,
}

impl Greedy {
    /// Clusters ranks, which ascend and are at least k, beginning with the one furthest from the codes
    /// `start`.
    pub(crate) fn clusters(
        self,
        ctx: &Ctx<'_>,
        ranked: &Ranked<'_>,
        ranks: Vec<u32>,
        start: &[u32],
    ) -> Vec<Cluster> {
        let n = ranks.len();
        let mut rest = Remaining::new(ranked, ranks);
        let mut clusters = Vec::new();
        rest.measure(start);
        while rest.n_left() >= self.k {
            if clusters.len() % 64 == 0 {
                // Each cluster is compared with the rows that are left: time goes with the square.
                let left = comparisons(rest.n_left(), self.k);
                let all = comparisons(n, self.k);
                ctx.progress("comparing rows", all - left, all);
            }
            let seed = rest.take(rest.furthest());
            let codes = ranked.codes(seed);
            rest.measure(codes);
            let mut cluster = ranked.cluster(vec![seed]);
            while cluster.ranks.len() < self.k || self.stays_open(&rest) {
                let (slot, cost) = rest.cheapest(&cluster.edges);
                if cluster.ranks.len() >= self.k && !self.is_worth(&cluster, cost) {
                    break;
                }
                let rank = rest.take(slot);
                ranked.add(&mut cluster, rank);
            }
            clusters.push(cluster);
        }
        for rank in rest.ranks() {
            let cheapest = cheapest(ranked, &clusters, rank);
            ranked.add(&mut clusters[cheapest], rank);
        }
        clusters
    }

    /// Whether a cluster of k rows may go on: never so far that the rest is too small for a cluster.
    fn stays_open(self, rest: &Remaining<'_>) -> bool {
        self.tau.is_some() && rest.n_left() > self.k
    }

    /// Whether ΔIL ≤ (1 + τ) · D for a row after which each row of the cluster costs this.
    fn is_worth(self, cluster: &Cluster, cost: f64) -> bool {
        let before = rounded(cluster.edges.cost);
        let added = cost + cluster.ranks.len() as f64 * (cost - before);
        self.tau.is_some_and(|tau| added <= (1.0 + tau) * before)
    }
}

/// How many rows n, n − k, n − 2k, … are, down to k: with how many rows the seeds are compared.
fn comparisons(n: usize, k: usize) -> u64 {
    let (n, k) = (n as u64, k as u64);
    let clusters = n / k;
    clusters * n - k * (clusters * clusters.saturating_sub(1) / 2)
}

/// The cluster to which a rank adds least.
fn cheapest(ranked: &Ranked<'_>, clusters: &[Cluster], rank: u32) -> usize {
    let added = |index: usize| ranked.added(&clusters[index], rank);
    let all = (0..clusters.len()).map(|index| (added(index), index));
    all.min_by(|a, b| by_cost(a.0, b.0)).expect("there is a cluster when rows are left").1
}
