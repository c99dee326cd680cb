//! Cells that are not one value: a promise must hold for every way to fill them.

use crate::random::Random;

/// What is known of a promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Holds,
    Broken,
    /// It was not refuted, and not everything was tried.
    Open,
}

impl Answer {
    /// Both must hold.
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Broken, _) | (_, Self::Broken) => Self::Broken,
            (Self::Holds, Self::Holds) => Self::Holds,
            _ => Self::Open,
        }
    }

    pub(crate) fn of(holds: bool) -> Self {
        if holds { Self::Holds } else { Self::Broken }
    }
}

/// So many fillings are gone through one by one.
const MOST: usize = 4096;

/// Whether something holds for every filling; `options` has the values that each cell may have.
/// A cell without any stands for nothing that could be refuted.
pub(crate) fn every(options: &[&[String]], holds: impl Fn(&[&str]) -> bool) -> Answer {
    if options.iter().any(|values| values.is_empty()) {
        return Answer::Open;
    }
    let fill = |choice: &dyn Fn(usize) -> usize| -> Vec<&str> {
        let cells = options.iter().enumerate();
        cells.map(|(cell, values)| values[choice(cell) % values.len()].as_str()).collect()
    };
    let n_fillings = options
        .iter()
        .try_fold(1_usize, |n, values| n.checked_mul(values.len()))
        .unwrap_or(MOST + 1);
    if n_fillings <= MOST {
        let mut number = vec![0_usize; options.len()];
        for _ in 0..n_fillings {
            if !holds(&fill(&|cell| number[cell])) {
                return Answer::Broken;
            }
            for (digit, values) in number.iter_mut().zip(options) {
                *digit += 1;
                if *digit < values.len() {
                    break;
                }
                *digit = 0;
            }
        }
        return Answer::Holds;
    }
    // The same value wherever it is possible, for each value, and then some at random.
    let mut random = Random::new(1);
    let favorites: Vec<&String> = options.iter().flat_map(|values| values.iter()).collect();
    for favorite in favorites {
        let at = |cell: usize| options[cell].iter().position(|v| v == favorite).unwrap_or(0);
        if !holds(&fill(&at)) {
            return Answer::Broken;
        }
    }
    for _ in 0..256 {
        let draws: Vec<usize> = options.iter().map(|values| random.below(values.len())).collect();
        if !holds(&fill(&|cell| draws[cell])) {
            return Answer::Broken;
        }
    }
    Answer::Open
}
