//! A nested release laid beside its original: which released subtree may be a pruned and generalized
//! original one.
//!
//! A row shows another when every label covers the other's value and all other columns of the release are
//! as they were; a tree embeds in another when its root shows the other's and what stands in it embeds in
//! different subtrees of what stands in the other. Rows at one place of the schema are compared only with
//! rows at the same place, so nothing is added or moved.
//!
//! A label that is null or not there says that the value is missing, and is no cell that was suppressed:
//! that is `*`. Only a sensitive value that is not there was cut off. A column that a release does not have
//! at all says nothing. An array without items, and a null in the place of an object, say that there is
//! none.

use std::collections::BTreeSet;
use std::ops::Range;

use kohort_core::{Attribute, Branch, Codes, Column, Error, Nested, Scalar, Table};

use super::claims::NestedOriginal;
use super::matching::Matching;
use super::shape::{Shape, small};
use crate::release::cells::Published;

/// A released file beside the original.
pub(super) struct Cover<'a> {
    // One for each released branch that the original has.
    branches: Vec<Pair<'a>>,
    pub(super) n_released: usize,
    pub(super) n_original: usize,
}

/// A place of the schema in both.
struct Pair<'a> {
    // The branch of the release, and that of the original.
    branches: [usize; 2],
    labels: Vec<Label<'a>>,
    exact: Vec<Exact>,
    below: Vec<Below>,
    // Where the rows of each record begin.
    of_record: [Vec<u32>; 2],
}

/// What stands in the rows of a place.
struct Below {
    // An index into the pairs.
    at: usize,
    // Where what stands in each row begins.
    firsts: [Vec<u32>; 2],
    // The released rows that say that nothing stands in them, ascending.
    said_empty: Vec<u32>,
}

/// A quasi-identifier: what the released texts cover.
struct Label<'a> {
    published: Published,
    released: &'a Codes,
    // By row: whether it says that the value is missing.
    is_missing: Vec<bool>,
    attribute: &'a Attribute,
}

/// A column that is published as it was: numbers of texts; none for a value that was cut off.
struct Exact {
    released: Vec<Option<u32>>,
    original: Vec<u32>,
    n_numbers: u32,
}

/// What a column that is no label must be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Must {
    /// As it was.
    Stay,
    /// As it was, or not there.
    StayOrGo,
}

/// A released row, and a row of the original that it may be; each by branch and row.
pub(super) struct Image {
    pub(super) released: (usize, u32),
    pub(super) original: (usize, u32),
}

impl<'a> Cover<'a> {
    /// Lays a file beside the original; what `must` says of columns holds of them, quasi-identifiers must
    /// cover, others are not looked at.
    pub(super) fn new(
        release: &'a Nested,
        original: NestedOriginal<'a>,
        must: impl Fn(&str) -> Option<Must>,
    ) -> Result<Self, Error> {
        let sources = [release, original.nested];
        let of_record = sources.map(firsts_of_records);
        let mut place: Vec<Option<usize>> = vec![None; release.branches().len()];
        let mut branches: Vec<Pair<'a>> = Vec::new();
        for (at, branch) in release.branches().iter().enumerate() {
            let same = |other: &Branch| other.path() == branch.path();
            let Some(twin_at) = original.nested.branches().iter().position(same) else { continue };
            let twin = &original.nested.branches()[twin_at];
            if let (Some(inside), Some(other)) = (branch.inside(), twin.inside()) {
                let Some(parent) = place[inside.branch] else { continue };
                let n = [inside.branch, other.branch];
                let n = [0, 1].map(|side| sources[side].branches()[n[side]].n_rows());
                let first = [firsts(&inside.rows, n[0]), firsts(&other.rows, n[1])];
                // Arrays in arrays are arrays still, whatever was cut off.
                let marks = branch.empty().iter().filter(|_| !branch.path().ends_with("[][]"));
                let said_empty = marks.map(|&(row, _)| row).collect();
                let at = branches.len();
                branches[parent].below.push(Below { at, firsts: first, said_empty });
            }
            place[at] = Some(branches.len());
            let exact = branch.table().columns().iter().map(Column::name);
            let exact = exact.filter_map(|path| Exact::new(branch, twin, path, must(path)?));
            branches.push(Pair {
                branches: [at, twin_at],
                labels: labels(branch, twin, twin_at, original)?,
                exact: exact.collect(),
                below: Vec::new(),
                of_record: [of_record[0][at].clone(), of_record[1][twin_at].clone()],
            });
        }
        let [n_released, n_original] = sources.map(Nested::n_records);
        Ok(Self { branches, n_released, n_original })
    }

    /// Whether a released record embeds in an original one.
    pub(super) fn embeds(&self, released: u32, original: u32) -> bool {
        self.embeds_in(released, original, &|_| true)
    }

