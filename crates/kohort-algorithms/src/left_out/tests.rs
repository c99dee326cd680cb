//! The rows that are dropped, for every algorithm.

use kohort_core::Ctx;
use kohort_core::{Dataset, Ratio, Role};
use kohort_models::{
    AlphaKAnonymity, ClassModel, DistinctLDiversity, EntropyLDiversity, FrequencyLDiversity,
    KAnonymity,
};
use proptest::prelude::*;

use super::*;
use crate::tests::tables::{Given, dataset, judge, problem, settings};
use crate::{ALGORITHMS, Failure, Settings, anonymize};

type Models = Vec<Box<dyn ClassModel>>;

fn frequency(l: u64) -> Models {
    vec![Box::new(FrequencyLDiversity::new(0, Ratio::whole(l)).unwrap())]
}

/// People of these ages and heights with these diseases.
fn people(rows: &[(usize, usize, usize)]) -> Dataset {
    let of = |pick: fn(&(usize, usize, usize)) -> usize| rows.iter().map(pick).collect::<Vec<_>>();
    let diseases: Vec<String> = rows.iter().map(|row| format!("d{}", row.2)).collect();
    dataset(&[
        Given::flat("age", Role::Quasi, &of(|row| row.0)),
        Given::flat("height", Role::Quasi, &of(|row| row.1)),
        Given::flat("disease", Role::Sensitive, &diseases),
    ])
}

/// 300 people of whom 58 % have one disease, spread over the plane.
fn top_heavy(seed: usize) -> Dataset {
    let row = |at: usize| {
        let drawn = at * 7919 + seed * 104_729;
        let disease = if (drawn / 7) % 100 < 58 { 0 } else { 1 + drawn % 6 };
        (drawn % 61, (drawn / 13) % 53, disease)
    };
    people(&(0..300).map(row).collect::<Vec<_>>())
}

fn made(problem: &Problem<'_>, at: usize) -> Result<Candidate, Failure> {
    anonymize(ALGORITHMS[at], &Ctx::new(&|| false, &|_, _, _| {}), problem)
}

/// Where the whole table has too many of a value, everybody who is dropped would have it: nobody is.
#[test]
fn what_the_whole_table_breaks_is_refused_by_every_algorithm() {
    for seed in 0..3 {
        let data = top_heavy(seed);
        let settings = Settings { suppression: 90, ..settings(2) };
        let strict = problem(&data, frequency(2), settings.clone());
        let may_tell = Settings { dropped_may_tell: true, ..settings };
        let may_tell = problem(&data, frequency(2), may_tell);
        let mut n_all_alike = 0;
        for (at, algorithm) in ALGORITHMS.iter().enumerate() {
            if !algorithm.facts().is_safe {
                continue;
            }
            let id = algorithm.spec().id;
            assert!(made(&strict, at).is_err(), "{id} drops who has the frequent value");
            // What it did before, and does where that is allowed.
            let Ok(candidate) = made(&may_tell, at) else { continue };
            let rows = dropped(&candidate);
            let disease = data.sensitive()[0];
            let top = disease.counts().iter().max();
            let has_top = |row: &&u32| {
                disease.counts().get(disease.codes().get(**row as usize) as usize) == top
            };
            let n_top = rows.iter().filter(has_top).count();
            n_all_alike += usize::from(!rows.is_empty() && n_top == rows.len());
        }
        assert!(n_all_alike >= 8, "dropped people are all alike for {n_all_alike} algorithms");
    }
}

fn goals() -> Vec<fn() -> Models> {
    vec![
        || frequency(2),
        || frequency(3),
        || vec![Box::new(DistinctLDiversity::new(0, 2).unwrap())],
        || {
            vec![
                Box::new(KAnonymity::new(3).unwrap()),
                Box::new(DistinctLDiversity::new(0, 3).unwrap()),
            ]
        },
        || vec![Box::new(EntropyLDiversity::new(0, Ratio::whole(2)).unwrap())],
        || vec![Box::new(AlphaKAnonymity::new(0, Ratio::new(1, 2), 2, vec![0]).unwrap())],
    ]
}

/// Whether the rows keep every promise about values, by counting.
fn keeps(problem: &Problem<'_>, rows: &[u32]) -> bool {
    let counted = Judge::new(problem).cells(rows);
    let table: Vec<_> = problem.promises().distributions().to_vec();
    let counts: Vec<kohort_models::Counts<'_>> = (table.iter().zip(&counted))
        .map(|(table, cells)| kohort_models::Counts { table, cells })
        .collect();
    let class = kohort_models::Class { size: rows.len() as u64, sensitive: &counts };
    let models = problem.promises().models().iter();
    rows.is_empty() || models.filter(|m| m.needs_values()).all(|model| model.holds(&class))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever is dropped keeps the promises as a class, also what no box covers; and so does what is
    /// published.
    #[test]
    fn dropped_rows_are_a_class_that_keeps_the_promises(
        rows in prop::collection::vec((0_usize..30, 0_usize..4, 0_usize..4), 8..40),
        outliers in prop::collection::vec((500_usize..900, 0_usize..90, 0_usize..4), 0..3),
        goal in 0_usize..6,
        suppression in 1_u64..8,
    ) {
        let data = people(&rows.into_iter().chain(outliers).collect::<Vec<_>>());
        let settings = Settings { suppression, ..settings(2) };
        let problem = problem(&data, goals()[goal](), settings);
        for (at, algorithm) in ALGORITHMS.iter().enumerate() {
            if !algorithm.facts().is_safe {
                continue;
            }
            let Ok(candidate) = made(&problem, at) else { continue };
            let id = algorithm.spec().id;
            let rows = dropped(&candidate);
            prop_assert!(rows.len() as u64 <= suppression, "{}", id);
            prop_assert!(keeps(&problem, &rows), "{} drops {} rows", id, rows.len());
            let seen = Judge::new(&problem).seen(&candidate, &rows);
            prop_assert!(keeps(&problem, &seen), "{} leaves {} uncovered", id, seen.len());
            judge(&problem, &candidate);
        }
    }
}

/// One outlier that is dropped for its loss would be the only person without a row.
#[test]
fn a_single_outlier_is_not_dropped_where_values_are_promised() {
    let mut rows: Vec<(usize, usize, usize)> =
        (0..40).map(|at| (at % 10, at % 4, at % 3)).collect();
    rows.push((900, 90, 1));
    let data = people(&rows);
    let auto = ALGORITHMS.iter().position(|algorithm| algorithm.spec().id == "auto").unwrap();
    let settings = Settings { suppression: 1, ..settings(2) };
    let k_alone: Models = vec![Box::new(KAnonymity::new(4).unwrap())];
    let by_size = made(&problem(&data, k_alone, settings.clone()), auto).unwrap();
    assert_eq!(dropped(&by_size), [40], "k alone says nothing about values");
    let diverse: Models = vec![
        Box::new(KAnonymity::new(4).unwrap()),
        Box::new(DistinctLDiversity::new(0, 2).unwrap()),
    ];
    let by_values = made(&problem(&data, diverse, settings), auto).unwrap();
    assert_eq!(dropped(&by_values), [] as [u32; 0]);
}
