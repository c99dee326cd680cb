//! Worked joins, what is held back, and laws on random histories.

use std::collections::BTreeMap;

use kohort_core::{History, Ratio, ReleasedClass};
use proptest::prelude::*;

use super::*;
use crate::tests::people::{Person, histories, make};

fn anonymity(k: u32) -> XyModel {
    XyModel::Anonymity(XyAnonymity::new(k).unwrap())
}

/// Ages with diseases were published, zips with diseases follow: cut as finely, two people of each age
/// and two of each zip leave one disease for everybody. The same two diseases stay together.
#[test]
fn who_knows_age_and_zip_has_more_than_one_disease_left() {
    let class = |values: [u32; 2]| ReleasedClass { values: values.to_vec(), n_counterfeits: 0 };
    let ages =
        SeriesRelease { class_of: vec![0, 1, 0, 1], classes: vec![class([0, 2]), class([1, 3])] };
    let zips =
        SeriesRelease { class_of: vec![0, 0, 1, 1], classes: vec![class([0, 1]), class([2, 3])] };
    assert!(anonymity(2).check(&[], &zips).is_ok());
    assert!(anonymity(2).check(&[&ages], &zips).is_err());
    let half = XyModel::Linkability(XyLinkability::new(Ratio::new(1, 2)).unwrap());
    assert!(half.check(&[&ages], &zips).is_err());
    let people: Vec<Person> = (0..4).map(|at| Person { quasi: [0, at / 2], value: at }).collect();
    let history = History { n_values: 4, releases: vec![ages.clone()] };
    let of = |is_alike: bool| {
        let (is_alike, surplus) = (vec![is_alike], Surplus::HoldBack);
        let maker = XyMaker { model: anonymity(2), is_alike, surplus };
        let mut made = make(&maker, &people, &[0, 1, 2, 3], &history).unwrap().1;
        made.classes.sort_by_key(|class| class.values.clone());
        made.classes
    };
    assert_eq!([of(true), of(false)], [ages.classes, zips.classes]);
}

/// The second of two leaves, and nobody with her value comes: the first is held back, and others are not.
#[test]
fn whom_nothing_hides_is_held_back() {
    let class = ReleasedClass { values: vec![0, 1], n_counterfeits: 0 };
    let first = SeriesRelease { class_of: vec![0, 0], classes: vec![class] };
    let history = History { n_values: 4, releases: vec![first] };
    let people = [0, 1, 2, 3].map(|value| Person { quasi: [value, 0], value });
    for model in [anonymity(2), XyModel::Linkability(XyLinkability::new(Ratio::new(1, 2)).unwrap())]
    {
        let maker = XyMaker { model, is_alike: vec![true], surplus: Surplus::HoldBack };
        let (next, released) = make(&maker, &people, &[0, 2, 3], &history).unwrap();
        assert_eq!(next.class_of_row, [ABSENT, 0, 0]);
        assert_eq!(released.classes[0].values, [2, 3]);
        assert!(next.notes[0].starts_with("1 person is held back"), "{:?}", next.notes);
        // Beside a counterfeit she need not be.
        let maker = XyMaker { surplus: Surplus::Counterfeit, ..maker };
        let (next, _) = make(&maker, &people, &[0, 2, 3], &history).unwrap();
        assert_eq!((next.n_held_back(), next.counterfeits.len()), (0, 1));
    }
}

/// Of the rows of one class no more than a share has one value: the others are held back.
#[test]
fn a_value_that_is_too_frequent_is_held_back() {
    let share = XyModel::Linkability(XyLinkability::new(Ratio::new(1, 3)).unwrap());
    assert_eq!(share.most_of_a_value(&[9, 2, 2]), 2);
    assert_eq!(share.most_of_a_value(&[9, 2]), 0);
    assert_eq!(share.most_of_a_value(&[3, 3, 3, 1]), 3);
    assert_eq!(anonymity(2).most_of_a_value(&[9, 2]), u64::MAX);
    let people = [0, 0, 0, 0, 1, 2].map(|value| Person { quasi: [value, 0], value });
    let maker = XyMaker { model: share, is_alike: vec![], surplus: Surplus::HoldBack };
    let (next, released) = make(&maker, &people, &[0, 1, 2, 3, 4, 5], &History::default()).unwrap();
    assert_eq!((next.n_held_back(), released.classes[0].values.clone()), (3, vec![0, 1, 2]));
}

#[test]
fn what_nobody_has_any_more_cannot_be_hidden_behind() {
    let class = ReleasedClass { values: vec![0, 1], n_counterfeits: 0 };
    let first = SeriesRelease { class_of: vec![0, 0], classes: vec![class] };
    let history = History { n_values: 3, releases: vec![first] };
    let people = [0, 1, 2].map(|value| Person { quasi: [0, 0], value });
    let maker = XyMaker { model: anonymity(2), is_alike: vec![true], surplus: Surplus::HoldBack };
    let Err(Failure::Infeasible { reason }) = make(&maker, &people, &[0, 2], &history) else {
        panic!("the first person is known by the second's leaving");
    };
    assert_eq!(
        reason,
        "even a single class of everybody does not keep it: 1 kind of people occurs with fewer than 2 \
         values in the join"
    );
}

