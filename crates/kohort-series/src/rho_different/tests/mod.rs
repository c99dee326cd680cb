//! The maker on the tables of Abdalaal 2012 and on random histories, judged by every sequence of values.

mod alone;
mod worlds;

use std::collections::BTreeSet;

use kohort_algorithms::Space;
use kohort_core::{Dataset, History, ReleasedClass, Role, SeriesRelease};
use kohort_models::CellMetric;
use kohort_models::series::Transition;
use proptest::prelude::*;

use super::*;
use crate::tests::people;

/// A table of two numbers for each row.
fn dataset(rows: &[[u32; 2]]) -> Dataset {
    let column = |at: usize| rows.iter().map(|row| row[at]).collect();
    people::dataset(&[("age", Role::Quasi, column(0)), ("zip", Role::Quasi, column(1))])
}

/// One row: person, quasi-identifiers, value.
type Row = (u32, [u32; 2], u32);

/// The release of these rows after a history, and what everybody sees of it.
fn made(
    maker: &RhoDifferentMaker,
    history: &History,
    rows: &[Row],
    seed: u64,
) -> Result<(Next, SeriesRelease), Failure> {
    let data = dataset(&rows.iter().map(|row| row.1).collect::<Vec<_>>());
    let space = Space::new(&data.quasi(), CellMetric::Ncp, &[1.0, 1.0]);
    let people: Vec<u32> = rows.iter().map(|row| row.0).collect();
    let values: Vec<u32> = rows.iter().map(|row| row.2).collect();
    let mut secret = [7; 32];
    secret[..8].copy_from_slice(&seed.to_le_bytes());
    let turn = Turn {
        data: &data,
        space: &space,
        person_of_row: &people,
        value_of_row: &values,
        history,
        secret,
    };
    let next = maker.make(&Ctx::quiet(), &turn)?;
    let released = next.released(&turn);
    Ok((next, released))
}

#[test]
fn what_a_counterfeit_goes_on_to_depends_on_the_secret() {
    let rows: Vec<Row> = (0..16).map(|person| (person, [person, 0], person % 4)).collect();
    let pairs: Vec<(u32, u32, Ratio)> =
        (0..4).flat_map(|x| (0..4).map(move |y| (x, y, Ratio::new(1, 4)))).collect();
    let maker = RhoDifferentMaker::new(Ratio::new(1, 2), Correlations::new(&pairs).unwrap());
    let standing = Counterfeit { class: 0, value: 3, id: 5 };
    let maker = maker.unwrap().with_most_counterfeits(4);
    let history = History { n_values: 4, releases: Vec::new() };
    let (_, first) = made(&maker, &history, &rows, 0).unwrap();
    let maker = maker.with_standing(vec![standing], 6);
    let history = History { n_values: 4, releases: vec![first] };
    let next = |secret| {
        let (next, _) = made(&maker, &history, &rows, secret).unwrap();
        next.counterfeits.iter().find(|one| one.id == 5).map(|one| one.value)
    };
    let values: BTreeSet<u32> = (0..32).filter_map(next).collect();
    assert!(values.len() > 1, "{values:?}");
    assert_eq!(next(1), next(1));
}

/// The highest belief about a person at any release the person is in, from every sequence of values; the
/// definition, written down plainly.
fn highest_belief(history: &History, listed: &[(u32, u32, Ratio)], person: u32) -> f64 {
    let totals: Vec<Vec<f64>> = history
        .releases
        .iter()
        .map(|release| {
            let mut totals = vec![0.0; history.n_values as usize];
            for value in release.classes.iter().flat_map(|class| &class.values) {
                totals[*value as usize] += 1.0;
            }
            totals
        })
        .collect();
    let probability = |release: usize, x: u32, y: u32| {
        let pair = |y: u32| listed.iter().find(|pair| (pair.0, pair.1) == (x, y));
        let given = |y: u32| pair(y).map(|pair| pair.2.value());
        let sum: f64 = (0..history.n_values).filter_map(given).sum();
        let others = (0..history.n_values).filter(|&y| pair(y).is_none());
        let unlisted: f64 = others.map(|y| totals[release][y as usize]).sum();
        match given(y) {
            Some(listed) if unlisted > 0.0 || sum == 0.0 => listed,
            Some(listed) => listed / sum,
            None if unlisted > 0.0 => (1.0 - sum).max(0.0) * totals[release][y as usize] / unlisted,
            None => 0.0,
        }
    };
    let class_at = |release: usize| history.releases[release].class_of(person);
    let first = (0..history.releases.len()).find(|&release| class_at(release).is_some()).unwrap();
    let mut sequences: Vec<(Vec<u32>, f64)> = vec![(Vec::new(), 1.0)];
    for (release, totals) in totals.iter().enumerate().skip(first) {
        let mut longer = Vec::new();
        for (values, weight) in &sequences {
            for value in 0..history.n_values {
                let total = totals[value as usize];
                let step = match values.last() {
                    None => total,
                    Some(&before) => probability(release, before, value),
                };
                let says = class_at(release).map_or(1.0, |class| {
                    let class = &history.releases[release].classes[class as usize];
                    let shown = class.values.iter().filter(|&&shown| shown == value);
                    shown.map(|_| 1.0 / total).sum()
                });
                if weight * step * says > 0.0 {
                    let values = values.iter().copied().chain([value]).collect();
                    longer.push((values, weight * step * says));
                }
            }
        }
        sequences = longer;
    }
    let all: f64 = sequences.iter().map(|(_, weight)| weight).sum();
    let mut highest: f64 = 0.0;
    for release in (first..history.releases.len()).filter(|&release| class_at(release).is_some()) {
        for value in 0..history.n_values {
            let with = sequences.iter().filter(|(values, _)| values[release - first] == value);
            highest = highest.max(with.map(|(_, weight)| weight).sum::<f64>() / all);
        }
    }
    highest
}

