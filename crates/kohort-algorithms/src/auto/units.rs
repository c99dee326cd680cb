//! What moves between classes: rows that agree on the quasi-identifiers and on every sensitive value
//! that a promise looks at.

use std::ops::Range;

use crate::Problem;

/// The units of a table, in the order of its points.
pub(super) struct Units {
    n_axes: usize,
    codes: Vec<u32>,
    // Row-major sensitive codes; none when no promise looks at them.
    n_sensitive: usize,
    sensitive: Vec<u32>,
    // The point of each unit.
    points: Vec<u32>,
    // Where each unit's rows begin in those of all points; one entry more than units.
    starts: Vec<u32>,
}

impl Units {
    /// The units of a table, their codes in this order of the axes.
    pub(super) fn new(problem: &Problem<'_>, axes: &[usize]) -> Self {
        let points = problem.points();
        let looked_at = if problem.promises().needs_values() { problem.sensitive() } else { &[] };
        let values = |row: u32| looked_at.iter().map(move |a| a.codes().get(row as usize));
        // The rows of a point are sorted by their sensitive codes.
        let runs = |point| points.rows(point).chunk_by(move |&a, &b| values(a).eq(values(b)));
        let n_units = (0..points.len()).map(|point| runs(point).count()).sum();
        let mut units = Self {
            n_axes: axes.len(),
            codes: Vec::with_capacity(n_units * axes.len()),
            n_sensitive: looked_at.len(),
            sensitive: Vec::with_capacity(n_units * looked_at.len()),
            points: Vec::with_capacity(n_units),
            starts: Vec::with_capacity(n_units + 1),
        };
        let mut start = 0;
        for point in 0..points.len() {
            for run in runs(point) {
                units.starts.push(start);
                units.codes.extend(axes.iter().map(|&axis| points.codes(point)[axis]));
                units.sensitive.extend(values(run[0]));
                units.points.push(u32::try_from(point).expect("points are fewer than rows"));
                start += u32::try_from(run.len()).expect("rows are u32");
            }
        }
        units.starts.push(start);
        units
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    #[inline]
    pub(super) fn codes(&self, unit: u32) -> &[u32] {
        &self.codes[unit as usize * self.n_axes..][..self.n_axes]
    }

    /// The sensitive codes that promises look at.
    #[inline]
    pub(super) fn sensitive(&self, unit: u32) -> &[u32] {
        &self.sensitive[unit as usize * self.n_sensitive..][..self.n_sensitive]
    }

    /// The point of a unit, among the distinct rows of the problem.
    pub(super) fn point(&self, unit: u32) -> usize {
        self.points[unit as usize] as usize
    }

    pub(super) fn n_rows(&self, unit: u32) -> u32 {
        self.starts[unit as usize + 1] - self.starts[unit as usize]
    }

    /// Where the rows of a unit stand among those of all points.
    pub(super) fn range(&self, unit: u32) -> Range<usize> {
        self.starts[unit as usize] as usize..self.starts[unit as usize + 1] as usize
    }
}
