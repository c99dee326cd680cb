//! The worked numbers, and counting against scaling and against every way.

use kohort_core::Ctx;

use super::classes::Members;
use super::learn::learn;

const S: u32 = 0;
const N: u32 = 1;

/// {S,N}:{cancer,flu} twice, {S,S}:{cancer,cold}, {N,N}:{flu,cold}.
fn after(rounds: usize) -> f64 {
    let points = |codes: [u32; 2]| codes.iter().map(|&code| vec![code]).collect::<Vec<_>>();
    let classes = [points([S, N]), points([S, N]), points([S, S]), points([N, N])];
    let members = Members::of_points(&[2], &classes);
    let (cancer, flu, cold) = (0, 1, 2);
    let values: [&[(u32, u32)]; 4] = [
        &[(cancer, 1), (flu, 1)],
        &[(cancer, 1), (flu, 1)],
        &[(cancer, 1), (cold, 1)],
        &[(flu, 1), (cold, 1)],
    ];
    learn(&Ctx::quiet(), &members, &values, 3, 0.0, rounds)[0][0]
}

#[test]
fn spec_07_a_smoker_has_cancer_with_50_80_98_and_100_percent() {
    let expected = [0.5, 0.8, 0.9769, 0.9998];
    for (rounds, expected) in expected.iter().enumerate() {
        let found = after(rounds);
        assert!((found - expected).abs() < 5e-5, "{rounds}: {found}");
    }
}

#[test]
fn large_classes_are_scaled_to_their_sums() {
    // Forty members, half of them with each of two quasi-identifiers, twelve values.
    let points: Vec<Vec<u32>> = (0..40).map(|member| vec![member % 2]).collect();
    let members = Members::of_points(&[2], &[points.clone(), points[..2].to_vec()]);
    let many: Vec<(u32, u32)> =
        (0..12).map(|value| (value, if value < 4 { 4 } else { 3 })).collect();
    let few = [(0, 1), (5, 1)];
    let values: [&[(u32, u32)]; 2] = [&many, &few];
    let weights = learn(&Ctx::quiet(), &members, &values, 12, 1.0, 3);
    for row in weights[0].chunks(12) {
        assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }
    for (at, &(_, count)) in many.iter().enumerate() {
        let sum: f64 = weights[0].iter().skip(at).step_by(12).sum();
        assert!((sum - f64::from(count)).abs() < 1e-3, "{at}: {sum}");
    }
}
