//! The principles that a goal can ask for: a file each, and a line in the registry.

mod alpha_k_anonymity;
mod average_risk;
mod basic_beta_likeness;
mod delta_disclosure_privacy;
mod delta_presence;
mod distinct_l_diversity;
mod enhanced_beta_likeness;
mod entropy_l_diversity;
mod epsilon_m_anonymity;
mod frequency_l_diversity;
mod k_anonymity;
mod k_map;
mod ke_anonymity;
mod l_mdiversity;
mod l_pdiversity;
mod lkc_privacy;
mod p_sensitive_k_anonymity;
mod personalized_privacy;
mod population_uniqueness;
mod recursive_cl_diversity;
mod sample_uniqueness;
mod sensitivity_classes;
mod t_closeness;

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use kohort_core::{Attribute, Ratio};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeSeed, MapAccess, Visitor};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use alpha_k_anonymity::AlphaKAnonymity;
pub use average_risk::AverageRisk;
pub use basic_beta_likeness::{BasicBetaLikeness, Likeness};
pub use delta_disclosure_privacy::DeltaDisclosurePrivacy;
pub use delta_presence::DeltaPresence;
pub use distinct_l_diversity::DistinctLDiversity;
pub use enhanced_beta_likeness::EnhancedBetaLikeness;
pub use entropy_l_diversity::EntropyLDiversity;
pub use epsilon_m_anonymity::EpsilonMAnonymity;
pub use frequency_l_diversity::FrequencyLDiversity;
pub use k_anonymity::KAnonymity;
pub use k_map::KMap;
pub use ke_anonymity::KeAnonymity;
pub use l_mdiversity::LMdiversity;
pub use l_pdiversity::LPdiversity;
pub use lkc_privacy::LkcPrivacy;
pub use p_sensitive_k_anonymity::PSensitiveKAnonymity;
pub use personalized_privacy::PersonalizedPrivacy;
pub(crate) use personalized_privacy::nearest_guarded;
pub use population_uniqueness::PopulationUniqueness;
pub use recursive_cl_diversity::RecursiveClDiversity;
pub use sample_uniqueness::SampleUniqueness;
pub use sensitivity_classes::SensitivityClasses;
pub use t_closeness::{DistanceName, TCloseness};

use super::declared::{Declaration, InPlan, Meaning};
use super::numbers::{Range, within};
use super::statement::{Dialect, Sql};
use crate::Error;

