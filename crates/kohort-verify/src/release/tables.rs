//! A release and its original in terms of each other.

use std::borrow::Cow;
use std::collections::BTreeMap;

use kohort_core::{
    Attribute, Cell, Codes, Column, Dataset, Error, Grouping, Table, Told, Written, group,
};

use super::cells::Published;

/// Both tables in terms of each other.
pub(crate) struct Tables<'a> {
    pub(crate) quasi: Vec<Quasi<'a>>,
    // How many of these are quasi-identifiers: the others are sensitive columns that show more than
    // values.
    pub(crate) n_quasi: usize,
    pub(crate) others: Vec<Other<'a>>,
    // Columns whose cells belong to a group of rows, and the group of each row.
    pub(crate) pooled: Vec<Other<'a>>,
    pub(crate) groups: Option<&'a Codes>,
    // The classes of the release: rows with equal texts on the quasi-identifiers.
    pub(crate) classes: Grouping,
    pub(crate) n_original: usize,
    pub(crate) n_released: usize,
}

/// A quasi-identifier of both tables.
pub(crate) struct Quasi<'a> {
    pub(crate) attribute: &'a Attribute,
    pub(crate) published: Published,
    pub(crate) released: &'a Codes,
    pub(crate) n_entries: u32,
}

/// A column that is published as it is: equal texts have equal codes, but where both files tell that they
/// stand differently, such as `1` and `"1"`, or `""` and null.
pub(crate) struct Other<'a> {
    pub(crate) name: &'a str,
    pub(crate) original: Cow<'a, Codes>,
    pub(crate) released: Codes,
    pub(crate) n_codes: u32,
}

impl<'a> Tables<'a> {
    pub(crate) fn new(
        release: &'a Table,
        original: &'a Dataset,
        group_name: Option<&str>,
    ) -> Result<Self, Error> {
        let mut quasi = Vec::new();
        for attribute in original.quasi() {
            let column = release.column(attribute.name())?;
            let published = Published::read(
                release,
                Some(original.table().column(attribute.name())?),
                attribute,
            )?;
            let n_entries = column.dictionary().len();
            quasi.push(Quasi { attribute, published, released: column.codes(), n_entries });
        }
        let n_quasi = quasi.len();
        let sensitive = original.sensitive();
        for attribute in sensitive.iter().filter(|_| group_name.is_none()) {
            let column = release.column(attribute.name())?;
            // Cells are of values, also where promises count buckets.
            let attribute = attribute.exact();
            let Some(published) = masked(release, original, attribute)? else { continue };
            let n_entries = column.dictionary().len();
            quasi.push(Quasi { attribute, published, released: column.codes(), n_entries });
        }
        let is_quasi = |name: &str| quasi.iter().any(|q| q.attribute.name() == name);
        let is_other = |name: &str| !is_quasi(name) && Some(name) != group_name;
        let others: Vec<Other<'_>> = (release.columns().iter())
            .filter(|column| is_other(column.name()))
            .map(|column| Other::new(column, original.table()))
            .collect::<Result<_, Error>>()?;
        for attribute in &sensitive {
            release.column(attribute.name())?;
        }
        let (pooled, others) = others.into_iter().partition(|other| {
            group_name.is_some() && sensitive.iter().any(|attribute| attribute.name() == other.name)
        });
        let groups = group_name.map(|name| release.column(name)).transpose()?;
        let groups = groups.map(Column::codes);
        let (n_original, n_released) = (original.n_rows(), release.n_rows());
        let classes = group(n_released, quasi[..n_quasi].iter().map(|q| (q.released, q.n_entries)));
        Ok(Self { quasi, n_quasi, others, pooled, groups, classes, n_original, n_released })
    }

