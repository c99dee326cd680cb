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
//!    have all such rows, and at best all rows of the table that do not lie under its node.
//! 6. No more rows are dropped than leave as many as the promise that needs most.
//!
//! Passing is no proof that all promises can be kept together: `reach` looks for one, and only what has one
//! is suggested instead.

use kohort_core::{Attribute, MissingAs, Ratio};
use kohort_models::{Counts, Distribution, KeAnonymity};

use super::caps::{least_share, lowest_cap, most_entropy};
use super::guarded::{Guarding, guarding};
use super::named::{codes, high_codes};
use super::{About, Asked, Guards, Principle};
use crate::wording::{count, grouped, percent};

pub(super) fn named(about: &About) -> String {
    let of = about.attribute().map_or(String::new(), |name| format!(" of `{name}`"));
    format!("`{}`{of} with {}", about.model(), about.parameters())
}

/// The first promise that no release keeps, and why; the promise is none where nothing was asked of it.
pub(super) fn refuted(
    asked: &Asked,
    sensitive: &[&Attribute],
    n_rows: u64,
    suppressible: u64,
) -> Option<(Option<&'static str>, String)> {
    if n_rows == 0 {
        return Some((None, "the table has no rows".into()));
    }
    // A release has a row, and a class has as many as each promise needs.
    let needed = asked.models().iter().map(|model| model.smallest()).max().unwrap_or(1).max(1);
    let needed = if needed <= n_rows { needed } else { 1 };
    let droppable = suppressible.min(n_rows - needed);
    asked.about().iter().find_map(|about| {
        let attribute = about.index().map(|index| sensitive[index]);
        let is_bound = droppable < suppressible.min(n_rows - 1);
        let needed = is_bound.then_some(needed);
        let table = Table { about, attribute, sensitive, n_rows, droppable, needed };
        table.check().err().map(|reason| (Some(about.model()), reason))
    })
}

/// What one model was asked of.
#[derive(Clone, Copy)]
struct Table<'a> {
    about: &'a About,
    attribute: Option<&'a Attribute>,
    sensitive: &'a [&'a Attribute],
    n_rows: u64,
    droppable: u64,
    // The rows that must be left, where that is why no more may be dropped.
    needed: Option<u64>,
}

