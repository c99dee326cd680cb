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
//! Mohammed et al., KDD 2009.

use kohort_core::{Attribute, Codes, Grouping};
use kohort_models::{Distribution, LkcPrivacy};

use crate::Violations;
use crate::release::masked_cells::Fillings;

/// How far a table is from LKC-privacy: the classes that break it, over all sets of at most L
/// quasi-identifiers, and the rows in at least one of them. Quasi-identifiers come with their number of
/// codes.
pub fn lkc(
    n_rows: usize,
    quasi: &[(&Codes, u32)],
    sensitive: &[&Attribute],
    model: &LkcPrivacy,
) -> Violations {
    let distributions: Vec<Distribution<'_>> =
        sensitive.iter().map(|attribute| Distribution::new(attribute)).collect();
    let mut run = Run {
        quasi,
        fillings: Fillings::new(sensitive, &distributions),
        model,
        found: Violations::default(),
        is_broken: vec![false; n_rows],
    };
    run.visit(&Grouping::trivial(n_rows), 0, model.l());
    let rows = run.is_broken.iter().filter(|&&is_broken| is_broken).count() as u64;
    Violations { rows, ..run.found }
}

struct Run<'a> {
    quasi: &'a [(&'a Codes, u32)],
    fillings: Fillings<'a>,
    model: &'a LkcPrivacy,
    // Its classes and those with masked cells; rows are in `is_broken`.
    found: Violations,
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
            kohort_core::alive();
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
            self.fillings.read(members);
            if !self.fillings.holds(self.model) {
                self.found.classes += 1;
                self.found.masked += u64::from(self.fillings.is_masked());
                for &row in members {
                    self.is_broken[row as usize] = true;
                }
            }
        }
    }
}
