//! Counts, shares and lengths as text and as numbers to draw with.

use kohort_core::Ratio;

/// 1234567 as 1,234,567.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A figure with at most four digits behind the point.
pub(super) fn decimal(number: f64) -> String {
    let text = format!("{number:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A share as a percentage. What is not quite none or all is not rounded to it.
pub(super) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if share > 0.0 && percent < 0.1 {
        "under 0.1 %".into()
    } else if share < 1.0 && percent > 99.9 {
        "over 99.9 %".into()
    } else if percent.fract().abs() < 0.05 {
        format!("{percent:.0} %")
    } else {
        format!("{percent:.1} %")
    }
}

/// A count as a share of another.
pub(super) fn part(part: u64, whole: u64) -> f64 {
    Ratio::new(part, whole.max(1)).value()
}

/// A count as a percentage of another.
pub(super) fn share(count: u64, whole: u64) -> String {
    percent(part(count, whole))
}

/// A count to draw with.
pub(super) fn real(count: u64) -> f64 {
    Ratio::whole(count).value()
}

/// A number of things: `1 row`, `2 rows`.
pub(super) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}

/// The number of rows in classes of fewer than `k` rows: what reaching k costs.
pub(super) fn rows_below(sizes: &[(u64, u64)], k: u64) -> u64 {
    sizes.iter().filter(|(size, _)| *size < k).map(|(size, classes)| size * classes).sum()
}
