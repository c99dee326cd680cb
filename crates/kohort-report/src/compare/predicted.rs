//! How well each learner predicts the target from each release, where every learner was tried.

use super::{Comparison, Interval, Release};

/// Accuracies, one row for each algorithm and level, and then what they lie between.
pub(crate) struct Predicted {
    /// The learners, by their ids.
    pub(crate) learners: Vec<&'static str>,
    /// A name, and the accuracy of each learner with that of its worst and best fold; none where it could
    /// not learn.
    pub(crate) rows: Vec<(String, Vec<Option<Interval>>)>,
}

impl Predicted {
    /// The accuracies of a comparison, means over the seeds; nothing where one learner stood in for all.
    pub(crate) fn of(comparison: &Comparison) -> Option<Self> {
        let releases = || comparison.cells.iter().filter_map(|cell| cell.release.as_ref());
        let mut learners: Vec<&'static str> =
            releases().flat_map(|release| release.learned.keys().copied()).collect();
        learners.sort_unstable();
        learners.dedup();
        if learners.len() < 2 {
            return None;
        }
        let all_of = |learner: &&'static str, figure: &str, releases: &[&Release]| {
            let figure = |release: &&Release| release.learned.get(learner)?.get(figure).copied();
            Interval::of(releases.iter().filter_map(figure))
        };
        let accuracy = |learner: &&'static str, releases: &[&Release]| {
            let found = all_of(learner, "accuracy", releases)?;
            let low = all_of(learner, "lowest_fold", releases).map_or(found.low, |fold| fold.low);
            let high = all_of(learner, "highest_fold", releases).map_or(found.high, |f| f.high);
            Some(Interval { low, high, ..found })
        };
        let mut rows = Vec::new();
        for point in comparison.points.iter().filter(|point| point.releases > 0) {
            let cells = comparison.cells.iter().filter(|cell| cell.is_of(point));
            let of_point: Vec<&Release> = cells.filter_map(|cell| cell.release.as_ref()).collect();
            let name = format!("{}{}", point.algorithm, point.level.words());
            rows.push((name, learners.iter().map(|l| accuracy(l, &of_point)).collect()));
        }
        let all: Vec<&Release> = releases().collect();
        for (name, figure) in
            [("from the original", "original"), ("the most frequent value", "floor")]
        {
            let mean = |learner: &&'static str| {
                let mean = all_of(learner, figure, &all)?.mean;
                Some(Interval { mean, low: mean, high: mean })
            };
            rows.push((name.to_owned(), learners.iter().map(mean).collect()));
        }
        Some(Self { learners, rows })
    }

    /// An accuracy, and what its folds span where they differ.
    pub(crate) fn shown(accuracy: Option<Interval>) -> String {
        match accuracy {
            None => "–".into(),
            Some(Interval { mean, low, high }) if high - low < 5e-4 => format!("{mean:.3}"),
            Some(Interval { mean, low, high }) => format!("{mean:.3} ({low:.2}–{high:.2})"),
        }
    }

    /// What the accuracies are of.
    pub(crate) fn title(comparison: &Comparison) -> String {
        let target = comparison.target.as_deref().unwrap_or_default();
        let folds = comparison.folds.map_or(String::new(), |n| format!(", in {n} folds"));
        format!(
            "Share of correct predictions of `{target}`, learned from each release{folds} \
             (worst–best fold)"
        )
    }
}
