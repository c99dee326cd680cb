//! A flat table cut into boxes, for the rivals that see only flat tables.

/// A column of a flat table.
pub(crate) struct FlatColumn {
    /// The code of each row.
    pub(crate) codes: Vec<u32>,
    pub(crate) n_codes: u32,
}

/// Cuts rows at the median of their widest column, in halves that are each allowed, until none can be cut.
pub(crate) fn cut(
    rows: Vec<u32>,
    columns: &[FlatColumn],
    is_allowed: &dyn Fn(&[u32]) -> bool,
) -> Vec<Vec<u32>> {
    let (mut boxes, mut uncut) = (Vec::new(), vec![rows]);
    while let Some(rows) = uncut.pop() {
        kohort_core::alive();
        match halves(&rows, columns, is_allowed) {
            Some((low, high)) => uncut.extend([high, low]),
            None => boxes.push(rows),
        }
    }
    boxes
}

fn halves(
    rows: &[u32],
    columns: &[FlatColumn],
    is_allowed: &dyn Fn(&[u32]) -> bool,
) -> Option<(Vec<u32>, Vec<u32>)> {
    let codes_of = |column: &FlatColumn| -> Vec<u32> {
        rows.iter().map(|&row| column.codes[row as usize]).collect()
    };
    let width = |column: &FlatColumn| {
        let codes = codes_of(column);
        let (lo, hi) = (codes.iter().min().unwrap_or(&0), codes.iter().max().unwrap_or(&0));
        f64::from(hi - lo) / f64::from(column.n_codes.max(1))
    };
    let mut widest: Vec<(f64, &FlatColumn)> = columns.iter().map(|of| (width(of), of)).collect();
    widest.retain(|&(width, _)| width > 0.0);
    widest.sort_by(|a, b| b.0.total_cmp(&a.0));
    widest.into_iter().find_map(|(_, column)| {
        let mut codes = codes_of(column);
        codes.sort_unstable();
        // The code that begins the upper half; the lowest code always stays below.
        let middle = codes[codes.len() / 2];
        let above = if middle == codes[0] {
            codes[codes.partition_point(|&c| c == middle)]
        } else {
            middle
        };
        let (low, high): (Vec<u32>, Vec<u32>) =
            rows.iter().partition(|&&row| column.codes[row as usize] < above);
        (is_allowed(&low) && is_allowed(&high)).then_some((low, high))
    })
}

/// Whether no value is had by more than one in l of so many rows; rows without a value count among these.
pub(crate) fn is_diverse(mut values: Vec<u32>, n_rows: usize, l: u32) -> bool {
    values.sort_unstable();
    values.chunk_by(|a, b| a == b).all(|same| same.len() * l as usize <= n_rows)
}