const VALUES: &str = "bcdfgm";

fn value(letter: char) -> u32 {
    u32::try_from(VALUES.find(letter).unwrap()).unwrap()
}

/// Table 39 (iii) of Abdalaal 2012.
fn table_39_pairs() -> Vec<(u32, u32, Ratio)> {
    let listed = [('g', 1), ('d', 2), ('c', 1), ('m', 2)];
    listed.map(|(letter, den)| (value(letter), value(letter), Ratio::new(1, den))).to_vec()
}

/// T1 and T2 of Tables 39 and 40; t11 has c, as in the printed releases.
fn microdata() -> (Vec<Row>, Vec<Row>) {
    let row = |(person, age, zip, letter)| (person, [age, zip], value(letter));
    let first = [
        (0, 21, 12, 'd'),
        (1, 22, 14, 'b'),
        (2, 24, 18, 'f'),
        (3, 23, 25, 'g'),
        (4, 41, 20, 'f'),
        (5, 36, 27, 'g'),
        (6, 37, 33, 'd'),
        (7, 40, 35, 'f'),
        (8, 43, 26, 'g'),
        (9, 52, 33, 'd'),
        (10, 56, 34, 'c'),
    ];
    let second = [
        (0, 21, 12, 'd'),
        (3, 23, 25, 'g'),
        (11, 25, 21, 'f'),
        (6, 37, 33, 'd'),
        (8, 43, 26, 'g'),
        (4, 41, 20, 'f'),
        (12, 46, 30, 'g'),
        (13, 54, 31, 'd'),
        (10, 56, 34, 'c'),
        (14, 60, 44, 'g'),
        (15, 65, 36, 'f'),
    ];
    (first.map(row).to_vec(), second.map(row).to_vec())
}

#[test]
fn a_series_of_two_releases_begins_with_more_than_one_class() {
    let (first, second) = microdata();
    let correlations = Correlations::new(&table_39_pairs()).unwrap();
    let maker = RhoDifferentMaker::new(Ratio::new(1, 2), correlations).unwrap();
    let maker = maker.with_horizon(2).unwrap();
    let mut history = History { n_values: 6, releases: Vec::new() };
    let (_, released) = made(&maker, &history, &first, 7).unwrap();
    assert!(released.classes.len() > 1, "{:?}", released.classes);
    history.releases.push(released);
    made(&maker, &history, &second, 7).unwrap();
}

fn half() -> RhoDifferentMaker {
    let correlations = Correlations::new(&table_39_pairs()).unwrap();
    RhoDifferentMaker::new(Ratio::new(1, 2), correlations).unwrap()
}

