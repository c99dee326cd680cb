//! The methods of a series, for an adversary who runs them again on values that he supposes.

use std::collections::BTreeMap;

use kohort_core::{Attribute, Dataset, Error as CoreError, Message, Setting, Table, message};
use kohort_verify::attack::MethodOfSeries;

use super::{Groups, Lab};
use crate::job::Job;
use crate::series::{RunAgain, Seen};

/// A series that was published, and its tables. Of the people's values it is used only which there are.
pub(super) struct AgainInSeries<'a> {
    again: RunAgain<'a>,
    published: Vec<Seen>,
    has_everybody: Vec<bool>,
}

impl<'a> AgainInSeries<'a> {
    /// The methods of a series, or why they cannot be run again.
    pub(super) fn new(lab: &'a Lab, job: &'a Job) -> Result<Self, Message> {
        check(lab, job)?;
        let needs =
            || message!("the tables of all releases, in their order ({})", Setting::Original);
        let (tables, n_people) = lab.tables().ok_or_else(needs)?;
        let made = RunAgain::new(job, &tables, n_people).map_err(|_| needs())?;
        let again = made.ok_or_else(|| {
            Message::from(
                "a series with one sensitive column, in which values do not change and every table has the same \
                 columns: how likely it is that values follow one another is no assignment of them",
            )
        })?;
        let releases: Vec<(&Table, &BTreeMap<String, u32>)> = lab.releases_in_order().collect();
        let seen = releases.iter().map(|(table, counterfeits)| again.seen(table, counterfeits));
        let published: Option<Vec<Seen>> = seen.collect();
        let has_everybody = tables.iter().zip(&releases).map(|((table, _), (release, nobody))| {
            let n_counterfeits: usize = nobody.values().map(|&n| n as usize).sum();
            table.n_rows() + n_counterfeits == release.n_rows()
        });
        let has_everybody = has_everybody.collect();
        let published = published.ok_or_else(|| {
            Message::from("releases that show every column of the plan, with groups")
        })?;
        Ok(Self { again, published, has_everybody })
    }
}

impl MethodOfSeries for AgainInSeries<'_> {
    fn domain(&self) -> &[String] {
        &self.again.domain
    }

    fn n_people(&self) -> usize {
        self.again.n_people
    }

    fn has_everybody(&self, release: usize) -> bool {
        self.has_everybody[release]
    }

    fn lead_to_releases(&self, value_of_person: &[u32], draw: u32) -> Result<bool, CoreError> {
        let mut drawn = [13; 32];
        drawn[..4].copy_from_slice(&draw.to_le_bytes());
        Ok(self.again.leads(value_of_person, drawn, &self.published))
    }
}

/// Says what stands in the way of running the methods of a series again.
fn check(lab: &Lab, job: &Job) -> Result<(), Message> {
    let series = &job.terms.series;
    let method = series.method.as_deref().unwrap_or("auto");
    let of_series = [&lab.release].into_iter().chain(lab.others.iter().map(|(other, _)| other));
    let is_bucketed = |release: &Dataset| {
        release.sensitive().into_iter().any(|one: &Attribute| one.buckets().is_some())
    };
    let follows = series.correlations.is_some() || lab.correlated.is_some();
    let needs = if method == "rho-different" || (method == "auto" && follows) {
        "a series in which values do not change: `rho-different` is about values that follow one another, and no \
         assignment of them is as likely as another"
    } else if method == "global-guarantee" && !lab.others.is_empty() {
        "one release alone, or a method about values that do not change: `global-guarantee` is about values that \
         change independently"
    } else if lab.shown.groups != Groups::Classes {
        "releases of a series that name their classes"
    } else if of_series.into_iter().any(is_bucketed) {
        "promises about sensitive values, not about buckets of them"
    } else {
        return Ok(());
    };
    Err(needs.into())
}
