//! Somebody's nested release, read and judged against a plan.

use std::path::Path;

use kohort_core::{Message, Ratio, Setting, message};
use kohort_nested::NestedForm;
use kohort_verify::nested::NestedOriginal;

use super::Described;
use super::answer::promised;
use super::files::read_release;
use super::in_memory::HeldRelease;
use super::job::NestedTerms;
use super::judge::{Files, Judgement, is_crowded, judge};
use super::metrics::figures;
use super::schema::Schema;
use super::{Comparison, NestedVerdict};
use crate::plan::Plan;
use crate::release::{Figures, ReleaseFile};
use crate::{Cx, Error, Stop};

/// Judges somebody's nested release against a plan, and where it is there against the original.
pub fn verify<'a>(
    plan: &Plan,
    release: impl Into<ReleaseFile<'a>>,
    original: Option<&Described>,
) -> Result<NestedVerdict, Error> {
    let terms = NestedTerms::new(plan)?;
    verdict(&terms, read_release(&terms.schema, &release.into())?, original)
}

/// The same for a release that a program holds.
pub fn verify_held(
    plan: &Plan,
    release: &HeldRelease,
    original: Option<&Described>,
    cx: &Cx,
) -> Result<NestedVerdict, Stop> {
    cx.within(|| {
        let (files, form) = release.files(plan)?;
        Ok(verdict(&NestedTerms::new(plan)?, (files, form, Vec::new()), original)?)
    })
}

fn verdict(
    terms: &NestedTerms,
    (files, form, mut notes): (Files, NestedForm, Vec<Message>),
    original: Option<&Described>,
) -> Result<NestedVerdict, Error> {
    let against = original.map(|original| NestedOriginal {
        nested: original.nested(),
        forest: original.forest(),
        certificate: None,
    });
    let judgement = judge(terms, &files, form, against)?;
    if original.is_none() && judgement.claims.suppression > Ratio::whole(0) {
        notes.push(message!(
            "without {} it is not known how many records were left out",
            Setting::Original
        ));
    }
    notes.extend(judgement.without_values());
    let nowhere = (1..).zip(&judgement.findings().rules).filter(|(_, rule)| rule.occurrences == 0);
    notes.extend(nowhere.map(|(number, _)| {
        message!("rule {number} is about a value that does not occur in the release")
    }));
    let compared = match original.zip(against) {
        None => None,
        Some((original, against)) => {
            let figures = figures(&judgement, &files, form, against)?;
            Some(compared(original, &judgement, figures))
        }
    };
    Ok(NestedVerdict {
        verified: judgement.verdict.is_ok(),
        promised: promised(&judgement),
        reasons: judgement.reasons(),
        original: compared,
        notes,
    })
}

fn compared(
    original: &Described,
    judgement: &Judgement,
    (metrics, undefined): Figures,
) -> Comparison {
    let findings = judgement.findings();
    let truth = findings.truth.as_ref();
    let records_in = original.nested().n_records() as u64;
    Comparison {
        records_in,
        vertices_in: original.n_vertices(),
        suppressed: records_in.saturating_sub(findings.records_out),
        truthful: truth.is_some_and(kohort_verify::nested::NestedTruth::holds),
        uncovered: truth.map_or(0, kohort_verify::nested::NestedTruth::uncovered_records),
        metrics,
        undefined,
    }
}

/// Whether a file can be an earlier release, which the next one may replace: nobody stands alone in it,
/// and no path that the plan does not publish is there. Records that were never anonymized are next to
/// never like that.
pub fn is_release(file: &Path, plan: &Plan) -> bool {
    let schema = Schema::new(plan);
    let Ok((files, form, _)) = read_release(&schema, &file.into()) else { return false };
    is_crowded(&schema, &files, form)
}
