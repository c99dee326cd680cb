//! What is printed: statements, each with the figure that it gives, and comments between them.

use std::fmt::Write;

/// A comment, or a statement.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// What has no statement, or what to know.
    Comment(String),
    /// A statement.
    Statement(Statement),
}

/// A statement, and what it gives.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    /// The figures, in words.
    pub(crate) about: String,
    /// The figures.
    pub(crate) figure: Figure,
    /// Whether it gives them for every subset of the quasi-identifiers.
    pub(crate) is_of_subsets: bool,
    /// The statement, without a semicolon.
    pub(crate) sql: String,
}

/// What a statement gives; a sensitive attribute is its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Figure {
    /// k, the number of classes, and ratios.
    Levels,
    /// The number of classes of each size.
    Histogram,
    /// The prosecutor's risk.
    Prosecutor,
    /// Distinct, frequency and entropy l.
    Diversity(usize),
    /// Recursive (c,l)-diversity.
    Recursive(usize),
    /// The largest share of a chosen value.
    Alpha(usize),
    /// The largest distance from the table, any two values 1 apart.
    Equal(usize),
    /// The same by rank.
    Ordered(usize),
    /// The number of values in the table.
    Values(usize),
    /// The fewest values of any sensitive attribute in a class.
    PSensitivity,
    /// Membership, journalist and marketer risk.
    Presence,
    /// The latter two where nothing is known of the population.
    LinkingBound,
    /// Whether a principle holds: its place among those of the question and those of the goal after them.
    Judged {
        /// The place.
        principle: usize,
        /// The attribute that it is about, where it is about one.
        sensitive: Option<usize>,
    },
    /// What suppression buys.
    Suppression,
    /// The rows that each column and each pair makes unique.
    Uniques,
}

/// Statements and comments in the order they are printed.
#[derive(Default)]
pub(super) struct Parts(pub(super) Vec<Part>);

impl Parts {
    pub(super) fn comment(&mut self, text: impl Into<String>) {
        self.0.push(Part::Comment(text.into()));
    }

    /// Adds a statement for the whole quasi-identifier.
    pub(super) fn statement(&mut self, figure: Figure, about: impl Into<String>, sql: String) {
        let about = about.into();
        self.0.push(Part::Statement(Statement { about, figure, is_of_subsets: false, sql }));
    }

    /// Says that all statements from here on are about every subset.
    pub(super) fn of_subsets(&mut self, from: usize) {
        for part in &mut self.0[from..] {
            if let Part::Statement(statement) = part {
                statement.is_of_subsets = true;
            }
        }
    }

    /// The text: each statement after a comment that says what it gives.
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        for part in &self.0 {
            match part {
                Part::Comment(text) => comment(&mut out, text),
                Part::Statement(statement) => {
                    comment(&mut out, &statement.about);
                    let _ = writeln!(out, "{};", statement.sql);
                }
            }
            out.push('\n');
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
        out
    }
}

/// Adds a comment line. A line break in a name must not end the comment.
fn comment(out: &mut String, text: &str) {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let _ = writeln!(out, "-- {line}");
}
