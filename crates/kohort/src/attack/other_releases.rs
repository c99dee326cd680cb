//! Somebody's release beside others of the same table: what all of them together show.

use kohort_core::{Command, Ctx, Table, message};

use super::{Given, Publication, attack};
use crate::Error;
use crate::plan::Plan;
use crate::release::Verdict;
use crate::wording::percent;

/// Lays other releases of the same table beside one that was judged: where the two together go further than
/// the plan promises, it does not keep its promises. That they do not is shown by no proof, and a note says so.
/// The table it was made from says who to look for, where it is there.
pub fn verify_beside(
    verdict: &mut Verdict,
    plan: &Plan,
    (release, others): (Publication, Vec<Publication>),
    original: Option<Table>,
) -> Result<(), Error> {
    let only = vec![JOINED.to_owned()];
    let given = Given { others, original, only, ..Given::new(plan, release) };
    let found = attack(given, &Ctx::quiet())?;
    verdict.notes.extend(found.notes);
    let scores = found.attacks.iter().flat_map(|attack| match &attack.per_attribute[..] {
        [] => std::slice::from_ref(&attack.score),
        each => each,
    });
    for score in scores.filter(|score| score.is_refuted()) {
        let what = score.attribute.as_ref().map_or_else(
            || "the record of somebody is found".to_owned(),
            |name| format!("a value of `{name}` is known"),
        );
        let bound = score
            .bound
            .map_or(String::new(), |bound| format!(", and {} was promised", percent(bound)));
        let reason = format!(
            "together with the other release, {what} with {}{bound}",
            percent(score.max_probability)
        );
        verdict.reject(reason);
    }
    if !found.refuted {
        verdict.notes.push(message!(
            "together with the other release the promises are not refuted by `{JOINED}`, which is not a \
             proof: {} makes releases that keep their promises together",
            Command::Publish
        ));
    }
    Ok(())
}

/// The attack that joins releases of one table.
const JOINED: &str = "complementary-release";
