//! Taxonomy files in ARX's layout: one line per value, leaf first, one column per level.
//!
//! The separator is `;` or `,`, found by looking. Cells may be quoted with `"`, white space around
//! them is dropped, and blank lines are skipped. There is no header.

use std::borrow::Cow;

use kohort_core::{Message, Taxonomy, Tree};

use super::listed::{Collector, Listed, MAX_PROBLEMS, Problem};
use super::{index, refused};
use crate::Error;

/// The most cells a line may have: every line is padded to the longest.
const MAX_COLUMNS: usize = 256;

/// A file that was opened elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct FileText<'a> {
    /// Its name, for messages.
    pub name: &'a str,
    /// What it holds.
    pub text: &'a str,
}

/// A taxonomy file as it was read, whether it is a tree or not.
pub(super) struct Read {
    pub(super) listed: Listed,
    pub(super) separator: char,
    pub(super) warnings: Vec<String>,
    pub(super) notes: Vec<Message>,
    pub(super) problems: Vec<Problem>,
}

impl Read {
    /// The taxonomy, or its first problem.
    pub(super) fn into_tree(self, name: &str) -> Result<(Listed, Vec<String>), Error> {
        match self.problems.into_iter().next() {
            Some(problem) => Err(refused(name, problem.place(), problem.problem)),
            None => Ok((self.listed, self.warnings)),
        }
    }
}

/// A tree of a file, bound to no table: every leaf of the file is there.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The tree.
    pub taxonomy: Taxonomy,
    /// The leaves in the order of their positions. They may be cells of a private table.
    pub leaf_labels: Vec<String>,
    /// What was odd about the file.
    pub warnings: Vec<String>,
}

/// Reads a taxonomy file, to look at it without a table.
pub fn load(file: FileText<'_>, separator: Option<char>) -> Result<Loaded, Error> {
    let (listed, warnings) = read(file.text, separator).into_tree(file.name)?;
    let (taxonomy, positions) = tree_of_all(&listed);
    let mut leaf_labels = vec![String::new(); positions.len()];
    for (leaf, position) in listed.leaves.iter().zip(positions) {
        leaf.clone_into(&mut leaf_labels[position as usize]);
    }
    Ok(Loaded { taxonomy, leaf_labels, warnings })
}

/// The tree with every leaf, and the position of each.
pub(super) fn tree_of_all(listed: &Listed) -> (Taxonomy, Vec<u32>) {
    let leaves: Vec<Option<u32>> = (0..listed.leaves.len()).map(Some).collect();
    let tree = Tree {
        leaves: &leaves,
        label: &|leaf| listed.leaves.get(index(leaf)).to_owned(),
        levels: &listed.levels,
        n_values: listed.leaves.len(),
        missing: false,
        is_ordered: false,
    };
    Taxonomy::build(tree).expect("a file whose groups have two parents is refused")
}

/// Reads the text of a file and finds all that is wrong with it, up to a limit.
pub(super) fn read(text: &str, separator: Option<char>) -> Read {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let separator = separator.unwrap_or_else(|| find_separator(text));
    let Lines { cells, mut rows, mut problems } = split(text, separator);
    if rows.is_empty() && problems.is_empty() {
        problems.push(Problem::new(Vec::new(), "the file is empty"));
    }
    if let Some(row) = rows.iter().find(|row| row.len > MAX_COLUMNS) {
        let problem = format!("a line must have at most {MAX_COLUMNS} cells, but has {}", row.len);
        problems.push(Problem::new(vec![row.line], problem));
        rows.retain(|row| row.len <= MAX_COLUMNS);
    }
    let mut warnings = Vec::new();
    let mut notes = Vec::new();
    let width = rows.iter().map(|row| row.len).max().unwrap_or(1);
    let root = root(&rows, &cells, width);
    if root.is_none() && !rows.is_empty() {
        notes.push("the last column has no single label, so a root `*` is added above it".into());
    }
    warnings.extend(short_rows(&rows, width));
    let mut collector = Collector::new(width - 1);
    for row in &rows {
        let cells = &cells[row.start..row.start + row.len];
        let is_short = row.len < width;
        let is_rooted = is_short && row.len > 1 && cells[row.len - 1] == root.unwrap_or("*");
        let n_own = if is_rooted { row.len - 1 } else { row.len };
        let label = |level: usize| match root {
            Some(root) if level == width - 1 => root,
            _ => &cells[level.min(n_own - 1)],
        };
        collector.add(row.line, &cells[0], (1..width).map(label));
    }
    warnings.extend(repeated_leaves(&collector.repeated));
    let (listed, found) = collector.finish();
    problems.extend(found);
    problems.sort_by(|a, b| a.lines.iter().max().cmp(&b.lines.iter().max()));
    problems.truncate(MAX_PROBLEMS);
    Read { listed, separator, warnings, notes, problems }
}

