//! A flat table cut into boxes, for the rivals that see only flat tables.

/// Cuts rows at the median of their widest axis, in halves that are each allowed, until none can be cut.
/// An axis has the code of a row and the number of codes.
pub(crate) fn cut(
    rows: Vec<u32>,
    axes: &[(Box<dyn Fn(u32) -> u32 + '_>, u32)],
    is_allowed: &dyn Fn(&[u32]) -> bool,
) -> Vec<Vec<u32>> {
    let (mut boxes, mut uncut) = (Vec::new(), vec![rows]);
    while let Some(rows) = uncut.pop() {
        match halves(&rows, axes, is_allowed) {
            Some((low, high)) => uncut.extend([high, low]),
            None => boxes.push(rows),
        }
    }
    boxes
}

fn halves(
    rows: &[u32],
    axes: &[(Box<dyn Fn(u32) -> u32 + '_>, u32)],
    is_allowed: &dyn Fn(&[u32]) -> bool,
) -> Option<(Vec<u32>, Vec<u32>)> {
    let width = |axis: usize| {
        let (code, n_codes) = &axes[axis];
        let (lo, hi) =
            (rows.iter().map(|&row| code(row)).min(), rows.iter().map(|&row| code(row)).max());
        f64::from(hi.unwrap_or(0) - lo.unwrap_or(0)) / f64::from((*n_codes).max(1))
    };
    let mut widest: Vec<(f64, usize)> = (0..axes.len()).map(|axis| (width(axis), axis)).collect();
    widest.retain(|&(width, _)| width > 0.0);
    widest.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    widest.into_iter().find_map(|(_, axis)| {
        let code = &axes[axis].0;
        let mut codes: Vec<u32> = rows.iter().map(|&row| code(row)).collect();
        codes.sort_unstable();
        // The code that begins the upper half; the lowest code always stays below.
        let middle = codes[codes.len() / 2];
        let above = if middle == codes[0] {
            codes[codes.partition_point(|&c| c == middle)]
        } else {
            middle
        };
        let (low, high): (Vec<u32>, Vec<u32>) = rows.iter().partition(|&&row| code(row) < above);
        (is_allowed(&low) && is_allowed(&high)).then_some((low, high))
    })
}

/// Whether no value is had by more than one in l of so many rows; rows without a value count among these.
pub(crate) fn is_diverse(mut values: Vec<u32>, n_rows: usize, l: u32) -> bool {
    values.sort_unstable();
    values.chunk_by(|a, b| a == b).all(|same| same.len() * l as usize <= n_rows)
}
