//! OKA by hand, and against a plain one.

use kohort_core::Role;
use proptest::prelude::*;

use super::*;
use crate::tests::clusters::{byun, nine_tuples, optimum, scattered, tables};
use crate::tests::tables::{Given, dataset, judge};

/// The clusters from these seeds, the removed rows given back in the order they were removed.
fn fast(ranked: &Ranked<'_>, seeds: &[u32], k: usize) -> Vec<Vec<u32>> {
    let mut run = Run::new(ranked, seeds);
    run.assign(&Ctx::quiet(), seeds);
    let removed = run.remove(k);
    run.give_back(&Ctx::quiet(), &removed, k);
    run.members
}

// Seeds 0 and 1: 2, 10, 11 and 12 go to the second, whose mean ends at 7.2; 1 and 2 are furthest from it.
#[test]
fn six_numbers_worked_by_hand() {
    let data = dataset(&[Given::flat("age", Role::Quasi, &[0, 1, 2, 10, 11, 12])]);
    let problem = byun(&data, 3, 0.0);
    let clusters = fast(&Ranked::new(&problem), &[0, 1], 3);
    assert_eq!(sorted(clusters), [[0, 1, 2], [3, 4, 5]]);
}

#[test]
fn nine_tuples_are_not_below_the_optimum_of_specs_02_6() {
    let data = nine_tuples();
    for k in 2..=4 {
        let problem = byun(&data, k, 0.0);
        let loss = judge(&problem, &Oka.anonymize(&Ctx::quiet(), &problem).unwrap());
        assert!(optimum(&problem) <= loss * 18.0 + 1e-9, "k = {k}");
    }
}

/// With centroids made from the members each time.
struct Plain<'r> {
    problem: &'r Problem<'r>,
    ranked: &'r Ranked<'r>,
    widths: Vec<f64>,
}

impl<'r> Plain<'r> {
    fn new(problem: &'r Problem<'r>, ranked: &'r Ranked<'r>) -> Self {
        let width = |attribute: &&kohort_core::Attribute| {
            let numbers = || (0..attribute.n_codes()).filter_map(|code| attribute.number(code));
            numbers().fold(f64::MIN, f64::max) - numbers().fold(f64::MAX, f64::min)
        };
        Self { problem, ranked, widths: problem.quasi().iter().map(width).collect() }
    }

    /// The distance between a record and the centroid of members.
    fn distance(&self, record: u32, members: &[u32]) -> f64 {
        let axes = self.ranked.space.axes().iter().enumerate();
        let sum: f64 = axes
            .map(|(axis, costs)| {
                let attribute = self.problem.quasi()[axis];
                let x = self.ranked.codes(record)[axis];
                let codes: Vec<u32> = members.iter().map(|&r| self.ranked.codes(r)[axis]).collect();
                let (lo, hi) = (codes.iter().min().unwrap(), codes.iter().max().unwrap());
                let numbers: Vec<f64> = codes.iter().filter_map(|&c| attribute.number(c)).collect();
                match attribute.number(x) {
                    Some(number) if attribute.is_ranged() && numbers.len() == codes.len() => {
                        let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
                        costs.weight() * (number - mean).abs() / self.widths[axis]
                    }
                    _ => costs.cost(x.min(*lo), x.max(*hi)),
                }
            })
            .sum();
        crate::ranked::rounded(sum)
    }

    fn nearest(
        &self,
        record: u32,
        clusters: &[Vec<u32>],
        allowed: impl Fn(usize) -> bool,
    ) -> usize {
        let all = (0..clusters.len()).filter(|&c| allowed(c));
        let all = all.map(|c| (self.distance(record, &clusters[c]), c));
        all.min_by(|a, b| by_cost(a.0, b.0)).unwrap().1
    }

    fn clusters(&self, seeds: &[u32], k: usize) -> Vec<Vec<u32>> {
        let mut clusters: Vec<Vec<u32>> = seeds.iter().map(|&seed| vec![seed]).collect();
        for record in self.ranked.all().into_iter().filter(|record| !seeds.contains(record)) {
            let nearest = self.nearest(record, &clusters, |_| true);
            clusters[nearest].push(record);
        }
        let frozen = clusters.clone();
        let mut removed = Vec::new();
        for (cluster, members) in clusters.iter_mut().zip(&frozen) {
            while cluster.len() > k {
                cluster.sort_unstable();
                let mut furthest = 0;
                for at in 1..cluster.len() {
                    let far = |at: usize| self.distance(cluster[at], members);
                    if far(at) > far(furthest) {
                        furthest = at;
                    }
                }
                removed.push(cluster.remove(furthest));
            }
        }
        for record in removed {
            let is_small = |c: usize| clusters[c].len() < k;
            let some_is = (0..clusters.len()).any(is_small);
            let nearest = self.nearest(record, &frozen, |c| !some_is || is_small(c));
            clusters[nearest].push(record);
        }
        clusters
    }
}

fn sorted(mut clusters: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
    for ranks in &mut clusters {
        ranks.sort_unstable();
    }
    clusters
}

#[test]
fn fast_equals_plain_on_a_scattered_table() {
    let data = scattered();
    let problem = byun(&data, 2, 0.0);
    let ranked = Ranked::new(&problem);
    let seeds: Vec<u32> = (0..500).step_by(2).collect();
    let plain = Plain::new(&problem, &ranked).clusters(&seeds, 2);
    assert_eq!(sorted(fast(&ranked, &seeds, 2)), sorted(plain));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn fast_equals_plain(data in tables(60), k in 2_u64..6, seed in 0_u64..99) {
        let problem = byun(&data, k, 0.0);
        let (ranked, k) = (Ranked::new(&problem), problem.smallest());
        prop_assume!(k <= ranked.len());
        let mut seeds = ranked.all();
        Draw::new(seed).shuffle(&mut seeds);
        seeds.truncate(ranked.len() / k);
        seeds.sort_unstable();
        let found = fast(&ranked, &seeds, k);
        prop_assert!(found.iter().all(|ranks| ranks.len() >= k));
        let plain = Plain::new(&problem, &ranked).clusters(&seeds, k);
        prop_assert_eq!(sorted(found), sorted(plain));
    }
}
