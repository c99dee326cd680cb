//! Mondrian against the worked example, against a plain one, and what its classes may be.

use std::collections::BTreeSet;

use kohort_core::{Cell, Ctx, Dataset, Role};
use proptest::prelude::*;

use super::Mondrian;
use crate::tests::laws::{models, table};
use crate::tests::tables::{Given, dataset, groups_of, judge, problem, settings, shown};
use crate::{Algorithm, Failure, Problem};

fn anonymize(problem: &Problem<'_>, is_relaxed: bool) -> crate::Candidate {
    Mondrian { is_relaxed }.anonymize(&Ctx::quiet(), problem).unwrap()
}

/// Table 2 of Sharma et al. with gender as 0 and 1.
fn table_2() -> Dataset {
    let zips = [13051, 13053, 13063, 13068, 14851, 14856, 14867, 14869];
    dataset(&[
        Given::flat("zip", Role::Quasi, &zips),
        Given::flat("age", Role::Quasi, &[21, 26, 33, 37, 45, 48, 53, 59]),
        Given::flat("gender", Role::Quasi, &[0, 1, 0, 1, 0, 1, 0, 1]),
    ])
}

#[test]
fn table_2_of_002_in_classes_of_2_3_and_4() {
    let data = table_2();
    for is_relaxed in [false, true] {
        let check = |k, expected: &[&[u32]]| {
            let candidate = anonymize(&problem(&data, models(k, None), settings(3)), is_relaxed);
            let expected: BTreeSet<Vec<u32>> =
                expected.iter().map(|ids| ids.iter().map(|id| id - 1).collect()).collect();
            assert_eq!(groups_of(&candidate), expected, "k = {k}");
        };
        check(2, &[&[1, 3], &[2, 4], &[5, 7], &[6, 8]]);
        check(3, &[&[1, 2, 3, 4], &[5, 6, 7, 8]]);
        check(4, &[&[1, 2, 3, 4], &[5, 6, 7, 8]]);
    }
}

#[test]
fn fewer_rows_than_k_are_refused() {
    let data = table_2();
    let problem = problem(&data, models(9, None), settings(3));
    let failure = Mondrian { is_relaxed: false }.anonymize(&Ctx::quiet(), &problem).unwrap_err();
    let Failure::Infeasible { reason } = failure else { panic!("{failure:?}") };
    assert_eq!(reason, "the table has 8 rows, but a class needs at least 9");
}

#[test]
fn equal_rows_are_one_class_and_constant_columns_cost_nothing() {
    let same = dataset(&[Given::flat("age", Role::Quasi, &[30; 9])]);
    let mixed = dataset(&[
        Given::flat("age", Role::Quasi, &[30; 6]),
        Given::flat("sex", Role::Quasi, &["f", "f", "f", "m", "m", "m"]),
    ]);
    for is_relaxed in [false, true] {
        let same = problem(&same, models(2, None), settings(1));
        let candidate = anonymize(&same, is_relaxed);
        assert_eq!(candidate.cells.n_classes(), 1);
        assert_eq!(shown(&candidate, 0), [Cell::Leaf(0)]);
        let mixed = problem(&mixed, models(3, None), settings(2));
        let candidate = anonymize(&mixed, is_relaxed);
        assert!(judge(&mixed, &candidate) < 1e-12);
    }
}

#[test]
fn rows_without_a_value_are_parted_first() {
    let ages = ["20", "21", "", "22", "", "40", "41"];
    let data = dataset(&[Given::flat("age", Role::Quasi, &ages)]);
    let problem = problem(&data, models(2, None), settings(1));
    let groups = groups_of(&anonymize(&problem, false));
    assert_eq!(groups, BTreeSet::from([vec![2, 4], vec![0, 1, 3], vec![5, 6]]));
}

#[test]
fn parts_that_are_cut_on_several_threads_are_the_same() {
    let numbers: Vec<u32> = (0..4 * 2048).map(|row| row * 5 % (4 * 2048)).collect();
    let data = dataset(&[Given::flat("number", Role::Quasi, &numbers)]);
    for is_relaxed in [false, true] {
        let problem = problem(&data, models(2048, None), settings(1));
        let candidate = anonymize(&problem, is_relaxed);
        for (number, group) in numbers.iter().zip(candidate.group_of_row) {
            assert_eq!(group, number / 2048);
        }
    }
}

