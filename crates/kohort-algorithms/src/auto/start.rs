//! The first classes: near units are clustered in pools, and what fits nowhere is handed on.

use rayon::prelude::*;

use super::class::{Class, Entry, Ground, merge};
use super::groups;
use super::pool::{Way, divide, place, polish};
use super::tree::boxes;
use crate::Failure;
use crate::draw::Draw;
use crate::repair::repair;

/// The most units in a pool.
const POOL: usize = 512;

/// Classes that keep every promise.
pub(super) fn start(ground: &Ground<'_, '_>) -> Result<Vec<Class>, Failure> {
    let codes = |unit: u32| ground.units.codes(unit);
    let n_units = u32::try_from(ground.units.len()).expect("units are fewer than rows");
    let pools = boxes(ground.problem.space(), (0..n_units).collect(), &codes, POOL);
    let divided: Vec<(Vec<Class>, Vec<Entry>)> = pools
        .into_par_iter()
        .map(|units| {
            let entry = |&unit: &u32| Entry { unit, n_rows: ground.units.n_rows(unit) };
            let entries = units.iter().map(entry).collect();
            let mut draw = Draw::new(u64::from(units[0]) ^ ground.problem.settings().seed);
            let way = Way { furthest: true, spread: ground.needs_values };
            let (mut classes, left) = divide(ground, entries, way, &mut draw);
            let left = place(ground, &mut classes, left);
            polish(ground, &mut classes);
            (classes, left)
        })
        .collect();
    let (mut classes, mut left) = (Vec::new(), Vec::new());
    for (found, rest) in divided {
        classes.extend(found);
        left.extend(rest);
    }
    if left.is_empty() {
        return Ok(classes);
    }
    let mut draw = Draw::new(ground.problem.settings().seed);
    let way = Way { furthest: false, spread: ground.needs_values };
    let (found, left) = divide(ground, merge(left), way, &mut draw);
    classes.extend(found);
    let left = place(ground, &mut classes, left);
    if left.is_empty() { Ok(classes) } else { join(ground, classes, left) }
}

/// Joins what fits nowhere with whole classes.
fn join(
    ground: &Ground<'_, '_>,
    mut classes: Vec<Class>,
    left: Vec<Entry>,
) -> Result<Vec<Class>, Failure> {
    classes.push(Class::new(ground, left));
    let repaired = repair(ground.problem, groups(ground, classes))?;
    let mut unit_of_row = vec![0; ground.problem.n_rows()];
    for unit in 0..u32::try_from(ground.units.len()).expect("units are fewer than rows") {
        for &row in ground.units.rows(unit) {
            unit_of_row[row as usize] = unit;
        }
    }
    let entry = |&row: &u32| Entry { unit: unit_of_row[row as usize], n_rows: 1 };
    let class = |rows: Vec<u32>| Class::new(ground, merge(rows.iter().map(entry).collect()));
    Ok(repaired.into_iter().map(class).collect())
}
