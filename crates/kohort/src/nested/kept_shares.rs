//! How much of each sensitive value is left in a nested release: what is cut may depend on the value.
//!
//! A value is named only where the release shows it, and its share of the original is rounded as all shares are.

use std::collections::BTreeMap;

use kohort_core::{Nested, Role, Scalar};
use kohort_report::nested::{KeptShare, KeptShares, UNEVEN};

use super::Described;
use super::judge::Files;
use crate::job::Roles;

/// A value that fewer vertices have says nothing about what depends on it.
const FEW: u64 = 10;

/// Those of every sensitive attribute that something is cut of.
pub(super) fn kept_shares(roles: &Roles, described: &Described, files: &Files) -> Vec<KeptShares> {
    let paths = roles.names(Role::Sensitive);
    paths.into_iter().filter_map(|path| of_path(path, described, files)).collect()
}

fn of_path(path: String, described: &Described, files: &Files) -> Option<KeptShares> {
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
    Some(KeptShares { path, gone: gone().count() as u64, values, uneven })
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
