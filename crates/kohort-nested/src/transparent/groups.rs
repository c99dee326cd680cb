//! Groups of records that are laid on one another, chosen by numbers of vertices alone.

use kohort_core::Ratio;

use super::blind::{Blind, Position};
use crate::costs::{Cost, TreeCosts, count};
use crate::left_out::Counts;
use crate::{AlignedClass, NestedProblem};

/// Records laid on one another.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) members: Vec<u32>,
    /// Each after the one above.
    pub(super) positions: Vec<Position>,
}

/// How likely it may be, about, that a position of values drawn at random is not diverse.
const RISK: f64 = 0.01;

/// A cut of records is looked for at so many places for each kind.
const PLACES: usize = 4;

/// The groups of all records.
pub(super) fn groups(problem: &NestedProblem<'_>, blind: &Blind<'_>) -> Vec<Group> {
    let costs = TreeCosts::new(problem);
    let n_kinds = problem.l.len();
    let enough: Vec<usize> = (0..n_kinds).map(|kind| enough(problem, kind)).collect();
    let most = enough.iter().copied().max().unwrap_or(1);
    let cutting = Cutting { blind, costs: &costs, fewest: most.max(problem.smallest()) };
    let mut groups = Vec::new();
    cutting.cut(blind.records.clone(), &mut groups);
    prune(problem, &costs, &enough, &mut groups);
    groups
}

/// So many vertices of a kind that their values are diverse almost surely, if drawn from all of that kind
/// (Chernoff): for each value, and for as many positions as there may be.
#[expect(clippy::cast_precision_loss, reason = "numbers of vertices are far below 2^53")]
fn enough(problem: &NestedProblem<'_>, kind: usize) -> usize {
    let sizes = Counts::of_forest(problem.forest, kind).sizes();
    let all: u64 = sizes.iter().sum();
    if problem.l[kind] <= 1 || all == 0 {
        return 1;
    }
    let limit = 1.0 / f64::from(problem.l[kind]);
    // How fast a share above 1/l becomes unlikely, by the value's share.
    let rate = |&size: &u64| {
        let share = Ratio::new(size, all).value();
        if share >= limit {
            return 0.0;
        }
        limit * (limit / share).ln() + (1.0 - limit) * ((1.0 - limit) / (1.0 - share)).ln()
    };
    let rates: Vec<f64> = sizes.iter().map(rate).collect();
    let is_enough = |n: u64| {
        let unlikely: f64 = rates.iter().map(|rate| (-rate * n as f64).exp()).sum();
        unlikely * (all as f64 / n as f64) <= RISK
    };
    // More are enough where fewer are.
    let (mut few, mut many) = (1, all);
    while few < many {
        let middle = u64::midpoint(few, many);
        if is_enough(middle) { many = middle } else { few = middle + 1 }
    }
    usize::try_from(many).unwrap_or(usize::MAX)
}

struct Cutting<'a> {
    blind: &'a Blind<'a>,
    costs: &'a TreeCosts<'a>,
    /// The fewest records of a group.
    fewest: usize,
}

impl Cutting<'_> {
    /// Cuts records in two where both parts keep more, and these again.
    fn cut(&self, members: Vec<u32>, groups: &mut Vec<Group>) {
        let positions = self.blind.laid(&members);
        let kept = self.kept(&positions, members.len());
        let Some((_, left, right)) = self.best(&members, kept) else {
            groups.push(Group { members, positions });
            return;
        };
        self.cut(left, groups);
        self.cut(right, groups);
    }

    /// What positions of so many records tell.
    fn kept(&self, positions: &[Position], n: usize) -> Cost {
        let of =
            |position: &Position| self.costs.of_lost(self.blind.forest.kind(position.vertices[0]));
        positions.iter().map(of).sum::<Cost>() * count(n)
    }

    /// The two parts that keep most, if that is more than `kept`.
    fn best(&self, members: &[u32], kept: Cost) -> Option<(Cost, Vec<u32>, Vec<u32>)> {
        let mut best: Option<(Cost, Vec<u32>, Vec<u32>)> = None;
        let n = members.len();
        if n < 2 * self.fewest {
            return None;
        }
        for kind in 0..self.blind.forest.kinds().len() {
            let number = |member: u32| self.blind.counts[member as usize][kind];
            let mut sorted = members.to_vec();
            sorted.sort_by_key(|&member| number(member));
            for place in places(n, self.fewest, |at| number(sorted[at - 1]) < number(sorted[at])) {
                let (left, right) = sorted.split_at(place);
                let of = |part: &[u32]| self.kept(&self.blind.laid(part), part.len());
                let both = of(left) + of(right);
                if both > best.as_ref().map_or(kept, |&(most, ..)| most) {
                    best = Some((both, left.to_vec(), right.to_vec()));
                }
            }
        }
        best
    }
}

