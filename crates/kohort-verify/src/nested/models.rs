//! Promises about the values at vertices that nobody can tell apart, judged by the models of tables.
//!
//! # Definition
//! The values of an orbit are the sensitive values of a class of rows, and its size is how many people are in its
//! class. A model is kept when
//! 1. it holds for that class of rows, compared with the values of the path in the whole data: in the original
//!    where that is known, else in the release;
//! 2. no fewer people than [`ClassModel::smallest`] are in the class: several values of one person hide nobody;
//! 3. the values of the path that are not in the release keep it, too, as one class of as many people
//!    (`left_out.rs` has the reason).
//!
//! A value that was cut off beside others that are shown may be any, and nothing is decided about such an orbit:
//! it breaks the model.
//!
//! # References
//! The models have theirs. That an orbit is judged as a class is ours; for frequency l-diversity it is Özalp,
//! Privacy Preserving Publishing of Hierarchical Data, 2017.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use kohort_core::{Attribute, Error};
use kohort_models::{Class, ClassModel, Counts, Distribution};

use super::claims::{NestedClaims, NestedOriginal};
use super::values::{CUT, Values};

/// Makes a model for a sensitive attribute, which is the only one that the model sees.
pub type BindModel = dyn Fn(&Attribute) -> Result<Box<dyn ClassModel>, Error> + Send + Sync;

/// A promise about the values of one path.
#[derive(Clone)]
pub struct PathModel {
    /// The sensitive attribute.
    pub path: String,
    /// The id of the model.
    pub id: &'static str,
    /// Its parameters in words.
    pub parameters: String,
    /// The model, for the attribute as it is read.
    pub bind: Arc<BindModel>,
}

impl fmt::Debug for PathModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, id, .. } = self;
        f.debug_struct("PathModel").field("path", path).field("id", id).finish_non_exhaustive()
    }
}

/// What a promise about the values of one path came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModelFinding {
    /// The sets of vertices nobody can tell apart that break it.
    pub broken_orbits: u64,
    /// The values that are not in the release, where they break it together.
    pub broken_cut: Option<u64>,
}

impl ModelFinding {
    /// Whether it is kept.
    pub fn holds(&self) -> bool {
        self.broken_orbits == 0 && self.broken_cut.is_none()
    }
}

/// The values of an orbit, with how many people are in its class.
#[derive(Default)]
struct Orbit {
    people: u64,
    cells: BTreeMap<u32, u64>,
    /// Whether it has a value that was cut off, or one that the original does not have.
    is_open: bool,
}

/// How many orbits of these values break each model of the claims about their path, given the orbit of each row
/// and the number of people in its class.
pub(super) fn broken_orbits(
    values: &Values<'_>,
    orbits: &[u32],
    people: impl Fn(usize) -> u64,
    (claims, original): (&NestedClaims, Option<NestedOriginal<'_>>),
) -> Result<Vec<(usize, u64)>, Error> {
    let asked = claims.models_of(values.path);
    if asked.is_empty() {
        return Ok(Vec::new());
    }
    let attribute = &whole(values, original)?;
    let mut found: BTreeMap<u32, Orbit> = BTreeMap::new();
    for (row, &value) in values.of_row.iter().enumerate() {
        let text = if value < CUT { Some(values.text(row)) } else { None };
        // A missing value that says nothing is none.
        if value > CUT {
            continue;
        }
        let orbit = found.entry(orbits[row]).or_default();
        orbit.people = people(row);
        match text.and_then(|text| attribute.code_of_foreign(text, values.date_format())) {
            Some(code) => *orbit.cells.entry(code).or_default() += 1,
            None => orbit.is_open = true,
        }
    }
    let distribution = Distribution::new(attribute);
    asked
        .into_iter()
        .map(|(index, model)| {
            let model = (model.bind)(attribute)?;
            let breaks = |orbit: &&Orbit| {
                kohort_core::alive();
                orbit.is_open || !holds(&*model, &distribution, &orbit.cells, orbit.people)
            };
            Ok((index, found.values().filter(breaks).count() as u64))
        })
        .collect()
}

/// The attribute that values are compared with: that of the original where it is known, else of the release.
fn whole(values: &Values<'_>, original: Option<NestedOriginal<'_>>) -> Result<Attribute, Error> {
    let kinds = original.iter().flat_map(|original| original.forest.kinds());
    let mut attributes = kinds.filter_map(|kind| kind.sensitive.as_ref());
    match attributes.find(|attribute| attribute.name() == values.path) {
        Some(attribute) => Ok(attribute.clone()),
        None => values.attribute(),
    }
}

/// Whether so many people with these values keep a model as one class.
pub(super) fn holds(
    model: &dyn ClassModel,
    whole: &Distribution<'_>,
    cells: &BTreeMap<u32, u64>,
    people: u64,
) -> bool {
    let cells: Vec<(u32, u64)> = cells.iter().map(|(&code, &count)| (code, count)).collect();
    let sensitive = [Counts { table: whole, cells: &cells }];
    let class = Class { size: people, sensitive: &sensitive };
    sensitive[0].is_silent() || model.smallest() <= people && model.holds(&class)
}
