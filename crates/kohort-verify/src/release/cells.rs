//! What the texts of a released quasi-identifier stand for in the original column.
//!
//! A text may be a value, the label of a node, `*`, a range (`[20, 29]`, `[20, 30)`, `20-30`), a set of
//! values (`{20, 29}`) or missing. Where it may be several of these, all are kept: a leaf and a node of one name, two nodes of
//! one name. A missing cell is the missing value where the column has one, and a suppressed cell where
//! the release has no other text for that. A text that is none of these covers nothing, and neither does a number that is no value of
//! the column, such as a mean.

use std::collections::BTreeMap;

use kohort_core::{Attribute, Cell, Column, Error, Kind, Table};

/// The codes from the first to the last of an interval.
pub(crate) type Interval = (u32, u32);

/// What each text of a released column may stand for.
#[derive(Clone, Debug)]
pub(crate) struct Published {
    // For each dictionary entry of the released column, the cells it may be, the narrowest first.
    cells: Vec<Vec<Cell>>,
    // The codes those cells cover, as disjoint intervals in ascending order.
    covered: Vec<Vec<Interval>>,
}

impl Published {
    /// Reads a column of a release as cells of an attribute; `original` is the column that its rows have
    /// their texts in, where it has rows.
    pub(crate) fn read(
        release: &Table,
        original: Option<&Column>,
        attribute: &Attribute,
    ) -> Result<Self, Error> {
        let column = release.column(attribute.name())?;
        Self::read_unless(release, original, attribute, |entry| {
            Err(Error::new(Kind::Published {
                table: release.name().to_owned(),
                place: release.place(column, entry),
                column: column.name().to_owned(),
            }))
        })
    }

    /// Reads a column of a release as cells of an attribute of another table about the same people. A
    /// text that says nothing there covers nothing, and a missing cell is the missing value where the
    /// other table has one.
    pub(crate) fn read_foreign(
        release: &Table,
        other: &Table,
        attribute: &Attribute,
    ) -> Result<Self, Error> {
        let other = Some(other.column(attribute.name())?);
        let mut read = Self::read_unless(release, other, attribute, |_| Ok(()))?;
        let Some(missing) = attribute.missing() else { return Ok(read) };
        let texts = release.column(attribute.name())?.dictionary().iter();
        for (text, covered) in texts.zip(&mut read.covered) {
            if release.missing().is(text) {
                *covered = vec![(missing, missing)];
            }
        }
        Ok(read)
    }

    fn read_unless(
        release: &Table,
        original: Option<&Column>,
        attribute: &Attribute,
        unreadable: impl Fn(u32) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let column = release.column(attribute.name())?;
        let mut reader = Reader::new(original, attribute);
        reader.tells_root = column.dictionary().iter().any(|text| reader.is_root(text));
        let (mut cells, mut covered) = (Vec::new(), Vec::new());
        for (entry, text) in (0..).zip(column.dictionary().iter()) {
            let found = reader.cells(text, release.missing().is(text));
            if found.is_none() {
                unreadable(entry)?;
            }
            let mut found = found.unwrap_or_default();
            let width = |cell: &Cell| {
                let (lo, hi) = attribute.codes_of(*cell);
                (hi - lo, *cell)
            };
            found.sort_by_key(width);
            found.dedup();
            if found.is_empty()
                && let Some(values) = reader.set(text)
            {
                covered.push(union(attribute, &values));
                cells.extend(around(attribute, &values).map(|cell| vec![cell]));
                continue;
            }
            covered.push(union(attribute, &found));
            cells.push(found);
        }
        Ok(Self { cells, covered })
    }

    /// The cells that an entry may be, the narrowest first.
    pub(crate) fn cells(&self, entry: u32) -> &[Cell] {
        &self.cells[entry as usize]
    }

    /// The codes that an entry covers.
    pub(crate) fn covered(&self, entry: u32) -> &[Interval] {
        &self.covered[entry as usize]
    }

    /// Whether an entry covers a code.
    pub(crate) fn covers(&self, entry: u32, code: u32) -> bool {
        self.covered(entry).iter().any(|&(lo, hi)| lo <= code && code <= hi)
    }
}

