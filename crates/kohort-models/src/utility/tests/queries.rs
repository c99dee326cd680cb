//! Counting queries: figures worked by hand, and estimates against their definition written out.

use kohort_core::{Cell, Cells, Role};
use proptest::prelude::*;

use super::{Drawn, Given, Release, dataset, drawn, grouped, quick};
use crate::utility::View;
use crate::utility::queries::{
    Answer, Categories, Overlap, Predicate, Query, Reading, Suppressed, Workload, answers, workload,
};
use crate::utility::view::real;

const CONTINUOUS: Reading =
    Reading { overlap: Overlap::Continuous, suppressed: Suppressed::Nowhere };

/// The nine tuples of Abdalaal 2012 in the classes of its Table 42.
fn table_42() -> Release {
    let dataset = dataset(&[
        Given::flat("age", Role::Quasi, &[20, 25, 25, 30, 35, 40, 45, 50, 55]),
        Given::flat("zip", Role::Quasi, &[3000, 3500, 4000, 6500, 4500, 5500, 6000, 5000, 6500]),
        Given::flat("i1", Role::Sensitive, &["a", "b", "d", "a", "b", "a", "c", "b", "c"]),
    ]);
    Release::of_groups(dataset, &[vec![0, 1, 2], vec![5, 7, 8], vec![3, 4, 6]])
}

fn query(age: (f64, f64), zip: (f64, f64), i1: Option<usize>) -> Query {
    let sensitive =
        i1.map(|code| (0, Predicate::Codes((0..4).map(|other| other == code).collect())));
    let quasi = vec![(0, Predicate::Range(age.0, age.1)), (1, Predicate::Range(zip.0, zip.1))];
    Query { quasi, sensitive }
}

fn check(answer: Answer, actual: usize, estimated: f64, error: f64) {
    assert_eq!(answer.actual, actual);
    assert!((answer.estimated - estimated).abs() < 5e-5, "{answer:?}");
    assert!((answer.relative_error - error).abs() < 5e-5, "{answer:?}");
}

#[test]
fn spec_08_4_three_queries_on_table_42_of_001() {
    let release = table_42();
    let queries = [
        query((20.0, 40.0), (3000.0, 6500.0), Some(0)),
        query((30.0, 50.0), (4000.0, 6000.0), Some(1)),
        query((45.0, 55.0), (5500.0, 6500.0), Some(2)),
    ];
    let found = answers(&release.view(), &queries, CONTINUOUS);
    check(found[0], 3, 1.6667, 0.4444);
    check(found[1], 2, 1.1944, 0.4028);
    check(found[2], 2, 0.4444, 0.7778);
}

#[test]
fn anatomy_counts_exact_rows_times_the_share_of_the_group() {
    let release = table_42();
    let view = View { cells: &Cells::default(), ..release.view() };
    let first = query((20.0, 40.0), (3000.0, 6500.0), Some(0));
    let without = query((30.0, 50.0), (4000.0, 6000.0), None);
    let found = answers(&view, &[first, without], Reading::default());
    // Three rows of the first class, one of the second and two of the third, a third of each an `a`.
    check(found[0], 3, 2.0, 1.0 / 3.0);
    check(found[1], 4, 4.0, 0.0);
}

#[test]
fn every_tuple_of_001_has_a_query_around_it() {
    let dataset = dataset(&[
        Given::flat("age", Role::Quasi, &[20, 25, 25, 30, 40, 45, 45, 40, 55]),
        Given::flat("place", Role::Quasi, &["a", "b", "c", "d", "e", "f", "g", "h", "i"]),
        Given::flat("i1", Role::Sensitive, &["a", "b", "d", "a", "b", "a", "c", "b", "c"]),
        Given::flat("i2", Role::Sensitive, &["w", "z", "x", "x", "y", "y", "z", "x", "w"]),
    ]);
    let wanted = Workload { n_queries: 9, n_quasi: 2, around: true, ..Workload::default() };
    let queries = workload(&dataset, &wanted, 3);
    let mut places = [0; 9];
    let mut asked = [0; 2];
    for query in &queries {
        let (at, Predicate::Codes(values)) = query.sensitive.as_ref().unwrap() else {
            panic!("a sensitive attribute without numbers is asked for values")
        };
        asked[*at] += 1;
        assert_eq!(values.iter().filter(|is| **is).count(), 1);
        // 0.05^(1/3) is 0.368: 12.9 of 35 years, and four of nine places.
        let [(0, Predicate::Range(lo, hi)), (1, Predicate::Codes(near))] = &query.quasi[..] else {
            panic!("both quasi-identifiers are asked about")
        };
        assert!((hi - lo - 35.0 * 0.05_f64.cbrt()).abs() < 1e-9);
        assert_eq!(near.iter().filter(|is| **is).count(), 4);
        let is_middle = |row: &usize| {
            let code = dataset.quasi()[0].codes().get(*row);
            let age = dataset.quasi()[0].number(code).unwrap();
            let sensitive = dataset.sensitive()[*at].codes().get(*row);
            (f64::midpoint(*lo, *hi) - age).abs() < 1e-9 && values[sensitive as usize] && near[*row]
        };
        (0..9).filter(is_middle).for_each(|row| places[row] += 1);
    }
    assert_eq!(queries.len(), 9);
    assert!(places.iter().all(|&n| n > 0), "{places:?}");
    assert!(asked.iter().all(|&n| n > 0), "{asked:?}");
}

