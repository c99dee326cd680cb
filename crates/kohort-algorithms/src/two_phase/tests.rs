//! Two-phase clustering on the nine tuples, and what splitting promises.

use kohort_core::Role;
use proptest::prelude::*;

use super::*;
use crate::tests::clusters::{byun, nine_tuples, optimum, scattered, tables, total_loss};
use crate::tests::tables::{Given, dataset, judge};

const BOTH: [TwoPhase; 2] = [TwoPhase::A, TwoPhase::B];

/// The clusters of both phases from a start, named t1, t2, …, with their total loss.
fn run(kind: TwoPhase, k: u64, tau: f64, start: u32) -> (Vec<Vec<u32>>, f64) {
    let data = nine_tuples();
    let problem = byun(&data, k, tau);
    let ranked = Ranked::new(&problem);
    let pieces: Vec<Vec<u32>> = (relaxed(&Ctx::quiet(), &ranked, &problem, start - 1).into_iter())
        .flat_map(|cluster| kind.split(&ranked, cluster.ranks, problem.smallest()))
        .collect();
    let clusters: Vec<Cluster> = pieces.iter().map(|ranks| ranked.cluster(ranks.clone())).collect();
    let mut named: Vec<Vec<u32>> =
        pieces.into_iter().map(|ranks| ranks.iter().map(|rank| rank + 1).collect()).collect();
    for names in &mut named {
        names.sort_unstable();
    }
    named.sort_unstable();
    (named, total_loss(&problem, &clusters))
}

// Worked by hand. With τ = 0 no row lies in the box of another cluster, and the result
// is that of k-member (§6). With τ without limit {t9, t7, t6, t8, t4, t5} stays open until three rows are
// left; A splits it as k-member does, and B, from t5 and t9, into the pieces of the optimum.
#[test]
fn nine_tuples_of_specs_02_6() {
    let as_k_member = vec![vec![1, 2, 3], vec![4, 5, 8], vec![6, 7, 9]];
    let best = vec![vec![1, 2, 3], vec![4, 5, 6], vec![7, 8, 9]];
    let check = |kind, tau, expected: &Vec<Vec<u32>>, loss: f64| {
        let (clusters, found) = run(kind, 3, tau, 1);
        assert_eq!(clusters, *expected, "{kind:?}, tau {tau}");
        assert!((found - loss).abs() < 1e-9, "{kind:?}, tau {tau}: {found}");
    };
    for kind in BOTH {
        check(kind, 0.0, &as_k_member, 48.0 / 7.0);
    }
    check(TwoPhase::A, 1e9, &as_k_member, 48.0 / 7.0);
    check(TwoPhase::B, 1e9, &best, 6.0);
}

#[test]
fn equal_rows_are_shared_evenly() {
    let data = dataset(&[Given::flat("age", Role::Quasi, &[7; 40])]);
    let problem = byun(&data, 5, 0.0);
    let ranked = Ranked::new(&problem);
    let sizes: Vec<usize> =
        TwoPhase::B.split(&ranked, ranked.all(), 5).iter().map(Vec::len).collect();
    assert_eq!(sizes, [5; 8]);
}

#[test]
fn two_rows_far_apart_are_found_among_many_distinct_ones() {
    let data = scattered();
    let problem = byun(&data, 2, 0.0);
    let ranked = Ranked::new(&problem);
    let [a, b] = furthest_apart(&ranked, &ranked.all());
    let all = ranked.all();
    let apart = ranked.distance(a, b);
    let none_is_further = |from: u32| all.iter().all(|&to| ranked.distance(from, to) <= apart);
    // What a double sweep promises: one of the two is as far from the other as any row is.
    assert!(apart > 0.0 && (none_is_further(a) || none_is_further(b)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn splitting_keeps_sizes_and_never_adds_loss(data in tables(60), k in 2_u64..6, tau in 0.0..3.0) {
        let problem = byun(&data, k, tau);
        let (ranked, k) = (Ranked::new(&problem), problem.smallest());
        prop_assume!(k <= ranked.len());
        let big = relaxed(&Ctx::quiet(), &ranked, &problem, 0);
        prop_assert!(big.iter().all(|cluster| cluster.ranks.len() >= k));
        for kind in BOTH {
            let pieces: Vec<Cluster> = (big.iter())
                .flat_map(|cluster| kind.split(&ranked, cluster.ranks.clone(), k))
                .map(|ranks| ranked.cluster(ranks))
                .collect();
            let sizes = pieces.iter().map(|piece| piece.ranks.len());
            prop_assert!(sizes.clone().all(|size| (k..2 * k).contains(&size)));
            prop_assert_eq!(sizes.sum::<usize>(), ranked.len());
            prop_assert!(total_loss(&problem, &pieces) <= total_loss(&problem, &big) + 1e-9);
        }
    }

    #[test]
    fn no_release_is_better_than_the_optimum(data in tables(9), k in 2_u64..4) {
        let problem = byun(&data, k, 0.0);
        prop_assume!(problem.smallest() <= problem.n_rows());
        let n_cells = (problem.n_rows() * problem.quasi().len()) as f64;
        let best = optimum(&problem) / n_cells;
        for kind in BOTH {
            let candidate = kind.anonymize(&Ctx::quiet(), &problem).unwrap();
            prop_assert!(best <= judge(&problem, &candidate) + 1e-9);
        }
    }
}
