//! Rows that are dropped because they cost their neighbors more than their own loss.
//!
//! A dropped row costs 1, whatever the classes. In blocks of neighboring classes, as in a pass, a row is
//! dropped where its class, or the classes that share its work afterwards, get cheaper by more than its
//! price. Several rows of a class are dropped together where only that saves (`outliers.rs`). The price is 1,
//! or higher where that would drop more rows than may be: the blocks know nothing of each other, so that the
//! price is what shares out the rows that may be dropped. What no price shares out goes to the classes that
//! gain most for each row.

use kohort_core::Ctx;
use rayon::prelude::*;

use super::class::{Class, Entry, Ground};
use super::classes::Classes;
use super::outliers::{share_out, without_outliers};
use super::pass::{BLOCK, GAIN, order};
use crate::check::Check;
use crate::problem::Part;
use crate::{Metric, SUPPRESSED};

/// How often the classes are put in blocks.
const ROUNDS: u64 = 4;

/// How often the price is halved between what is too low and what is enough.
const HALVINGS: usize = 5;

/// Drops rows while that gains, besides those that are in no class; the number of the next pass decides
/// who is a neighbor.
pub(super) fn drop_rows(
    ctx: &Ctx<'_>,
    ground: &Ground<'_, '_>,
    classes: Classes,
    n_left: u32,
    number: u64,
) -> Classes {
    let problem = ground.problem;
    let is_cells = matches!(problem.settings().metric, Metric::Cells(_));
    let limit = u32::try_from(problem.settings().suppression).unwrap_or(u32::MAX);
    let limit = limit.saturating_sub(n_left);
    if limit == 0 || !is_cells {
        return classes;
    }
    let mut found = classes.clone();
    for round in 0..ROUNDS {
        if ctx.should_stop() {
            break;
        }
        ctx.progress("dropping", round, ROUNDS);
        let n_before = found.n_rows();
        let n_dropped = classes.n_rows() - n_before;
        found = at_best_price(ground, &found, limit - n_dropped, number.wrapping_add(round));
        if found.n_rows() == n_before {
            break;
        }
    }
    let n_dropped = classes.n_rows() - found.n_rows();
    let found = share_out(ground, found, limit - n_dropped);
    let n_dropped = f64::from(classes.n_rows() - found.n_rows());
    let gains = found.loss(ground) + n_dropped < classes.loss(ground) - GAIN;
    if gains && holds_without_the_dropped(ground, &found) { found } else { classes }
}

/// Whether every class keeps the promises that compare it with the whole table, when that is what is
/// left of it: the judge knows no other. Where dropped rows stay as `*`, they are left, and a class.
fn holds_without_the_dropped(ground: &Ground<'_, '_>, classes: &Classes) -> bool {
    let problem = ground.problem;
    let group_of_row = super::group_of_row(ground, classes);
    let group = |row: &u32| group_of_row[*row as usize];
    let rows = (0..).take(problem.n_rows());
    let (dropped, mut kept): (Vec<u32>, Vec<u32>) = rows.partition(|row| group(row) == SUPPRESSED);
    if problem.settings().keeps_suppressed {
        return dropped.is_empty() || Check::new(problem).holds(&dropped);
    }
    if !ground.needs_values {
        return true;
    }
    kept.sort_by_key(group);
    let part = Part::new(problem, &kept);
    let part = problem.among(&part, 0);
    let mut from = 0;
    let mut check = Check::new(&part);
    classes.sizes().all(|n_rows| {
        let rows: Vec<u32> = (from..from + n_rows).collect();
        from += n_rows;
        check.holds(&rows)
    })
}

/// The classes after dropping at most `limit` rows, at the lowest price found that allows it.
fn at_best_price(ground: &Ground<'_, '_>, classes: &Classes, limit: u32, number: u64) -> Classes {
    let order = order(ground, classes, number);
    let at = |price: f64| {
        let lightened = order.par_chunks(BLOCK).map(|which| {
            let mut block = classes.some(ground, which);
            lighten(ground, &mut block, price, limit);
            block.into_iter().collect::<Classes>()
        });
        let found: Classes = lightened.collect::<Vec<_>>().into_iter().collect();
        let n_dropped = classes.n_rows() - found.n_rows();
        (n_dropped <= limit).then_some(found)
    };
    if let Some(found) = at(1.0) {
        return found;
    }
    let (mut low, mut high) = (1.0, 2.0);
    // A class that gains more than its rows cost does not exist: at some price nothing is dropped.
    let mut best = loop {
        if let Some(found) = at(high) {
            break found;
        }
        (low, high) = (high, high * 2.0);
    };
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        match at(middle) {
            Some(found) => (best, high) = (found, middle),
            None => low = middle,
        }
    }
    best
}

/// Drops rows of the classes of a block where that saves more than `price` for each, together `limit` of a
/// class at most.
fn lighten(ground: &Ground<'_, '_>, block: &mut Vec<Class>, price: f64, limit: u32) {
    let mut index = 0;
    while index < block.len() {
        while drop_one(ground, &mut block[index], price)
            || replace(ground, block, index, price)
            || drop_outliers(ground, &mut block[index], price, limit)
        {}
        if !dissolve(ground, block, index, price) {
            index += 1;
        }
    }
}

