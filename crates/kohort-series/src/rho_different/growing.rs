//! Classes of those who were together, mended where they must be, and classes of those who appear.

use kohort_algorithms::Space;
use kohort_core::{ABSENT, Ctx};
use rayon::prelude::*;

use super::RhoDifferentMaker;
use super::class::{Beliefs, Class};
use super::dividing::divided;
use super::line::Free;
use super::settling::{Goal, near_classes};

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
/// A row joins a class while others are free if that adds at most so many times what rows cost in the mean.
const CHEAP: f64 = 2.0;
/// What may be believed in the parts of a class that is cut in two, as a share of rho.
const DIVIDED: f64 = 0.6;
/// Classes do not join beyond this size.
const MOST_ITEMS: usize = 400;

/// Which items are together, and who is in no class.
pub(super) struct Plan {
    /// The classes; those that have joined others are empty.
    pub(super) classes: Vec<Class>,
    /// The class of each item of the line, or `ABSENT`.
    pub(super) class_of: Vec<u32>,
}

impl Plan {
    /// Gives a class its number.
    pub(super) fn add(&mut self, class: Class) {
        let number = u32::try_from(self.classes.len()).expect("classes are fewer than rows");
        self.classes.push(Class::default());
        self.put(number, class);
    }

    /// The class has this number.
    pub(super) fn put(&mut self, number: u32, class: Class) {
        for &item in &class.items {
            self.class_of[item as usize] = number;
        }
        self.classes[number as usize] = class;
    }

    /// The items are in no class.
    pub(super) fn let_go(&mut self, items: &[u32]) {
        items.iter().for_each(|&item| self.class_of[item as usize] = ABSENT);
    }

