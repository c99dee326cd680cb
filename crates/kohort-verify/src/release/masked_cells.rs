//! What a sensitive cell of a release means that does not show one value.
//!
//! # The rule
//! A sensitive cell of a release is a set of possible values:
//! - a value of the attribute is itself. Spellings of one number, blanks around a text, characters that show
//!   nothing (U+200B and the like) and another composition of the same characters (`é` as one or as two) make
//!   no second value.
//! - `*`, a set (`{flu, HIV}`), the label of a node of the taxonomy and, between numbers or dates, a range
//!   are masked: any value that they cover is possible. Where the original is known, every text that is
//!   none of its values is masked; one that covers none of them may be any value, and is untruthful.
//! - where values are counted in buckets, a value is its bucket, and a masked cell may be in the bucket of
//!   any value that it covers.
//! - a missing cell is missing, and what that says is declared ([`kohort_core::MissingAs`]). It is never a
//!   mask: where the original has a value, a missing cell is untruthful.
//!
//! What `*` may be: the values that the release shows or its sets and ranges name, those of the taxonomy,
//! those that the goal names, and those of the original. A value that nobody has seen is no worse than one
//! of the class, since it only makes the class more diverse.
//!
//! A promise about sensitive values must hold for **every** way to fill the masked cells of a class.
//! `Fillings::holds` tries those where all masked cells of a class that allow the same values have one
//! value. These decide: let x be the counts of the values of a class. The fillings of m cells that allow the
//! same values are the points of a simplex with whole coordinates, those tried are its corners, and for
//! several sets of possible values both are products of such. Every model breaks its promise where some
//! function of x is too large that is quasi-convex, and such a function is largest at a corner:
//! - shares (frequency, alpha, l-pdiversity, l-mdiversity, LKC, sensitivity classes, beta, delta-disclosure,
//!   what lies under a guarding node) are ratios of linear functions, also where rows without a value
//!   do not count;
//! - |x| · entropy is concave; r₁ − c · (r_l + …) is convex, being r₁ plus c times the sum of the l − 1
//!   largest, less c · |x|; |x| times the earth mover's distance from a fixed table is convex;
//! - fewer values, and a narrower range of numbers, are had by using fewer values: every filling has all
//!   the values of some corner (distinct l, p, (k,e)).
//! - personalized privacy is broken where a guard is there and too much lies under its node. One cell is
//!   enough for a guard to be there: of each kind of masked cells one is filled apart from the others.
//!
//! Fillings are not limited by how often the original has a value: what fails for a filling that the
//! original does not allow is refused, being undecided. So is a class with too many fillings to try.
//!
//! The distribution of the whole table, which t-closeness, beta-likeness and delta-disclosure privacy compare
//! with, is the original's where cells are masked; without an original it is unknown, and the promise is
//! undecided in every class.
//!
//! # In nested records
//! `*` in the place of a sensitive value says that it was cut off. Vertices that nobody can tell apart (an orbit)
//! are to their values what a class is to those of a table: where some of them show a value and others `*`, a
//! promise must hold for every way to fill these, so all of them count as the most frequent value, and as an
//! occurrence for every rule. That decides frequency l-diversity, since a share grows by every cell that is
//! filled with its value, and rules, which are kept by fewer occurrences. Where nobody of an orbit shows a
//! value, nothing is published about it: what is promised then is about all values that are not in the release
//! (`nested/left_out`). Sets, ranges and labels are refused there, being undecided; a missing cell is missing.
//!
//! # In series
//! Values are followed from release to release: every sensitive cell that does not show one value is refused,
//! and a missing one that is not declared a value.
//!
//! # Against an adversary
//! An adversary guesses a value, never `*` or, unless it is one, missing. He takes the masked cells
//! of a class to be distributed like those that the class shows ([`fill_likeliest`]). The largest
//! probability that a judge tells is that of the worst filling.

use std::collections::BTreeMap;

use kohort_core::{
    Attribute, Codes, Column, Dataset, DateFormat, Dictionary, Error, Grouping, Masked, Missing,
    Table, ValueType,
};
use kohort_models::{Class, ClassModel, Counts, Distribution, tally};

use super::cells::Published;
use super::notation::{Range, is_mask, says_nothing, set};

/// The most fillings of a class that are tried, where it has several kinds of masked cells.
const MOST_FILLINGS: usize = 1 << 14;

/// The sensitive values of one class: what its rows show, and what its masked cells may be.
pub(crate) struct Fillings<'a> {
    sensitive: &'a [&'a Attribute],
    distributions: &'a [Distribution<'a>],
    size: u64,
    cells: Vec<Vec<(u32, u64)>>,
    masked: Vec<Kind<'a>>,
}