    /// The same among the rows of the original, by branch and row, that are open.
    pub(super) fn embeds_in(&self, released: u32, original: u32, is_open: Open<'_>) -> bool {
        let n = |firsts: &[u32], record: u32| firsts[record as usize + 1] - firsts[record as usize];
        let is_smaller =
            |pair: &Pair<'_>| n(&pair.of_record[0], released) <= n(&pair.of_record[1], original);
        self.branches.iter().all(is_smaller) && self.embeds_at(0, released, original, is_open)
    }

    fn embeds_at(&self, at: usize, released: u32, original: u32, is_open: Open<'_>) -> bool {
        let pair = &self.branches[at];
        is_open((pair.branches[1], original))
            && pair.shows(released, original)
            && pair.below.iter().all(|below| {
                let (rows, twins) = below.rows(released, original);
                if !twins.is_empty() && below.said_empty.binary_search(&released).is_ok() {
                    return false;
                }
                let candidates = self.candidates(below.at, rows, twins.clone(), is_open);
                candidates.is_some_and(|candidates| all_embed(&candidates, &twins))
            })
    }

    /// The rows of the original that each of these rows embeds in; none where one embeds in none.
    fn candidates(
        &self,
        at: usize,
        released: Range<u32>,
        original: Range<u32>,
        is_open: Open<'_>,
    ) -> Option<Vec<Vec<u32>>> {
        if released.len() > original.len() {
            return None;
        }
        let mut candidates: Vec<Vec<u32>> = Vec::with_capacity(released.len());
        for row in released {
            let fits = |&twin: &u32| self.embeds_at(at, row, twin, is_open);
            candidates.push(original.clone().filter(fits).collect());
            if candidates.last().is_some_and(Vec::is_empty) {
                return None;
            }
        }
        Some(candidates)
    }

    /// Which rows of an original record the rows of a released one may be: a row that is the only one for
    /// some row is so for no other. Nothing where it does not embed.
    pub(super) fn images(&self, released: u32, original: u32) -> Vec<Image> {
        let mut images = Vec::new();
        if self.embeds(released, original) {
            self.add_images(0, released, original, &mut images);
        }
        images
    }

    fn add_images(&self, at: usize, released: u32, original: u32, images: &mut Vec<Image>) {
        kohort_core::alive();
        let pair = &self.branches[at];
        let [here, there] = pair.branches;
        images.push(Image { released: (here, released), original: (there, original) });
        for below in &pair.below {
            let (rows, twins) = below.rows(released, original);
            let found = self.candidates(below.at, rows.clone(), twins, &|_| true);
            let mut found = found.unwrap_or_default();
            strike(&mut found);
            for (row, twins) in rows.zip(found) {
                for twin in twins {
                    self.add_images(below.at, row, twin, images);
                }
            }
        }
    }

    /// Whether a branch of the original is in the release.
    pub(super) fn has(&self, branch: usize) -> bool {
        self.branches.iter().any(|pair| pair.branches[1] == branch)
    }

    /// For each released record, and each original one: numbers of what is there exactly, ascending. Whoever
    /// embeds in an original record has no number more often than it has.
    pub(super) fn tokens(&self) -> [Vec<Vec<u32>>; 2] {
        let mut tokens = [vec![Vec::new(); self.n_released], vec![Vec::new(); self.n_original]];
        let mut offset = 0;
        for pair in &self.branches {
            for exact in &pair.exact {
                pair.add(0, &mut tokens[0], |row| Some(exact.released[row]? + offset));
                pair.add(1, &mut tokens[1], |row| Some(exact.original[row] + offset));
                offset += exact.n_numbers;
            }
            for label in &pair.labels {
                pair.add(0, &mut tokens[0], |row| label.single(row).map(|code| code + offset));
                let codes = label.attribute.codes();
                pair.add(1, &mut tokens[1], |row| Some(codes.get(row) + offset));
                offset += label.attribute.n_codes();
            }
        }
        tokens.iter_mut().flatten().for_each(|tokens| tokens.sort_unstable());
        tokens
    }
}

impl Pair<'_> {
    fn shows(&self, released: u32, original: u32) -> bool {
        let (released, original) = (released as usize, original as usize);
        let is_same =
            |exact: &Exact| exact.released[released].is_none_or(|n| n == exact.original[original]);
        self.exact.iter().all(is_same)
            && self.labels.iter().all(|label| {
                let code = label.attribute.codes().get(original);
                if label.is_missing[released] {
                    label.attribute.missing() == Some(code)
                } else {
                    label.published.covers(label.released.get(released), code)
                }
            })
    }

    fn add(&self, side: usize, tokens: &mut [Vec<u32>], token: impl Fn(usize) -> Option<u32>) {
        for (record, ends) in self.of_record[side].windows(2).enumerate() {
            tokens[record].extend((ends[0]..ends[1]).filter_map(|row| token(row as usize)));
        }
    }
}

impl Below {
    /// What stands in a released row, and in one of the original.
    fn rows(&self, released: u32, original: u32) -> (Range<u32>, Range<u32>) {
        (rows_in(&self.firsts[0], released), rows_in(&self.firsts[1], original))
    }
}

