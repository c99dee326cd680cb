//! What the rows of a nested release show: labels to tell trees apart, sensitive values to count.

use std::collections::BTreeMap;

use kohort_core::{
    Attribute, Branch, Buckets, Codes, Column, DateFormat, Dictionary, Domain, Empty, Error,
    Grouping, Kind, Missing, MissingAs, NO_VALUE, Nested, Private, Ratio, Role, Scalar, Table,
    number,
};

use super::claims::{NestedClaims, NestedRule, PathRole};
use super::shape::{narrow, pair};
use super::verdict::{RuleFinding, SensitiveFinding};
use crate::masked_texts;

/// A number for each row of a branch: equal where all columns that `takes` names look the same in the
/// file. A member that is absent does not look like null, nor a number like the text that spells it; an
/// array without items does not look like one that is not there.
fn labels(trees: &Nested, at: usize, takes: impl Fn(&str) -> bool) -> Vec<u32> {
    let branch = &trees.branches()[at];
    let taken = (branch.table().columns().iter().enumerate())
        .filter(|(_, column)| takes(column.name()))
        .map(|(index, column)| looks(column, branch.scalars(index)));
    let stands_in = |below: &&Branch| below.inside().is_some_and(|inside| inside.branch == at);
    let below = trees.branches().iter().filter(stands_in).filter(|below| !below.empty().is_empty());
    let n_rows = branch.n_rows();
    let empty = below.map(|below| {
        let mut marks = vec![0; n_rows];
        for &(row, empty) in below.empty() {
            marks[row as usize] = if empty == Empty::Array { 1 } else { 2 };
        }
        (Codes::U32(marks), 3)
    });
    let all = taken.chain(empty);
    all.fold(Grouping::trivial(n_rows), |rows, (codes, n)| rows.refine(&codes, n)).ids
}

/// The labels of all branches.
pub(super) fn all_labels(trees: &Nested, takes: impl Fn(&str) -> bool) -> Vec<Vec<u32>> {
    (0..trees.branches().len()).map(|at| labels(trees, at, &takes)).collect()
}

/// What each cell of a column looks like in the file.
fn looks(column: &Column, scalars: &[Scalar]) -> (Codes, u32) {
    let mut codes = Codes::default();
    for (entry, scalar) in column.codes().iter().zip(scalars) {
        codes.push(match scalar {
            Scalar::Absent => 0,
            Scalar::Null => 1,
            Scalar::Text => 2 + 2 * entry,
            Scalar::Bare => 3 + 2 * entry,
        });
    }
    (codes, 2 + 2 * column.dictionary().len())
}

/// A sensitive attribute as values: two spellings of one number are one, and so are all values of a bucket
/// where buckets are promised.
pub(super) struct Values<'a> {
    pub(super) path: &'a str,
    /// The branch of its vertices.
    pub(super) branch: usize,
    /// The value of each row; `NO_VALUE` for a missing one that is no value, `CUT` where it was cut off.
    pub(super) of_row: Vec<u32>,
    entry: &'a PathRole,
    domain: Domain,
    column: Column,
    missing: Missing,
    buckets: Option<(&'a Buckets, BTreeMap<String, u32>)>,
}

/// A value that was cut off beside others that are shown: it may be any (`release::masked_cells` has the rule).
pub(super) const CUT: u32 = NO_VALUE - 1;

impl<'a> Values<'a> {
    /// The sensitive attributes that a release has, given the orbit of each row by branch.
    pub(super) fn of(
        trees: &Nested,
        claims: &'a NestedClaims,
        orbits: &[Vec<u32>],
    ) -> Result<Vec<Self>, Error> {
        let mut all = Vec::new();
        for entry in claims.sensitive() {
            if let Some((branch, column)) = trees.find(&entry.path) {
                let found = &trees.branches()[branch];
                let table = found.table();
                let mut values = Self::new(entry, branch, table, &table.columns()[column])?;
                for (value, scalar) in values.of_row.iter_mut().zip(found.scalars(column)) {
                    if *scalar == Scalar::Absent {
                        *value = CUT;
                    }
                }
                values.leave_unpublished(&orbits[branch]);
                all.push(values);
            }
        }
        Ok(all)
    }

    /// One sensitive attribute whose texts stand by themselves in some rows of another column.
    pub(super) fn of_texts(
        entry: &'a PathRole,
        branch: usize,
        source: &Table,
        texts: impl Iterator<Item = &'a str>,
    ) -> Result<Self, Error> {
        let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
        for (row, text) in (1..).zip(texts) {
            let code = dictionary.intern(text.as_bytes(), row);
            codes.push(code.expect("a text of a table, and no more than it has"));
        }
        let column = Column::new(entry.path.clone(), dictionary, codes, source.missing());
        let (name, missing) = (source.name().to_owned(), source.missing().clone());
        let table = Table::new(name, vec![column.clone()], false, missing);
        Self::new(entry, branch, &table, &column)
    }

