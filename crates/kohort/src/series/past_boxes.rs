//! The boxes that earlier releases showed, over the codes of the table.

use kohort_core::Dataset;
use kohort_ledger::Publishing;
use kohort_models::series::ClassBox;
use kohort_verify::series::boxes_of_cells;

use super::figures::Figures;
use crate::Error;

/// The box of every class of every release so far.
pub(super) fn earlier(
    publishing: &Publishing<'_>,
    figures: &[Figures],
    dataset: &Dataset,
) -> Result<Vec<Vec<ClassBox>>, Error> {
    let of = |(release, figures): (u32, &Figures)| {
        let classes = publishing.classes(release)?;
        let cells: Vec<Vec<String>> = classes.into_iter().map(|class| class.cells).collect();
        // The sensitive column is the last.
        let n_quasi = figures.columns.len().saturating_sub(1);
        let columns: Vec<&str> = figures.columns.iter().take(n_quasi).map(String::as_str).collect();
        Ok(boxes_of_cells(&cells, &columns, dataset)?)
    };
    (1..).zip(figures).map(of).collect()
}
