//! Promises about the values of a kind that makers do not know by themselves, kept by joining classes.
//!
//! # Guarantee
//! At every position whose kind a model is about, the values of the members keep the model, and so do all values of
//! that kind that are not published, as one class. The models are monotone: positions that look the same keep
//! together what each of them keeps.
//!
//! # Method
//! 1. Where the values of a kind all together do not keep a model, no release does.
//! 2. The makers know frequency l-diversity. The least l for which equally frequent values keep a model is asked of
//!    them. Where that finds no release, or says nothing about the model, they are not asked for it.
//! 3. While a class has a position that does not keep a model, the smallest such class is joined with the one that
//!    costs least, of those [`PARTNERS`] whose trees have nearly as many positions: the first tree of the other is
//!    laid on it, as a record would be, and positions that are laid on one another are one. Positions without a
//!    partner are pruned.
//! 4. Where one class is left, positions that do not keep a model are pruned.
//!
//! # Cost
//! O(classes · PARTNERS) alignments of two trees.

use std::collections::BTreeSet;
use std::fmt;

use kohort_core::{Ctx, Forest, NO_VALUE};
use kohort_models::{Class, ClassModel, Counts, Distribution, tally};

use crate::costs::{Cost, TreeCosts, count};
use crate::pairs::{Mapping, Pairs, Scratch};
use crate::{AlignedClass, Failure, NestedCandidate, NestedForm, NestedProblem, Representative};

/// With how many other classes it is compared what joining a class costs.
const PARTNERS: usize = 24;

/// The largest l that is tried for a model.
const MOST_L: u32 = 100;

/// A promise about the values of one kind of vertices.
pub struct NestedModel {
    /// The kind.
    pub kind: usize,
    /// The model, which sees the kind's sensitive attribute alone. It is monotone.
    pub model: Box<dyn ClassModel>,
}

impl fmt::Debug for NestedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = self.model.spec().id;
        f.debug_struct("NestedModel").field("kind", &self.kind).field("model", &id).finish()
    }
}

/// Judges values by the models of a problem.
pub(crate) struct Values<'a> {
    forest: &'a Forest,
    models: &'a [NestedModel],
    /// The values of each kind in all records.
    wholes: Vec<Option<Distribution<'a>>>,
}

impl<'a> Values<'a> {
    pub(crate) fn new(problem: &NestedProblem<'a>) -> Self {
        let is_asked = |kind: usize| problem.models.iter().any(|model| model.kind == kind);
        let whole = |(index, kind): (usize, &'a kohort_core::VertexKind)| {
            kind.sensitive.as_ref().filter(|_| is_asked(index)).map(Distribution::new)
        };
        let wholes = problem.forest.kinds().iter().enumerate().map(whole).collect();
        Self { forest: problem.forest, models: problem.models, wholes }
    }

    /// Whether values of a kind, with their counts in the order of codes, keep every model about it as those of
    /// so many people.
    fn keep(&self, kind: usize, cells: &[(u32, u64)], people: u64) -> bool {
        let Some(table) = &self.wholes[kind] else { return true };
        let sensitive = [Counts { table, cells }];
        let class = Class { size: people, sensitive: &sensitive };
        let mut models = self.models.iter().filter(|model| model.kind == kind);
        sensitive[0].is_silent()
            || models
                .all(|NestedModel { model, .. }| model.smallest() <= people && model.holds(&class))
    }

    /// The same of values that are counted.
    pub(crate) fn cut_keep(&self, kind: usize, cut: &[(u32, u64)]) -> bool {
        self.keep(kind, cut, cut.iter().map(|&(_, count)| count).sum())
    }

    /// Whether the values of a position keep every model.
    pub(crate) fn position_keeps(&self, vertices: &[u32], cells: &mut Vec<(u32, u64)>) -> bool {
        let kind = self.forest.kind(vertices[0]);
        let Some(table) = &self.wholes[kind] else { return true };
        let values = vertices.iter().map(|&vertex| self.forest.sensitive(vertex));
        let codes: Vec<(u32, u64)> =
            values.filter(|&code| code != NO_VALUE).map(|code| (code, 1)).collect();
        tally(codes.into_iter(), table.attribute().n_codes() as usize, cells);
        self.keep(kind, cells, vertices.len() as u64)
    }

    /// The last position of a class that does not keep every model.
    fn broken(&self, class: &AlignedClass) -> Option<usize> {
        let mut cells = Vec::new();
        let broken =
            class.positions().enumerate().filter(|(_, of)| !self.position_keeps(of, &mut cells));
        broken.map(|(at, _)| at).last()
    }

    /// Refuses models that the values of a kind do not keep all together.
    pub(crate) fn refuse(&self) -> Result<(), Failure> {
        for NestedModel { kind, model } in self.models {
            let Some(table) = &self.wholes[*kind] else { continue };
            let attribute = table.attribute();
            let cells: Vec<(u32, u64)> = (0..attribute.n_codes())
                .map(|code| (code, table.count(code)))
                .filter(|&(_, count)| count > 0)
                .collect();
            let sensitive = [Counts { table, cells: &cells }];
            let class = Class { size: self.forest.n_records() as u64, sensitive: &sensitive };
            if !sensitive[0].is_silent() && !model.holds(&class) {
                let (title, path) = (model.spec().title, attribute.name());
                let reason = format!(
                    "{title} fails for all values of `{path}` together: no release keeps it"
                );
                return Err(Failure::Infeasible { reason });
            }
        }
        Ok(())
    }

