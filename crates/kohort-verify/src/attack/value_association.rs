//! Value association: what a target may have by every release the target is in, all people together.
//!
//! # Adversary
//! Has all releases; knows everybody's quasi-identifiers, and who is in which release; knows that values do
//! not change.
//!
//! # Method
//! 1. By each release a target has a value of the class that covers the target; by all of them, a value that
//!    all these classes show.
//! 2. People who share classes are looked at together. In a component of ten people or fewer every world is
//!    gone through (see `worlds`), and a value is as likely as the worlds in which the target has it: exact.
//! 3. In a larger component, values that are ruled out for one by what is certain of the others go (see
//!    `deduction`), and a value is as likely as the fewest rows that any release shows of it: an estimate.
//!    That no other value is possible is certain there too. Of whom several classes of a release cover, no
//!    value is taken to be likelier than each release says.
//!
//! # Success
//! The share of targets whose value is guessed. The baseline is the newest release that the target is in,
//! alone.
//!
//! # References
//! Xiao and Tao, SIGMOD 2007; Abdalaal 2012 §4.1.

use kohort_core::{Ctx, Error, Message, Spec, message};

use super::evidence::deduction::Deduction;
use super::evidence::equal_values::Blocks;
use super::evidence::series::{self, Series, value_guesses};
use super::evidence::worlds::{Known, components};
use super::guess::likeliest_value;
use super::{Attack, Criterion, Guesses, Rate, Scene};

const SPEC: Spec = Spec {
    id: "value-association",
    title: "Value association",
    paper: "Xiao and Tao 2007",
    promise: "the values that all releases allow a person are fewer than those that each allows",
    parameters: &[],
};

/// The value association attack.
pub(super) struct ValueAssociation;

impl Attack for ValueAssociation {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn criterion(&self) -> Criterion {
        Criterion::Inference
    }

    fn compares_releases(&self) -> bool {
        true
    }

    fn needs(&self, scene: &Scene<'_>) -> Option<Message> {
        series::needs(scene)
    }

    fn guess(&self, _: &Ctx<'_>, scene: &Scene<'_>) -> Result<Vec<Guesses>, Error> {
        let each = scene.series()?.iter();
        Ok(each.map(|(attribute, series)| of_series(scene, series, *attribute)).collect())
    }

    fn bound(&self, scene: &Scene<'_>, attribute: Option<usize>) -> Option<f64> {
        scene.bound_of_series(attribute)
    }

    fn meaning(&self, rate: &Rate) -> String {
        format!(
            "an adversary who compares the values of all releases guesses the value of {:.1} % \
             of the targets, against {:.1} % with the newest alone; certain: {}",
            100.0 * rate.success,
            100.0 * rate.baseline,
            rate.above[2]
        )
    }
}

fn of_series(scene: &Scene<'_>, series: &Series, attribute: usize) -> Guesses {
    let mut deduction = Deduction::new(series, Blocks::new(series.n_people()));
    deduction.run();
    let beliefs = Beliefs::new(series, &mut deduction, likeliest_value);
    let mut guesses =
        value_guesses(scene, series, attribute, |person| beliefs.of_person[person as usize]);
    guesses.notes.extend(beliefs.notes());
    guesses
}

/// What is believed of everybody, and how it is known.
pub(super) struct Beliefs<T> {
    /// For each person, what is told of values with probabilities; there are none for who is in no release.
    pub(super) of_person: Vec<T>,
    /// For each person, whether more than one value is possible.
    pub(super) is_open: Vec<bool>,
    /// For each person of a component that was gone through, how many others the person's value opens.
    pub(super) opens: Vec<Option<Opens>>,
    // The people of components that were gone through, with everybody's class known.
    n_exact: u64,
    n_estimated: u64,
    n_strange: u64,
    // The fewest values that anybody may have.
    fewest: usize,
    /// The people of components that no world explains.
    pub(super) n_unexplained: u64,
}

/// Of how many others, whose value is not certain, the value of a person leaves one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Opens {
    /// As the worlds are likely.
    Expected(f64),
    /// Whatever the value is: some of the classes are not known.
    AtLeast(u32),
}

impl Opens {
    /// By how likely each value is, and what it opens.
    fn new(of_value: &[(f64, u32)], is_exact: bool) -> Self {
        if is_exact {
            Self::Expected(of_value.iter().map(|&(p, n)| p * f64::from(n)).sum())
        } else {
            Self::AtLeast(of_value.iter().map(|&(_, n)| n).min().unwrap_or(0))
        }
    }
}

impl<T> Beliefs<T> {
    /// What the worlds of small components say, and what is left of the values in large ones; `tell` says
    /// what is kept of it. Who has the same value in every world of a component joins a block.
    pub(super) fn new(
        series: &Series,
        deduction: &mut Deduction<'_>,
        tell: impl Fn(&[(u32, f64)]) -> T,
    ) -> Self {
        let known = Known {
            blocks: &deduction.blocks().clone(),
            allows: &|person, value| deduction.allows(person, value),
        };
        let components = components(&series.history, &known);
        let n_people = series.n_people() as usize;
        let mut counted: Vec<Option<Vec<(u32, f64)>>> = vec![None; n_people];
        let mut opens = vec![None; n_people];
        let mut n_unexplained = 0;
        for component in components {
            n_unexplained +=
                if component.is_impossible { component.people.len() as u64 } else { 0 };
            let is_exact = component.people.iter().all(|&person| series.is_placed(person));
            for (at, &person) in component.people.iter().enumerate() {
                if let Some(beliefs) = &component.beliefs {
                    counted[person as usize] = Some(beliefs[at].clone());
                    opens[person as usize] = Some(Opens::new(&component.opens[at], is_exact));
                }
            }
            if !component.is_impossible {
                component.equal.iter().for_each(|&(a, b)| deduction.join(a, b));
            }
        }
        let mut found = Self {
            of_person: Vec::with_capacity(n_people),
            is_open: vec![false; n_people],
            opens,
            n_exact: 0,
            n_estimated: 0,
            n_strange: 0,
            fewest: usize::MAX,
            n_unexplained,
        };
        for (person, counted) in (0..).zip(counted) {
            let is_exact = matches!(found.opens[person as usize], Some(Opens::Expected(_)));
            let belief = counted.unwrap_or_else(|| {
                let (of_value, n_strange) = deduction.belief(person);
                found.n_strange += u64::from(n_strange > 0);
                of_value
            });
            found.of_person.push(tell(&belief));
            found.is_open[person as usize] = belief.len() > 1;
            if !belief.is_empty() {
                let n = if is_exact { &mut found.n_exact } else { &mut found.n_estimated };
                *n += 1;
                found.fewest = found.fewest.min(belief.len());
            }
        }
        found
    }

    /// How it is known, as sentences without a closing stop.
    pub(super) fn notes(&self) -> Vec<Message> {
        let Self { n_exact, n_estimated, n_strange, fewest, .. } = self;
        let mut notes = vec![message!(
            "exact, by every world, for {n_exact} people; bounded for {n_estimated} people of larger \
             components or several classes: no other value is possible, how likely each is is estimated"
        )];
        if n_exact + n_estimated > 0 {
            notes.push(message!("the fewest values that anybody may have: {fewest}"));
        }
        if *n_strange > 0 {
            notes.push(message!(
                "people who share no value with another release, so were not in it or have changed: \
                 {n_strange}"
            ));
        }
        notes
    }
}
