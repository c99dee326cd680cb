//! Attacks on a release. Each has two halves that cannot see each other's input: a guess is made from what
//! an adversary has (`Scene`), a score from guesses and the truth.

#![expect(clippy::cast_precision_loss, reason = "counts are far below 2^53, and risks are shown")]

mod background_knowledge;
mod complementary_release;
mod correlation;
mod correspondence;
mod definetti;
mod elimination;
mod evidence;
mod guess;
mod highest;
mod homogeneity;
mod inference;
mod insensitive_columns;
mod journalist;
mod marketer;
mod membership;
mod minimality;
mod non_membership;
mod prosecutor;
mod re_execution;
mod record_linking;
mod registry;
mod score;
mod similarity;
mod skewness;
mod suppression;
mod temporal;
mod tuple_equivalence;
mod unsorted_matching;
mod value_association;
mod value_equivalence;

use kohort_core::{Attribute, Ctx, Error, Message, Setting, Spec, message};

pub use evidence::background::{Correlated, Declared, Facts, Knowledge, People, Whole};
pub use evidence::released::Released;
pub use evidence::scene::{Scene, Sight, View, Who};
pub use guess::{Guess, Guesses, Says, Scoring};
pub use highest::{Highest, highest_by_worlds};
pub use re_execution::{Kinds, Method, MethodOfSeries, RunAgain};
pub use registry::ATTACKS;
use score::FEW;
pub use score::{Known, Rate, Truth, score, wilson};

/// An attack on a release.
pub trait Attack: Sync {
    /// What it is; its promise says what it shows when it wins.
    fn spec(&self) -> &'static Spec;

    /// Which of the three risks it measures.
    fn criterion(&self) -> Criterion;

    /// What is missing for it to run, such as a public table; none when it can.
    fn needs(&self, scene: &Scene<'_>) -> Option<Message>;

    /// Guesses from what an adversary has: one set for each sensitive attribute, or one in all.
    fn guess(&self, ctx: &Ctx<'_>, scene: &Scene<'_>) -> Result<Vec<Guesses>, Error>;

    /// Whether it compares releases by who is in which of them.
    fn compares_releases(&self) -> bool {
        false
    }

    /// The largest probability that the declared promises allow this attack.
    fn bound(&self, _: &Scene<'_>, _: Option<usize>) -> Option<f64> {
        None
    }

    /// What a rate means, as a sentence without a closing stop.
    fn meaning(&self, rate: &Rate) -> String;
}

/// The risks in the words of regulators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Criterion {
    /// A person's record is told from all others.
    SinglingOut,
    /// Records about one person are brought together.
    Linkability,
    /// Something is learned about a person with high probability.
    Inference,
}

impl Criterion {
    /// The name in JSON.
    pub fn id(self) -> &'static str {
        match self {
            Self::SinglingOut => "singling-out",
            Self::Linkability => "linkability",
            Self::Inference => "inference",
        }
    }

    /// The name a person reads.
    pub fn title(self) -> &'static str {
        match self {
            Self::SinglingOut => "singling out",
            Self::Linkability => "linkability",
            Self::Inference => "inference",
        }
    }
}

/// Differences below this are rounding.
const TOLERANCE: f64 = 1e-9;

/// What an attack says about a release. None says that it is safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It goes further than the promises allow.
    Refuted,
    /// Nothing was promised about it, and it gains over blind guessing; or it goes further than the promises
    /// allow by what is assumed and not known.
    Succeeds,
    /// It stays within what was promised, or gains nothing.
    NotRefuted,
}

impl Verdict {
    /// The name in JSON.
    pub fn id(self) -> &'static str {
        match self {
            Self::Refuted => "refuted",
            Self::Succeeds => "succeeds",
            Self::NotRefuted => "not refuted",
        }
    }

    /// What a rate says against the largest probability that the promises allow. `ceiling` is a probability
    /// that is known without a guess.
    pub fn new(rate: &Rate, ceiling: f64, bound: Option<f64>) -> Self {
        let gains = rate.targets >= FEW && rate.interval.0 > rate.baseline + TOLERANCE;
        let tells = rate.above[2] > 0 && rate.advantage() > TOLERANCE;
        match bound {
            Some(bound) if rate.max_probability.max(ceiling) > bound + TOLERANCE => Self::Refuted,
            None if gains || tells => Self::Succeeds,
            _ => Self::NotRefuted,
        }
    }
}