impl Table<'_> {
    fn check(&self) -> Result<(), String> {
        match self.about.principle() {
            Principle::K(k) => self.rows(*k),
            Principle::DistinctL(l, _) => self.distinct(*l, self.counts().len()),
            Principle::FrequencyL(l, _) => self.spread(*l, &self.counts(), "one value"),
            Principle::EntropyL(l, _) => self.entropy(*l),
            Principle::Recursive(c, l, _) => self.recursive(*c, *l),
            Principle::AlphaK { alpha, k, values, .. } => {
                self.rows(*k)?;
                self.share(*alpha, &self.chosen(values.as_deref()), "one chosen value")
            }
            Principle::PSensitiveK { p, k } => {
                self.rows(*k)?;
                let n_values = self.sensitive.iter().map(|attribute| values(attribute).len());
                self.distinct(*p, n_values.filter(|&n| n > 0).min().unwrap_or(0))
            }
            Principle::LPdiversity(l) | Principle::LMdiversity(l) => self.spread_all(*l),
            Principle::Lkc { k, c, values, .. } => {
                self.rows(*k)?;
                self.share(*c, &self.chosen(values.as_deref()), "one chosen value")
            }
            Principle::SensitivityClasses { high, low, alpha, l, l_low, .. } => {
                let high = self.high(high, low.as_deref());
                let values: Vec<u64> = high.iter().map(|&code| self.count(code)).collect();
                let together = [values.iter().sum()];
                self.share(*alpha, &together, "the high values together")?;
                if let Some(l) = l {
                    self.spread(*l, &values, "one high value")?;
                }
                let Some(l_low) = l_low else { return Ok(()) };
                self.spread(*l_low, &self.others(&high), "one low value")
            }
            Principle::Ke { k, e, .. } => self.numbers(*k, *e),
            // A number is near itself, and that no number fills more than 1/m is monotone.
            Principle::EpsilonM { m, .. } => {
                self.spread(Ratio::whole(*m), &self.counts(), "one value")
            }
            Principle::Personalized { p, guards, .. } => self.guarded(*p, guards),
            Principle::T(..)
            | Principle::BasicBeta(..)
            | Principle::EnhancedBeta(..)
            | Principle::DeltaDisclosure(..)
            | Principle::DeltaPresence { .. }
            | Principle::KMap { .. }
            | Principle::SampleUniqueness(_)
            | Principle::PopulationUniqueness { .. } => Ok(()),
            Principle::AverageRisk(p) => self.rows(p.den().div_ceil(p.num())),
        }
    }

    /// How often each value of the attribute occurs.
    fn counts(&self) -> Vec<u64> {
        self.attribute.map_or(Vec::new(), values)
    }

    /// How often each chosen value occurs.
    fn chosen(&self, values: Option<&[String]>) -> Vec<u64> {
        let Some(attribute) = self.attribute else { return Vec::new() };
        let codes = codes(attribute, values, &mut Vec::new());
        codes.iter().map(|&code| self.count(code)).collect()
    }

    /// The codes of the highly sensitive values.
    fn high(&self, high: &[String], low: Option<&[String]>) -> Vec<u32> {
        let Some(attribute) = self.attribute else { return Vec::new() };
        // Values in both lists were refused before.
        high_codes(attribute, high, low, &mut Vec::new()).unwrap_or_default()
    }

    fn count(&self, code: u32) -> u64 {
        let Some(attribute) = self.attribute else { return 0 };
        let is_value = attribute.silent() != Some(code);
        if is_value { u64::from(attribute.counts()[code as usize]) } else { 0 }
    }

    /// How often each of the other values occurs.
    fn others(&self, codes: &[u32]) -> Vec<u64> {
        let all = (0..).zip(self.counts());
        let others = all.filter(|(code, _)| codes.binary_search(code).is_err());
        others.map(|(_, count)| count).collect()
    }

    /// What cannot be reached, and why.
    fn no(&self, why: &str) -> String {
        format!("{} cannot be reached: {why}", named(self.about))
    }

    /// The rows of which no value could be learned.
    fn n_silent(&self) -> u64 {
        let silent = |attribute: &Attribute| {
            attribute.silent().map_or(0, |code| u64::from(attribute.counts()[code as usize]))
        };
        self.attribute.map_or_else(|| self.sensitive.iter().map(|a| silent(a)).sum(), silent)
    }

    fn rows(&self, k: u64) -> Result<(), String> {
        if k <= self.n_rows {
            return Ok(());
        }
        let rows = count(self.n_rows, "row", "rows");
        Err(format!("`{}` asks for k = {k}, but the table has {rows}", self.about.model()))
    }

    fn distinct(&self, fewest: u64, found: usize) -> Result<(), String> {
        let found = found as u64;
        // Where nobody has a value there is nothing to promise.
        if fewest <= found || found == 0 && self.n_silent() > 0 {
            return Ok(());
        }
        let values = count(found, "different value", "different values");
        Err(self.no(&format!("the table has {values}")))
    }

    /// Each of these values may fill at most `bound`.
    fn share(&self, bound: Ratio, counts: &[u64], what: &str) -> Result<(), String> {
        let n = shares_of(self.attribute, self.n_rows);
        let least = least_share(counts, n, self.droppable.min(n.saturating_sub(1)));
        if n == 0 || least <= bound {
            return Ok(());
        }
        Err(self.no(&self.fills(counts, what)))
    }

    /// Each of these values may fill at most one over `l`.
    fn spread(&self, l: Ratio, counts: &[u64], what: &str) -> Result<(), String> {
        self.share(Ratio::new(l.den(), l.num()), counts, what)
    }

    /// Each value of each sensitive attribute may fill at most one over `l`. Every attribute in the way
    /// is named.
    fn spread_all(&self, l: u64) -> Result<(), String> {
        let mut in_the_way = Vec::new();
        for attribute in self.sensitive {
            let (counts, n) = (values(attribute), shares_of(Some(*attribute), self.n_rows));
            let least = least_share(&counts, n, self.droppable.min(n.saturating_sub(1)));
            if n > 0 && least > Ratio::new(1, l) {
                let largest = counts.iter().copied().max().unwrap_or(0);
                let share = percent(Ratio::new(largest, n).value());
                in_the_way.push(format!("one value of `{}` fills {share}", attribute.name()));
            }
        }
        if in_the_way.is_empty() {
            return Ok(());
        }
        let why = format!("{} of the rows{}", in_the_way.join(" and "), self.dropping());
        Err(self.no(&why))
    }

    fn fills(&self, counts: &[u64], what: &str) -> String {
        let largest = counts.iter().copied().max().unwrap_or(0);
        let n = shares_of(self.attribute, self.n_rows);
        let share = percent(Ratio::new(largest, n.max(1)).value());
        let verb = if what.ends_with("together") { "fill" } else { "fills" };
        format!("{what} {verb} {share} of the rows{}", self.dropping())
    }

    fn dropping(&self) -> String {
        let left = match self.needed {
            None => String::new(),
            Some(needed) => format!(" since {} must be left", grouped(needed)),
        };
        match (self.droppable, self.needed) {
            (0, None) => String::new(),
            (0, Some(_)) => format!(", and none may be dropped{left}"),
            (1, _) => format!(", and at most 1 row may be dropped{left}"),
            (rows, _) => format!(", and at most {} rows may be dropped{left}", grouped(rows)),
        }
    }

    fn entropy(&self, l: Ratio) -> Result<(), String> {
        const TOLERANCE: f64 = 1e-9;
        let most = most_entropy(self.counts(), self.droppable);
        if l.value().ln() <= most + TOLERANCE || self.counts().is_empty() {
            return Ok(());
        }
        let why = format!("the whole table does not have that much entropy{}", self.dropping());
        Err(self.no(&why))
    }

    fn recursive(&self, c: Ratio, l: u64) -> Result<(), String> {
        let mut counts = self.counts();
        if counts.is_empty() {
            return self.distinct(l, 0);
        }
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let cap = lowest_cap(&counts, self.droppable);
        let skipped = usize::try_from(l - 1).unwrap_or(usize::MAX);
        let tail: u64 = counts.iter().skip(skipped).map(|&count| count.min(cap)).sum();
        if tail == 0 {
            return self.distinct(l, counts.len());
        }
        if Ratio::new(cap, tail) < c {
            return Ok(());
        }
        Err(self.no(&self.fills(&counts, "one value")))
    }

    /// Where rows under a guarding node have that guard, others must stand beside them.
    fn guarded(&self, p: Ratio, given: &Guards) -> Result<(), String> {
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
        Err(self.no(&why))
    }

    fn numbers(&self, k: u64, e: Ratio) -> Result<(), String> {
        let Some(attribute) = self.attribute else { return Ok(()) };
        let table = Distribution::new(attribute);
        let all = attribute.counts().iter().map(|&count| u64::from(count));
        let cells: Vec<(u32, u64)> = (0..).zip(all).collect();
        let counts = Counts { table: &table, cells: &cells };
        if counts.is_silent() {
            return Ok(());
        }
        let numbers = usize::try_from(KeAnonymity::n_numbers(&counts)).unwrap_or(usize::MAX);
        self.distinct(k, numbers)?;
        if KeAnonymity::spreads(&counts, e) {
            return Ok(());
        }
        Err(self.no("the values of the table do not range that far"))
    }
}

/// How often each value of an attribute occurs that could be learned.
fn values(attribute: &Attribute) -> Vec<u64> {
    let told = (0..).zip(attribute.counts()).filter(|&(code, _)| attribute.silent() != Some(code));
    told.map(|(_, &count)| u64::from(count)).collect()
}

/// How many of the rows the shares of an attribute's values are of.
fn shares_of(attribute: Option<&Attribute>, n_rows: u64) -> u64 {
    match attribute {
        Some(attribute) if attribute.missing_as() == MissingAs::Ignored => {
            values(attribute).iter().sum()
        }
        _ => n_rows,
    }
}

/// A share or ratio in hundredths, rounded up.
pub(super) fn rounded_up(ratio: Ratio) -> f64 {
    let down = ratio.floor_of(100);
    let exact = Ratio::new(down, 100) == ratio;
    Ratio::new(down + u64::from(!exact), 100).value()
}