    /// An item joins a class.
    pub(super) fn join(&mut self, beliefs: Beliefs<'_>, item: u32, number: u32) {
        self.class_of[item as usize] = number;
        self.classes[number as usize].join(beliefs, item);
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

    /// Steps 2 to 7.
    pub(super) fn grow(mut self, ctx: &Ctx<'_>) -> Plan {
        self.keep_together();
        self.newcomers = self.free();
        self.mend(ctx);
        self.join(ctx, self.cheap());
        for may_join in [true, false] {
            self.newcomers = self.free();
            let n = u32::try_from(self.beliefs.line.items.len()).expect("rows fit u32");
            for first in 0..n {
                if self.is_free(first) && self.beliefs.item(first).row.is_some() {
                    self.grow_around(first, may_join);
                }
            }
            self.join(ctx, f64::INFINITY);
        }
        self.divide();
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
        together.retain(|items| self.beliefs.has_people(items));
        let class = |items| Class::of(self.beliefs, items, Vec::new());
        let classes: Vec<Class> = together.into_par_iter().map(class).collect();
        classes.into_iter().for_each(|class| self.plan.add(class));
    }

    /// Steps 3 and 4: brings the highest belief of every class down to what is aimed at.
    fn mend(&mut self, ctx: &Ctx<'_>) {
        let worst = |class: &Class| class.worst(self.beliefs);
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
        let mut class = std::mem::take(&mut self.plan.classes[number as usize]);
        let mut worst = class.worst(self.beliefs);
        while worst > self.aim {
            worst = self.take_near(&mut class, self.aim, worst);
            if worst <= self.aim {
                break;
            }
            if let Some((found, item, rest)) = self.let_one_go(&class, worst) {
                self.plan.let_go(&[item]);
                self.spare -= 1;
                (class, worst) = (rest, found);
                continue;
            }
            let Some((found, other, union)) = self.best_union(number, &class, worst) else { break };
            self.plan.classes[other as usize] = Class::default();
            (class, worst) = (union, found);
        }
        if worst > MARGIN * rho {
            self.start_counterfeits(&mut class, worst);
        }
        self.plan.let_go(&class.trim(self.beliefs, MARGIN * rho));
        if self.beliefs.has_people(&class.items) {
            self.plan.put(number, class);
        } else {
            self.plan.let_go(&class.items);
        }
    }

    /// The class without the row that adds most to its highest belief, if that helps much.
    fn let_one_go(&self, class: &Class, worst: f64) -> Option<(f64, u32, Class)> {
        if self.spare == 0 {
            return None;
        }
        let item = class.culprit(self.beliefs)?;
        let mut rest = class.clone();
        rest.leave(self.beliefs, item);
        if !self.beliefs.has_people(&rest.items) {
            return None;
        }
        let found = rest.worst(self.beliefs);
        (found <= worst * SPARED).then_some((found, item, rest))
    }

    /// The near class together with which the highest belief is lowest, if it is a step.
    fn best_union(&self, number: u32, class: &Class, worst: f64) -> Option<(f64, u32, Class)> {
        let near = near_classes(&self.plan, *class.items.first()?);
        let union = |other: u32| {
            let found = &self.plan.classes[other as usize];
            if other == number || class.items.len() + found.items.len() > MOST_ITEMS {
                return None;
            }
            let items: Vec<u32> = class.items.iter().chain(&found.items).copied().collect();
            let started = class.started.iter().chain(&found.started).copied().collect();
            let union = Class::of(self.beliefs, items, started);
            let is_full = union.n_counterfeits(self.beliefs) > self.maker.most_counterfeits;
            let belief = union.worst(self.beliefs);
            let score = belief.max(self.aim) * (1.0 + PER_COST * union.cost(self.space));
            let is_step = !is_full && belief <= worst * (1.0 - LEAST_STEP);
            is_step.then_some((score, belief, other, union))
        };
        let found: Vec<_> = near.into_par_iter().filter_map(union).collect();
        let best = found.into_iter().reduce(|a, b| if b.0 < a.0 - 1e-12 { b } else { a });
        best.map(|(_, belief, other, union)| (belief, other, union))
    }

    /// What a row may cost that joins a class, at most, where others are free who could be with it.
    fn cheap(&self) -> f64 {
        let filled = self.plan.classes.iter().filter(|class| !class.items.is_empty());
        let costs = filled.map(|class| (class.cost(self.space), class.items.len()));
        let (mut sum, mut n) = (0.0, 0.0);
        #[expect(clippy::cast_precision_loss, reason = "rows are far below 2^53")]
        for (cost, n_items) in costs {
            sum += cost * n_items as f64;
            n += n_items as f64;
        }
        CHEAP * sum / f64::max(n, 1.0)
    }

    /// Step 5: whoever is in no class joins one, if it adds no more than this to what rows cost.
    fn join(&mut self, ctx: &Ctx<'_>, most_cost: f64) {
        let n = u32::try_from(self.beliefs.line.items.len()).expect("rows fit u32");
        for item in 0..n {
            if self.plan.class_of[item as usize] == ABSENT {
                let (space, beliefs) = (self.space, self.beliefs);
                let goal = Goal { aim: self.aim, most_cost };
                self.maker.join_near(space, beliefs, &mut self.plan, item, goal);
            }
            if item.is_multiple_of(4096) {
                ctx.progress("joining classes", u64::from(item), u64::from(n));
            }
        }
    }

    /// Step 7: cuts classes in two that are large enough for it.
    fn divide(&mut self) {
        let most = DIVIDED * self.maker.model.rho().value();
        let cut = |class: &mut Class| {
            let whole = std::mem::take(class);
            let mut parts = divided(self.space, self.beliefs, whole, self.size, most);
            *class = parts.pop().unwrap_or_default();
            parts
        };
        let parts: Vec<Vec<Class>> = self.plan.classes.par_iter_mut().map(cut).collect();
        parts.into_iter().flatten().for_each(|part| self.plan.add(part));
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
        let worst = class.worst(self.beliefs);
        let worst = self.take_near(&mut class, target, worst);
        if may_join && (is_short || worst > rho) {
            return;
        }
        if worst > rho {
            self.start_counterfeits(&mut class, worst);
        }
        class.trim(self.beliefs, rho);
        if self.beliefs.has_people(&class.items) {
            self.plan.add(class);
        }
    }

    /// Takes in one item that appears after another; the highest belief in the end.
    fn take_near(&mut self, class: &mut Class, target: f64, mut worst: f64) -> f64 {
        let first = class.items[0];
        let mut near = Vec::new();
        while worst > target {
            near.clear();
            self.newcomers.around(first, N_NEAR, &mut near);
            near.sort_unstable();
            near.dedup();
            let Some((found, item)) = self.best(class, &near, target, worst) else {
                break;
            };
            class.join(self.beliefs, item);
            self.take(item);
            worst = found;
        }
        worst
    }

    /// The item with which the highest belief is lowest, near ones first, if it is a step.
    fn best(&self, class: &Class, near: &[u32], target: f64, worst: f64) -> Option<(f64, u32)> {
        let mut inside: Vec<(u32, f64)> = Vec::new();
        let mut best: Option<(f64, f64, u32)> = None;
        let is_full = class.n_counterfeits(self.beliefs) >= self.maker.most_counterfeits;
        let limit = worst * (1.0 - LEAST_STEP);
        for &candidate in near {
            let item = self.beliefs.item(candidate);
            if is_full && item.counterfeit.is_some() {
                continue;
            }
            // Those without a past are alike.
            let known = inside.iter().find(|(value, _)| *value == item.value).map(|found| found.1);
            let belief = known.unwrap_or_else(|| {
                let found = class.worst_with(self.beliefs, item.value, Some(candidate), limit);
                inside.push((item.value, found));
                found
            });
            let cost = class.around.cost_with(self.space, self.beliefs.line.codes(candidate));
            let score = belief.max(target) * (1.0 + PER_COST * cost);
            let is_better = best.is_none_or(|(lowest, ..)| score < lowest * (1.0 - 1e-12));
            if belief <= limit && is_better {
                best = Some((score, belief, candidate));
            }
        }
        best.map(|(_, belief, item)| (belief, item))
    }

    /// Step 4: starts counterfeits while they help.
    fn start_counterfeits(&self, class: &mut Class, mut worst: f64) {
        let most = MARGIN * self.maker.model.rho().value();
        while worst > most && class.n_counterfeits(self.beliefs) < self.maker.most_counterfeits {
            let values = self.likely_values(class);
            let tried = values
                .into_iter()
                .map(|value| (class.worst_with(self.beliefs, value, None, worst), value));
            let best = tried.reduce(|best, next| if next.0 < best.0 - 1e-12 { next } else { best });
            let is_step = |&(found, _): &(f64, u32)| found <= worst * (1.0 - LEAST_STEP);
            let Some((found, value)) = best.filter(is_step) else { break };
            class.start(self.beliefs, value);
            worst = found;
        }
    }

    /// The likeliest values of those about whom the highest belief is.
    fn likely_values(&self, class: &Class) -> Vec<u32> {
        let stage = self.beliefs.stage;
        let past = class.weakest(self.beliefs).flatten();
        let past = past.map(|past| &self.beliefs.pasts[past as usize]);
        let shown = (0..stage.transition.n_values()).filter(|&value| stage.share(value) > 0.0);
        let weights = past.map(|past| past.arriving(stage, shown.clone()));
        let weights = weights.into_iter().flatten().chain(std::iter::repeat(1.0));
        let mut weighed: Vec<(f64, u32)> =
            weights.zip(shown).map(|(w, value)| (w * stage.said_by_one(value), value)).collect();
        weighed.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        weighed.into_iter().take(N_VALUES).map(|(_, value)| value).collect()
    }
}
