//! Minimality: asks why rows were generalized, and learns from the answer.
//!
//! # Adversary
//! Knows that the targets are in the table, their quasi-identifiers, the promises, and that rows are only
//! merged where that is needed to keep them.
//!
//! # Method
//! 1. The members of a class fall into cells: people with equal quasi-identifiers.
//! 2. Every way to give the rows of the class to its cells is a world, weighed by the number of assignments
//!    (multivariate hypergeometric). Rows with the same sensitive values are one kind.
//! 3. Worlds in which every cell would keep the promises by itself are struck: there was no need to merge.
//! 4. The probability of a value for a member of a cell is its share there, over the worlds that are left.
//!
//! With several sensitive attributes a row keeps its values together, and a world is struck where every cell
//! keeps the promises about all of them: which one was the reason to merge need not be known. Anatomized
//! groups do not show which values stand together, so there it takes a single attribute. Classes with more
//! than 20,000 worlds, and those whose members are not all known, are left as they are.
//!
//! # Success
//! The share of members whose value was guessed; the blind guess is the most frequent value of the class.
//!
//! # References
//! Wong, Fu, Wang and Pei, VLDB 2007.

use std::collections::BTreeMap;

use kohort_core::{Ctx, Error, Message, Setting, Spec, message};
use kohort_models::{Class, ClassModel, Counts, Distribution};

use super::evidence::released::Released;
use super::guess::likeliest_value;
use super::{Attack, Criterion, Guess, Guesses, Rate, Says, Scene, Who};

const SPEC: Spec = Spec {
    id: "minimality",
    title: "Minimality",
    paper: "Wong, Fu, Wang and Pei 2007",
    promise: "knowing that rows had to be merged discloses what is in them",
    parameters: &[],
};

/// The most worlds of one class.
const MOST_WORLDS: usize = 20_000;

/// The minimality attack.
pub(super) struct Minimality;

impl Attack for Minimality {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn criterion(&self) -> Criterion {
        Criterion::Inference
    }

    fn needs(&self, scene: &Scene<'_>) -> Option<Message> {
        if scene.crowd().is_none() {
            return Some(message!(
                "people with quasi-identifiers ({} or {})",
                Setting::Public,
                Setting::Original
            ));
        }
        if !scene.declared.models.iter().any(|model| model.needs_values()) {
            return Some(message!(
                "a promise about sensitive values ({}, or {} and the like)",
                Setting::Plan,
                Setting::FrequencyL
            ));
        }
        let is_apart = scene.release.is_anatomized() && scene.release.sensitive().len() > 1;
        is_apart.then(|| {
            "one sensitive attribute, or a release by rows: an anatomized group does not show \
             which values belong together, so nobody can tell which promise its parts would break"
                .into()
        })
    }

    fn guess(&self, _: &Ctx<'_>, scene: &Scene<'_>) -> Result<Vec<Guesses>, Error> {
        let Some(crowd) = scene.crowd() else { return Ok(Vec::new()) };
        let release = &scene.release;
        let mut cells_of_class: Vec<Vec<&[u32]>> = vec![Vec::new(); release.n_classes()];
        for view in crowd.views() {
            if let &[shape] = view.shapes {
                cells_of_class[release.class_of_shape(shape) as usize].push(view.targets);
            }
        }
        let tables: Vec<Distribution<'_>> =
            release.sensitive().iter().map(|attribute| Distribution::new(attribute)).collect();
        let nothing = |attribute| Guesses::new(Who::People, Some(attribute), (Says::Nothing, 0.0));
        let mut all: Vec<Guesses> = (0..tables.len()).map(nothing).collect();
        let (mut changed, mut too_many) = (0_u64, 0_u64);
        let kinds_of_class = kinds(release);
        for (class, cells) in (0..).zip(&cells_of_class) {
            let n_members: usize = cells.iter().map(|cell| cell.len()).sum();
            if cells.is_empty() || n_members != release.size_of_class(class) as usize {
                continue;
            }
            let kinds = &kinds_of_class[class as usize][..];
            let number =
                |cell: &&[u32]| u32::try_from(cell.len()).expect("people are numbered by u32");
            let sizes: Vec<u32> = cells.iter().map(number).collect();
            let known = Worlds::new(&sizes, kinds, scene.declared.models, &tables);
            let known = known.map(Worlds::shares);
            too_many += u64::from(known.is_none());
            changed += u64::from(matches!(known, Some(Some(_))));
            say(&mut all, cells, kinds, known.flatten().as_deref());
        }
        all.retain(|guesses| !guesses.guesses.is_empty());
        for guesses in &mut all {
            guesses
                .notes
                .push(message!("in {changed} classes the reason to merge discloses something"));
            if too_many > 0 {
                guesses.notes.push(message!("{too_many} classes have too many worlds to look at"));
            }
        }
        Ok(all)
    }

