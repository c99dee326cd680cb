//! Recursive (c,l)-diversity: the most frequent value is not too frequent against the rarer ones.
//!
//! # Definition
//! For every class E with counts r₁ ≥ r₂ ≥ … ≥ r_m: r₁ < c · (r_l + … + r_m), strictly.
//!
//! # Promise
//! After ruling out l − 2 values the adversary still faces a (c,2)-diverse class.
//!
//! # What it does not promise
//! Nothing about similar values, or about values the table itself makes likely.
//!
//! # References
//! Machanavajjhala et al., TKDD 1(1), 2007.; errata: the sum starts at r_l.

use kohort_core::{Error, Kind, Parameter, Ratio, Spec};

use crate::{Class, ClassModel, Counts};

/// What the model is.
pub(crate) const SPEC: Spec = Spec {
    id: "recursive-cl-diversity",
    title: "recursive (c,l)-diversity",
    paper: "Machanavajjhala et al. 2007",
    promise: "no value is c times as frequent as the ones from the l-th on together",
    parameters: &[
        Parameter {
            name: "c",
            range: "c > 0",
            doc: "how much the most frequent value may dominate the rest",
        },
        Parameter {
            name: "l",
            range: "l ≥ 2",
            doc: "the rank of the value from which the rest is counted",
        },
    ],
};

/// The recursive (c,l)-diversity condition on one sensitive attribute.
#[derive(Clone, Copy, Debug)]
pub struct RecursiveClDiversity {
    attribute: usize,
    // Invariant: 0 < c and 2 ≤ l.
    c: Ratio,
    l: usize,
}

impl RecursiveClDiversity {
    /// Asks for (c,l)-diversity of the sensitive attribute with this index.
    pub fn new(attribute: usize, c: Ratio, l: usize) -> Result<Self, Error> {
        if c.num() == 0 {
            let found = c.to_string();
            return Err(Kind::Parameter { name: "c", found, expected: "above 0" }.into());
        }
        if l < 2 {
            let found = l.to_string();
            return Err(Kind::Parameter { name: "l", found, expected: "at least 2" }.into());
        }
        Ok(Self { attribute, c, l })
    }

    /// The infimum of the c for which a class is (c,l)-diverse: it is for every larger c. `None` when
    /// the class has fewer than `l` values, so that no c will do.
    pub fn smallest_c(counts: &Counts<'_>, l: usize) -> Option<Ratio> {
        let descending = descending(counts);
        let tail: u64 = descending.iter().skip(l.saturating_sub(1)).sum();
        (tail > 0).then(|| Ratio::new(descending[0], tail))
    }

    /// The largest l for which a class is (c,l)-diverse with this c; 0 when it is for none.
    pub fn largest_l(counts: &Counts<'_>, c: Ratio) -> usize {
        let descending = descending(counts);
        let mut tail = 0;
        for (index, count) in descending.iter().enumerate().rev() {
            tail += count;
            if is_below(descending[0], c, tail) {
                return index + 1;
            }
        }
        0
    }
}

fn descending(counts: &Counts<'_>) -> Vec<u64> {
    let mut descending: Vec<u64> = counts.values().iter().map(|&(_, count)| count).collect();
    descending.sort_unstable_by(|a, b| b.cmp(a));
    descending
}

/// r₁ < c · tail, in integers.
fn is_below(r1: u64, c: Ratio, tail: u64) -> bool {
    u128::from(r1) * u128::from(c.den()) < u128::from(c.num()) * u128::from(tail)
}

impl ClassModel for RecursiveClDiversity {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    // The top count of a union is at most the sum of the top counts, its tail at least that of the tails.
    fn is_monotone(&self) -> bool {
        true
    }

    fn smallest(&self) -> u64 {
        self.l as u64
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        let counts = &class.sensitive[self.attribute];
        let smallest = Self::smallest_c(counts, self.l);
        counts.is_silent() || smallest.is_some_and(|smallest| smallest < self.c)
    }

    // Of all rows, those of the most frequent value weigh most.
    fn overfull(&self, class: &Class<'_>) -> Option<(usize, u32)> {
        let value = class.sensitive[self.attribute].most_frequent(|_| true)?;
        Some((self.attribute, value))
    }
}
