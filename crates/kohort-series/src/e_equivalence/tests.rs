//! Tables 33 to 36 of Abdalaal 2012, and laws on random histories.

use kohort_core::{History, ReleasedClass, SeriesRelease};
use kohort_models::series::Equivalences;
use proptest::prelude::*;

use super::*;
use crate::tests::people::{Person, histories, make, worlds};

fn maker(m: u32, e: u32) -> EEquivalentMaker {
    EEquivalentMaker { model: EEquivalence::new(m, e).unwrap(), surplus: Surplus::HoldBack }
}

/// Bob, Ken, Sam, Jane, Linda, Alice; Mandy, David, Tom, Carol.
fn people() -> Vec<Person> {
    let of = |age, zip, value| Person { quasi: [age, zip], value };
    vec![
        of(20, 3000, 0),
        of(25, 3500, 1),
        of(30, 6500, 0),
        of(35, 4500, 1),
        of(40, 5500, 0),
        of(45, 6000, 2),
        of(50, 5000, 1),
        of(40, 5000, 0),
        of(55, 6500, 2),
        of(45, 5000, 0),
    ]
}

#[test]
fn table_36_a_needs_two_counterfeits_and_b_one() {
    let mut history = History { n_values: 3, releases: vec![] };
    let (next, released) = make(&maker(2, 2), &people(), &[0, 1, 2, 3, 4, 5], &history).unwrap();
    // Linda and Alice with c1 and c2.
    assert_eq!((released.classes.len(), next.counterfeits.len()), (2, 2));
    assert_eq!(released.classes[0].values.len(), 4);
    history.releases.push(released);
    let (next, released) = make(&maker(2, 2), &people(), &[0, 2, 5, 6, 7, 8, 9], &history).unwrap();
    // Bob, Mandy and Sam with c3; Alice, David, Tom and Carol.
    assert_eq!((released.classes.len(), next.counterfeits.len()), (2, 1));
    assert_eq!(maker(2, 2).model.check(&history, &released), Ok(()));
    history.releases.push(released);
    assert!(Equivalences::of(&history).blocks().is_empty());
}

#[test]
fn classes_that_are_too_small_bind_for_good() {
    let class = ReleasedClass { values: vec![0, 1], n_counterfeits: 0 };
    let release = SeriesRelease { class_of: vec![0, 0], classes: vec![class] };
    let history = History { n_values: 3, releases: vec![release] };
    let refused = make(&maker(2, 2), &people(), &[0, 1, 2, 3], &history);
    let Err(Failure::Infeasible { reason }) = refused else { panic!("it must be refused") };
    assert!(reason.starts_with("1 classes of earlier releases have fewer than 4 rows"), "{reason}");
}

#[test]
fn what_is_published_again_unchanged_has_the_same_classes() {
    let people: Vec<Person> =
        (0..40).map(|at| Person { quasi: [at, at % 3], value: at % 2 }).collect();
    let present: Vec<u32> = (0..40).collect();
    let mut history = History { n_values: 2, releases: vec![] };
    let (_, first) = make(&maker(2, 2), &people, &present, &history).unwrap();
    assert!(first.classes.len() >= 8, "{} classes", first.classes.len());
    history.releases.push(first.clone());
    let (_, second) = make(&maker(2, 2), &people, &present, &history).unwrap();
    assert_eq!(first.class_of, second.class_of);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_series_keeps_e_equivalence(
        (people, present) in histories(1..60, 4), m in 2_u32..4, e in 2_u32..4,
    ) {
        let mut history = History { n_values: 4, releases: vec![] };
        for present in &present {
            if let Ok((_, released)) = make(&maker(m, e), &people, present, &history) {
                prop_assert_eq!(maker(m, e).model.check(&history, &released), Ok(()));
                history.releases.push(released);
            }
        }
        prop_assert!(Equivalences::of(&history).blocks().is_empty());
    }

    #[test]
    fn no_world_is_likelier_than_one_in_m((people, present) in histories(1..9, 3)) {
        let mut history = History { n_values: 3, releases: vec![] };
        for present in &present {
            if let Ok((_, released)) = make(&maker(2, 2), &people, present, &history) {
                history.releases.push(released);
            }
        }
        let (n_worlds, counts) = worlds(&history);
        for counts in counts {
            prop_assert!(counts.iter().all(|&count| count * 2 <= n_worlds));
        }
    }
}
