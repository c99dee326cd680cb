//! The method of a release, for an adversary who runs it again on values that he supposes.

use std::collections::BTreeMap;

use kohort_algorithms::SUPPRESSED;
use kohort_core::{
    Attribute, Column, Ctx, Dataset, Error as CoreError, Message, Setting, Table, Told, message,
};
use kohort_verify::attack::{Kinds, Method};

use super::{Groups, Lab};
use crate::goal::Principle;
use crate::job::{Job, Task};
use crate::release::{GROUP, Made, make, without_blank_rows};

/// A job and the people of its table. Of their sensitive values it is used only how often each combination
/// occurs.
pub(super) struct Again<'a> {
    job: &'a Job,
    people: &'a Dataset,
    shown: Vec<&'a Attribute>,
    kinds: Kinds,
    // The rows of people of each kind.
    rows_of_kind: Vec<Vec<u32>>,
    // What each row of the release shows, and how many rows show it.
    rows: BTreeMap<Row, u32>,
    // The columns that are compared, but for sensitive ones.
    columns: Vec<String>,
    // The secret, where it is known.
    secret: Option<[u8; 32]>,
    is_named: bool,
}

/// What a row shows: the texts of its quasi-identifiers and group, and the codes of its sensitive values.
type Row = (Vec<String>, Vec<u32>);

/// People in no class are not in the release.
const LEFT_OUT: u32 = SUPPRESSED;

impl<'a> Again<'a> {
    /// The method of a release, or why it cannot be run again. `is_named` is whether the attack is asked for by
    /// name, so that it may take its time.
    pub(super) fn new(
        lab: &'a Lab,
        job: &'a Job,
        (secret, is_named): (Option<[u8; 32]>, bool),
    ) -> Result<Self, Message> {
        check(lab, job)?;
        let (Some(people), release) = (&lab.original, lab.release.table()) else {
            return Err(message!("the table that the release was made of ({})", Setting::Original));
        };
        let shown = lab.release.sensitive();
        let (kinds, rows_of_kind) = kinds(people.table(), &shown, release.n_rows())?;
        let is_compared = |name: &str| lab.quasi.iter().any(|one| one == name) || name == GROUP;
        let columns = release.columns().iter().map(Column::name).filter(|name| is_compared(name));
        let mut again = Self {
            job,
            people,
            shown,
            kinds,
            rows_of_kind,
            rows: BTreeMap::new(),
            columns: columns.map(str::to_owned).collect(),
            secret,
            is_named,
        };
        again.rows = again.counted(release).ok_or_else(unread)?;
        Ok(again)
    }

    /// What the rows of a release show, and how many show it; none where it lacks a column.
    fn counted(&self, release: &Table) -> Option<BTreeMap<Row, u32>> {
        let columns: Option<Vec<&Column>> =
            self.columns.iter().map(|name| release.column(name).ok()).collect();
        let columns = columns?;
        let coded: Option<Vec<Vec<u32>>> =
            self.shown.iter().map(|attribute| codes(release, attribute)).collect();
        let coded = coded?;
        let mut rows = BTreeMap::new();
        for row in 0..release.n_rows() {
            let texts = columns
                .iter()
                .map(|column| column.dictionary().get(column.codes().get(row)).to_owned());
            let codes = coded.iter().map(|codes| codes[row]);
            *rows.entry((texts.collect(), codes.collect())).or_default() += 1;
        }
        Some(rows)
    }

    /// The people with other sensitive values: each gets the cells of somebody of the kind.
    fn supposed(&self, kinds: &[u32]) -> Result<Option<Dataset>, CoreError> {
        let mut used = vec![0; self.rows_of_kind.len()];
        let mut rows = Vec::with_capacity(kinds.len());
        for &kind in kinds {
            let next = &mut used[kind as usize];
            let Some(&row) = self.rows_of_kind[kind as usize].get(*next) else { return Ok(None) };
            *next += 1;
            rows.push(row);
        }
        let sensitive = self.people.sensitive();
        let is_sensitive = |name: &str| sensitive.iter().any(|attribute| attribute.name() == name);
        let table = self.people.table();
        let columns = table.columns().iter().map(|column| {
            if is_sensitive(column.name()) { column.select(&rows) } else { column.clone() }
        });
        let columns: Vec<Column> = columns.collect();
        let name = table.name().to_owned();
        let table = Table::new(name, columns, true, table.missing().clone());
        let quasi = self.people.quasi().into_iter().cloned();
        let sensitive = sensitive.into_iter().map(|attribute| attribute.select(&rows));
        let attributes: Vec<Attribute> = quasi.chain(sensitive).collect();
        Dataset::new(table, attributes).map(Some)
    }

    /// What the method makes of these kinds; none where it finds no release.
    fn made<T>(
        &self,
        kinds: &[u32],
        draw: u32,
        look: impl FnOnce(&Task<'_>, &Made) -> T,
    ) -> Result<Option<T>, CoreError> {
        let Some(dataset) = self.supposed(kinds)? else { return Ok(None) };
        let mut drawn = [11; 32];
        drawn[..4].copy_from_slice(&draw.to_le_bytes());
        let Ok(task) = self.job.on(&dataset, None, self.secret.unwrap_or(drawn)) else {
            return Ok(None);
        };
        Ok(make(&task, &Ctx::quiet()).ok().map(|made| look(&task, &made)))
    }
}

impl Method for Again<'_> {
    fn kinds(&self) -> &Kinds {
        &self.kinds
    }

