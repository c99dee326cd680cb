//! Taxonomies: where they come from, and what is wrong with one.
//!
//! A plan names a [`Source`]; [`build`] turns it into a tree bound to the values of a column. Files
//! are opened elsewhere: their text is handed in as a [`FileText`].
//!
//! Labels of groups are public configuration and are quoted in messages. Leaves may be cells of the
//! table: messages name them by their line only.
//!
//! ```
//! use kohort::taxonomy::{Limits, build, show};
//! use kohort::{Table, ValueType};
//!
//! let table = Table::from_rows(["zip"], [["02138"], ["02139"], ["10025"]])?;
//! let source = kohort::plan::taxonomy("mask").expect("a source of taxonomies");
//! let built = build(&source, None, &table, &table.columns()[0], Some(ValueType::Text))?;
//! let (taxonomy, _) = built.taxonomy.expect("texts can be masked");
//! let drawn = show(&taxonomy, None, Limits { depth: 3, lines: 20 });
//! assert!(drawn.contains('*'));
//! # Ok::<(), kohort::Error>(())
//! ```

mod bind;
mod buckets;
mod build;
mod calendar;
mod check;
mod exact;
mod file;
mod groups;
mod listed;
mod mask;
mod numbers;
mod propose;
mod quantiles;
mod show;
mod source;

pub use buckets::BucketsPlan;
pub(crate) use buckets::of_level;
pub use build::{Built, build};
pub(crate) use build::{Texts, texts};
pub use calendar::{Calendar, Period};
pub use check::{CheckReport, LevelReport, check};
pub use file::{FileText, Loaded, load};
pub use groups::{Branch, Groups, Leaf};
pub use listed::Problem;
pub use mask::Side;
pub use numbers::{Number, Ranges, Widths};
pub use propose::{Proposal, propose, to_arx};
pub(crate) use propose::{proposed_buckets, tenth};
pub(crate) use quantiles::cut;
pub use show::{Limits, show};
pub use source::{FileSource, LabelsName, Source};

use kohort_core::{Kind, Level};

use crate::Error;

/// A taxonomy, or its fit to a column, is not as it must be.
fn refused(source_name: &str, lines: Option<String>, problem: String) -> Error {
    let source_name = source_name.to_owned();
    kohort_core::Error::new(Kind::Taxonomy { source_name, lines, problem }).into()
}

/// A value of the plan is outside its range.
fn bad_parameter(name: &'static str, found: String, expected: &'static str) -> Error {
    kohort_core::Error::new(Kind::Parameter { name, found, expected }).into()
}

/// One level over values in order: neighbors with equal keys share a group.
fn level_of_runs<K: PartialEq>(
    keys: impl Iterator<Item = K>,
    label: impl Fn(&K) -> String,
) -> Level {
    let mut level = Level { group_of_leaf: Vec::new(), labels: Vec::new() };
    let mut last: Option<K> = None;
    for key in keys {
        if last.as_ref() != Some(&key) {
            level.labels.push(label(&key));
            last = Some(key);
        }
        level.group_of_leaf.push(index(level.labels.len() - 1));
    }
    level
}

/// The level of the root.
fn root_level(n_leaves: usize) -> Level {
    Level { group_of_leaf: vec![0; n_leaves], labels: vec!["*".into()] }
}

/// Positions of leaves and groups are bounded by the entries of a dictionary.
fn index(position: usize) -> u32 {
    u32::try_from(position).expect("a dictionary has at most u32::MAX entries")
}
