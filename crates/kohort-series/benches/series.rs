//! Series of releases of made-up people who come, go and come back: how long each release takes, and what
//! it costs.
//!
//! `cargo bench -p kohort-series --bench series -- 100000 10 4 2` makes ten releases of 100,000 people with
//! m = 4 and e = 2 (the defaults). In each, one in ten has left since the last and as many have come, a
//! fifth of them people who were there before.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on fails")]

use std::time::Instant;

use kohort_algorithms::{Draw, Space};
use kohort_core::{
    ABSENT, Attribute, Codes, Column, Ctx, Dataset, Dictionary, Domain, History, Missing, Role,
    Table,
};
use kohort_models::CellMetric;
use kohort_models::series::{EEquivalence, MInvariance};
use kohort_series::{EEquivalentMaker, MInvariantMaker, Next, SeriesMethod, Surplus, Turn};

/// Quasi-identifiers of each person, and a value; some values are far more frequent than others.
struct People {
    quasi: Vec<[usize; 4]>,
    values: Vec<u32>,
}

const N_VALUES: usize = 50;

impl People {
    fn add(&mut self, draw: &mut Draw) {
        let age = 18 + draw.below(70).midpoint(draw.below(70));
        let zip = draw.below(300) + draw.below(300);
        self.quasi.push([age, zip, draw.below(2), draw.below(12)]);
        let value = draw.below(N_VALUES).min(draw.below(N_VALUES));
        self.values.push(u32::try_from(value).unwrap());
    }
}

fn dataset(people: &People, present: &[u32]) -> Dataset {
    let missing = Missing::default();
    let names = ["age", "zip", "sex", "work"];
    let columns = names.iter().enumerate().map(|(axis, &name)| {
        let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
        for &person in present {
            let text = people.quasi[person as usize][axis].to_string();
            codes.push(dictionary.intern(text.as_bytes(), 2).unwrap());
        }
        Column::new(name.into(), dictionary, codes, &missing)
    });
    let table = Table::new("people".into(), columns.collect(), true, missing.clone());
    let attributes = names.map(|name| {
        let domain = Domain::new(&table, table.column(name).unwrap(), None, &|_| false).unwrap();
        Attribute::new(&table, name, Role::Quasi, domain, None).unwrap()
    });
    Dataset::new(table, attributes.to_vec()).unwrap()
}

/// The mean loss of the rows that are published.
fn loss(turn: &Turn<'_>, next: &Next) -> f64 {
    let quasi = turn.data.quasi();
    let n_classes = next.class_of_row.iter().filter(|&&c| c != ABSENT).max().map_or(0, |&c| c + 1);
    let mut boxes =
        vec![(vec![u32::MAX; quasi.len()], vec![0; quasi.len()], 0); n_classes as usize];
    for (row, &class) in next.class_of_row.iter().enumerate().filter(|&(_, &c)| c != ABSENT) {
        let (lo, hi, n) = &mut boxes[class as usize];
        *n += 1;
        for (axis, attribute) in quasi.iter().enumerate() {
            let code = attribute.codes().get(row);
            lo[axis] = code.min(lo[axis]);
            hi[axis] = code.max(hi[axis]);
        }
    }
    let total: f64 = boxes.iter().map(|(lo, hi, n)| f64::from(*n) * turn.space.cost(lo, hi)).sum();
    let n_rows: i32 = boxes.iter().map(|(.., n)| n).sum();
    total / f64::from(n_rows)
}

fn series(
    method: &dyn SeriesMethod,
    check: &dyn Fn(&History, &kohort_core::SeriesRelease) -> bool,
    n_people: usize,
    n_releases: usize,
) {
    let mut draw = Draw::new(1);
    let mut people = People { quasi: Vec::new(), values: Vec::new() };
    (0..n_people).for_each(|_| people.add(&mut draw));
    let mut present: Vec<u32> = (0..).take(n_people).collect();
    let mut gone: Vec<u32> = Vec::new();
    let mut history = History { n_values: u32::try_from(N_VALUES).unwrap(), releases: Vec::new() };
    for release in 1..=n_releases {
        let data = dataset(&people, &present);
        let space = Space::new(&data.quasi(), CellMetric::Ncp, &[1.0; 4]);
        let value_of_row: Vec<u32> = present.iter().map(|&p| people.values[p as usize]).collect();
        let turn = Turn {
            data: &data,
            space: &space,
            person_of_row: &present,
            value_of_row: &value_of_row,
            history: &history,
            secret: [1; 32],
        };
        let start = Instant::now();
        let next = method.make(&Ctx::quiet(), &turn).unwrap();
        let seconds = start.elapsed().as_secs_f64();
        let released = next.released(&turn);
        let start = Instant::now();
        assert!(check(&history, &released), "the promise is broken");
        println!(
            "{:14} {release:3} rows {:7} classes {:6} loss {:.4} counterfeits {:5} held back {:5} \
             seconds {seconds:.2} checked in {:.2}",
            method.spec().id,
            present.len(),
            released.classes.len(),
            loss(&turn, &next),
            next.counterfeits.len(),
            next.n_held_back(),
            start.elapsed().as_secs_f64(),
        );
        history.releases.push(released);
        draw.shuffle(&mut present);
        let leaving = present.split_off(n_people * 9 / 10);
        draw.shuffle(&mut gone);
        let returning = gone.split_off(gone.len() - gone.len().min(leaving.len() / 5));
        let n_fresh = leaving.len() - returning.len();
        gone.extend(leaving);
        present.extend(returning);
        for _ in 0..n_fresh {
            present.push(u32::try_from(people.values.len()).unwrap());
            people.add(&mut draw);
        }
        present.sort_unstable();
    }
}

fn main() {
    let numbers: Vec<usize> = std::env::args().filter_map(|arg| arg.parse().ok()).collect();
    let number = |at: usize, otherwise| numbers.get(at).copied().unwrap_or(otherwise);
    let (n_people, n_releases) = (number(0, 100_000), number(1, 10));
    let (m, e) = (number(2, 4), number(3, 2));
    let (m, e) = (u32::try_from(m).unwrap(), u32::try_from(e).unwrap());
    let surplus = Surplus::HoldBack;
    let model = MInvariance::new(m).unwrap();
    let check = |history: &History, next: &_| model.check(history, next).is_ok();
    series(&MInvariantMaker { model, surplus }, &check, n_people, n_releases);
    let model = EEquivalence::new(m, e).unwrap();
    let check = |history: &History, next: &_| model.check(history, next).is_ok();
    series(&EEquivalentMaker { model, surplus }, &check, n_people, n_releases);
}
