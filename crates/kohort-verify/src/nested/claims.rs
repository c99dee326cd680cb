//! What a nested release is, and what it must keep.

use std::collections::BTreeSet;
use std::fmt;

use kohort_core::{Buckets, Forest, MissingAs, Nested, Ratio, Role, ValueType};

use super::models::{ModelFinding, PathModel};

/// A release of records inside records, as read back from its files.
#[derive(Clone, Copy, Debug)]
pub enum NestedRelease<'a> {
    /// Trees whose labels are generalized: who shows the same tree is in the same class.
    Generalized(&'a Nested),
    /// Trees without sensitive values, and trees of the same structure with nothing else. The people of
    /// both have a member `group`.
    TreeAnatomy {
        /// The trees without sensitive values.
        quasi: &'a Nested,
        /// The trees with nothing else.
        sensitive: &'a Nested,
    },
    /// Trees with the number of a group in the place of each sensitive value ([`group_path`]), and the
    /// values of each group.
    VertexAnatomy {
        /// The trees.
        quasi: &'a Nested,
        /// Rows of `group`, `attribute` (a path) and `value`.
        sensitive: &'a Nested,
    },
}

impl<'a> NestedRelease<'a> {
    /// The file with a tree for each person.
    pub fn trees(self) -> &'a Nested {
        match self {
            Self::Generalized(trees)
            | Self::TreeAnatomy { quasi: trees, .. }
            | Self::VertexAnatomy { quasi: trees, .. } => trees,
        }
    }

    /// Every file.
    pub(super) fn files(self) -> Vec<&'a Nested> {
        match self {
            Self::Generalized(trees) => vec![trees],
            Self::TreeAnatomy { quasi, sensitive } | Self::VertexAnatomy { quasi, sensitive } => {
                vec![quasi, sensitive]
            }
        }
    }
}

/// The member that has the number of the group in the place of a sensitive value in a v-v anatomized
/// release: `visits[].diagnosis_group` for `visits[].diagnosis`. An element of an array of scalars is
/// itself replaced: `allergies[]` keeps its path.
pub fn group_path(path: &str) -> String {
    if path.ends_with("[]") { path.to_owned() } else { format!("{path}_group") }
}

/// The member of people that has the number of the group in a t-t anatomized release.
pub const GROUP: &str = "group";

/// What a nested release must keep. It comes from the plan, never from the maker.
#[derive(Clone, Debug)]
pub struct NestedClaims {
    /// The role of each attribute; one without a role must not be in the release.
    pub roles: Vec<PathRole>,
    /// The least size of a class or group; 1 where nothing is asked.
    pub k: u32,
    /// Sensitive attributes of which no value may be more frequent than one in so many.
    pub l: Vec<(String, u32)>,
    /// What else the values of sensitive attributes must keep. All of them are monotone.
    pub models: Vec<PathModel>,
    /// What must not be learned about how often a value occurs in one tree.
    pub rules: Vec<NestedRule>,
    /// The share of people who may be left out.
    pub suppression: Ratio,
}

/// The role of one attribute.
#[derive(Clone, Debug)]
pub struct PathRole {
    /// The path of the attribute, such as `visits[].diagnosis`.
    pub path: String,
    /// What it is to the people.
    pub role: Role,
    /// How values of a sensitive attribute are read; by looking where nothing is said.
    pub value_type: Option<ValueType>,
    /// The buckets that are counted instead of the values of a sensitive attribute, where they are.
    pub buckets: Option<Buckets>,
    /// What a missing value of a sensitive attribute says.
    pub missing_as: MissingAs,
    /// Texts that look masked, such as `{a, b}`, and are values of the original.
    pub odd_values: BTreeSet<String>,
}

/// A rule about one value: nobody may be linked to `at_least` occurrences of it with more than a
/// probability.
#[derive(Clone)]
pub struct NestedRule {
    /// The sensitive attribute; every one where nothing is said.
    pub attribute: Option<String>,
    /// The value.
    pub value: String,
    /// How many occurrences disclose.
    pub at_least: u32,
    /// How likely that may be.
    pub probability: Ratio,
}

// The value may be of one person: it stays out of every print.
impl fmt::Debug for NestedRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NestedRule")
            .field("attribute", &self.attribute)
            .field("at_least", &self.at_least)
            .field("probability", &self.probability)
            .finish_non_exhaustive()
    }
}

/// What a nested release is compared with.
#[derive(Clone, Copy)]
pub struct NestedOriginal<'a> {
    /// The records that the release was made from.
    pub nested: &'a Nested,
    /// The same as trees of codes: how texts are read, and what stands above values.
    pub forest: &'a Forest,
    /// For each released tree the original record it is said to stand for.
    pub certificate: Option<&'a [u32]>,
}

impl NestedClaims {
    /// The role of a path.
    pub(super) fn role(&self, path: &str) -> Option<Role> {
        self.roles.iter().find(|entry| entry.path == path).map(|entry| entry.role)
    }

    /// The paths of the sensitive attributes.
    pub(super) fn sensitive(&self) -> impl Iterator<Item = &PathRole> {
        self.roles.iter().filter(|entry| entry.role == Role::Sensitive)
    }

    /// A finding for each of the models, before anything is found.
    pub(super) fn no_findings(&self) -> Vec<ModelFinding> {
        vec![ModelFinding::default(); self.models.len()]
    }

    /// The models about a sensitive attribute, with their places among all.
    pub(super) fn models_of(&self, path: &str) -> Vec<(usize, &PathModel)> {
        self.models.iter().enumerate().filter(|(_, model)| model.path == path).collect()
    }

    /// What is asked of a sensitive attribute; 1 where nothing is.
    pub(super) fn l_of(&self, path: &str) -> u32 {
        self.l.iter().filter(|(of, _)| of == path).map(|&(_, l)| l).max().unwrap_or(1)
    }
}
