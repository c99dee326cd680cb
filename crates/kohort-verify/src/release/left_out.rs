//! The people of the original who are not in a release, judged as a class of their own.
//!
//! # Guarantee
//! Who can tell that somebody is not in a release learns no more about that person than a promise allows:
//! 1. everybody who was left out, taken as one class, keeps every promise about sensitive values;
//! 2. so do those of them whom no released row covers, taken as one class: about these anybody who knows
//!    their quasi-identifiers can tell.
//!
//! Promises about the size of a class alone (k-anonymity) say nothing about them: nobody can be linked to a
//! row that is not there. A promise that asks for a size and for values at once asks for both.
//!
//! Where every class keeps a monotone promise, and those who were left out as well, so does the whole table.
//! So a promise that the whole table breaks is kept by no choice of the rows to drop.
//!
//! # Method
//! 1. The values of those who were left out are the counts of the original less those of the release; where a
//!    sensitive column shows more than values a certificate says who they are, and without one nobody knows.
//! 2. Boxes of the release take the points of the original that they cover out of a k-d tree: what is left is
//!    covered by no row.

use kohort_core::{Attribute, Codes, Dataset, Error, Ratio, Table, group};
use kohort_models::{Class, Counts, Distribution, tally};

use super::cells::Published;
use super::index::{Index, Then};
use super::original::codes;
use super::verdict::{Against, Claims, Shows};

/// What was found out about the people of the original who are not in a release.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// How many there are.
    pub people: u64,
    /// Those of them whom no released row covers.
    pub uncovered: u64,
    /// The promises about values that they break, in the order of the promises.
    pub broken: Vec<BrokenByLeftOut>,
    /// Whether their values are not known, so that nothing is decided.
    pub is_unknown: bool,
    /// For each sensitive attribute of the original, the largest share of a value among them, or among
    /// those whom no row covers.
    pub shares: Vec<(String, Ratio)>,
}

/// A promise that people who were left out do not keep as a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrokenByLeftOut {
    /// The place of the promise among those of the plan.
    pub promise: usize,
    /// The model.
    pub id: &'static str,
    /// How many people the class has.
    pub people: u64,
    /// Whether they are those whom no released row covers.
    pub are_uncovered: bool,
}

/// The values of a class: for each sensitive attribute codes with their counts.
type Values = Vec<Vec<(u32, u64)>>;

/// Judges the people of the original who are not in the release; none where everybody is.
pub(super) fn left_out(
    release: &Table,
    claims: &Claims<'_>,
    against: Against<'_>,
) -> Result<Option<LeftOut>, Error> {
    let Against { original, certificate, models } = against;
    let people = (original.n_rows() as u64).saturating_sub(release.n_rows() as u64);
    let sensitive = original.sensitive();
    if people == 0 || sensitive.is_empty() {
        return Ok((people > 0).then(|| LeftOut { people, ..LeftOut::default() }));
    }
    let distributions: Vec<Distribution<'_>> =
        sensitive.iter().map(|attribute| Distribution::new(attribute)).collect();
    let mut found = LeftOut { people, ..LeftOut::default() };
    let mut classes: Vec<(Values, u64, bool)> = Vec::new();
    match values_left(release, &sensitive, certificate)? {
        Some(values) => classes.push((values, people, false)),
        None => found.is_unknown = models.iter().any(|model| model.needs_values()),
    }
    if claims.shows == Shows::Rows {
        let rows = uncovered(release, original)?;
        found.uncovered = rows.len() as u64;
        // Where nobody else was left out this is the class that was judged already.
        if !rows.is_empty() && (found.uncovered < people || classes.is_empty()) {
            classes.push((values_of(&sensitive, &rows), found.uncovered, true));
        }
    }
    for (values, size, are_uncovered) in &classes {
        let counts = distributions.iter().zip(values);
        let counts: Vec<Counts<'_>> =
            counts.map(|(table, cells)| Counts { table, cells }).collect();
        let class = Class { size: *size, sensitive: &counts };
        for (promise, model) in models.iter().enumerate() {
            let is_known = found.broken.iter().any(|broken| broken.promise == promise);
            if model.needs_values() && !is_known && !model.holds(&class) {
                found.broken.push(BrokenByLeftOut {
                    promise,
                    id: model.spec().id,
                    people: *size,
                    are_uncovered: *are_uncovered,
                });
            }
        }
    }
    found.broken.sort_by_key(|broken| broken.promise);
    found.shares = shares(&sensitive, &classes);
    Ok(Some(found))
}

