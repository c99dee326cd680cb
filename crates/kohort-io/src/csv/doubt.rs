//! Whether a text that was read in one dialect reads as another table in another one.
//!
//! A quote that is none swallows the rows up to the next one: where `'` quotes, the rows between two cells
//! that begin with `'` are one cell. Whoever reads in another dialect sees other rows, so nobody can say what
//! the file shows.
//!
//! # Guarantee
//! Where the quote was not given, a text that another quote cuts into a table of another number of rows or
//! columns is refused, or that has another number of rows where no character quotes; where these numbers are
//! equal, cells are the same but for quotes around them. Where
//! options are strict and the separator was not given, a text that another separator cuts into a table of
//! two columns or more is refused, unless quotes keep that separator inside of a cell. A table has records
//! of one width, and quotes that are closed and end their cell.

use crate::{Error, Kind, Options};

use super::dialect::{Dialect, SEPARATORS, Scanner};

/// The quote of a dialect that has none: no text has a NUL.
const NONE: u8 = 0;

/// The readings of a text that are still possible beside the one in use.
pub(super) struct Doubts {
    read: Dialect,
    others: Vec<Other>,
}

/// Another dialect, and what it has made of the text so far.
struct Other {
    dialect: Dialect,
    /// Whether it cuts at another separator than the one in use.
    is_by_separator: bool,
    scanner: Scanner,
    n_records: u64,
    width: Option<usize>,
}

impl Doubts {
    /// The dialects that `options` leave open beside `read`. Where separators are found by looking, the
    /// names of columns tell a wrong one, and only quotes are doubted.
    pub(super) fn new(read: Dialect, options: &Options) -> Self {
        let quotes: &[u8] = match (options.quote, read.quote) {
            (None, b'"') => &[b'\'', NONE],
            (None, _) => b"\"",
            (Some(_), _) => &[],
        };
        let is_open = options.strict && options.separator.is_none();
        let separators = SEPARATORS.into_iter().filter(|&byte| is_open && byte != read.separator);
        let separators = separators.flat_map(|separator| {
            let quotes = quotes.iter().copied().filter(|&quote| quote != NONE).chain([read.quote]);
            quotes.map(move |quote| Other::new(Dialect { separator, quote, ..read }, true))
        });
        let quotes = quotes.iter().map(|&quote| Other::new(Dialect { quote, ..read }, false));
        Self { read, others: quotes.chain(separators).collect() }
    }

    /// Looks at the next record, of `width` fields as it was read.
    #[inline]
    pub(super) fn see(&mut self, raw: &[u8], width: usize) {
        if self.others.is_empty() {
            return;
        }
        // Without a branch for each byte.
        let has_quotes =
            raw.iter().fold(false, |found, &byte| found | matches!(byte, b'"' | b'\''));
        let read = self.read;
        self.others.retain_mut(|other| {
            let is_same =
                !has_quotes && !other.is_by_separator && other.scanner.is_between_records();
            if is_same {
                return other.record(width);
            }
            let separator = other.dialect.separator;
            let is_kept_inside =
                other.is_by_separator && has_quotes && quotes(raw, read, separator);
            !is_kept_inside && other.see(raw)
        });
    }

    /// Refuses the text if another dialect made another table of it than `n_records` of `width` fields.
    pub(super) fn settle(self, name: String, n_records: u64, width: usize) -> Result<(), Error> {
        let n_above = u64::from(self.read.header);
        for other in self.others {
            let (dialect, is_by_separator) = (other.dialect, other.is_by_separator);
            let Some((n, other_width)) = other.table() else { continue };
            // Separators inside of quotes are what quotes are for: without quotes only other rows count.
            let is_width_same = other_width == width || dialect.quote == NONE;
            let is_same = !is_by_separator && n == n_records && is_width_same;
            if is_same || n <= n_above {
                continue;
            }
            let described = |dialect: Dialect, n_records: u64, width: usize| {
                let by = match (is_by_separator, dialect.quote) {
                    (true, _) if dialect.separator == b'\t' => "a tab separates cells".to_owned(),
                    (true, _) => format!("`{}` separates cells", char::from(dialect.separator)),
                    (false, NONE) => "no character quotes cells".to_owned(),
                    (false, quote) => format!("`{}` quotes cells", char::from(quote)),
                };
                format!(
                    "{} of {} if {by}",
                    count(n_records - n_above, "row"),
                    count(width as u64, "cell")
                )
            };
            return Err(Kind::TwoReadings {
                name,
                read: described(self.read, n_records, width),
                other: described(dialect, n, other_width),
                flag: if is_by_separator { "separator" } else { "quote" },
            }
            .into());
        }
        Ok(())
    }
}

impl Other {
    fn new(dialect: Dialect, is_by_separator: bool) -> Self {
        Self { dialect, is_by_separator, scanner: Scanner::new(dialect), n_records: 0, width: None }
    }

    /// Counts a record; false if it makes no table. A single column says nothing where a separator is
    /// tried, or no quote.
    fn record(&mut self, width: usize) -> bool {
        self.n_records += 1;
        let is_enough = width > 1 || !self.is_by_separator && self.dialect.quote != NONE;
        is_enough && *self.width.get_or_insert(width) == width
    }

    /// Goes on in this dialect; false once it makes no table.
    fn see(&mut self, raw: &[u8]) -> bool {
        if self.dialect.quote == NONE && self.quotes_a_cell(raw) {
            return false;
        }
        let mut widths = Vec::new();
        self.scanner.feed(raw, &mut |width| widths.push(width));
        widths.into_iter().all(|width| self.record(width)) && self.scanner.shape().n_broken == 0
    }

    /// Whether a cell begins and ends with a quote: then quotes do quote.
    fn quotes_a_cell(&self, raw: &[u8]) -> bool {
        let ends = |&byte: &u8| byte == self.dialect.separator || matches!(byte, b'\r' | b'\n');
        raw.split(ends).any(|cell| matches!(cell, [b'"', .., b'"']))
    }

    /// The number of records and their width, if this dialect makes a table of the text. An apostrophe
    /// that quotes nothing is no dialect of its own.
    fn table(mut self) -> Option<(u64, usize)> {
        let shape = self.scanner.shape();
        if shape.open.is_some() || shape.last_width.is_some_and(|width| !self.record(width)) {
            return None;
        }
        let is_used = shape.n_quoted > 0 || self.dialect.quote != b'\'';
        self.width.filter(|_| is_used).map(|width| (self.n_records, width))
    }
}

/// Whether a quoted cell of a record holds this byte.
fn quotes(raw: &[u8], dialect: Dialect, held: u8) -> bool {
    let (mut is_inside, mut can_open) = (false, true);
    for &byte in raw {
        if byte == dialect.quote && (is_inside || can_open) {
            // A second quote goes on with the cell.
            (is_inside, can_open) = (!is_inside, is_inside);
        } else if is_inside && byte == held {
            return true;
        } else if !is_inside {
            can_open = byte == dialect.separator || matches!(byte, b'\r' | b'\n');
        }
    }
    false
}

fn count(n: u64, thing: &str) -> String {
    format!("{n} {thing}{}", if n == 1 { "" } else { "s" })
}
