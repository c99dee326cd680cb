//! A question about a table as SQL, for a database that holds the same table.
//!
//! # Guarantee
//! Each statement gives the figures that `diagnose` gives, on a table whose columns have the types that
//! kohort read and whose missing values are NULL. Whole numbers are equal, others up to rounding.
//! Names and values are quoted; nothing in them is run.
//!
//! # References
//! Zare Mirakabad, A Framework for Privacy Diagnosis and Preservation in Data Publishing, 2010.

mod classes;
mod levels;
mod principles;
mod sizes;
mod text;

use kohort_core::{Attribute, Dataset, Missing, MissingAs, Setting, ValueType, message};

use crate::Error;
use crate::diagnose::{Principle, Question};
use crate::error::refused;
use classes::Classes;
use text::{comment, statement};

/// Whose SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// PostgreSQL.
    Postgres,
    /// Apache DataFusion.
    DataFusion,
}

impl Dialect {
    /// The dialects in the order they are listed.
    pub const ALL: [Self; 2] = [Self::Postgres, Self::DataFusion];

    /// The name used on the command line.
    pub fn id(self) -> &'static str {
        match self {
            Self::Postgres => "postgres",
            Self::DataFusion => "datafusion",
        }
    }

    /// The dialect with this name.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.id() == id)
    }
}

/// What the tables and columns are called in the database.
#[derive(Clone, Debug)]
pub struct Names<'a> {
    /// The table.
    pub table: &'a str,
    /// The quasi-identifiers.
    pub quasi: Vec<&'a str>,
    /// The sensitive attributes.
    pub sensitive: Vec<Column<'a>>,
    /// The table of the population, with the same quasi-identifiers.
    pub public: Option<&'a str>,
    /// The texts that stand for NULL when a value is chosen.
    pub missing: Missing,
}

/// A sensitive attribute in the database.
#[derive(Clone, Copy, Debug)]
pub struct Column<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its type.
    pub value_type: ValueType,
    /// Whether it has a taxonomy.
    pub has_taxonomy: bool,
    /// Whether promises count its buckets.
    pub has_buckets: bool,
    /// What a missing value says.
    pub missing_as: MissingAs,
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
            table,
            quasi: dataset.quasi().into_iter().map(Attribute::name).collect(),
            sensitive: sensitive.collect(),
            public,
            missing: dataset.table().missing().clone(),
        }
    }

    /// The sensitive attributes of which a missing value says nothing.
    fn ignored(&self) -> impl Iterator<Item = &'a str> {
        let ignored = self.sensitive.iter().filter(|c| c.missing_as == MissingAs::Ignored);
        ignored.map(|column| column.name)
    }

    /// The sensitive attributes that a level is asked of: the one named, or all.
    fn sensitive_of(&self, name: Option<&str>) -> Result<Vec<&Column<'a>>, Error> {
        let chosen = |column: &&Column<'_>| name.is_none_or(|name| name == column.name);
        let found: Vec<&Column<'a>> = self.sensitive.iter().filter(chosen).collect();
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
    question.check(names.quasi.len(), names.public.is_some())?;
    if let Some(column) = names.sensitive.iter().find(|column| column.has_buckets) {
        return Err(refused(
            format!("column `{}` has buckets, which these statements cannot count", column.name),
            "leave the buckets out, or let kohort read the table",
        ));
    }
    let printer = Printer {
        dialect,
        names,
        question,
        asked: question.asked(),
        all: Classes::of_all(names.table, &names.quasi).ignoring(names.ignored()),
    };
    if let Some(hiding) = names.sensitive.iter().find(|c| c.missing_as == MissingAs::Unprotected) {
        return Err(refused(
            format!(
                "missing values of column `{}` are unprotected, and there is no SQL for that",
                hiding.name
            ),
            message!("let them be ignored, or ask kohort without {}", Setting::Sql),
        ));
    }
    let mut out = String::new();
    comment(&mut out, "Columns have the types that kohort reads, and a missing value is NULL.");
    if names.ignored().next().is_some() {
        let left_out = "Where a statement is about a sensitive column, rows without a value are left out, also of its counts.";
        out.push('\n');
        comment(&mut out, left_out);
    }
    out.push('\n');
    printer.levels(&mut out)?;
    let for_all = !question.subsets && question.suppress.is_none() && !question.find_suppression;
    let asked = printer.asked.iter().filter(|_| for_all);
    for principle in asked.chain(goal) {
        principles::judge(&mut out, &printer.all, names, principle)?;
    }
    if question.subsets {
        printer.subsets(&mut out)?;
    } else {
        printer.one_set(&mut out);
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    Ok(out)
}