impl Label<'_> {
    /// The only code that a released row covers, if there is only one.
    fn single(&self, row: usize) -> Option<u32> {
        match self.published.covered(self.released.get(row)) {
            _ if self.is_missing[row] => self.attribute.missing(),
            &[(lo, hi)] if lo == hi => Some(lo),
            _ => None,
        }
    }
}

impl Exact {
    fn new(branch: &Branch, twin: &Branch, path: &str, must: Must) -> Option<Self> {
        let column = |branch: &Branch| {
            branch.table().columns().iter().position(|column| column.name() == path)
        };
        let (at, twin_at) = (column(branch)?, column(twin)?);
        let (released, original) =
            (&branch.table().columns()[at], &twin.table().columns()[twin_at]);
        let texts = original.dictionary();
        // Nothing there, null and the empty text are one, after the texts of the original; then comes
        // whatever the original does not have.
        let nothing = texts.len();
        let numbers = |column: &Column, scalars: &[Scalar]| {
            let number = |text: &str| match text {
                "" => nothing,
                _ => texts.find(text).unwrap_or(nothing + 1),
            };
            let to: Vec<u32> = column.dictionary().iter().map(number).collect();
            let number = |(entry, scalar): (u32, &Scalar)| match scalar {
                Scalar::Absent | Scalar::Null => nothing,
                Scalar::Text | Scalar::Bare => to[entry as usize],
            };
            column.codes().iter().zip(scalars).map(number).collect::<Vec<u32>>()
        };
        let is_cut = |scalar: &Scalar| must == Must::StayOrGo && *scalar == Scalar::Absent;
        let of_release = numbers(released, branch.scalars(at)).into_iter().zip(branch.scalars(at));
        Some(Self {
            released: of_release.map(|(n, scalar)| (!is_cut(scalar)).then_some(n)).collect(),
            original: numbers(original, twin.scalars(twin_at)),
            n_numbers: nothing + 2,
        })
    }
}

/// The quasi-identifiers of a branch of the original that the release has.
fn labels<'a>(
    branch: &'a Branch,
    twin: &Branch,
    twin_at: usize,
    original: NestedOriginal<'a>,
) -> Result<Vec<Label<'a>>, Error> {
    let kinds = original.forest.kinds().iter().filter(|kind| kind.branch == twin_at);
    let mut labels = Vec::new();
    for attribute in kinds.flat_map(|kind| &kind.quasi) {
        let table: &Table = branch.table();
        let mut columns = table.columns().iter();
        let Some(at) = columns.position(|column| column.name() == attribute.name()) else {
            continue;
        };
        let column = Some(twin.table().column(attribute.name())?);
        let released = &table.columns()[at];
        let is_missing = |(entry, scalar): (u32, &Scalar)| {
            matches!(scalar, Scalar::Absent | Scalar::Null)
                || table.missing().is(released.dictionary().get(entry))
        };
        labels.push(Label {
            published: Published::read(table, column, attribute)?,
            released: released.codes(),
            is_missing: released.codes().iter().zip(branch.scalars(at)).map(is_missing).collect(),
            attribute,
        });
    }
    Ok(labels)
}

/// Which rows of the original may be shown, by branch and row.
type Open<'a> = &'a dyn Fn((usize, u32)) -> bool;

/// Whether each row has one of its candidates for itself.
fn all_embed(candidates: &[Vec<u32>], original: &Range<u32>) -> bool {
    let mut matching = Matching::new(candidates.len(), original.len());
    let of = |row: u32| candidates[row as usize].iter().map(|&twin| twin - original.start);
    (0..small(candidates.len())).all(|row| matching.place(row, of))
}

/// Strikes the only candidate of a row from the others', until there is no such.
fn strike(candidates: &mut [Vec<u32>]) {
    let mut struck = BTreeSet::new();
    let is_single = |list: &Vec<u32>, struck: &BTreeSet<u32>| match list[..] {
        [only] if !struck.contains(&only) => Some(only),
        _ => None,
    };
    while let Some(only) = candidates.iter().find_map(|list| is_single(list, &struck)) {
        struck.insert(only);
        for list in candidates.iter_mut().filter(|list| list.len() > 1) {
            list.retain(|&twin| twin != only);
        }
    }
}

/// The rows that stand in a row.
fn rows_in(firsts: &[u32], row: u32) -> Range<u32> {
    firsts[row as usize]..firsts[row as usize + 1]
}

/// Where what stands in each of `n` rows begins, and where the last ends.
pub(super) fn firsts(rows: &[u32], n: usize) -> Vec<u32> {
    let mut firsts = vec![0; n + 1];
    for &row in rows {
        firsts[row as usize + 1] += 1;
    }
    for row in 0..n {
        firsts[row + 1] += firsts[row];
    }
    firsts
}

/// Where the rows of each record begin, by branch.
fn firsts_of_records(nested: &Nested) -> Vec<Vec<u32>> {
    let records = Shape::of(nested).records();
    records.iter().map(|rows| firsts(rows, nested.n_records())).collect()
}
