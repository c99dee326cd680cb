//! What the ledger remembers of each release besides its entry: columns and figures.

use kohort_core::{Ratio, message};
use kohort_ledger::Publishing;
use kohort_report::series::CountedForm;
use kohort_verify::series::{Belief, Counted};
use serde::{Deserialize, Serialize};

use super::warnings::begin_another;
use crate::Error;
use crate::diagnose::Fraction;
use crate::error::refused;

/// The columns and figures of a release.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Figures {
    /// The quasi-identifiers in the order of the cells of a class, and the sensitive column last.
    pub columns: Vec<String>,
    /// People who are in no earlier table: who was held back is counted once, at first.
    pub inserted: u64,
    /// People of the release before who are not in the table.
    pub deleted: u64,
    /// People of an earlier release, not of the one before.
    pub returned: u64,
    /// People whose sensitive value is not the one of the last release that shows them.
    pub updated: u64,
    /// The loss per cell.
    pub loss: Option<f64>,
    /// The highest belief about anybody's value, over all releases so far.
    pub max_posterior: f64,
    /// The same as a fraction, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_posterior_exact: Option<Fraction>,
    /// How that was found.
    #[serde(default, with = "CountedForm")]
    pub max_posterior_is: Counted,
    /// The highest belief where people are taken one by one.
    #[serde(default)]
    pub max_posterior_one_by_one: f64,
}

/// The name under which the ledger has them.
pub(super) fn name(release: u32) -> String {
    format!("release {release}")
}

impl Figures {
    /// Those of every release so far.
    pub(super) fn all(publishing: &Publishing<'_>) -> Result<Vec<Self>, Error> {
        let of = |release: u32| {
            let state = publishing.state(&name(release))?;
            Self::read(&state.unwrap_or_default())
        };
        (1..publishing.number()).map(of).collect()
    }

    /// Refuses a column that is sensitive in one release and a quasi-identifier in another: what it shows of a
    /// person in the one rules values out in the other.
    pub(super) fn keep_roles(figures: &[Self], columns: &[String]) -> Result<(), Error> {
        for (release, earlier) in (1..).zip(figures) {
            for (sensitive, quasi) in
                [(&earlier.columns[..], columns), (columns, &earlier.columns[..])]
            {
                let (Some(name), Some((_, quasi))) = (sensitive.last(), quasi.split_last()) else {
                    continue;
                };
                if quasi.contains(name) {
                    return Err(refused(
                        format!(
                            "column `{name}` is sensitive in one release and a quasi-identifier in another: \
                             release {release} and this one"
                        ),
                        message!("leave it out with the role `identifier`; or {}", begin_another()),
                    ));
                }
            }
        }
        Ok(())
    }

    /// The highest belief over all releases so far.
    pub(super) fn belief(&self) -> Belief {
        Belief {
            highest: self.max_posterior,
            fraction: self.max_posterior_exact.map(|it| Ratio::new(it.num, it.den)),
            counted: self.max_posterior_is,
            one_by_one: self.max_posterior_one_by_one,
        }
    }

    pub(super) fn read(state: &[u8]) -> Result<Self, Error> {
        serde_json::from_slice(state).map_err(|_| {
            refused(
                "the ledger holds a release that this version cannot read",
                "use the version of kohort that wrote it",
            )
        })
    }

    pub(super) fn state(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("figures are numbers and texts")
    }
}
