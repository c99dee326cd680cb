//! Numbers as whole multiples of a power of ten, so that borders of ranges are exact: in binary,
//! 0.57 times 100 is less than 57.

use kohort_core::Values;

/// The most decimals a border may have.
pub(super) const MAX_SCALE: usize = 12;
/// Borders lie below this.
pub(super) const MAX_BORDER: f64 = 1e18;
/// Values lie below this.
pub(super) const MAX_VALUE: f64 = 1e24;

/// A number in units of a power of ten, rounded down, and whether anything was left over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Units {
    pub(super) floor: i128,
    pub(super) has_rest: bool,
}

/// The number of decimals of a number written without an exponent.
pub(super) fn decimals(text: &str) -> usize {
    text.split_once('.').map_or(0, |(_, fraction)| fraction.len())
}

/// A number written without an exponent, in units of 10^-scale; `None` when it is too large.
pub(super) fn units(text: &str, scale: usize) -> Option<Units> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let (kept, rest) = fraction.split_at(scale.min(fraction.len()));
    let mut floor: i128 = 0;
    for digit in whole.bytes().chain(kept.bytes()) {
        floor = floor.checked_mul(10)?.checked_add(i128::from(digit - b'0'))?;
    }
    floor = floor.checked_mul(power(scale - kept.len()))?;
    let has_rest = rest.bytes().any(|digit| digit != b'0');
    if is_negative {
        floor = -floor - i128::from(has_rest);
    }
    Some(Units { floor, has_rest })
}

fn power(exponent: usize) -> i128 {
    (0..exponent).fold(1, |power, _| power * 10)
}

/// The numbers of a column in units of 10^-scale; `None` when they are no numbers or too large.
pub(super) fn units_of_values(values: &Values, scale: usize) -> Option<Vec<Units>> {
    let power = power(scale);
    match values {
        Values::Integer(values) => Some(
            values
                .iter()
                .map(|&value| Units { floor: i128::from(value) * power, has_rest: false })
                .collect(),
        ),
        Values::Decimal(values) => values
            .iter()
            .map(|value| (value.abs() < MAX_VALUE).then(|| units(&value.to_string(), scale))?)
            .collect(),
        _ => None,
    }
}

/// Units of 10^-scale as a number.
pub(super) fn number(units: i128, scale: usize) -> String {
    let digits = format!("{:0>width$}", units.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let fraction = fraction.trim_end_matches('0');
    let sign = if units < 0 { "-" } else { "" };
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{whole}{point}{fraction}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_down_and_come_back() {
        let check = |text: &str, scale, floor, has_rest| {
            assert_eq!(units(text, scale), Some(Units { floor, has_rest }), "{text}");
        };
        check("0.57", 2, 57, false);
        check("12", 2, 1200, false);
        check("1.5", 0, 1, true);
        check("-1.5", 0, -2, true);
        check("-1.5", 1, -15, false);
        assert_eq!(number(57, 2), "0.57");
        assert_eq!(number(-1250, 3), "-1.25");
        assert_eq!(number(1200, 2), "12");
        assert_eq!(number(0, 2), "0");
    }
}