/// Masked cells of a class that allow the same values.
#[derive(Clone, Copy)]
struct Kind<'a> {
    attribute: usize,
    allowed: &'a [u32],
    n_cells: u64,
}

impl<'a> Fillings<'a> {
    pub(crate) fn new(
        sensitive: &'a [&'a Attribute],
        distributions: &'a [Distribution<'a>],
    ) -> Self {
        let cells = vec![Vec::new(); sensitive.len()];
        Self { sensitive, distributions, size: 0, cells, masked: Vec::new() }
    }

    /// Reads a class.
    pub(crate) fn read(&mut self, members: &[u32]) {
        self.size = members.len() as u64;
        self.masked.clear();
        for (index, (&attribute, cells)) in self.sensitive.iter().zip(&mut self.cells).enumerate() {
            let n_codes = attribute.n_codes() as usize;
            let code = |&row: &u32| (attribute.codes().get(row as usize), 1);
            let Some(masked) = attribute.masked() else {
                tally(members.iter().map(code), n_codes, cells);
                continue;
            };
            let is_shown = |row: &&u32| masked.kind(**row).is_none();
            let shown: Vec<(u32, u64)> = members.iter().filter(is_shown).map(code).collect();
            tally(shown.into_iter(), n_codes, cells);
            let mut kinds: BTreeMap<u32, u64> = BTreeMap::new();
            for kind in members.iter().filter_map(|&row| masked.kind(row)) {
                *kinds.entry(kind).or_default() += 1;
            }
            let kinds = kinds.into_iter().map(|(kind, n_cells)| Kind {
                attribute: index,
                allowed: masked.allowed(kind),
                n_cells,
            });
            self.masked.extend(kinds);
        }
    }

    /// Whether the class has a masked cell.
    pub(crate) fn is_masked(&self) -> bool {
        !self.masked.is_empty()
    }

    /// Whether the class keeps a promise however its masked cells are filled.
    pub(crate) fn holds(&self, model: &dyn ClassModel) -> bool {
        if !self.is_masked() || !model.needs_values() {
            return self.holds_with(model, &self.cells);
        }
        let mut cells = self.cells.clone();
        // Personalized privacy needs this; (epsilon,m)-anonymity does not, and is judged alike.
        if !model.is_monotone() {
            let apart = |kind: &Kind<'a>| {
                let (one, others) = (kind.n_cells.min(1), kind.n_cells - 1);
                let parts = [one, others].map(|n_cells| Kind { n_cells, ..*kind });
                parts.into_iter().filter(|part| part.n_cells > 0)
            };
            let masked: Vec<Kind<'_>> = self.masked.iter().flat_map(apart).collect();
            return n_fillings(&masked) <= MOST_FILLINGS && self.all(model, &mut cells, &masked);
        }
        if n_fillings(&self.masked) <= MOST_FILLINGS {
            return self.all(model, &mut cells, &self.masked);
        }
        // All others judge each attribute by itself: it suffices to fill one after the other, beside any
        // filling of the others.
        self.masked.chunk_by(|a, b| a.attribute == b.attribute).all(|kinds| {
            let is_other = |kind: &&Kind<'_>| kind.attribute != kinds[0].attribute;
            let mut cells = self.cells.clone();
            for other in self.masked.iter().filter(is_other) {
                add(&mut cells[other.attribute], other.allowed[0], other.n_cells);
            }
            (kinds.len() == 1 || n_fillings(kinds) <= MOST_FILLINGS)
                && self.all(model, &mut cells, kinds)
        })
    }

    /// Whether every filling of these kinds of cells keeps the promise, beside what is there.
    fn all(
        &self,
        model: &dyn ClassModel,
        cells: &mut Vec<Vec<(u32, u64)>>,
        masked: &[Kind<'_>],
    ) -> bool {
        let Some((kind, others)) = masked.split_first() else {
            return self.holds_with(model, cells);
        };
        kind.allowed.iter().all(|&code| {
            add(&mut cells[kind.attribute], code, kind.n_cells);
            let holds = self.all(model, cells, others);
            remove(&mut cells[kind.attribute], code, kind.n_cells);
            holds
        })
    }

    fn holds_with(&self, model: &dyn ClassModel, cells: &[Vec<(u32, u64)>]) -> bool {
        let counts: Vec<Counts<'_>> = (self.distributions.iter().zip(cells))
            .map(|(table, cells)| Counts { table, cells })
            .collect();
        model.holds(&Class { size: self.size, sensitive: &counts })
    }
}