#[test]
fn suppressed_rows_count_nowhere_or_everywhere() {
    let mut release = table_42();
    release.group_of_row[..3].fill(u32::MAX);
    let asked = [query((20.0, 37.5), (3000.0, 6500.0), Some(0))];
    let estimate = |suppressed| {
        let reading = Reading { overlap: Overlap::Continuous, suppressed };
        answers(&release.view(), &asked, reading)[0].estimated
    };
    // Half of [30, 45] with one `a` in it; then 3 rows, half of [20, 55], and one of four values.
    assert!((estimate(Suppressed::Nowhere) - 0.5).abs() < 1e-12);
    assert!((estimate(Suppressed::Everywhere) - (0.5 + 3.0 * 0.5 * 0.25)).abs() < 1e-12);
}

#[test]
fn whole_numbers_are_counted() {
    let release = table_42();
    let asked = [query((20.0, 22.5), (0.0, 9999.0), None)];
    let estimate = |overlap| {
        let reading = Reading { overlap, suppressed: Suppressed::Nowhere };
        answers(&release.view(), &asked, reading)[0].estimated
    };
    // 20, 21 and 22 of the six ages in [20, 25], or half of its width; three rows.
    assert!((estimate(Overlap::Counted) - 1.5).abs() < 1e-12);
    assert!((estimate(Overlap::Continuous) - 1.5).abs() < 1e-12);
    let asked = [query((19.0, 20.0), (0.0, 9999.0), None)];
    let counted = answers(&release.view(), &asked, Reading::default())[0].estimated;
    assert!((counted - 0.5).abs() < 1e-12);
}

/// Σ over rows of Π shares, each cell written out value by value.
fn plain(release: &Release, query: &Query) -> f64 {
    let (quasi, sensitive) = (release.dataset.quasi(), release.dataset.sensitive());
    let mut sum = 0.0;
    for (row, &group) in release.group_of_row.iter().enumerate() {
        if group == u32::MAX {
            continue;
        }
        let mut product = 1.0;
        for (axis, predicate) in &query.quasi {
            let cell: Cell = release.cells.column(*axis).get(group as usize);
            let (lo, hi) = quasi[*axis].codes_of(cell);
            let codes = f64::from(hi - lo + 1);
            product *= match predicate {
                Predicate::Codes(asked) => {
                    real((lo..=hi).filter(|&code| asked[code as usize]).count()) / codes
                }
                Predicate::Range(from, to) => {
                    let numbers: Vec<f64> =
                        (lo..=hi).filter_map(|code| quasi[*axis].number(code)).collect();
                    let present = real(numbers.len()) / codes;
                    let Some(first) = numbers.iter().copied().reduce(f64::min) else {
                        product = 0.0;
                        break;
                    };
                    let last = numbers.iter().copied().fold(first, f64::max);
                    present * share(quasi[*axis].name() == "age", (first, last), (*from, *to))
                }
            };
        }
        if let Some((axis, Predicate::Codes(asked))) = &query.sensitive {
            product *= f64::from(u8::from(asked[sensitive[*axis].codes().get(row) as usize]));
        }
        sum += product;
    }
    sum
}

