//! Suppression accuracy: how much of people's trees is left.
//!
//! # Formula
//! 100 · the mean over people of the original of (released vertices / original vertices); 0 for those who
//! are left out.
//!
//! # Range
//! 0 (nothing is left) to 100 (nothing is pruned); higher is better.
//!
//! # Reads as
//! How much of a person's tree is released, on average, in percent.
//!
//! # Undefined when
//! There is nobody, or a released tree is nobody's.
//!
//! # References
//! Özalp, Privacy Preserving Publishing of Hierarchical Data, 2017, §3.5.

use super::{NestedMeasured, NestedMetric};
use crate::metrics::real;
use crate::{Better, Score, Undefined};

pub(super) const METRIC: NestedMetric = NestedMetric {
    id: "suppression-accuracy",
    title: "suppression accuracy",
    paper: "Özalp et al. 2016",
    reads_as: "how much of a person's tree is released, on average, in percent",
    better: Better::Higher,
    measure,
};

fn measure(measured: &NestedMeasured<'_>) -> Result<Score, Undefined> {
    let n_records = measured.original.n_records();
    if n_records == 0 {
        return Err(Undefined("means nothing without people"));
    }
    let counted = |kinds: &mut dyn Iterator<Item = usize>| {
        real(kinds.filter(|&kind| measured.is_counted(kind)).count() as u64)
    };
    let mut sum = 0.0;
    for (&root, original) in measured.trees.roots().iter().zip(measured.originals) {
        let Some(record) = *original else {
            return Err(Undefined("means nothing for a release with trees that are nobody's"));
        };
        let kept = counted(&mut measured.trees.subtree(root).map(|v| measured.trees.kind(v)));
        let vertices = measured.original.vertices(record as usize);
        sum += kept / counted(&mut vertices.map(|v| measured.original.kind(v)));
    }
    Ok(Score::new(100.0 * sum / real(n_records as u64), (0.0, 100.0)))
}
