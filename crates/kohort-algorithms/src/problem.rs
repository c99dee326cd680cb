//! What an algorithm is asked: a table, promises, a metric, and how much may be dropped.

use std::fmt;

use kohort_core::{Attribute, Dataset, Public};
use kohort_models::{CellMetric, ClassModel, DeltaPresence, KAnonymity, KMap, Promises, SizeModel};

use crate::{Points, Space};

/// A loss to keep small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// A sum over the published cells.
    Cells(CellMetric),
    /// The discernibility of the classes: Σ |E|², and n for each suppressed row.
    Discernibility,
    /// The average class size over the smallest allowed.
    AverageClassSize,
    /// The Kullback-Leibler divergence of whole rows.
    Divergence,
    /// The mean over the quasi-identifiers of the divergence of each alone.
    MeanDivergence,
}

impl Metric {
    /// The metric of cells that steers where rows are compared: class sizes alone tell no rows apart.
    pub fn cells(self) -> CellMetric {
        match self {
            Self::Cells(metric) => metric,
            Self::Discernibility
            | Self::AverageClassSize
            | Self::Divergence
            | Self::MeanDivergence => CellMetric::Ncp,
        }
    }

    /// Whether it compares distributions.
    pub(crate) fn is_divergence(self) -> bool {
        matches!(self, Self::Divergence | Self::MeanDivergence)
    }
}

/// What stands for a group in a microaggregated release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Center {
    /// The mean of numbers, the most frequent of other values.
    #[default]
    Mean,
    /// The median of numbers, the most frequent of other values.
    Median,
}

/// Which of the nodes of least height Samarati's search takes. That of the most classes is the one of least
/// average class size, which is a metric.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// The one of least loss in the metric.
    #[default]
    LeastLoss,
    /// The one of least Σ level / height over the columns.
    RelativeDistance,
    /// The one that suppresses the fewest rows.
    FewestSuppressed,
}

/// How an algorithm is to work.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub struct Settings {
    /// The loss to keep small.
    pub metric: Metric,
    /// The weight of each quasi-identifier, in the order of the dataset's.
    pub weights: Vec<f64>,
    /// How many rows may be dropped.
    pub suppression: u64,
    /// Whether suppressed rows are kept and show `*`, which may be anybody.
    pub keeps_suppressed: bool,
    /// Whether the rows that are dropped may break a promise about values as a class: then who is missing
    /// tells something.
    pub dropped_may_tell: bool,
    /// The seed of everything random that hides nothing.
    pub seed: u64,
    /// The seed of everything random that hides something.
    pub secret: Secret,
    /// Whether promises must hold against an adversary who knows the method, where the algorithm has such a
    /// mode.
    pub transparent: bool,
    /// How far the relaxed phase of two-phase clustering may grow a class.
    pub tau: f64,
    /// What stands for a group in a microaggregated release.
    pub center: Center,
    /// Which of the nodes of least height is taken.
    pub policy: Policy,
    /// The sensitive values that are declared high, where any are.
    pub high: Option<High>,
    /// Whether a search goes on until the caller says stop.
    pub until_stopped: bool,
    /// The deviation of additive noise, as a share of the standard deviation of each column.
    pub noise: f64,
    /// The probability with which randomized response keeps a value.
    pub keep: f64,
    /// How far apart two rows may be that rank swapping exchanges, as a share of the ranks.
    pub swap: f64,
}

impl Settings {
    /// The noise when nobody says otherwise.
    pub const NOISE: f64 = 0.1;
    /// The probability to keep a value when nobody says otherwise.
    pub const KEEP: f64 = 0.8;
    /// The share of the ranks to swap within when nobody says otherwise.
    pub const SWAP: f64 = 0.05;

    /// Settings that ask for nothing special, with this seed for whatever is random, also what hides
    /// something: for tests and benchmarks.
    pub fn plain(n_axes: usize, seed: u8) -> Self {
        Self {
            metric: Metric::Cells(CellMetric::Ncp),
            weights: vec![1.0; n_axes],
            suppression: 0,
            keeps_suppressed: false,
            dropped_may_tell: false,
            seed: u64::from(seed),
            secret: Secret::new([seed; 32]),
            transparent: false,
            tau: 0.0,
            center: Center::Mean,
            policy: Policy::LeastLoss,
            high: None,
            until_stopped: false,
            noise: Self::NOISE,
            keep: Self::KEEP,
            swap: Self::SWAP,
        }
    }
}

