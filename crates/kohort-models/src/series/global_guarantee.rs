//! The global guarantee: over all releases together, nobody ever had a value with more than 1/l.
//!
//! # Definition
//! p_j is the share of a value s in the class of a person in release j. Where values change independently
//! from release to release, the person had s at some time with probability 1 − Π_j (1 − p_j): at most 1/l
//! for every person and value. (Local: each p_j alone is at most 1/l; with p_j = 1/l it fails globally in
//! the second release.) For a planned horizon of J releases it is enough that every
//! p_j ≤ 1 − (1 − 1/l)^(1/J).
//!
//! # Promise
//! Who has all releases links nobody to a value, at whatever time, with a probability above 1/l, as long
//! as there are no more than J releases.
//!
//! # What it does not promise
//! Nothing where values follow one another in ways that are known (see rho-different). Where values do not
//! change at all, this asks for more than is needed: keeping signatures (m-invariance) bounds what is ever
//! learned by 1/m over any number of releases.
//!
//! # Parameters
//! `l`, at least 2; `horizon` (J), at least 1.
//!
//! # References
//! Wong, Fu, Liu, Wang, Xu: Global Privacy Guarantee in Serial Data Publishing, ICDE 2010.

use std::collections::BTreeMap;

use kohort_core::{Error, History, Kind, Parameter, Ratio, SeriesRelease, Spec};

use super::{Broken, CLASSES, PEOPLE, broken_if};

/// The global guarantee over a planned horizon.
#[derive(Clone, Copy, Debug)]
pub struct GlobalGuarantee {
    // Invariant: 2 ≤ l, 1 ≤ horizon.
    l: u32,
    horizon: u32,
}

impl GlobalGuarantee {
    /// What the model is.
    pub const SPEC: Spec = Spec {
        id: "global-guarantee",
        title: "global guarantee over a planned horizon",
        paper: "Wong et al. 2010",
        promise: "over a planned number of releases, nobody is linked to having ever had a value with \
                  a probability above 1/l, where values change independently",
        parameters: &[
            Parameter {
                name: "l", range: "l ≥ 2", doc: "1/l is the largest probability allowed"
            },
            Parameter {
                name: "horizon",
                range: "horizon ≥ 1",
                doc: "the planned number of releases",
            },
        ],
    };

    /// Asks that no value was ever had with a probability above 1/`l`, over `horizon` releases.
    pub fn new(l: u32, horizon: u32) -> Result<Self, Error> {
        for (name, found, least, expected) in
            [("l", l, 2, "at least 2"), ("horizon", horizon, 1, "at least 1")]
        {
            if found < least {
                return Err(Kind::Parameter { name, found: found.to_string(), expected }.into());
            }
        }
        Ok(Self { l, horizon })
    }

    /// How many releases there will be.
    pub fn horizon(&self) -> u32 {
        self.horizon
    }

    /// Whether a value may have this share of a class in every release of the horizon.
    pub fn allows_share(&self, share: Ratio) -> bool {
        let mut never = Never::ONE;
        (0..self.horizon).for_each(|_| never.times_one_minus_down(share));
        never.is_at_least_one_minus(self.l)
    }

    /// The fewest different values of a class that shows each once, so that the horizon is kept.
    pub fn planned_m(&self) -> Option<u32> {
        let allows = |m: u32| self.allows_share(Ratio::new(1, u64::from(m)));
        let (mut refused, mut allowed) = (1, (0..31).map(|bits| 2 << bits).find(|&m| allows(m))?);
        while refused + 1 < allowed {
            let middle = refused.midpoint(allowed);
            if allows(middle) { allowed = middle } else { refused = middle }
        }
        Some(allowed)
    }

    /// Whether everybody's values stay as unlikely with one more release, and the horizon still can be
    /// kept: no share is above the one that is planned.
    pub fn check(&self, history: &History, next: &SeriesRelease) -> Result<(), Broken> {
        if history.releases.len() >= self.horizon as usize {
            return Err(Broken(format!(
                "the {} releases that were planned are over",
                self.horizon
            )));
        }
        let is_over = |values: &[u32]| {
            let largest = values.chunk_by(|a, b| a == b).map(<[u32]>::len).max().unwrap_or(0);
            !self.allows_share(Ratio::new(largest as u64, values.len() as u64))
        };
        let n = next.classes.iter().filter(|class| is_over(&class.values)).count();
        broken_if(n, CLASSES, "in which a value has more than the planned share")?;
        let people = (0..).zip(&next.class_of);
        let n = people.filter(|&(person, _)| !self.holds_for(history, next, person)).count();
        broken_if(n, PEOPLE, "who ever had a value with a larger probability")
    }

