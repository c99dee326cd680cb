//! Matching the leaves of a taxonomy with the values of a column.

use kohort_core::{
    Column, Dictionary, Domain, Kind, Level, Table, Taxonomy, Tree, ValueType, Values,
};

use super::index;
use super::listed::Listed;
use crate::Error;

/// A taxonomy whose leaves know which value of the column they are.
pub(super) struct Bound {
    pub(super) domain: Domain,
    /// The values that no leaf stands for.
    pub(super) without_leaf: Vec<u32>,
    // The leaf of each row of the tree, and the value it stands for.
    rows: Vec<(u32, Option<u32>)>,
}

/// Two leaves that are one value with different groups.
struct Twins {
    leaves: (u32, u32),
    level: usize,
}

/// Reads the column so that its values meet the leaves. A missing token that is a leaf is a value; if
/// the column's type has no place for it, or two leaves that differ as texts (`1` and `01`) are one
/// value of that type, the column is read as text.
pub(super) fn bind(
    listed: &Listed,
    source_name: &str,
    (table, column): (&Table, &Column),
    value_type: Option<ValueType>,
) -> Result<Bound, Error> {
    let keep = |text: &str| {
        listed.leaves.find(text).is_some() || listed.leaves.find(text.trim()).is_some()
    };
    let read = |value_type| Domain::new(table, column, Some(value_type), &keep);
    let wanted = value_type.unwrap_or(column.value_type());
    let domain = match read(wanted) {
        Err(error) if matches!(error.kind(), Kind::Value { .. }) => {
            let is_kept = |text: &str| table.missing().is(text) && keep(text);
            if !column.dictionary().iter().any(is_kept) {
                return Err(error.into());
            }
            read(ValueType::Text)?
        }
        other => other?,
    };
    match assign(listed, &domain, column) {
        Ok((rows, without_leaf)) => Ok(Bound { domain, without_leaf, rows }),
        Err(_) if value_type.is_none() && wanted != ValueType::Text => {
            bind(listed, source_name, (table, column), Some(ValueType::Text))
        }
        Err(Twins { leaves: (first, second), level }) => {
            let line = |leaf| listed.leaves.first_line(leaf);
            let lines = format!("lines {} and {}", line(first), line(second));
            let problem = format!(
                "a value of column `{}`, read as {}, has two parents at level {}",
                column.name(),
                domain.values().value_type(),
                level + 1
            );
            Err(super::refused(source_name, (line(first) > 0).then_some(lines), problem))
        }
    }
}

type Rows = Vec<(u32, Option<u32>)>;

/// The rows of the tree, and the values without a leaf.
fn assign(listed: &Listed, domain: &Domain, column: &Column) -> Result<(Rows, Vec<u32>), Twins> {
    let mut row_of_value: Vec<Option<usize>> = vec![None; domain.entries().len()];
    let mut rows: Rows = Vec::with_capacity(listed.leaves.len() as usize);
    for (leaf, text) in (0..).zip(listed.leaves.iter()) {
        let value = domain.find(text, column);
        if let Some(value) = value {
            if let Some(row) = row_of_value[value as usize] {
                let first = rows[row].0;
                let differs = |level: &Level| {
                    level.group_of_leaf[first as usize] != level.group_of_leaf[leaf as usize]
                };
                match listed.levels.iter().position(differs) {
                    Some(level) => return Err(Twins { leaves: (first, leaf), level }),
                    None => continue,
                }
            }
            row_of_value[value as usize] = Some(rows.len());
        }
        rows.push((leaf, value));
    }
    let without = (0..).zip(&row_of_value).filter(|(_, row)| row.is_none());
    let without: Vec<u32> = without.map(|(value, _)| value).collect();
    let Values::Text(texts) = domain.values() else { return Ok((rows, without)) };
    if without.is_empty() {
        return Ok((rows, without));
    }
    Ok(assign_trimmed(listed, texts, rows, without))
}

/// Gives texts without an exact leaf the leaf that is the same but for white space around it.
fn assign_trimmed(
    listed: &Listed,
    texts: &[String],
    mut rows: Rows,
    without: Vec<u32>,
) -> (Rows, Vec<u32>) {
    let mut trimmed = Dictionary::default();
    let mut leaf_of_trimmed = Vec::new();
    for (leaf, text) in (0..).zip(listed.leaves.iter()) {
        let n_trimmed = trimmed.len();
        if trimmed.intern(text.trim().as_bytes(), 0) == Ok(n_trimmed) {
            leaf_of_trimmed.push(leaf);
        }
    }
    let mut left = Vec::new();
    for value in without {
        match trimmed.find(texts[value as usize].trim()) {
            // Texts have no twins, so the row of a leaf has the leaf's own index.
            Some(entry) => {
                let leaf: u32 = leaf_of_trimmed[entry as usize];
                match &mut rows[leaf as usize].1 {
                    free @ None => *free = Some(value),
                    Some(_) => rows.push((leaf, Some(value))),
                }
            }
            None => left.push(value),
        }
    }
    (rows, left)
}

impl Bound {
    /// The texts of the values that no leaf stands for.
    pub(super) fn texts_without_leaf(&self, column: &Column) -> Vec<String> {
        let text = |&value: &u32| column.dictionary().get(self.domain.entries()[value as usize]);
        self.without_leaf.iter().map(|value| text(value).to_owned()).collect()
    }

    /// The tree over the values of the column, and the position of each.
    pub(super) fn tree(&self, listed: &Listed) -> (Taxonomy, Vec<u32>) {
        let leaves: Vec<Option<u32>> = self.rows.iter().map(|row| row.1).collect();
        let levels: Vec<Level> = (listed.levels.iter())
            .map(|level| Level {
                group_of_leaf: (self.rows.iter())
                    .map(|&(leaf, _)| level.group_of_leaf[leaf as usize])
                    .collect(),
                labels: level.labels.clone(),
            })
            .collect();
        let tree = Tree {
            leaves: &leaves,
            label: &|row| listed.leaves.get(self.rows[row].0).to_owned(),
            levels: &levels,
            n_values: index(self.domain.entries().len()),
            missing: self.domain.missing().is_some(),
            is_ordered: self.domain.values().value_type().is_ordered(),
        };
        Taxonomy::build(tree).expect("groups with two parents are refused when they are read")
    }
}
