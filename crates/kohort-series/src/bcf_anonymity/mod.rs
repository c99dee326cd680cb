//! BCF-anonymity: a series that people only join, specialized as far as no correspondence with an earlier
//! release leaves fewer than k rows for anybody.
//!
//! # Guarantee
//! Every class has k rows or more, and for every earlier release F, C and B leave k rows or more (see the
//! model). Each value of a column is published as the same cell in every row.
//!
//! # Method
//! 1. Publish `*` everywhere. If that does not keep the promise, nothing does.
//! 2. Top-down specialization (see `specialize`), with the model as its test.
//!
//! # Notation
//! R1 → an earlier release of the history with its boxes, R2 → the release that is made.
//!
//! # Cost
//! O(d n + |R1|·|R2|·d) for each cell that is tried, and each earlier release.
//!
//! # Deviations
//! - What is gained is loss, as in our `top-down`: there is no class label.
//! - The paper takes it that F, C and B only fall when R2 is specialized. By its formulas B may rise (see
//!   the test of the model), so that a cell that is given up could have passed later.
//!
//! # References
//! Fung, Wang, Fu, Pei: Anonymity for Continuous Data Publishing, EDBT 2008.

#[cfg(test)]
mod tests;

use kohort_core::{Ctx, Spec};
use kohort_models::series::{BcfAnonymity, ClassBox, Shown};

use crate::specialize::specialize;
use crate::{Failure, Next, SeriesMethod, Turn};

/// The maker of series that keep BCF-anonymity.
#[derive(Clone, Debug)]
pub struct BcfMaker {
    /// What is promised.
    pub model: BcfAnonymity,
    /// The boxes of the classes of each release of the history, over the codes of the table.
    pub earlier: Vec<Vec<ClassBox>>,
}

impl SeriesMethod for BcfMaker {
    fn spec(&self) -> &'static Spec {
        &BcfAnonymity::SPEC
    }

    fn make(&self, ctx: &Ctx<'_>, turn: &Turn<'_>) -> Result<Next, Failure> {
        let earlier: Vec<Shown<'_>> = (turn.history.releases.iter().zip(&self.earlier))
            .map(|(release, boxes)| Shown { release, boxes })
            .collect();
        let check = |next: &Next, boxes: &[ClassBox]| {
            self.model.check(&earlier, Shown { release: &next.released(turn), boxes })
        };
        let made = specialize(ctx, turn, &|next, boxes| check(next, boxes).is_ok());
        made.ok_or_else(|| {
            let why = Next::of_classes(vec![0; turn.data.n_rows()]);
            let whole = |attribute: &&kohort_core::Attribute| attribute.n_codes() - 1;
            let hi: Vec<u32> = turn.data.quasi().iter().map(whole).collect();
            let broken = check(&why, &[ClassBox { lo: vec![0; hi.len()], hi }]).err();
            let found = broken.map(|broken| format!(": {}", broken.0)).unwrap_or_default();
            Failure::infeasible(format!("even a single class of everybody does not keep it{found}"))
        })
    }
}