/// Makes of the registry whatever names every principle.
macro_rules! registry {
    ($($field:ident: $Name:ident),+ $(,)?) => {
        /// The principles, in the order they are listed.
        pub const PRINCIPLES: &[Declaration] = &[$($Name::DECLARATION),+];

        /// What is asked for: a principle with its parameters. Where the attribute may be left out, it is asked of
        /// every sensitive one then.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Principle {
            $(#[doc = concat!("The principle of [`", stringify!($Name), "`].")] $Name($Name),)+
        }

        $(impl From<$Name> for Principle {
            fn from(one: $Name) -> Self {
                Self::$Name(one)
            }
        })+

        impl Principle {
            /// What is the same wherever it is asked for.
            pub fn declaration(&self) -> Declaration {
                match self { $(Self::$Name(_) => $Name::DECLARATION,)+ }
            }

            pub(super) fn meaning(&self) -> &dyn Meaning {
                match self { $(Self::$Name(one) => one,)+ }
            }

            fn meaning_mut(&mut self) -> &mut dyn Meaning {
                match self { $(Self::$Name(one) => one,)+ }
            }
        }

        /// What a release must promise.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct Goal {
            $(
                #[doc = concat!("What is asked of [`", stringify!($Name), "`].")]
                pub $field: Option<<$Name as InPlan>::Level>,
            )+
            /// The largest share of rows that may be dropped.
            pub suppression: Option<f64>,
        }

        impl Goal {
            /// Takes over what another goal asks for; what it leaves open stays.
            pub fn take_from(&mut self, other: Self) {
                $(self.$field = other.$field.or(self.$field.take());)+
                self.suppression = other.suppression.or(self.suppression);
            }
        }

        impl From<Principle> for Goal {
            fn from(asked: Principle) -> Self {
                match asked {
                    $(Principle::$Name(one) => {
                        Self { $field: Some(one.level()), ..Self::default() }
                    })+
                }
            }
        }

        /// What a plan's goal asks for.
        pub fn principles(goal: &Goal) -> Result<Vec<Principle>, Error> {
            let mut principles = Vec::new();
            $(if let Some(level) = &goal.$field {
                principles.extend($Name::asked(level)?.into_iter().map(Principle::from));
            })+
            Ok(principles)
        }

        impl Serialize for Goal {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut goal = serializer.serialize_struct("Goal", FIELDS.len())?;
                $(if let Some(level) = &self.$field {
                    goal.serialize_field($Name::DECLARATION.id, level)?;
                })+
                if let Some(share) = &self.suppression {
                    goal.serialize_field(SUPPRESSION, share)?;
                }
                goal.end()
            }
        }

        const FIELDS: &[&str] = &[$($Name::DECLARATION.id,)+ SUPPRESSION];

        impl<'de> Visitor<'de> for GoalVisitor {
            type Value = Goal;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("struct Goal")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Goal, A::Error> {
                let mut goal = Goal::default();
                while let Some(Field(field)) = access.next_key()? {
                    $(if field == $Name::DECLARATION.id {
                        goal.$field = access.next_value_seed(LevelSeed::<$Name>(PhantomData))?;
                        continue;
                    })+
                    goal.suppression = Some(access.next_value_seed(SuppressionSeed)?);
                }
                Ok(goal)
            }
        }

        impl JsonSchema for Goal {
            fn schema_name() -> Cow<'static, str> {
                "Goal".into()
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                let mut properties = serde_json::Map::new();
                $(properties.insert($Name::DECLARATION.id.into(), property::<$Name>(generator));)+
                let mut share = Range::SHARE.schema_or_none();
                let sentence = "The largest share of rows that may be dropped.";
                share.insert("description".into(), sentence.into());
                properties.insert(SUPPRESSION.into(), share.to_value());
                json_schema!({
                    "type": "object",
                    "description": "What a release must promise.",
                    "properties": properties,
                    "additionalProperties": false,
                })
            }
        }
    };
}

registry! {
    k_anonymity: KAnonymity,
    distinct_l_diversity: DistinctLDiversity,
    frequency_l_diversity: FrequencyLDiversity,
    entropy_l_diversity: EntropyLDiversity,
    recursive_cl_diversity: RecursiveClDiversity,
    alpha_k_anonymity: AlphaKAnonymity,
    p_sensitive_k_anonymity: PSensitiveKAnonymity,
    l_pdiversity: LPdiversity,
    l_mdiversity: LMdiversity,
    lkc_privacy: LkcPrivacy,
    sensitivity_classes: SensitivityClasses,
    personalized_privacy: PersonalizedPrivacy,
    ke_anonymity: KeAnonymity,
    epsilon_m_anonymity: EpsilonMAnonymity,
    t_closeness: TCloseness,
    basic_beta_likeness: BasicBetaLikeness,
    enhanced_beta_likeness: EnhancedBetaLikeness,
    delta_disclosure_privacy: DeltaDisclosurePrivacy,
    delta_presence: DeltaPresence,
    k_map: KMap,
    average_risk: AverageRisk,
    sample_uniqueness: SampleUniqueness,
    population_uniqueness: PopulationUniqueness,
}

const SUPPRESSION: &str = "suppression";

/// What a principle of this id does not promise.
pub fn not_promised(id: &str) -> Option<&'static str> {
    PRINCIPLES.iter().find(|one| one.id == id).map(|one| one.not_promised)
}

