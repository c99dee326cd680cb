//! A nested release against a plan: what is claimed comes from the plan, what is found from the files.

use std::collections::BTreeSet;

use kohort_core::{Buckets, Forest, Message, Nested, Ratio, Role, Values, message};
use kohort_nested::NestedForm;
use kohort_verify::nested::{
    CutValues, ModelFinding, NestedClaims, NestedFindings, NestedOriginal, NestedReason,
    NestedRejected, NestedRelease, NestedRule, NestedVerified, PathRole,
};

use super::goal::at_least;
use super::job::NestedTerms;
use super::models::PathPromise;
use super::schema::Schema;
use crate::Error;
use crate::error::refused;
use crate::job::Roles;
use crate::load::missing_as;
use crate::plan::{FullAttribute, RulePlan};
use crate::release::rounded_up;
use crate::wording::{count, percent};

/// What the judge says about a nested release.
pub(super) struct Judgement {
    /// The verdict itself.
    pub(super) verdict: Result<NestedVerified, NestedRejected>,
    /// What was claimed.
    pub(super) claims: NestedClaims,
}

impl Judgement {
    /// What was found out, whatever the verdict.
    pub(super) fn findings(&self) -> &NestedFindings {
        match &self.verdict {
            Ok(verified) => verified.findings(),
            Err(rejected) => rejected.findings(),
        }
    }

    /// Why the release was rejected, in sentences without a closing stop.
    pub(super) fn reasons(&self) -> Vec<String> {
        let reasons = self.verdict.as_ref().map_or_else(NestedRejected::reasons, |_| &[]);
        reasons.iter().map(sentence).collect()
    }

    /// Whether all that is wrong with the release is what is learned from what is missing.
    pub(super) fn is_unsafe_by_what_is_cut(&self) -> bool {
        let reasons = self.verdict.as_ref().map_or_else(NestedRejected::reasons, |_| &[]);
        reasons.iter().all(|reason| matches!(reason, NestedReason::Cut { .. }))
    }

    /// The share of records that the release leaves out, rounded up to a percent, where the plan allows less.
    pub(super) fn suppressed(&self) -> Option<f64> {
        let reasons = self.verdict.as_ref().map_or_else(NestedRejected::reasons, |_| &[]);
        let share = reasons.iter().find_map(|reason| match reason {
            NestedReason::Suppression { share, .. } => Some(share),
            _ => None,
        })?;
        Some(rounded_up(*share))
    }

    /// A note about the sensitive attributes of which the release has no value, if there are any.
    pub(super) fn without_values(&self) -> Option<Message> {
        let has_values = |path: &str| {
            let mut found = self.findings().sensitive.iter();
            found.any(|found| found.path == path && found.n_values > 0)
        };
        let roles = self.claims.roles.iter();
        let sensitive = roles.filter(|entry| entry.role == Role::Sensitive);
        let paths: Vec<&str> = sensitive.map(|entry| &*entry.path).collect();
        let bare: Vec<&str> = paths.iter().copied().filter(|path| !has_values(path)).collect();
        if bare.is_empty() {
            return None;
        }
        Some(if bare.len() == paths.len() {
            "no sensitive value is left in the release".into()
        } else {
            message!("no value of `{}` is left in the release", bare.join("`, `"))
        })
    }
}

/// The files of a release, as they were read.
pub(super) struct Files {
    /// The trees of people.
    pub(super) trees: Nested,
    /// The sensitive values, where they are published apart.
    pub(super) values: Option<Nested>,
}

impl Files {
    /// The release that the files are in a form.
    pub(super) fn release(&self, form: NestedForm) -> NestedRelease<'_> {
        match (form, &self.values) {
            (NestedForm::TreeAnatomy, Some(sensitive)) => {
                NestedRelease::TreeAnatomy { quasi: &self.trees, sensitive }
            }
            (NestedForm::VertexAnatomy, Some(sensitive)) => {
                NestedRelease::VertexAnatomy { quasi: &self.trees, sensitive }
            }
            _ => NestedRelease::Generalized(&self.trees),
        }
    }
}

