//! Exact fractions: thresholds that decide privacy are never compared as floats.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// A fraction of whole numbers, in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    num: u64,
    den: u64,
}

impl Ratio {
    /// `num / den` in lowest terms.
    ///
    /// # Panics
    /// When `den` is zero.
    pub fn new(num: u64, den: u64) -> Self {
        assert!(den > 0, "a fraction has a denominator");
        let common = gcd(num, den);
        Self { num: num / common, den: den / common }
    }

    /// A whole number.
    pub fn whole(num: u64) -> Self {
        Self { num, den: 1 }
    }

    /// The numerator.
    pub fn num(self) -> u64 {
        self.num
    }

    /// The denominator, never zero.
    pub fn den(self) -> u64 {
        self.den
    }

    /// The nearest float, for display.
    #[expect(clippy::cast_precision_loss, reason = "for display only")]
    pub fn value(self) -> f64 {
        self.num as f64 / self.den as f64
    }

    /// The whole part of this share of `n`.
    pub fn floor_of(self, n: u64) -> u64 {
        let whole = u128::from(n) * u128::from(self.num) / u128::from(self.den);
        u64::try_from(whole).unwrap_or(u64::MAX)
    }
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ratio {
    fn cmp(&self, other: &Self) -> Ordering {
        let left = u128::from(self.num) * u128::from(other.den);
        left.cmp(&(u128::from(other.num) * u128::from(self.den)))
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.den == 1 {
            write!(f, "{}", self.num)
        } else {
            write!(f, "{}/{}", self.num, self.den)
        }
    }
}

impl Ratio {
    /// Reads a number as [`FromStr`] does, or a percentage such as `50%`, exactly.
    pub fn share(text: &str) -> Result<Self, &'static str> {
        let Some(percent) = text.trim().strip_suffix('%') else { return text.parse() };
        let found: Self = percent.parse()?;
        let den = found.den.checked_mul(100).ok_or("expected a percentage of fewer digits")?;
        Ok(Self::new(found.num, den))
    }
}

impl FromStr for Ratio {
    type Err = &'static str;

    /// Reads `3`, `0.02` or `1/3` exactly.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str = "expected a number such as 3, 0.02 or 1/3";
        let whole = |text: &str| {
            let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| text.parse::<u64>().ok()).flatten().ok_or(EXPECTED)
        };
        let text = text.trim();
        if let Some((num, den)) = text.split_once('/') {
            let den = whole(den.trim())?;
            return if den == 0 { Err(EXPECTED) } else { Ok(Self::new(whole(num.trim())?, den)) };
        }
        let Some((before, after)) = text.split_once('.') else {
            return whole(text).map(Self::whole);
        };
        if before.len() + after.len() > 18 {
            return Err("expected a number of at most 18 digits");
        }
        let den = 10_u64.pow(u32::try_from(after.len()).map_err(|_| EXPECTED)?);
        whole(&format!("{before}{after}")).map(|num| Self::new(num, den))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_read_exactly() {
        let read = |text: &str| text.parse::<Ratio>().map(|ratio| (ratio.num, ratio.den));
        assert_eq!(read("0.25"), Ok((1, 4)));
        assert_eq!(read("3"), Ok((3, 1)));
        assert_eq!(read("2/6"), Ok((1, 3)));
        assert_eq!(read(".5"), Ok((1, 2)));
        assert_eq!(read("0"), Ok((0, 1)));
        let share = |text: &str| Ratio::share(text).map(|ratio| (ratio.num, ratio.den));
        assert_eq!(
            (share("0.25"), share("25%"), share(" 12.5 %")),
            (Ok((1, 4)), Ok((1, 4)), Ok((1, 8)))
        );
        assert!(["%", "2%%", "-2%"].iter().all(|bad| share(bad).is_err()));
        for bad in ["", "-1", "1/0", "1e3", "a", "1.2.3", ".", "50%"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_tenth_of_thirty_is_three() {
        // 0.1 * 30 as floats is 3.0000000000000004.
        assert_eq!("0.1".parse::<Ratio>().unwrap().floor_of(30), 3);
        assert!(Ratio::new(1, 3) < Ratio::new(34, 100));
    }
}
