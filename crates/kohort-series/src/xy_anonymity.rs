//! (X,Y)-anonymity and (X,Y)-linkability: a release with other columns of people who were published before,
//! specialized as far as the join with any earlier release allows.
//!
//! # Guarantee
//! In the join with each earlier release, every class of this release stands beside k values of the other,
//! or no value of the other has more than a share; and the same the other way round. Each class keeps it
//! with its own values, too: a first release has no join.
//!
//! # Method
//! 1. Publish `*` everywhere. If that does not keep the promise, nothing does.
//! 2. Top-down specialization (see `specialize`), with the model asked of the join as its test: X is a
//!    class of one release, Y a sensitive value of the other, in both directions; and Y a value of the
//!    class itself.
//!
//! # Notation
//! X → `Joined::x`, Y → `Joined::y`.
//!
//! # Cost
//! O(d n + |R1|·|R2|·d + joined values) for each cell that is tried, and each earlier release.
//!
//! # Deviations
//! - The paper lets X and Y be any columns of the join. Here X is all that a release shows of a class beside
//!   its sensitive value, and Y the sensitive value of the other: who knows less than X has no smaller class.
//! - What is gained is loss: there is no class label.
//!
//! # References
//! Wang, Fung: Anonymizing Sequential Releases, KDD 2006. specs/05 §2.

use kohort_core::{Ctx, SeriesRelease, Spec};
use kohort_models::series::{Broken, ClassBox, Joined, Shown, XyAnonymity, XyLinkability, join};

use crate::specialize::specialize;
use crate::{Failure, Next, SeriesMethod, Turn};

/// The maker of series that publish other columns each time.
#[derive(Clone, Debug)]
pub struct XyMaker {
    /// What is promised about the join.
    pub model: XyModel,
    /// The boxes of the classes of each release of the history, over the codes of the table. A
    /// quasi-identifier of the table that a release does not show is covered as a whole.
    pub earlier: Vec<Vec<ClassBox>>,
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
    /// Whether a release keeps the promise, and so does its join with each of some others, in both
    /// directions.
    pub fn check(&self, earlier: &[Shown<'_>], next: Shown<'_>) -> Result<(), Broken> {
        let check = |joined: &[Joined]| match self {
            Self::Anonymity(model) => model.check(joined),
            Self::Linkability(model) => model.check(joined),
        };
        check(&alone(next.release))?;
        earlier.iter().try_for_each(|&earlier| {
            check(&join(next, earlier)).and_then(|()| check(&join(earlier, next)))
        })
    }
}

/// The rows of a release: X is a class, Y its own value.
fn alone(release: &SeriesRelease) -> Vec<Joined> {
    let classes = (0..).zip(&release.classes);
    let rows = classes.flat_map(|(x, class)| {
        let runs = class.values.chunk_by(|a, b| a == b);
        runs.map(move |run| Joined { x, y: run[0], n_rows: run.len() as u64 })
    });
    rows.collect()
}

impl SeriesMethod for XyMaker {
    fn spec(&self) -> &'static Spec {
        match self.model {
            XyModel::Anonymity(_) => &XyAnonymity::SPEC,
            XyModel::Linkability(_) => &XyLinkability::SPEC,
        }
    }

    fn make(&self, ctx: &Ctx<'_>, turn: &Turn<'_>) -> Result<Next, Failure> {
        let earlier: Vec<Shown<'_>> = (turn.history.releases.iter().zip(&self.earlier))
            .map(|(release, boxes)| Shown { release, boxes })
            .collect();
        let holds = |next: &Next, boxes: &[ClassBox]| {
            self.model.check(&earlier, Shown { release: &next.released(turn), boxes }).is_ok()
        };
        specialize(ctx, turn, &holds).ok_or_else(|| {
            Failure::infeasible("even everybody in one class does not keep it in the join")
        })
    }
}

#[cfg(test)]
mod tests {
    use kohort_core::{History, Ratio, ReleasedClass};
    use proptest::prelude::*;

    use super::*;
    use crate::tests::people::{Person, boxes_of, histories, make};

