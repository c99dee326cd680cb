//! Whether a group keeps the rules about occurrences, while it grows.

use std::cell::RefCell;
use std::collections::BTreeMap;

use kohort_models::nested::OccurrenceRule;

use super::augmented::Augmented;
use crate::{NestedForm, NestedProblem};

/// The rules, and the size of the groups in the end: more occurrences only make them less likely to hold,
/// so that a rule which a part of a group breaks is broken for good.
pub(super) struct Judge<'a> {
    rules: &'a [OccurrenceRule],
    is_by_tree: bool,
    size: usize,
    // Lists are the same again and again: for each rule, what was decided about them.
    decided: RefCell<BTreeMap<(usize, Vec<u32>), bool>>,
}

impl<'a> Judge<'a> {
    pub(super) fn new(problem: &NestedProblem<'a>, form: NestedForm) -> Self {
        Self {
            rules: problem.rules,
            is_by_tree: form == NestedForm::TreeAnatomy,
            size: problem.smallest(),
            decided: RefCell::default(),
        }
    }

    /// Whether there are rules at all.
    pub(super) fn has_rules(&self) -> bool {
        !self.rules.is_empty()
    }

    /// The group without the positions that break a rule, the smallest subtrees first and of these the
    /// last; none if the root alone breaks it.
    pub(super) fn trimmed<'f>(&self, mut group: Augmented<'f>) -> Option<Augmented<'f>> {
        while let Some(broken) = Tally::new(self, &group).broken() {
            let rule = &self.rules[broken];
            let sizes = group.sizes();
            let (_, cut) = (1..)
                .zip(&sizes[1..])
                .filter(|&(position, _)| {
                    let kind = group.kind(position);
                    group.values(position).iter().any(|&code| rule.is_occurrence(kind, code))
                })
                .map(|(position, &size)| (size, position))
                .min_by_key(|&(size, position)| (size, std::cmp::Reverse(position)))?;
            group = group.without(cut);
        }
        Some(group)
    }

    fn holds(&self, index: usize, counts: &[u32]) -> bool {
        let rule = &self.rules[index];
        if self.is_by_tree {
            let violating = counts.iter().filter(|&&count| count >= rule.at_least()).count();
            let (n_violating, size) = (violating as u64, self.size as u64);
            return rule.holds(OccurrenceRule::tree_probability(n_violating, size));
        }
        let mut decided = self.decided.borrow_mut();
        if let Some(&holds) = decided.get(&(index, counts.to_vec())) {
            return holds;
        }
        let lists = (1..).zip(counts).flat_map(|(count, &n_lists)| {
            std::iter::repeat_n((count, self.size as u64), n_lists as usize)
        });
        let holds = rule.holds(rule.vertex_probability(lists));
        decided.insert((index, counts.to_vec()), holds);
        holds
    }
}

/// How often the values of the rules occur in a group.
pub(super) struct Tally<'j> {
    judge: &'j Judge<'j>,
    // For each rule: by tree, the occurrences in each member; by vertex, the number of positions with one
    // occurrence, with two, and so on.
    counts: Vec<Vec<u32>>,
}

impl<'j> Tally<'j> {
    pub(super) fn new(judge: &'j Judge<'j>, group: &Augmented<'_>) -> Self {
        let mut tally = Self { judge, counts: vec![vec![0; judge.size]; judge.rules.len()] };
        if judge.has_rules() {
            for position in (0..).take(group.n_positions()) {
                let (kind, values) = (group.kind(position), group.values(position));
                for (member, &code) in values.iter().enumerate() {
                    let already = values[..member].iter().filter(|&&other| other == code).count();
                    tally.add(kind, code, member, already);
                }
            }
        }
        tally
    }

    /// Counts a member's code at a position where so many other members have it.
    pub(super) fn add(&mut self, kind: usize, code: u32, member: usize, already: usize) {
        for (rule, counts) in self.judge.rules.iter().zip(&mut self.counts) {
            if rule.is_occurrence(kind, code) {
                if self.judge.is_by_tree {
                    counts[member] += 1;
                } else {
                    counts[already] += 1;
                    if already > 0 {
                        counts[already - 1] -= 1;
                    }
                }
            }
        }
    }

    /// Takes back what `add` counted.
    pub(super) fn take(&mut self, kind: usize, code: u32, member: usize, already: usize) {
        for (rule, counts) in self.judge.rules.iter().zip(&mut self.counts) {
            if rule.is_occurrence(kind, code) {
                if self.judge.is_by_tree {
                    counts[member] -= 1;
                } else {
                    counts[already] -= 1;
                    if already > 0 {
                        counts[already - 1] += 1;
                    }
                }
            }
        }
    }

    /// The first rule that does not hold.
    pub(super) fn broken(&self) -> Option<usize> {
        (0..self.counts.len()).find(|&index| !self.judge.holds(index, &self.counts[index]))
    }
}
