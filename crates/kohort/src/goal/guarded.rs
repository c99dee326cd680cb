//! The guarding nodes of personalized privacy that rows of a table have.

use std::collections::BTreeMap;

use kohort_core::{Attribute, Ratio};
use kohort_models::Distribution;

use super::feasible::rounded_up;
use super::named::{guards, node};
use super::{Asked, Guards, Principle};

/// A guarding node.
pub(super) struct Guarding {
    /// As the plan spells it; one of a column is a cell, and has no name.
    pub(super) name: String,
    /// The rows under it that have it as their guard.
    pub(super) n_guarded: u64,
    /// The rows under it.
    pub(super) n_under: u64,
}

/// The guarding nodes of the attribute with this index.
pub(super) fn guarding(index: usize, given: &Guards, sensitive: &[&Attribute]) -> Vec<Guarding> {
    let attribute = sensitive[index];
    // Guards that are no nodes were refused before.
    let Ok((column, nodes)) = guards(index, given, sensitive, &mut Vec::new()) else {
        return Vec::new();
    };
    let table = Distribution::new(attribute);
    let mut found: BTreeMap<(u32, u32), Guarding> = BTreeMap::new();
    for (guard, value) in sensitive[column].codes().iter().zip(attribute.codes().iter()) {
        let Some((first, last)) = nodes[guard as usize] else { continue };
        let guard = found.entry((first, last)).or_insert_with(|| Guarding {
            name: named(given, attribute, (first, last)),
            n_guarded: 0,
            n_under: table.count_between(first, last),
        });
        guard.n_guarded += u64::from((first..=last).contains(&value));
    }
    found.into_values().collect()
}

fn named(given: &Guards, attribute: &Attribute, under: (u32, u32)) -> String {
    match given {
        Guards::PerValue(guards) => {
            let is_it = |label: &&String| node(attribute, label) == Some(under);
            let label = guards.values().find(is_it).map_or("", String::as_str);
            format!("the guard `{label}`")
        }
        Guards::PerRow(column) => format!("a guard of column `{column}`"),
    }
}

/// The level that the table as one class has.
pub(super) fn as_one_class(guards: &[Guarding], n_rows: u64) -> String {
    let largest = guards.iter().map(|guard| guard.n_under).max().unwrap_or(0);
    format!("p = {}", rounded_up(Ratio::new(largest, n_rows.max(1))))
}

/// What can be asked of personalized privacy, where it is asked for: for who found no release.
pub(crate) fn nearest_guarded(
    asked: &Asked,
    sensitive: &[&Attribute],
    n_rows: u64,
) -> Option<String> {
    asked.about().iter().find_map(|about| {
        let Principle::Personalized { guards, .. } = about.principle() else { return None };
        let guards = guarding(about.index()?, guards, sensitive);
        let (model, p) = (about.model(), as_one_class(&guards, n_rows));
        Some(format!("of `{model}` alone {p} is feasible in any case, with all rows in one class"))
    })
}
