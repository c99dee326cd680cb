//! Proposed roles for the columns of a table, each with its reason.
//!
//! ```
//! use kohort::{Role, Table};
//!
//! let rows = (0..40).map(|n| [format!("patient {n}"), (20 + n % 10).to_string(), "flu".to_owned()]);
//! let table = Table::from_rows(["name", "age", "diagnosis"], rows)?;
//! let proposed = kohort::inspect(&table);
//! assert_eq!(proposed[0].role, Some(Role::Identifier));
//! assert_eq!(proposed[1].role, Some(Role::Quasi));
//! println!("{}: {}", proposed[0].column, proposed[0].reason);
//! # Ok::<(), kohort::Error>(())
//! ```
//!
//! # Method
//! The first rule that fits a column proposes its role.
//! 1. The header names a person, a way to reach one, or an official number: identifier.
//! 2. The values are such numbers, addresses or names by their form, check digits or words: identifier.
//! 3. Nearly every value is a text of its own: identifier, whatever the header says.
//! 4. The header is about health, money, belief or conduct: sensitive; no role where nearly every row has
//!    a value of its own, since whoever knows that value finds the row.
//! 5. Every person has the one value that there is: insensitive.
//! 6. The header is about a place, a time or what people are, or the values are dates: quasi.
//! 7. The header says name or number and nothing of what, or whole numbers are keys: identifier.
//! 8. Anything else has no role: a release leaves it out until a person gives it one.
//!
//! A plan of these proposals is safe to run unread: what names or singles out people is dropped, and
//! what nobody can place is left out. Only a constant is ever proposed to be published as it is
//! without being called sensitive.
//!
//! # What it does not promise
//! These are guesses from words and forms; a person confirms them. A reason never shows a cell.

mod declared;
mod given_names;
mod patterns;
mod plan;
mod words;

use kohort_core::{Attribute, Column, DateFormat, Domain, Role, Table, ValueType};

pub use declared::propose_declared;
pub use plan::starter_plan;
pub(crate) use plan::{HEAD, attribute, quoted};
pub(crate) use words::is_about_birth as is_birth;
use words::{Topic, is_about, topic};

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
    /// The proposed role; with none, a release leaves the column out until a person gives it one.
    pub role: Option<Role>,
    /// The role that it most likely has, which a person confirms where none is proposed.
    pub likely: Role,
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
/// The share of the values that must hold a common given name before the column counts as names.
const NAMES_PERCENT: usize = 30;

/// Why values that differ from row to row are not published unread.
const NEAR_UNIQUE: &str = "nearly every row has a different value, which can single people out";

/// Proposes a role for each column, in file order.
pub fn propose(table: &Table) -> Vec<Proposal> {
    let of = |column: &Column| {
        kohort_core::alive();
        let proposal = Look::new(table, column, topic(column.name()), true).propose();
        with_buckets(proposal, table, column)
    };
    table.columns().iter().map(of).collect()
}

/// Whether a column would be proposed to be an identifier.
pub(crate) fn seems_identifier(table: &Table, column: &Column) -> bool {
    let look = Look::new(table, column, topic(column.name()), true);
    look.propose().role == Some(Role::Identifier)
}

/// The same proposal with buckets, where it is sensitive and measured on a scale.
fn with_buckets(proposal: Proposal, table: &Table, column: &Column) -> Proposal {
    let is_sensitive = proposal.likely == Role::Sensitive;
    let buckets = is_sensitive.then(|| buckets(table, column)).flatten();
    let is_date = proposal.value_type == ValueType::Date;
    let months = (buckets.is_some() && is_date).then_some(MONTHS);
    Proposal { buckets, taxonomy: proposal.taxonomy.or(months), ..proposal }
}

/// The calendar above dates.
const MONTHS: &str = "[\"month\", \"quarter\", \"year\"]";

/// Buckets for a column whose values are measured on a scale: neighbors tell the same.
fn buckets(table: &Table, column: &Column) -> Option<String> {
    let domain = Domain::new(table, column, None, &|_| false).ok()?;
    let attribute = Attribute::new(table, column.name(), Role::Sensitive, domain, None).ok()?;
    is_continuous(&attribute).then(|| proposed_buckets(&attribute)).flatten()
}

/// Whether a header names an age.
pub(crate) fn is_age(header: &str) -> bool {
    is_about(header, Topic::Age)
}

/// Whether a header names a postal code.
pub(crate) fn is_postal(header: &str) -> bool {
    is_about(header, Topic::Postal)
}

