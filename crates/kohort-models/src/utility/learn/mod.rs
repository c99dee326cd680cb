//! Classification: how well a column can be predicted by who learns from a release.
//!
//! # Formula
//! Rows are dealt into folds; for each fold a learner is trained on the other rows as the release shows
//! them and tested on the fold's rows of the original. The value is the accuracy over all folds. Parts:
//! balanced accuracy, macro-F1 and log loss; `original`, the accuracy of the same learner trained on the
//! original; `floor`, that of always predicting the most frequent class; `normalized`, U' =
//! (accuracy − floor) / (original − floor) within 0 to 1, where the original beats the floor; `shown`, the
//! accuracy on the rows of folds that a release shows, as it shows them (the figure of Tandon and Jain 2010), where
//! there are some.
//!
//! # Range
//! 0 to 1; higher is better.
//!
//! # Reads as
//! How often a model trained on the release is right about people it has not seen.
//!
//! # Undefined when
//! There is nothing to predict: no column is named and none is sensitive, the column is a quasi-identifier
//! (its values are generalized: at the root everybody is right), it has one value or more than 64; there
//! are fewer rows than folds; no row is published, or quasi-identifiers are published as they are. U' is
//! undefined when the original does not beat the floor.
//!
//! # References
//! LeFevre, DeWitt and Ramakrishnan, KDD 2006; Iyengar, KDD 2002; Tandon and Jain 2010, §4.5.

mod cart;
mod encode;
mod logistic;
mod naive_bayes;
mod sample;
mod scores;
mod stump;
#[cfg(test)]
mod tests;

pub(super) use encode::Encoder;
pub(super) use logistic::fit as fit_logistic;
pub(super) use sample::Sample;

use sample::{Target, smoothed};
use scores::Tally;

use super::view::real;
use super::{Measure, Options, View};
use crate::Draw;
use crate::{Better, Score, Undefined};

/// What is to be predicted, and how well it is checked.
#[derive(Clone, Debug)]
pub struct Learning {
    /// The column to predict, which is no quasi-identifier; the first sensitive one if none is named.
    pub target: Option<String>,
    /// The number of folds.
    pub n_folds: usize,
    /// The depth of the tree.
    pub depth: u32,
    /// The ridge of the logistic regression.
    pub ridge: f64,
    /// Rows that are looked at: a random choice of as many where there are more.
    pub max_rows: usize,
    /// The learner of the normalized accuracy.
    pub learner: Learner,
}

impl Default for Learning {
    fn default() -> Self {
        Self {
            target: None,
            n_folds: 5,
            depth: 6,
            ridge: 1.0,
            max_rows: 50_000,
            learner: Learner::NaiveBayes,
        }
    }
}

/// A way to learn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Learner {
    /// Always the most frequent class.
    Majority,
    /// One question about one column.
    Stump,
    /// A tree of questions.
    Cart,
    /// Classes by the counts of single values.
    NaiveBayes,
    /// A weighted sum of features.
    Logistic,
}

/// One round: rows to learn from, as a release of them shows them, and rows to be tested on.
#[derive(Clone, Debug)]
pub struct Fold<'a> {
    /// A release over the original: best one that was made from the training rows alone.
    pub view: View<'a>,
    /// The release that shows the rows to be tested on, where it does.
    pub shown: View<'a>,
    /// The rows to learn from.
    pub train: Vec<u32>,
    /// The rows to be tested on.
    pub test: Vec<u32>,
}

