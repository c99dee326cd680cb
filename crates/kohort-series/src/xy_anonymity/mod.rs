//! (X,Y)-anonymity and (X,Y)-linkability: a release with other columns of people who were published before,
//! which leaves everybody enough values in the join with all earlier ones.
//!
//! # Guarantee
//! In the release, in its join with each earlier one and in that with all of them, everybody's classes have k
//! sensitive values in common, or no value has more than a share of the rows they have in common (see the
//! models). Releases that show another sensitive column are not joined.
//!
//! # Method
//! 1. By signatures: everybody is in classes of the same m values in every release, one row of each, m being
//!    k or the inverse of the share. Then every join leaves these values, however the classes of different
//!    releases cross (see `signatures`).
//! 2. Where that holds back more than one in `FEW`, or where the earlier classes of somebody have twice as
//!    many values in common, top-down specialization as well (see `specialize`), with the model as its test:
//!    X is the class of a person in each release, Y a sensitive value that all these classes show. Whoever
//!    fails with everybody in one class is held back. The release that loses less is taken; who is held back
//!    loses everything.
//!
//! # Notation
//! X and Y → `join` of the models.
//!
//! # Cost
//! That of m-invariance; with step 2, O(d n + releases · n log n) for each cell that is tried.
//!
//! # Deviations
//! - The paper lets X and Y be any columns of the join. Here X is all that the releases show of a person
//!   beside the sensitive value, and Y the sensitive value: who knows less than X has more rows to look at.
//! - The paper specializes, and a first release loses less so: but what it leaves in common with a second
//!   release of other columns is little, and a third has to be one class.
//! - What is gained is loss: there is no class label.
//!
//! # References
//! Wang, Fung: Anonymizing Sequential Releases, KDD 2006. Xiao, Tao: m-Invariance, SIGMOD 2007.

mod signatures;
#[cfg(test)]
mod tests;

use kohort_core::{ABSENT, Ctx, SeriesRelease, Spec, number};
use kohort_models::series::{Broken, XyAnonymity, XyLinkability};

use self::signatures::BySignatures;
use crate::specialize::specialize;
use crate::{Failure, Next, SeriesMethod, Surplus, Turn};

/// One in so many may be held back without another way being looked for.
const FEW: usize = 4;

/// The maker of series that publish other columns each time.
#[derive(Clone, Debug)]
pub struct XyMaker {
    /// What is promised about the join.
    pub model: XyModel,
    /// Whether each release of the history shows the same sensitive column.
    pub is_alike: Vec<bool>,
    /// What becomes of people who find no class.
    pub surplus: Surplus,
}

/// What is promised about a join.
#[derive(Clone, Copy, Debug)]
pub enum XyModel {
    /// Enough values.
    Anonymity(XyAnonymity),
    /// No value with a large share.
    Linkability(XyLinkability),
}

impl XyModel {
    /// Whether a release keeps the promise, alone and joined with earlier ones of the same sensitive column.
    fn check(&self, earlier: &[&SeriesRelease], next: &SeriesRelease) -> Result<(), Broken> {
        match self {
            Self::Anonymity(model) => model.check(earlier, next),
            Self::Linkability(model) => model.check(earlier, next),
        }
    }

    /// The people for whom it does not.
    fn failing(&self, earlier: &[&SeriesRelease], next: &SeriesRelease) -> Vec<u32> {
        match self {
            Self::Anonymity(model) => model.failing(earlier, next),
            Self::Linkability(model) => model.failing(earlier, next),
        }
    }

    /// As many values, with one row each, keep the promise.
    fn m(&self) -> u32 {
        match self {
            Self::Anonymity(model) => model.k(),
            Self::Linkability(model) => {
                let confidence = model.confidence();
                let m = confidence.den().div_ceil(confidence.num());
                u32::try_from(m).unwrap_or(u32::MAX)
            }
        }
    }

