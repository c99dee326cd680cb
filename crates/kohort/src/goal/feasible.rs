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
//! Passing is no proof that all promises can be kept together: `one_class` looks for one, and only what has one
//! is suggested instead.

use kohort_core::{Attribute, MissingAs, Ratio};

use super::caps::least_share;
use super::named::codes;
use super::{About, Asked};
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
        about
            .principle()
            .meaning()
            .necessary(&table)
            .err()
            .map(|reason| (Some(about.model()), reason))
    })
}

/// What one model was asked of.
#[derive(Clone, Copy)]
pub(super) struct Table<'a> {
    pub(super) about: &'a About,
    pub(super) attribute: Option<&'a Attribute>,
    pub(super) sensitive: &'a [&'a Attribute],
    pub(super) n_rows: u64,
    pub(super) droppable: u64,
    // The rows that must be left, where that is why no more may be dropped.
    needed: Option<u64>,
}

impl Table<'_> {
    /// How often each value of the attribute occurs.
    pub(super) fn counts(&self) -> Vec<u64> {
        self.attribute.map_or(Vec::new(), counts_of)
    }

    /// How often each chosen value occurs.
    pub(super) fn chosen(&self, values: Option<&[String]>) -> Vec<u64> {
        let Some(attribute) = self.attribute else { return Vec::new() };
        let codes = codes(attribute, values, &mut Vec::new());
        codes.iter().map(|&code| self.count(code)).collect()
    }

    /// How often a value of the attribute occurs.
    pub(super) fn count(&self, code: u32) -> u64 {
        let Some(attribute) = self.attribute else { return 0 };
        let is_value = attribute.silent() != Some(code);
        if is_value { u64::from(attribute.counts()[code as usize]) } else { 0 }
    }

    /// What cannot be reached, and why.
    pub(super) fn no(&self, why: &str) -> String {
        format!("{} cannot be reached: {why}", named(self.about))
    }

    /// The rows of which no value could be learned.
    fn n_silent(&self) -> u64 {
        let silent = |attribute: &Attribute| {
            attribute.silent().map_or(0, |code| u64::from(attribute.counts()[code as usize]))
        };
        self.attribute.map_or_else(|| self.sensitive.iter().map(|a| silent(a)).sum(), silent)
    }

    /// Asks for a class of this size.
    pub(super) fn rows(&self, k: u64) -> Result<(), String> {
        if k <= self.n_rows {
            return Ok(());
        }
        let rows = count(self.n_rows, "row", "rows");
        Err(format!("`{}` asks for k = {k}, but the table has {rows}", self.about.model()))
    }

    /// Asks for this many values, where these were found.
    pub(super) fn distinct(&self, fewest: u64, found: usize) -> Result<(), String> {
        let found = found as u64;
        // Where nobody has a value there is nothing to promise.
        if fewest <= found || found == 0 && self.n_silent() > 0 {
            return Ok(());
        }
        let values = count(found, "different value", "different values");
        Err(self.no(&format!("the table has {values}")))
    }

    /// Each of these values may fill at most `bound`.
    pub(super) fn share(&self, bound: Ratio, counts: &[u64], what: &str) -> Result<(), String> {
        let n = shares_of(self.attribute, self.n_rows);
        let least = least_share(counts, n, self.droppable.min(n.saturating_sub(1)));
        if n == 0 || least <= bound {
            return Ok(());
        }
        Err(self.no(&self.fills(counts, what)))
    }

    /// Each of these values may fill at most one over `l`.
    pub(super) fn spread(&self, l: Ratio, counts: &[u64], what: &str) -> Result<(), String> {
        self.share(Ratio::new(l.den(), l.num()), counts, what)
    }

    /// Each value of each sensitive attribute may fill at most one over `l`. Every attribute in the way
    /// is named.
    pub(super) fn spread_all(&self, l: u64) -> Result<(), String> {
        let mut in_the_way = Vec::new();
        for attribute in self.sensitive {
            let (counts, n) = (counts_of(attribute), shares_of(Some(*attribute), self.n_rows));
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

    /// How much of the rows the most frequent of these values fills.
    pub(super) fn fills(&self, counts: &[u64], what: &str) -> String {
        let largest = counts.iter().copied().max().unwrap_or(0);
        let n = shares_of(self.attribute, self.n_rows);
        let share = percent(Ratio::new(largest, n.max(1)).value());
        let verb = if what.ends_with("together") { "fill" } else { "fills" };
        format!("{what} {verb} {share} of the rows{}", self.dropping())
    }

    /// How many rows may be dropped, as the end of a sentence.
    pub(super) fn dropping(&self) -> String {
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
}

/// How often each value of an attribute occurs that could be learned.
pub(super) fn counts_of(attribute: &Attribute) -> Vec<u64> {
    let told = (0..).zip(attribute.counts()).filter(|&(code, _)| attribute.silent() != Some(code));
    told.map(|(_, &count)| u64::from(count)).collect()
}

/// How many of the rows the shares of an attribute's values are of.
fn shares_of(attribute: Option<&Attribute>, n_rows: u64) -> u64 {
    match attribute {
        Some(attribute) if attribute.missing_as() == MissingAs::Ignored => {
            counts_of(attribute).iter().sum()
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
