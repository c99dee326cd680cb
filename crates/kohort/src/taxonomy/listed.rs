//! A taxonomy as rows, leaf first: what a file and a tree of a plan have in common.

use std::fmt;

use kohort_core::{Dictionary, Level};
use serde::{Deserialize, Serialize};

/// The most problems that are kept; a broken file of 100,000 lines need not be listed in full.
pub(super) const MAX_PROBLEMS: usize = 20;

/// Something that keeps a taxonomy from being a tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The lines concerned, counted from 1; none when the whole file is.
    pub lines: Vec<u64>,
    /// What is wrong.
    pub problem: String,
}

impl Problem {
    pub(super) fn new(lines: Vec<u64>, problem: impl Into<String>) -> Self {
        Self { lines, problem: problem.into() }
    }

    /// "line 3", "lines 3 and 7".
    pub(super) fn place(&self) -> Option<String> {
        match self.lines[..] {
            [] => None,
            [line] => Some(format!("line {line}")),
            [first, .., last] => Some(format!("lines {first} and {last}")),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place() {
            Some(place) => write!(f, "{place}: {}", self.problem),
            None => f.write_str(&self.problem),
        }
    }
}

/// Leaves with the lines they stand on, and the levels above them.
pub(super) struct Listed {
    pub(super) leaves: Dictionary,
    pub(super) levels: Vec<Level>,
}

/// Gathers rows. The same label on the same level is the same group.
pub(super) struct Collector {
    leaves: Dictionary,
    levels: Vec<(Dictionary, Vec<u32>)>,
    // The lines of leaves listed again with the same groups, each with the line of its first.
    pub(super) repeated: Vec<(u64, u64)>,
    pub(super) problems: Vec<Problem>,
}

impl Collector {
    pub(super) fn new(n_levels: usize) -> Self {
        Self {
            leaves: Dictionary::default(),
            levels: vec![(Dictionary::default(), Vec::new()); n_levels],
            repeated: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// Adds a row: a leaf, and its group on each level.
    pub(super) fn add<'t>(
        &mut self,
        line: u64,
        leaf: &str,
        groups: impl Iterator<Item = &'t str> + Clone,
    ) {
        let n_leaves = self.leaves.len();
        let Ok(leaf) = self.leaves.intern(leaf.as_bytes(), line) else {
            return self.problems.push(Problem::new(vec![line], "a value holds a NUL character"));
        };
        if leaf < n_leaves {
            return self.add_again(line, leaf, groups);
        }
        for ((labels, group_of_leaf), label) in self.levels.iter_mut().zip(groups) {
            if let Ok(group) = labels.intern(label.as_bytes(), line) {
                group_of_leaf.push(group);
            } else {
                let problem = "a label holds a NUL character";
                self.problems.push(Problem::new(vec![line], problem));
                group_of_leaf.push(0);
            }
        }
    }

    fn add_again<'t>(&mut self, line: u64, leaf: u32, groups: impl Iterator<Item = &'t str>) {
        let first = self.leaves.first_line(leaf);
        let differs = |((labels, group_of_leaf), label): (&(Dictionary, Vec<u32>), &str)| {
            labels.get(group_of_leaf[leaf as usize]) != label
        };
        match self.levels.iter().zip(groups).position(differs) {
            Some(level) => {
                let problem = format!("a value has two parents at level {}", level + 1);
                self.problems.push(Problem::new(vec![first, line], problem));
            }
            None => self.repeated.push((first, line)),
        }
    }

    /// The rows as leaves and levels, and what keeps them from being a tree.
    pub(super) fn finish(mut self) -> (Listed, Vec<Problem>) {
        for level in 1..self.levels.len() {
            self.find_splits(level);
        }
        let levels = (self.levels.into_iter())
            .map(|(labels, group_of_leaf)| Level {
                group_of_leaf,
                labels: labels.iter().map(str::to_owned).collect(),
            })
            .collect();
        (Listed { leaves: self.leaves, levels }, self.problems)
    }

    /// Groups of a level whose leaves disagree about the group above, each once.
    fn find_splits(&mut self, level: usize) {
        let ((labels, groups), (labels_above, groups_above)) =
            (&self.levels[level - 1], &self.levels[level]);
        let mut above: Vec<Option<(u32, u32)>> = vec![None; labels.len() as usize];
        let mut is_known = vec![false; labels.len() as usize];
        for ((leaf, &group), &parent) in (0..).zip(groups).zip(groups_above) {
            let slot = group as usize;
            let (expected, first) = *above[slot].get_or_insert((parent, leaf));
            if expected == parent || std::mem::replace(&mut is_known[slot], true) {
                continue;
            }
            let lines = vec![self.leaves.first_line(first), self.leaves.first_line(leaf)];
            // A label may repeat a leaf, which may be a cell.
            let name = |label: &str| match self.leaves.find(label) {
                Some(_) => "a value".to_owned(),
                None => format!("`{label}`"),
            };
            let problem = format!(
                "{} of level {level} has two parents, {} and {}",
                name(labels.get(group)),
                name(labels_above.get(expected)),
                name(labels_above.get(parent))
            );
            self.problems.push(Problem::new(lines, problem));
        }
    }
}
