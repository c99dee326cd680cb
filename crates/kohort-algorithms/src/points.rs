//! The distinct rows over the quasi-identifiers: what is merged before anything quadratic starts.

use kohort_core::{Attribute, group};

/// The distinct rows, sorted by their codes, each with the rows of the table that have it.
#[derive(Clone, Debug)]
pub struct Points {
    n_axes: usize,
    // Row-major codes of each point.
    codes: Vec<u32>,
    // Rows sorted by point, and where each point's rows begin; one entry more than points.
    rows: Vec<u32>,
    starts: Vec<u32>,
}

impl Points {
    /// The distinct rows of a table. The rows of a point are in the order of their sensitive codes, so
    /// that the order of the table's rows shows as little as possible.
    ///
    /// # Panics
    /// When the table has more than `u32::MAX` rows, which a reader refuses.
    pub fn new(n_rows: usize, quasi: &[&Attribute], sensitive: &[&Attribute]) -> Self {
        let grouping = group(n_rows, quasi.iter().map(|a| (a.codes(), a.n_codes())));
        let first = grouping.first_rows();
        let n_axes = quasi.len();
        let mut found = vec![0; first.len() * n_axes];
        for (axis, attribute) in quasi.iter().enumerate() {
            for (point, &row) in first.iter().enumerate() {
                found[point * n_axes + axis] = attribute.codes().get(row as usize);
            }
        }
        let of = |point: u32| &found[point as usize * n_axes..][..n_axes];
        let order = sorted(grouping.n_classes, quasi, of);
        let codes = order.iter().flat_map(|&point| of(point).iter().copied()).collect();
        let (members, ends) = grouping.members();
        let mut rows = Vec::with_capacity(n_rows);
        let mut starts = vec![0];
        for point in order {
            let start = if point == 0 { 0 } else { ends[point as usize - 1] };
            let from = rows.len();
            rows.extend_from_slice(&members[start as usize..ends[point as usize] as usize]);
            if rows.len() - from > 1 && !sensitive.is_empty() {
                rows[from..].sort_by_cached_key(|&row| {
                    let codes = sensitive.iter().map(|a| a.codes().get(row as usize));
                    codes.collect::<Vec<u32>>()
                });
            }
            starts.push(u32::try_from(rows.len()).expect("rows are counted in u32"));
        }
        Self { n_axes, codes, rows, starts }
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The codes of a point.
    #[inline]
    pub fn codes(&self, point: usize) -> &[u32] {
        &self.codes[point * self.n_axes..(point + 1) * self.n_axes]
    }

    /// The rows of the table with these codes.
    pub fn rows(&self, point: usize) -> &[u32] {
        &self.rows[self.starts[point] as usize..self.starts[point + 1] as usize]
    }

    /// The rows of the table in the order of their points.
    pub fn all_rows(&self) -> &[u32] {
        &self.rows
    }

    /// How many rows of the table have these codes.
    pub fn weight(&self, point: usize) -> u32 {
        self.starts[point + 1] - self.starts[point]
    }

    /// The point of each row.
    pub fn point_of_row(&self) -> Vec<u32> {
        let mut point_of_row = vec![0; self.rows.len()];
        for (point, ends) in (0..).zip(self.starts.windows(2)) {
            for &row in &self.rows[ends[0] as usize..ends[1] as usize] {
                point_of_row[row as usize] = point;
            }
        }
        point_of_row
    }
}

/// The points in the order of their codes.
fn sorted<'a>(n_points: u32, quasi: &[&Attribute], codes: impl Fn(u32) -> &'a [u32]) -> Vec<u32> {
    let span = quasi.iter().try_fold(1_u64, |span, a| span.checked_mul(a.n_codes().into()));
    if span.is_none() {
        let mut order: Vec<u32> = (0..n_points).collect();
        order.sort_unstable_by(|&a, &b| codes(a).cmp(codes(b)));
        return order;
    }
    // One number stands for all codes of a point, which sorts faster.
    let digit =
        |key: u64, (&code, a): (&u32, &&Attribute)| key * u64::from(a.n_codes()) + u64::from(code);
    let key = |point: u32| (codes(point).iter().zip(quasi).fold(0, digit), point);
    let mut keys: Vec<(u64, u32)> = (0..n_points).map(key).collect();
    keys.sort_unstable();
    keys.into_iter().map(|(_, point)| point).collect()
}