/// The smallest cell around several.
fn around(attribute: &Attribute, cells: &[Cell]) -> Option<Cell> {
    let ends = || cells.iter().map(|&cell| attribute.codes_of(cell));
    let (lo, hi) = (ends().map(|ends| ends.0).min()?, ends().map(|ends| ends.1).max()?);
    Some(attribute.smallest_cell(lo, hi))
}

/// The codes of several cells as disjoint intervals.
fn union(attribute: &Attribute, cells: &[Cell]) -> Vec<Interval> {
    let mut intervals: Vec<Interval> = cells.iter().map(|&cell| attribute.codes_of(cell)).collect();
    intervals.sort_unstable();
    intervals.dedup_by(|next, kept| {
        let touches = next.0 <= kept.1 + 1;
        if touches {
            kept.1 = kept.1.max(next.1);
        }
        touches
    });
    intervals
}

/// A printed range: `[20, 29]`, `[20, 30)`, `20-30`.
pub(crate) struct Range<'t> {
    // The texts of the bounds.
    lo: &'t str,
    hi: &'t str,
    /// The lower bound.
    pub(crate) low: f64,
    /// The upper bound, not below the lower.
    pub(crate) high: f64,
    /// Whether the lower bound is outside.
    pub(crate) opens: bool,
    /// Whether the upper bound is inside.
    pub(crate) closes: bool,
}

impl<'t> Range<'t> {
    /// Reads a range whose bounds `number` reads.
    pub(crate) fn parse(text: &'t str, number: impl Fn(&str) -> Option<f64>) -> Option<Self> {
        let text = text.trim();
        let inside = text.strip_prefix(['[', '(', ']']);
        let inside = inside.and_then(|rest| rest.strip_suffix([']', ')', '[']));
        let opens = inside.is_some() && !text.starts_with('[');
        let closes = inside.is_none() || text.ends_with(']');
        let bounds = inside.unwrap_or(text);
        let comma = inside.and_then(|bounds| bounds.find(','));
        // A minus may be a sign or a part of a date: the cut is where both sides are values.
        let minus = bounds.char_indices().skip(1).filter(|&(_, c)| c == '-').map(|(at, _)| at);
        let mut cuts = comma.into_iter().chain(minus);
        cuts.find_map(|at| {
            let (lo, hi) = (&bounds[..at], &bounds[at + 1..]);
            let (low, high) = (number(lo)?, number(hi)?);
            (low <= high).then_some(Self { lo, hi, low, high, opens, closes })
        })
    }
}

/// Reads texts as cells of one original column.
struct Reader<'a> {
    attribute: &'a Attribute,
    column: Option<&'a Column>,
    code_of_entry: Vec<u32>,
    nodes: BTreeMap<&'a str, Vec<u32>>,
    // The number of each value, ascending; empty unless the values have an order.
    numbers: Vec<f64>,
    // Whether the release has another text for a cell that was suppressed.
    tells_root: bool,
}

impl<'a> Reader<'a> {
    fn new(column: Option<&'a Column>, attribute: &'a Attribute) -> Self {
        let n_entries = column.map_or(0, |column| column.dictionary().len());
        let mut code_of_entry = vec![0; n_entries as usize];
        if let Some(column) = column {
            for (entry, code) in column.codes().iter().zip(attribute.codes().iter()) {
                code_of_entry[entry as usize] = code;
            }
        }
        let mut nodes: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        for (id, node) in (0..).zip(attribute.taxonomy().nodes()) {
            nodes.entry(&node.label).or_default().push(id);
        }
        let mut numbers: Vec<f64> =
            (0..attribute.n_codes()).filter_map(|code| attribute.number(code)).collect();
        numbers.sort_by(f64::total_cmp);
        Self { attribute, column, code_of_entry, nodes, numbers, tells_root: false }
    }

    /// Whether a text says that a cell was suppressed, and nothing else.
    fn is_root(&self, text: &str) -> bool {
        text == "*" && self.value(text).is_none()
    }

