//! What is done where a class is above rho: its items join others, or are held back.

use std::collections::BTreeMap;

use kohort_algorithms::Space;
use kohort_core::ABSENT;
use rayon::prelude::*;

use super::RhoDifferentMaker;
use super::around::around;
use super::class::{Beliefs, Class};
use super::growing::{Done, Plan};

/// How many near classes items may join, and how far away on the line they are looked for.
const N_CLASSES: usize = 8;
const REACH: usize = 512;
/// How often classes that are taken apart may join others; afterwards they are held back.
const N_ROUNDS: usize = 4;

impl RhoDifferentMaker {
    /// Puts an item into the near class of least added cost that stays within what is aimed at, or else
    /// the one with the lowest belief within rho, if one is. Classes that were tried are in `joined`.
    pub(super) fn join_near(
        &self,
        space: &Space,
        beliefs: Beliefs<'_>,
        plan: &mut Plan,
        item: u32,
        aim: f64,
        joined: &mut BTreeMap<u32, Class>,
    ) {
        let near = near_classes(plan, item).into_iter();
        let mut near: Vec<(f64, u32)> = near
            .map(|number| {
                let done = &plan.classes[number as usize];
                (joined_cost(space, beliefs, item, done), number)
            })
            .collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        let value = beliefs.item(item).value;
        let is_counterfeit = beliefs.item(item).counterfeit.is_some();
        let mut best: Option<(f64, u32)> = None;
        for (_, number) in near {
            let class = joined.entry(number).or_insert_with(|| {
                let done = &plan.classes[number as usize];
                Class::of(beliefs, done.items.clone(), done.started.clone())
            });
            let most = best.map_or(self.model.rho().value() + 1e-12, |(lowest, _)| lowest);
            if is_counterfeit && class.n_counterfeits(beliefs) >= self.most_counterfeits {
                continue;
            }
            let worst = class.worst(beliefs, Some(value));
            if worst > most {
                continue;
            }
            let worst = worst.max(class.worst_of_joining(beliefs, item));
            if worst <= most {
                best = Some((worst, number));
                if worst <= aim {
                    break;
                }
            }
        }
        if let Some((_, number)) = best {
            plan.classes[number as usize].items.push(item);
            plan.class_of[item as usize] = number;
            joined.entry(number).and_modify(|class| class.join(beliefs, item));
        }
    }

    /// Step 7: tries every class with what the release shows in all, until none is above rho.
    pub(super) fn settle(&self, space: &Space, beliefs: Beliefs<'_>, plan: &mut Plan, aim: f64) {
        for round in 0.. {
            let mut totals = vec![0; beliefs.stage.transition.n_values() as usize];
            let shown = plan.classes.iter().flat_map(|done| {
                let values = done.items.iter().map(|&item| beliefs.item(item).value);
                values.chain(done.started.iter().copied())
            });
            shown.for_each(|value| totals[value as usize] += 1);
            let stage = self.stage(totals, std::iter::empty());
            let beliefs = Beliefs { stage: &stage, ..beliefs };
            let trimmed = |(number, done): (usize, &Done)| {
                let mut class = Class::of(beliefs, done.items.clone(), done.started.clone());
                let gone = class.trim(beliefs, self.model.rho().value());
                (!gone.is_empty()).then_some((number, class.items, gone))
            };
            let changes: Vec<(usize, Vec<u32>, Vec<u32>)> =
                plan.classes.par_iter().enumerate().filter_map(trimmed).collect();
            if changes.is_empty() {
                return;
            }
            let mut apart = Vec::new();
            for (number, mut left, mut gone) in changes {
                if !left.iter().any(|&item| beliefs.item(item).row.is_some()) {
                    gone.append(&mut left);
                    plan.classes[number].started.clear();
                }
                for &item in &gone {
                    plan.class_of[item as usize] = ABSENT;
                }
                plan.classes[number].items = left;
                apart.extend(gone);
            }
            if round < N_ROUNDS {
                let mut joined = BTreeMap::new();
                for item in apart {
                    self.join_near(space, beliefs, plan, item, aim, &mut joined);
                }
            }
        }
    }
}

/// The classes near a place of the line, the nearest first.
pub(super) fn near_classes(plan: &Plan, place: u32) -> Vec<u32> {
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

/// What the box around a class and an item costs, times the rows, beyond what the class costs.
#[expect(clippy::cast_precision_loss, reason = "a class has few rows")]
fn joined_cost(space: &Space, beliefs: Beliefs<'_>, item: u32, done: &Done) -> f64 {
    let around = around(beliefs, &done.items);
    let (before, n) = (around.cost(space), done.items.len() as f64);
    around.cost_with(space, beliefs.line.codes(item)) * (n + 1.0) - before * n
}
