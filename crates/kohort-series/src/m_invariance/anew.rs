//! The classes of those who come, by what is near: `auto` makes classes in which no value is too frequent, and
//! each is parted into classes without a value twice.
//!
//! # Method
//! 1. People whose value is too frequent are apart: they are held back, or in buckets with counterfeits.
//! 2. `auto` makes classes with frequency l-diversity, l = m, of all others: n_v · m ≤ n for each value v of a
//!    class of n.
//! 3. From such a class, a class of s different values is taken, s ≥ m the smallest for which the values with
//!    n_v · m > n − s, which must be in it, are no more than s. It begins with one of the former, or with what
//!    is furthest from the middle, and takes in what costs least. What is left is of the same kind, so repeat.
//! 4. Of few people, every way to put them into classes is looked at instead.
//! 5. Very large classes, of rows that are much alike, are put into buckets by counts (see `buckets`).
//!
//! The classes of step 3 lie in those of `auto`: they lose no more.

use kohort_algorithms::{Problem, SUPPRESSED, Settings, Space, algorithm, anonymize};
use kohort_core::{Attribute, Codes, Column, Ctx, Dictionary, Domain, Missing, Ratio, Role, Table};
use kohort_models::{ClassModel, FrequencyLDiversity, Promises};

use super::{Class, divided};
use crate::buckets::{Surplus, by_counts, spare};
use crate::exchange::loss;
use crate::rows::Rows;
use crate::{Failure, Turn};

/// Of up to so many people every way is looked at.
const FEW: usize = 10;

/// Classes of more rows are put into buckets.
const LARGE: usize = 512;

/// What is asked for.
pub(super) struct Asked {
    pub(super) m: u32,
    /// What becomes of people with a value that is too frequent.
    pub(super) surplus: Surplus,
    /// What `auto` draws from.
    pub(super) seed: u64,
}

/// Classes of people who come, the rows with each value.
pub(super) fn anew(
    ctx: &Ctx<'_>,
    turn: &Turn<'_>,
    rows: &Rows,
    mut waiting: Vec<Vec<u32>>,
    asked: &Asked,
) -> Result<Vec<Class>, Failure> {
    let &Asked { m, surplus, .. } = asked;
    let spare = spare(&waiting, m as usize);
    let apart: Vec<Vec<u32>> =
        waiting.iter_mut().zip(spare).map(|(waiting, n)| waiting.drain(..n).collect()).collect();
    let mut classes = Vec::new();
    if surplus == Surplus::Counterfeit && apart.iter().any(|rows| !rows.is_empty()) {
        classes.extend(in_buckets(turn, rows, apart, (m, surplus))?);
    }
    let mut all: Vec<u32> = waiting.iter().flatten().copied().collect();
    if all.is_empty() {
        return Ok(classes);
    }
    let person = |row: u32| turn.person_of_row[row as usize];
    all.sort_by_key(|&row| (rows.codes(row), turn.value_of_row[row as usize], person(row)));
    if all.len() <= FEW {
        classes.extend(best_of_few(turn, rows, &all, m as usize));
        return Ok(classes);
    }
    for group in groups(ctx, turn, &all, asked).unwrap_or_else(|| vec![all.clone()]) {
        if group.len() <= LARGE {
            classes.extend(parted(turn, rows, group, m as usize));
        } else {
            let mut of_value = vec![Vec::new(); waiting.len()];
            for row in group {
                of_value[turn.value_of_row[row as usize] as usize].push(row);
            }
            classes.extend(in_buckets(turn, rows, of_value, (m, Surplus::HoldBack))?);
        }
    }
    Ok(classes)
}

/// Classes of rows by value that look at values alone, and at what is near only within a signature.
fn in_buckets(
    turn: &Turn<'_>,
    rows: &Rows,
    waiting: Vec<Vec<u32>>,
    (m, surplus): (u32, Surplus),
) -> Result<Vec<Class>, Failure> {
    let mut classes = Vec::new();
    for bucket in by_counts(waiting, m, surplus)? {
        let line = divided(turn, rows, &bucket.slots);
        let class = |rows| Class { signature: bucket.signature.clone(), rows };
        classes.extend(line.into_iter().map(class));
    }
    Ok(classes)
}

