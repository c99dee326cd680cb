//! Classes of those who were together, mended where they must be, and classes of those who appear.

use std::collections::BTreeMap;

use kohort_algorithms::Space;
use kohort_core::{ABSENT, Ctx};
use rayon::prelude::*;

use super::RhoDifferentMaker;
use super::around::{Around, around};
use super::class::{Beliefs, Class};
use super::line::Free;
use super::settling::near_classes;

/// How many near items without a past a class may choose from on either side.
const N_NEAR: usize = 24;
/// A step that brings the highest belief down by less than this share of it is none.
const LEAST_STEP: f64 = 0.01;
/// What a class is content with, as a share of rho: counterfeits and who is held back change beliefs.
pub(super) const MARGIN: f64 = 0.97;
/// What classes of people with a past aim at, from the first release to the last that is planned, as
/// shares of rho.
pub(super) const FIRST_AIM: f64 = 0.8;
pub(super) const LAST_AIM: f64 = 0.95;
/// How many releases are reckoned with where none are planned.
pub(super) const USUAL_HORIZON: u32 = 10;
/// How much lower a belief must be for each unit of cost.
const PER_COST: f64 = 4.0;
/// The most values that a counterfeit is tried with.
const N_VALUES: usize = 64;
/// One row in so many may be let go where that spares classes from joining: holders of a value so rare
/// that showing it again gives it away.
const SPARE_PART: usize = 200;
/// What letting one go must make of the highest belief, at most, as a share of it.
const SPARED: f64 = 0.75;
/// What a class of people who appear is content with, in units of the slack.
const ENOUGH: f64 = 1.7;
/// Classes do not join beyond this size.
const MOST_ITEMS: usize = 400;

/// Which items are together, and who is in no class.
pub(super) struct Plan {
    pub(super) classes: Vec<Done>,
    /// The class of each item of the line, or `ABSENT`.
    pub(super) class_of: Vec<u32>,
}

/// A class as it stands.
#[derive(Clone, Debug, Default)]
pub(super) struct Done {
    pub(super) items: Vec<u32>,
    /// The values of counterfeits that this release starts.
    pub(super) started: Vec<u32>,
}

impl Plan {
    /// Gives a class its number.
    fn add(&mut self, items: Vec<u32>, started: Vec<u32>) {
        let number = u32::try_from(self.classes.len()).expect("classes are fewer than rows");
        self.classes.push(Done::default());
        self.put(number, items, started);
    }

    /// The class with this number has these items.
    fn put(&mut self, number: u32, items: Vec<u32>, started: Vec<u32>) {
        for &item in &items {
            self.class_of[item as usize] = number;
        }
        self.classes[number as usize] = Done { items, started };
    }
}

/// The classes so far and the items that are free.
pub(super) struct Growing<'a> {
    maker: &'a RhoDifferentMaker,
    space: &'a Space,
    beliefs: Beliefs<'a>,
    // What classes of people with a past aim at.
    aim: f64,
    // How many rows a class of people who appear has.
    size: usize,
    // Items without a past.
    newcomers: Free,
    // How many more rows may be let go so that classes need not join.
    spare: usize,
    plan: Plan,
}

impl<'a> Growing<'a> {
    pub(super) fn new(
        maker: &'a RhoDifferentMaker,
        space: &'a Space,
        beliefs: Beliefs<'a>,
        size: usize,
        aim: f64,
    ) -> Self {
        let plan = Plan { classes: Vec::new(), class_of: vec![ABSENT; beliefs.line.items.len()] };
        let newcomers = Free::new(beliefs.line.items.len(), |_| false);
        let spare = beliefs.line.items.len() / SPARE_PART;
        Self { maker, space, beliefs, aim, size, newcomers, spare, plan }
    }

    /// Steps 2 to 6.
    pub(super) fn grow(mut self, ctx: &Ctx<'_>) -> Plan {
        self.keep_together();
        self.newcomers = self.free();
        self.mend(ctx);
        let n = u32::try_from(self.beliefs.line.items.len()).expect("rows fit u32");
        for may_join in [true, false] {
            self.newcomers = self.free();
            for first in 0..n {
                if self.is_free(first) && self.beliefs.item(first).row.is_some() {
                    self.grow_around(first, may_join);
                }
                if first.is_multiple_of(4096) {
                    ctx.progress("growing classes", u64::from(first), u64::from(n));
                }
            }
            let mut joined = BTreeMap::new();
            for item in 0..n {
                if self.plan.class_of[item as usize] == ABSENT {
                    let (space, beliefs, plan) = (self.space, self.beliefs, &mut self.plan);
                    self.maker.join_near(space, beliefs, plan, item, self.aim, &mut joined);
                }
            }
        }
        self.plan
    }

