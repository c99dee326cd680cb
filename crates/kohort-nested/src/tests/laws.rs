//! Laws of every maker of nested releases.

use std::collections::BTreeSet;

use kohort_core::{Ctx, NO_VALUE};
use proptest::prelude::*;

use super::plain::{Plain, PlainClass};
use super::{Asked, random};
use crate::{
    Failure, Mapping, NESTED_ALGORITHMS, NestedAlgorithm, NestedCandidate, NestedProblem,
    TreeCosts, nested_algorithm,
};

fn make(algorithm: &dyn NestedAlgorithm, asked: &Asked) -> Result<NestedCandidate, Failure> {
    algorithm.make(&Ctx::quiet(), &asked.problem())
}

/// Asserts that every class keeps what is asked for, and that nobody is in two.
fn judge(asked: &Asked, candidate: &NestedCandidate) {
    let (problem, mut seen) = (asked.problem(), BTreeSet::new());
    for class in &candidate.classes {
        class.assert_aligned(&asked.forest);
        assert!(class.members.iter().all(|&member| seen.insert(member)), "in two classes");
        assert!(problem.k as usize <= class.members.len());
        for vertices in class.positions() {
            let l = problem.l[asked.forest.kind(vertices[0])] as usize;
            let values: Vec<u32> = vertices.iter().map(|&v| asked.forest.sensitive(v)).collect();
            for &value in values.iter().filter(|&&value| value != NO_VALUE) {
                let count = values.iter().filter(|&&other| other == value).count();
                assert!(count * l <= class.members.len(), "a value is too frequent");
            }
        }
    }
}

fn plain_classes(candidate: &NestedCandidate) -> Vec<PlainClass> {
    let of_class = |class: &crate::AlignedClass| {
        let mut places: Vec<Vec<u32>> = class.positions().map(<[u32]>::to_vec).collect();
        places.sort();
        PlainClass { members: class.members.clone(), places }
    };
    candidate.classes.iter().map(of_class).collect()
}

const CHIS: [f64; 9] = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, f64::INFINITY];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_class_is_aligned_and_keeps_what_is_asked(asked in random(40)) {
        for &algorithm in NESTED_ALGORITHMS.iter().filter(|algorithm| algorithm.is_safe()) {
            if let Ok(candidate) = make(algorithm, &asked) {
                judge(&asked, &candidate);
            }
        }
    }

    #[test]
    fn every_class_of_a_transparent_release_keeps_what_is_asked(asked in random(40), secret: [u8; 32]) {
        let problem = NestedProblem { transparent: Some(secret), ..asked.problem() };
        for &algorithm in NESTED_ALGORITHMS.iter().filter(|algorithm| algorithm.can_be_transparent()) {
            if let Ok(candidate) = crate::make(algorithm, &Ctx::quiet(), &problem, false) {
                judge(&asked, &candidate);
                let members = candidate.classes.iter().map(|class| class.members.len());
                let n_in: usize = members.sum();
                prop_assert!(!problem.needs_values() || n_in == asked.forest.n_records());
            }
        }
    }

    #[test]
    fn fast_equals_plain(asked in random(24)) {
        let (clus_tree, ctoff): (&[f64], &[f64]) = (&CHIS, &[f64::INFINITY]);
        for (id, mapping, chis) in [
            ("clustree", Mapping::Assignment, clus_tree),
            ("clustree-greedy", Mapping::Greedy, clus_tree),
            ("ctoff", Mapping::Assignment, ctoff),
            ("ctoff-greedy", Mapping::Greedy, ctoff),
        ] {
            let problem = asked.problem();
            let costs = TreeCosts::new(&problem);
            let plain = Plain { costs: &costs, problem, size: problem.smallest(), mapping };
            let expected = plain.clus_tree(chis);
            let found = make(nested_algorithm(id).unwrap(), &asked);
            let found = found.map_or_else(|_| Vec::new(), |candidate| plain_classes(&candidate));
            assert_eq!(found, expected, "{id}");
        }
    }

    #[test]
    fn the_number_of_threads_changes_nothing(asked in random(30)) {
        let pool = |n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        let (one, four) = (pool(1), pool(4));
        for &algorithm in NESTED_ALGORITHMS {
            let classes = |made: Result<NestedCandidate, Failure>| made.ok().map(|made| made.classes);
            let alone = classes(one.install(|| make(algorithm, &asked)));
            assert_eq!(alone, classes(four.install(|| make(algorithm, &asked))));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    // Where no value is protected every record has a place: fewer than k are left.
    #[test]
    fn k_alone_leaves_out_fewer_than_k(mut asked in random(40)) {
        asked.l.fill(1);
        for &algorithm in NESTED_ALGORITHMS {
            let Ok(candidate) = make(algorithm, &asked) else {
                assert!(asked.forest.n_records() < asked.k as usize);
                continue;
            };
            if algorithm.is_safe() {
                let n_members: usize = candidate.classes.iter().map(|c| c.members.len()).sum();
                assert!(asked.forest.n_records() - n_members < asked.k as usize);
            }
        }
    }
}
