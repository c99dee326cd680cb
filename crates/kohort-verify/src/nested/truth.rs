//! Truthfulness of a nested release: every tree is a pruned and generalized tree of a person of the original,
//! a different person for each.
//!
//! # Method
//! 1. A certificate names an original record for each released tree: each pair is looked at.
//! 2. Without one, trees are matched with records. Who may be a tree's person has everything that the
//!    tree shows exactly, so the rarest of that says whom to look at.
//!
//! In an anatomized release the sensitive values belong to groups. In t-t anatomy each tree of sensitive
//! values must embed in a record of its own: with a certificate, in one of those of its group. In v-v
//! anatomy no group has more of a value than the records of its trees have at that place, or without a
//! certificate the release no more than the original.

use std::collections::BTreeMap;

use kohort_core::{Error, Nested, Role};
use rayon::prelude::*;

use super::claims::{GROUP, NestedClaims, NestedOriginal, NestedRelease};
use super::cover::{Cover, Matching};
use super::shape::{Shape, small};
use super::tree_anatomy::groups;
use super::vertex_anatomy::Groups;

/// What a comparison of a nested release with its original found.
#[derive(Clone, Debug)]
pub struct NestedTruth {
    originals: Vec<Option<u32>>,
    foreign_values: u64,
    unknown_paths: Vec<String>,
}

impl NestedTruth {
    /// Whether everything is as it was, pruned and generalized.
    pub fn holds(&self) -> bool {
        self.uncovered_records() == 0 && self.foreign_values == 0 && self.unknown_paths.is_empty()
    }

    /// For each released tree an original record that it embeds in, different for each; none where there
    /// is none left.
    pub fn originals(&self) -> &[Option<u32>] {
        &self.originals
    }

    /// The released trees without a record of their own.
    pub fn uncovered_records(&self) -> u64 {
        self.originals.iter().filter(|original| original.is_none()).count() as u64
    }

    /// The trees of sensitive values of an anatomized release without a record of their own, or the
    /// values that are too many.
    pub fn foreign_values(&self) -> u64 {
        self.foreign_values
    }

    /// Places of the schema, and attributes, that the original does not have.
    pub fn unknown_paths(&self) -> &[String] {
        &self.unknown_paths
    }
}

/// Compares a nested release with the original.
///
/// # Errors
/// For a range that cannot be compared, and without a member that tells the groups.
pub fn truth(
    release: NestedRelease<'_>,
    claims: &NestedClaims,
    original: NestedOriginal<'_>,
) -> Result<NestedTruth, Error> {
    let trees = release.trees();
    let is = |path: &str, role| claims.role(path) == Some(role);
    let is_generalized = matches!(release, NestedRelease::Generalized(_));
    let is_exact =
        |path: &str| is(path, Role::Insensitive) || (is_generalized && is(path, Role::Sensitive));
    let cover = Cover::new(trees, original, is_exact)?;
    let originals = match original.certificate {
        Some(claimed) => check(&cover, claimed),
        None => search(&cover),
    };
    let mut unknown_paths = unknown_paths(trees, claims, original.nested);
    let foreign_values = match release {
        NestedRelease::Generalized(_) => 0,
        NestedRelease::TreeAnatomy { sensitive, .. } => {
            unknown_paths.extend(self::unknown_paths(sensitive, claims, original.nested));
            let cover = Cover::new(sensitive, original, |path| is(path, Role::Sensitive))?;
            let found = match original.certificate {
                Some(_) => in_groups(&cover, &groups(trees, sensitive)?, &originals),
                None => search(&cover),
            };
            found.iter().filter(|found| found.is_none()).count() as u64
        }
        NestedRelease::VertexAnatomy { sensitive, .. } => {
            surplus(trees, sensitive, claims, original, &originals)?
        }
    };
    Ok(NestedTruth { originals, foreign_values, unknown_paths })
}

/// Looks at the claimed records.
fn check(cover: &Cover<'_>, claimed: &[u32]) -> Vec<Option<u32>> {
    let mut is_used = vec![false; cover.n_original];
    let mut claim = |tree: usize| {
        let record = *claimed.get(tree)?;
        let used = is_used.get_mut(record as usize)?;
        (!std::mem::replace(used, true)).then_some(record)
    };
    let claims: Vec<Option<u32>> = (0..cover.n_released).map(&mut claim).collect();
    let holds = |(tree, claim): (usize, &Option<u32>)| {
        claim.filter(|&record| cover.embeds(small(tree), record))
    };
    claims.par_iter().enumerate().map(holds).collect()
}

