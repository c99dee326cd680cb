//! Whether a release keeps a promise after all those before it, and whether those before it do.

use kohort_core::{History, SeriesRelease};
use kohort_ledger::{Facts, Hash, Release};
use kohort_models::series::{
    Broken, ClassBox, Correlations, Reading, RhoDifferent, RhoDifferentFinding, Shown, Smoothing,
};

use super::belief::Belief;
use super::method::{Model, parameters};
use super::noted::BEGIN_ANOTHER;
use crate::diagnose::count;
use crate::plan::SeriesPlan;
use crate::release::No;

/// What everybody has seen, and what it is judged with.
#[derive(Clone, Copy)]
pub(super) struct Case<'a> {
    /// The releases so far.
    pub(super) history: &'a History,
    /// One more.
    pub(super) next: &'a SeriesRelease,
    /// The boxes of the classes of each, where the model needs them.
    pub(super) boxes: &'a [Vec<ClassBox>],
    /// The sensitive column of each.
    pub(super) sensitive: &'a [String],
    /// How values follow one another.
    pub(super) correlations: Option<&'a Correlations>,
    /// Whether it is known of everybody who is in which class.
    pub(super) is_exact: bool,
}

impl Case<'_> {
    /// The releases so far, and one more.
    pub(super) fn all(&self) -> History {
        let mut all = self.history.clone();
        all.releases.push(self.next.clone());
        all
    }

    /// The releases so far that show the sensitive column of the next.
    pub(super) fn alike(&self) -> Vec<&SeriesRelease> {
        let own = self.sensitive.get(self.history.releases.len());
        let releases = self.history.releases.iter().zip(self.sensitive);
        releases.filter(|(_, name)| Some(*name) == own).map(|(release, _)| release).collect()
    }

    /// Whether the release keeps the promise after a history that does, or at least for those it shows. The
    /// highest belief about anybody, where the model finds it by the way.
    pub(super) fn judge(&self, model: Model, is_weak: bool) -> Result<Option<Belief>, Broken> {
        let checked = match model {
            Model::MInvariance(model) => model.check(self.history, self.next),
            Model::EEquivalence(model) => model.check(self.history, self.next),
            Model::Global(model) => model.check(self.history, self.next),
            Model::RhoDifferent(model) => {
                let all = self.all();
                let is_judged = |person: u32| !is_weak || self.next.class_of(person).is_some();
                let people = everybody(&all).into_iter().filter(|&person| is_judged(person));
                let people: Vec<u32> = people.collect();
                let found = followed(model, &all, (self.correlations, self.is_exact), &people);
                let belief = (!is_weak).then(|| Belief::of_followed(found));
                return rho_different(model, found).map(|()| belief);
            }
            Model::Bcf(model) => {
                let releases = self.history.releases.iter().zip(self.boxes);
                let earlier: Vec<Shown<'_>> =
                    releases.map(|(release, boxes)| Shown { release, boxes }).collect();
                let own = &self.boxes[earlier.len()];
                model.check(&earlier, Shown { release: self.next, boxes: own })
            }
            Model::XyAnonymity(model) => model.check(&self.alike(), self.next),
            Model::XyLinkability(model) => model.check(&self.alike(), self.next),
        };
        checked.map(|()| None)
    }
}

/// What the model finds about these people; it goes through worlds only where the history is exact.
pub(super) fn followed(
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
fn rho_different(model: RhoDifferent, found: RhoDifferentFinding) -> Result<(), Broken> {
    if found.holds() {
        return Ok(());
    }
    let (n, rho, worst) = (found.n_people_above, model.rho(), found.max_posterior);
    Err(Broken(format!(
        "{} believed to have a value with more than {rho}, for one with {worst}",
        count(n as u64, "person is", "people are")
    )))
}

/// Everybody who is in a release.
pub(super) fn everybody(all: &History) -> Vec<u32> {
    let n = u32::try_from(all.n_people()).expect("people are numbered in u32");
    (0..n).filter(|&person| all.releases.iter().any(|r| r.class_of(person).is_some())).collect()
}

/// What was published before, and the promise that is about to be made.
pub(super) struct Earlier<'a> {
    pub(super) plan: &'a SeriesPlan,
    pub(super) method: &'static str,
    pub(super) model: Model,
    pub(super) releases: &'a [(Release, Hash)],
    pub(super) history: &'a History,
    pub(super) boxes: &'a [Vec<ClassBox>],
    pub(super) sensitive: &'a [String],
    pub(super) correlations: Option<&'a Correlations>,
}

