//! What moves between classes: rows that agree on the quasi-identifiers and on every sensitive value
//! that a promise looks at.

use crate::{Points, Problem};

/// The units of a table, in the order of its points.
pub(super) struct Units<'p> {
    points: &'p Points,
    // None when no promise looks at sensitive values: then every point is a unit.
    parts: Option<Parts>,
}

/// Points in parts with the same sensitive values.
struct Parts {
    // The point of each unit.
    points: Vec<u32>,
    // Where each unit's rows begin in those of all points; one entry more than units.
    starts: Vec<u32>,
    // Row-major sensitive codes.
    n_sensitive: usize,
    sensitive: Vec<u32>,
}

impl Parts {
    fn new(problem: &Problem<'_>) -> Self {
        let (points, sensitive) = (problem.points(), problem.sensitive());
        let values = |row: u32| sensitive.iter().map(move |a| a.codes().get(row as usize));
        // The rows of a point are sorted by their sensitive codes.
        let runs = |point| points.rows(point).chunk_by(move |&a, &b| values(a).eq(values(b)));
        let n_units = (0..points.len()).map(|point| runs(point).count()).sum();
        let mut parts = Self {
            points: Vec::with_capacity(n_units),
            starts: Vec::with_capacity(n_units + 1),
            n_sensitive: sensitive.len(),
            sensitive: Vec::with_capacity(n_units * sensitive.len()),
        };
        let mut start = 0;
        for point in 0..points.len() {
            for run in runs(point) {
                parts.starts.push(start);
                parts.sensitive.extend(values(run[0]));
                parts.points.push(u32::try_from(point).expect("points are fewer than rows"));
                start += u32::try_from(run.len()).expect("rows are u32");
            }
        }
        parts.starts.push(start);
        parts
    }
}

impl<'p> Units<'p> {
    pub(super) fn new(problem: &'p Problem<'_>) -> Self {
        let parts = problem.promises().needs_values().then(|| Parts::new(problem));
        Self { points: problem.points(), parts }
    }

    pub(super) fn len(&self) -> usize {
        self.parts.as_ref().map_or(self.points.len(), |parts| parts.points.len())
    }

    /// The point of a unit, among the distinct rows of the problem.
    #[inline]
    pub(super) fn point(&self, unit: u32) -> usize {
        match &self.parts {
            None => unit as usize,
            Some(parts) => parts.points[unit as usize] as usize,
        }
    }

    #[inline]
    pub(super) fn codes(&self, unit: u32) -> &'p [u32] {
        self.points.codes(self.point(unit))
    }

    /// The sensitive codes, where promises look at them.
    #[inline]
    pub(super) fn sensitive(&self, unit: u32) -> &[u32] {
        match &self.parts {
            None => &[],
            Some(parts) => {
                &parts.sensitive[unit as usize * parts.n_sensitive..][..parts.n_sensitive]
            }
        }
    }

    /// The rows of a unit.
    pub(super) fn rows(&self, unit: u32) -> &'p [u32] {
        match &self.parts {
            None => self.points.rows(unit as usize),
            Some(parts) => {
                let ends = &parts.starts[unit as usize..][..2];
                &self.points.all_rows()[ends[0] as usize..ends[1] as usize]
            }
        }
    }

    pub(super) fn n_rows(&self, unit: u32) -> u32 {
        u32::try_from(self.rows(unit).len()).expect("rows are u32")
    }
}
