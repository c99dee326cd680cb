//! What is said of the population that a table is a sample of.

use kohort_core::Ratio;
use kohort_models::population::{Estimated, Sample, estimates};
use kohort_verify::ClassSizes;
use serde::{Deserialize, Serialize};

use crate::words::Words;

use super::{RiskFigure, grouped, percent};

/// What published models estimate of the population of a sample.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PopulationAnswer {
    /// The people of the population: rows over sampling fraction.
    pub people: u64,
    /// The share of people whose quasi-identifiers are theirs alone, by the rule of Dankar et al. 2012.
    pub uniques: EstimateAnswer,
    /// The marketer's risk.
    pub marketer: EstimateAnswer,
    /// What each model says.
    pub models: Vec<ModelAnswer>,
}

/// An estimate, and the model that it is from.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct EstimateAnswer {
    /// The share.
    pub value: f64,
    /// The model's id.
    #[serde(deserialize_with = "crate::words::read")]
    pub model: Words,
}

/// What one model says.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct ModelAnswer {
    /// The model's id.
    #[serde(deserialize_with = "crate::words::read")]
    pub model: Words,
    /// Where it is from.
    #[serde(deserialize_with = "crate::words::read")]
    pub paper: Words,
    /// The share of people whose quasi-identifiers are theirs alone; none where the model does not fit.
    pub uniques: Option<f64>,
    /// The marketer's risk; none where the model does not tell it.
    pub marketer: Option<f64>,
    /// Why the model does not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(default, deserialize_with = "crate::words::read")]
    pub reason: Option<Words>,
}

impl PopulationAnswer {
    /// What models say of the population of which a share was sampled; none where nothing is left to estimate.
    pub fn new(sizes: &ClassSizes, fraction: Ratio) -> Option<Self> {
        let sample = Sample::new(sizes.iter(), fraction).filter(|_| fraction < Ratio::whole(1))?;
        let found = estimates(&sample);
        let answer = |Estimated { value, model }| EstimateAnswer { value, model };
        let share = |people: f64| people / Ratio::whole(found.n_people).value();
        let models = found.models.map(|(model, paper, fitted)| ModelAnswer {
            model,
            paper,
            uniques: fitted.ok().map(|fitted| share(fitted.uniques)),
            marketer: fitted.ok().and_then(|fitted| fitted.classes).map(share),
            reason: fitted.err(),
        });
        Some(Self {
            people: found.n_people,
            uniques: answer(found.uniques),
            marketer: answer(found.marketer),
            models: models.into(),
        })
    }

    /// The estimates as figures: names, values and what they mean.
    pub fn figures(&self) -> [(&'static str, f64, String); 2] {
        let (marketer, uniques) = (self.marketer, self.uniques);
        [
            ("marketer, estimated", marketer.value, format!("by {}", self.cited(marketer.model))),
            (
                "unique people, estimated",
                uniques.value,
                format!(
                    "of {} in the population, by {}, the choice of Dankar et al. 2012",
                    grouped(self.people),
                    self.cited(uniques.model)
                ),
            ),
        ]
    }

    /// What the models say of unique people, in one sentence without a closing stop.
    pub fn of_models(&self) -> String {
        let of = |model: &ModelAnswer| match (model.uniques, model.reason) {
            (Some(uniques), _) => format!("{} {}", named(model.model), percent(uniques)),
            (None, reason) => {
                format!("{} does not fit ({})", named(model.model), reason.unwrap_or_default())
            }
        };
        let all: Vec<String> = self.models.iter().map(of).collect();
        format!("Estimates of unique people: {}", all.join(", "))
    }

    /// A model by its name and paper.
    fn cited(&self, id: &str) -> String {
        let paper = self.models.iter().find(|model| model.model == id).map(|model| model.paper);
        format!("{} ({})", named(id), paper.unwrap_or_default())
    }
}

/// The name of a model.
fn named(id: &str) -> &'static str {
    match id {
        "pitman" => "Pitman's model",
        "slide-negative-binomial" => "the slide negative binomial model",
        _ => "Zayatz's model",
    }
}

impl RiskFigure {
    /// What to say behind the meaning of the figure.
    pub fn caveat(&self) -> &'static str {
        if self.bound { " (an upper bound)" } else { "" }
    }
}
