//! Whether a goal can be reached at all, before any work.
//!
//! # Method
//! Where every class keeps a monotone promise, so does their union: what is left of the table after
//! dropping rows, as one class. So a goal is out of reach when no choice of rows to drop makes that class
//! keep it.
//! 1. More rows, more values and a wider range are not to be had by dropping rows: k, distinct l, p and
//!    (k,e) are compared with the table as it is.
//! 2. A bound on the share of each chosen value is met best by cutting every count above a cap down to
//!    it. A lower cap gives a smaller largest share, so the lowest cap that the rows allow decides.
//!    Several attributes are asked one by one: rows that are dropped for one help another at best.
//! 3. The same cap decides recursive (c,l)-diversity. For entropy it is a real number: cutting the most
//!    frequent values evenly never lowers the entropy, so that no whole number of rows does better.
//! 4. The whole table as one class keeps t-closeness, beta-likeness and delta-disclosure privacy: it is
//!    distributed like itself. On average over the people of a public table, members are as many as
//!    released rows: delta-presence asks that this share be in its range.
//! 5. Personalized privacy is not monotone, but the classes with a row that has a guard are: together they
//!    have all such rows, and at best all rows of the table that do not lie under its node. The whole table
//!    as one class has the share of the node in the table: that is feasible, and perhaps less is.
//!
//! Passing is no proof that all promises can be kept together.

use std::fmt;

use kohort_core::{Attribute, Ratio};
use kohort_models::{Counts, DeltaPresence, Distribution, KeAnonymity};

use super::caps::{least_share, lowest_cap, most_entropy};
use super::guarded::{Guarding, as_one_class, guarding};
use super::named::{codes, high_codes};
use super::{About, Asked, Guards, Principle};
use crate::diagnose::{count, grouped, percent};

/// A goal that no release of a table can keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Infeasible {
    /// What fails, and why.
    pub reason: String,
    /// The nearest parameter that does not, where it is known.
    pub nearest: Option<String>,
    /// Whether it could be kept if more rows could be dropped.
    pub dropping_helps: bool,
    /// The promise in the way, where it is one alone.
    pub promise: Option<&'static str>,
}

impl Infeasible {
    fn new(reason: String, nearest: Option<String>) -> Self {
        Self { reason, nearest, dropping_helps: false, promise: None }
    }
}

impl fmt::Display for Infeasible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)?;
        self.nearest.as_ref().map_or(Ok(()), |nearest| write!(f, "; {nearest}"))
    }
}

impl std::error::Error for Infeasible {}

/// Refuses a goal that no release of `n_rows` rows can keep when at most `suppressible` of them may be
/// dropped. `sensitive` are the attributes the goal was asked of.
pub fn feasible(
    asked: &Asked,
    sensitive: &[&Attribute],
    n_rows: u64,
    suppressible: u64,
) -> Result<(), Infeasible> {
    if n_rows == 0 {
        return Err(Infeasible::new("the table has no rows".into(), None));
    }
    // A release has a row.
    let droppable = suppressible.min(n_rows - 1);
    for about in asked.about() {
        let attribute = about.index().map(|index| sensitive[index]);
        let table = Table { about, attribute, sensitive, n_rows, droppable };
        table.check().map_err(|infeasible| {
            let dropping_helps = Table { droppable: n_rows - 1, ..table }.check().is_ok();
            Infeasible { dropping_helps, promise: Some(about.model()), ..infeasible }
        })?;
    }
    Ok(())
}

/// Refuses a range of delta-presence that no release of `n_rows` rows among `n_people` people can keep when
/// at most `suppressible` rows may be dropped. The public table is taken to list everybody.
pub fn feasible_presence(
    model: &DeltaPresence,
    n_people: u64,
    n_rows: u64,
    suppressible: u64,
) -> Result<(), Infeasible> {
    let share = |rows: u64| Ratio::new(rows.min(n_people), n_people);
    let most = share(n_rows);
    let least = share(n_rows.saturating_sub(suppressible).max(1));
    if least <= model.max() && model.min() <= most {
        return Ok(());
    }
    let (min, max) = (model.min().value(), model.max().value());
    let rows = count(n_rows, "row", "rows");
    let dropped = match suppressible {
        0 => String::new(),
        rows => format!(" of which {} may be dropped", grouped(rows)),
    };
    let people = count(n_people, "person", "people");
    let reason = format!(
        "`delta-presence` with min = {min}, max = {max} cannot be reached: with {rows}{dropped} for \
         {people} of the public table, the share of members is {} on average",
        percent(most.value())
    );
    let nearest = Some(format!("a range that holds {most} is feasible"));
    // Dropping rows makes members fewer.
    let dropping_helps = least > model.max();
    Err(Infeasible { reason, nearest, dropping_helps, promise: Some("delta-presence") })
}

