//! Unsorted matching: joins two releases by the position of their rows, or an anatomized one with itself.
//!
//! # Adversary
//! Has two releases of the same table as files, and hopes that both list its rows in the same order; knows
//! the target's quasi-identifiers.
//!
//! # Method
//! 1. Rows are laid side by side by position: as they stand, and with the rows of either release sorted by
//!    one of its columns.
//! 2. A pair is compatible when the boxes overlap and the columns besides the quasi-identifiers are equal.
//! 3. An order is believed when more than 99 % of the pairs are compatible, and far more (four standard
//!    deviations) than when one release is shifted against the other by some rows; where the columns
//!    besides the quasi-identifiers stand sorted, within rows that agree on them.
//! 4. In the believed order with the most compatible pairs, each pair is one person: its box is what both
//!    cover. Linking and homogeneity are made on those boxes.
//! 5. In an anatomized release a person is said to have the values that stand in the person's own row.
//!
//! # Success
//! The expected share of targets whose record is drawn, and the share whose value is guessed. The baseline
//! is the same attack on the release alone, so what is gained is what the order gives away: nothing where
//! no order is believed.
//!
//! # References
//! Sweeney, IJUFKS 10(5), 2002, §4.1; Abdalaal 2012, Table 9.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use kohort_core::{Column, Ctx, Error, Message, Setting, Spec, message};

use super::evidence::axes::{Axes, links};
use super::evidence::refinement::Pieces;
use super::evidence::released::{Released, Values};
use super::evidence::scene::Sight;
use super::guess::likeliest_value;
use super::{Attack, Criterion, Guesses, Rate, Says, Scene, Who};

const SPEC: Spec = Spec {
    id: "unsorted-matching",
    title: "Unsorted matching",
    paper: "Sweeney 2002",
    promise: "the order of the rows shows which rows of two releases belong together",
    parameters: &[],
};

/// The share of compatible pairs above which an order may be believed.
const BELIEVED: f64 = 0.99;

/// The unsorted matching attack.
pub(super) struct UnsortedMatching;

impl Attack for UnsortedMatching {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn criterion(&self) -> Criterion {
        Criterion::Linkability
    }

    fn needs(&self, scene: &Scene<'_>) -> Option<Message> {
        if scene.release.is_anatomized() {
            let has = scene.people.is_some() && !scene.release.sensitive().is_empty();
            return (!has).then(|| {
                message!(
                    "people to look for in the release ({} or {})",
                    Setting::Public,
                    Setting::Original
                )
            });
        }
        let has = scene.others.iter().any(|other| as_long(&scene.release, other));
        (!has).then(|| {
            message!("another release of the table with as many rows ({})", Setting::OtherRelease)
        })
    }

    fn guess(&self, _: &Ctx<'_>, scene: &Scene<'_>) -> Result<Vec<Guesses>, Error> {
        let this = &scene.release;
        if let Some(crowd) = scene.crowd().filter(|_| this.is_anatomized()) {
            let attributes = 0..this.sensitive().len();
            return Ok(attributes.map(|attribute| own_rows(scene, crowd, attribute)).collect());
        }
        let mut all = Vec::new();
        let others = || scene.others.iter().enumerate().filter(|(_, other)| as_long(this, other));
        for (number, other) in others() {
            let name = scene.name_of_other(number);
            let axes = Axes::new(this, other, scene)?;
            let (_, of_this, of_other) = links(this, other);
            let is_pair =
                |a: u32, b: u32| of_this[a as usize] == of_other[b as usize] && axes.overlap(a, b);
            let (order, tells) = believed_order(this, other, &of_other, &is_pair);
            let mut partner_of_row = vec![None; this.n_rows()];
            for &(a, b) in order.iter().flat_map(|order| &order.pairs).filter(|p| is_pair(p.0, p.1))
            {
                partner_of_row[a as usize] = Some(other.shapes().ids[b as usize]);
            }
            let pieces = Pieces::new(this, other, &axes, &partner_of_row);
            let note = match order {
                None if !tells => format!(
                    "any order of rows puts compatible ones of {name} side by side: the two \
                     have too little in common to tell whether one is right"
                ),
                None => format!("no order of rows matches those of {name} with their own"),
                Some(order) => format!(
                    "{}, {:.1} % of the rows match a compatible row of {name}, and {:.1} % when \
                     shifted",
                    order.name,
                    100.0 * order.compatible,
                    100.0 * order.by_chance
                ),
            };
            for mut guesses in pieces.guesses(scene, number)? {
                guesses.way = (others().count() > 1).then(|| format!("with {name}"));
                guesses.notes.push(note.clone().into());
                all.push(guesses);
            }
        }
        Ok(all)
    }

    fn bound(&self, scene: &Scene<'_>, attribute: Option<usize>) -> Option<f64> {
        // How sure the order of an anatomized release makes is seen in the success alone.
        scene.bound(attribute).filter(|_| !scene.release.is_anatomized())
    }

    fn meaning(&self, rate: &Rate) -> String {
        format!(
            "an adversary who uses the order of the rows is right for {:.1} % of the targets, \
             against {:.1} % without it",
            100.0 * rate.success,
            100.0 * rate.baseline
        )
    }
}

/// Whether rows of two releases can be laid side by side.
fn as_long(this: &Released<'_>, other: &Released<'_>) -> bool {
    !other.is_anatomized() && other.n_rows() == this.n_rows() && other.n_rows() > 0
}

