//! What anybody's releases say together, in words.

use kohort_core::{Command, Dataset, Message, Setting, message};
use kohort_models::series::{ClassBox, Correlations, SeriesModel};
use kohort_verify::series::{FollowedPeople, PublishedRelease, SeriesReason};

use super::super::people::{key, texts};
use super::ReleaseVerdict;
use crate::Error;
use crate::job::Terms;
use crate::wording::count;

/// What releases show together.
#[derive(Default)]
pub(super) struct Together {
    /// The first release, from 0, that breaks the promise after those before, and why.
    pub(super) broken: Option<(usize, SeriesReason)>,
    /// How many people of each original are in a class for certain.
    pub(super) placed: Vec<u64>,
    pub(super) not_judged: Vec<Message>,
    pub(super) notes: Vec<Message>,
}

/// Judges releases one after another. One that is broken by itself ends it.
pub(super) fn judge(
    terms: &Terms,
    ones: &[PublishedRelease<'_>],
    model: SeriesModel,
    correlations: Option<&Correlations>,
    n_values: u32,
    alone: &[ReleaseVerdict],
) -> Result<Together, Error> {
    let mut found = Together::default();
    if ones.len() < 2 {
        found.not_judged.push(message!(
            "what the release says together with others of its series: name all in their order, {}",
            Command::Verify.on("R1 R2 …").and(Setting::Plan.to("PLAN"))
        ));
        return Ok(found);
    }
    let originals: Option<Vec<&Dataset>> = ones.iter().map(PublishedRelease::original).collect();
    let Some(originals) = originals else {
        found.not_judged.push(message!(
            "{}: the files do not show who is in which class; give the table of each release, in their \
             order, with {original}",
            of_people(model),
            original = Setting::Original
        ));
        return Ok(found);
    };
    if alone.iter().any(|release| !release.reasons.is_empty()) {
        found.not_judged.push(message!("{}: a release fails by itself", of_people(model)));
        return Ok(found);
    }
    let mut people = FollowedPeople::new(model);
    for ((one, original), alone) in ones.iter().zip(&originals).zip(alone) {
        let keys: Vec<&str> = texts(key(terms, original)?).collect();
        let is_matched = alone
            .original
            .as_ref()
            .is_some_and(|found| found.uncovered == 0 && found.rows == alone.rows);
        people.add(one, &keys, is_matched)?;
    }
    found.placed = people.n_placed();
    let last = originals[originals.len() - 1];
    let boxes: Vec<Vec<ClassBox>> = if model.compares_boxes() {
        ones.iter().map(|one| one.boxes(last)).collect::<Result<_, _>>()?
    } else {
        Vec::new()
    };
    found.broken = people.judge(&boxes, correlations, n_values);
    found.not_judged.extend(left_open(&people, model));
    if found.broken.is_some() && !model.counts_counterfeits() {
        found.notes.extend(taken_complete(&people).into_iter().map(Message::from));
    }
    found.notes.extend(changed(&people, model).into_iter().map(Message::from));
    Ok(found)
}

/// What a model asks of people over releases.
fn of_people(model: SeriesModel) -> &'static str {
    match model {
        SeriesModel::MInvariance(_) => "whether everybody keeps the signature of the first release",
        SeriesModel::EEquivalence(_) => {
            "whether everybody keeps the signature, and which people must have equal values"
        }
        SeriesModel::RhoDifferent(_) => "what all releases and the correlations say of a person",
        SeriesModel::Bcf(_) => "which rows of two releases correspond",
        SeriesModel::XyAnonymity(_) | SeriesModel::XyLinkability(_) => {
            "what the join of releases leaves"
        }
        SeriesModel::Global(_) => "what somebody ever had by all releases",
    }
}

/// What is not decided, because it does not follow who is where.
fn left_open(people: &FollowedPeople, model: SeriesModel) -> Vec<Message> {
    let mut open = Vec::new();
    let n = people.n_open();
    if n > 0 {
        let (some, all) = (count(n, "person", "people"), people.n_people());
        let nobody = if model.counts_counterfeits() {
            ""
        } else {
            ", or the row is a counterfeit, which `rho-different` does not disclose"
        };
        open.push(message!(
            "{} for {some} of {all}: several classes of a release may be theirs, or they were held \
             back{nobody}",
            of_people(model)
        ));
    }
    if matches!(model, SeriesModel::EEquivalence(_)) && !people.is_exact() {
        open.push("which people must have equal values: several classes may be somebody's".into());
    }
    let is_smoothed = matches!(model, SeriesModel::RhoDifferent(_));
    if is_smoothed && !people.is_exact() && people.has_few_people() {
        open.push(
            "what dealing the values of all classes to everybody at once says: several classes may be \
             somebody's"
                .into(),
        );
    }
    open
}

/// Which releases are taken to have no counterfeits, where nobody counts them.
fn taken_complete(people: &FollowedPeople) -> Option<String> {
    let complete: Vec<String> = people.complete().iter().map(usize::to_string).collect();
    let (releases, have, their) = match complete.len() {
        0 => return None,
        1 => ("release", "has", "its"),
        _ => ("releases", "have", "their"),
    };
    Some(format!(
        "{releases} {} {have} a row for everybody of {their} table: no counterfeit is taken to be there, \
         and nobody to be held back",
        complete.join(", ")
    ))
}

/// That values changed, where the promise is about those that do not.
fn changed(people: &FollowedPeople, model: SeriesModel) -> Option<String> {
    if matches!(model, SeriesModel::RhoDifferent(_) | SeriesModel::Global(_)) {
        return None;
    }
    let n = people.n_changed();
    (n > 0).then(|| {
        format!(
            "a value changed {} from one table to the next: nothing is promised of those who have it",
            count(n, "time", "times")
        )
    })
}
