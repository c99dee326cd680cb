//! deFinetti: learns from all classes how quasi-identifiers go with sensitive values, and uses it within
//! each.
//!
//! # Adversary
//! Knows the quasi-identifiers of the members of each class: an anatomized release prints them, for a
//! generalized one they are looked up among people.
//!
//! # Method
//! 1. In every class each member has each value with the class's share of it: w(t, v) = c(v)/|e|.
//! 2. From the weights, for each quasi-identifier: P(q | v), with one imagined row of each q and v.
//! 3. In every class again, the probability of each way to give the values to the members is proportional
//!    to Π P(q(t) | v(t)); w(t, v) is the marginal. It is exact where the ways can be counted, and scaled to
//!    the sums of the class (Sinkhorn) in large classes.
//! 4. Go on with step 2 until no weight changes by more than 10⁻⁴, 50 times at most.
//!
//! Numbers of many values are put into bins of about as many rows. Classes whose members are not all known
//! are left out, and attributes of more than 1,000 values.
//!
//! # Success
//! The share of members whose value was guessed. The blind guess is the most frequent value of the class:
//! what is gained is gained from the other classes.
//!
//! # References
//! Kifer, SIGMOD 2009.

mod classes;
mod learn;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use kohort_core::{Attribute, Ctx, Error, Message, Setting, Spec, message};

use self::classes::Members;
use self::learn::learn;
use super::evidence::scene::Told;
use super::guess::likeliest_value;
use super::{Attack, Criterion, Guess, Guesses, Rate, Says, Scene, Scoring, Sight, Who};

const SPEC: Spec = Spec {
    id: "definetti",
    title: "deFinetti",
    paper: "Kifer 2009",
    promise: "patterns learned from all classes tell the members of one class apart",
    parameters: &[],
};

/// The imagined rows of each value of a quasi-identifier with each sensitive value.
const SMOOTHING: f64 = 1.0;

/// The most rounds of learning.
const ROUNDS: usize = 50;

/// From more values than this nothing is learned: most occur in one class.
const MOST_VALUES: u32 = 1000;

/// The deFinetti attack.
pub(super) struct DeFinetti;

impl Attack for DeFinetti {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn criterion(&self) -> Criterion {
        Criterion::Inference
    }

    fn needs(&self, scene: &Scene<'_>) -> Option<Message> {
        if !scene.release.sensitive().iter().any(|attribute| can_learn(attribute)) {
            return Some(message!(
                "a sensitive attribute of at most 1,000 values ({})",
                Setting::Sensitive
            ));
        }
        let has = scene.release.is_anatomized() || scene.crowd().is_some();
        (!has).then(|| {
            message!(
                "an anatomized release, or people with quasi-identifiers ({})",
                Setting::Public
            )
        })
    }

    fn guess(&self, ctx: &Ctx<'_>, scene: &Scene<'_>) -> Result<Vec<Guesses>, Error> {
        let members = Members::new(scene)?;
        if members.is_empty() {
            return Ok(Vec::new());
        }
        let attributes = scene.release.sensitive().iter().enumerate();
        let attributes = attributes.filter(|(_, attribute)| can_learn(attribute));
        Ok(attributes.map(|(index, _)| of_attribute(ctx, scene, &members, index)).collect())
    }

    fn meaning(&self, rate: &Rate) -> String {
        format!(
            "of the {} people in classes whose members are all known, learning from all classes guesses \
             {:.1} % right, against {:.1} % from the class alone",
            rate.targets,
            100.0 * rate.success,
            100.0 * rate.baseline
        )
    }
}

/// Whether values are few enough to occur in many classes.
fn can_learn(attribute: &Attribute) -> bool {
    attribute.n_codes() <= MOST_VALUES
}

fn of_attribute(ctx: &Ctx<'_>, scene: &Scene<'_>, members: &Members, attribute: usize) -> Guesses {
    let values: Vec<&[(u32, u32)]> =
        members.classes().map(|class| scene.release.values(attribute, class)).collect();
    let n_values = scene.release.sensitive()[attribute].n_codes();
    let told = Told::of(scene.release.sensitive()[attribute]);
    let weights = learn(ctx, members, &values, n_values, SMOOTHING, ROUNDS);
    // What was learned of each member.
    let learned = members.by_class().flat_map(|(class, members)| {
        let weights = weights[class].chunks(values[class].len());
        let values = values[class];
        members.iter().zip(weights).map(move |(member, weights)| {
            let codes = values.iter().map(|&(code, _)| code);
            (member.target, told.keep(codes.zip(weights.iter().copied()).collect()))
        })
    });
    if let (Who::Rows, Some(people)) = (members.who(), scene.crowd()) {
        return of_people(scene, people, attribute, learned);
    }
    // What the class alone says of each member.
    let alone = members.by_class().flat_map(|(class, members)| {
        let share = |&(code, count): &(u32, u32)| (code, f64::from(count) / members.len() as f64);
        let most = likeliest_value(&told.keep(values[class].iter().map(share).collect()));
        members.iter().map(move |_| most)
    });
    let mut guesses = Guesses::new(members.who(), Some(attribute), (Says::Nothing, 0.0));
    for ((target, posterior), alone) in learned.zip(alone) {
        tell(&mut guesses, target, &posterior, alone);
    }
    // The rows of an anatomized release do not say which value is whose: only the original does.
    if members.who() == Who::Rows {
        guesses.scoring = Scoring::ByExpectation;
        let note = message!(
            "by the adversary's own probabilities, which may be too sure: with {} the guesses are compared \
             with the truth",
            Setting::Original
        );
        guesses.notes.push(note);
    }
    guesses
}

/// What was learned of the rows of an anatomized release, said of the people who may have them.
fn of_people(
    scene: &Scene<'_>,
    people: &Sight,
    attribute: usize,
    learned: impl Iterator<Item = (u32, Vec<(u32, f64)>)>,
) -> Guesses {
    let release = &scene.release;
    let mut of_shape: Vec<Vec<(u32, f64)>> = vec![Vec::new(); release.n_shapes() as usize];
    for (row, posterior) in learned {
        // Rows of a shape are alike.
        of_shape[release.shapes().ids[row as usize] as usize] = posterior;
    }
    let mut guesses = Guesses::new(Who::People, Some(attribute), (Says::Nothing, 0.0));
    for view in people.views() {
        let records = scene.n_records(view) as f64;
        let mut posterior: BTreeMap<u32, f64> = BTreeMap::new();
        for &shape in view.shapes {
            let share = f64::from(release.size_of_shape(shape)) / records;
            for &(code, weight) in &of_shape[shape as usize] {
                *posterior.entry(code).or_insert(0.0) += weight * share;
            }
        }
        let posterior: Vec<(u32, f64)> = posterior.into_iter().collect();
        let alone = likeliest_value(&scene.posterior(view, attribute));
        for &person in view.targets {
            tell(&mut guesses, person, &posterior, alone);
        }
    }
    guesses
}

/// Says what is likeliest, beside what is likeliest in the class alone.
fn tell(guesses: &mut Guesses, target: u32, learned: &[(u32, f64)], alone: (Says, f64)) {
    let (says, probability) = likeliest_value(learned);
    // Sums of shares may end a hair above one.
    guesses.guesses.push(Guess { target, says, probability: probability.min(1.0) });
    guesses.without.push(Guess { target, says: alone.0, probability: alone.1 });
}