    /// Every cell that a text may be, and none for a text that covers no value; `None` for a range whose
    /// codes do not lie side by side.
    fn cells(&self, text: &str, is_missing: bool) -> Option<Vec<Cell>> {
        let nodes = self.nodes.get(text).into_iter().flatten().map(|&node| Cell::Node(node));
        let star = (text == "*").then_some(Cell::ANY);
        let value = self.value(text).map(Cell::Leaf);
        let mut cells: Vec<Cell> = value.into_iter().chain(nodes).chain(star).collect();
        let missing = self.attribute.missing().map(Cell::Leaf);
        if is_missing && cells.iter().all(|&cell| Some(cell) == missing) {
            cells.extend(missing);
            if missing.is_none() || !self.tells_root {
                cells.push(Cell::ANY);
            }
        }
        if !cells.is_empty() {
            return Some(cells);
        }
        match self.range(text).or_else(|| self.spelled_otherwise(text)) {
            Some((first, end)) => self.between(first, end),
            None => Some(Vec::new()),
        }
    }

    /// The values of a set, such as `{20, 29}`; none where one of them is no value.
    fn set(&self, text: &str) -> Option<Vec<Cell>> {
        let inside = text.trim().strip_prefix('{')?.strip_suffix('}')?;
        inside.split(',').map(|value| self.value(value.trim()).map(Cell::Leaf)).collect()
    }

    /// The code of a text that is a value, in the spelling of the column or another.
    fn value(&self, text: &str) -> Option<u32> {
        match self.column.and_then(|column| column.dictionary().find(text)) {
            Some(entry) => Some(self.code_of_entry[entry as usize]),
            None => self.attribute.code_of(text),
        }
    }

    /// The ranks of the values inside a printed range: the first, and the one after the last.
    fn range(&self, text: &str) -> Option<(usize, usize)> {
        let Range { lo, hi, low, high, opens, closes } =
            Range::parse(text, |bound| self.attribute.number_of(bound))?;
        let first = match self.rank(lo) {
            Some(rank) => rank + usize::from(opens),
            None => self.numbers.partition_point(|&n| n < low || (opens && n <= low)),
        };
        let end = match self.rank(hi) {
            Some(rank) => rank + usize::from(closes),
            None => self.numbers.partition_point(|&n| n < high || (closes && n <= high)),
        };
        Some((first, end))
    }

    /// The ranks of the value that is this number, such as 25 for `25.0`, or of none.
    fn spelled_otherwise(&self, text: &str) -> Option<(usize, usize)> {
        let number = self.attribute.number_of(text)?;
        let first = self.numbers.partition_point(|&other| other < number);
        Some((first, self.numbers.partition_point(|&other| other <= number)))
    }

    fn rank(&self, text: &str) -> Option<usize> {
        let code =
            self.value(text.trim()).filter(|&code| Some(code) != self.attribute.missing())?;
        Some(self.attribute.value_of_code()[code as usize] as usize)
    }

    /// The cell of the values of these ranks; `None` when their codes do not lie side by side.
    fn between(&self, first: usize, end: usize) -> Option<Vec<Cell>> {
        if first >= end {
            return Some(Vec::new());
        }
        let code = |rank: usize| u32::try_from(rank).expect("values are numbered by u32");
        if self.attribute.is_ranged() {
            let (lo, hi) = (code(first), code(end - 1));
            return Some(vec![if lo == hi { Cell::Leaf(lo) } else { Cell::Range { lo, hi } }]);
        }
        let ranks = (0..).zip(self.attribute.value_of_code());
        let mut codes = ranks.filter(|&(_, &rank)| (first..end).contains(&(rank as usize)));
        let lo = codes.next()?.0;
        let hi = codes.last().map_or(lo, |(code, _)| code);
        if hi - lo != code(end - 1 - first) {
            return None;
        }
        let nodes = self.attribute.taxonomy().nodes();
        let node = nodes.iter().rposition(|node| (node.first, node.last) == (lo, hi));
        Some(vec![match node {
            _ if lo == hi => Cell::Leaf(lo),
            Some(node) => Cell::Node(code(node)),
            None => Cell::Range { lo, hi },
        }])
    }
}