    /// Of rows with each value, how many of a value may be one class. The same number of every value that
    /// has so many.
    fn most_of_a_value(&self, counts: &[u64]) -> u64 {
        let Self::Linkability(model) = self else { return u64::MAX };
        let confidence = model.confidence();
        let (num, den) = (u128::from(confidence.num()), u128::from(confidence.den()));
        let keeps = |most: u64| {
            let total: u64 = counts.iter().map(|&n| n.min(most)).sum();
            u128::from(most) * den <= u128::from(total) * num
        };
        let largest = counts.iter().copied().max().unwrap_or(0);
        (1..=largest).rev().find(|&most| keeps(most)).unwrap_or(0)
    }
}

impl SeriesMethod for XyMaker {
    fn spec(&self) -> &'static Spec {
        match self.model {
            XyModel::Anonymity(_) => &XyAnonymity::SPEC,
            XyModel::Linkability(_) => &XyLinkability::SPEC,
        }
    }

    fn make(&self, ctx: &Ctx<'_>, turn: &Turn<'_>) -> Result<Next, Failure> {
        let releases = turn.history.releases.iter().zip(&self.is_alike);
        let earlier: Vec<&SeriesRelease> =
            releases.filter(|(_, is_alike)| **is_alike).map(|(release, _)| release).collect();
        let mut signatures = BySignatures::new(turn, &earlier, self.model.m());
        let made =
            signatures.make(ctx, self.surplus).filter(|next| self.keeps(turn, &earlier, next));
        let is_enough =
            |next: &Next| !signatures.is_wide && next.n_held_back() * FEW <= turn.data.n_rows();
        let mut best = made;
        if !best.as_ref().is_some_and(is_enough) {
            let other = self.specialized(ctx, turn, &earlier);
            best = match (best, other) {
                (Some(one), Some(other)) if loss(turn, &other) < loss(turn, &one) => Some(other),
                (one, other) => one.or(other),
            };
        }
        let mut next = best.ok_or_else(|| self.infeasible(turn, &earlier))?;
        next.notes.clear();
        next.tell_held_back("in no class would the releases leave enough values in common");
        Ok(next)
    }
}

impl XyMaker {
    fn keeps(&self, turn: &Turn<'_>, earlier: &[&SeriesRelease], next: &Next) -> bool {
        self.model.check(earlier, &next.released(turn)).is_ok()
    }

    /// Step 2.
    fn specialized(
        &self,
        ctx: &Ctx<'_>,
        turn: &Turn<'_>,
        earlier: &[&SeriesRelease],
    ) -> Option<Next> {
        // A class with as many rows of every value changes no share of what was published before.
        let is_shown = (self
            .can_be_shown(turn, earlier, |counts| self.model.most_of_a_value(counts)))
        .or_else(|| self.can_be_shown(turn, earlier, fewest))?;
        let holds = |next: &Next| self.keeps(turn, earlier, &only(next, &is_shown));
        let best = specialize(ctx, turn, &|next, _| holds(next))?;
        Some(only(&best, &is_shown))
    }

    /// Whether each row is in the release with everybody in one class, of each value as many rows as
    /// `most_of_a_value` says for their counts; none where nobody is.
    fn can_be_shown(
        &self,
        turn: &Turn<'_>,
        earlier: &[&SeriesRelease],
        most_of_a_value: impl Fn(&[u64]) -> u64,
    ) -> Option<Vec<bool>> {
        let n_values = turn.value_of_row.iter().map(|&value| value as usize + 1).max()?;
        let mut next = Next::of_classes(vec![0; turn.data.n_rows()]);
        loop {
            let mut counts = vec![0; n_values];
            for row in shown(&next) {
                counts[turn.value_of_row[row] as usize] += 1;
            }
            let most = most_of_a_value(&counts);
            let mut left = vec![most; n_values];
            let mut is_kept = vec![false; turn.data.n_rows()];
            for row in shown(&next) {
                let left = &mut left[turn.value_of_row[row] as usize];
                is_kept[row] = *left > 0;
                *left = left.saturating_sub(1);
            }
            next = only(&next, &is_kept);
            let failing = self.model.failing(earlier, &next.released(turn));
            if failing.is_empty() {
                return is_kept.contains(&true).then_some(is_kept);
            }
            for row in shown(&next) {
                is_kept[row] = failing.binary_search(&turn.person_of_row[row]).is_err();
            }
            next = only(&next, &is_kept);
        }
    }

