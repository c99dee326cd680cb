//! Correlation: what is known of how values follow one another, over all releases.
//!
//! # Adversary
//! Has all releases; knows everybody's quasi-identifiers, who is in which release, and how likely one value
//! is followed by another (`--correlations`).
//!
//! # Method
//! 1. Each target is followed through the classes that cover the target, by forward-backward smoothing over
//!    all releases: later releases tell of earlier ones, too (see `Smoothing`).
//! 2. At the end: the likeliest value at the last release that the target is in. At any time: the likeliest
//!    value at whatever release it is surest.
//! 3. Both in two readings: a class says how large a share of the holders of a value are in it, and what is
//!    not listed goes by the shares of values; or it says which values there are, and what is not listed is
//!    as likely for each (`as sets`).
//!
//! People are followed one by one. A release in which several classes cover a target tells nothing but that
//! time passed.
//!
//! # Success
//! At the end, the share of targets whose value is guessed; at any time, what the adversary expects of it.
//! The baseline is the newest release that the target is in, alone, or the release that says most, alone.
//!
//! # References
//! Abdalaal 2012 §4.3.

use std::collections::BTreeMap;

use kohort_core::{Ctx, Error, Message, Setting, Spec, message};
use kohort_models::series::{Completion, Correlations, Emission, Posterior, Reading, Smoothing};

use super::evidence::background::Correlated;
use super::evidence::series::{self, Series, normalize, value_guesses};
use super::guess::likeliest_value;
use super::{Attack, Criterion, Guesses, Rate, Says, Scene, Scoring};

const SPEC: Spec = Spec {
    id: "correlation",
    title: "Correlation",
    paper: "Abdalaal 2012",
    promise: "knowing how values follow one another discloses more than any release alone",
    parameters: &[],
};

/// The readings of a class, with what is added to the way of guessing.
const READINGS: [(&str, Reading); 2] = [
    ("", Reading::PROMISED),
    (", as sets", Reading { emission: Emission::Indicator, completion: Completion::Uniform }),
];

/// The correlation attack.
pub(super) struct Correlation;

impl Attack for Correlation {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn criterion(&self) -> Criterion {
        Criterion::Inference
    }

    fn compares_releases(&self) -> bool {
        true
    }

    fn needs(&self, scene: &Scene<'_>) -> Option<Message> {
        let unknown = scene.correlated.is_none();
        series::needs(scene)
            .or(unknown
                .then(|| message!("how values follow one another ({})", Setting::Correlations)))
    }

    fn guess(&self, _: &Ctx<'_>, scene: &Scene<'_>) -> Result<Vec<Guesses>, Error> {
        let mut all = Vec::new();
        let Some(correlated) = &scene.correlated else { return Ok(all) };
        for &(attribute, ref series) in scene.series()? {
            if let Some(correlations) = read(scene, correlated, series, attribute)? {
                all.extend(of_series(scene, series, &correlations, attribute));
            }
        }
        Ok(all)
    }

    fn bound(&self, scene: &Scene<'_>, attribute: Option<usize>) -> Option<f64> {
        scene.bound_of_series(attribute)
    }

    fn meaning(&self, rate: &Rate) -> String {
        format!(
            "an adversary who knows how values follow one another guesses the value of {:.1} % \
             of the targets, against {:.1} % with one release",
            100.0 * rate.success,
            100.0 * rate.baseline
        )
    }
}

/// The table in the numbers of the series; none where no value of it is one of the attribute.
fn read(
    scene: &Scene<'_>,
    correlated: &Correlated,
    series: &Series,
    attribute: usize,
) -> Result<Option<Correlations>, Error> {
    let name = scene.release.sensitive()[attribute].name();
    let n_shown = series.history.n_values;
    let mut is_about = false;
    // Values that no release shows are numbered after the others.
    let mut unseen: BTreeMap<String, u32> = BTreeMap::new();
    let lines = correlated.lines.iter();
    let lines = lines.map(|(line, texts)| (*line, [&texts[0][..], &texts[1], &texts[2]]));
    let read = Correlations::read(&correlated.source_name, name, lines, |text| {
        let shown = series.number_of_text(scene, attribute, text);
        is_about |= shown.is_some();
        shown.or_else(|| {
            let next = n_shown + u32::try_from(unseen.len()).expect("values are numbered by u32");
            Some(*unseen.entry(text.to_owned()).or_insert(next))
        })
    })?;
    Ok(is_about.then_some(read))
}

/// What is said of a path: at its end, and where it is surest.
type Said = Option<[(Says, f64); 2]>;

fn of_series(
    scene: &Scene<'_>,
    series: &Series,
    correlations: &Correlations,
    attribute: usize,
) -> Vec<Guesses> {
    let history = series.followed();
    let everybody: Vec<u32> = (0..series.n_people()).collect();
    let mut all = Vec::new();
    for (suffix, reading) in READINGS {
        let smoothing = Smoothing::new(&history, correlations, reading);
        let say = |path: &[(u32, u32)]| -> Said { said(&smoothing.posteriors(path)?) };
        let (of_path, path_of) = smoothing.of_paths(&everybody, say);
        let n_ruled_out = |person: &&u32| {
            of_path[path_of[**person as usize] as usize].is_none()
                && !smoothing.path(**person).is_empty()
        };
        let n_ruled_out = everybody.iter().filter(n_ruled_out).count();
        for (index, when) in ["at the end", "at any time"].into_iter().enumerate() {
            let alone = |person: u32| match index {
                0 => likeliest_value(&series.alone(person)),
                _ => surest_alone(series, person),
            };
            let mut guesses = value_guesses(scene, series, attribute, |person| {
                let said = of_path[path_of[person as usize] as usize];
                said.map_or_else(|| alone(person), |said| said[index])
            });
            guesses.way = Some(format!("{when}{suffix}"));
            if index == 1 {
                // What is true of earlier releases is not at hand.
                guesses.scoring = Scoring::ByExpectation;
                for guess in &mut guesses.without {
                    (guess.says, guess.probability) = surest_alone(series, guess.target);
                }
            }
            if n_ruled_out > 0 {
                guesses.notes.push(message!(
                    "people whom the correlations rule out as they are shown, of whom one release is taken: \
                     {n_ruled_out}"
                ));
            }
            all.push(guesses);
        }
    }
    all
}

fn said(posteriors: &[Posterior]) -> Said {
    let each = || posteriors.iter().map(|posterior| likeliest_value(&posterior.of_value));
    Some([each().next_back()?, each().reduce(surer)?])
}

fn surer(best: (Says, f64), next: (Says, f64)) -> (Says, f64) {
    if next.1 > best.1 { next } else { best }
}

/// What the release says of a person that says it surest.
fn surest_alone(series: &Series, person: u32) -> (Says, f64) {
    let each = series.seen_in(person).map(|release| {
        let mut rows = series.rows_by_value(release, person);
        normalize(&mut rows);
        likeliest_value(&rows)
    });
    each.reduce(surer).unwrap_or((Says::Nothing, 0.0))
}