fn share(is_whole: bool, (first, last): (f64, f64), (from, to): (f64, f64)) -> f64 {
    if is_whole {
        let whole =
            |lo: f64, hi: f64| (20..=60_u8).filter(move |&n| lo <= n.into() && hi >= n.into());
        let inside = whole(first, last).filter(|&n| from <= n.into() && to >= n.into()).count();
        return real(inside) / real(whole(first, last).count());
    }
    if last - first <= 0.0 {
        return f64::from(u8::from(from <= first && first <= to));
    }
    (to.min(last) - from.max(first)).max(0.0) / (last - first)
}

fn agree(rows: &Drawn, categories: Categories) -> Result<(), TestCaseError> {
    let release = grouped(rows);
    if release.cells.is_empty() {
        return Ok(());
    }
    let wanted = Workload { categories, keep_empty: true, ..quick().workload };
    let queries = workload(&release.dataset, &wanted, 7);
    prop_assert_eq!(queries.len(), wanted.n_queries);
    for (query, answer) in
        queries.iter().zip(answers(&release.view(), &queries, Reading::default()))
    {
        let expected = plain(&release, query);
        prop_assert!((answer.estimated - expected).abs() < 1e-9, "{:?}: {}", query, expected);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn estimates_are_sums_over_rows(rows in drawn()) {
        agree(&rows, Categories::Leaves)?;
        agree(&rows, Categories::Node)?;
    }

    #[test]
    fn queries_keep_what_they_are_asked_to(rows in drawn()) {
        let dataset = super::table(&rows);
        let wanted = Workload { n_queries: 10, n_quasi: 3, ..Workload::default() };
        let share = wanted.selectivity.powf(0.25);
        for query in workload(&dataset, &wanted, 3) {
            prop_assert_eq!(query.quasi.len(), 3);
            for (axis, predicate) in &query.quasi {
                let attribute = dataset.quasi()[*axis];
                match predicate {
                    Predicate::Range(lo, hi) => {
                        let numbers = (0..attribute.n_codes()).filter_map(|c| attribute.number(c));
                        let numbers: Vec<f64> = numbers.collect();
                        let (first, last) = (numbers[0], numbers[numbers.len() - 1]);
                        let width = match attribute.name() {
                            "age" => ((last - first + 1.0) * share).ceil() - 1.0,
                            _ => (last - first) * share,
                        };
                        prop_assert!((hi - lo - width).abs() < 1e-9);
                        prop_assert!(attribute.name() != "age" || lo.fract() == 0.0);
                        prop_assert!(first <= *lo && *hi <= last + 1e-9);
                    }
                    Predicate::Codes(asked) => {
                        let expected = (f64::from(attribute.n_codes()) * share).ceil();
                        let n = asked.iter().filter(|asked| **asked).count();
                        prop_assert!((real(n) - expected).abs() < 1e-9);
                    }
                }
            }
        }
    }
}

#[test]
fn every_whole_number_is_asked_for() {
    for n in 2..6_u32 {
        let values: Vec<u32> = (0..60).map(|row| row % n).collect();
        let ages: Vec<u32> = (0..60).map(|row| 20 + row % 7).collect();
        let dataset = dataset(&[
            Given::flat("age", Role::Quasi, &ages),
            Given::flat("s", Role::Sensitive, &values),
        ]);
        let wanted = Workload { n_queries: 200, ..Workload::default() };
        let queries = workload(&dataset, &wanted, 5);
        assert_eq!(queries.len(), 200, "of {n} values");
        let mut n_asked = vec![0; n as usize];
        for query in &queries {
            let Some((0, Predicate::Range(lo, hi))) = query.sensitive else { panic!("{query:?}") };
            let asked = (0..n).filter(|&value| lo <= value.into() && hi >= value.into());
            // 0.05^(1/2) is 0.224: two of five values, else one.
            assert_eq!(asked.clone().count(), if n == 5 { 2 } else { 1 });
            asked.for_each(|value| n_asked[value as usize] += 1);
        }
        assert!(n_asked.iter().all(|&asked| asked > 0), "{n_asked:?}");
    }
}

#[test]
fn a_table_of_one_value_has_no_wrong_count() {
    let dataset = dataset(&[Given::flat("sex", Role::Quasi, &["F"; 5])]);
    let release = Release::of_groups(dataset, &[vec![0, 1], vec![2, 3, 4]]);
    let score = release.score("avre", &quick()).unwrap();
    assert!(score.value.abs() < 1e-12);
    assert_eq!(score.parts[1], ("queries".to_owned(), 20.0));
}
