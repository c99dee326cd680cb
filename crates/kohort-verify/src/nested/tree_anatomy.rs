//! Trees in two files (t-t anatomy): quasi-identifiers in one, sensitive values in the other, and people
//! in groups.
//!
//! # Method
//! 1. In each group both files have the same number of trees, and all of them have one structure.
//! 2. Any of the group's trees of sensitive values may be anybody's, and vertices of equal structure can
//!    be laid on one another: the values of such an orbit are counted together.
//! 3. A rule comes to the share of the group's trees of sensitive values with the disclosing number of
//!    occurrences.
//!
//! # References
//! specs/06 §5 and §5.1.

use kohort_core::{Error, Nested, number};

use super::claims::{GROUP, NestedClaims};
use super::generalized::sizes;
use super::shape::{Shape, narrow, pair, small};
use super::values::{Values, diversity, occurrences, shares};
use super::verdict::Judged;

pub(super) fn judge(
    quasi: &Nested,
    sensitive: &Nested,
    claims: &NestedClaims,
) -> Result<Judged, Error> {
    let (shape, _) = Shape::joined([quasi, sensitive]);
    let forms = shape.forms(shape.unlabeled());
    let [of_quasi, of_sensitive] = groups(quasi, sensitive)?;
    let broken_groups = broken(&of_quasi, &of_sensitive, &forms[0]);
    let shape = Shape::of(sensitive);
    let forms = shape.forms(shape.unlabeled());
    let orbits = shape.orbits(&whole(&of_sensitive, &forms[0]), &forms);
    let records = shape.records();
    let sizes = sizes(&of_sensitive);
    let values = Values::of(sensitive, claims)?;
    let of = |values: &Values<'_>| {
        let group_of = |row: usize| of_sensitive[records[values.branch][row] as usize];
        let group_size = |row: usize| sizes[group_of(row) as usize];
        diversity(
            values.path,
            &values.of_row,
            &orbits[values.branch],
            group_size,
            claims.l_of(values.path),
        )
    };
    let rule = |rule| shares(rule, &occurrences(rule, &values, &records), &of_sensitive);
    Ok(Judged {
        sensitive: values.iter().map(of).collect(),
        rules: claims.rules.iter().map(rule).collect(),
        broken_groups,
        sizes: sizes.into_iter().filter(|&size| size > 0).collect(),
    })
}

/// The group of each tree of both files, as numbers from 0.
pub(super) fn groups(quasi: &Nested, sensitive: &Nested) -> Result<[Vec<u32>; 2], Error> {
    let first = quasi.branches()[0].table().column(GROUP)?;
    let second = sensitive.branches()[0].table().column(GROUP)?;
    let n = first.dictionary().len();
    let unknown = |entry: u32| n + entry;
    let to: Vec<u32> = (0..)
        .zip(second.dictionary().iter())
        .map(|(entry, text)| first.dictionary().find(text).unwrap_or(unknown(entry)))
        .collect();
    let of_second = second.codes().iter().map(|entry| to[entry as usize]);
    let mut keys: Vec<u64> = first.codes().iter().chain(of_second).map(u64::from).collect();
    number(&mut keys, u64::MAX);
    let mut ids: Vec<u32> = keys.into_iter().map(narrow).collect();
    let of_sensitive = ids.split_off(quasi.n_records());
    Ok([ids, of_sensitive])
}

/// Groups cut by structure: where a group is sound it is one of these.
fn whole(groups: &[u32], forms: &[u32]) -> Vec<u32> {
    let mut keys: Vec<u64> = groups.iter().zip(forms).map(|(&g, &form)| pair(g, form)).collect();
    number(&mut keys, u64::MAX);
    keys.into_iter().map(narrow).collect()
}

/// The groups whose trees are not of one structure, or not as many in one file as in the other.
fn broken(of_quasi: &[u32], of_sensitive: &[u32], forms: &[u32]) -> u64 {
    let all = || of_quasi.iter().chain(of_sensitive);
    let n_groups = all().max().map_or(0, |&last| last as usize + 1);
    // For each group the structure of its first tree, how many trees more the first file has, and whether
    // all have that structure.
    let mut found = vec![(None, 0_i64, true); n_groups];
    for (tree, (&group, &form)) in all().zip(forms).enumerate() {
        let (first, surplus, is_one) = &mut found[group as usize];
        *is_one &= *first.get_or_insert(form) == form;
        *surplus += if tree < of_quasi.len() { 1 } else { -1 };
    }
    let is_broken = |&&(_, surplus, is_one): &&(Option<u32>, i64, bool)| surplus != 0 || !is_one;
    u64::from(small(found.iter().filter(is_broken).count()))
}
