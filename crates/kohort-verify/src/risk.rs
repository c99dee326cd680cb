//! Linking risk: prosecutor, journalist and marketer.
//!
//! # References
//! specs/07 §1-3.

use kohort_core::Ratio;

use crate::{ClassSizes, Presence};

/// The risk against somebody who knows that the target is in the table.
#[derive(Clone, Debug)]
pub struct Prosecutor {
    /// The risk of the most exposed row: one over the smallest class.
    pub max: Ratio,
    /// The mean risk of a row: classes per row.
    pub mean: Ratio,
    /// For thresholds 1/5, 1/10 and 1/20: the rows whose risk is above.
    pub above: [(u64, u64); 3],
    /// The rows that are alone in their class.
    pub unique: u64,
}

/// The risk against somebody who only knows that the target is in a population.
#[derive(Clone, Debug)]
pub struct Linking {
    /// The journalist's risk: one over the smallest population class that the table shows.
    pub journalist_max: f64,
    /// The marketer's risk: the share of rows linked rightly at random.
    pub marketer: f64,
    /// Whether the population was estimated from a sampling fraction.
    pub is_estimate: bool,
}

/// The prosecutor's risk; `None` without a row.
pub fn prosecutor(sizes: &ClassSizes) -> Option<Prosecutor> {
    Some(Prosecutor {
        max: Ratio::new(1, sizes.k()?),
        mean: sizes.distinct_ratio(),
        above: [5, 10, 20].map(|threshold| (threshold, sizes.suppressed_for(threshold))),
        unique: sizes.suppressed_for(2),
    })
}

/// Journalist and marketer risk against a public table; `None` without a row. A public class smaller
/// than the table's is taken to be the table's: those people exist.
pub fn linking(presence: &Presence) -> Option<Linking> {
    let shown = presence.classes.iter().filter(|&&(members, _)| members > 0);
    let mut smallest = u64::MAX;
    let (mut n, mut expected) = (0, 0.0);
    for &(f, population) in shown {
        let population = population.max(f);
        smallest = smallest.min(population);
        n += f;
        expected += Ratio::new(f, population).value();
    }
    (n > 0).then(|| Linking {
        journalist_max: Ratio::new(1, smallest).value(),
        marketer: expected / Ratio::whole(n).value(),
        is_estimate: false,
    })
}

/// Journalist and marketer risk when the table is a sample of this fraction of the population: each
/// class is taken to be that much larger there.
pub fn linking_estimate(sizes: &ClassSizes, fraction: Ratio) -> Option<Linking> {
    // Each class is f / fraction people, so a row of it is linked with fraction / f.
    Some(Linking {
        journalist_max: fraction.value() / Ratio::whole(sizes.k()?).value(),
        marketer: fraction.value() * sizes.distinct_ratio().value(),
        is_estimate: true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // specs/07 §1-3: f = (2, 2, 5), F = (4, 10, 5).
    #[test]
    fn spec_7_1_to_3_prosecutor_journalist_marketer() {
        let presence = Presence { classes: vec![(2, 4), (2, 10), (5, 5)] };
        let risk = prosecutor(&presence.table_sizes()).unwrap();
        assert_eq!(risk.max, Ratio::new(1, 2));
        assert_eq!(risk.mean, Ratio::new(1, 3));
        assert_eq!(risk.above, [(5, 4), (10, 9), (20, 9)]);
        let linked = linking(&presence).unwrap();
        assert!((linked.journalist_max - 0.25).abs() < 1e-12);
        assert!((linked.marketer - 0.1889).abs() < 5e-5);
    }

    #[test]
    fn a_sampling_fraction_scales_the_population() {
        let sizes: ClassSizes = [2, 2, 5].into_iter().collect();
        let linked = linking_estimate(&sizes, Ratio::new(1, 10)).unwrap();
        assert!((linked.journalist_max - 0.05).abs() < 1e-12);
        // Each class is linked with probability 1/10 per row; three classes of nine rows.
        assert!((linked.marketer - 3.0 / 90.0).abs() < 1e-12);
        assert!(linked.is_estimate);
    }
}
