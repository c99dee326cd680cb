//! Classes of people who are next to one another, mended where too much is believed of somebody.

use kohort_algorithms::Space;
use kohort_core::{ABSENT, Ctx};
use rayon::prelude::*;

use super::RhoDifferentMaker;
use super::class::{Beliefs, Class};
use super::settling::near_classes;

/// A step that brings the highest belief down by less than this share of it is none.
const LEAST_STEP: f64 = 0.03;
/// What a class is content with, as a share of rho: counterfeits and who is held back change beliefs.
pub(super) const MARGIN: f64 = 0.97;
/// What classes of people with a past aim at, from the first release to the last that is planned, as
/// shares of rho.
pub(super) const FIRST_AIM: f64 = 0.8;
pub(super) const LAST_AIM: f64 = 0.95;
/// What classes of the first release aim at, in units of the slack.
pub(super) const ENOUGH: f64 = 1.7;
/// The share of rho that a release aims at in a series of the usual number of releases, and in one of few.
pub(super) const SLACK: f64 = 1.0 / 6.0;
pub(super) const MOST_SLACK: f64 = 0.5;
/// How many releases are reckoned with where none are planned.
pub(super) const USUAL_HORIZON: u32 = 10;
/// How much lower a belief must be for each unit of cost.
const PER_COST: f64 = 4.0;
/// The most values that a counterfeit is tried with.
const N_VALUES: usize = 64;
/// One row in so many may leave its class for another.
const MOVED_PART: usize = 20;
/// Where more than one row in so many of a class is above rho, it joins another.
const TRIMMED_PART: usize = 16;
/// Where more than one row in so many is held back, larger classes are tried.
pub(super) const HELD_BACK_PART: usize = 200;
/// Classes do not join beyond this many times the usual size.
const MOST_JOINED: usize = 8;

/// Which items are together, and who is in no class.
pub(super) struct Plan {
    /// The classes; those that have joined others are empty.
    pub(super) classes: Vec<Class>,
    /// The class of each item of the line, or `ABSENT`.
    pub(super) class_of: Vec<u32>,
}

impl Plan {
    /// The class has this number.
    fn put(&mut self, number: u32, class: Class) {
        for &item in &class.items {
            self.class_of[item as usize] = number;
        }
        self.classes[number as usize] = class;
    }

    /// The items are in no class.
    pub(super) fn let_go(&mut self, items: &[u32]) {
        for &item in items {
            self.class_of[item as usize] = ABSENT;
        }
    }

    /// An item joins a class.
    pub(super) fn join(&mut self, beliefs: Beliefs<'_>, item: u32, number: u32) {
        self.class_of[item as usize] = number;
        self.classes[number as usize].join(beliefs, item);
    }
}

