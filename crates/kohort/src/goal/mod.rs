//! What a release must promise, as models: the one place that turns a plan's goal into them, for the
//! maker, the judge and the diagnosis alike.

mod asked;
mod caps;
mod continuous;
mod feasible;
mod guarded;
mod infeasible;
mod named;
mod nearest;
mod principle;
mod reach;

pub use asked::{About, Asked};
pub(crate) use continuous::{is_continuous, warning as continuous_warning};
pub(crate) use guarded::nearest_guarded;
pub(crate) use infeasible::unreached;
pub use infeasible::{Infeasible, feasible, feasible_presence};
pub(crate) use named::high_codes;
pub use principle::{Guards, Population, Principle};

use kohort_core::Ratio;
use kohort_models::DeltaPresence;

use crate::Error;
use crate::error::refused;
use crate::plan::{Diversity, Goal, OneOrMore, exact};

/// The levels that a plan's goal asks for.
pub fn principles(goal: &Goal) -> Result<Vec<Principle>, Error> {
    let mut principles: Vec<Principle> = goal.k_anonymity.map(Principle::K).into_iter().collect();
    add_diversity(&mut principles, goal)?;
    add_bounded_values(&mut principles, goal)?;
    add_likeness(&mut principles, goal)?;
    if let Some(presence) = &goal.delta_presence {
        let (min, max) = (exact("min", presence.min)?, exact("max", presence.max)?);
        DeltaPresence::new(min, max)?;
        principles.push(Principle::DeltaPresence { min, max, public: presence.public.clone() });
    }
    add_of_all_classes(&mut principles, goal)?;
    Ok(principles)
}

fn add_of_all_classes(principles: &mut Vec<Principle>, goal: &Goal) -> Result<(), Error> {
    if let Some(asked) = &goal.k_map {
        let population = match (&asked.public, asked.sampling_fraction) {
            (Some(public), None) if asked.significance.is_none() => {
                Population::Table(public.clone())
            }
            (None, Some(fraction)) => Population::Sampled {
                fraction: exact("sampling-fraction", fraction)?,
                significance: exact("significance", asked.significance.unwrap_or(0.05))?,
            },
            _ => {
                return Err(refused(
                    "`k-map` must have `public`, or `sampling-fraction` with or without `significance`",
                    "`public` names the table of the population; a random sample needs its \
                     `sampling-fraction` alone",
                ));
            }
        };
        principles.push(Principle::KMap { k: asked.k, population });
    }
    if let Some(p) = goal.average_risk {
        principles.push(Principle::AverageRisk(exact("average-risk", p)?));
    }
    if let Some(p) = goal.sample_uniqueness {
        principles.push(Principle::SampleUniqueness(exact("sample-uniqueness", p)?));
    }
    if let Some(asked) = &goal.population_uniqueness {
        let (p, fraction) = (exact("p", asked.p)?, exact("p", asked.sampling_fraction)?);
        principles.push(Principle::PopulationUniqueness { p, fraction });
    }
    Ok(())
}

/// The items of a level that may be asked of several attributes.
fn each<T>(asked: Option<&OneOrMore<T>>) -> impl Iterator<Item = &T> {
    asked.into_iter().flat_map(OneOrMore::iter)
}

fn add_diversity(principles: &mut Vec<Principle>, goal: &Goal) -> Result<(), Error> {
    let parts = |diversity: &Diversity| {
        let (l, attribute) = diversity.parts();
        Ok::<(Ratio, Option<String>), Error>((exact("l", l)?, attribute.map(str::to_owned)))
    };
    for diversity in each(goal.distinct_l_diversity.as_ref()) {
        let (l, attribute) = parts(diversity)?;
        if l.den() != 1 {
            let (name, found, expected) = ("l", l.value().to_string(), "a whole number");
            let kind = kohort_core::Kind::Parameter { name, found, expected };
            return Err(kohort_core::Error::new(kind).into());
        }
        principles.push(Principle::DistinctL(l.num(), attribute));
    }
    for diversity in each(goal.frequency_l_diversity.as_ref()) {
        let (l, attribute) = parts(diversity)?;
        principles.push(Principle::FrequencyL(l, attribute));
    }
    for diversity in each(goal.entropy_l_diversity.as_ref()) {
        let (l, attribute) = parts(diversity)?;
        principles.push(Principle::EntropyL(l, attribute));
    }
    for recursive in each(goal.recursive_cl_diversity.as_ref()) {
        let c = exact("c", recursive.c)?;
        principles.push(Principle::Recursive(c, recursive.l, recursive.attribute.clone()));
    }
    Ok(())
}

