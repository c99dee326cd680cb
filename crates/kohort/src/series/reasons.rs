//! Why the judge rejects a release of a series, in words.

use kohort_models::series::Broken;
use kohort_verify::series::{SeriesReason, Uncounted};

use crate::wording::{count, percent};

/// A sentence without a closing stop.
pub(super) fn worded(reason: &SeriesReason) -> String {
    match reason {
        SeriesReason::Model(Broken(why)) => why.clone(),
        SeriesReason::Believed { people, rho, highest } => format!(
            "{} believed to have a value with more than {rho}, for one with {highest}",
            count(*people, "person is", "people are")
        ),
        SeriesReason::BelievedInClasses { classes, rho } => format!(
            "{} a value is believed with more than {rho}",
            count(*classes, "class in which", "classes in which")
        ),
        SeriesReason::BelievedTogether { m } => format!(
            "an adversary who compares all releases may believe a value of somebody with more \
             than 1/{m}"
        ),
        SeriesReason::HeldBack { share, people } => format!(
            "one value fills {} of the {} held back: anybody who sees that somebody waits \
             learns more than was promised",
            percent(share.value()),
            count(*people, "person who is", "people who are")
        ),
        SeriesReason::Uncovered { rows } => {
            format!("{rows} released rows do not cover the original rows")
        }
        SeriesReason::UnevenClasses { classes } => format!(
            "{} different cells in different rows",
            count(*classes, "class shows", "classes show")
        ),
        SeriesReason::OnlyCounterfeits { classes } => format!(
            "{} no row that is not counted as a counterfeit",
            count(*classes, "class has", "classes have")
        ),
        SeriesReason::UnknownGroups { groups } => format!(
            "counterfeits are counted of {} that are not there",
            count(*groups, "group", "groups")
        ),
        SeriesReason::Nobodys { rows, counterfeits } => format!(
            "{} nobody of the original with that value, {}",
            count(*rows, "row covers", "rows cover"),
            too_many(*counterfeits)
        ),
        SeriesReason::CoversNobody { column, place } => {
            format!("{place}, column `{column}`: a cell that covers nobody")
        }
        SeriesReason::AfterEarlier(reason) => {
            format!("after those before it, {}", worded(reason))
        }
        SeriesReason::OtherShape => {
            "the release has other columns or rows than it must have".to_owned()
        }
        SeriesReason::UnknownValue => {
            "the release shows a value that the series does not have".to_owned()
        }
        SeriesReason::DifferentCells => "rows of one class show different cells".to_owned(),
        SeriesReason::MiscountedCounterfeits => {
            "counterfeits are not counted as they are".to_owned()
        }
    }
}

fn too_many(counterfeits: Uncounted) -> &'static str {
    match counterfeits {
        Uncounted::ByRelease => "more than are counted as counterfeits",
        Uncounted::ByPlan { most: 0 } => {
            "and the plan allows no counterfeits (`most-counterfeits`)"
        }
        Uncounted::ByPlan { .. } => "more than the plan allows counterfeits (`most-counterfeits`)",
    }
}