/// The seed of everything random that hides something: who has it can undo the noise. It comes from the
/// system, anew for each release, is written to no ledger, log or report, and is fixed only in tests.
#[derive(Clone)]
pub struct Secret(pub(crate) [u8; 32]);

impl Secret {
    /// The secret of these bytes.
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

// Settings are printed for debugging, and the secret with them.
impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a secret")
    }
}

/// The values of a sensitive attribute that are declared highly sensitive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct High {
    /// The index of the sensitive attribute.
    pub attribute: usize,
    /// The codes of the values, sorted.
    pub codes: Vec<u32>,
}

/// Some rows of the table of a problem.
pub(crate) struct Part {
    quasi: Vec<Attribute>,
    sensitive: Vec<Attribute>,
    n_rows: usize,
}

impl Part {
    /// These rows.
    pub(crate) fn new(problem: &Problem<'_>, rows: &[u32]) -> Self {
        let of = |attributes: &[&Attribute]| attributes.iter().map(|a| a.select(rows)).collect();
        Self { quasi: of(&problem.quasi), sensitive: of(&problem.sensitive), n_rows: rows.len() }
    }
}

/// The number of sets of so many of the columns.
pub(crate) fn n_sets(n_columns: usize, of: usize) -> u64 {
    (0..of as u64).fold(1, |n: u64, i| n.saturating_mul(n_columns as u64 - i) / (i + 1))
}

/// What the people of a public table are promised.
#[derive(Clone, Copy, Debug)]
pub struct Membership<'a> {
    /// The promise.
    pub model: DeltaPresence,
    /// The people, in terms of the dataset.
    pub public: &'a Public,
}

/// A table to anonymize.
pub struct Problem<'a> {
    quasi: Vec<&'a Attribute>,
    sensitive: Vec<&'a Attribute>,
    n_rows: usize,
    promises: Promises<'a>,
    membership: Option<Membership<'a>>,
    together: Together<'a>,
    settings: Settings,
    space: Space,
    points: Points,
    fewest_deletions: Option<usize>,
}

/// What is promised of all classes together, or of the people behind each class.
#[derive(Clone, Copy, Default)]
pub struct Together<'a> {
    /// Models about the sizes of all classes.
    pub sizes: &'a [Box<dyn SizeModel>],
    /// k-map over a population.
    pub population: Option<(KMap, &'a Public)>,
}

impl<'a> Problem<'a> {
    /// Prepares a dataset: costs of boxes, and distinct rows.
    pub fn new(dataset: &'a Dataset, promises: Promises<'a>, settings: Settings) -> Self {
        Self::of((dataset.quasi(), dataset.sensitive()), dataset.n_rows(), promises, settings)
    }

    /// The same of rows that are no table: their quasi-identifiers and sensitive attributes.
    pub fn of(
        (quasi, sensitive): (Vec<&'a Attribute>, Vec<&'a Attribute>),
        n_rows: usize,
        promises: Promises<'a>,
        settings: Settings,
    ) -> Self {
        let space = Space::new(&quasi, settings.metric.cells(), &settings.weights);
        let points = Points::new(n_rows, &quasi, &sensitive);
        Self {
            quasi,
            sensitive,
            n_rows,
            promises,
            membership: None,
            together: Together::default(),
            fewest_deletions: None,
            settings,
            space,
            points,
        }
    }

    /// The same where boxes cost what they do in this space: that of the table of which these are some rows.
    #[must_use]
    pub fn in_space(self, space: Space) -> Self {
        Self { space, ..self }
    }

    /// The same with a promise to the people of a public table.
    #[must_use]
    pub fn with_membership(self, membership: Option<Membership<'a>>) -> Self {
        Self { membership, ..self }
    }

    /// The same with promises about all classes together.
    #[must_use]
    pub fn with_together(self, together: Together<'a>) -> Self {
        Self { together, ..self }
    }

    /// What is promised of the sizes of all classes.
    pub(crate) fn sizes(&self) -> &[Box<dyn SizeModel>] {
        self.together.sizes
    }

    /// What is promised of the people of a population, and these.
    pub(crate) fn population(&self) -> Option<(KMap, &'a Public)> {
        self.together.population
    }

