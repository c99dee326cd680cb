//! Tables 33 to 35 of Abdalaal 2012, and laws on random histories.

use std::collections::BTreeSet;

use kohort_core::{History, ReleasedClass, SeriesRelease};
use proptest::prelude::*;

use super::*;
use crate::tests::people::{Person, histories, make, worlds};

fn maker(m: u32, surplus: Surplus) -> MInvariantMaker {
    MInvariantMaker { model: MInvariance::new(m).unwrap(), surplus }
}

const A: u32 = 0;
const B: u32 = 1;
const C: u32 = 2;

/// Bob, Ken, Sam, Jane, Linda, Alice; Mandy, David, Tom, Carol.
fn people() -> Vec<Person> {
    let of = |age, zip, value| Person { quasi: [age, zip], value };
    vec![
        of(20, 3000, A),
        of(25, 3500, B),
        of(30, 6500, A),
        of(35, 4500, B),
        of(40, 5500, A),
        of(45, 6000, C),
        of(50, 5000, B),
        of(40, 5000, A),
        of(55, 6500, C),
        of(45, 5000, A),
    ]
}

/// Table 33(b).
fn table_33() -> History {
    let class = |values: [u32; 2]| ReleasedClass { values: values.to_vec(), n_counterfeits: 0 };
    let release = SeriesRelease {
        class_of: vec![0, 0, 1, 1, 2, 2],
        classes: vec![class([A, B]), class([A, B]), class([A, C])],
    };
    History { n_values: 3, releases: vec![release] }
}

/// The people of the classes with each signature, and the values of their counterfeits.
fn of_signature(next: &Next, released: &SeriesRelease, signature: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let is_of = |class: u32| released.classes[class as usize].signature() == signature;
    let people =
        (0..).zip(&released.class_of).filter(|&(_, &class)| class != ABSENT && is_of(class));
    let counterfeits = next.counterfeits.iter().filter(|fake| is_of(fake.class));
    (people.map(|(person, _)| person).collect(), counterfeits.map(|fake| fake.value).collect())
}

#[test]
fn tables_33_to_35_need_one_counterfeit() {
    let (next, released) =
        make(&maker(2, Surplus::HoldBack), &people(), &[0, 2, 5, 6, 7, 8, 9], &table_33()).unwrap();
    // Bob, Sam and Mandy with c1; Alice, David, Tom and Carol.
    assert_eq!(of_signature(&next, &released, &[A, B]), (vec![0, 2, 6], vec![B]));
    assert_eq!(of_signature(&next, &released, &[A, C]), (vec![5, 7, 8, 9], vec![]));
    assert_eq!((released.classes.len(), next.n_held_back()), (4, 0));
    let model = MInvariance::new(2).unwrap();
    assert_eq!(model.check(&table_33(), &released), Ok(()));
}

#[test]
fn table_33_is_made_without_counterfeits() {
    let (next, released) =
        make(&maker(2, Surplus::HoldBack), &people(), &[0, 1, 2, 3, 4, 5], &History::default())
            .unwrap();
    assert!(next.counterfeits.is_empty() && next.n_held_back() == 0);
    assert_eq!(released.classes.len(), 3);
}

#[test]
fn a_value_that_changed_is_refused() {
    let mut people = people();
    people[0].value = C;
    let refused = make(&maker(2, Surplus::HoldBack), &people, &[0, 1, 2], &table_33());
    let Err(Failure::Infeasible { reason }) = refused else { panic!("it must be refused") };
    assert!(reason.starts_with("the values of 1 people are not among those published"), "{reason}");
}

#[test]
fn people_with_a_frequent_value_are_held_back_or_surrounded_by_counterfeits() {
    let people: Vec<Person> = [A, A, A, A, B, C]
        .iter()
        .zip(0..)
        .map(|(&value, at)| Person { quasi: [at, at], value })
        .collect();
    let all = [0, 1, 2, 3, 4, 5];
    let history = History { n_values: 3, releases: vec![] };
    let (next, _) = make(&maker(2, Surplus::HoldBack), &people, &all, &history).unwrap();
    assert_eq!((next.n_held_back(), next.counterfeits.len()), (2, 0));
    let (next, released) = make(&maker(2, Surplus::Counterfeit), &people, &all, &history).unwrap();
    assert_eq!((next.n_held_back(), next.counterfeits.len()), (0, 2));
    assert_eq!(MInvariance::new(2).unwrap().check(&history, &released), Ok(()));
    let same = [0, 1, 2, 3];
    for surplus in [Surplus::HoldBack, Surplus::Counterfeit] {
        let history = History { n_values: 1, releases: vec![] };
        assert!(make(&maker(2, surplus), &people, &same, &history).is_err());
    }
}

