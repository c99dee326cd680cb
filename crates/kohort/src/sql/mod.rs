//! A question about a table as SQL, for a database that holds the same table.
//!
//! ```
//! use kohort::Table;
//! use kohort::diagnose::Question;
//! use kohort::load::assign_roles;
//! use kohort::plan::Plan;
//! use kohort::sql::{Dialect, Names, sql};
//!
//! let table = Table::from_rows(["age", "zip"], [["31", "02139"], ["34", "02139"]])?;
//! let dataset = assign_roles(&Plan::new().quasi(["age", "zip"]), table)?.value;
//! let names = Names::new(&dataset, "patients", None);
//! let statements = sql(Dialect::Postgres, &names, &Question::default(), &[])?;
//! assert!(statements.contains("GROUP BY"));
//! # Ok::<(), kohort::Error>(())
//! ```
//!
//! # Guarantee
//! Each statement gives the figures that `diagnose` gives, on a table whose columns have the types that
//! kohort read and whose missing values are NULL. Whole numbers are equal, others up to rounding.
//! Names and values are quoted; nothing in them is run.
//!
//! # References
//! Zare Mirakabad, A Framework for Privacy Diagnosis and Preservation in Data Publishing, 2010.

mod classes;
mod extreme;
mod levels;
mod parts;
mod principles;
mod sizes;
mod text;

use kohort_core::{Attribute, Dataset, Missing, MissingAs, Setting, message};

use crate::Error;
use crate::diagnose::{Principle, Question};
use crate::error::refused;
pub use crate::goal::statement::{Column, Dialect};
use classes::Classes;
use parts::Parts;
pub(crate) use parts::{Figure, Part, Statement};

/// What the tables and columns are called in the database.
#[derive(Clone, Debug)]
pub struct Names<'a> {
    /// The table.
    pub(crate) table: Rows<'a>,
    /// The quasi-identifiers.
    pub quasi: Vec<&'a str>,
    /// The sensitive attributes.
    pub sensitive: Vec<Column<'a>>,
    /// The table of the population, with the same quasi-identifiers.
    pub(crate) public: Option<Rows<'a>>,
    /// The texts that stand for NULL when a value is chosen.
    pub missing: Missing,
}

/// Where rows are.
#[derive(Clone, Debug)]
pub(crate) enum Rows<'a> {
    /// A table.
    Table(&'a str),
    /// What stands after FROM.
    From(String),
}

impl Rows<'_> {
    /// What stands after FROM.
    fn from(&self, dialect: Dialect) -> String {
        match self {
            // SQLite takes an expression of the same name for the table otherwise.
            Self::Table(name) if dialect == Dialect::Sqlite => {
                format!("main.{}", dialect.identifier(name))
            }
            Self::Table(name) => dialect.identifier(name),
            Self::From(sql) => sql.clone(),
        }
    }
}

impl<'a> Names<'a> {
    /// The columns of a dataset, in tables of these names.
    pub fn new(dataset: &'a Dataset, table: &'a str, public: Option<&'a str>) -> Self {
        let sensitive = dataset.sensitive().into_iter().map(|attribute| Column {
            name: attribute.name(),
            value_type: attribute.value_type(),
            has_taxonomy: !attribute.is_flat(),
            has_buckets: attribute.buckets().is_some(),
            missing_as: attribute.missing_as(),
        });
        Self {
            table: Rows::Table(table),
            quasi: dataset.quasi().into_iter().map(Attribute::name).collect(),
            sensitive: sensitive.collect(),
            public: public.map(Rows::Table),
            missing: dataset.table().missing().clone(),
        }
    }

    /// The same columns in what stands after FROM.
    pub(crate) fn of_rows(dataset: &'a Dataset, from: String, public: Option<String>) -> Self {
        let table = Rows::From(from);
        Self { table, public: public.map(Rows::From), ..Self::new(dataset, "", None) }
    }

