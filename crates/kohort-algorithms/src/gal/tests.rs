//! Gal's model against the example of Abdalaal 2012 and its own condition.

use kohort_core::{Ratio, Role};
use kohort_models::{CellMetric, ClassModel, KAnonymity, LMdiversity, worst_posterior};
use proptest::prelude::*;

use super::*;
use crate::hitting::deletions;
use crate::tests::laws::several;
use crate::tests::tables::{
    Given, classes_of, dataset, groups_of, loss, problem, settings, tuples, voters,
};
use crate::{Metric, SUPPRESSED, Settings};

fn models(l: u64) -> Vec<Box<dyn ClassModel>> {
    vec![Box::new(LMdiversity::new(l).unwrap())]
}

// t4 and t5 are excluded, DM 9 + 16 + 2·9, LM 0.48413.
#[test]
fn table_22_comes_out_with_its_discernibility_and_loss() {
    let data = voters();
    let metric = Metric::Cells(CellMetric::Lm);
    for suppression in [2, 9] {
        let settings = Settings { metric, suppression, ..settings(2) };
        let problem = problem(&data, models(3), settings);
        let candidate = Gal.anonymize(&Ctx::quiet(), &problem).unwrap();
        let groups: Vec<Vec<u32>> = groups_of(&candidate).into_iter().collect();
        assert_eq!(groups, [vec![0, 1, 2], vec![3, 4], vec![5, 6, 7, 8]]);
        assert_eq!(candidate.group_of_row[3..5], [SUPPRESSED; 2]);
        assert!((loss(&problem, &candidate) - 0.484_13).abs() < 5e-6);
        let dm: usize = 2 * 9 + [3, 4].iter().map(|size| size * size).sum::<usize>();
        assert_eq!(dm, 43);
        // 3-diverse by deletions, and yet a value of the second class is right half of the time.
        let worst = |rows: &[u32]| worst_posterior(&tuples(&problem, rows), 2, 0).probability;
        assert_eq!(worst(&groups[0]), Ratio::new(1, 3));
        assert_eq!(worst(&groups[2]), Ratio::new(1, 2));
    }
}

#[test]
fn without_suppression_nobody_is_excluded() {
    let data = voters();
    let candidate = Gal.anonymize(&Ctx::quiet(), &problem(&data, models(3), settings(2))).unwrap();
    let groups: Vec<Vec<u32>> = groups_of(&candidate).into_iter().collect();
    assert_eq!(groups, [vec![0, 1, 2, 3, 4], vec![5, 6, 7, 8]]);
}

#[test]
fn a_goal_without_an_l_of_all_is_refused_and_one_for_each_attribute_is_not() {
    let data = voters();
    let k = |k| -> Box<dyn ClassModel> { Box::new(KAnonymity::new(k).unwrap()) };
    let distinct = |attribute, l| -> Box<dyn ClassModel> {
        Box::new(kohort_models::DistinctLDiversity::new(attribute, l).unwrap())
    };
    let found = |models| {
        let problem = problem(&data, models, settings(2));
        Gal.anonymize(&Ctx::quiet(), &problem).map(|candidate| groups_of(&candidate).len())
    };
    let Err(Failure::Error(error)) = found(vec![k(2), distinct(0, 3)]) else {
        panic!("it is refused")
    };
    assert_eq!(
        error.to_string(),
        "`gal` needs a goal of l-mdiversity or l-pdiversity, or one of l-diversity for every sensitive \
         attribute"
    );
    assert_eq!(found(vec![distinct(0, 3), distinct(1, 2)]).unwrap(), 2);
    assert_eq!(found(vec![k(5), distinct(0, 3), distinct(1, 2)]).unwrap(), 1);
}

// A table of one value on one attribute cannot be diverse, whatever the others are.
#[test]
fn one_value_is_out_of_reach() {
    let data = dataset(&[
        Given::flat("age", Role::Quasi, &[1, 2, 3]),
        Given::flat("i1", Role::Sensitive, &["a", "b", "c"]),
        Given::flat("i2", Role::Sensitive, &["w", "w", "w"]),
    ]);
    let found = Gal.anonymize(&Ctx::quiet(), &problem(&data, models(2), settings(1)));
    assert!(matches!(found, Err(Failure::Infeasible { .. })));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_class_needs_l_deletions(data in several(), l in 2_u64..5, suppression in 0_u64..9) {
        let settings = Settings { suppression, ..settings(2) };
        let problem = problem(&data, models(l), settings);
        let all: Vec<u32> = (0..).take(problem.n_rows()).collect();
        let most = deletions(problem.sensitive(), &all) as u64;
        match Gal.anonymize(&Ctx::quiet(), &problem) {
            Err(Failure::Infeasible { .. }) => prop_assert!(most < l),
            Err(Failure::Error(error)) => panic!("{error}"),
            Ok(candidate) => {
                for rows in classes_of(&problem, &candidate) {
                    prop_assert!(deletions(problem.sensitive(), &rows) as u64 >= l);
                }
            }
        }
    }
}