/// Judges a release by the promises of a plan.
pub(super) fn judge(
    terms: &NestedTerms,
    files: &Files,
    form: NestedForm,
    original: Option<NestedOriginal<'_>>,
) -> Result<Judgement, Error> {
    let claims = claims(terms, original.map(|original| original.forest))?;
    let verdict = kohort_verify::nested::verify(files.release(form), &claims, original)?;
    Ok(Judgement { verdict, claims })
}

/// What a plan claims about its release; buckets are those of the original, where it is there.
pub(super) fn claims(
    terms: &NestedTerms,
    original: Option<&Forest>,
) -> Result<NestedClaims, Error> {
    let goal = terms.goal.clone();
    let rule = |rule: &RulePlan| NestedRule {
        attribute: rule.attribute.clone(),
        value: rule.value.clone(),
        at_least: at_least(rule),
        probability: rule.probability.ratio(),
    };
    Ok(NestedClaims {
        roles: roles(&terms.schema.roles, original)?,
        k: goal.k,
        l: goal.l,
        models: goal.models.iter().map(PathPromise::claim).collect(),
        rules: goal.rules.iter().map(rule).collect(),
        suppression: goal.suppression,
    })
}

/// The role of each path.
fn roles(roles: &Roles, original: Option<&Forest>) -> Result<Vec<PathRole>, Error> {
    let role = |(path, full): (&String, &FullAttribute)| {
        let role = Role::from(full.role);
        // Generalized quasi-identifiers are no longer of their type.
        let value_type = full.value_type.filter(|_| role == Role::Sensitive).map(Into::into);
        let buckets = buckets(path, full, original)?;
        let odd_values = odd_values(path, original);
        let missing_as = missing_as(full);
        let path = path.clone();
        Ok::<_, Error>(PathRole { path, role, value_type, buckets, missing_as, odd_values })
    };
    roles.iter().map(role).collect()
}

/// The values of the original that look like several in one cell.
fn odd_values(path: &str, original: Option<&Forest>) -> BTreeSet<String> {
    let kinds = original.into_iter().flat_map(Forest::kinds);
    let attributes = kinds.filter_map(|kind| kind.sensitive.as_ref());
    let of_path = attributes.filter(|attribute| attribute.name() == path);
    let texts = of_path.filter_map(|attribute| match attribute.exact().values() {
        Values::Text(texts) => Some(texts),
        _ => None,
    });
    let is_odd = |text: &&String| text.contains('*') || text.starts_with('{');
    texts.flatten().filter(is_odd).cloned().collect()
}

/// The buckets of a path. Quantiles, and levels of a taxonomy, are those of the original.
fn buckets(
    path: &str,
    full: &FullAttribute,
    original: Option<&Forest>,
) -> Result<Option<Buckets>, Error> {
    let Some(asked) = &full.buckets else { return Ok(None) };
    let kinds = original.into_iter().flat_map(Forest::kinds);
    let mut attributes = kinds.filter_map(|kind| kind.sensitive.as_ref());
    let of_original = attributes.find(|attribute| attribute.name() == path);
    let of_original = of_original.and_then(|attribute| attribute.buckets().cloned());
    let found = of_original.or_else(|| asked.of_numbers());
    found.map(Some).ok_or_else(|| {
        refused(
            format!("the buckets of `{path}` depend on the original, which was not given"),
            "give the original, or say in the plan where buckets start with `cuts`",
        )
    })
}

/// Where a promise about the values of a path fails.
fn broken(id: &str, path: &str, finding: &ModelFinding) -> String {
    let in_places = (finding.broken_orbits > 0)
        .then(|| format!("in {}", count(finding.broken_orbits, "place", "places")));
    let of_cut = finding.broken_cut.map(|values| {
        format!("for the {} not in the release, taken together", count(values, "value", "values"))
    });
    let fails: Vec<String> = in_places.into_iter().chain(of_cut).collect();
    format!("`{id}` of `{path}` fails {}", fails.join(", and "))
}