#[test]
fn after_table_39_whoever_was_in_a_pair_with_a_permanent_value_is_held_back() {
    // Whatever is shown of them, more than one half has what is permanent, or what is not, for certain.
    let classes = [&[0, 1][..], &[2, 3], &[4, 5], &[6, 7, 8], &[9, 10]];
    let (first, second) = microdata();
    let mut released = SeriesRelease { class_of: vec![0; 11], classes: Vec::new() };
    for (class, people) in (0..).zip(classes) {
        let mut values: Vec<u32> = people.iter().map(|&person| first[person].2).collect();
        values.sort_unstable();
        for &person in people {
            released.class_of[person] = class;
        }
        released.classes.push(ReleasedClass { values, n_counterfeits: 0 });
    }
    let mut history = History { n_values: 6, releases: vec![released] };
    let (next, released) = made(&half(), &history, &second, 1).unwrap();
    for (row, class) in second.iter().zip(&next.class_of_row) {
        let is_pinned = [3, 4, 10].contains(&row.0);
        assert!(!is_pinned || *class == ABSENT, "{} is shown", row.0);
    }
    assert!(next.n_held_back() < second.len(), "somebody can be shown");
    history.releases.push(released);
    for (row, _) in second.iter().zip(&next.class_of_row).filter(|(_, class)| **class != ABSENT) {
        assert!(highest_belief(&history, &table_39_pairs(), row.0) <= 0.5 + 1e-9);
    }
}

#[test]
fn releases_made_for_both_tables_keep_one_half() {
    let (first, second) = microdata();
    let mut history = History { n_values: 6, releases: Vec::new() };
    let (next, released) = made(&half(), &history, &first, 1).unwrap();
    assert_eq!(next.n_held_back(), 0);
    history.releases.push(released);
    let maker = half().with_standing(next.counterfeits, 100);
    let (next, released) = made(&maker, &history, &second, 2).unwrap();
    history.releases.push(released);
    for (row, _) in second.iter().zip(&next.class_of_row).filter(|(_, class)| **class != ABSENT) {
        assert!(highest_belief(&history, &table_39_pairs(), row.0) <= 0.5 + 1e-9);
    }
}

#[test]
fn a_permanent_value_above_rho_is_refused_with_the_reason() {
    let rows: Vec<Row> =
        (0..4).map(|person| (person, [person, 0], u32::from(person == 0))).collect();
    let correlations = Correlations::new(&[(0, 0, Ratio::whole(1))]).unwrap();
    let maker = RhoDifferentMaker::new(Ratio::new(1, 2), correlations).unwrap();
    let history = History { n_values: 2, releases: Vec::new() };
    let Err(Failure::Infeasible { reason }) = made(&maker, &history, &rows, 1) else {
        panic!("three of four have the value")
    };
    assert_eq!(
        reason,
        "a permanent value is that of 3 of 4 rows, and `rho` allows at most 1/2 of them"
    );
}

#[test]
fn a_series_in_which_everything_flows_into_a_permanent_value_is_refused_at_once() {
    // A quarter has the permanent value, and half of the others get it by every release.
    let mut pairs: Vec<(u32, u32, Ratio)> = vec![(0, 0, Ratio::whole(1))];
    pairs.extend((1..4).map(|value| (value, 0, Ratio::new(1, 2))));
    let rows: Vec<Row> = (0..40).map(|person| (person, [person, 0], person % 4)).collect();
    let history = History { n_values: 4, releases: Vec::new() };
    let maker = || {
        let correlations = Correlations::new(&pairs).unwrap();
        RhoDifferentMaker::new(Ratio::new(1, 2), correlations).unwrap()
    };
    let planned = maker().with_horizon(3).unwrap();
    let Err(Failure::Infeasible { reason }) = made(&planned, &history, &rows, 1) else {
        panic!("1/4 + 3/8 is above 1/2")
    };
    assert_eq!(
        reason,
        "a permanent value is expected to be that of more than `rho` 1/2 of the rows in release 2 of \
         3: values flow into it, and no class hides it then"
    );
    assert!(made(&maker().with_horizon(1).unwrap(), &history, &rows, 1).is_ok());
    assert!(maker().with_horizon(0).is_err());
    let (next, _) = made(&maker(), &history, &rows, 1).unwrap();
    assert_eq!(
        next.notes[0],
        "a permanent value is expected to be that of more than `rho` 1/2 of the rows from release 2 on: \
         unless others appear, the series ends there"
    );
}

#[test]
fn nearly_nobody_is_held_back_while_most_values_last() {
    let n_values = 12;
    let mut pairs = Vec::new();
    for value in 0..n_values {
        pairs.push((value, value, Ratio::new(7, 10)));
        pairs.push((value, (value + 5) % n_values, Ratio::new(1, 5)));
    }
    let correlations = Correlations::new(&pairs).unwrap();
    let matrix = correlations.complete(vec![1.0 / 12.0; 12]);
    let maker = RhoDifferentMaker::new(Ratio::new(1, 3), correlations.clone()).unwrap();
    let mut draw = kohort_algorithms::Draw::new(3);
    let mut rows: Vec<Row> = (0..600)
        .map(|person| (person, [person * 7 % 60, person * 11 % 50], person % n_values))
        .collect();
    let mut history = History { n_values, releases: Vec::new() };
    let (mut standing, mut held_back) = (Vec::new(), 0);
    for release in 0..5 {
        let maker = maker.clone().with_standing(standing, release * 1000);
        let (next, released) = made(&maker, &history, &rows, u64::from(release)).unwrap();
        history.releases.push(released);
        standing = next.counterfeits.clone();
        held_back += next.n_held_back();
        for row in &mut rows {
            row.2 = step(&matrix, row.2, draw.uniform());
        }
    }
    assert!(held_back * 100 <= 5 * rows.len(), "{held_back} in five releases");
    assert!(history.releases[4].classes.len() > 1, "classes are not all one");
}

