//! Sums of reciprocals and ratios of gamma functions, without cancellation.

/// Σ 1 / (x + i) over i from 0 to m − 1, for x above 0: the digamma function of x + m less that of x.
pub(super) fn harmonic(mut x: f64, mut m: f64) -> f64 {
    let mut sum = 0.0;
    while x < LARGE && m > 0.0 {
        sum += 1.0 / x;
        x += 1.0;
        m -= 1.0;
    }
    if m > 0.0 {
        // ψ(x) = ln x − 1/(2x) − 1/(12x²) + 1/(120x⁴) − 1/(252x⁶) + …
        let tail = |x: f64| {
            let y = 1.0 / (x * x);
            -0.5 / x - y * (1.0 / 12.0 - y * (1.0 / 120.0 - y * (1.0 / 252.0 - y / 240.0)))
        };
        sum += (m / x).ln_1p() + (tail(x + m) - tail(x));
    }
    sum
}

/// The logarithm of Γ(x + a) / Γ(x), for x above 0 and a from 0 to 1.
pub(super) fn ln_gamma_ratio(mut x: f64, a: f64) -> f64 {
    let mut sum = 0.0;
    while x < LARGE {
        // Γ(x + 1) = x Γ(x).
        sum += x.ln() - (x + a).ln();
        x += 1.0;
    }
    // ln Γ(x) = (x − 1/2) ln x − x + ln(2π)/2 + 1/(12x) − 1/(360x³) + 1/(1260x⁵) − …
    let tail = |x: f64| {
        let y = 1.0 / (x * x);
        (1.0 / 12.0 - y * (1.0 / 360.0 - y * (1.0 / 1260.0 - y / 1680.0))) / x
    };
    sum + (x - 0.5) * (a / x).ln_1p() + a * (x + a).ln() - a + (tail(x + a) - tail(x))
}

// From here on the series are exact to the last digits.
const LARGE: f64 = 16.0;

/// The number from `low` to `high` where a function that is positive before it turns negative.
pub(super) fn turn(mut low: f64, mut high: f64, is_positive: impl Fn(f64) -> bool) -> f64 {
    loop {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            return middle;
        }
        if is_positive(middle) { low = middle } else { high = middle }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_reciprocals_are_added_up() {
        for x in [1e-3, 0.4, 1.0, 7.3, 15.9, 16.0, 250.0, 1e6] {
            for m in [0_u32, 1, 2, 15, 16, 17, 40, 5_000] {
                let plain: f64 = (0..m).map(|i| 1.0 / (x + f64::from(i))).sum();
                assert!(
                    (harmonic(x, f64::from(m)) - plain).abs() <= 1e-12 * plain.max(1e-3),
                    "{x} {m}"
                );
            }
        }
        // Far out, where the two digammas agree in all their digits.
        assert!((harmonic(1e15, 1e6) / 1e-9 - 1.0).abs() < 1e-9);
    }

    #[test]
    fn ratios_of_gammas_telescope() {
        // With a = 1/2 twice: Γ(x + 1) / Γ(x) = x.
        for x in [1e-3, 0.5, 1.0, 3.25, 15.5, 16.0, 1e3, 1e9, 1e13] {
            let twice = ln_gamma_ratio(x, 0.5) + ln_gamma_ratio(x + 0.5, 0.5);
            assert!((twice - f64::ln(x)).abs() < 1e-12 * f64::ln(x).abs().max(1.0), "{x}");
            assert!(ln_gamma_ratio(x, 0.0).abs() < 1e-15);
            assert!(
                (ln_gamma_ratio(x, 1.0) - f64::ln(x)).abs() < 1e-12 * f64::ln(x).abs().max(1.0)
            );
        }
        // Γ(1/2) = √π, Γ(1) = 1.
        let root = std::f64::consts::PI.sqrt().ln();
        assert!((ln_gamma_ratio(0.5, 0.5) + root).abs() < 1e-13);
    }
}
