//! A class that grows, and what is believed of each of its members.

use kohort_algorithms::Space;
use kohort_models::series::{Past, RhoDifferent, Stage};

use super::around::Around;
use super::line::{Item, Line};

/// Some items as one class, with what its beliefs are computed from.
#[derive(Clone, Debug, Default)]
pub(super) struct Class {
    /// The items, in the order in which they came.
    pub(super) items: Vec<u32>,
    /// The values of counterfeits that this release starts.
    pub(super) started: Vec<u32>,
    /// The box around the items.
    pub(super) around: Around,
    // Who is alike: the same is believed of everybody with the same past.
    kinds: Vec<Kind>,
    shown: Shown,
}

/// What a class shows.
#[derive(Clone, Debug, Default)]
struct Shown {
    // The values, each with how often, ascending.
    counts: Vec<(u32, u32)>,
    n: u32,
    // What whoever had each value at the last release expects of the class.
    expected: Vec<f64>,
}

/// The people of a class with one past, or without one.
#[derive(Clone, Debug)]
struct Kind {
    past: Option<u32>,
    // The weight of one row of each value that the class shows, in the order of its counts; empty without
    // a past.
    arriving: Vec<f64>,
}

/// What beliefs are computed from.
#[derive(Clone, Copy)]
pub(super) struct Beliefs<'a> {
    pub(super) model: RhoDifferent,
    pub(super) line: &'a Line,
    pub(super) pasts: &'a [Past],
    pub(super) stage: &'a Stage<'a>,
}

impl<'a> Beliefs<'a> {
    pub(super) fn item(&self, item: u32) -> &'a Item {
        &self.line.items[item as usize]
    }

    pub(super) fn has_people(&self, items: &[u32]) -> bool {
        items.iter().any(|&item| self.item(item).row.is_some())
    }

    /// What is believed of whom: the past of an item, for one that belongs to somebody.
    #[expect(clippy::option_option, reason = "nobody, somebody without a past, somebody with one")]
    fn kind(&self, item: u32) -> Option<Option<u32>> {
        let item = self.item(item);
        item.row.map(|_| item.past)
    }
}

impl Shown {
    fn new(beliefs: Beliefs<'_>, mut values: Vec<u32>) -> Self {
        values.sort_unstable();
        let number = |n: usize| u32::try_from(n).expect("rows fit u32");
        let runs = values.chunk_by(|a, b| a == b);
        let counts = runs.map(|run| (run[0], number(run.len()))).collect();
        let mut shown = Self { counts, n: number(values.len()), expected: Vec::new() };
        shown.expect(beliefs);
        shown
    }

    /// Adds up what is expected.
    fn expect(&mut self, beliefs: Beliefs<'_>) {
        let stage = beliefs.stage;
        self.expected.clear();
        self.expected.resize(stage.transition.n_values() as usize, 0.0);
        for &(value, count) in &self.counts {
            let says = f64::from(count) * stage.said_by_one(value);
            stage.transition.expect(value, says, &mut self.expected);
        }
    }

    /// The value that is shown most often, with how often; the first of several.
    fn most_frequent(&self) -> (u32, u32) {
        let most = |most: (u32, u32), &next: &(u32, u32)| if next.1 > most.1 { next } else { most };
        self.counts.iter().fold((0, 0), most)
    }

    /// What who reads the class alone believes at most.
    fn belief_alone(&self, beliefs: Beliefs<'_>) -> f64 {
        let (_, most) = self.most_frequent();
        beliefs.model.belief_of_share(most.into(), self.n.into())
    }

    /// The place of a value among the counts, or where it would be.
    fn find(&self, value: u32) -> Result<usize, usize> {
        self.counts.binary_search_by_key(&value, |&(of, _)| of)
    }

    /// The same with one more row of a value, which is in this place of the counts.
    fn with(&self, beliefs: Beliefs<'_>, value: u32, place: Result<usize, usize>) -> Self {
        let mut shown = self.clone();
        match place {
            Ok(at) => shown.counts[at].1 += 1,
            Err(at) => shown.counts.insert(at, (value, 1)),
        }
        shown.n += 1;
        let says = beliefs.stage.said_by_one(value);
        beliefs.stage.transition.expect(value, says, &mut shown.expected);
        shown
    }

    /// The same with one row of a value fewer, and whether it was the only one.
    fn without(&self, beliefs: Beliefs<'_>, at: usize) -> (Self, bool) {
        let mut shown = self.clone();
        shown.n -= 1;
        shown.counts[at].1 -= 1;
        let was_only = shown.counts[at].1 == 0;
        if was_only {
            shown.counts.remove(at);
        }
        shown.expect(beliefs);
        (shown, was_only)
    }
}

