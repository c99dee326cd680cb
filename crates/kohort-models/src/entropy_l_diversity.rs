//! Entropy l-diversity: the sensitive values of a class are as spread as l equally frequent ones.
//!
//! # Definition
//! For every class E: H(E) = ln|E| − (1/|E|) Σ c ln c ≥ ln l, with c the counts of its values.
//!
//! # Promise
//! The adversary's uncertainty about the value is at least that of l equally likely values.
//!
//! # What it does not promise
//! One value may still be likely: entropy is an average. It cannot exceed the entropy of the table.
//!
//! # References
//! Machanavajjhala et al., TKDD 1(1), 2007. Compared with 1e-9 in favour of "holds".

use kohort_core::{Error, Kind, Parameter, Ratio, Spec};

use crate::{Class, ClassModel, Counts};

/// What the model is.
pub(crate) const SPEC: Spec = Spec {
    id: "entropy-l-diversity",
    title: "entropy l-diversity",
    paper: "Machanavajjhala et al. 2007",
    promise: "the sensitive values of every class are as uncertain as l equally likely ones",
    parameters: &[Parameter {
        name: "l",
        range: "l > 1, whole or decimal",
        doc: "the number of equally likely values to be as uncertain as",
    }],
};

const TOLERANCE: f64 = 1e-9;

/// The entropy l-diversity condition on one sensitive attribute.
#[derive(Clone, Copy, Debug)]
pub struct EntropyLDiversity {
    attribute: usize,
    // Invariant: 1 < l.
    l: Ratio,
}

impl EntropyLDiversity {
    /// Asks for an entropy of at least `ln l` of the sensitive attribute with this index.
    pub fn new(attribute: usize, l: Ratio) -> Result<Self, Error> {
        if l <= Ratio::whole(1) {
            let found = l.to_string();
            return Err(Kind::Parameter { name: "l", found, expected: "above 1" }.into());
        }
        Ok(Self { attribute, l })
    }

    /// The entropy of a class, in nats.
    #[expect(clippy::cast_precision_loss, reason = "counts of rows are far below 2^53")]
    pub fn entropy(counts: &Counts<'_>) -> f64 {
        let values = counts.values().iter();
        let size = values.clone().map(|&(_, count)| count).sum::<u64>() as f64;
        let sum: f64 = values.map(|&(_, count)| count as f64 * (count as f64).ln()).sum();
        (size.ln() - sum / size).max(0.0)
    }

    /// The largest l that holds for a class: exp H.
    pub fn level(counts: &Counts<'_>) -> f64 {
        Self::entropy(counts).exp()
    }
}

impl ClassModel for EntropyLDiversity {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    // Entropy is concave.
    fn is_monotone(&self) -> bool {
        true
    }

    // exp(H) is at most the number of values, which is at most the number of rows.
    fn smallest(&self) -> u64 {
        self.l.num() / self.l.den()
    }

    // Where no value has more than 1/l of the rows, each weighs ln l at least.
    fn implied_by_frequency(&self) -> Option<(usize, Ratio)> {
        Some((self.attribute, self.l))
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        let counts = &class.sensitive[self.attribute];
        counts.is_silent() || self.l.value().ln() <= Self::entropy(counts) + TOLERANCE
    }

    // Of all rows, those of the most frequent value weigh most.
    fn overfull(&self, class: &Class<'_>) -> Option<(usize, u32)> {
        let value = class.sensitive[self.attribute].most_frequent(|_| true)?;
        Some((self.attribute, value))
    }
}
