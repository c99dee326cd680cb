//! A model of a table with one sensitive attribute, asked of one of several.

use kohort_core::{Ratio, Spec};

use crate::class::{Class, ClassModel};

/// The same model about another attribute: the only one that it knows is the one with this index.
pub struct OfAttribute<'a> {
    model: &'a dyn ClassModel,
    index: usize,
}

impl<'a> OfAttribute<'a> {
    /// The model, which is about the attribute with the index 0, asked of another one.
    pub fn new(model: &'a dyn ClassModel, index: usize) -> Self {
        Self { model, index }
    }

    fn class<'b>(&self, class: &Class<'b>) -> Class<'b> {
        let sensitive: &'b [_] = class.sensitive;
        Class { size: class.size, sensitive: &sensitive[self.index..=self.index] }
    }
}

impl ClassModel for OfAttribute<'_> {
    fn spec(&self) -> &'static Spec {
        self.model.spec()
    }

    // As the model itself.
    fn is_monotone(&self) -> bool {
        self.model.is_monotone()
    }

    fn smallest(&self) -> u64 {
        self.model.smallest()
    }

    fn needs_values(&self) -> bool {
        self.model.needs_values()
    }

    fn diversity(&self) -> Option<(usize, Ratio)> {
        self.model.diversity().map(|(_, l)| (self.index, l))
    }

    fn largest_share(&self) -> Option<(usize, Ratio)> {
        self.model.largest_share().map(|(_, share)| (self.index, share))
    }

    fn compared(&self) -> Option<usize> {
        self.model.compared().map(|_| self.index)
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        self.model.holds(&self.class(class))
    }

    fn overfull(&self, class: &Class<'_>) -> Option<(usize, u32)> {
        self.model.overfull(&self.class(class)).map(|(_, value)| (self.index, value))
    }
}
