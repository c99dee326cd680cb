//! l-member clustering: k-member with different sensitive values in place of a number of rows.
//!
//! # Guarantee
//! Every class is frequency-l-diverse, and keeps every other promise. If any release does that, one is
//! found, though it may be one huge class: a baseline for `bucket`.
//!
//! # Method
//! 1. While l values have a row left: choose as seed the row furthest from the seed before.
//! 2. Add the row with the least ΔIL whose value is not in the class, until the class has l rows.
//! 3. Each row that is left over joins the class of least ΔIL in which its value fills no more than 1/l.
//!    If there is none, it is a class of its own.
//! 4. Join classes that break a promise with those of least added loss, until none does (the optimistic
//!    step).
//!
//! # Notation
//! D(c) → `Extent::cost`; ΔIL(c, t) = (|c| + 1)·D(c ∪ t) − |c|·D(c).
//!
//! # Cost
//! As `bucket`, and m·n/l for each of m rows that are left over: O(n²·d) time where one value is frequent.
//!
//! # Deviations
//! Listings 3.9 and 3.10 are reconstructed. Classes are joined once all rows are placed, not whenever a
//! row finds no class: a later row can make room for it.
//!
//! # References
//! After Listings 3.9 and 3.10 of Zare Mirakabad 2010; Byun et al., DASFAA 2007.

use kohort_core::{Ctx, Spec};

use crate::Draw;
use crate::algorithm::seconds_per_cell;
use crate::diversity::Diversity;
use crate::pool::{Cluster, Pool, cheapest_cluster};
use crate::repair::repair;
use crate::{Algorithm, Candidate, Facts, Failure, Problem};

/// What the algorithm is.
pub(crate) const SPEC: Spec = Spec {
    id: "l-member",
    title: "l-member clustering",
    paper: "Zare Mirakabad 2010, listings 3.9 and 3.10",
    promise: "no sensitive value fills more than 1/l of a class",
    parameters: &[],
};

/// l-member clustering.
pub(crate) struct LMember;

impl Algorithm for LMember {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn facts(&self) -> Facts {
        Facts { is_quadratic: true, ..Facts::PLAIN }
    }

    fn seconds(&self, n_distinct: u64, n_quasi: u64, _k: u64) -> f64 {
        seconds_per_cell(n_distinct, n_quasi, 1.2e-9)
    }

    fn anonymize(&self, ctx: &Ctx<'_>, problem: &Problem<'_>) -> Result<Candidate, Failure> {
        let goal = Diversity::of(problem, SPEC.id)?;
        let clusters = cluster(ctx, problem, &goal);
        let groups = clusters.into_iter().map(|cluster| cluster.rows).collect();
        Ok(Candidate::of_groups(problem, &repair(problem, groups)?))
    }
}

/// Steps 1 to 3.
fn cluster(ctx: &Ctx<'_>, problem: &Problem<'_>, goal: &Diversity<'_>) -> Vec<Cluster> {
    let space = problem.space();
    let mut pool = Pool::new(problem, goal.attribute.n_codes(), |row| Some(goal.value(row)));
    pool.measure_from_any(&mut Draw::new(problem.settings().seed));
    let mut clusters: Vec<Cluster> = Vec::new();
    while pool.left_of_value().iter().filter(|&&count| count > 0).count() >= goal.l {
        let seed = pool.take_seed(|_| true).expect("l values have a row left");
        let mut cluster = Cluster::of(&seed);
        while cluster.rows.len() < goal.l {
            let is_other = |value: u32| !cluster.values.contains(&value);
            let taken = pool.take_nearest(&cluster.edges, is_other);
            cluster.push(space, &taken.expect("fewer than l values are in the class"));
        }
        clusters.push(cluster);
        let done = problem.n_rows() - pool.n_left();
        ctx.progress("clustering", done as u64, problem.n_rows() as u64);
    }
    for left in pool.take_rest() {
        match cheapest_cluster(space, &clusters, Some(goal), &left) {
            Some(at) => clusters[at].push(space, &left),
            None => clusters.push(Cluster::of(&left)),
        }
    }
    clusters
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use kohort_core::{Dataset, Ratio, Role};
    use kohort_models::{CellMetric, ClassModel, FrequencyLDiversity};
    use proptest::prelude::*;

    use super::*;
    use crate::bucket::Bucket;
    use crate::bucket::tests::{Plain, few_rows};
    use crate::tests::tables::{Given, dataset, groups_of, judge, nine, problem, settings};
    use crate::{Metric, Settings};

    /// The problem of making a table frequency-3-diverse, in Byun's metric.
    fn three(data: &Dataset, seed: u64) -> Problem<'_> {
        let models: Vec<Box<dyn ClassModel>> =
            vec![Box::new(FrequencyLDiversity::new(0, Ratio::whole(3)).unwrap())];
        let n_axes = data.quasi().len();
        let metric = Metric::Cells(CellMetric::Byun);
        problem(data, models, Settings { metric, seed, ..settings(n_axes) })
    }

    #[test]
    fn nine_tuples_of_001_need_no_joining() {
        let data = nine("abdabacbc");
        for seed in 0..20 {
            let problem = three(&data, seed);
            let candidate = LMember.anonymize(&Ctx::quiet(), &problem).unwrap();
            let expected = [vec![0, 1, 2], vec![3, 4, 6], vec![5, 7, 8]];
            assert_eq!(groups_of(&candidate), expected.into());
        }
    }

    // Both ends are used up without an a; each takes one a, and the third fits only into all nine rows.
    #[test]
    fn a_row_that_no_class_can_take_joins_classes_that_buckets_keep_apart() {
        let data = dataset(&[
            Given::flat("age", Role::Quasi, &[0, 1, 2, 50, 50, 51, 98, 99, 100]),
            Given::flat("value", Role::Sensitive, &["b", "c", "d", "a", "a", "a", "b", "c", "d"]),
        ]);
        let problem = three(&data, 1);
        let candidate = LMember.anonymize(&Ctx::quiet(), &problem).unwrap();
        assert_eq!(groups_of(&candidate).len(), 1);
        let by_buckets = Bucket.anonymize(&Ctx::quiet(), &problem).unwrap();
        assert_eq!(groups_of(&by_buckets).len(), 3);
        assert!(judge(&problem, &by_buckets) < judge(&problem, &candidate));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn fast_equals_plain(data in few_rows(), seed in 0_u64..4) {
            let problem = three(&data, seed);
            if let Ok(goal) = Diversity::of(&problem, SPEC.id) {
                let clusters = cluster(&Ctx::quiet(), &problem, &goal);
                let found = clusters.into_iter().map(|mut cluster| {
                    cluster.rows.sort_unstable();
                    cluster.rows
                });
                prop_assert_eq!(found.collect::<BTreeSet<_>>(), Plain::new(&problem).run(3, false));
            }
        }
    }
}
