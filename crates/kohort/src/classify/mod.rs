//! Proposed roles for the columns of a table, each with its reason.
//!
//! # Method
//! The first rule that fits a column proposes its role.
//! 1. The header names a person, a way to reach one, or an official number: identifier.
//! 2. Most values have the form and check digits of such a number or address: identifier.
//! 3. Nearly every value is a text of its own, and a long one: identifier.
//! 4. The header is about health, money, belief or conduct: sensitive.
//! 5. There is one value only: insensitive.
//! 6. The header is about a place, a time or what people are, or the values are dates: quasi.
//! 7. The header says name or number and nothing of what, or nearly every value is a text or a key of
//!    its own: identifier.
//! 8. Anything else could be known to an outsider: quasi.
//!
//! # What it does not promise
//! These are guesses from words and forms; a person confirms them. A reason never shows a cell.

mod patterns;
mod plan;
mod words;

use kohort_core::{Attribute, Column, DateFormat, Domain, Role, Table, ValueType};

pub use plan::starter_plan;
pub(crate) use plan::{HEAD, attribute, quoted};
use words::{Topic, topic};

use crate::goal::is_continuous;
use crate::taxonomy::proposed_buckets;

/// What a column seems to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// The column's name.
    pub column: String,
    /// The type found by looking.
    pub value_type: ValueType,
    /// The number of distinct values, without the missing one.
    pub distinct: u32,
    /// The number of rows without a value.
    pub missing: u64,
    /// The proposed role.
    pub role: Role,
    /// Why, in words for the owner of the data; shows no cell.
    pub reason: String,
    /// Whether day and month cannot be told apart in any of the dates.
    pub date_ambiguous: bool,
    /// A way to make the values coarser, as a plan writes it.
    pub taxonomy: Option<&'static str>,
    /// The buckets of a sensitive attribute that is measured on a scale, as a plan writes them.
    pub buckets: Option<String>,
}

/// The share of the values that must have a form before the column counts as having it.
const MOST_PERCENT: usize = 80;
/// Values that differ in this share of the rows point to single people.
const UNIQUE_PERCENT: u64 = 90;
/// How many values are compared with a pattern, evenly spread over the distinct ones.
const SAMPLE: usize = 10_000;
/// With fewer rows than this, all values may differ by chance.
const FEW_ROWS: u64 = 20;
/// A column with as few values as this, over enough rows, describes groups of people.
const FEW_VALUES: u32 = 20;
/// From this mean length on, in bytes, a text is written freely.
const LONG_TEXT: usize = 30;

/// Proposes a role for each column, in file order.
pub fn propose(table: &Table) -> Vec<Proposal> {
    let of = |column| {
        let proposal = Look::new(table, column).propose();
        let is_sensitive = proposal.role == Role::Sensitive;
        let buckets = is_sensitive.then(|| buckets(table, column)).flatten();
        let is_date = proposal.value_type == ValueType::Date;
        let months = (buckets.is_some() && is_date).then_some(MONTHS);
        Proposal { buckets, taxonomy: proposal.taxonomy.or(months), ..proposal }
    };
    table.columns().iter().map(of).collect()
}

/// The calendar above dates.
const MONTHS: &str = "[\"month\", \"quarter\", \"year\"]";

/// Buckets for a column whose values are measured on a scale: neighbors tell the same.
fn buckets(table: &Table, column: &Column) -> Option<String> {
    let domain = Domain::new(table, column, None, &|_| false).ok()?;
    let attribute = Attribute::new(table, column.name(), Role::Sensitive, domain, None).ok()?;
    is_continuous(&attribute).then(|| proposed_buckets(&attribute)).flatten()
}

/// Whether a header says what a column is about, and not only that it names something.
pub(crate) fn names_something(header: &str) -> bool {
    topic(header).is_some_and(|(topic, _)| topic != Topic::Label)
}

/// A column and what the rules ask about it.
struct Look<'a> {
    column: &'a Column,
    topic: Option<(Topic, &'static str)>,
    // The distinct values that are not missing.
    values: Vec<&'a str>,
    n_rows: u64,
    missing: u64,
}

