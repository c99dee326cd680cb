//! Elimination: what a release tells about people who are not in it under their own quasi-identifiers.
//!
//! Where rows with a low value are published as they are, who is known to be in the table and is not among
//! them has a high value for sure.

use kohort_algorithms::High;
use kohort_core::{Dataset, Table, group};
use kohort_report::release::Elimination;

/// Counts in a release. `rows` has the original row of each of its rows.
pub(super) fn elimination(
    release: &Table,
    rows: &[u32],
    dataset: &Dataset,
    high: &High,
) -> Elimination {
    let quasi = dataset.quasi();
    let columns = quasi.iter().filter_map(|attribute| release.column(attribute.name()).ok());
    let columns = columns.map(|column| (column.codes(), column.dictionary().len()));
    let classes = group(release.n_rows(), columns);
    let sensitive = dataset.sensitive();
    let attribute = sensitive[high.attribute];
    // The value of the first row of each class, whether all have it, and whether all are high.
    let mut of_class: Vec<Option<(u32, bool, bool)>> = vec![None; classes.n_classes as usize];
    for (&class, &row) in classes.ids.iter().zip(rows) {
        let code = attribute.codes().get(row as usize);
        let is_high = high.codes.binary_search(&code).is_ok();
        let (first, is_one, all_high) = of_class[class as usize].get_or_insert((code, true, true));
        *is_one &= code == *first;
        *all_high &= is_high;
    }
    let (mut disclosed, mut surely_high) = (0, 0);
    for (found, size) in of_class.iter().zip(classes.sizes()) {
        match found {
            Some((_, true, _)) => disclosed += u64::from(size),
            Some((_, false, true)) => surely_high += u64::from(size),
            _ => {}
        }
    }
    let attribute = attribute.name().to_owned();
    Elimination { attribute, people: rows.len() as u64, disclosed, surely_high }
}
