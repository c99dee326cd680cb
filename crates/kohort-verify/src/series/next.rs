//! Whether a release keeps a promise after all those before it.

use kohort_core::{History, SeriesRelease};
use kohort_models::series::{
    ClassBox, Correlations, Reading, RhoDifferent, RhoDifferentFinding, SeriesModel, Shown,
    Smoothing,
};

use super::belief::Belief;
use super::reason::SeriesReason;

/// One more release after a history, and what it is judged with.
#[derive(Clone, Copy)]
pub struct NextRelease<'a> {
    /// The releases so far.
    pub history: &'a History,
    /// One more.
    pub release: &'a SeriesRelease,
    /// The boxes of the classes of each, where the model compares them.
    pub boxes: &'a [Vec<ClassBox>],
    /// The sensitive column of each.
    pub sensitive: &'a [String],
    /// How values follow one another.
    pub correlations: Option<&'a Correlations>,
    /// Whether it is known of everybody who is in which class.
    pub is_exact: bool,
}

impl NextRelease<'_> {
    /// The releases so far, and this one.
    pub(super) fn all(&self) -> History {
        let mut all = self.history.clone();
        all.releases.push(self.release.clone());
        all
    }

    /// The releases so far that show the sensitive column of this one.
    pub(super) fn with_same_column(&self) -> Vec<&SeriesRelease> {
        let own = self.sensitive.get(self.history.releases.len());
        let releases = self.history.releases.iter().zip(self.sensitive);
        releases.filter(|(_, name)| Some(*name) == own).map(|(release, _)| release).collect()
    }

    /// Whether the release keeps the promise after a history that does; after one that `is_broken`, for those
    /// it shows. The highest belief about anybody, where the model finds it on the way.
    pub fn keeps(
        &self,
        model: SeriesModel,
        is_broken: bool,
    ) -> Result<Option<Belief>, SeriesReason> {
        match model {
            SeriesModel::MInvariance(model) => model.check(self.history, self.release)?,
            SeriesModel::EEquivalence(model) => model.check(self.history, self.release)?,
            SeriesModel::Global(model) => model.check(self.history, self.release)?,
            SeriesModel::RhoDifferent(model) => {
                let all = self.all();
                let is_judged = |person: u32| !is_broken || self.release.class_of(person).is_some();
                let people = everybody(&all).into_iter().filter(|&person| is_judged(person));
                let people: Vec<u32> = people.collect();
                let found = smoothed(model, &all, (self.correlations, self.is_exact), &people);
                let belief = (!is_broken).then(|| Belief::of_smoothing(found));
                return rho_different(model, found).map(|()| belief);
            }
            SeriesModel::Bcf(model) => {
                let releases = self.history.releases.iter().zip(self.boxes);
                let earlier: Vec<Shown<'_>> =
                    releases.map(|(release, boxes)| Shown { release, boxes }).collect();
                let own = &self.boxes[earlier.len()];
                model.check(&earlier, Shown { release: self.release, boxes: own })?;
            }
            SeriesModel::XyAnonymity(model) => {
                model.check(&self.with_same_column(), self.release)?;
            }
            SeriesModel::XyLinkability(model) => {
                model.check(&self.with_same_column(), self.release)?;
            }
        }
        Ok(None)
    }
}

/// The first release of a history, from 1, that does not keep the promise after those before it. `boxes` and
/// `sensitive` are those of the releases.
pub fn first_broken(
    model: SeriesModel,
    history: &History,
    (boxes, sensitive): (&[Vec<ClassBox>], &[String]),
    correlations: Option<&Correlations>,
) -> Option<(usize, SeriesReason)> {
    if let SeriesModel::RhoDifferent(model) = model {
        let found = smoothed(model, history, (correlations, true), &everybody(history));
        let release = found.worst.map_or(1, |(_, release)| release as usize + 1);
        return rho_different(model, found).err().map(|reason| (release, reason));
    }
    let mut before = History { n_values: history.n_values, releases: Vec::new() };
    for release in &history.releases {
        let next = NextRelease {
            history: &before,
            release,
            boxes,
            sensitive,
            correlations,
            is_exact: true,
        };
        if let Err(reason) = next.keeps(model, false) {
            return Some((before.releases.len() + 1, reason));
        }
        before.releases.push(release.clone());
    }
    None
}

