//! What a learner is given: what rows show, and how many of each class show it.

use super::encode::Bounds;
use crate::utility::View;

/// Rows to learn from. Rows that show the same may be one entry.
pub(in crate::utility) struct Sample {
    n_axes: usize,
    bounds: Vec<(u32, u32)>,
    // For each entry, the classes that occur with their number of rows.
    classes: Vec<Vec<(usize, f64)>>,
    pub(in crate::utility) n_classes: usize,
}

impl Sample {
    /// A sample without rows.
    pub(in crate::utility) fn new(n_axes: usize, n_classes: usize) -> Self {
        Self { n_axes, bounds: Vec::new(), classes: Vec::new(), n_classes }
    }

    /// Adds rows that show the same.
    pub(in crate::utility) fn push(
        &mut self,
        bounds: impl IntoIterator<Item = (u32, u32)>,
        classes: Vec<(usize, f64)>,
    ) {
        self.bounds.extend(bounds);
        self.classes.push(classes);
    }

    /// Rows of the original as they are.
    pub(super) fn of_original(view: &View<'_>, rows: &[u32], target: &Target) -> Self {
        let quasi = view.dataset.quasi();
        let mut sample = Self::new(quasi.len(), target.n_classes);
        for row in rows.iter().map(|&row| row as usize) {
            let codes = quasi.iter().map(|attribute| attribute.codes().get(row));
            sample.push(codes.map(|code| (code, code)), vec![(target.class_of_row[row], 1.0)]);
        }
        sample
    }

    /// Rows as a release shows them; suppressed ones are not there.
    pub(super) fn of_release(
        view: &View<'_>,
        bounds: &[Vec<(u32, u32)>],
        rows: &[u32],
        target: &Target,
    ) -> Self {
        let mut shown: Vec<(usize, usize)> = (rows.iter())
            .filter_map(|&row| Some((view.group(row as usize)?, target.class_of_row[row as usize])))
            .collect();
        shown.sort_unstable();
        let mut sample = Self::new(bounds.len(), target.n_classes);
        for group in shown.chunk_by(|a, b| a.0 == b.0) {
            let counted = group.chunk_by(|a, b| a.1 == b.1);
            let classes = counted.map(|same| (same[0].1, super::real(same.len()))).collect();
            sample.push(bounds.iter().map(|bounds| bounds[group[0].0]), classes);
        }
        sample
    }

    /// The number of entries.
    pub(in crate::utility) fn len(&self) -> usize {
        self.classes.len()
    }

    /// What the rows of an entry show.
    pub(in crate::utility) fn bounds(&self, entry: usize) -> &Bounds {
        &self.bounds[entry * self.n_axes..][..self.n_axes]
    }

    /// The classes of an entry with their number of rows.
    pub(in crate::utility) fn classes(&self, entry: usize) -> &[(usize, f64)] {
        &self.classes[entry]
    }

    /// The number of rows of each class.
    pub(super) fn totals(&self) -> Vec<f64> {
        let mut totals = vec![0.0; self.n_classes];
        self.classes.iter().flatten().for_each(|&(class, n)| totals[class] += n);
        totals
    }
}

/// What is to be predicted: the class of each row of the original.
pub(super) struct Target {
    pub(super) class_of_row: Vec<usize>,
    pub(super) n_classes: usize,
}

/// The share of each class, one more row of each class counted, so that none is impossible.
pub(super) fn smoothed(counts: &[f64]) -> Vec<f64> {
    let total = counts.iter().sum::<f64>() + super::real(counts.len());
    counts.iter().map(|count| (count + 1.0) / total).collect()
}
