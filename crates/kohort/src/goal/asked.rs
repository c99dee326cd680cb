//! The models of the levels asked for, over the sensitive attributes of one table.

use kohort_core::{Attribute, Message};
use kohort_models::{
    AlphaKAnonymity, AverageRisk, BasicBetaLikeness, ClassModel, DeltaDisclosurePrivacy,
    DeltaPresence, DistinctLDiversity, EnhancedBetaLikeness, EntropyLDiversity, EpsilonMAnonymity,
    EstimatedKMap, FrequencyLDiversity, KAnonymity, KMap, KeAnonymity, LMdiversity, LPdiversity,
    LkcPrivacy, PSensitiveKAnonymity, PersonalizedPrivacy, PopulationUniqueness, Promises,
    RecursiveClDiversity, SampleUniqueness, SensitivityClasses, SizeModel, TCloseness,
};

use super::continuous;
use super::named::{
    can_hide, can_measure, codes, guards, high_codes, index, indices, is_numeric, names_nothing,
};
use super::{Population, Principle};
use crate::Error;

/// What a model was asked for.
#[derive(Clone, Debug)]
pub struct About {
    principle: Principle,
    index: Option<usize>,
    attribute: Option<String>,
    buckets: Option<String>,
    is_vacuous: bool,
}

impl About {
    /// What was asked for; the attribute of the model is `attribute`.
    pub fn principle(&self) -> &Principle {
        &self.principle
    }

    /// The model's id.
    pub fn model(&self) -> &'static str {
        self.principle.id()
    }

    /// The parameters in words.
    pub fn parameters(&self) -> String {
        self.principle.parameters()
    }

    /// The sensitive attribute, where the model has one.
    pub fn attribute(&self) -> Option<&str> {
        self.attribute.as_deref()
    }

    /// The buckets that it counts, where it counts buckets: "buckets of 1,000", with the name of each
    /// attribute where the model is about several.
    pub fn buckets(&self) -> Option<&str> {
        self.buckets.as_deref()
    }

    /// The index of that attribute among the sensitive ones.
    pub fn index(&self) -> Option<usize> {
        self.index
    }

    /// Whether it is about values of which none occurs: then it holds because nothing is asked.
    pub fn is_vacuous(&self) -> bool {
        self.is_vacuous
    }

    /// How far apart two values are, for t-closeness.
    pub fn distance(&self) -> Option<&'static str> {
        match self.principle {
            Principle::T(_, distance, _) => Some(distance.id()),
            _ => None,
        }
    }
}

/// The models of the levels asked for, each with what it is about.
#[derive(Default)]
pub struct Asked {
    models: Vec<Box<dyn ClassModel>>,
    about: Vec<About>,
    presence: Option<(Principle, DeltaPresence)>,
    sizes: Vec<Box<dyn SizeModel>>,
    population: Option<KMap>,
    about_all: Vec<About>,
    notes: Vec<Message>,
}

impl Asked {
    /// The models of these levels over the sensitive attributes of a table.
    pub fn new(principles: &[Principle], sensitive: &[&Attribute]) -> Result<Self, Error> {
        let mut asked = Self::default();
        for principle in principles {
            asked.add(principle, sensitive)?;
        }
        Ok(asked)
    }

    /// The models that judge a class.
    pub fn models(&self) -> &[Box<dyn ClassModel>] {
        &self.models
    }

    /// What each of the models was asked for.
    pub fn about(&self) -> &[About] {
        &self.about
    }

    /// The level of delta-presence, which no class alone keeps or breaks, and its model.
    pub fn presence(&self) -> Option<&(Principle, DeltaPresence)> {
        self.presence.as_ref()
    }

    /// The models about the sizes of all classes together.
    pub fn sizes(&self) -> &[Box<dyn SizeModel>] {
        &self.sizes
    }

    /// The same, given away.
    pub(crate) fn take_sizes(&mut self) -> Vec<Box<dyn SizeModel>> {
        std::mem::take(&mut self.sizes)
    }

    /// k-map over a public table, where it is asked for.
    pub fn population(&self) -> Option<KMap> {
        self.population
    }

