//! What one release of a series tells of each person: the classes that may be the person's, and how often
//! these show each value. People whom the same classes cover are one view.

use std::ops::Range;

use kohort_core::{ABSENT, SeriesRelease};
use rayon::prelude::*;

use super::released::Released;
use super::scene::Sight;

/// Which classes of a release may be whose.
pub(in crate::attack) struct Seen {
    /// The entry of each person in `options`, or `ABSENT`.
    pub(in crate::attack) view_of: Vec<u32>,
    /// Classes with the number of rows that cover the person.
    pub(in crate::attack) options: Vec<Vec<(u32, u32)>>,
}

/// What a release tells of each person.
pub(in crate::attack) struct Told {
    /// The entry of each person in `views`, or `ABSENT`.
    pub(in crate::attack) view_of: Vec<u32>,
    pub(in crate::attack) views: Vec<ToldView>,
    /// Of who is placed, the rows of the class that cover the person.
    pub(in crate::attack) n_own_rows: Vec<u32>,
    // How many rows are expected to have each value, for one view after the other, values ascending.
    values: Vec<u32>,
    n_rows: Vec<f64>,
}

/// What a release tells of people whom the same classes cover.
pub(in crate::attack) struct ToldView {
    pub(in crate::attack) n_classes: usize,
    pub(in crate::attack) first_class: u32,
    /// The rows of these classes that cover them.
    pub(in crate::attack) n_rows: u32,
    // Where its values are; nowhere where all its people are placed: their classes tell more.
    values: Range<usize>,
}

impl Seen {
    /// Who may be in which class, by which shapes cover whom.
    pub(in crate::attack) fn new(
        release: &Released<'_>,
        sight: &Sight,
        n_people: u32,
        is_absent: impl Fn(u32) -> bool,
    ) -> Self {
        let mut seen = Self { view_of: vec![ABSENT; n_people as usize], options: Vec::new() };
        for view in sight.views().filter(|view| !view.shapes.is_empty()) {
            let number = u32::try_from(seen.options.len()).expect("views are fewer than people");
            let rows = |&shape: &u32| (release.class_of_shape(shape), release.size_of_shape(shape));
            let mut options: Vec<(u32, u32)> = view.shapes.iter().map(rows).collect();
            options.sort_unstable_by_key(|&(class, _)| class);
            options.dedup_by(|next, kept| {
                let is_same = next.0 == kept.0;
                kept.1 += if is_same { next.1 } else { 0 };
                is_same
            });
            seen.options.push(options);
            for &person in view.targets.iter().filter(|&&person| !is_absent(person)) {
                seen.view_of[person as usize] = number;
            }
        }
        seen
    }
}

impl Told {
    /// What is left of it when people are placed.
    pub(in crate::attack) fn new(seen: Seen, placed: &SeriesRelease, n_values: u32) -> Self {
        let Seen { view_of, options } = seen;
        let n_own_rows = (0..).zip(&view_of).map(|(person, &view)| {
            let class = placed.class_of(person)?;
            let options = &options[view as usize];
            let at = options.binary_search_by_key(&class, |&(class, _)| class).ok()?;
            Some(options[at].1)
        });
        let n_own_rows = n_own_rows.map(Option::unwrap_or_default).collect();
        let mut is_open = vec![false; options.len()];
        for (person, &view) in (0..).zip(&view_of).filter(|(_, view)| **view != ABSENT) {
            is_open[view as usize] |= placed.class_of(person).is_none();
        }
        let by_value = |weights: &mut Vec<f64>, (options, is_open): (&Vec<(u32, u32)>, &bool)| {
            kohort_core::alive();
            for &(class, n_rows) in options.iter().filter(|_| *is_open) {
                let values = &placed.classes[class as usize].values;
                let share = f64::from(n_rows) / values.len() as f64;
                for &value in values {
                    weights[value as usize] += share;
                }
            }
            let drained = weights.iter_mut().map(std::mem::take);
            (0..).zip(drained).filter(|&(_, weight)| weight > 0.0).collect::<Vec<(u32, f64)>>()
        };
        let no_weights = || vec![0.0; n_values as usize];
        let found: Vec<Vec<(u32, f64)>> =
            options.par_iter().zip(&is_open).map_init(no_weights, by_value).collect();
        let (values, n_rows): (Vec<u32>, Vec<f64>) = found.iter().flatten().copied().unzip();
        let mut views: Vec<ToldView> = Vec::with_capacity(options.len());
        for (options, found) in options.iter().zip(&found) {
            let start = views.last().map_or(0, |before| before.values.end);
            views.push(ToldView {
                n_classes: options.len(),
                first_class: options.first().map_or(ABSENT, |&(class, _)| class),
                n_rows: options.iter().map(|&(_, n_rows)| n_rows).sum(),
                values: start..start + found.len(),
            });
        }
        Self { view_of, views, n_own_rows, values, n_rows }
    }

    /// How many of the rows that cover the people of a view who are not placed are expected to have each
    /// value, values ascending.
    pub(in crate::attack) fn by_value(&self, view: &ToldView) -> Vec<(u32, f64)> {
        let n_rows = &self.n_rows[view.values.clone()];
        self.values[view.values.clone()].iter().copied().zip(n_rows.iter().copied()).collect()
    }
}
