//! Measures of distributions and correlations by hand, and against their definitions written out.

use kohort_core::{Cell, Cells, Role};
use proptest::prelude::*;

use super::{Given, Release, dataset, drawn, grouped, part, quick};
use crate::utility::Options;
use crate::utility::correlation::{correlation_ratio, cramers_v, pearson, ranks};
use crate::utility::view::{Numbers, real};

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
}

#[test]
fn everything_at_the_root_spreads_the_counts_evenly() {
    let dataset = dataset(&[Given::flat("blood", Role::Quasi, &["A", "A", "A", "B"])]);
    let release = Release::of_groups(dataset, &[vec![0, 1, 2, 3]]);
    // 3/4 and 1/4 against 1/2 and 1/2.
    near(release.score("total-variation", &quick()).unwrap().value, 0.25);
    let half = |p: f64, m: f64| p * (p / m).log2() / 2.0;
    let expected = half(0.75, 0.625) + half(0.25, 0.375) + half(0.5, 0.625) + half(0.5, 0.375);
    near(release.score("jensen-shannon", &quick()).unwrap().value, expected);
}

#[test]
fn suppressed_rows_are_spread_over_the_column() {
    let dataset = dataset(&[Given::flat("blood", Role::Quasi, &["A", "A", "A", "B"])]);
    let release = Release::of_groups(dataset, &[vec![0], vec![3]]);
    // Half of the rows as they are, half spread: 1/2 and 1/2.
    near(release.score("total-variation", &quick()).unwrap().value, 0.25);
}

// Tandon and Jain 2010, Figure 4.8: rows 1 to 10, of age, education, race and native-country.
#[test]
fn figure_4_8_privacy_percent_counts_the_roots_of_taxonomies() {
    let lines = ["Bachelors;Graduate;xxx", "HS-grad;School;xxx"];
    let dataset = dataset(&[
        Given::flat("age", Role::Quasi, &[28, 28, 28, 28, 28, 34, 34, 34, 34, 34]),
        Given::flat("education", Role::Quasi, &["Bachelors", "HS-grad"].repeat(5))
            .with_taxonomy(&lines),
        Given::flat("race", Role::Quasi, &["White", "Black"].repeat(5)),
        Given::flat("native-country", Role::Quasi, &["United-States", "Canada"].repeat(5))
            .with_taxonomy(&[
                "United-States;North_America;xxx",
                "Canada;North_America;xxx",
                "India;Asia;xxx",
            ]),
    ]);
    let mut release = Release::of_groups(dataset, &[(0..5).collect(), (5..10).collect()]);
    // The first cluster shows `Graduate`, the second `xxx`; race is `xxx` in both.
    let node = |axis: usize, label: &str| {
        let quasi = release.dataset.quasi();
        let nodes = quasi[axis].taxonomy().nodes();
        Cell::Node(u32::try_from(nodes.iter().position(|n| n.label == label).unwrap()).unwrap())
    };
    let (graduate, america) = (node(1, "Graduate"), node(3, "North_America"));
    let first = [release.cells.column(0).get(0), graduate, Cell::ANY, america];
    let second = [Cell::Leaf(1), Cell::ANY, Cell::ANY, america];
    release.cells = Cells::from_rows(4, first.into_iter().chain(second));
    // 5 + 10 of the 30 cells of taxonomies; age is in neither count.
    near(release.score("privacy-percent", &quick()).unwrap().value, 50.0);
}

#[test]
fn rows_that_are_suppressed_and_stay_are_lost_cells() {
    let dataset = dataset(&[
        Given::flat("age", Role::Quasi, &[20, 30, 40, 50]),
        Given::flat("blood", Role::Quasi, &["A", "A", "A", "B"]),
    ]);
    let release = Release::of_groups(dataset, &[vec![0, 1, 2]]);
    let dropped = Options { keeps_suppressed: false, ..quick() };
    near(release.score("privacy-percent", &dropped).unwrap().value, 0.0);
    let kept = Options { keeps_suppressed: true, ..quick() };
    near(release.score("privacy-percent", &kept).unwrap().value, 25.0);
}

#[test]
fn a_table_of_ranges_has_no_privacy_percent() {
    let dataset = dataset(&[Given::flat("age", Role::Quasi, &[20, 30])]);
    let release = Release::of_groups(dataset, &[vec![0, 1]]);
    assert!(release.score("privacy-percent", &quick()).is_err());
}

#[test]
fn correlations_by_hand() {
    near(pearson(&[1.0, 2.0, 3.0], &[2.0, 4.0, 6.0]).unwrap(), 1.0);
    near(pearson(&[1.0, 2.0, 3.0], &[1.0, 3.0, 2.0]).unwrap(), 0.5);
    assert_eq!(pearson(&[1.0, 1.0], &[1.0, 2.0]), None);
    assert_eq!(ranks(&[5.0, 1.0, 5.0, 9.0]), [1.5, 0.0, 1.5, 3.0]);
    let codes = |codes: &[u32]| codes.iter().map(|&c| (c, c)).collect::<Vec<_>>();
    near(cramers_v(2, &codes(&[0, 0, 1, 1]), 2, &codes(&[1, 1, 0, 0])).unwrap(), 1.0);
    near(cramers_v(2, &codes(&[0, 0, 1, 1]), 2, &codes(&[1, 0, 1, 0])).unwrap(), 0.0);
    // χ² = 2 of 6 rows: [[2, 1], [1, 2]] has χ² = 6 · (4/9 + 1/9 + 1/9 + 4/9 − 1) = 2/3.
    let v = cramers_v(2, &codes(&[0, 0, 0, 1, 1, 1]), 2, &codes(&[0, 0, 1, 0, 1, 1])).unwrap();
    near(v, (1.0_f64 / 9.0).sqrt());
    assert_eq!(cramers_v(2, &codes(&[0, 0]), 2, &codes(&[0, 1])), None);
    // Means 0 and 1 of numbers 0, 0, 0, 2 (in halves): between 1 of 3 parts of the variance.
    let dataset = dataset(&[Given::flat("x", Role::Quasi, &[0, 0, 0, 2])]);
    let numbers = Numbers::new(dataset.quasi()[0]).unwrap();
    let eta = correlation_ratio(&numbers, &codes(&[0, 0, 0, 1]), 2, &codes(&[0, 0, 1, 1])).unwrap();
    near(eta, (1.0_f64 / 3.0).sqrt());
}