/// A way to lay the rows of two releases side by side.
struct Order {
    name: String,
    pairs: Vec<(u32, u32)>,
    compatible: f64,
    by_chance: f64,
}

/// The order with the most compatible pairs, if it is believed, and whether a wrong order could have been
/// told from a right one. `link_of_row` is of the other release.
fn believed_order(
    this: &Released<'_>,
    other: &Released<'_>,
    link_of_row: &[u32],
    is_pair: &impl Fn(u32, u32) -> bool,
) -> (Option<Order>, bool) {
    let rows = || (0..).take(this.n_rows()).collect::<Vec<u32>>();
    let mut orders = vec![("in their order".to_owned(), rows(), rows())];
    for column in this.table().columns() {
        let name = format!("with this release sorted by `{}`", column.name());
        orders.push((name, sorted(column), rows()));
    }
    for column in other.table().columns() {
        let name = format!("with the other release sorted by `{}`", column.name());
        orders.push((name, rows(), sorted(column)));
    }
    let orders = orders.into_iter().map(|(name, first, second)| {
        let pairs = first.into_iter().zip(second).collect();
        Order::new(name, pairs, link_of_row, is_pair)
    });
    let mut tells = false;
    let believed = orders.inspect(|order| tells |= !order.fits_when_shifted());
    let believed = believed.filter(Order::is_believed);
    let best =
        believed.reduce(|best, next| if next.compatible > best.compatible { next } else { best });
    (best, tells)
}

impl Order {
    fn new(
        name: String,
        pairs: Vec<(u32, u32)>,
        link_of_row: &[u32],
        is_pair: &impl Fn(u32, u32) -> bool,
    ) -> Self {
        let n = pairs.len();
        let share = |pairs: &mut dyn Iterator<Item = (u32, u32)>| {
            pairs.filter(|&(a, b)| is_pair(a, b)).count() as f64 / n as f64
        };
        let compatible = share(&mut pairs.iter().copied());
        let mut by_chance = 1.0;
        // Most orders are plainly wrong: no need to see what chance would give.
        if compatible > BELIEVED {
            // Who sorts by what links the releases can do so with any: only the order within counts.
            let link = |pair: &(u32, u32)| link_of_row[pair.1 as usize];
            let runs: Vec<&[(u32, u32)]> = pairs.chunk_by(|a, b| link(a) == link(b)).collect();
            let links: BTreeSet<u32> = pairs.iter().map(link).collect();
            let runs = if runs.len() == links.len() { runs } else { vec![&pairs[..]] };
            let shifts = [1, 2, 3].into_iter().chain((1..8).map(|part| n * part / 8));
            let shifted = |shift: usize| {
                let mut pairs = runs.iter().flat_map(|run| {
                    let others = run.iter().cycle().skip(shift % run.len());
                    run.iter().zip(others).map(|(a, b)| (a.0, b.1))
                });
                share(&mut pairs)
            };
            by_chance = shifts.map(shifted).fold(0.0, f64::max);
        }
        Self { name, pairs, compatible, by_chance }
    }

    /// Whether rows that are not each other's are compatible as well.
    fn fits_when_shifted(&self) -> bool {
        self.compatible > BELIEVED && self.by_chance > BELIEVED
    }

    /// Whether so many compatible pairs are no accident.
    fn is_believed(&self) -> bool {
        const DEVIATIONS: f64 = 4.0;
        let &Self { compatible, by_chance, .. } = self;
        let deviation = (by_chance * (1.0 - by_chance) / self.pairs.len() as f64).sqrt();
        compatible > BELIEVED
            && compatible > by_chance
            && compatible - by_chance >= DEVIATIONS * deviation
    }
}

/// The rows in the order of a column: by number where all its texts are numbers, else by text; rows that
/// agree stay in their order.
fn sorted(column: &Column) -> Vec<u32> {
    let texts: Vec<&str> = column.dictionary().iter().collect();
    let numbers: Option<Vec<f64>> = texts.iter().map(|text| text.trim().parse().ok()).collect();
    let mut rows: Vec<u32> = (0..).take(column.codes().len()).collect();
    let entry = |row: u32| column.codes().get(row as usize) as usize;
    match numbers {
        Some(numbers) => {
            rows.sort_by(|&a, &b| numbers[entry(a)].total_cmp(&numbers[entry(b)]));
        }
        None => rows.sort_by_key(|&row| texts[entry(row)]),
    }
    rows
}

/// In an anatomized release: says the values that stand in the rows that may be the target's.
fn own_rows(scene: &Scene<'_>, crowd: &Sight, attribute: usize) -> Guesses {
    let blind = scene.blind_value(attribute);
    let mut guesses = Guesses::new(Who::People, Some(attribute), blind);
    let in_rows = Values::new(scene.release.shapes(), scene.release.sensitive()[attribute]);
    for view in crowd.views() {
        let posterior = scene.posterior(view, attribute);
        let own = view.shapes.iter().flat_map(|&shape| in_rows.of(shape)).copied();
        let own = own.max_by_key(|&(code, count)| (count, Reverse(code)));
        let (alone, alone_probability) = likeliest_value(&posterior);
        let said = own.map_or((alone, alone_probability), |(code, _)| {
            let share = posterior.iter().find(|found| found.0 == code).map_or(0.0, |found| found.1);
            (Says::Value(code, code), share)
        });
        guesses.say(view, said.0, said.1);
        guesses.say_without(view, alone, alone_probability);
    }
    guesses.notes.push("a person is said to have the values of the matching row".into());
    guesses
}
