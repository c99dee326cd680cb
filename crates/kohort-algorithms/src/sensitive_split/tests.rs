//! What the original form of Sharma et al. protects, and what it gives away.

use std::collections::BTreeMap;

use kohort_core::{Cell, Role};
use kohort_models::{ClassModel, Costs, KAnonymity};
use proptest::prelude::*;

use super::*;
use crate::bucket::tests::few_rows;
use crate::tests::tables::{Given, dataset, groups_of, problem, settings, shown};
use crate::{High, Settings};

fn k(k: u64) -> Vec<Box<dyn ClassModel>> {
    vec![Box::new(KAnonymity::new(k).unwrap())]
}

const ZIPS: &[&str] = &[
    "13051;1305*;130**;13***;*",
    "13053;1305*;130**;13***;*",
    "13063;1306*;130**;13***;*",
    "13068;1306*;130**;13***;*",
    "14851;1485*;148**;14***;*",
    "14856;1485*;148**;14***;*",
    "14867;1486*;148**;14***;*",
    "14869;1486*;148**;14***;*",
];
const AGES: &[&str] = &[
    "21;[20-30];[20-40];*",
    "26;[20-30];[20-40];*",
    "33;[31-40];[20-40];*",
    "37;[31-40];[20-40];*",
    "45;[41-50];[41-60];*",
    "48;[41-50];[41-60];*",
    "53;[51-60];[41-60];*",
    "59;[51-60];[41-60];*",
];

// Sharma et al., Table 6: k = 1, and all eight people lose.
#[test]
fn table_6_of_002_gives_away_four_values_and_four_high_ones() {
    let leaf = |line: &&str| line.split(';').next().unwrap().to_owned();
    let diseases = ["Flu", "Cancer", "Viral", "HIV+", "Cancer", "Headache", "HIV+", "Viral"];
    let data = dataset(&[
        Given::flat("zip", Role::Quasi, &ZIPS.iter().map(leaf).collect::<Vec<_>>())
            .with_taxonomy(ZIPS),
        Given::flat("age", Role::Quasi, &AGES.iter().map(leaf).collect::<Vec<_>>())
            .with_intervals(AGES),
        Given::flat("gender", Role::Quasi, &["M", "F", "M", "F", "M", "F", "M", "F"]),
        Given::flat("disease", Role::Sensitive, &diseases),
    ]);
    let disease = data.sensitive()[0];
    let codes = ["Cancer", "HIV+"].map(|text| disease.code_of(text).unwrap()).to_vec();
    let high = Some(High { attribute: 0, codes });
    let problem = problem(&data, k(2), Settings { high: high.clone(), ..settings(3) });
    let candidate = SensitiveSplit.anonymize(&Ctx::quiet(), &problem).unwrap();
    let expected = [vec![0], vec![1, 3], vec![2], vec![4, 6], vec![5], vec![7]];
    assert_eq!(groups_of(&candidate), expected.into());

    let mut classes: BTreeMap<Vec<Cell>, Vec<usize>> = BTreeMap::new();
    for (row, &group) in candidate.group_of_row.iter().enumerate() {
        classes.entry(shown(&candidate, group)).or_default().push(row);
    }
    assert_eq!(classes.values().map(Vec::len).min(), Some(1), "k of the release");
    assert_eq!(classes.values().map(|rows| rows.len().pow(2)).sum::<usize>(), 12, "DM");
    let is_exact = |cells: &[Cell]| cells.iter().all(|cell| matches!(cell, Cell::Leaf(_)));
    let is_high = |row: usize| high.as_ref().unwrap().codes.contains(&disease.codes().get(row));
    let exact = classes.iter().filter(|(cells, rows)| rows.len() == 1 && is_exact(cells));
    assert_eq!(exact.count(), 4, "people whose value is disclosed");
    let hidden = classes.iter().filter(|(cells, _)| !is_exact(cells));
    let hidden: Vec<usize> = hidden.flat_map(|(_, rows)| rows.clone()).collect();
    assert_eq!(hidden.len(), 4, "people who are in H for sure");
    assert!(hidden.into_iter().all(is_high));

    // The paper publishes `Person` for these four, though both classes agree on the gender.
    let costs = data.quasi().into_iter().map(|a| Costs::new(a, problem.settings().metric.cells()));
    let costs: Vec<Costs> = costs.collect();
    let loss = |cells: &[Cell]| costs.iter().zip(cells).map(|(c, &cell)| c.of(cell)).sum::<f64>();
    let ours: f64 = classes.iter().map(|(cells, rows)| rows.len() as f64 * loss(cells)).sum();
    assert!(((ours + 4.0) / 24.0 - 0.3355).abs() < 5e-5, "{ours}");
}

#[test]
fn without_high_values_there_is_nothing_to_split() {
    let data = dataset(&[
        Given::flat("x", Role::Quasi, &[1, 2, 3]),
        Given::flat("s", Role::Sensitive, &["a", "b", "b"]),
    ]);
    let failure = SensitiveSplit.anonymize(&Ctx::quiet(), &problem(&data, k(2), settings(1)));
    let Err(Failure::Error(error)) = failure else { panic!("no value is declared high") };
    assert!(matches!(error.kind(), Kind::Unsuited { .. }));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn high_rows_reach_k_and_low_rows_stand_alone(data in few_rows(), asked in 2_u64..5) {
        let high = High { attribute: 0, codes: vec![0] };
        let settings = Settings { high: Some(high), ..settings(2) };
        let problem = problem(&data, k(asked), settings);
        let is_high = |row: u32| data.sensitive()[0].codes().get(row as usize) == 0;
        let n_high = u64::from(data.sensitive()[0].counts()[0]);
        match SensitiveSplit.anonymize(&Ctx::quiet(), &problem) {
            Ok(candidate) => for rows in groups_of(&candidate) {
                let in_high = rows.iter().filter(|&&row| is_high(row)).count();
                let size = rows.len() as u64;
                let high = in_high == rows.len() && (asked..2 * asked).contains(&size);
                prop_assert!(high || size == 1 && in_high == 0);
            },
            Err(failure) => {
                let is_infeasible = matches!(failure, Failure::Infeasible { .. });
                prop_assert!(is_infeasible && n_high < asked);
            }
        }
    }
}
