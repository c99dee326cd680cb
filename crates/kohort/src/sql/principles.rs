//! Statements that judge a level asked for: the classes that break it.

use kohort_core::{MissingAs, Setting};
use kohort_models::{
    Distance, DistinctLDiversity, EntropyLDiversity, FrequencyLDiversity, KAnonymity,
    RecursiveClDiversity, TCloseness,
};

use super::classes::Classes;
use super::levels::{
    diversity_classes, entropy, equal_classes, ordered_classes, ranked_classes, tail,
};
use super::text::{comment, fraction, statement, times};
use super::{Column, Names};
use crate::Error;
use crate::diagnose::Principle;
use crate::error::refused;

/// Distances and entropies within this of what is asked for hold, as in the models.
const TOLERANCE: &str = "1e-9";

/// Adds the statements for one principle: one per sensitive attribute that it is asked of.
pub(super) fn judge(
    out: &mut String,
    classes: &Classes,
    names: &Names<'_>,
    principle: &Principle,
) -> Result<(), Error> {
    let columns = match principle {
        Principle::K(k) => {
            KAnonymity::new(*k)?;
            let figure = format!("whether {k}-anonymity holds{}", classes.scope());
            statement(out, &figure, &judged(classes, &classes.sizes(), &format!("n < {k}")));
            return Ok(());
        }
        Principle::DistinctL(_, name)
        | Principle::FrequencyL(_, name)
        | Principle::EntropyL(_, name)
        | Principle::Recursive(_, _, name)
        | Principle::T(_, _, name) => names.sensitive_of(name.as_deref())?,
        other => {
            comment(out, &format!("`{}` has no SQL yet: ask kohort without {}", other.id(), sql()));
            out.push('\n');
            return Ok(());
        }
    };
    for column in columns {
        match of_column(classes, column, principle)? {
            Some((figure, class, breaks)) => {
                let figure =
                    format!("whether {figure} of `{}` holds{}", column.name, classes.scope());
                statement(out, &figure, &judged(classes, &class, &breaks));
            }
            None if matches!(principle, Principle::T(_, Distance::Ordered, _)) => {
                no_ordered(out, column.name);
            }
            None => no_hierarchical(out, column.name),
        }
    }
    Ok(())
}

/// The setting that asks for statements, as a comment names it.
fn sql() -> String {
    Setting::Sql.to_string().replace('`', "")
}

/// Says that there is no statement for the hierarchical distance.
pub(super) fn no_hierarchical(out: &mut String, name: &str) {
    comment(
        out,
        &format!(
            "t-closeness of `{name}` by the hierarchical distance follows the taxonomy, which the \
             database does not have: ask kohort without {}",
            sql()
        ),
    );
    out.push('\n');
}

/// Says that a distance from missing has no statement.
pub(super) fn no_ordered(out: &mut String, name: &str) {
    comment(
        out,
        &format!(
            "t-closeness of `{name}` by the ordered distance, where missing is a value without a rank, has \
             no SQL yet: ask kohort without {}",
            sql()
        ),
    );
    out.push('\n');
}

/// What is judged in words, the classes, and the condition of a class that breaks it.
fn of_column(
    classes: &Classes,
    column: &Column<'_>,
    principle: &Principle,
) -> Result<Option<(String, String, String)>, Error> {
    let name = column.name;
    Ok(Some(match principle {
        Principle::DistinctL(l, _) => {
            DistinctLDiversity::new(0, *l)?;
            let class = diversity_classes(classes, name);
            (format!("distinct {l}-diversity"), class, format!("d < {l}"))
        }
        Principle::FrequencyL(l, _) => {
            FrequencyLDiversity::new(0, *l)?;
            let class = diversity_classes(classes, name);
            let breaks = format!("{} > {}", times("r1", l.num()), times("n", l.den()));
            (format!("frequency {l}-diversity"), class, breaks)
        }
        Principle::EntropyL(l, _) => {
            EntropyLDiversity::new(0, *l)?;
            let class = diversity_classes(classes, name);
            let breaks = format!("LN({}) > {} + {TOLERANCE}", fraction(*l), entropy());
            (format!("entropy {l}-diversity"), class, breaks)
        }
        Principle::Recursive(c, l, _) => {
            RecursiveClDiversity::new(0, *c, usize::try_from(*l).unwrap_or(usize::MAX))?;
            let class = ranked_classes(classes, name, &format!("{} AS tail", tail(*l)));
            let breaks = format!("{} >= {}", times("r1", c.den()), times("tail", c.num()));
            (format!("recursive ({c},{l})-diversity"), class, breaks)
        }
        Principle::T(t, distance, _) => {
            TCloseness::new(0, *t, *distance)?;
            let class = match distance {
                Distance::Equal => equal_classes(classes, name),
                Distance::Ordered
                    if column.value_type.is_ordered() && column.missing_as == MissingAs::Value =>
                {
                    return Ok(None);
                }
                Distance::Ordered if column.value_type.is_ordered() => {
                    ordered_classes(classes, name)
                }
                Distance::Ordered => {
                    let found = column.value_type.article();
                    return Err(refused(
                        format!("column `{name}` is {found}: its values have no order"),
                        "use the distance `equal`, or `hierarchical` with a taxonomy",
                    ));
                }
                Distance::Hierarchical => return Ok(None),
            };
            let breaks = format!("e > {} + {TOLERANCE}", fraction(*t));
            (format!("t-closeness with t = {t}, distance {}", distance.id()), class, breaks)
        }
        other => unreachable!("`judge` has no statement per column for `{}`", other.id()),
    }))
}

fn judged(classes: &Classes, class: &str, breaks: &str) -> String {
    let broken = format!("SUM(CASE WHEN {breaks} THEN 1 ELSE 0 END)");
    let figures = [
        format!("{broken} = 0 AS holds"),
        format!("{broken} AS violating_classes"),
        format!("SUM(CASE WHEN {breaks} THEN n ELSE 0 END) AS violating_rows"),
    ];
    format!("{class}\n{}", classes.select(&figures, "class"))
}
