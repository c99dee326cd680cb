//! The values of one column in order: what a code means.

use std::borrow::Cow;

use crate::values::{
    order_exactly, parse_boolean, parse_date, parse_decimal, parse_integer, visible,
};
use crate::{Column, DateFormat, Error, Kind, Table, ValueType, Values};

/// The distinct values of a column, sorted by value: numbers and dates by size, texts by their bytes.
/// Two spellings of one number (`1.5` and `1.50`) are one value, and so are texts that differ by the blanks
/// around them, by characters that show nothing (such as U+200B), or by how Unicode composes them. Missing is a
/// value of its own, after all others.
#[derive(Clone, Debug)]
pub struct Domain {
    values: Values,
    entries: Vec<u32>,
    value_of_entry: Vec<u32>,
    missing: Option<u32>,
}

impl Domain {
    /// Reads a column as `value_type`, or as the type found by looking. A cell that `keep` knows is
    /// never taken for missing: a taxonomy that lists `N/A` as a leaf gives it a meaning.
    pub fn new(
        table: &Table,
        column: &Column,
        value_type: Option<ValueType>,
        keep: &dyn Fn(&str) -> bool,
    ) -> Result<Self, Error> {
        let value_type = value_type.unwrap_or(column.value_type());
        let is_missing = |text: &str| table.missing().is(text) && !keep(text);
        let dictionary = column.dictionary();
        let (present, missing): (Vec<u32>, Vec<u32>) =
            (0..dictionary.len()).partition(|&entry| !is_missing(dictionary.get(entry)));
        let texts: Vec<Cow<'_, str>> = dictionary.iter().map(visible).collect();
        let parse =
            |entry: u32| Parsed::new(&texts[entry as usize], value_type, column.date_format());
        let mut parsed = Vec::with_capacity(present.len());
        for entry in present {
            let Some(value) = parse(entry) else {
                return Err(Error::new(Kind::Value {
                    table: table.name().to_owned(),
                    place: table.place(column, entry),
                    column: column.name().to_owned(),
                    expected: value_type,
                }));
            };
            parsed.push((value, entry));
        }
        // The first spelling of a value is the one that is published: of zeros, one without a sign.
        let spelling = |entry| {
            let text = dictionary.get(entry);
            (text.trim_start().starts_with(['+', '-']), text)
        };
        parsed.sort_unstable_by(|a, b| {
            a.0.order(&b.0).then_with(|| spelling(a.1).cmp(&spelling(b.1)))
        });
        Ok(Self::number(parsed, &missing, dictionary.len(), value_type))
    }

