//! How releases write cells that are not one value: as kohort, ARX, sdcMicro and the papers do.
//!
//! A text that is a value of the column or a label of its taxonomy is that. Any other is read so:
//!
//! | written | covers |
//! |---|---|
//! | `[20, 29]`, `20-29`, `[20-29]` | the values from 20 to 29, both inside |
//! | `[20, 30)`, `[20, 30[` | those from 20 to below 30 |
//! | `(20, 30]`, `]20, 30]` | those above 20 up to 30 |
//! | `>=40`, `≥40`, `>40` | those from 40, or above 40 |
//! | `<=29`, `≤29`, `<30` | those up to 29, or below 30 |
//! | `{20, 29}` | these values and none between |
//! | `2*`, `2**`, `-2*`, `2.*` | the values that are written with as many characters: each star hides a digit |
//! | `*`, `**` | every value |
//!
//! Integers, decimals and dates are compared as what they are: `>40` is 41 and more among integers, 40.1 too
//! among decimals, and `>=2024-01-31` includes that day. A mask of a number or a date looks at the digits as
//! they are written in the column: `2*` is 20 to 29 and neither 2 nor 200, `2.*` is 2.0 to 2.9 and not 2.05,
//! `2024-01-**` is a month. In a column of texts a star hides any character, and there are no ranges.
//!
//! A minus may be a sign, a part of a date or what stands between two bounds. `-5--3` and `[-5, 3]` say which;
//! `-5-3` may be meant as from -5 to 3 or as from -5 to -3, and is refused, as is every text that can be cut
//! into two bounds in several ways.

/// A printed range. Bounds that are not printed are infinite.
pub(crate) struct Range<'t> {
    /// The text of the lower bound, where there is one.
    pub(crate) lo: Option<&'t str>,
    /// The text of the upper bound.
    pub(crate) hi: Option<&'t str>,
    /// The lower bound.
    pub(crate) low: f64,
    /// The upper bound, not below the lower.
    pub(crate) high: f64,
    /// Whether the lower bound is outside.
    pub(crate) opens: bool,
    /// Whether the upper bound is inside.
    pub(crate) closes: bool,
}

impl<'t> Range<'t> {
    /// Reads a range whose bounds `number` reads.
    pub(crate) fn parse(text: &'t str, number: impl Fn(&str) -> Option<f64>) -> Option<Self> {
        let text = text.trim();
        Self::compared(text, &number).or_else(|| Self::between(text, &number))
    }

    /// Reads `>=40` and its kin.
    fn compared(text: &'t str, number: &impl Fn(&str) -> Option<f64>) -> Option<Self> {
        // The longer signs first, for `>` begins `>=`.
        const SIGNS: [(&str, bool, bool); 6] = [
            (">=", true, true),
            ("≥", true, true),
            ("<=", false, true),
            ("≤", false, true),
            (">", true, false),
            ("<", false, false),
        ];
        let found = SIGNS.iter().find_map(|sign| Some((text.strip_prefix(sign.0)?, sign)));
        let (bound, &(_, is_lower, is_inside)) = found?;
        let at = number(bound)?;
        let (low, high) = if is_lower { (at, f64::INFINITY) } else { (f64::NEG_INFINITY, at) };
        Some(Self {
            lo: is_lower.then_some(bound),
            hi: (!is_lower).then_some(bound),
            low,
            high,
            opens: is_lower && !is_inside,
            closes: is_lower || is_inside,
        })
    }

    /// Reads two bounds.
    fn between(text: &'t str, number: &impl Fn(&str) -> Option<f64>) -> Option<Self> {
        let inside = text.strip_prefix(['[', '(', ']']);
        let inside = inside.and_then(|rest| rest.strip_suffix([']', ')', '[']));
        let opens = inside.is_some() && !text.starts_with('[');
        let closes = inside.is_none() || text.ends_with(']');
        let bounds = inside.unwrap_or(text);
        let cut = |(at, c): (usize, char)| {
            let is_cut = c == '-' && at > 0 || c == ',' && inside.is_some();
            let (lo, hi) = (&bounds[..at], &bounds[at + c.len_utf8()..]);
            let (low, high) = (number(lo).filter(|_| is_cut)?, number(hi)?);
            // Does the sign of the first bound stand for both?
            let is_unsure = c == '-' && low < 0.0 && lo.trim().starts_with('-') && high >= 0.0;
            (low <= high).then_some((lo, hi, low, high, is_unsure))
        };
        let mut cuts = bounds.char_indices().filter_map(cut);
        let (lo, hi, low, high, is_unsure) = cuts.next()?;
        let is_one = cuts.next().is_none() && !is_unsure;
        is_one.then_some(Self { lo: Some(lo), hi: Some(hi), low, high, opens, closes })
    }
}

