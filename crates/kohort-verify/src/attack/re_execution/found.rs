//! What assignments that lead to a release say of each person.

use std::collections::BTreeMap;

/// Fewer releases than this tell nothing where each is drawn.
const FEWEST_DRAWN: f64 = 25.0;

/// How assignments were looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Each was tried.
    Every,
    /// The method draws, and was run several times for each.
    EveryDrawn,
    /// By exchanges, and some lead to the release.
    Exchanges,
    /// By exchanges, and none does: those count that come nearest.
    Nearest,
    /// The method draws, and there are too many.
    None,
}

/// How often each kind of values of each person led to the release.
pub(super) struct Found {
    // By person, then by kind.
    counts: Vec<BTreeMap<u32, f64>>,
    n: f64,
    pub(super) way: Way,
    /// How often the method was run.
    pub(super) n_runs: usize,
    /// How many people the nearest assignment puts with the same others.
    pub(super) n_settled: usize,
}

impl Found {
    pub(super) fn nothing(n_people: usize, way: Way) -> Self {
        let counts = vec![BTreeMap::new(); n_people];
        Self { counts, n: 0.0, way, n_runs: 0, n_settled: 0 }
    }

    /// Counts an assignment, which is so much of one.
    pub(super) fn add(&mut self, kinds: &[u32], weight: f64) {
        self.n += weight;
        for (counts, &kind) in self.counts.iter_mut().zip(kinds) {
            *counts.entry(kind).or_default() += weight;
        }
    }

    /// What is believed of a person of whose class these are the shares of values; `code_of_kind` says which
    /// value each kind has.
    pub(super) fn posterior(
        &self,
        person: usize,
        shares: &[(u32, f64)],
        code_of_kind: impl Fn(u32) -> u32,
    ) -> Vec<(u32, f64)> {
        let fewest = if self.way == Way::EveryDrawn { FEWEST_DRAWN } else { 0.5 };
        if self.n < fewest {
            return shares.to_vec();
        }
        let mut counts: BTreeMap<u32, f64> = shares.iter().map(|&(code, _)| (code, 0.0)).collect();
        for (&kind, count) in &self.counts[person] {
            // A code that no share has says nothing.
            if let Some(sum) = counts.get_mut(&code_of_kind(kind)) {
                *sum += count;
            }
        }
        let n = self.n;
        let of = |(&(code, share), count): (&(u32, f64), f64)| match self.way {
            // The class counts as one more assignment.
            Way::Exchanges | Way::Nearest => (code, (count + share) / (n + 1.0)),
            Way::EveryDrawn => (code, sure(count / n, share, n)),
            Way::Every | Way::None => (code, count / n),
        };
        shares.iter().zip(counts.into_values()).map(of).collect()
    }

    /// How many assignments count.
    pub(super) fn n(&self) -> f64 {
        self.n
    }

    /// Whether it is an estimate.
    pub(super) fn is_estimated(&self) -> bool {
        matches!(self.way, Way::Exchanges | Way::Nearest)
    }

    /// What was found, as a sentence without a closing stop.
    pub(super) fn told(&self) -> String {
        let Self { n, n_runs, n_settled, .. } = self;
        let n_people = self.counts.len();
        match self.way {
            Way::Every | Way::Nearest if *n == 0.0 => format!(
                "of {n_runs} runs none leads to the release: it was not made by this program and plan from \
                 this table, and nothing is learned"
            ),
            Way::Every => format!("of {n_runs} assignments that the release admits, {n:.0} lead to it"),
            Way::EveryDrawn => format!(
                "the method draws from a secret: {n:.0} of {n_runs} runs lead to the release, and what is \
                 believed is the lower end of an estimate"
            ),
            Way::None => "the method draws from a secret, and the table is too large to try every assignment \
                          and draw: nothing was tried, and classes are all that is known"
                .to_owned(),
            Way::Exchanges => format!(
                "there are too many assignments to try all: of {n_runs} runs, {n:.0} searches found \
                 assignments that lead to the release; what is believed is an estimate from these"
            ),
            Way::Nearest => format!(
                "there are too many assignments to try all, and none of {n_runs} runs led to the release: the \
                 nearest put {n_settled} of {n_people} people into the same classes; what is believed is an \
                 estimate from the nearest"
            ),
        }
    }
}

/// The end of an interval around a share that was drawn `n` times: no more is said than is sure.
fn sure(found: f64, share: f64, n: f64) -> f64 {
    let error = (share.max(found) * (1.0 - share.min(found)) / n).sqrt();
    if found > share { (found - 4.0 * error).max(share) } else { found }
}
