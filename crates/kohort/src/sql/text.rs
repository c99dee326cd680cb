//! Names, values and fractions as SQL text.

use kohort_core::ValueType;

use super::Dialect;

impl Dialect {
    /// A name, quoted: nothing in it can end it.
    pub(crate) fn identifier(self, name: &str) -> String {
        let quote = if self == Self::Spark { "`" } else { "\"" };
        format!("{quote}{}{quote}", name.replace(quote, &quote.repeat(2)))
    }

    /// A text, quoted: nothing in it can end it.
    pub(crate) fn literal(self, text: &str) -> String {
        // Spark takes a backslash for the start of an escape.
        let text = if self == Self::Spark { text.replace('\\', r"\\") } else { text.to_owned() };
        let quote = if self == Self::Spark { r"\'" } else { "''" };
        format!("'{}'", text.replace('\'', quote))
    }

    /// A value of a column. PostgreSQL reads a quoted one as the column's type, whatever that is; the others
    /// would compare a number with it as texts.
    pub(super) fn value(self, value_type: ValueType, text: &str) -> String {
        let is_number =
            value_type.is_numeric() && text.trim().parse::<f64>().is_ok_and(f64::is_finite);
        if is_number && self != Self::Postgres {
            return text.trim().to_owned();
        }
        self.literal(text)
    }

    /// The least of some expressions.
    pub(super) fn least(self, of: &[String]) -> String {
        match (of, self) {
            ([only], _) => only.clone(),
            (_, Self::Sqlite) => format!("MIN({})", of.join(", ")),
            _ => format!("LEAST({})", of.join(", ")),
        }
    }
}
