//! What a release of the grid is like: loss, risk and utility.

use std::collections::BTreeMap;

use kohort_algorithms::Form;
use kohort_core::{Told, group};
use kohort_models::utility::learn::{Fold, Learner, Learning, classification, folds};
use kohort_models::utility::queries::Workload;
use kohort_models::utility::{MEASURES, Options, View};
use kohort_models::{Score, Undefined};
use kohort_verify::{ClassSizes, Disclosure, prosecutor};

use super::folds::{Trained, Training};
use super::{Guess, Release, Run, UTILITIES};
use crate::Stop;
use crate::diagnose::DisclosureAnswer;
use crate::job::Task;
use crate::release::{Judgement, Made, class_sizes, loss_in_unit, n_suppressed};

/// The measures of what a release keeps of the distributions, by their ids.
const PRESERVED: [&str; 4] =
    ["pmse", "correlation-difference", "total-variation", "jensen-shannon"];

/// The quickest good one first.
pub(super) const LEARNERS: [(&str, Learner); 4] = [
    ("naive-bayes", Learner::NaiveBayes),
    ("stump", Learner::Stump),
    ("cart", Learner::Cart),
    ("logistic", Learner::Logistic),
];

impl Run<'_> {
    /// Judges and measures a release that was made.
    pub(super) fn measured(
        &self,
        task: &Task<'_>,
        made: &Made,
        training: &[Training],
    ) -> Result<Release, Stop> {
        let rendered = made.rendered(task, Told::Nothing);
        let table = rendered.as_read()?;
        let (judgement, _) = made.judged(task, &table, &rendered.rows)?;
        let mut release = self.judged(task, made, &judgement);
        let ncp = release.metrics.get("ncp").map(|ncp| ("ncp", 1.0 - ncp));
        release.utility.extend(ncp);
        self.add_utility(&mut release, task, made, training);
        Ok(release)
    }

    /// What the judge found, and what it costs.
    fn judged(&self, task: &Task<'_>, made: &Made, judgement: &Judgement) -> Release {
        let findings = judgement.findings();
        let terms = &task.job.terms;
        let figures = made.figures(task, judgement);
        let loss = loss_in_unit(task, made, judgement, &figures);
        let (metrics, undefined) = figures;
        let guess = |found: &kohort_verify::Guessing| Guess {
            attribute: found.attribute.clone(),
            baseline: found.baseline.value(),
            mean: found.mean.value(),
            max: found.max.value(),
            mean_advantage: found.advantage(found.mean),
            max_advantage: found.advantage(found.max),
        };
        let guessing: Vec<Guess> = findings.guessing().iter().map(guess).collect();
        let mut risk: BTreeMap<&'static str, f64> = BTreeMap::new();
        // Quasi-identifiers that are published as they are find everybody's row, whatever its group.
        let is_anatomized = made.candidate.form == Form::Anatomized;
        let of_original = is_anatomized.then(|| self.sizes());
        if let Some(found) = prosecutor(of_original.as_ref().unwrap_or(findings.sizes())) {
            risk.insert("prosecutor-max", found.max.value());
            risk.insert("prosecutor-mean", found.mean.value());
        }
        let worst = |of: fn(&Guess) -> f64| guessing.iter().map(of).reduce(f64::max);
        risk.extend(worst(|guess| guess.max_advantage).map(|risk| ("attribute-max", risk)));
        risk.extend(worst(|guess| guess.mean_advantage).map(|risk| ("attribute-mean", risk)));
        Release {
            rows: findings.n_rows(),
            suppressed: n_suppressed(terms, self.dataset, findings),
            classes: class_sizes(terms, findings).n_classes(),
            smallest_class: findings.sizes().k().unwrap_or(0),
            anatomized: is_anatomized,
            verified: judgement.keeps(),
            transparent: made.transparent,
            goal: judgement.goal.clone(),
            hidden: if made.candidate.sensitive.is_empty() {
                Vec::new()
            } else {
                made.candidate.notes.clone()
            },
            max_disclosure: worst(|guess| guess.max),
            m_diversity: findings.disclosure().map(Disclosure::l),
            disclosure: findings
                .disclosure()
                .map_or_else(Vec::new, |found| DisclosureAnswer::from(found).disclosure),
            loss,
            metrics,
            undefined: undefined.into_iter().map(|(id, why)| (id, why.to_owned())).collect(),
            lower_bound: made.lower_bound(self.dataset),
            risk,
            guessing,
            utility: BTreeMap::new(),
            learned: BTreeMap::new(),
            avre: None,
            avre_median: None,
            queries: None,
            preserved: BTreeMap::new(),
            privacy_percent: None,
        }
    }

    /// The classes of the original.
    fn sizes(&self) -> ClassSizes {
        let quasi = self.dataset.quasi();
        let codes = quasi.iter().map(|attribute| (attribute.codes(), attribute.n_codes()));
        let grouping = group(self.dataset.n_rows(), codes);
        grouping.sizes().into_iter().map(u64::from).collect()
    }

    /// What can still be learned from the release.
    fn add_utility(
        &self,
        release: &mut Release,
        task: &Task<'_>,
        made: &Made,
        training: &[Training],
    ) {
        let Task { job, .. } = *task;
        let candidate = &made.candidate;
        if matches!(candidate.form, Form::Microaggregated(_) | Form::Perturbed) {
            let why = "is computed from cells that cover the original values, and these do not";
            for (id, _) in UTILITIES.iter().filter(|(id, _)| !release.utility.contains_key(id)) {
                release.undefined.insert((*id).to_owned(), why.to_owned());
            }
            return;
        }
        if !candidate.sensitive.is_empty() {
            let why = "is computed from exact sensitive values, and these are masked or shuffled";
            for (id, _) in UTILITIES.iter().filter(|(id, _)| !release.utility.contains_key(id)) {
                release.undefined.insert((*id).to_owned(), why.to_owned());
            }
            return;
        }
        let view = View {
            dataset: self.dataset,
            cells: &candidate.cells,
            group_of_row: &candidate.group_of_row,
        };
        let workload = Workload { around: self.is_several, ..Workload::default() };
        let keeps_suppressed = job.terms.keeps_blank_rows() || job.terms.keeps_values();
        let options = Options { seed: job.seed, workload, keeps_suppressed, ..Options::default() };
        match measure("avre", &view, &options) {
            Ok(score) => {
                let part = |name: &str| score.parts.iter().find(|part| part.0 == name);
                release.avre = Some(score.value);
                release.avre_median = part("median").map(|part| part.1);
                release.queries = part("queries").map(|part| part.1);
                release.utility.insert("queries", 1.0 - score.value.min(1.0));
            }
            Err(Undefined(why)) => {
                release.undefined.insert("queries".into(), why.to_owned());
            }
        }
        release.privacy_percent = measure("privacy-percent", &view, &options).ok().map(|s| s.value);
        add_preserved(release, &view, &options);
        // Learners do not read an anatomized release, and say so without folds.
        let is_read = !training.is_empty() && candidate.form == Form::Generalized;
        let trained = is_read.then(|| self.trained(job, training));
        for &(id, learner) in self.learners() {
            match self.learned(learner, &view, trained.as_ref(), job.seed) {
                Ok(score) => add_learned(release, id, score),
                Err(why) => {
                    release.undefined.insert(id.to_owned(), why.to_owned());
                }
            }
        }
    }

    /// All learners where learning is what is asked about, and else the quickest good one.
    fn learners(&self) -> &'static [(&'static str, Learner)] {
        let grid = self.grid;
        let is_learner = LEARNERS.iter().any(|(id, _)| *id == grid.utility);
        let is_asked = grid.target.is_some() || grid.folds.is_some() || is_learner;
        if is_asked { &LEARNERS } else { &LEARNERS[..1] }
    }

    /// How well a learner does: on releases of the training folds where there are some.
    fn learned(
        &self,
        learner: Learner,
        view: &View<'_>,
        trained: Option<&Option<Vec<Trained<'_>>>>,
        seed: u64,
    ) -> Result<Score, &'static str> {
        let target = self.target.ok_or("needs a column to predict")?.to_owned();
        let learning = Learning { target: Some(target), ..Learning::default() };
        let folds: Vec<Fold<'_>> = match trained {
            Some(Some(trained)) => trained.iter().map(|fold| fold.fold(*view)).collect(),
            Some(None) => {
                return Err("needs a release of every training fold, and one fold has \
                                      none");
            }
            None => (folds(self.dataset.n_rows(), &learning, seed).into_iter())
                .map(|(train, test)| Fold { view: *view, shown: *view, train, test })
                .collect(),
        };
        classification(&folds, &learning, learner).map_err(|Undefined(why)| why)
    }
}