    /// Step 2: those who were in one class of the last release are in one.
    fn keep_together(&mut self) {
        let items = &self.beliefs.line.items;
        let came_from = items.iter().map(|item| item.came_from).filter(|&class| class != ABSENT);
        let mut together = vec![Vec::new(); came_from.max().map_or(0, |last| last as usize + 1)];
        for (place, item) in (0..).zip(items) {
            if let Some(together) = together.get_mut(item.came_from as usize) {
                together.push(place);
            }
        }
        for items in together {
            if self.has_people(&items) {
                self.plan.add(items, Vec::new());
            }
        }
    }

    fn has_people(&self, items: &[u32]) -> bool {
        items.iter().any(|&item| self.beliefs.item(item).row.is_some())
    }

    /// Steps 3 and 4: brings the highest belief of every class down to what is aimed at.
    fn mend(&mut self, ctx: &Ctx<'_>) {
        let worst = |done: &Done| {
            Class::of(self.beliefs, done.items.clone(), Vec::new()).worst(self.beliefs, None)
        };
        let worst: Vec<f64> = self.plan.classes.par_iter().map(worst).collect();
        let n = worst.len() as u64;
        for (number, worst) in (0..).zip(worst) {
            if worst > self.aim && !self.plan.classes[number as usize].items.is_empty() {
                self.mend_class(number);
            }
            ctx.progress("mending classes", u64::from(number), n);
        }
    }

    fn mend_class(&mut self, number: u32) {
        let rho = self.maker.model.rho().value();
        let done = std::mem::take(&mut self.plan.classes[number as usize]);
        let mut class = Class::of(self.beliefs, done.items, done.started);
        let mut worst = class.worst(self.beliefs, None);
        while worst > self.aim {
            worst = self.take_near(&mut class, self.aim, worst);
            if worst <= self.aim {
                break;
            }
            if let Some((found, item, rest)) = self.let_one_go(&mut class, worst) {
                self.plan.class_of[item as usize] = ABSENT;
                self.spare -= 1;
                (class, worst) = (rest, found);
                continue;
            }
            let Some((found, other, union)) = self.best_union(number, &class, worst) else { break };
            self.plan.classes[other as usize] = Done::default();
            union.items.iter().for_each(|&item| self.plan.class_of[item as usize] = number);
            (class, worst) = (union, found);
        }
        if worst > MARGIN * rho {
            self.start_counterfeits(&mut class, worst);
        }
        for item in class.trim(self.beliefs, MARGIN * rho) {
            self.plan.class_of[item as usize] = ABSENT;
        }
        if self.has_people(&class.items) {
            self.plan.put(number, class.items, class.started);
        } else {
            class.items.iter().for_each(|&item| self.plan.class_of[item as usize] = ABSENT);
        }
    }

    /// The class without the row that adds most to its highest belief, if that helps much.
    fn let_one_go(&self, class: &mut Class, worst: f64) -> Option<(f64, u32, Class)> {
        if self.spare == 0 {
            return None;
        }
        let item = class.culprit(self.beliefs)?;
        let rest = class.without(self.beliefs, item);
        if !self.has_people(&rest.items) {
            return None;
        }
        let found = rest.worst(self.beliefs, None);
        (found <= worst * SPARED).then_some((found, item, rest))
    }

    /// The near class together with which the highest belief is lowest, if it is a step.
    fn best_union(&self, number: u32, class: &Class, worst: f64) -> Option<(f64, u32, Class)> {
        let near = near_classes(&self.plan, *class.items.first()?);
        let union = |other: u32| {
            let done = &self.plan.classes[other as usize];
            if other == number || class.items.len() + done.items.len() > MOST_ITEMS {
                return None;
            }
            let items: Vec<u32> = class.items.iter().chain(&done.items).copied().collect();
            let started = class.started.iter().chain(&done.started).copied().collect();
            let cost = around(self.beliefs, &items).cost(self.space);
            let union = Class::of(self.beliefs, items, started);
            let is_full = union.n_counterfeits(self.beliefs) > self.maker.most_counterfeits;
            let belief = union.worst(self.beliefs, None);
            let score = belief.max(self.aim) * (1.0 + PER_COST * cost);
            let is_step = !is_full && belief <= worst * (1.0 - LEAST_STEP);
            is_step.then_some((score, belief, other, union))
        };
        let found: Vec<_> = near.into_par_iter().filter_map(union).collect();
        let best = found.into_iter().reduce(|a, b| if b.0 < a.0 - 1e-12 { b } else { a });
        best.map(|(_, belief, other, union)| (belief, other, union))
    }

    /// The items without a past that are in no class.
    fn free(&self) -> Free {
        let items = &self.beliefs.line.items;
        let is_free =
            |place: usize| items[place].past.is_none() && self.plan.class_of[place] == ABSENT;
        Free::new(items.len(), is_free)
    }

    fn take(&mut self, item: u32) {
        self.newcomers.take(item);
    }

    fn is_free(&self, item: u32) -> bool {
        self.newcomers.is_free(item)
    }

