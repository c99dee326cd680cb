//! What a released cell says about an original value.

use std::collections::BTreeMap;

use super::HIDING;

/// What a column is to the people in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Identifier,
    Quasi,
    Sensitive,
    Insensitive,
}

/// What the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Integer,
    Decimal,
    /// Days as `2024-02-29`.
    Date,
    Text,
}

/// How the values of a column are made coarser.
#[derive(Clone, Debug)]
pub(crate) enum Tree {
    /// Not at all, or as exact ranges.
    Flat,
    /// Characters are masked from the right.
    Mask,
    /// Ranges of these widths.
    Widths(Vec<usize>),
    /// Month, quarter and year.
    Calendar,
    /// For each value the nodes above it, the lowest first; the last is `*`.
    Levels(BTreeMap<String, Vec<String>>),
}

/// What promises about a sensitive column count.
#[derive(Clone, Debug)]
pub(crate) enum Buckets {
    /// Its values.
    None,
    /// Ranges of numbers, each of which but the first starts at one of these.
    Cuts(Vec<i64>),
    /// The nodes of a level of its tree, 1 being the one above the values.
    Level(usize),
}

/// What a missing cell of a sensitive column says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// Nothing: promises are about the rows with a value.
    Ignored,
    /// That it is missing, as a value like any other.
    Value,
    /// Nothing that needs protection; it is a row in which a value may be.
    Unprotected,
}

impl Missing {
    /// The cells of a class that a promise about values is about; none where it promises nothing.
    pub(crate) fn read<'a>(self, class: &[&'a str]) -> Vec<&'a str> {
        let has_value = class.iter().any(|cell| !cell.is_empty());
        match self {
            Self::Value => class.to_vec(),
            Self::Unprotected if has_value => {
                let read = |&cell: &&'a str| if cell.is_empty() { HIDING } else { cell };
                class.iter().map(read).collect()
            }
            _ => class.iter().copied().filter(|cell| !cell.is_empty()).collect(),
        }
    }
}

/// A column of a table, as a plan describes it.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) kind: Kind,
    pub(crate) tree: Tree,
    pub(crate) buckets: Buckets,
    pub(crate) missing: Missing,
}

impl Column {
    /// The one spelling of a value: numbers have several.
    pub(crate) fn value(&self, text: &str) -> String {
        if is_missing(text) {
            return String::new();
        }
        let text = bare(text);
        match (self.kind, text.parse::<f64>()) {
            (Kind::Integer | Kind::Decimal, Ok(number)) => number.to_string(),
            _ => text,
        }
    }

    /// What promises about the column count: the bucket of a value, or the value itself.
    pub(crate) fn counted(&self, text: &str) -> String {
        let value = self.value(text);
        match (&self.buckets, value.parse::<f64>()) {
            (Buckets::Cuts(cuts), Ok(number)) => {
                let bucket = cuts.iter().filter(|&&cut| number >= as_float(cut)).count();
                format!("bucket {bucket}")
            }
            (Buckets::Level(level), _) => {
                self.above(&value).get(level - 1).cloned().unwrap_or(value)
            }
            _ => value,
        }
    }

    /// The nodes above a value.
    pub(crate) fn above(&self, value: &str) -> &[String] {
        match &self.tree {
            Tree::Levels(levels) => levels.get(value).map_or(&[], Vec::as_slice),
            _ => &[],
        }
    }
}

fn as_float(number: i64) -> f64 {
    f64::from(i32::try_from(number).expect("numbers of a campaign are small"))
}

/// Whether a cell is missing; the program knows more tokens, which no campaign writes.
pub(crate) fn is_missing(text: &str) -> bool {
    matches!(text.trim(), "" | "NA")
}

/// Whether a released cell covers an original value; `None` for a notation that is not read here.
pub(crate) fn covers(column: &Column, cell: &str, value: &str) -> Option<bool> {
    let (shown, meant) = (bare(cell), bare(value));
    let found = covers_bare(column, &shown, &meant);
    // Nobody sees the difference, and programs may.
    if shown == cell.trim() && meant == value.trim() { found } else { found.filter(|is| !is) }
}

