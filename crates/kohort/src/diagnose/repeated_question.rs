//! What a question asks, as an answer repeats it.

use kohort_core::Ratio;
use kohort_report::diagnose::{AskedFor, AskedLevel};

use super::{Principle, Question};

impl From<&Principle> for AskedLevel {
    fn from(principle: &Principle) -> Self {
        let attribute = principle.attribute().map(str::to_owned);
        Self { model: principle.id(), parameters: principle.parameters(), attribute }
    }
}

/// What a question asks.
impl From<&Question> for AskedFor {
    fn from(question: &Question) -> Self {
        let mut values_of: Vec<String> =
            question.values.iter().map(|(attribute, _)| attribute.clone()).collect();
        values_of.dedup();
        Self {
            rows: question.rows,
            subsets: question.subsets,
            k: question.k,
            suppress: question.suppress.map(Into::into),
            suppress_value: question.suppress.map(Ratio::value),
            find_suppression: question.find_suppression,
            principles: question.principles.iter().map(Into::into).collect(),
            max_size: question.max_size,
            sampling_fraction: question.sampling_fraction.map(Ratio::value),
            values_of,
            riskiest: question.riskiest,
        }
    }
}
