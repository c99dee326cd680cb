//! A class that grows, and what is believed of each of its members.

use kohort_models::series::{Past, Stage};

use super::line::{Item, Line};

/// Some items as one class, with the sums its beliefs are quotients of.
#[derive(Clone, Debug, Default)]
pub(super) struct Class {
    /// The items, in the order in which they came.
    pub(super) items: Vec<u32>,
    /// The values of counterfeits that this release starts.
    pub(super) started: Vec<u32>,
    // Who is alike: the same is believed of everybody with the same past.
    kinds: Vec<Kind>,
    // The values it shows, each with how often, ascending.
    counts: Vec<(u32, u32)>,
    n_shown: u32,
}

/// The people of a class with one past, or without one.
#[derive(Clone, Debug)]
struct Kind {
    past: Option<u32>,
    // What the class adds up to for each sum of the past; empty without one.
    sums: Vec<f64>,
    // What one row of each value that the class shows adds to the first sum, in the order of its counts.
    firsts: Vec<f64>,
    // What goes to unlisted values.
    unlisted: Vec<f64>,
}

/// What beliefs are computed from.
#[derive(Clone, Copy)]
pub(super) struct Beliefs<'a> {
    pub(super) line: &'a Line,
    pub(super) pasts: &'a [Past],
    pub(super) stage: &'a Stage<'a>,
}

impl<'a> Beliefs<'a> {
    pub(super) fn item(&self, item: u32) -> &'a Item {
        &self.line.items[item as usize]
    }

    /// What is believed of whom: the past of an item, for one that belongs to somebody.
    #[expect(clippy::option_option, reason = "nobody, somebody without a past, somebody with one")]
    fn kind(&self, item: u32) -> Option<Option<u32>> {
        let item = self.item(item);
        item.row.map(|_| item.past)
    }
}

impl Kind {
    fn new(beliefs: Beliefs<'_>, past: Option<u32>, counts: &[(u32, u32)]) -> Self {
        let found = past.map(|past| &beliefs.pasts[past as usize]);
        let sums = vec![0.0; found.map_or(0, Past::n_sums)];
        let unlisted = found.map_or_else(Vec::new, |past| past.unlisted(beliefs.stage));
        let mut kind = Self { past, sums, firsts: Vec::new(), unlisted };
        for (at, &(value, count)) in counts.iter().enumerate() {
            kind.add(beliefs, value, count, at, true);
        }
        kind
    }

    /// Adds rows of a value that is in this place of the counts, for the first time or again.
    fn add(&mut self, beliefs: Beliefs<'_>, value: u32, count: u32, at: usize, is_first: bool) {
        let column = self.column(beliefs, value);
        for (sum, more) in self.sums.iter_mut().zip(&column) {
            *sum += f64::from(count) * more;
        }
        if let Some(&first) = column.first()
            && is_first
        {
            self.firsts.insert(at, first);
        }
    }

    /// What one row of a value adds to each sum; nothing without a past.
    fn column(&self, beliefs: Beliefs<'_>, value: u32) -> Vec<f64> {
        let past = self.past.map(|past| &beliefs.pasts[past as usize]);
        past.map_or_else(Vec::new, |past| past.column(beliefs.stage, &self.unlisted, value))
    }

    /// The highest belief about these people where the class shows these counts, which the sums have,
    /// and one more row of `extra`, which they do not.
    fn worst(
        &self,
        beliefs: Beliefs<'_>,
        counts: &[(u32, u32)],
        n_shown: u32,
        extra: Option<u32>,
    ) -> f64 {
        if self.past.is_none() {
            let with_extra = |&(value, count): &(u32, u32)| count + u32::from(extra == Some(value));
            let most = counts.iter().map(with_extra).max().unwrap_or(0);
            let n_shown = n_shown + u32::from(extra.is_some());
            return f64::from(most.max(u32::from(extra.is_some()))) / f64::from(n_shown);
        }
        let column = extra.map_or_else(Vec::new, |extra| self.column(beliefs, extra));
        let sum = |at: usize| self.sums[at] + column.get(at).copied().unwrap_or(0.0);
        let all = sum(0);
        if all <= 0.0 {
            return f64::INFINITY;
        }
        let mut worst = (1..self.sums.len()).map(sum).fold(0.0, f64::max);
        worst = column.first().copied().unwrap_or(0.0).max(worst);
        for (&(value, count), first) in counts.iter().zip(&self.firsts) {
            worst = worst.max(f64::from(count + u32::from(extra == Some(value))) * first);
        }
        worst / all
    }
}

impl Class {
    /// A class of these items and counterfeits.
    pub(super) fn of(beliefs: Beliefs<'_>, items: Vec<u32>, started: Vec<u32>) -> Self {
        let values = items.iter().map(|&item| beliefs.item(item).value);
        let mut values: Vec<u32> = values.chain(started.iter().copied()).collect();
        values.sort_unstable();
        let count = |run: &[u32]| (run[0], u32::try_from(run.len()).expect("rows fit u32"));
        let counts: Vec<(u32, u32)> = values.chunk_by(|a, b| a == b).map(count).collect();
        let n_shown = u32::try_from(values.len()).expect("rows fit u32");
        let mut pasts: Vec<Option<u32>> =
            items.iter().filter_map(|&item| beliefs.kind(item)).collect();
        pasts.sort_unstable();
        pasts.dedup();
        let kinds = pasts.into_iter().map(|past| Kind::new(beliefs, past, &counts)).collect();
        Self { items, started, kinds, counts, n_shown }
    }

