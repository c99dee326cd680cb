//! The parameters that a plan gives: those that the method lacks, and those that it does not use.

use kohort_core::{Ask, Message, Setting, message};
use std::fmt::Write;

use kohort_series::{Changed, Choice, needed, refusal, users};

use crate::Error;
use crate::error::refused;
use crate::plan::{SeriesPlan, SurplusName};

/// A parameter: its value in a plan, as a text, and an example of it. The methods declare which they use.
struct Parameter {
    name: &'static str,
    setting: Setting,
    example: &'static str,
    value: fn(&SeriesPlan) -> Option<String>,
}

const fn parameter(
    name: &'static str,
    setting: Setting,
    example: &'static str,
    value: fn(&SeriesPlan) -> Option<String>,
) -> Parameter {
    Parameter { name, setting, example, value }
}

impl Parameter {
    fn methods(&self) -> Vec<&'static str> {
        users(self.name)
    }

    fn is_of(&self, method: &str) -> bool {
        self.methods().contains(&method)
    }
}

/// All but the correlations, which count in the highest belief whatever the method.
const PARAMETERS: [Parameter; 10] = [
    parameter("m", Setting::SeriesM, "3", |plan| text(plan.m)),
    parameter("e", Setting::SeriesE, "2", |plan| text(plan.e)),
    parameter("k", Setting::SeriesK, "3", |plan| text(plan.k)),
    parameter("l", Setting::SeriesL, "3", |plan| text(plan.l)),
    parameter("rho", Setting::Rho, "0.5", |plan| text(plan.rho)),
    parameter("horizon", Setting::Horizon, "4", |plan| text(plan.horizon)),
    parameter("confidence", Setting::Confidence, "0.5", |plan| text(plan.confidence)),
    parameter("surplus", Setting::Surplus, "hold-back", |plan| {
        plan.surplus.map(|surplus| match surplus {
            SurplusName::HoldBack => "hold-back".to_owned(),
            SurplusName::Counterfeits => "counterfeits".to_owned(),
        })
    }),
    parameter("slack", Setting::Slack, "0.2", |plan| text(plan.slack)),
    parameter("most-counterfeits", Setting::MostCounterfeits, "1", |plan| {
        text(plan.most_counterfeits)
    }),
];

fn text(value: Option<impl ToString>) -> Option<String> {
    value.map(|value| value.to_string())
}

/// The parameters of a method that a plan gives, as a text.
pub(super) fn parameters(plan: &SeriesPlan, method: &str) -> String {
    let own = PARAMETERS.iter().filter(|parameter| parameter.is_of(method));
    let given = own.filter_map(|own| Some(format!("{} = {}", own.name, (own.value)(plan)?)));
    given.collect::<Vec<_>>().join(", ")
}

fn all_given(plan: &SeriesPlan) -> impl Iterator<Item = &'static Parameter> {
    PARAMETERS.iter().filter(|parameter| (parameter.value)(plan).is_some())
}

/// The names of the parameters that a plan gives.
pub(super) fn given(plan: &SeriesPlan) -> Vec<&'static str> {
    all_given(plan).map(|parameter| parameter.name).collect()
}

/// The setting of a parameter.
pub(super) fn setting(name: &str) -> Setting {
    let found = PARAMETERS.iter().find(|parameter| parameter.name == name);
    found.map_or(Setting::Method, |parameter| parameter.setting)
}

/// What to know where a plan gives what the method does not use.
pub(super) fn unused(plan: &SeriesPlan, method: &str) -> Option<String> {
    let of = |parameter: &Parameter| {
        format!("`{}` (a parameter of {})", parameter.name, quoted(&parameter.methods()))
    };
    let unused: Vec<String> =
        all_given(plan).filter(|parameter| !parameter.is_of(method)).map(of).collect();
    (!unused.is_empty())
        .then(|| format!("given, and not used by `{method}`: {}", unused.join(", ")))
}