    /// For each kind the l of frequency l-diversity that keeps its models, and what is asked of it; none where
    /// that asks for no more.
    pub(crate) fn frequency(&self, l: &[u32]) -> Option<Vec<u32>> {
        let of_kind = |(kind, &l): (usize, &u32)| {
            let enough = |most: &u32| {
                let n_codes = self.wholes[kind].as_ref()?.attribute().n_codes();
                let even: Vec<(u32, u64)> =
                    (0..*most.min(&n_codes)).map(|code| (code, 1)).collect();
                self.keep(kind, &even, u64::MAX).then_some(*most)
            };
            (1..=MOST_L).find(|most| enough(most).is_some()).map_or(l, |most| most.max(l))
        };
        let asked: Vec<u32> = l.iter().enumerate().map(of_kind).collect();
        (asked != l).then_some(asked)
    }
}

/// Joins classes until each keeps every model.
pub(crate) fn join(
    ctx: &Ctx<'_>,
    problem: &NestedProblem<'_>,
    candidate: &mut NestedCandidate,
) -> Result<(), Failure> {
    if problem.models.is_empty() || candidate.form == NestedForm::Apart {
        return Ok(());
    }
    let values = Values::new(problem);
    let costs = TreeCosts::new(problem);
    let no_l = vec![1; problem.l.len()];
    let any = NestedProblem { l: &no_l, ..*problem };
    let pairs = Pairs::new(&costs, &any, problem.forest.n_records(), Mapping::Greedy);
    let joining = Joining { forest: problem.forest, pairs, values: &values };
    let mut classes: Vec<Option<AlignedClass>> =
        std::mem::take(&mut candidate.classes).into_iter().map(Some).collect();
    let size = |class: &Option<AlignedClass>| class.as_ref().map_or(0, |class| class.members.len());
    let is_broken = |class: &Option<AlignedClass>| {
        kohort_core::alive();
        class.as_ref().is_some_and(|class| values.broken(class).is_some())
    };
    let mut broken: BTreeSet<(usize, usize)> = (classes.iter().enumerate())
        .filter(|(_, class)| is_broken(class))
        .map(|(at, class)| (size(class), at))
        .collect();
    let (mut scratch, mut left) = (Scratch::default(), classes.len());
    while let Some((_, at)) = broken.pop_first() {
        ctx.progress("joining classes", (classes.len() - left) as u64, classes.len() as u64);
        let class = classes[at].take().expect("it is broken");
        classes[at] = match joining.partner(&class, &classes, &mut scratch) {
            Some(other) => {
                let with = classes[other].take().expect("it is there");
                broken.remove(&(with.members.len(), other));
                left -= 1;
                Some(joining.joined(&class, &with, &mut scratch))
            }
            None => Some(joining.pruned(class)?),
        };
        if is_broken(&classes[at]) {
            broken.insert((size(&classes[at]), at));
        }
    }
    candidate.classes = classes.into_iter().flatten().collect();
    Ok(())
}

struct Joining<'a> {
    forest: &'a Forest,
    pairs: Pairs<'a>,
    values: &'a Values<'a>,
}

impl Joining<'_> {
    /// The class that costs least to join with one; none where there is no other.
    fn partner(
        &self,
        class: &AlignedClass,
        others: &[Option<AlignedClass>],
        scratch: &mut Scratch,
    ) -> Option<usize> {
        let n_positions = class.positions().len();
        let others = || others.iter().enumerate().filter_map(|(at, of)| Some((at, of.as_ref()?)));
        let mut near: Vec<(usize, usize)> = others()
            .map(|(at, other)| (other.positions().len().abs_diff(n_positions), at))
            .collect();
        if near.len() > PARTNERS {
            near.select_nth_unstable(PARTNERS);
            near.truncate(PARTNERS);
        }
        near.sort_unstable();
        let own = Representative::of_class(self.pairs.costs(), class);
        let cost = |&(_, at): &(usize, usize)| -> Option<(Cost, usize)> {
            let (_, other) = others().find(|&(of, _)| of == at)?;
            let added = self.pairs.cost(&own, other.members[0], Cost::MAX, scratch)?;
            Some((added.saturating_mul(count(other.members.len())), at))
        };
        near.iter().filter_map(cost).min().map(|(_, at)| at)
    }

    /// Two classes as one: positions of the first that the first tree of the second is laid on.
    fn joined(
        &self,
        class: &AlignedClass,
        other: &AlignedClass,
        scratch: &mut Scratch,
    ) -> AlignedClass {
        let own = Representative::of_class(self.pairs.costs(), class);
        let laid = self.pairs.laid(&own, other.members[0], scratch);
        let (laid, _) = laid.expect("roots meet where no value is too frequent");
        let n = other.members.len();
        let position_of: std::collections::BTreeMap<u32, usize> =
            (0..).zip(other.positions()).map(|(at, vertices)| (vertices[0], at)).collect();
        let mut vertices = Vec::new();
        for (x, y) in laid {
            // What the other class has pruned stays pruned, with everything below it.
            if let Some(&at) = position_of.get(&y) {
                vertices.extend_from_slice(own.vertices(x));
                vertices.extend_from_slice(&other.vertices[at * n..][..n]);
            }
        }
        let members = class.members.iter().chain(&other.members).copied().collect();
        AlignedClass { members, vertices }
    }

    /// A class without a position that does not keep a model.
    fn pruned(&self, mut class: AlignedClass) -> Result<AlignedClass, Failure> {
        match self.values.broken(&class) {
            None => Ok(class),
            Some(0) => Err(Failure::Infeasible {
                reason: "all records in one class do not keep every promise".into(),
            }),
            Some(position) => {
                class.without(self.forest, position);
                Ok(class)
            }
        }
    }
}
