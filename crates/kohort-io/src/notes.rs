//! What is odd about a column: numbers that are read as text. No note shows a cell.

use kohort_core::{Column, Dictionary, Missing, Table, ValueType};

/// Fewer distinct values say nothing about what a column is meant to be.
const MIN_VALUES: u32 = 20;
/// At most one distinct value in this many may be no number.
const PER_ODD_VALUE: u32 = 20;

/// Tells of columns whose numbers have a decimal comma.
pub(crate) fn decimal_commas(table: &Table) -> impl Iterator<Item = String> {
    let texts = table.columns().iter().filter(|column| column.value_type() == ValueType::Text);
    texts.filter(|column| has_decimal_commas(column.dictionary(), table.missing())).map(|column| {
        format!(
            "column `{}`: numbers with a decimal comma are read as text; write them with a point",
            column.name()
        )
    })
}

/// Tells of columns that are text because of a few values.
pub(crate) fn almost_numbers(table: &Table) -> impl Iterator<Item = String> {
    let texts = table.columns().iter().filter(|column| column.value_type() == ValueType::Text);
    texts.filter_map(|column| almost_number(table, column))
}

fn has_decimal_commas(dictionary: &Dictionary, missing: &Missing) -> bool {
    let mut n_commas = 0;
    dictionary.iter().filter(|text| !missing.is(text)).all(|text| {
        let text = text.trim();
        let text = text.strip_prefix('-').unwrap_or(text);
        let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        match text.split_once(',') {
            None => is_digits(text),
            Some((whole, fraction)) => {
                n_commas += 1;
                is_digits(whole) && is_digits(fraction)
            }
        }
    }) && n_commas > 0
}

fn almost_number(table: &Table, column: &Column) -> Option<String> {
    let dictionary = column.dictionary();
    let (mut n, mut n_odd, mut first) = (0, 0, 0);
    for (entry, text) in (0..).zip(dictionary.iter()) {
        if table.missing().is(text) {
            continue;
        }
        n += 1;
        match number(text) {
            Number::Yes => {}
            // A postal code; the column is text for a good reason.
            Number::Code => return None,
            Number::No if n_odd >= dictionary.len() / PER_ODD_VALUE => return None,
            Number::No => {
                first = if n_odd == 0 { entry } else { first };
                n_odd += 1;
            }
        }
    }
    if n < MIN_VALUES || n_odd == 0 || n_odd > n / PER_ODD_VALUE {
        return None;
    }
    let are = if n_odd == 1 { "is not a number" } else { "are not numbers" };
    let (name, place) = (column.name(), table.place(column, first));
    Some(format!(
        "column `{name}`: read as text because {n_odd} of {n} distinct values {are} (first on \
         {place})"
    ))
}

enum Number {
    Yes,
    /// Digits that a number does not begin with, such as `01067`.
    Code,
    No,
}

fn number(text: &str) -> Number {
    let text = text.trim();
    let digits = text.strip_prefix('-').unwrap_or(text);
    if !is_number(text) {
        return Number::No;
    }
    let is_code = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
    if is_code { Number::Code } else { Number::Yes }
}

/// Whether a text is a number in digits, with or without a sign, a point and an exponent.
pub(crate) fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte))
        && text.parse::<f64>().is_ok_and(f64::is_finite)
}
