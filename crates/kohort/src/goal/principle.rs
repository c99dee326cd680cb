//! A level asked for, on the command line or in a plan's goal.

use std::collections::BTreeMap;

use kohort_core::Ratio;
use kohort_models::Distance;

/// A level asked for. Where the attribute may be left out, it is asked of every sensitive one then.
#[derive(Clone, Debug, PartialEq)]
pub enum Principle {
    /// k-anonymity.
    K(u64),
    /// Distinct l-diversity.
    DistinctL(u64, Option<String>),
    /// Frequency l-diversity.
    FrequencyL(Ratio, Option<String>),
    /// Entropy l-diversity.
    EntropyL(Ratio, Option<String>),
    /// Recursive (c,l)-diversity.
    Recursive(Ratio, u64, Option<String>),
    /// (alpha,k)-anonymity.
    AlphaK {
        /// The largest share of a chosen value.
        alpha: Ratio,
        /// The smallest class.
        k: u64,
        /// The chosen values; every one when left out.
        values: Option<Vec<String>>,
        /// The sensitive attribute.
        attribute: String,
    },
    /// p-sensitive k-anonymity, of all sensitive attributes.
    PSensitiveK {
        /// The fewest values.
        p: u64,
        /// The smallest class.
        k: u64,
    },
    /// l-pdiversity, of all sensitive attributes.
    LPdiversity(u64),
    /// l-mdiversity, of all sensitive attributes.
    LMdiversity(u64),
    /// LKC-privacy.
    Lkc {
        /// How many columns the adversary knows.
        l: u64,
        /// The smallest class.
        k: u64,
        /// The largest share of a chosen value.
        c: Ratio,
        /// The chosen values; every one when left out.
        values: Option<Vec<String>>,
        /// The sensitive attribute.
        attribute: String,
    },
    /// Bounds on highly sensitive values.
    SensitivityClasses {
        /// The highly sensitive values.
        high: Vec<String>,
        /// The others, where they are named: then what is not named is high.
        low: Option<Vec<String>>,
        /// Their largest share together.
        alpha: Ratio,
        /// One over the largest share of one of them.
        l: Option<Ratio>,
        /// One over the largest share of any other value.
        l_low: Option<Ratio>,
        /// The sensitive attribute.
        attribute: String,
    },
    /// Personalized privacy.
    Personalized {
        /// The largest share of what lies under a guarding node.
        p: Ratio,
        /// The guarding nodes.
        guards: Guards,
        /// The sensitive attribute.
        attribute: String,
    },
    /// (k,e)-anonymity.
    Ke {
        /// The fewest different numbers.
        k: u64,
        /// The smallest range.
        e: Ratio,
        /// The sensitive attribute.
        attribute: String,
    },
    /// (epsilon,m)-anonymity.
    EpsilonM {
        /// How far apart numbers are that count as the same.
        epsilon: Ratio,
        /// One over the largest share of such numbers.
        m: u64,
        /// Whether epsilon is a share of the number itself.
        is_relative: bool,
        /// The sensitive attribute.
        attribute: String,
    },
    /// t-closeness.
    T(Ratio, Distance, Option<String>),
    /// Basic beta-likeness.
    BasicBeta(Ratio, Option<String>),
    /// Enhanced beta-likeness.
    EnhancedBeta(Ratio, Option<String>),
    /// delta-disclosure privacy.
    DeltaDisclosure(Ratio, Option<String>),
    /// delta-presence: about the whole release, not about one class.
    DeltaPresence {
        /// The smallest share of members.
        min: Ratio,
        /// The largest share of members.
        max: Ratio,
        /// The public table, relative to the plan file.
        public: String,
    },
    /// k-map.
    KMap {
        /// The fewest people of the population.
        k: u64,
        /// The population.
        population: Population,
    },
    /// The average re-identification risk: about the whole release.
    AverageRisk(Ratio),
    /// The share of rows that are alone: about the whole release.
    SampleUniqueness(Ratio),
    /// The estimated share of people of the population who are alone: about the whole release.
    PopulationUniqueness {
        /// The largest share.
        p: Ratio,
        /// The share of the population that is in the table.
        fraction: Ratio,
    },
}

/// The population of a k-map.
#[derive(Clone, Debug, PartialEq)]
pub enum Population {
    /// A table, relative to the plan file.
    Table(String),
    /// One that the released table is a random sample of.
    Sampled {
        /// The share of it that is in the table.
        fraction: Ratio,
        /// How likely a class of too few people may pass.
        significance: Ratio,
    },
}

/// The nodes of a taxonomy that must not be guessed.
#[derive(Clone, Debug, PartialEq)]
pub enum Guards {
    /// For each value to protect, its node.
    PerValue(BTreeMap<String, String>),
    /// The sensitive column that has the node of each row.
    PerRow(String),
}