impl Principle {
    /// The model's id.
    pub fn id(&self) -> &'static str {
        self.declaration().id
    }

    /// Whether who asks for this asks for the other too.
    pub fn covers(&self, other: &Self) -> bool {
        let mut of_every = other.clone();
        if let Some(attribute) = of_every.meaning_mut().attribute_or_every() {
            *attribute = None;
        }
        *self == *other || *self == of_every
    }

    /// The same asked of this attribute, where the attribute may be left out.
    #[must_use]
    pub(crate) fn of(&self, attribute: &str) -> Self {
        let mut own = self.clone();
        if let Some(of) = own.meaning_mut().attribute_or_every() {
            *of = Some(attribute.to_owned());
        }
        own
    }

    /// The sensitive attribute it is asked of; none where it is asked of every one.
    pub fn attribute(&self) -> Option<&str> {
        self.meaning().attribute()
    }

    /// Whether it asks that rows look alike: no release that shows quasi-identifiers as they are can
    /// promise it.
    pub fn hides_rows(&self) -> bool {
        self.meaning().hides_rows()
    }

    /// Whether it is about all classes of rows that look alike together, or about the population behind each
    /// of them: an anatomized release, whose rows do not look alike, cannot promise it either.
    pub fn is_of_all_classes(&self) -> bool {
        self.meaning().is_of_all_classes()
    }

    /// The values of its attribute that it names.
    pub(crate) fn named_values(&self) -> Vec<&str> {
        self.meaning().named_values().unwrap_or_default()
    }

    /// Whether it calls every value high that it does not name: also one that nobody sees.
    pub(crate) fn fears_unnamed(&self) -> bool {
        self.meaning().fears_unnamed()
    }

    /// Whether it is about chosen values of an attribute of which none occurs.
    pub(super) fn names_nothing(&self, attribute: &Attribute) -> bool {
        let occurs = |value: &str| attribute.code_of(value).is_some();
        let named = self.meaning().named_values().filter(|_| !self.fears_unnamed());
        named.is_some_and(|values| !values.into_iter().any(occurs))
    }

    /// The statement that judges it in a database.
    pub(crate) fn sql(&self, dialect: Dialect) -> Result<Sql<'_>, Error> {
        self.meaning().sql(dialect)
    }

    /// The parameters that are numbers.
    pub fn numbers(&self) -> Vec<(&'static str, Ratio)> {
        let mut own = self.clone();
        let numbers = own.meaning_mut().numbers();
        numbers.iter().map(|number| (number.name, number.value())).collect()
    }

    /// The same with another number for one of those parameters. Parameters that are counts take the
    /// whole part.
    pub(super) fn with_number(&self, name: &str, value: Ratio) -> Self {
        let mut changed = self.clone();
        for mut number in changed.meaning_mut().numbers() {
            if number.name == name {
                number.set(value);
            }
        }
        changed
    }

    /// The number of one of those parameters, and which values of it ask for less.
    pub(super) fn number(&self, name: &str) -> Option<(Ratio, super::declared::Less)> {
        let mut own = self.clone();
        let numbers = own.meaning_mut().numbers();
        let found = numbers.iter().find(|number| number.name == name)?;
        Some((found.value(), found.less))
    }

    /// The parameters in words. Chosen values are counted, not named: they may be cells.
    pub fn parameters(&self) -> String {
        let mut own = self.clone();
        let numbers = own.meaning_mut().numbers();
        let numbers: Vec<String> = numbers.iter().map(super::declared::Number::in_words).collect();
        self.meaning().in_words(numbers.join(", "))
    }
}

struct GoalVisitor;

impl<'de> Deserialize<'de> for Goal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_struct("Goal", FIELDS, GoalVisitor)
    }
}

/// The name of a field of a goal.
struct Field(&'static str);

impl<'de> Deserialize<'de> for Field {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_identifier(FieldVisitor)
    }
}

struct FieldVisitor;

impl Visitor<'_> for FieldVisitor {
    type Value = Field;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("field identifier")
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Field, E> {
        let known = FIELDS.iter().find(|field| **field == name);
        known.map(|field| Field(field)).ok_or_else(|| E::unknown_field(name, FIELDS))
    }
}

struct LevelSeed<T>(PhantomData<T>);

impl<'de, T: InPlan> DeserializeSeed<'de> for LevelSeed<T> {
    type Value = Option<T::Level>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        T::read(deserializer)
    }
}

struct SuppressionSeed;

impl<'de> DeserializeSeed<'de> for SuppressionSeed {
    type Value = f64;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<f64, D::Error> {
        within(deserializer, SUPPRESSION, Range::SHARE)
    }
}

/// A field of a goal in the JSON Schema.
fn property<T: InPlan>(generator: &mut SchemaGenerator) -> serde_json::Value {
    let mut schema = generator.subschema_for::<Option<T::Level>>();
    T::add_bounds(&mut schema);
    schema.insert("description".into(), T::DECLARATION.sentence.into());
    schema.to_value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_is_a_principle_in_the_same_order() {
        let models: Vec<&str> = kohort_models::SPECS.iter().map(|spec| spec.id).collect();
        let principles: Vec<&str> = PRINCIPLES.iter().map(|one| one.id).collect();
        assert_eq!(principles, models);
    }
}
