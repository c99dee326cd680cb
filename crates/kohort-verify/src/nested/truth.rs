//! Truthfulness of a nested release: every tree is a pruned and generalized tree of a person of the original,
//! a different person for each.
//!
//! # Method
//! 1. A certificate names an original record for each released tree: each pair is looked at.
//! 2. Without one, trees are matched with records. Who may be a tree's person has everything that the
//!    tree shows exactly, so the rarest of that says whom to look at.
//!
//! In an anatomized release the sensitive values belong to groups, and must be those of their people: see
//! [`super::whose`].

use kohort_core::{Error, Nested, Role};
use rayon::prelude::*;

use super::claims::{GROUP, NestedClaims, NestedOriginal, NestedRelease};
use super::cover::{Cover, Must};
use super::matching::Matching;
use super::shape::small;
use super::tree_anatomy::groups;
use super::vertex_anatomy::Groups;
use super::whose::{foreign_trees, foreign_values, origins};

/// The most records that a tree may be before it counts as anybody's.
const MOST_CANDIDATES: usize = 100;

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

    /// The sensitive values of an anatomized release, or the trees of them, that are not of the people of
    /// their group.
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
    let is_generalized = matches!(release, NestedRelease::Generalized(_));
    let must = |path: &str| match claims.role(path)? {
        Role::Insensitive => Some(Must::Stay),
        Role::Sensitive if is_generalized => Some(Must::StayOrGo),
        _ => None,
    };
    let cover = Cover::new(trees, original, must)?;
    let (originals, people) = if let Some(claimed) = original.certificate {
        let checked = check(&cover, claimed);
        let people = checked.iter().map(|record| record.map(|record| vec![record])).collect();
        (checked, people)
    } else {
        let candidates = Candidates::new(&cover);
        let people = if is_generalized { Vec::new() } else { candidates.people(MOST_CANDIDATES) };
        (search(&candidates, |_, _| true), people)
    };
    let mut unknown_paths = unknown_paths(trees, claims, original.nested);
    let foreign_values = match release {
        NestedRelease::Generalized(_) => 0,
        NestedRelease::TreeAnatomy { sensitive, .. } => {
            unknown_paths.extend(self::unknown_paths(sensitive, claims, original.nested));
            let is_sensitive = |path: &str| claims.role(path) == Some(Role::Sensitive);
            let must = |path: &str| is_sensitive(path).then_some(Must::StayOrGo);
            let of_values = Cover::new(sensitive, original, must)?;
            let groups = groups(trees, sensitive)?;
            let is_certified = original.certificate.is_some();
            foreign_trees([&cover, &of_values], &groups, &people, is_certified)
        }
        NestedRelease::VertexAnatomy { sensitive, .. } => {
            let origins = origins(&cover, trees, &people);
            let mut foreign = 0;
            for entry in claims.sensitive() {
                let groups = Groups::read(entry, trees, sensitive)?;
                foreign += foreign_values(&groups, trees, (original.nested, &entry.path), &origins);
            }
            foreign
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

/// Searches a record for each tree, among those that it may have.
pub(super) fn search(
    candidates: &Candidates<'_>,
    may: impl Fn(u32, u32) -> bool,
) -> Vec<Option<u32>> {
    let cover = candidates.cover;
    let mut order: Vec<u32> = (0..small(cover.n_released)).collect();
    order.sort_by_key(|&tree| candidates.listed(tree).len());
    let mut matching = Matching::new(cover.n_released, cover.n_original);
    for tree in order {
        matching.place(tree, |tree| {
            let may = &may;
            candidates.of(tree, move |record| may(tree, record))
        });
    }
    matching.found().to_vec()
}

/// Whom trees may be. Who is a tree's person has everything that the tree shows exactly, so the rarest of
/// that says whom to look at.
pub(super) struct Candidates<'a> {
    cover: &'a Cover<'a>,
    released: Vec<Vec<u32>>,
    original: Vec<Vec<u32>>,
    having: Vec<Vec<u32>>,
    all: Vec<u32>,
}

impl<'a> Candidates<'a> {
    pub(super) fn new(cover: &'a Cover<'a>) -> Self {
        let [released, original] = cover.tokens();
        let tokens = released.iter().chain(&original).flatten();
        let mut having = vec![Vec::new(); tokens.max().map_or(0, |&last| last as usize + 1)];
        for (record, tokens) in (0..).zip(&original) {
            for same in tokens.chunk_by(|a, b| a == b) {
                having[same[0] as usize].push(record);
            }
        }
        let all = (0..small(cover.n_original)).collect();
        Self { cover, released, original, having, all }
    }

    /// The records to look at.
    fn listed(&self, tree: u32) -> &[u32] {
        kohort_core::alive();
        let tokens = self.released[tree as usize].iter();
        let lists = tokens.map(|&token| &self.having[token as usize]);
        lists.min_by_key(|list| list.len()).unwrap_or(&self.all)
    }

    /// The records that a tree embeds in, among those that it may.
    fn of(&self, tree: u32, may: impl Fn(u32) -> bool) -> impl Iterator<Item = u32> {
        let has_all = move |&record: &u32| {
            includes(&self.original[record as usize], &self.released[tree as usize])
        };
        let records = self.listed(tree).iter().copied();
        let records = records.filter(move |&record| may(record)).filter(has_all);
        records.filter(move |&record| self.cover.embeds(tree, record))
    }

    /// All of them, for each tree; none where there is none, or there are more than `most`.
    fn people(&self, most: usize) -> Vec<Option<Vec<u32>>> {
        let of = |tree: u32| {
            let found: Vec<u32> = self.of(tree, |_| true).take(most + 1).collect();
            (1..=most).contains(&found.len()).then_some(found)
        };
        (0..small(self.cover.n_released)).into_par_iter().map(of).collect()
    }
}

/// Whether a list has everything of another, as often; both ascending.
fn includes(all: &[u32], some: &[u32]) -> bool {
    let mut all = all.iter();
    some.iter().all(|one| all.find(|&next| next >= one) == Some(one))
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