impl Earlier<'_> {
    /// Says that an earlier release does not keep the promise, where that was accepted: the method was
    /// named, or the release before has the same promise. Otherwise that is a no.
    pub(super) fn weakness(&self) -> Result<Option<String>, No> {
        let asked = parameters(self.plan, self.method);
        let is_promised = |(release, _): &(Release, Hash)| {
            let Facts { principle, parameters, version, .. } = &release.facts;
            principle == self.method && *parameters == asked && version == env!("CARGO_PKG_VERSION")
        };
        // Each of them was judged after those before it.
        if self.releases.iter().all(is_promised) {
            return Ok(None);
        }
        let Some((release, Broken(why))) = self.first_broken() else { return Ok(None) };
        let method = self.method;
        let problem =
            format!("release {release} does not keep the promise of `{method}` ({asked})");
        let is_named = self.plan.method.as_deref().is_some_and(|method| method != "auto");
        if is_named || self.releases.last().is_some_and(is_promised) {
            return Ok(Some(format!(
                "{problem}: {why}; what it gave away stays known, and the promise is not true of the \
                 people it shows"
            )));
        }
        Err(No {
            problem: format!("{problem}, and nothing was written"),
            causes: vec![why],
            hint: self.hint(),
            ..No::default()
        })
    }

    /// What to do where an earlier release does not keep the promise.
    fn hint(&self) -> String {
        let method = self.method;
        let last = self.releases.last().map(|(release, _)| &release.facts);
        let kept = match last {
            Some(facts) if facts.principle == method => format!(" ({})", facts.parameters),
            // It applies where e-equivalence does.
            Some(facts) if facts.principle == "m-invariance" && method == "e-equivalence" => {
                format!(" (m-invariance: {}, without `e`)", facts.parameters)
            }
            _ => String::new(),
        };
        let accept = if self.can_be_accepted() {
            format!("; or accept that the promise does not cover them: `--method {method}`")
        } else {
            String::new()
        };
        format!("ask for what the earlier releases kept{kept}{accept}; or {BEGIN_ANOTHER}")
    }

    /// Whether a release that keeps everybody's signature can keep the promise: no signature is too small.
    fn can_be_accepted(&self) -> bool {
        let m = match self.model {
            Model::MInvariance(model) => model.m(),
            Model::EEquivalence(model) => model.m(),
            _ => return true,
        };
        let mut classes = self.history.releases.iter().flat_map(|release| &release.classes);
        classes.all(|class| class.signature().len() >= m as usize)
    }

    /// The first release, from 1, that does not keep the promise after those before it.
    fn first_broken(&self) -> Option<(usize, Broken)> {
        if let Model::RhoDifferent(model) = self.model {
            let people = everybody(self.history);
            let found = followed(model, self.history, (self.correlations, true), &people);
            let release = found.worst.map_or(1, |(_, release)| release as usize + 1);
            return rho_different(model, found).err().map(|broken| (release, broken));
        }
        let mut before = History { n_values: self.history.n_values, releases: Vec::new() };
        for next in &self.history.releases {
            let case = Case {
                history: &before,
                next,
                boxes: self.boxes,
                sensitive: self.sensitive,
                correlations: self.correlations,
                is_exact: true,
            };
            if let Err(broken) = case.judge(self.model, false) {
                return Some((before.releases.len() + 1, broken));
            }
            before.releases.push(next.clone());
        }
        None
    }
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
            rho_different(model, followed(model, all, (Some(&correlations), true), &everybody(all)))
        };
        assert_eq!(judge(&all), Ok(()));
        all.releases.push(second);
        let broken = judge(&all).unwrap_err();
        assert!(broken.0.ends_with("with more than 1/2, for one with 1"), "{}", broken.0);
    }
}
