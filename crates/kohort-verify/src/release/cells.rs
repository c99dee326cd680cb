//! What the texts of a released quasi-identifier stand for in the original column.
//!
//! A text may be a value, the label of a node, or what `notation` says: `*`, a range, a set of values, a mask;
//! or it may be missing. What the plan declares comes first: a label of a taxonomy is never read as a number.
//! Where a text may be several of these, all are kept: a leaf and a node of one name, two nodes of one name. A
//! missing cell is the missing value where the column has one, and a suppressed cell where the release has no
//! other text for that; in a sensitive column it is the missing value and nothing else. A text that cannot be
//! read covers nothing, and neither does a number that is no value of the column, such as a mean.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use kohort_core::{
    Attribute, Cell, Column, DateFormat, Error, Kind, Role, Table, ValueType, Values,
};

use super::notation::{Range, is_mask, masks, says_nothing, set, stem};

/// The codes from the first to the last of an interval.
pub(crate) type Interval = (u32, u32);

/// What each text of a released column may stand for.
#[derive(Clone, Debug)]
pub(crate) struct Published {
    // For each dictionary entry of the released column, the cells it may be, the narrowest first.
    cells: Vec<Vec<Cell>>,
    // The codes those cells cover, as disjoint intervals in ascending order.
    covered: Vec<Vec<Interval>>,
    // The first range whose codes do not lie side by side, and the first text that cannot be read.
    apart: Option<u32>,
    unreadable: Option<u32>,
}

impl Published {
    /// Reads a column of a release as cells of an attribute; `original` is the column that its rows have
    /// their texts in, where it has rows.
    pub(crate) fn read(
        release: &Table,
        original: Option<&Column>,
        attribute: &Attribute,
    ) -> Result<Self, Error> {
        let read = Self::read_as(release, original, attribute, false)?;
        let column = release.column(attribute.name())?;
        match read.apart {
            None => Ok(read),
            Some(entry) => Err(Error::new(Kind::Published {
                table: release.name().to_owned(),
                place: release.place(column, entry),
                column: column.name().to_owned(),
            })),
        }
    }

    /// The same, where no range is refused.
    pub(crate) fn read_any(
        release: &Table,
        original: Option<&Column>,
        attribute: &Attribute,
    ) -> Result<Self, Error> {
        Self::read_as(release, original, attribute, false)
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
        let mut read = Self::read_as(release, other, attribute, true)?;
        let Some(missing) = attribute.missing() else { return Ok(read) };
        let texts = release.column(attribute.name())?.dictionary().iter();
        for (text, covered) in texts.zip(&mut read.covered) {
            if release.missing().is(text) {
                *covered = vec![(missing, missing)];
            }
        }
        Ok(read)
    }

    /// The same, where a text that cannot be read is an error: who does not understand a release has not
    /// attacked it.
    pub(crate) fn read_attacked(
        release: &Table,
        people: &Table,
        attribute: &Attribute,
    ) -> Result<Self, Error> {
        let read = Self::read_foreign(release, people, attribute)?;
        read.unreadable.map_or(Ok(()), |entry| Err(unreadable(release, attribute, entry)?))?;
        Ok(read)
    }

    /// Refuses a text of a release that no row of its own original has, in a column of texts: elsewhere any
    /// text may be a value, but here it is none, and no label of the taxonomy.
    pub(crate) fn refuse_unknown_texts(
        release: &Table,
        original: &Table,
        attribute: &Attribute,
    ) -> Result<(), Error> {
        if attribute.value_type() != ValueType::Text {
            return Ok(());
        }
        let read = Self::read_foreign(release, original, attribute)?;
        let nowhere = (0..).zip(&read.covered).find(|(_, covered)| covered.is_empty());
        nowhere.map_or(Ok(()), |(entry, _)| Err(unreadable(release, attribute, entry)?))
    }

