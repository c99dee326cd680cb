//! The box that a class is shown with, while the class grows.

use kohort_algorithms::Space;

use super::class::Beliefs;

/// The smallest box around the codes of a class.
pub(super) struct Around {
    lo: Vec<u32>,
    hi: Vec<u32>,
}

/// The smallest box around these items.
pub(super) fn around(beliefs: Beliefs<'_>, items: &[u32]) -> Around {
    let mut around = Around::new(beliefs.line.codes(items[0]));
    for &item in items {
        around.widen(beliefs.line.codes(item));
    }
    around
}

impl Around {
    fn new(codes: &[u32]) -> Self {
        Self { lo: codes.to_vec(), hi: codes.to_vec() }
    }

    pub(super) fn widen(&mut self, codes: &[u32]) {
        for ((lo, hi), &code) in self.lo.iter_mut().zip(&mut self.hi).zip(codes) {
            (*lo, *hi) = (code.min(*lo), code.max(*hi));
        }
    }

    pub(super) fn cost(&self, space: &Space) -> f64 {
        space.cost(&self.lo, &self.hi)
    }

    /// The cost of the box with these codes too.
    pub(super) fn cost_with(&self, space: &Space, codes: &[u32]) -> f64 {
        let edges = self.lo.iter().zip(&self.hi).zip(codes);
        let costs = space.axes().iter().zip(edges);
        costs.map(|(axis, ((&lo, &hi), &code))| axis.cost(lo.min(code), hi.max(code))).sum()
    }
}
