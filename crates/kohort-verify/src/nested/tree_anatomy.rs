//! Trees in two files (t-t anatomy): quasi-identifiers in one, sensitive values in the other, and people
//! in groups.
//!
//! # Method
//! 1. In each group both files have the same number of trees, and all of them have one structure.
//! 2. Any of the group's trees of sensitive values may be anybody's, and vertices of equal structure can
//!    be laid on one another: the values of such an orbit are counted together.
//! 3. Labels are published as they are: a group hides nobody, and k is how many show the same labels.
//! 4. A rule comes to the share of the group's trees of sensitive values with the disclosing number of
//!    occurrences.
//!
//! # References
//! Özalp, Privacy Preserving Publishing of Hierarchical Data, 2017.

use kohort_core::{Error, Nested, number};

use super::claims::{GROUP, NestedClaims, NestedOriginal};
use super::generalized::{alike, sizes};
use super::models::broken_orbits;
use super::shape::{Shape, narrow, pair};
use super::values::{Values, all_labels, diversity, occurrences, shares};
use super::verdict::Judged;

pub(super) fn judge(
    quasi: &Nested,
    sensitive: &Nested,
    claims: &NestedClaims,
    original: Option<NestedOriginal<'_>>,
) -> Result<Judged, Error> {
    let (shape, _) = Shape::joined([quasi, sensitive]);
    let forms = shape.forms(shape.unlabeled());
    let [of_quasi, of_sensitive] = groups(quasi, sensitive)?;
    let structure = &forms[0];
    // What stands in the place of arrays without items is seen, too.
    let shape = Shape::of(sensitive);
    let forms = shape.forms(all_labels(sensitive, |_| false));
    let broken_groups = broken([&of_quasi, &of_sensitive], [structure, &forms[0]]);
    let orbits = shape.orbits(&whole(&of_sensitive, &forms[0]), &forms);
    let records = shape.records();
    let sizes = sizes(&of_sensitive);
    let values = Values::of(sensitive, claims, &orbits)?;
    let mut models = claims.no_findings();
    let mut of = |values: &Values<'_>| {
        let group_of = |row: usize| of_sensitive[records[values.branch][row] as usize];
        let group_size = |row: usize| sizes[group_of(row) as usize];
        let orbits = &orbits[values.branch];
        for (index, broken) in broken_orbits(values, orbits, group_size, (claims, original))? {
            models[index].broken_orbits += broken;
        }
        let l = claims.l_of(values.path);
        Ok(diversity(values.path, &values.of_row, orbits, group_size, l))
    };
    let rule = |rule| shares(rule, &occurrences(rule, &values, &records), &of_sensitive);
    Ok(Judged {
        sensitive: values.iter().map(&mut of).collect::<Result<_, Error>>()?,
        models,
        rules: claims.rules.iter().map(rule).collect(),
        broken_groups,
        alike: alike(quasi, claims),
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

/// The groups whose trees are not of one structure, given that of all trees and the forms of those of
/// sensitive values; or not as many in one file as in the other.
fn broken([of_quasi, of_sensitive]: [&[u32]; 2], [structure, forms]: [&[u32]; 2]) -> u64 {
    let all = || of_quasi.iter().chain(of_sensitive);
    let n_groups = all().max().map_or(0, |&last| last as usize + 1);
    let mut surplus = vec![0_i64; n_groups];
    for &group in of_quasi {
        surplus[group as usize] += 1;
    }
    for &group in of_sensitive {
        surplus[group as usize] -= 1;
    }
    let mut is_broken: Vec<bool> = surplus.into_iter().map(|surplus| surplus != 0).collect();
    let mut compare = |groups: &mut dyn Iterator<Item = (&u32, &u32)>| {
        let mut first = vec![None; n_groups];
        for (&group, &form) in groups {
            let group = group as usize;
            is_broken[group] |= *first[group].get_or_insert(form) != form;
        }
    };
    compare(&mut all().zip(structure));
    compare(&mut of_sensitive.iter().zip(forms));
    is_broken.into_iter().filter(|&is_broken| is_broken).count() as u64
}
