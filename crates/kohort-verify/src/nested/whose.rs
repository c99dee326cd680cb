//! Whose the sensitive values of anatomized groups are: those of their people, and of nobody else.
//!
//! # Method
//! 1. Quasi-identifiers are published as they are, so a tree tells whose it is: the records that it embeds
//!    in, and the rows of these that its rows may be. A certificate names the record.
//! 2. In t-t anatomy each tree of sensitive values of a group is given a tree of quasi-identifiers of its
//!    own, and must embed in what is left of a record which that may be.
//! 3. In v-v anatomy each value of a group is given a place that names the group, and must be the value of
//!    a row which that may be.
//! 4. Over the whole release each of them is given a record, or a row, of its own.
//!
//! # What it decides
//! Where each tree is one record's and each of its rows is one row's, exactly whether the values of each
//! group are those of its people, at each place. Where people, or siblings of one person, look alike, 2 to
//! 4 are each necessary and together not sufficient: values may be exchanged among those who look alike, or
//! one choice may be needed for 2 or 3 and another for 4. A tree that may be more than a hundred records,
//! or is none's, may have every value that the release has no more often than the original.

use std::collections::{BTreeMap, BTreeSet};

use kohort_core::Nested;
use rayon::prelude::*;

use super::cover::{Cover, Image};
use super::matching::Matching;
use super::shape::small;
use super::truth::{Candidates, search};
use super::vertex_anatomy::Groups;

/// The records that each tree may be; none for anybody's.
type People = [Option<Vec<u32>>];

/// A record, and the rows of it, by branch and row, that are left.
type Left = (u32, BTreeSet<(usize, u32)>);