/// A utility measure by its id.
fn measure(id: &str, view: &View<'_>, options: &Options) -> Result<Score, Undefined> {
    let found = MEASURES.iter().find(|measure| measure.id == id);
    (found.expect("the measure is in the box").measure)(view, options)
}

/// How well the distributions of columns, and of columns together, are kept.
fn add_preserved(release: &mut Release, view: &View<'_>, options: &Options) {
    for id in PRESERVED {
        let key = id.replace('-', "_");
        match measure(id, view, options) {
            Ok(Score { value, bounds, parts }) => {
                match id {
                    "pmse" => release.utility.insert("pmse", 1.0 - value / bounds.1),
                    "correlation-difference" => {
                        release.utility.insert("correlations", 1.0 - value.min(1.0))
                    }
                    _ => None,
                };
                let parts = parts.into_iter();
                release
                    .preserved
                    .extend(parts.map(|(part, value)| (format!("{key}.{part}"), value)));
                release.preserved.insert(key, value);
            }
            Err(Undefined(why)) => {
                release.undefined.insert(key, why.to_owned());
            }
        }
    }
}

fn add_learned(release: &mut Release, id: &'static str, score: Score) {
    let mut figures: BTreeMap<String, f64> =
        score.parts.into_iter().map(|(name, value)| (name.replace('-', "_"), value)).collect();
    figures.insert("accuracy".into(), score.value);
    if let Some(&normalized) = figures.get("normalized") {
        release.utility.insert(id, normalized);
    } else {
        let why = "needs a learner that beats the most frequent value on the original";
        release.undefined.insert(id.to_owned(), why.to_owned());
    }
    release.learned.insert(id, figures);
}