    // Tables 28 and 29 in short: ages and diseases were published, ages and jobs follow. Cut as finely,
    // whoever has a job is found by age, and the disease with it.
    #[test]
    fn jobs_lead_to_diseases_through_ages() {
        let class = |a: u32, b: u32| ReleasedClass { values: vec![a, b], n_counterfeits: 0 };
        let diseases =
            SeriesRelease { class_of: vec![0, 0, 1, 1], classes: vec![class(0, 0), class(1, 1)] };
        let boxed = |lo: u32, hi: u32| ClassBox { lo: vec![lo, 0], hi: vec![hi, 3] };
        let history = History { n_values: 4, releases: vec![diseases] };
        let people: Vec<Person> =
            (0..4).map(|at| Person { quasi: [20 + at, at], value: 2 + at % 2 }).collect();
        let model = XyModel::Anonymity(XyAnonymity::new(2).unwrap());
        let earlier = vec![vec![boxed(0, 1), boxed(2, 3)]];
        let fine =
            SeriesRelease { class_of: vec![0, 0, 1, 1], classes: vec![class(2, 3), class(2, 3)] };
        let fine = Shown { release: &fine, boxes: &earlier[0] };
        let shown = Shown { release: &history.releases[0], boxes: &earlier[0] };
        assert!(model.check(&[shown], fine).is_err());
        let maker = XyMaker { model, earlier };
        let (next, released) = make(&maker, &people, &[0, 1, 2, 3], &history).unwrap();
        // Jobs are told apart, ages are not.
        assert_eq!(released.classes.len(), 2);
        let ages: Vec<_> = next.cells.iter().step_by(2).collect();
        assert_eq!(ages[0], ages[1]);
    }

    /// By pairs of rows, from the definition alone: the largest share of a Y beside each X, and the fewest
    /// values.
    fn plain(first: Shown<'_>, second: Shown<'_>) -> (Ratio, usize) {
        let (mut largest, mut fewest) = (Ratio::new(0, 1), usize::MAX);
        for (own, shown) in first.release.classes.iter().zip(first.boxes) {
            let mut found: Vec<u32> = Vec::new();
            for _ in &own.values {
                for (other, at) in second.release.classes.iter().zip(second.boxes) {
                    if shown.meets(at) {
                        found.extend(&other.values);
                    }
                }
            }
            for y in &found {
                let n = found.iter().filter(|other| *other == y).count();
                largest = largest.max(Ratio::new(n as u64, found.len() as u64));
            }
            found.sort_unstable();
            found.dedup();
            fewest = if found.is_empty() { fewest } else { fewest.min(found.len()) };
        }
        (largest, fewest)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn every_join_keeps_what_is_promised((people, _) in histories(4..40, 3), k in 2_u32..4) {
            let present: Vec<u32> = (0..u32::try_from(people.len()).unwrap()).collect();
            let anonymity = XyModel::Anonymity(XyAnonymity::new(k).unwrap());
            let share = Ratio::new(2, 3);
            let linkability = XyModel::Linkability(XyLinkability::new(share).unwrap());
            for model in [anonymity, linkability] {
                let mut history = History { n_values: 3, releases: vec![] };
                let maker = XyMaker { model, earlier: vec![] };
                let Ok((next, first)) = make(&maker, &people, &present, &history) else { continue };
                let numbers = boxes_of(&people, &present, &next);
                // The same columns are the hardest case; codes stay as the people do.
                let coded: Vec<ClassBox> = boxes_in_codes(&people, &numbers);
                history.releases.push(first.clone());
                let maker = XyMaker { model, earlier: vec![coded] };
                let Ok((next, second)) = make(&maker, &people, &present, &history) else { continue };
                let later = boxes_of(&people, &present, &next);
                let first = Shown { release: &first, boxes: &numbers };
                let second = Shown { release: &second, boxes: &later };
                for (largest, fewest) in [plain(first, second), plain(second, first)] {
                    match model {
                        XyModel::Anonymity(_) => prop_assert!(fewest >= k as usize),
                        XyModel::Linkability(_) => prop_assert!(largest <= share),
                    }
                }
            }
        }
    }

    fn boxes_in_codes(people: &[Person], boxes: &[ClassBox]) -> Vec<ClassBox> {
        let code = |axis: usize, number: u32| {
            let mut numbers: Vec<u32> = people.iter().map(|person| person.quasi[axis]).collect();
            numbers.sort_unstable();
            numbers.dedup();
            u32::try_from(numbers.binary_search(&number).unwrap()).unwrap()
        };
        let of = |edge: &[u32]| (0..).zip(edge).map(|(axis, &number)| code(axis, number)).collect();
        boxes.iter().map(|shown| ClassBox { lo: of(&shown.lo), hi: of(&shown.hi) }).collect()
    }
}
