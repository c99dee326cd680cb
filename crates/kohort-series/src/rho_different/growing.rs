//! Classes that grow around one item after another.

use kohort_algorithms::Space;
use kohort_core::{ABSENT, Ctx};

use super::RhoDifferentMaker;
use super::class::{Beliefs, Class};
use super::line::Free;

/// How many near items a class may choose from, on either side of its first.
const N_NEWCOMERS: usize = 24;
const N_KNOWN: usize = 8;
/// How many of those who came from the same class it may choose from.
const N_COMRADES: usize = 32;
/// A step that brings the highest belief down by less than this share of it is none.
const LEAST_STEP: f64 = 0.01;
/// The most values that a counterfeit is tried with.
const N_VALUES: usize = 64;

/// Which items are together, and who is in no class.
pub(super) struct Plan {
    pub(super) classes: Vec<Done>,
    /// The class of each item of the line, or `ABSENT`.
    pub(super) class_of: Vec<u32>,
}

/// A class as it stands.
#[derive(Clone, Debug)]
pub(super) struct Done {
    pub(super) items: Vec<u32>,
    /// The values of counterfeits that this release starts.
    pub(super) started: Vec<u32>,
}

impl Plan {
    pub(super) fn add(&mut self, class: &Class) {
        let number = u32::try_from(self.classes.len()).expect("classes are fewer than rows");
        class.items().for_each(|item| self.class_of[item as usize] = number);
        let done = Done { items: class.items().collect(), started: class.started.clone() };
        self.classes.push(done);
    }
}

/// The classes so far and the items that are free.
pub(super) struct Growing<'a> {
    maker: &'a RhoDifferentMaker,
    space: &'a Space,
    beliefs: Beliefs<'a>,
    // Items without a past, and with one.
    newcomers: Free,
    known: Free,
    // Items by the class they came from.
    comrades: Vec<Vec<u32>>,
    plan: Plan,
}

impl<'a> Growing<'a> {
    pub(super) fn new(
        maker: &'a RhoDifferentMaker,
        space: &'a Space,
        beliefs: Beliefs<'a>,
    ) -> Self {
        let items = &beliefs.line.items;
        let came_from = items.iter().map(|item| item.came_from).filter(|&class| class != ABSENT);
        let mut comrades = vec![Vec::new(); came_from.max().map_or(0, |last| last as usize + 1)];
        for (place, item) in (0..).zip(items) {
            if let Some(comrades) = comrades.get_mut(item.came_from as usize) {
                comrades.push(place);
            }
        }
        Self {
            maker,
            space,
            beliefs,
            newcomers: Free::new(items.len(), |place| items[place].past.is_none()),
            known: Free::new(items.len(), |place| items[place].past.is_some()),
            comrades,
            plan: Plan { classes: Vec::new(), class_of: vec![ABSENT; items.len()] },
        }
    }

    /// Steps 2 to 6.
    pub(super) fn grow(mut self, ctx: &Ctx<'_>) -> Plan {
        let mut stuck = Vec::new();
        let mut place = 0;
        let n = self.beliefs.line.items.len() as u64;
        while let Some(first) = self.known.next(place) {
            self.grow_around(first, &mut stuck);
            place = first + 1;
            if self.plan.classes.len().is_multiple_of(1024) {
                ctx.progress("growing classes", u64::from(place), n);
            }
        }
        let mut place = 0;
        while let Some(first) = self.newcomers.next(place) {
            // A class has somebody: counterfeits join in the end.
            if self.beliefs.item(first).row.is_some() {
                self.grow_around(first, &mut stuck);
            } else {
                stuck.push(first);
            }
            place = first + 1;
        }
        for item in stuck {
            self.maker.join_near(self.space, self.beliefs, &mut self.plan, &[item], &[]);
        }
        self.plan
    }

    /// Grows a class around an item; items of a class that fails are stuck.
    fn grow_around(&mut self, first: u32, stuck: &mut Vec<u32>) {
        let rho = self.maker.model.rho().value();
        let target = rho * self.maker.slack.value();
        let mut class = Class::of(self.beliefs, [first], Vec::new());
        self.take(first);
        let mut worst = self.take_near(first, &mut class, target);
        if !self.maker.model.allows(worst) {
            worst = self.start_counterfeits(&mut class, worst);
        }
        if self.maker.model.allows(worst) {
            self.plan.add(&class);
            return;
        }
        let items: Vec<u32> = class.items().collect();
        let maker = self.maker;
        if !maker.join_near(self.space, self.beliefs, &mut self.plan, &items, &[]) {
            // Newcomers are of more use elsewhere, but are asked for no more: they are few.
            stuck.extend(items);
        }
    }

