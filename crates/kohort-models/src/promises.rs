//! What every class of a release must keep: several models at once.

use kohort_core::Attribute;

use crate::{Class, ClassModel, Counts, Distribution};

/// Models that must hold together for every class, over the sensitive attributes of one table.
pub struct Promises<'a> {
    models: Vec<Box<dyn ClassModel + 'a>>,
    distributions: Vec<Distribution<'a>>,
    // Those of the table of which only some rows are left.
    before: Option<&'a [Distribution<'a>]>,
    smallest: u64,
    needs_values: bool,
}

impl<'a> Promises<'a> {
    /// These models; each names a sensitive attribute by its index in `sensitive`.
    pub fn new(models: Vec<Box<dyn ClassModel + 'a>>, sensitive: &[&'a Attribute]) -> Self {
        let distributions = sensitive.iter().map(|attribute| Distribution::new(attribute));
        Self {
            distributions: distributions.collect(),
            before: None,
            smallest: models.iter().map(|model| model.smallest()).max().unwrap_or(1).max(1),
            needs_values: models.iter().any(|model| model.needs_values()),
            models,
        }
    }

    /// The same promises about some rows of the table, of which these are the sensitive attributes:
    /// what is compared with the whole table is compared with them too, since who reads a release knows no
    /// others.
    pub fn among<'b>(&'b self, sensitive: &[&'b Attribute]) -> Promises<'b> {
        let before = Some(self.before.unwrap_or(&self.distributions));
        Promises { before, ..self.only(sensitive, |_| true) }
    }

    /// Some of the promises about the same table, of which these are the sensitive attributes.
    pub fn only<'b>(
        &'b self,
        sensitive: &[&'b Attribute],
        is_asked: impl Fn(&dyn ClassModel) -> bool,
    ) -> Promises<'b> {
        let models = self.models.iter().filter(|model| is_asked(&***model));
        let models = models.map(|model| Box::new(&**model) as Box<dyn ClassModel + 'b>);
        Promises { before: self.before, ..Promises::new(models.collect(), sensitive) }
    }

    /// The models.
    pub fn models(&self) -> &[Box<dyn ClassModel + 'a>] {
        &self.models
    }

    /// No class of fewer rows keeps them all; at least 1.
    pub fn smallest(&self) -> u64 {
        self.smallest
    }

    /// Whether the sensitive values of a class matter, and not its size alone.
    pub fn needs_values(&self) -> bool {
        self.needs_values
    }

    /// Whether a union of two classes that keep them all always keeps them all.
    pub fn is_monotone(&self) -> bool {
        self.models.iter().all(|model| model.is_monotone())
    }

    /// Whether a class is compared with the whole table.
    pub fn compares(&self) -> bool {
        self.models.iter().any(|model| model.compares())
    }

    /// The distribution of each sensitive attribute over the whole table.
    pub fn distributions(&self) -> &[Distribution<'a>] {
        &self.distributions
    }

    /// Whether a class of this size keeps them all. `cells` has, for each sensitive attribute, the
    /// values of the class with their counts in code order; it is not looked at unless `needs_values`.
    pub fn holds(&self, size: u64, cells: &[Vec<(u32, u64)>]) -> bool {
        let holds_before = |before| self.holds_among(before, size, cells);
        self.holds_among(&self.distributions, size, cells)
            && (!self.compares() || self.before.is_none_or(holds_before))
    }

    /// The same where the whole table has these distributions.
    pub fn holds_among(
        &self,
        distributions: &[Distribution<'_>],
        size: u64,
        cells: &[Vec<(u32, u64)>],
    ) -> bool {
        if size < self.smallest {
            return false;
        }
        if !self.needs_values {
            return self.models.iter().all(|model| model.holds(&Class { size, sensitive: &[] }));
        }
        let counts = counts(distributions, cells);
        self.models.iter().all(|model| model.holds(&Class { size, sensitive: &counts }))
    }

    /// What models that do not hold for a class say there is too much of: attributes and values
    /// ([`ClassModel::overfull`]).
    pub fn overfull(&self, size: u64, cells: &[Vec<(u32, u64)>]) -> Vec<(usize, u32)> {
        let counts = counts(&self.distributions, cells);
        let class = Class { size, sensitive: &counts };
        let failing = self.models.iter().filter(|model| !model.holds(&class));
        failing.filter_map(|model| model.overfull(&class)).collect()
    }
}

/// The counts of each sensitive attribute in a class.
fn counts<'c>(tables: &'c [Distribution<'c>], cells: &'c [Vec<(u32, u64)>]) -> Vec<Counts<'c>> {
    tables.iter().zip(cells).map(|(table, cells)| Counts { table, cells }).collect()
}
