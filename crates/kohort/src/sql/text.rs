//! Names, values and fractions as SQL text.

use std::fmt::Write;

use kohort_core::{Ratio, ValueType};

use super::Dialect;

/// A name, quoted: nothing in it can end it.
pub(super) fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A text, quoted: nothing in it can end it.
pub(super) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// A value of a column. PostgreSQL reads a quoted one as the column's type, whatever that is;
/// DataFusion would compare a number with it as texts.
pub(super) fn value(dialect: Dialect, value_type: ValueType, text: &str) -> String {
    let is_number = matches!(value_type, ValueType::Integer | ValueType::Decimal)
        && text.trim().parse::<f64>().is_ok_and(f64::is_finite);
    match dialect {
        Dialect::DataFusion if is_number => text.trim().to_owned(),
        Dialect::DataFusion | Dialect::Postgres => literal(text),
    }
}

/// An expression as a double: both engines divide whole numbers to a whole number otherwise.
pub(super) fn real(expression: &str) -> String {
    format!("CAST({expression} AS DOUBLE PRECISION)")
}

/// A fraction as a double.
pub(super) fn fraction(ratio: Ratio) -> String {
    format!("{} / {}", real(&ratio.num().to_string()), ratio.den())
}

/// A count times a whole number, exactly: the product of two small ones fits in 64 bits.
pub(super) fn times(count: &str, factor: u64) -> String {
    match factor {
        1 => count.to_owned(),
        factor if factor <= u64::from(u32::MAX) / 2 => format!("{count} * {factor}"),
        factor => format!("CAST({count} AS DECIMAL(38, 0)) * {factor}"),
    }
}

/// Adds a statement with the comment that says which figure it gives.
pub(super) fn statement(out: &mut String, figure: &str, statement: &str) {
    comment(out, figure);
    let _ = writeln!(out, "{statement};\n");
}

/// Adds a comment line. A line break in a name must not end the comment.
pub(super) fn comment(out: &mut String, text: &str) {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let _ = writeln!(out, "-- {line}");
}