/// Every release m-unique, and everybody's signature the same in all: by the definition alone.
fn plain(history: &History, m: usize) -> bool {
    let is_unique = |class: &ReleasedClass| {
        class.values.len() >= m
            && class.values.iter().collect::<BTreeSet<_>>().len() == class.values.len()
    };
    let people = 0..u32::try_from(history.n_people()).unwrap();
    history.releases.iter().all(|release| release.classes.iter().all(is_unique))
        && people.into_iter().all(|person| {
            let signatures: BTreeSet<Vec<u32>> = (history.releases.iter())
                .filter_map(|release| release.class_of(person).map(|c| (release, c)))
                .map(|(release, class)| release.classes[class as usize].signature())
                .collect();
            signatures.len() <= 1
        })
}

/// A series of all that can be made.
fn series(maker: MInvariantMaker, people: &[Person], present: &[Vec<u32>]) -> History {
    let mut history = History { n_values: 4, releases: vec![] };
    for present in present {
        if let Ok((_, released)) = make(&maker, people, present, &history) {
            history.releases.push(released);
        }
    }
    history
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_series_is_m_invariant(
        (people, present) in histories(1..60, 4), m in 2_u32..4, holds_back in any::<bool>(),
    ) {
        let surplus = if holds_back { Surplus::HoldBack } else { Surplus::Counterfeit };
        let history = series(maker(m, surplus), &people, &present);
        prop_assert!(plain(&history, m as usize));
        for (index, release) in history.releases.iter().enumerate() {
            let so_far = History { n_values: 4, releases: history.releases[..index].to_vec() };
            prop_assert_eq!(MInvariance::new(m).unwrap().check(&so_far, release), Ok(()));
            for (person, _) in (0..).zip(&release.class_of) {
                // The true value is among those shown.
                let class = release.class_of(person).map(|c| &release.classes[c as usize]);
                prop_assert!(class.is_none_or(|c| c.values.contains(&people[person as usize].value)));
            }
        }
    }

    #[test]
    fn no_world_is_likelier_than_one_in_m(
        (people, present) in histories(1..9, 3), m in 2_u32..4, holds_back in any::<bool>(),
    ) {
        let surplus = if holds_back { Surplus::HoldBack } else { Surplus::Counterfeit };
        let history = series(maker(m, surplus), &people, &present);
        let (n_worlds, counts) = worlds(&history);
        prop_assert!(n_worlds > 0);
        for counts in counts {
            prop_assert!(counts.iter().all(|&count| count * u64::from(m) <= n_worlds));
            // Value association: the candidates never fall below m.
            let n_candidates = counts.iter().filter(|&&count| count > 0).count();
            prop_assert!(n_candidates == 0 || n_candidates >= m as usize);
        }
    }

    #[test]
    fn the_incremental_check_is_the_full_one(
        releases in prop::collection::vec(
            (prop::collection::vec(0_usize..4, 6), prop::collection::vec(0_usize..4, 3)), 1..4,
        ),
    ) {
        // Any releases, good or bad: each person in a class or absent, classes with some values.
        const SHOWN: [&[u32]; 4] = [&[0, 1], &[0, 2], &[0, 1, 2], &[1]];
        let releases = releases.iter().map(|(places, shown)| SeriesRelease {
            class_of: places.iter().map(|&p| if p < 3 { u32::try_from(p).unwrap() } else { ABSENT }).collect(),
            classes: shown.iter().map(|&s| ReleasedClass { values: SHOWN[s].to_vec(), n_counterfeits: 0 }).collect(),
        });
        let whole = History { n_values: 3, releases: releases.collect() };
        let model = MInvariance::new(2).unwrap();
        let one_by_one = (whole.releases.iter().enumerate()).all(|(index, release)| {
            let so_far = History { n_values: 3, releases: whole.releases[..index].to_vec() };
            model.check(&so_far, release).is_ok()
        });
        prop_assert_eq!(one_by_one, plain(&whole, 2));
    }
}
