//! The statements of `--sql`, run on PostgreSQL and SQLite: every figure is the one of the diagnosis.
//!
//! The names are hostile, and some are names that the statements use themselves.

use std::collections::BTreeMap;
use std::fmt::Write;

use kohort::diagnose::{Diagnosis, Principle, Question, diagnose};
use kohort::goal::{
    DistanceName, DistinctLDiversity, EntropyLDiversity, FrequencyLDiversity, KAnonymity,
    RecursiveClDiversity, TCloseness,
};
use kohort::sql::{Dialect, Names, sql};
use kohort::{Ctx, Dataset, Ratio, Role, Table};
use kohort_core::{Attribute, Codes, Column, Dictionary, Domain, Missing, MissingAs, ValueType};

use crate::postgres::compare::{Answer, check};
use crate::postgres::{Postgres, Rows};

fn t_closeness(t: Ratio, distance: DistanceName, attribute: Option<String>) -> Principle {
    TCloseness { t, distance, attribute }.into()
}

const QUASI: [&str; 5] = ["a \"b\"", "select", "line\nbreak; --", "n", "q1"];
// A text, a number and a day.
const SENSITIVE: [&str; 3] = ["ill'ness", "cell", "v"];

/// A question about a table, kohort's answer, and the statements with what they are about.
struct Case {
    dataset: Dataset,
    question: Question,
    expected: Diagnosis,
    statements: Vec<(String, String)>,
}

#[test]
fn every_figure_is_the_same_in_postgresql() {
    let postgres = Postgres::start();
    every_figure_is_the_same(Dialect::Postgres, &|setup, statements| {
        postgres.run(setup, statements)
    });
}

#[test]
fn every_figure_is_the_same_in_sqlite() {
    every_figure_is_the_same(Dialect::Sqlite, &|setup, statements| {
        let sqlite = rusqlite::Connection::open_in_memory().unwrap();
        add_logarithms(&sqlite);
        sqlite.execute_batch(setup).unwrap();
        statements.iter().map(|statement| rows_of(&sqlite, statement)).collect()
    });
}

/// The SQLite that we build comes without them, others have them.
fn add_logarithms(sqlite: &rusqlite::Connection) {
    let flags = rusqlite::functions::FunctionFlags::SQLITE_DETERMINISTIC;
    let ln = |context: &rusqlite::functions::Context<'_>| Ok(context.get::<f64>(0)?.ln());
    let exp = |context: &rusqlite::functions::Context<'_>| {
        Ok(context.get::<Option<f64>>(0)?.map(f64::exp))
    };
    sqlite.create_scalar_function("ln", 1, flags, ln).unwrap();
    sqlite.create_scalar_function("exp", 1, flags, exp).unwrap();
}

fn rows_of(sqlite: &rusqlite::Connection, statement: &str) -> Rows {
    let mut statement = sqlite.prepare(statement.trim_end_matches(';')).unwrap();
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let n = columns.len();
    let text = |value: rusqlite::types::Value| match value {
        rusqlite::types::Value::Null => None,
        rusqlite::types::Value::Integer(number) => Some(number.to_string()),
        rusqlite::types::Value::Real(number) => Some(number.to_string()),
        rusqlite::types::Value::Text(text) => Some(text),
        rusqlite::types::Value::Blob(_) => panic!("a figure is no blob"),
    };
    let row = |row: &rusqlite::Row<'_>| (0..n).map(|at| row.get(at).map(text)).collect();
    let rows = statement.query_map([], row).unwrap().collect::<Result<_, _>>().unwrap();
    Rows { columns, rows }
}

fn every_figure_is_the_same(dialect: Dialect, run: &dyn Fn(&str, &[&str]) -> Vec<Rows>) {
    let mut random = Random(7);
    let mut setup = String::new();
    let mut cases = Vec::new();
    for number in 0..32 {
        let drawn = Drawn::new(number, &mut random);
        drawn.create(&mut setup);
        for question in questions(&mut random, &drawn) {
            cases.push(drawn.case(dialect, question, &random.goal()));
        }
    }
    let mut statements: Vec<&str> = Vec::new();
    let mut place: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, statement) in cases.iter().flat_map(|case| &case.statements) {
        place.entry(statement).or_insert_with(|| {
            statements.push(statement);
            statements.len() - 1
        });
    }
    let results: Vec<Rows> = run(&setup, &statements);
    for case in &cases {
        let answer = |(figure, statement): &(String, String)| Answer {
            figure: figure.clone(),
            rows: results[place[statement.as_str()]].clone(),
        };
        let answers: Vec<Answer> = case.statements.iter().map(answer).collect();
        let names: Vec<&str> = case.dataset.quasi().iter().map(|a| a.name()).collect();
        check(&names, &case.question, &case.expected, &answers);
    }
}

