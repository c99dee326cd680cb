//! The end of classes that cost more than their members add to others.

use rayon::prelude::*;

use super::classes::Classes;
use super::wishes::nearby;
use crate::costs::Cost;
use crate::{Representative, Scratch};

/// A class to give up, and the classes that its members join, each another.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Dissolution {
    // What is gained, as a number below zero.
    delta: Cost,
    at: u32,
    joins: Vec<(u32, u32)>,
}

/// Gives up classes whose members add less to the classes of their near records than the class costs, where that
/// gains most first; tells the classes that changed.
pub(super) fn dissolve(classes: &mut Classes<'_>, near: &[Vec<u32>]) -> Vec<u32> {
    let this = &*classes;
    let mut found: Vec<Dissolution> = (0..this.all.len())
        .into_par_iter()
        .map_init(Scratch::default, |scratch, at| dissolution(this, near, at, scratch))
        .flatten()
        .collect();
    found.sort_unstable();
    let mut is_changed = vec![false; classes.all.len()];
    let mut scratch = Scratch::default();
    for Dissolution { at, joins, .. } in &found {
        let touched = joins.iter().map(|&(_, other)| other).chain([*at]);
        if touched.clone().any(|at| is_changed[at as usize]) {
            continue;
        }
        touched.for_each(|at| is_changed[at as usize] = true);
        classes.all[*at as usize] = None;
        for &(member, other) in joins {
            classes.join(other, member, &mut scratch);
        }
    }
    (0..).zip(is_changed).filter(|(_, is_changed)| *is_changed).map(|(at, _)| at).collect()
}

/// What giving up a class gains, if it does.
fn dissolution(
    classes: &Classes<'_>,
    near: &[Vec<u32>],
    at: usize,
    scratch: &mut Scratch,
) -> Option<Dissolution> {
    let class: &Representative = classes.all[at].as_ref()?;
    let (mut delta, mut joins) = (-class.cost(), Vec::<(u32, u32)>::new());
    for &member in &class.class().members {
        kohort_core::alive();
        let mut best: Option<(Cost, u32)> = None;
        for other in nearby(classes, near, member) {
            if joins.iter().all(|&(_, taken)| taken != other) {
                let within = best.map_or(-delta - 1, |(cost, _)| cost);
                let class = classes.all[other as usize].as_ref()?;
                let cost = classes.joining(class, member, within, scratch);
                best = cost.map(|cost| (cost, other)).into_iter().chain(best).min();
            }
        }
        let (cost, other) = best?;
        delta += cost;
        joins.push((member, other));
    }
    let at = u32::try_from(at).expect("no more classes than records");
    (delta < 0).then_some(Dissolution { delta, at, joins })
}
