//! The rows that are published, as counts: which of them may or must be suppressed.

use kohort_core::Ratio;

use super::Run;
use crate::Failure;

pub(super) struct Published<'r> {
    run: &'r Run<'r>,
    counts: Vec<u32>,
    n_rows: u64,
    // How many rows may be dropped yet.
    may_go: u64,
}

impl<'r> Published<'r> {
    /// All rows.
    pub(super) fn new(run: &'r Run<'r>) -> Self {
        let places: Vec<u32> = (0..).take(run.line.len()).collect();
        let may_go = run.problem.settings().suppression;
        Self { run, counts: run.counts(&places), n_rows: places.len() as u64, may_go }
    }

    /// How many values of a row have more than 1/l of all rows.
    fn n_too_frequent(&self, place: u32) -> usize {
        let is_too_frequent = |&(&value, l): &(&u32, &Ratio)| {
            u64::from(self.counts[value as usize]) * l.num() > self.n_rows * l.den()
        };
        self.run.values(place).iter().zip(&self.run.asked).filter(is_too_frequent).count()
    }

    /// Drops rows that are in no class until no value has too many rows, those with several such values
    /// first. A value that has too many in all has too many among them, for it has not in the classes.
    pub(super) fn thin(&mut self, aside: &mut Vec<u32>) -> Result<(), Failure> {
        loop {
            let n_before = aside.len();
            for level in (1..=self.run.asked.len()).rev() {
                aside.retain(|&place| {
                    let is_kept = self.may_go == 0 || self.n_too_frequent(place) < level;
                    if !is_kept {
                        self.drop(place);
                    }
                    is_kept
                });
            }
            if aside.len() == n_before {
                break;
            }
        }
        if aside.iter().all(|&place| self.n_too_frequent(place) == 0) {
            return Ok(());
        }
        Err(Failure::infeasible(format!(
            "the sensitive attributes together prevent l = {}: more rows have values that are \
             too frequent than the {} that may be suppressed",
            self.run.l,
            self.run.problem.settings().suppression,
        )))
    }

    /// Whether no value has too many of the rest when a row is dropped.
    pub(super) fn may_drop(&self, place: u32) -> bool {
        let mut first = 0;
        let fits = |(at, l): (usize, &Ratio)| {
            let (value, n_codes) = (self.run.values(place)[at] as usize, self.run.n_codes[at]);
            let others = (first..first + n_codes).filter(|&other| other != value);
            let most = others.map(|other| self.counts[other]).max().unwrap_or(0);
            let most = most.max(self.counts[value] - 1);
            first += n_codes;
            u64::from(most) * l.num() <= (self.n_rows - 1) * l.den()
        };
        self.may_go > 0 && self.run.asked.iter().enumerate().all(fits)
    }

    pub(super) fn drop(&mut self, place: u32) {
        for &value in self.run.values(place) {
            self.counts[value as usize] -= 1;
        }
        self.n_rows -= 1;
        self.may_go -= 1;
    }
}
