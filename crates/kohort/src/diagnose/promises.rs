//! Levels that are asked for, on the command line or in a plan's goal, as models.

use kohort_core::{Attribute, Ratio};
use kohort_models::{
    ClassModel, Distance, DistinctLDiversity, EntropyLDiversity, FrequencyLDiversity, KAnonymity,
    RecursiveClDiversity, TCloseness,
};
use kohort_verify::Violations;

use super::GoalAnswer;
use crate::Error;
use crate::load::refused;
use crate::plan::{Goal, OneOrMore, exact};

/// A level asked for. Without an attribute it is asked of every sensitive one.
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
    /// t-closeness.
    T(Ratio, Distance, Option<String>),
}

impl Principle {
    /// Whether who asks for this asks for the other too.
    pub fn covers(&self, other: &Self) -> bool {
        *self == *other || *self == other.of_every()
    }

    /// The same level, asked of every sensitive attribute.
    fn of_every(&self) -> Self {
        match *self {
            Self::K(k) => Self::K(k),
            Self::DistinctL(l, _) => Self::DistinctL(l, None),
            Self::FrequencyL(l, _) => Self::FrequencyL(l, None),
            Self::EntropyL(l, _) => Self::EntropyL(l, None),
            Self::Recursive(c, l, _) => Self::Recursive(c, l, None),
            Self::T(t, distance, _) => Self::T(t, distance, None),
        }
    }
}

/// The levels that a plan's goal asks for.
pub fn promises_of_goal(goal: &Goal) -> Result<Vec<Principle>, Error> {
    let mut promises: Vec<Principle> = goal.k_anonymity.map(Principle::K).into_iter().collect();
    let owned = |attribute: Option<&str>| attribute.map(str::to_owned);
    for diversity in goal.distinct_l_diversity.iter().flat_map(OneOrMore::iter) {
        let (l, attribute) = diversity.parts();
        let l = exact("l", l)?;
        if l.den() != 1 {
            let (name, found, expected) = ("l", l.value().to_string(), "a whole number");
            let kind = kohort_core::Kind::Parameter { name, found, expected };
            return Err(kohort_core::Error::new(kind).into());
        }
        promises.push(Principle::DistinctL(l.num(), owned(attribute)));
    }
    for diversity in goal.frequency_l_diversity.iter().flat_map(OneOrMore::iter) {
        let (l, attribute) = diversity.parts();
        promises.push(Principle::FrequencyL(exact("l", l)?, owned(attribute)));
    }
    for diversity in goal.entropy_l_diversity.iter().flat_map(OneOrMore::iter) {
        let (l, attribute) = diversity.parts();
        promises.push(Principle::EntropyL(exact("l", l)?, owned(attribute)));
    }
    for recursive in goal.recursive_cl_diversity.iter().flat_map(OneOrMore::iter) {
        let c = exact("c", recursive.c)?;
        promises.push(Principle::Recursive(c, recursive.l, recursive.attribute.clone()));
    }
    for close in goal.t_closeness.iter().flat_map(OneOrMore::iter) {
        let t = exact("t", close.t)?;
        promises.push(Principle::T(t, close.distance.into(), close.attribute.clone()));
    }
    Ok(promises)
}

/// What a model was asked for, in words.
pub(super) struct About {
    parameters: String,
    attribute: Option<String>,
    distance: Option<&'static str>,
}

impl About {
    pub(super) fn answer(&self, model: &dyn ClassModel, violations: Violations) -> GoalAnswer {
        GoalAnswer {
            model: model.spec().id.to_owned(),
            parameters: self.parameters.clone(),
            attribute: self.attribute.clone(),
            distance: self.distance,
            holds: violations.classes == 0,
            violating_classes: violations.classes,
            violating_rows: violations.rows,
        }
    }
}

/// The models of the levels asked for, each for one sensitive attribute.
pub(super) struct Asked<'a> {
    pub(super) models: Vec<Box<dyn ClassModel + 'a>>,
    pub(super) about: Vec<About>,
}