#[test]
fn nearly_nobody_is_held_back_while_two_values_are_for_ever() {
    // Two of 20 values are for ever, and one in fifty of the others becomes one of them.
    let n_values = 20;
    let mut pairs: Vec<(u32, u32, Ratio)> = (0..2).map(|v| (v, v, Ratio::whole(1))).collect();
    for value in 2..n_values {
        pairs.push((value, value, Ratio::new(3, 5)));
        pairs.push((value, value % 2, Ratio::new(1, 50)));
    }
    let correlations = Correlations::new(&pairs).unwrap();
    let matrix = correlations.complete(vec![1.0 / 20.0; 20]);
    let maker = RhoDifferentMaker::new(Ratio::new(1, 2), correlations.clone()).unwrap();
    let mut draw = kohort_algorithms::Draw::new(5);
    let mut rows: Vec<Row> = (0..1200)
        .map(|person| (person, [person * 7 % 60, person * 11 % 50], person % n_values))
        .collect();
    let mut history = History { n_values, releases: Vec::new() };
    let mut standing = Vec::new();
    for release in 0..8 {
        let maker = maker.clone().with_standing(standing, release * 1000);
        let (next, released) = made(&maker, &history, &rows, u64::from(release)).unwrap();
        history.releases.push(released);
        assert!(next.n_held_back() * 100 <= rows.len(), "{} in {release}", next.n_held_back());
        standing = next.counterfeits;
        for row in &mut rows {
            row.2 = step(&matrix, row.2, draw.uniform());
        }
    }
    // They grow: whoever has such a value shows it every time.
    assert!(history.releases[7].classes.len() > 1, "classes are not all one");
}

#[test]
fn fewer_planned_releases_have_smaller_classes() {
    // 24 values, of which each lasts with 0.6.
    let pairs: Vec<(u32, u32, Ratio)> = (0..24).map(|v| (v, v, Ratio::new(3, 5))).collect();
    let correlations = Correlations::new(&pairs).unwrap();
    let row = |person: u32| (person, [person * 7 % 61, person * 11 % 53], person * 5 % 24);
    let rows: Vec<Row> = (0..600).map(row).collect();
    let history = History { n_values: 24, releases: Vec::new() };
    let maker = RhoDifferentMaker::new(Ratio::new(1, 2), correlations).unwrap();
    let n_classes = |maker: &RhoDifferentMaker| {
        let (_, released) = made(maker, &history, &rows, 1).unwrap();
        released.classes.len()
    };
    let planned = |n: u32| n_classes(&maker.clone().with_horizon(n).unwrap());
    assert!(planned(3) > planned(6) && planned(6) > planned(10));
    assert_eq!([planned(10), planned(40)], [n_classes(&maker); 2]);
}

#[test]
fn a_counterfeit_keeps_its_number_and_takes_the_steps_of_its_value() {
    // Everybody stays as they are, and so does the counterfeit.
    let pairs: Vec<(u32, u32, Ratio)> = (0..4).map(|v| (v, v, Ratio::whole(1))).collect();
    let correlations = Correlations::new(&pairs).unwrap();
    let maker = RhoDifferentMaker::new(Ratio::new(1, 3), correlations).unwrap();
    let rows: Vec<Row> = (0..3).map(|person| (person, [person, person], person)).collect();
    let class = ReleasedClass { values: vec![0, 1, 2, 3], n_counterfeits: 1 };
    let released = SeriesRelease { class_of: vec![0; 3], classes: vec![class] };
    let history = History { n_values: 4, releases: vec![released] };
    let standing = Counterfeit { class: 0, value: 3, id: 5 };
    let (next, _) = made(&maker.with_standing(vec![standing], 6), &history, &rows, 1).unwrap();
    assert_eq!(next.counterfeits, [standing]);
    assert_eq!(next.class_of_row, [0, 0, 0]);
}