struct Printer<'a> {
    dialect: Dialect,
    names: &'a Names<'a>,
    question: &'a Question,
    // The principles of the question, k among them.
    asked: Vec<Principle>,
    all: Classes,
}

impl Printer<'_> {
    /// What is answered for the whole quasi-identifier, whatever the question.
    fn levels(&self, out: &mut String) -> Result<(), Error> {
        let (names, all) = (self.names, &self.all);
        statement(
            out,
            "k, the number of classes, classes per row, share of pairs that differ",
            &sizes::levels(all),
        );
        statement(out, "the number of classes of each size", &sizes::histogram(all));
        statement(
            out,
            "prosecutor risk: largest, mean, rows alone in their class, rows above 1/5, 1/10 and 1/20",
            &sizes::prosecutor(all),
        );
        for column in &names.sensitive {
            self.sensitive(out, column);
        }
        for (name, _) in &self.question.values {
            names.sensitive_of(Some(name))?;
        }
        if !names.sensitive.is_empty() {
            let sensitive: Vec<&str> = names.sensitive.iter().map(|column| column.name).collect();
            let figure = "p-sensitivity: the fewest values of any sensitive attribute in a class";
            statement(out, figure, &levels::p_sensitivity(all, &sensitive));
        }
        if let Some(public) = names.public {
            let figure = "delta-presence, rows the public table does not cover, journalist and \
                          marketer risk";
            statement(out, figure, &sizes::presence(all, public));
        } else if self.question.sampling_fraction.is_some() {
            let figure = "journalist and marketer risk, at most";
            statement(out, figure, &sizes::linking_bound(all));
        }
        Ok(())
    }

    fn sensitive(&self, out: &mut String, column: &Column<'_>) {
        let (all, name) = (&self.all, column.name);
        let of = |figure: &str| format!("{figure} of `{name}`");
        statement(
            out,
            &of("distinct, frequency and entropy l, rows whose class has one value,"),
            &levels::diversity(all, name),
        );
        statement(
            out,
            &of("the infimum of c for each l (NULL: no c will do) and the largest l for each c"),
            &levels::recursive(all, name),
        );
        if let Some(chosen) = self.chosen(column) {
            let figure = of("alpha: the largest share of a chosen value");
            statement(out, &figure, &levels::alpha(all, name, &chosen));
        }
        let class = levels::equal_classes(all, name);
        let figure = of("t by the equal distance");
        statement(out, &figure, &levels::distance(all, &class, "t_equal"));
        if column.value_type.is_numeric() && column.missing_as == MissingAs::Value {
            principles::no_ordered(out, name);
        } else if column.value_type.is_numeric() {
            let class = levels::ordered_classes(all, name);
            let figure = of("t by the ordered distance");
            statement(out, &figure, &levels::distance(all, &class, "t_ordered"));
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
                format!("v = {}", text::value(self.dialect, column.value_type, text))
            })
            .collect();
        (!conditions.is_empty()).then(|| conditions.join(" OR "))
    }

    /// Questions 3, 5, 7, 9 and 11; question 1 is judged like a goal.
    fn one_set(&self, out: &mut String) {
        if self.question.suppress.is_some() || self.question.find_suppression {
            self.suppression(out, &self.all);
            self.reaches(out, &self.all);
        }
        let pairs = Classes::of_pairs(self.names.table, &self.names.quasi);
        statement(out, "rows that each column and each pair makes unique", &sizes::alone(&pairs));
        comment(out, "The smallest sets that single out each row have no short statement.");
    }

    /// What suppression buys: question 7, 9 or 11, or the same for subsets.
    fn suppression(&self, out: &mut String, classes: &Classes) {
        let (question, of) = (self.question, classes.scope());
        if let Some(share) = question.suppress {
            let figure = format!("the k that dropping at most {share} of the rows reaches{of}");
            statement(out, &figure, &sizes::reached(classes, share));
        } else if let Some(k) = question.k {
            let figure = format!("the rows to drop for k = {k} and their share{of}");
            statement(out, &figure, &sizes::suppression_for(classes, k));
        } else {
            let figure = format!("every k that can be reached with the rows to drop for it{of}");
            statement(out, &figure, &sizes::curve(classes));
        }
    }

    /// Whether k is reached with a given suppression: question 5, or 6 for subsets.
    fn reaches(&self, out: &mut String, classes: &Classes) {
        if let (Some(share), Some(k)) = (self.question.suppress, self.question.k) {
            let of = classes.scope();
            let figure =
                format!("whether dropping at most {share} of the rows reaches k = {k}{of}");
            statement(out, &figure, &sizes::reaches(classes, k, share));
        }
    }

    /// Questions 2, 4, 6, 8, 10 and 12.
    fn subsets(&self, out: &mut String) -> Result<(), Error> {
        let (names, question) = (self.names, self.question);
        let subsets = Classes::of_subsets(names.table, &names.quasi, question.max_size)?;
        let subsets = subsets.ignoring(names.ignored());
        let of = subsets.scope();
        let suppressing = question.suppress.is_some() || question.find_suppression;
        if !self.asked.is_empty() && !question.find_suppression {
            comment(
                out,
                "Borders: the largest of the sets that hold in every statement below, and the \
                 smallest of the others.",
            );
            out.push('\n');
            self.reaches(out, &subsets);
            let asked = self.asked.iter().filter(|_| !suppressing);
            for principle in asked {
                principles::judge(out, &subsets, names, principle)?;
            }
            return Ok(());
        }
        let figure = format!("k, the number of classes and the ratios{of}");
        statement(out, &figure, &sizes::levels(&subsets));
        if suppressing {
            self.suppression(out, &subsets);
            return Ok(());
        }
        for column in &names.sensitive {
            let name = column.name;
            let figure = format!("distinct, frequency and entropy l of `{name}`{of}");
            statement(out, &figure, &levels::diversity(&subsets, name));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
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
            table: "r",
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
            assert!(!bare(&text).contains("DROP"));
        }
    }

    /// What is left of a text without its comments and all that is quoted.
    fn bare(text: &str) -> String {
        let (mut bare, mut quote) = (String::new(), None);
        for line in text.lines() {
            if quote.is_none() && line.starts_with("--") {
                continue;
            }
            for c in line.chars() {
                match quote {
                    None if c == '"' || c == '\'' => quote = Some(c),
                    None => bare.push(c),
                    Some(open) if open == c => quote = None,
                    Some(_) => {}
                }
            }
        }
        bare
    }

    #[test]
    fn the_hierarchical_distance_is_said_to_be_missing() {
        let goal = [Principle::T(
            kohort_core::Ratio::new(1, 2),
            kohort_models::Distance::Hierarchical,
            None,
        )];
        let text =
            sql(Dialect::Postgres, &names(&["a"], "s"), &Question::default(), &goal).unwrap();
        assert_eq!(text.matches("by the hierarchical distance").count(), 2);
    }
}
