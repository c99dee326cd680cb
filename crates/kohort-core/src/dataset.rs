//! A table whose columns have roles and ordered codes: what diagnosis and anonymization work on.

use std::fmt;

use crate::buckets::{Found, InBuckets};
use crate::grid::Grid;
use crate::values::{parse_date, parse_decimal};
use crate::{
    Buckets, Cell, Codes, Column, DateFormat, Domain, Error, Kind, Masked, Missing, MissingAs,
    Table, Taxonomy, ValueType, Values,
};

/// What a column is to the people in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Names the person; dropped from every release.
    Identifier,
    /// May be known to an outsider and linked.
    Quasi,
    /// Must not be learned about a person.
    Sensitive,
    /// Neither; published as it is.
    Insensitive,
}

impl Role {
    /// The name used in plans and JSON.
    pub fn id(self) -> &'static str {
        match self {
            Self::Identifier => "identifier",
            Self::Quasi => "quasi",
            Self::Sensitive => "sensitive",
            Self::Insensitive => "insensitive",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// A quasi-identifier or sensitive column as ordered codes: a code is a leaf position of its taxonomy.
#[derive(Clone, Debug)]
pub struct Attribute {
    name: String,
    role: Role,
    codes: Codes,
    counts: Vec<u32>,
    taxonomy: Taxonomy,
    is_flat: bool,
    values: Values,
    // For each code, the value it stands for; the missing code has the index after the last value.
    value_of_code: Vec<u32>,
    code_of_value: Vec<u32>,
    // For each value, a dictionary entry of the column that spells it.
    entry_of_value: Vec<u32>,
    missing: Option<u32>,
    missing_as: MissingAs,
    masked: Option<Masked>,
    // How texts are read as values of this column.
    date_format: DateFormat,
    tokens: Missing,
    // Where codes are buckets, the values behind them.
    buckets: Option<Box<InBuckets>>,
    // The lines that the bounds of ranges are rounded outward to.
    grid: Option<Box<Grid>>,
}

impl Attribute {
    /// Encodes the column `name` of a table. `taxonomy` comes with the leaf position of each value of
    /// the domain; without one the column has a flat taxonomy in the order of its values.
    pub fn new(
        table: &Table,
        name: &str,
        role: Role,
        domain: Domain,
        taxonomy: Option<(Taxonomy, Vec<u32>)>,
    ) -> Result<Self, Error> {
        crate::alive();
        let column = table.column(name)?;
        let n_codes = domain.entries().len() + usize::from(domain.missing().is_some());
        let is_flat = taxonomy.is_none();
        let (taxonomy, position_of_value) = taxonomy.unwrap_or_else(|| {
            let n = u32::try_from(n_codes).expect("a dictionary has at most u32::MAX entries");
            (Taxonomy::flat(n), (0..n).collect())
        });
        let to: Vec<u32> = domain
            .value_of_entry()
            .iter()
            .map(|&value| position_of_value[value as usize])
            .collect();
        let codes = column.codes().recode(&to);
        let mut counts = vec![0; n_codes];
        codes.for_each(|code| counts[code as usize] += 1);
        let mut value_of_code = vec![0; n_codes];
        for (value, &position) in (0..).zip(&position_of_value) {
            value_of_code[position as usize] = value;
        }
        let missing = domain.missing().map(|value| position_of_value[value as usize]);
        let entry_of_value = domain.entries().to_vec();
        let values = domain.into_values();
        Ok(Self {
            name: name.to_owned(),
            role,
            codes,
            counts,
            taxonomy,
            is_flat,
            values,
            value_of_code,
            code_of_value: position_of_value,
            entry_of_value,
            missing,
            missing_as: MissingAs::default(),
            masked: None,
            date_format: column.date_format(),
            tokens: table.missing().clone(),
            buckets: None,
            grid: None,
        })
    }

    /// The same attribute, whose ranges are rounded outward to readable bounds that are made from the column
    /// alone: no bound of a range is somebody's value because it is theirs.
    #[must_use]
    pub fn with_rounded_bounds(self) -> Self {
        let grid = if self.is_ranged() { Grid::new(&self.values).map(Box::new) } else { None };
        Self { grid, ..self }
    }

    /// The same attribute, in which no rounded range ends above a number that stands for itself and everything
    /// above it.
    #[must_use]
    pub fn with_largest_bound(self, most: f64) -> Self {
        Self { grid: self.grid.map(|grid| Box::new(grid.up_to(most))), ..self }
    }

    /// What the bounds of ranges are rounded to, such as `5` or `3 months`, where they are.
    pub fn rounding(&self) -> Option<String> {
        self.grid.as_ref().map(ToString::to_string)
    }

    /// How a range of these codes is written where bounds are rounded; `sample` is some value of the column
    /// as it is written there.
    ///
    /// # Panics
    /// When they are not.
    pub fn rounded_bounds(&self, lo: u32, hi: u32, sample: &str) -> (String, String) {
        let grid = self.grid.as_ref().expect("bounds are rounded");
        let (start, end) = (grid.edges(&self.values, lo).0, grid.edges(&self.values, hi).1);
        (start.text(self.date_format, sample), end.text(self.date_format, sample))
    }

    /// The numbers that a range is shown to begin and to end with where bounds are rounded: one that begins
    /// with this code, and one that ends with it.
    pub fn rounded_ends(&self, code: u32) -> Option<(f64, f64)> {
        let grid = self.grid.as_ref().filter(|_| self.missing != Some(code))?;
        let (start, end) = grid.edges(&self.values, code);
        Some((start.number(), end.number()))
    }

    /// The same attribute coded by buckets: whatever counts its values counts these. Missing stays a value
    /// of its own. `table` is the one that the attribute was made of; a value in no bucket is refused.
    pub fn in_buckets(self, table: &Table, rule: Buckets) -> Result<Self, Error> {
        crate::alive();
        let found = Found::new(&self, table.column(&self.name)?, &rule)?;
        let Found { labels, entries, bucket_of_code, missing, code_of_label } = found;
        let n_labels = u32::try_from(labels.len()).expect("buckets are fewer than values");
        let n_buckets = n_labels + u32::from(missing.is_some());
        let (taxonomy, is_flat) = self.taxonomy.above(&bucket_of_code, n_buckets);
        let codes = self.codes.recode(&bucket_of_code);
        let mut counts = vec![0; n_buckets as usize];
        codes.for_each(|code| counts[code as usize] += 1);
        let is_value = |code: &u32| missing != Some(*code);
        let mut value_of_code = vec![n_labels; n_buckets as usize];
        for (value, code) in (0..n_labels).zip((0..n_buckets).filter(is_value)) {
            value_of_code[code as usize] = value;
        }
        Ok(Self {
            name: self.name.clone(),
            role: self.role,
            codes,
            counts,
            taxonomy,
            is_flat,
            values: Values::Text(labels),
            value_of_code,
            code_of_value: (0..n_buckets).filter(is_value).chain(missing).collect(),
            entry_of_value: entries,
            missing,
            missing_as: self.missing_as,
            masked: None,
            date_format: self.date_format,
            tokens: self.tokens.clone(),
            buckets: Some(Box::new(InBuckets { rule, exact: self, bucket_of_code, code_of_label })),
            grid: None,
        })
    }

    /// What the buckets are, where codes are buckets of values.
    pub fn buckets(&self) -> Option<&Buckets> {
        self.buckets.as_ref().map(|inside| &inside.rule)
    }

    /// The attribute coded by its values, also where this one is coded by buckets.
    pub fn exact(&self) -> &Self {
        self.buckets.as_ref().map_or(self, |inside| &inside.exact)
    }

    /// The code of a value that `exact` codes so: the value's own, or its bucket's.
    pub fn code_of_exact(&self, code: u32) -> u32 {
        self.buckets.as_ref().map_or(code, |inside| inside.bucket_of_code[code as usize])
    }

    /// The same attribute of these rows only, in the order given: codes mean what they meant.
    #[must_use]
    pub fn select(&self, rows: &[u32]) -> Self {
        crate::alive();
        let mut selected = self.with_codes(self.codes.select(rows));
        if let Some(inside) = &mut selected.buckets {
            inside.exact = self.exact().select(rows);
        }
        match &self.masked {
            Some(masked) => selected.with_masked(masked.select(rows)),
            None => selected,
        }
    }

    /// The same attribute of other rows, which have these codes, and of which none is masked. Of buckets
    /// nobody knows then which values these are: `exact` has no rows.
    ///
    /// # Panics
    /// When a code is none of the attribute's.
    #[must_use]
    pub fn with_codes(&self, codes: Codes) -> Self {
        crate::alive();
        let mut counts = vec![0; self.counts.len()];
        codes.for_each(|code| counts[code as usize] += 1);
        let mut changed = Self { codes, counts, masked: None, ..self.clone() };
        if let Some(inside) = &mut changed.buckets {
            inside.exact = inside.exact.select(&[]);
        }
        changed
    }

    /// The same attribute, where a missing cell says this.
    #[must_use]
    pub fn with_missing_as(mut self, missing_as: MissingAs) -> Self {
        self.missing_as = missing_as;
        if let Some(inside) = &mut self.buckets {
            inside.exact.missing_as = missing_as;
        }
        self
    }

    /// The same attribute, where these cells do not show one value. Their codes count no more.
    ///
    /// # Panics
    /// When a row that is masked is none of the attribute's.
    #[must_use]
    pub fn with_masked(mut self, masked: Masked) -> Self {
        self.counts.fill(0);
        for (row, code) in (0..).zip(self.codes.iter()) {
            self.counts[code as usize] += u32::from(masked.kind(row).is_none());
        }
        self.masked = (!masked.is_empty()).then_some(masked);
        self
    }

    /// The column's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The column's role.
    pub fn role(&self) -> Role {
        self.role
    }

    /// The code of each row.
    pub fn codes(&self) -> &Codes {
        &self.codes
    }

    /// The number of codes.
    pub fn n_codes(&self) -> u32 {
        self.taxonomy.n_leaves()
    }

    /// The number of rows that show each code; none is zero in a table as it was read, but may be in some
    /// of its rows, and where cells are masked.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// The tree above the codes.
    pub fn taxonomy(&self) -> &Taxonomy {
        &self.taxonomy
    }

    /// Whether nobody gave the column a taxonomy.
    pub fn is_flat(&self) -> bool {
        self.is_flat
    }

    /// The type the column was read as.
    pub fn value_type(&self) -> ValueType {
        self.values.value_type()
    }

    /// The values in their own order, which `value_of_code` points into.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// For each code, the rank of its value among the values; missing ranks last.
    pub fn value_of_code(&self) -> &[u32] {
        &self.value_of_code
    }

    /// The dictionary entry of the column that spells a code: one spelling for each value, none for
    /// the missing one. Of a bucket, one of its values.
    pub fn entry_of_code(&self, code: u32) -> Option<u32> {
        self.entry_of_value.get(self.value_of_code[code as usize] as usize).copied()
    }

    /// The same attribute with every value spelled as one of these rows of its column spells it; none where
    /// it is so already. What a row that nobody sees wrote is not said for others.
    ///
    /// # Panics
    /// When the column is another one.
    pub fn spelled_by(&self, column: &Column, rows: impl Iterator<Item = u32>) -> Option<Self> {
        crate::alive();
        let mut is_there = vec![None; column.dictionary().len() as usize];
        for row in rows {
            let entry = column.codes().get(row as usize);
            is_there[entry as usize] = Some(self.codes.get(row as usize));
        }
        let mut found: Vec<Option<u32>> = vec![None; self.entry_of_value.len()];
        for (entry, code) in (0..).zip(is_there) {
            let value = code.map(|code| self.value_of_code[code as usize] as usize);
            let Some(slot) = value.and_then(|value| found.get_mut(value)) else { continue };
            let own = self.entry_of_value[value.expect("it has a slot")];
            let text = |entry: u32| (entry != own, column.dictionary().get(entry));
            *slot =
                Some(slot.map_or(
                    entry,
                    |before| {
                        if text(entry) < text(before) { entry } else { before }
                    },
                ));
        }
        let spelled: Vec<u32> = (self.entry_of_value.iter().zip(found))
            .map(|(&own, found)| found.unwrap_or(own))
            .collect();
        (spelled != self.entry_of_value).then(|| Self { entry_of_value: spelled, ..self.clone() })
    }

    /// The number a code stands for, where the column is numeric or dates (in microseconds).
    #[expect(clippy::cast_precision_loss, reason = "a measure of width, not an identity")]
    pub fn number(&self, code: u32) -> Option<f64> {
        let rank = self.value_of_code[code as usize] as usize;
        match &self.values {
            Values::Integer(values) | Values::Date(values) => {
                values.get(rank).map(|&value| value as f64)
            }
            Values::Decimal(values) => values.get(rank).copied(),
            Values::Boolean(_) | Values::Text(_) => None,
        }
    }

    /// Whether a release shows a range of values, `[20, 29]`, instead of nodes of a taxonomy.
    pub fn is_ranged(&self) -> bool {
        self.is_flat && self.value_type().is_ordered()
    }

    /// The least that a release can show for rows whose codes go from `lo` to `hi`: the value, a range,
    /// or the smallest node that covers both.
    pub fn smallest_cell(&self, lo: u32, hi: u32) -> Cell {
        if lo == hi {
            return Cell::Leaf(lo);
        }
        if self.is_ranged() {
            // Missing is a value outside of every range.
            if self.missing == Some(hi) {
                return Cell::Node(0);
            }
            return match self.grid.as_ref().map(|grid| grid.around(lo, hi)) {
                Some((lo, hi)) => Cell::Rounded { lo, hi },
                None => Cell::Range { lo, hi },
            };
        }
        let nodes = self.taxonomy.nodes();
        let mut node = self.taxonomy.parent(lo);
        while nodes[node as usize].last < hi {
            node = nodes[node as usize].parent.expect("the root covers every code");
        }
        Cell::Node(node)
    }

    /// The first and last code that a cell covers.
    pub fn codes_of(&self, cell: Cell) -> (u32, u32) {
        match cell {
            Cell::Leaf(code) => (code, code),
            Cell::Range { lo, hi } | Cell::Rounded { lo, hi } => (lo, hi),
            Cell::Node(node) => {
                let node = &self.taxonomy.nodes()[node as usize];
                (node.first, node.last)
            }
        }
    }

    /// The code of a text read the way this column was, if that value occurs.
    pub fn code_of(&self, text: &str) -> Option<u32> {
        self.code_of_foreign(text, self.date_format)
    }

    /// The code of a text of another table, whose dates are written in this order.
    pub fn code_of_foreign(&self, text: &str, format: DateFormat) -> Option<u32> {
        if let Some(inside) = &self.buckets {
            return inside.code_of(text, format);
        }
        let rank = self.values.find(text, format);
        match rank {
            Some(rank) => Some(self.code_of_value[rank as usize]),
            None => self.missing.filter(|_| self.tokens.is(text)),
        }
    }

    /// The number that a text stands for in a column of numbers or dates (in microseconds), whether or
    /// not the value occurs.
    pub fn number_of(&self, text: &str) -> Option<f64> {
        self.number_of_foreign(text, self.date_format)
    }

    /// The same of a text of another table, whose dates are written in this order.
    #[expect(clippy::cast_precision_loss, reason = "a place among the values, not an identity")]
    pub fn number_of_foreign(&self, text: &str, format: DateFormat) -> Option<f64> {
        match self.value_type() {
            ValueType::Integer | ValueType::Decimal => parse_decimal(text),
            ValueType::Date => parse_date(text, format).map(|micros| micros as f64),
            ValueType::Boolean | ValueType::Text => None,
        }
    }

    /// The code of the missing value, if any cell is missing.
    pub fn missing(&self) -> Option<u32> {
        self.missing
    }

    /// What a missing cell says.
    pub fn missing_as(&self) -> MissingAs {
        self.missing_as
    }

    /// The code of the missing value, where it is none that could be learned.
    pub fn silent(&self) -> Option<u32> {
        self.missing.filter(|_| self.missing_as != MissingAs::Value)
    }

    /// The cells that do not show one value, where there are any. The code of such a row means nothing.
    pub fn masked(&self) -> Option<&Masked> {
        self.masked.as_ref()
    }
}

/// A table with roles. Columns without an attribute are identifiers or insensitive.
#[derive(Clone, Debug)]
pub struct Dataset {
    table: Table,
    attributes: Vec<Attribute>,
}

impl Dataset {
    /// A table with these attributes; a column may have one role only.
    pub fn new(table: Table, attributes: Vec<Attribute>) -> Result<Self, Error> {
        let mut by_name: Vec<&Attribute> = attributes.iter().collect();
        by_name.sort_by(|a, b| a.name.cmp(&b.name));
        if let Some([first, second]) = by_name.array_windows().find(|[a, b]| a.name == b.name) {
            return Err(Error::new(Kind::TwoRoles {
                name: first.name.clone(),
                first: first.role.to_string(),
                second: second.role.to_string(),
            }));
        }
        Ok(Self { table, attributes })
    }

    /// The table as it was read.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The number of rows.
    pub fn n_rows(&self) -> usize {
        self.table.n_rows()
    }

    /// The quasi-identifiers.
    pub fn quasi(&self) -> Vec<&Attribute> {
        self.with_role(Role::Quasi)
    }

    /// The sensitive attributes.
    pub fn sensitive(&self) -> Vec<&Attribute> {
        self.with_role(Role::Sensitive)
    }

    fn with_role(&self, role: Role) -> Vec<&Attribute> {
        self.attributes.iter().filter(|attribute| attribute.role == role).collect()
    }
}
