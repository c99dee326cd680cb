//! What a plan says of columns: with it any table gets its attributes, an original, a release or a part of one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kohort_core::Role;

use crate::plan::{FullAttribute, NumericName, Plan, PresetName, Reading, UnitName};

/// The columns of a plan, each with its role, type, taxonomy and buckets, and how tables are read.
#[derive(Clone, Debug)]
pub(crate) struct Roles {
    columns: BTreeMap<String, FullAttribute>,
    folder: PathBuf,
    /// What a regulation requires of values.
    pub(crate) preset: Option<PresetName>,
    /// Whether numbers and dates are published as ranges, taxonomy or not.
    pub(crate) is_exact: bool,
    /// Whether the bounds of ranges are rounded.
    pub(crate) rounds_bounds: bool,
    /// The column that identifies people.
    pub(crate) key: Option<String>,
    /// What promises count.
    pub(crate) unit: Option<UnitName>,
    /// How text files are read.
    pub(crate) reading: Reading,
}

impl Roles {
    /// The columns of a plan.
    pub(crate) fn new(plan: &Plan) -> Self {
        let columns = plan.attributes.iter().map(|(name, column)| (name.clone(), column.full()));
        Self {
            columns: columns.collect(),
            folder: plan.folder.clone(),
            preset: plan.preset,
            is_exact: plan.method.numeric == Some(NumericName::Exact),
            rounds_bounds: plan.method.rounds_bounds(),
            key: plan.key.clone(),
            unit: plan.unit,
            reading: plan.read.clone(),
        }
    }

    /// Every column that has a role, in the order of their names.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&String, &FullAttribute)> {
        self.columns.iter()
    }

    /// What is said of a column.
    pub(crate) fn get(&self, name: &str) -> Option<&FullAttribute> {
        self.columns.get(name)
    }

    /// The role of a column.
    pub(crate) fn role(&self, name: &str) -> Option<Role> {
        Some(self.get(name)?.role.into())
    }

    /// Whether a column has a role.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.columns.contains_key(name)
    }

    /// The columns with a role.
    pub(crate) fn names(&self, role: Role) -> Vec<String> {
        let has = |(_, column): &(&String, &FullAttribute)| Role::from(column.role) == role;
        self.columns.iter().filter(has).map(|(name, _)| name.clone()).collect()
    }

    /// The same of some columns alone.
    pub(crate) fn only(&self, keeps: impl Fn(&str) -> bool) -> Self {
        let mut roles = self.clone();
        roles.columns.retain(|name, _| keeps(name));
        roles
    }

    /// The same, with a column that the plan does not name.
    pub(crate) fn with(mut self, name: &str, column: FullAttribute) -> Self {
        self.columns.insert(name.to_owned(), column);
        self
    }

    /// A file that the plan names.
    pub(crate) fn path(&self, file: impl AsRef<Path>) -> PathBuf {
        self.folder.join(file)
    }
}
