//! What is done where a class is above rho: its items join others, or are held back.

use kohort_algorithms::Space;
use kohort_core::ABSENT;
use rayon::prelude::*;

use super::RhoDifferentMaker;
use super::class::{Beliefs, Class};
use super::growing::Plan;
use crate::Turn;

/// How many near classes items may join, and how far away on the line they are looked for.
const N_CLASSES: usize = 8;
const REACH: usize = 512;
/// How often classes that are taken apart may join others; afterwards they are held back.
const N_ROUNDS: usize = 4;

impl RhoDifferentMaker {
    /// Puts an item into the near class of least added cost that stays within what is aimed at, or else
    /// the one with the lowest belief within rho, if one is.
    pub(super) fn join_near(
        &self,
        space: &Space,
        beliefs: Beliefs<'_>,
        plan: &mut Plan,
        item: u32,
        aim: f64,
    ) {
        let near = near_classes(plan, item).into_iter();
        let mut near: Vec<(f64, u32)> = near
            .map(|number| {
                (added_cost(space, beliefs, item, &plan.classes[number as usize]), number)
            })
            .collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        let value = beliefs.item(item).value;
        let is_counterfeit = beliefs.item(item).counterfeit.is_some();
        let mut best: Option<(f64, u32)> = None;
        for (_, number) in near {
            let class = &plan.classes[number as usize];
            let most = best.map_or(self.model.rho().value() + 1e-12, |(lowest, _)| lowest);
            if is_counterfeit && class.n_counterfeits(beliefs) >= self.most_counterfeits {
                continue;
            }
            let worst = class.worst_with(beliefs, value, Some(item), most);
            if worst <= most {
                best = Some((worst, number));
                if worst <= aim {
                    break;
                }
            }
        }
        if let Some((_, number)) = best {
            plan.join(beliefs, item, number);
        }
    }

    /// Step 6: tries every class with what the release shows in all, until none is above rho.
    pub(super) fn settle(&self, space: &Space, beliefs: Beliefs<'_>, plan: &mut Plan, aim: f64) {
        for round in 0.. {
            let mut totals = vec![0; beliefs.stage.transition.n_values() as usize];
            let shown = plan.classes.iter().flat_map(|class| {
                let values = class.items.iter().map(|&item| beliefs.item(item).value);
                values.chain(class.started.iter().copied())
            });
            shown.for_each(|value| totals[value as usize] += 1);
            let stage = self.stage(totals, std::iter::empty());
            let beliefs = Beliefs { stage: &stage, ..beliefs };
            let trimmed = |class: &mut Class| {
                let whole = std::mem::take(class);
                *class = Class::of(beliefs, whole.items, whole.started);
                let mut gone = class.trim(beliefs, self.model.rho().value());
                if !beliefs.has_people(&class.items) {
                    gone.append(&mut class.items);
                    *class = Class::default();
                }
                gone
            };
            let gone: Vec<Vec<u32>> = plan.classes.par_iter_mut().map(trimmed).collect();
            let apart: Vec<u32> = gone.into_iter().flatten().collect();
            if apart.is_empty() {
                return;
            }
            plan.let_go(&apart);
            if round < N_ROUNDS {
                for item in apart {
                    self.join_near(space, beliefs, plan, item, aim);
                }
            }
        }
    }
}

impl RhoDifferentMaker {
    /// Step 8.
    pub(super) fn look_incomplete(&self, turn: &Turn<'_>, beliefs: Beliefs<'_>, plan: &mut Plan) {
        if !looks_complete(beliefs, plan) {
            return;
        }
        let n_people = |class: &Class| {
            let is_person = |item: &&u32| beliefs.item(**item).row.is_some();
            class.items.iter().filter(is_person).count()
        };
        let largest = plan.classes.iter_mut().max_by_key(|class| n_people(class));
        let Some(class) = largest else { return };
        let mut people = class.items.iter().rev();
        let last = people.find(|item| beliefs.item(**item).row.is_some()).copied();
        if let Some(item) = last {
            class.leave(beliefs, item);
            plan.let_go(&[item]);
            self.settle(turn.space, beliefs, plan, self.aim(turn.history));
        }
    }
}

/// Whether counterfeits have the values of just those who are held back.
pub(super) fn looks_complete(beliefs: Beliefs<'_>, plan: &Plan) -> bool {
    let items = (0..).zip(&plan.class_of).map(|(item, class)| (beliefs.item(item), *class));
    let held_back = items.filter(|(item, class)| item.row.is_some() && *class == ABSENT);
    let mut held_back: Vec<u32> = held_back.map(|(item, _)| item.value).collect();
    let mut nobody: Vec<u32> = Vec::new();
    for class in &plan.classes {
        let standing = class.items.iter().map(|&item| beliefs.item(item));
        let standing = standing.filter(|item| item.row.is_none());
        nobody.extend(standing.map(|item| item.value).chain(class.started.iter().copied()));
    }
    held_back.sort_unstable();
    nobody.sort_unstable();
    !held_back.is_empty() && held_back == nobody
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

/// What an item that joins a class adds to the cost of all rows.
#[expect(clippy::cast_precision_loss, reason = "a class has few rows")]
fn added_cost(space: &Space, beliefs: Beliefs<'_>, item: u32, class: &Class) -> f64 {
    let (before, n) = (class.cost(space), class.items.len() as f64);
    class.around.cost_with(space, beliefs.line.codes(item)) * (n + 1.0) - before * n
}