/// The method read once more from its description, over lists of rows.
struct Plain<'a> {
    problem: &'a Problem<'a>,
    k: u64,
    l: Option<u64>,
    is_relaxed: bool,
}

impl Plain<'_> {
    fn code(&self, row: u32, axis: usize) -> u32 {
        self.problem.quasi()[axis].codes().get(row as usize)
    }

    fn holds(&self, rows: &[u32]) -> bool {
        let disease = self.problem.sensitive()[0];
        let values: Vec<u32> = rows.iter().map(|&r| disease.codes().get(r as usize)).collect();
        let most = (0..disease.n_codes())
            .map(|code| values.iter().filter(|&&value| value == code).count() as u64)
            .max();
        let size = rows.len() as u64;
        self.k <= size && self.l.is_none_or(|l| most.unwrap_or(0) * l <= size)
    }

    fn classes(&self, rows: Vec<u32>) -> Vec<Vec<u32>> {
        let span = |axis: usize| {
            let codes = || rows.iter().map(|&row| self.code(row, axis));
            (codes().min().unwrap(), codes().max().unwrap())
        };
        let width = |axis: usize| {
            let (lo, hi) = span(axis);
            self.problem.space().axes()[axis].cost(lo, hi)
        };
        let mut axes: Vec<usize> = (0..3).filter(|&axis| width(axis) > 0.0).collect();
        axes.sort_by(|&a, &b| width(b).total_cmp(&width(a)));
        let parts = axes.iter().find_map(|&axis| {
            let ranged = self.problem.quasi()[axis].is_ranged();
            if ranged {
                self.in_two(&rows, axis)
            } else {
                self.by_children(&rows, axis, span(axis))
            }
        });
        let parts = parts.or_else(|| {
            let halves = axes.iter().map(|&axis| self.halves(&rows, axis));
            halves.filter(|_| self.is_relaxed).find(|parts| self.all_hold(parts))
        });
        match parts {
            Some(parts) => parts.into_iter().flat_map(|part| self.classes(part)).collect(),
            None => vec![rows],
        }
    }

    fn all_hold(&self, parts: &[Vec<u32>]) -> bool {
        parts.iter().all(|part| self.holds(part))
    }

    fn in_two(&self, rows: &[u32], axis: usize) -> Option<Vec<Vec<u32>>> {
        let mut codes: Vec<u32> = rows.iter().map(|&row| self.code(row, axis)).collect();
        codes.sort_unstable();
        let median = codes[(codes.len() - 1) / 2];
        let last = codes[codes.len() - 1];
        codes.dedup();
        let cut = |code: u32| -> Vec<Vec<u32>> {
            let (low, high) = rows.iter().partition(|&&row| self.code(row, axis) <= code);
            vec![low, high]
        };
        let mut cuts = Vec::new();
        if self.problem.quasi()[axis].missing() == Some(last) {
            cuts.push(cut(codes[codes.len() - 2]));
        }
        if self.is_relaxed {
            cuts.push(self.halves(rows, axis));
        }
        cuts.push(cut(median));
        let middle = codes.iter().position(|&code| code == median).unwrap();
        let near = &codes[middle.saturating_sub(16)..codes.len().min(middle + 17)];
        let mut others: Vec<Vec<Vec<u32>>> = near.iter().map(|&code| cut(code)).collect();
        others.sort_by_key(|parts| parts[0].len().abs_diff(parts[1].len()));
        cuts.extend(others);
        cuts.into_iter().find(|parts| self.all_hold(parts))
    }

    fn halves(&self, rows: &[u32], axis: usize) -> Vec<Vec<u32>> {
        let mut sorted = rows.to_vec();
        sorted.sort_by_key(|&row| self.code(row, axis));
        let low: BTreeSet<u32> = sorted[..rows.len().div_ceil(2)].iter().copied().collect();
        let (low, high) = rows.iter().partition(|row| low.contains(row));
        vec![low, high]
    }

    fn by_children(&self, rows: &[u32], axis: usize, span: (u32, u32)) -> Option<Vec<Vec<u32>>> {
        let attribute = self.problem.quasi()[axis];
        let Cell::Node(node) = attribute.smallest_cell(span.0, span.1) else { panic!("a node") };
        // The child of the node that a code is below, named by what it covers.
        let child = |code: u32| {
            let taxonomy = attribute.taxonomy();
            let (mut span, mut above) = ((code, code), taxonomy.parent(code));
            while above != node {
                let found = &taxonomy.nodes()[above as usize];
                (span, above) = ((found.first, found.last), found.parent.unwrap());
            }
            span
        };
        let children: BTreeSet<(u32, u32)> =
            rows.iter().map(|&row| child(self.code(row, axis))).collect();
        let of = |span: (u32, u32)| -> Vec<u32> {
            rows.iter().copied().filter(|&row| child(self.code(row, axis)) == span).collect()
        };
        let (mut apart, rest): (Vec<_>, Vec<_>) =
            children.into_iter().map(of).partition(|part| self.holds(part));
        let mut rest = rest.concat();
        while !rest.is_empty() && !self.holds(&rest) {
            let smallest = (0..apart.len()).min_by_key(|&at| (apart[at].len(), at))?;
            rest.extend(apart.remove(smallest));
        }
        rest.sort_by_key(|row| rows.iter().position(|other| other == row));
        apart.extend((!rest.is_empty()).then_some(rest));
        (apart.len() >= 2).then_some(apart)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn fast_equals_plain(
        data in table(),
        k in 2_u64..6,
        l in prop::option::of(2_u64..4),
        is_relaxed: bool,
    ) {
        let problem = problem(&data, models(k, l), settings(3));
        let plain = Plain { problem: &problem, k, l, is_relaxed };
        let points = problem.points();
        let rows: Vec<u32> =
            (0..points.len()).flat_map(|point| points.rows(point).iter().copied()).collect();
        if !plain.holds(&rows) {
            let found = Mondrian { is_relaxed }.anonymize(&Ctx::quiet(), &problem);
            let is_refused = matches!(found, Err(Failure::Infeasible { .. }));
            prop_assert!(is_refused);
            return Ok(());
        }
        let mut expected = plain.classes(rows);
        for rows in &mut expected {
            rows.sort_unstable();
        }
        let candidate = anonymize(&problem, is_relaxed);
        prop_assert_eq!(groups_of(&candidate), expected.into_iter().collect::<BTreeSet<_>>());
    }

    #[test]
    fn strict_classes_are_whole_points_and_relaxed_ones_below_2k(data in table(), k in 2_u64..6) {
        let problem = problem(&data, models(k, None), settings(3));
        if data.n_rows() < usize::try_from(k).unwrap() {
            return Ok(());
        }
        let point_of_row = problem.points().point_of_row();
        let strict = anonymize(&problem, false);
        for point in 0..problem.points().len() {
            let groups: BTreeSet<u32> = (problem.points().rows(point).iter())
                .map(|&row| strict.group_of_row[row as usize])
                .collect();
            prop_assert_eq!(groups.len(), 1);
        }
        for rows in groups_of(&anonymize(&problem, true)) {
            let points: BTreeSet<u32> = rows.iter().map(|&row| point_of_row[row as usize]).collect();
            prop_assert!(points.len() == 1 || (rows.len() as u64) < 2 * k);
        }
    }

    #[test]
    fn strict_classes_of_numbers_are_bounded(
        rows in prop::collection::vec((0_u32..8, 0_u32..8), 5..60),
        k in 2_u64..6,
    ) {
        let column = |number: fn(&(u32, u32)) -> u32| rows.iter().map(number).collect::<Vec<_>>();
        let data = dataset(&[
            Given::flat("x", Role::Quasi, &column(|row| row.0)),
            Given::flat("y", Role::Quasi, &column(|row| row.1)),
        ]);
        let problem = problem(&data, models(k, None), settings(2));
        let points = problem.points();
        let most = (0..points.len()).map(|point| u64::from(points.weight(point))).max().unwrap();
        for rows in groups_of(&anonymize(&problem, false)) {
            prop_assert!(rows.len() as u64 <= 2 * 2 * (k - 1) + most);
        }
    }
}