    fn new(
        entry: &'a PathRole,
        branch: usize,
        table: &Table,
        column: &Column,
    ) -> Result<Self, Error> {
        refuse_masked(entry, table, column)?;
        let domain = Domain::new(table, column, entry.value_type, &|_| false)?;
        let buckets = entry.buckets.as_ref();
        let buckets = buckets.map(|rule| Ok::<_, Error>((rule, in_buckets(rule, table, column)?)));
        let buckets = buckets.transpose()?;
        let number = |(value, text): (u32, &str)| match &buckets {
            _ if entry.missing_as != MissingAs::Value && table.missing().is(text) => NO_VALUE,
            // What is in no bucket is missing, which is a value of its own.
            Some((rule, numbers)) => {
                let label = rule.label(text, column.date_format());
                let number = label.and_then(|label| numbers.get(&label).copied());
                number.unwrap_or(u32::try_from(numbers.len()).expect("fewer than values"))
            }
            None => value,
        };
        let of_entry = domain.value_of_entry().iter().copied().zip(column.dictionary().iter());
        let of_entry: Vec<u32> = of_entry.map(number).collect();
        let of_row = column.codes().iter().map(|entry| of_entry[entry as usize]).collect();
        let (column, missing) = (column.clone(), table.missing().clone());
        Ok(Self { path: &entry.path, branch, of_row, entry, domain, column, missing, buckets })
    }

    /// The text of the value in a row.
    pub(super) fn text(&self, row: usize) -> &str {
        self.column.dictionary().get(self.column.codes().get(row))
    }

    /// How dates are written here.
    pub(super) fn date_format(&self) -> DateFormat {
        self.column.date_format()
    }

    /// The values that are shown, as the attribute of a table of their own.
    pub(super) fn attribute(&self) -> Result<Attribute, Error> {
        let entry = self.entry;
        let missing = self.missing.clone();
        let table = Table::new(entry.path.clone(), vec![self.column.clone()], false, missing);
        let domain = Domain::new(&table, &self.column, entry.value_type, &|_| false)?;
        let attribute = Attribute::new(&table, &entry.path, Role::Sensitive, domain, None)?;
        let attribute = match &entry.buckets {
            Some(rule) => attribute.in_buckets(&table, rule.clone())?,
            None => attribute,
        };
        let shown: Vec<u32> = (0..)
            .zip(&self.of_row)
            .filter(|&(_, &value)| value < CUT)
            .map(|(row, _)| row)
            .collect();
        Ok(attribute.with_missing_as(entry.missing_as).select(&shown))
    }

    /// Where no value of an orbit is shown, nothing is published about it, and nothing can be promised.
    fn leave_unpublished(&mut self, orbits: &[u32]) {
        let mut is_shown = vec![false; orbits.iter().max().map_or(0, |&last| last as usize + 1)];
        for (&value, &orbit) in self.of_row.iter().zip(orbits) {
            is_shown[orbit as usize] |= value != CUT && value != NO_VALUE;
        }
        for (value, &orbit) in self.of_row.iter_mut().zip(orbits) {
            if *value == CUT && !is_shown[orbit as usize] {
                *value = NO_VALUE;
            }
        }
    }

    /// Whether a rule is about this attribute.
    fn is_meant(&self, rule: &NestedRule) -> bool {
        rule.attribute.as_ref().is_none_or(|path| path == self.path)
    }

    /// Which of the values a rule is about, if it is about this attribute and the value occurs.
    pub(super) fn of_rule(&self, rule: &NestedRule) -> Option<u32> {
        let value = match &self.buckets {
            None => self.domain.find(&rule.value, &self.column),
            Some((buckets, numbers)) => {
                let label = buckets.label(&rule.value, self.column.date_format());
                numbers.get(&label?).copied()
            }
        };
        value.filter(|_| self.is_meant(rule))
    }
}

/// Refuses cells that do not show one value.
fn refuse_masked(entry: &PathRole, table: &Table, column: &Column) -> Result<(), Error> {
    let rule = entry.buckets.as_ref();
    let is_label = |text: &str| rule.is_some_and(|rule| rule.is_label(text, column.date_format()));
    let is_known = |text: &str| entry.odd_values.contains(text.trim()) || is_label(text);
    let is_value = |text: &str| is_known(text).then_some(true);
    let is_masked = masked_texts(table, column, entry.value_type, &is_value);
    let Some(masked) = (0..).zip(is_masked).find_map(|(entry, is)| is.then_some(entry)) else {
        return Ok(());
    };
    let (name, place) = (table.name().to_owned(), table.place(column, masked));
    let what = "nested records";
    Err(Kind::Masked { table: name, place, column: column.name().to_owned(), what }.into())
}