    /// The sensitive attributes of which a missing value says nothing.
    fn ignored(&self) -> impl Iterator<Item = &'a str> {
        let ignored = self.sensitive.iter().filter(|c| c.missing_as == MissingAs::Ignored);
        ignored.map(|column| column.name)
    }

    /// The sensitive attributes that a level is asked of: the one named, or all.
    fn sensitive_of(&self, name: Option<&str>) -> Result<Vec<(usize, &Column<'a>)>, Error> {
        let chosen =
            |(_, column): &(usize, &Column<'_>)| name.is_none_or(|name| name == column.name);
        let found: Vec<_> = self.sensitive.iter().enumerate().filter(chosen).collect();
        match (found.is_empty(), name) {
            (false, _) => Ok(found),
            (true, None) => Err(refused(
                "l-diversity and t-closeness are about a sensitive attribute, and none is named",
                message!("name it with {}", Setting::Sensitive.to("disease")),
            )),
            (true, Some(name)) => Err(refused(
                format!("`{name}` is not a sensitive attribute"),
                message!("name it with {}", Setting::Sensitive.to(name)),
            )),
        }
    }
}

/// The statements that answer a question, each after a comment that says what it gives. `goal` are
/// further promises to judge, such as the plan's goal.
pub fn sql(
    dialect: Dialect,
    names: &Names<'_>,
    question: &Question,
    goal: &[Principle],
) -> Result<String, Error> {
    let mut out = Parts::default();
    out.comment("Columns have the types that kohort reads, and a missing value is NULL.");
    if names.ignored().next().is_some() {
        out.comment(
            "Where a statement is about a sensitive column, rows without a value are left out, also of its \
             counts, but of the violating rows.",
        );
    }
    out.0.extend(parts(dialect, names, question, goal)?);
    Ok(out.text())
}

/// The same, before they are printed.
pub(crate) fn parts(
    dialect: Dialect,
    names: &Names<'_>,
    question: &Question,
    goal: &[Principle],
) -> Result<Vec<Part>, Error> {
    question.check(names.quasi.len(), names.public.is_some())?;
    if let Some(column) = names.sensitive.iter().find(|column| column.has_buckets) {
        return Err(refused(
            format!("column `{}` has buckets, which these statements cannot count", column.name),
            "leave the buckets out, or let kohort read the table",
        ));
    }
    if let Some(hiding) = names.sensitive.iter().find(|c| c.missing_as == MissingAs::Unprotected) {
        return Err(refused(
            format!(
                "missing values of column `{}` are unprotected, and there is no SQL for that",
                hiding.name
            ),
            message!("let them be ignored, or ask kohort without {}", Setting::Sql),
        ));
    }
    let table = names.table.from(dialect);
    let printer = Printer {
        dialect,
        names,
        question,
        asked: question.asked(),
        all: Classes::of_all(dialect, &table, &names.quasi).ignoring(names.ignored()),
        table,
    };
    let mut out = Parts::default();
    printer.levels(&mut out)?;
    let for_all = !question.subsets && question.suppress.is_none() && !question.find_suppression;
    for (place, principle) in printer.asked.iter().chain(goal).enumerate() {
        if for_all || place >= printer.asked.len() {
            principles::judge(&mut out, &printer.all, names, (place, principle))?;
        }
    }
    if question.subsets {
        let start = out.0.len();
        printer.subsets(&mut out)?;
        out.of_subsets(start);
    } else {
        printer.one_set(&mut out);
    }
    Ok(out.0)
}

struct Printer<'a> {
    dialect: Dialect,
    names: &'a Names<'a>,
    question: &'a Question,
    // The principles of the question, k among them.
    asked: Vec<Principle>,
    all: Classes,
    table: String,
}

