//! Insensitive paths: picks out a person's record by everything that is published as it is.
//!
//! # Adversary
//! Knows the structure of a person's record, its quasi-identifiers and its insensitive values.
//!
//! # Method
//! The candidates are the released records that show the same, f of them; one is drawn, the person's with
//! probability 1/f.
//!
//! # Success
//! The expected share of people whose record is drawn. The baseline is that of who knows no insensitive
//! value. Promises are about quasi-identifiers, so there is none that this could refute.
//!
//! # References
//! Sweeney 2002, k-anonymity, section 2 (the data holder must name every attribute that can be linked).

use kohort_core::{Nested, Role, Spec};

use super::super::claims::NestedClaims;
use super::super::generalized::alike_by;
use crate::attack::{Known, Rate, wilson};

/// The attack by insensitive paths.
pub const INSENSITIVE_PATHS: Spec = Spec {
    id: "insensitive-paths",
    title: "Picking out a person's record by the insensitive values, too",
    paper: "Sweeney 2002",
    promise: "the record of a person is picked out by an adversary who also knows what is \
              published as it is",
    parameters: &[],
};

/// How well it does on released records; none where no path of them is insensitive.
pub fn insensitive_paths(trees: &Nested, claims: &NestedClaims) -> Option<Rate> {
    let role = |path: &str| claims.role(path);
    let columns = || trees.branches().iter().flat_map(|branch| branch.table().columns());
    if !columns().any(|column| role(column.name()) == Some(Role::Insensitive)) {
        return None;
    }
    let without = alike_by(trees, |path| role(path) == Some(Role::Quasi));
    let with = alike_by(trees, |path| matches!(role(path), Some(Role::Quasi | Role::Insensitive)));
    let n = trees.n_records() as u64;
    let share = |forms: u64| forms as f64 / n.max(1) as f64;
    let success = share(with.n_classes());
    let of_size = |test: fn(u64) -> bool| {
        with.iter().filter(|&(size, _)| test(size)).map(|(size, classes)| size * classes).sum()
    };
    let alone: u64 = of_size(|size| size == 1);
    Some(Rate {
        targets: n,
        success,
        baseline: share(without.n_classes()),
        interval: wilson(success, n),
        max_probability: with.k().map_or(0.0, |k| 1.0 / k as f64),
        above: [alone; 3],
        known: Known::Expected,
    })
}