/// splitmix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }

    fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[usize::try_from(self.below(items.len() as u64)).unwrap()]
    }

    /// A cell of a small domain, sometimes missing.
    fn cell(&mut self, domain: &[&str], size: u64) -> String {
        if self.below(6) == 0 {
            return String::new();
        }
        let size = usize::try_from(size).unwrap().min(domain.len());
        self.one_of(&domain[..size]).to_owned()
    }

    pub(crate) fn goal(&mut self) -> Vec<Principle> {
        vec![
            KAnonymity { k: 2 + self.below(3) }.into(),
            t_closeness(Ratio::new(self.below(11), 10), DistanceName::Equal, None),
        ]
    }
}

/// A table and a public one.
pub(crate) struct Drawn {
    pub(crate) names: [String; 2],
    pub(crate) quasi: Vec<&'static str>,
    pub(crate) sensitive: Vec<&'static str>,
    rows: Vec<Vec<String>>,
    public: Vec<Vec<String>>,
    // What a missing text says. A missing number is ignored: as a value it has no ordered distance in SQL.
    pub(crate) missing_text: MissingAs,
}

impl Drawn {
    pub(crate) fn new(number: usize, random: &mut Random) -> Self {
        let quasi = QUASI[..=number % QUASI.len()].to_vec();
        let sensitive = SENSITIVE[..number % (SENSITIVE.len() + 1)].to_vec();
        let n_rows = [1, 2, 3][..].get(number).copied().unwrap_or(5 + random.below(60));
        let size = 1 + random.below(4);
        let person = |random: &mut Random| {
            let mut row = Vec::new();
            for name in &quasi {
                let domain = if *name == "n" { &["1", "2", "10"] } else { &["red", "it's", "\\x"] };
                let size = 1 + random.below(size);
                row.push(random.cell(domain, size));
            }
            row
        };
        let mut rows: Vec<Vec<String>> = Vec::new();
        for _ in 0..n_rows {
            let mut row = person(random);
            row.push(random.cell(&["flu", "o'hara", "cold", "\"x\"", "gout", "mumps"], size + 3));
            row.push(random.cell(&["9", "10", "-3", "0", "100", "7"], size + 3));
            row.push(random.cell(&["2024-01-31", "1999-12-01", "2000-02-29"], size));
            row.truncate(quasi.len() + sensitive.len());
            rows.push(row);
        }
        let mut public: Vec<Vec<String>> =
            rows.iter().map(|row| row[..quasi.len()].to_vec()).collect();
        // Sometimes people of the table are not in the public one.
        if random.below(2) == 0 {
            public.truncate(usize::try_from(random.below(n_rows)).unwrap());
        }
        for _ in 0..=random.below(2 * n_rows) {
            public.push(person(random));
        }
        // The first are called as the statements call their own.
        let names = match number {
            0 => ["cell".to_owned(), "class".to_owned()],
            _ => [format!("cell \"{number}\""), format!("class'{number}")],
        };
        let missing_text = [MissingAs::Ignored, MissingAs::Value][number / 4 % 2];
        Self { names, quasi, sensitive, rows, public, missing_text }
    }

    /// The statements that make both tables.
    pub(crate) fn create(&self, setup: &mut String) {
        let [table, public] = &self.names;
        let columns: Vec<&str> = self.quasi.iter().chain(&self.sensitive).copied().collect();
        for (name, columns, rows) in
            [(table, &columns, &self.rows), (public, &self.quasi, &self.public)]
        {
            let declared = columns.iter().map(|column| {
                let kind = match *column {
                    "n" | "cell" => "INTEGER",
                    "v" => "DATE",
                    _ => "TEXT",
                };
                format!("{} {kind}", quoted('"', column))
            });
            let declared = declared.collect::<Vec<_>>().join(", ");
            let name = quoted('"', name);
            let _ = writeln!(setup, "CREATE TABLE {name} ({declared});");
            for row in rows {
                let cell = |text: &String| match text.as_str() {
                    "" => "NULL".to_owned(),
                    text => quoted('\'', text),
                };
                let cells = row.iter().map(cell).collect::<Vec<_>>().join(", ");
                let _ = writeln!(setup, "INSERT INTO {name} VALUES ({cells});");
            }
        }
    }

    fn dataset(&self) -> Dataset {
        let columns: Vec<&str> = self.quasi.iter().chain(&self.sensitive).copied().collect();
        let table = table(&columns, &self.rows);
        let mut attributes = attributes(&table, &self.quasi, Role::Quasi);
        let sensitive = self::attributes(&table, &self.sensitive, Role::Sensitive).into_iter();
        attributes.extend(sensitive.map(|attribute| match attribute.value_type() {
            ValueType::Text => attribute.with_missing_as(self.missing_text),
            _ => attribute.with_missing_as(MissingAs::Ignored),
        }));
        Dataset::new(table, attributes).unwrap()
    }

