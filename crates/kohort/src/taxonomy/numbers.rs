//! Numbers grouped by equal widths or by ranges.

use std::fmt;

use kohort_core::{Level, Values};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::buckets::is_touching;
use super::exact::{self, Units};
use super::{bad_parameter, index, level_of_runs};
use crate::Error;

/// A number of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged, expecting = "expected a number")]
pub enum Number {
    /// A whole number.
    Integer(i64),
    /// A number with a fraction.
    Decimal(f64),
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(number) => write!(f, "{number}"),
            Self::Decimal(number) => write!(f, "{number}"),
        }
    }
}

impl Number {
    /// Whether borders can be computed with it exactly.
    pub(super) fn is_usable(self) -> bool {
        let size = match self {
            Self::Integer(number) => return number.unsigned_abs() < 1_000_000_000_000_000_000,
            Self::Decimal(number) => number.abs(),
        };
        // A NaN fails the comparison.
        size < exact::MAX_BORDER && self.decimals() <= exact::MAX_SCALE
    }

    pub(super) fn decimals(self) -> usize {
        exact::decimals(&self.to_string())
    }

    pub(super) fn units(self, scale: usize) -> i128 {
        exact::units(&self.to_string(), scale).expect("borders are below 10^18").floor
    }
}

fn listed(numbers: &[Number]) -> String {
    let texts: Vec<String> = numbers.iter().map(Number::to_string).collect();
    format!("[{}]", texts.join(", "))
}

/// Levels of equally wide ranges. Where a width is no multiple of a narrower one, the narrower ranges end where
/// the wider one does: of widths 2 and 5, they are [0, 1], [2, 3], [4, 4], [5, 6] and so on.
#[derive(Clone, Debug, PartialEq)]
pub struct Widths {
    // Invariant: not empty, positive, each larger than the one before.
    widths: Vec<Number>,
    origin: Option<Number>,
}

impl Widths {
    /// Ranges of these widths, the narrowest first; one of them starts at `origin`, or at 0.
    pub fn new(widths: Vec<Number>, origin: Option<Number>) -> Result<Self, Error> {
        let refuse = |expected| Err(bad_parameter("widths", listed(&widths), expected));
        if !widths.iter().chain(&origin).all(|number| number.is_usable()) {
            return refuse("numbers below 10^18 with at most 12 decimals");
        }
        let made = Self { widths, origin };
        let scale = made.scale();
        let units: Vec<i128> = made.widths.iter().map(|width| width.units(scale)).collect();
        let rises = |pair: &[i128]| pair[1] > pair[0];
        if units.first().is_none_or(|&width| width <= 0) || !units.windows(2).all(rises) {
            let expected = "positive numbers, each larger than the one before";
            return Err(bad_parameter("widths", listed(&made.widths), expected));
        }
        Ok(made)
    }

    /// The widths, the narrowest first.
    pub fn widths(&self) -> &[Number] {
        &self.widths
    }

    /// Where a range starts, if not at 0.
    pub fn origin(&self) -> Option<Number> {
        self.origin
    }

    fn scale(&self) -> usize {
        self.widths.iter().chain(&self.origin).map(|number| number.decimals()).max().unwrap_or(0)
    }

    /// The narrowest range that a number falls in, with its open end; the number is asked for in units of
    /// 10^-scale.
    pub(super) fn range_of(&self, number: impl Fn(usize) -> Option<Units>) -> Option<String> {
        let scale = self.scale();
        let (start, end) = self.around(number(scale)?.floor, 0, scale);
        let text = |units| exact::number(units, scale);
        Some(format!("[{}, {})", text(start), text(end)))
    }

    /// Where the range of a level around a number starts, and where the next one does, in units of 10^-scale.
    fn around(&self, number: i128, level: usize, scale: usize) -> (i128, i128) {
        let origin = self.origin.map_or(0, |origin| origin.units(scale));
        let wide = self.widths[level..].iter().rev().map(|width| width.units(scale));
        wide.fold((origin, i128::MAX), |(start, end), width| {
            let start = start + (number - start).div_euclid(width) * width;
            (start, end.min(start + width))
        })
    }

    /// The levels over sorted numbers; integers print their last value, decimals their open end.
    pub(super) fn levels(&self, values: &Values) -> Result<Vec<Level>, String> {
        let scale = self.scale();
        let is_integer = matches!(values, Values::Integer(_));
        if is_integer && scale > 0 {
            return Err(format!(
                "`widths` must be whole numbers for integers, but is {}",
                listed(&self.widths)
            ));
        }
        let units = units(values, scale, "widths")?;
        let levels = (0..self.widths.len()).map(|level| {
            let keys = units.iter().map(|value| self.around(value.floor, level, scale));
            level_of_runs(keys, |&(start, end)| {
                let text = |units| exact::number(units, scale);
                match is_integer {
                    true if end - start == 1 => text(start),
                    true => format!("[{}, {}]", text(start), text(end - 1)),
                    false => format!("[{}, {})", text(start), text(end)),
                }
            })
        });
        Ok(levels.collect())
    }
}