/// Step 2; none where there is no such method or it finds nothing.
fn groups(ctx: &Ctx<'_>, turn: &Turn<'_>, all: &[u32], asked: &Asked) -> Option<Vec<Vec<u32>>> {
    let quasi: Vec<Attribute> = turn.data.quasi().iter().map(|a| a.select(all)).collect();
    let values = values(turn, all)?;
    let model = FrequencyLDiversity::new(0, Ratio::whole(u64::from(asked.m))).ok()?;
    let models: Vec<Box<dyn ClassModel>> = vec![Box::new(model)];
    let weights = turn.space.axes().iter().map(kohort_algorithms::Axis::weight).collect();
    let settings = Settings { weights, seed: asked.seed, ..Settings::plain(quasi.len(), 0) };
    let promises = Promises::new(models, &[&values]);
    let of = (quasi.iter().collect(), vec![&values]);
    let problem = Problem::of(of, all.len(), promises, settings);
    let problem = problem.in_space(turn.space.clone());
    let made = anonymize(algorithm("auto")?, ctx, &problem).ok()?;
    let n_groups = made.group_of_row.iter().filter(|&&group| group != SUPPRESSED).max()?;
    let mut groups = vec![Vec::new(); *n_groups as usize + 1];
    for (&row, &group) in all.iter().zip(&made.group_of_row) {
        groups.get_mut(group as usize)?.push(row);
    }
    groups.retain(|group| !group.is_empty());
    Some(groups)
}

/// The sensitive values of some rows as an attribute.
fn values(turn: &Turn<'_>, all: &[u32]) -> Option<Attribute> {
    let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
    for &row in all {
        let text = turn.value_of_row[row as usize].to_string();
        codes.push(dictionary.intern(text.as_bytes(), 0).ok()?);
    }
    let missing = Missing::default();
    let column = Column::new("value".into(), dictionary, codes, &missing);
    let table = Table::new(String::new(), vec![column], true, missing);
    let domain = Domain::new(&table, table.column("value").ok()?, None, &|_| false).ok()?;
    Attribute::new(&table, "value", Role::Sensitive, domain, None).ok()
}

/// Step 4: the classes of m or more different values that lose least together; there are some, as no value is too
/// frequent.
fn best_of_few(turn: &Turn<'_>, rows: &Rows, all: &[u32], m: usize) -> Vec<Class> {
    let members = |set: usize| -> Vec<u32> {
        let chosen = all.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1);
        chosen.map(|(_, &row)| row).collect()
    };
    let class = |set: usize| {
        let mut chosen = members(set);
        chosen.sort_by_key(|&row| turn.value_of_row[row as usize]);
        let signature = chosen.iter().map(|&row| turn.value_of_row[row as usize]).collect();
        Class { signature, rows: chosen }
    };
    let cost = |set: usize| {
        let Class { signature, rows: chosen } = class(set);
        let differ = signature.array_windows().all(|[a, b]| a != b);
        let may = differ && signature.len() >= m;
        if may { loss(turn.space, rows, &[chosen]) } else { f64::INFINITY }
    };
    let costs: Vec<f64> = (0..1_usize << all.len()).map(cost).collect();
    // For every set of people the least loss, and the class of the first of them there.
    let mut best = vec![(0.0, 0); costs.len()];
    for set in 1..costs.len() {
        let first = set & set.wrapping_neg();
        let others = set ^ first;
        best[set] = (f64::INFINITY, 0);
        let mut some = others;
        loop {
            let sum = costs[some | first] + best[others ^ some].0;
            if sum < best[set].0 {
                best[set] = (sum, some | first);
            }
            if some == 0 {
                break;
            }
            some = (some - 1) & others;
        }
    }
    let (mut left, mut classes) = (costs.len() - 1, Vec::new());
    while left != 0 && best[left].1 != 0 {
        classes.push(class(best[left].1));
        left ^= best[left].1;
    }
    classes
}