/// A town: where people live, their first values, and for each later release who is there and how values
/// change, as numbers to draw from.
#[derive(Clone, Debug)]
struct Town {
    pairs: Vec<(u32, u32, Ratio)>,
    people: Vec<([u32; 2], u32)>,
    releases: Vec<Vec<(bool, f64)>>,
}

fn towns() -> impl Strategy<Value = Town> {
    let pairs = prop::collection::btree_map((0_u32..4, 0_u32..4), 0_u64..=5, 0..6);
    let people = prop::collection::vec(([0_u32..9, 0_u32..9], 0_u32..4), 12..40);
    let change = (prop::bool::weighted(0.8), 0.0..1.0);
    let releases = prop::collection::vec(prop::collection::vec(change, 40), 1..4);
    (pairs, people, releases).prop_map(|(pairs, people, releases)| {
        let ratio = |((x, y), p)| (x, y, Ratio::new(p, 20));
        Town { pairs: pairs.into_iter().map(ratio).collect(), people, releases }
    })
}

/// The next value, by the matrix.
fn step(matrix: &Transition<'_>, before: u32, mut left: f64) -> u32 {
    let found = (0..matrix.n_values()).find(|&value| {
        left -= matrix.probability(before, value);
        left < 0.0
    });
    found.unwrap_or(before)
}

/// The series of a town whose values follow the correlations.
fn series(town: &Town, is_reversed: bool) -> Vec<(Vec<Row>, History, Next)> {
    changing(town, is_reversed, |matrix, (_, value), draw| step(matrix, value, draw))
}

/// The series of a town: rows of each release, and what was made of them until it was refused.
fn changing(
    town: &Town,
    is_reversed: bool,
    change: impl Fn(&Transition<'_>, ([u32; 2], u32), f64) -> u32,
) -> Vec<(Vec<Row>, History, Next)> {
    let correlations = Correlations::new(&town.pairs).unwrap();
    let matrix = correlations.complete(vec![0.25; 4]);
    let maker = RhoDifferentMaker::new(Ratio::new(1, 2), correlations.clone()).unwrap();
    let mut values: Vec<u32> = town.people.iter().map(|person| person.1).collect();
    let mut history = History { n_values: 4, releases: Vec::new() };
    let (mut found, mut standing, mut next_id) = (Vec::new(), Vec::new(), 0);
    for (number, changes) in (0..).zip(&town.releases) {
        let mut rows: Vec<Row> = Vec::new();
        for (person, (&(quasi, _), &(is_here, draw))) in (0..).zip(town.people.iter().zip(changes))
        {
            let value = &mut values[person as usize];
            *value = if number == 0 { *value } else { change(&matrix, (quasi, *value), draw) };
            if is_here {
                rows.push((person, quasi, *value));
            }
        }
        if is_reversed {
            rows.reverse();
        }
        let maker = maker.clone().with_standing(standing, next_id);
        let Ok((next, released)) = made(&maker, &history, &rows, number) else { return found };
        history.releases.push(released);
        standing = next.counterfeits.clone();
        next_id = standing.iter().map(|one| one.id + 1).max().unwrap_or(0).max(next_id);
        found.push((rows, history.clone(), next));
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_belief_is_above_rho_after_any_release(town in towns()) {
        for (rows, history, next) in series(&town, false) {
            for (row, &class) in rows.iter().zip(&next.class_of_row) {
                if class != ABSENT {
                    let highest = highest_belief(&history, &town.pairs, row.0);
                    prop_assert!(highest <= 0.5 + 1e-9, "{highest} of {}", row.0);
                }
            }
            let mut ids: Vec<u32> = next.counterfeits.iter().map(|one| one.id).collect();
            ids.sort_unstable();
            prop_assert!(ids.windows(2).all(|pair| pair[0] != pair[1]));
            let classes = &history.releases[history.releases.len() - 1].classes;
            prop_assert!(classes.iter().all(|class| class.n_counterfeits <= 1));
        }
    }

    #[test]
    fn row_order_does_not_matter_and_the_same_secret_gives_the_same(town in towns()) {
        let (forward, backward) = (series(&town, false), series(&town, true));
        prop_assert_eq!(forward.len(), backward.len());
        for ((_, forward, next), (_, backward, _)) in forward.iter().zip(&backward) {
            prop_assert!(next.class_of_row.len() >= next.n_held_back());
            for (one, other) in forward.releases.iter().zip(&backward.releases) {
                prop_assert_eq!(&one.class_of, &other.class_of);
                prop_assert_eq!(&one.classes, &other.classes);
            }
        }
    }
}