fn n_fillings(masked: &[Kind<'_>]) -> usize {
    masked.iter().fold(1, |product, kind| product.saturating_mul(kind.allowed.len()))
}

fn add(cells: &mut Vec<(u32, u64)>, code: u32, n_cells: u64) {
    match cells.binary_search_by_key(&code, |&(code, _)| code) {
        Ok(at) => cells[at].1 += n_cells,
        Err(at) => cells.insert(at, (code, n_cells)),
    }
}

fn remove(cells: &mut Vec<(u32, u64)>, code: u32, n_cells: u64) {
    if let Ok(at) = cells.binary_search_by_key(&code, |&(code, _)| code) {
        cells[at].1 -= n_cells;
        if cells[at].1 == 0 {
            cells.remove(at);
        }
    }
}

/// For each text of a released sensitive column, whether it is masked. `is_value` knows some texts to be
/// values, or not to be; the others are told by how they look. `declared` is the type that the plan gives
/// the column.
pub fn masked_texts(
    release: &Table,
    column: &Column,
    declared: Option<ValueType>,
    is_value: &dyn Fn(&str) -> Option<bool>,
) -> Vec<bool> {
    #[derive(Clone, Copy, PartialEq)]
    enum Looks {
        Value,
        Masked,
        Range,
    }
    let looks = |text: &str| match is_value(text) {
        _ if release.missing().is(text) => Looks::Value,
        Some(false) => Looks::Masked,
        None if says_nothing(text) || is_mask(text) || set(text).is_some() => Looks::Masked,
        None if Range::parse(text, number).is_some() => Looks::Range,
        Some(true) | None => Looks::Value,
    };
    let looks: Vec<Looks> = column.dictionary().iter().map(looks).collect();
    if looks.iter().all(|looks| *looks == Looks::Value) {
        return vec![false; looks.len()];
    }
    // Where all that is left are numbers or dates, a range is one of them. A column of nothing but ranges
    // has them as its values.
    let mut rest = Dictionary::default();
    for (text, _) in column.dictionary().iter().zip(&looks).filter(|(_, l)| **l == Looks::Value) {
        rest.intern(text.as_bytes(), 0).expect("it is the text of a column");
    }
    let rest = Column::new(String::new(), rest, Codes::default(), release.missing());
    let is_ordered = declared.unwrap_or(rest.value_type()).is_ordered();
    let is_masked = |looks: Looks| looks == Looks::Masked || looks == Looks::Range && is_ordered;
    looks.into_iter().map(is_masked).collect()
}

/// The values that a masked text names: those of a set, and the bounds of a range.
pub fn named_values(text: &str) -> Vec<&str> {
    if let Some(values) = set(text) {
        return values.collect();
    }
    let range = Range::parse(text, number);
    let bounds = range.into_iter().flat_map(|range| [range.lo, range.hi]);
    bounds.flatten().map(str::trim).collect()
}

/// The number that a bound of a range looks like; dates are all one.
fn number(bound: &str) -> Option<f64> {
    let is_date = || DateFormat::ALL.iter().any(|&format| ValueType::Date.reads(bound, format));
    bound.trim().parse().ok().or_else(|| is_date().then_some(0.0))
}

/// The column with its masked cells empty. `more` are values that it may have, too.
pub fn without_masked<'t>(
    column: &Column,
    is_masked: &[bool],
    more: impl Iterator<Item = &'t str>,
    missing: &Missing,
) -> Column {
    let mut dictionary = Dictionary::default();
    let mut intern = |text: &str, line| {
        dictionary.intern(text.as_bytes(), line).expect("texts of a column are texts")
    };
    let texts = (0..).zip(column.dictionary().iter()).zip(is_masked);
    let to: Vec<u32> = texts
        .map(|((entry, text), is_masked)| {
            let line = column.dictionary().first_line(entry);
            intern(if *is_masked { "" } else { text }, line)
        })
        .collect();
    for text in more {
        intern(text, 0);
    }
    let codes = column.codes().recode(&to);
    Column::new(column.name().to_owned(), dictionary, codes, missing)
}

/// The attribute of a released sensitive column, coded `without_masked`, with what its masked cells may be.
pub fn with_masked(
    attribute: Attribute,
    release: &Table,
    is_masked: &[bool],
) -> Result<Attribute, Error> {
    let column = release.column(attribute.name())?;
    let published = Published::read_any(release, None, attribute.exact())?;
    let mut texts = column.dictionary().iter().zip(is_masked);
    let lacks = |(text, is_masked): (&str, &bool)| !is_masked && release.missing().is(text);
    let can_be_missing = texts.any(lacks);
    let is_masked = |entry: u32| is_masked[entry as usize];
    Ok(masked(attribute, column, (is_masked, can_be_missing), &published))
}

