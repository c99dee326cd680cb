//! The knowledge file: what an adversary knows of some people beside their quasi-identifiers.
//!
//! CSV has the columns `person`, `attribute`, `relation` (is, is-not, in-table, not-in-table, in-release,
//! not-in-release, same-as) and `value`; TOML has one `[[person]]` each, with `key`, `member`, `is`,
//! `is-not`, `in-release`, `not-in-release` and `same-as`. Messages name the place in the file and quote
//! nothing of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use kohort_core::{Ask, Attribute, Command, Message, Missing, Setting, Table, message};
use kohort_io::{Options, read_table, read_text};
use kohort_verify::attack::{Facts, Knowledge};
use serde::Deserialize;
use toml::{Spanned, Value};

use crate::Error;
use crate::error::refused;
use crate::wording::count;

fn hint() -> Message {
    message!(
        "see {} for what a knowledge file holds",
        Ask::from(Command::Attack).and(Setting::Help)
    )
}

/// What a file says, in its own words.
#[derive(Default)]
pub(super) struct Known {
    file: String,
    facts: Vec<Fact>,
}

/// One thing that is known of one person.
struct Fact {
    // Where it stands: `row 3`, `line 7`.
    place: String,
    person: String,
    what: What,
}

enum What {
    Member(bool),
    Is(String, String),
    IsNot(String, String),
    // Whether the person is in a release, by its number in the text.
    Release(String, bool),
    // Another person has the same sensitive values.
    SameAs(String),
}

/// Reads a knowledge file: TOML by its name, else a table.
pub(super) fn read(path: &Path) -> Result<Known, Error> {
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let is_toml = path.extension().is_some_and(|extension| extension == "toml");
    let facts = if is_toml {
        parse(&file, &read_text(path)?)?
    } else {
        let missing = Missing::new(Vec::new());
        let options = Options { header: Some(true), missing, ..Options::default() };
        from_table(&read_table(&path.to_string_lossy(), &options, &|_, _| {})?.table)?
    };
    if facts.is_empty() {
        return Err(refused(format!("{file} says nothing about anybody"), hint()));
    }
    Ok(Known { file, facts })
}

