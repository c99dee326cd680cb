//! What a release is judged by: the promises of a plan, and the form that its release has.

use kohort_algorithms::{Facts, High};
use kohort_core::{Dataset, Ratio};
use kohort_verify::Shows;

use super::Roles;
use crate::Error;
use crate::error::refused;
use crate::goal::{Principle, principles};
use crate::permit::AllowUnsafe;
use crate::plan::{CenterName, FormName, Goal, Plan, SeriesPlan, SuppressedName, exact};

/// The promises of a plan and the form of its release. Anybody's release can be judged by them, so an algorithm
/// that nobody here knows is no error.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    /// What columns are.
    pub(crate) roles: Roles,
    /// What is promised.
    pub(crate) principles: Vec<Principle>,
    /// Whether delta-presence is among it.
    pub(crate) has_presence: bool,
    /// The share of the rows that may be dropped.
    pub(crate) suppression: Ratio,
    /// The promise about a public table, and the file.
    pub(crate) public: Option<(&'static str, String)>,
    /// The algorithm that the plan names.
    pub(crate) algorithm: Option<String>,
    /// What is to be known of it; plain where it is not known.
    pub(crate) facts: Facts,
    /// Whether sensitive values are published by group.
    pub(crate) is_anatomized: bool,
    /// What a series promises.
    pub(crate) series: SeriesPlan,
    /// What the release must have to do with the original.
    pub(crate) shows: Shows,
    /// What becomes of suppressed rows.
    pub(crate) suppressed: SuppressedName,
    /// Whether a release that breaks a promise may be published.
    pub(crate) allow_unsafe: AllowUnsafe,
    /// Whether promises about sensitive values are to hold against an adversary who knows the method, where the plan
    /// says so.
    pub(crate) transparent: Option<bool>,
}

impl Terms {
    /// The terms of a plan.
    pub(crate) fn new(plan: &Plan) -> Result<Self, Error> {
        let (method, facts) = (&plan.method, facts(plan));
        let center = Shows::Centers { is_mean: method.center != Some(CenterName::Median) };
        Ok(Self {
            roles: Roles::new(plan),
            principles: principles(&plan.goal)?,
            has_presence: plan.goal.delta_presence.is_some(),
            suppression: exact("suppression", plan.goal.suppression.unwrap_or(0.0))?,
            public: public(plan)?,
            algorithm: method.algorithm.clone(),
            facts,
            is_anatomized: is_anatomized(plan),
            series: plan.series.clone(),
            shows: match (facts.is_truthful, facts.is_averaged) {
                (true, _) => Shows::Rows,
                (false, true) => center,
                (false, false) => Shows::Anything,
            },
            suppressed: plan.output.suppressed.unwrap_or(SuppressedName::Drop),
            allow_unsafe: AllowUnsafe::of(plan),
            transparent: method.transparent,
        })
    }

    /// Whether suppressed rows stay and show nothing: `*` in every column.
    pub(crate) fn keeps_blank_rows(&self) -> bool {
        self.suppressed == SuppressedName::Keep
    }

    /// Whether suppressed rows stay with their sensitive and insensitive values: they are a class, with `*`
    /// for every quasi-identifier.
    pub(crate) fn keeps_values(&self) -> bool {
        self.suppressed == SuppressedName::KeepValues
    }

    /// Whether suppressed rows are a class that keeps the goal: they show values, or are counted as members. An
    /// anatomized release shows quasi-identifiers as they are: nothing is suppressed there where rows stay.
    pub(crate) fn suppressed_are_a_class(&self) -> bool {
        let are_counted = self.has_presence || self.is_anatomized;
        self.keeps_values() || self.keeps_blank_rows() && are_counted
    }

    /// Whether a method makes values up and keeps no goal for everybody.
    pub(crate) fn is_made_up(&self) -> bool {
        !self.facts.is_truthful && !self.facts.is_safe
    }

    /// The k of k-anonymity, where it is promised.
    pub(crate) fn k(&self) -> Option<u64> {
        self.principles.iter().find_map(|one| match one {
            Principle::KAnonymity(one) => Some(one.k),
            _ => None,
        })
    }

    /// The values of a dataset that the goal calls highly sensitive.
    pub(crate) fn high(&self, dataset: &Dataset) -> Option<High> {
        let classes = self.principles.iter().find_map(|one| match one {
            Principle::SensitivityClasses(one) => Some(one),
            _ => None,
        })?;
        let sensitive = dataset.sensitive();
        let attribute = sensitive.iter().position(|a| a.name() == classes.attribute)?;
        // Values in both lists are refused with the goal.
        let codes = classes.codes(sensitive[attribute], &mut Vec::new()).ok()?;
        Some(High { attribute, codes })
    }
}

/// Whether a plan promises something of a series, and nothing else.
pub fn is_of_series(plan: &Plan) -> bool {
    let series = &plan.series;
    let numbers = [series.m, series.e, series.k, series.l];
    let has_promise = numbers.iter().any(Option::is_some)
        || [series.rho, series.confidence].iter().any(Option::is_some);
    has_promise && plan.goal == Goal::default()
}

/// Whether the release of a plan publishes its sensitive values by group.
pub fn is_anatomized(plan: &Plan) -> bool {
    let form = plan.method.form;
    form.map_or_else(|| facts(plan).is_anatomized, |form| form == FormName::Anatomized)
}

/// What is to be known of the algorithm of a plan; plain where it names none.
fn facts(plan: &Plan) -> Facts {
    let asked = plan.method.algorithm.as_deref().and_then(kohort_algorithms::algorithm);
    asked.map_or(Facts::PLAIN, kohort_algorithms::Algorithm::facts)
}

/// The promise that is about a public table, and the file.
fn public(plan: &Plan) -> Result<Option<(&'static str, String)>, Error> {
    let presence = plan.goal.delta_presence.as_ref().map(|asked| asked.public.clone());
    let k_map = plan.goal.k_map.as_ref().and_then(|asked| asked.public.clone());
    match (presence, k_map) {
        (Some(presence), Some(k_map)) if presence != k_map => Err(refused(
            "`delta-presence` and `k-map` name two public tables",
            "name one table of the population for both",
        )),
        (Some(file), _) => Ok(Some(("delta-presence", file))),
        (None, file) => Ok(file.map(|file| ("k-map", file))),
    }
}
