//! Basic beta-likeness: no sensitive value is much more frequent in a class than in the whole table.
//!
//! # Definition
//! For every class E and value v with share p_v in E and q_v in the table: where p_v > q_v,
//! (p_v − q_v) / q_v ≤ beta. With beta > 0 that is p_v ≤ (1 + beta) · q_v for every value, decided in
//! integers.
//!
//! # Promise
//! Finding a person's class raises the probability of no value by more than the factor 1 + beta: rare
//! values, which an average distance hides, are bounded like the others.
//!
//! # What it does not promise
//! Nothing about values that become less likely, and no bound on a frequent value: its probability may
//! reach 1 where (1 + beta) · q_v does.
//!
//! # References
//! Cao and Karras, PVLDB 5(11), 2012.

use kohort_core::{Error, Kind, Parameter, Ratio, Spec};

use crate::{Class, ClassModel, Counts};

/// What the model is.
pub(crate) const SPEC: Spec = Spec {
    id: "basic-beta-likeness",
    title: "basic beta-likeness",
    paper: "Cao and Karras 2012",
    promise: "no value is more likely in a class than in the table by a factor above 1 + beta",
    parameters: &[Parameter {
        name: "beta",
        range: "beta > 0",
        doc: "the largest relative gain in probability allowed",
    }],
};

/// The basic beta-likeness condition on one sensitive attribute.
#[derive(Clone, Copy, Debug)]
pub struct BasicBetaLikeness {
    attribute: usize,
    // Invariant: 1 < most; it is 1 + beta.
    most: Ratio,
}

impl BasicBetaLikeness {
    /// Asks that no value of the sensitive attribute with this index gains more than `beta`.
    pub fn new(attribute: usize, beta: Ratio) -> Result<Self, Error> {
        let most = beta.num().checked_add(beta.den()).filter(|_| beta.num() > 0);
        let Some(most) = most else {
            let found = beta.to_string();
            return Err(Kind::Parameter { name: "beta", found, expected: "above 0" }.into());
        };
        Ok(Self { attribute, most: Ratio::new(most, beta.den()) })
    }

    /// The smallest 1 + beta that holds for a class: the largest p_v / q_v.
    ///
    /// # Panics
    /// When no row of the class has a value.
    pub fn level(counts: &Counts<'_>) -> Ratio {
        let (size, table) = (counts.size(), counts.table);
        let gain = |&(code, count)| Ratio::new(count * table.n(), table.count(code) * size);
        counts.values().iter().map(gain).max().expect("a row has a value")
    }
}

impl ClassModel for BasicBetaLikeness {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    // The share in a union is at most the larger of the two (mediant), and its bound is the table's.
    fn is_monotone(&self) -> bool {
        true
    }

    fn compared(&self) -> Option<usize> {
        Some(self.attribute)
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        let counts = &class.sensitive[self.attribute];
        counts.is_silent() || Self::level(counts) <= self.most
    }
}