impl<'a> Look<'a> {
    fn new(table: &Table, column: &'a Column) -> Self {
        let mut missing = 0;
        let mut values = Vec::new();
        for (text, count) in column.dictionary().iter().zip(column.counts()) {
            if table.missing().is(text) {
                missing += u64::from(count);
            } else {
                values.push(text.trim());
            }
        }
        Self { column, topic: topic(column.name()), values, n_rows: table.n_rows() as u64, missing }
    }

    fn propose(&self) -> Proposal {
        let (role, mut reason) = self
            .named_identifier()
            .or_else(|| self.pattern())
            .or_else(|| self.free_text())
            .or_else(|| self.sensitive())
            .or_else(|| self.constant())
            .or_else(|| self.known_to_outsiders())
            .or_else(|| self.label())
            .or_else(|| self.near_unique())
            .unwrap_or_else(|| {
                let reason = "could be known to an outsider: quasi unless you know better";
                (Role::Quasi, reason.to_owned())
            });
        let date_ambiguous = self.date_ambiguous();
        if date_ambiguous {
            reason.push_str("; day and month cannot be told apart, the day is taken to come first");
        }
        Proposal {
            column: self.column.name().to_owned(),
            value_type: self.column.value_type(),
            distinct: self.distinct(),
            missing: self.missing,
            role,
            reason,
            date_ambiguous,
            taxonomy: if role == Role::Quasi { self.taxonomy() } else { None },
            buckets: None,
        }
    }

    fn distinct(&self) -> u32 {
        u32::try_from(self.values.len()).expect("a dictionary has at most u32::MAX entries")
    }

    /// Whether there are too few values to name people: as few as `values` over many rows.
    fn is_grouping(&self, values: u32) -> bool {
        self.n_rows > 5 * u64::from(values) && self.distinct() <= values
    }

    /// Whether the values could be names or numbers of people at all.
    fn can_name(&self) -> bool {
        !matches!(self.column.value_type(), ValueType::Boolean | ValueType::Date)
    }

    /// Whether nearly every row has a value of its own.
    fn is_near_unique(&self) -> bool {
        let present = self.n_rows - self.missing;
        present >= FEW_ROWS && u64::from(self.distinct()) * 100 >= present * UNIQUE_PERCENT
    }

    fn named_identifier(&self) -> Option<(Role, String)> {
        let (topic, word) = self.topic?;
        let what = match topic {
            Topic::Person => "which names a person",
            Topic::Contact => "which leads to a person",
            Topic::Number => "a number or mark that one person has",
            _ => return None,
        };
        // A few people may fill many rows, but yes and no name nobody.
        let is_name = self.can_name() && !self.is_grouping(2);
        is_name.then(|| (Role::Identifier, format!("the header says `{word}`, {what}")))
    }

    fn pattern(&self) -> Option<(Role, String)> {
        // One or two values may fit by chance.
        if !self.can_name() || self.values.len() < 3 {
            return None;
        }
        let step = self.values.len().div_ceil(SAMPLE);
        let n = self.values.len().div_ceil(step);
        let (what, _) = patterns::PATTERNS.iter().find(|(_, is)| {
            let fits = self.values.iter().step_by(step).filter(|text| is(text)).count();
            fits * 100 >= n * MOST_PERCENT
        })?;
        Some((Role::Identifier, format!("most of the values look like {what}")))
    }

    fn free_text(&self) -> Option<(Role, String)> {
        let length: usize = self.values.iter().map(|text| text.len()).sum();
        let is_long = length >= self.values.len() * LONG_TEXT;
        let is_text = self.column.value_type() == ValueType::Text;
        let reason = "nearly every row has a text of its own: free text can name anyone";
        (is_text && is_long && self.is_near_unique()).then(|| (Role::Identifier, reason.to_owned()))
    }

    fn sensitive(&self) -> Option<(Role, String)> {
        let (topic, word) = self.topic?;
        let what = match topic {
            Topic::Health => "health",
            Topic::Money => "money",
            Topic::Belief => "belief, opinion or private life",
            Topic::Record => "offences, complaints or assessments",
            _ => return None,
        };
        let reason =
            format!("the header says `{word}`: {what}, which nobody should learn of a person");
        Some((Role::Sensitive, reason))
    }

