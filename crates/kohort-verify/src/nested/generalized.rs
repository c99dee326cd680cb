//! Generalized trees: who shows the same tree is in the same class.
//!
//! # Method
//! 1. The form of a tree is made of its structure and the texts of its quasi-identifiers; people with
//!    equal forms are a class.
//! 2. Vertices of a class that some bijection lays on one another are an orbit. Nobody can tell them
//!    apart, so their sensitive values are counted together. One that was cut off beside others may be any.
//! 3. A rule comes to the share of members with the disclosing number of occurrences: a member's values
//!    are published together, so they are those of one member or another.
//!
//! # References
//! Özalp, Privacy Preserving Publishing of Hierarchical Data, 2017.

use kohort_core::{Error, Nested, Role};

use super::claims::{NestedClaims, NestedOriginal};
use super::models::broken_orbits;
use super::shape::Shape;
use super::values::{Values, all_labels, diversity, occurrences, shares};
use super::verdict::Judged;
use crate::ClassSizes;

pub(super) fn judge(
    trees: &Nested,
    claims: &NestedClaims,
    original: Option<NestedOriginal<'_>>,
) -> Result<Judged, Error> {
    let shape = Shape::of(trees);
    let is_quasi = |path: &str| claims.role(path) == Some(Role::Quasi);
    let forms = shape.forms(all_labels(trees, is_quasi));
    let classes = &forms[0];
    let sizes = sizes(classes);
    let orbits = shape.orbits(classes, &forms);
    let records = shape.records();
    let values = Values::of(trees, claims, &orbits)?;
    let mut models = claims.no_findings();
    let mut of = |values: &Values<'_>| {
        let class_size = |row: usize| sizes[classes[records[values.branch][row] as usize] as usize];
        let orbits = &orbits[values.branch];
        for (index, broken) in broken_orbits(values, orbits, class_size, (claims, original))? {
            models[index].broken_orbits += broken;
        }
        let l = claims.l_of(values.path);
        Ok(diversity(values.path, &values.of_row, orbits, class_size, l))
    };
    let rule = |rule| shares(rule, &occurrences(rule, &values, &records), classes);
    let class_sizes: ClassSizes = sizes.iter().copied().filter(|&size| size > 0).collect();
    Ok(Judged {
        sensitive: values.iter().map(&mut of).collect::<Result<_, Error>>()?,
        models,
        rules: claims.rules.iter().map(rule).collect(),
        alike: class_sizes.clone(),
        sizes: class_sizes,
        broken_groups: 0,
    })
}

/// How many people show the same labels in the same structure.
pub(super) fn alike(trees: &Nested, claims: &NestedClaims) -> ClassSizes {
    alike_by(trees, |path| claims.role(path) == Some(Role::Quasi))
}

/// How many people show the same at the paths that are looked at, in the same structure.
pub fn alike_by(trees: &Nested, takes: impl Fn(&str) -> bool) -> ClassSizes {
    let forms = Shape::of(trees).forms(all_labels(trees, takes));
    sizes(&forms[0]).into_iter().filter(|&size| size > 0).collect()
}

/// The members of each class.
pub(super) fn sizes(classes: &[u32]) -> Vec<u64> {
    let mut sizes = vec![0; classes.iter().max().map_or(0, |&last| last as usize + 1)];
    for &class in classes {
        sizes[class as usize] += 1;
    }
    sizes
}