/// The number of each bucket that a column has a value in; a value in none is refused.
fn in_buckets(
    rule: &Buckets,
    table: &Table,
    column: &Column,
) -> Result<BTreeMap<String, u32>, Error> {
    let (mut numbers, mut lost) = (BTreeMap::new(), Vec::new());
    for text in column.dictionary().iter().filter(|text| !table.missing().is(text)) {
        let next = u32::try_from(numbers.len()).expect("buckets are fewer than values");
        match rule.label(text, column.date_format()) {
            Some(label) => _ = numbers.entry(label).or_insert(next),
            None => lost.push(text.to_owned()),
        }
    }
    if lost.is_empty() {
        return Ok(numbers);
    }
    Err(Kind::NoBucket { column: column.name().to_owned(), values: Private(lost) }.into())
}

/// How diverse the values of each orbit are, given the value and the orbit of each row and the size of its
/// class.
pub(super) fn diversity(
    path: &str,
    of_row: &[u32],
    orbits: &[u32],
    class_size: impl Fn(usize) -> u64,
    l: u32,
) -> SensitiveFinding {
    let shown = || (0..of_row.len()).filter(|&row| of_row[row] < CUT);
    let mut pairs: Vec<u64> = shown().map(|row| pair(orbits[row], of_row[row])).collect();
    let n_pairs = number(&mut pairs, u64::MAX);
    let mut counts = vec![0_u64; usize::try_from(n_pairs).expect("no more pairs than rows")];
    for &pair in &pairs {
        counts[narrow(pair) as usize] += 1;
    }
    let n_orbits = orbits.iter().max().map_or(0, |&last| last as usize + 1);
    // For each orbit its rows, how often its most frequent value occurs, and a row.
    let mut found = vec![(0_u64, 0_u64, 0); n_orbits];
    for (row, &pair) in shown().zip(&pairs) {
        let (size, most, of) = &mut found[orbits[row] as usize];
        *size += 1;
        *most = (*most).max(counts[narrow(pair) as usize]);
        *of = row;
    }
    // What was cut off may all be the most frequent value.
    for (row, _) in of_row.iter().enumerate().filter(|(_, value)| **value == CUT) {
        let (size, most, _) = &mut found[orbits[row] as usize];
        *size += 1;
        *most += 1;
    }
    found.retain(|&(size, ..)| size > 0);
    let levels = found
        .iter()
        .map(|&(size, most, row)| Ratio::new(size, most).min(Ratio::whole(class_size(row))));
    let broken = levels.clone().filter(|&level| level < Ratio::whole(u64::from(l)));
    SensitiveFinding {
        path: path.to_owned(),
        n_values: pairs.len() as u64,
        n_orbits: found.len() as u64,
        broken_orbits: broken.count() as u64,
        l: levels.min(),
    }
}

/// How often what a rule is about may occur in each record, given the record of each row by branch.
pub(super) fn occurrences(
    rule: &NestedRule,
    values: &[Values<'_>],
    records: &[Vec<u32>],
) -> Vec<u32> {
    let mut counts = vec![0; records[0].len()];
    for attribute in values {
        if !attribute.is_meant(rule) {
            continue;
        }
        let value = attribute.of_rule(rule);
        for (&of_row, &record) in attribute.of_row.iter().zip(&records[attribute.branch]) {
            counts[record as usize] += u32::from(of_row == CUT || Some(of_row) == value);
        }
    }
    counts
}

/// What a rule comes to where a member of a class is as likely to have the values of any member: the
/// share of members with the disclosing number of occurrences.
pub(super) fn shares(rule: &NestedRule, counts: &[u32], classes: &[u32]) -> RuleFinding {
    let n_classes = classes.iter().max().map_or(0, |&last| last as usize + 1);
    let mut found = vec![(0_u64, 0_u64); n_classes];
    for (&count, &class) in counts.iter().zip(classes) {
        let (members, disclosing) = &mut found[class as usize];
        *members += 1;
        *disclosing += u64::from(count >= rule.at_least);
    }
    let mut reached = Ratio::whole(0);
    let (mut broken_classes, mut people) = (0, 0);
    for (members, disclosing) in found.into_iter().filter(|&(members, _)| members > 0) {
        let share = Ratio::new(disclosing, members);
        reached = reached.max(share);
        if share > rule.probability {
            broken_classes += 1;
            people += members;
        }
    }
    let occurrences = counts.iter().map(|&count| u64::from(count)).sum();
    RuleFinding { reached, allowed: rule.probability, occurrences, broken_classes, people }
}
