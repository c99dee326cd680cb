//! A job on a table: the settings that depend on it.

use kohort_algorithms::{Center, Metric, Policy, Secret, Settings};
use kohort_core::{Attribute, Dataset, Public, Setting, message};

use super::{Job, Roles};
use crate::Error;
use crate::error::refused;
use crate::plan::{CenterName, PolicyName};

/// A job and the table that a release is made of.
pub(crate) struct Task<'a> {
    /// What is to be done.
    pub(crate) job: &'a Job,
    /// The original.
    pub(crate) dataset: &'a Dataset,
    /// The public table of the goal, where it names one.
    pub(crate) public: Option<&'a Public>,
    /// How the algorithm is to work.
    pub(crate) settings: Settings,
}

impl Job {
    /// The job on a table. What hides something is drawn from the secret.
    pub(crate) fn on<'a>(
        &'a self,
        dataset: &'a Dataset,
        public: Option<&'a Public>,
        secret: [u8; 32],
    ) -> Result<Task<'a>, Error> {
        self.check_levels(dataset)?;
        let (terms, method) = (&self.terms, &self.method);
        let settings = Settings {
            metric: self.metric,
            weights: weights(&terms.roles, dataset),
            suppression: terms.suppression.floor_of(dataset.n_rows() as u64),
            keeps_suppressed: terms.suppressed_are_a_class(),
            dropped_may_tell: false,
            seed: self.seed,
            tau: method.tau.unwrap_or(0.0),
            center: match method.center {
                Some(CenterName::Median) => Center::Median,
                Some(CenterName::Mean) | None => Center::Mean,
            },
            policy: match method.policy {
                Some(PolicyName::RelativeDistance) => Policy::RelativeDistance,
                Some(PolicyName::FewestSuppressed) => Policy::FewestSuppressed,
                Some(PolicyName::LeastLoss) | None => Policy::LeastLoss,
            },
            high: terms.high(dataset),
            until_stopped: self.budget.is_some(),
            secret: Secret::new(secret),
            transparent: terms.is_transparent,
            noise: method.noise.unwrap_or(Settings::NOISE),
            keep: method.keep.unwrap_or(Settings::KEEP),
            swap: method.swap.unwrap_or(Settings::SWAP),
        };
        Ok(Task { job: self, dataset, public, settings })
    }

    /// Refuses a metric that counts levels of taxonomies where ranges are shown.
    fn check_levels(&self, dataset: &Dataset) -> Result<(), Error> {
        let counts_levels = matches!(self.metric, Metric::Cells(cells) if cells.counts_levels());
        // Where the whole domain is recoded no range is shown: a column without a taxonomy has two levels.
        let shows_ranges = counts_levels && !self.algorithm.facts().is_full_domain;
        let quasi = dataset.quasi();
        let Some(ranged) = quasi.iter().find(|a| shows_ranges && a.is_ranged()) else {
            return Ok(());
        };
        Err(refused(
            format!(
                "`{}` counts levels of taxonomies, and column `{}` is published as ranges",
                self.metric_id,
                ranged.name()
            ),
            message!(
                "give it a taxonomy and say {}, or choose {} or {}",
                Setting::Numeric.to("taxonomy"),
                Setting::Metric.to("ncp"),
                Setting::Algorithm.to("optimal")
            ),
        ))
    }
}

impl Task<'_> {
    /// Whether quasi-identifiers count differently in the loss that is kept small.
    pub(crate) fn is_weighted(&self) -> bool {
        self.settings.weights.array_windows().any(|[a, b]| a.total_cmp(b).is_ne())
    }
}

/// The weight of each quasi-identifier.
pub(crate) fn weights(roles: &Roles, dataset: &Dataset) -> Vec<f64> {
    let weight = |attribute: &&Attribute| {
        roles.get(attribute.name()).and_then(|column| column.weight).unwrap_or(1.0)
    };
    dataset.quasi().iter().map(weight).collect()
}
