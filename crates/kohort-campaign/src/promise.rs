//! The promises of a plan: how they are written, and whether a release keeps them by plain definitions.

use std::collections::BTreeMap;

use crate::files::Rows;
use crate::plain::cells::{Column, Missing};
use crate::plain::classes::Shown;
use crate::plain::fillings::{Answer, every};
use crate::plain::t_closeness::Distance;
use crate::plain::{
    Fraction, alpha_k_anonymity, beta_likeness, delta_disclosure, delta_presence,
    distinct_l_diversity, entropy_l_diversity, epsilon_m_anonymity, frequency_l_diversity,
    k_anonymity, k_map, ke_anonymity, l_mdiversity, lkc_privacy, matching, personalized_privacy,
    recursive_cl_diversity, sensitivity_classes, t_closeness,
};

/// A model with its parameters.
#[derive(Clone, Debug)]
pub(crate) enum Model {
    KAnonymity {
        k: usize,
    },
    AverageRisk {
        p: Fraction,
    },
    SampleUniqueness {
        p: Fraction,
    },
    KMap {
        k: usize,
        people: Rows,
    },
    EstimatedKMap {
        k: usize,
        fraction: Fraction,
        significance: Fraction,
    },
    PopulationUniqueness {
        p: Fraction,
        fraction: Fraction,
    },
    DistinctL {
        l: usize,
    },
    FrequencyL {
        l: Fraction,
    },
    EntropyL {
        l: Fraction,
    },
    RecursiveCl {
        c: Fraction,
        l: usize,
    },
    AlphaK {
        alpha: Fraction,
        k: usize,
        values: Option<Vec<String>>,
    },
    PSensitiveK {
        p: usize,
        k: usize,
    },
    LPdiversity {
        l: usize,
    },
    LMdiversity {
        l: usize,
    },
    Lkc {
        l: usize,
        k: usize,
        c: Fraction,
        values: Option<Vec<String>>,
    },
    SensitivityClasses {
        high: Vec<String>,
        alpha: Fraction,
        l: Option<Fraction>,
        l_low: Option<Fraction>,
    },
    Personalized {
        p: Fraction,
        guards: BTreeMap<String, String>,
    },
    Ke {
        k: usize,
        e: usize,
    },
    EpsilonM {
        epsilon: Fraction,
        m: usize,
        is_relative: bool,
    },
    TCloseness {
        t: Fraction,
        distance: Distance,
    },
    BasicBeta {
        beta: Fraction,
    },
    EnhancedBeta {
        beta: Fraction,
    },
    DeltaDisclosure {
        delta: Fraction,
    },
    DeltaPresence {
        min: Fraction,
        max: Fraction,
        people: Rows,
    },
}

impl Model {
    /// Whether it is about the sensitive values of a class, and compares it with nothing.
    pub(crate) fn is_about_values_alone(&self) -> bool {
        !matches!(
            self,
            Self::KAnonymity { .. }
                | Self::AverageRisk { .. }
                | Self::SampleUniqueness { .. }
                | Self::KMap { .. }
                | Self::EstimatedKMap { .. }
                | Self::PopulationUniqueness { .. }
                | Self::TCloseness { .. }
                | Self::BasicBeta { .. }
                | Self::EnhancedBeta { .. }
                | Self::DeltaDisclosure { .. }
                | Self::DeltaPresence { .. }
        )
    }

    /// Whether it is about all sensitive attributes, or about none.
    pub(crate) fn is_of_all(&self) -> bool {
        matches!(
            self,
            Self::KAnonymity { .. }
                | Self::AverageRisk { .. }
                | Self::SampleUniqueness { .. }
                | Self::KMap { .. }
                | Self::EstimatedKMap { .. }
                | Self::PopulationUniqueness { .. }
                | Self::PSensitiveK { .. }
                | Self::LPdiversity { .. }
                | Self::LMdiversity { .. }
        )
    }
}

/// A model for one sensitive attribute, or for all of them.
#[derive(Clone, Debug)]
pub(crate) struct Promise {
    pub(crate) model: Model,
    pub(crate) attribute: Option<String>,
}

/// Everything that promises are judged by.
pub(crate) struct Scene<'a> {
    pub(crate) columns: &'a [Column],
    pub(crate) shown: &'a Shown,
}

impl Scene<'_> {
    /// What a missing cell of an attribute says.
    fn missing(&self, attribute: &str) -> Missing {
        let column = self.columns.iter().find(|column| column.name == attribute);
        column.map_or(Missing::Ignored, |column| column.missing)
    }
}