/// What one model was asked of.
#[derive(Clone, Copy)]
struct Table<'a> {
    about: &'a About,
    attribute: Option<&'a Attribute>,
    sensitive: &'a [&'a Attribute],
    n_rows: u64,
    droppable: u64,
}

impl Table<'_> {
    fn check(&self) -> Result<(), Infeasible> {
        match self.about.principle() {
            Principle::K(k) => self.rows(*k),
            Principle::DistinctL(l, _) => self.distinct("l", *l, self.counts().len()),
            Principle::FrequencyL(l, _) => self.spread("l", *l, &self.counts(), "one value"),
            Principle::EntropyL(l, _) => self.entropy(*l),
            Principle::Recursive(c, l, _) => self.recursive(*c, *l),
            Principle::AlphaK { alpha, k, values, .. } => {
                self.rows(*k)?;
                self.share("alpha", *alpha, &self.chosen(values.as_deref()), "one chosen value")
            }
            Principle::PSensitiveK { p, k } => {
                self.rows(*k)?;
                let fewest = self.sensitive.iter().map(|attribute| attribute.counts().len()).min();
                self.distinct("p", *p, fewest.unwrap_or(0))
            }
            Principle::LPdiversity(l) | Principle::LMdiversity(l) => self.spread_all(*l),
            Principle::Lkc { k, c, values, .. } => {
                self.rows(*k)?;
                self.share("c", *c, &self.chosen(values.as_deref()), "one chosen value")
            }
            Principle::SensitivityClasses { high, low, alpha, l, l_low, .. } => {
                let high = self.high(high, low.as_deref());
                let values: Vec<u64> = high.iter().map(|&code| self.count(code)).collect();
                let together = [values.iter().sum()];
                self.share("alpha", *alpha, &together, "the high values together")?;
                if let Some(l) = l {
                    self.spread("l", *l, &values, "one high value")?;
                }
                let Some(l_low) = l_low else { return Ok(()) };
                self.spread("l-low", *l_low, &self.others(&high), "one low value")
            }
            Principle::Ke { k, e, .. } => self.numbers(*k, *e),
            Principle::Personalized { p, guards, .. } => self.guarded(*p, guards),
            Principle::T(..)
            | Principle::BasicBeta(..)
            | Principle::EnhancedBeta(..)
            | Principle::DeltaDisclosure(..)
            | Principle::DeltaPresence { .. } => Ok(()),
        }
    }

    /// How often each value of the attribute occurs.
    fn counts(&self) -> Vec<u64> {
        let counts = self.attribute.map_or(&[][..], Attribute::counts);
        counts.iter().map(|&count| u64::from(count)).collect()
    }

    /// How often each chosen value occurs.
    fn chosen(&self, values: Option<&[String]>) -> Vec<u64> {
        let Some(attribute) = self.attribute else { return Vec::new() };
        let codes = codes(attribute, values, &mut Vec::new());
        codes.iter().map(|&code| u64::from(attribute.counts()[code as usize])).collect()
    }

    /// The codes of the highly sensitive values.
    fn high(&self, high: &[String], low: Option<&[String]>) -> Vec<u32> {
        let Some(attribute) = self.attribute else { return Vec::new() };
        // Values in both lists were refused before.
        high_codes(attribute, high, low, &mut Vec::new()).unwrap_or_default()
    }

    fn count(&self, code: u32) -> u64 {
        self.attribute.map_or(0, |attribute| u64::from(attribute.counts()[code as usize]))
    }

    /// How often each of the other values occurs.
    fn others(&self, codes: &[u32]) -> Vec<u64> {
        let all = (0..).zip(self.counts());
        let others = all.filter(|(code, _)| codes.binary_search(code).is_err());
        others.map(|(_, count)| count).collect()
    }

    /// What cannot be reached, and why.
    fn no(&self, why: &str, nearest: Option<String>) -> Infeasible {
        let about = self.about;
        let of = about.attribute().map_or(String::new(), |name| format!(" of `{name}`"));
        let (model, parameters) = (about.model(), about.parameters());
        let reason = format!("`{model}`{of} with {parameters} cannot be reached: {why}");
        Infeasible::new(reason, nearest)
    }

    fn rows(&self, k: u64) -> Result<(), Infeasible> {
        if k <= self.n_rows {
            return Ok(());
        }
        let rows = count(self.n_rows, "row", "rows");
        let reason = format!("`{}` asks for k = {k}, but the table has {rows}", self.about.model());
        Err(Infeasible::new(reason, at_most("k", self.n_rows)))
    }

    fn distinct(&self, name: &str, fewest: u64, found: usize) -> Result<(), Infeasible> {
        let found = found as u64;
        if fewest <= found {
            return Ok(());
        }
        let values = count(found, "different value", "different values");
        Err(self.no(&format!("the table has {values}"), at_most(name, found)))
    }

    /// Each of these values may fill at most `bound`.
    fn share(
        &self,
        name: &str,
        bound: Ratio,
        counts: &[u64],
        what: &str,
    ) -> Result<(), Infeasible> {
        let least = least_share(counts, self.n_rows, self.droppable);
        if least <= bound {
            return Ok(());
        }
        let nearest = format!("at least {name} = {} is feasible", rounded_up(least));
        Err(self.no(&self.fills(counts, what), Some(nearest)))
    }

    /// Each of these values may fill at most one over `l`.
    fn spread(&self, name: &str, l: Ratio, counts: &[u64], what: &str) -> Result<(), Infeasible> {
        let least = least_share(counts, self.n_rows, self.droppable);
        if least <= Ratio::new(l.den(), l.num()) {
            return Ok(());
        }
        let most = Ratio::new(least.den(), least.num());
        Err(self.no(&self.fills(counts, what), most_above_one(name, most.floor_of(10))))
    }

    /// Each value of each sensitive attribute may fill at most one over `l`. Every attribute in the way
    /// is named.
    fn spread_all(&self, l: u64) -> Result<(), Infeasible> {
        let (mut most, mut in_the_way) = (u64::MAX, Vec::new());
        for attribute in self.sensitive {
            let counts: Vec<u64> = attribute.counts().iter().copied().map(u64::from).collect();
            let least = least_share(&counts, self.n_rows, self.droppable);
            let reached = least.den() / least.num();
            most = most.min(reached);
            if reached < l {
                let largest = counts.iter().copied().max().unwrap_or(0);
                let share = percent(Ratio::new(largest, self.n_rows).value());
                in_the_way.push(format!("one value of `{}` fills {share}", attribute.name()));
            }
        }
        if in_the_way.is_empty() {
            return Ok(());
        }
        let why = format!("{} of the rows{}", in_the_way.join(" and "), self.dropping());
        Err(self.no(&why, at_most("l", most)))
    }

    fn fills(&self, counts: &[u64], what: &str) -> String {
        let largest = counts.iter().copied().max().unwrap_or(0);
        let share = percent(Ratio::new(largest, self.n_rows).value());
        let verb = if what.ends_with("together") { "fill" } else { "fills" };
        format!("{what} {verb} {share} of the rows{}", self.dropping())
    }

    fn dropping(&self) -> String {
        match self.droppable {
            0 => String::new(),
            1 => ", and at most 1 row may be dropped".into(),
            rows => format!(", and at most {} rows may be dropped", grouped(rows)),
        }
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small level")]
    fn entropy(&self, l: Ratio) -> Result<(), Infeasible> {
        const TOLERANCE: f64 = 1e-9;
        let most = most_entropy(self.counts(), self.droppable);
        if l.value().ln() <= most + TOLERANCE {
            return Ok(());
        }
        let why = format!("the whole table has not that much entropy{}", self.dropping());
        let tenths = (most.exp() * 10.0).floor() as u64;
        // With rows to drop the bound is met by parts of rows, perhaps by no whole number of them.
        let nearest = most_above_one("l", tenths).filter(|_| self.droppable == 0);
        Err(self.no(&why, nearest))
    }

    fn recursive(&self, c: Ratio, l: u64) -> Result<(), Infeasible> {
        let mut counts = self.counts();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let cap = lowest_cap(&counts, self.droppable);
        let skipped = usize::try_from(l - 1).unwrap_or(usize::MAX);
        let tail: u64 = counts.iter().skip(skipped).map(|&count| count.min(cap)).sum();
        if tail == 0 {
            return self.distinct("l", l, counts.len());
        }
        let infimum = Ratio::new(cap, tail);
        if infimum < c {
            return Ok(());
        }
        let nearest = format!("c above {} is feasible", rounded_up(infimum));
        Err(self.no(&self.fills(&counts, "one value"), Some(nearest)))
    }

    /// Where rows under a guarding node have that guard, others must stand beside them.
    fn guarded(&self, p: Ratio, given: &Guards) -> Result<(), Infeasible> {
        let Some(index) = self.about.index() else { return Ok(()) };
        let all = guarding(index, given, self.sensitive);
        let found = all.iter().find(|guard| {
            // Dropped rows are best taken from those that are guarded.
            let kept = guard.n_guarded.saturating_sub(self.droppable);
            kept > 0 && Ratio::new(kept, kept + self.n_rows - guard.n_under) > p
        });
        let Some(&Guarding { ref name, n_guarded, n_under }) = found else { return Ok(()) };
        let share = |n: u64| percent(Ratio::new(n, self.n_rows).value());
        let (guarded, others) = (share(n_guarded), share(self.n_rows - n_under));
        let why = format!(
            "{name} is that of {guarded} of the rows, and {others} do not lie under it{}",
            self.dropping()
        );
        let nearest = format!("at least {} is feasible", as_one_class(&all, self.n_rows));
        Err(self.no(&why, Some(nearest)))
    }

    fn numbers(&self, k: u64, e: Ratio) -> Result<(), Infeasible> {
        let Some(attribute) = self.attribute else { return Ok(()) };
        let table = Distribution::new(attribute);
        let cells: Vec<(u32, u64)> = (0..attribute.n_codes()).zip(self.counts()).collect();
        let counts = Counts { table: &table, cells: &cells };
        let numbers = usize::try_from(KeAnonymity::n_numbers(&counts)).unwrap_or(usize::MAX);
        self.distinct("k", k, numbers)?;
        if KeAnonymity::spreads(&counts, e) {
            return Ok(());
        }
        let numbers = || (0..attribute.n_codes()).filter_map(|code| attribute.number(code));
        let width =
            numbers().fold(f64::NEG_INFINITY, f64::max) - numbers().fold(f64::INFINITY, f64::min);
        let nearest = rounded_down(width).map(|e| format!("at most e = {e} is feasible"));
        Err(self.no("the values of the table do not spread that far", nearest))
    }
}

fn at_most(name: &str, level: u64) -> Option<String> {
    (level > 1).then(|| format!("at most {name} = {level} is feasible"))
}

/// The largest level, in tenths and rounded down, where that is above 1.
fn most_above_one(name: &str, tenths: u64) -> Option<String> {
    let level = Ratio::new(tenths, 10);
    let nearest = format!("at most {name} = {} is feasible", level.value());
    (level > Ratio::whole(1)).then_some(nearest)
}

/// A width with one digit, rounded down: in full it could be a cell. None where it is not above 0.
fn rounded_down(width: f64) -> Option<f64> {
    let unit = 10_f64.powf(width.log10().floor());
    let down = (width / unit).floor() * unit;
    (width > 0.0 && down.is_finite() && down > 0.0).then_some(down)
}

/// A share or ratio in hundredths, rounded up.
pub(super) fn rounded_up(ratio: Ratio) -> f64 {
    let down = ratio.floor_of(100);
    let exact = Ratio::new(down, 100) == ratio;
    Ratio::new(down + u64::from(!exact), 100).value()
}
