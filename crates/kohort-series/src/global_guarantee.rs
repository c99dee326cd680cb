//! The global guarantee: classes as large as the planned number of releases needs, and signatures that last
//! as long as values do.
//!
//! # Guarantee
//! Over the planned releases nobody ever had a value with a probability above 1/l, where values change
//! independently (see the model). Whose value stays is in classes of the same m or more values each time:
//! who takes it for certain that it stayed learns no more than 1/m.
//!
//! # Method
//! 1. The smallest m with (1 − 1/m)^J ≥ 1 − 1/l is what each of J releases needs.
//! 2. Forget the classes of those whose value is none that was published for them last: they come as if for
//!    the first time.
//! 3. A release of classes of m or more different values, as m-invariance makes it: everybody else keeps a
//!    signature. Values that change leave signatures with more rows of some values than of others:
//!    somebody is held back where that saves many counterfeits, unless counterfeits are asked for (see
//!    `buckets`, leveling).
//!
//! # Notation
//! J → `GlobalGuarantee::horizon`, m → `GlobalGuarantee::planned_m`.
//!
//! # Cost
//! As m-invariance.
//!
//! # Deviations
//! Step 2 is not in the paper, where values change independently: then no earlier class need bind. Where
//! somebody's value stays, two classes with one value in common would give it away.
//!
//! # References
//! Wong, Fu, Liu, Wang, Xu: Global Privacy Guarantee in Serial Data Publishing, ICDE 2010.

use kohort_core::{ABSENT, Ctx, History, Spec};
use kohort_models::series::{GlobalGuarantee, MInvariance};

use crate::buckets::{Surplus, buckets};
use crate::m_invariance::classes_of;
use crate::rows::Rows;
use crate::{Failure, Next, SeriesMethod, Turn};

/// The maker of a planned number of releases.
#[derive(Clone, Copy, Debug)]
pub struct GlobalMaker {
    /// What is promised.
    pub model: GlobalGuarantee,
    /// What becomes of people with a value that is too frequent.
    pub surplus: Surplus,
}

impl SeriesMethod for GlobalMaker {
    fn spec(&self) -> &'static Spec {
        &GlobalGuarantee::SPEC
    }

    fn make(&self, ctx: &Ctx<'_>, turn: &Turn<'_>) -> Result<Next, Failure> {
        let horizon = self.model.horizon();
        if turn.history.releases.len() >= horizon as usize {
            return Err(Failure::infeasible(format!(
                "`horizon` is {horizon}, and as many releases are published"
            )));
        }
        let m = self.model.planned_m();
        let model = m.and_then(|m| MInvariance::new(m).ok()).ok_or_else(|| {
            Failure::infeasible("no class is large enough for the horizon that is planned")
        })?;
        let history = of_those_who_stayed(turn);
        let turn = Turn { history: &history, ..*turn };
        let rows = Rows::new(&turn);
        let is_leveled = self.surplus == Surplus::HoldBack;
        let buckets = buckets(&turn, &rows, model.m(), self.surplus, is_leveled)?;
        let mut next = classes_of(ctx, &turn, &rows, &buckets)?;
        let m = model.m();
        next.notes.push(format!(
            "classes have {m} or more different values: what {horizon} releases need together"
        ));
        Ok(next)
    }
}

/// The history without those whose value is none of the last class they were in.
fn of_those_who_stayed(turn: &Turn<'_>) -> History {
    let mut history = turn.history.clone();
    for (&person, value) in turn.person_of_row.iter().zip(turn.value_of_row) {
        let last = turn.history.last_class(person);
        if last.is_some_and(|(_, class)| !class.values.contains(value)) {
            for release in &mut history.releases {
                if let Some(class) = release.class_of.get_mut(person as usize) {
                    *class = ABSENT;
                }
            }
        }
    }
    history
}

#[cfg(test)]
mod tests {
    use kohort_core::Ratio;
    use proptest::prelude::*;

    use super::*;
    use crate::tests::people::{histories, make};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        // One in three changes value each time: whoever takes it that the others did not learns nothing.
        #[test]
        fn whose_value_stays_has_as_many_values_in_common(
            (mut people, present) in histories(8..60, 8), horizon in 2_u32..5,
        ) {
            let model = GlobalGuarantee::new(2, horizon).unwrap();
            let maker = GlobalMaker { model, surplus: Surplus::HoldBack };
            let mut history = History { n_values: 8, releases: vec![] };
            let mut has_changed = vec![false; people.len()];
            for present in &present {
                if let Ok((_, released)) = make(&maker, &people, present, &history) {
                    prop_assert_eq!(model.check(&history, &released), Ok(()));
                    history.releases.push(released);
                }
                for (at, person) in people.iter_mut().enumerate().step_by(3) {
                    person.value = (person.value + 3) % 8;
                    has_changed[at] = true;
                }
            }
            let m = model.planned_m().unwrap() as usize;
            for (person, _) in (0..).zip(&has_changed).filter(|&(_, has_changed)| !has_changed) {
                let classes: Vec<_> = (history.releases.iter())
                    .filter_map(|release| Some(&release.classes[release.class_of(person)? as usize]))
                    .collect();
                let is_common = |value: &u32| classes.iter().all(|class| class.values.contains(value));
                let n_common = (0..8).filter(is_common).count();
                prop_assert!(classes.is_empty() || n_common >= m, "{} of {}", n_common, m);
            }
        }

        #[test]
        fn values_that_change_are_never_linked_above_one_in_l(
            (mut people, present) in histories(1..60, 8), horizon in 1_u32..4,
        ) {
            let maker = GlobalMaker {
                model: GlobalGuarantee::new(2, horizon).unwrap(),
                surplus: Surplus::HoldBack,
            };
            let mut history = History { n_values: 8, releases: vec![] };
            for present in &present {
                let made = make(&maker, &people, present, &history);
                if history.releases.len() == horizon as usize {
                    prop_assert!(made.is_err());
                } else if let Ok((_, released)) = made {
                    prop_assert_eq!(maker.model.check(&history, &released), Ok(()));
                    history.releases.push(released);
                }
                for person in &mut people {
                    person.value = (person.value + 3) % 8;
                }
            }
            for person in 0..u32::try_from(history.n_people()).unwrap() {
                for value in 0..8 {
                    // 1 − Π (1 − p_j), as floats.
                    let never: f64 = (history.releases.iter())
                        .filter_map(|release| Some(&release.classes[release.class_of(person)? as usize]))
                        .map(|class| {
                            let n = class.values.iter().filter(|&&other| other == value).count();
                            1.0 - Ratio::new(n as u64, class.values.len() as u64).value()
                        })
                        .product();
                    prop_assert!(1.0 - never <= 0.5 + 1e-9);
                }
            }
        }
    }
}
