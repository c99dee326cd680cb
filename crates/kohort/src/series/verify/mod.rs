//! Somebody's releases of a series, judged against a plan: by their files, and where the tables are given
//! that they were made from, by who is in which class.
//!
//! # Method
//! 1. Each release alone: classes come from its bytes, and keep of the promise what a class can keep.
//! 2. With its original: every row is somebody's of the same value, but for the counterfeits that are told.
//! 3. With all originals: people are followed by their key through the classes they are in for certain
//!    (`kohort_verify::Whereabouts`), and each release is judged after those before it, by the checks that
//!    `publish` makes. Where counterfeits are not told, a release with as many rows as there are people,
//!    each row somebody's, has none; another may have as many in a class as the plan allows.
//!
//! What this cannot see is told under `not_judged`: a promise that is not refuted is not proven.

mod alone;
mod text;
mod together;

use kohort_core::{Command, Message, Table, message};
use kohort_models::series::{Correlations, SeriesModel};
use kohort_verify::series::{AgainstOriginal, PublishedRelease, SeriesValues};
use serde::{Deserialize, Serialize};

use super::buckets::refuse_quantiles;
use super::correlations::follow;
use super::method::{model, named};
use super::parameters::parameters;
use super::reasons::worded;
use crate::Error;
use crate::error::refused;
use crate::job::Terms;
use crate::plan::{Plan, SeriesPlan};
use crate::release::{Groups, Publication, beside_the_table};

pub use self::text::series_verdict_text;

/// A release, and the table it was made from.
pub struct Made {
    /// The release, as `attack::read` reads it.
    pub release: Publication,
    /// The table, where it is given.
    pub original: Option<Table>,
}

/// Releases of a series that were judged.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SeriesVerdict {
    /// Whether nothing that was judged fails.
    pub verified: bool,
    /// The promise, and whether nothing that was judged of it fails.
    pub goal: Vec<PromiseAnswer>,
    /// The releases, in order.
    pub releases: Vec<ReleaseVerdict>,
    /// Why it was rejected, in sentences without a closing stop.
    pub reasons: Vec<String>,
    /// What was not judged, in sentences without a closing stop.
    pub not_judged: Vec<Message>,
    /// What a person should know, in sentences without a closing stop.
    pub notes: Vec<Message>,
}

/// The promise of a series.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PromiseAnswer {
    /// The model's id.
    pub model: String,
    /// Its parameters, in words.
    pub parameters: String,
    /// The sensitive attribute.
    pub attribute: String,
    /// Whether nothing that was judged fails.
    pub holds: bool,
}

/// A release of a series that was judged.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReleaseVerdict {
    /// Its place among those that were given, from 1.
    pub release: usize,
    /// Its file.
    pub file: String,
    /// The rows of the release.
    pub rows: u64,
    /// The classes of the release.
    pub classes: u64,
    /// The size of the smallest class.
    pub k: u64,
    /// The rows that are counted as nobody's; none where the method does not count them.
    pub counterfeits: Option<u64>,
    /// Why it was rejected, in sentences without a closing stop.
    pub reasons: Vec<String>,
    /// The comparison with the original, where there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original: Option<OriginalAnswer>,
}

/// A release of a series compared with its original.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OriginalAnswer {
    /// The rows of the original.
    pub rows: u64,
    /// The people of the original who are not in the release.
    pub held_back: u64,
    /// The released rows that cover no row of the original.
    pub uncovered: u64,
    /// The people of whom it follows in which class they are, or in one of which kind; where releases are
    /// compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placed: Option<u64>,
}

