//! Enhanced beta-likeness: basic beta-likeness that also keeps frequent values from becoming certain.
//!
//! # Definition
//! For every class E and value v with share p_v in E and q_v in the table: where p_v > q_v,
//! (p_v − q_v) / q_v ≤ min(beta, −ln q_v).
//!
//! # Promise
//! As basic beta-likeness, and p_v ≤ q_v · (1 − ln q_v) < 1: a value that not everybody in the table has
//! is certain in no class.
//!
//! # What it does not promise
//! Nothing about values that become less likely.
//!
//! # Parameters
//! beta is decided in integers; −ln q_v is a float and compared with 1e-9 in favour of "holds".
//!
//! # References
//! Cao and Karras, PVLDB 5(11), 2012.

use kohort_core::{Error, Parameter, Ratio, Spec};

use crate::{BasicBetaLikeness, Class, ClassModel, Counts};

/// What the model is.
pub(crate) const SPEC: Spec = Spec {
    id: "enhanced-beta-likeness",
    title: "enhanced beta-likeness",
    paper: "Cao and Karras 2012",
    promise: "no value is more likely in a class than in the table by a factor above 1 + beta, \
              and none becomes certain",
    parameters: &[Parameter {
        name: "beta",
        range: "beta > 0",
        doc: "the largest relative gain in probability allowed",
    }],
};

const TOLERANCE: f64 = 1e-9;

/// The enhanced beta-likeness condition on one sensitive attribute.
#[derive(Clone, Copy, Debug)]
pub struct EnhancedBetaLikeness {
    attribute: usize,
    basic: BasicBetaLikeness,
}

impl EnhancedBetaLikeness {
    /// Asks that no value v of the sensitive attribute with this index gains more than
    /// min(`beta`, −ln q_v).
    pub fn new(attribute: usize, beta: Ratio) -> Result<Self, Error> {
        Ok(Self { attribute, basic: BasicBetaLikeness::new(attribute, beta)? })
    }
}

impl ClassModel for EnhancedBetaLikeness {
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
        self.basic.holds(class) && is_below_entropy(&class.sensitive[self.attribute])
    }
}

/// (p_v − q_v) / q_v ≤ −ln q_v for every value of the class.
fn is_below_entropy(counts: &Counts<'_>) -> bool {
    let (size, n) = (counts.size(), counts.table.n());
    counts.values().iter().all(|&(code, count)| {
        let p = Ratio::new(count, size).value();
        let q = Ratio::new(counts.table.count(code), n).value();
        p / q - 1.0 <= -q.ln() + TOLERANCE
    })
}
