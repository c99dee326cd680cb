//! The verdict about the next release of a series, before it is published.

use kohort_core::{Dataset, Error, History, Table};
use kohort_models::series::{ClassBox, Correlations, SeriesModel};

use super::belief::{Belief, max_posterior};
use super::boxes::boxes_of_cells;
use super::held_back;
use super::next::NextRelease;
use super::read::{ReadClasses, read};
use super::reason::SeriesReason;

/// What the next release of a series must keep. It comes from the plan and the ledger, never from the maker.
#[derive(Clone, Copy)]
pub struct SeriesClaims<'a> {
    /// The promise.
    pub model: SeriesModel,
    /// The releases so far.
    pub history: &'a History,
    /// Whether one of them does not keep the promise: it then holds for those whom the next release shows,
    /// as far as that release goes.
    pub is_history_broken: bool,
    /// The highest belief that they left.
    pub believed: Option<Belief>,
    /// The boxes of their classes, where the model compares them.
    pub boxes: &'a [Vec<ClassBox>],
    /// The sensitive column of each release, that of the next one last.
    pub sensitive: &'a [String],
    /// How values follow one another, where that is given.
    pub correlations: Option<&'a Correlations>,
}

/// What the next release is compared with.
#[derive(Clone, Copy)]
pub struct SeriesEvidence<'a> {
    /// The table that the release was made from.
    pub original: &'a Dataset,
    /// The person of each of its rows.
    pub person_of_row: &'a [u32],
    /// The number of the sensitive value of each.
    pub value_of_row: &'a [u32],
    /// The sensitive values of the series by number.
    pub domain: &'a [String],
    /// For each released row the row of the original that it is said to be; none for a counterfeit.
    pub certificate: &'a [Option<u32>],
}

/// What was found out about a release that says what the original says.
#[derive(Clone, Debug)]
pub struct SeriesFindings {
    classes: ReadClasses,
    belief: Belief,
}

impl SeriesFindings {
    /// Its classes.
    pub fn classes(&self) -> &ReadClasses {
        &self.classes
    }

    /// The highest belief about anybody's value, people held back included.
    pub fn belief(&self) -> Belief {
        self.belief
    }
}

/// A release that keeps the promise together with all those before it. Only [`verify`] makes one.
#[derive(Clone, Debug)]
pub struct SeriesVerified(SeriesFindings);

impl SeriesVerified {
    /// What was found out about it.
    pub fn into_findings(self) -> SeriesFindings {
        self.0
    }
}

/// A release that does not.
#[derive(Clone, Debug)]
pub struct SeriesRejected {
    reason: SeriesReason,
    findings: Option<Box<SeriesFindings>>,
}

impl SeriesRejected {
    /// Why.
    pub fn reason(&self) -> &SeriesReason {
        &self.reason
    }

    /// What was found out about it, where its classes keep the promise, and only the people held back do not.
    pub fn into_findings(self) -> Option<SeriesFindings> {
        self.findings.map(|findings| *findings)
    }
}

impl From<SeriesReason> for SeriesRejected {
    fn from(reason: SeriesReason) -> Self {
        Self { reason, findings: None }
    }
}

/// Judges the next release of a series: its classes as they were read back, and the table that counts its
/// counterfeits.
pub fn verify(
    (release, counterfeits): (&Table, Option<&Table>),
    claims: &SeriesClaims<'_>,
    evidence: &SeriesEvidence<'_>,
) -> Result<Result<SeriesVerified, SeriesRejected>, Error> {
    let SeriesClaims { model, is_history_broken, .. } = *claims;
    let classes = match read(release, counterfeits, evidence, model.counts_counterfeits())? {
        Ok(classes) => classes,
        Err(reason) => return Ok(Err(reason.into())),
    };
    let mut boxes = claims.boxes.to_vec();
    if model.compares_boxes() {
        let quasi = evidence.original.quasi();
        let columns: Vec<&str> = quasi.iter().map(|attribute| attribute.name()).collect();
        boxes.push(boxes_of_cells(&classes.cells, &columns, evidence.original)?);
    }
    let next = NextRelease {
        history: claims.history,
        release: &classes.release,
        boxes: &boxes,
        sensitive: claims.sensitive,
        correlations: claims.correlations,
        is_exact: true,
    };
    let judged = next.keeps(model, is_history_broken).and_then(|belief| match belief {
        Some(belief) => Ok(belief),
        None => max_posterior(&next, model, is_history_broken),
    });
    let belief = match judged {
        Ok(belief) => claims.believed.map_or(belief, |before| belief.after(&before)),
        Err(reason) => return Ok(Err(reason.into())),
    };
    let held_back =
        held_back::held_back(&classes.release, evidence.person_of_row, evidence.value_of_row);
    let belief = held_back.map_or(belief, |(share, _)| belief.with_held_back(share));
    let findings = SeriesFindings { classes, belief };
    Ok(match held_back.and_then(|held_back| held_back::broken(model, held_back)) {
        None => Ok(SeriesVerified(findings)),
        Some(reason) => Err(SeriesRejected { reason, findings: Some(Box::new(findings)) }),
    })
}
