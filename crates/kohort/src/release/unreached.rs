//! The answer to a goal that was not reached.

use kohort_algorithms::Membership;
use kohort_core::{Dataset, Ratio};

use super::receipt::No;
use crate::goal::{Asked, Infeasible, nearest_guarded};
use crate::plan::Plan;

/// What is said where the table as one class keeps the goal of every class, without at most `dropped`
/// rows, and a method finds no release for this reason.
pub(super) fn unfound(
    reason: String,
    asked: &Asked,
    dataset: &Dataset,
    membership: Option<&Membership<'_>>,
    dropped: u64,
) -> Infeasible {
    let n_rows = dataset.n_rows() as u64;
    let of_members = membership.map(|asked| {
        let share = Ratio::new(n_rows, asked.public.n_people() as u64);
        format!("at the top of all levels everybody is a member with {share}")
    });
    let guarded = || nearest_guarded(asked, &dataset.sensitive(), n_rows);
    let nearest = of_members.or_else(guarded);
    let dropping_helps = dropped < n_rows.saturating_sub(1);
    Infeasible { reason, nearest, suggested: Vec::new(), dropping_helps, promise: None }
}

/// The answer no, with a hint of what to try instead.
pub(super) fn out_of_reach(problem: &str, infeasible: Infeasible, plan: &Plan) -> No {
    let Infeasible { reason, nearest, dropping_helps, promise, .. } = infeasible;
    let hint = if dropping_helps && plan.output.keeps_values() {
        "ask for less, leave rows out (`--suppression` with `--suppressed drop`), or see what the table \
         has: `kohort diagnose`"
    } else if dropping_helps {
        "ask for less, allow more suppression (`--suppression`), or see what the table \
         has: `kohort diagnose`"
    } else {
        "ask for less, or see what the table has: `kohort diagnose`"
    };
    let causes = std::iter::once(reason).chain(nearest.clone()).collect();
    No { problem: problem.to_owned(), causes, promise, nearest, hint: hint.to_owned() }
}
