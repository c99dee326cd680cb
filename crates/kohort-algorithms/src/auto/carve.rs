//! A pool divided where the values of all sensitive attributes must be spread, and few divisions are.
//!
//! Rows have room for a value as long as it fills no more than 1/l of them. Of rows near each other those
//! are put back that hinder most, until there is room for every value both among them and among the rest:
//! one more class. The rest is a class at any moment, so no row is ever left over.

use super::class::{Class, Entry, Ground, merge};
use crate::Draw;

/// How many neighborhoods are compared for each class, and the most rows in one, in smallest classes.
const TRIES: usize = 6;
const LARGEST: usize = 12;

/// The rows of a pool that are in no class, one by one, with their sensitive values.
struct Rest<'g> {
    ground: &'g Ground<'g, 'g>,
    l: i64,
    units: Vec<u32>,
    // For each attribute the values that occur, numbered over all attributes.
    codes: Vec<(usize, u32)>,
}

/// Divides rows, which keep every promise as one class, into classes that do; none where nothing is promised
/// about all sensitive attributes, or no second class is found.
pub(super) fn carve(
    ground: &Ground<'_, '_>,
    entries: &[Entry],
    draw: &mut Draw,
) -> Option<Vec<Class>> {
    let l = i64::try_from(ground.l?).ok()?;
    let alone = |entry: &Entry| std::iter::repeat_n(entry.unit, entry.n_rows as usize);
    let units: Vec<u32> = entries.iter().flat_map(alone).collect();
    let occurs = |&unit: &u32| ground.units.sensitive(unit).iter().copied().enumerate();
    let mut codes: Vec<(usize, u32)> = units.iter().flat_map(occurs).collect();
    codes.sort_unstable();
    codes.dedup();
    let mut rest = Rest { ground, l, units, codes };
    let mut classes = Vec::new();
    while let Some(class) = rest.next_class(draw) {
        classes.push(class);
    }
    classes.push(class_of(ground, &rest.units));
    (classes.len() > 1 && classes.iter().all(|class| ground.holds(&class.entries)))
        .then_some(classes)
}

fn class_of(ground: &Ground<'_, '_>, units: &[u32]) -> Class {
    Class::new(ground, merge(units.iter().map(|&unit| Entry { unit, n_rows: 1 }).collect()))
}

impl Rest<'_> {
    /// Takes out the class that saves most, of those found in some neighborhoods.
    fn next_class(&mut self, draw: &mut Draw) -> Option<Class> {
        let k = self.ground.k as usize;
        let most = (self.units.len().checked_sub(k)?).min(LARGEST * k);
        if most < k {
            return None;
        }
        let cost = class_of(self.ground, &self.units).extent.cost;
        let mut best: Option<(f64, Class, Vec<u32>)> = None;
        for _ in 0..TRIES {
            let near = k + draw.below(most - k + 1);
            self.sort_around(self.units[draw.below(self.units.len())]);
            let Some(kept) = self.spread(near) else { continue };
            let units: Vec<u32> = kept.iter().map(|&at| self.units[at]).collect();
            let class = class_of(self.ground, &units);
            let saved = f64::from(class.n_rows) * (cost - class.extent.cost);
            if saved > best.as_ref().map_or(0.0, |(most, ..)| *most) {
                best = Some((saved, class, units));
            }
        }
        let (_, class, taken) = best?;
        for unit in taken {
            let at = self.units.iter().position(|&other| other == unit).expect("it is there");
            self.units.swap_remove(at);
        }
        Some(class)
    }

    /// The rows nearest to a unit first.
    fn sort_around(&mut self, center: u32) {
        let (space, units) = (&self.ground.space, &self.ground.units);
        let distance = |unit: u32| space.distance(units.codes(center), units.codes(unit));
        let mut keyed: Vec<(f64, u32)> =
            self.units.iter().map(|&unit| (distance(unit), unit)).collect();
        keyed.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        self.units = keyed.into_iter().map(|(_, unit)| unit).collect();
    }

    /// The numbers of the values of each row.
    fn values(&self) -> Vec<usize> {
        let number = |pair: (usize, u32)| self.codes.binary_search(&pair).expect("it occurs");
        let of = |&unit: &u32| self.ground.units.sensitive(unit).iter().copied().enumerate();
        self.units.iter().flat_map(of).map(number).collect()
    }

    /// The places of those of the first `near` rows that can be a class beside the others.
    fn spread(&self, near: usize) -> Option<Vec<usize>> {
        let d = self.ground.units.sensitive(self.units[0]).len();
        let values = self.values();
        let values = |at: usize| &values[at * d..][..d];
        // What l times each count is above the number of rows: among all, and among those that are kept.
        let above = |n: usize| {
            let mut above = vec![-i64::try_from(n).expect("rows are few"); self.codes.len()];
            (0..n).flat_map(values).for_each(|&value| above[value] += self.l);
            above
        };
        let (all, mut above) = (above(self.units.len()), above(near));
        // How far a value is from what both the kept and the others have room for.
        let off = |value: usize, above: i64| above.max(0) + (all[value] - above).max(0);
        let mut kept: Vec<usize> = (0..near).collect();
        loop {
            if above.iter().enumerate().all(|(value, &above)| off(value, above) == 0) {
                return Some(kept);
            }
            if kept.len() <= self.ground.k as usize {
                return None;
            }
            for above in &mut above {
                *above += 1;
            }
            let change =
                |(value, &above): (usize, &i64)| off(value, above - self.l) - off(value, above);
            let changes: Vec<i64> = above.iter().enumerate().map(change).collect();
            let change = |at: usize| values(at).iter().map(|&value| changes[value]).sum::<i64>();
            // Of several the furthest.
            let places = kept.iter().enumerate().rev();
            let (index, &gone) =
                places.min_by_key(|&(_, &at)| change(at)).expect("more than k are kept");
            kept.remove(index);
            for &value in values(gone) {
                above[value] -= self.l;
            }
        }
    }
}