/// The classes so far.
pub(super) struct Growing<'a> {
    maker: &'a RhoDifferentMaker,
    space: &'a Space,
    beliefs: Beliefs<'a>,
    // What the highest belief is to be.
    aim: f64,
    // How many rows a class has.
    size: usize,
    // How many more rows may leave their classes for others.
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
        let n = beliefs.line.items.len();
        let plan = Plan { classes: Vec::new(), class_of: vec![ABSENT; n] };
        Self { maker, space, beliefs, aim, size, spare: n / MOVED_PART, plan }
    }

    /// Steps 2 to 5.
    pub(super) fn grow(mut self, ctx: &Ctx<'_>) -> Plan {
        self.cut();
        self.mend(ctx);
        let n = u32::try_from(self.beliefs.line.items.len()).expect("rows fit u32");
        let free = (0..n).filter(|&item| self.plan.class_of[item as usize] == ABSENT);
        for item in free.collect::<Vec<u32>>() {
            let (space, beliefs) = (self.space, self.beliefs);
            self.maker.join_near(space, beliefs, &mut self.plan, item, self.aim);
        }
        self.plan
    }

    /// Step 2: cuts the line into classes of about the same size; counterfeits beyond the most that a class
    /// may have are in none.
    fn cut(&mut self) {
        let n = self.beliefs.line.items.len();
        let n_classes = (n / self.size).max(1);
        let place = |at: usize| u32::try_from(at * n / n_classes).expect("rows fit u32");
        let class = |at: usize| {
            let mut left = self.maker.most_counterfeits;
            let may_stay = |&item: &u32| {
                let is_person = self.beliefs.item(item).counterfeit.is_none();
                let may_stay = is_person || left > 0;
                left -= usize::from(may_stay && !is_person);
                may_stay
            };
            let items = (place(at)..place(at + 1)).filter(may_stay).collect();
            Class::of(self.beliefs, items, Vec::new())
        };
        self.plan.classes = (0..n_classes).into_par_iter().map(class).collect();
        for (number, class) in (0..).zip(&self.plan.classes) {
            for &item in &class.items {
                self.plan.class_of[item as usize] = number;
            }
        }
    }

    /// Steps 3 and 4: brings the highest belief of every class down to what is aimed at.
    fn mend(&mut self, ctx: &Ctx<'_>) {
        let worst = |class: &Class| class.worst(self.beliefs);
        let worst: Vec<f64> = self.plan.classes.par_iter().map(worst).collect();
        let n = worst.len() as u64;
        for (number, worst) in (0..).zip(worst) {
            if worst > self.aim && !self.plan.classes[number as usize].items.is_empty() {
                self.mend_class(number, worst);
            }
            ctx.progress("mending classes", u64::from(number), n);
        }
    }

    fn mend_class(&mut self, number: u32, worst: f64) {
        let most = MARGIN * self.maker.model.rho().value();
        let mut class = std::mem::take(&mut self.plan.classes[number as usize]);
        let mut worst = self.let_some_go(&mut class, worst);
        if worst > most {
            worst = self.start_counterfeits(&mut class, worst);
        }
        let mut rest = class.clone();
        let mut gone = rest.trim(self.beliefs, most);
        while gone.len() * TRIMMED_PART > class.items.len()
            && let Some((found, other, union)) = self.best_union(number, &class, worst)
        {
            self.plan.classes[other as usize] = Class::default();
            (class, worst) = (union, found);
            rest = class.clone();
            gone = rest.trim(self.beliefs, most);
        }
        self.plan.let_go(&gone);
        if self.beliefs.has_people(&rest.items) {
            self.plan.put(number, rest);
        } else {
            self.plan.let_go(&rest.items);
        }
    }

    /// Step 3: lets those go, one after the other, without whom the highest belief is lowest; what it is
    /// in the end.
    fn let_some_go(&mut self, class: &mut Class, mut worst: f64) -> f64 {
        while worst > self.aim && self.spare > 0 && 2 * class.items.len() > self.size {
            let Some(item) = class.culprit(self.beliefs) else { break };
            let mut rest = class.clone();
            rest.leave(self.beliefs, item);
            let found = rest.worst(self.beliefs);
            if found > worst * (1.0 - LEAST_STEP) || !self.beliefs.has_people(&rest.items) {
                break;
            }
            self.plan.let_go(&[item]);
            self.spare -= 1;
            (*class, worst) = (rest, found);
        }
        worst
    }

    /// The near class together with which the highest belief is lowest, if it is a step.
    fn best_union(&self, number: u32, class: &Class, worst: f64) -> Option<(f64, u32, Class)> {
        let near = near_classes(&self.plan, *class.items.first()?);
        let union = |other: u32| {
            let found = &self.plan.classes[other as usize];
            let n = class.items.len() + found.items.len();
            if other == number || n > MOST_JOINED * self.size {
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

    /// Step 4: starts counterfeits while they help; what the highest belief is in the end.
    fn start_counterfeits(&self, class: &mut Class, mut worst: f64) -> f64 {
        let most = MARGIN * self.maker.model.rho().value();
        while worst > most && class.n_counterfeits(self.beliefs) < self.maker.most_counterfeits {
            let values = self.likely_values(class);
            let belief = |value| class.worst_with(self.beliefs, value, None, worst);
            let tried = values.into_iter().map(|value| (belief(value), value));
            let best = tried.reduce(|best, next| if next.0 < best.0 - 1e-12 { next } else { best });
            let is_step = |&(found, _): &(f64, u32)| found <= worst * (1.0 - LEAST_STEP);
            let Some((found, value)) = best.filter(is_step) else { break };
            class.start(self.beliefs, value);
            worst = found;
        }
        worst
    }

    /// The likeliest values of those about whom the highest belief is.
    fn likely_values(&self, class: &Class) -> Vec<u32> {
        let stage = self.beliefs.stage;
        let past = class.weakest(self.beliefs).flatten();
        let past = past.map(|past| &self.beliefs.pasts[past as usize]);
        let shown = (0..stage.transition.n_values()).filter(|&value| stage.share(value) > 0.0);
        let shown: Vec<u32> = shown.collect();
        let weights =
            past.map_or_else(|| vec![1.0; shown.len()], |past| past.arriving(stage, &shown));
        let mut weighed: Vec<(f64, u32)> = weights.into_iter().zip(shown).collect();
        weighed.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        weighed.into_iter().take(N_VALUES).map(|(_, value)| value).collect()
    }
}