/// Searches a record for each tree.
fn search(cover: &Cover<'_>) -> Vec<Option<u32>> {
    let [released, original] = cover.tokens();
    let n_tokens =
        released.iter().chain(&original).flatten().max().map_or(0, |&last| last as usize + 1);
    let mut having: Vec<Vec<u32>> = vec![Vec::new(); n_tokens];
    for (record, tokens) in (0..).zip(&original) {
        for same in tokens.chunk_by(|a, b| a == b) {
            having[same[0] as usize].push(record);
        }
    }
    let all: Vec<u32> = (0..small(cover.n_original)).collect();
    let candidates: Vec<&[u32]> = (released.iter())
        .map(|tokens| {
            let lists = tokens.iter().map(|&token| &having[token as usize][..]);
            lists.min_by_key(|list| list.len()).unwrap_or(&all)
        })
        .collect();
    let mut order: Vec<u32> = (0..small(cover.n_released)).collect();
    order.sort_by_key(|&tree| candidates[tree as usize].len());
    let mut matching = Matching::new(cover.n_released, cover.n_original);
    for tree in order {
        matching.place(tree, |tree| {
            let list = candidates[tree as usize].iter().copied();
            let tokens = &released[tree as usize];
            let has_all = |&record: &u32| includes(&original[record as usize], tokens);
            list.filter(has_all).filter(move |&record| cover.embeds(tree, record))
        });
    }
    matched(&matching, cover.n_released)
}

/// Whether a list has everything of another, as often; both ascending.
fn includes(all: &[u32], some: &[u32]) -> bool {
    let mut all = all.iter();
    some.iter().all(|one| all.find(|&next| next >= one) == Some(one))
}

fn matched(matching: &Matching, n_released: usize) -> Vec<Option<u32>> {
    let mut found = vec![None; n_released];
    for (record, owner) in (0..).zip(&matching.owner) {
        if let Some(tree) = owner {
            found[*tree as usize] = Some(record);
        }
    }
    found
}

/// Searches a record for each tree among those of the trees of quasi-identifiers of its group.
fn in_groups(
    cover: &Cover<'_>,
    groups: &[Vec<u32>; 2],
    originals: &[Option<u32>],
) -> Vec<Option<u32>> {
    let mut of_group: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (&group, original) in groups[0].iter().zip(originals) {
        of_group.entry(group).or_default().extend(original);
    }
    let mut matching = Matching::new(cover.n_released, cover.n_original);
    for tree in 0..small(cover.n_released) {
        matching.place(tree, |tree| {
            let list = of_group.get(&groups[1][tree as usize]).map_or(&[][..], |list| list);
            list.iter().copied().filter(move |&record| cover.embeds(tree, record))
        });
    }
    matched(&matching, cover.n_released)
}

/// The values of groups that are more than the records of their trees have; without a certificate, than
/// the original has.
fn surplus(
    trees: &Nested,
    lists: &Nested,
    claims: &NestedClaims,
    original: NestedOriginal<'_>,
    originals: &[Option<u32>],
) -> Result<u64, Error> {
    let records = Shape::of(trees).records();
    let original_records = Shape::of(original.nested).records();
    let is_certified = original.certificate.is_some();
    let mut surplus = 0;
    for entry in claims.sensitive() {
        let groups = Groups::read(entry, trees, lists)?;
        let mut left: BTreeMap<(u32, &str), u64> = BTreeMap::new();
        if let Some((branch, at)) = original.nested.find(&entry.path) {
            let column = &original.nested.branches()[branch].table().columns()[at];
            let mut of_record: Vec<Vec<u32>> = vec![Vec::new(); original.nested.n_records()];
            for (value, &record) in column.codes().iter().zip(&original_records[branch]) {
                of_record[record as usize].push(value);
            }
            let mut add = |group, record: usize| {
                for &value in &of_record[record] {
                    *left.entry((group, column.dictionary().get(value))).or_default() += 1;
                }
            };
            if is_certified {
                let (branch, named) = groups.named(trees);
                for (group, row) in named {
                    if let Some(record) = originals[records[branch][row] as usize] {
                        add(group, record as usize);
                    }
                }
            } else {
                (0..of_record.len()).for_each(|record| add(0, record));
            }
        }
        for (&group, &text) in groups.of_value.iter().zip(&groups.texts) {
            match left.get_mut(&(if is_certified { group } else { 0 }, text)) {
                Some(left) if *left > 0 => *left -= 1,
                _ => surplus += 1,
            }
        }
    }
    Ok(surplus)
}

/// Branches, and attributes that have a role, that the original does not have.
fn unknown_paths(release: &Nested, claims: &NestedClaims, original: &Nested) -> Vec<String> {
    let has_branch = |path: &str| original.branches().iter().any(|branch| branch.path() == path);
    let branches = release.branches().iter().map(kohort_core::Branch::path);
    let columns = release.branches().iter().flat_map(|branch| branch.table().columns());
    let columns = columns.map(kohort_core::Column::name);
    let is_unknown = |path: &&str| {
        claims.role(path).is_some() && *path != GROUP && original.find(path).is_none()
    };
    branches
        .filter(|path| !has_branch(path))
        .chain(columns.filter(is_unknown))
        .map(str::to_owned)
        .collect()
}