/// Step 3.
fn parted(turn: &Turn<'_>, rows: &Rows, mut group: Vec<u32>, m: usize) -> Vec<Class> {
    let mut classes = Vec::new();
    let value = |row: u32| turn.value_of_row[row as usize];
    while !group.is_empty() {
        let (size, critical) = next(group.iter().map(|&row| value(row)).collect(), m);
        let mut taken =
            Taken { space: turn.space, rows, chosen: Vec::new(), lo: Vec::new(), hi: Vec::new() };
        while taken.chosen.len() < size {
            let is_in = |wanted: u32| taken.chosen.iter().any(|&row| value(row) == wanted);
            let n_missing = critical.iter().filter(|&&value| !is_in(value)).count();
            let must = taken.chosen.len() + n_missing >= size;
            let may = |row: u32| !is_in(value(row)) && (!must || critical.contains(&value(row)));
            let places = (0..group.len()).filter(|&at| may(group[at]));
            let best = if taken.chosen.is_empty() {
                places.max_by(|&a, &b| {
                    let far = |at: usize| remoteness(turn.space, rows, group[at], &group);
                    far(a).total_cmp(&far(b))
                })
            } else {
                places.min_by(|&a, &b| taken.with(group[a]).total_cmp(&taken.with(group[b])))
            };
            let Some(best) = best else { break };
            taken.add(group.swap_remove(best));
        }
        let mut chosen = taken.chosen;
        chosen.sort_unstable_by_key(|&row| value(row));
        classes.push(Class {
            signature: chosen.iter().map(|&row| value(row)).collect(),
            rows: chosen,
        });
    }
    classes
}

/// How far a row is from the rows of a group, from a few of them where there are many.
fn remoteness(space: &Space, rows: &Rows, row: u32, group: &[u32]) -> f64 {
    const SOME: usize = 16;
    let step = group.len().div_ceil(SOME);
    let others = group.iter().step_by(step);
    others.map(|&other| space.distance(rows.codes(row), rows.codes(other))).sum()
}

/// The size of the next class out of these values, and those that must be in it.
fn next(mut values: Vec<u32>, m: usize) -> (usize, Vec<u32>) {
    let n = values.len();
    values.sort_unstable();
    let counts: Vec<(u32, usize)> =
        values.chunk_by(|a, b| a == b).map(|same| (same[0], same.len())).collect();
    if n < 2 * m {
        return (counts.len(), Vec::new());
    }
    let critical = |size: usize| {
        let is_critical = |&&(_, count): &&(u32, usize)| count * m > n - size;
        counts.iter().filter(is_critical).map(|&(value, _)| value).collect::<Vec<u32>>()
    };
    let sizes = (m..=counts.len()).map(|size| (size, critical(size)));
    let found = sizes.into_iter().find(|(size, critical)| critical.len() <= *size);
    found.unwrap_or_else(|| (counts.len(), Vec::new()))
}

/// Rows that are taken, and the box around them.
struct Taken<'a> {
    space: &'a Space,
    rows: &'a Rows,
    chosen: Vec<u32>,
    lo: Vec<u32>,
    hi: Vec<u32>,
}

impl Taken<'_> {
    fn add(&mut self, row: u32) {
        let codes = self.rows.codes(row);
        if self.chosen.is_empty() {
            (self.lo, self.hi) = (codes.to_vec(), codes.to_vec());
        }
        for ((lo, hi), &code) in self.lo.iter_mut().zip(&mut self.hi).zip(codes) {
            (*lo, *hi) = ((*lo).min(code), (*hi).max(code));
        }
        self.chosen.push(row);
    }

    /// What the box costs with one more row.
    fn with(&self, row: u32) -> f64 {
        let ends = self.lo.iter().zip(&self.hi).zip(self.rows.codes(row));
        let axes = self.space.axes().iter().zip(ends);
        axes.map(|(axis, ((&lo, &hi), &code))| axis.cost(lo.min(code), hi.max(code))).sum()
    }
}
