//! Grouping by capacity against the example of Abdalaal 2012 and a plain rewriting.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use kohort_core::{Dataset, Role};
use kohort_models::{ClassModel, KAnonymity, LMdiversity};
use proptest::prelude::*;

use super::*;
use crate::tests::laws::several;
use crate::tests::tables::{Given, dataset, groups_of, judge, problem, settings, tuples, voters};
use crate::{SUPPRESSED, Settings};

const ALL: [Capacity; 3] = [Capacity::Sum, Capacity::Cell, Capacity::Largest];

fn models(l: u64) -> Vec<Box<dyn ClassModel>> {
    vec![Box::new(LMdiversity::new(l).unwrap())]
}

// Table 24, where t9 is (e, f) as in Table 23.
#[test]
fn table_23_is_grouped_as_in_table_24() {
    let data = dataset(&[
        Given::flat("age", Role::Quasi, &[20, 25, 25, 30, 35, 40, 45, 50, 55]),
        Given::flat("zip", Role::Quasi, &[3000, 3500, 4000, 6500, 4500, 5500, 6000, 5000, 6500]),
        Given::flat("i1", Role::Sensitive, &["a", "a", "a", "b", "b", "c", "c", "d", "e"]),
        Given::flat("i2", Role::Sensitive, &["f", "w", "x", "f", "w", "y", "y", "z", "f"]),
    ]);
    let problem = problem(&data, models(3), settings(2));
    let candidate = Mmdcf(Capacity::Sum).anonymize(&Ctx::quiet(), &problem).unwrap();
    judge(&problem, &candidate);
    assert!(candidate.form == crate::Form::Anatomized && candidate.cells.is_empty());
    let groups: Vec<Vec<u32>> = groups_of(&candidate).into_iter().collect();
    assert_eq!(groups, [[0, 4, 5], [1, 3, 6], [2, 7, 8]]);
}

#[test]
fn k_above_l_takes_several_groups_at_a_time() {
    let data = voters();
    let mut models = models(3);
    models.push(Box::new(KAnonymity::new(4).unwrap()));
    let problem = problem(&data, models, settings(2));
    let candidate = Mmdcf(Capacity::Sum).anonymize(&Ctx::quiet(), &problem).unwrap();
    judge(&problem, &candidate);
    assert!(groups_of(&candidate).iter().all(|rows| rows.len() >= 4));
}

#[test]
fn rows_that_are_left_are_suppressed_or_join_groups() {
    // One pair of values too many for l = 2: (a, w) has no partner in the end.
    let data = dataset(&[
        Given::flat("age", Role::Quasi, &[1, 2, 3, 4, 5]),
        Given::flat("i1", Role::Sensitive, &["a", "a", "b", "c", "b"]),
        Given::flat("i2", Role::Sensitive, &["w", "w", "x", "w", "x"]),
    ]);
    let found = |suppression| {
        let settings = Settings { suppression, ..settings(1) };
        let problem = problem(&data, models(2), settings);
        let candidate = Mmdcf(Capacity::Sum).anonymize(&Ctx::quiet(), &problem).ok()?;
        judge(&problem, &candidate);
        Some(candidate.group_of_row.iter().filter(|&&group| group == SUPPRESSED).count())
    };
    // Three of five rows have w: no release has them all.
    assert_eq!((found(0), found(1)), (None, Some(1)));
}

/// The rule of step 2 and 3, every cell looked at again for every row.
fn plain(problem: &Problem<'_>, capacity: Capacity, l: usize) -> Vec<Vec<u32>> {
    let mut left: Vec<u32> = problem.points().all_rows().to_vec();
    let of = |row: u32| tuples(problem, &[row]);
    let share = |a: u32, b: u32| of(a).iter().zip(of(b)).any(|(x, y)| *x == y);
    let mut groups = Vec::new();
    loop {
        let mut group: Vec<u32> = Vec::new();
        while group.len() < l {
            let mut cells: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
            let mut values: BTreeMap<(usize, u32), usize> = BTreeMap::new();
            for &row in left.iter().filter(|row| !group.contains(row)) {
                *cells.entry(of(row)).or_default() += 1;
                for pair in of(row).into_iter().enumerate() {
                    *values.entry(pair).or_default() += 1;
                }
            }
            let values_left = |pair| values[&pair];
            let key = |row: u32| {
                let size = cells[&of(row)];
                let capacities = of(row).into_iter().enumerate().map(values_left);
                let key = match capacity {
                    Capacity::Sum => capacities.sum(),
                    Capacity::Cell => size,
                    Capacity::Largest => capacities.max().unwrap(),
                };
                let values = of(row).into_iter().enumerate();
                let ties = values.map(|pair| (values_left(pair), Reverse(pair.1)));
                (key, size, ties.collect::<Vec<_>>())
            };
            let is_free = |row: &&u32| group.iter().all(|&taken| !share(taken, **row));
            let free = left.iter().filter(is_free).copied();
            let best = free.reduce(|best, row| if key(row) > key(best) { row } else { best });
            let Some(row) = best else { return groups };
            group.push(row);
        }
        left.retain(|row| !group.contains(row));
        groups.push(group);
    }
}

fn found(data: &Dataset, capacity: Capacity, l: usize, most: usize) -> (Vec<Vec<u32>>, usize) {
    let problem = problem(data, models(l as u64), settings(2));
    let grid = Grid::new(&problem, problem.points().all_rows(), capacity);
    let (groups, left) = grid.groups(l, most);
    (groups, left.len())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn fast_equals_plain(data in several(), l in 2_usize..5) {
        let problem = problem(&data, models(l as u64), settings(2));
        for capacity in ALL {
            let (groups, left) = found(&data, capacity, l, MOST_LOOKS);
            prop_assert_eq!(left, data.n_rows() - groups.len() * l);
            prop_assert_eq!(groups, plain(&problem, capacity, l), "{:?}", capacity);
        }
    }

    #[test]
    fn groups_of_few_looks_share_no_value(data in several(), l in 2_usize..4) {
        let problem = problem(&data, models(l as u64), settings(2));
        let (groups, left) = found(&data, Capacity::Sum, l, 3);
        prop_assert_eq!(left + groups.len() * l, data.n_rows());
        for group in groups {
            for (at, &a) in group.iter().enumerate() {
                for &b in &group[at + 1..] {
                    let (a, b) = (tuples(&problem, &[a]), tuples(&problem, &[b]));
                    prop_assert!(a.iter().zip(&b).all(|(x, y)| x != y));
                }
            }
        }
    }

    #[test]
    fn every_release_keeps_l_mdiversity(data in several(), l in 2_u64..4, suppression in 0_u64..9) {
        let settings = Settings { suppression, ..settings(2) };
        let problem = problem(&data, models(l), settings);
        for capacity in ALL {
            if let Ok(candidate) = Mmdcf(capacity).anonymize(&Ctx::quiet(), &problem) {
                judge(&problem, &candidate);
            }
        }
    }
}