/// Some of the places where `n` items can be cut into two parts of `fewest` or more, about evenly.
fn places(n: usize, fewest: usize, can_cut: impl Fn(usize) -> bool) -> Vec<usize> {
    let all: Vec<usize> = (fewest..=n - fewest).filter(|&at| can_cut(at)).collect();
    let step = all.len().div_ceil(PLACES).max(1);
    all.into_iter().skip(step / 2).step_by(step).collect()
}

/// Prunes positions until of each kind none is pruned, or so many that they are diverse almost surely, or a third
/// of all, or all.
fn prune(
    problem: &NestedProblem<'_>,
    costs: &TreeCosts<'_>,
    enough: &[usize],
    groups: &mut [Group],
) {
    let forest = problem.forest;
    let mut all = vec![0_usize; enough.len()];
    for record in 0..forest.n_records() {
        forest.vertices(record).for_each(|vertex| all[forest.kind(vertex)] += 1);
    }
    loop {
        let mut pruned = all.clone();
        for group in &*groups {
            for position in &group.positions {
                pruned[forest.kind(position.vertices[0])] -= position.vertices.len();
            }
        }
        let is_told =
            |kind: &usize| problem.l[*kind] > 1 && forest.kinds()[*kind].sensitive.is_some();
        let missing =
            |kind: usize| enough[kind].min(all[kind].div_ceil(3)).saturating_sub(pruned[kind]);
        let few =
            (0..all.len()).filter(is_told).find(|&kind| pruned[kind] > 0 && missing(kind) > 0);
        let found = few.and_then(|kind| cheapest(problem, costs, groups, (kind, missing(kind))));
        let Some((group, position)) = found else { return };
        groups[group].prune(position);
    }
}

/// The position to prune so that so many vertices of a kind more are pruned, if there is one: that which
/// loses least, of those that are enough by themselves; else of all. A root stays.
fn cheapest(
    problem: &NestedProblem<'_>,
    costs: &TreeCosts<'_>,
    groups: &[Group],
    (kind, missing): (usize, usize),
) -> Option<(usize, usize)> {
    let forest = problem.forest;
    let mut found: Vec<((bool, Cost), (usize, usize))> = Vec::new();
    for (at, group) in groups.iter().enumerate() {
        for (place, position) in group.positions.iter().enumerate() {
            if forest.kind(position.vertices[0]) != kind {
                continue;
            }
            // A further sensitive value of an object goes with it.
            let whole = if forest.kinds()[kind].is_member { position.above } else { place };
            if whole > 0 {
                let is_part = group.is_below(whole);
                let parts = group.positions.iter().zip(is_part).filter(|(_, is_part)| *is_part);
                let lost: Cost =
                    parts.map(|(part, _)| costs.of_lost(forest.kind(part.vertices[0]))).sum();
                let n = group.members.len();
                found.push(((n < missing, lost * count(n)), (at, whole)));
            }
        }
    }
    found.into_iter().min().map(|(_, place)| place)
}

impl Group {
    /// Which positions are this one or below it.
    fn is_below(&self, position: usize) -> Vec<bool> {
        let mut is_below = vec![false; self.positions.len()];
        for at in 0..self.positions.len() {
            is_below[at] = at == position || at > 0 && is_below[self.positions[at].above];
        }
        is_below
    }

    /// Prunes a position and everything below it.
    fn prune(&mut self, position: usize) {
        let is_below = self.is_below(position);
        let mut place_of = vec![0; is_below.len()];
        let mut kept: Vec<Position> = Vec::new();
        for (at, mut one) in std::mem::take(&mut self.positions).into_iter().enumerate() {
            if !is_below[at] {
                one.above = place_of[one.above];
                place_of[at] = kept.len();
                kept.push(one);
            }
        }
        self.positions = kept;
    }

    /// The class of some of the records.
    pub(super) fn class(&self, rows: &[usize]) -> AlignedClass {
        let of = |all: &[u32]| rows.iter().map(|&row| all[row]).collect::<Vec<u32>>();
        AlignedClass {
            members: of(&self.members),
            vertices: self.positions.iter().flat_map(|position| of(&position.vertices)).collect(),
        }
    }
}