/// Proposes a role for a path of nested records. The last name of the path says what it is about, or the
/// last two say that it names a person (`name[].family`). Where the last says nothing, an object that
/// it stands in may say that it is sensitive, or any around it that it names a person. `is_everywhere`
/// says whether every person has a row of the table.
pub(crate) fn propose_path(table: &Table, column: &Column, is_everywhere: bool) -> Proposal {
    let names: Vec<&str> =
        column.name().split('.').map(|step| step.trim_end_matches("[]")).collect();
    let of_last = |n: usize| topic(&names[names.len().saturating_sub(n)..].join("_"));
    let is_person = |found: &(Topic, _)| found.0 == Topic::Person;
    let identifies = |found: &(Topic, _)| {
        matches!(found.0, Topic::Person | Topic::Contact | Topic::Number | Topic::Label)
    };
    let is_private = |found: &(Topic, _)| {
        matches!(found.0, Topic::Health | Topic::Money | Topic::Belief | Topic::Record)
    };
    let own = of_last(1).filter(|found| found.0 != Topic::Label);
    let topic = of_last(2)
        .filter(is_person)
        .or(own)
        .or_else(|| of_last(2).filter(is_private))
        .or_else(|| names.iter().rev().find_map(|name| topic(name).filter(identifies)));
    with_buckets(Look::new(table, column, topic, is_everywhere).propose(), table, column)
}

/// A column and what the rules ask about it.
struct Look<'a> {
    column: &'a Column,
    // What the words about the column are about, and where they stand.
    topic: Option<(Topic, &'static str)>,
    says: &'static str,
    // The distinct texts that are not missing.
    values: Vec<&'a str>,
    // The values that they stand for: `1` and `1.0` are one.
    distinct: u32,
    n_rows: u64,
    missing: u64,
    // Whether every person has a row: what is absent from most records is not the same in all.
    is_everywhere: bool,
}

impl<'a> Look<'a> {
    fn new(
        table: &Table,
        column: &'a Column,
        topic: Option<(Topic, &'static str)>,
        is_everywhere: bool,
    ) -> Self {
        let mut missing = 0;
        let mut values = Vec::new();
        for (text, count) in column.dictionary().iter().zip(column.counts()) {
            if table.missing().is(text) {
                missing += u64::from(count);
            } else {
                values.push(text.trim());
            }
        }
        let is_ordered = column.value_type().is_ordered();
        let domain = || Domain::new(table, column, None, &|_| false).ok();
        let domain = if is_ordered { domain() } else { None };
        let n_values = domain.map_or(values.len(), |domain| domain.values().len());
        let distinct = u32::try_from(n_values).expect("a dictionary has at most u32::MAX entries");
        let n_rows = table.n_rows() as u64;
        let says = "the header";
        Self { column, topic, says, values, distinct, n_rows, missing, is_everywhere }
    }

    fn propose(&self) -> Proposal {
        self.proposal(self.place())
    }

    /// What the column looks like; nothing where nobody can place it.
    fn place(&self) -> Option<(Role, String)> {
        self.named_identifier()
            .or_else(|| self.pattern())
            .or_else(|| self.names())
            .or_else(|| self.text_of_its_own())
            .or_else(|| self.sensitive())
            .or_else(|| self.constant())
            .or_else(|| self.known_to_outsiders())
            .or_else(|| self.label())
            .or_else(|| self.key())
    }

    fn proposal(&self, placed: Option<(Role, String)>) -> Proposal {
        let (role, likely, mut reason) = match placed {
            Some((Role::Sensitive, reason)) if self.is_near_unique() => {
                (None, Role::Sensitive, format!("{reason}; {NEAR_UNIQUE}"))
            }
            Some((role, reason)) => (Some(role), role, reason),
            None => (None, Role::Quasi, self.unplaced().to_owned()),
        };
        let date_ambiguous = self.date_ambiguous();
        if date_ambiguous {
            reason.push_str(
                "; day and month cannot be distinguished, the day is taken to come first",
            );
        }
        Proposal {
            column: self.column.name().to_owned(),
            value_type: self.column.value_type(),
            distinct: self.distinct(),
            missing: self.missing,
            role,
            likely,
            reason,
            date_ambiguous,
            taxonomy: if role == Some(Role::Quasi) { self.taxonomy() } else { None },
            buckets: None,
        }
    }

    fn distinct(&self) -> u32 {
        self.distinct
    }

    /// Whether there are too few values to name people: as few as `values` over many rows.
    fn is_grouping(&self, values: u32) -> bool {
        self.n_rows > 5 * u64::from(values) && self.distinct() <= values
    }

    /// Whether the values could be names or numbers of people at all.
    fn can_name(&self) -> bool {
        !matches!(self.column.value_type(), ValueType::Boolean | ValueType::Date)
    }

    /// Whether nearly every row has a value of its own, in a table of more than a few.
    fn is_near_unique(&self) -> bool {
        self.differs(FEW_ROWS)
    }

    /// Whether nearly every one of the rows with a value, at least this many, has one of its own.
    fn differs(&self, n_rows: u64) -> bool {
        let present = self.n_rows - self.missing;
        present >= n_rows && u64::from(self.distinct()) * 100 >= present * UNIQUE_PERCENT
    }

    fn named_identifier(&self) -> Option<(Role, String)> {
        let (topic, word) = self.topic?;
        let what = match topic {
            Topic::Person => "which names a person",
            Topic::Contact => "which leads to a person",
            Topic::Number => "a number or code of one person",
            _ => return None,
        };
        // A few people may fill many rows, but yes and no name nobody.
        let is_name = self.can_name() && !self.is_grouping(2);
        is_name.then(|| (Role::Identifier, format!("{} says `{word}`, {what}", self.says)))
    }

    fn pattern(&self) -> Option<(Role, String)> {
        if !self.can_name() {
            return None;
        }
        let told = |what: &str| Some((Role::Identifier, what.to_owned()));
        if let Some((what, _)) = patterns::certain(&self.values) {
            return told(&format!("some values contain {what}"));
        }
        // One or two values may fit by chance.
        if self.values.len() < 3 {
            return None;
        }
        let sample = self.sample();
        let are_most = |is: &dyn Fn(&str) -> bool| {
            sample.iter().filter(|text| is(text)).count() * 100 >= sample.len() * MOST_PERCENT
        };
        if let Some((what, _)) = patterns::all().find(|(_, is)| are_most(is)) {
            return told(&format!("most values look like {what}"));
        }
        let is_any = |text: &str| patterns::all().any(|(_, is)| is(text));
        are_most(&is_any)
            .then_some("most values look like addresses or numbers of one person")
            .and_then(told)
    }

    /// Some of the values, evenly spread.
    fn sample(&self) -> Vec<&'a str> {
        let step = self.values.len().div_ceil(SAMPLE).max(1);
        self.values.iter().copied().step_by(step).collect()
    }