    /// What each model about all classes together was asked for: those of `sizes`, then that of `population`.
    pub fn about_all(&self) -> &[About] {
        &self.about_all
    }

    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.models.is_empty() && self.presence.is_none() && self.about_all.is_empty()
    }

    /// What is odd: values that do not occur.
    pub fn notes(&self) -> &[Message] {
        &self.notes
    }

    /// The models alone.
    pub fn into_models(self) -> Vec<Box<dyn ClassModel>> {
        self.models
    }

    /// What every class of a release must keep: all that is asked for but `presence`.
    pub fn into_promises<'a>(self, sensitive: &[&'a Attribute]) -> Promises<'a> {
        Promises::new(self.models, sensitive)
    }

    /// What is asked for, in words.
    pub fn describe(&self) -> String {
        let titles = self.models.iter().map(|model| model.spec().title);
        let one = |(title, about): (&str, &About)| {
            let of = about.attribute().map_or(String::new(), |name| format!(" of {name}"));
            let of = about.buckets().map_or(of.clone(), |buckets| format!("{of} (in {buckets})"));
            format!("{title}{of} with {}", about.parameters())
        };
        titles.zip(&self.about).map(one).collect::<Vec<_>>().join(" and ")
    }

    fn add(&mut self, principle: &Principle, sensitive: &[&Attribute]) -> Result<(), Error> {
        can_hide(principle, sensitive)?;
        match principle {
            Principle::K(k) => {
                self.push(Box::new(KAnonymity::new(*k)?), principle, None);
            }
            Principle::PSensitiveK { p, k } => {
                indices(principle, sensitive)?;
                self.push_of_all(
                    Box::new(PSensitiveKAnonymity::new(*p, *k)?),
                    principle,
                    sensitive,
                );
            }
            Principle::LPdiversity(l) => {
                indices(principle, sensitive)?;
                self.push_of_all(Box::new(LPdiversity::new(*l)?), principle, sensitive);
            }
            Principle::LMdiversity(l) => {
                indices(principle, sensitive)?;
                self.push_of_all(Box::new(LMdiversity::new(*l)?), principle, sensitive);
            }
            Principle::DeltaPresence { min, max, .. } => {
                self.presence = Some((principle.clone(), DeltaPresence::new(*min, *max)?));
            }
            Principle::KMap { k, population: Population::Sampled { fraction, significance } } => {
                let model = EstimatedKMap::new(*k, *fraction, *significance)?;
                self.push(Box::new(model), principle, None);
            }
            Principle::KMap { .. }
            | Principle::AverageRisk(_)
            | Principle::SampleUniqueness(_)
            | Principle::PopulationUniqueness { .. } => self.add_of_all_classes(principle)?,
            Principle::Lkc { l, k, c, values, attribute } => {
                let index = index(attribute, sensitive)?;
                let codes = codes(sensitive[index], values.as_deref(), &mut self.notes);
                let l = usize::try_from(*l).unwrap_or(usize::MAX);
                let model = LkcPrivacy::new(index, l, *k, *c, codes)?;
                self.push(Box::new(model), principle, Some((index, sensitive)));
            }
            _ => {
                for index in indices(principle, sensitive)? {
                    let model = self.of_attribute(principle, index, sensitive)?;
                    self.push(model, principle, Some((index, sensitive)));
                }
            }
        }
        Ok(())
    }

    /// Adds a model about all classes together.
    fn add_of_all_classes(&mut self, principle: &Principle) -> Result<(), Error> {
        let about = About {
            principle: principle.clone(),
            index: None,
            attribute: None,
            buckets: None,
            is_vacuous: false,
        };
        let model: Box<dyn SizeModel> = match principle {
            Principle::AverageRisk(p) => Box::new(AverageRisk::new(*p)?),
            Principle::SampleUniqueness(p) => Box::new(SampleUniqueness::new(*p)?),
            Principle::PopulationUniqueness { p, fraction } => {
                Box::new(PopulationUniqueness::new(*p, *fraction)?)
            }
            Principle::KMap { k, .. } => {
                self.population = Some(KMap::new(*k)?);
                self.about_all.push(about);
                return Ok(());
            }
            _ => unreachable!("`add` hands over no other"),
        };
        // The population stands last.
        self.about_all.insert(self.sizes.len(), about);
        self.sizes.push(model);
        Ok(())
    }

    fn push(
        &mut self,
        model: Box<dyn ClassModel>,
        principle: &Principle,
        of: Option<(usize, &[&Attribute])>,
    ) {
        self.models.push(model);
        let attribute = of.map(|(index, sensitive)| sensitive[index]);
        self.warn(principle, attribute.as_slice());
        let buckets = attribute.and_then(Attribute::buckets);
        self.about.push(About {
            buckets: buckets.map(|buckets| buckets.form().to_owned()),
            is_vacuous: attribute.is_some_and(|attribute| names_nothing(principle, attribute)),
            principle: principle.clone(),
            index: of.map(|(index, _)| index),
            attribute: of.map(|(index, sensitive)| sensitive[index].name().to_owned()),
        });
    }

    /// Adds a model that is about every sensitive attribute.
    fn push_of_all(
        &mut self,
        model: Box<dyn ClassModel>,
        principle: &Principle,
        sensitive: &[&Attribute],
    ) {
        self.push(model, principle, None);
        self.warn(principle, sensitive);
        let form = |attribute: &&Attribute| {
            Some(format!("{} of {}", attribute.buckets()?.form(), attribute.name()))
        };
        let forms: Vec<String> = sensitive.iter().filter_map(form).collect();
        if let Some(about) = self.about.last_mut().filter(|_| !forms.is_empty()) {
            about.buckets = Some(forms.join(" and "));
        }
    }

    /// Says, once for each attribute, what it is worth to count its single values.
    fn warn(&mut self, principle: &Principle, attributes: &[&Attribute]) {
        for attribute in attributes {
            let warning = continuous::warning(principle, attribute).map(Message::from);
            self.notes.extend(warning.filter(|note| !self.notes.contains(note)));
        }
    }

    /// The model of a level that is about one sensitive attribute.
    fn of_attribute(
        &mut self,
        principle: &Principle,
        index: usize,
        sensitive: &[&Attribute],
    ) -> Result<Box<dyn ClassModel>, Error> {
        let attribute = sensitive[index];
        Ok(match principle {
            Principle::DistinctL(l, _) => Box::new(DistinctLDiversity::new(index, *l)?),
            Principle::FrequencyL(l, _) => Box::new(FrequencyLDiversity::new(index, *l)?),
            Principle::EntropyL(l, _) => Box::new(EntropyLDiversity::new(index, *l)?),
            Principle::Recursive(c, l, _) => {
                let l = usize::try_from(*l).unwrap_or(usize::MAX);
                Box::new(RecursiveClDiversity::new(index, *c, l)?)
            }
            Principle::AlphaK { alpha, k, values, .. } => {
                let codes = codes(attribute, values.as_deref(), &mut self.notes);
                Box::new(AlphaKAnonymity::new(index, *alpha, *k, codes)?)
            }
            Principle::SensitivityClasses { high, low, alpha, l, l_low, .. } => {
                let high = high_codes(attribute, high, low.as_deref(), &mut self.notes)?;
                let mut model = SensitivityClasses::new(index, high, *alpha)?;
                if let Some(l) = l {
                    model = model.with_l(*l)?;
                }
                if let Some(l_low) = l_low {
                    model = model.with_l_low(*l_low)?;
                }
                Box::new(model)
            }
            Principle::Personalized { p, guards: given, .. } => {
                let (column, nodes) = guards(index, given, sensitive, &mut self.notes)?;
                Box::new(PersonalizedPrivacy::new(index, *p, column, nodes)?)
            }
            Principle::Ke { k, e, .. } => {
                is_numeric(attribute, principle.id())?;
                Box::new(KeAnonymity::new(index, *k, *e)?)
            }
            Principle::EpsilonM { epsilon, m, is_relative, .. } => {
                is_numeric(attribute, principle.id())?;
                let model = EpsilonMAnonymity::new(index, *epsilon, *m)?;
                Box::new(if *is_relative { model.relative() } else { model })
            }
            Principle::T(t, distance, _) => {
                can_measure(*distance, attribute)?;
                Box::new(TCloseness::new(index, *t, *distance)?)
            }
            Principle::BasicBeta(beta, _) => Box::new(BasicBetaLikeness::new(index, *beta)?),
            Principle::EnhancedBeta(beta, _) => Box::new(EnhancedBetaLikeness::new(index, *beta)?),
            Principle::DeltaDisclosure(delta, _) => {
                Box::new(DeltaDisclosurePrivacy::new(index, *delta)?)
            }
            Principle::K(_)
            | Principle::PSensitiveK { .. }
            | Principle::LPdiversity(_)
            | Principle::LMdiversity(_)
            | Principle::Lkc { .. }
            | Principle::DeltaPresence { .. }
            | Principle::KMap { .. }
            | Principle::AverageRisk(_)
            | Principle::SampleUniqueness(_)
            | Principle::PopulationUniqueness { .. } => unreachable!("`add` makes these"),
        })
    }
}
