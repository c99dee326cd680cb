//! Whether a group keeps the rules about occurrences, while it grows.

use std::cell::RefCell;
use std::collections::BTreeMap;

use kohort_core::Ratio;
use kohort_models::nested::OccurrenceRule;

use super::augmented::Augmented;
use crate::{NestedForm, NestedProblem};

/// The rules for groups of one size: more occurrences only make them less likely to hold, so that a rule
/// which a part of a group breaks is broken for good.
pub(super) struct Judge<'a> {
    rules: &'a [OccurrenceRule],
    is_by_tree: bool,
    size: usize,
    // For each kind, the codes that rules are about, with the rule.
    about: Vec<Vec<(u32, usize)>>,
    // For each rule: by tree, the most members with the value often; by vertex, the most positions with
    // the value once. With more it is broken.
    most: Vec<usize>,
    // Whether values that rules are about may stand but once at a position.
    is_single: bool,
    // For each kind the rules whose price is known before anything is matched: about a value of that kind
    // alone, which no other rule is about. By vertex, none if values may stand twice at a position.
    plain: Vec<Vec<usize>>,
    // By vertex, where a value stands more than once at a position: what was decided.
    decided: RefCell<BTreeMap<(usize, Vec<u32>), bool>>,
}

impl<'a> Judge<'a> {
    pub(super) fn new(problem: &NestedProblem<'a>, form: NestedForm, size: usize) -> Self {
        let NestedProblem { forest, rules, l, .. } = *problem;
        let is_by_tree = form == NestedForm::TreeAnatomy;
        let kinds = 0..forest.kinds().len();
        let of_kind = |kind: usize| {
            // What may be certain needs no looking at.
            let codes = rules.iter().enumerate();
            let codes = codes.filter(|(_, rule)| rule.probability() < Ratio::whole(1));
            codes.filter_map(|(index, rule)| Some((rule.code_of_kind(kind)?, index))).collect()
        };
        let about: Vec<Vec<(u32, usize)>> = kinds.clone().map(of_kind).collect();
        let is_single = (kinds.clone())
            .all(|kind| about[kind].is_empty() || size / (l[kind].max(1) as usize) == 1);
        let is_plain = |kind: usize, &&(code, index): &&(u32, usize)| {
            let n_kinds = kinds.clone().filter(|&kind| rules[index].code_of_kind(kind).is_some());
            let n_rules = about[kind].iter().filter(|other| other.0 == code);
            n_kinds.count() == 1 && n_rules.count() == 1 && (is_by_tree || is_single)
        };
        let plain = kinds.clone().map(|kind| {
            about[kind].iter().filter(|about| is_plain(kind, about)).map(|about| about.1).collect()
        });
        let plain = plain.collect();
        let largest = (0..forest.n_records()).map(|record| forest.vertices(record).len()).max();
        let numbers: Vec<usize> = (1..=largest.unwrap_or(0)).collect();
        let most = rules.iter().map(|rule| {
            if is_by_tree {
                let most = rule.probability().floor_of(size as u64);
                return usize::try_from(most).expect("no more than members");
            }
            let lists = |n: usize| std::iter::repeat_n((1, size as u64), n);
            numbers.partition_point(|&n| rule.holds(rule.vertex_probability(lists(n))))
        });
        let most = most.collect();
        Self { rules, is_by_tree, size, about, most, is_single, plain, decided: RefCell::default() }
    }

    /// The size of the groups.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    pub(super) fn is_by_tree(&self) -> bool {
        self.is_by_tree
    }

    /// Whether there are rules at all.
    pub(super) fn has_rules(&self) -> bool {
        !self.rules.is_empty()
    }

    pub(super) fn n_rules(&self) -> usize {
        self.rules.len()
    }

    pub(super) fn rule(&self, index: usize) -> &OccurrenceRule {
        &self.rules[index]
    }

    /// By tree, the most members with the value often; by vertex, the most positions with the value once.
    pub(super) fn most(&self, index: usize) -> usize {
        self.most[index]
    }

    /// The rules about a value.
    #[inline]
    pub(super) fn about(&self, kind: usize, code: u32) -> impl Iterator<Item = usize> {
        self.about[kind].iter().filter(move |about| about.0 == code).map(|about| about.1)
    }

    /// The rules whose price is known before anything is matched: about a value of this kind alone.
    pub(super) fn plain(&self, kind: usize) -> &[usize] {
        &self.plain[kind]
    }

    /// The group without the positions that break a rule, the smallest subtrees first and of these the
    /// last; none if the root alone breaks it.
    pub(super) fn trimmed<'f>(&self, mut group: Augmented<'f>) -> Option<Augmented<'f>> {
        while let Some(broken) = Tally::of_group(self, &group).broken() {
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
            group = group.without(&[cut]);
        }
        Some(group)
    }

    fn holds(&self, index: usize, counts: &[u32]) -> bool {
        let rule = &self.rules[index];
        if self.is_by_tree {
            let violating = counts.iter().filter(|&&count| count >= rule.at_least()).count();
            return violating <= self.most[index];
        }
        // Lists with the value more than once are no less likely to break it.
        if self.most[index] < counts.iter().sum::<u32>() as usize {
            return false;
        }
        if counts[1..].iter().all(|&n_lists| n_lists == 0) {
            return true;
        }
        *self.decided.borrow_mut().entry((index, counts.to_vec())).or_insert_with(|| {
            let lists = (1..).zip(counts).flat_map(|(count, &n_lists)| {
                std::iter::repeat_n((count, self.size as u64), n_lists as usize)
            });
            rule.holds(rule.vertex_probability(lists))
        })
    }
}

