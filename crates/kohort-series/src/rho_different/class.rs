//! A class that grows, and what is believed of each of its members.

use kohort_models::series::{Past, Stage};

use super::line::{Item, Line};

/// Some items as one class, with the sums its beliefs are quotients of.
#[derive(Clone, Debug, Default)]
pub(super) struct Class {
    pub(super) members: Vec<Member>,
    /// The values of counterfeits that this release starts.
    pub(super) started: Vec<u32>,
    /// The values it shows, each with how often, ascending.
    counts: Vec<(u32, u32)>,
    n_shown: u32,
}

/// An item of a class.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) item: u32,
    // What the class adds up to for each sum of the item's past; empty without one.
    sums: Vec<f64>,
    // What one row of each value that was asked for adds.
    columns: Vec<(u32, Vec<f64>)>,
}

/// What beliefs are computed from.
#[derive(Clone, Copy)]
pub(super) struct Beliefs<'a> {
    pub(super) line: &'a Line,
    pub(super) pasts: &'a [Past],
    pub(super) stage: &'a Stage<'a>,
    /// How much more a belief about this release counts than one about an earlier release: what is used up
    /// at once is not there for later releases.
    pub(super) now: f64,
}

impl<'a> Beliefs<'a> {
    pub(super) fn item(&self, item: u32) -> &'a Item {
        &self.line.items[item as usize]
    }

    pub(super) fn past(&self, item: u32) -> Option<&'a Past> {
        self.item(item).past.map(|past| &self.pasts[past as usize])
    }
}

impl Member {
    fn new(beliefs: Beliefs<'_>, item: u32, counts: &[(u32, u32)]) -> Self {
        let n_sums = beliefs.past(item).map_or(0, Past::n_sums);
        let mut member = Self { item, sums: vec![0.0; n_sums], columns: Vec::new() };
        for &(value, count) in counts {
            member.add(beliefs, value, count);
        }
        member
    }

    fn add(&mut self, beliefs: Beliefs<'_>, value: u32, count: u32) {
        if !self.sums.is_empty() {
            let at = self.column(beliefs, value);
            let column = &self.columns[at].1;
            for (sum, more) in self.sums.iter_mut().zip(column) {
                *sum += f64::from(count) * more;
            }
        }
    }

    /// Where the column of a value is.
    fn column(&mut self, beliefs: Beliefs<'_>, value: u32) -> usize {
        let found = self.columns.iter().position(|(of, _)| *of == value);
        found.unwrap_or_else(|| {
            let past = beliefs.past(self.item).expect("only items with a past have sums");
            self.columns.push((value, past.column(beliefs.stage, value)));
            self.columns.len() - 1
        })
    }

    /// The highest belief about the item where the class shows these counts and the sums have those of
    /// all but `extra`; 0 for what belongs to nobody.
    fn worst(
        &mut self,
        beliefs: Beliefs<'_>,
        counts: &[(u32, u32)],
        n_shown: u32,
        extra: Option<u32>,
    ) -> f64 {
        let item = beliefs.item(self.item);
        let with_extra =
            |&(value, count): &(u32, u32)| (value, count + u32::from(extra == Some(value)));
        if item.counterfeit.is_some() {
            return 0.0;
        }
        if self.sums.is_empty() {
            let is_listed = extra.is_none_or(|extra| counts.iter().any(|&(of, _)| of == extra));
            let most = counts.iter().map(|count| with_extra(count).1).max().unwrap_or(0);
            let most = most.max(u32::from(!is_listed));
            let n_shown = n_shown + u32::from(extra.is_some());
            return beliefs.now * f64::from(most) / f64::from(n_shown);
        }
        let extra_at = extra.map(|extra| self.column(beliefs, extra));
        let extra_column = extra_at.map(|at| &self.columns[at].1);
        let sum = |at: usize| self.sums[at] + extra_column.map_or(0.0, |column| column[at]);
        let all = sum(0);
        if all <= 0.0 {
            return f64::INFINITY;
        }
        let mut worst = (1..self.sums.len()).map(sum).fold(0.0, f64::max);
        for (value, column) in &self.columns {
            let shown = counts.binary_search_by_key(value, |&(of, _)| of);
            let shown = shown.map_or(0, |at| counts[at].1) + u32::from(extra == Some(*value));
            worst = worst.max(beliefs.now * f64::from(shown) * column[0]);
        }
        worst / all
    }
}

