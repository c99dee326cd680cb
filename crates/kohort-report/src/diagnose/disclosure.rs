//! What the sensitive attributes together give away, as figures.

use kohort_core::Ratio;
use kohort_verify::{BITS, Disclosure, EvidenceCount};
use serde::{Deserialize, Serialize};

use crate::words::Words;

use super::{Fraction, Line, count, grouped, percent};

/// What several sensitive attributes together give away.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DisclosureAnswer {
    /// The largest probability that a sensitive value of anybody is guessed.
    pub max_disclosure: f64,
    /// The same as a fraction.
    pub max_disclosure_exact: Fraction,
    /// The largest l of l-pdiversity.
    pub p_diversity: PDiversityAnswer,
    /// The largest l of l-mdiversity.
    pub m_diversity: MDiversityAnswer,
    /// Rows by the largest probability that a sensitive value of theirs is guessed, ascending.
    pub disclosure: Vec<DisclosureCount>,
}

/// The largest l of l-pdiversity.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PDiversityAnswer {
    /// The level.
    pub l: u64,
    /// How it is known.
    #[serde(deserialize_with = "crate::words::read")]
    pub evidence: Words,
}

/// The largest l of l-mdiversity, and what is guessed by anyone who can rule values out.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MDiversityAnswer {
    /// The level.
    pub l: u64,
    /// How it is known.
    #[serde(deserialize_with = "crate::words::read")]
    pub evidence: Words,
    /// Classes by how their posteriors are known.
    pub classes: EvidenceAnswer,
    /// The worst posterior for anyone who can rule out nothing, one value and two.
    pub posterior: Vec<PosteriorAnswer>,
}

/// Classes by how their posteriors are known.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct EvidenceAnswer {
    /// No two rows agree on a sensitive attribute.
    pub by_construction: u64,
    /// Everything that can be ruled out was tried.
    pub decided: u64,
    /// A bound says enough, or is all that is known.
    pub bounded: u64,
}

impl From<EvidenceCount> for EvidenceAnswer {
    fn from(count: EvidenceCount) -> Self {
        let EvidenceCount { by_construction, decided, bounded } = count;
        Self { by_construction, decided, bounded }
    }
}

impl EvidenceAnswer {
    /// How a verdict about l-mdiversity is known, in words.
    pub fn words(self) -> String {
        let parts = [
            (self.by_construction, "by construction"),
            (self.decided, "by trying every set of facts"),
            (self.bounded, "by the bound"),
        ];
        let parts = parts.into_iter().filter(|&(classes, _)| classes > 0);
        let part = |(index, (classes, how)): (usize, (u64, &str))| match index {
            0 => format!("{} {how}", count(classes, "class", "classes")),
            _ => format!("{} {how}", grouped(classes)),
        };
        parts.enumerate().map(part).collect::<Vec<_>>().join(", ")
    }
}

/// The largest probability that somebody has some value, for anyone who rules out this many.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct PosteriorAnswer {
    /// How many values can be ruled out.
    pub bits: u64,
    /// The probability.
    pub probability: Fraction,
    /// The same as a decimal.
    pub probability_value: f64,
    /// How it is known; where it is bounded, the probability is at most this.
    #[serde(deserialize_with = "crate::words::read")]
    pub evidence: Words,
}

/// The rows with one largest probability.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct DisclosureCount {
    /// The probability.
    pub probability: Fraction,
    /// The same as a decimal.
    pub probability_value: f64,
    /// The rows.
    pub rows: u64,
}

impl From<&Disclosure> for DisclosureAnswer {
    fn from(found: &Disclosure) -> Self {
        let (l, evidence) = (found.l(), found.evidence().id());
        let posterior = BITS.iter().zip(found.worst).map(|(&bits, worst)| PosteriorAnswer {
            bits: bits as u64,
            probability: worst.probability.into(),
            probability_value: worst.probability.value(),
            evidence: worst.evidence.id(),
        });
        let rows = |&(share, rows): &(Ratio, u64)| DisclosureCount {
            probability: share.into(),
            probability_value: share.value(),
            rows,
        };
        Self {
            max_disclosure: found.max().value(),
            max_disclosure_exact: found.max().into(),
            p_diversity: PDiversityAnswer { l, evidence: "decided" },
            m_diversity: MDiversityAnswer {
                l,
                evidence,
                classes: found.classes.into(),
                posterior: posterior.collect(),
            },
            disclosure: found.rows.iter().map(rows).collect(),
        }
    }
}

impl DisclosureAnswer {
    /// The levels, each with what it means for a person in the table.
    pub fn lines(&self) -> [Line; 2] {
        let level = |l: u64| format!("l = {}", grouped(l));
        let guessed = format!(
            "an adversary who finds the class guesses some sensitive value of somebody with \
             probability {}",
            percent(self.max_disclosure)
        );
        let bits = self.m_diversity.posterior.iter().skip(1).map(|posterior| {
            let values = if posterior.bits == 1 { "one value" } else { "two" };
            format!("{} after ruling out {values}", posterior.words())
        });
        let bits = bits.collect::<Vec<_>>().join(", ");
        [
            Line {
                name: "l-pdiversity".into(),
                value: level(self.p_diversity.l),
                meaning: guessed,
            },
            Line {
                name: "l-mdiversity".into(),
                value: level(self.m_diversity.l),
                meaning: format!("guessed with probability {bits}"),
            },
        ]
    }
}

impl PosteriorAnswer {
    /// The probability in words.
    pub fn words(&self) -> String {
        let probability = percent(self.probability_value);
        if self.evidence == "bounded" { format!("at most {probability}") } else { probability }
    }
}
