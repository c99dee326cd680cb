//! (X,Y)-anonymity and (X,Y)-linkability: a release with other columns of people who were published before,
//! specialized as far as the join with earlier releases allows.
//!
//! # Guarantee
//! In the release, in its join with each earlier one and in that with all of them, everybody's classes have k
//! sensitive values in common, or no value has more than a share of the rows they have in common (see the
//! models). Releases that show another sensitive column are not joined.
//!
//! # Method
//! 1. Publish `*` everywhere. If that does not keep the promise, nothing does.
//! 2. Top-down specialization (see `specialize`), with the model as its test: X is the class of a person in
//!    each release, Y a sensitive value that all these classes show.
//!
//! Where nobody has left, `*` everywhere leaves what the earlier releases left: what keeps the promise can
//! always be gone on with.
//!
//! # Notation
//! X and Y → `join` of the models.
//!
//! # Cost
//! O(d n + releases · n log n) for each cell that is tried.
//!
//! # Deviations
//! - The paper lets X and Y be any columns of the join. Here X is all that the releases show of a person
//!   beside the sensitive value, and Y the sensitive value: who knows less than X has more rows to look at.
//! - What is gained is loss: there is no class label.
//!
//! # References
//! Wang, Fung: Anonymizing Sequential Releases, KDD 2006. specs/05 §2.

use kohort_core::{Ctx, SeriesRelease, Spec};
use kohort_models::series::{Broken, XyAnonymity, XyLinkability};

use crate::specialize::specialize;
use crate::{Failure, Next, SeriesMethod, Turn};

/// The maker of series that publish other columns each time.
#[derive(Clone, Debug)]
pub struct XyMaker {
    /// What is promised about the join.
    pub model: XyModel,
    /// Whether each release of the history shows the same sensitive column.
    pub is_alike: Vec<bool>,
}

/// What is promised about a join.
#[derive(Clone, Copy, Debug)]
pub enum XyModel {
    /// Enough values.
    Anonymity(XyAnonymity),
    /// No value with a large share.
    Linkability(XyLinkability),
}

impl XyModel {
    /// Whether a release keeps the promise, alone and joined with earlier ones of the same sensitive column.
    fn check(&self, earlier: &[&SeriesRelease], next: &SeriesRelease) -> Result<(), Broken> {
        match self {
            Self::Anonymity(model) => model.check(earlier, next),
            Self::Linkability(model) => model.check(earlier, next),
        }
    }
}