const fn measure_of(
    id: &'static str,
    title: &'static str,
    paper: &'static str,
    measure: fn(&View<'_>, &Options) -> Result<Score, Undefined>,
) -> Measure {
    let reads_as = "how often a model trained on the release is right about people it has not seen";
    Measure { id, title, paper, reads_as, better: Better::Higher, measure }
}

pub(super) const MAJORITY: Measure =
    measure_of("accuracy-majority", "accuracy of the most frequent class", "baseline", |v, o| {
        of_release(v, o, Learner::Majority)
    });
pub(super) const STUMP: Measure =
    measure_of("accuracy-stump", "accuracy of a decision stump", "Iba and Langley 1992", |v, o| {
        of_release(v, o, Learner::Stump)
    });
pub(super) const CART: Measure =
    measure_of("accuracy-cart", "accuracy of a decision tree", "Breiman et al. 1984", |v, o| {
        of_release(v, o, Learner::Cart)
    });
pub(super) const NAIVE_BAYES: Measure =
    measure_of("accuracy-naive-bayes", "accuracy of naive Bayes", "Zhang et al. 2006", |v, o| {
        of_release(v, o, Learner::NaiveBayes)
    });
pub(super) const LOGISTIC: Measure =
    measure_of("accuracy-logistic", "accuracy of logistic regression", "Böhning 1992", |v, o| {
        of_release(v, o, Learner::Logistic)
    });
pub(super) const NORMALIZED: Measure = Measure {
    id: "normalized-accuracy",
    title: "accuracy between the floor and the original",
    paper: "after Tandon and Jain 2010",
    reads_as: "the share of what can be learned from the original that can be learned from the release",
    better: Better::Higher,
    measure: |view, options| {
        let score = of_release(view, options, options.learning.learner)?;
        let normalized = score.parts.iter().find(|part| part.0 == "normalized");
        let value = normalized.ok_or(Undefined("needs a learner that beats the floor"))?.1;
        Ok(Score { value, bounds: (0.0, 1.0), parts: Vec::new() })
    },
};

/// Classification on one release of all rows: its cells were made with the test rows in sight, so that
/// it flatters the release a little. [`classification`] takes a release for each fold.
fn of_release(view: &View<'_>, options: &Options, learner: Learner) -> Result<Score, Undefined> {
    let folds = folds(view.dataset.n_rows(), &options.learning, options.seed)
        .into_iter()
        .map(|(train, test)| Fold { view: *view, shown: *view, train, test });
    classification(&folds.collect::<Vec<_>>(), &options.learning, learner)
}

/// Deals rows into folds: for each, the rows to learn from and the rows to be tested on. None if there
/// are fewer rows than folds.
pub fn folds(n_rows: usize, learning: &Learning, seed: u64) -> Vec<(Vec<u32>, Vec<u32>)> {
    let n_used = n_rows.min(learning.max_rows);
    if learning.n_folds < 2 || n_used < learning.n_folds {
        return Vec::new();
    }
    let mut rows: Vec<u32> = (0..).take(n_rows).collect();
    Draw::new(seed).shuffle_first(&mut rows, n_used);
    let deal = |fold: usize| {
        let of_fold = |is_test: bool| {
            let dealt = rows[..n_used].iter().enumerate();
            let wanted = dealt.filter(|(at, _)| (at % learning.n_folds == fold) == is_test);
            let mut rows: Vec<u32> = wanted.map(|(_, &row)| row).collect();
            rows.sort_unstable();
            rows
        };
        (of_fold(false), of_fold(true))
    };
    (0..learning.n_folds).map(deal).collect()
}

/// How well a learner does over folds.
pub fn classification(
    folds: &[Fold<'_>],
    learning: &Learning,
    learner: Learner,
) -> Result<Score, Undefined> {
    let first = folds.first().ok_or(Undefined("needs more rows than folds"))?;
    let target = target(&first.view, learning)?;
    let encoder = Encoder::new(&first.view.dataset.quasi());
    let [mut released, mut original, mut floor, mut shown] =
        [(); 4].map(|()| Tally::new(target.n_classes));
    let mut of_folds = Vec::new();
    for fold in folds {
        let mut of_fold = Tally::new(target.n_classes);
        let (bounds, of_shown) = (fold.view.bounds()?, fold.shown.bounds().unwrap_or_default());
        let of_original = Sample::of_original(&fold.view, &fold.train, &target);
        let of_release = Sample::of_release(&fold.view, &bounds, &fold.train, &target);
        let trained = train(learner, &encoder, &of_release, learning);
        let reference = train(learner, &encoder, &of_original, learning);
        let majority = train(Learner::Majority, &encoder, &of_original, learning);
        let tests = Sample::of_original(&fold.view, &fold.test, &target);
        for (entry, &row) in fold.test.iter().enumerate() {
            let (class, truth) = (target.class_of_row[row as usize], tests.bounds(entry));
            let predicted = trained.predict(truth);
            released.add(class, &predicted);
            of_fold.add(class, &predicted);
            original.add(class, &reference.predict(truth));
            floor.add(class, &majority.predict(truth));
            if let Some(group) = fold.shown.group(row as usize).filter(|_| !of_shown.is_empty()) {
                let cells: Vec<(u32, u32)> = of_shown.iter().map(|axis| axis[group]).collect();
                shown.add(class, &trained.predict(&cells));
            }
        }
        of_folds.extend((!fold.test.is_empty()).then(|| of_fold.accuracy()));
    }
    let mut score = score(&released, &original, &floor, &shown);
    let lowest = of_folds.iter().copied().reduce(f64::min);
    let highest = of_folds.iter().copied().reduce(f64::max);
    let ends = [("lowest-fold", lowest), ("highest-fold", highest)];
    let ends = ends.into_iter().filter_map(|(name, end)| Some((name.to_owned(), end?)));
    score.parts.extend(ends);
    Ok(score)
}

fn score(released: &Tally, original: &Tally, floor: &Tally, shown: &Tally) -> Score {
    let (accuracy, best, least) = (released.accuracy(), original.accuracy(), floor.accuracy());
    let mut parts = vec![
        ("balanced-accuracy", released.balanced_accuracy()),
        ("macro-f1", released.macro_f1()),
        ("log-loss", released.log_loss()),
        ("original", best),
        ("floor", least),
    ];
    if best > least {
        parts.push(("normalized", ((accuracy - least) / (best - least)).clamp(0.0, 1.0)));
    }
    parts.extend((!shown.is_empty()).then(|| ("shown", shown.accuracy())));
    let parts = parts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Score { value: accuracy, bounds: (0.0, 1.0), parts }
}

/// Classes that a target has at most.
const MAX_CLASSES: usize = 64;

/// The class of each row.
fn target(view: &View<'_>, learning: &Learning) -> Result<Target, Undefined> {
    let sensitive = view.dataset.sensitive();
    let name = learning.target.as_deref().or(sensitive.first().map(|first| first.name()));
    let name = name.ok_or(Undefined("needs a column to predict that is no quasi-identifier"))?;
    if view.dataset.quasi().iter().any(|attribute| attribute.name() == name) {
        return Err(Undefined("predicts no quasi-identifier, whose values are generalized"));
    }
    let (codes, n_classes) =
        if let Some(attribute) = sensitive.iter().find(|attribute| attribute.name() == name) {
            (attribute.codes(), attribute.n_codes())
        } else {
            let column = view.dataset.table().column(name);
            let column = column.map_err(|_| Undefined("names no column of the table"))?;
            (column.codes(), column.dictionary().len())
        };
    let n_classes = n_classes as usize;
    if !(2..=MAX_CLASSES).contains(&n_classes) {
        return Err(Undefined("predicts a column of 2 to 64 values"));
    }
    Ok(Target { class_of_row: codes.iter().map(|code| code as usize).collect(), n_classes })
}

/// What a learner made of its rows.
pub(super) trait Model {
    /// The probability of each class for a row that shows this.
    fn predict(&self, row: &encode::Bounds) -> Vec<f64>;
}

fn train<'a>(
    learner: Learner,
    encoder: &'a Encoder,
    sample: &Sample,
    learning: &Learning,
) -> Box<dyn Model + 'a> {
    match learner {
        Learner::Majority => Box::new(Majority(smoothed(&sample.totals()))),
        Learner::Stump => Box::new(stump::fit(encoder, sample)),
        Learner::Cart => Box::new(cart::fit(encoder, sample, learning.depth)),
        Learner::NaiveBayes => Box::new(naive_bayes::fit(encoder, sample)),
        Learner::Logistic => Box::new(logistic::fit(encoder, sample, learning.ridge)),
    }
}

/// The share of each class, whatever a row shows.
struct Majority(Vec<f64>);

impl Model for Majority {
    fn predict(&self, _: &encode::Bounds) -> Vec<f64> {
        self.0.clone()
    }
}

/// Probabilities from their logarithms up to a constant.
fn shares(mut logs: Vec<f64>) -> Vec<f64> {
    to_shares(&mut logs);
    logs
}

/// Replaces logarithms up to a constant by the probabilities.
fn to_shares(logs: &mut [f64]) {
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for log in &mut *logs {
        *log = (*log - largest).exp();
        sum += *log;
    }
    for share in logs {
        *share /= sum;
    }
}