impl Promise {
    /// Whether a release keeps the promise.
    pub(crate) fn judge(&self, scene: &Scene<'_>) -> Answer {
        let shown = scene.shown;
        match &self.model {
            Model::KAnonymity { k } => {
                let alike = crate::plain::classes::alike(&shown.quasi);
                Answer::of(alike.iter().all(|class| k_anonymity::holds(class.len(), *k)))
            }
            Model::AverageRisk { p } => {
                let n_classes = crate::plain::classes::alike(&shown.quasi).len();
                Answer::of(n_classes * p.den <= p.num * shown.quasi.len())
            }
            Model::SampleUniqueness { p } => {
                let alike = crate::plain::classes::alike(&shown.quasi);
                let n_unique = alike.iter().filter(|class| class.len() == 1).count();
                Answer::of(n_unique * p.den <= p.num * shown.quasi.len())
            }
            Model::KMap { k, people } => k_map::is_counted(scene.columns, shown, people, *k),
            Model::EstimatedKMap { k, fraction, significance } => {
                k_map::is_estimated(shown, *k, *fraction, *significance)
            }
            Model::PopulationUniqueness { p, fraction } => {
                population_uniqueness(shown, *p, *fraction)
            }
            Model::LMdiversity { l } => by_rows(scene, *l),
            Model::Lkc { l, k, c, values } => {
                let attribute = self.attribute.as_deref().unwrap_or_default();
                let missing = scene.missing(attribute);
                lkc_privacy::holds(shown, attribute, *l, *k, *c, values.as_deref(), missing)
            }
            Model::DeltaPresence { min, max, people } => {
                delta_presence::holds(scene.columns, shown, people, min.value(), max.value())
            }
            _ => {
                let about = |name: &&String| self.attribute.as_ref().is_none_or(|a| a == *name);
                let attributes = shown.sensitive.keys().filter(about);
                attributes
                    .map(|name| self.of_attribute(scene, name))
                    .fold(Answer::Holds, Answer::and)
            }
        }
    }

    /// Whether every class keeps it in one attribute, for every way to fill masked cells.
    fn of_attribute(&self, scene: &Scene<'_>, name: &str) -> Answer {
        let shown = scene.shown;
        let column = scene.columns.iter().find(|column| column.name == name);
        let column = column.expect("the attribute is a column");
        let options: Vec<&[String]> = shown.sensitive[name].iter().map(Vec::as_slice).collect();
        let original: Vec<&str> = shown.original[name].iter().map(String::as_str).collect();
        if self.compares() {
            let rows: Vec<usize> = (0..options.len()).collect();
            // The table as it is shown, and the table that it was made from.
            let holds = |table: &[&str]| {
                let of = |rows: &Vec<usize>| -> Vec<&str> {
                    rows.iter().map(|&row| table[row]).collect()
                };
                shown.classes.iter().map(of).all(|class| {
                    self.holds(column, &class, table) && self.holds(column, &class, &original)
                })
            };
            return possible(&options, &original, &rows, holds);
        }
        let of_class = |rows: &Vec<usize>| {
            possible(&options, &original, rows, |class| self.holds(column, class, &original))
        };
        shown.classes.iter().map(of_class).fold(Answer::Holds, Answer::and)
    }

    /// Whether a class is compared with the whole table.
    pub(crate) fn compares(&self) -> bool {
        matches!(
            self.model,
            Model::TCloseness { .. }
                | Model::BasicBeta { .. }
                | Model::EnhancedBeta { .. }
                | Model::DeltaDisclosure { .. }
        )
    }

    /// Whether a class of values keeps it.
    fn holds(&self, column: &Column, rows: &[&str], table: &[&str]) -> bool {
        let (class, table) = (&column.missing.read(rows), &column.missing.read(table));
        match &self.model {
            Model::AlphaK { alpha, k, values } => {
                alpha_k_anonymity::holds(rows, *alpha, *k, values.as_deref(), column.missing)
            }
            Model::PSensitiveK { p, k } => {
                let is_diverse = class.is_empty() || distinct_l_diversity::holds(class, *p);
                k_anonymity::holds(rows.len(), *k) && is_diverse
            }
            // Where nobody has a value there is nothing to promise.
            _ if class.is_empty() => true,
            Model::DistinctL { l } => distinct_l_diversity::holds(class, *l),
            Model::FrequencyL { l } => frequency_l_diversity::holds(class, *l),
            Model::EntropyL { l } => entropy_l_diversity::holds(class, *l),
            Model::RecursiveCl { c, l } => recursive_cl_diversity::holds(class, *c, *l),
            Model::LPdiversity { l } => frequency_l_diversity::holds(class, Fraction::whole(*l)),
            Model::SensitivityClasses { high, alpha, l, l_low } => {
                sensitivity_classes::holds(class, high, *alpha, *l, *l_low)
            }
            Model::Personalized { p, guards } => {
                personalized_privacy::holds(class, *p, guards, |value| column.above(value))
            }
            Model::Ke { k, e } => ke_anonymity::holds(class, *k, crate::plain::float(*e)),
            Model::EpsilonM { epsilon, m, is_relative } => {
                epsilon_m_anonymity::holds(class, epsilon.value(), *m, *is_relative)
            }
            Model::TCloseness { t, distance } => {
                t_closeness::holds(class, table, t.value(), distance)
            }
            Model::BasicBeta { beta } => beta_likeness::holds(class, table, beta.value(), false),
            Model::EnhancedBeta { beta } => beta_likeness::holds(class, table, beta.value(), true),
            Model::DeltaDisclosure { delta } => {
                delta_disclosure::holds(class, table, delta.value())
            }
            Model::KAnonymity { .. }
            | Model::AverageRisk { .. }
            | Model::SampleUniqueness { .. }
            | Model::KMap { .. }
            | Model::EstimatedKMap { .. }
            | Model::PopulationUniqueness { .. }
            | Model::LMdiversity { .. }
            | Model::Lkc { .. }
            | Model::DeltaPresence { .. } => true,
        }
    }
}

