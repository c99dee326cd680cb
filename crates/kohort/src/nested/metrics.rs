//! What a nested release costs, from what was read back.

use std::collections::BTreeMap;

use kohort_core::Forest;
use kohort_models::Undefined;
use kohort_models::nested::{NESTED_METRICS, NestedMeasured, ReleasedTrees, ReleasedValues};
use kohort_nested::NestedForm;
use kohort_verify::nested::{NestedOriginal, NestedTruth, measured};

use super::judge::{Files, Judgement};
use crate::Error;
use crate::release::Figures;

/// Every metric of a release, and why some mean nothing for it.
pub(super) fn figures(
    judgement: &Judgement,
    files: &Files,
    form: NestedForm,
    original: NestedOriginal<'_>,
) -> Result<Figures, Error> {
    let (trees, values) = measured(files.release(form), &judgement.claims, original)?;
    let truth = judgement.findings().truth.as_ref();
    let originals = truth.map_or(&[][..], NestedTruth::originals);
    Ok(scores(original.forest, (&trees, &values), originals))
}

/// The same of what was read already.
pub(super) fn scores(
    original: &Forest,
    (trees, values): (&ReleasedTrees, &ReleasedValues),
    originals: &[Option<u32>],
) -> Figures {
    let measured = NestedMeasured { original, trees, values, originals };
    let (mut scores, mut undefined) = (BTreeMap::new(), BTreeMap::new());
    for metric in NESTED_METRICS {
        kohort_core::alive();
        let id = metric.id.replace('-', "_");
        match (metric.measure)(&measured) {
            Ok(score) => {
                for (part, value) in &score.parts {
                    scores.insert(format!("{id}.{part}"), *value);
                }
                scores.insert(id, score.value);
            }
            Err(Undefined(reason)) => {
                undefined.insert(id, reason);
            }
        }
    }
    (scores, undefined)
}
