//! The goal of a plan: what a release must promise.

use kohort_core::Ratio;
use kohort_models::Distance;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::parameters::{
    AlphaK, Disclosure, EpsilonM, HighAndLow, KMapPlan, Ke, Likeness, Lkc, PSensitiveK,
    Personalized, PopulationUniquenessPlan, Presence,
};
use crate::Error;

/// What a release must promise.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Goal {
    /// The smallest class allowed.
    #[serde(
        default,
        deserialize_with = "super::numbers::k",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(range(min = 2))]
    pub k_anonymity: Option<u64>,
    /// At least l different values in every class.
    #[serde(
        default,
        deserialize_with = "super::numbers::distinct",
        skip_serializing_if = "Option::is_none"
    )]
    pub distinct_l_diversity: Option<OneOrMore<Diversity>>,
    /// No value in more than 1/l of a class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frequency_l_diversity: Option<OneOrMore<Diversity>>,
    /// Values as uncertain as l equally likely ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entropy_l_diversity: Option<OneOrMore<Diversity>>,
    /// The most frequent value occurs less than c times as often as the l-th and all rarer ones together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recursive_cl_diversity: Option<OneOrMore<Recursive>>,
    /// Chosen values in at most a share alpha of every class of k rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alpha_k_anonymity: Option<OneOrMore<AlphaK>>,
    /// Classes of k rows with p values of every sensitive attribute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p_sensitive_k_anonymity: Option<PSensitiveK>,
    /// No value of any sensitive attribute in more than 1/l of a class.
    #[serde(
        default,
        deserialize_with = "super::numbers::l_pdiversity",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(range(min = 2))]
    pub l_pdiversity: Option<u64>,
    /// No value of any sensitive attribute is guessed with probability above 1/(l − i) after ruling out i
    /// values.
    #[serde(
        default,
        deserialize_with = "super::numbers::l_mdiversity",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(range(min = 2))]
    pub l_mdiversity: Option<u64>,
    /// At least k rows, and no chosen value with probability above c, for an adversary who knows at most l
    /// columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lkc_privacy: Option<OneOrMore<Lkc>>,
    /// Highly sensitive values in at most a share alpha of every class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sensitivity_classes: Option<OneOrMore<HighAndLow>>,
    /// Values under a person's guarding node in at most a share p of the class.
    #[serde(
        default,
        deserialize_with = "super::numbers::personalized",
        skip_serializing_if = "Option::is_none"
    )]
    pub personalized_privacy: Option<OneOrMore<Personalized>>,
    /// At least k different numbers in every class, over a range of at least e.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ke_anonymity: Option<OneOrMore<Ke>>,
    /// At most one in m of the numbers of a class within epsilon of one of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epsilon_m_anonymity: Option<OneOrMore<EpsilonM>>,
    /// Every class distributed like the whole table, up to a distance of t.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub t_closeness: Option<OneOrMore<Closeness>>,
    /// No value more likely in a class than in the table by a factor above 1 + beta.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basic_beta_likeness: Option<OneOrMore<Likeness>>,
    /// The same, and no value certain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enhanced_beta_likeness: Option<OneOrMore<Likeness>>,
    /// No probability changed by a factor of 2^delta or more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta_disclosure_privacy: Option<OneOrMore<Disclosure>>,
    /// Membership in the table uncertain for everybody in a public table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta_presence: Option<Presence>,
    /// Every released row like at least k people of a population.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub k_map: Option<KMapPlan>,
    /// The largest share of people who may be linked with the right row.
    #[serde(
        default,
        deserialize_with = "super::numbers::average_risk",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub average_risk: Option<f64>,
    /// The largest share of rows that may be alone in their class.
    #[serde(
        default,
        deserialize_with = "super::numbers::sample_uniqueness",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(range(min = 0, max = 1))]
    pub sample_uniqueness: Option<f64>,
    /// The largest estimated share of the population that may be alone in its class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub population_uniqueness: Option<PopulationUniquenessPlan>,
    /// The largest share of rows that may be dropped.
    #[serde(
        default,
        deserialize_with = "super::numbers::suppression",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(range(min = 0, max = 1))]
    pub suppression: Option<f64>,
}

impl Goal {
    /// Takes over what another goal asks for; what it leaves open stays.
    pub fn take_from(&mut self, other: Self) {
        macro_rules! take {
            ($($field:ident),+ $(,)?) => { $(self.$field = other.$field.or(self.$field.take());)+ };
        }
        take!(
            k_anonymity,
            distinct_l_diversity,
            frequency_l_diversity,
            entropy_l_diversity,
            recursive_cl_diversity,
            t_closeness,
            alpha_k_anonymity,
            p_sensitive_k_anonymity,
            l_pdiversity,
            l_mdiversity,
            lkc_privacy,
            sensitivity_classes,
            personalized_privacy,
            ke_anonymity,
            epsilon_m_anonymity,
            basic_beta_likeness,
            enhanced_beta_likeness,
            delta_disclosure_privacy,
            delta_presence,
            k_map,
            average_risk,
            sample_uniqueness,
            population_uniqueness,
            suppression,
        );
    }
}

