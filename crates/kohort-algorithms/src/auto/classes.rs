//! All classes of a table at rest: only their rows. Boxes are many times as large, so that a class has one
//! while something looks at it.

use rayon::prelude::*;

use super::class::{Class, Entry, Ground};

/// Classes, one after another.
#[derive(Clone, Debug, Default)]
pub(super) struct Classes {
    entries: Vec<Entry>,
    // By class: where its entries end, and how often it was tried in vain.
    ends: Vec<u32>,
    n_tries: Vec<u32>,
}

impl Classes {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The rows of a class.
    pub(super) fn entries(&self, at: usize) -> &[Entry] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.entries[start..self.ends[at] as usize]
    }

    /// Adds a class that was never tried.
    pub(super) fn push(&mut self, entries: &[Entry]) {
        self.entries.extend_from_slice(entries);
        self.ends.push(u32::try_from(self.entries.len()).expect("entries are fewer than rows"));
        self.n_tries.push(0);
    }

    /// A class with its box.
    pub(super) fn get(&self, ground: &Ground<'_, '_>, at: usize) -> Class {
        let class = Class::new(ground, self.entries(at).iter().copied());
        Class { n_tries: self.n_tries[at], ..class }
    }

    /// Some of the classes, in the order given.
    pub(super) fn some(&self, ground: &Ground<'_, '_>, which: &[u32]) -> Vec<Class> {
        which.iter().map(|&at| self.get(ground, at as usize)).collect()
    }

    /// All classes, one by one.
    pub(super) fn iter(&self, ground: &Ground<'_, '_>) -> impl Iterator<Item = Class> {
        (0..self.len()).map(|at| self.get(ground, at))
    }

    /// The number of rows in each class.
    pub(super) fn sizes(&self) -> impl Iterator<Item = u32> {
        (0..self.len()).map(|at| self.entries(at).iter().map(|entry| entry.n_rows).sum())
    }

    pub(super) fn n_rows(&self) -> u32 {
        self.entries.iter().map(|entry| entry.n_rows).sum()
    }

    pub(super) fn loss(&self, ground: &Ground<'_, '_>) -> f64 {
        self.iter(ground).map(|class| class.loss()).sum()
    }

    /// Numbers of the classes, those with near lowest codes beside each other; the first of these axes
    /// counts most.
    pub(super) fn order(&self, ground: &Ground<'_, '_>, axes: &[usize]) -> Vec<u32> {
        let corners = (0..self.len()).into_par_iter().flat_map_iter(|at| {
            let codes = move |axis: usize| {
                let units = self.entries(at).iter().map(|entry| entry.unit);
                units.map(move |unit| ground.units.codes(unit)[axis])
            };
            axes.iter().map(move |&axis| codes(axis).min().expect("a class has a row"))
        });
        let corners: Vec<u32> = corners.collect();
        let corner = |at: u32| &corners[at as usize * axes.len()..][..axes.len()];
        let n_classes = u32::try_from(self.len()).expect("classes are fewer than rows");
        let mut order: Vec<u32> = (0..n_classes).collect();
        order.par_sort_by(|&a, &b| corner(a).cmp(corner(b)));
        order
    }
}

impl FromIterator<Class> for Classes {
    fn from_iter<I: IntoIterator<Item = Class>>(given: I) -> Self {
        let mut classes = Self::default();
        for class in given {
            classes.push(&class.entries);
            *classes.n_tries.last_mut().expect("one was added") = class.n_tries;
        }
        classes
    }
}

impl FromIterator<Self> for Classes {
    /// Those of all parts, in their order.
    fn from_iter<I: IntoIterator<Item = Self>>(parts: I) -> Self {
        let mut classes = Self::default();
        for part in parts {
            let before = u32::try_from(classes.entries.len()).expect("entries are fewer than rows");
            classes.entries.extend_from_slice(&part.entries);
            classes.ends.extend(part.ends.iter().map(|end| before + end));
            classes.n_tries.extend_from_slice(&part.n_tries);
        }
        classes
    }
}
