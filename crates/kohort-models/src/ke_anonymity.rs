//! (k,e)-anonymity: every class has k different numbers as sensitive values, spread over at least e.
//!
//! # Definition
//! For every class E: its sensitive values, which are numbers, are at least k different ones, and the
//! largest minus the smallest is at least e. A missing value is no number and counts for neither.
//!
//! # Promise
//! Who finds a person's class cannot tell the number from fewer than k, nor to within less than e.
//!
//! # What it does not promise
//! No bound on the probability of a value, and none on a narrower range that most of the class may
//! share: one value far away is enough for e.
//!
//! # Parameters
//! Whole numbers are compared exactly; decimals are floats, compared with 1e-9 of the range in favour of
//! "holds".
//!
//! # References
//! Zhang et al., ICDE 2007.

use kohort_core::{Error, Kind, Parameter, Ratio, Spec};

use crate::{Class, ClassModel, Counts};

/// What the model is.
pub(crate) const SPEC: Spec = Spec {
    id: "ke-anonymity",
    title: "(k,e)-anonymity",
    paper: "Zhang et al. 2007",
    promise: "every class has at least k different numbers, and their range is at least e",
    parameters: &[
        Parameter { name: "k", range: "k ≥ 2", doc: "the smallest number of different values" },
        Parameter { name: "e", range: "e ≥ 0", doc: "the smallest range allowed" },
    ],
};

const TOLERANCE: f64 = 1e-9;

/// The (k,e)-anonymity condition on one numeric sensitive attribute.
#[derive(Clone, Copy, Debug)]
pub struct KeAnonymity {
    attribute: usize,
    // Invariant: 2 ≤ k.
    k: u64,
    e: Ratio,
}

impl KeAnonymity {
    /// Asks for `k` different numbers with a range of at least `e` of the sensitive attribute with this
    /// index. No class of an attribute that is not numeric keeps it.
    pub fn new(attribute: usize, k: u64, e: Ratio) -> Result<Self, Error> {
        if k < 2 {
            let found = k.to_string();
            return Err(Kind::Parameter { name: "k", found, expected: "at least 2" }.into());
        }
        Ok(Self { attribute, k, e })
    }

    /// The number of different numbers in a class.
    pub fn n_numbers(counts: &Counts<'_>) -> u64 {
        let is_number = |code: u32| counts.table.attribute().number(code).is_some();
        counts.values().iter().filter(|&&(code, _)| is_number(code)).count() as u64
    }

    /// Whether the numbers of a class spread over at least `e`.
    pub fn spreads(counts: &Counts<'_>, e: Ratio) -> bool {
        let attribute = counts.table.attribute();
        if let kohort_core::Values::Integer(values) = attribute.values() {
            // By value and not by rank: where rows are dropped, some values have none.
            let value = |code: u32| attribute.value_of_code()[code as usize] as usize;
            let of = |&(code, _): &(u32, u64)| values.get(value(code)).copied();
            let numbers = || counts.values().iter().filter_map(of);
            let (Some(least), Some(most)) = (numbers().min(), numbers().max()) else {
                return false;
            };
            return Ratio::whole(most.abs_diff(least)) >= e;
        }
        let numbers = || counts.values().iter().filter_map(|&(code, _)| attribute.number(code));
        let (Some(least), Some(most)) = (numbers().reduce(f64::min), numbers().reduce(f64::max))
        else {
            return false;
        };
        (most - least) * (1.0 + TOLERANCE) >= e.value()
    }
}

impl ClassModel for KeAnonymity {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    // A union has every value that either part has, so its range is at least as wide.
    fn is_monotone(&self) -> bool {
        true
    }

    fn smallest(&self) -> u64 {
        self.k
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        let counts = &class.sensitive[self.attribute];
        let holds = self.k <= Self::n_numbers(counts) && Self::spreads(counts, self.e);
        holds || counts.is_silent()
    }
}
