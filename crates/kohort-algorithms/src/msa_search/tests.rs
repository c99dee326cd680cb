//! MSA search against its start and every partition of small tables.

use kohort_core::Ctx;
use kohort_models::CellMetric;
use proptest::prelude::*;

use super::MsaSearch;
use crate::check::Check;
use crate::msa_hilbert::MsaHilbert;
use crate::msa_hilbert::tests::{least, mdiverse, poll, table_43, voters};
use crate::tests::tables::{judge, problem, settings};
use crate::{Algorithm, Candidate, Failure, Metric, SUPPRESSED, Settings};

fn n_suppressed(candidate: &Candidate) -> usize {
    candidate.group_of_row.iter().filter(|&&group| group == SUPPRESSED).count()
}

// 0.38095 is the least of all SA-distinct partitions.
#[test]
fn table_43_of_001_is_grouped_with_the_least_loss() {
    let data = table_43();
    let settings = Settings { metric: Metric::Cells(CellMetric::Lm), ..settings(2) };
    let problem = problem(&data, mdiverse(3), settings);
    let candidate = MsaSearch.anonymize(&Ctx::quiet(), &problem).unwrap();
    let mut check = Check::new(&problem);
    let best = least(&problem, |rows| check.holds(rows));
    let loss = judge(&problem, &candidate);
    assert!((loss - best).abs() < 1e-12 && (loss - 0.38095).abs() < 5e-6, "{loss}, {best}");
}

#[test]
fn a_search_that_is_stopped_at_once_gives_its_start() {
    let data = table_43();
    let problem = problem(&data, mdiverse(2), settings(2));
    let ctx = Ctx::new(&|| true, &|_, _, _| {});
    let stopped = judge(&problem, &MsaSearch.anonymize(&ctx, &problem).unwrap());
    assert!(judge(&problem, &MsaSearch.anonymize(&Ctx::quiet(), &problem).unwrap()) <= stopped);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn neither_loss_nor_suppressed_rows_are_above_those_of_the_start(
        voters in voters(60),
        d in 1_usize..8,
        l in 2_u64..6,
        suppression in 0_u64..6,
    ) {
        let data = poll(&voters, d);
        let problem = problem(&data, mdiverse(l), Settings { suppression, ..settings(2) });
        let start = MsaHilbert.anonymize(&Ctx::quiet(), &problem);
        let found = MsaSearch.anonymize(&Ctx::quiet(), &problem);
        match (start, found) {
            (Ok(start), Ok(found)) => {
                prop_assert!(judge(&problem, &found) <= judge(&problem, &start) + 1e-12);
                prop_assert!(n_suppressed(&found) <= n_suppressed(&start));
                prop_assert!(found.lower_bound.unwrap() <= judge(&problem, &found) + 1e-9);
            }
            (Err(Failure::Infeasible { reason: a }), Err(Failure::Infeasible { reason: b })) => {
                prop_assert_eq!(a, b);
            }
            (a, b) => panic!("{a:?} {b:?}"),
        }
    }

    #[test]
    fn no_partition_of_a_small_table_is_better_than_what_is_bounded(
        voters in voters(10),
        d in 1_usize..5,
        l in 2_u64..4,
    ) {
        let data = poll(&voters, d);
        let problem = problem(&data, mdiverse(l), settings(2));
        let mut check = Check::new(&problem);
        let best = least(&problem, |rows| check.holds(rows));
        if let Ok(found) = MsaSearch.anonymize(&Ctx::quiet(), &problem) {
            prop_assert!(found.lower_bound.unwrap() <= best + 1e-9);
            prop_assert!(best <= judge(&problem, &found) + 1e-9);
        } else {
            prop_assert!(best.is_infinite());
        }
    }
}