/// Drops the entry that a class can spare and that saves most, if any saves more than its price.
fn drop_one(ground: &Ground<'_, '_>, class: &mut Class, price: f64) -> bool {
    if class.entries.len() < 2 || class.n_rows <= ground.k {
        return false;
    }
    let rests = class.rests(ground);
    let mut best: Option<(f64, usize)> = None;
    for (index, (entry, rest)) in class.entries.iter().zip(&rests).enumerate() {
        let n_after = class.n_rows - entry.n_rows;
        let after = f64::from(n_after) * rest.cost + f64::from(entry.n_rows) * price;
        let gain = class.loss() - after;
        if n_after >= ground.k && gain > best.map_or(GAIN, |(most, _)| most) {
            best = Some((gain, index));
        }
    }
    let Some((_, index)) = best else { return false };
    let n_rows = class.entries[index].n_rows;
    let may = ground.holds_without(class, index, n_rows);
    if may {
        class.remove(ground, index, n_rows);
    }
    may
}

/// Drops the rows of a class that save most together, if any save more than their price.
fn drop_outliers(ground: &Ground<'_, '_>, class: &mut Class, price: f64, limit: u32) -> bool {
    let Some(rest) = without_outliers(ground, class, price, limit) else { return false };
    *class = Class::new(ground, rest.entries);
    true
}

/// Drops an entry of a class for which rows of another class step in, if that saves more than its price.
fn replace(ground: &Ground<'_, '_>, block: &mut [Class], index: usize, price: f64) -> bool {
    let class = &block[index];
    if class.entries.len() < 2 || class.extent.cost <= 0.0 {
        return false;
    }
    let mut best: Option<(f64, Swap)> = None;
    for (out, rest) in class.rests(ground).iter().enumerate() {
        let n_rest = class.n_rows - class.entries[out].n_rows;
        let lacking = ground.k.saturating_sub(n_rest);
        if rest.cost >= class.extent.cost || lacking == 0 {
            continue;
        }
        let price = f64::from(class.entries[out].n_rows) * price;
        let may_give = |class: &Class| class.n_rows >= ground.k + lacking;
        for (other, giver) in block.iter().enumerate() {
            if other == index || !may_give(giver) {
                continue;
            }
            for (at, entry) in giver.entries.iter().enumerate() {
                if entry.n_rows < lacking {
                    continue;
                }
                let is_gone = entry.n_rows == lacking && giver.entries.len() > 1;
                let left = if is_gone { giver.without(ground, at).cost } else { giver.extent.cost };
                let saved = giver.loss() - f64::from(giver.n_rows - lacking) * left;
                let codes = ground.units.codes(entry.unit);
                let cost = rest.cost_with_point(&ground.space, codes, f64::INFINITY);
                let gain = class.loss() + saved - price - f64::from(n_rest + lacking) * cost;
                if gain > best.map_or(GAIN, |(most, _)| most) {
                    best = Some((gain, Swap { out, other, at, n_rows: lacking }));
                }
            }
        }
    }
    best.is_some_and(|(_, swap)| swap.make(ground, block, index))
}

/// An entry of a class to drop, and rows of an entry of another class that step in for it.
#[derive(Clone, Copy)]
struct Swap {
    out: usize,
    other: usize,
    at: usize,
    n_rows: u32,
}

impl Swap {
    /// Makes the exchange if all promises are kept.
    fn make(self, ground: &Ground<'_, '_>, block: &mut [Class], index: usize) -> bool {
        let added = Entry { unit: block[self.other].entries[self.at].unit, n_rows: self.n_rows };
        let mut class = block[index].clone();
        let gone = class.entries[self.out].n_rows;
        class.add(ground, added);
        class.remove(ground, self.out, gone);
        let may = ground.holds(&class.entries)
            && ground.holds_without(&block[self.other], self.at, self.n_rows);
        if may {
            block[index] = class;
            block[self.other].remove(ground, self.at, self.n_rows);
        }
        may
    }
}

/// Puts the rows of a class into others, and drops those that would add more than their price, if all in
/// all that gains. The last class takes its place.
fn dissolve(ground: &Ground<'_, '_>, block: &mut Vec<Class>, index: usize, price: f64) -> bool {
    let before = block[index].loss();
    if block.len() < 2 || before <= price {
        return false;
    }
    let mut others = block.clone();
    let gone = others.swap_remove(index);
    let mut added = 0.0;
    for entry in gone.entries {
        let best = cheapest(ground, &others, entry, price);
        if let (_, Some(at)) = best {
            others[at].add(ground, entry);
        }
        added += best.0;
        if added >= before - GAIN {
            return false;
        }
    }
    *block = others;
    true
}

/// The class where an entry adds least, with what it adds; none where it adds its price or more.
fn cheapest(
    ground: &Ground<'_, '_>,
    classes: &[Class],
    entry: Entry,
    price: f64,
) -> (f64, Option<usize>) {
    let mut best = (f64::from(entry.n_rows) * price, None);
    for (at, class) in classes.iter().enumerate() {
        let n_after = f64::from(class.n_rows + entry.n_rows);
        let limit = (best.0 + class.loss()) / n_after;
        let cost = class.cost_below(ground, entry.unit, limit);
        if cost < limit && ground.holds_with(class, entry) {
            best = (n_after * cost - class.loss(), Some(at));
        }
    }
    best
}
