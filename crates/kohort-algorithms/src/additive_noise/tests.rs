//! Covariances, types and notes of additive noise.

use kohort_core::{Dataset, Role, date};

use super::*;
use crate::Settings;
use crate::tests::laws::models;
use crate::tests::tables::{Given, dataset, problem, settings};

fn candidate(data: &Dataset, noise: f64) -> Result<Candidate, Failure> {
    let settings = Settings { noise, ..settings(data.quasi().len()) };
    AdditiveNoise.anonymize(&Ctx::quiet(), &problem(data, models(2, None), settings))
}

fn numbers(candidate: &Candidate, axis: usize) -> &[f64] {
    match &candidate.perturbed[axis] {
        Perturbed::Numbers(numbers) => numbers,
        Perturbed::Codes(_) => panic!("a column with noise has numbers"),
    }
}

fn mean(numbers: impl Iterator<Item = f64> + Clone) -> f64 {
    numbers.clone().sum::<f64>() / numbers.count() as f64
}

#[test]
fn the_factor_times_its_transpose_is_the_matrix() {
    let check = |matrix: &[Vec<f64>]| {
        let lower = cholesky(matrix);
        for (row, expected) in lower.iter().zip(matrix) {
            for (column, expected) in lower.iter().zip(expected) {
                let found: f64 = row.iter().zip(column).map(|(a, b)| a * b).sum();
                assert!((found - expected).abs() < 1e-9, "{found} for {expected}");
            }
        }
        lower
    };
    let lower = check(&[vec![4.0, 2.0], vec![2.0, 3.0]]);
    assert_eq!(lower, [[2.0, 0.0], [1.0, 2.0_f64.sqrt()]]);
    check(&[vec![1.0, 0.3, -0.2], vec![0.3, 1.0, 0.5], vec![-0.2, 0.5, 1.0]]);
    // The first two columns are the same, and the third is their opposite.
    check(&[vec![1.0, 1.0, -1.0], vec![1.0, 1.0, -1.0], vec![-1.0, -1.0, 1.0]]);
}

/// 10,000 heights, and weights that follow them with a correlation near 0.8.
fn people() -> Dataset {
    let mut draw = Draw::new(11);
    let rows: Vec<(f64, f64)> = (0..10_000).map(|_| (draw.normal(), draw.normal())).collect();
    let heights: Vec<f64> = rows.iter().map(|row| 170.0 + 10.0 * row.0).collect();
    let weights: Vec<f64> =
        rows.iter().map(|row| 70.0 + 5.0 * (0.8 * row.0 + 0.6 * row.1)).collect();
    dataset(&[
        Given::flat("height", Role::Quasi, &heights),
        Given::flat("weight", Role::Quasi, &weights),
    ])
}

#[test]
fn noise_has_mean_zero_and_the_covariance_of_the_columns() {
    let data = people();
    let candidate = candidate(&data, 0.5).unwrap();
    let quasi = data.quasi();
    let column = |axis: usize| -> Vec<f64> {
        quasi[axis].codes().iter().map(|code| quasi[axis].number(code).unwrap()).collect()
    };
    let columns = [column(0), column(1)];
    let covariance = |a: &[f64], b: &[f64]| {
        let (mean_a, mean_b) = (mean(a.iter().copied()), mean(b.iter().copied()));
        mean(a.iter().zip(b).map(|(a, b)| (a - mean_a) * (b - mean_b)))
    };
    let noise = [0, 1].map(|axis| -> Vec<f64> {
        let noisy = numbers(&candidate, axis);
        noisy.iter().zip(&columns[axis]).map(|(noisy, x)| noisy - x).collect()
    });
    for (a, b) in [(0, 0), (0, 1), (1, 1)] {
        let expected = 0.25 * covariance(&columns[a], &columns[b]);
        let found = covariance(&noise[a], &noise[b]);
        // Four standard errors of a covariance with this correlation are below 6.4 %.
        assert!((found / expected - 1.0).abs() < 0.064, "{found} for {expected}");
    }
    for (noise, deviation) in noise.iter().zip([10.0, 5.0]) {
        // Four standard errors: 4·0.5·deviation/√n.
        assert!(mean(noise.iter().copied()).abs() < 0.02 * deviation);
    }
    let (h, w) = (numbers(&candidate, 0), numbers(&candidate, 1));
    let correlation =
        |a: &[f64], b: &[f64]| covariance(a, b) / (covariance(a, a) * covariance(b, b)).sqrt();
    let before = correlation(&columns[0], &columns[1]);
    assert!((correlation(h, w) - before).abs() < 0.02, "correlations are kept");
}

#[test]
fn types_missing_values_and_columns_of_one_value_are_kept() {
    let data = dataset(&[
        Given::flat("age", Role::Quasi, &["20", "", "40", "60"]),
        Given::flat("day", Role::Quasi, &["9999-12-31", "0001-01-01", "9999-12-30", "NA"]),
        Given::flat("key", Role::Quasi, &["9007199254740993", "", "", ""]),
        Given::flat("sex", Role::Quasi, &["f", "m", "f", "m"]),
    ]);
    let candidate = candidate(&data, 3.0).unwrap();
    let (ages, days) = (numbers(&candidate, 0), numbers(&candidate, 1));
    assert!(ages[1].is_nan() && days[3].is_nan());
    assert!(ages.iter().filter(|age| !age.is_nan()).all(|age| age.fract() == 0.0));
    let day = |year, month, day| f64::from(date::days_from_civil(year, month, day).unwrap());
    for days in days[..3].iter().map(|micros| micros / DAY as f64) {
        assert!(days.fract() == 0.0 && (day(0, 1, 1)..=day(9999, 12, 31)).contains(&days));
    }
    assert!(candidate.perturbed[2..].iter().all(|shown| matches!(shown, Perturbed::Codes(_))));
}

#[test]
fn notes_say_how_wide_the_interval_is_and_what_rounding_undoes() {
    // The standard deviation is 1/2, and the noise far too small to reach the next number.
    let data = dataset(&[
        Given::flat("age", Role::Quasi, &[1, 2]),
        Given::flat("sex", Role::Quasi, &["f", "m"]),
    ]);
    assert_eq!(
        candidate(&data, 0.1).unwrap().notes,
        [
            "`sex` is published as it is: the method is not for its type",
            "with confidence 95 % a number lies in an interval that is 0.392 standard deviations \
             of its column wide",
            "spectral filtering can take away part of the noise where columns are correlated",
            "rounding leaves 100 % of `age` as it was",
        ]
    );
}

#[test]
fn no_noise_and_categories_alone_are_refused() {
    let data = dataset(&[Given::flat("sex", Role::Quasi, &["f", "m"])]);
    let check = |noise, message: &str| {
        let Err(Failure::Error(error)) = candidate(&data, noise) else { panic!("it is refused") };
        assert_eq!(error.to_string(), message);
    };
    check(0.0, "`noise` must be above 0, but is 0");
    check(f64::NAN, "`noise` must be above 0, but is NaN");
    check(0.1, "`additive-noise` needs a quasi-identifier of numbers or dates");
}
