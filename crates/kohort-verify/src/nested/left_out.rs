//! The sensitive values of the original that are not in a nested release: of people who were left out, and
//! of vertices that were cut from their trees.
//!
//! # Guarantee
//! Who knows a person's tree sees what is missing of it. The values of one attribute that are not in the
//! release, taken together, keep the frequency l-diversity that was promised of it: none is more than one in l
//! of them. If they and all that is released keep it, so does the whole original: where that does not, no
//! choice of what to cut helps. An attribute of which nothing is released tells nothing.
//!
//! # Method
//! The values of the original are counted, less those of the release. Rules about occurrences are not judged
//! here: they are about values that are shown.

use std::collections::BTreeMap;

use kohort_core::{Error, NO_VALUE, Nested, Ratio, Scalar};
use kohort_models::Distribution;

use super::claims::{NestedClaims, NestedOriginal, NestedRelease, PathRole};
use super::models::holds;
use super::values::Values;
use super::vertex_anatomy::Groups;

/// The values of a sensitive attribute that are not in a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutValues {
    /// The path of the attribute.
    pub path: String,
    /// How many there are.
    pub values: u64,
    /// How many of them are alike, at most.
    pub most: u64,
    /// The share of the most frequent of them among the values of the release.
    pub shown: Ratio,
    /// One in how many may be alike; 1 where nothing is promised.
    pub expected: u32,
}

impl CutValues {
    /// Whether no value is too frequent among them.
    pub fn holds(&self) -> bool {
        self.share() <= Ratio::new(1, u64::from(self.expected.max(1)))
    }

    /// The share of the most frequent value.
    pub fn share(&self) -> Ratio {
        Ratio::new(self.most, self.values.max(1))
    }
}

/// What is not in the release of each sensitive attribute; nothing where all of it is.
pub(super) fn cut_values(
    release: NestedRelease<'_>,
    claims: &NestedClaims,
    original: NestedOriginal<'_>,
) -> Result<Vec<CutValues>, Error> {
    let mut all = Vec::new();
    for entry in claims.sensitive() {
        let expected = claims.l_of(&entry.path);
        let Some((branch, _)) = original.nested.find(&entry.path) else { continue };
        let (before, after) = (texts(original.nested, entry, false), released(release, entry)?);
        // Where nothing of an attribute is shown, nothing is told: neither about who lacks it.
        if after.is_empty() || after.len() >= before.len() {
            continue;
        }
        let source = original.nested.branches()[branch].table();
        // Both are read together: equal values have equal numbers.
        let both = before.iter().chain(&after).copied();
        let values = Values::of_texts(entry, 0, source, both)?.of_row;
        let mut left: BTreeMap<u32, i64> = BTreeMap::new();
        // A missing value that says nothing is none that could be left out.
        let told = values.iter().enumerate().filter(|(_, value)| **value != NO_VALUE);
        for (at, &value) in told {
            *left.entry(value).or_default() += if at < before.len() { 1 } else { -1 };
        }
        let top = left.iter().max_by_key(|(_, count)| **count).map(|(&value, _)| value);
        let is_top = |value: &&u32| Some(**value) == top;
        let n_top = values[before.len()..].iter().filter(is_top).count() as u64;
        let shown = Ratio::new(n_top, after.len().max(1) as u64);
        // More of a value than there were is no truthful release: the judge says so elsewhere.
        let counts = || left.values().filter(|&&count| count > 0).map(|count| count.unsigned_abs());
        let (values, most) = (counts().sum(), counts().max().unwrap_or(0));
        if values > 0 {
            all.push(CutValues { path: entry.path.clone(), values, most, shown, expected });
        }
    }
    Ok(all)
}

/// The models that the values which are not in a release do not keep as one class: their places in the claims, and
/// how many values there are.
pub(super) fn broken_by_cut(
    release: NestedRelease<'_>,
    claims: &NestedClaims,
    original: NestedOriginal<'_>,
) -> Result<Vec<(usize, u64)>, Error> {
    let mut broken = Vec::new();
    for entry in claims.sensitive() {
        let models = claims.models_of(&entry.path);
        let mut kinds = original.forest.kinds().iter().filter_map(|kind| kind.sensitive.as_ref());
        let Some(attribute) = kinds.find(|attribute| attribute.name() == entry.path) else {
            continue;
        };
        let after = if models.is_empty() { Vec::new() } else { released(release, entry)? };
        if after.is_empty() {
            continue;
        }
        let mut left: Vec<u64> = attribute.counts().iter().map(|&count| count.into()).collect();
        for text in &after {
            // What the original does not have is no truthful release: the judge says so elsewhere.
            if let Some(code) = attribute.code_of(text) {
                left[code as usize] = left[code as usize].saturating_sub(1);
            }
        }
        let is_silent = |code: u32| attribute.silent() == Some(code);
        let cells = (0..).zip(left).filter(|&(code, count)| count > 0 && !is_silent(code));
        let cells: BTreeMap<u32, u64> = cells.collect();
        let values: u64 = cells.values().sum();
        let whole = Distribution::new(attribute);
        for (index, model) in models {
            let model = (model.bind)(attribute)?;
            if values > 0 && !holds(&*model, &whole, &cells, values) {
                broken.push((index, values));
            }
        }
    }
    Ok(broken)
}

/// The texts of an attribute in the file of a release that has them.
fn released<'a>(release: NestedRelease<'a>, entry: &PathRole) -> Result<Vec<&'a str>, Error> {
    Ok(match release {
        NestedRelease::Generalized(trees) => texts(trees, entry, true),
        NestedRelease::TreeAnatomy { sensitive, .. } => texts(sensitive, entry, true),
        NestedRelease::VertexAnatomy { quasi, sensitive } => {
            Groups::read(entry, quasi, sensitive)?.texts
        }
    })
}

/// The texts of an attribute. Where they are `released`, one that is absent was cut off; in an original it is
/// a missing value.
fn texts<'a>(nested: &'a Nested, entry: &PathRole, released: bool) -> Vec<&'a str> {
    let Some((branch, at)) = nested.find(&entry.path) else { return Vec::new() };
    let branch = &nested.branches()[branch];
    let column = &branch.table().columns()[at];
    let cells = column.codes().iter().zip(branch.scalars(at));
    let text = |(code, scalar): (u32, &Scalar)| match scalar {
        Scalar::Absent if released => None,
        Scalar::Absent | Scalar::Null => Some(""),
        Scalar::Text | Scalar::Bare => Some(column.dictionary().get(code)),
    };
    cells.filter_map(text).collect()
}