    fn names(&self) -> Option<(Role, String)> {
        if self.column.value_type() != ValueType::Text || self.values.len() < 3 {
            return None;
        }
        let sample = self.sample();
        let n_names = sample.iter().filter(|text| given_names::is_in(text)).count();
        let reason = "many values contain a common given name";
        let are_names = n_names * 100 >= sample.len() * NAMES_PERCENT;
        are_names.then(|| (Role::Identifier, reason.to_owned()))
    }

    /// Texts that differ from row to row. Long ones are written freely, however few they are.
    fn text_of_its_own(&self) -> Option<(Role, String)> {
        if self.column.value_type() != ValueType::Text || self.values.is_empty() {
            return None;
        }
        let length: usize = self.values.iter().map(|text| text.len()).sum();
        let reason = if length >= self.values.len() * LONG_TEXT && self.differs(2) {
            "nearly every row has a different text: free text can name anyone"
        } else if self.is_near_unique() && self.mask().is_none() {
            "nearly every row has a different text, which points to one person"
        } else {
            return None;
        };
        Some((Role::Identifier, reason.to_owned()))
    }

    fn sensitive(&self) -> Option<(Role, String)> {
        let (topic, word) = self.topic?;
        let what = match topic {
            Topic::Health => "health",
            Topic::Money => "money",
            Topic::Belief => "belief, opinion or private life",
            Topic::Record => "offenses, complaints or assessments",
            _ => return None,
        };
        let reason = format!(
            "{} says `{word}`: {what}, which nobody should learn about a person",
            self.says
        );
        Some((Role::Sensitive, reason))
    }

    fn constant(&self) -> Option<(Role, String)> {
        let reason = match (self.values.len(), self.missing) {
            (0, _) => "has no value at all",
            (1, 0) if self.n_rows > 1 && self.is_everywhere => {
                "the same in every row: it distinguishes nobody"
            }
            _ => return None,
        };
        Some((Role::Insensitive, reason.to_owned()))
    }

    fn known_to_outsiders(&self) -> Option<(Role, String)> {
        let says = self.says;
        let reason = match self.topic {
            Some((Topic::Origin, word)) => format!(
                "{says} says `{word}`: often visible to others, and by law a special category: \
                 sensitive too if it must not be learned"
            ),
            Some((Topic::Age | Topic::Demographic, word)) => {
                format!("{says} says `{word}`: acquaintances and other files know it")
            }
            Some((Topic::Place | Topic::Postal, word)) => {
                format!("{says} says `{word}`: where a person lives or was is known to others")
            }
            Some((Topic::Time, word)) if !self.is_key() => {
                format!("{says} says `{word}`: when something happened is known to others")
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
        let reason = format!("{} says only `{word}`: it may name a person", self.says);
        is_label.then_some((Role::Identifier, reason))
    }

    fn key(&self) -> Option<(Role, String)> {
        let reason = "nearly every row has a different number: a row number or key";
        self.is_key().then(|| (Role::Identifier, reason.to_owned()))
    }

    fn unplaced(&self) -> &'static str {
        if self.is_near_unique() {
            NEAR_UNIQUE
        } else {
            "neither the header nor the values say what it is"
        }
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
            ValueType::Integer | ValueType::Text => self.mask(),
            _ => None,
        }
    }

    /// Digits dropped from the right, where all values are postal codes of one length.
    fn mask(&self) -> Option<&'static str> {
        let is_postal = self.topic.is_some_and(|(topic, _)| topic == Topic::Postal);
        let length = self.values.first().map_or(0, |text| text.len());
        let is_code = |text: &&str| text.len() == length && text.is_ascii();
        (is_postal && length > 1 && self.values.iter().all(is_code)).then_some("\"mask\"")
    }
}
