//! How good predictions are.
//!
//! # Formula
//! accuracy: the share of rows whose most probable class is theirs. Balanced accuracy: the mean over the
//! classes that occur of the share of their rows found. Macro-F1: the mean over the classes that occur or
//! are predicted of 2 tp / (2 tp + fp + fn). Log loss: the mean of −ln P(own class), P at least 1e-15.

use super::real;

/// Predictions counted: rows by their class and the class predicted.
pub(super) struct Tally {
    confusion: Vec<Vec<f64>>,
    log_loss: f64,
    n: f64,
}

impl Tally {
    pub(super) fn new(n_classes: usize) -> Self {
        Self { confusion: vec![vec![0.0; n_classes]; n_classes], log_loss: 0.0, n: 0.0 }
    }

    /// Counts a prediction; the lowest of equally probable classes is the one predicted.
    pub(super) fn add(&mut self, class: usize, shares: &[f64]) {
        let best = (0..shares.len()).reduce(|a, b| if shares[b] > shares[a] { b } else { a });
        self.confusion[class][best.expect("there are classes")] += 1.0;
        self.log_loss -= shares[class].max(1e-15).ln();
        self.n += 1.0;
    }

    /// Whether no prediction was counted.
    pub(super) fn is_empty(&self) -> bool {
        self.n < 1.0
    }

    pub(super) fn accuracy(&self) -> f64 {
        (0..self.confusion.len()).map(|class| self.confusion[class][class]).sum::<f64>() / self.n
    }

    pub(super) fn balanced_accuracy(&self) -> f64 {
        let recall = |class: usize| {
            let rows: f64 = self.confusion[class].iter().sum();
            (rows > 0.0).then(|| self.confusion[class][class] / rows)
        };
        mean((0..self.confusion.len()).filter_map(recall))
    }

    pub(super) fn macro_f1(&self) -> f64 {
        let f1 = |class: usize| {
            let rows: f64 = self.confusion[class].iter().sum();
            let predicted: f64 = self.confusion.iter().map(|row| row[class]).sum();
            (rows + predicted > 0.0)
                .then(|| 2.0 * self.confusion[class][class] / (rows + predicted))
        };
        mean((0..self.confusion.len()).filter_map(f1))
    }

    pub(super) fn log_loss(&self) -> f64 {
        self.log_loss / self.n
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    values.iter().sum::<f64>() / real(values.len().max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_of_a_small_table() {
        // Class 0: two found, one taken for 1; class 1: one found; class 2 never occurs.
        let mut tally = Tally::new(3);
        let rows = [(0, [0.8, 0.2, 0.0]), (0, [0.5, 0.5, 0.0]), (0, [0.4, 0.6, 0.0])];
        rows.iter().chain(&[(1, [0.25, 0.75, 0.0])]).for_each(|(c, p)| tally.add(*c, p));
        let check =
            |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found}");
        check(tally.accuracy(), 0.75);
        check(tally.balanced_accuracy(), f64::midpoint(2.0 / 3.0, 1.0));
        check(tally.macro_f1(), f64::midpoint(4.0 / 5.0, 2.0 / 3.0));
        check(tally.log_loss(), -(0.8_f64 * 0.5 * 0.4 * 0.75).ln() / 4.0);
    }
}