fn units(values: &Values, scale: usize, name: &str) -> Result<Vec<Units>, String> {
    exact::units_of_values(values, scale)
        .ok_or_else(|| format!("`{name}` is for numbers below 10^24, but a value is larger"))
}

/// Levels of ranges written out. A range includes both its ends, except that one which ends where the
/// next starts leaves that point to the next.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranges {
    // Invariant: each level rises without overlap, and its ranges lie within ranges of the next level.
    levels: Vec<Vec<[Number; 2]>>,
}

impl Ranges {
    /// Levels of ranges, the narrowest level first.
    pub fn new(mut levels: Vec<Vec<[Number; 2]>>) -> Result<Self, Error> {
        let numbers = || levels.iter().flatten().flatten();
        if let Some(number) = numbers().find(|number| !number.is_usable()) {
            let expected = "numbers below 10^18 with at most 12 decimals";
            return Err(bad_parameter("ranges", number.to_string(), expected));
        }
        let scale = numbers().map(|number| number.decimals()).max().unwrap_or(0);
        let units = |range: &[Number; 2]| range.map(|number| number.units(scale));
        if levels.is_empty() || levels.iter().any(Vec::is_empty) {
            return Err(bad_parameter("ranges", "[]".into(), "at least one range per level"));
        }
        for level in &mut levels {
            level.sort_by_key(units);
            if let Some(range) = level.iter().find(|range| units(range)[0] > units(range)[1]) {
                let expected = "pairs of a lower and an upper end";
                return Err(bad_parameter("ranges", listed(range), expected));
            }
            let overlap = |pair: &&[[Number; 2]]| {
                let (a, b) = (units(&pair[0]), units(&pair[1]));
                b[0] < a[1] || b[0] == a[0]
            };
            if let Some([first, second, ..]) = level.windows(2).find(overlap) {
                let found = format!("{} and {}", listed(first), listed(second));
                return Err(bad_parameter("ranges", found, "without overlap"));
            }
        }
        for pair in levels.windows(2) {
            let is_inside = |range: &&[Number; 2]| {
                let [start, end] = units(range);
                let at = pair[1].partition_point(|above| units(above)[0] <= start);
                at > 0 && end <= units(&pair[1][at - 1])[1]
            };
            if let Some(range) = pair[0].iter().find(|range| !is_inside(range)) {
                let expected = "each within one range of the level above";
                return Err(bad_parameter("ranges", listed(range), expected));
            }
        }
        Ok(Self { levels })
    }

    /// The levels, each in rising order.
    pub fn levels(&self) -> &[Vec<[Number; 2]>] {
        &self.levels
    }

    /// The narrowest range that a number falls in; the number is asked for in units of 10^-scale.
    pub(super) fn range_of(&self, number: impl Fn(usize) -> Option<Units>) -> Option<String> {
        let ranges = &self.levels[0];
        let scale = ranges.iter().flatten().map(|end| end.decimals()).max().unwrap_or(0);
        let value = number(scale)?;
        let at =
            ranges.partition_point(|range| range[0].units(scale) <= value.floor).checked_sub(1)?;
        let [first, last] = ranges[at];
        let is_open = is_touching(ranges, at);
        let end = Units { floor: last.units(scale), has_rest: false };
        let close = if is_open { ')' } else { ']' };
        (value <= end).then(|| format!("[{first}, {last}{close}"))
    }

    /// The levels over sorted numbers, or the values that fall in no range of some level.
    pub(super) fn levels_of(&self, values: &Values) -> Result<(Vec<Level>, Vec<u32>), String> {
        let scale = (self.levels.iter().flatten().flatten())
            .map(|number| number.decimals())
            .max()
            .unwrap_or(0);
        let units = units(values, scale, "ranges")?;
        let mut gaps = Vec::new();
        let mut levels = Vec::new();
        for ranges in &self.levels {
            let starts: Vec<i128> = ranges.iter().map(|range| range[0].units(scale)).collect();
            let ends: Vec<i128> = ranges.iter().map(|range| range[1].units(scale)).collect();
            let is_touching = |range: usize| starts.get(range + 1) == Some(&ends[range]);
            if let (Values::Integer(_), Some(range)) =
                (values, (0..ranges.len()).find(|&range| is_touching(range)))
            {
                return Err(format!(
                    "`ranges` of integers must not share an end, but {} and {} do",
                    listed(&ranges[range]),
                    listed(&ranges[range + 1])
                ));
            }
            let find = |value: &Units| {
                let range = starts.partition_point(|&start| start <= value.floor).checked_sub(1)?;
                let end = Units { floor: ends[range], has_rest: false };
                (*value <= end).then_some(range)
            };
            let found: Vec<Option<usize>> = units.iter().map(find).collect();
            gaps.extend((0..found.len()).filter(|&value| found[value].is_none()).map(index));
            levels.push(level_of_runs(found.into_iter().flatten(), |&range| {
                let close = if is_touching(range) { ')' } else { ']' };
                format!("[{}, {}{close}", ranges[range][0], ranges[range][1])
            }));
        }
        gaps.sort_unstable();
        gaps.dedup();
        Ok((levels, gaps))
    }
}
