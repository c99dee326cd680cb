//! Statements that judge a level asked for: the classes that break it.

use kohort_core::Setting;

use super::Names;
use super::classes::Classes;
use super::levels::{diversity_classes, equal_classes, ordered_classes, ranked_classes, tail};
use super::parts::{Figure, Parts};
use crate::Error;
use crate::diagnose::Principle;
use crate::goal::statement::{Broken, ClassTable, Sql, Statement};

/// Adds the statements for one principle: one per sensitive attribute that it is asked of. `place` is its
/// place among all that are judged.
pub(super) fn judge(
    out: &mut Parts,
    classes: &Classes,
    names: &Names<'_>,
    (place, principle): (usize, &Principle),
) -> Result<(), Error> {
    let of_column = match principle.sql(classes.dialect)? {
        Sql::None => {
            out.comment(format!(
                "`{}` has no SQL yet: ask kohort without {}",
                principle.id(),
                sql()
            ));
            return Ok(());
        }
        Sql::OfRows(broken) => {
            let about = format!("whether {} holds{}", broken.figure, classes.scope());
            let figure = Figure::Judged { principle: place, sensitive: None };
            out.statement(figure, about, judged(classes, &broken, None));
            return Ok(());
        }
        Sql::OfColumn(of_column) => of_column,
    };
    for (index, column) in names.sensitive_of(principle.attribute())? {
        match of_column(column)? {
            Statement::Broken(broken) => {
                let (figure, scope) = (&broken.figure, classes.scope());
                let about = format!("whether {figure} of `{}` holds{scope}", column.name);
                let figure = Figure::Judged { principle: place, sensitive: Some(index) };
                out.statement(figure, about, judged(classes, &broken, Some(column.name)));
            }
            Statement::TooLong => too_long(out, principle, column.name),
            Statement::NoRankOfMissing => no_ordered(out, column.name),
            Statement::NoTaxonomy => no_hierarchical(out, column.name),
        }
    }
    Ok(())
}

/// The setting that asks for statements, as a comment names it.
fn sql() -> String {
    Setting::Sql.to_string().replace('`', "")
}

/// Says that a fraction is too long for a statement.
fn too_long(out: &mut Parts, principle: &Principle, name: &str) {
    out.comment(format!(
        "`{}` of `{name}` has no exact SQL here, as a fraction of it is too long: ask kohort without {}",
        principle.id(),
        sql()
    ));
}

/// Says that there is no statement for the hierarchical distance.
pub(super) fn no_hierarchical(out: &mut Parts, name: &str) {
    out.comment(format!(
        "t-closeness of `{name}` by the hierarchical distance follows the taxonomy, which the database does \
         not have: ask kohort without {}",
        sql()
    ));
}

/// Says that a distance from missing has no statement.
pub(super) fn no_ordered(out: &mut Parts, name: &str) {
    out.comment(format!(
        "t-closeness of `{name}` by the ordered distance, where missing is a value without a rank, has no SQL \
         yet: ask kohort without {}",
        sql()
    ));
}

/// The classes with what a condition needs of them.
fn table(classes: &Classes, table: &ClassTable, column: &str) -> String {
    match table {
        ClassTable::Sizes => classes.sizes(),
        ClassTable::Diversity => diversity_classes(classes, column),
        ClassTable::Tail(rank) => {
            ranked_classes(classes, column, &format!("{} AS tail", tail(*rank)))
        }
        ClassTable::Equal => equal_classes(classes, column),
        ClassTable::Ordered => ordered_classes(classes, column),
    }
}

/// Whether no class breaks a condition, the classes that do, and their rows.
fn judged(classes: &Classes, broken: &Broken, column: Option<&str>) -> String {
    let class = table(classes, &broken.classes, column.unwrap_or_default());
    let breaks = &broken.breaks;
    let rows = if column.is_some_and(|name| classes.ignores(name)) { "m" } else { "n" };
    let broken = format!("SUM(CASE WHEN {breaks} THEN 1 ELSE 0 END)");
    let figures = [
        format!("{broken} = 0 AS holds"),
        format!("{broken} AS violating_classes"),
        format!("SUM(CASE WHEN {breaks} THEN {rows} ELSE 0 END) AS violating_rows"),
    ];
    format!("{class}\n{}", classes.select(&figures, "class"))
}
