//! What a release costs, by what is published of it alone: for a page that is shown around.
//!
//! The figures of a receipt are about the whole table. A loss is a share of a column's width, and who was left
//! out may be as far away as nobody else: from the loss of each column, the rows and the release such a
//! person's values can be calculated. What is shown around is made of the rows that are published, as if there
//! had been no others, and rounded.

use kohort_algorithms::{Form, Metric};
use kohort_core::{Column, Dataset, Table};
use kohort_models::Measured;
use kohort_report::release::PublishedFigures;
use kohort_verify::truth;

use super::pipeline::Made;
use super::receipt::figures;
use crate::Error;
use crate::job::{Task, weights};
use crate::load::{Quantiles, assign_roles_by};

impl Made {
    /// The figures of a release as if nobody had been left out; none where nobody was, or where the
    /// quasi-identifiers are as they were. No figure is there where none can be made of published rows.
    /// `rows` are the original rows of the released ones, and `starred` of these show
    /// nothing.
    pub(super) fn published(
        &self,
        task: &Task<'_>,
        (release, rows): (&Table, &[u32]),
        starred: u64,
    ) -> Result<Option<PublishedFigures>, Error> {
        let (roles, dataset) = (&task.job.terms.roles, task.dataset);
        let is_whole = rows.len() == dataset.n_rows() && starred == 0;
        if is_whole || self.candidate.form == Form::Anatomized {
            return Ok(None);
        }
        if self.candidate.form != Form::Generalized || self.algorithm.facts().masks_sensitive {
            return Ok(Some(PublishedFigures::default()));
        }
        let shown = shown_rows(dataset, release, starred)?;
        let selected = |table: &Table, rows: &[u32]| {
            let columns = table.columns().iter().map(|column| column.select(rows)).collect();
            Table::new(table.name().to_owned(), columns, true, table.missing().clone()).as_read()
        };
        let original: Vec<u32> = shown.iter().map(|&row| rows[row as usize]).collect();
        let quantiles = Quantiles::Of(Some(dataset));
        let table = selected(dataset.table(), &original);
        let part = assign_roles_by(roles, table, quantiles)?.value;
        let certificate: Vec<u32> = (0..).take(shown.len()).collect();
        let found = truth(&selected(release, &shown), &part, Some(&certificate), None)?;
        let measured = Measured {
            quasi: &part.quasi(),
            weights: &weights(roles, &part),
            n_rows: shown.len() as u64,
            cells: found.cells(),
            sizes: found.sizes(),
            groups: found.sizes(),
            n_suppressed: 0,
            k: self.smallest,
        };
        let loss_per_cell = match self.metric {
            Metric::Cells(metric) => measured.loss(metric).ok(),
            _ => None,
        };
        Ok(Some(PublishedFigures { figures: figures(&measured), loss_per_cell }))
    }
}

/// The released rows that show something of a quasi-identifier, where others were suppressed and stay.
fn shown_rows(dataset: &Dataset, release: &Table, starred: u64) -> Result<Vec<u32>, Error> {
    let all = (0..).take(release.n_rows());
    if starred == 0 {
        return Ok(all.collect());
    }
    let quasi = dataset.quasi();
    let columns = quasi.iter().map(|attribute| release.column(attribute.name()));
    let columns: Vec<&Column> = columns.collect::<Result<_, _>>()?;
    let shows = |column: &Column, row: u32| {
        column.dictionary().get(column.codes().get(row as usize)) != "*"
    };
    Ok(all.filter(|&row| columns.iter().any(|column| shows(column, row))).collect())
}
