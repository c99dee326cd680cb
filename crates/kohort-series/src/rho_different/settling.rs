//! What is done where a class is above rho: its items join others, or are held back.

use kohort_algorithms::Space;
use kohort_core::ABSENT;
use rayon::prelude::*;

use super::RhoDifferentMaker;
use super::class::{Beliefs, Class};
use super::growing::{Around, Done, Plan};

/// How many near classes items may join, and how far away on the line they are looked for.
const N_CLASSES: usize = 8;
const REACH: usize = 512;
/// Classes do not join beyond this size.
const MOST_ITEMS: usize = 64;
/// How often classes that are taken apart may join others; afterwards they are held back.
const N_ROUNDS: usize = 4;

impl RhoDifferentMaker {
    /// Joins items with the near class of least cost that stays within rho; false where none does.
    pub(super) fn join_near(
        &self,
        space: &Space,
        beliefs: Beliefs<'_>,
        plan: &mut Plan,
        items: &[u32],
        started: &[u32],
    ) -> bool {
        let mut best: Option<(f64, u32)> = None;
        for number in near_classes(plan, items[0]) {
            let done = &plan.classes[number as usize];
            if done.items.len() + items.len() > MOST_ITEMS {
                continue;
            }
            let cost = joined_cost(space, beliefs, items, done);
            if best.is_some_and(|(least, _)| cost >= least - 1e-12) {
                continue;
            }
            if let [item] = *items
                && !self.model.allows(shown_values(beliefs, done).worst_of_joining(beliefs, item))
            {
                continue;
            }
            let all = done.items.iter().chain(items).copied();
            let started = done.started.iter().chain(started).copied().collect();
            let mut class = Class::of(beliefs, all, started);
            let is_full = class.n_counterfeits(beliefs) > self.most_counterfeits;
            if !is_full && self.model.allows(class.worst(beliefs, None)) {
                best = Some((cost, number));
            }
        }
        let Some((_, number)) = best else { return false };
        let done = &mut plan.classes[number as usize];
        done.items.extend_from_slice(items);
        done.started.extend_from_slice(started);
        items.iter().for_each(|&item| plan.class_of[item as usize] = number);
        true
    }

    /// Step 7: tries every class with what the release shows in all, until none is above rho.
    pub(super) fn settle(&self, space: &Space, beliefs: Beliefs<'_>, plan: &mut Plan) {
        for round in 0.. {
            let mut totals = vec![0; beliefs.stage.transition.n_values() as usize];
            let shown = plan.classes.iter().flat_map(|done| {
                let values = done.items.iter().map(|&item| beliefs.item(item).value);
                values.chain(done.started.iter().copied())
            });
            shown.for_each(|value| totals[value as usize] += 1);
            let stage = self.stage(totals, std::iter::empty());
            let beliefs = Beliefs { stage: &stage, ..beliefs };
            let is_above = |done: &Done| {
                let mut class =
                    Class::of(beliefs, done.items.iter().copied(), done.started.clone());
                !self.model.allows(class.worst(beliefs, None))
            };
            let above: Vec<bool> = plan.classes.par_iter().map(is_above).collect();
            if !above.contains(&true) {
                return;
            }
            let mut apart = Vec::new();
            for (done, _) in plan.classes.iter_mut().zip(above).filter(|(_, is_above)| *is_above) {
                let items = std::mem::take(&mut done.items);
                items.iter().for_each(|&item| plan.class_of[item as usize] = ABSENT);
                apart.push((items, std::mem::take(&mut done.started)));
            }
            if round >= N_ROUNDS {
                continue;
            }
            for (items, started) in apart {
                if !self.join_near(space, beliefs, plan, &items, &started) {
                    for item in items {
                        self.join_near(space, beliefs, plan, &[item], &[]);
                    }
                }
            }
        }
    }
}

/// The values of a class, its people aside: enough to try who would join.
fn shown_values(beliefs: Beliefs<'_>, done: &Done) -> Class {
    let values = done.items.iter().map(|&item| beliefs.item(item).value);
    Class::of(beliefs, [], values.chain(done.started.iter().copied()).collect())
}

/// The classes near a place of the line, the nearest first.
fn near_classes(plan: &Plan, place: u32) -> Vec<u32> {
    let mut found = Vec::with_capacity(N_CLASSES);
    let place = place as usize;
    let (before, after) = plan.class_of.split_at(place);
    let sides = after.iter().map(Some).chain(std::iter::repeat(None));
    let pairs = before.iter().rev().map(Some).chain(std::iter::repeat(None)).zip(sides);
    for (before, after) in pairs.take(REACH) {
        for &class in [after, before].into_iter().flatten() {
            if class != ABSENT && !found.contains(&class) {
                found.push(class);
            }
        }
        if found.len() >= N_CLASSES {
            break;
        }
    }
    found
}

/// What the box around a class and further items costs, times their rows, beyond what the class costs.
fn joined_cost(space: &Space, beliefs: Beliefs<'_>, items: &[u32], done: &Done) -> f64 {
    let mut around = Around::new(beliefs.line.codes(done.items[0]));
    done.items.iter().for_each(|&item| around.widen(beliefs.line.codes(item)));
    let before = around.cost_with(space, beliefs.line.codes(done.items[0]));
    items.iter().for_each(|&item| around.widen(beliefs.line.codes(item)));
    let after = around.cost_with(space, beliefs.line.codes(items[0]));
    let n_before = done.items.len() as f64;
    after * (n_before + items.len() as f64) - before * n_before
}