impl SeriesMethod for XyMaker {
    fn spec(&self) -> &'static Spec {
        match self.model {
            XyModel::Anonymity(_) => &XyAnonymity::SPEC,
            XyModel::Linkability(_) => &XyLinkability::SPEC,
        }
    }

    fn make(&self, ctx: &Ctx<'_>, turn: &Turn<'_>) -> Result<Next, Failure> {
        let releases = turn.history.releases.iter().zip(&self.is_alike);
        let earlier: Vec<&SeriesRelease> =
            releases.filter(|(_, is_alike)| **is_alike).map(|(release, _)| release).collect();
        let check = |next: &Next| self.model.check(&earlier, &next.released(turn));
        specialize(ctx, turn, &|next, _| check(next).is_ok()).ok_or_else(|| {
            let broken = check(&Next::of_classes(vec![0; turn.data.n_rows()])).err();
            let found = broken.map(|broken| format!(": {}", broken.0)).unwrap_or_default();
            Failure::infeasible(format!("even everybody in one class does not keep it{found}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use kohort_core::{History, Ratio, ReleasedClass};
    use proptest::prelude::*;

    use super::*;
    use crate::tests::people::{Person, histories, make};

    fn anonymity(k: u32) -> XyModel {
        XyModel::Anonymity(XyAnonymity::new(k).unwrap())
    }

    /// Ages with diseases were published, zips with diseases follow: cut as finely, two people of each age
    /// and two of each zip leave one disease for everybody.
    #[test]
    fn who_knows_age_and_zip_has_more_than_one_disease_left() {
        let class = |values: [u32; 2]| ReleasedClass { values: values.to_vec(), n_counterfeits: 0 };
        let ages = SeriesRelease {
            class_of: vec![0, 0, 1, 1],
            classes: vec![class([0, 1]), class([2, 3])],
        };
        let zips = SeriesRelease {
            class_of: vec![0, 1, 0, 1],
            classes: vec![class([0, 2]), class([1, 3])],
        };
        assert!(anonymity(2).check(&[], &zips).is_ok());
        assert!(anonymity(2).check(&[&ages], &zips).is_err());
        let half = XyModel::Linkability(XyLinkability::new(Ratio::new(1, 2)).unwrap());
        assert!(half.check(&[&ages], &zips).is_err());
        let people: Vec<Person> =
            (0..4).map(|at| Person { quasi: [0, at % 2], value: at }).collect();
        let history = History { n_values: 4, releases: vec![ages] };
        let of = |is_alike: bool| {
            let maker = XyMaker { model: anonymity(2), is_alike: vec![is_alike] };
            make(&maker, &people, &[0, 1, 2, 3], &history).unwrap().1.classes.len()
        };
        assert_eq!([of(true), of(false)], [1, 2]);
    }

    #[test]
    fn what_nobody_has_any_more_cannot_be_hidden_behind() {
        let class = ReleasedClass { values: vec![0, 1], n_counterfeits: 0 };
        let first = SeriesRelease { class_of: vec![0, 0], classes: vec![class] };
        let history = History { n_values: 3, releases: vec![first] };
        let people = [0, 1, 2].map(|value| Person { quasi: [0, 0], value });
        let maker = XyMaker { model: anonymity(2), is_alike: vec![true] };
        let Err(Failure::Infeasible { reason }) = make(&maker, &people, &[0, 2], &history) else {
            panic!("the first person is known by the second's leaving");
        };
        assert_eq!(
            reason,
            "even everybody in one class does not keep it: 1 kinds of people stand beside fewer than 2 \
             values in the join"
        );
    }

    /// From the definition alone: the fewest values beside anybody of a release in some releases together,
    /// and the largest share of one.
    fn plain(release: &SeriesRelease, others: &[SeriesRelease]) -> (usize, f64) {
        let (mut fewest, mut largest) = (usize::MAX, 0.0_f64);
        for (person, _) in (0..).zip(&release.class_of) {
            let shown = [release].into_iter().chain(others);
            let classes: Vec<&ReleasedClass> = shown
                .filter_map(|shown| Some(&shown.classes[shown.class_of(person)? as usize]))
                .collect();
            if release.class_of(person).is_none() {
                continue;
            }
            let mut rows: BTreeMap<u32, usize> = BTreeMap::new();
            for value in 0..3 {
                let n =
                    |class: &&ReleasedClass| class.values.iter().filter(|v| **v == value).count();
                rows.insert(value, classes.iter().map(n).min().unwrap());
            }
            let all = rows.values().sum::<usize>();
            fewest = fewest.min(rows.values().filter(|n| **n > 0).count());
            let ratio = |n: &usize| Ratio::new(*n as u64, all as u64).value();
            largest = rows.values().map(ratio).fold(largest, f64::max);
        }
        (fewest, largest)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn every_join_keeps_what_is_promised((people, present) in histories(4..40, 3), k in 2_u32..4) {
            let share = Ratio::new(2, 3);
            let linkability = XyModel::Linkability(XyLinkability::new(share).unwrap());
            for model in [anonymity(k), linkability] {
                let mut history = History { n_values: 3, releases: vec![] };
                // Ages, zips, then both; a fourth with some of the people.
                for release in 0..4 {
                    let of = |person: &Person| match (release, person.quasi) {
                        (0, [age, _]) => Person { quasi: [age, 0], ..*person },
                        (1, [_, zip]) => Person { quasi: [0, zip], ..*person },
                        _ => *person,
                    };
                    let shown: Vec<Person> = people.iter().map(of).collect();
                    let everybody: Vec<u32> = (0..).take(people.len()).collect();
                    let present = if release < 3 { &everybody } else { &present[3] };
                    if present.is_empty() {
                        continue;
                    }
                    let maker = XyMaker { model, is_alike: vec![true; history.releases.len()] };
                    let made = make(&maker, &shown, present, &history);
                    // Nobody leaves before the last.
                    prop_assert!(made.is_ok() || history.releases.is_empty() || release == 3);
                    let Ok((_, released)) = made else { continue };
                    let earlier = &history.releases[..];
                    let joins = [&[][..], earlier].into_iter().chain(earlier.chunks(1));
                    for (fewest, largest) in joins.map(|others| plain(&released, others)) {
                        match model {
                            XyModel::Anonymity(_) => prop_assert!(fewest >= k as usize),
                            XyModel::Linkability(_) => prop_assert!(largest <= share.value()),
                        }
                    }
                    history.releases.push(released);
                }
            }
        }
    }
}