/// The facts of a table of facts.
fn from_table(table: &Table) -> Result<Vec<Fact>, Error> {
    let person = table.column("person")?;
    let relation = table.column("relation")?;
    let optional = |name| table.column(name).ok();
    let (attribute, value) = (optional("attribute"), optional("value"));
    let mut facts = Vec::new();
    for row in 0..table.n_rows() {
        let place = format!("row {}", row + 1);
        let text = |column: &kohort_core::Column| {
            column.dictionary().get(column.codes().get(row)).trim().to_owned()
        };
        let wrong = |column: &str, problem: &str| {
            refused(format!("{}, {place}, column `{column}`: {problem}", table.name()), hint())
        };
        let filled = |column: Option<&kohort_core::Column>, name: &str| {
            let found = column.map(text).filter(|text| !text.is_empty());
            found.ok_or_else(|| wrong(name, "is required for this relation, but is empty"))
        };
        let key = text(person);
        if key.is_empty() {
            return Err(wrong("person", "names nobody"));
        }
        let about = || Ok::<_, Error>((filled(attribute, "attribute")?, filled(value, "value")?));
        let what = match text(relation).as_str() {
            "is" => about().map(|(attribute, value)| What::Is(attribute, value))?,
            "is-not" => about().map(|(attribute, value)| What::IsNot(attribute, value))?,
            "in-table" => What::Member(true),
            "not-in-table" => What::Member(false),
            "in-release" => What::Release(filled(value, "value")?, true),
            "not-in-release" => What::Release(filled(value, "value")?, false),
            "same-as" => What::SameAs(filled(value, "value")?),
            _ => {
                let known = "must be is, is-not, in-table, not-in-table, in-release, not-in-release or \
                             same-as";
                return Err(wrong("relation", known));
            }
        };
        facts.push(Fact { place, person: key, what });
    }
    Ok(facts)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    person: Vec<Person>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Person {
    key: Spanned<Value>,
    member: Option<bool>,
    #[serde(default)]
    is: BTreeMap<String, Spanned<Value>>,
    #[serde(default)]
    is_not: BTreeMap<String, Spanned<Value>>,
    in_release: Option<Spanned<Value>>,
    not_in_release: Option<Spanned<Value>>,
    same_as: Option<Spanned<Value>>,
}

/// What a text of a list says.
type Make = fn(String) -> What;

/// The facts of a TOML file.
fn parse(file: &str, text: &str) -> Result<Vec<Fact>, Error> {
    let line = |at: usize| text[..at.min(text.len())].matches('\n').count() + 1;
    let found: File = toml::from_str(text).map_err(|error| {
        let line = line(error.span().map_or(0, |span| span.start));
        refused(format!("{file}, line {line}: {}", without_cells(error.message())), hint())
    })?;
    let texts = |value: &Spanned<Value>| {
        let list = match value.get_ref() {
            Value::Array(list) => &list[..],
            one => std::slice::from_ref(one),
        };
        let place = format!("line {}", line(value.span().start));
        let texts: Option<Vec<String>> = list.iter().map(scalar).collect();
        let wrong = format!("{file}, {place}: must be a text or a number, or a list of them");
        texts.map(|texts| (place, texts)).ok_or_else(|| refused(wrong, hint()))
    };
    let mut facts = Vec::new();
    for Person { key, member, is, is_not, in_release, not_in_release, same_as } in &found.person {
        let (place, keys) = texts(key)?;
        let [person] = &keys[..] else {
            return Err(refused(format!("{file}, {place}: `key` must be one text"), hint()));
        };
        let mut add = |place: String, what| {
            facts.push(Fact { place, person: person.clone(), what });
        };
        if let Some(member) = member {
            add(place, What::Member(*member));
        }
        for (attribute, value) in is {
            let (place, values) = texts(value)?;
            for value in values {
                add(place.clone(), What::Is(attribute.clone(), value));
            }
        }
        for (attribute, value) in is_not {
            let (place, values) = texts(value)?;
            for value in values {
                add(place.clone(), What::IsNot(attribute.clone(), value));
            }
        }
        let lists: [(_, Make); 3] = [
            (in_release, |number| What::Release(number, true)),
            (not_in_release, |number| What::Release(number, false)),
            (same_as, What::SameAs),
        ];
        for (value, what) in lists {
            if let Some(value) = value {
                let (place, values) = texts(value)?;
                for value in values {
                    add(place.clone(), what(value));
                }
            }
        }
    }
    Ok(facts)
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::Boolean(is) => Some(is.to_string()),
        Value::Datetime(time) => Some(time.to_string()),
        Value::Array(_) | Value::Table(_) => None,
    }
}

/// What is wrong with a file, without the texts that stand in it.
fn without_cells(message: &str) -> String {
    let names = ["missing field", "unknown field", "duplicate field"];
    if names.iter().any(|start| message.starts_with(start)) {
        return message.trim().replace('\n', ", ");
    }
    match message.rsplit_once("expected ") {
        Some((before, expected)) if before.starts_with("invalid") => format!("expected {expected}"),
        _ => "not TOML".into(),
    }
}

/// Knowledge about people, and how much of it could not be used.
#[derive(Default)]
pub(super) struct Bound {
    pub(super) knowledge: Knowledge,
    pub(super) notes: Vec<Message>,
}

impl Known {
    /// What is known of the people of a table, who are named by a column of it, in the codes of these
    /// sensitive attributes.
    pub(super) fn bind(
        &self,
        people: &Table,
        key: &str,
        sensitive: &[&Attribute],
        n_releases: usize,
    ) -> Result<Bound, Error> {
        let column = people.column(key)?;
        let counts = column.counts();
        let mut row_of_entry = vec![0; counts.len()];
        for (row, entry) in (0..).zip(column.codes().iter()) {
            row_of_entry[entry as usize] = row;
        }
        let row = |person: &str| {
            let entry = column.dictionary().find(person)? as usize;
            (counts[entry] == 1).then(|| row_of_entry[entry])
        };
        let mut of_person: BTreeMap<u32, Facts> = BTreeMap::new();
        let (mut nobody, mut n_foreign) = (BTreeSet::new(), 0_u64);
        let (mut presence, mut same) = (BTreeMap::new(), Vec::new());
        for fact in &self.facts {
            let coded = self.coded(fact, sensitive)?;
            let Some(row_of_person) = row(&fact.person) else {
                nobody.insert(&fact.person);
                continue;
            };
            match &fact.what {
                What::Release(number, is_in) => {
                    let release = self.release(fact, number, n_releases)?;
                    if *presence.entry((release, row_of_person)).or_insert(*is_in) != *is_in {
                        return Err(self.contradiction(fact));
                    }
                    continue;
                }
                What::SameAs(other) => {
                    match row(other) {
                        Some(other) => same.push((row_of_person, other)),
                        None => _ = nobody.insert(other),
                    }
                    continue;
                }
                What::Member(_) | What::Is(..) | What::IsNot(..) => {}
            }
            let row = row_of_person;
            let facts = of_person.entry(row).or_default();
            n_foreign += u64::from(coded.is_none());
            if !coded.is_none_or(|coded| add(facts, coded)) {
                return Err(self.contradiction(fact));
            }
        }
        if of_person.is_empty() && presence.is_empty() && same.is_empty() {
            let (file, table) = (&self.file, people.name());
            return Err(refused(
                format!("{file} names nobody whom column `{key}` of {table} names once"),
                message!(
                    "name the column of the people's names with {}",
                    Setting::Key.to("COLUMN")
                ),
            ));
        }
        let notes = self.unused(people, key, nobody.len() as u64, n_foreign);
        let mut knowledge = Knowledge::new(of_person);
        knowledge.add_presence(presence);
        knowledge.add_same(same);
        Ok(Bound { knowledge, notes })
    }

