//! The method for what changed: its maker, and the model that judges what it makes.

use kohort_core::{Ratio, nearest};
use kohort_models::series::{
    BcfAnonymity, ClassBox, Correlations, EEquivalence, GlobalGuarantee, MInvariance, RhoDifferent,
    XyAnonymity, XyLinkability,
};
use kohort_series::{
    BcfMaker, Changed, Choice, Counterfeit, EEquivalentMaker, GlobalMaker, MInvariantMaker,
    RhoDifferentMaker, SERIES_METHODS, SeriesMethod, Surplus, XyMaker, XyModel, choose, refusal,
    series_method,
};

use crate::Error;
use crate::error::suggestion;
use crate::load::refused;
use crate::plan::{SeriesPlan, SurplusName, exact};
use crate::release::No;

/// What the model of a method is asked of the bytes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Model {
    MInvariance(MInvariance),
    EEquivalence(EEquivalence),
    RhoDifferent(RhoDifferent),
    Bcf(BcfAnonymity),
    XyAnonymity(XyAnonymity),
    XyLinkability(XyLinkability),
    Global(GlobalGuarantee),
}

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
pub(super) fn chosen(plan: &SeriesPlan, changed: &Changed) -> Result<Result<Choice, No>, Error> {
    let id = plan.method.as_deref().unwrap_or("auto");
    let goes_on = changed.method_so_far == Some("rho-different") && !changed.has_other_columns;
    if goes_on && !changed.has_correlations && matches!(id, "auto" | "rho-different") {
        return Err(refused(
            "the release before was made with `rho-different`, and no correlations are given",
            "name the file with `--correlations follows.csv`, or `correlations` in the plan's \
             `[series]`; another method is taken only where `--method` names it",
        ));
    }
    if id == "auto" {
        return Ok(Ok(choose(changed)));
    }
    let Some(spec) = series_method(id) else {
        let likely = suggestion(nearest(id, SERIES_METHODS.iter().map(|spec| spec.id)));
        return Err(refused(
            format!("there is no method `{id}` for a series{likely}"),
            "`kohort list methods` lists them; `auto` looks at what changed",
        ));
    };
    // A first release has no join, and is where a series of other columns begins.
    let begins = changed.method_so_far.is_none() && spec.id.starts_with("xy-");
    Ok(match refusal(spec.id, changed).filter(|_| !begins) {
        None => Ok(Choice { method: spec.id, why: "it was asked for, and it is for what changed" }),
        Some(why) => {
            let Choice { method, why: because } = choose(changed);
            Err(No {
                problem: format!("`{id}` does not apply, and nothing was written"),
                causes: vec![why.to_owned()],
                hint: format!("`--method auto` takes `{method}`: {because}"),
                ..No::default()
            })
        }
    })
}

/// What to know where the release before was made with another method.
pub(super) fn switched(choice: &Choice, changed: &Changed) -> Option<String> {
    let (method, so_far) = (choice.method, changed.method_so_far?);
    let why = refusal(so_far, changed).unwrap_or("another was asked for");
    (so_far != method).then(|| {
        format!("the release before was made with `{so_far}` ({why}): from here on `{method}` is promised")
    })
}

/// Whether a method needs the boxes of earlier releases.
pub(super) fn needs_boxes(method: &str) -> bool {
    method == "bcf-anonymity"
}

/// The parameters of the method that are given, as a text.
pub(super) fn parameters(plan: &SeriesPlan, method: &str) -> String {
    let whole = |name: &str, value: Option<u32>| value.map(|value| format!("{name} = {value}"));
    let share = |name: &str, value: Option<f64>| value.map(|value| format!("{name} = {value}"));
    let surplus = plan.surplus.map(|surplus| match surplus {
        SurplusName::HoldBack => "surplus = hold-back".to_owned(),
        SurplusName::Counterfeits => "surplus = counterfeits".to_owned(),
    });
    let all = match method {
        "m-invariance" => vec![whole("m", plan.m), surplus],
        "e-equivalence" => vec![whole("m", plan.m), whole("e", plan.e), surplus],
        "global-guarantee" => vec![whole("l", plan.l), whole("horizon", plan.horizon), surplus],
        "rho-different" => vec![
            share("rho", plan.rho),
            share("slack", plan.slack),
            whole("most-counterfeits", plan.most_counterfeits),
        ],
        "xy-linkability" => vec![share("confidence", plan.confidence), surplus],
        "xy-anonymity" => vec![whole("k", plan.k), surplus],
        _ => vec![whole("k", plan.k)],
    };
    all.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The maker of a method and the model of what it promises.
pub(super) fn maker(
    plan: &SeriesPlan,
    method: &'static str,
    past: Past<'_>,
) -> Result<(Box<dyn SeriesMethod>, Model), Error> {
    let surplus = match plan.surplus {
        Some(SurplusName::Counterfeits) => Surplus::Counterfeit,
        Some(SurplusName::HoldBack) | None => Surplus::HoldBack,
    };
    let whole = |name, value: Option<u32>| value.ok_or_else(|| not_given(method, name, "3"));
    let Past { earlier, is_alike, .. } = past;
    Ok(match method {
        "m-invariance" => {
            let model = MInvariance::new(whole("m", plan.m)?)?;
            (Box::new(MInvariantMaker { model, surplus }), Model::MInvariance(model))
        }
        "e-equivalence" => {
            let model = EEquivalence::new(whole("m", plan.m)?, whole("e", plan.e)?)?;
            (Box::new(EEquivalentMaker { model, surplus }), Model::EEquivalence(model))
        }
        "global-guarantee" => {
            let model = GlobalGuarantee::new(whole("l", plan.l)?, whole("horizon", plan.horizon)?)?;
            (Box::new(GlobalMaker { model, surplus }), Model::Global(model))
        }
        "bcf-anonymity" => {
            let model = BcfAnonymity::new(whole("k", plan.k)?.into())?;
            (Box::new(BcfMaker { model, earlier }), Model::Bcf(model))
        }
        "xy-anonymity" => {
            let model = XyAnonymity::new(whole("k", plan.k)?)?;
            let maker = XyMaker { model: XyModel::Anonymity(model), is_alike, surplus };
            (Box::new(maker), Model::XyAnonymity(model))
        }
        "xy-linkability" => {
            let model = XyLinkability::new(share(method, "confidence", plan.confidence)?)?;
            let maker = XyMaker { model: XyModel::Linkability(model), is_alike, surplus };
            (Box::new(maker), Model::XyLinkability(model))
        }
        _ => {
            let rho = share(method, "rho", plan.rho)?;
            let correlations = past.correlations.cloned().unwrap_or_default();
            let mut maker = RhoDifferentMaker::new(rho, correlations)?
                .with_standing(past.standing, past.next_id);
            if let Some(slack) = plan.slack {
                maker = maker.with_slack(exact("slack", slack)?)?;
            }
            if let Some(most) = plan.most_counterfeits {
                maker = maker.with_most_counterfeits(most as usize);
            }
            (Box::new(maker), Model::RhoDifferent(RhoDifferent::new(rho)?))
        }
    })
}

fn share(method: &str, name: &'static str, value: Option<f64>) -> Result<Ratio, Error> {
    exact(name, value.ok_or_else(|| not_given(method, name, "0.5"))?)
}

fn not_given(method: &str, name: &str, example: &str) -> Error {
    refused(
        format!("`{method}` needs `{name}`, which is not given"),
        format!("say `--{name} {example}`, or `{name} = {example}` in the plan's `[series]`"),
    )
}
