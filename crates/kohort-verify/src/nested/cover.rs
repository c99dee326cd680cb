//! A nested release laid beside its original: which released subtree may be a pruned and generalized
//! original one.
//!
//! A row shows another when every label covers the other's value and all other columns of the release are
//! as they were; a tree embeds in another when its root shows the other's and what stands in it embeds in
//! different subtrees of what stands in the other. Rows at one place of the schema are compared only with
//! rows at the same place, so nothing is added or moved.

use kohort_core::{Attribute, Branch, Codes, Column, Error, Nested, Scalar, Table};

use super::claims::NestedOriginal;
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
    labels: Vec<Label<'a>>,
    exact: Vec<Exact>,
    // What stands in the rows: an index into the pairs, and where what stands in each row begins.
    below: Vec<(usize, [Vec<u32>; 2])>,
    // Where the rows of each record begin.
    of_record: [Vec<u32>; 2],
}

/// A quasi-identifier: what the released texts cover.
struct Label<'a> {
    published: Published,
    released: &'a Codes,
    // The column itself tells absent cells by their scalars alone.
    is_there: Vec<bool>,
    attribute: &'a Attribute,
}

/// A column that is published as it was: numbers of texts. What is absent in the release was cut off.
struct Exact {
    released: Vec<Option<u32>>,
    original: Vec<u32>,
    n_numbers: u32,
}

impl<'a> Cover<'a> {
    /// Lays a file beside the original; columns that `is_exact` names must be as they were, quasi-identifiers
    /// must cover, others are not looked at.
    pub(super) fn new(
        release: &'a Nested,
        original: NestedOriginal<'a>,
        is_exact: impl Fn(&str) -> bool,
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
                let next = branches.len();
                branches[parent].below.push((next, first));
            }
            place[at] = Some(branches.len());
            let exact = branch.table().columns().iter().map(Column::name);
            let exact = exact.filter(|path| is_exact(path));
            branches.push(Pair {
                labels: labels(branch, twin, twin_at, original)?,
                exact: exact.filter_map(|path| Exact::new(branch, twin, path)).collect(),
                below: Vec::new(),
                of_record: [of_record[0][at].clone(), of_record[1][twin_at].clone()],
            });
        }
        let [n_released, n_original] = sources.map(Nested::n_records);
        Ok(Self { branches, n_released, n_original })
    }

    /// Whether a released record embeds in an original one.
    pub(super) fn embeds(&self, released: u32, original: u32) -> bool {
        let n = |firsts: &[u32], record: u32| firsts[record as usize + 1] - firsts[record as usize];
        let is_smaller =
            |pair: &Pair<'_>| n(&pair.of_record[0], released) <= n(&pair.of_record[1], original);
        self.branches.iter().all(is_smaller) && self.embeds_at(0, released, original)
    }

    fn embeds_at(&self, at: usize, released: u32, original: u32) -> bool {
        let pair = &self.branches[at];
        pair.shows(released, original)
            && pair.below.iter().all(|(below, [first, twin_first])| {
                let rows =
                    |firsts: &[u32], row: u32| firsts[row as usize]..firsts[row as usize + 1];
                self.all_embed(*below, rows(first, released), rows(twin_first, original))
            })
    }

    /// Whether these rows embed in different ones of those.
    fn all_embed(
        &self,
        at: usize,
        released: std::ops::Range<u32>,
        original: std::ops::Range<u32>,
    ) -> bool {
        if released.len() > original.len() {
            return false;
        }
        let mut candidates: Vec<Vec<u32>> = Vec::with_capacity(released.len());
        for row in released {
            let fits = |&twin: &u32| self.embeds_at(at, row, twin);
            candidates.push(original.clone().filter(fits).collect());
            if candidates.last().is_some_and(Vec::is_empty) {
                return false;
            }
        }
        let mut matching = Matching::new(candidates.len(), original.len());
        (0..small(candidates.len())).all(|row| {
            matching.place(row, |row| {
                candidates[row as usize].iter().map(|&twin| twin - original.start)
            })
        })
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
                !label.is_there[released]
                    || label
                        .published
                        .covers(label.released.get(released), label.attribute.codes().get(original))
            })
    }

    fn add(&self, side: usize, tokens: &mut [Vec<u32>], token: impl Fn(usize) -> Option<u32>) {
        for (record, ends) in self.of_record[side].windows(2).enumerate() {
            tokens[record].extend((ends[0]..ends[1]).filter_map(|row| token(row as usize)));
        }
    }
}

impl Label<'_> {
    /// The only code that a released row covers, if there is only one.
    fn single(&self, row: usize) -> Option<u32> {
        match self.published.covered(self.released.get(row)) {
            &[(lo, hi)] if lo == hi && self.is_there[row] => Some(lo),
            _ => None,
        }
    }
}

impl Exact {
    fn new(branch: &Branch, twin: &Branch, path: &str) -> Option<Self> {
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
        let is_there = branch.scalars(at).iter().map(|scalar| *scalar != Scalar::Absent);
        let of_release = numbers(released, branch.scalars(at)).into_iter().zip(is_there);
        Some(Self {
            released: of_release.map(|(number, is_there)| is_there.then_some(number)).collect(),
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
        labels.push(Label {
            published: Published::read(table, column, attribute)?,
            released: table.columns()[at].codes(),
            // A cell that is not there may be any value, or none.
            is_there: branch.scalars(at).iter().map(|&scalar| scalar != Scalar::Absent).collect(),
            attribute,
        });
    }
    Ok(labels)
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

/// A matching of some things with others that grows one by one.
pub(super) struct Matching {
    /// What each of the others is matched with.
    pub(super) owner: Vec<Option<u32>>,
    // The other way round.
    holds: Vec<Option<u32>>,
    // The last search that came to each of the others, and from whom.
    seen: Vec<u32>,
    came_from: Vec<u32>,
    search: u32,
}

impl Matching {
    /// Nothing is matched yet.
    pub(super) fn new(n: usize, n_others: usize) -> Self {
        Self {
            owner: vec![None; n_others],
            seen: vec![0; n_others],
            search: 0,
            came_from: vec![0; n_others],
            holds: vec![None; n],
        }
    }

    /// Matches one more, moving those that can be moved; whether that is possible.
    pub(super) fn place<I: Iterator<Item = u32>>(
        &mut self,
        one: u32,
        candidates: impl Fn(u32) -> I,
    ) -> bool {
        self.search += 1;
        let mut queue = vec![one];
        let mut next = 0;
        while let Some(&at) = queue.get(next) {
            next += 1;
            for other in candidates(at) {
                if std::mem::replace(&mut self.seen[other as usize], self.search) == self.search {
                    continue;
                }
                self.came_from[other as usize] = at;
                let Some(owner) = self.owner[other as usize] else {
                    self.shift(other);
                    return true;
                };
                queue.push(owner);
            }
        }
        false
    }

    /// Hands what is free to the one that found it, and what that had to the one before.
    fn shift(&mut self, free: u32) {
        let mut next = Some(free);
        while let Some(free) = next {
            let to = self.came_from[free as usize];
            self.owner[free as usize] = Some(to);
            next = self.holds[to as usize].replace(free);
        }
    }
}
