//! Separator, quote and header: as they are given, as this library writes them, or found by looking at the
//! beginning of a text.

use std::collections::BTreeMap;

use csv_core::ReadRecordResult;
use kohort_core::{Message, Missing, Setting, looks_like_data, message};

use crate::Options;

/// How much of a text is looked at.
pub(super) const SAMPLE: usize = 64 << 10;
/// How many records are looked at to tell a header from data.
const HEAD: usize = 21;
/// Separators in the order in which they win a draw: commas also stand in numbers and prose.
pub(super) const SEPARATORS: [u8; 4] = [b'\t', b';', b'|', b','];

/// How a text is cut into records and fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dialect {
    pub(super) separator: u8,
    pub(super) quote: u8,
    pub(super) header: bool,
}

/// A dialect and what to tell about it.
pub(super) struct Found {
    pub(super) dialect: Dialect,
    pub(super) notes: Vec<Message>,
}

impl Dialect {
    /// The dialect of a text that begins with `bytes`, which are all of it if `ended`. `written` is the
    /// separator of [`crate::write_table`], which counts where options are strict.
    pub(super) fn find(bytes: &[u8], ended: bool, options: &Options, written: u8) -> Found {
        if options.strict {
            let separator = options.separator.unwrap_or(written);
            let (quote, header) = (options.quote.unwrap_or(b'"'), options.header.unwrap_or(true));
            return Found { dialect: Self { separator, quote, header }, notes: Vec::new() };
        }
        let ended = ended && bytes.len() <= SAMPLE;
        let sample = &bytes[..bytes.len().min(SAMPLE)];
        let mut notes = Vec::new();
        let (separator, quote) = separator_and_quote(sample, ended, options, &mut notes);
        let mut dialect = Self { separator, quote, header: true };
        dialect.header = options
            .header
            .unwrap_or_else(|| has_header(&head(sample, ended, dialect), &options.missing));
        Found { dialect, notes }
    }

    /// A parser of this dialect.
    pub(super) fn parser(self) -> csv_core::Reader {
        csv_core::ReaderBuilder::new().delimiter(self.separator).quote(self.quote).build()
    }
}

/// The separator that a first line such as `sep=;` declares, and the length of that line. Excel
/// writes it for itself.
pub(super) fn declared(bytes: &[u8], options: &Options) -> Option<(u8, usize)> {
    let (word, rest) = bytes.split_at_checked(4)?;
    let (&separator, rest) = rest.split_first()?;
    let end = match rest {
        [b'\r', b'\n', ..] => 2,
        [b'\r' | b'\n', ..] => 1,
        _ => return None,
    };
    let usable = separator == b'\t' || separator == b' ' || separator.is_ascii_punctuation();
    let quotes = options.quote.unwrap_or(b'"') == separator;
    (word.eq_ignore_ascii_case(b"sep=") && usable && !quotes).then_some((separator, 5 + end))
}

/// How well a separator and a quote fit a sample.
struct Fit {
    separator: u8,
    quote: u8,
    /// The share of records that have the most frequent number of fields, in thousandths.
    share: usize,
}

fn separator_and_quote(
    sample: &[u8],
    ended: bool,
    options: &Options,
    notes: &mut Vec<Message>,
) -> (u8, u8) {
    let separators = options.separator.map_or(SEPARATORS.to_vec(), |byte| vec![byte]);
    let free = |separator| separators.iter().filter(move |&&byte| byte != separator);
    let fits: Vec<Fit> = separators
        .iter()
        .filter_map(|&separator| match options.quote {
            Some(quote) => fit(sample, ended, separator, quote).map(|(fit, _)| fit),
            None => fit_either_quote(sample, ended, separator),
        })
        .collect();
    let Some(best) = fits.iter().rev().max_by_key(|fit| fit.share) else {
        return alone(sample, ended, options);
    };
    let draw = free(best.separator)
        .find(|&&other| fits.iter().any(|fit| fit.separator == other && fit.share == best.share));
    if let Some(&other) = draw {
        notes.push(message!(
            "fields are separated by {}, though {} would fit too; say {separator} to decide otherwise",
            named(best.separator),
            named(other),
            separator = Setting::Separator
        ));
    }
    if options.quote.is_none() && best.quote == b'\'' {
        notes.push(message!(
            "cells are quoted with `'`; say {} to decide otherwise",
            Setting::Quote
        ));
    }
    (best.separator, best.quote)
}