    /// The same problem about some of the rows, of which fewer may be dropped. The costs are those of
    /// the whole table.
    pub(crate) fn among<'b>(&'b self, part: &'b Part, suppression: u64) -> Problem<'b> {
        let quasi: Vec<&Attribute> = part.quasi.iter().collect();
        let sensitive: Vec<&Attribute> = part.sensitive.iter().collect();
        Problem {
            n_rows: part.n_rows,
            promises: self.promises.among(&sensitive),
            membership: self.membership,
            together: self.together,
            fewest_deletions: self.fewest_deletions,
            settings: Settings { suppression, ..self.settings.clone() },
            space: self.space.clone(),
            points: Points::new(part.n_rows, &quasi, &sensitive),
            quasi,
            sensitive,
        }
    }

    /// Some of the rows without sensitive attributes, with class sizes as the only promise.
    pub(crate) fn blind<'b>(&'b self, part: &'b Part, promise: KAnonymity) -> Problem<'b> {
        let quasi: Vec<&Attribute> = part.quasi.iter().collect();
        Problem {
            n_rows: part.n_rows,
            sensitive: Vec::new(),
            promises: Promises::new(vec![Box::new(promise)], &[]),
            membership: None,
            together: Together::default(),
            fewest_deletions: None,
            settings: Settings { suppression: 0, high: None, ..self.settings.clone() },
            space: self.space.clone(),
            points: Points::new(part.n_rows, &quasi, &[]),
            quasi,
        }
    }

    /// The same table with other promises.
    pub(crate) fn with_promises<'p>(&'p self, promises: Promises<'p>) -> Problem<'p> {
        Problem {
            quasi: self.quasi.clone(),
            sensitive: self.sensitive.clone(),
            n_rows: self.n_rows,
            promises,
            membership: self.membership,
            together: self.together,
            fewest_deletions: self.fewest_deletions,
            settings: self.settings.clone(),
            space: self.space.clone(),
            points: self.points.clone(),
        }
    }

    /// The same problem for a search that does not go on until the caller says stop.
    pub(crate) fn of_usual_length(self) -> Self {
        Self { settings: Settings { until_stopped: false, ..self.settings }, ..self }
    }

    /// The same problem, and at least this many sensitive values must be deleted to delete every row of
    /// a class.
    pub(crate) fn with_fewest_deletions(self, fewest: usize) -> Self {
        Self { fewest_deletions: Some(fewest), ..self }
    }

    /// How many sensitive values must at least be deleted to delete every row of a class. The counts of
    /// a class do not tell: it is no model.
    pub(crate) fn fewest_deletions(&self) -> Option<usize> {
        self.fewest_deletions
    }

    /// The quasi-identifiers.
    pub fn quasi(&self) -> &[&'a Attribute] {
        &self.quasi
    }

    /// The sensitive attributes.
    pub fn sensitive(&self) -> &[&'a Attribute] {
        &self.sensitive
    }

    /// The number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// What every class must keep.
    pub fn promises(&self) -> &Promises<'a> {
        &self.promises
    }

    /// How many sets of columns the promises are about to who knows fewer columns than there are; of these
    /// `Promises::holds` asks for more.
    pub(crate) fn n_sets(&self) -> u64 {
        let models = self.promises.models().iter().filter(|model| self.is_for_few(&***model));
        let models = models.filter_map(|model| model.over_subsets());
        models.map(|lkc| n_sets(self.quasi.len(), lkc.l())).fold(0, u64::saturating_add)
    }

    /// Whether a model is about who knows fewer columns than there are.
    pub(crate) fn is_for_few(&self, model: &dyn ClassModel) -> bool {
        model.over_subsets().is_some_and(|lkc| lkc.l() < self.quasi.len())
    }

    /// What the people of a public table are promised, if anything.
    pub fn membership(&self) -> Option<&Membership<'a>> {
        self.membership.as_ref()
    }

    /// How to work.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The smallest class that can keep the promises, as a number of rows.
    pub fn smallest(&self) -> usize {
        usize::try_from(self.promises.smallest()).unwrap_or(usize::MAX)
    }

    /// Boxes and their costs.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The distinct rows.
    pub fn points(&self) -> &Points {
        &self.points
    }
}
