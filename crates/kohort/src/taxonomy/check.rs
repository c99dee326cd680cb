//! What a taxonomy file holds, and all that is wrong with it.

use kohort_core::{Column, Message, Table};
use serde::{Deserialize, Serialize};

use super::bind::bind;
use super::file::{self, FileText, Read, tree_of_all};
use super::listed::Problem;
use crate::Error;

/// One level of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LevelReport {
    /// `leaves`, `level 1`, …, `root`.
    pub name: String,
    /// The number of different labels.
    pub n_nodes: usize,
}

/// What a taxonomy file holds, and what is wrong with it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CheckReport {
    /// The separator between cells.
    pub separator: char,
    /// The levels, leaves first, root last.
    pub levels: Vec<LevelReport>,
    /// The number of leaves.
    pub n_leaves: usize,
    /// The longest path from the root to a leaf, if the file is a tree.
    pub height: Option<u32>,
    /// Whether the file is a tree.
    pub is_tree: bool,
    /// The problems with their lines, the first 20 of them.
    pub problems: Vec<Problem>,
    /// What was odd, and how it was read.
    pub warnings: Vec<String>,
    /// What is worth knowing.
    pub notes: Vec<Message>,
    /// The number of values of the table that have no leaf, if a table was given and the file is a tree.
    pub n_values_without_leaf: Option<usize>,
    /// Those values: cells of the table, to be shown on a terminal only.
    #[serde(skip)]
    pub values_without_leaf: Vec<String>,
}

/// Checks a taxonomy file, and against a column if one is given.
pub fn check(
    file: FileText<'_>,
    separator: Option<char>,
    against: Option<(&Table, &Column)>,
) -> Result<CheckReport, Error> {
    let Read { listed, separator, warnings, notes, problems } = file::read(file.text, separator);
    let n_leaves = listed.leaves.len() as usize;
    let mut levels = vec![LevelReport { name: "leaves".into(), n_nodes: n_leaves }];
    for (level, labels) in (1..).zip(listed.levels.iter().map(|level| &level.labels)) {
        let is_root = level == listed.levels.len() && labels.len() == 1;
        let name = if is_root { "root".into() } else { format!("level {level}") };
        levels.push(LevelReport { name, n_nodes: labels.len() });
    }
    if levels.last().is_some_and(|level| level.name != "root") {
        levels.push(LevelReport { name: "root".into(), n_nodes: 1 });
    }
    let is_tree = problems.is_empty();
    let mut report = CheckReport {
        separator,
        levels,
        n_leaves,
        height: is_tree.then(|| tree_of_all(&listed).0.height()),
        is_tree,
        problems,
        warnings,
        notes,
        n_values_without_leaf: None,
        values_without_leaf: Vec::new(),
    };
    if let (true, Some((table, column))) = (is_tree, against) {
        let bound = bind(&listed, file.name, (table, column), None)?;
        report.n_values_without_leaf = Some(bound.without_leaf.len());
        report.values_without_leaf = bound.texts_without_leaf(column);
    }
    Ok(report)
}