/// Refuses a plan that does not give what the method cannot do without: says which method it is, why, and what
/// to add.
pub(super) fn require(plan: &SeriesPlan, choice: &Choice, changed: &Changed) -> Result<(), Error> {
    let Choice { method, why } = *choice;
    let is_missing = |parameter: &&Parameter| {
        needed(method).contains(&parameter.name) && (parameter.value)(plan).is_none()
    };
    let missing: Vec<&Parameter> = PARAMETERS.iter().filter(is_missing).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = missing.iter().map(|parameter| parameter.name).collect();
    let are = if names.len() == 1 { "is" } else { "are" };
    let mut problem = format!("`{method}` needs {}, which {are} not given", quoted(&names));
    if plan.method.as_deref().is_none_or(|method| method == "auto") {
        let _ = write!(problem, "; it was picked because {why}");
        let so_far = changed.method_so_far.filter(|so_far| *so_far != method);
        if let Some((so_far, not)) = so_far.and_then(|it| Some((it, refusal(it, changed)?))) {
            let _ = write!(problem, ", and not `{so_far}` as before: {not}");
        }
    }
    let asks = missing.iter().map(|parameter| parameter.setting.to(parameter.example));
    let ask = asks.reduce(Ask::and).unwrap_or_default().or_in_plan();
    Err(refused(problem, message!("say {ask}{}", instead(plan, method, changed))))
}

/// What is given is for other methods: which, and whether they apply.
fn instead(plan: &SeriesPlan, method: &str, changed: &Changed) -> Message {
    let mut told: Vec<&str> = Vec::new();
    let mut text = Message::default();
    for parameter in all_given(plan) {
        let (name, methods) = (parameter.name, parameter.methods());
        let other = methods[0];
        let is_of_choice = methods.contains(&method) || name == "surplus";
        if is_of_choice || told.contains(&other) {
            continue;
        }
        told.push(other);
        text = if let Some(not) = refusal(other, changed) {
            message!("{text}; `{name}` is for `{other}`, which does not apply: {not}")
        } else {
            let takes = Setting::Method.to(other);
            message!("{text}; `{name}` is for `{other}`, which {takes} takes")
        };
    }
    text
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ")
}

#[cfg(test)]
mod tests {
    use kohort_core::Surface;
    use kohort_series::SERIES_METHODS;

    use super::*;

    #[test]
    fn every_method_uses_what_it_needs_and_every_parameter_is_of_a_method() {
        for spec in SERIES_METHODS {
            let used = PARAMETERS.iter().filter(|parameter| parameter.is_of(spec.id));
            let used: Vec<&str> = used.map(|parameter| parameter.name).collect();
            assert!(!needed(spec.id).is_empty(), "{}", spec.id);
            assert!(needed(spec.id).iter().all(|name| used.contains(name)), "{}", spec.id);
        }
        let is_method = |id: &&str| SERIES_METHODS.iter().any(|spec| spec.id == *id);
        assert!(PARAMETERS.iter().all(|parameter| parameter.methods().iter().all(&is_method)));
        // What a method declares is in a plan.
        let is_parameter = |name: &&str| PARAMETERS.iter().any(|parameter| parameter.name == *name);
        let declared = kohort_series::SERIES_KINDS.iter();
        assert!(declared.flat_map(|kind| kind.needs.iter().chain(kind.takes)).all(is_parameter));
        assert!(PARAMETERS.iter().all(|parameter| !parameter.methods().is_empty()));
    }

    #[test]
    fn what_is_missing_says_which_method_why_and_what_to_add() {
        let plan = SeriesPlan { m: Some(2), ..SeriesPlan::default() };
        let changed =
            Changed { updated: 1, method_so_far: Some("m-invariance"), ..Changed::default() };
        let choice = kohort_series::choose(&changed, &given(&plan));
        let error = require(&plan, &choice, &changed).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`global-guarantee` needs `l` and `horizon`, which are not given; it was picked \
             because sensitive values changed, and it is not known how they follow one another, \
             and not `m-invariance` as before: it is for values that do not change: here \
             sensitive values did"
        );
        assert_eq!(
            error.hint().map(|hint| hint.on(Surface::CommandLine)).as_deref(),
            Some(
                "say `--l 3 --horizon 4`, or `l = 3` and `horizon = 4` in the plan's `[series]`; `m` is for \
                 `m-invariance`, which does not apply: it is for values that do not change: here sensitive \
                 values did"
            )
        );
        let named = SeriesPlan { method: Some("m-invariance".into()), ..SeriesPlan::default() };
        let choice = Choice { method: "m-invariance", why: "it was asked for" };
        let error = require(&named, &choice, &Changed::default()).unwrap_err();
        assert_eq!(error.to_string(), "`m-invariance` needs `m`, which is not given");
        assert!(require(&plan, &choice, &Changed::default()).is_ok());
    }
}