    /// Rows of both tables, the original first, that agree on every one of these columns.
    pub(crate) fn joined(&self, others: &[Other<'_>]) -> Grouping {
        let columns = others.iter().map(|other| {
            let mut codes = Codes::default();
            other.original.for_each(|code| codes.push(code));
            other.released.for_each(|code| codes.push(code));
            (codes, other.n_codes)
        });
        columns.fold(
            Grouping::trivial(self.n_original + self.n_released),
            |grouping, (codes, n_codes)| grouping.refine(&codes, n_codes),
        )
    }
}

/// A sensitive column as cells, where it shows a text that no row of the original has and all of its
/// texts are cells.
fn masked(
    release: &Table,
    original: &Dataset,
    attribute: &Attribute,
) -> Result<Option<Published>, Error> {
    let values = original.table().column(attribute.name())?.dictionary();
    let column = release.column(attribute.name())?;
    let is_masked = column.dictionary().iter().any(|text| values.find(text).is_none());
    if !is_masked {
        return Ok(None);
    }
    let published =
        Published::read(release, original.table().column(attribute.name()).ok(), attribute)?;
    // A value in another spelling is no cell that shows more than values: it was changed.
    let is_other = |cell: &Cell| !matches!(cell, Cell::Leaf(_));
    let is_cell = |(entry, text): (u32, &str)| {
        let covers = !published.covered(entry).is_empty();
        covers && (values.find(text).is_some() || published.cells(entry).iter().any(is_other))
    };
    let is_masked = (0..).zip(column.dictionary().iter()).all(is_cell);
    Ok(is_masked.then_some(published))
}

impl<'a> Other<'a> {
    pub(crate) fn new(column: &'a Column, table: &'a Table) -> Result<Self, Error> {
        let original = table.column(column.name())?;
        let mut n_codes = original.dictionary().len();
        // Other tools write a missing value in their own way.
        let missing =
            (0..n_codes).find(|&entry| table.missing().is(original.dictionary().get(entry)));
        let known: Vec<Option<u32>> =
            column.dictionary().iter().map(|text| original.dictionary().find(text)).collect();
        let code = |(text, known): (&str, &Option<u32>)| {
            let as_missing = || missing.filter(|_| table.missing().is(text));
            known.or_else(as_missing).unwrap_or_else(|| {
                n_codes += 1;
                n_codes - 1
            })
        };
        let to: Vec<u32> = column.dictionary().iter().zip(&known).map(code).collect();
        let name = column.name();
        let told = column.writing().told().min(original.writing().told());
        if told == Told::Nothing {
            let (original, released) =
                (Cow::Borrowed(original.codes()), column.codes().recode(&to));
            return Ok(Self { name, original, released, n_codes });
        }
        let mut looks = Looks::new(original, told, n_codes);
        let released = looks.codes(
            column,
            |entry| to[entry as usize],
            |entry| known[entry as usize].is_some(),
        );
        let original = if original.writing().is_by_row() {
            Cow::Owned(looks.codes(original, |entry| entry, |_| true))
        } else {
            Cow::Borrowed(original.codes())
        };
        Ok(Self { name, original, released, n_codes: looks.n_codes })
    }
}

/// Codes of texts, and further ones for texts that stand otherwise.
struct Looks {
    told: Told,
    // How what has the code of its text stands.
    of_text: Vec<Option<Written>>,
    others: BTreeMap<(u32, Option<Written>), u32>,
    n_codes: u32,
}

impl Looks {
    /// The code of a text is its entry in the original, or one of those up to `n_codes`.
    fn new(original: &Column, told: Told, n_codes: u32) -> Self {
        // One that stands in several ways: missing is null, and what another tool calls missing too.
        let several = |text: &str| if text.is_empty() { Written::Null } else { Written::Text };
        let way = |(entry, text)| {
            let way = original.writing().of_entry(entry).unwrap_or_else(|| several(text));
            told.shows(Some(way), text)
        };
        let of_text = (0..).zip(original.dictionary().iter()).map(way).collect();
        Self { told, of_text, others: BTreeMap::new(), n_codes }
    }

    /// The codes of a column's rows, given those of its texts; how a text stands is looked at where
    /// `is_known`: a missing value that another tool wrote in its own way stands in its own way.
    fn codes(
        &mut self,
        column: &Column,
        code_of: impl Fn(u32) -> u32,
        is_known: impl Fn(u32) -> bool,
    ) -> Codes {
        let mut codes = Codes::default();
        for (row, entry) in column.codes().iter().enumerate() {
            let code = code_of(entry);
            let look = column.look(row, self.told);
            codes.push(if !is_known(entry) || self.of_text[code as usize] == look {
                code
            } else {
                let next = self.n_codes;
                *self.others.entry((code, look)).or_insert_with(|| {
                    self.n_codes += 1;
                    next
                })
            });
        }
        codes
    }
}

impl Quasi<'_> {
    /// For each released text, the logarithm of the share of original rows whose value it covers.
    pub(crate) fn log_shares(&self) -> Vec<f64> {
        let mut below = vec![0_u64];
        for &count in self.attribute.counts() {
            below.push(below[below.len() - 1] + u64::from(count));
        }
        let covered = |entry| {
            let intervals = self.published.covered(entry).iter();
            intervals.map(|&(lo, hi)| below[hi as usize + 1] - below[lo as usize]).sum::<u64>()
        };
        #[expect(clippy::cast_precision_loss, reason = "an order to try boxes in, no decision")]
        (0..self.n_entries).map(|entry| (covered(entry) as f64).ln()).collect()
    }
}

/// The distinct rows of a table by bucket.
pub(crate) struct Side {
    // One row of each group and its size, sorted by bucket.
    groups: Vec<(u32, u32)>,
    // Where the groups of each bucket begin; one entry more than buckets.
    starts: Vec<u32>,
}

impl Side {
    pub(crate) fn new<'a>(
        n_rows: usize,
        bucket_of_row: &[u32],
        n_buckets: u32,
        columns: impl Iterator<Item = (&'a Codes, u32)>,
    ) -> Self {
        let buckets = Codes::U32(bucket_of_row.to_vec());
        let grouping = columns
            .fold(group(n_rows, [(&buckets, n_buckets)]), |grouping, (codes, n_codes)| {
                grouping.refine(codes, n_codes)
            });
        let mut starts = vec![0; n_buckets as usize + 1];
        let first = grouping.first_rows();
        for &row in &first {
            starts[bucket_of_row[row as usize] as usize + 1] += 1;
        }
        for bucket in 1..starts.len() {
            starts[bucket] += starts[bucket - 1];
        }
        let mut groups: Vec<(u32, u32)> = first.into_iter().zip(grouping.sizes()).collect();
        groups.sort_by_key(|group| bucket_of_row[group.0 as usize]);
        Self { groups, starts }
    }

    pub(crate) fn groups(&self, bucket: usize) -> &[(u32, u32)] {
        &self.groups[self.starts[bucket] as usize..self.starts[bucket + 1] as usize]
    }
}