impl Printer<'_> {
    /// What is answered for the whole quasi-identifier, whatever the question.
    fn levels(&self, out: &mut Parts) -> Result<(), Error> {
        let (names, all) = (self.names, &self.all);
        out.statement(
            Figure::Levels,
            "k, the number of classes, classes per row, share of pairs that differ",
            sizes::levels(all),
        );
        let about = "the number of classes of each size";
        out.statement(Figure::Histogram, about, sizes::histogram(all));
        out.statement(
            Figure::Prosecutor,
            "prosecutor risk: largest, mean, rows alone in their class, rows above 1/5, 1/10 and 1/20",
            sizes::prosecutor(all),
        );
        for (index, column) in names.sensitive.iter().enumerate() {
            self.sensitive(out, (index, column));
        }
        for (name, _) in &self.question.values {
            names.sensitive_of(Some(name))?;
        }
        if !names.sensitive.is_empty() {
            let sensitive: Vec<&str> = names.sensitive.iter().map(|column| column.name).collect();
            let about = "p-sensitivity: the fewest values of any sensitive attribute in a class";
            out.statement(Figure::PSensitivity, about, levels::p_sensitivity(all, &sensitive));
        }
        if let Some(public) = &names.public {
            let about = "delta-presence, rows the public table does not cover, journalist and \
                         marketer risk";
            let presence = sizes::presence(all, &public.from(self.dialect));
            out.statement(Figure::Presence, about, presence);
        } else if self.question.sampling_fraction.is_some() {
            let about = "journalist and marketer risk, at most";
            out.statement(Figure::LinkingBound, about, sizes::linking_bound(all));
        }
        Ok(())
    }

    fn sensitive(&self, out: &mut Parts, (index, column): (usize, &Column<'_>)) {
        let (all, name) = (&self.all, column.name);
        let of = |figure: &str| format!("{figure} of `{name}`");
        let about = of("the number of values in the table");
        out.statement(Figure::Values(index), about, levels::values(all, name));
        out.statement(
            Figure::Diversity(index),
            of("distinct, frequency and entropy l, rows whose class has one value,"),
            levels::diversity(all, name),
        );
        out.statement(
            Figure::Recursive(index),
            of("the infimum of c for each l (NULL: no c will do) and the largest l for each c"),
            levels::recursive(all, name),
        );
        if let Some(chosen) = self.chosen(column) {
            let about = of("alpha: the largest share of a chosen value");
            out.statement(Figure::Alpha(index), about, levels::alpha(all, name, &chosen));
        }
        let class = levels::equal_classes(all, name);
        let equal = levels::distance(all, &class, "t_equal");
        out.statement(Figure::Equal(index), of("t by the equal distance"), equal);
        if column.value_type.is_numeric() && column.missing_as == MissingAs::Value {
            principles::no_ordered(out, name);
        } else if column.value_type.is_numeric() {
            let class = levels::ordered_classes(all, name);
            let ordered = levels::distance(all, &class, "t_ordered");
            out.statement(Figure::Ordered(index), of("t by the ordered distance"), ordered);
        }
        if column.has_taxonomy {
            principles::no_hierarchical(out, name);
        }
    }

    /// Whether a value `v` of a column is a chosen one; none when nothing is chosen.
    fn chosen(&self, column: &Column<'_>) -> Option<String> {
        let conditions: Vec<String> = (self.question.values.iter())
            .filter(|(name, _)| name == column.name)
            .map(|(_, text)| {
                if self.names.missing.is(text) {
                    return "v IS NULL".to_owned();
                }
                format!("v = {}", self.dialect.value(column.value_type, text))
            })
            .collect();
        (!conditions.is_empty()).then(|| conditions.join(" OR "))
    }

    /// Questions 3, 5, 7, 9 and 11; question 1 is judged like a goal.
    fn one_set(&self, out: &mut Parts) {
        if self.question.suppress.is_some() || self.question.find_suppression {
            self.suppression(out, &self.all);
            self.reaches(out, &self.all);
        }
        match Classes::of_pairs(self.dialect, &self.table, &self.names.quasi) {
            Some(pairs) => {
                let about = "rows that each column and each pair makes unique";
                out.statement(Figure::Uniques, about, sizes::alone(&pairs));
            }
            None => out.comment("There are too many pairs of columns for a statement."),
        }
        out.comment("The smallest sets that single out each row have no short statement.");
    }

    /// What suppression buys: question 7, 9 or 11, or the same for subsets.
    fn suppression(&self, out: &mut Parts, classes: &Classes) {
        let (question, of) = (self.question, classes.scope());
        let mut add = |about, sql| out.statement(Figure::Suppression, about, sql);
        if let Some(share) = question.suppress {
            if self.dialect.is_exact(share) {
                let about = format!("the k that dropping at most {share} of the rows reaches{of}");
                add(about, sizes::reached(classes, share));
            }
        } else if let Some(k) = question.k {
            let about = format!("the rows to drop for k = {k} and their share{of}");
            add(about, sizes::suppression_for(classes, k));
        } else {
            let about = format!("every k that can be reached with the rows to drop for it{of}");
            add(about, sizes::curve(classes));
        }
    }

    /// Whether k is reached with a given suppression: question 5, or 6 for subsets.
    fn reaches(&self, out: &mut Parts, classes: &Classes) {
        let (Some(share), Some(k)) = (self.question.suppress, self.question.k) else { return };
        if !self.dialect.is_exact(share) {
            out.comment(format!(
                "Whether dropping at most {share} of the rows suffices has no exact SQL here: the fraction is \
                 too long."
            ));
            return;
        }
        let of = classes.scope();
        let about = format!("whether dropping at most {share} of the rows reaches k = {k}{of}");
        out.statement(Figure::Suppression, about, sizes::reaches(classes, k, share));
    }

    /// Questions 2, 4, 6, 8, 10 and 12.
    fn subsets(&self, out: &mut Parts) -> Result<(), Error> {
        let (names, question) = (self.names, self.question);
        let subsets =
            Classes::of_subsets(self.dialect, &self.table, &names.quasi, question.max_size)?;
        let subsets = subsets.ignoring(names.ignored());
        let of = subsets.scope();
        let suppressing = question.suppress.is_some() || question.find_suppression;
        let about = format!("the number of classes of each size{of}");
        if !self.asked.is_empty() && !question.find_suppression {
            out.comment(
                "Borders: the largest of the sets that hold in every statement below, and the smallest of \
                 the others.",
            );
            if suppressing {
                out.statement(Figure::Histogram, about, sizes::histogram(&subsets));
                self.reaches(out, &subsets);
                return Ok(());
            }
            for asked in self.asked.iter().enumerate() {
                principles::judge(out, &subsets, names, asked)?;
            }
            return Ok(());
        }
        out.statement(Figure::Histogram, about, sizes::histogram(&subsets));
        let about = format!("k, the number of classes and the ratios{of}");
        out.statement(Figure::Levels, about, sizes::levels(&subsets));
        if suppressing {
            self.suppression(out, &subsets);
            return Ok(());
        }
        for (index, column) in names.sensitive.iter().enumerate() {
            let name = column.name;
            let about = format!("distinct, frequency and entropy l of `{name}`{of}");
            out.statement(Figure::Diversity(index), about, levels::diversity(&subsets, name));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use kohort_core::ValueType;

    use super::*;

    fn names<'a>(quasi: &[&'a str], sensitive: &'a str) -> Names<'a> {
        let column = Column {
            name: sensitive,
            value_type: ValueType::Decimal,
            has_taxonomy: true,
            has_buckets: false,
            missing_as: MissingAs::Ignored,
        };
        Names {
            table: Rows::Table("r"),
            quasi: quasi.to_vec(),
            sensitive: vec![column],
            public: None,
            missing: Missing::default(),
        }
    }

    #[test]
    fn nothing_in_a_name_or_a_value_is_run() {
        let names = names(&["a\"; DROP TABLE r; --"], "s\n; DROP TABLE r; --");
        let values = vec![(names.sensitive[0].name.to_owned(), "'; DROP TABLE r; --".to_owned())];
        let question = Question { values, subsets: true, ..Question::default() };
        for dialect in Dialect::ALL {
            let text = sql(dialect, &names, &question, &[]).unwrap();
            assert!(text.contains("DROP TABLE"));
            assert!(!bare(dialect, &text).contains("DROP"), "{dialect:?}: {text}");
        }
    }

    /// What is left of a text without its comments and all that is quoted.
    fn bare(dialect: Dialect, text: &str) -> String {
        let (mut bare, mut quote) = (String::new(), None);
        for line in text.lines() {
            if quote.is_none() && line.starts_with("--") {
                continue;
            }
            let mut rest = line.chars();
            while let Some(c) = rest.next() {
                match quote {
                    None if ['"', '\'', '`'].contains(&c) => quote = Some(c),
                    None => bare.push(c),
                    Some('\'') if c == '\\' && dialect == Dialect::Spark => drop(rest.next()),
                    Some(open) if open == c => quote = None,
                    Some(_) => {}
                }
            }
        }
        bare
    }

    #[test]
    fn the_hierarchical_distance_is_said_to_be_missing() {
        let goal = [Principle::from(crate::goal::TCloseness {
            t: kohort_core::Ratio::new(1, 2),
            distance: crate::goal::DistanceName::Hierarchical,
            attribute: None,
        })];
        let text =
            sql(Dialect::Postgres, &names(&["a"], "s"), &Question::default(), &goal).unwrap();
        assert_eq!(text.matches("by the hierarchical distance").count(), 2);
    }
}