/// One item, or a list of them.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum OneOrMore<T> {
    /// One item.
    One(T),
    /// Several, all of which must hold.
    More(Vec<T>),
}

impl<T> OneOrMore<T> {
    /// The items.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        match self {
            Self::One(item) => std::slice::from_ref(item).iter(),
            Self::More(items) => items.iter(),
        }
    }
}

/// An l, for one sensitive attribute or for every one.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
pub enum Diversity {
    /// For every sensitive attribute.
    Every(
        #[serde(serialize_with = "super::numbers::write")]
        #[schemars(extend("exclusiveMinimum" = 1))]
        f64,
    ),
    /// For one.
    One {
        /// The level.
        #[serde(serialize_with = "super::numbers::write")]
        #[schemars(extend("exclusiveMinimum" = 1))]
        l: f64,
        /// The sensitive attribute; all by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        attribute: Option<String>,
    },
}

impl Diversity {
    /// The level and the attribute, if it is for one.
    pub fn parts(&self) -> (f64, Option<&str>) {
        match self {
            Self::Every(l) => (*l, None),
            Self::One { l, attribute } => (*l, attribute.as_deref()),
        }
    }
}

/// A (c,l) for one sensitive attribute or for every one.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table with `c` and `l`")]
pub struct Recursive {
    /// How much the most frequent value may dominate the rest.
    #[serde(deserialize_with = "super::numbers::c", serialize_with = "super::numbers::write")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub c: f64,
    /// The rank of the value from which the rest is counted.
    #[serde(deserialize_with = "super::numbers::whole_l")]
    #[schemars(range(min = 2))]
    pub l: u64,
    /// The sensitive attribute; all by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attribute: Option<String>,
}

/// A t for one sensitive attribute or for every one.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table with `t`")]
pub struct Closeness {
    /// The largest distance allowed.
    #[serde(deserialize_with = "super::numbers::t", serialize_with = "super::numbers::write")]
    #[schemars(range(min = 0, max = 1))]
    pub t: f64,
    /// How far apart two values are.
    #[serde(default)]
    pub distance: DistanceName,
    /// The sensitive attribute; all by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attribute: Option<String>,
}

/// How far apart two sensitive values are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DistanceName {
    /// Any two values are 1 apart.
    #[default]
    Equal,
    /// By difference of rank.
    Ordered,
    /// By the lowest common ancestor in the taxonomy.
    Hierarchical,
}

impl From<DistanceName> for Distance {
    fn from(name: DistanceName) -> Self {
        match name {
            DistanceName::Equal => Self::Equal,
            DistanceName::Ordered => Self::Ordered,
            DistanceName::Hierarchical => Self::Hierarchical,
        }
    }
}

/// A plan's number, exactly as it was written.
pub(crate) fn exact(name: &'static str, number: f64) -> Result<Ratio, Error> {
    let text = format!("{number}");
    if let Some(fraction) = fraction(number).filter(|_| text.len() > 15) {
        return Ok(fraction);
    }
    text.parse().map_err(|_| {
        let expected = "a number of at least 0 and at most 18 digits";
        kohort_core::Error::new(kohort_core::Kind::Parameter { name, found: text, expected }).into()
    })
}

/// The simple fraction that a number is the nearest to, such as 1/9, which has no decimals of its own.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rounded and checked")]
#[expect(clippy::float_cmp, reason = "the same number, bit by bit")]
fn fraction(number: f64) -> Option<Ratio> {
    let over = |den: u32| Ratio::new((number * f64::from(den)).round() as u64, u64::from(den));
    (2..1000).map(over).find(|fraction| fraction.value() == number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_survive_their_decimals() {
        for (num, den) in [(1, 9), (4, 3), (2, 7), (100, 3), (1, 997), (1, 8), (1, 50)] {
            let fraction = Ratio::new(num, den);
            assert_eq!(exact("l", fraction.value()).unwrap(), fraction);
        }
        assert_eq!(exact("l", 0.333_333).unwrap(), Ratio::new(333_333, 1_000_000));
        assert_eq!(
            exact("l", 0.1 + 0.2).unwrap(),
            Ratio::new(30_000_000_000_000_004, 10_u64.pow(17))
        );
    }
}
