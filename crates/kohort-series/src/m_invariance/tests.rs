//! Tables 33 to 35 of Abdalaal 2012, and laws on random histories.

use std::collections::BTreeSet;

use kohort_core::{History, ReleasedClass, SeriesRelease};
use proptest::prelude::*;

use super::*;
use crate::exchange::loss;
use crate::rows::Rows;
use crate::tests::people::{Person, histories, make, with_turn, worlds};

fn maker(m: u32, surplus: Surplus) -> NearMInvariantMaker {
    NearMInvariantMaker { model: MInvariance::new(m).unwrap(), surplus }
}

fn by_counts(m: u32, surplus: Surplus) -> MInvariantMaker {
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

/// The loss of what is made of these people, nobody of whom was published before.
fn loss_of_first(people: &[Person], m: u32) -> f64 {
    let present: Vec<u32> = (0..).take(people.len()).collect();
    with_turn(people, &present, &History::default(), |turn| {
        let next = maker(m, Surplus::HoldBack).make(&Ctx::quiet(), turn).unwrap();
        assert_eq!(next.n_held_back() + next.counterfeits.len(), 0);
        loss_of(turn, &next.class_of_row)
    })
}

/// The mean loss of rows in these classes.
fn loss_of(turn: &Turn<'_>, class_of_row: &[u32]) -> f64 {
    let rows = Rows::new(turn);
    let n_classes = class_of_row.iter().max().unwrap() + 1;
    let mut classes = vec![Vec::new(); n_classes as usize];
    for (row, &class) in (0..).zip(class_of_row) {
        classes[class as usize].push(row);
    }
    loss(turn.space, &rows, &classes) / class_of_row.len() as f64
}

// Table 33 (b) prints three classes of two, Table 27 (a) three of three.
#[test]
fn the_groupings_of_tables_33_and_27_lose_no_less() {
    let printed = |people: &[Person], classes: &[u32]| {
        let present: Vec<u32> = (0..).take(people.len()).collect();
        with_turn(people, &present, &History::default(), |turn| loss_of(turn, classes))
    };
    let first = &people()[..6];
    let best = printed(first, &[0, 0, 1, 1, 2, 2]);
    assert!((best - 0.243).abs() < 5e-4, "{best}");
    assert!(loss_of_first(first, 2) <= best + 1e-9);
    let of = |age, zip, value| Person { quasi: [age, zip], value };
    let voters = [
        of(20, 3000, 0),
        of(25, 3500, 1),
        of(25, 4000, 3),
        of(30, 6500, 0),
        of(35, 4500, 1),
        of(40, 5500, 0),
        of(45, 6000, 2),
        of(50, 5000, 1),
        of(55, 6500, 2),
    ];
    let best = printed(&voters, &[0, 0, 0, 1, 1, 2, 1, 2, 2]);
    assert!((best - 0.381).abs() < 5e-4, "{best}");
    assert!(loss_of_first(&voters, 3) <= best + 1e-9);
}

/// People of two kinds that are far apart, the values of one rare in the other.
fn two_kinds(n: u32) -> Vec<Person> {
    let of = |at: u32| Person {
        quasi: [at * 7 % 40 + 60 * (at % 2), at * 3 % 9],
        value: at * 5 % 7 % 4,
    };
    (0..n).map(of).collect()
}

#[test]
fn the_first_release_loses_no_more_than_auto_with_as_many_values() {
    use kohort_algorithms::{Problem, Settings, algorithm, anonymize};
    use kohort_models::{ClassModel, FrequencyLDiversity, Promises};
    let people = two_kinds(240);
    for m in [2, 3] {
        let of = |axis: usize| people.iter().map(|person| person.quasi[axis]).collect();
        let values: Vec<u32> = people.iter().map(|person| person.value).collect();
        let data = crate::tests::people::dataset(&[
            ("age", kohort_core::Role::Quasi, of(0)),
            ("zip", kohort_core::Role::Quasi, of(1)),
            ("value", kohort_core::Role::Sensitive, values),
        ]);
        let l = kohort_core::Ratio::whole(u64::from(m));
        let models: Vec<Box<dyn ClassModel>> =
            vec![Box::new(FrequencyLDiversity::new(0, l).unwrap())];
        let promises = Promises::new(models, &data.sensitive());
        let problem = Problem::new(&data, promises, Settings::plain(2, 7));
        let made = anonymize(algorithm("auto").unwrap(), &Ctx::quiet(), &problem).unwrap();
        let present: Vec<u32> = (0..).take(people.len()).collect();
        let auto = with_turn(&people, &present, &History::default(), |turn| {
            loss_of(turn, &made.group_of_row)
        });
        let first = loss_of_first(&people, m);
        assert!(first <= 1.05 * auto, "m = {m}: {first}, but auto {auto}");
    }
}

/// What each of six releases loses, of people of whom one in ten leaves each time while as many come.
fn losses(people: &[Person], make: &dyn Fn(&Turn<'_>) -> Next) -> Vec<f64> {
    let mut history = History { n_values: 6, releases: vec![] };
    let n = u32::try_from(people.len()).unwrap();
    let release = |number: u32| {
        let present: Vec<u32> = (number * n / 20..n / 2 + number * n / 20).collect();
        let (loss, released) = with_turn(people, &present, &history, |turn| {
            let next = make(turn);
            let released = next.released(turn);
            let mut classes = vec![Vec::new(); released.classes.len()];
            let shown = (0..).zip(&next.class_of_row).filter(|(_, class)| **class != ABSENT);
            shown.for_each(|(row, &class)| classes[class as usize].push(row));
            let n_shown = present.len() - next.n_held_back();
            (loss(turn.space, &Rows::new(turn), &classes) / n_shown as f64, released)
        });
        assert_eq!(MInvariance::new(2).unwrap().check(&history, &released), Ok(()));
        history.releases.push(released);
        loss
    };
    (0..6).map(release).collect()
}

#[test]
fn no_release_loses_as_much_as_where_signatures_are_chosen_by_counts() {
    let mut draw = Draw::new(3);
    let mut below = |n| u32::try_from(draw.below(n)).unwrap();
    let people: Vec<Person> = (0..1200)
        .map(|_| Person { quasi: [below(70), below(30)], value: below(6).min(below(6)) })
        .collect();
    let near =
        losses(&people, &|turn| maker(2, Surplus::HoldBack).make(&Ctx::quiet(), turn).unwrap());
    let by_counts =
        losses(&people, &|turn| by_buckets(&Ctx::quiet(), turn, 2, Surplus::HoldBack).unwrap());
    let pairs = near.iter().zip(&by_counts);
    assert!(pairs.clone().all(|(near, other)| near < other), "{near:?} and {by_counts:?}");
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
fn series(maker: &dyn SeriesMethod, people: &[Person], present: &[Vec<u32>]) -> History {
    let mut history = History { n_values: 4, releases: vec![] };
    for present in present {
        if let Ok((_, released)) = make(maker, people, present, &history) {
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
        let (near, others) = (maker(m, surplus), by_counts(m, surplus));
        for method in [&near as &dyn SeriesMethod, &others] {
            let history = series(method, &people, &present);
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
    }

    #[test]
    fn no_world_is_likelier_than_one_in_m(
        (people, present) in histories(1..9, 3), m in 2_u32..4, holds_back in any::<bool>(),
    ) {
        let surplus = if holds_back { Surplus::HoldBack } else { Surplus::Counterfeit };
        let (near, others) = (maker(m, surplus), by_counts(m, surplus));
        for method in [&near as &dyn SeriesMethod, &others] {
            let history = series(method, &people, &present);
            let (n_worlds, counts) = worlds(&history);
            prop_assert!(n_worlds > 0);
            for counts in counts {
                prop_assert!(counts.iter().all(|&count| count * u64::from(m) <= n_worlds));
                // Value association: the candidates never fall below m.
                let n_candidates = counts.iter().filter(|&&count| count > 0).count();
                prop_assert!(n_candidates == 0 || n_candidates >= m as usize);
            }
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
