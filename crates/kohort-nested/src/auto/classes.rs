//! The classes of a search: who is in which, and what each costs.

use std::sync::OnceLock;

use rayon::prelude::*;

use crate::costs::{Cost, TreeCosts};
use crate::{AlignedClass, Mapping, NestedProblem, Pairs, Representative, Scratch};

/// A record in no class.
pub(super) const NOWHERE: u32 = u32::MAX;

/// The classes of a search.
pub(super) struct Classes<'a> {
    costs: &'a TreeCosts<'a>,
    problem: NestedProblem<'a>,
    size: usize,
    // What it costs to lay a record on a class that has so many members in the end; from `size` on.
    pairs: Vec<Pairs<'a>>,
    /// The classes; one that was given up is none.
    pub(super) all: Vec<Option<Representative>>,
    /// The class of each record, or `NOWHERE`.
    pub(super) of_record: Vec<u32>,
    // For each record its class without it, as soon as somebody asks.
    rests: Vec<OnceLock<Option<Representative>>>,
}

impl<'a> Classes<'a> {
    pub(super) fn new(costs: &'a TreeCosts<'a>, problem: &NestedProblem<'a>, size: usize) -> Self {
        let pair = |size| Pairs::new(costs, problem, size, Mapping::Assignment);
        Self {
            costs,
            problem: *problem,
            size,
            pairs: (size..=4 * size).map(pair).collect(),
            all: Vec::new(),
            of_record: vec![NOWHERE; problem.forest.n_records()],
            rests: vec![OnceLock::new(); problem.forest.n_records()],
        }
    }

    pub(super) fn problem(&self) -> &NestedProblem<'a> {
        &self.problem
    }

    /// The fewest members of a class.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// What all classes cost, and everybody in none.
    pub(super) fn cost(&self) -> Cost {
        let out = (0..).take(self.n_records()).filter(|&record| self.is_out(record));
        let classes = self.all.iter().flatten().map(Representative::cost);
        classes.chain(out.map(|record| self.of_lost(record))).sum()
    }

    /// What a record costs that is in no class.
    pub(super) fn of_lost(&self, record: u32) -> Cost {
        self.costs.of_record(record as usize)
    }

    pub(super) fn is_out(&self, record: u32) -> bool {
        self.of_record[record as usize] == NOWHERE
    }

    /// How many records are in no class.
    pub(super) fn n_left(&self) -> usize {
        self.of_record.iter().filter(|&&class| class == NOWHERE).count()
    }

    pub(super) fn n_records(&self) -> usize {
        self.of_record.len()
    }

    pub(super) fn n_labels(&self, record: u32) -> usize {
        let forest = self.problem.forest;
        forest.vertices(record as usize).map(|vertex| forest.labels(vertex).len()).sum()
    }

    pub(super) fn of_record_alone(&self, record: u32) -> Representative {
        Representative::of_record(self.costs, record)
    }

    /// What laying records on a class costs that has so many members in the end; none where a class does not
    /// grow that large.
    pub(super) fn pairs(&self, n_members: usize) -> Option<&Pairs<'a>> {
        self.pairs.get(n_members.max(self.size) - self.size)
    }

    /// The class of these members, laid on one another in this order, for a class of `n_members` in the end.
    pub(super) fn build(
        &self,
        mut members: impl Iterator<Item = u32>,
        n_members: usize,
        scratch: &mut Scratch,
    ) -> Option<Representative> {
        let pairs = self.pairs(n_members)?;
        let mut class = self.of_record_alone(members.next()?);
        for member in members {
            class = pairs.merge(&class, member, scratch)?;
        }
        Some(class)
    }

    /// The class of a record without it; none where the others cannot be laid on one another alone.
    pub(super) fn without(&self, record: u32, scratch: &mut Scratch) -> Option<&Representative> {
        let (_, class) = self.class_of(record)?;
        let rest = self.rests[record as usize].get_or_init(|| {
            let others = class.class().members.iter().copied().filter(|&other| other != record);
            self.build(others, class.n_members(), scratch)
        });
        rest.as_ref()
    }

    /// The class of a record without it, if somebody asked: for who takes its place, which leaves the others as
    /// they are.
    pub(super) fn take_rest(&mut self, record: u32) -> OnceLock<Option<Representative>> {
        std::mem::take(&mut self.rests[record as usize])
    }

    /// What `take_rest` told of the record whose place this one has.
    pub(super) fn give_rest(&mut self, record: u32, rest: OnceLock<Option<Representative>>) {
        self.rests[record as usize] = rest;
    }

    pub(super) fn class_of(&self, record: u32) -> Option<(u32, &Representative)> {
        let class = self.of_record[record as usize];
        Some((class, self.all.get(class as usize)?.as_ref()?))
    }

    /// Puts a class in a place; its members are in it from now on.
    pub(super) fn put(&mut self, at: u32, class: Representative) {
        for &member in &class.class().members {
            self.of_record[member as usize] = at;
            self.rests[member as usize] = OnceLock::new();
        }
        self.all[at as usize] = Some(class);
    }

    /// A record that somebody took the place of is in no class.
    pub(super) fn put_out(&mut self, record: u32) {
        self.of_record[record as usize] = NOWHERE;
        self.rests[record as usize] = OnceLock::new();
    }

    pub(super) fn push(&mut self, class: Representative) {
        let at = u32::try_from(self.all.len()).expect("no more classes than records");
        self.all.push(None);
        self.put(at, class);
    }

    /// Lays the members of each class on one another again: in the orders that begin with one of them, and those that
    /// end with one. Tells which classes cost less by it.
    pub(super) fn lay_again(&mut self) -> Vec<u32> {
        let this = &*self;
        let cheaper = |scratch: &mut Scratch, at: u32| {
            let class = this.all[at as usize].as_ref()?;
            let (members, mut best) = (&class.class().members, None::<Representative>);
            for &member in members {
                let others = members.iter().copied().filter(|&other| other != member);
                let begun =
                    this.build(std::iter::once(member).chain(others), members.len(), scratch);
                let rest = this.without(member, scratch);
                let ended =
                    rest.and_then(|rest| this.pairs(members.len())?.merge(rest, member, scratch));
                for found in begun.into_iter().chain(ended) {
                    if found.cost() < best.as_ref().unwrap_or(class).cost() {
                        best = Some(found);
                    }
                }
            }
            Some((at, best?))
        };
        let n = u32::try_from(self.all.len()).expect("no more classes than records");
        let found: Vec<(u32, Representative)> =
            (0..n).into_par_iter().map_init(Scratch::default, cheaper).flatten().collect();
        let changed = found.iter().map(|&(at, _)| at).collect();
        for (at, class) in found {
            self.put(at, class);
        }
        changed
    }

    /// The classes.
    pub(super) fn finish(self) -> Vec<AlignedClass> {
        self.all.into_iter().flatten().map(Representative::into_class).collect()
    }

    /// What a record adds to a class that it joins, if that is within the limit.
    pub(super) fn joining(
        &self,
        class: &Representative,
        record: u32,
        limit: Cost,
        scratch: &mut Scratch,
    ) -> Option<Cost> {
        self.pairs(class.n_members() + 1)?.cost(class, record, limit, scratch)
    }

    /// Lays a record on a class that it joins.
    pub(super) fn join(&mut self, at: u32, record: u32, scratch: &mut Scratch) -> bool {
        let joined = self.all[at as usize]
            .as_ref()
            .and_then(|class| self.pairs(class.n_members() + 1)?.merge(class, record, scratch));
        let is_joined = joined.is_some();
        if let Some(class) = joined {
            self.put(at, class);
        }
        is_joined
    }
}
