//! Tables and figures to test clusterings with, and what all of them do.

use kohort_core::{Ctx, Dataset, Role};
use kohort_models::{CellMetric, ClassModel, KAnonymity};
use proptest::prelude::*;

use super::tables::{Given, dataset, judge, problem, settings};
use crate::Draw;
use crate::ranked::{Cluster, Ranked};
use crate::{Algorithm, Failure, Metric, Problem, Settings, algorithm};

/// Age and zip of t1 to t9, which stand in the order of their codes.
pub(crate) fn nine_tuples() -> Dataset {
    dataset(&[
        Given::flat("age", Role::Quasi, &[20, 25, 25, 30, 35, 40, 45, 50, 55]),
        Given::flat("zip", Role::Quasi, &[3000, 3500, 4000, 6500, 4500, 5500, 6000, 5000, 6500]),
    ])
}

/// The problem of a table with this k under Byun's loss.
pub(crate) fn byun(data: &Dataset, k: u64, tau: f64) -> Problem<'_> {
    let models: Vec<Box<dyn ClassModel>> = vec![Box::new(KAnonymity::new(k).unwrap())];
    let metric = Metric::Cells(CellMetric::Byun);
    problem(data, models, Settings { metric, tau, ..settings(data.quasi().len()) })
}

/// Byun's total information loss, which is not divided by rows and attributes.
pub(crate) fn total_loss(problem: &Problem<'_>, clusters: &[Cluster]) -> f64 {
    let loss = |c: &Cluster| c.ranks.len() as f64 * c.edges.cost;
    clusters.iter().map(loss).sum::<f64>() * problem.quasi().len() as f64
}

/// The least total information loss of any partition into clusters of at least k rows, by trying all.
pub(crate) fn optimum(problem: &Problem<'_>) -> f64 {
    let ranked = Ranked::new(problem);
    let all = (1_usize << ranked.len()) - 1;
    let loss_of = |set: usize| {
        let ranks = ranked.all().into_iter().filter(|rank| set >> rank & 1 == 1);
        total_loss(problem, &[ranked.cluster(ranks.collect())])
    };
    let losses: Vec<f64> = (0..=all).map(|set| if set == 0 { 0.0 } else { loss_of(set) }).collect();
    let mut best = vec![f64::INFINITY; all + 1];
    best[0] = 0.0;
    for set in 1..=all {
        // The cluster of the first row of the set is one of the subsets that have it.
        let mut subset = set;
        while subset > 0 {
            let is_first = subset >> set.trailing_zeros() & 1 == 1;
            if is_first && subset.count_ones() as usize >= problem.smallest() {
                best[set] = best[set].min(best[set ^ subset] + losses[subset]);
            }
            subset = (subset - 1) & set;
        }
    }
    best[all]
}

/// A table of 500 rows, nearly all different. Its costs have few binary digits, see `tables`.
pub(crate) fn scattered() -> Dataset {
    let mut draw = Draw::new(5);
    let mut numbers = |last: usize| {
        let others = (2..500).map(|_| draw.below(last + 1));
        [0, last].into_iter().chain(others).collect::<Vec<usize>>()
    };
    let (ages, incomes) = (numbers(256), numbers(64));
    let named =
        |numbers: &[usize]| numbers.iter().map(|n| format!("n{n}")).collect::<Vec<String>>();
    dataset(&[
        Given::flat("age", Role::Quasi, &ages),
        Given::flat("income", Role::Quasi, &incomes),
        Given::flat("town", Role::Quasi, &named(&numbers(2))),
        Given::flat("sex", Role::Quasi, &named(&numbers(1))),
    ])
}

/// Tables with numbers, a taxonomy and missing values. Four columns, ages from 0 to 32 and a tree of height
/// 2 make costs of few binary digits: sums are exact, and no rounding parts a fast method from a plain one.
pub(crate) fn tables(n: usize) -> impl Strategy<Value = Dataset> {
    let row = (prop::option::weighted(0.95, 0_u32..33), 0_usize..5, 0_u8..3, 0_u8..2);
    (prop::collection::vec(row, 2..n), 1_u32..34).prop_map(|(mut rows, spread)| {
        for row in &mut rows {
            row.0 = row.0.map(|age| age % spread);
        }
        (rows[0].0, rows[1].0) = (Some(0), Some(32));
        let text = |number: Option<u32>| number.map_or(String::new(), |n| n.to_string());
        let ages: Vec<String> = rows.iter().map(|row| text(row.0)).collect();
        let countries: Vec<&str> =
            rows.iter().map(|row| ["at", "de", "pl", "cz", "jp"][row.1]).collect();
        let sexes: Vec<String> = rows.iter().map(|row| format!("s{}", row.2)).collect();
        let jobs: Vec<String> = rows.iter().map(|row| format!("j{}", row.3)).collect();
        let taxonomy = ["at;west;*", "de;west;*", "pl;east;*", "cz;east;*", "jp;jp;*"];
        dataset(&[
            Given::flat("age", Role::Quasi, &ages),
            Given::flat("country", Role::Quasi, &countries).with_taxonomy(&taxonomy),
            Given::flat("sex", Role::Quasi, &sexes),
            Given::flat("job", Role::Quasi, &jobs),
        ])
    })
}

fn clusterings() -> impl Iterator<Item = &'static dyn Algorithm> {
    ["k-member", "two-phase-a", "two-phase-b", "oka"].into_iter().map(|id| algorithm(id).unwrap())
}

#[test]
fn fewer_rows_than_k_are_infeasible() {
    let data = nine_tuples();
    for clustering in clusterings() {
        let found = clustering.anonymize(&Ctx::quiet(), &byun(&data, 10, 0.0));
        let Err(Failure::Infeasible { reason }) = found else { panic!("there is no such release") };
        assert_eq!(reason, "the table has 9 rows, but a class needs at least 10");
    }
}

#[test]
fn equal_rows_constant_and_missing_columns_cost_nothing() {
    let data = dataset(&[
        Given::flat("age", Role::Quasi, &[7; 10]),
        Given::flat("sex", Role::Quasi, &["f"; 10]),
        Given::flat("town", Role::Quasi, &[""; 10]),
    ]);
    let problem = byun(&data, 3, 0.0);
    for clustering in clusterings() {
        let candidate = clustering.anonymize(&Ctx::quiet(), &problem).unwrap();
        assert!(judge(&problem, &candidate).abs() < 1e-12);
        let n_groups = candidate.cells.n_classes();
        assert!((2..=3).contains(&n_groups), "{}: {n_groups}", clustering.spec().id);
    }
}
