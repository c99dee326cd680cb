//! Releases for tests, and what holds for every measure.

mod measures;
mod queries;

use kohort_core::{
    Attribute, Cells, Codes, Column, Dataset, Dictionary, Domain, Level, Missing, Role, Table,
    Taxonomy, Tree,
};
use proptest::prelude::*;

use super::{MEASURES, Options, View, all};
use crate::{Score, Undefined};

/// A column: its name and role, one text per row, and the lines of a taxonomy, if it has one.
pub(super) struct Given {
    name: &'static str,
    role: Role,
    texts: Vec<String>,
    taxonomy: Option<Vec<Vec<String>>>,
}

impl Given {
    pub(super) fn flat<T: ToString>(name: &'static str, role: Role, values: &[T]) -> Self {
        let texts = values.iter().map(ToString::to_string).collect();
        Self { name, role, texts, taxonomy: None }
    }

    /// The same column with a taxonomy: one line per leaf, its levels between semicolons.
    pub(super) fn with_taxonomy(self, lines: &[&str]) -> Self {
        let split = |line: &&str| line.split(';').map(str::to_owned).collect();
        Self { taxonomy: Some(lines.iter().map(split).collect()), ..self }
    }
}

pub(super) fn dataset(given: &[Given]) -> Dataset {
    let missing = Missing::default();
    let columns = given.iter().map(|given| {
        let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
        for (line, text) in (2..).zip(&given.texts) {
            codes.push(dictionary.intern(text.as_bytes(), line).unwrap());
        }
        Column::new(given.name.into(), dictionary, codes, &missing)
    });
    let table = Table::new("t".into(), columns.collect(), true, missing.clone());
    let attributes = given.iter().filter(|given| given.role != Role::Insensitive).map(|given| {
        let column = table.column(given.name).unwrap();
        let domain = Domain::new(&table, column, None, &|_| false).unwrap();
        let taxonomy = given.taxonomy.as_deref().map(|lines| tree(lines, &domain, column));
        Attribute::new(&table, given.name, given.role, domain, taxonomy).unwrap()
    });
    let attributes = attributes.collect();
    Dataset::new(table, attributes).unwrap()
}

fn tree(lines: &[Vec<String>], domain: &Domain, column: &Column) -> (Taxonomy, Vec<u32>) {
    let leaves: Vec<Option<u32>> = lines.iter().map(|line| domain.find(&line[0], column)).collect();
    let level = |level: usize| {
        let mut labels: Vec<String> = Vec::new();
        let group_of_leaf = lines.iter().map(|line| {
            let found = labels.iter().position(|label| *label == line[level]);
            u32::try_from(found.unwrap_or_else(|| {
                labels.push(line[level].clone());
                labels.len() - 1
            }))
            .unwrap()
        });
        let group_of_leaf = group_of_leaf.collect();
        Level { group_of_leaf, labels }
    };
    let levels: Vec<Level> = (1..lines[0].len()).map(level).collect();
    Taxonomy::build(Tree {
        leaves: &leaves,
        label: &|leaf| lines[leaf][0].clone(),
        levels: &levels,
        n_values: u32::try_from(domain.entries().len()).unwrap(),
        missing: domain.missing().is_some(),
        is_ordered: domain.values().value_type().is_ordered(),
    })
    .unwrap()
}

/// A release with its original.
pub(super) struct Release {
    pub(super) dataset: Dataset,
    pub(super) cells: Cells,
    pub(super) group_of_row: Vec<u32>,
}

impl Release {
    /// The smallest box of each group; rows of no group are suppressed.
    pub(super) fn of_groups(dataset: Dataset, groups: &[Vec<usize>]) -> Self {
        let mut group_of_row = vec![u32::MAX; dataset.n_rows()];
        let mut cells = Vec::new();
        for (group, rows) in (0..).zip(groups) {
            for &row in rows {
                group_of_row[row] = group;
            }
            for attribute in dataset.quasi() {
                let codes = || rows.iter().map(|&row| attribute.codes().get(row));
                let (lo, hi) = (codes().min().unwrap(), codes().max().unwrap());
                cells.push(attribute.smallest_cell(lo, hi));
            }
        }
        let cells = Cells::from_rows(dataset.quasi().len(), cells);
        Self { dataset, cells, group_of_row }
    }

    /// Every row as it is.
    pub(super) fn identity(dataset: Dataset) -> Self {
        let rows: Vec<Vec<usize>> = (0..dataset.n_rows()).map(|row| vec![row]).collect();
        Self::of_groups(dataset, &rows)
    }

    pub(super) fn view(&self) -> View<'_> {
        let Self { dataset, cells, group_of_row } = self;
        View { dataset, cells, group_of_row }
    }

    pub(super) fn score(&self, id: &str, options: &Options) -> Result<Score, Undefined> {
        let measure = MEASURES.iter().find(|measure| measure.id == id).unwrap();
        (measure.measure)(&self.view(), options)
    }
}

