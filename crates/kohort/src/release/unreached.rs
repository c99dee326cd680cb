//! The answer to a goal that was not reached.

use kohort_algorithms::Membership;
use kohort_core::{Command, Dataset, Ratio, Setting, message};

use crate::error::{NearestGoals, No, WithinReach};
use crate::goal::{Asked, Infeasible, Principle, nearest_guarded};
use crate::job::Terms;

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

/// The same where dropping rows does not help, because who is dropped would tell: a promise that the whole
/// table breaks is broken by the rows that are dropped as well. Who is a member is another matter.
pub(super) fn told_by_dropping(infeasible: Infeasible, may_tell: bool) -> Infeasible {
    let helps = may_tell || infeasible.promise == Some("delta-presence");
    Infeasible { dropping_helps: infeasible.dropping_helps && helps, ..infeasible }
}

/// Why rows are not dropped until the others keep the goal.
const TELLS: &str = "leaving people out does not help: they would be those with the value that \
                     is too frequent, and anybody who sees that they are missing would know it";

/// The answer no, with a hint of what to try instead.
pub(super) fn out_of_reach(problem: &str, infeasible: Infeasible, terms: &Terms) -> No {
    let Infeasible { reason, nearest, suggested, dropping_helps, promise } = infeasible;
    let drops = terms.suppression > Ratio::whole(0);
    let is_asked = drops && !terms.keeps_values() && promise != Some("delta-presence");
    let hint = if dropping_helps && terms.keeps_values() {
        message!(
            "ask for less, leave rows out ({} with {}), or see what the table has: {}",
            Setting::Suppression,
            Setting::Suppressed.to("drop"),
            Command::Diagnose
        )
    } else if dropping_helps {
        message!(
            "ask for less, allow more suppression ({}), or see what the table has: {}",
            Setting::Suppression,
            Command::Diagnose
        )
    } else if is_asked {
        message!(
            "ask for less, or see what the table has: {}; {} leaves such people out anyway, and the release \
             says so",
            Command::Diagnose,
            Setting::AllowUnsafe
        )
    } else {
        message!("ask for less, or see what the table has: {}", Command::Diagnose)
    };
    let tells = (is_asked && !dropping_helps).then(|| TELLS.to_owned());
    let causes = std::iter::once(reason).chain(nearest.clone()).chain(tells).collect();
    let nearest_goals =
        suggested.iter().map(|goal| goal.iter().map(within_reach).collect()).collect();
    let nearest_goals = Some(Box::new(NearestGoals(nearest_goals)));
    No { problem: problem.to_owned(), causes, promise, nearest, nearest_goals, hint }
}

fn within_reach(promise: &Principle) -> WithinReach {
    let attribute = promise.attribute().map(str::to_owned);
    WithinReach { model: promise.id(), attribute, numbers: promise.numbers() }
}