impl Kind {
    fn new(beliefs: Beliefs<'_>, past: Option<u32>, counts: &[(u32, u32)]) -> Self {
        let mut kind = Self { past, arriving: Vec::new() };
        if let Some(past) = kind.past(beliefs) {
            let values: Vec<u32> = counts.iter().map(|&(value, _)| value).collect();
            kind.arriving = past.arriving(beliefs.stage, &values);
        }
        kind
    }

    fn past<'a>(&self, beliefs: Beliefs<'a>) -> Option<&'a Past> {
        self.past.map(|past| &beliefs.pasts[past as usize])
    }

    /// The weight of one row of a value.
    fn arriving(&self, beliefs: Beliefs<'_>, value: u32) -> Option<f64> {
        self.past(beliefs)?.arriving(beliefs.stage, &[value]).first().copied()
    }

    /// The highest belief about these people, of who follows them or who reads the class alone; `more` is a
    /// value besides those that the kind knows, in this place of the counts.
    fn worst(&self, beliefs: Beliefs<'_>, shown: &Shown, more: Option<(usize, u32)>) -> f64 {
        let alone = shown.belief_alone(beliefs);
        let Some(past) = self.past(beliefs) else { return alone };
        let (mut worst, all) = past.highest(&shown.expected);
        if all <= 0.0 {
            return f64::INFINITY;
        }
        let mut try_counts = |counts: &[(u32, u32)], arriving: &[f64]| {
            for (&(_, count), weight) in counts.iter().zip(arriving) {
                worst = worst.max(f64::from(count) * weight);
            }
        };
        match more {
            None => try_counts(&shown.counts, &self.arriving),
            Some((at, value)) => {
                try_counts(&shown.counts[..at], &self.arriving[..at]);
                try_counts(&shown.counts[at + 1..], &self.arriving[at..]);
                worst = worst.max(self.arriving(beliefs, value).unwrap_or(0.0));
            }
        }
        alone.max(worst / all)
    }
}

impl Class {
    /// A class of these items and counterfeits.
    pub(super) fn of(beliefs: Beliefs<'_>, items: Vec<u32>, started: Vec<u32>) -> Self {
        let values = items.iter().map(|&item| beliefs.item(item).value);
        let shown = Shown::new(beliefs, values.chain(started.iter().copied()).collect());
        let mut pasts: Vec<Option<u32>> =
            items.iter().filter_map(|&item| beliefs.kind(item)).collect();
        pasts.sort_unstable();
        pasts.dedup();
        let kind = |past| Kind::new(beliefs, past, &shown.counts);
        let kinds = pasts.into_iter().map(kind).collect();
        let around = Around::of(beliefs, &items);
        Self { items, started, around, kinds, shown }
    }

    /// The number of rows that belong to nobody.
    pub(super) fn n_counterfeits(&self, beliefs: Beliefs<'_>) -> usize {
        let is_counterfeit = |item: &&u32| beliefs.item(**item).counterfeit.is_some();
        self.started.len() + self.items.iter().filter(is_counterfeit).count()
    }

    /// What the box costs, for each row.
    pub(super) fn cost(&self, space: &Space) -> f64 {
        self.around.cost(space)
    }

    /// The place of those about whom the highest belief is among the kinds.
    fn weakest_kind(&self, beliefs: Beliefs<'_>) -> Option<usize> {
        let mut highest: Option<(f64, usize)> = None;
        for (at, kind) in self.kinds.iter().enumerate() {
            let worst = kind.worst(beliefs, &self.shown, None);
            if highest.is_none_or(|(highest, _)| worst > highest) {
                highest = Some((worst, at));
            }
        }
        highest.map(|(_, at)| at)
    }

    /// The past of those about whom the highest belief is, if it is about anybody.
    #[expect(clippy::option_option, reason = "nobody, somebody without a past, somebody with one")]
    pub(super) fn weakest(&self, beliefs: Beliefs<'_>) -> Option<Option<u32>> {
        self.weakest_kind(beliefs).map(|at| self.kinds[at].past)
    }

    /// The highest belief about any member.
    pub(super) fn worst(&self, beliefs: Beliefs<'_>) -> f64 {
        self.kinds.iter().map(|kind| kind.worst(beliefs, &self.shown, None)).fold(0.0, f64::max)
    }

    /// The highest belief about any member and about an item, if one is named, that were to join and show
    /// this value; it is looked for no further above `most`.
    pub(super) fn worst_with(
        &self,
        beliefs: Beliefs<'_>,
        value: u32,
        item: Option<u32>,
        most: f64,
    ) -> f64 {
        let place = self.shown.find(value);
        let shown = self.shown.with(beliefs, value, place);
        let more = place.err().map(|at| (at, value));
        let mut worst: f64 = 0.0;
        if let Some(past) = item.and_then(|item| beliefs.kind(item)) {
            worst = Kind::new(beliefs, past, &shown.counts).worst(beliefs, &shown, None);
        }
        for kind in &self.kinds {
            if worst > most {
                break;
            }
            worst = worst.max(kind.worst(beliefs, &shown, more));
        }
        worst
    }

