//! People with quasi-identifiers and a value, who come and go; and what can be derived by brute force.

use kohort_algorithms::Space;
use kohort_core::{
    Attribute, Codes, Column, Ctx, Dataset, Dictionary, Domain, History, Missing, Role, Table,
};
use kohort_models::CellMetric;
use proptest::prelude::*;

use crate::{Failure, Next, SeriesMethod, Turn};

/// Somebody: two numbers that may be known, and a value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Person {
    pub(crate) quasi: [u32; 2],
    pub(crate) value: u32,
}

/// A table of columns of numbers.
pub(crate) fn dataset(columns: &[(&str, Role, Vec<u32>)]) -> Dataset {
    let missing = Missing::default();
    let made = columns.iter().map(|(name, _, numbers)| {
        let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
        for (line, number) in (2..).zip(numbers) {
            codes.push(dictionary.intern(number.to_string().as_bytes(), line).unwrap());
        }
        Column::new((*name).into(), dictionary, codes, &missing)
    });
    let table = Table::new("t".into(), made.collect(), true, missing.clone());
    let attributes = columns.iter().map(|(name, role, _)| {
        let domain = Domain::new(&table, table.column(name).unwrap(), None, &|_| false).unwrap();
        Attribute::new(&table, name, *role, domain, None).unwrap()
    });
    let attributes = attributes.collect();
    Dataset::new(table, attributes).unwrap()
}

/// A release of a series: the people at these places of the list are in the table.
pub(crate) fn make(
    method: &dyn SeriesMethod,
    people: &[Person],
    present: &[u32],
    history: &History,
) -> Result<(Next, kohort_core::SeriesRelease), Failure> {
    drawn(method, people, (present, history), SECRET)
}

/// What the tests draw from.
const SECRET: [u8; 32] = [7; 32];

/// The same, drawn from this secret.
pub(crate) fn drawn(
    method: &dyn SeriesMethod,
    people: &[Person],
    (present, history): (&[u32], &History),
    secret: [u8; 32],
) -> Result<(Next, kohort_core::SeriesRelease), Failure> {
    with_turn(people, present, history, |turn| {
        let turn = &Turn { secret, ..*turn };
        let next = method.make(&Ctx::quiet(), turn)?;
        let released = next.released(turn);
        Ok((next, released))
    })
}

/// A turn of a series: the people at these places of the list are in the table.
pub(crate) fn with_turn<T>(
    people: &[Person],
    present: &[u32],
    history: &History,
    work: impl FnOnce(&Turn<'_>) -> T,
) -> T {
    let of = |column: usize| present.iter().map(|&p| people[p as usize].quasi[column]).collect();
    let data = dataset(&[("age", Role::Quasi, of(0)), ("zip", Role::Quasi, of(1))]);
    let space = Space::new(&data.quasi(), CellMetric::Ncp, &[1.0, 1.0]);
    let value_of_row: Vec<u32> = present.iter().map(|&p| people[p as usize].value).collect();
    work(&Turn {
        data: &data,
        space: &space,
        person_of_row: present,
        value_of_row: &value_of_row,
        history,
        secret: SECRET,
    })
}

/// People, and who of them is in each of some releases.
pub(crate) fn histories(
    n_people: std::ops::Range<usize>,
    n_values: u32,
) -> impl Strategy<Value = (Vec<Person>, Vec<Vec<u32>>)> {
    let person = ((0_u32..20, 0_u32..9), 0..n_values, prop::collection::vec(0_u32..4, 4));
    prop::collection::vec(person, n_people).prop_map(|drawn| {
        let people = drawn.iter().map(|&((a, b), value, _)| Person { quasi: [a, b], value });
        let is_there = |release: usize, person: &usize| drawn[*person].2[release] > 0;
        let present = (0..4).map(|release| {
            let there = (0..drawn.len()).filter(|person| is_there(release, person));
            there.map(|person| u32::try_from(person).unwrap()).collect()
        });
        let present = present.collect();
        (people.collect(), present)
    })
}

/// For each person who appears, in how many worlds of how many the person has each value. A world gives
/// everybody a value, such that every class shows what it does; counterfeits have what is left.
pub(crate) fn worlds(history: &History) -> (u64, Vec<Vec<u64>>) {
    let n_people = history.n_people();
    let mut counts = vec![vec![0; history.n_values as usize]; n_people];
    // How many of each value each class of each release has left.
    let mut left: Vec<Vec<Vec<u32>>> = (history.releases.iter())
        .map(|release| {
            let of_class = |class: &kohort_core::ReleasedClass| {
                let mut left = vec![0; history.n_values as usize];
                class.values.iter().for_each(|&value| left[value as usize] += 1);
                left
            };
            release.classes.iter().map(of_class).collect()
        })
        .collect();
    let mut world = Vec::new();
    let n_worlds = extend(history, &mut left, &mut world, &mut counts);
    (n_worlds, counts)
}

fn extend(
    history: &History,
    left: &mut [Vec<Vec<u32>>],
    world: &mut Vec<Option<u32>>,
    counts: &mut [Vec<u64>],
) -> u64 {
    let person = u32::try_from(world.len()).unwrap();
    if person as usize == counts.len() {
        for (value, counts) in world.iter().zip(counts) {
            if let Some(value) = value {
                counts[*value as usize] += 1;
            }
        }
        return 1;
    }
    let places: Vec<(usize, u32)> = (history.releases.iter().enumerate())
        .filter_map(|(index, release)| Some((index, release.class_of(person)?)))
        .collect();
    if places.is_empty() {
        world.push(None);
        let n = extend(history, left, world, counts);
        world.pop();
        return n;
    }
    let mut n = 0;
    for value in 0..history.n_values {
        let slot = |&(release, class): &(usize, u32)| (release, class as usize, value as usize);
        if places.iter().map(slot).any(|(r, c, v)| left[r][c][v] == 0) {
            continue;
        }
        places.iter().map(slot).for_each(|(r, c, v)| left[r][c][v] -= 1);
        world.push(Some(value));
        n += extend(history, left, world, counts);
        world.pop();
        places.iter().map(slot).for_each(|(r, c, v)| left[r][c][v] += 1);
    }
    n
}

/// The boxes of the classes of a release, in numbers.
pub(crate) fn boxes_of(
    people: &[Person],
    present: &[u32],
    next: &Next,
) -> Vec<kohort_models::series::ClassBox> {
    let of = |column: usize| present.iter().map(|&p| people[p as usize].quasi[column]).collect();
    let data = dataset(&[("age", Role::Quasi, of(0)), ("zip", Role::Quasi, of(1))]);
    let numbers = |axis: usize| {
        let mut numbers: Vec<u32> =
            present.iter().map(|&p| people[p as usize].quasi[axis]).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    };
    let cells = next.cells.chunks(2).map(|cells| {
        let edges = |axis: usize| {
            let (lo, hi) = data.quasi()[axis].codes_of(cells[axis]);
            (numbers(axis)[lo as usize], numbers(axis)[hi as usize])
        };
        let [first, second] = [edges(0), edges(1)];
        let (lo, hi) = (vec![first.0, second.0], vec![first.1, second.1]);
        kohort_models::series::ClassBox { lo, hi }
    });
    cells.collect()
}
