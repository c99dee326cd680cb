//! Diagnosis where the data is: the database counts, and only figures leave it.
//!
//! ```no_run
//! use kohort::Ctx;
//! use kohort::diagnose::{Question, text};
//! use kohort::in_place::InPlace;
//! use kohort::plan::Plan;
//!
//! let plan = Plan::open("plan.toml".as_ref())?; // input = "postgres://host/hospital#patients"
//! let mut database = InPlace::open(&plan)?;
//! let found = database.diagnose(&plan, (&Question::default(), &[]), None, &Ctx::quiet())?;
//! println!("{}", text(&found));
//! # Ok::<(), kohort::Error>(())
//! ```
//!
//! # Guarantee
//! The answer is the one that [`mod@crate::diagnose`] gives of the same rows, as far as it goes: the statements are
//! those that [`crate::sql`] prints, each figure is exact where the local one is, and what statements cannot
//! count is named in `left_out`. All statements see one state of the database. No cell of a quasi-identifier
//! and no row leaves PostgreSQL; SQLite runs in this process.

mod answer;
mod figures;

use std::collections::BTreeMap;

use kohort_core::{Attribute, Ctx, Dataset, MissingAs, Table, ValueType};
use kohort_db::{Rows, Session};

use crate::diagnose::{Diagnosis, Principle, Question};
use crate::error::refused;
use crate::load::{assign_roles, options, starred_cells};
use crate::people::{RepeatedPeople, columns_of_people, refuse_repeated};
use crate::plan::{AttributePlan, FullAttribute, Plan, RoleName, UnitName};
use crate::sql::{Dialect, Names};
use crate::taxonomy::Source;
use crate::{Error, Kind};
use figures::Figures;

/// Rows of a database that are not read.
pub struct InPlace {
    session: Session,
    rows: Rows,
    columns: Table,
}

impl InPlace {
    /// Opens the database that a plan reads.
    ///
    /// # Errors
    /// When the plan reads a file, or the database is not there or refuses.
    pub fn open(plan: &Plan) -> Result<Self, Error> {
        let input = plan.input.as_ref();
        let database = input.map(|input| input.database(&plan.folder)).transpose()?.flatten();
        let Some((address, rows)) = database else {
            return Err(refused(
                "there is no database to count in: the input is a file",
                "name rows of a database, such as `postgres://host/db#ward.patients`, or let kohort read the \
                 file",
            ));
        };
        let password = input.and_then(|input| input.password.as_ref());
        let missing = options(&plan.read)?.missing;
        let mut session = Session::open(&address, password, &missing)?;
        let none: [Vec<String>; 0] = [];
        let columns = Table::from_rows(session.columns(&rows)?, none)?.named(rows.name());
        let rows = qualified(&session, rows);
        Ok(Self { session, rows, columns })
    }

    /// The columns, without rows.
    pub fn columns(&self) -> &Table {
        &self.columns
    }

    /// Answers a question about the rows. `goal` has further promises to judge, and `public` is a table of the
    /// same database that lists the population.
    ///
    /// # Errors
    /// When the plan does not fit the rows, the question has no answer in place, or the database gives up.
    pub fn diagnose(
        &mut self,
        plan: &Plan,
        (question, goal): (&Question, &[Principle]),
        public: Option<&str>,
        ctx: &Ctx<'_>,
    ) -> Result<Diagnosis, Error> {
        refuse_unasked(plan)?;
        self.refuse_repeated(plan, question)?;
        let (typed, read_as) = self.with_types(plan)?;
        let dataset = assign_roles(&typed, self.columns.clone())?.value;
        let quasi = dataset.quasi();
        let all: Vec<&Attribute> = quasi.iter().copied().chain(dataset.sensitive()).collect();
        let dialect = if self.session.is_postgres() { Dialect::Postgres } else { Dialect::Sqlite };
        let columns = all.iter().map(|attribute| (attribute.name(), &read_as[attribute.name()]));
        let table = source(dialect, &self.rows, columns);
        let public = public.map(|name| self.public(name, &quasi, dialect)).transpose()?;
        self.refuse_stars(&dataset, (dialect, &table))?;
        let mut names = Names::of_rows(&dataset, table, public);
        for column in &mut names.sensitive {
            column.has_taxonomy = has_taxonomy(plan, column.name);
        }
        let figures = Figures::ask(&mut self.session, (dialect, &names), (question, goal), ctx)?;
        answer::of(&figures, (&dataset, &names), question, goal)
    }

    /// The plan with the types that columns have in the database, and the expression that gives each column.
    /// Taxonomies are left out: no statement follows one, and nothing is known of the values here.
    fn with_types(&mut self, plan: &Plan) -> Result<(Plan, BTreeMap<String, String>), Error> {
        let (mut typed, mut read_as) = (plan.clone(), BTreeMap::new());
        for (name, attribute) in &mut typed.attributes {
            let full = attribute.full();
            if !matches!(full.role, RoleName::Quasi | RoleName::Sensitive) {
                continue;
            }
            self.columns.column(name)?;
            let asked = full.value_type.map(ValueType::from);
            let found = self.session.reading(&self.rows, name, asked)?;
            read_as.insert(name.clone(), found.sql);
            let value_type = Some(found.value_type.into());
            *attribute = AttributePlan::Full(FullAttribute { value_type, taxonomy: None, ..full });
        }
        typed.preset = None;
        Ok((typed, read_as))
    }