/// The largest share of a value of each attribute in any of the classes.
fn shares(sensitive: &[&Attribute], classes: &[(Values, u64, bool)]) -> Vec<(String, Ratio)> {
    let share = |at: usize| {
        let table = Distribution::new(sensitive[at]);
        let of_class = |(values, ..): &(Values, u64, bool)| {
            let counts = Counts { table: &table, cells: &values[at] };
            Ratio::new(counts.largest(), counts.size().max(1))
        };
        classes.iter().map(of_class).max().unwrap_or(Ratio::whole(0))
    };
    let named = sensitive.iter().enumerate();
    named.map(|(at, attribute)| (attribute.name().to_owned(), share(at))).collect()
}

/// The values of everybody who was left out; none where the release does not tell all of its own.
fn values_left(
    release: &Table,
    sensitive: &[&Attribute],
    certificate: Option<&[u32]>,
) -> Result<Option<Values>, Error> {
    let mut left = Vec::new();
    for attribute in sensitive {
        let Some(shown) = codes(release, attribute)? else {
            return Ok(certificate.map(|rows| values_of(sensitive, &others(sensitive, rows))));
        };
        let mut counts: Vec<u64> =
            attribute.counts().iter().map(|&count| u64::from(count)).collect();
        // More of a value than there were is no truthful release: the judge says so elsewhere.
        shown.for_each(|code| {
            let count = &mut counts[code as usize];
            *count = count.saturating_sub(1);
        });
        left.push((0..).zip(counts).filter(|&(_, count)| count > 0).collect());
    }
    Ok(Some(left))
}

/// The rows of the original that a certificate does not name.
fn others(sensitive: &[&Attribute], certificate: &[u32]) -> Vec<u32> {
    let mut is_there = vec![false; sensitive.first().map_or(0, |a| a.codes().len())];
    for &row in certificate {
        if let Some(slot) = is_there.get_mut(row as usize) {
            *slot = true;
        }
    }
    (0..).zip(is_there).filter_map(|(row, is_there)| (!is_there).then_some(row)).collect()
}

fn values_of(sensitive: &[&Attribute], rows: &[u32]) -> Values {
    let of = |attribute: &&Attribute| {
        let mut cells = Vec::new();
        let all = rows.iter().map(|&row| (attribute.codes().get(row as usize), 1));
        tally(all, attribute.n_codes() as usize, &mut cells);
        cells
    };
    sensitive.iter().map(of).collect()
}

/// The rows of the original that no released row covers.
fn uncovered(release: &Table, original: &Dataset) -> Result<Vec<u32>, Error> {
    let quasi = original.quasi();
    let mut read: Vec<(Published, &Codes, u32)> = Vec::new();
    for attribute in &quasi {
        let column = release.column(attribute.name())?;
        let of_original = original.table().column(attribute.name())?;
        let published = Published::read(release, Some(of_original), attribute)?;
        read.push((published, column.codes(), column.dictionary().len()));
    }
    let boxes = group(release.n_rows(), read.iter().map(|(_, codes, n)| (*codes, *n)));
    let mut shapes = Vec::new();
    for &row in &boxes.first_rows() {
        shapes.extend(read.iter().map(|(read, codes, _)| read.covered(codes.get(row as usize))));
    }
    let points = group(original.n_rows(), quasi.iter().map(|a| (a.codes(), a.n_codes())));
    let first = points.first_rows();
    let codes: Vec<u32> = (first.iter())
        .flat_map(|&row| quasi.iter().map(move |a| a.codes().get(row as usize)))
        .collect();
    let mut index = Index::new(&codes, first.len(), quasi.len(), &shapes);
    let mut is_covered = vec![false; first.len()];
    for shape in shapes.chunks(quasi.len().max(1)) {
        index.search(shape, &mut |point| {
            is_covered[point as usize] = true;
            Then::Take
        });
    }
    let rows = (0..).zip(&points.ids);
    Ok(rows.filter(|(_, point)| !is_covered[**point as usize]).map(|(row, _)| row).collect())
}