/// The trees of sensitive values that are not of the people of their group: `covers` has those of
/// quasi-identifiers and those of values, `groups` the groups of both.
pub(super) fn foreign_trees(
    covers: [&Cover<'_>; 2],
    groups: &[Vec<u32>; 2],
    people: &People,
    is_certified: bool,
) -> u64 {
    let mut members: BTreeMap<u32, [Vec<u32>; 2]> = BTreeMap::new();
    for (side, groups) in groups.iter().enumerate() {
        for (tree, &group) in (0..).zip(groups) {
            members.entry(group).or_default()[side].push(tree);
        }
    }
    let groups_of: Vec<&[Vec<u32>; 2]> = members.values().collect();
    let foreign = |members: &&[Vec<u32>; 2]| foreign_in_group(covers, members, people);
    let in_groups: u64 = groups_of.par_iter().map(foreign).sum();
    if is_certified {
        // Trees that have different records need no matching with these.
        return in_groups;
    }
    let of_group = |[quasi, _]: &[Vec<u32>; 2]| {
        let of = |&tree: &u32| people[tree as usize].as_deref();
        let all: Option<Vec<&[u32]>> = quasi.iter().map(of).collect();
        all.map(|all| all.into_iter().flatten().copied().collect::<BTreeSet<u32>>())
    };
    let of_group: BTreeMap<u32, Option<BTreeSet<u32>>> =
        members.iter().map(|(&group, members)| (group, of_group(members))).collect();
    let may = |tree: u32, record: u32| {
        let people = &of_group[&groups[1][tree as usize]];
        people.as_ref().is_none_or(|people| people.contains(&record))
    };
    let found = search(&Candidates::new(covers[1]), may);
    in_groups.max(found.iter().filter(|record| record.is_none()).count() as u64)
}

/// The trees of sensitive values of one group that none of its trees of quasi-identifiers is left for.
fn foreign_in_group(
    [quasi, sensitive]: [&Cover<'_>; 2],
    [trees, of_values]: &[Vec<u32>; 2],
    people: &People,
) -> u64 {
    // What is left of each record that a tree may be.
    let left = |&tree: &u32| {
        let records = people[tree as usize].as_ref()?.iter();
        let rows = |record: u32| quasi.images(tree, record).into_iter().map(|at| at.original);
        Some(records.map(|&record| (record, rows(record).collect())).collect())
    };
    let left: Vec<Option<Vec<Left>>> = trees.iter().map(left).collect();
    let fits = |values: u32, left: &Option<Vec<Left>>| {
        left.as_ref().is_none_or(|left| {
            left.iter().any(|(record, rows)| {
                let is_open = |at: (usize, u32)| rows.contains(&at) || !quasi.has(at.0);
                sensitive.embeds_in(values, *record, &is_open)
            })
        })
    };
    let candidates: Vec<Vec<u32>> = (of_values.iter())
        .map(|&values| {
            (0..).zip(&left).filter(|(_, left)| fits(values, left)).map(|(at, _)| at).collect()
        })
        .collect();
    unmatched(&candidates, trees.len())
}

/// For each row of each branch of a release, the rows of the original that it may be; none for any.
pub(super) fn origins(
    cover: &Cover<'_>,
    trees: &Nested,
    people: &People,
) -> Vec<Vec<Option<Vec<u32>>>> {
    let mut origins: Vec<Vec<Option<Vec<u32>>>> =
        trees.branches().iter().map(|branch| vec![None; branch.n_rows()]).collect();
    let images = |(tree, people): (usize, &Option<Vec<u32>>)| {
        let people = people.iter().flatten();
        people.flat_map(|&record| cover.images(small(tree), record)).collect()
    };
    let images: Vec<Vec<Image>> = people.par_iter().enumerate().map(images).collect();
    for Image { released: (branch, row), original: (_, original) } in images.into_iter().flatten() {
        origins[branch][row as usize].get_or_insert_default().push(original);
    }
    origins
}

/// The values of the groups of an attribute, by its path in the original, that are not of the people who
/// name the group, there.
pub(super) fn foreign_values(
    groups: &Groups<'_>,
    trees: &Nested,
    (original, path): (&Nested, &str),
    origins: &[Vec<Option<Vec<u32>>>],
) -> u64 {
    let Some((branch, at)) = original.find(path) else { return groups.texts.len() as u64 };
    let column = &original.branches()[branch].table().columns()[at];
    let (n_rows, dictionary) = (column.codes().len(), column.dictionary());
    let values: Vec<Option<u32>> = groups.texts.iter().map(|text| dictionary.find(text)).collect();
    let mut of_group: Vec<Vec<usize>> = vec![Vec::new(); groups.sizes.len()];
    for (value, &group) in groups.of_value.iter().enumerate() {
        of_group[group as usize].push(value);
    }
    let mut places: Vec<Vec<Option<&[u32]>>> = vec![Vec::new(); groups.sizes.len()];
    let (released, named) = groups.named(trees);
    for (group, row) in named {
        places[group as usize].push(origins[released][row].as_deref());
    }
    let is = |value: usize, row: u32| values[value] == Some(column.codes().get(row as usize));
    let mut in_groups = 0;
    // The rows that each value may be of, where its group is not of anybody.
    let mut rows_of_value: Vec<Vec<u32>> = Vec::new();
    for (of_group, places) in of_group.iter().zip(&places) {
        kohort_core::alive();
        let fits = |value: usize, rows: Option<&[u32]>| {
            rows.is_none_or(|rows| rows.iter().any(|&row| is(value, row)))
        };
        let candidates: Vec<Vec<u32>> = (of_group.iter())
            .map(|&value| {
                let fit = (0..).zip(places).filter(|&(_, rows)| fits(value, *rows));
                fit.map(|(at, _)| at).collect()
            })
            .collect();
        in_groups += unmatched(&candidates, places.len());
        if let Some(places) = places.iter().copied().collect::<Option<Vec<&[u32]>>>() {
            rows_of_value.extend(of_group.iter().map(|&value| {
                let rows = places.iter().copied().flatten().copied();
                rows.filter(|&row| is(value, row)).collect::<Vec<u32>>()
            }));
        }
    }
    in_groups.max(unmatched(&rows_of_value, n_rows)).max(surplus(&values, column))
}

/// The values that are more often there than in the original.
fn surplus(values: &[Option<u32>], original: &kohort_core::Column) -> u64 {
    let mut left = original.counts();
    let mut is_more = |value: &Option<u32>| {
        let left = value.and_then(|value| left.get_mut(value as usize));
        match left {
            Some(left) if *left > 0 => {
                *left -= 1;
                false
            }
            _ => true,
        }
    };
    values.iter().filter(|value| is_more(value)).count() as u64
}

/// How many cannot be given one of their candidates, of so many, for themselves.
fn unmatched(candidates: &[Vec<u32>], n_others: usize) -> u64 {
    let mut matching = Matching::new(candidates.len(), n_others);
    let mut place =
        |one: &u32| matching.place(*one, |one| candidates[one as usize].iter().copied());
    (0..small(candidates.len())).filter(|one| !place(one)).count() as u64
}