/// A text of one column.
fn alone(sample: &[u8], ended: bool, options: &Options) -> (u8, u8) {
    let separator = options.separator.unwrap_or(b',');
    let single = || {
        let (shape, _) = shape(sample, ended, separator, b'\'');
        shape.n_quoted > 0
            && shape.n_broken == 0
            && shape.open.is_none()
            && shape.n_quoted >= shape.n_records
    };
    let quote = options.quote.unwrap_or_else(|| if single() { b'\'' } else { b'"' });
    (separator, quote)
}

/// Apostrophes quote only where every cell that begins with one is closed by one: `'s-Hertogenbosch`
/// is a town.
fn fit_either_quote(sample: &[u8], ended: bool, separator: u8) -> Option<Fit> {
    let double = fit(sample, ended, separator, b'"');
    let single = fit(sample, ended, separator, b'\'')
        .filter(|(_, shape)| shape.n_quoted > 0 && shape.n_broken == 0 && shape.open.is_none());
    match (double, single) {
        (double, None) => double.map(|(fit, _)| fit),
        (None, single) => single.map(|(fit, _)| fit),
        (Some((double, shape)), Some((single, _))) => {
            Some(if shape.n_quoted == 0 && single.share >= double.share { single } else { double })
        }
    }
}

fn fit(sample: &[u8], ended: bool, separator: u8, quote: u8) -> Option<(Fit, Shape)> {
    let (shape, widths) = shape(sample, ended, separator, quote);
    let (_, &n) = widths.iter().filter(|&(&width, _)| width >= 2).max_by_key(|&(_, &n)| n)?;
    Some((Fit { separator, quote, share: n * 1000 / shape.n_records }, shape))
}

/// The shape of a sample and how many of its records have each number of fields. The record that
/// the sample cuts, or an open quote swallows, says nothing.
fn shape(sample: &[u8], ended: bool, separator: u8, quote: u8) -> (Shape, BTreeMap<usize, usize>) {
    let mut widths = BTreeMap::new();
    let dialect = Dialect { separator, quote, header: true };
    let mut shape = scan(sample, dialect, &mut |width| *widths.entry(width).or_insert(0) += 1);
    if let Some(width) = shape.last_width
        && (ended || shape.n_records == 0)
        && shape.open.is_none()
    {
        *widths.entry(width).or_insert(0) += 1;
        shape.n_records += 1;
    }
    (shape, widths)
}

/// What a scan found.
pub(super) struct Shape {
    /// Records that end with a line end.
    pub(super) n_records: usize,
    /// The number of fields of a record that does not.
    pub(super) last_width: Option<usize>,
    /// Quoted fields.
    pub(super) n_quoted: usize,
    /// Quoted fields that go on after the closing quote.
    pub(super) n_broken: usize,
    /// Where a quote opens that is never closed: line ends before it, and the field from 0.
    pub(super) open: Option<(u64, usize)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    StartOfRecord,
    StartOfField,
    InField,
    InQuotes,
    AfterQuote,
}

/// Goes through a text as the parser does and calls `each` with the width of every record that ends.
pub(super) fn scan(bytes: &[u8], dialect: Dialect, each: &mut dyn FnMut(usize)) -> Shape {
    let mut scanner = Scanner::new(dialect);
    scanner.feed(bytes, each);
    scanner.shape()
}

/// A scan of a text that comes in parts.
pub(super) struct Scanner {
    dialect: Dialect,
    state: State,
    field: usize,
    lines: u64,
    opened: (u64, usize),
    before: u8,
    n_records: usize,
    n_quoted: usize,
    n_broken: usize,
}

