//! The method of a release, for an adversary who runs it again on values that he supposes.

use std::collections::BTreeMap;

use kohort_core::{Attribute, Column, Ctx, Dataset, Error as CoreError, Table, Told};
use kohort_verify::attack::Method;

use super::Lab;
use crate::goal::Principle;
use crate::job::Job;
use crate::release::make;

/// A job and the people of its table. Of their sensitive values it is used only how often each occurs.
pub(super) struct Again<'a> {
    job: &'a Job,
    people: &'a Dataset,
    // The rows of people that have a value, by its code in the release.
    rows_of_code: Vec<Vec<u32>>,
    // The texts of each row of the release, column by column, and which rows show them.
    rows_of_texts: BTreeMap<Vec<String>, Vec<usize>>,
    columns: Vec<String>,
    n_rows: usize,
    draws: bool,
    is_named: bool,
}

impl<'a> Again<'a> {
    /// The method of a release of one sensitive attribute; none where it cannot be run again: a time budget
    /// or a public table decides, it is one of a series, or it shows values that the original has not.
    /// `is_named` is whether the attack is asked for by name, so that it may take its time.
    pub(super) fn new(lab: &'a Lab, job: &'a Job, is_named: bool) -> Option<Self> {
        let people = lab.original.as_ref()?;
        let (terms, facts) = (&job.terms, job.algorithm.facts());
        let is_k_map = |one: &Principle| matches!(one, Principle::KMap { .. });
        let needs_more =
            job.budget.is_some() || terms.has_presence || terms.principles.iter().any(is_k_map);
        if !lab.others.is_empty() {
            return None;
        }
        let [shown] = lab.release.sensitive()[..] else { return None };
        let own = people.sensitive().into_iter().find(|own| own.name() == shown.name())?;
        if needs_more || !facts.is_safe || shown.buckets().is_some() {
            return None;
        }
        let column = people.table().column(own.name()).ok()?;
        let mut rows_of_code = vec![Vec::new(); shown.n_codes() as usize];
        for (row, entry) in (0..).zip(column.codes().iter()) {
            let text = column.dictionary().get(entry);
            let code = shown.code_of_foreign(text, column.date_format())?;
            rows_of_code[code as usize].push(row);
        }
        let release = lab.release.table();
        let columns: Vec<String> =
            release.columns().iter().map(|column| column.name().to_owned()).collect();
        let mut rows_of_texts: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
        for row in 0..release.n_rows() {
            rows_of_texts.entry(texts(release, &columns, row)?).or_default().push(row);
        }
        let draws = job.mode().is_transparent() || facts.is_drawn;
        let n_rows = release.n_rows();
        Some(Self { job, people, rows_of_code, rows_of_texts, columns, n_rows, draws, is_named })
    }

    /// The people with other sensitive values: each gets the cell of somebody who has the value.
    fn supposed(&self, values: &[u32]) -> Result<Option<Dataset>, CoreError> {
        let mut used = vec![0; self.rows_of_code.len()];
        let mut rows = Vec::with_capacity(values.len());
        for &code in values {
            let next = &mut used[code as usize];
            let Some(&row) = self.rows_of_code[code as usize].get(*next) else { return Ok(None) };
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

    /// The release of these values; none where there is none.
    fn released(&self, dataset: &Dataset, draw: u32) -> Option<Table> {
        let mut secret = [11; 32];
        secret[..4].copy_from_slice(&draw.to_le_bytes());
        let task = self.job.on(dataset, None, secret).ok()?;
        let made = make(&task, &Ctx::quiet()).ok()?;
        made.rendered(&task, Told::default()).as_read().ok()
    }
}

impl Method for Again<'_> {
    fn run(&self, values: &[u32], draw: u32) -> Result<Vec<bool>, CoreError> {
        let mut is_there = vec![false; self.n_rows];
        let Some(dataset) = self.supposed(values)? else { return Ok(is_there) };
        let Some(table) = self.released(&dataset, draw) else { return Ok(is_there) };
        if table.n_rows() != self.n_rows {
            return Ok(is_there);
        }
        let mut seen: BTreeMap<&[usize], usize> = BTreeMap::new();
        for row in 0..table.n_rows() {
            let rows =
                texts(&table, &self.columns, row).and_then(|texts| self.rows_of_texts.get(&texts));
            let Some(rows) = rows else { continue };
            let next = seen.entry(rows).or_default();
            if let Some(&row) = rows.get(*next) {
                is_there[row] = true;
            }
            *next += 1;
        }
        Ok(is_there)
    }

    fn most_runs(&self) -> usize {
        if self.is_named { 30_000 } else { 1_000 }
    }

    fn draws(&self) -> bool {
        self.draws
    }
}

/// The texts of a row in some columns; none where the table lacks one.
fn texts(table: &Table, columns: &[String], row: usize) -> Option<Vec<String>> {
    let text = |name: &String| {
        let column = table.column(name).ok()?;
        Some(column.dictionary().get(column.codes().get(row)).to_owned())
    };
    columns.iter().map(text).collect()
}
