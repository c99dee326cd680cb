//! The boxes of classes that were published, over the codes of another table about the same people.

use kohort_core::{Column, Dataset, Error, Table};
use kohort_models::series::ClassBox;

use super::cells::Published;

/// The box of each row of a release, over the codes of a table. A quasi-identifier that the release does
/// not show is covered as a whole, and so is a text that says nothing in the table: it may be anything.
pub fn class_boxes(release: &Table, table: &Dataset) -> Result<Vec<ClassBox>, Error> {
    let empty = ClassBox { lo: Vec::new(), hi: Vec::new() };
    let mut boxes = vec![empty; release.n_rows()];
    for attribute in table.quasi() {
        let whole = (0, attribute.n_codes().saturating_sub(1));
        let is_shown = |column: &&Column| column.name() == attribute.name();
        let column = release.columns().iter().find(is_shown);
        let published = column
            .map(|_| Published::read_foreign(release, table.table(), attribute))
            .transpose()?;
        for (row, class) in boxes.iter_mut().enumerate() {
            let covered = published.as_ref().zip(column).and_then(|(published, column)| {
                let covered = published.covered(column.codes().get(row));
                Some((covered.first()?.0, covered.last()?.1))
            });
            let (lo, hi) = covered.unwrap_or(whole);
            class.lo.push(lo);
            class.hi.push(hi);
        }
    }
    Ok(boxes)
}