    fn read_as(
        release: &Table,
        original: Option<&Column>,
        attribute: &Attribute,
        is_foreign: bool,
    ) -> Result<Self, Error> {
        let column = release.column(attribute.name())?;
        let mut reader = Reader::new(original, attribute, is_foreign);
        reader.tells_root = column.dictionary().iter().any(|text| reader.is_root(text));
        let n_entries = column.dictionary().len() as usize;
        let mut read = Self {
            cells: Vec::with_capacity(n_entries),
            covered: Vec::with_capacity(n_entries),
            apart: None,
            unreadable: None,
        };
        for (entry, text) in (0..).zip(column.dictionary().iter()) {
            let found = reader.read(text, release.missing().is(text));
            let (values, mut cells) = match found {
                Found::Cells(cells) => (Vec::new(), cells),
                Found::Values(values) => (values, Vec::new()),
                Found::Apart(values) => {
                    read.apart = read.apart.or(Some(entry));
                    (values, Vec::new())
                }
                Found::Unreadable => {
                    read.unreadable = read.unreadable.or(Some(entry));
                    (Vec::new(), Vec::new())
                }
            };
            if !values.is_empty() {
                read.covered.push(union(attribute, &values));
                read.cells.extend(around(attribute, &values).map(|cell| vec![cell]));
                continue;
            }
            let width = |cell: &Cell| {
                let (lo, hi) = attribute.codes_of(*cell);
                (hi - lo, *cell)
            };
            cells.sort_by_key(width);
            cells.dedup();
            read.covered.push(union(attribute, &cells));
            read.cells.push(cells);
        }
        Ok(read)
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

/// That a text of a release cannot be read.
fn unreadable(release: &Table, attribute: &Attribute, entry: u32) -> Result<Error, Error> {
    Ok(Error::new(Kind::Unreadable {
        table: release.name().to_owned(),
        place: release.place(release.column(attribute.name())?, entry),
        column: attribute.name().to_owned(),
    }))
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

/// What a text was read as.
enum Found {
    /// One of these cells; none for a value, or a range of values, that the column does not have.
    Cells(Vec<Cell>),
    /// All of these values.
    Values(Vec<Cell>),
    /// A range of these values, whose codes do not lie side by side.
    Apart(Vec<Cell>),
    /// Nothing.
    Unreadable,
}

/// Reads texts as cells of one original column.
struct Reader<'a> {
    attribute: &'a Attribute,
    column: Option<&'a Column>,
    // Whether the release need not be of this column: the values of a set need not all occur.
    is_foreign: bool,
    code_of_entry: Vec<u32>,
    nodes: BTreeMap<&'a str, Vec<u32>>,
    // The number of each value, ascending; empty unless the values have an order.
    numbers: Vec<f64>,
    // Whether the release has another text for a cell that was suppressed.
    tells_root: bool,
    // How values are written, sorted, with their codes; made for the first mask.
    spelled: OnceCell<Vec<(String, u32)>>,
}

impl<'a> Reader<'a> {
    fn new(column: Option<&'a Column>, attribute: &'a Attribute, is_foreign: bool) -> Self {
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
        let (tells_root, spelled) = (false, OnceCell::new());
        Self { attribute, column, is_foreign, code_of_entry, nodes, numbers, tells_root, spelled }
    }

    /// Whether a text says that a cell was suppressed, and nothing else.
    fn is_root(&self, text: &str) -> bool {
        is_stars(text) && self.value(text).is_none()
    }

    /// What a text is: what is declared first, then the notations.
    fn read(&self, text: &str, is_missing: bool) -> Found {
        let nodes = self.nodes.get(text).into_iter().flatten().map(|&node| Cell::Node(node));
        let star = (text == "*").then_some(Cell::ANY);
        let value = self.value(text).map(Cell::Leaf);
        let mut cells: Vec<Cell> = value.into_iter().chain(nodes).chain(star).collect();
        let missing = self.attribute.missing().map(Cell::Leaf);
        if is_missing && cells.iter().all(|&cell| Some(cell) == missing) {
            cells.extend(missing);
            let is_quasi = self.attribute.role() == Role::Quasi;
            if is_quasi && (missing.is_none() || !self.tells_root) {
                cells.push(Cell::ANY);
            }
        }
        if !cells.is_empty() {
            return Found::Cells(cells);
        }
        if is_stars(text) {
            return Found::Cells(vec![Cell::ANY]);
        }
        if let Some((first, end)) = self.range(text).or_else(|| self.spelled_otherwise(text)) {
            return self.rounded(text, first, end).unwrap_or_else(|| self.between(first, end));
        }
        if let Some(found) = self.set(text).or_else(|| self.masked(text)) {
            return found;
        }
        if self.may_be_value(text) { Found::Cells(Vec::new()) } else { Found::Unreadable }
    }

    /// The values of a set; none where one of them is no value of the column the release is of.
    fn set(&self, text: &str) -> Option<Found> {
        let texts: Vec<&str> = set(text)?.collect();
        let values = texts.iter().map(|text| self.value(text).map(Cell::Leaf));
        if self.is_foreign && texts.iter().all(|text| self.may_be_value(text)) {
            return Some(Found::Values(values.flatten().collect()));
        }
        values.collect::<Option<Vec<Cell>>>().map(Found::Values)
    }

    /// The values that a mask hides.
    fn masked(&self, text: &str) -> Option<Found> {
        let text = text.trim();
        let is_text = self.attribute.value_type() == ValueType::Text;
        // A digit in the place of each star must make a value.
        let may_be = |digit: &str| self.may_be_value(&text.replace('*', digit));
        if !is_mask(text) || !(is_text || may_be("1") || may_be("0")) {
            return None;
        }
        let spelled = self.spelled();
        let start = spelled.partition_point(|(value, _)| value.as_str() < stem(text));
        let near = spelled[start..].iter().take_while(|(value, _)| value.starts_with(stem(text)));
        let hides = |c: char| is_text || c.is_ascii_digit();
        let hidden = near.filter(|(value, _)| masks(text, value, hides));
        Some(Found::Values(hidden.map(|&(_, code)| Cell::Leaf(code)).collect()))
    }

    /// How the values of the column are written, but for the missing one.
    fn spelled(&self) -> &[(String, u32)] {
        self.spelled.get_or_init(|| {
            let missing = self.attribute.missing();
            let mut spelled: Vec<(String, u32)> = if let Some(column) = self.column {
                (column.dictionary().iter().zip(&self.code_of_entry))
                    .map(|(text, &code)| (text.trim().to_owned(), code))
                    .collect()
            } else {
                let codes = 0..self.attribute.n_codes();
                codes.filter_map(|code| Some((self.written(code)?, code))).collect()
            };
            spelled.retain(|&(_, code)| Some(code) != missing);
            spelled.sort_unstable();
            spelled
        })
    }

    /// How a value is written where no column says it; dates can be written in several ways.
    fn written(&self, code: u32) -> Option<String> {
        let rank = self.attribute.value_of_code()[code as usize] as usize;
        match self.attribute.values() {
            Values::Integer(values) => values.get(rank).map(ToString::to_string),
            Values::Decimal(values) => values.get(rank).map(ToString::to_string),
            Values::Text(values) => values.get(rank).cloned(),
            Values::Date(_) | Values::Boolean(_) => None,
        }
    }

    /// Whether a text is a value by the type of the column, though it need not occur.
    fn may_be_value(&self, text: &str) -> bool {
        match self.attribute.value_type() {
            ValueType::Text => true,
            // Only dates have an order of day, month and year.
            ValueType::Boolean => ValueType::Boolean.reads(text, DateFormat::YearMonthDay),
            _ => self.attribute.number_of(text).is_some(),
        }
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
        let first = match lo.and_then(|lo| self.rank(lo)) {
            Some(rank) => rank + usize::from(opens),
            None => self.numbers.partition_point(|&n| n < low || (opens && n <= low)),
        };
        let end = match hi.and_then(|hi| self.rank(hi)) {
            Some(rank) => rank + usize::from(closes),
            None => self.numbers.partition_point(|&n| n < high || (closes && n <= high)),
        };
        Some((first, end))
    }

    /// A range of the values of these ranks that begins and ends where rounded bounds of the column lie.
    fn rounded(&self, text: &str, first: usize, end: usize) -> Option<Found> {
        let range = Range::parse(text, |bound| self.attribute.number_of(bound))?;
        if first + 1 >= end || range.opens || !range.closes || !self.attribute.is_ranged() {
            return None;
        }
        let code = |rank: usize| u32::try_from(rank).expect("values are numbered by u32");
        let (lo, hi) = (code(first), code(end - 1));
        let ends = (self.attribute.rounded_ends(lo)?.0, self.attribute.rounded_ends(hi)?.1);
        let is_same = |a: f64, b: f64| a.total_cmp(&b).is_eq();
        let is_rounded = is_same(ends.0, range.low) && is_same(ends.1, range.high);
        is_rounded.then(|| Found::Cells(vec![Cell::Rounded { lo, hi }]))
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

    /// The cell of the values of these ranks.
    fn between(&self, first: usize, end: usize) -> Found {
        if first >= end {
            return Found::Cells(Vec::new());
        }
        let code = |rank: usize| u32::try_from(rank).expect("values are numbered by u32");
        if self.attribute.is_ranged() {
            let (lo, hi) = (code(first), code(end - 1));
            let cell = if lo == hi { Cell::Leaf(lo) } else { Cell::Range { lo, hi } };
            return Found::Cells(vec![cell]);
        }
        let ranks = (0..).zip(self.attribute.value_of_code());
        let inside = ranks.filter(|&(_, &rank)| (first..end).contains(&(rank as usize)));
        let codes: Vec<u32> = inside.map(|(code, _)| code).collect();
        let (Some(&lo), Some(&hi)) = (codes.first(), codes.last()) else {
            return Found::Cells(Vec::new());
        };
        if hi - lo != code(end - 1 - first) {
            return Found::Apart(codes.into_iter().map(Cell::Leaf).collect());
        }
        let nodes = self.attribute.taxonomy().nodes();
        let node = nodes.iter().rposition(|node| (node.first, node.last) == (lo, hi));
        Found::Cells(vec![match node {
            _ if lo == hi => Cell::Leaf(lo),
            Some(node) => Cell::Node(code(node)),
            None => Cell::Range { lo, hi },
        }])
    }
}

/// Whether a text is nothing but stars.
fn is_stars(text: &str) -> bool {
    text.contains('*') && says_nothing(text)
}