    fn take(&mut self, item: u32) {
        if self.beliefs.item(item).past.is_some() {
            self.known.take(item);
        } else {
            self.newcomers.take(item);
        }
    }

    /// Step 2: takes in one item after another; the highest belief in the end.
    fn take_near(&mut self, first: u32, class: &mut Class, target: f64) -> f64 {
        let mut around = Around::new(self.beliefs.line.codes(first));
        let mut worst = class.worst(self.beliefs, None);
        let mut near = Vec::new();
        while worst > target {
            self.near(first, &mut near);
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

    /// The free items that a class around an item may choose from.
    fn near(&mut self, first: u32, near: &mut Vec<u32>) {
        near.clear();
        let item = self.beliefs.item(first);
        if item.past.is_some() {
            if let Some(comrades) = self.comrades.get(item.came_from as usize) {
                let free = comrades
                    .iter()
                    .filter(|&&c| self.known.is_free(c) || self.newcomers.is_free(c));
                near.extend(free.take(N_COMRADES));
            }
            self.known.around(first, N_KNOWN, near);
        }
        self.newcomers.around(first, N_NEWCOMERS, near);
        near.sort_unstable();
        near.dedup();
    }

    /// The item with which the highest belief is lowest, the nearest of equals, if it is a step.
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
            let bound = best.map_or(limit, |(belief, ..)| belief);
            if known.max(target) > bound {
                continue;
            }
            let belief = known.max(class.worst_of_joining(self.beliefs, candidate)).max(target);
            let cost = around.cost_with(self.space, self.beliefs.line.codes(candidate));
            let is_better = best.map_or(belief <= limit, |(lowest, least, _)| {
                belief < lowest - 1e-12 || (belief <= lowest + 1e-12 && cost < least - 1e-12)
            });
            if is_better {
                best = Some((belief, cost, candidate));
            }
        }
        best.map(|(belief, _, item)| (belief, item))
    }

    /// Step 3: starts counterfeits while they help; the highest belief in the end.
    fn start_counterfeits(&self, class: &mut Class, mut worst: f64) -> f64 {
        while !self.maker.model.allows(worst)
            && class.n_counterfeits(self.beliefs) < self.maker.most_counterfeits
        {
            let values = self.likely_values(class);
            let tried =
                values.into_iter().map(|value| (class.worst(self.beliefs, Some(value)), value));
            let best = tried.reduce(|best, next| if next.0 < best.0 - 1e-12 { next } else { best });
            let Some((found, value)) =
                best.filter(|&(found, _)| found <= worst * (1.0 - LEAST_STEP))
            else {
                break;
            };
            class.start(self.beliefs, value);
            worst = found;
        }
        worst
    }

    /// The likeliest values of the member about whom the highest belief is.
    fn likely_values(&self, class: &mut Class) -> Vec<u32> {
        let stage = self.beliefs.stage;
        let weakest = class.weakest(self.beliefs).map(|member| member.item);
        let past = weakest.and_then(|item| self.beliefs.past(item));
        let weigh = |value: u32| match past {
            Some(past) => past.column(stage, value)[0],
            None => 1.0,
        };
        let shown = (0..stage.transition.n_values()).filter(|&value| stage.share(value) > 0.0);
        let mut weighed: Vec<(f64, u32)> = shown.map(|value| (weigh(value), value)).collect();
        weighed.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        weighed.into_iter().take(N_VALUES).map(|(_, value)| value).collect()
    }
}

/// The smallest box around the codes of a class.
pub(super) struct Around {
    lo: Vec<u32>,
    hi: Vec<u32>,
}

impl Around {
    pub(super) fn new(codes: &[u32]) -> Self {
        Self { lo: codes.to_vec(), hi: codes.to_vec() }
    }

    pub(super) fn widen(&mut self, codes: &[u32]) {
        for ((lo, hi), &code) in self.lo.iter_mut().zip(&mut self.hi).zip(codes) {
            (*lo, *hi) = (code.min(*lo), code.max(*hi));
        }
    }

    /// The cost of the box with these codes too.
    pub(super) fn cost_with(&self, space: &Space, codes: &[u32]) -> f64 {
        let edges = self.lo.iter().zip(&self.hi).zip(codes);
        let costs = space.axes().iter().zip(edges);
        costs.map(|(axis, ((&lo, &hi), &code))| axis.cost(lo.min(code), hi.max(code))).sum()
    }
}