/// A released sensitive column in the codes of its original: what is none of its values is masked.
pub(super) fn by_original(
    release: &Table,
    original: &Dataset,
    twin: &Attribute,
) -> Result<Attribute, Error> {
    let column = release.column(twin.name())?;
    let code_of_entry: Vec<Option<u32>> = column
        .dictionary()
        .iter()
        .map(|text| match twin.code_of(text) {
            None if release.missing().is(text) => twin.missing(),
            code => code,
        })
        .collect();
    let to: Vec<u32> = code_of_entry.iter().map(|code| code.unwrap_or(0)).collect();
    let shown = twin.with_codes(Codes::below(
        twin.n_codes(),
        column.codes().iter().map(|entry| to[entry as usize]),
    ));
    if code_of_entry.iter().all(Option::is_some) {
        return Ok(shown);
    }
    let of_original = original.table().column(twin.name())?;
    let published = Published::read_any(release, Some(of_original), twin.exact())?;
    let is_masked = |entry: u32| code_of_entry[entry as usize].is_none();
    Ok(masked(shown, column, (is_masked, true), &published))
}

fn masked(
    attribute: Attribute,
    column: &Column,
    (is_masked, can_be_missing): (impl Fn(u32) -> bool, bool),
    published: &Published,
) -> Attribute {
    let can_be = |code: &u32| can_be_missing || Some(*code) != attribute.missing();
    let mut kind_of: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
    let mut kind_of_entry: Vec<Option<u32>> = Vec::new();
    for entry in 0..column.dictionary().len() {
        if !is_masked(entry) {
            kind_of_entry.push(None);
            continue;
        }
        let intervals = published.covered(entry).iter();
        let values = intervals.flat_map(|&(lo, hi)| lo..=hi);
        let mut allowed: Vec<u32> =
            values.map(|code| attribute.code_of_exact(code)).filter(|code| can_be(code)).collect();
        allowed.sort_unstable();
        allowed.dedup();
        if allowed.is_empty() {
            allowed = (0..attribute.n_codes()).filter(|code| can_be(code)).collect();
        }
        let next = u32::try_from(kind_of.len()).expect("kinds are texts, numbered by u32");
        kind_of_entry.push(Some(*kind_of.entry(allowed).or_insert(next)));
    }
    let mut allowed = vec![Vec::new(); kind_of.len()];
    for (codes, kind) in kind_of {
        allowed[kind as usize] = codes;
    }
    let kinds = column.codes().iter().map(|entry| kind_of_entry[entry as usize]);
    attribute.with_masked(Masked::new(allowed, kinds))
}

/// The attribute as an adversary completes it: the masked cells of a class are taken to be distributed like
/// those that it shows, as far as they allow; where it shows none of what they allow, like the whole table.
/// They stay marked as masked.
#[must_use]
pub fn fill_likeliest(attribute: &Attribute, classes: &Grouping) -> Attribute {
    let Some(masked) = attribute.masked() else { return attribute.clone() };
    let mut codes: Vec<u32> = attribute.codes().iter().collect();
    let (rows, ends) = classes.members();
    let mut start = 0;
    for end in ends {
        let members = &rows[start as usize..end as usize];
        start = end;
        let mut shown: BTreeMap<u32, u64> = BTreeMap::new();
        for &row in members.iter().filter(|&&row| masked.kind(row).is_none()) {
            *shown.entry(codes[row as usize]).or_default() += 1;
        }
        let mut given: BTreeMap<u32, u64> = BTreeMap::new();
        for &row in members {
            let Some(kind) = masked.kind(row) else { continue };
            let allowed = masked.allowed(kind).iter().copied();
            let allowed = allowed.filter(|&code| Some(code) != attribute.silent());
            // Each cell in turn goes to the value that has the most cells for those it was given.
            let weight = |code: u32| {
                let here = shown.get(&code).copied().unwrap_or(0);
                let whole = u64::from(attribute.counts()[code as usize]);
                let parts = given.get(&code).copied().unwrap_or(0) + 1;
                ((u128::from(here) << 64) | u128::from(whole)) / u128::from(parts)
            };
            let likeliest =
                allowed.reduce(|best, next| if weight(next) > weight(best) { next } else { best });
            if let Some(code) = likeliest {
                codes[row as usize] = code;
                *given.entry(code).or_default() += 1;
            }
        }
    }
    let codes = Codes::below(attribute.n_codes(), codes.into_iter());
    attribute.with_codes(codes).with_masked(masked.clone())
}

#[cfg(test)]
mod tests;