/// How often the values of the rules occur in a group.
pub(super) struct Tally<'j> {
    judge: &'j Judge<'j>,
    // For each rule: by tree, the occurrences in each member; by vertex, the number of positions with one
    // occurrence, with two, and so on. One rule after the other, as many numbers as members.
    counts: Vec<u32>,
}

impl<'j> Tally<'j> {
    fn new(judge: &'j Judge<'j>) -> Self {
        Self { judge, counts: vec![0; judge.size * judge.rules.len()] }
    }

    /// Of all positions of a group.
    pub(super) fn of_group(judge: &'j Judge<'j>, group: &Augmented<'_>) -> Self {
        let mut tally = Self::new(judge);
        if judge.has_rules() {
            for position in (0..).take(group.n_positions()) {
                tally.add_all(group.kind(position), group.values(position), None);
            }
        }
        tally
    }

    /// Of those positions of a group that are matched with a further member's vertices.
    pub(super) fn of_pairs(
        judge: &'j Judge<'j>,
        group: &Augmented<'_>,
        pairs: &[(u32, u32)],
    ) -> Self {
        let mut tally = Self::new(judge);
        for &(position, vertex) in pairs {
            let code = group.forest().sensitive(vertex);
            tally.add_all(group.kind(position), group.values(position), Some(code));
        }
        tally
    }

    fn add_all(&mut self, kind: usize, values: &[u32], further: Option<u32>) {
        if self.judge.about[kind].is_empty() {
            return;
        }
        for (member, code) in values.iter().copied().chain(further).enumerate() {
            let already = values[..member].iter().filter(|&&other| other == code).count();
            self.add(kind, code, member, already);
        }
    }

    /// Counts a member's code at a position where so many other members have it.
    pub(super) fn add(&mut self, kind: usize, code: u32, member: usize, already: usize) {
        for index in self.judge.about(kind, code) {
            let counts = &mut self.counts[index * self.judge.size..];
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

    /// Takes back what `add` counted.
    pub(super) fn take(&mut self, kind: usize, code: u32, member: usize, already: usize) {
        for index in self.judge.about(kind, code) {
            let counts = &mut self.counts[index * self.judge.size..];
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

    fn counts(&self, index: usize) -> &[u32] {
        &self.counts[index * self.judge.size..][..self.judge.size]
    }

    fn holds(&self, index: usize) -> bool {
        self.judge.holds(index, self.counts(index))
    }

    /// The first rule that does not hold.
    pub(super) fn broken(&self) -> Option<usize> {
        (0..self.judge.rules.len()).find(|&index| !self.holds(index))
    }

    /// The rules that do not hold, with how many occurrences must go so that they do: by tree, of the last
    /// member, who has so many before it; by vertex, of all.
    pub(super) fn excess(&self, last: usize) -> Vec<(usize, usize)> {
        let broken = (0..self.judge.rules.len()).filter(|&index| !self.holds(index));
        let with_excess = broken.map(|index| {
            let mut counts = self.counts(index).to_vec();
            if self.judge.is_by_tree {
                return (index, (counts[last] + 1 - self.judge.rules[index].at_least()) as usize);
            }
            let mut n = 0;
            while let Some(at) = counts.iter().position(|&n_lists| n_lists > 0)
                && !self.judge.holds(index, &counts)
            {
                counts[at] -= 1;
                n += 1;
            }
            (index, n)
        });
        with_excess.collect()
    }

    /// What each rule leaves a further member.
    pub(super) fn room(&self) -> Vec<Room> {
        let room = |index: usize| {
            let (counts, most) = (self.counts(index), self.judge.most[index]);
            let at_least = self.judge.rules[index].at_least();
            if self.judge.is_by_tree {
                let violating = counts.iter().filter(|&&count| count >= at_least);
                let is_full = violating.clone().count() >= most;
                let to_free = violating.map(|count| count + 1 - at_least).min();
                let certain = if is_full { at_least - 1 } else { u32::MAX };
                return Room { certain, to_free: to_free.unwrap_or(u32::MAX) };
            }
            let n_lists = counts.iter().sum::<u32>();
            let certain = if self.judge.is_single { number(most) - n_lists } else { 0 };
            Room { certain, to_free: u32::MAX }
        };
        (0..self.judge.rules.len()).map(room).collect()
    }
}

/// What a rule leaves a further member of a group.
#[derive(Clone, Copy)]
pub(super) struct Room {
    /// How many occurrences the member may have for certain.
    pub(super) certain: u32,
    /// By tree: how many positions the group must lose at least so that the member may have more, because
    /// another member has fewer.
    pub(super) to_free: u32,
}

fn number(n: usize) -> u32 {
    u32::try_from(n).expect("no more positions than vertices")
}
