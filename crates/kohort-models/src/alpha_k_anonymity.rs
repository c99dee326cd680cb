//! (alpha,k)-anonymity: chosen sensitive values fill at most a share alpha of every class of k rows.
//!
//! # Definition
//! For every class E: |E| ≥ k, and c_E(v) / |E| ≤ alpha for every chosen value v.
//!
//! # Promise
//! Nobody is found to have one of the chosen values with probability above alpha.
//!
//! # What it does not promise
//! Nothing about values that were not chosen.
//!
//! # References
//! Wong et al., KDD 2006.; errata: ≤ alpha, not <.

use kohort_core::{Error, Kind, Parameter, Ratio, Spec};

use crate::{Class, ClassModel, Counts};

/// What the model is.
pub(crate) const SPEC: Spec = Spec {
    id: "alpha-k-anonymity",
    title: "(alpha,k)-anonymity",
    paper: "Wong et al. 2006",
    promise: "nobody is found to have a chosen value with probability above alpha",
    parameters: &[
        Parameter { name: "alpha", range: "0 < alpha ≤ 1", doc: "the largest share allowed" },
        Parameter { name: "k", range: "k ≥ 1", doc: "the smallest class allowed" },
        Parameter {
            name: "values",
            range: "values of the attribute",
            doc: "the values to protect",
        },
    ],
};

/// The (alpha,k)-anonymity condition on chosen values of one sensitive attribute.
#[derive(Clone, Debug)]
pub struct AlphaKAnonymity {
    attribute: usize,
    // Invariant: 0 < alpha ≤ 1.
    alpha: Ratio,
    k: u64,
    // Invariant: sorted.
    codes: Vec<u32>,
}

impl AlphaKAnonymity {
    /// Asks that each value in `codes` fills at most `alpha` of every class, and classes of `k` rows.
    pub fn new(attribute: usize, alpha: Ratio, k: u64, mut codes: Vec<u32>) -> Result<Self, Error> {
        if alpha.num() == 0 || alpha > Ratio::whole(1) {
            let found = alpha.to_string();
            let expected = "above 0 and at most 1";
            return Err(Kind::Parameter { name: "alpha", found, expected }.into());
        }
        codes.sort_unstable();
        Ok(Self { attribute, alpha, k, codes })
    }

    /// The smallest alpha that holds for a class: the largest share of a chosen value. `codes` is
    /// sorted.
    pub fn level(counts: &Counts<'_>, codes: &[u32]) -> Ratio {
        let chosen = counts.values().iter().filter(|(code, _)| codes.binary_search(code).is_ok());
        let largest = chosen.map(|&(_, count)| count).max().unwrap_or(0);
        Ratio::new(largest, counts.size().max(1))
    }
}

impl ClassModel for AlphaKAnonymity {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    // Sizes add up, and the share in a union is at most the larger of the two (mediant).
    fn is_monotone(&self) -> bool {
        true
    }

    fn smallest(&self) -> u64 {
        self.k
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        self.k <= class.size
            && Self::level(&class.sensitive[self.attribute], &self.codes) <= self.alpha
    }

    fn overfull(&self, class: &Class<'_>) -> Option<(usize, u32)> {
        let counts = &class.sensitive[self.attribute];
        let value = counts.most_frequent(|code| self.codes.binary_search(&code).is_ok())?;
        (Self::level(counts, &self.codes) > self.alpha).then_some((self.attribute, value))
    }
}
