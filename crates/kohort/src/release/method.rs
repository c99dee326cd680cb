//! The method of a plan: which algorithm, and how it is to work.

use kohort_algorithms::{
    ALGORITHMS, Algorithm, Center, High, Metric, Policy, Secret, Settings, algorithm as by_id,
    can_be_transparent,
};
use kohort_core::{Attribute, Command, Dataset, Setting, message, nearest};
use kohort_models::CellMetric;

use super::judge::{suppressed_are_a_class, suppression};
use crate::Error;
use crate::error::suggestion;
use crate::goal::high_codes;
use crate::load::refused;
use crate::plan::{CenterName, OneOrMore, Plan, PolicyName};

/// The metrics that a release can be made for, by id.
const METRICS: [(&str, Metric); 10] = [
    ("ncp", Metric::Cells(CellMetric::Ncp)),
    ("lm", Metric::Cells(CellMetric::Lm)),
    ("byun-il", Metric::Cells(CellMetric::Byun)),
    ("dm", Metric::Discernibility),
    ("c-avg", Metric::AverageClassSize),
    ("prec", Metric::Cells(CellMetric::Prec)),
    ("whd", Metric::Cells(CellMetric::Whd)),
    ("whd-beta", Metric::Cells(CellMetric::WhdBeta)),
    ("kl", Metric::Divergence),
    ("kl-attribute", Metric::MeanDivergence),
];

/// The algorithm that a plan names. What is promised to the people of a public table is kept by recoding
/// the whole domain: `auto` is the best of that kind then.
pub(crate) fn algorithm(plan: &Plan) -> Result<&'static dyn Algorithm, Error> {
    let id = plan.method.algorithm.as_deref().unwrap_or("auto");
    let found = by_id(id).ok_or_else(|| {
        let problem = if kohort_nested::nested_algorithm(id).is_some() {
            format!("`{id}` is for nested records, and the input is one table")
        } else {
            let likely = suggestion(nearest(id, ALGORITHMS.iter().map(|a| a.spec().id)));
            format!("there is no algorithm `{id}`{likely}")
        };
        refused(problem, message!("{} lists them", Command::ListAlgorithms))
    })?;
    if plan.goal.delta_presence.is_some() && !found.facts().is_full_domain {
        if id == "auto" {
            return Ok(by_id("optimal").expect("it is in the box"));
        }
        return Err(refused(
            format!("`{id}` does not keep `delta-presence`: it recodes class by class"),
            message!(
                "try {}, which recodes the whole domain, or leave `delta-presence` out of the goal",
                Setting::Algorithm.to("optimal")
            ),
        ));
    }
    if !found.facts().is_safe && !plan.method.allow_unsafe {
        return Err(refused(
            format!("`{id}` does not keep the goal for everybody"),
            message!(
                "say {}, if that is what you want; `auto` keeps it",
                Setting::AllowUnsafe.or_in_plan()
            ),
        ));
    }
    Ok(found)
}

/// The id of the metric that a plan asks for, also by the name that its figure has in JSON: `c_avg`.
pub(crate) fn metric_id(plan: &Plan) -> &str {
    let asked = plan.method.metric.as_deref().unwrap_or("ncp");
    let found = METRICS.iter().find(|(name, _)| name.replace('-', "_") == asked);
    found.map_or(asked, |(name, _)| name)
}