    fn classes(&self, kinds: &[u32], draw: u32) -> Result<Option<Vec<u32>>, CoreError> {
        self.made(kinds, draw, |_, made| made.candidate.group_of_row.clone())
    }

    fn leads_to_release(&self, kinds: &[u32], draw: u32) -> Result<bool, CoreError> {
        let found = self.made(kinds, draw, |task, made| {
            let left_out = made.candidate.group_of_row.iter().filter(|group| **group == LEFT_OUT);
            if left_out.count() != self.kinds.left.len() && !self.job.terms.keeps_values() {
                return false;
            }
            let Ok(table) = made.rendered(task, Told::default()).as_read() else { return false };
            let table = match without_blank_rows(&self.job.terms, &table) {
                Some(rows) => table.among(&rows),
                None => table,
            };
            self.counted(&table).is_some_and(|rows| rows == self.rows)
        });
        Ok(found?.unwrap_or(false))
    }

    fn most_runs(&self) -> usize {
        if self.is_named { 30_000 } else { 1_000 }
    }

    fn draws(&self) -> bool {
        let may_draw = self.job.mode().is_transparent() || self.job.algorithm.facts().is_drawn;
        may_draw && self.secret.is_none()
    }
}

/// A release that lacks a column.
fn unread() -> Message {
    "a release with the sensitive columns of the table".into()
}

/// The combinations of sensitive values of a table, with the rows of each, and where the `n_shown` rows of a
/// release show them.
fn kinds(
    table: &Table,
    shown: &[&Attribute],
    n_shown: usize,
) -> Result<(Kinds, Vec<Vec<u32>>), Message> {
    let coded = shown.iter().map(|attribute| codes(table, attribute));
    let coded: Vec<Vec<u32>> = coded.collect::<Option<_>>().ok_or_else(unread)?;
    let mut number_of_codes: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
    let mut rows_of_kind: Vec<Vec<u32>> = Vec::new();
    for (number, row) in (0..).zip(0..table.n_rows()) {
        let codes = coded.iter().map(|codes| codes[row]).collect();
        let kind = *number_of_codes.entry(codes).or_insert_with(|| {
            rows_of_kind.push(Vec::new());
            u32::try_from(rows_of_kind.len() - 1).expect("kinds are fewer than rows")
        });
        rows_of_kind[kind as usize].push(number);
    }
    let not_its_own = || {
        Message::from(
            "a release of this very table: it shows values that the table has not, or more often",
        )
    };
    let mut n_left: Vec<usize> = rows_of_kind.iter().map(Vec::len).collect();
    let mut of_row = Vec::with_capacity(n_shown);
    for row in 0..n_shown {
        let codes: Vec<u32> = shown.iter().map(|a| a.codes().get(row)).collect();
        let number = *number_of_codes.get(&codes).ok_or_else(not_its_own)?;
        let left = &mut n_left[number as usize];
        *left = left.checked_sub(1).ok_or_else(not_its_own)?;
        of_row.push(number);
    }
    let left = (0..).zip(n_left).flat_map(|(kind, n)| std::iter::repeat_n(kind, n)).collect();
    let mut codes = vec![Vec::new(); number_of_codes.len()];
    for (of_kind, number) in number_of_codes {
        codes[number as usize] = of_kind;
    }
    Ok((Kinds { codes, of_row, left }, rows_of_kind))
}

/// Says what stands in the way of running a method again.
fn check(lab: &Lab, job: &Job) -> Result<(), Message> {
    let (terms, facts) = (&job.terms, job.algorithm.facts());
    let is_k_map = |one: &Principle| matches!(one, Principle::KMap(_));
    let shown = lab.release.sensitive();
    let is_any = |is: fn(&Attribute) -> bool| shown.iter().any(|attribute| is(attribute));
    let needs = if !lab.others.is_empty() || lab.shown.groups == Groups::Classes {
        "one release alone: those of a series depend on each other"
    } else if job.budget.is_some() {
        "a release without a time budget: it decides what comes out"
    } else if terms.has_presence || terms.principles.iter().any(is_k_map) {
        "a release without promises about a public table"
    } else if !facts.is_safe || facts.masks_sensitive {
        "a method that keeps the goal and shows the true sensitive values"
    } else if is_any(|attribute| attribute.buckets().is_some()) {
        "promises about sensitive values, not about buckets of them"
    } else if is_any(|attribute| attribute.masked().is_some()) {
        "a release that masks no sensitive values"
    } else {
        return Ok(());
    };
    Err(needs.into())
}

/// The codes of a column of a table, in the codes of an attribute of the release; what the release does not
/// show has codes beyond them. None where there is no such column.
fn codes(table: &Table, attribute: &Attribute) -> Option<Vec<u32>> {
    let column = table.column(attribute.name()).ok()?;
    let mut hidden: BTreeMap<&str, u32> = BTreeMap::new();
    let entries = column.dictionary().iter().map(|text| {
        attribute.code_of_foreign(text, column.date_format()).unwrap_or_else(|| {
            let next = attribute.n_codes() + u32::try_from(hidden.len()).expect("values are u32");
            *hidden.entry(text.trim()).or_insert(next)
        })
    });
    let entries: Vec<u32> = entries.collect();
    Some(column.codes().iter().map(|entry| entries[entry as usize]).collect())
}
