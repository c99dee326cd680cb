//! Classes that grow around one item after another.

use kohort_algorithms::Space;
use kohort_core::{ABSENT, Ctx};

use super::RhoDifferentMaker;
use super::class::{Beliefs, Class};
use super::line::{Blocks, Free};

/// How many near items without a past, and with one, a class may choose from on either side.
const N_NEAR: usize = 16;
/// How many of those who came from the same class it may choose from.
const N_COMRADES: usize = 32;
/// A step that brings the highest belief down by less than this share of it is none.
const LEAST_STEP: f64 = 0.01;
/// What a class around somebody with a past aims at, and what it is content with, as shares of rho.
const KNOWN_TARGET: f64 = 0.8;
const MARGIN: f64 = 0.92;
/// How much lower a belief must be for each unit of cost.
const PER_COST: f64 = 4.0;
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
    // Items without a past, and with one, by block.
    newcomers: Vec<Free>,
    known: Vec<Free>,
    // The block of each item.
    home: Vec<u32>,
    n_blocks: u32,
    // Items by the class they came from.
    comrades: Vec<Vec<u32>>,
    plan: Plan,
}

impl<'a> Growing<'a> {
    pub(super) fn new(
        maker: &'a RhoDifferentMaker,
        space: &'a Space,
        beliefs: Beliefs<'a>,
        blocks: &Blocks,
    ) -> Self {
        let items = &beliefs.line.items;
        let came_from = items.iter().map(|item| item.came_from).filter(|&class| class != ABSENT);
        let mut comrades = vec![Vec::new(); came_from.max().map_or(0, |last| last as usize + 1)];
        for (place, item) in (0..).zip(items) {
            if let Some(comrades) = comrades.get_mut(item.came_from as usize) {
                comrades.push(place);
            }
        }
        let plan = Plan { classes: Vec::new(), class_of: vec![ABSENT; items.len()] };
        let (home, n_blocks) = (blocks.homes(beliefs), blocks.n_blocks);
        let (newcomers, known) = (Vec::new(), Vec::new());
        let mut growing =
            Self { maker, space, beliefs, newcomers, known, home, n_blocks, comrades, plan };
        growing.newcomers = growing.free(false);
        growing.known = growing.free(true);
        growing
    }

    /// Steps 2 to 6.
    pub(super) fn grow(mut self, ctx: &Ctx<'_>) -> Plan {
        let n = u32::try_from(self.beliefs.line.items.len()).expect("rows fit u32");
        for is_known in [true, false] {
            if !is_known {
                // Whom a class around somebody with a past could not keep is free again.
                self.newcomers = self.free(false);
            }
            for first in 0..n {
                let item = self.beliefs.item(first);
                if item.past.is_some() == is_known && item.row.is_some() && self.is_free(first) {
                    self.grow_around(first);
                }
                if first.is_multiple_of(4096) {
                    ctx.progress("growing classes", u64::from(first), u64::from(n));
                }
            }
        }
        for item in 0..n {
            if self.plan.class_of[item as usize] == ABSENT {
                self.maker.join_near(self.space, self.beliefs, &mut self.plan, item);
            }
        }
        self.plan
    }

    /// The items without a past, or with one, that are in no class, by block.
    fn free(&self, is_known: bool) -> Vec<Free> {
        let items = &self.beliefs.line.items;
        let of_block = |block: u32| {
            let is_free = |place: usize| {
                self.home[place] == block
                    && items[place].past.is_some() == is_known
                    && self.plan.class_of[place] == ABSENT
            };
            Free::new(items.len(), is_free)
        };
        (0..self.n_blocks).map(of_block).collect()
    }

    /// Grows a class around an item; whoever it cannot keep within rho is in none.
    fn grow_around(&mut self, first: u32) {
        let (rho, slack) = (self.maker.model.rho().value(), self.maker.slack.value());
        let is_known = self.beliefs.item(first).past.is_some();
        let strict = Beliefs { now: 2.0 / (1.0 + slack), ..self.beliefs };
        let target = if is_known { KNOWN_TARGET * rho } else { slack * strict.now * rho };
        let mut class = Class::of(strict, [first], Vec::new());
        self.take(first);
        let worst = self.take_near(strict, first, &mut class, target);
        if worst > MARGIN * rho {
            self.start_counterfeits(strict, &mut class, worst);
        }
        // Counterfeits and who is held back change beliefs about people with a past, a little.
        let most = if is_known { MARGIN * rho } else { rho };
        class.trim(self.beliefs, most);
        if class.items().any(|item| self.beliefs.item(item).row.is_some()) {
            self.plan.add(&class);
        }
    }

    fn take(&mut self, item: u32) {
        let home = self.home[item as usize] as usize;
        if self.beliefs.item(item).past.is_some() {
            self.known[home].take(item);
        } else {
            self.newcomers[home].take(item);
        }
    }

    fn is_free(&self, item: u32) -> bool {
        let home = self.home[item as usize] as usize;
        self.known[home].is_free(item) || self.newcomers[home].is_free(item)
    }

    /// Step 2: takes in one item after another; the highest belief in the end.
    fn take_near(
        &mut self,
        strict: Beliefs<'_>,
        first: u32,
        class: &mut Class,
        target: f64,
    ) -> f64 {
        let mut around = Around::new(self.beliefs.line.codes(first));
        let mut worst = class.worst(strict, None);
        let mut near = Vec::new();
        while worst > target {
            self.near(first, &mut near);
            let Some((found, item)) = self.best(strict, class, &near, target, worst, &around)
            else {
                break;
            };
            around.widen(self.beliefs.line.codes(item));
            class.join(strict, item);
            self.take(item);
            worst = found;
        }
        worst
    }

    /// The free items that a class around an item may choose from.
    fn near(&mut self, first: u32, near: &mut Vec<u32>) {
        near.clear();
        let item = self.beliefs.item(first);
        let home = self.home[first as usize] as usize;
        if item.past.is_some() {
            if let Some(comrades) = self.comrades.get(item.came_from as usize) {
                near.extend(comrades.iter().filter(|&&item| self.is_free(item)).take(N_COMRADES));
            }
            self.known[home].around(first, N_NEAR, near);
        }
        self.newcomers[home].around(first, N_NEAR, near);
        near.sort_unstable();
        near.dedup();
    }

    /// The item with which the highest belief is lowest, near ones first, if it is a step.
    fn best(
        &self,
        strict: Beliefs<'_>,
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
                let found = class.worst(strict, Some(item.value));
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
            let belief = known.max(class.worst_of_joining(strict, candidate));
            if belief <= limit && !is_worse(belief) {
                best = Some((score(belief), belief, candidate));
            }
        }
        best.map(|(_, belief, item)| (belief, item))
    }

    /// Step 3: starts counterfeits while they help.
    fn start_counterfeits(&self, strict: Beliefs<'_>, class: &mut Class, mut worst: f64) {
        let most = MARGIN * self.maker.model.rho().value();
        while worst > most && class.n_counterfeits(strict) < self.maker.most_counterfeits {
            let values = self.likely_values(class);
            let tried = values.into_iter().map(|value| (class.worst(strict, Some(value)), value));
            let best = tried.reduce(|best, next| if next.0 < best.0 - 1e-12 { next } else { best });
            let is_step = |&(found, _): &(f64, u32)| found <= worst * (1.0 - LEAST_STEP);
            let Some((found, value)) = best.filter(is_step) else { break };
            class.start(strict, value);
            worst = found;
        }
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
