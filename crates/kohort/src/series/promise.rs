//! Whether the releases before keep the promise that the next one makes.

use kohort_core::{History, Message, Setting, message};
use kohort_ledger::{Facts, Hash, Release};
use kohort_models::series::{ClassBox, Correlations, SeriesModel};
use kohort_verify::series::first_broken;

use super::parameters::parameters;
use super::reasons::worded;
use super::warnings::begin_another;
use crate::plan::SeriesPlan;
use crate::release::No;

/// What was published before, and the promise that is about to be made.
pub(super) struct Earlier<'a> {
    pub(super) plan: &'a SeriesPlan,
    pub(super) method: &'static str,
    pub(super) model: SeriesModel,
    pub(super) releases: &'a [(Release, Hash)],
    pub(super) history: &'a History,
    pub(super) boxes: &'a [Vec<ClassBox>],
    pub(super) sensitive: &'a [String],
    pub(super) correlations: Option<&'a Correlations>,
}

impl Earlier<'_> {
    /// Says that an earlier release does not keep the promise, where that was accepted: the method was
    /// named, or the release before has the same promise. Otherwise that is a no.
    pub(super) fn weakness(&self) -> Result<Option<String>, No> {
        let asked = parameters(self.plan, self.method);
        let is_promised = |(release, _): &(Release, Hash)| {
            let Facts { principle, parameters, version, .. } = &release.facts;
            principle == self.method && *parameters == asked && version == env!("CARGO_PKG_VERSION")
        };
        // Each of them was judged after those before it.
        if self.releases.iter().all(is_promised) {
            return Ok(None);
        }
        let columns = (self.boxes, self.sensitive);
        let broken = first_broken(self.model, self.history, columns, self.correlations);
        let Some((release, reason)) = broken else { return Ok(None) };
        let why = worded(&reason);
        let method = self.method;
        let problem =
            format!("release {release} does not keep the promise of `{method}` ({asked})");
        let is_named = self.plan.method.as_deref().is_some_and(|method| method != "auto");
        if is_named || self.releases.last().is_some_and(is_promised) {
            return Ok(Some(format!(
                "{problem}: {why}; what it gave away stays known, and the promise is not true of the \
                 people it shows"
            )));
        }
        Err(No {
            problem: format!("{problem}, and nothing was written"),
            causes: vec![why],
            hint: self.hint(),
            ..No::default()
        })
    }

    /// What to do where an earlier release does not keep the promise.
    fn hint(&self) -> Message {
        let method = self.method;
        let last = self.releases.last().map(|(release, _)| &release.facts);
        let kept = match last {
            Some(facts) if facts.principle == method => format!(" ({})", facts.parameters),
            // It applies where e-equivalence does.
            Some(facts) if facts.principle == "m-invariance" && method == "e-equivalence" => {
                format!(" (m-invariance: {}, without `e`)", facts.parameters)
            }
            _ => String::new(),
        };
        let accept = if self.can_be_accepted() {
            message!(
                "; or accept that the promise does not cover them: {}",
                Setting::Method.to(method)
            )
        } else {
            String::new().into()
        };
        message!("ask for what the earlier releases kept{kept}{accept}; or {}", begin_another())
    }

    /// Whether a release that keeps everybody's signature can keep the promise: no signature is too small.
    fn can_be_accepted(&self) -> bool {
        let Some(m) = self.model.m() else { return true };
        let mut classes = self.history.releases.iter().flat_map(|release| &release.classes);
        classes.all(|class| class.signature().len() >= m as usize)
    }
}
