//! Byun's algorithm on the nine tuples, and against a plain one.

use kohort_core::Ctx;
use proptest::prelude::*;

use super::*;
use crate::ranked::{Cluster, by_cost, rounded};
use crate::tests::clusters::{byun, nine_tuples, optimum, scattered, tables, total_loss};

fn check(k: u64, start: u32, expected: &[&[u32]], loss: f64) {
    let data = nine_tuples();
    let problem = byun(&data, k, 0.0);
    let ranked = Ranked::new(&problem);
    let greedy = Greedy { k: problem.smallest(), tau: None };
    let clusters = greedy.clusters(&Ctx::quiet(), &ranked, ranked.all(), ranked.codes(start - 1));
    let named: Vec<Vec<u32>> =
        clusters.iter().map(|c| c.ranks.iter().map(|rank| rank + 1).collect()).collect();
    assert_eq!(named, expected);
    assert!((total_loss(&problem, &clusters) - loss).abs() < 1e-9);
    assert!(optimum(&problem) < loss + 1e-9);
}

#[test]
fn nine_tuples_of_specs_02_6() {
    let three: &[&[u32]] = &[&[9, 7, 6], &[1, 2, 3], &[8, 5, 4]];
    check(3, 1, three, 48.0 / 7.0);
    check(3, 5, three, 48.0 / 7.0);
    check(2, 1, &[&[9, 7, 4], &[1, 2], &[8, 6], &[3, 5]], 34.0 / 7.0);
    check(4, 1, &[&[9, 7, 6, 8, 4], &[1, 2, 3, 5]], 64.0 / 7.0);
}

#[test]
fn optimum_of_the_nine_tuples_of_specs_02_6() {
    let data = nine_tuples();
    for (k, expected) in [(2, 31.0 / 7.0), (3, 6.0), (4, 64.0 / 7.0)] {
        assert!((optimum(&byun(&data, k, 0.0)) - expected).abs() < 1e-9, "k = {k}");
    }
}

#[test]
fn fast_equals_plain_over_many_blocks_and_threads() {
    let data = scattered();
    let problem = byun(&data, 7, 0.0);
    let ranked = Ranked::new(&problem);
    assert!(problem.points().len() > 450);
    let greedy = Greedy { k: 7, tau: None };
    let fast = greedy.clusters(&Ctx::quiet(), &ranked, ranked.all(), ranked.codes(3));
    let fast: Vec<Vec<u32>> = fast.into_iter().map(|cluster| cluster.ranks).collect();
    assert_eq!(fast, plain(&ranked, 7, None, 3));
}

/// Over rows and their distances; with a τ the first phase of §3.
fn plain(ranked: &Ranked<'_>, k: usize, tau: Option<f64>, start: u32) -> Vec<Vec<u32>> {
    let (mut r, mut s) = (start, ranked.all());
    let mut out: Vec<Cluster> = Vec::new();
    let cost_of = |cluster: &Cluster, t: u32| {
        let mut grown = cluster.clone();
        ranked.add(&mut grown, t);
        let loss = |c: &Cluster| c.ranks.len() as f64 * c.edges.cost;
        rounded(loss(&grown) - loss(cluster))
    };
    while s.len() >= k {
        let mut furthest = 0;
        for at in 1..s.len() {
            if ranked.distance(r, s[at]) > ranked.distance(r, s[furthest]) {
                furthest = at;
            }
        }
        r = s.remove(furthest);
        let mut c = ranked.cluster(vec![r]);
        while c.ranks.len() < k || (tau.is_some() && s.len() > k) {
            let all = (0..s.len()).map(|at| (cost_of(&c, s[at]), at));
            let (added, best) = all.min_by(|a, b| by_cost(a.0, b.0)).unwrap();
            if c.ranks.len() >= k && added > tau.map_or(0.0, |tau| (1.0 + tau) * c.edges.cost) {
                break;
            }
            ranked.add(&mut c, s.remove(best));
        }
        out.push(c);
    }
    for t in s {
        let all = (0..out.len()).map(|at| (cost_of(&out[at], t), at));
        let (_, best) = all.min_by(|a, b| by_cost(a.0, b.0)).unwrap();
        ranked.add(&mut out[best], t);
    }
    out.into_iter().map(|cluster| cluster.ranks).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn fast_equals_plain(
        data in tables(60),
        k in 2_u64..8,
        tau in prop::sample::select(vec![None, Some(0.0), Some(0.5), Some(4.0)]),
        start in any::<prop::sample::Index>(),
    ) {
        let problem = byun(&data, k, 0.0);
        let ranked = Ranked::new(&problem);
        let k = problem.smallest();
        prop_assume!(k <= ranked.len());
        let start = u32::try_from(start.index(ranked.len())).unwrap();
        let greedy = Greedy { k, tau };
        let fast = greedy.clusters(&Ctx::quiet(), &ranked, ranked.all(), ranked.codes(start));
        let fast: Vec<Vec<u32>> = fast.into_iter().map(|cluster| cluster.ranks).collect();
        prop_assert_eq!(fast, plain(&ranked, k, tau, start));
    }
}