impl Class {
    /// A class of these items and counterfeits.
    pub(super) fn of(
        beliefs: Beliefs<'_>,
        items: impl IntoIterator<Item = u32>,
        started: Vec<u32>,
    ) -> Self {
        let mut class = Self { started, ..Self::default() };
        let items: Vec<u32> = items.into_iter().collect();
        let values = items.iter().map(|&item| beliefs.item(item).value);
        let mut values: Vec<u32> = values.chain(class.started.iter().copied()).collect();
        values.sort_unstable();
        let count = |run: &[u32]| (run[0], u32::try_from(run.len()).expect("rows fit u32"));
        class.counts = values.chunk_by(|a, b| a == b).map(count).collect();
        class.n_shown = u32::try_from(values.len()).expect("rows fit u32");
        let member = |item| Member::new(beliefs, item, &class.counts);
        class.members = items.into_iter().map(member).collect();
        class
    }

    /// The items, in the order in which they came.
    pub(super) fn items(&self) -> impl Iterator<Item = u32> {
        self.members.iter().map(|member| member.item)
    }

    /// The number of rows that belong to nobody.
    pub(super) fn n_counterfeits(&self, beliefs: Beliefs<'_>) -> usize {
        let is_counterfeit = |item: &u32| beliefs.item(*item).counterfeit.is_some();
        self.started.len() + self.items().filter(is_counterfeit).count()
    }

    /// The member about whom the highest belief is, if it is about anybody.
    pub(super) fn weakest(&mut self, beliefs: Beliefs<'_>) -> Option<&Member> {
        let (counts, n_shown) = (&self.counts, self.n_shown);
        let worst = |member: &mut Member| member.worst(beliefs, counts, n_shown, None);
        let worst: Vec<f64> = self.members.iter_mut().map(worst).collect();
        let highest = worst.iter().copied().fold(0.0, f64::max);
        let at = worst.iter().position(|&belief| belief >= highest)?;
        self.members.get(at)
    }

    /// The highest belief about any member; `extra` is a value that one more row would show.
    pub(super) fn worst(&mut self, beliefs: Beliefs<'_>, extra: Option<u32>) -> f64 {
        let (counts, n_shown) = (&self.counts, self.n_shown);
        let worst = |member: &mut Member| member.worst(beliefs, counts, n_shown, extra);
        self.members.iter_mut().map(worst).fold(0.0, f64::max)
    }

    /// Lets the members go, the worst first, about whom a belief is above `most`; returns them.
    pub(super) fn trim(&mut self, beliefs: Beliefs<'_>, most: f64) -> Vec<u32> {
        let mut gone = Vec::new();
        while self.worst(beliefs, None) > most + 1e-12 {
            let Some(weakest) = self.weakest(beliefs).map(|member| member.item) else { break };
            gone.push(weakest);
            let others: Vec<u32> = self.items().filter(|&item| item != weakest).collect();
            *self = Self::of(beliefs, others, std::mem::take(&mut self.started));
        }
        gone
    }

    /// The highest belief about an item if it joined.
    pub(super) fn worst_of_joining(&self, beliefs: Beliefs<'_>, item: u32) -> f64 {
        let mut member = Member::new(beliefs, item, &self.counts);
        let value = beliefs.item(item).value;
        member.worst(beliefs, &self.counts, self.n_shown, Some(value))
    }

    /// Takes in an item.
    pub(super) fn join(&mut self, beliefs: Beliefs<'_>, item: u32) {
        self.show(beliefs, beliefs.item(item).value);
        self.members.push(Member::new(beliefs, item, &self.counts));
    }

    /// Starts a counterfeit with this value.
    pub(super) fn start(&mut self, beliefs: Beliefs<'_>, value: u32) {
        self.show(beliefs, value);
        self.started.push(value);
    }

    fn show(&mut self, beliefs: Beliefs<'_>, value: u32) {
        match self.counts.binary_search_by_key(&value, |&(of, _)| of) {
            Ok(at) => self.counts[at].1 += 1,
            Err(at) => self.counts.insert(at, (value, 1)),
        }
        self.n_shown += 1;
        self.members.iter_mut().for_each(|member| member.add(beliefs, value, 1));
    }
}