/// How one attack did on one sensitive attribute, or as a whole.
#[derive(Clone, Debug)]
pub struct Scored {
    /// The index of the sensitive attribute.
    pub attribute: Option<usize>,
    /// The way of guessing, where the attack has several.
    pub way: Option<String>,
    /// How well it did.
    pub rate: Rate,
    /// The largest probability the promises allow.
    pub bound: Option<f64>,
    /// What that says about the release.
    pub verdict: Verdict,
    /// What to know about it.
    pub notes: Vec<Message>,
}

impl Scored {
    /// The larger, the worse for the release: what is refuted, then what succeeds, each by what it gains
    /// over a blind guess.
    pub fn weakness(&self) -> f64 {
        let rank = match self.verdict {
            Verdict::Refuted => 2,
            Verdict::Succeeds => 1,
            Verdict::NotRefuted => 0,
        };
        // A gain lies between -1 and 1.
        3.0 * f64::from(rank) + self.rate.advantage()
    }
}

/// What an attack found.
pub struct Finding {
    /// The attack.
    pub attack: &'static dyn Attack,
    /// One entry for each sensitive attribute it was run on, the weakest first; never empty.
    pub scored: Vec<Scored>,
}

impl Finding {
    /// Where the release is weakest.
    pub fn weakest(&self) -> &Scored {
        &self.scored[0]
    }
}

/// What all attacks found, and which could not run.
#[derive(Default)]
pub struct Findings {
    /// Those that ran, in the order of the registry.
    pub found: Vec<Finding>,
    /// Those that did not, with what they need.
    pub not_run: Vec<(&'static Spec, Message)>,
}

/// What to know of an attack that goes further than was promised where people are taken to be who may not be.
fn assumed() -> Message {
    message!(
        "it goes further than was promised, but takes everybody whom a release covers to be in it, which is \
         not known: this refutes nothing; say who is in which release with {}, or give the table of each \
         release, in their order, with {}",
        Setting::Presence,
        Setting::Original
    )
}

/// That guesses are right more often than any of them is likely to be.
fn beyond(bound: f64) -> Message {
    message!(
        "the guesses are right more often than {} %, though no class leaves a value more likely: a person can \
         be in several classes, and which ones goes with the value. The promise is about each class alone",
        (1000.0 * bound).round() / 10.0
    )
}

/// Runs every attack of `attacks` that the scene allows and scores it.
pub fn run(
    ctx: &Ctx<'_>,
    attacks: &[&'static dyn Attack],
    scene: &Scene<'_>,
    truth: &Truth,
) -> Result<Findings, Error> {
    let mut findings = Findings::default();
    for (done, attack) in attacks.iter().enumerate() {
        ctx.progress(attack.spec().id, done as u64, attacks.len() as u64);
        if let Some(needs) = attack.needs(scene) {
            findings.not_run.push((attack.spec(), needs));
            continue;
        }
        let guesses = attack.guess(ctx, scene)?;
        let mut scored: Vec<Scored> = (guesses.into_iter())
            .map(|mut guesses| {
                let about = guesses.attribute.map(|index| scene.release.sensitive()[index]);
                if let Some(silent) = about.and_then(Attribute::silent) {
                    guesses.leave_out(silent);
                }
                let rate = score(&guesses, truth);
                let bound = attack.bound(scene, guesses.attribute);
                let bound = bound.filter(|_| !guesses.is_unbounded);
                let mut verdict = Verdict::new(&rate, guesses.ceiling, bound);
                if guesses.is_estimated && verdict == Verdict::Refuted {
                    let is_shown = bound.is_some_and(|bound| rate.interval.0 > bound);
                    verdict = if is_shown { Verdict::Refuted } else { Verdict::NotRefuted };
                }
                let Guesses { attribute, way, mut notes, .. } = guesses;
                if let Some(bound) = bound.filter(|&bound| rate.is_shown_above(bound))
                    && verdict == Verdict::NotRefuted
                {
                    verdict = Verdict::Succeeds;
                    notes.push(beyond(bound));
                }
                let is_assumed = scene.is_presence_assumed && attack.compares_releases();
                if verdict == Verdict::Refuted && is_assumed {
                    let is_ever_right = rate.max_probability.max(rate.success) > TOLERANCE;
                    verdict = if is_ever_right { Verdict::Succeeds } else { Verdict::NotRefuted };
                    notes.push(assumed());
                }
                Scored { attribute, way, rate, bound, verdict, notes }
            })
            .collect();
        scored.sort_by(|a, b| b.weakness().total_cmp(&a.weakness()));
        if scored.iter().all(|scored| scored.rate.targets == 0) {
            findings.not_run.push((attack.spec(), "a target it applies to".into()));
        } else {
            findings.found.push(Finding { attack: *attack, scored });
        }
    }
    Ok(findings)
}