fn add_bounded_values(principles: &mut Vec<Principle>, goal: &Goal) -> Result<(), Error> {
    for asked in each(goal.alpha_k_anonymity.as_ref()) {
        principles.push(Principle::AlphaK {
            alpha: exact("alpha", asked.alpha)?,
            k: asked.k,
            values: asked.values.clone(),
            attribute: asked.attribute.clone(),
        });
    }
    if let Some(asked) = &goal.p_sensitive_k_anonymity {
        principles.push(Principle::PSensitiveK { p: asked.p, k: asked.k });
    }
    principles.extend(goal.l_pdiversity.map(Principle::LPdiversity));
    principles.extend(goal.l_mdiversity.map(Principle::LMdiversity));
    for asked in each(goal.lkc_privacy.as_ref()) {
        principles.push(Principle::Lkc {
            l: asked.l,
            k: asked.k,
            c: exact("c", asked.c)?,
            values: asked.values.clone(),
            attribute: asked.attribute.clone(),
        });
    }
    for asked in each(goal.sensitivity_classes.as_ref()) {
        principles.push(Principle::SensitivityClasses {
            high: asked.high.clone(),
            low: asked.low.clone(),
            alpha: exact("alpha", asked.alpha)?,
            l: asked.l.map(|l| exact("l", l)).transpose()?,
            l_low: asked.l_low.map(|l| exact("l-low", l)).transpose()?,
            attribute: asked.attribute.clone(),
        });
    }
    for asked in each(goal.personalized_privacy.as_ref()) {
        let guards = match &asked.guard_column {
            Some(column) => Guards::PerRow(column.clone()),
            None => Guards::PerValue(asked.guards.clone()),
        };
        let (p, attribute) = (exact("p", asked.p)?, asked.attribute.clone());
        principles.push(Principle::Personalized { p, guards, attribute });
    }
    for asked in each(goal.ke_anonymity.as_ref()) {
        let (e, attribute) = (exact("e", asked.e)?, asked.attribute.clone());
        principles.push(Principle::Ke { k: asked.k, e, attribute });
    }
    for asked in each(goal.epsilon_m_anonymity.as_ref()) {
        principles.push(Principle::EpsilonM {
            epsilon: exact("epsilon", asked.epsilon)?,
            m: asked.m,
            is_relative: asked.relative,
            attribute: asked.attribute.clone(),
        });
    }
    Ok(())
}

fn add_likeness(principles: &mut Vec<Principle>, goal: &Goal) -> Result<(), Error> {
    for close in each(goal.t_closeness.as_ref()) {
        let t = exact("t", close.t)?;
        principles.push(Principle::T(t, close.distance.into(), close.attribute.clone()));
    }
    for asked in each(goal.basic_beta_likeness.as_ref()) {
        let beta = exact("beta", asked.beta)?;
        principles.push(Principle::BasicBeta(beta, asked.attribute.clone()));
    }
    for asked in each(goal.enhanced_beta_likeness.as_ref()) {
        let beta = exact("beta", asked.beta)?;
        principles.push(Principle::EnhancedBeta(beta, asked.attribute.clone()));
    }
    for asked in each(goal.delta_disclosure_privacy.as_ref()) {
        let delta = exact("delta", asked.delta)?;
        principles.push(Principle::DeltaDisclosure(delta, asked.attribute.clone()));
    }
    Ok(())
}