    /// Whether Pr(ever had s) ≤ 1/l for every s.
    fn holds_for(self, history: &History, next: &SeriesRelease, person: u32) -> bool {
        let mut never: BTreeMap<u32, Never> = BTreeMap::new();
        for release in history.releases.iter().chain([next]) {
            let class = release.class_of(person).map(|class| &release.classes[class as usize]);
            for run in class.iter().flat_map(|class| class.values.chunk_by(|a, b| a == b)) {
                let size = class.map_or(1, |class| class.values.len());
                let share = Ratio::new(run.len() as u64, size as u64);
                never.entry(run[0]).or_insert(Never::ONE).times_one_minus_down(share);
            }
        }
        never.values().all(|never| never.is_at_least_one_minus(self.l))
    }
}

/// The probability that somebody never had a value; rounded down where it does not fit.
#[derive(Clone, Copy)]
struct Never {
    // Both are below 2^64.
    num: u128,
    den: u128,
}

impl Never {
    const ONE: Self = Self { num: 1, den: 1 };

    fn times_one_minus_down(&mut self, share: Ratio) {
        self.num *= u128::from(share.den() - share.num().min(share.den()));
        self.den *= u128::from(share.den());
        while self.den >= 1 << 64 {
            self.num >>= 1;
            self.den = (self.den >> 1) + 1;
        }
    }

    /// Whether it is at least 1 − 1/l.
    fn is_at_least_one_minus(self, l: u32) -> bool {
        self.num * u128::from(l) >= self.den * u128::from(l - 1)
    }
}

#[cfg(test)]
mod tests {
    use kohort_core::ReleasedClass;

    use super::*;

    #[test]
    fn the_planned_m_is_the_smallest_by_the_formula() {
        for l in 2..8 {
            for horizon in 1..12 {
                let m = GlobalGuarantee::new(l, horizon).unwrap().planned_m().unwrap();
                // p ≤ 1 − (1 − 1/l)^(1/J), as floats: away from equality they agree.
                let most = 1.0 - (1.0 - 1.0 / f64::from(l)).powf(1.0 / f64::from(horizon));
                assert!(1.0 / f64::from(m) <= most + 1e-12, "{l} {horizon} {m}");
                assert!(1.0 / f64::from(m - 1) > most - 1e-12, "{l} {horizon} {m}");
            }
        }
        assert_eq!(GlobalGuarantee::new(2, 1).unwrap().planned_m(), Some(2));
        assert_eq!(GlobalGuarantee::new(2, 2).unwrap().planned_m(), Some(4));
    }

    #[test]
    fn what_does_not_fit_is_rounded_against_us() {
        let guarantee = GlobalGuarantee::new(2, 1000).unwrap();
        let m = guarantee.planned_m().unwrap();
        let most = 1.0 - 0.5_f64.powf(1.0 / 1000.0);
        assert!(1.0 / f64::from(m) <= most && 1.0 / f64::from(m) > most * 0.999, "{m}");
    }

    // With p_j = 1/l it fails at the second release.
    #[test]
    fn one_in_l_twice_is_too_much() {
        let class = ReleasedClass { values: vec![0, 1], n_counterfeits: 0 };
        let release = SeriesRelease { class_of: vec![0, 0], classes: vec![class] };
        let empty = History { n_values: 4, releases: vec![] };
        let once = History { n_values: 4, releases: vec![release.clone()] };
        assert!(GlobalGuarantee::new(2, 1).unwrap().check(&empty, &release).is_ok());
        assert!(GlobalGuarantee::new(2, 2).unwrap().check(&empty, &release).is_err());
        // A wider second class does not mend what the first gave away.
        let class = ReleasedClass { values: vec![0, 1, 2, 3], n_counterfeits: 2 };
        let wide = SeriesRelease { class_of: vec![0, 0], classes: vec![class] };
        let broken = GlobalGuarantee::new(2, 2).unwrap().check(&once, &wide).unwrap_err();
        assert_eq!(broken.0, "2 people who ever had a value with a larger probability");
        assert!(GlobalGuarantee::new(2, 2).unwrap().check(&empty, &wide).is_ok());
    }
}
