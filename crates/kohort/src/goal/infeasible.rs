//! What is said of a goal that is out of reach: why, and which is the nearest that is not.

use std::fmt;

use kohort_core::{Attribute, Ratio};
use kohort_models::DeltaPresence;

use super::feasible::{named, refuted};
use super::nearest::{nearest, told};
use super::one_class::Reach;
use super::{Asked, Principle};
use crate::wording::{count, grouped, percent};

/// A goal that no release of a table can keep.
#[derive(Clone, Debug, PartialEq)]
pub struct Infeasible {
    /// What fails, and why.
    pub reason: String,
    /// The nearest parameter that does not, where it is known.
    pub nearest: Option<String>,
    /// The goals that are meant by it: each is kept by the table as one class, without rows that may be
    /// dropped.
    pub suggested: Vec<Vec<Principle>>,
    /// Whether it could be kept if more rows could be dropped.
    pub dropping_helps: bool,
    /// The promise in the way, where it is one alone.
    pub promise: Option<&'static str>,
}

impl fmt::Display for Infeasible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)?;
        self.nearest.as_ref().map_or(Ok(()), |nearest| write!(f, "; {nearest}"))
    }
}

impl std::error::Error for Infeasible {}

/// Refuses a goal that no release of `n_rows` rows can keep when at most `suppressible` of them may be
/// dropped. `sensitive` are the attributes the goal was asked of.
pub fn feasible(
    asked: &Asked,
    sensitive: &[&Attribute],
    n_rows: u64,
    suppressible: u64,
) -> Result<(), Infeasible> {
    let Some((promise, reason)) = refuted(asked, sensitive, n_rows, suppressible) else {
        return Ok(());
    };
    let reach = Reach::new(sensitive, n_rows, suppressible.min(n_rows.saturating_sub(1)));
    Err(explained(&reach, asked, reason, promise))
}

/// Why a goal is out of reach that no algorithm reached; none where the table as one class keeps it,
/// without rows that may be dropped.
pub(crate) fn unreached(
    asked: &Asked,
    sensitive: &[&Attribute],
    n_rows: u64,
    suppressible: u64,
) -> Option<Infeasible> {
    let droppable = suppressible.min(n_rows.checked_sub(1)?);
    let reach = Reach::new(sensitive, n_rows, droppable);
    if reach.keeps(&goal_of(asked)) {
        return None;
    }
    let failing = reach.failing(asked);
    let named: Vec<String> = failing.iter().map(|about| named(about)).collect();
    let rows = count(droppable, "row", "rows");
    let dropped = match droppable {
        0 => String::new(),
        _ => format!(", and no way was found to drop at most {rows} so that the others do"),
    };
    let reason = format!("the table as one class does not keep {}{dropped}", named.join(" and "));
    let named = failing.first().map(|about| about.model()).filter(|_| failing.len() == 1);
    // That it is out of reach for every release was not shown.
    let mut infeasible = Infeasible { promise: None, ..explained(&reach, asked, reason, named) };
    if let Some(nearest) = &mut infeasible.nearest
        && asked.models().iter().any(|model| !model.is_monotone())
    {
        nearest.push_str(" in any case, as one class");
    }
    Some(infeasible)
}

/// A reason with the nearest goal that is within reach.
fn explained(
    reach: &Reach<'_>,
    asked: &Asked,
    reason: String,
    promise: Option<&'static str>,
) -> Infeasible {
    let goal = goal_of(asked);
    let most = reach.n_rows.saturating_sub(1);
    let suggested = if reach.n_rows == 0 { Vec::new() } else { nearest(reach, &goal) };
    let told: Vec<String> = suggested.iter().map(|found| told(&goal, found, promise)).collect();
    let nearest = (!told.is_empty()).then(|| format!("{} is feasible", told.join(", or ")));
    let dropping_helps = reach.droppable < most && reach.keeps_without(&goal, most);
    Infeasible { reason, nearest, suggested, dropping_helps, promise }
}

/// The levels that were asked for, each once.
fn goal_of(asked: &Asked) -> Vec<Principle> {
    let mut goal: Vec<Principle> = Vec::new();
    for about in asked.about() {
        if !goal.contains(about.principle()) {
            goal.push(about.principle().clone());
        }
    }
    goal
}

/// Refuses a range of delta-presence that no release of `n_rows` rows among `n_people` people can keep when
/// at most `suppressible` rows may be dropped. The public table is taken to list everybody.
pub fn feasible_presence(
    model: &DeltaPresence,
    n_people: u64,
    n_rows: u64,
    suppressible: u64,
) -> Result<(), Infeasible> {
    let share = |rows: u64| Ratio::new(rows.min(n_people), n_people);
    let most = share(n_rows);
    let least = share(n_rows.saturating_sub(suppressible).max(1));
    if least <= model.max() && model.min() <= most {
        return Ok(());
    }
    let (min, max) = (model.min().value(), model.max().value());
    let rows = count(n_rows, "row", "rows");
    let dropped = match suppressible {
        0 => String::new(),
        rows => format!(" of which {} may be dropped", grouped(rows)),
    };
    let people = count(n_people, "person", "people");
    let reason = format!(
        "`delta-presence` with min = {min}, max = {max} cannot be reached: with {rows}{dropped} for \
         {people} of the public table, the share of members is {} on average",
        percent(most.value())
    );
    let nearest = Some(format!("a range that holds {most} is feasible"));
    // Dropping rows makes members fewer.
    let dropping_helps = least > model.max();
    let (suggested, promise) = (Vec::new(), Some("delta-presence"));
    Err(Infeasible { reason, nearest, suggested, dropping_helps, promise })
}
