//! Releases in memory: made from a table that a program holds, judged, and handed out as a table.

use std::fmt;
use std::path::Path;

use kohort_core::{Dataset, Table};

use super::sink::{Files, Memory, Sink, Tables};
use super::{Made, No, Receipt, Resolved, Verdict};
use crate::job::{Job, Terms};
use crate::load::{Loaded, assign_roles, without_role};
use crate::plan::Plan;
use crate::{Cx, Stop};

/// A release that was made and judged: the table that this hands out is the one that the judge read.
pub struct Release {
    plan: Plan,
    job: Job,
    dataset: Dataset,
    made: Made,
    tables: Tables,
    receipt: Receipt,
    secret: [u8; 32],
}

/// Makes a release of a table that keeps the goal of a plan, judges it, and hands it out.
///
/// ```
/// use kohort::plan::{Goal, Plan};
/// use kohort::{Cx, Table};
///
/// let rows = [
///     ["31", "02139", "flu"], ["34", "02139", "asthma"], ["36", "02138", "flu"],
///     ["52", "10025", "asthma"], ["55", "10025", "flu"], ["58", "10027", "gout"],
/// ];
/// let table = Table::from_rows(["age", "zip", "disease"], rows)?;
/// let plan = Plan::new()
///     .quasi(["age", "zip"])
///     .sensitive(["disease"])
///     .goal(Goal { k_anonymity: Some(3), ..Goal::default() });
/// let release = kohort::anonymize(&table, &plan, &Cx::default())?;
/// assert!(release.receipt().verified);
/// assert_eq!(release.table().n_rows(), 6);
/// # Ok::<(), kohort::Stop>(())
/// ```
///
/// # Errors
/// [`Stop::No`] where the goal cannot be reached or what was made does not keep it; [`Stop::Cancelled`] where
/// the context was cancelled; [`Stop::Error`] where the plan does not fit the table.
pub fn anonymize(table: &Table, plan: &Plan, cx: &Cx) -> Result<Release, Stop> {
    let secret = cx.secret()?;
    let job = Job::new(plan)?;
    let (dataset, made, receipt, tables) = cx.run(job.budget, |ctx| {
        let Loaded { value: dataset, notes } = assign_roles(plan, table.clone())?;
        let resolved = Resolved::new(&job, &dataset, secret)?;
        let made = resolved.make(ctx)?;
        ctx.step("write");
        let memory = Memory::default();
        let rendered = made.rendered(&resolved.task()?, memory.tells());
        let (mut receipt, tables) = resolved.publish(&made, rendered, memory, ctx)?;
        let left_out = without_role(plan, table, "left out of the release");
        receipt.notes.splice(0..0, left_out.into_iter().chain(notes));
        Ok((dataset, made, receipt, tables))
    })?;
    Ok(Release { plan: plan.clone(), job, dataset, made, tables, receipt, secret })
}

/// Judges a release against a plan, and where it is there against the original: anybody's release, made by
/// whatever tool.
///
/// ```
/// use kohort::plan::{Goal, Plan};
/// use kohort::{Cx, Table};
///
/// let release = Table::from_rows(["age"], [["30-39"], ["30-39"], ["50-59"]])?;
/// let plan = Plan::new().quasi(["age"]).goal(Goal { k_anonymity: Some(2), ..Goal::default() });
/// let verdict = kohort::verify(&release, &plan, None, &Cx::default())?;
/// assert!(!verdict.verified);
/// # Ok::<(), kohort::Stop>(())
/// ```
///
/// # Errors
/// When the plan does not fit the release, or something cannot be decided: it is then not verified. And where the
/// context was cancelled.
pub fn verify<'a>(
    release: impl Into<Published<'a>>,
    plan: &Plan,
    original: Option<&Table>,
    cx: &Cx,
) -> Result<Verdict, Stop> {
    let Published { table, values } = release.into();
    cx.run(None, |_| {
        let original = original.map(|table| assign_roles(plan, table.clone()));
        let original = original.transpose()?.map(|loaded| loaded.value);
        Ok(super::verify::verify_table(&Terms::new(plan)?, (table, values), original.as_ref())?)
    })
}

/// A release in memory: one table, or of an anatomized one the table of groups beside it.
#[derive(Clone, Copy, Debug)]
pub struct Published<'a> {
    /// The release.
    pub table: &'a Table,
    /// The sensitive values by group, where they are published apart.
    pub values: Option<&'a Table>,
}

impl<'a> From<&'a Table> for Published<'a> {
    fn from(table: &'a Table) -> Self {
        Self { table, values: None }
    }
}

impl<'a> From<&'a Release> for Published<'a> {
    fn from(release: &'a Release) -> Self {
        Self { table: release.table(), values: release.values() }
    }
}

impl Release {
    /// The rows, in an order that tells nothing.
    pub fn table(&self) -> &Table {
        &self.tables.table
    }

    /// The sensitive values by group, where an anatomized release publishes them apart.
    pub fn values(&self) -> Option<&Table> {
        self.tables.values.as_ref()
    }

    /// The promises with their evidence, what the release costs, and what to know about it. Confidential:
    /// its figures are made of the whole original.
    pub fn receipt(&self) -> &Receipt {
        &self.receipt
    }

    /// The plan it was made by.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Writes the release into a file, whose ending says the format. What was written is read back and judged
    /// again before it appears; the answer is the receipt of the file. [`Cx::within`] lets it be cancelled.
    ///
    /// # Errors
    /// As [`anonymize`]; and where the file cannot be written.
    pub fn write(&self, target: impl AsRef<Path>) -> Result<Receipt, Stop> {
        self.publish_again(Files::new(target.as_ref())?)
    }

    /// Writes the release into tables of a database in the same way: it is read back and judged before the
    /// transaction ends that puts it in place.
    ///
    /// # Errors
    /// As [`anonymize`]; and where the database refuses.
    pub fn write_into(&self, target: kohort_db::Target) -> Result<Receipt, Stop> {
        self.publish_again(target)
    }

    fn publish_again<S: Sink<Published = Vec<String>>>(&self, sink: S) -> Result<Receipt, Stop> {
        let resolved = Resolved::new(&self.job, &self.dataset, self.secret)?;
        let rendered = self.made.rendered(&resolved.task()?, sink.tells());
        let ctx = kohort_core::Ctx::quiet();
        let (receipt, files) = resolved.publish(&self.made, rendered, sink, &ctx)?;
        let notes = [&self.receipt.notes[..], &receipt.notes[..]].concat();
        let mut seen = std::collections::BTreeSet::new();
        let notes = notes.into_iter().filter(|note| seen.insert(note.to_string())).collect();
        Ok(Receipt { files, notes, ..receipt })
    }
}

// The tables have cells: a debug print must not show them.
impl fmt::Debug for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Release").field("receipt", &self.receipt).finish_non_exhaustive()
    }
}

impl fmt::Display for No {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem)?;
        self.causes.iter().try_for_each(|cause| write!(f, "; {cause}"))
    }
}
