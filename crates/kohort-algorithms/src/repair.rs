//! Joins classes that break a promise with their cheapest neighbors until none does.
//!
//! # Guarantee
//! Every group that is returned keeps every promise. Where the promises are monotone and hold for the
//! rows taken together, a way is always found: in the end all rows are one class.
//!
//! # Method
//! 1. Sort the groups by the lower corner of their boxes.
//! 2. While a group fails: join it with the group whose union adds least to the loss. With many groups
//!    only the nearest in the sorted order are compared.

use crate::check::Check;
use crate::extent::Extent;
use crate::{Failure, Problem};

/// How many neighbors on each side are compared when all would be too many.
const WINDOW: usize = 256;

/// Up to this many comparisons every group is a neighbor.
const ALL: usize = 100_000_000;

struct Group {
    rows: Vec<u32>,
    edges: Extent,
}

/// Joins groups until each keeps every promise.
pub(crate) fn repair(
    problem: &Problem<'_>,
    groups: Vec<Vec<u32>>,
) -> Result<Vec<Vec<u32>>, Failure> {
    let mut check = Check::new(problem);
    if groups.iter().all(|rows| check.holds(rows)) {
        return Ok(groups);
    }
    let (space, points) = (problem.space(), problem.points());
    let point_of_row = points.point_of_row();
    let mut groups: Vec<Group> = groups
        .into_iter()
        .map(|rows| {
            let codes = rows.iter().map(|&row| points.codes(point_of_row[row as usize] as usize));
            Group { edges: Extent::around(space, codes), rows }
        })
        .collect();
    groups.sort_by(|a, b| a.edges.lo.cmp(&b.edges.lo).then_with(|| a.edges.hi.cmp(&b.edges.hi)));
    let failing = groups.iter().filter(|group| !check.holds(&group.rows)).count();
    let window = if failing.saturating_mul(groups.len()) <= ALL { groups.len() } else { WINDOW };
    let mut groups: Vec<Option<Group>> = groups.into_iter().map(Some).collect();
    for index in 0..groups.len() {
        while let Some(group) = &groups[index]
            && !check.holds(&group.rows)
        {
            let Some(other) = cheapest(problem, &groups, index, window) else {
                return Err(Failure::infeasible("no class of rows keeps every promise"));
            };
            let joined = groups[other].take().expect("a neighbor is there");
            let group = groups[index].as_mut().expect("it was looked at above");
            group.edges.join(space, &joined.edges.lo, &joined.edges.hi);
            group.rows.extend(joined.rows);
        }
    }
    Ok(groups.into_iter().flatten().map(|group| group.rows).collect())
}

/// The group whose union with the group at `index` adds least to the loss.
fn cheapest(
    problem: &Problem<'_>,
    groups: &[Option<Group>],
    index: usize,
    window: usize,
) -> Option<usize> {
    let group = groups[index].as_ref()?;
    let added = |other: &Group| {
        let cost = group.edges.cost_with(problem.space(), &other.edges.lo, &other.edges.hi);
        let (n, m) = (group.rows.len() as f64, other.rows.len() as f64);
        (n + m) * cost - m * other.edges.cost
    };
    let there = |&other: &usize| groups[other].is_some();
    let before = (0..index).rev().filter(there).take(window);
    let after = (index + 1..groups.len()).filter(there).take(window);
    let mut best: Option<(f64, usize)> = None;
    for other in before.chain(after) {
        let loss = groups[other].as_ref().map_or(f64::INFINITY, added);
        if best.is_none_or(|(least, at)| loss < least || (loss <= least && other < at)) {
            best = Some((loss, other));
        }
    }
    best.map(|(_, other)| other)
}
