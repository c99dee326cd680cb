//! The goal of a plan for records inside records: what its classes must keep.

use kohort_core::{Command, Ratio, Role, Setting, VertexKind, message};
use kohort_models::nested::OccurrenceRule;
use kohort_nested::NestedModel;

use super::Described;
use super::models::PathPromise;
use crate::Error;
use crate::error::refused;
use crate::error::suggestion;
use crate::goal::{FrequencyLDiversity, Principle, principles};
use crate::plan::{AttributePlan, Plan, RulePlan, exact};

/// What a nested release must keep, by path.
#[derive(Clone, Debug)]
pub(crate) struct NestedGoal {
    /// The smallest class; 1 where nothing is asked.
    pub(crate) k: u32,
    /// Sensitive attributes of which no value may be had by more than one in this many.
    pub(crate) l: Vec<(String, u32)>,
    /// What else the values of paths must keep.
    pub(crate) models: Vec<PathPromise>,
    /// The values that nobody may be known to have often.
    pub(crate) rules: Vec<RulePlan>,
    /// The share of people who may be left out.
    pub(crate) suppression: Ratio,
}

impl NestedGoal {
    /// Whether it promises something about sensitive values.
    pub(crate) fn is_about_values(&self) -> bool {
        self.l.iter().any(|&(_, l)| l > 1) || !self.models.is_empty() || !self.rules.is_empty()
    }

    /// The goal of a plan. One that records inside records cannot keep, and an empty one, are refused.
    pub(crate) fn new(plan: &Plan) -> Result<Self, Error> {
        check_settings(plan)?;
        let sensitive = sensitive(plan);
        let (mut k, mut l): (u32, Vec<(String, u32)>) = (1, Vec::new());
        let mut models: Vec<PathPromise> = Vec::new();
        for principle in principles(&plan.goal)? {
            match &principle {
                Principle::KAnonymity(asked) => k = k.max(small("k-anonymity", asked.k)?),
                Principle::FrequencyLDiversity(FrequencyLDiversity { l: asked, attribute }) => {
                    let asked = whole(*asked)?;
                    let attribute = attribute.as_deref();
                    let paths = asked_of(principle.id(), attribute, &sensitive)?;
                    l.extend(paths.into_iter().map(|path| (path.clone(), asked)));
                }
                other => {
                    // What has no meaning here is refused before what it is asked of.
                    PathPromise::new(other, other.attribute().unwrap_or("value"))?;
                    for path in asked_of(other.id(), other.attribute(), &sensitive)? {
                        let promise = PathPromise::new(other, path)?;
                        k = k.max(small(other.id(), promise.k())?);
                        models.push(promise);
                    }
                }
            }
        }
        for rule in &plan.rules {
            match &rule.attribute {
                Some(path) => check_sensitive("rules", path, &sensitive)?,
                None if sensitive.is_empty() => return Err(no_sensitive("rules")),
                None => {}
            }
        }
        if k == 1 && l.is_empty() && models.is_empty() && plan.rules.is_empty() {
            return Err(refused(
                "nothing is promised: the goal is empty",
                message!("ask for something, such as {}", Setting::FrequencyL.to(2).or_in_plan()),
            ));
        }
        let suppression = exact("suppression", plan.goal.suppression.unwrap_or(0.0))?;
        Ok(Self { k, l, models, rules: plan.rules.clone(), suppression })
    }

    /// How many of this many records may be left out.
    pub(super) fn may_leave_out(&self, n_records: usize) -> usize {
        let (num, den) = (u128::from(self.suppression.num()), u128::from(self.suppression.den()));
        usize::try_from(n_records as u128 * num / den).unwrap_or(n_records)
    }

    /// What is asked of the sensitive attribute of each kind; 1 where nothing is.
    ///
    /// Where missing values say nothing, shares are of the values that are there, and no algorithm makes
    /// classes by these: that is refused.
    pub(super) fn l_of_kinds(&self, described: &Described) -> Result<Vec<u32>, Error> {
        let of = |path: &str| self.l.iter().filter(|(of, _)| of == path).map(|&(_, l)| l).max();
        let of_kind = |kind: &VertexKind| {
            let Some(attribute) = &kind.sensitive else { return Ok(1) };
            let l = of(attribute.name()).unwrap_or(1);
            let is_open = l > 1 && attribute.silent().is_some();
            if is_open { Err(missing_undecided(attribute.name())) } else { Ok(l) }
        };
        described.forest().kinds().iter().map(of_kind).collect()
    }

