//! Whether a series keeps signatures, as m-invariance does: then everybody is in classes that show the same
//! values in all releases, and no other class is the person's.
//!
//! # Method
//! A series keeps them where every class shows two values or more, each equally often, and everybody has, in
//! all releases that cover the person, a class of one and the same signature. So the releases look that
//! m-invariance and e-equivalence make; where only one person has no such class, it does not.
//!
//! Who does not know it takes classes for possible that are not: a value that these have in common seems
//! likelier than it is.
//!
//! # Cost
//! Linear in the pairs of a person and a class that may be the person's.
//!
//! # References
//! Xiao and Tao, SIGMOD 2007.

use std::collections::BTreeMap;

use kohort_core::{ABSENT, ReleasedClass, SeriesRelease};

use super::super::value_equivalence::is_balanced;
use super::candidates::Seen;

/// The signatures of a series, release by release.
#[derive(Default)]
pub(in crate::attack) struct Signatures {
    numbers: BTreeMap<Vec<u32>, u32>,
    // The number of the signature of each class of the release that came last.
    of_class: Vec<u32>,
    // What all releases that cover a person allow, ascending; none before the first.
    common: Vec<Option<Vec<u32>>>,
    is_broken: bool,
}

impl Signatures {
    /// One more release, and which of its classes may be whose.
    pub(in crate::attack) fn add(&mut self, seen: &Seen, shown: &SeriesRelease) {
        let is_one = |class: &ReleasedClass| class.values.first() == class.values.last();
        let is_even = |class: &ReleasedClass| is_balanced(class) && !is_one(class);
        self.is_broken |= !shown.classes.iter().all(is_even);
        if self.is_broken {
            self.common.clear();
            return;
        }
        let mut number = |class: &ReleasedClass| {
            let next = u32::try_from(self.numbers.len()).expect("classes are numbered by u32");
            *self.numbers.entry(class.signature()).or_insert(next)
        };
        self.of_class = shown.classes.iter().map(&mut number).collect();
        let of_view = |options: &Vec<(u32, u32)>| {
            let mut all: Vec<u32> =
                options.iter().map(|&(class, _)| self.of_class[class as usize]).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let of_view: Vec<Vec<u32>> = seen.options.iter().map(of_view).collect();
        self.common.resize(seen.view_of.len(), None);
        for (common, &view) in self.common.iter_mut().zip(&seen.view_of) {
            if view != ABSENT {
                let own = &of_view[view as usize];
                match common {
                    None => *common = Some(own.clone()),
                    Some(kept) => kept.retain(|number| own.binary_search(number).is_ok()),
                }
                self.is_broken |= common.as_ref().is_some_and(Vec::is_empty);
            }
        }
    }

    /// Whether the series keeps them.
    pub(in crate::attack) fn are_kept(&self) -> bool {
        !self.is_broken
    }

    /// Whether a class of the release that came last may be a person's.
    pub(in crate::attack) fn allow(&self, person: u32, class: u32) -> bool {
        let common = self.common.get(person as usize).and_then(Option::as_ref);
        self.is_broken
            || common.is_none_or(|all| all.binary_search(&self.of_class[class as usize]).is_ok())
    }
}