pub(super) fn part(score: &Score, name: &str) -> Option<f64> {
    score.parts.iter().find(|part| part.0 == name).map(|part| part.1)
}

/// Rows of age, size, city and disease, some of them missing, and a group for each.
pub(super) type Drawn = Vec<(u8, u8, u8, u8, u8)>;

pub(super) fn drawn() -> impl Strategy<Value = Drawn> {
    prop::collection::vec((0..12_u8, 0..5_u8, 0..6_u8, 0..3_u8, 0..6_u8), 1..60)
}

pub(super) fn table(rows: &Drawn) -> Dataset {
    let text = |value: u8, missing: u8| match value {
        _ if value == missing => "?".to_owned(),
        _ => (20 + u16::from(value) * 3).to_string(),
    };
    let ages: Vec<String> = rows.iter().map(|row| text(row.0, 11)).collect();
    let sizes: Vec<String> = rows.iter().map(|row| format!("{}.5", row.1)).collect();
    let city =
        |row: &(u8, u8, u8, u8, u8)| ["Bonn", "Köln", "Lyon", "Nice", "Rome", "?"][row.2 as usize];
    let cities: Vec<&str> = rows.iter().map(city).collect();
    let diseases: Vec<String> = rows.iter().map(|row| format!("d{}", row.3)).collect();
    let lines = ["Bonn;DE;*", "Köln;DE;*", "Lyon;FR;*", "Nice;FR;*", "Rome;IT;*"];
    dataset(&[
        Given::flat("age", Role::Quasi, &ages),
        Given::flat("size", Role::Quasi, &sizes),
        Given::flat("city", Role::Quasi, &cities).with_taxonomy(&lines),
        Given::flat("disease", Role::Sensitive, &diseases),
    ])
}

/// Rows by their group; group 0 is suppressed.
pub(super) fn grouped(rows: &Drawn) -> Release {
    let group =
        |group: u8| -> Vec<usize> { (0..rows.len()).filter(|&row| rows[row].4 == group).collect() };
    let groups: Vec<Vec<usize>> = (1..6).map(group).filter(|rows| !rows.is_empty()).collect();
    Release::of_groups(table(rows), &groups)
}

/// Options that make tests quick.
pub(super) fn quick() -> Options {
    let mut options = Options { n_draws: 2, ..Options::default() };
    options.workload.n_queries = 20;
    options.learning.n_folds = 3;
    options
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_measure_is_within_its_bounds_or_says_why_not(rows in drawn()) {
        let release = grouped(&rows);
        for (id, result) in all(&release.view(), &quick()) {
            match result {
                Ok(score) => {
                    let (lo, hi) = score.bounds;
                    prop_assert!(score.value.is_finite(), "{} is {}", id, score.value);
                    prop_assert!(lo - 1e-9 <= score.value && score.value <= hi + 1e-9,
                        "{} is {} outside of {} to {}", id, score.value, lo, hi);
                    prop_assert!(score.parts.iter().all(|part| part.1.is_finite()), "{}", id);
                }
                Err(Undefined(why)) => prop_assert!(!why.is_empty()),
            }
        }
    }

    #[test]
    fn the_original_loses_nothing(rows in drawn()) {
        let release = Release::identity(table(&rows));
        for id in ["avre", "pmse", "correlation-difference", "total-variation", "jensen-shannon", "privacy-percent"] {
            if let Ok(score) = release.score(id, &quick()) {
                prop_assert!(score.value.abs() < 1e-9, "{} is {}", id, score.value);
            }
        }
        for id in ["stump", "cart", "naive-bayes", "logistic"] {
            let Ok(score) = release.score(&format!("accuracy-{id}"), &quick()) else { continue };
            prop_assert_eq!(part(&score, "original"), Some(score.value));
            prop_assert_eq!(part(&score, "shown"), Some(score.value));
            prop_assert!(part(&score, "normalized").is_none_or(|u| (u - 1.0).abs() < 1e-12));
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_scores(rows in drawn()) {
        let release = grouped(&rows);
        let scores = || format!("{:?}", all(&release.view(), &quick()));
        prop_assert_eq!(scores(), scores());
    }
}

#[test]
fn a_release_without_rows_has_no_measure() {
    let rows = vec![(1, 2, 3, 0, 0), (2, 2, 1, 1, 0), (3, 1, 0, 0, 0), (1, 1, 1, 1, 0)];
    let release = grouped(&rows);
    for (id, result) in all(&release.view(), &quick()) {
        assert!(result.is_err(), "{id} is {result:?}");
    }
}

#[test]
fn ids_are_kebab_case_and_distinct() {
    let mut ids: Vec<&str> = MEASURES.iter().map(|measure| measure.id).collect();
    ids.extend(crate::METRICS.iter().map(|metric| metric.id));
    assert!(ids.iter().all(|id| id.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')));
    let n = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), n);
}