impl Asked<'_> {
    pub(super) fn new(principles: &[Principle], sensitive: &[&Attribute]) -> Result<Self, Error> {
        let mut asked = Self { models: Vec::new(), about: Vec::new() };
        for principle in principles {
            asked.add(principle, sensitive)?;
        }
        Ok(asked)
    }

    /// What is asked for, in words.
    pub(super) fn describe(&self) -> String {
        let one = |(index, about): (usize, &About)| {
            let of = about.attribute.as_ref().map_or(String::new(), |name| format!(" of {name}"));
            format!("{}{of} with {}", self.models[index].spec().title, about.parameters)
        };
        self.about.iter().enumerate().map(one).collect::<Vec<_>>().join(" and ")
    }

    fn add(&mut self, principle: &Principle, sensitive: &[&Attribute]) -> Result<(), Error> {
        let mut push = |model: Box<dyn ClassModel>, parameters: String, index: Option<usize>| {
            let attribute = index.map(|index: usize| sensitive[index].name().to_owned());
            self.models.push(model);
            let distance = match principle {
                Principle::T(_, distance, _) => Some(distance.id()),
                _ => None,
            };
            self.about.push(About { parameters, attribute, distance });
        };
        match principle {
            Principle::K(k) => push(Box::new(KAnonymity::new(*k)?), format!("k = {k}"), None),
            Principle::DistinctL(l, name) => {
                for index in indices(name.as_deref(), sensitive)? {
                    let model = DistinctLDiversity::new(index, *l)?;
                    push(Box::new(model), format!("l = {l}"), Some(index));
                }
            }
            Principle::FrequencyL(l, name) => {
                for index in indices(name.as_deref(), sensitive)? {
                    let model = FrequencyLDiversity::new(index, *l)?;
                    push(Box::new(model), format!("l = {}", l.value()), Some(index));
                }
            }
            Principle::EntropyL(l, name) => {
                for index in indices(name.as_deref(), sensitive)? {
                    let model = EntropyLDiversity::new(index, *l)?;
                    push(Box::new(model), format!("l = {}", l.value()), Some(index));
                }
            }
            Principle::Recursive(c, l, name) => {
                for index in indices(name.as_deref(), sensitive)? {
                    let length = usize::try_from(*l).unwrap_or(usize::MAX);
                    let model = RecursiveClDiversity::new(index, *c, length)?;
                    push(Box::new(model), format!("c = {}, l = {l}", c.value()), Some(index));
                }
            }
            Principle::T(t, distance, name) => {
                for index in indices(name.as_deref(), sensitive)? {
                    can_measure(*distance, sensitive[index])?;
                    let model = TCloseness::new(index, *t, *distance)?;
                    let parameters = format!("t = {}, distance {}", t.value(), distance.id());
                    push(Box::new(model), parameters, Some(index));
                }
            }
        }
        Ok(())
    }
}

/// The sensitive attributes that a level is asked of.
fn indices(name: Option<&str>, sensitive: &[&Attribute]) -> Result<Vec<usize>, Error> {
    let Some(name) = name else {
        if sensitive.is_empty() {
            return Err(refused(
                "l-diversity and t-closeness are about a sensitive attribute, and none is named",
                "name it with `--sensitive disease`",
            ));
        }
        return Ok((0..sensitive.len()).collect());
    };
    let found = sensitive.iter().position(|attribute| attribute.name() == name);
    found.map(|index| vec![index]).ok_or_else(|| {
        refused(
            format!("the goal names `{name}`, which is not a sensitive attribute"),
            format!("give column `{name}` the role \"sensitive\" in the plan"),
        )
    })
}

fn can_measure(distance: Distance, attribute: &Attribute) -> Result<(), Error> {
    let name = attribute.name();
    match distance {
        Distance::Ordered if !attribute.value_type().is_ordered() => Err(refused(
            format!(
                "column `{name}` is {}: its values have no order",
                attribute.value_type().article()
            ),
            "use the distance `equal`, or `hierarchical` with a taxonomy",
        )),
        Distance::Hierarchical if attribute.is_flat() => Err(refused(
            format!("the hierarchical distance needs a taxonomy, and column `{name}` has none"),
            format!("give it one with `--taxonomy {name}=FILE`, or use the distance `equal`"),
        )),
        _ => Ok(()),
    }
}
