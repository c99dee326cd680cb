//! The method for what changed: its maker, and the model that judges what it makes.

use kohort_core::{Command, Ratio, Setting, message, nearest};
use kohort_models::series::{
    BcfAnonymity, ClassBox, Correlations, EEquivalence, GlobalGuarantee, MInvariance, RhoDifferent,
    SeriesModel, XyAnonymity, XyLinkability,
};
use kohort_series::{
    BcfMaker, Changed, Choice, Counterfeit, EEquivalentMaker, GlobalMaker, MInvariantMaker,
    NearMInvariantMaker, RhoDifferentMaker, SERIES_METHODS, SeriesMethod, Surplus, XyMaker,
    XyModel, choose, refusal, series_method,
};

use super::parameters::given;
use crate::error::refused;
use crate::error::suggestion;
use crate::job::Terms;
use crate::plan::{SeriesPlan, SurplusName, exact};
use crate::release::No;
use crate::{Error, Stop};

/// What a maker needs of the earlier releases.
pub(super) struct Past<'a> {
    /// How values follow one another.
    pub(super) correlations: Option<&'a Correlations>,
    /// The boxes of earlier classes.
    pub(super) earlier: Vec<Vec<ClassBox>>,
    /// Whether each earlier release shows the same sensitive column.
    pub(super) is_alike: Vec<bool>,
    /// The counterfeits of the last release, and the number of the next.
    pub(super) standing: Vec<Counterfeit>,
    pub(super) next_id: u32,
}

/// The method of a plan for what changed, or why it is not for that.
pub(super) fn chosen(plan: &SeriesPlan, changed: &Changed) -> Result<Choice, Stop> {
    let id = plan.method.as_deref().unwrap_or("auto");
    let goes_on = changed.method_so_far == Some("rho-different") && !changed.has_other_columns;
    if goes_on && !changed.has_correlations && matches!(id, "auto" | "rho-different") {
        return Err(refused(
            "the release before was made with `rho-different`, and no correlations are given",
            message!(
                "name the file with {}; another method is taken only where {} names it",
                Setting::Correlations.to("follows.csv").or_in_plan(),
                Setting::Method
            ),
        )
        .into());
    }
    if id == "auto" {
        return Ok(choose(changed, &given(plan)));
    }
    let id = known(id)?;
    // A first release has no join, and is where a series of other columns begins.
    let begins = changed.method_so_far.is_none() && id.starts_with("xy-");
    match refusal(id, changed).filter(|_| !begins) {
        None => Ok(Choice { method: id, why: "it was asked for, and it is for what changed" }),
        Some(why) => {
            let Choice { method, why: because } = choose(changed, &given(plan));
            Err(No {
                problem: format!("`{id}` does not apply, and nothing was written"),
                causes: vec![why.to_owned()],
                hint: message!("{} takes `{method}`: {because}", Setting::Method.to("auto")),
                ..No::default()
            }
            .into())
        }
    }
}

/// The method whose promise a plan makes, whatever changed; and a note where the plan leaves it open.
pub(super) fn named(
    plan: &SeriesPlan,
    has_other_columns: bool,
) -> Result<(&'static str, Option<String>), Error> {
    let id = plan.method.as_deref().unwrap_or("auto");
    if id != "auto" {
        return Ok((known(id)?, None));
    }
    // As `choose` does, by what the plan tells of what changes.
    let method = if has_other_columns {
        "xy-linkability"
    } else if plan.correlations.is_some() {
        "rho-different"
    } else if plan.m.is_some() && plan.e.is_some() {
        "e-equivalence"
    } else if plan.m.is_some() {
        "m-invariance"
    } else if plan.k.is_some() {
        "bcf-anonymity"
    } else {
        "global-guarantee"
    };
    let note = format!(
        "the plan leaves the method open: `{method}` is judged; name another as `method` in its `[series]`"
    );
    Ok((method, Some(note)))
}

/// A method by its id.
fn known(id: &str) -> Result<&'static str, Error> {
    series_method(id).map(|spec| spec.id).ok_or_else(|| unknown(id))
}

/// That there is no method with this id.
fn unknown(id: &str) -> Error {
    let likely = suggestion(nearest(id, SERIES_METHODS.iter().map(|spec| spec.id)));
    refused(
        format!("there is no method `{id}` for a series{likely}"),
        message!("{} lists them; `auto` looks at what changed", Command::ListMethods),
    )
}