    /// Step 5: makes a class of somebody who appears and of those next on the line; a poor class is none
    /// while rows may join others, and afterwards whoever cannot be kept within rho is in none.
    fn grow_around(&mut self, first: u32, may_join: bool) {
        let rho = self.maker.model.rho().value();
        let target = ENOUGH * self.maker.slack.value() * rho;
        let mut items = Vec::with_capacity(self.size);
        let mut at = first;
        while items.len() < self.size
            && let Some(item) = self.newcomers.next(at)
        {
            if self.beliefs.item(item).row.is_some() {
                items.push(item);
                self.take(item);
            }
            at = item + 1;
        }
        let is_short = items.len() < self.size / 2;
        let mut class = Class::of(self.beliefs, items, Vec::new());
        let worst = class.worst(self.beliefs, None);
        let worst = self.take_near(&mut class, target, worst);
        if may_join && (is_short || worst > rho) {
            return;
        }
        if worst > rho {
            self.start_counterfeits(&mut class, worst);
        }
        class.trim(self.beliefs, rho);
        if self.has_people(&class.items) {
            self.plan.add(class.items, class.started);
        }
    }

    /// Takes in one item that appears after another; the highest belief in the end.
    fn take_near(&mut self, class: &mut Class, target: f64, mut worst: f64) -> f64 {
        let first = class.items[0];
        let mut around = around(self.beliefs, &class.items);
        let mut near = Vec::new();
        while worst > target {
            near.clear();
            self.newcomers.around(first, N_NEAR, &mut near);
            near.sort_unstable();
            near.dedup();
            let Some((found, item)) = self.best(class, &near, target, worst, &around) else {
                break;
            };
            around.widen(self.beliefs.line.codes(item));
            class.join(self.beliefs, item);
            self.take(item);
            worst = found;
        }
        worst
    }

    /// The item with which the highest belief is lowest, near ones first, if it is a step.
    fn best(
        &self,
        class: &mut Class,
        near: &[u32],
        target: f64,
        worst: f64,
        around: &Around,
    ) -> Option<(f64, u32)> {
        let mut inside: Vec<(u32, f64)> = Vec::new();
        let mut best: Option<(f64, f64, u32)> = None;
        let is_full = class.n_counterfeits(self.beliefs) >= self.maker.most_counterfeits;
        let limit = worst * (1.0 - LEAST_STEP);
        for &candidate in near {
            let item = self.beliefs.item(candidate);
            if is_full && item.counterfeit.is_some() {
                continue;
            }
            let known = inside.iter().find(|(value, _)| *value == item.value).map(|found| found.1);
            let known = known.unwrap_or_else(|| {
                let found = class.worst(self.beliefs, Some(item.value));
                inside.push((item.value, found));
                found
            });
            let cost = around.cost_with(self.space, self.beliefs.line.codes(candidate));
            let score = |belief: f64| belief.max(target) * (1.0 + PER_COST * cost);
            let is_worse =
                |belief| best.is_some_and(|(lowest, ..)| score(belief) >= lowest * (1.0 - 1e-12));
            if known > limit || is_worse(known) {
                continue;
            }
            let belief = known.max(class.worst_of_joining(self.beliefs, candidate));
            if belief <= limit && !is_worse(belief) {
                best = Some((score(belief), belief, candidate));
            }
        }
        best.map(|(_, belief, item)| (belief, item))
    }

    /// Step 4: starts counterfeits while they help.
    fn start_counterfeits(&self, class: &mut Class, mut worst: f64) {
        let most = MARGIN * self.maker.model.rho().value();
        while worst > most && class.n_counterfeits(self.beliefs) < self.maker.most_counterfeits {
            let values = self.likely_values(class);
            let tried =
                values.into_iter().map(|value| (class.worst(self.beliefs, Some(value)), value));
            let best = tried.reduce(|best, next| if next.0 < best.0 - 1e-12 { next } else { best });
            let is_step = |&(found, _): &(f64, u32)| found <= worst * (1.0 - LEAST_STEP);
            let Some((found, value)) = best.filter(is_step) else { break };
            class.start(self.beliefs, value);
            worst = found;
        }
    }

    /// The likeliest values of those about whom the highest belief is.
    fn likely_values(&self, class: &mut Class) -> Vec<u32> {
        let stage = self.beliefs.stage;
        let past = class.weakest(self.beliefs).flatten();
        let past = past.map(|past| &self.beliefs.pasts[past as usize]);
        let past = past.map(|past| (past, past.unlisted(stage)));
        let weigh = |value: u32| match &past {
            Some((past, unlisted)) => past.column(stage, unlisted, value)[0],
            None => 1.0,
        };
        let shown = (0..stage.transition.n_values()).filter(|&value| stage.share(value) > 0.0);
        let mut weighed: Vec<(f64, u32)> = shown.map(|value| (weigh(value), value)).collect();
        weighed.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        weighed.into_iter().take(N_VALUES).map(|(_, value)| value).collect()
    }
}