    fn bound(&self, scene: &Scene<'_>, attribute: Option<usize>) -> Option<f64> {
        scene.bound(attribute)
    }

    fn meaning(&self, rate: &Rate) -> String {
        format!(
            "of the {} people in classes whose members are all known, knowing why rows were merged guesses \
             {:.1} % right, against {:.1} % from the class alone",
            rate.targets,
            100.0 * rate.success,
            100.0 * rate.baseline
        )
    }
}

/// Rows with the same sensitive values: a code for each attribute, and how many they are.
type Kind = (Vec<u32>, u32);

/// The kinds of rows of each class, in the order of their values.
fn kinds(release: &Released<'_>) -> Vec<Vec<Kind>> {
    let classes = (0..).take(release.n_classes());
    if release.sensitive().len() == 1 {
        let of_value = |&(code, count): &(u32, u32)| (vec![code], count);
        return classes
            .map(|class| release.values(0, class).iter().map(of_value).collect())
            .collect();
    }
    let mut rows_of_class: Vec<Vec<Vec<u32>>> = classes.map(|_| Vec::new()).collect();
    for (row, &shape) in release.shapes().ids.iter().enumerate() {
        let values = release.sensitive().iter().map(|a| a.codes().get(row)).collect();
        rows_of_class[release.class_of_shape(shape) as usize].push(values);
    }
    let of_rows = |mut rows: Vec<Vec<u32>>| {
        rows.sort_unstable();
        let same = rows.chunk_by(|a, b| a == b);
        let count = |n: usize| u32::try_from(n).expect("rows are numbered by u32");
        same.map(|rows| (rows[0].clone(), count(rows.len()))).collect()
    };
    rows_of_class.into_iter().map(of_rows).collect()
}

/// Says of the members of a class what the worlds say, or the class alone where these say no more.
fn say(all: &mut [Guesses], cells: &[&[u32]], kinds: &[Kind], known: Option<&[Vec<f64>]>) {
    let n_members: u32 = kinds.iter().map(|&(_, count)| count).sum();
    let prior: Vec<f64> =
        kinds.iter().map(|&(_, count)| f64::from(count) / f64::from(n_members)).collect();
    for (attribute, guesses) in all.iter_mut().enumerate() {
        let said = |shares: &[f64]| {
            let mut of_value: BTreeMap<u32, f64> = BTreeMap::new();
            for ((values, _), share) in kinds.iter().zip(shares) {
                *of_value.entry(values[attribute]).or_default() += share;
            }
            let shares = of_value.into_iter().map(|(code, share)| (code, share.min(1.0)));
            likeliest_value(&shares.collect::<Vec<_>>())
        };
        let alone = said(&prior);
        for (at, cell) in cells.iter().enumerate() {
            let found = known.map_or(alone, |shares| said(&shares[at]));
            for &target in *cell {
                let guess = |(says, probability)| Guess { target, says, probability };
                guesses.guesses.push(guess(found));
                guesses.without.push(guess(alone));
            }
        }
    }
}

/// The worlds of one class.
struct Worlds<'a> {
    sizes: &'a [u32],
    kinds: &'a [Kind],
    models: &'a [Box<dyn ClassModel + 'a>],
    tables: &'a [Distribution<'a>],
    // How many of each kind each cell has, in the world that is being made: row-major.
    counts: Vec<u32>,
    left: Vec<u32>,
    seen: usize,
    // Whether a world was struck.
    has_struck: bool,
    // The logarithm of the largest weight of a world that was kept: all are counted as shares of it.
    heaviest: f64,
    // The weight of the worlds that are kept, and that of each kind in each cell.
    kept: f64,
    of_cell: Vec<f64>,
}

/// A step on the way to a world: how many rows of a kind a cell gets.
struct Step {
    cell: usize,
    at: usize,
    // The members of the cell without a row, and the rows that are left of the kinds after this one.
    free: u32,
    after: u32,
    // The logarithm of the number of assignments so far, and whether the cells so far keep the promises.
    weight: f64,
    all_hold: bool,
    // How many to give next, where there is more to try.
    next: Option<u32>,
}

