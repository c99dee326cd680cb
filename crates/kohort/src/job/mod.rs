//! A plan, resolved: what a person typed is looked up once, and everything downstream takes what was found.
//!
//! [`Roles`] is what columns are, [`Terms`] adds what a release is judged by, [`Job`] what it is made by, and
//! [`Task`] the table that it is made of.

mod mode;
mod roles;
mod task;
mod terms;

use std::time::Duration;

use kohort_algorithms::{ALGORITHMS, Algorithm, Metric, Settings, algorithm as by_id};
use kohort_core::{Command, Setting, message, nearest};
use kohort_models::CellMetric;

use self::mode::check_transparent;
pub(crate) use self::mode::{Mode, no_mode, no_transparent_mode};
pub(crate) use self::roles::Roles;
pub(crate) use self::task::{Task, weights};
pub(crate) use self::terms::Terms;
pub use self::terms::{is_anatomized, is_of_series};
use crate::Error;
use crate::error::refused;
use crate::error::suggestion;
use crate::plan::{AnatomyName, FormName, Method, Plan};

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

/// What a release is to be made by: the terms of a plan, its algorithm, and how that is to work.
#[derive(Clone)]
pub(crate) struct Job {
    /// What the release is judged by.
    pub(crate) terms: Terms,
    /// The algorithm.
    pub(crate) algorithm: &'static dyn Algorithm,
    /// Whether the plan leaves the choice of the algorithm to us.
    pub(crate) is_auto: bool,
    /// The id of the loss to keep small.
    pub(crate) metric_id: &'static str,
    /// Whether the plan asks for it.
    pub(crate) names_metric: bool,
    /// The loss to keep small.
    pub(crate) metric: Metric,
    /// The form that is asked for.
    pub(crate) form: Option<FormName>,
    /// How an anatomized release is written, where the plan says so.
    pub(crate) anatomy: Option<AnatomyName>,
    /// The seed of everything random that hides nothing.
    pub(crate) seed: u64,
    /// How long to search.
    pub(crate) budget: Option<Duration>,
    // The parameters of algorithms, each checked.
    method: Method,
}

impl Job {
    /// What a plan asks for.
    pub(crate) fn new(plan: &Plan) -> Result<Self, Error> {
        let algorithm = algorithm(plan)?;
        let (metric_id, metric) = metric(&plan.method)?;
        check_parameters(&plan.method)?;
        check_transparent(&plan.method, algorithm)?;
        Ok(Self {
            terms: Terms::new(plan)?,
            algorithm,
            is_auto: plan.method.algorithm.as_deref().is_none_or(|id| id == "auto"),
            metric_id,
            names_metric: plan.method.metric.is_some(),
            metric,
            form: plan.method.form,
            anatomy: plan.output.anatomy,
            seed: plan.method.seed(),
            budget: plan.method.budget()?,
            method: plan.method.clone(),
        })
    }

    /// The parameters of algorithms that the plan sets, by name.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = &'static str> {
        self.method.parameters()
    }
}

/// The algorithm that a plan names. What is promised to the people of a public table is kept by recoding
/// the whole domain: `auto` is the best of that kind then.
fn algorithm(plan: &Plan) -> Result<&'static dyn Algorithm, Error> {
    let id = plan.method.algorithm.as_deref().unwrap_or("auto");
    let found = by_id(id).ok_or_else(|| unknown(id))?;
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

/// That there is no algorithm with this id for a table.
pub(crate) fn unknown(id: &str) -> Error {
    let problem = if kohort_nested::nested_algorithm(id).is_some() {
        format!("`{id}` is for nested records, and the input is one table")
    } else {
        let likely = suggestion(nearest(id, ALGORITHMS.iter().map(|a| a.spec().id)));
        format!("there is no algorithm `{id}`{likely}")
    };
    refused(problem, message!("{} lists them", Command::ListAlgorithms))
}

/// The metric that a method asks for, also by the name that its figure has in JSON: `c_avg`.
pub(crate) fn metric(method: &Method) -> Result<(&'static str, Metric), Error> {
    let id = method.metric.as_deref().unwrap_or("ncp");
    let found = METRICS.iter().find(|(name, _)| *name == id || name.replace('-', "_") == id);
    found.copied().ok_or_else(|| {
        let likely = suggestion(nearest(id, METRICS.iter().map(|(name, _)| *name)));
        refused(
            format!(
                "`metric` must be ncp, lm, byun-il, dm, c-avg, prec, whd, whd-beta, kl or kl-attribute, but \
                 is `{id}`{likely}"
            ),
            message!("{} says what each means", Command::ListMetrics),
        )
    })
}

/// Refuses parameters out of their range.
fn check_parameters(method: &Method) -> Result<(), Error> {
    let tau = method.tau.unwrap_or(0.0);
    if !(tau >= 0.0 && tau.is_finite()) {
        return Err(refused(
            format!("`tau` must be a number of at least 0, but is {tau}"),
            "leave it out for 0",
        ));
    }
    let shares = [
        ("noise", method.noise, Settings::NOISE),
        ("keep", method.keep, Settings::KEEP),
        ("swap", method.swap, Settings::SWAP),
    ];
    for (name, given, default) in shares {
        let share = given.unwrap_or(default);
        if !(share > 0.0 && share.is_finite()) {
            return Err(refused(
                format!("`{name}` must be a number above 0, but is {share}"),
                format!("leave it out for {default}"),
            ));
        }
    }
    Ok(())
}