/// The model of what a method promises.
pub(super) fn model(plan: &SeriesPlan, method: &'static str) -> Result<SeriesModel, Error> {
    let whole = |name, value: Option<u32>| value.ok_or_else(|| not_given(method, name, "3"));
    Ok(match method {
        "m-invariance" => SeriesModel::MInvariance(MInvariance::new(whole("m", plan.m)?)?),
        "e-equivalence" => {
            SeriesModel::EEquivalence(EEquivalence::new(whole("m", plan.m)?, whole("e", plan.e)?)?)
        }
        "global-guarantee" => {
            let (l, horizon) = (whole("l", plan.l)?, whole("horizon", plan.horizon)?);
            SeriesModel::Global(GlobalGuarantee::new(l, horizon)?)
        }
        "bcf-anonymity" => SeriesModel::Bcf(BcfAnonymity::new(whole("k", plan.k)?.into())?),
        "xy-anonymity" => SeriesModel::XyAnonymity(XyAnonymity::new(whole("k", plan.k)?)?),
        "xy-linkability" => {
            let confidence = share(method, "confidence", plan.confidence)?;
            SeriesModel::XyLinkability(XyLinkability::new(confidence)?)
        }
        "rho-different" => {
            SeriesModel::RhoDifferent(RhoDifferent::new(share(method, "rho", plan.rho)?)?)
        }
        other => return Err(unknown(other)),
    })
}

/// Whether a plan asks for what loses less against an adversary who does not make the release again.
pub(super) fn is_opaque(terms: &Terms) -> bool {
    terms.transparent == Some(false)
}

/// The maker of a method and the model of what it promises. A plan that asks for the opaque mode gets what loses
/// less, and tells more to somebody who knows the method and makes the release again.
pub(super) fn maker(
    (plan, is_opaque): (&SeriesPlan, bool),
    method: &'static str,
    past: Past<'_>,
) -> Result<(Box<dyn SeriesMethod>, SeriesModel), Error> {
    let surplus = match plan.surplus {
        Some(SurplusName::Counterfeits) => Surplus::Counterfeit,
        Some(SurplusName::HoldBack) | None => Surplus::HoldBack,
    };
    let Past { earlier, is_alike, .. } = past;
    let promised = model(plan, method)?;
    let maker: Box<dyn SeriesMethod> = match promised {
        SeriesModel::MInvariance(model) if is_opaque => {
            Box::new(NearMInvariantMaker { model, surplus })
        }
        SeriesModel::MInvariance(model) => Box::new(MInvariantMaker { model, surplus }),
        SeriesModel::EEquivalence(model) => Box::new(EEquivalentMaker { model, surplus }),
        SeriesModel::Global(model) => Box::new(GlobalMaker { model, surplus }),
        SeriesModel::Bcf(model) => Box::new(BcfMaker { model, earlier }),
        SeriesModel::XyAnonymity(model) => {
            Box::new(XyMaker { model: XyModel::Anonymity(model), is_alike, surplus })
        }
        SeriesModel::XyLinkability(model) => {
            Box::new(XyMaker { model: XyModel::Linkability(model), is_alike, surplus })
        }
        SeriesModel::RhoDifferent(model) => {
            let correlations = past.correlations.cloned().unwrap_or_default();
            let mut maker = RhoDifferentMaker::new(model.rho(), correlations)?
                .with_standing(past.standing, past.next_id);
            if let Some(slack) = plan.slack {
                maker = maker.with_slack(exact("slack", slack)?)?;
            }
            if let Some(horizon) = plan.horizon {
                maker = maker.with_horizon(horizon)?;
            }
            // Rows of nobody are made where the plan allows them: a judge takes others for false.
            let most = plan.most_counterfeits.unwrap_or(0);
            Box::new(maker.with_most_counterfeits(most as usize))
        }
    };
    Ok((maker, promised))
}

fn share(method: &str, name: &'static str, value: Option<f64>) -> Result<Ratio, Error> {
    Ok(exact(name, value.ok_or_else(|| not_given(method, name, "0.5"))?)?)
}

fn not_given(method: &str, name: &str, example: &str) -> Error {
    let ask = super::parameters::setting(name).to(example).or_in_plan();
    refused(format!("`{method}` needs `{name}`, which is not given"), message!("say {ask}"))
}