impl<'a> Worlds<'a> {
    /// Looks at every world; `None` when there are too many.
    fn new(
        sizes: &'a [u32],
        kinds: &'a [Kind],
        models: &'a [Box<dyn ClassModel + 'a>],
        tables: &'a [Distribution<'a>],
    ) -> Option<Self> {
        // The tables with these margins span a polytope of this dimension, whose corners are worlds.
        let dimension = sizes.len().saturating_sub(1).saturating_mul(kinds.len().saturating_sub(1));
        // A cell too small for any promise had to be merged in every world.
        let smallest = models.iter().map(|model| model.smallest()).max().unwrap_or(1);
        let is_needed = sizes.iter().any(|&size| u64::from(size) < smallest);
        let is_decided = is_needed || sizes.len() < 2;
        if !is_decided && dimension >= MOST_WORLDS {
            return None;
        }
        let n = if is_decided { 0 } else { sizes.len() * kinds.len() };
        let mut worlds = Self {
            sizes,
            kinds,
            models,
            tables,
            counts: vec![0; n],
            left: kinds.iter().map(|&(_, count)| count).collect(),
            seen: 0,
            has_struck: false,
            heaviest: f64::NEG_INFINITY,
            kept: 0.0,
            of_cell: vec![0.0; n],
        };
        (is_decided || worlds.deal()).then_some(worlds)
    }

    /// The share of each kind in each cell over the worlds that are left; `None` when none was struck.
    fn shares(self) -> Option<Vec<Vec<f64>>> {
        let Self { sizes, kinds, has_struck, kept, of_cell, .. } = self;
        (has_struck && kept > 0.0).then(|| {
            let cells = of_cell.chunks(kinds.len()).zip(sizes);
            cells
                .map(|(cell, &size)| {
                    cell.iter().map(|weight| weight / kept / f64::from(size)).collect()
                })
                .collect()
        })
    }

    /// Deals the rows to the cells in every way, kind after kind; `false` when there are too many worlds.
    /// No step is taken that the kinds that follow cannot make up for, so each leads to a world.
    fn deal(&mut self) -> bool {
        let mut steps = vec![self.first_step(0, 0.0, true)];
        while let Some(step) = steps.last_mut() {
            let (cell, at) = (step.cell, step.at);
            let count = &mut self.counts[cell * self.kinds.len() + at];
            self.left[at] += std::mem::take(count);
            let most = step.free.min(self.left[at]);
            let Some(given) = step.next.take().filter(|&given| given <= most) else {
                steps.pop();
                continue;
            };
            step.next = (given < most).then_some(given + 1);
            *count = given;
            self.left[at] -= given;
            // The ways to choose which of the members of the cell that are free get the kind.
            let weight = step.weight + ln_choose(step.free, given);
            let (free, all_hold, after) = (step.free - given, step.all_hold, step.after);
            if free > 0 {
                steps.push(self.step((cell, at + 1), free, after, weight, all_hold));
                continue;
            }
            let all_hold = all_hold && self.holds(cell);
            if cell + 1 < self.sizes.len() {
                steps.push(self.first_step(cell + 1, weight, all_hold));
                continue;
            }
            self.seen += 1;
            self.weigh(weight, all_hold);
            if self.seen > MOST_WORLDS {
                return false;
            }
        }
        true
    }

    fn first_step(&self, cell: usize, weight: f64, all_hold: bool) -> Step {
        self.step((cell, 0), self.sizes[cell], self.left.iter().sum(), weight, all_hold)
    }

    /// A step where `free` rows of a cell are missing and `rest` are left of this kind and those after it.
    fn step(
        &self,
        (cell, at): (usize, usize),
        free: u32,
        rest: u32,
        weight: f64,
        all_hold: bool,
    ) -> Step {
        let after = rest - self.left[at];
        Step { cell, at, free, after, weight, all_hold, next: Some(free.saturating_sub(after)) }
    }

    /// Strikes a world, or keeps it with this logarithm of its weight.
    fn weigh(&mut self, weight: f64, all_hold: bool) {
        if all_hold {
            self.has_struck = true;
            return;
        }
        if weight > self.heaviest {
            let factor = (self.heaviest - weight).exp();
            self.heaviest = weight;
            self.kept *= factor;
            self.of_cell.iter_mut().for_each(|sum| *sum *= factor);
        }
        let weight = (weight - self.heaviest).exp();
        self.kept += weight;
        for (sum, &count) in self.of_cell.iter_mut().zip(&self.counts) {
            *sum += weight * f64::from(count);
        }
    }

    /// Whether a cell keeps every promise by itself.
    fn holds(&self, cell: usize) -> bool {
        let n = self.kinds.len();
        let counts = &self.counts[cell * n..][..n];
        let cells_of = |attribute: usize| -> Vec<(u32, u64)> {
            let mut of_value: BTreeMap<u32, u64> = BTreeMap::new();
            for ((values, _), &count) in self.kinds.iter().zip(counts).filter(|(_, n)| **n > 0) {
                *of_value.entry(values[attribute]).or_default() += u64::from(count);
            }
            of_value.into_iter().collect()
        };
        let cells: Vec<Vec<(u32, u64)>> = (0..self.tables.len()).map(cells_of).collect();
        let sensitive: Vec<Counts<'_>> =
            self.tables.iter().zip(&cells).map(|(table, cells)| Counts { table, cells }).collect();
        let class = Class { size: u64::from(self.sizes[cell]), sensitive: &sensitive };
        self.models.iter().all(|model| model.holds(&class))
    }
}

/// The logarithm of the number of ways to choose k of n.
fn ln_choose(n: u32, k: u32) -> f64 {
    (0..k).map(|i| f64::from(n - i).ln() - f64::from(i + 1).ln()).sum()
}