    /// What else the values of each kind must keep.
    pub(super) fn models_of_kinds(&self, described: &Described) -> Result<Vec<NestedModel>, Error> {
        let mut models = Vec::new();
        for promise in &self.models {
            models.extend(promise.models(described)?);
        }
        Ok(models)
    }

    /// The rules, over codes.
    pub(super) fn occurrence_rules(
        &self,
        described: &Described,
    ) -> Result<Vec<OccurrenceRule>, Error> {
        let rule = |rule: &RulePlan| {
            let code = |kind: &VertexKind| {
                let is_about = |name: &str| rule.attribute.as_ref().is_none_or(|a| a == name);
                let attribute = kind.sensitive.as_ref().filter(|a| is_about(a.name()))?;
                attribute.code_of(&rule.value)
            };
            let codes = described.forest().kinds().iter().map(code).collect();
            Ok(OccurrenceRule::new(codes, at_least(rule), rule.probability.ratio())?)
        };
        self.rules.iter().map(rule).collect()
    }
}

/// The disclosing number of occurrences. What no tree has is as good as a larger number.
pub(super) fn at_least(rule: &RulePlan) -> u32 {
    u32::try_from(rule.at_least).unwrap_or(u32::MAX)
}

/// The paths of the sensitive attributes, sorted.
fn sensitive(plan: &Plan) -> Vec<String> {
    let is_sensitive =
        |attribute: &AttributePlan| Role::from(attribute.full().role) == Role::Sensitive;
    let found = plan.attributes.iter().filter(|(_, attribute)| is_sensitive(attribute));
    found.map(|(path, _)| path.clone()).collect()
}

fn small(name: &str, number: u64) -> Result<u32, Error> {
    u32::try_from(number).map_err(|_| {
        refused(format!("`{name}` is {number}, which no data can keep"), "ask for less")
    })
}

fn whole(l: Ratio) -> Result<u32, Error> {
    if l.den() == 1 {
        return small("frequency-l-diversity", l.num());
    }
    Err(refused(
        format!("`l` must be a whole number for nested records, but is {}", l.value()),
        "ask for the next larger one",
    ))
}

/// The sensitive paths that a principle is asked of.
fn asked_of<'a>(
    id: &str,
    attribute: Option<&'a str>,
    sensitive: &'a [String],
) -> Result<Vec<&'a String>, Error> {
    if let Some(path) = attribute {
        check_sensitive(id, path, sensitive)?;
    } else if sensitive.is_empty() {
        return Err(no_sensitive(id));
    }
    let is_asked = |path: &&String| attribute.is_none_or(|asked| asked == path.as_str());
    Ok(sensitive.iter().filter(is_asked).collect())
}

fn check_sensitive(goal: &str, path: &str, sensitive: &[String]) -> Result<(), Error> {
    if sensitive.iter().any(|known| known == path) {
        return Ok(());
    }
    let likely = kohort_core::nearest(path, sensitive.iter().map(String::as_str));
    Err(refused(
        format!(
            "`{goal}` names `{path}`, which is not a sensitive attribute{}",
            suggestion(likely)
        ),
        "give the path the role \"sensitive\" in `[attributes]`",
    ))
}

fn no_sensitive(goal: &str) -> Error {
    refused(
        format!("`{goal}` is about sensitive attributes, and there is none"),
        "name the paths nobody may learn, such as `\"visits[].diagnosis\" = \"sensitive\"`",
    )
}

/// That nobody said whether missing values are values.
pub(super) fn missing_undecided(path: &str) -> Error {
    refused(
        format!(
            "`{path}` has missing values, and diversity of nested records is made only where \
             these count as a value"
        ),
        format!(
            "say `missing = \"value\"` of `{path}` in the plan's `[attributes]` if it may be \
             known who has none, or ask for diversity of other paths"
        ),
    )
}

/// Refuses settings that mean something for tables only.
fn check_settings(plan: &Plan) -> Result<(), Error> {
    let (method, output) = (&plan.method, &plan.output);
    let has_weight = plan.attributes.values().any(|attribute| attribute.full().weight.is_some());
    let given = [
        ("weight", has_weight),
        ("metric", method.metric.as_deref().is_some_and(|metric| metric != "lm")),
        ("form", method.form.is_some()),
        ("suppressed", output.suppressed.is_some()),
        ("anatomy", output.anatomy.is_some()),
    ];
    let given = given.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name);
    let Some(name) = given.chain(method.parameters()).next() else { return Ok(()) };
    Err(refused(
        format!("`{name}` has no meaning for nested records"),
        message!("leave it out; the algorithm decides the form: {}", Command::ListAlgorithms),
    ))
}
