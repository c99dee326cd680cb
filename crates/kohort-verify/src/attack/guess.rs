//! What an adversary says about targets, before anybody tells whether it is so.

use super::evidence::scene::{View, Who};
use kohort_core::{Message, message};

/// What is said about one target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Says {
    /// No record may be the target's.
    Nothing,
    /// One record, drawn from those that may be the target's, is the target's.
    Record,
    /// The target's sensitive value lies from the first code to the last.
    Value(u32, u32),
    /// The target's sensitive value is in a set: its index in [`Guesses::sets`].
    Among(usize),
    /// The target is in the released table, or is not.
    Member(bool),
}

/// A guess about one target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guess {
    /// The row of the target: in the table of people, or in the release.
    pub target: u32,
    /// What is said.
    pub says: Says,
    /// How sure the adversary is.
    pub probability: f64,
}

/// How guesses are scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scoring {
    /// By the truth about each target, where it is known.
    ByTruth,
    /// By the probabilities themselves: the guess depends on knowledge that is true of some targets only.
    ByExpectation,
}

/// Guesses of one kind: at most one for each target.
#[derive(Clone, Debug)]
pub struct Guesses {
    /// Whom they are about.
    pub who: Who,
    /// The index of the sensitive attribute they are about, where they are about one.
    pub attribute: Option<usize>,
    /// The way of guessing, where an attack has several for one attribute, such as `by level 1`.
    pub way: Option<String>,
    /// The guesses.
    pub guesses: Vec<Guess>,
    /// What would be said of everybody without looking at classes, and how surely.
    pub blind: (Says, f64),
    /// What is said of the same targets in the same order by who lacks what this attack adds. It is the
    /// baseline in place of the blind guess, unless it is empty.
    pub without: Vec<Guess>,
    /// The sets of codes that guesses point to, each ascending.
    pub sets: Vec<Vec<u32>>,
    /// For each guess, how likely it is that who says the same blindly is right: the baseline where it is
    /// about how much likelier a statement became.
    pub priors: Option<Vec<f64>>,
    /// The largest probability for who finds the class itself, where targets may have records of several
    /// classes: what was promised is promised of classes.
    pub ceiling: f64,
    /// Whether no promise bounds these guesses, though one bounds others of the attack.
    pub is_unbounded: bool,
    /// Whether probabilities are estimates: they refute a promise only if the guesses are right more often
    /// than it allows.
    pub is_estimated: bool,
    /// How they are scored.
    pub scoring: Scoring,
    /// Whether they are about people of any release of a series, also those who are not in the newest.
    pub of_any_release: bool,
    /// What to know about them, in sentences without a closing stop. They quote no cell.
    pub notes: Vec<Message>,
}

impl Guesses {
    /// No guess yet.
    pub fn new(who: Who, attribute: Option<usize>, blind: (Says, f64)) -> Self {
        Self {
            who,
            attribute,
            way: None,
            guesses: Vec::new(),
            blind,
            without: Vec::new(),
            sets: Vec::new(),
            priors: None,
            ceiling: 0.0,
            is_unbounded: false,
            is_estimated: false,
            scoring: Scoring::ByTruth,
            of_any_release: false,
            notes: Vec::new(),
        }
    }

    /// Takes the largest of these probabilities, of classes, for the ceiling, and says so where it is
    /// above what is said of people. Of rows their own class is said.
    pub fn add_ceiling(&mut self, of_classes: impl Iterator<Item = f64>) {
        if self.who == Who::Rows {
            return;
        }
        self.ceiling = of_classes.fold(0.0, f64::max);
        let largest = self.guesses.iter().map(|guess| guess.probability).fold(0.0, f64::max);
        if self.ceiling > largest + 1e-9 {
            self.notes.push(message!(
                "records of several classes fit a person; an adversary who also knows the class is right \
                 with probability at most {:.3}",
                self.ceiling
            ));
        }
    }

    /// Says nothing where a value is said that is none, such as a missing one.
    pub(super) fn leave_out(&mut self, silent: u32) {
        let is_it = |says: Says| says == Says::Value(silent, silent);
        for guess in self.guesses.iter_mut().chain(&mut self.without) {
            if is_it(guess.says) {
                (guess.says, guess.probability) = (Says::Nothing, 0.0);
            }
        }
        if is_it(self.blind.0) {
            self.blind = (Says::Nothing, 0.0);
        }
    }

    /// Says the same of every target of a view.
    pub fn say(&mut self, view: View<'_>, says: Says, probability: f64) {
        let guess = |&target: &u32| Guess { target, says, probability };
        self.guesses.extend(view.targets.iter().map(guess));
    }

    /// What is said of every target of a view by who lacks what this attack adds.
    pub fn say_without(&mut self, view: View<'_>, says: Says, probability: f64) {
        let guess = |&target: &u32| Guess { target, says, probability };
        self.without.extend(view.targets.iter().map(guess));
    }
}

/// Says the likeliest value, ties to the lowest code, and how likely it is.
pub(super) fn likeliest_value(posterior: &[(u32, f64)]) -> (Says, f64) {
    let larger = |best: (u32, f64), next: (u32, f64)| if next.1 > best.1 { next } else { best };
    match posterior.iter().copied().reduce(larger) {
        Some((code, probability)) => (Says::Value(code, code), probability),
        None => (Says::Nothing, 0.0),
    }
}
