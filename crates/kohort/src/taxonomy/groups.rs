//! A tree written in the plan: groups of groups, down to lists of values.

use std::collections::BTreeMap;

use kohort_core::Dictionary;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::listed::{Collector, Listed};
use super::{Number, refused};
use crate::Error;

/// A value in a list.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged, expecting = "expected a text or a number")]
pub enum Leaf {
    /// A text.
    Text(String),
    /// A number.
    Number(Number),
}

/// What is below a group.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged, expecting = "expected a table of groups or a list of values")]
pub enum Branch {
    /// More groups.
    Groups(BTreeMap<String, Branch>),
    /// Values.
    Leaves(Vec<Leaf>),
}

impl Branch {
    /// The longest path down to a value.
    fn height(&self) -> usize {
        match self {
            Self::Leaves(_) => 1,
            Self::Groups(groups) => 1 + groups.values().map(Self::height).max().unwrap_or(0),
        }
    }
}

/// A tree written in the plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Groups(BTreeMap<String, Branch>);

impl Groups {
    /// A tree of these groups below a root `*`; no group and no value may stand in two places.
    pub fn new(groups: BTreeMap<String, Branch>) -> Result<Self, Error> {
        let made = Self(groups);
        made.list()?;
        Ok(made)
    }

    /// The groups below the root.
    pub fn groups(&self) -> &BTreeMap<String, Branch> {
        &self.0
    }

    /// The tree as rows, and what is odd about it. A group stands on the levels from its own height up
    /// to the one below its parent.
    pub(super) fn list(&self) -> Result<(Listed, Vec<String>), Error> {
        let height = self.0.values().map(Branch::height).max().unwrap_or(0);
        let mut walk = Walk {
            names: Dictionary::default(),
            leaves: BTreeMap::new(),
            warnings: Vec::new(),
            collector: Collector::new(height + 1),
            n_groups: height,
        };
        walk.groups(&self.0, &mut Vec::new())?;
        if walk.leaves.is_empty() {
            return Err(refused("`tree`", None, "there is no value in it".into()));
        }
        let (listed, problems) = walk.collector.finish();
        match problems.into_iter().next() {
            Some(problem) => Err(refused("`tree`", None, problem.problem)),
            None => Ok((listed, walk.warnings)),
        }
    }
}

struct Walk<'p> {
    names: Dictionary,
    // Each value with the group it stands in.
    leaves: BTreeMap<String, &'p str>,
    warnings: Vec<String>,
    collector: Collector,
    n_groups: usize,
}

impl<'p> Walk<'p> {
    /// Visits groups below `path`, whose entries are a name and a height.
    fn groups(
        &mut self,
        groups: &'p BTreeMap<String, Branch>,
        path: &mut Vec<(&'p str, usize)>,
    ) -> Result<(), Error> {
        for (name, branch) in groups {
            let n_names = self.names.len();
            match self.names.intern(name.as_bytes(), 0) {
                _ if name.trim().is_empty() => {
                    return Err(refused("`tree`", None, "a group has no name".into()));
                }
                Ok(entry) if entry == n_names => {}
                _ => {
                    let problem = format!("group `{name}` occurs in two places");
                    return Err(refused("`tree`", None, problem));
                }
            }
            path.push((name, branch.height()));
            match branch {
                Branch::Groups(groups) if !groups.is_empty() => self.groups(groups, path)?,
                Branch::Leaves(leaves) if !leaves.is_empty() => self.leaves(name, leaves, path)?,
                _ => self.warnings.push(format!("group `{name}` has no values")),
            }
            path.pop();
        }
        Ok(())
    }

    fn leaves(
        &mut self,
        group: &'p str,
        leaves: &[Leaf],
        path: &[(&'p str, usize)],
    ) -> Result<(), Error> {
        for leaf in leaves {
            let text = match leaf {
                Leaf::Text(text) => text.clone(),
                Leaf::Number(number) => number.to_string(),
            };
            if text.trim().is_empty() {
                return Err(refused("`tree`", None, format!("a value of `{group}` is empty")));
            }
            match self.leaves.get(&text) {
                Some(&other) if other == group => {
                    self.warnings.push(format!("a value is listed twice in `{group}`"));
                    continue;
                }
                Some(other) => {
                    let problem = format!("a value is listed in both `{other}` and `{group}`");
                    return Err(refused("`tree`", None, problem));
                }
                None => {}
            }
            // The highest group of the path that is no higher than the level.
            let label = |level: usize| {
                path.iter().find(|(_, height)| *height <= level).map_or("*", |(name, _)| name)
            };
            let labels = (1..=self.n_groups).map(label).chain(["*"]);
            self.collector.add(0, &text, labels);
            self.leaves.insert(text, group);
        }
        Ok(())
    }
}
