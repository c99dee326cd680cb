//! The line cut at the least loss, against the worked example and every way to cut it.

use kohort_core::{Ctx, Role};
use kohort_models::CellMetric;
use proptest::prelude::*;

use super::{Hilbert, cut, line};
use crate::extent::Extent;
use crate::tests::laws::{models, table};
use crate::tests::tables::{Given, dataset, groups_of, judge, nine, problem, settings};
use crate::{Algorithm, Failure, Metric, Problem, Settings};

#[test]
fn nine_tuples_of_001_are_cut_at_the_least_loss() {
    // The curve of the example goes along zip first.
    let data = dataset(&[
        Given::flat("zip", Role::Quasi, &[3000, 3500, 4000, 6500, 4500, 5500, 6000, 5000, 6500]),
        Given::flat("age", Role::Quasi, &[20, 25, 25, 30, 35, 40, 45, 50, 55]),
    ]);
    // Byun's loss sums over both columns; what is judged is their mean.
    let settings = Settings { metric: Metric::Cells(CellMetric::Byun), ..settings(2) };
    let check = |k, expected: f64| {
        let problem = problem(&data, models(k, None), settings.clone());
        let candidate = Hilbert.anonymize(&Ctx::quiet(), &problem).unwrap();
        let loss = judge(&problem, &candidate) * 9.0 * 2.0;
        assert!((loss - expected).abs() < 1e-9, "k = {k}: {loss}");
    };
    check(2, 31.0 / 7.0);
    check(3, 6.0);
    check(4, 64.0 / 7.0);
}

#[test]
fn nine_tuples_of_001_are_dealt_by_their_values() {
    let data = nine("abdabacbc");
    let problem = problem(&data, models(2, Some(3)), settings(2));
    let candidate = Hilbert.anonymize(&Ctx::quiet(), &problem).unwrap();
    judge(&problem, &candidate);
    let sizes: Vec<usize> = groups_of(&candidate).iter().map(Vec::len).collect();
    assert_eq!(sizes, [3, 3, 3]);
}

#[test]
fn fewer_rows_than_k_are_refused_and_equal_rows_lose_nothing() {
    let data = dataset(&[Given::flat("age", Role::Quasi, &[30; 7])]);
    let too_few = problem(&data, models(8, None), settings(1));
    let failure = Hilbert.anonymize(&Ctx::quiet(), &too_few).unwrap_err();
    assert!(matches!(failure, Failure::Infeasible { .. }));
    let enough = problem(&data, models(3, None), settings(1));
    let candidate = Hilbert.anonymize(&Ctx::quiet(), &enough).unwrap();
    assert!(judge(&enough, &candidate) < 1e-12);
}

fn loss(problem: &Problem<'_>, line: &[(u32, u32)]) -> f64 {
    let codes = line.iter().map(|&(_, point)| problem.points().codes(point as usize));
    line.len() as f64 * Extent::around(problem.space(), codes).cost
}

/// The least loss over every way to cut a line into pieces of at least k rows, however long.
fn least(problem: &Problem<'_>, line: &[(u32, u32)], k: usize) -> f64 {
    let mut least = loss(problem, line);
    for size in k..(line.len() + 1).saturating_sub(k) {
        let (piece, rest) = line.split_at(size);
        least = least.min(loss(problem, piece) + self::least(problem, rest, k));
    }
    least
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_way_to_cut_the_line_loses_less(data in table(), k in 2_u64..6) {
        let problem = problem(&data, models(k, None), settings(3));
        let line = line(&problem);
        let line = &line[..line.len().min(16)];
        let k = problem.smallest();
        if line.len() >= k {
            let pieces = cut(&Ctx::quiet(), &problem, line);
            prop_assert_eq!(pieces.concat(), line.iter().map(|&(row, _)| row).collect::<Vec<_>>());
            let mut rest = line;
            let mut found = 0.0;
            for piece in pieces {
                prop_assert!(k <= piece.len() && piece.len() < 2 * k);
                found += loss(&problem, &rest[..piece.len()]);
                rest = &rest[piece.len()..];
            }
            prop_assert!((found - least(&problem, line, k)).abs() < 1e-9);
        }
    }

    #[test]
    fn every_feasible_l_is_reached_with_classes_of_l_and_few_more(data in table(), l in 2_u64..4) {
        let problem = problem(&data, models(l, Some(l)), settings(3));
        let largest = u64::from(*data.sensitive()[0].counts().iter().max().unwrap());
        let n = data.n_rows() as u64;
        match Hilbert.anonymize(&Ctx::quiet(), &problem) {
            Ok(candidate) => {
                judge(&problem, &candidate);
                prop_assert_eq!(groups_of(&candidate).len() as u64, n / l);
            }
            Err(_) => prop_assert!(n < largest * l),
        }
    }
}