    /// The item without which the highest belief would be lowest.
    pub(super) fn culprit(&self, beliefs: Beliefs<'_>) -> Option<u32> {
        let weakest = self.weakest_kind(beliefs)?;
        let mut lowest: Option<(f64, u32)> = None;
        for (at, &(value, _)) in self.shown.counts.iter().enumerate() {
            let (shown, was_only) = self.shown.without(beliefs, at);
            let mut kind = self.kinds[weakest].clone();
            if was_only && !kind.arriving.is_empty() {
                kind.arriving.remove(at);
            }
            let found = kind.worst(beliefs, &shown, None);
            let holder = self.items.iter().copied().find(|&item| {
                beliefs.item(item).row.is_some() && beliefs.item(item).value == value
            });
            if let Some(holder) = holder
                && lowest.is_none_or(|(lowest, _)| found < lowest)
            {
                lowest = Some((found, holder));
            }
        }
        lowest.map(|(_, holder)| holder)
    }

    /// Lets an item go.
    pub(super) fn leave(&mut self, beliefs: Beliefs<'_>, item: u32) {
        self.items.retain(|&other| other != item);
        let kind = beliefs.kind(item);
        if self.items.iter().all(|&other| beliefs.kind(other) != kind) {
            self.kinds.retain(|other| Some(other.past) != kind);
        }
        self.hide(beliefs, beliefs.item(item).value);
        self.around = Around::of(beliefs, &self.items);
    }

    /// Shows a value once less.
    fn hide(&mut self, beliefs: Beliefs<'_>, value: u32) {
        let Ok(at) = self.shown.find(value) else { return };
        let (shown, was_only) = self.shown.without(beliefs, at);
        self.shown = shown;
        for kind in self.kinds.iter_mut().filter(|kind| was_only && !kind.arriving.is_empty()) {
            kind.arriving.remove(at);
        }
    }

    /// Lets the members go, the worst first, about whom a belief is above `most`; returns them.
    pub(super) fn trim(&mut self, beliefs: Beliefs<'_>, most: f64) -> Vec<u32> {
        let mut gone = Vec::new();
        while self.worst(beliefs) > most + 1e-12 {
            if self.shown.belief_alone(beliefs) > most + 1e-12 {
                gone.extend(self.show_less(beliefs));
                continue;
            }
            let Some(past) = self.weakest(beliefs) else { break };
            // Of people who are alike, the one whose value is shown most often.
            let alike = self.items.iter().copied().enumerate();
            let alike = alike.filter(|&(_, item)| beliefs.kind(item) == Some(past));
            let shown = |value| self.shown.find(value).map_or(0, |at| self.shown.counts[at].1);
            let most_shown = alike.max_by_key(|&(at, item)| (shown(beliefs.item(item).value), at));
            let Some((_, item)) = most_shown else { break };
            self.leave(beliefs, item);
            gone.push(item);
        }
        gone
    }

    /// Lets one go who shows the most frequent value: a counterfeit, or else the last of the people. The
    /// item, but for a counterfeit that this release started.
    fn show_less(&mut self, beliefs: Beliefs<'_>) -> Option<u32> {
        let (value, _) = self.shown.most_frequent();
        if let Some(at) = self.started.iter().rposition(|&started| started == value) {
            self.started.remove(at);
            self.hide(beliefs, value);
            return None;
        }
        let holders = self.items.iter().copied().filter(|&item| beliefs.item(item).value == value);
        let item = holders
            .enumerate()
            .max_by_key(|&(at, item)| (beliefs.item(item).counterfeit.is_some(), at));
        let (_, item) = item?;
        self.leave(beliefs, item);
        Some(item)
    }

    /// Takes in an item.
    pub(super) fn join(&mut self, beliefs: Beliefs<'_>, item: u32) {
        self.show(beliefs, beliefs.item(item).value);
        self.items.push(item);
        self.around.widen(beliefs.line.codes(item));
        if let Some(past) = beliefs.kind(item)
            && self.kinds.iter().all(|kind| kind.past != past)
        {
            self.kinds.push(Kind::new(beliefs, past, &self.shown.counts));
        }
    }

    /// Starts a counterfeit with this value.
    pub(super) fn start(&mut self, beliefs: Beliefs<'_>, value: u32) {
        self.show(beliefs, value);
        self.started.push(value);
    }

    fn show(&mut self, beliefs: Beliefs<'_>, value: u32) {
        let place = self.shown.find(value);
        self.shown = self.shown.with(beliefs, value, place);
        if let Err(at) = place {
            for kind in &mut self.kinds {
                if let Some(weight) = kind.arriving(beliefs, value) {
                    kind.arriving.insert(at, weight);
                }
            }
        }
    }
}