/// How the algorithm is to work on a dataset. What hides something is drawn from the secret.
pub(crate) fn settings(
    plan: &Plan,
    dataset: &Dataset,
    secret: [u8; 32],
) -> Result<Settings, Error> {
    let id = metric_id(plan);
    let metric = METRICS.iter().find(|(name, _)| *name == id).ok_or_else(|| {
        let likely = suggestion(nearest(id, METRICS.iter().map(|(name, _)| *name)));
        refused(
            format!(
                "`metric` must be ncp, lm, byun-il, dm, c-avg, prec, whd, whd-beta, kl or kl-attribute, but \
                 is `{id}`{likely}"
            ),
            message!("{} says what each means", Command::ListMetrics),
        )
    })?;
    let counts_levels = matches!(metric.1, Metric::Cells(cells) if cells.counts_levels());
    // Where the whole domain is recoded no range is shown: a column without a taxonomy has two levels.
    let shows_ranges = counts_levels && !algorithm(plan)?.facts().is_full_domain;
    if let Some(ranged) = dataset.quasi().iter().find(|a| shows_ranges && a.is_ranged()) {
        return Err(refused(
            format!(
                "`{id}` counts levels of taxonomies, and column `{}` is published as ranges",
                ranged.name()
            ),
            message!(
                "give it a taxonomy and say {}, or choose {} or {}",
                Setting::Numeric.to("taxonomy"),
                Setting::Metric.to("ncp"),
                Setting::Algorithm.to("optimal")
            ),
        ));
    }
    let tau = plan.method.tau.unwrap_or(0.0);
    if !(tau >= 0.0 && tau.is_finite()) {
        return Err(refused(
            format!("`tau` must be a number of at least 0, but is {tau}"),
            "leave it out for 0",
        ));
    }
    Ok(Settings {
        metric: metric.1,
        weights: weights(plan, dataset),
        suppression: suppression(plan)?.floor_of(dataset.n_rows() as u64),
        keeps_suppressed: suppressed_are_a_class(plan),
        dropped_may_tell: false,
        seed: seed(plan),
        tau,
        center: match plan.method.center {
            Some(CenterName::Median) => Center::Median,
            Some(CenterName::Mean) | None => Center::Mean,
        },
        policy: match plan.method.policy {
            Some(PolicyName::RelativeDistance) => Policy::RelativeDistance,
            Some(PolicyName::FewestSuppressed) => Policy::FewestSuppressed,
            Some(PolicyName::LeastLoss) | None => Policy::LeastLoss,
        },
        high: high(plan, dataset),
        until_stopped: plan.method.budget.is_some(),
        secret: Secret::new(secret),
        transparent: transparent(plan)?,
        noise: share("noise", plan.method.noise, Settings::NOISE)?,
        keep: share("keep", plan.method.keep, Settings::KEEP)?,
        swap: share("swap", plan.method.swap, Settings::SWAP)?,
    })
}

/// Whether promises must hold against an adversary who knows the method.
fn transparent(plan: &Plan) -> Result<bool, Error> {
    let algorithm = algorithm(plan)?;
    let is_asked = plan.method.transparent == Some(true);
    if is_asked && !can_be_transparent(algorithm) {
        return Err(refused(
            format!("`{}` has no transparent mode", algorithm.spec().id),
            message!(
                "choose {}, or {} if nobody who knows the method is expected",
                Setting::Algorithm.to("auto"),
                Setting::Transparent.to("no")
            ),
        ));
    }
    Ok(is_asked)
}

/// The weight of each quasi-identifier.
pub(crate) fn weights(plan: &Plan, dataset: &Dataset) -> Vec<f64> {
    let weight = |attribute: &&Attribute| {
        plan.attributes.get(attribute.name()).and_then(|a| a.full().weight).unwrap_or(1.0)
    };
    dataset.quasi().iter().map(weight).collect()
}

/// Whether quasi-identifiers count differently in the loss that is kept small.
pub(crate) fn is_weighted(plan: &Plan, dataset: &Dataset) -> bool {
    weights(plan, dataset).array_windows().any(|[a, b]| a.total_cmp(b).is_ne())
}

/// A share or factor of the plan that must be above 0.
fn share(name: &'static str, given: Option<f64>, default: f64) -> Result<f64, Error> {
    let share = given.unwrap_or(default);
    if share > 0.0 && share.is_finite() {
        return Ok(share);
    }
    Err(refused(
        format!("`{name}` must be a number above 0, but is {share}"),
        format!("leave it out for {default}"),
    ))
}

/// The seed of everything random that hides nothing.
pub(crate) fn seed(plan: &Plan) -> u64 {
    plan.method.seed.unwrap_or(7)
}

/// The values that the goal calls highly sensitive.
pub(crate) fn high(plan: &Plan, dataset: &Dataset) -> Option<High> {
    let asked =
        plan.goal.sensitivity_classes.as_ref().and_then(|all| OneOrMore::iter(all).next())?;
    let sensitive = dataset.sensitive();
    let attribute = sensitive.iter().position(|a| a.name() == asked.attribute)?;
    let found =
        high_codes(sensitive[attribute], &asked.high, asked.low.as_deref(), &mut Vec::new());
    // Values in both lists are refused with the goal.
    Some(High { attribute, codes: found.ok()? })
}
