//! Sensitivity classes: values declared highly sensitive fill, together and one by one, at most a share
//! of every class.
//!
//! # Definition
//! The values of the sensitive attribute are high (the set H) or low. For every class E:
//! |H ∩ E| ≤ alpha · |E|; where l is given, c_E(v) · l ≤ |E| for every high value v; where l-low is
//! given, c_E(v) · l-low ≤ |E| for every low value v.
//!
//! # Promise
//! Nobody is found to have a high value with probability above alpha, nor a certain high value with
//! probability above 1/l. Rows with low values are under the same roof: being absent from them tells
//! nothing.
//!
//! # What it does not promise
//! Without l-low a low value may fill a whole class.
//!
//! # References
//! The safe form of "k-anonymity by categorization of sensitive values" (Sharma et al.). The
//! original publishes rows with low values as they are, so that whoever is not among them has a high
//! value.

use kohort_core::{Error, Kind, Parameter, Ratio, Spec};

use crate::{Class, ClassModel};

/// What the model is.
pub(crate) const SPEC: Spec = Spec {
    id: "sensitivity-classes",
    title: "sensitivity classes",
    paper: "after Sharma et al.",
    promise: "nobody is found to have a highly sensitive value with probability above alpha",
    parameters: &[
        Parameter {
            name: "high",
            range: "values of the attribute",
            doc: "the highly sensitive values",
        },
        Parameter {
            name: "alpha",
            range: "0 < alpha ≤ 1",
            doc: "the largest share of high values together",
        },
        Parameter {
            name: "l",
            range: "l > 1, may be left out",
            doc: "one over the largest share of one high value",
        },
        Parameter {
            name: "l-low",
            range: "l-low > 1, may be left out",
            doc: "one over the largest share of one low value",
        },
    ],
};

/// The condition on the high and low values of one sensitive attribute.
#[derive(Clone, Debug)]
pub struct SensitivityClasses {
    attribute: usize,
    // Invariant: sorted.
    high: Vec<u32>,
    // Invariant: 0 < alpha ≤ 1.
    alpha: Ratio,
    // Invariant: both are above 1 where given.
    l: Option<Ratio>,
    l_low: Option<Ratio>,
}

impl SensitivityClasses {
    /// Asks that the values in `high` together fill at most `alpha` of every class of the sensitive
    /// attribute with this index.
    pub fn new(attribute: usize, mut high: Vec<u32>, alpha: Ratio) -> Result<Self, Error> {
        if alpha.num() == 0 || alpha > Ratio::whole(1) {
            let (found, expected) = (alpha.to_string(), "above 0 and at most 1");
            return Err(Kind::Parameter { name: "alpha", found, expected }.into());
        }
        high.sort_unstable();
        Ok(Self { attribute, high, alpha, l: None, l_low: None })
    }

    /// Asks too that no high value exceeds a share of `1/l`.
    pub fn with_l(self, l: Ratio) -> Result<Self, Error> {
        Ok(Self { l: Some(above_one("l", l)?), ..self })
    }

    /// Asks too that no low value exceeds a share of `1/l_low`.
    pub fn with_l_low(self, l_low: Ratio) -> Result<Self, Error> {
        Ok(Self { l_low: Some(above_one("l-low", l_low)?), ..self })
    }
}

fn above_one(name: &'static str, l: Ratio) -> Result<Ratio, Error> {
    if l <= Ratio::whole(1) {
        return Err(Kind::Parameter { name, found: l.to_string(), expected: "above 1" }.into());
    }
    Ok(l)
}

/// The fewest rows among which one is at most a share of `1/l`.
fn rows_for(l: Option<Ratio>) -> u64 {
    l.map_or(1, |l| l.num().div_ceil(l.den()))
}

impl ClassModel for SensitivityClasses {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    // Every share in a union is at most the larger of the two (mediant).
    fn is_monotone(&self) -> bool {
        true
    }

    // A class has a row with a high value or one with a low value.
    fn smallest(&self) -> u64 {
        let among = Ratio::new(self.alpha.den(), self.alpha.num());
        rows_for(Some(among)).max(rows_for(self.l)).min(rows_for(self.l_low))
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        let counts = &class.sensitive[self.attribute];
        let size = counts.size().max(1);
        let mut high = 0;
        let each = counts.values().iter().all(|&(code, count)| {
            let is_high = self.high.binary_search(&code).is_ok();
            high += if is_high { count } else { 0 };
            let l = if is_high { self.l } else { self.l_low };
            l.is_none_or(|l| l <= Ratio::new(size, count))
        });
        each && Ratio::new(high, size) <= self.alpha
    }

    // A high value where those are too many, together or for themselves, and else a low one.
    fn overfull(&self, class: &Class<'_>) -> Option<(usize, u32)> {
        let counts = &class.sensitive[self.attribute];
        let is_high = |code: u32| self.high.binary_search(&code).is_ok();
        let size = counts.size().max(1);
        let of_high = || counts.values().iter().filter(|&&(code, _)| is_high(code));
        let together: u64 = of_high().map(|&(_, count)| count).sum();
        let is_over = |count: u64| self.l.is_some_and(|l| Ratio::new(size, count) < l);
        let is_overfull =
            Ratio::new(together, size) > self.alpha || of_high().any(|&(_, count)| is_over(count));
        let value = counts.most_frequent(|code| is_high(code) == is_overfull)?;
        Some((self.attribute, value))
    }
}
