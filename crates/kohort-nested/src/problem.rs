//! What a maker of nested releases is asked for.

use kohort_core::Forest;
use kohort_models::nested::OccurrenceRule;

use crate::NestedModel;

/// Trees, what their classes must keep, and what losses count.
#[derive(Clone, Copy)]
pub struct NestedProblem<'a> {
    /// The people.
    pub forest: &'a Forest,
    /// Every class has at least this many members; 1 where nothing is asked.
    pub k: u32,
    /// For each kind: at every position of that kind, no sensitive value is had by more than one in so
    /// many members; 1 where nothing is asked.
    pub l: &'a [u32],
    /// What else the values at every position of a kind must keep.
    pub models: &'a [NestedModel],
    /// What must not be learned about how often a value occurs in one tree.
    pub rules: &'a [OccurrenceRule],
    /// What losing a vertex with a sensitive value counts, beside its quasi-identifiers.
    pub sensitive_weight: f64,
    /// So many records may be left out where that loses less; `auto` leaves out no others that can be in a class.
    pub may_leave_out: usize,
    /// Orders and breaks ties.
    pub seed: u64,
    /// Into how many partitions anatomies cut the trees; as many as keep them quick where nothing is said.
    pub partitions: Option<usize>,
    /// The secret that a transparent release is drawn from; none where the release is opaque.
    pub transparent: Option<[u8; 32]>,
}

impl NestedProblem<'_> {
    /// Whether something is promised about sensitive values.
    pub fn needs_values(&self) -> bool {
        self.l.iter().any(|&l| l > 1) || !self.models.is_empty() || !self.rules.is_empty()
    }

    /// The smallest class that can keep what is asked: as many members as k, and as every l. Where only
    /// rules ask for something: as many as every 1/p, so that one member may have the value of a rule, and
    /// more than one.
    pub fn smallest(&self) -> usize {
        let of_models = self.models.iter().map(|of| of.model.smallest()).max().unwrap_or(1);
        let of_models = u32::try_from(of_models).unwrap_or(u32::MAX);
        let of_l = self.l.iter().copied().max().unwrap_or(1);
        let asked = of_l.max(of_models).max(self.k).max(1);
        let of_rules = || {
            let members = |rule: &OccurrenceRule| {
                let p = rule.probability();
                p.den().div_ceil(p.num())
            };
            self.rules.iter().map(members).max().map(|most| most.max(2))
        };
        let of_rules = if asked == 1 { of_rules() } else { None };
        of_rules.map_or(asked as usize, |most| usize::try_from(most).unwrap_or(usize::MAX))
    }
}
