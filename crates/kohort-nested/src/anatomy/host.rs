//! A group that records are merged into, and what each of them costs it at least.

use std::rc::Rc;

use kohort_core::Forest;

use super::augmented::Augmented;
use super::tally::{Judge, Room, Tally};
use crate::{AlignedClass, NestedProblem};

/// How many vertices of each kind each record has, and how often the value of each rule occurs in it.
pub(super) struct Counts {
    n_kinds: usize,
    of_kinds: Vec<u32>,
    n_rules: usize,
    of_rules: Vec<u32>,
}

impl Counts {
    pub(super) fn new(problem: &NestedProblem<'_>) -> Self {
        let (forest, rules) = (problem.forest, problem.rules);
        let (n_kinds, n_rules) = (forest.kinds().len(), rules.len());
        let mut of_kinds = vec![0; forest.n_records() * n_kinds];
        let mut of_rules = vec![0; forest.n_records() * n_rules];
        for record in 0..forest.n_records() {
            for vertex in forest.vertices(record) {
                let (kind, code) = (forest.kind(vertex), forest.sensitive(vertex));
                of_kinds[record * n_kinds + kind] += 1;
                for (index, rule) in rules.iter().enumerate() {
                    of_rules[record * n_rules + index] += u32::from(rule.is_occurrence(kind, code));
                }
            }
        }
        Self { n_kinds, of_kinds, n_rules, of_rules }
    }

    fn of_kinds(&self, record: u32) -> &[u32] {
        &self.of_kinds[record as usize * self.n_kinds..][..self.n_kinds]
    }

    /// How often the value of each rule occurs in a record.
    pub(super) fn of_rules(&self, record: u32) -> &[u32] {
        &self.of_rules[record as usize * self.n_rules..][..self.n_rules]
    }
}

/// A group, and what further members must know of it.
pub(super) struct Host<'a> {
    judge: Rc<Judge<'a>>,
    counts: &'a Counts,
    group: Augmented<'a>,
    // What each rule leaves a further member.
    room: Vec<Room>,
}

impl<'a> Host<'a> {
    pub(super) fn new(judge: &Rc<Judge<'a>>, counts: &'a Counts, group: Augmented<'a>) -> Self {
        let room = Tally::of_group(judge, &group).room();
        Self { judge: Rc::clone(judge), counts, group, room }
    }

    /// The group of a record by itself, without what breaks a rule there; none if its root does.
    pub(super) fn of_record(
        judge: &Rc<Judge<'a>>,
        counts: &'a Counts,
        forest: &'a Forest,
        record: u32,
    ) -> Option<Self> {
        let group = judge.trimmed(Augmented::of_record(forest, record))?;
        Some(Self::new(judge, counts, group))
    }

    /// The group with a further member, of whose vertices these are matched with its positions.
    pub(super) fn joined(&self, record: u32, pairs: &[(u32, u32)]) -> Self {
        Self::new(&self.judge, self.counts, self.group.joined(record, pairs))
    }

    pub(super) fn judge(&self) -> &Judge<'a> {
        &self.judge
    }

    pub(super) fn group(&self) -> &Augmented<'a> {
        &self.group
    }

    /// Which rules a record may break with what it has.
    pub(super) fn at_risk(&self, record: u32) -> impl Iterator<Item = bool> {
        self.counts.of_rules(record).iter().zip(&self.room).map(|(n, room)| room.certain < *n)
    }

    /// Whether the root of a record may stand beside those of the members.
    pub(super) fn has_room_for(&self, record: u32, l: &[u32]) -> bool {
        let root = self.group.forest().root(record as usize);
        self.group.has_room(0, root, self.at_most(l[self.group.forest().kind(root)]))
    }

    /// How many members may have one value at a position, where l is asked for.
    pub(super) fn at_most(&self, l: u32) -> usize {
        self.judge.size() / l.max(1) as usize
    }

    /// The vertices that are lost at least with a record: of each kind no more are matched than both have,
    /// and by the rules every vertex that is lost is one occurrence less.
    pub(super) fn least_lost(&self, record: u32) -> u64 {
        let members = u32::try_from(self.group.members().len()).expect("fewer than records");
        let occurrences = self.counts.of_rules(record);
        let matched = self.counts.of_kinds(record).iter().enumerate().map(|(kind, &own)| {
            let positions = self.group.n_of_kind(kind);
            let beyond = |&index: &usize| {
                let Room { certain, to_free } = self.room[index];
                (to_free, occurrences[index].saturating_sub(certain))
            };
            let mut beyond: Vec<(u32, u32)> = self.judge.plain(kind).iter().map(beyond).collect();
            let mut excess: u32 = beyond.iter().map(|(_, excess)| excess).sum();
            if !self.judge.is_by_tree() {
                let left = (own + members * positions - excess) / (members + 1);
                return own.min(positions).min(left) as usize;
            }
            // Either the record loses what is beyond a rule, or the group as many positions as free it.
            beyond.sort_unstable();
            let mut most = positions.min(own - excess);
            for (to_free, freed) in beyond {
                excess -= freed;
                most = most.max(positions.saturating_sub(to_free).min(own - excess));
            }
            most as usize
        });
        self.group.lost(record, matched.sum())
    }

    /// Whether every rule holds.
    pub(super) fn keeps_rules(&self) -> bool {
        Tally::of_group(&self.judge, &self.group).broken().is_none()
    }

    pub(super) fn into_class(self) -> AlignedClass {
        self.group.into_class()
    }
}