/// That what is missing in a release tells its values.
fn missing(found: &CutValues) -> String {
    format!(
        "`frequency-l-diversity` of `{}` with l = {} fails for the {} not in the release, taken \
         together: one value fills {} of them, and anybody who sees what is missing from a \
         record learns more than was promised",
        found.path,
        found.expected,
        count(found.values, "value", "values"),
        percent(found.share().value())
    )
}

fn sentence(reason: &NestedReason) -> String {
    match reason {
        NestedReason::Path { path, role: Some(Role::Identifier) } => {
            format!("the identifier `{path}` is in the release")
        }
        NestedReason::Path { path, role: None } => {
            format!("`{path}` has no role in the plan, and is in the release")
        }
        NestedReason::Path { path, role: Some(role) } => {
            format!("`{path}` is {role}, and must not be in that file")
        }
        NestedReason::LeftOut { what } => format!("a file has more than records: {what}"),
        NestedReason::Size { k, expected } => {
            format!(
                "`k-anonymity` fails: only {k} show the same quasi-identifiers, and {expected} \
                 were promised"
            )
        }
        NestedReason::Diversity { path, l, expected } => format!(
            "`frequency-l-diversity` of `{path}` fails: the least l is {}, and {expected} was promised",
            l.value()
        ),
        NestedReason::Cut { found } => missing(found),
        NestedReason::Model { id, path, finding, .. } => broken(id, path, finding),
        NestedReason::Rule { index, finding } => format!(
            "rule {} fails in {}: the probability reaches {}, and {} was promised",
            index + 1,
            count(finding.broken_classes, "class", "classes"),
            finding.reached,
            finding.allowed
        ),
        NestedReason::Alone { groups } => format!(
            "{} of one person, whose values are shown there",
            count(*groups, "group is", "groups are")
        ),
        NestedReason::Groups { broken } => format!(
            "{} without a common structure, or the two files do not agree",
            count(*broken, "group is", "groups are")
        ),
        NestedReason::Suppression { share, allowed } => format!(
            "{} of the records are missing, but `suppression` is {}",
            percent(share.value()),
            percent(allowed.value())
        ),
        NestedReason::Untruthful { records } => format!(
            "{} no record of the original",
            count(*records, "released record covers", "released records cover")
        ),
        NestedReason::Values { values } => count(
            *values,
            "sensitive value does not belong to the people of its group",
            "sensitive values do not belong to the people of their groups",
        ),
        NestedReason::Schema { path } => format!("the original has no `{path}`"),
    }
}

/// The roles without buckets.
fn without_buckets(roles: &Roles) -> Roles {
    roles.iter().fold(roles.clone(), |changed, (path, full)| {
        changed.with(path, FullAttribute { buckets: None, ..full.clone() })
    })
}

/// Whether files are a release of a plan's paths in which nobody stands alone, or in a group alone.
pub(super) fn is_crowded(schema: &Schema, files: &Files, form: NestedForm) -> bool {
    let (k, l, models, rules) = (2, Vec::new(), Vec::new(), Vec::new());
    let Ok(roles) = roles(&without_buckets(&schema.roles), None) else { return false };
    let claims = NestedClaims { roles, k, l, models, rules, suppression: Ratio::whole(0) };
    let is_size = |reason: &NestedReason| matches!(reason, NestedReason::Size { .. });
    match kohort_verify::nested::verify(files.release(form), &claims, None) {
        Ok(Ok(_)) => true,
        // A group of an anatomized release hides whose values are whose, and nobody.
        Ok(Err(rejected)) => {
            form != NestedForm::Generalized && rejected.reasons().iter().all(is_size)
        }
        Err(_) => false,
    }
}