    fn case(&self, dialect: Dialect, question: Question, goal: &[Principle]) -> Case {
        let dataset = self.dataset();
        let public = table(&self.quasi, &self.public);
        let public = question.sampling_fraction.is_none().then_some(&public);
        let goal = if self.sensitive.is_empty() { &goal[..1] } else { goal };
        let expected = diagnose(&dataset, &question, goal, public, &Ctx::quiet()).unwrap();
        let public = public.map(|_| self.names[1].as_str());
        let names = Names::new(&dataset, &self.names[0], public);
        let text = sql(dialect, &names, &question, goal).unwrap();
        let split = |block: &str| {
            let (figure, statement) = block.strip_prefix("-- ")?.split_once('\n')?;
            Some((figure.to_owned(), statement.to_owned()))
        };
        let statements = text.trim_end().split("\n\n").filter_map(split).collect();
        Case { dataset, question, expected, statements }
    }
}

fn quoted(quote: char, text: &str) -> String {
    format!("{quote}{}{quote}", text.replace(quote, &format!("{quote}{quote}")))
}

fn table(names: &[&str], rows: &[Vec<String>]) -> Table {
    let column = |(index, name): (usize, &&str)| {
        let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
        for (line, row) in (2..).zip(rows) {
            codes.push(dictionary.intern(row[index].as_bytes(), line).unwrap());
        }
        Column::new((*name).into(), dictionary, codes, &Missing::default())
    };
    let columns = names.iter().enumerate().map(column).collect();
    Table::new("test.csv".into(), columns, true, Missing::default())
}

fn attributes(table: &Table, names: &[&str], role: Role) -> Vec<Attribute> {
    let attribute = |name: &&str| {
        let domain = Domain::new(table, table.column(name).unwrap(), None, &|_| false).unwrap();
        Attribute::new(table, name, role, domain, None).unwrap()
    };
    names.iter().map(attribute).collect()
}

/// The twelve questions of Zare Mirakabad 2010, and the same for other levels.
pub(crate) fn questions(random: &mut Random, drawn: &Drawn) -> Vec<Question> {
    let shares = ["0", "0.1", "1/3", "0.5", "0.12345678901234567", "1"];
    let share = |random: &mut Random| Some(random.one_of(&shares).parse().unwrap());
    let mut questions = Vec::new();
    for subsets in [false, true] {
        for with_k in [false, true] {
            let k = with_k.then(|| 2 + random.below(5));
            let plain = Question { subsets, k, ..Question::default() };
            questions.push(Question { values: chosen(random, drawn), ..plain.clone() });
            questions.push(Question { suppress: share(random), ..plain.clone() });
            questions.push(Question { find_suppression: true, ..plain.clone() });
            if !drawn.sensitive.is_empty() {
                questions.push(Question { principles: principles(random, drawn), ..plain });
            }
        }
    }
    let few = Question { subsets: true, max_size: Some(2), ..Question::default() };
    questions.push(Question { find_suppression: true, ..few.clone() });
    let sampling_fraction = Some(Ratio::new(1 + random.below(9), 10));
    questions.push(Question { sampling_fraction, ..few });
    questions
}

/// Some values of the first row, missing ones among them.
fn chosen(random: &mut Random, drawn: &Drawn) -> Vec<(String, String)> {
    let mut chosen = Vec::new();
    for (name, index) in drawn.sensitive.iter().zip(drawn.quasi.len()..) {
        for row in drawn.rows.iter().take(usize::try_from(random.below(3)).unwrap()) {
            chosen.push(((*name).to_owned(), row[index].clone()));
        }
    }
    chosen
}

/// One to three levels of sensitive attributes, around those that small classes have.
fn principles(random: &mut Random, drawn: &Drawn) -> Vec<Principle> {
    let is_text = |name: &&str| {
        let index = drawn.sensitive.iter().position(|other| other == name).unwrap();
        *name == "ill'ness"
            || drawn.rows.iter().all(|row| row[drawn.quasi.len() + index].is_empty())
    };
    let mut principles = Vec::new();
    for _ in 0..=random.below(3) {
        let name = random.one_of(&drawn.sensitive);
        let attribute = Some(name.to_owned()).filter(|_| random.below(2) == 0);
        let l = Ratio::new(11 + random.below(12), 10);
        // Shares of small classes meet such thresholds exactly.
        let c = Ratio::new(1 + random.below(6), 2);
        let t = Ratio::new(random.below(21), 20);
        principles.push(match random.below(6) {
            0 => DistinctLDiversity { l: 2 + random.below(2), attribute }.into(),
            1 => FrequencyLDiversity { l, attribute }.into(),
            2 => EntropyLDiversity { l, attribute }.into(),
            3 => RecursiveClDiversity { c, l: 2 + random.below(2), attribute }.into(),
            4 if !is_text(&name) => t_closeness(t, DistanceName::Ordered, Some(name.to_owned())),
            _ => t_closeness(t, DistanceName::Equal, attribute),
        });
    }
    principles
}
