//! The two searches against each other; the laws over all models are in `tests/laws.rs`.

use kohort_core::{Attribute, Codes, Column, Dictionary, Domain, Missing, Role, Table};
use proptest::prelude::*;

use super::*;

fn attributes(rows: &[Vec<u8>]) -> Vec<Attribute> {
    let columns = (0..rows[0].len())
        .map(|index| {
            let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
            for row in rows {
                codes.push(dictionary.intern(row[index].to_string().as_bytes(), 1).unwrap());
            }
            Column::new(format!("c{index}"), dictionary, codes, &Missing::default())
        })
        .collect();
    let table = Table::new("test".into(), columns, true, Missing::default());
    let attribute = |column: &Column| {
        let domain = Domain::new(&table, column, None, &|_| false).unwrap();
        Attribute::new(&table, column.name(), Role::Quasi, domain, None).unwrap()
    };
    table.columns().iter().map(attribute).collect()
}

proptest! {
    #[test]
    fn dualize_and_advance_equals_level_wise(
        rows in prop::collection::vec(prop::collection::vec(0_u8..2, 7), 2..30),
        k in 2_u64..4,
        budget in 0_u64..6,
    ) {
        let attributes = attributes(&rows);
        let projection = Projection::new(rows.len(), &Vec::from_iter(&attributes), &[]);
        let promise = Promise::Suppressing { k, budget };
        let order = projection.finest_first();
        let later = projection.suffix_classes(&order);
        let tester =
            Tester { projection: &projection, promise: &promise, order: &order, later: &later };
        let mut scratch = Scratch::new(&projection);
        prop_assume!(tester.keeps(AttributeSet::EMPTY, &mut scratch));
        let ctx = Ctx::quiet();
        let sorted = |mut sets: Vec<AttributeSet>| { sets.sort(); sets };
        let Jump::Found(jumped) = tester.dualize_and_advance(&[AttributeSet::EMPTY], 1, &ctx) else {
            panic!("seven attributes have few transversals");
        };
        let stepped = tester.search(None, &ctx);
        prop_assert!(jumped.is_complete);
        prop_assert_eq!(stepped.search, Search::LevelWise);
        prop_assert_eq!(sorted(jumped.positive), sorted(stepped.positive));
        prop_assert_eq!(sorted(jumped.negative), sorted(stepped.negative));
        prop_assert!(stepped.is_complete);
    }
}

#[test]
fn a_high_border_of_many_columns_is_found_without_visiting_its_subsets() {
    // Thirty columns: all constant but three, of which any two together split a row off.
    let mut rows = vec![vec![0_u8; 30]; 40];
    for (row, column) in [(0, 3), (1, 3), (0, 17), (2, 17), (0, 29), (3, 29)] {
        rows[row][column] = 1;
    }
    let attributes = attributes(&rows);
    let projection = Projection::new(rows.len(), &Vec::from_iter(&attributes), &[]);
    let promise = Promise::Suppressing { k: 2, budget: 0 };
    let found = borders(&projection, &promise, None, &Ctx::quiet()).unwrap();
    assert_eq!(found.search, Search::DualizeAndAdvance);
    assert!(found.is_complete);
    assert!(found.evaluated < 6_000, "{} sets were tested", found.evaluated);
    assert_eq!(found.negative.len(), 3);
    assert!(found.positive.iter().all(|set| set.len() == 28));
}

#[test]
fn a_search_that_is_stopped_says_how_far_it_came() {
    let rows: Vec<Vec<u8>> = (0..40).map(|i| vec![i % 2, i % 3, i % 5, i % 7]).collect();
    let attributes = attributes(&rows);
    let projection = Projection::new(rows.len(), &Vec::from_iter(&attributes), &[]);
    let promise = Promise::Suppressing { k: 2, budget: 0 };
    let ctx = Ctx::new(&|| true, &|_, _, _| {});
    let found = borders(&projection, &promise, None, &ctx).unwrap();
    assert!(!found.is_complete);
    assert_eq!(found.complete_to, 0);
    assert!(found.negative.is_empty());
}

/// Sixty rows: one column apart, and 29 equal ones: two maximal and 29 minimal sets.
fn two_blocks() -> Vec<Vec<u8>> {
    let row = |i: u8| {
        let mut row = vec![i / 20; 30];
        row[0] = u8::from(i >= 22);
        row
    };
    (0..60).map(row).collect()
}

#[test]
fn a_border_with_one_low_and_one_high_set_is_found() {
    let attributes = attributes(&two_blocks());
    let projection = Projection::new(60, &Vec::from_iter(&attributes), &[]);
    let promise = Promise::Suppressing { k: 5, budget: 0 };
    let found = borders(&projection, &promise, None, &Ctx::quiet()).unwrap();
    assert!(found.is_complete);
    assert_eq!(found.positive.len(), 2);
    assert_eq!(found.negative.len(), 29);
}

#[test]
fn what_a_stopped_jump_has_found_stands() {
    let attributes = attributes(&two_blocks());
    let projection = Projection::new(60, &Vec::from_iter(&attributes), &[]);
    let promise = Promise::Suppressing { k: 5, budget: 0 };
    let whole = borders(&projection, &promise, None, &Ctx::quiet()).unwrap();
    let low: AttributeSet = [0].into_iter().collect();
    let mut n_jumps = 0;
    for patience in (0..800).step_by(10) {
        let asked = AtomicU64::new(0);
        let stop = || asked.fetch_add(1, Ordering::Relaxed) > patience;
        let ctx = Ctx::new(&stop, &|_, _, _| {});
        let found = borders(&projection, &promise, None, &ctx).unwrap();
        for set in &found.negative {
            assert!(whole.negative.contains(set));
        }
        for set in &found.positive {
            assert!(whole.positive.iter().any(|top| set.is_within(*top)));
        }
        if !found.is_complete && found.search == Search::DualizeAndAdvance {
            // The levels before the jump had found this one.
            assert!(found.positive.contains(&low));
            n_jumps += 1;
        }
    }
    assert!(n_jumps > 0, "no stop fell into the jump");
}

/// A model that a part of a safe set can break.
struct Moody;

impl ClassModel for Moody {
    fn spec(&self) -> &'static kohort_core::Spec {
        &kohort_models::SPECS[0]
    }

    fn is_monotone(&self) -> bool {
        false
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        class.size.is_multiple_of(2)
    }
}

#[test]
fn a_promise_that_is_not_monotone_is_refused() {
    let attributes = attributes(&two_blocks());
    let projection = Projection::new(60, &Vec::from_iter(&attributes), &[]);
    let promise = Promise::EveryClass { models: vec![Box::new(Moody)], distributions: &[] };
    let refused = borders(&projection, &promise, None, &Ctx::quiet()).unwrap_err();
    assert!(matches!(refused.kind(), Kind::NotMonotone { .. }));
}