/// Judges releases of a series, the oldest first, against the promise of a plan. Either every release has its
/// original, or none.
pub fn verify(plan: &Plan, made: &[Made]) -> Result<SeriesVerdict, Error> {
    refuse_anatomized(made)?;
    let terms = &Terms::new(plan)?;
    refuse_quantiles(&terms.roles)?;
    let mut values = SeriesValues::default();
    let mut notes = Vec::new();
    let names: Vec<Vec<&str>> = made.iter().map(|one| alone::columns(&one.release)).collect();
    let has_other_columns = names.windows(2).any(|pair| pair[0] != pair[1]);
    let (method, note) = named(&terms.series, has_other_columns)?;
    notes.extend(note.map(Message::from));
    let model = model(&terms.series, method)?;
    let mut ones = Vec::new();
    for one in made {
        ones.push(alone::read(terms, one, &mut values, &mut notes)?);
    }
    let attribute = ones.first().map_or_else(String::new, |one| one.sensitive().to_owned());
    let correlations = follow(terms, &attribute, |text| values.number(text))?;
    let n_values = values.count();
    let mut releases = Vec::new();
    for (number, one) in (1..).zip(&ones) {
        releases.push(judged(one, number, model, (correlations.as_ref(), n_values))?);
    }
    let together =
        together::judge(terms, &ones, model, correlations.as_ref(), n_values, &releases)?;
    if let Some((release, reason)) = &together.broken {
        releases[*release].reasons.push(worded(reason));
    }
    for (release, placed) in releases.iter_mut().zip(together.placed) {
        release.original.iter_mut().for_each(|original| original.placed = Some(placed));
    }
    for (release, one) in releases.iter_mut().zip(made) {
        release.reasons.extend(beside_the_table(&one.release.metadata));
    }
    let reason = |release: &ReleaseVerdict| {
        let number = release.release;
        let told = release.reasons.iter().map(move |reason| format!("release {number}: {reason}"));
        told.collect::<Vec<_>>()
    };
    let reasons: Vec<String> = releases.iter().flat_map(reason).collect();
    let holds = reasons.is_empty();
    notes.extend(together.notes);
    Ok(SeriesVerdict {
        verified: holds,
        goal: promises(&terms.series, method, &ones, &releases),
        releases,
        reasons,
        not_judged: together.not_judged,
        notes,
    })
}

/// The promise, once for each sensitive attribute: releases of other columns may show other ones.
fn promises(
    series: &SeriesPlan,
    method: &str,
    ones: &[PublishedRelease<'_>],
    releases: &[ReleaseVerdict],
) -> Vec<PromiseAnswer> {
    let mut goal: Vec<PromiseAnswer> = Vec::new();
    for (one, release) in ones.iter().zip(releases) {
        let is_kept = release.reasons.is_empty();
        match goal.iter_mut().find(|promise| promise.attribute == one.sensitive()) {
            Some(promise) => promise.holds &= is_kept,
            None => goal.push(PromiseAnswer {
                model: method.to_owned(),
                parameters: parameters(series, method),
                attribute: one.sensitive().to_owned(),
                holds: is_kept,
            }),
        }
    }
    goal
}

/// What can be judged of a release by itself, in words.
fn judged(
    one: &PublishedRelease<'_>,
    number: usize,
    model: SeriesModel,
    (correlations, n_values): (Option<&Correlations>, u32),
) -> Result<ReleaseVerdict, Error> {
    let (reasons, original) = one.judge(model, correlations, n_values)?;
    let sizes = one.classes().iter().map(|class| class.values.len() as u64);
    let answer = |AgainstOriginal { rows, held_back, uncovered }| OriginalAnswer {
        rows,
        held_back,
        uncovered,
        placed: None,
    };
    Ok(ReleaseVerdict {
        release: number,
        file: one.table().name().to_owned(),
        rows: one.table().n_rows() as u64,
        classes: one.classes().len() as u64,
        k: sizes.min().unwrap_or(0),
        counterfeits: model.counts_counterfeits().then(|| one.n_counterfeits()),
        reasons: reasons.iter().map(worded).collect(),
        original: original.map(answer),
    })
}

/// Refuses releases whose values stand in a file of their own: a row of them is no class.
fn refuse_anatomized(made: &[Made]) -> Result<(), Error> {
    let Some(found) = made.iter().find(|one| one.release.groups == Groups::Anatomized) else {
        return Ok(());
    };
    Err(refused(
        format!(
            "{} is anatomized: its sensitive values are published by group, and a series is \
             judged by rows that show their class and their value",
            found.release.table.name()
        ),
        message!(
            "give each row a value of its group and let a class show the same cells in all its rows, or \
             attack the releases as they are: {}",
            Command::Attack.on("R1 R2 …")
        ),
    ))
}
