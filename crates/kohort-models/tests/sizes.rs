//! Models about all classes together, against their definitions row by row.

use kohort_core::Ratio;
use kohort_models::{AverageRisk, PopulationUniqueness, SampleUniqueness, SizeModel};
use proptest::prelude::*;

/// The number of classes of each size.
fn counted(classes: &[u64]) -> Vec<(u64, u64)> {
    let mut sizes: Vec<u64> = classes.to_vec();
    sizes.sort_unstable();
    sizes.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u64)).collect()
}

proptest! {
    #[test]
    fn the_average_risk_is_the_mean_over_rows(
        classes in prop::collection::vec(1_u64..9, 1..30), num in 1_u64..=20
    ) {
        let p = Ratio::new(num, 20);
        // Σ over rows of 1/|E|, in units of 1/2520: every size below 10 divides it.
        let units: u64 = classes.iter().map(|size| size * (2520 / size)).sum();
        let n_rows: u64 = classes.iter().sum();
        let is_kept = units * 20 <= num * n_rows * 2520;
        let model = AverageRisk::new(p).unwrap();
        prop_assert_eq!(model.holds(&counted(&classes)), is_kept);
        let large: Vec<u64> = classes.iter().map(|size| size + model.enough() - 1).collect();
        prop_assert!(model.holds(&counted(&large)));
    }

    #[test]
    fn uniqueness_counts_rows_that_are_alone(
        classes in prop::collection::vec(1_u64..5, 1..30), num in 0_u64..=20
    ) {
        let alone = classes.iter().filter(|&&size| size == 1).count() as u64;
        let n_rows: u64 = classes.iter().sum();
        let is_kept = alone * 20 <= num * n_rows;
        let (p, sizes) = (Ratio::new(num, 20), counted(&classes));
        let sample = SampleUniqueness::new(p).unwrap();
        prop_assert_eq!(sample.holds(&sizes), is_kept);
        prop_assert_eq!(sample.in_the_way(&sizes), if is_kept { (0, 0) } else { (alone, alone) });
        // A sample of everybody is the population.
        let whole = PopulationUniqueness::new(p, Ratio::whole(1)).unwrap();
        prop_assert_eq!(whole.holds(&sizes), is_kept);
    }

    #[test]
    fn without_rows_that_are_alone_nobody_is_estimated_to_be(
        classes in prop::collection::vec(2_u64..9, 1..30), percent in 1_u64..100
    ) {
        let model = PopulationUniqueness::new(Ratio::whole(0), Ratio::new(percent, 100)).unwrap();
        prop_assert!(model.holds(&counted(&classes)));
    }
}