/// The texts of a set, such as `{20, 29}`.
pub(crate) fn set(text: &str) -> Option<impl Iterator<Item = &str>> {
    let inside = text.trim().strip_prefix('{')?.strip_suffix('}')?;
    Some(inside.split(',').map(str::trim))
}

/// Whether a text may stand for any value: stars alone, or nothing.
pub(crate) fn says_nothing(text: &str) -> bool {
    text.chars().all(|c| c == '*' || c.is_whitespace())
}

/// Whether stars hide some characters of a text, and not all.
pub(crate) fn is_mask(text: &str) -> bool {
    text.contains('*') && !says_nothing(text)
}

/// What a mask shows before its first star.
pub(crate) fn stem(mask: &str) -> &str {
    mask.split('*').next().unwrap_or(mask)
}

/// Whether a mask may be of this text: as long, and the same but for the stars, which hide what `hides` says.
pub(crate) fn masks(mask: &str, text: &str, hides: impl Fn(char) -> bool) -> bool {
    let mut chars = text.chars();
    let is_same = mask.chars().all(|shown| {
        chars.next().is_some_and(|c| if shown == '*' { hides(c) } else { shown == c })
    });
    is_same && chars.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<(f64, f64, bool, bool)>) {
        let number = |text: &str| text.trim().parse().ok();
        let found = Range::parse(text, number).map(|r| (r.low, r.high, r.opens, r.closes));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn ranges_are_read_in_every_notation() {
        let (least, most) = (f64::NEG_INFINITY, f64::INFINITY);
        for text in ["[20, 29]", "[20,29]", "20-29", "[20-29]", "20 - 29", " 20-29 "] {
            check(text, Some((20.0, 29.0, false, true)));
        }
        for text in ["[20, 30)", "[20, 30[", "[20-30["] {
            check(text, Some((20.0, 30.0, false, false)));
        }
        for text in ["(20, 30]", "]20, 30]"] {
            check(text, Some((20.0, 30.0, true, true)));
        }
        check("(20, 30)", Some((20.0, 30.0, true, false)));
        check(">=40", Some((40.0, most, false, true)));
        check("≥ 40", Some((40.0, most, false, true)));
        check(">40", Some((40.0, most, true, true)));
        check("<=29", Some((least, 29.0, false, true)));
        check("≤29", Some((least, 29.0, false, true)));
        check("<30", Some((least, 30.0, false, false)));
    }

    #[test]
    fn a_minus_that_may_be_a_sign_or_a_cut_is_refused() {
        check("-5--3", Some((-5.0, -3.0, false, true)));
        check("[-5, 3]", Some((-5.0, 3.0, false, true)));
        check("[-5, -3]", Some((-5.0, -3.0, false, true)));
        check(">=-5", Some((-5.0, f64::INFINITY, false, true)));
        check("1e-3-1e-2", Some((1e-3, 1e-2, false, true)));
        for text in
            ["-5-3", "[-5-3]", "-5", "5--3", "30-20", "[20", "20,30", "[1,5, 2,5]", "-", ">"]
        {
            check(text, None);
        }
    }

    #[test]
    fn a_star_hides_one_character() {
        let digits = |mask, text| masks(mask, text, |c| c.is_ascii_digit());
        assert!(digits("2*", "20") && digits("2**", "299") && digits("-2*", "-25"));
        assert!(digits("2.*", "2.5") && digits("2024-01-**", "2024-01-31"));
        assert!(!digits("2*", "2") && !digits("2*", "200") && !digits("2*", "2."));
        assert!(!digits("2*", "-2") && !digits("2.*", "2.05"));
        assert!(is_mask("2*") && is_mask("*1") && !is_mask("**") && !is_mask("21"));
    }
}
