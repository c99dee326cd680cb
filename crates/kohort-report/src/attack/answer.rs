//! What attacks found, as figures: no cell of any table is in them.

use std::collections::BTreeMap;

use kohort_core::{Attribute, Message, Spec};
use kohort_verify::attack::{Criterion, Finding, Findings, Known, Scored, Verdict};
use serde::{Deserialize, Serialize};

use crate::wording::visible;
use crate::words::Words;

/// What the attacks on a release found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// The release.
    pub release: String,
    /// Its rows; of records inside records, the people.
    pub rows: u64,
    /// The public table, where there is one.
    pub public: Option<String>,
    /// The table it was made from, where it is known.
    pub original: Option<String>,
    /// Who is looked for: people of a table, or whoever is in the release.
    pub targets: Targets,
    /// The quasi-identifiers.
    pub quasi: Vec<String>,
    /// The sensitive attributes.
    pub sensitive: Vec<String>,
    /// The buckets that are guessed instead of values, by attribute.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub buckets: BTreeMap<String, String>,
    /// What was promised, by the id of the model.
    pub promised: Vec<String>,
    /// Whether an attack goes further than the promises allow.
    pub refuted: bool,
    /// The three risks in the words of regulators, the weakest first.
    pub criteria: Vec<CriterionAnswer>,
    /// What each attack found, the weakest point of the release first.
    pub attacks: Vec<AttackAnswer>,
    /// The attacks that could not run, with what they need.
    pub not_run: Vec<NotRun>,
    /// The same attacks on the raw table without its identifiers, where the original is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw: Option<Vec<AttackAnswer>>,
    /// What a person should know, in sentences without a closing stop.
    pub notes: Vec<Message>,
    /// What one of the rows is called, and several.
    #[serde(skip, default = "rows")]
    pub unit: (Words, Words),
}

/// What the rows of a table are called. JSON does not say it.
fn rows() -> (Words, Words) {
    ("row", "rows")
}

/// Who is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Targets {
    /// Whoever is in the release.
    Rows,
    /// The people of a public table.
    Public,
    /// The people of the original, who are known to be in it.
    Original,
    /// The people of the originals of all releases of a series.
    AllOriginals,
}

/// One of the three risks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CriterionAnswer {
    /// Its id.
    #[serde(deserialize_with = "crate::words::read")]
    pub criterion: Words,
    /// Its name.
    #[serde(deserialize_with = "crate::words::read")]
    pub title: Words,
    /// The attack that does best, where one ran.
    #[serde(default, deserialize_with = "crate::words::read")]
    pub weakest: Option<Words>,
}

/// What one attack found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AttackAnswer {
    /// The attack's id.
    #[serde(deserialize_with = "crate::words::read")]
    pub id: Words,
    /// Its name.
    #[serde(deserialize_with = "crate::words::read")]
    pub title: Words,
    /// Which of the three risks it measures.
    #[serde(deserialize_with = "crate::words::read")]
    pub criterion: Words,
    /// How it did where the release is weakest: every figure is about that attribute and that way.
    #[serde(flatten)]
    pub score: Score,
    /// What that means, as a sentence without a closing stop.
    pub meaning: String,
    /// How it did on each sensitive attribute, the weakest first, where there is more than one answer.
    pub per_attribute: Vec<Score>,
}

/// How well an attack did.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Score {
    /// The sensitive attribute it is about.
    pub attribute: Option<String>,
    /// The way of guessing, where the attack has several for one attribute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub way: Option<String>,
    /// The number of targets.
    pub targets: u64,
    /// The share that was guessed right.
    pub success: f64,
    /// The share that a blind guess gets right.
    pub baseline: f64,
    /// The success less that of a blind guess.
    pub advantage: f64,
    /// The largest probability that was given to a guess.
    pub max_probability: f64,
    /// The targets with a probability above these.
    pub above: Above,
    /// The 95 % interval of the success.
    pub interval: [f64; 2],
    /// The largest probability that the promises allow.
    pub bound: Option<f64>,
    /// `measured` against the truth, or `expected` from the adversary's own probabilities.
    #[serde(deserialize_with = "crate::words::read")]
    pub known: Words,
    /// `refuted`, `succeeds` or `not refuted`.
    #[serde(deserialize_with = "crate::words::read")]
    pub verdict: Words,
    /// What to know about it.
    pub notes: Vec<Message>,
}

/// The targets with a probability above 0.5 and 0.8, and of 1.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Above {
    /// Above one half.
    #[serde(rename = "0.5")]
    pub half: u64,
    /// Above four fifths.
    #[serde(rename = "0.8")]
    pub most: u64,
    /// Certain.
    #[serde(rename = "1.0")]
    pub certain: u64,
}