/// A text without blanks around it and characters that show nothing.
pub(crate) fn bare(text: &str) -> String {
    let shows = |c: &char| !matches!(c, '\u{200b}' | '\u{feff}' | '\u{2060}');
    text.chars().filter(shows).collect::<String>().trim().to_owned()
}

fn covers_bare(column: &Column, cell: &str, value: &str) -> Option<bool> {
    if cell == "*" || cell == value {
        return Some(true);
    }
    match (is_missing(cell), is_missing(value)) {
        (true, true) => return Some(true),
        // Some tools write nothing in the place of a suppressed cell.
        (true, false) => return None,
        // A set may have a missing value among its members.
        (false, true) if cell.starts_with('{') => return None,
        (false, true) => return Some(false),
        (false, false) => {}
    }
    if let Some(set) = cell.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        return Some(
            set.split(',').any(|member| column.value(member.trim()) == column.value(value)),
        );
    }
    match column.kind {
        Kind::Integer | Kind::Decimal => covers_number(column, cell, value),
        Kind::Date => covers_date(cell, value),
        Kind::Text => covers_text(column, cell, value),
    }
}

fn covers_number(column: &Column, cell: &str, value: &str) -> Option<bool> {
    let number: f64 = value.parse().ok()?;
    if let Ok(other) = cell.parse::<f64>() {
        return Some(is_same(other, number));
    }
    if column.above(value).iter().any(|label| label == cell) {
        return Some(true);
    }
    if let Some(range) = Range::read(cell) {
        let (low, high) = (range.low.parse::<f64>().ok()?, range.high.parse::<f64>().ok()?);
        let is_above = low < number || (range.has_low && is_same(low, number));
        let is_below = number < high || (range.has_high && is_same(number, high));
        return Some(is_above && is_below);
    }
    is_notation(cell, "0123456789.-").then_some(()).map_or(Some(false), |()| None)
}

fn is_same(a: f64, b: f64) -> bool {
    a.total_cmp(&(b + 0.0)).is_eq() || (a - b).abs() < 1e-12
}

fn covers_date(cell: &str, value: &str) -> Option<bool> {
    let (year, month) = (value.get(..4)?, value.get(..7)?);
    if cell == year || cell == month {
        return Some(true);
    }
    if let Some((of_year, quarter)) = cell.split_once("-Q") {
        let of_month: usize = value.get(5..7)?.parse().ok()?;
        return Some(of_year == year && quarter.parse() == Ok(of_month.div_ceil(3)));
    }
    if let Some(range) = Range::read(cell) {
        let is_above = range.low < value || (range.has_low && range.low == value);
        let is_below = value < range.high || (range.has_high && range.high == value);
        return Some(is_above && is_below);
    }
    let looks_like_one = is_notation(cell, "0123456789-:T") && !matches!(cell.len(), 4 | 7 | 10);
    if looks_like_one { None } else { Some(false) }
}

fn covers_text(column: &Column, cell: &str, value: &str) -> Option<bool> {
    match &column.tree {
        Tree::Levels(_) => Some(column.above(value).iter().any(|label| label == cell)),
        Tree::Mask => {
            let prefix = cell.trim_end_matches('*');
            let n_masked = cell.len() - prefix.len();
            if n_masked == 0 {
                return Some(false);
            }
            let has_length = prefix.chars().count() + n_masked == value.chars().count();
            match (value.starts_with(prefix), has_length) {
                (false, _) => Some(false),
                (true, true) => Some(true),
                (true, false) => None,
            }
        }
        _ => Some(false),
    }
}

/// Whether a text may be a range or a pattern that is written with these characters.
fn is_notation(cell: &str, characters: &str) -> bool {
    cell.chars().all(|c| characters.contains(c) || "<>=*[](){}, ;".contains(c))
}

/// A range as it is written: `[20, 29]`, `[20, 30)`.
struct Range<'a> {
    low: &'a str,
    high: &'a str,
    has_low: bool,
    has_high: bool,
}

impl<'a> Range<'a> {
    fn read(cell: &'a str) -> Option<Self> {
        let inside = cell.strip_prefix(['[', '('])?.strip_suffix([']', ')'])?;
        let (low, high) = inside.split_once(',')?;
        let (has_low, has_high) = (cell.starts_with('['), cell.ends_with(']'));
        Some(Self { low: low.trim(), high: high.trim(), has_low, has_high })
    }
}