/// Whether something holds for every filling of some rows. It is broken by one that the original allows alone,
/// and open where it fails for others: the program may refuse these.
fn possible(
    options: &[&[String]],
    original: &[&str],
    rows: &[usize],
    holds: impl Fn(&[&str]) -> bool,
) -> Answer {
    let cells: Vec<&[String]> = rows.iter().map(|&row| options[row]).collect();
    let of_all = every(&cells, &holds);
    if of_all != Answer::Broken {
        return of_all;
    }
    let is_fine = |filled: &[&str]| holds(filled) || !is_possible(options, original, rows, filled);
    match every(&cells, is_fine) {
        Answer::Broken => Answer::Broken,
        Answer::Holds | Answer::Open => Answer::Open,
    }
}

/// Whether some rows can have these values when all others have one of theirs, and none occurs more often
/// than in the original.
fn is_possible(options: &[&[String]], original: &[&str], rows: &[usize], values: &[&str]) -> bool {
    let may_be = |row: usize, value: &str| match rows.iter().position(|&other| other == row) {
        Some(place) => values[place] == value,
        None => options[row].iter().any(|option| option == value),
    };
    let partners: Vec<Vec<usize>> = (0..options.len())
        .map(|row| (0..original.len()).filter(|&other| may_be(row, original[other])).collect())
        .collect();
    options.iter().all(|values| values.len() == 1)
        || matching::is_complete(&partners, original.len())
}

/// A sample of everybody is counted. Where no row is alone in its class nobody is; what else is estimated is
/// not recomputed.
fn population_uniqueness(shown: &Shown, p: Fraction, fraction: Fraction) -> Answer {
    let alike = crate::plain::classes::alike(&shown.quasi);
    let n_unique = alike.iter().filter(|class| class.len() == 1).count();
    let is_counted = fraction.num == fraction.den;
    match n_unique {
        0 => Answer::Holds,
        _ if is_counted => Answer::of(n_unique * p.den <= p.num * shown.quasi.len()),
        _ => Answer::Open,
    }
}

/// Whether classes keep l-mdiversity with their rows as they are.
fn by_rows(scene: &Scene<'_>, l: usize) -> Answer {
    let shown = scene.shown;
    let is_value = |options: &Vec<String>| options.len() == 1 && !options[0].is_empty();
    if !shown.sensitive.values().flatten().all(is_value) {
        return by_attributes(scene, l);
    }
    Answer::of(shown.classes.iter().all(|class| {
        let row = |&row: &usize| -> Vec<&str> {
            shown.sensitive.values().map(|options| options[row][0].as_str()).collect()
        };
        l_mdiversity::holds(&class.iter().map(row).collect::<Vec<_>>(), l)
    }))
}

/// The same where cells are masked or missing, by l-pdiversity of every filling.
fn by_attributes(scene: &Scene<'_>, l: usize) -> Answer {
    let shown = scene.shown;
    let of_attribute = |(name, options): (&String, &Vec<Vec<String>>)| {
        let missing = scene.missing(name);
        let of_class = |rows: &Vec<usize>| {
            let cells: Vec<&[String]> = rows.iter().map(|&row| options[row].as_slice()).collect();
            every(&cells, |class| {
                frequency_l_diversity::holds(&missing.read(class), Fraction::whole(l))
            })
        };
        shown.classes.iter().map(of_class).fold(Answer::Holds, Answer::and)
    };
    shown.sensitive.iter().map(of_attribute).fold(Answer::Holds, Answer::and)
}
