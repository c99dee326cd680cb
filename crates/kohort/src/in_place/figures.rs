//! The statements of a question, with what a database answered.

use std::collections::BTreeMap;

use kohort_core::{Ctx, Ratio};
use kohort_db::{Answer, Session};
use kohort_verify::ClassSizes;

use crate::Error;
use crate::diagnose::{Principle, Question};
use crate::error::refused;
use crate::sql::{Dialect, Figure, Names, Part, Statement, parts};

/// The answers, in the order of the statements.
pub(super) struct Figures(Vec<(Statement, Given)>);

/// What one statement gave.
pub(super) struct Given(pub(super) Answer);

impl Figures {
    /// Asks a database what a question needs. What follows from the number of classes of each size is not asked.
    pub(super) fn ask(
        session: &mut Session,
        (dialect, names): (Dialect, &Names<'_>),
        (question, goal): (&Question, &[Principle]),
        ctx: &Ctx<'_>,
    ) -> Result<Self, Error> {
        let is_needed = |statement: &Statement| {
            !matches!(
                statement.figure,
                Figure::Levels
                    | Figure::Prosecutor
                    | Figure::PSensitivity
                    | Figure::LinkingBound
                    | Figure::Suppression
            )
        };
        let statements =
            parts(dialect, names, question, goal)?.into_iter().filter_map(|part| match part {
                Part::Statement(statement) if is_needed(&statement) => Some(statement),
                _ => None,
            });
        let statements: Vec<Statement> = statements.collect();
        let n = statements.len() as u64;
        let mut figures = Vec::new();
        for (done, statement) in (0..).zip(statements) {
            kohort_core::alive();
            ctx.progress("counting in the database", done, n);
            let given = Given(session.ask(&statement.sql)?);
            figures.push((statement, given));
        }
        Ok(Self(figures))
    }

    /// What a statement gave, if it was asked.
    pub(super) fn of(&self, figure: Figure, is_of_subsets: bool) -> Option<&Given> {
        let mut all = self.0.iter();
        let is_it = |(statement, _): &&(Statement, Given)| {
            statement.figure == figure && statement.is_of_subsets == is_of_subsets
        };
        all.find(is_it).map(|(_, given)| given)
    }

    /// The same of a figure that is always asked for.
    pub(super) fn get(&self, figure: Figure, is_of_subsets: bool) -> Result<&Given, Error> {
        self.of(figure, is_of_subsets).ok_or_else(|| unexpected("a statement"))
    }
}

/// The database answered something else than it was asked.
fn unexpected(what: &str) -> Error {
    refused(
        format!("the database gave no answer to {what}"),
        "let kohort read the table; if the database is one that kohort knows, report this",
    )
}

impl Given {
    /// The number of rows.
    pub(super) fn n_rows(&self) -> usize {
        self.0.rows.len()
    }

    /// A figure as it was written; none for NULL.
    pub(super) fn text(&self, row: usize, column: &str) -> Result<Option<&str>, Error> {
        let at = self.0.columns.iter().position(|name| name == column);
        let cell = at.and_then(|at| self.0.rows.get(row)?.get(at));
        Ok(cell.ok_or_else(|| unexpected(column))?.as_deref())
    }

    fn number<T: std::str::FromStr>(&self, row: usize, column: &str) -> Result<Option<T>, Error> {
        let text = self.text(row, column)?;
        text.map(|text| text.parse().map_err(|_| unexpected(column))).transpose()
    }

    /// A count; none for NULL.
    pub(super) fn count(&self, row: usize, column: &str) -> Result<Option<u64>, Error> {
        self.number(row, column)
    }

    /// A count that is never NULL.
    pub(super) fn whole(&self, row: usize, column: &str) -> Result<u64, Error> {
        self.count(row, column)?.ok_or_else(|| unexpected(column))
    }

    /// A decimal; none for NULL.
    pub(super) fn real(&self, row: usize, column: &str) -> Result<Option<f64>, Error> {
        self.number(row, column)
    }

    /// A fraction, by its parts; none for NULL.
    pub(super) fn ratio(&self, row: usize, name: &str) -> Result<Option<Ratio>, Error> {
        let num = self.count(row, &format!("{name}_num"))?;
        let den = self.count(row, &format!("{name}_den"))?.filter(|&den| den > 0);
        Ok(num.zip(den).map(|(num, den)| Ratio::new(num, den)))
    }

    /// Whether a promise holds.
    pub(super) fn holds(&self, row: usize) -> Result<bool, Error> {
        Ok(matches!(self.text(row, "holds")?, Some("t" | "1" | "true")))
    }

    /// The attributes of the set that a row is about, as their names stand in a row.
    pub(super) fn attributes(&self, row: usize) -> Result<String, Error> {
        Ok(self.text(row, "attributes")?.unwrap_or_default().to_owned())
    }

    /// The sizes of the classes.
    pub(super) fn sizes(&self) -> Result<ClassSizes, Error> {
        let mut sizes = ClassSizes::default();
        for row in 0..self.n_rows() {
            self.add_size(row, &mut sizes)?;
        }
        Ok(sizes)
    }

    /// The sizes of the classes of each set.
    pub(super) fn sizes_of_sets(&self) -> Result<BTreeMap<String, ClassSizes>, Error> {
        let mut sets = BTreeMap::new();
        for row in 0..self.n_rows() {
            self.add_size(row, sets.entry(self.attributes(row)?).or_default())?;
        }
        Ok(sets)
    }

    fn add_size(&self, row: usize, sizes: &mut ClassSizes) -> Result<(), Error> {
        let classes = self.whole(row, "classes")?;
        let classes = u32::try_from(classes).map_err(|_| unexpected("classes"))?;
        let size = self.whole(row, "size")?;
        // Of no rows there is a class without any in some engines.
        if size > 0 {
            sizes.add_many(size, classes);
        }
        Ok(())
    }

    /// The row of each set.
    pub(super) fn rows_of_sets(&self) -> Result<BTreeMap<String, usize>, Error> {
        (0..self.n_rows()).map(|row| Ok((self.attributes(row)?, row))).collect()
    }
}
