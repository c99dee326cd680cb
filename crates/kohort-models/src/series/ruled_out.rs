//! What correlations say never happens.

use super::Correlations;

/// Sums this close to 1 are 1: probabilities are decimals.
const NOISE: f64 = 1e-12;

impl Correlations {
    /// Whether whoever has the one value never has the other so many releases later: at least 1, of a series
    /// with so many values.
    pub fn rules_out(&self, earlier: u32, later: u32, n_steps: u32, n_values: u32) -> bool {
        let mut reached: Vec<u32> = vec![earlier];
        for _ in 1..n_steps {
            let follows = |&y: &u32| reached.iter().any(|&x| self.may_follow(x, y));
            let next: Vec<u32> = (0..n_values.max(self.n_values())).filter(follows).collect();
            if next == reached {
                break;
            }
            reached = next;
        }
        !reached.iter().any(|&x| self.may_follow(x, later))
    }

    /// Whether a value may be that of the next release: it is listed above 0, or not at all where a row leaves
    /// some mass.
    fn may_follow(&self, earlier: u32, later: u32) -> bool {
        let rest = || 1.0 - self.row(earlier).iter().map(|(_, chance)| chance).sum::<f64>() > NOISE;
        self.listed(earlier, later).map_or_else(rest, |probability| probability > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use kohort_core::Ratio;

    use super::*;

    #[test]
    fn what_no_step_leads_to_is_ruled_out() {
        // 0 becomes 1, 1 stays, 2 becomes anything but 0.
        let table = Correlations::new(&[
            (0, 1, Ratio::whole(1)),
            (1, 1, Ratio::whole(1)),
            (2, 0, Ratio::whole(0)),
        ])
        .unwrap();
        let ruled_out = |steps| {
            let pairs = [(0, 0), (0, 1), (0, 2), (1, 0), (2, 0), (2, 2), (2, 3)];
            pairs.map(|(from, to)| table.rules_out(from, to, steps, 4))
        };
        assert_eq!(ruled_out(1), [true, false, true, true, true, false, false]);
        // By way of a value that nothing is listed of.
        assert_eq!(ruled_out(2), [true, false, true, true, false, false, false]);
        assert_eq!(ruled_out(9), ruled_out(2));
    }
}