/// An attack that did not run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NotRun {
    /// Its id.
    #[serde(deserialize_with = "crate::words::read")]
    pub id: Words,
    /// What is missing.
    pub needs: Message,
}

impl Answer {
    /// How the same attack did on the raw table.
    pub fn before(&self, id: &str, score: &Score) -> Option<&Score> {
        let raw = self.raw.iter().flatten().find(|attack| attack.id == id)?;
        let mut scores = raw.scores().iter();
        scores.find(|before| before.attribute == score.attribute && before.way == score.way)
    }

    /// Every attack on every attribute, the weakest first.
    pub fn scores(&self) -> impl Iterator<Item = (&AttackAnswer, &Score)> {
        let attacks = self.attacks.iter();
        attacks.flat_map(|attack| attack.scores().iter().map(move |score| (attack, score)))
    }

    /// The attack of this id.
    pub fn attack(&self, id: &str) -> Option<&AttackAnswer> {
        self.attacks.iter().find(|attack| attack.id == id)
    }
}

impl AttackAnswer {
    /// How it did, the weakest first.
    pub fn scores(&self) -> &[Score] {
        match &self.per_attribute[..] {
            [] => std::slice::from_ref(&self.score),
            all => all,
        }
    }

    /// What an attack found: how it did, the weakest first and never empty, and what the first means.
    pub fn new(
        (spec, criterion): (&'static Spec, Criterion),
        scored: &[Scored],
        meaning: String,
        sensitive: &[&Attribute],
    ) -> Self {
        let scores: Vec<Score> = scored.iter().map(|one| Score::new(one, sensitive)).collect();
        let score = scores[0].clone();
        let per_attribute = if scores.len() > 1 { scores } else { Vec::new() };
        Self {
            id: spec.id,
            title: spec.title,
            criterion: criterion.id(),
            score,
            meaning,
            per_attribute,
        }
    }

    /// The attack and the attribute a score is about: `homogeneity of disease`.
    pub fn name(&self, score: &Score) -> String {
        let of = score.attribute.as_ref().map(|name| format!(" of {}", visible(name)));
        let way = score.way.as_ref().map(|way| format!(" {way}"));
        format!("{}{}{}", self.id, of.unwrap_or_default(), way.unwrap_or_default())
    }
}

impl Score {
    fn new(scored: &Scored, sensitive: &[&Attribute]) -> Self {
        let rate = &scored.rate;
        let [half, most, certain] = rate.above;
        Self {
            attribute: scored.attribute.map(|index| sensitive[index].name().to_owned()),
            way: scored.way.clone(),
            targets: rate.targets,
            success: rate.success,
            baseline: rate.baseline,
            advantage: rate.advantage(),
            max_probability: rate.max_probability,
            above: Above { half, most, certain },
            interval: [rate.interval.0, rate.interval.1],
            bound: scored.bound,
            known: match rate.known {
                Known::Measured => "measured",
                Known::Expected => "expected",
            },
            verdict: scored.verdict.id(),
            notes: scored.notes.clone(),
        }
    }

    /// Whether a promise is refuted.
    pub fn is_refuted(&self) -> bool {
        self.verdict == Verdict::Refuted.id()
    }
}

/// What each attack found, the weakest point of the release first.
pub fn weakest_first(findings: &Findings, sensitive: &[&Attribute]) -> Vec<AttackAnswer> {
    let mut found: Vec<&Finding> = findings.found.iter().collect();
    found.sort_by(|a, b| b.weakest().weakness().total_cmp(&a.weakest().weakness()));
    let answer = |finding: &Finding| {
        let meaning = finding.attack.meaning(&finding.weakest().rate);
        let attack = (finding.attack.spec(), finding.attack.criterion());
        AttackAnswer::new(attack, &finding.scored, meaning, sensitive)
    };
    found.into_iter().map(answer).collect()
}

/// The attacks that did not run.
pub fn not_run(findings: &Findings) -> Vec<NotRun> {
    (findings.not_run.iter())
        .map(|(spec, needs)| NotRun { id: spec.id, needs: needs.clone() })
        .collect()
}

/// The three risks by their weakest attack; those that no attack measured come last.
pub fn criteria(attacks: &[AttackAnswer]) -> Vec<CriterionAnswer> {
    let all = [Criterion::SinglingOut, Criterion::Linkability, Criterion::Inference];
    let place = |criterion: &Criterion| attacks.iter().position(|a| a.criterion == criterion.id());
    let mut all: Vec<(usize, Criterion)> =
        all.map(|criterion| (place(&criterion).unwrap_or(usize::MAX), criterion)).to_vec();
    all.sort();
    let answer = |(place, criterion): (usize, Criterion)| CriterionAnswer {
        criterion: criterion.id(),
        title: criterion.title(),
        weakest: attacks.get(place).map(|attack| attack.id),
    };
    all.into_iter().map(answer).collect()
}