    fn constant(&self) -> Option<(Role, String)> {
        let reason = match (self.values.len(), self.missing) {
            (0, _) => "has no value at all",
            (1, 0) if self.n_rows > 1 => "the same in every row: it tells nobody apart",
            _ => return None,
        };
        Some((Role::Insensitive, reason.to_owned()))
    }

    fn known_to_outsiders(&self) -> Option<(Role, String)> {
        let reason = match self.topic {
            Some((Topic::Origin, word)) => format!(
                "the header says `{word}`: often visible to others, and by law a special category: \
                 sensitive too if it must not be learned"
            ),
            Some((Topic::Age | Topic::Demographic, word)) => {
                format!("the header says `{word}`: acquaintances and other files know it")
            }
            Some((Topic::Place | Topic::Postal, word)) => {
                format!("the header says `{word}`: where a person lives or was is known to others")
            }
            Some((Topic::Time, word)) if !self.is_key() => {
                format!("the header says `{word}`: when something happened is known to others")
            }
            _ if self.column.value_type() == ValueType::Date => {
                "holds dates: when something happened is known to others".to_owned()
            }
            _ => return None,
        };
        Some((Role::Quasi, reason))
    }

    fn label(&self) -> Option<(Role, String)> {
        let (Topic::Label, word) = self.topic? else { return None };
        let is_decimal = self.column.value_type() == ValueType::Decimal;
        let is_label = self.can_name() && !is_decimal && !self.is_grouping(FEW_VALUES);
        let reason = format!("the header says `{word}`, and of nothing else: it may name a person");
        is_label.then_some((Role::Identifier, reason))
    }

    fn near_unique(&self) -> Option<(Role, String)> {
        let reason = match self.column.value_type() {
            ValueType::Integer if self.is_key() => {
                "nearly every row has a number of its own: a row number or key"
            }
            ValueType::Text if self.is_near_unique() => {
                "nearly every row has a text of its own, which points to one person"
            }
            _ => return None,
        };
        Some((Role::Identifier, reason.to_owned()))
    }

    /// Whether whole numbers are counted up, or all have the same number of digits: quantities that
    /// are measured do not.
    fn is_key(&self) -> bool {
        let is_integer = self.column.value_type() == ValueType::Integer;
        if !is_integer || self.n_rows <= 100 || !self.is_near_unique() {
            return false;
        }
        let numbers = || self.values.iter().filter_map(|text| text.parse::<i64>().ok());
        let (Some(low), Some(high)) = (numbers().min(), numbers().max()) else { return false };
        let is_dense = high.abs_diff(low) < 2 * u64::from(self.distinct());
        let length = self.values[0].len();
        let same_length = length >= 6 && self.values.iter().all(|text| text.len() == length);
        is_dense || (same_length && u64::from(self.distinct()) + self.missing == self.n_rows)
    }

    /// Whether every date could be read with the day or with the month first.
    fn date_ambiguous(&self) -> bool {
        let is_ambiguous = |text: &&str| {
            let mut numbers = text.split(|c: char| !c.is_ascii_digit()).map(str::parse::<u8>);
            let mut is_month = || matches!(numbers.next(), Some(Ok(1..=12)));
            is_month() && is_month()
        };
        self.column.value_type() == ValueType::Date
            && self.column.date_format() != DateFormat::YearMonthDay
            && self.values.iter().all(is_ambiguous)
    }

    /// A way to make the values coarser that follows from what the column is.
    fn taxonomy(&self) -> Option<&'static str> {
        let topic = self.topic.map(|(topic, _)| topic);
        match self.column.value_type() {
            ValueType::Date => Some(MONTHS),
            ValueType::Integer if topic == Some(Topic::Age) => Some("{ widths = [5, 10, 20] }"),
            ValueType::Integer | ValueType::Text if topic == Some(Topic::Postal) => {
                let length = self.values.first().map_or(0, |text| text.len());
                let is_code = |text: &&str| text.len() == length && text.is_ascii();
                (length > 1 && self.values.iter().all(is_code)).then_some("\"mask\"")
            }
            _ => None,
        }
    }
}