    /// Gives each distinct value its code.
    fn number(
        parsed: Vec<(Parsed<'_>, u32)>,
        missing: &[u32],
        n_entries: u32,
        value_type: ValueType,
    ) -> Self {
        let mut values = Values::with_type(value_type);
        let mut entries = Vec::new();
        let mut value_of_entry = vec![0; n_entries as usize];
        let mut last: Option<Parsed<'_>> = None;
        for (value, entry) in parsed {
            if last.is_none_or(|last| last.order(&value).is_ne()) {
                values.push(&value);
                entries.push(entry);
                last = Some(value);
            }
            value_of_entry[entry as usize] = code(entries.len() - 1);
        }
        let missing_code = (!missing.is_empty()).then(|| code(entries.len()));
        for &entry in missing {
            value_of_entry[entry as usize] = code(entries.len());
        }
        Self { values, entries, value_of_entry, missing: missing_code }
    }

    /// The values, without the missing one.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// For each value, a dictionary entry that spells it.
    pub fn entries(&self) -> &[u32] {
        &self.entries
    }

    /// For each dictionary entry, its value; missing entries have the code after the last value.
    pub fn value_of_entry(&self) -> &[u32] {
        &self.value_of_entry
    }

    /// The code of the missing value, if any cell is missing.
    pub fn missing(&self) -> Option<u32> {
        self.missing
    }

    /// The values, when nothing else of the domain is needed.
    pub fn into_values(self) -> Values {
        self.values
    }

    /// The value that a text stands for, read the way the column was.
    pub fn find(&self, text: &str, column: &Column) -> Option<u32> {
        self.values.find(text, column.date_format())
    }
}

/// Codes are positions among at most `u32::MAX` dictionary entries.
fn code(position: usize) -> u32 {
    u32::try_from(position).expect("a dictionary has at most u32::MAX entries")
}

impl ValueType {
    /// Whether a text is a value of this type, dates written in this order.
    pub fn reads(self, text: &str, format: DateFormat) -> bool {
        Parsed::new(&visible(text), self, format).is_some()
    }
}

#[derive(Clone, Copy)]
enum Parsed<'a> {
    Integer(i64),
    Decimal(f64, &'a str),
    Date(i64),
    Boolean(bool),
    Text(&'a str),
}

impl<'a> Parsed<'a> {
    fn new(text: &'a str, value_type: ValueType, format: DateFormat) -> Option<Self> {
        match value_type {
            ValueType::Integer => parse_integer(text).map(Self::Integer),
            ValueType::Decimal => parse_decimal(text).map(|number| Self::Decimal(number, text)),
            ValueType::Date => parse_date(text, format).map(Self::Date),
            ValueType::Boolean => parse_boolean(text).map(Self::Boolean),
            ValueType::Text => Some(Self::Text(text)),
        }
    }

    fn order(&self, other: &Self) -> std::cmp::Ordering {
        match (self, other) {
            (Self::Integer(a), Self::Integer(b)) | (Self::Date(a), Self::Date(b)) => a.cmp(b),
            (Self::Decimal(a, exact_a), Self::Decimal(b, exact_b)) => {
                a.total_cmp(b).then_with(|| order_exactly(exact_a, exact_b))
            }
            (Self::Boolean(a), Self::Boolean(b)) => a.cmp(b),
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            _ => unreachable!("one column is read as one type"),
        }
    }
}

impl Values {
    fn with_type(value_type: ValueType) -> Self {
        match value_type {
            ValueType::Integer => Self::Integer(Vec::new()),
            ValueType::Decimal => Self::Decimal(Vec::new()),
            ValueType::Date => Self::Date(Vec::new()),
            ValueType::Boolean => Self::Boolean(Vec::new()),
            ValueType::Text => Self::Text(Vec::new()),
        }
    }

    /// The rank of the value that a text stands for, among these sorted values.
    pub(crate) fn find(&self, text: &str, format: DateFormat) -> Option<u32> {
        let found = match (self, Parsed::new(&visible(text), self.value_type(), format)?) {
            (Self::Integer(values), Parsed::Integer(value))
            | (Self::Date(values), Parsed::Date(value)) => values.binary_search(&value),
            (Self::Decimal(values), Parsed::Decimal(value, _)) => {
                // Where several values are one float, the float does not tell which is meant.
                let first = values.partition_point(|other| other.total_cmp(&value).is_lt());
                let is = |at: usize| values.get(at).is_some_and(|v| v.total_cmp(&value).is_eq());
                if is(first) && !is(first + 1) { Ok(first) } else { Err(first) }
            }
            (Self::Boolean(values), Parsed::Boolean(value)) => values.binary_search(&value),
            (Self::Text(values), Parsed::Text(value)) => {
                values.binary_search_by(|other| other.as_str().cmp(value))
            }
            _ => return None,
        };
        found.ok().map(code)
    }

    fn push(&mut self, value: &Parsed<'_>) {
        match (self, value) {
            (Self::Integer(values), Parsed::Integer(value))
            | (Self::Date(values), Parsed::Date(value)) => values.push(*value),
            (Self::Decimal(values), Parsed::Decimal(value, _)) => values.push(*value),
            (Self::Boolean(values), Parsed::Boolean(value)) => values.push(*value),
            (Self::Text(values), Parsed::Text(value)) => values.push((*value).to_owned()),
            _ => unreachable!("one column is read as one type"),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Codes, Column, Dictionary, Domain, Missing, Table, ValueType};

    /// The number of values of a column read as a type, the missing one included.
    fn n_values(texts: &[&str], value_type: Option<ValueType>) -> usize {
        let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
        for text in texts {
            codes.push(dictionary.intern(text.as_bytes(), 2).unwrap());
        }
        let column = Column::new("c".into(), dictionary, codes, &Missing::default());
        let table = Table::new("t".into(), vec![column], true, Missing::default());
        let domain = Domain::new(&table, &table.columns()[0], value_type, &|_| false).unwrap();
        domain.values().len() + usize::from(domain.missing().is_some())
    }

    #[test]
    fn spellings_of_one_number_are_one_value_and_numbers_of_one_float_are_not() {
        assert_eq!(n_values(&["1.5", "1.50", "2"], None), 2);
        assert_eq!(n_values(&["", "NA", "?", "2"], None), 2);
        assert_eq!(n_values(&["Rome", "Rome ", " Rome", "rome", "  "], None), 3);
        let unseen = ["HIV", "HIV\u{200b}", "H\u{ad}IV ", "\u{2060}", "", "flu"];
        assert_eq!(n_values(&unseen, None), 3);
        assert_eq!(n_values(&["5", "5\u{200b}", "6"], Some(ValueType::Integer)), 2);
        assert_eq!(n_values(&["fi\u{e8}vre", "fie\u{300}vre", "fievre"], None), 2);
        let keys = ["12345678901234567801", "12345678901234567802"];
        assert_eq!(n_values(&keys, None), 2);
        assert_eq!(n_values(&keys, Some(ValueType::Decimal)), 2);
        assert_eq!(n_values(&["0.30000000000000004", "0.30000000000000005"], None), 2);
    }
}
