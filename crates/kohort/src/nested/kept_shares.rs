//! How much of each sensitive value is left in a nested release: what is cut may depend on the value.
//!
//! A value is named only where the release shows it, and its share of the original is rounded as all shares are.

use std::collections::BTreeMap;

use kohort_core::{Nested, Role, Scalar};
use serde::{Deserialize, Serialize};

use super::Described;
use super::judge::Files;
use crate::job::Roles;
use crate::wording::{count, percent};

/// A value that fewer vertices have says nothing about what depends on it.
const FEW: u64 = 10;

/// Shares that are further apart are uneven.
const UNEVEN: f64 = 0.1;

/// How much is left of the values of a sensitive attribute.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KeptShares {
    /// The path of the attribute.
    pub path: String,
    /// Its values that ten vertices have or more, and that the release shows; the share of which least is left
    /// first.
    pub values: Vec<KeptShare>,
    /// The values of the original that the release does not show at all.
    pub gone: u64,
    /// Whether what is left depends on the value: the shares are more than ten points apart, or such a value is
    /// gone.
    pub uneven: bool,
}

/// How much is left of a value.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KeptShare {
    /// The value, as the release shows it.
    pub value: String,
    /// The share of its occurrences in the original that the release shows.
    pub share: f64,
}

impl KeptShares {
    /// Those of every sensitive attribute that something is cut of.
    pub(super) fn all(roles: &Roles, described: &Described, files: &Files) -> Vec<Self> {
        let paths = roles.names(Role::Sensitive);
        paths.into_iter().filter_map(|path| Self::new(path, described, files)).collect()
    }

    fn new(path: String, described: &Described, files: &Files) -> Option<Self> {
        let before = counts(described.nested(), &path);
        let mut after = counts(&files.trees, &path);
        for (value, n) in files.values.iter().flat_map(|values| counts(values, &path)) {
            *after.entry(value).or_default() += n;
        }
        // Values that stand apart in lists of their own are not looked for.
        if after.is_empty() || before == after {
            return None;
        }
        let of = |(value, n): (&&str, &u64)| {
            let kept = after.get(*value).filter(|_| *n >= FEW)?;
            Some(KeptShare { value: (*value).to_owned(), share: ratio(*kept, *n) })
        };
        let mut values: Vec<KeptShare> = before.iter().filter_map(of).collect();
        values.sort_by(|a, b| a.share.total_cmp(&b.share));
        let gone = || before.iter().filter(|(value, _)| !after.contains_key(*value));
        let ends = values.first().zip(values.last());
        let is_apart = ends.is_some_and(|(least, most)| most.share - least.share > UNEVEN);
        let uneven = is_apart || gone().any(|(_, n)| *n >= FEW);
        Some(Self { path, gone: gone().count() as u64, values, uneven })
    }

    /// What to know about it, where it is uneven.
    pub(super) fn warning(&self) -> Option<String> {
        let (least, most) = self.values.first().zip(self.values.last()).filter(|_| self.uneven)?;
        let shares = if most.share - least.share > UNEVEN {
            let (of_least, of_most) = (percent(least.share), percent(most.share));
            format!("{of_least} of `{}`, but {of_most} of `{}`", least.value, most.value)
        } else {
            format!("{} or more of each value that it shows", percent(least.share))
        };
        let gone = match self.gone {
            0 => String::new(),
            n => format!("; {} not in the release at all", count(n, "value is", "values are")),
        };
        Some(format!("how much of `{}` is kept depends on the value: {shares}{gone}", self.path))
    }
}

/// How often each value stands at a path, the missing one left out.
fn counts<'a>(nested: &'a Nested, path: &str) -> BTreeMap<&'a str, u64> {
    let mut counts = BTreeMap::new();
    let Some((branch, index)) = nested.find(path) else { return counts };
    let branch = &nested.branches()[branch];
    let column = &branch.table().columns()[index];
    for (entry, scalar) in column.codes().iter().zip(branch.scalars(index)) {
        let text = column.dictionary().get(entry).trim();
        if matches!(scalar, Scalar::Text | Scalar::Bare) && !branch.table().missing().is(text) {
            *counts.entry(text).or_default() += 1;
        }
    }
    counts
}

#[expect(clippy::cast_precision_loss, reason = "a share for people to read")]
fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole as f64
}
