//! What an adversary says about targets, before anybody tells whether it is so.

use super::scene::{View, Who};

/// What is said about one target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Says {
    /// No record may be the target's.
    Nothing,
    /// One record, drawn from those that may be the target's, is the target's.
    Record,
    /// The target's sensitive value lies from the first code to the last.
    Value(u32, u32),
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
    /// The guesses.
    pub guesses: Vec<Guess>,
    /// What would be said of everybody without looking at classes, and how surely.
    pub blind: (Says, f64),
    /// For each guess, how likely it is that a blind guess which says the same is right: in place of
    /// `blind`, where it is not the same for everybody.
    pub priors: Option<Vec<f64>>,
    /// How they are scored.
    pub scoring: Scoring,
    /// What to know about them, in sentences without a closing stop. They quote no cell.
    pub notes: Vec<String>,
}

impl Guesses {
    /// No guess yet.
    pub fn new(who: Who, attribute: Option<usize>, blind: (Says, f64)) -> Self {
        let (guesses, notes) = (Vec::new(), Vec::new());
        let scoring = Scoring::ByTruth;
        Self { who, attribute, guesses, blind, priors: None, scoring, notes }
    }

    /// Says the same of every target of a view.
    pub fn say(&mut self, view: View<'_>, says: Says, probability: f64) {
        let guess = |&target: &u32| Guess { target, says, probability };
        self.guesses.extend(view.targets.iter().map(guess));
    }
}
