//! LKC-privacy by its definition: every class of every set of at most L quasi-identifiers.
//!
//! # Guarantee
//! Exact: no set is left out. A release can keep it although some class of all quasi-identifiers is too
//! small or too sure, which is all that makers look at who recode class by class. Classes are rows of equal codes: of a
//! generalized release, rows that show equal texts.
//!
//! # Method
//! Take the quasi-identifiers in their order, one more at a time, and split the classes by it.
//!
//! # Cost
//! Time rows × sets of at most L attributes; memory one grouping per attribute on the way down.
//!
//! # References
//! Mohammed et al., KDD 2009. specs/10.

use kohort_core::{Attribute, Codes, Grouping};
use kohort_models::{Class, ClassModel, Counts, Distribution, LkcPrivacy, tally};

use crate::Violations;

/// How far a table is from LKC-privacy: the classes that break it, over all sets of at most L
/// quasi-identifiers, and the rows in at least one of them. Quasi-identifiers come with their number of
/// codes.
pub fn lkc(
    n_rows: usize,
    quasi: &[(&Codes, u32)],
    sensitive: &[&Attribute],
    model: &LkcPrivacy,
) -> Violations {
    let mut run = Run {
        quasi,
        sensitive,
        model,
        distributions: sensitive.iter().map(|attribute| Distribution::new(attribute)).collect(),
        cells: vec![Vec::new(); sensitive.len()],
        classes: 0,
        is_broken: vec![false; n_rows],
    };
    run.visit(&Grouping::trivial(n_rows), 0, model.l());
    let rows = run.is_broken.iter().filter(|&&is_broken| is_broken).count() as u64;
    Violations { classes: run.classes, rows }
}

struct Run<'a> {
    quasi: &'a [(&'a Codes, u32)],
    sensitive: &'a [&'a Attribute],
    model: &'a LkcPrivacy,
    distributions: Vec<Distribution<'a>>,
    cells: Vec<Vec<(u32, u64)>>,
    classes: u64,
    // The rows in a class that breaks the promise.
    is_broken: Vec<bool>,
}

impl Run<'_> {
    /// Judges a set, then all that have up to `more` further attributes, none before `next`.
    fn visit(&mut self, grouping: &Grouping, next: usize, more: usize) {
        self.judge(grouping);
        if more == 0 {
            return;
        }
        for at in next..self.quasi.len() {
            let (codes, n_codes) = self.quasi[at];
            let finer = grouping.clone().refine(codes, n_codes);
            self.visit(&finer, at + 1, more - 1);
        }
    }

    fn judge(&mut self, grouping: &Grouping) {
        let (rows, ends) = grouping.members();
        let mut start = 0;
        for end in ends {
            let members = &rows[start as usize..end as usize];
            start = end;
            if !self.holds(members) {
                self.classes += 1;
                for &row in members {
                    self.is_broken[row as usize] = true;
                }
            }
        }
    }

    fn holds(&mut self, members: &[u32]) -> bool {
        for (attribute, cells) in self.sensitive.iter().zip(&mut self.cells) {
            let codes = members.iter().map(|&row| (attribute.codes().get(row as usize), 1));
            tally(codes, attribute.n_codes() as usize, cells);
        }
        let counts: Vec<Counts<'_>> = (self.distributions.iter().zip(&self.cells))
            .map(|(table, cells)| Counts { table, cells })
            .collect();
        self.model.holds(&Class { size: members.len() as u64, sensitive: &counts })
    }
}