impl Scanner {
    pub(super) fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            state: State::StartOfRecord,
            field: 0,
            lines: 0,
            opened: (0, 0),
            before: 0,
            n_records: 0,
            n_quoted: 0,
            n_broken: 0,
        }
    }

    /// Goes through the next part and calls `each` with the width of every record that ends.
    pub(super) fn feed(&mut self, bytes: &[u8], each: &mut dyn FnMut(usize)) {
        let Dialect { separator, quote, .. } = self.dialect;
        for &byte in bytes {
            let ends_line = matches!(byte, b'\r' | b'\n');
            self.lines += u64::from(ends_line && !(byte == b'\n' && self.before == b'\r'));
            self.before = byte;
            self.state = match self.state {
                State::InQuotes if byte == quote => State::AfterQuote,
                State::InQuotes => State::InQuotes,
                State::StartOfRecord if ends_line => State::StartOfRecord,
                _ if ends_line => {
                    each(self.field + 1);
                    self.n_records += 1;
                    self.field = 0;
                    State::StartOfRecord
                }
                State::AfterQuote if byte == quote => State::InQuotes,
                State::StartOfRecord | State::StartOfField if byte == quote => {
                    self.n_quoted += 1;
                    self.opened = (self.lines, self.field);
                    State::InQuotes
                }
                _ if byte == separator => {
                    self.field += 1;
                    State::StartOfField
                }
                State::AfterQuote => {
                    self.n_broken += 1;
                    State::InField
                }
                _ => State::InField,
            };
        }
    }

    /// Whether the text so far ends with a record, so that the next part begins one.
    pub(super) fn is_between_records(&self) -> bool {
        self.state == State::StartOfRecord
    }

    /// What was found so far.
    pub(super) fn shape(&self) -> Shape {
        Shape {
            n_records: self.n_records,
            last_width: (self.state != State::StartOfRecord).then_some(self.field + 1),
            n_quoted: self.n_quoted,
            n_broken: self.n_broken,
            open: (self.state == State::InQuotes).then_some(self.opened),
        }
    }
}

/// The cells of the first records.
fn head(sample: &[u8], ended: bool, dialect: Dialect) -> Vec<Vec<String>> {
    let mut parser = dialect.parser();
    let (mut output, mut ends) = (vec![0; sample.len() + 1], vec![0; sample.len() + 2]);
    let mut rest = sample;
    let (mut records, mut n_output, mut n_ends) = (Vec::new(), 0, 0);
    while records.len() < HEAD {
        if rest.is_empty() && !ended {
            break;
        }
        let (result, n_read, n_written, n_ended) =
            parser.read_record(rest, &mut output[n_output..], &mut ends[n_ends..]);
        rest = &rest[n_read..];
        (n_output, n_ends) = (n_output + n_written, n_ends + n_ended);
        match result {
            ReadRecordResult::InputEmpty => {}
            ReadRecordResult::Record => {
                let mut start = 0;
                let cell = |&end: &usize| {
                    let cell = String::from_utf8_lossy(&output[start..end]).into_owned();
                    start = end;
                    cell
                };
                records.push(ends[..n_ends].iter().map(cell).collect());
                (n_output, n_ends) = (0, 0);
            }
            _ => break,
        }
    }
    records
}

/// There is no header only if some column looks like data from its first cell on.
fn has_header(records: &[Vec<String>], missing: &Missing) -> bool {
    let Some((first, rest)) = records.split_first() else { return true };
    let is_data = |column: usize| {
        let mut below = rest
            .iter()
            .filter_map(|record| record.get(column))
            .filter(|cell| !missing.is(cell))
            .peekable();
        below.peek().is_some() && below.all(|cell| looks_like_data(cell))
    };
    !first.iter().enumerate().any(|(column, cell)| looks_like_data(cell) && is_data(column))
}

fn named(separator: u8) -> String {
    match separator {
        b'\t' => "tabs".into(),
        byte => format!("`{}`", char::from(byte)),
    }
}