/// From the definition alone: the fewest values beside anybody of a release in some releases together,
/// and the largest share of one.
fn plain(release: &SeriesRelease, others: &[SeriesRelease]) -> (usize, f64) {
    let (mut fewest, mut largest) = (usize::MAX, 0.0_f64);
    for (person, _) in (0..).zip(&release.class_of) {
        let shown = [release].into_iter().chain(others);
        let classes: Vec<&ReleasedClass> = shown
            .filter_map(|shown| Some(&shown.classes[shown.class_of(person)? as usize]))
            .collect();
        if release.class_of(person).is_none() {
            continue;
        }
        let mut rows: BTreeMap<u32, usize> = BTreeMap::new();
        for value in 0..3 {
            let n = |class: &&ReleasedClass| class.values.iter().filter(|v| **v == value).count();
            rows.insert(value, classes.iter().map(n).min().unwrap());
        }
        let all = rows.values().sum::<usize>();
        fewest = fewest.min(rows.values().filter(|n| **n > 0).count());
        let ratio = |n: &usize| Ratio::new(*n as u64, all as u64).value();
        largest = rows.values().map(ratio).fold(largest, f64::max);
    }
    (fewest, largest)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_join_keeps_what_is_promised(
        (people, present) in histories(4..40, 3), k in 2_u32..4, leave in any::<bool>(),
        surplus in prop_oneof![Just(Surplus::HoldBack), Just(Surplus::Counterfeit)],
    ) {
        let share = Ratio::new(2, 3);
        let linkability = XyModel::Linkability(XyLinkability::new(share).unwrap());
        for model in [anonymity(k), linkability] {
            let mut history = History { n_values: 3, releases: vec![] };
            // Ages, zips, then both; all of them, or some of the people each time.
            for release in 0..4 {
                let of = |person: &Person| match (release, person.quasi) {
                    (0, [age, _]) => Person { quasi: [age, 0], ..*person },
                    (1, [_, zip]) => Person { quasi: [0, zip], ..*person },
                    _ => *person,
                };
                let shown: Vec<Person> = people.iter().map(of).collect();
                let everybody: Vec<u32> = (0..).take(people.len()).collect();
                let present = if leave { &present[release] } else { &everybody };
                if present.is_empty() {
                    continue;
                }
                let is_alike = vec![true; history.releases.len()];
                let maker = XyMaker { model, is_alike, surplus };
                let made = make(&maker, &shown, present, &history);
                prop_assert!(made.is_ok() || history.releases.is_empty() || leave);
                let Ok((_, released)) = made else { continue };
                let earlier = &history.releases[..];
                let joins = [&[][..], earlier].into_iter().chain(earlier.chunks(1));
                for (fewest, largest) in joins.map(|others| plain(&released, others)) {
                    match model {
                        XyModel::Anonymity(_) => prop_assert!(fewest >= k as usize),
                        XyModel::Linkability(_) => prop_assert!(largest <= share.value()),
                    }
                }
                history.releases.push(released);
            }
        }
    }
}

/// Ages, then zips, of the same people: who looks somebody up by the boxes of both releases, without knowing
/// the classes, finds no value with more than the share. Of each value, as many rows as the fewer.
#[test]
fn who_looks_people_up_by_boxes_finds_no_likely_value() {
    let people: Vec<Person> =
        (0..60).map(|n| Person { quasi: [n * 7 % 60, n * 37 % 900], value: n % 5 }).collect();
    let everybody: Vec<u32> = (0..60).collect();
    let share = Ratio::new(3, 5);
    let model = XyModel::Linkability(XyLinkability::new(share).unwrap());
    let mut history = History { n_values: 5, releases: vec![] };
    // For each release and person the rows of each value whose boxes cover the person.
    let mut beside: Vec<Vec<[usize; 5]>> = Vec::new();
    for column in 0..2 {
        let of = |person: &Person| Person { quasi: [person.quasi[column], 0], ..*person };
        let shown: Vec<Person> = people.iter().map(of).collect();
        let is_alike = vec![true; history.releases.len()];
        let maker = XyMaker { model, is_alike, surplus: Surplus::HoldBack };
        let (next, released) = make(&maker, &shown, &everybody, &history).unwrap();
        let mut boxes = vec![(u32::MAX, 0); released.classes.len()];
        for (person, &class) in shown.iter().zip(&next.class_of_row) {
            let (lo, hi) = &mut boxes[class as usize];
            (*lo, *hi) = ((*lo).min(person.quasi[0]), (*hi).max(person.quasi[0]));
        }
        let rows = |person: &Person| {
            let mut counts = [0; 5];
            for (class, (lo, hi)) in released.classes.iter().zip(&boxes) {
                if (*lo..=*hi).contains(&person.quasi[0]) {
                    class.values.iter().for_each(|&value| counts[value as usize] += 1);
                }
            }
            counts
        };
        beside.push(shown.iter().map(rows).collect());
        history.releases.push(released);
    }
    for (ages, zips) in beside[0].iter().zip(&beside[1]) {
        let fewer: Vec<usize> = ages.iter().zip(zips).map(|(a, b)| *a.min(b)).collect();
        let all: usize = fewer.iter().sum();
        assert!(fewer.iter().all(|n| n * 5 <= all * 3), "{fewer:?}");
    }
}
