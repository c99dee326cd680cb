//! The models of the levels asked for, over the sensitive attributes of one table.

use kohort_core::{Attribute, Message};
use kohort_models::{ClassModel, DeltaPresence, Distance, KMap, Promises, SizeModel};

use super::Principle;
use super::continuous;
use super::named::{can_hide, indices};
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

    /// How far apart two values are, where distributions are compared.
    pub fn distance(&self) -> Option<&'static str> {
        self.principle.meaning().distance().map(Distance::id)
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
            can_hide(principle, sensitive)?;
            principle.meaning().bind(&mut Binding { asked: &mut asked, principle, sensitive })?;
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
            is_vacuous: attribute.is_some_and(|attribute| principle.names_nothing(attribute)),
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
}

/// Where a principle puts its models.
pub(super) struct Binding<'a> {
    asked: &'a mut Asked,
    principle: &'a Principle,
    sensitive: &'a [&'a Attribute],
}

/// The sensitive attribute that a model is made for.
pub(super) struct Of<'a> {
    /// Its index among the sensitive ones.
    pub(super) index: usize,
    /// The attribute.
    pub(super) attribute: &'a Attribute,
    /// All of them.
    pub(super) sensitive: &'a [&'a Attribute],
    /// What is odd.
    pub(super) notes: &'a mut Vec<Message>,
}

impl Binding<'_> {
    /// Adds a model of the rows of a class alone.
    pub(super) fn of_rows(&mut self, model: impl ClassModel + 'static) {
        self.asked.push(Box::new(model), self.principle, None);
    }

    /// Adds a model that is about every sensitive attribute.
    pub(super) fn of_all<M: ClassModel + 'static>(
        &mut self,
        model: Result<M, kohort_core::Error>,
    ) -> Result<(), Error> {
        indices(self.principle, self.sensitive)?;
        self.asked.push_of_all(Box::new(model?), self.principle, self.sensitive);
        Ok(())
    }

    /// Adds a model for each sensitive attribute that the principle is asked of.
    pub(super) fn of_each<M: ClassModel + 'static>(
        &mut self,
        mut model: impl FnMut(Of<'_>) -> Result<M, Error>,
    ) -> Result<(), Error> {
        let sensitive = self.sensitive;
        for index in indices(self.principle, sensitive)? {
            let notes = &mut self.asked.notes;
            let model = model(Of { index, attribute: sensitive[index], sensitive, notes })?;
            self.asked.push(Box::new(model), self.principle, Some((index, sensitive)));
        }
        Ok(())
    }

    /// Sets the model about the members of a public table.
    pub(super) fn of_members(&mut self, model: DeltaPresence) {
        self.asked.presence = Some((self.principle.clone(), model));
    }

    /// Adds a model of the sizes of all classes. The population stands last.
    pub(super) fn of_sizes(&mut self, model: impl SizeModel + 'static) {
        let about = self.about_all();
        self.asked.about_all.insert(self.asked.sizes.len(), about);
        self.asked.sizes.push(Box::new(model));
    }

    /// Sets the model about the people of a public table.
    pub(super) fn of_population(&mut self, model: KMap) {
        let about = self.about_all();
        self.asked.population = Some(model);
        self.asked.about_all.push(about);
    }

    fn about_all(&self) -> About {
        let principle = self.principle.clone();
        About { principle, index: None, attribute: None, buckets: None, is_vacuous: false }
    }
}