    /// What stands after FROM for a table of the population: its quasi-identifiers, of the same types.
    fn public(
        &mut self,
        name: &str,
        quasi: &[&Attribute],
        dialect: Dialect,
    ) -> Result<String, Error> {
        let rows = qualified(&self.session, Rows::Table(name.to_owned()));
        let mut columns = Vec::new();
        for attribute in quasi {
            let (name, asked) = (attribute.name(), Some(attribute.value_type()));
            columns.push((name, self.session.reading(&rows, name, asked)?.sql));
        }
        Ok(source(dialect, &rows, columns.iter().map(|(name, sql)| (*name, sql))))
    }

    /// Refuses rows that are not people: levels that count people have no statement.
    fn refuse_repeated(&mut self, plan: &Plan, question: &Question) -> Result<(), Error> {
        if question.rows || plan.unit == Some(UnitName::Row) {
            return Ok(());
        }
        let mut most: Option<RepeatedPeople> = None;
        for column in columns_of_people(plan) {
            self.columns.column(&column)?;
            let Some(found) = self.repeated(plan, column)? else { continue };
            if most.as_ref().is_none_or(|most| most.people < found.people) {
                most = Some(found);
            }
        }
        most.map_or(Ok(()), |found| Err(refuse_repeated(plan, &found)))
    }

    /// What a column shows, where it shows that people have several rows.
    fn repeated(&mut self, plan: &Plan, column: String) -> Result<Option<RepeatedPeople>, Error> {
        let rows = self.rows.clone();
        let value = self.session.reading(&rows, &column, Some(ValueType::Text))?.sql;
        let has_digit =
            if self.session.is_postgres() { "v::text ~ '[0-9]'" } else { "v GLOB '*[0-9]*'" };
        let statement = format!(
            "SELECT SUM(CASE WHEN v IS NULL THEN c ELSE 1 END) AS people, SUM(c) AS n_rows,\n  \
             COUNT(v) AS n_values, SUM(CASE WHEN {has_digit} THEN 1 ELSE 0 END) AS with_digit\nFROM (SELECT \
             v, COUNT(*) AS c FROM (SELECT {value} AS v FROM ({}) AS found) AS found GROUP BY v) AS person",
            rows.sql()
        );
        let found = figures::Given(self.session.ask(&statement)?);
        let (Some(people), Some(n_rows)) = (found.count(0, "people")?, found.count(0, "n_rows")?)
        else {
            return Ok(None);
        };
        let with_digit = found.count(0, "with_digit")?.unwrap_or(0);
        let are_codes = 2 * with_digit > found.whole(0, "n_values")?;
        let is_asked = plan.key.is_some() || are_codes;
        let found = RepeatedPeople { column, people, rows: n_rows };
        Ok((is_asked && people < n_rows).then_some(found))
    }

    /// Refuses sensitive cells that are `*`, as the local answer does.
    fn refuse_stars(
        &mut self,
        dataset: &Dataset,
        (dialect, table): (Dialect, &str),
    ) -> Result<(), Error> {
        for attribute in dataset.sensitive() {
            if attribute.value_type() != ValueType::Text {
                continue;
            }
            let name = dialect.identifier(attribute.name());
            let statement = format!("SELECT COUNT(*) AS stars FROM {table} WHERE {name} = '*'");
            if figures::Given(self.session.ask(&statement)?).whole(0, "stars")? > 0 {
                return Err(starred_cells(attribute.name()));
            }
        }
        Ok(())
    }
}

/// What stands after FROM: some rows, with each column as kohort reads it.
fn source<'a>(
    dialect: Dialect,
    rows: &Rows,
    columns: impl Iterator<Item = (&'a str, &'a String)>,
) -> String {
    let columns = columns.map(|(name, sql)| format!("{sql} AS {}", dialect.identifier(name)));
    let columns = columns.collect::<Vec<_>>().join(", ");
    format!("(SELECT {columns} FROM ({}) AS found) AS found", rows.sql())
}

/// The rows, where no name of ours can hide them: SQLite looks for a table among the names of a statement first.
fn qualified(session: &Session, rows: Rows) -> Rows {
    match rows {
        Rows::Table(name) if !session.is_postgres() && !name.contains('.') => {
            let is_quoted = name.starts_with('"');
            let name = if is_quoted { name } else { Dialect::Sqlite.identifier(&name) };
            Rows::Query(format!("SELECT * FROM main.{name}"))
        }
        rows => rows,
    }
}

/// Whether a plan gives a column a taxonomy.
fn has_taxonomy(plan: &Plan, name: &str) -> bool {
    let source = plan.attributes.get(name).and_then(|attribute| attribute.full().taxonomy);
    source.is_some_and(|source| !matches!(source, Source::Flat))
}

/// Refuses what no statement counts.
fn refuse_unasked(plan: &Plan) -> Result<(), Error> {
    let is_quasi = |attribute: &AttributePlan| attribute.full().role == RoleName::Quasi;
    if !plan.attributes.values().any(is_quasi) {
        return Err(Kind::NothingAsked.into());
    }
    for (name, attribute) in &plan.attributes {
        let full = attribute.full();
        if full.buckets.is_some() {
            return Err(refused(
                format!("column `{name}` has buckets, which a database cannot count here"),
                "leave the buckets out, or let kohort read the table",
            ));
        }
        if full.missing.map(MissingAs::from) == Some(MissingAs::Unprotected) {
            return Err(refused(
                format!(
                    "missing values of column `{name}` are unprotected, and there is no SQL for that"
                ),
                "let them be ignored, or let kohort read the table",
            ));
        }
    }
    Ok(())
}