/// What the model finds about these people; it goes through worlds only where the history is exact.
pub(super) fn smoothed(
    model: RhoDifferent,
    all: &History,
    (correlations, is_exact): (Option<&Correlations>, bool),
    people: &[u32],
) -> RhoDifferentFinding {
    let unknown = Correlations::default();
    let smoothing = Smoothing::new(all, correlations.unwrap_or(&unknown), Reading::PROMISED);
    if is_exact {
        model.judge(&smoothing, people)
    } else {
        model.judge_one_by_one(&smoothing, people)
    }
}

/// Whether nobody's value at any release of a history is believed with more than rho.
fn rho_different(model: RhoDifferent, found: RhoDifferentFinding) -> Result<(), SeriesReason> {
    if found.holds() {
        return Ok(());
    }
    let (people, highest) = (found.n_people_above as u64, found.max_posterior);
    Err(SeriesReason::Believed { people, rho: model.rho(), highest })
}

/// Everybody who is in a release.
pub(super) fn everybody(all: &History) -> Vec<u32> {
    let n = u32::try_from(all.n_people()).expect("people are numbered in u32");
    (0..n).filter(|&person| all.releases.iter().any(|r| r.class_of(person).is_some())).collect()
}

#[cfg(test)]
mod tests {
    use kohort_core::{ABSENT, Ratio, ReleasedClass};

    use super::*;

    /// A release of classes: the people, and the letters shown of b, c, d, f, g, m.
    fn release(classes: &[(&[usize], &str)]) -> SeriesRelease {
        let mut found = SeriesRelease { class_of: vec![ABSENT; 16], classes: Vec::new() };
        for (class, (people, letters)) in (0..).zip(classes) {
            people.iter().for_each(|&person| found.class_of[person - 1] = class);
            let number = |letter| u32::try_from("bcdfgm".find(letter).unwrap()).unwrap();
            let mut values: Vec<u32> = letters.chars().map(number).collect();
            values.sort_unstable();
            found.classes.push(ReleasedClass { values, n_counterfeits: 0 });
        }
        found
    }

    // Tables 39 and 41 of Abdalaal 2012; n1 to n5 are 12 to 16.
    #[test]
    fn table_41_is_rejected_at_one_half() {
        let first = release(&[
            (&[1, 2], "db"),
            (&[3, 4], "fg"),
            (&[5, 6], "fg"),
            (&[7, 8, 9], "dfg"),
            (&[10, 11], "dc"),
        ]);
        let second = release(&[
            (&[1, 12], "df"),
            (&[4], "cg"),
            (&[7], "dm"),
            (&[9], "cg"),
            (&[5, 14], "fd"),
            (&[13, 11], "gc"),
            (&[15, 16], "gf"),
        ]);
        let half = Ratio::new(1, 2);
        let listed = [(4, Ratio::whole(1)), (2, half), (1, Ratio::whole(1)), (5, half)];
        let correlations =
            Correlations::new(&listed.map(|(value, share)| (value, value, share))).unwrap();
        let model = RhoDifferent::new(half).unwrap();
        let mut all = History { n_values: 6, releases: vec![first] };
        let judge = |all: &History| {
            let given = (Some(&correlations), true);
            rho_different(model, smoothed(model, all, given, &everybody(all)))
        };
        assert_eq!(judge(&all), Ok(()));
        all.releases.push(second);
        let SeriesReason::Believed { rho, highest, .. } = judge(&all).unwrap_err() else {
            panic!("a belief above rho is the reason")
        };
        assert_eq!((rho, highest.to_string().as_str()), (half, "1"));
    }
}