impl Principle {
    /// Whether who asks for this asks for the other too.
    pub fn covers(&self, other: &Self) -> bool {
        let mut of_every = other.clone();
        if let Some(attribute) = of_every.attribute_or_every() {
            *attribute = None;
        }
        *self == *other || *self == of_every
    }

    /// Whether it asks that rows look alike: no release that shows quasi-identifiers as they are can
    /// promise it.
    pub fn hides_rows(&self) -> bool {
        matches!(
            self,
            Self::K(_) | Self::AlphaK { .. } | Self::PSensitiveK { .. } | Self::Lkc { .. }
        )
    }

    /// The values of its attribute that it names.
    pub(crate) fn named_values(&self) -> Vec<&str> {
        match self {
            Self::AlphaK { values: Some(values), .. } | Self::Lkc { values: Some(values), .. } => {
                values.iter().map(String::as_str).collect()
            }
            Self::SensitivityClasses { high, low, .. } => {
                high.iter().chain(low.iter().flatten()).map(String::as_str).collect()
            }
            Self::Personalized { guards: Guards::PerValue(guards), .. } => {
                guards.keys().map(String::as_str).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether it calls every value high that it does not name: also one that nobody sees.
    pub(crate) fn fears_unnamed(&self) -> bool {
        matches!(self, Self::SensitivityClasses { low: Some(_), .. })
    }

    /// Whether it is about how values are spread and bounds no share of a class: rows without a value hide
    /// nothing from it.
    pub(crate) fn needs_values_alone(&self) -> bool {
        match self {
            Self::DistinctL(..)
            | Self::EntropyL(..)
            | Self::Recursive(..)
            | Self::PSensitiveK { .. }
            | Self::Ke { .. }
            | Self::T(..)
            | Self::BasicBeta(..)
            | Self::EnhancedBeta(..)
            | Self::DeltaDisclosure(..) => true,
            Self::K(_)
            | Self::FrequencyL(..)
            | Self::AlphaK { .. }
            | Self::LPdiversity(_)
            | Self::LMdiversity(_)
            | Self::Lkc { .. }
            | Self::SensitivityClasses { .. }
            | Self::Personalized { .. }
            | Self::EpsilonM { .. }
            | Self::DeltaPresence { .. }
            | Self::KMap { .. }
            | Self::AverageRisk(_)
            | Self::SampleUniqueness(_)
            | Self::PopulationUniqueness { .. } => false,
        }
    }

    /// Whether it is about all classes of rows that look alike together, or about the population behind each
    /// of them: an anatomized release, whose rows do not look alike, cannot promise it either.
    pub fn is_of_all_classes(&self) -> bool {
        matches!(
            self,
            Self::KMap { .. }
                | Self::AverageRisk(_)
                | Self::SampleUniqueness(_)
                | Self::PopulationUniqueness { .. }
        )
    }

    /// The attribute, where it may be left out.
    fn attribute_or_every(&mut self) -> Option<&mut Option<String>> {
        match self {
            Self::DistinctL(_, attribute)
            | Self::FrequencyL(_, attribute)
            | Self::EntropyL(_, attribute)
            | Self::Recursive(_, _, attribute)
            | Self::T(_, _, attribute)
            | Self::BasicBeta(_, attribute)
            | Self::EnhancedBeta(_, attribute)
            | Self::DeltaDisclosure(_, attribute) => Some(attribute),
            _ => None,
        }
    }

    /// The model's id.
    pub fn id(&self) -> &'static str {
        match self {
            Self::K(_) => "k-anonymity",
            Self::DistinctL(..) => "distinct-l-diversity",
            Self::FrequencyL(..) => "frequency-l-diversity",
            Self::EntropyL(..) => "entropy-l-diversity",
            Self::Recursive(..) => "recursive-cl-diversity",
            Self::AlphaK { .. } => "alpha-k-anonymity",
            Self::PSensitiveK { .. } => "p-sensitive-k-anonymity",
            Self::LPdiversity(_) => "l-pdiversity",
            Self::LMdiversity(_) => "l-mdiversity",
            Self::Lkc { .. } => "lkc-privacy",
            Self::SensitivityClasses { .. } => "sensitivity-classes",
            Self::Personalized { .. } => "personalized-privacy",
            Self::Ke { .. } => "ke-anonymity",
            Self::EpsilonM { .. } => "epsilon-m-anonymity",
            Self::T(..) => "t-closeness",
            Self::BasicBeta(..) => "basic-beta-likeness",
            Self::EnhancedBeta(..) => "enhanced-beta-likeness",
            Self::DeltaDisclosure(..) => "delta-disclosure-privacy",
            Self::DeltaPresence { .. } => "delta-presence",
            Self::KMap { .. } => "k-map",
            Self::AverageRisk(_) => "average-risk",
            Self::SampleUniqueness(_) => "sample-uniqueness",
            Self::PopulationUniqueness { .. } => "population-uniqueness",
        }
    }

    /// The sensitive attribute it is asked of; none where it is asked of every one.
    pub fn attribute(&self) -> Option<&str> {
        match self {
            Self::K(_)
            | Self::PSensitiveK { .. }
            | Self::LPdiversity(_)
            | Self::LMdiversity(_)
            | Self::DeltaPresence { .. }
            | Self::KMap { .. }
            | Self::AverageRisk(_)
            | Self::SampleUniqueness(_)
            | Self::PopulationUniqueness { .. } => None,
            Self::DistinctL(_, attribute)
            | Self::FrequencyL(_, attribute)
            | Self::EntropyL(_, attribute)
            | Self::Recursive(_, _, attribute)
            | Self::T(_, _, attribute)
            | Self::BasicBeta(_, attribute)
            | Self::EnhancedBeta(_, attribute)
            | Self::DeltaDisclosure(_, attribute) => attribute.as_deref(),
            Self::AlphaK { attribute, .. }
            | Self::Lkc { attribute, .. }
            | Self::SensitivityClasses { attribute, .. }
            | Self::Personalized { attribute, .. }
            | Self::Ke { attribute, .. }
            | Self::EpsilonM { attribute, .. } => Some(attribute),
        }
    }

    /// The parameters that are numbers.
    pub fn numbers(&self) -> Vec<(&'static str, Ratio)> {
        let whole = Ratio::whole;
        match self {
            Self::K(k) | Self::KMap { k, population: Population::Table(_) } => {
                vec![("k", whole(*k))]
            }
            Self::DistinctL(l, _) | Self::LPdiversity(l) | Self::LMdiversity(l) => {
                vec![("l", whole(*l))]
            }
            Self::FrequencyL(l, _) | Self::EntropyL(l, _) => vec![("l", *l)],
            Self::Recursive(c, l, _) => vec![("c", *c), ("l", whole(*l))],
            Self::AlphaK { alpha, k, .. } => vec![("alpha", *alpha), ("k", whole(*k))],
            Self::PSensitiveK { p, k } => vec![("p", whole(*p)), ("k", whole(*k))],
            Self::Lkc { l, k, c, .. } => vec![("l", whole(*l)), ("k", whole(*k)), ("c", *c)],
            Self::SensitivityClasses { alpha, l, l_low, .. } => {
                let levels = [("l", l), ("l-low", l_low)];
                let levels = levels.into_iter().filter_map(|(name, level)| Some((name, (*level)?)));
                std::iter::once(("alpha", *alpha)).chain(levels).collect()
            }
            Self::Personalized { p, .. } | Self::AverageRisk(p) | Self::SampleUniqueness(p) => {
                vec![("p", *p)]
            }
            Self::Ke { k, e, .. } => vec![("k", whole(*k)), ("e", *e)],
            Self::EpsilonM { epsilon, m, .. } => vec![("epsilon", *epsilon), ("m", whole(*m))],
            Self::T(t, ..) => vec![("t", *t)],
            Self::BasicBeta(beta, _) | Self::EnhancedBeta(beta, _) => vec![("beta", *beta)],
            Self::DeltaDisclosure(delta, _) => vec![("delta", *delta)],
            Self::DeltaPresence { min, max, .. } => vec![("min", *min), ("max", *max)],
            Self::KMap { k, population: Population::Sampled { fraction, significance } } => vec![
                ("k", whole(*k)),
                ("sampling-fraction", *fraction),
                ("significance", *significance),
            ],
            Self::PopulationUniqueness { p, fraction } => {
                vec![("p", *p), ("sampling-fraction", *fraction)]
            }
        }
    }

    /// The same with another number for one of those parameters. Parameters that are counts take the
    /// whole part.
    pub(super) fn with_number(&self, name: &str, value: Ratio) -> Self {
        let mut changed = self.clone();
        let whole = value.floor_of(1);
        match (&mut changed, name) {
            (
                Self::K(k)
                | Self::AlphaK { k, .. }
                | Self::PSensitiveK { k, .. }
                | Self::Lkc { k, .. }
                | Self::Ke { k, .. }
                | Self::KMap { k, .. },
                "k",
            ) => *k = whole,
            (
                Self::DistinctL(l, _)
                | Self::LPdiversity(l)
                | Self::LMdiversity(l)
                | Self::Recursive(_, l, _)
                | Self::Lkc { l, .. },
                "l",
            ) => *l = whole,
            (Self::PSensitiveK { p, .. }, "p") => *p = whole,
            (Self::FrequencyL(l, _) | Self::EntropyL(l, _), "l") => *l = value,
            (Self::SensitivityClasses { l, .. }, "l") => *l = Some(value),
            (Self::SensitivityClasses { l_low, .. }, "l-low") => *l_low = Some(value),
            (Self::AlphaK { alpha, .. } | Self::SensitivityClasses { alpha, .. }, "alpha") => {
                *alpha = value;
            }
            (Self::Recursive(c, _, _) | Self::Lkc { c, .. }, "c") => *c = value,
            (
                Self::Personalized { p, .. }
                | Self::AverageRisk(p)
                | Self::SampleUniqueness(p)
                | Self::PopulationUniqueness { p, .. },
                "p",
            ) => *p = value,
            (Self::Ke { e, .. }, "e") => *e = value,
            (Self::EpsilonM { epsilon, .. }, "epsilon") => *epsilon = value,
            (Self::EpsilonM { m, .. }, "m") => *m = whole,
            (Self::T(t, ..), "t") => *t = value,
            (Self::BasicBeta(beta, _) | Self::EnhancedBeta(beta, _), "beta") => *beta = value,
            (Self::DeltaDisclosure(delta, _), "delta") => *delta = value,
            (Self::DeltaPresence { min, .. }, "min") => *min = value,
            (Self::DeltaPresence { max, .. }, "max") => *max = value,
            _ => unreachable!("`{}` has no number `{name}`", self.id()),
        }
        changed
    }

    /// The parameters in words. Chosen values are counted, not named: they may be cells.
    pub fn parameters(&self) -> String {
        match self {
            Self::K(k) => format!("k = {k}"),
            Self::DistinctL(l, _) | Self::LPdiversity(l) | Self::LMdiversity(l) => {
                format!("l = {l}")
            }
            Self::FrequencyL(l, _) | Self::EntropyL(l, _) => format!("l = {}", l.value()),
            Self::Recursive(c, l, _) => format!("c = {}, l = {l}", c.value()),
            Self::AlphaK { alpha, k, values, .. } => {
                format!("alpha = {}, k = {k}, {}", alpha.value(), chosen(values.as_deref()))
            }
            Self::PSensitiveK { p, k } => format!("p = {p}, k = {k}"),
            Self::Lkc { l, k, c, values, .. } => {
                format!("l = {l}, k = {k}, c = {}, {}", c.value(), chosen(values.as_deref()))
            }
            Self::SensitivityClasses { high, alpha, l, l_low, .. } => {
                let level = |name, level: &Option<Ratio>| {
                    level.map_or(String::new(), |level| format!(", {name} = {}", level.value()))
                };
                let (l, l_low) = (level("l", l), level("l-low", l_low));
                format!("alpha = {}{l}{l_low}, {} high", alpha.value(), counted(high.len()))
            }
            Self::Personalized { p, guards, .. } => {
                let guards = match guards {
                    Guards::PerValue(guards) => format!("{} guarded", counted(guards.len())),
                    Guards::PerRow(column) => format!("guards in {column}"),
                };
                format!("p = {}, {guards}", p.value())
            }
            Self::Ke { k, e, .. } => format!("k = {k}, e = {}", e.value()),
            Self::EpsilonM { epsilon, m, is_relative, .. } => {
                let relative = if *is_relative { " of the number" } else { "" };
                format!("epsilon = {}{relative}, m = {m}", epsilon.value())
            }
            Self::T(t, distance, _) => format!("t = {}, distance {}", t.value(), distance.id()),
            Self::BasicBeta(beta, _) | Self::EnhancedBeta(beta, _) => {
                format!("beta = {}", beta.value())
            }
            Self::DeltaDisclosure(delta, _) => format!("delta = {}", delta.value()),
            Self::DeltaPresence { min, max, public } => {
                format!("min = {}, max = {}, public {public}", min.value(), max.value())
            }
            Self::KMap { k, population: Population::Table(public) } => {
                format!("k = {k}, public {public}")
            }
            Self::KMap { k, population: Population::Sampled { fraction, significance } } => {
                format!(
                    "k = {k}, sampling fraction {}, significance {}",
                    fraction.value(),
                    significance.value()
                )
            }
            Self::AverageRisk(p) | Self::SampleUniqueness(p) => format!("p = {}", p.value()),
            Self::PopulationUniqueness { p, fraction } => {
                format!("p = {}, sampling fraction {}", p.value(), fraction.value())
            }
        }
    }
}

fn chosen(values: Option<&[String]>) -> String {
    values.map_or("every value".into(), |values| counted(values.len()))
}

fn counted(n: usize) -> String {
    if n == 1 { "1 value".into() } else { format!("{n} values") }
}