    /// How many people the table does not name, and how many values the release does not have.
    fn unused(&self, people: &Table, key: &str, n_nobody: u64, n_foreign: u64) -> Vec<Message> {
        let (file, table) = (&self.file, people.name());
        let mut notes = Vec::new();
        if n_nobody > 0 {
            let named = count(n_nobody, "person", "people");
            notes.push(message!(
                "what {file} says about {named} is not used: column `{key}` of {table} has no such name, or \
                 has it in several rows"
            ));
        }
        if n_foreign > 0 {
            let values = count(n_foreign, "value", "values");
            notes.push(message!("{file} names {values} that nobody in the release has"));
        }
        notes
    }

    fn contradiction(&self, fact: &Fact) -> Error {
        let problem = "contradicts what was said about the same person before";
        refused(format!("{}, {}: {problem}", self.file, fact.place), hint())
    }

    /// The place of a release from 0, by its number.
    fn release(&self, fact: &Fact, number: &str, n_releases: usize) -> Result<usize, Error> {
        let place = number.parse().ok().filter(|number| (1..=n_releases).contains(number));
        place.map(|number| number - 1).ok_or_else(|| {
            let place = format!("{}, {}", self.file, fact.place);
            refused(
                format!("{place}: must be the number of a release, from 1 to {n_releases}"),
                hint(),
            )
        })
    }

    /// A fact in codes; none about a value that does not occur.
    fn coded(&self, fact: &Fact, sensitive: &[&Attribute]) -> Result<Option<Coded>, Error> {
        let code = |attribute: &str, value: &str| {
            let index = sensitive.iter().position(|a| a.name() == attribute).ok_or_else(|| {
                let names: Vec<String> =
                    sensitive.iter().map(|a| format!("`{}`", a.name())).collect();
                refused(
                    format!(
                        "{}, {}: `attribute` must be a sensitive column ({}), but is not",
                        self.file,
                        fact.place,
                        if names.is_empty() { "none".into() } else { names.join(", ") }
                    ),
                    hint(),
                )
            })?;
            Ok::<_, Error>(sensitive[index].code_of(value).map(|code| (index, code)))
        };
        Ok(match &fact.what {
            What::Member(is) => Some(Coded::Member(*is)),
            What::Is(attribute, value) => code(attribute, value)?.map(Coded::Has),
            What::IsNot(attribute, value) => code(attribute, value)?.map(Coded::Lacks),
            What::Release(..) | What::SameAs(_) => None,
        })
    }
}

#[derive(Clone, Copy)]
enum Coded {
    Member(bool),
    Has((usize, u32)),
    Lacks((usize, u32)),
}

/// Adds to what is known of a person, unless it contradicts that.
fn add(facts: &mut Facts, coded: Coded) -> bool {
    match coded {
        Coded::Member(is) => *facts.is_member.get_or_insert(is) == is,
        Coded::Has((index, code)) => {
            let agrees = |&(other, value): &(usize, u32)| other != index || value == code;
            let is_possible = facts.has.iter().all(agrees) && !facts.lacks.contains(&(index, code));
            if is_possible && !facts.has.contains(&(index, code)) {
                facts.has.push((index, code));
            }
            is_possible
        }
        Coded::Lacks(value) => {
            if !facts.lacks.contains(&value) {
                facts.lacks.push(value);
            }
            !facts.has.contains(&value)
        }
    }
}