/// The label that the last column of all full rows agrees on.
fn root<'c>(rows: &[Row], cells: &'c [Cow<'_, str>], width: usize) -> Option<&'c str> {
    if width == 1 {
        return None;
    }
    let mut labels = (rows.iter())
        .filter(|row| row.len == width)
        .map(|row| cells[row.start + width - 1].as_ref());
    let first = labels.next()?;
    labels.all(|label| label == first).then_some(first)
}

fn short_rows(rows: &[Row], width: usize) -> Option<String> {
    let mut short = rows.iter().filter(|row| row.len < width);
    let first = short.next()?;
    let n_short = 1 + short.count();
    let (are, their) = if n_short == 1 { ("line is", "its") } else { ("lines are", "their") };
    Some(format!(
        "line {}: {n_short} {are} shorter than {width} columns; {their} last label is repeated up \
         to the root",
        first.line
    ))
}

fn repeated_leaves(repeated: &[(u64, u64)]) -> Option<String> {
    let &(first, second) = repeated.first()?;
    let more = match repeated.len() {
        1 => String::new(),
        n => format!("; {} more such lines", n - 1),
    };
    Some(format!("lines {first} and {second}: a value is listed twice, with the same groups{more}"))
}

/// One line of the file, as cells.
struct Row {
    line: u64,
    start: usize,
    len: usize,
}

struct Lines<'t> {
    cells: Vec<Cow<'t, str>>,
    rows: Vec<Row>,
    problems: Vec<Problem>,
}

/// The separator that gives every row the same number of cells, more than one; else the one that
/// splits more rows. `;` is preferred: labels such as `[0, 5[` hold commas.
fn find_separator(text: &str) -> char {
    let look = |separator| {
        let rows = split(text, separator).rows;
        let n_split = rows.iter().filter(|row| row.len > 1).count();
        let is_even =
            n_split == rows.len() && rows.windows(2).all(|pair| pair[0].len == pair[1].len);
        (is_even, n_split)
    };
    let semicolon = look(';');
    if !semicolon.0 && look(',') > semicolon { ',' } else { ';' }
}

/// Splits a text into rows of cells. Rows with a problem are left out.
fn split(text: &str, separator: char) -> Lines<'_> {
    let mut found = Lines { cells: Vec::new(), rows: Vec::new(), problems: Vec::new() };
    let mut scanner = Scanner { rest: text, line: 1, separator };
    while !scanner.rest.is_empty() {
        let (line, start) = (scanner.line, found.cells.len());
        let problem = loop {
            match scanner.cell() {
                Err(problem) => break Some(problem),
                Ok((cell, ends_row)) => {
                    found.cells.push(cell);
                    if ends_row {
                        break None;
                    }
                }
            }
        };
        let cells = &found.cells[start..];
        let empty = cells.iter().position(|cell| cell.trim().is_empty());
        match (problem, empty) {
            (Some(problem), _) => found.problems.push(problem),
            (None, None) => {
                found.rows.push(Row { line, start, len: cells.len() });
                continue;
            }
            // A blank line.
            (None, Some(_)) if cells.len() == 1 => {}
            (None, Some(at)) => {
                found.problems.push(Problem::new(vec![line], format!("cell {} is empty", at + 1)));
            }
        }
        found.cells.truncate(start);
    }
    found
}

struct Scanner<'t> {
    rest: &'t str,
    line: u64,
    separator: char,
}

impl<'t> Scanner<'t> {
    /// The next cell, and whether it is the last of its row. After a problem, the next row follows.
    fn cell(&mut self) -> Result<(Cow<'t, str>, bool), Problem> {
        let is_blank = |c: char| c.is_whitespace() && c != '\n' && c != self.separator;
        let start = self.rest.trim_start_matches(is_blank);
        if let Some(quoted) = start.strip_prefix('"') {
            return self.quoted_cell(quoted);
        }
        let end = self.rest.find([self.separator, '\n']).unwrap_or(self.rest.len());
        let cell = self.rest[..end].trim();
        Ok((Cow::Borrowed(cell), self.end_cell(end)))
    }

    /// Moves behind the separator or line break at `end`; tells whether the row ends there.
    fn end_cell(&mut self, end: usize) -> bool {
        let mut rest = self.rest[end..].chars();
        let ends_row = rest.next() != Some(self.separator);
        self.line += u64::from(ends_row);
        self.rest = rest.as_str();
        ends_row
    }

    /// A cell after its opening quote, to the closing one; a doubled quote is a quote.
    fn quoted_cell(&mut self, mut rest: &'t str) -> Result<(Cow<'t, str>, bool), Problem> {
        let opening = self.line;
        let mut cell = Cow::Borrowed("");
        loop {
            let Some(end) = rest.find('"') else {
                self.rest = "";
                return Err(Problem::new(vec![opening], "a quote is never closed"));
            };
            self.line += rest[..end].bytes().map(|byte| u64::from(byte == b'\n')).sum::<u64>();
            cell += &rest[..end];
            rest = &rest[end + 1..];
            match rest.strip_prefix('"') {
                Some(more) => {
                    cell += "\"";
                    rest = more;
                }
                None => break,
            }
        }
        self.rest = rest;
        let end = rest.find([self.separator, '\n']).unwrap_or(rest.len());
        if rest[..end].trim().is_empty() {
            return Ok((cell, self.end_cell(end)));
        }
        let lines = if opening == self.line { vec![opening] } else { vec![opening, self.line] };
        self.end_cell(rest.find('\n').unwrap_or(rest.len()));
        Err(Problem::new(lines, "text follows a closing quote"))
    }
}