#[test]
fn a_column_without_middles_has_no_correlation_left() {
    let dataset = dataset(&[
        Given::flat("x", Role::Quasi, &[1, 2, 3, 4]),
        Given::flat("y", Role::Quasi, &[1, 2, 3, 4]),
    ]);
    let release = Release::of_groups(dataset, &[vec![0, 1, 2, 3]]);
    let score = release.score("correlation-difference", &quick()).unwrap();
    near(score.value, 1.0);
    assert_eq!(part(&score, "max"), Some(1.0));
    assert_eq!(part(&score, "pearson"), Some(1.0));
    assert_eq!(part(&score, "cramers-v"), None);
}

#[test]
fn rows_that_are_told_apart_have_a_large_pmse() {
    let values: Vec<u32> = (0..200).map(|row| if row < 190 { 0 } else { 100 + row }).collect();
    let columns = || dataset(&[Given::flat("x", Role::Quasi, &values)]);
    let told = Release::of_groups(columns(), &[(0..200).collect()]);
    let score = told.score("pmse", &Options::default()).unwrap();
    assert!(score.value > 0.1 && part(&score, "ratio").unwrap() > 50.0, "{score:?}");
    near(part(&score, "separable").unwrap(), 0.25);
    near(part(&score, "by-chance").unwrap(), 0.125 / 400.0);
    let same = Release::identity(columns()).score("pmse", &Options::default()).unwrap();
    assert!(same.value < 1e-12, "{same:?}");
}

// Snoke et al. 2018: the expectation of pMSE when both halves come from one distribution.
#[test]
fn two_samples_of_one_distribution_have_a_ratio_near_one() {
    // Every cell covers the column, whose values are as frequent as each other: the published side is
    // drawn from the distribution that the original has exactly, which is the case of the formula.
    let values: Vec<u32> = (0..600).map(|row| row % 3).collect();
    let others: Vec<u32> = (0..600).map(|row| row / 3 % 5).collect();
    let texts = |values: &[u32]| values.iter().map(|v| format!("v{v}")).collect::<Vec<_>>();
    let dataset = dataset(&[
        Given::flat("x", Role::Quasi, &texts(&values)),
        Given::flat("y", Role::Quasi, &texts(&others)),
    ]);
    let release = Release::of_groups(dataset, &[(0..600).collect()]);
    let score = release.score("pmse", &Options { n_draws: 50, ..Options::default() }).unwrap();
    let ratio = part(&score, "ratio").unwrap();
    assert!((ratio - 1.0).abs() < 0.15, "{ratio}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn cramers_v_counts_shares_of_cells(rows in drawn()) {
        let release = grouped(&rows);
        let rows = |axis: usize| -> Vec<(u32, u32)> {
            let attribute = release.dataset.quasi()[axis];
            let groups = release.group_of_row.iter().filter(|group| **group != u32::MAX);
            groups.map(|&group| attribute.codes_of(release.cells.column(axis).get(group as usize))).collect()
        };
        let (a, b) = (rows(0), rows(2));
        let n = |axis: usize| release.dataset.quasi()[axis].n_codes();
        let mut counts = vec![vec![0.0; n(2) as usize]; n(0) as usize];
        for (a, b) in a.iter().zip(&b) {
            for row in a.0..=a.1 {
                for column in b.0..=b.1 {
                    counts[row as usize][column as usize] +=
                        1.0 / f64::from((a.1 - a.0 + 1) * (b.1 - b.0 + 1));
                }
            }
        }
        let total = real(a.len());
        let of_row: Vec<f64> = counts.iter().map(|row| row.iter().sum()).collect();
        let of_column: Vec<f64> =
            (0..n(2) as usize).map(|c| counts.iter().map(|row| row[c]).sum()).collect();
        let occur = |sums: &[f64]| sums.iter().filter(|sum| **sum > 1e-9).count();
        let mut chi = 0.0;
        for (row, r) in counts.iter().zip(&of_row) {
            for (count, c) in row.iter().zip(&of_column) {
                let expected = r * c / total;
                chi += if expected > 1e-9 { (count - expected).powi(2) / expected } else { 0.0 };
            }
        }
        let fewer = occur(&of_row).min(occur(&of_column));
        let expected = (fewer > 1).then(|| (chi / total / real(fewer - 1)).sqrt());
        let found = cramers_v(n(0), &a, n(2), &b);
        prop_assert_eq!(found.is_some(), expected.is_some());
        let (found, expected) = (found.unwrap_or(0.0), expected.unwrap_or(0.0));
        prop_assert!((found - expected).abs() < 1e-6, "{} is not {}", found, expected);
    }
}