    /// The number of rows that belong to nobody.
    pub(super) fn n_counterfeits(&self, beliefs: Beliefs<'_>) -> usize {
        let is_counterfeit = |item: &&u32| beliefs.item(**item).counterfeit.is_some();
        self.started.len() + self.items.iter().filter(is_counterfeit).count()
    }

    /// The past of those about whom the highest belief is, if it is about anybody.
    #[expect(clippy::option_option, reason = "nobody, somebody without a past, somebody with one")]
    pub(super) fn weakest(&self, beliefs: Beliefs<'_>) -> Option<Option<u32>> {
        let (counts, n_shown) = (&self.counts, self.n_shown);
        let worst = |kind: &Kind| kind.worst(beliefs, counts, n_shown, None);
        let worst: Vec<f64> = self.kinds.iter().map(worst).collect();
        let highest = worst.iter().copied().fold(0.0, f64::max);
        let at = worst.iter().position(|&belief| belief >= highest)?;
        self.kinds.get(at).map(|kind| kind.past)
    }

    /// The highest belief about any member; `extra` is a value that one more row would show.
    pub(super) fn worst(&self, beliefs: Beliefs<'_>, extra: Option<u32>) -> f64 {
        let (counts, n_shown) = (&self.counts, self.n_shown);
        let worst = |kind: &Kind| kind.worst(beliefs, counts, n_shown, extra);
        self.kinds.iter().map(worst).fold(0.0, f64::max)
    }

    /// The item without which the highest belief would be lowest, as far as one value tells: somebody with
    /// the value that adds most to it.
    pub(super) fn culprit(&self, beliefs: Beliefs<'_>) -> Option<u32> {
        let past = self.weakest(beliefs)?;
        let kind = self.kinds.iter().find(|kind| kind.past == past)?;
        let sums = kind.sums.iter().enumerate().skip(1);
        let (row, highest) = sums.max_by(|a, b| a.1.total_cmp(b.1))?;
        let adds = |&(value, count): &(u32, u32), row: usize| {
            f64::from(count) * kind.column(beliefs, value)[row]
        };
        let most = |row: usize| {
            let by_value = self.counts.iter().map(|shown| (adds(shown, row), shown.0));
            by_value.max_by(|a, b| a.0.total_cmp(&b.0))
        };
        let (share, value) = most(row)?;
        let (at_once, value_at_once) = most(0)?;
        let value = if at_once > *highest && share < at_once { value_at_once } else { value };
        let has_value = |item: &u32| {
            let item = beliefs.item(*item);
            item.row.is_some() && item.value == value
        };
        self.items.iter().copied().find(has_value)
    }

    /// The class without an item.
    pub(super) fn without(&self, beliefs: Beliefs<'_>, item: u32) -> Self {
        let items = self.items.iter().copied().filter(|&other| other != item).collect();
        Self::of(beliefs, items, self.started.clone())
    }

    /// Lets the members go, the worst first, about whom a belief is above `most`; returns them.
    pub(super) fn trim(&mut self, beliefs: Beliefs<'_>, most: f64) -> Vec<u32> {
        let mut gone = Vec::new();
        while self.worst(beliefs, None) > most + 1e-12 {
            let Some(past) = self.weakest(beliefs) else { break };
            // Of people who are alike, the one whose value is shown most often.
            let mut alike = self.items.iter().copied().enumerate();
            let alike = alike.by_ref().filter(|&(_, item)| beliefs.kind(item) == Some(past));
            let shown = |value: u32| {
                let at = self.counts.binary_search_by_key(&value, |&(of, _)| of);
                at.map_or(0, |at| self.counts[at].1)
            };
            let most_shown = alike.max_by_key(|&(at, item)| (shown(beliefs.item(item).value), at));
            let Some((at, _)) = most_shown else { break };
            let mut items = std::mem::take(&mut self.items);
            gone.push(items.remove(at));
            *self = Self::of(beliefs, items, std::mem::take(&mut self.started));
        }
        gone
    }

    /// The highest belief about an item if it joined.
    pub(super) fn worst_of_joining(&self, beliefs: Beliefs<'_>, item: u32) -> f64 {
        let Some(past) = beliefs.kind(item) else { return 0.0 };
        let kind = Kind::new(beliefs, past, &self.counts);
        kind.worst(beliefs, &self.counts, self.n_shown, Some(beliefs.item(item).value))
    }

    /// Takes in an item.
    pub(super) fn join(&mut self, beliefs: Beliefs<'_>, item: u32) {
        self.show(beliefs, beliefs.item(item).value);
        self.items.push(item);
        if let Some(past) = beliefs.kind(item)
            && self.kinds.iter().all(|kind| kind.past != past)
        {
            self.kinds.push(Kind::new(beliefs, past, &self.counts));
        }
    }

    /// Starts a counterfeit with this value.
    pub(super) fn start(&mut self, beliefs: Beliefs<'_>, value: u32) {
        self.show(beliefs, value);
        self.started.push(value);
    }

    fn show(&mut self, beliefs: Beliefs<'_>, value: u32) {
        let found = self.counts.binary_search_by_key(&value, |&(of, _)| of);
        match found {
            Ok(at) => self.counts[at].1 += 1,
            Err(at) => self.counts.insert(at, (value, 1)),
        }
        self.n_shown += 1;
        let (at, is_first) = (found.unwrap_or_else(|at| at), found.is_err());
        self.kinds.iter_mut().for_each(|kind| kind.add(beliefs, value, 1, at, is_first));
    }
}
