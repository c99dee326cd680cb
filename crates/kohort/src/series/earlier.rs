//! The boxes that earlier releases showed, over the codes of the table.

use kohort_core::{Codes, Column, Dataset, Dictionary, Table};
use kohort_ledger::{Class, Publishing};
use kohort_models::series::ClassBox;
use kohort_verify::class_boxes;

use super::figures::Figures;
use crate::Error;

/// The box of every class of every release so far.
pub(super) fn earlier(
    publishing: &Publishing<'_>,
    figures: &[Figures],
    dataset: &Dataset,
) -> Result<Vec<Vec<ClassBox>>, Error> {
    let of = |(release, figures): (u32, &Figures)| {
        boxes(&publishing.classes(release)?, &figures.columns, dataset)
    };
    (1..).zip(figures).map(of).collect()
}

/// The boxes of these classes, whose cells are of these columns.
pub(super) fn boxes(
    classes: &[Class],
    columns: &[String],
    dataset: &Dataset,
) -> Result<Vec<ClassBox>, Error> {
    let missing = dataset.table().missing();
    let n_quasi = classes.first().map_or(0, |class| class.cells.len());
    let column = |(at, name): (usize, &String)| {
        let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
        for (line, class) in (1..).zip(classes) {
            let entry = dictionary.intern(class.cells[at].as_bytes(), line);
            codes.push(entry.expect("texts of a release are texts of a table"));
        }
        Column::new(name.clone(), dictionary, codes, missing)
    };
    let shown = columns.iter().take(n_quasi).enumerate().map(column).collect();
    let table = Table::new("the ledger".into(), shown, false, missing.clone());
    Ok(class_boxes(&table, dataset)?)
}