    fn infeasible(&self, turn: &Turn<'_>, earlier: &[&SeriesRelease]) -> Failure {
        let everybody = Next::of_classes(vec![0; turn.data.n_rows()]);
        let broken = self.model.check(earlier, &everybody.released(turn)).err();
        let found = broken.map(|broken| format!(": {}", broken.0)).unwrap_or_default();
        Failure::infeasible(format!("even a single class of everybody does not keep it{found}"))
    }
}

/// The rows of the rarest value there is.
fn fewest(counts: &[u64]) -> u64 {
    counts.iter().copied().filter(|&n| n > 0).min().unwrap_or(0)
}

/// The rows that are in a release.
fn shown(next: &Next) -> Vec<usize> {
    let rows = next.class_of_row.iter().enumerate();
    rows.filter(|(_, class)| **class != ABSENT).map(|(row, _)| row).collect()
}

/// A release without the other rows, and without classes that have none left.
fn only(next: &Next, is_kept: &[bool]) -> Next {
    let rows: Vec<usize> = shown(next).into_iter().filter(|&row| is_kept[row]).collect();
    let mut ids: Vec<u64> = rows.iter().map(|&row| next.class_of_row[row].into()).collect();
    let n_before = ids.iter().max().map_or(0, |last| last + 1);
    let n_axes = if next.cells.is_empty() { 0 } else { next.cells.len() / n_classes(next) };
    number(&mut ids, n_before);
    let mut found = Next::of_classes(vec![ABSENT; next.class_of_row.len()]);
    let mut n = 0;
    for (&row, &id) in rows.iter().zip(&ids) {
        let class = next.class_of_row[row] as usize;
        if id == n {
            found.cells.extend(&next.cells[class * n_axes..][..n_axes]);
            n += 1;
        }
        found.class_of_row[row] = u32::try_from(id).expect("classes are fewer than rows");
    }
    found
}

fn n_classes(next: &Next) -> usize {
    shown(next).iter().map(|&row| next.class_of_row[row] as usize + 1).max().unwrap_or(0)
}

/// The loss of all rows: one for each that is held back.
fn loss(turn: &Turn<'_>, next: &Next) -> f64 {
    let quasi = turn.data.quasi();
    let n_classes = n_classes(next);
    let mut edges = vec![(u32::MAX, 0); n_classes * quasi.len()];
    for row in shown(next) {
        let of_class = &mut edges[next.class_of_row[row] as usize * quasi.len()..][..quasi.len()];
        for ((lo, hi), attribute) in of_class.iter_mut().zip(&quasi) {
            let code = attribute.codes().get(row);
            (*lo, *hi) = ((*lo).min(code), (*hi).max(code));
        }
    }
    for ((edges, &cell), axis) in edges.iter_mut().zip(&next.cells).zip((0..quasi.len()).cycle()) {
        *edges = quasi[axis].codes_of(cell);
    }
    let axes = turn.space.axes();
    let of_class = |edges: &[(u32, u32)]| -> f64 {
        edges.iter().zip(axes).map(|(&(lo, hi), axis)| axis.cost(lo, hi)).sum()
    };
    let losses: Vec<f64> = edges.chunks(quasi.len()).map(of_class).collect();
    let of_row = |&class: &u32| if class == ABSENT { 1.0 } else { losses[class as usize] };
    next.class_of_row.iter().map(of_row).sum()
}
