//! What classes of a release cover, over the codes of a table.

use kohort_core::{Codes, Column, Dataset, Dictionary, Error, Table};
use kohort_models::series::ClassBox;

use crate::class_boxes;

/// The boxes of classes that show these cells, one for each of the columns.
pub fn boxes_of_cells(
    cells: &[Vec<String>],
    columns: &[&str],
    dataset: &Dataset,
) -> Result<Vec<ClassBox>, Error> {
    let missing = dataset.table().missing();
    let column = |(at, name): (usize, &&str)| {
        let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
        for (line, class) in (1..).zip(cells) {
            let entry = dictionary.intern(class[at].as_bytes(), line);
            codes.push(entry.expect("texts of a release are texts of a table"));
        }
        Column::new((*name).to_owned(), dictionary, codes, missing)
    };
    let shown = columns.iter().enumerate().map(column).collect();
    let table = Table::new("the ledger".into(), shown, false, missing.clone());
    class_boxes(&table, dataset)
}
