//! What a release shows: rows, who looks alike, and what each sensitive cell may be.

use std::collections::BTreeMap;

use super::cells::{Column, Missing, Role, covers, is_missing};
use crate::files::Rows;

/// A release as a reader sees it.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    /// The rows of each class: equal texts of all quasi-identifiers, or one group.
    pub(crate) classes: Vec<Vec<usize>>,
    /// For each row the texts of the quasi-identifiers.
    pub(crate) quasi: Vec<Vec<String>>,
    /// For each sensitive attribute, for each row, what is counted of the values that its cell may be.
    pub(crate) sensitive: BTreeMap<String, Vec<Vec<String>>>,
    /// The same for the rows of the original, each with its one value.
    pub(crate) original: BTreeMap<String, Vec<String>>,
}

impl Shown {
    /// Reads a release of one table; `groups` has the group of each row of an anatomized one. None where a
    /// column is not there.
    pub(crate) fn read(
        columns: &[Column],
        release: &Rows,
        original: &Rows,
        group: Option<&str>,
    ) -> Option<Self> {
        let of_role = |role: Role| columns.iter().filter(move |column| column.role == role);
        let places: Option<Vec<usize>> =
            of_role(Role::Quasi).map(|column| release.place(&column.name)).collect();
        let places = places?;
        let quasi: Vec<Vec<String>> = (release.rows.iter())
            .map(|row| places.iter().map(|&place| row[place].trim().to_owned()).collect())
            .collect();
        let keys: Vec<Vec<String>> = match group {
            Some(name) => {
                release.column(name)?.into_iter().map(|text| vec![text.to_owned()]).collect()
            }
            None => quasi.clone(),
        };
        let mut sensitive = BTreeMap::new();
        let mut of_original = BTreeMap::new();
        for column in of_role(Role::Sensitive) {
            let cells = original.column(&column.name)?;
            let counted: Vec<String> = cells.iter().map(|cell| column.counted(cell)).collect();
            let shown = release.column(&column.name)?;
            let options = shown.iter().map(|cell| options(column, cell, &cells)).collect();
            sensitive.insert(column.name.clone(), options);
            of_original.insert(column.name.clone(), counted);
        }
        Some(Self { classes: alike(&keys), quasi, sensitive, original: of_original })
    }
}

/// What is counted of the values that a sensitive cell may be: one for a cell that is a value.
fn options(column: &Column, cell: &str, original: &[&str]) -> Vec<String> {
    let value = column.value(cell);
    if original.iter().any(|other| column.value(other) == value) {
        return vec![column.counted(cell)];
    }
    let covered = original
        .iter()
        .filter(|other| !is_missing(other) || column.missing == Missing::Value)
        .filter(|other| is_missing(cell) || covers(column, cell, other) == Some(true));
    let mut options: Vec<String> = covered.map(|other| column.counted(other)).collect();
    options.sort();
    options.dedup();
    // A text that covers nothing is a value of its own, and a lie that the truth is asked about.
    if options.is_empty() { vec![column.counted(cell)] } else { options }
}

/// The places of equal keys, one list for each key.
pub(crate) fn alike<K: Ord>(keys: &[K]) -> Vec<Vec<usize>> {
    let mut classes: BTreeMap<&K, Vec<usize>> = BTreeMap::new();
    for (row, key) in keys.iter().enumerate() {
        classes.entry(key).or_default().push(row);
    }
    classes.into_values().collect()
}

/// A release without the rows that show nothing, where suppressed rows stay for their number alone.
pub(crate) fn without_suppressed(release: &Rows, stay: bool) -> Rows {
    let shows = |row: &&Vec<String>| !stay || row.iter().any(|cell| cell.trim() != "*");
    let rows = release.rows.iter().filter(shows).cloned().collect();
    Rows { header: release.header.clone(), rows }
}

/// Puts the two tables of an anatomized release together: each row of a group gets one of the group's
/// rows of sensitive values, whichever. None where they do not have as many.
pub(crate) fn joined(rows: &Rows, values: &Rows) -> Option<Rows> {
    let (group, of_values) = (rows.place("group")?, values.place("group")?);
    let count = values.place("count")?;
    let mut left: BTreeMap<&str, Vec<&Vec<String>>> = BTreeMap::new();
    for row in &values.rows {
        let n: usize = row[count].parse().ok()?;
        left.entry(&row[of_values]).or_default().extend(vec![row; n]);
    }
    let shown: Vec<usize> =
        (0..values.header.len()).filter(|&place| place != of_values && place != count).collect();
    let mut table = rows.clone();
    table.header.extend(shown.iter().map(|&place| values.header[place].clone()));
    for row in &mut table.rows {
        let found = left.get_mut(row[group].as_str())?.pop()?;
        row.extend(shown.iter().map(|&place| found[place].clone()));
    }
    left.values().all(Vec::is_empty).then_some(table)
}
