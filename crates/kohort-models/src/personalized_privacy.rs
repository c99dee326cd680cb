//! Personalized privacy: each row names the node of the taxonomy that must not be guessed of it.
//!
//! # Definition
//! A row may have a guarding node g in the taxonomy of the sensitive attribute. For every class E and
//! every guarding node g of a row of E: the share of the rows of E whose value lies under g is at most p.
//!
//! # Promise
//! Who finds a person's class guesses with probability at most p that the person's value lies under the
//! node that the person chose.
//!
//! # What it does not promise
//! Nothing for a row without a guarding node, and nothing about values above or beside the node.
//!
//! # Parameters
//! A guarding node is given per value (everybody with this value has it) or per row, in a column of its
//! own; which guarding nodes occur in a class is read from the counts of that column. Only the case of
//! sensitive values that are published as they are is judged.
//!
//! # References
//! Xiao and Tao, SIGMOD 2006.

use kohort_core::{Error, Kind, Parameter, Ratio, Spec};

use crate::{Class, ClassModel};

/// What the model is.
pub(crate) const SPEC: Spec = Spec {
    id: "personalized-privacy",
    title: "personalized privacy",
    paper: "Xiao and Tao 2006",
    promise: "nobody's value is found to lie under their guarding node with probability above p",
    parameters: &[
        Parameter { name: "p", range: "0 < p ≤ 1", doc: "the largest share allowed" },
        Parameter {
            name: "guards",
            range: "a node for each value to protect",
            doc: "the node that must not be guessed for a person with that value",
        },
        Parameter {
            name: "guard-column",
            range: "a sensitive column, instead of guards",
            doc: "the column that names each row's guarding node",
        },
    ],
};

/// The personalized privacy condition on one sensitive attribute.
#[derive(Clone, Debug)]
pub struct PersonalizedPrivacy {
    attribute: usize,
    // Invariant: 0 < p ≤ 1.
    p: Ratio,
    guard_attribute: usize,
    // For each code of the guard attribute, the first and last code under its guarding node.
    nodes: Vec<Option<(u32, u32)>>,
}

impl PersonalizedPrivacy {
    /// Asks that the values of the attribute under each guarding node fill at most `p` of a class.
    /// `guard_attribute` is the attribute itself where a value has a guarding node, or the column that
    /// has one for each row; `nodes` has, for each of its codes, the codes of the attribute from the
    /// first to the last under the node, if it has one.
    pub fn new(
        attribute: usize,
        p: Ratio,
        guard_attribute: usize,
        nodes: Vec<Option<(u32, u32)>>,
    ) -> Result<Self, Error> {
        if p.num() == 0 || p > Ratio::whole(1) {
            let (found, expected) = (p.to_string(), "above 0 and at most 1");
            return Err(Kind::Parameter { name: "p", found, expected }.into());
        }
        Ok(Self { attribute, p, guard_attribute, nodes })
    }
}

impl ClassModel for PersonalizedPrivacy {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    // A class without a guarded row holds whatever its values; a guarded row that joins it may find
    // that they all lie under its node.
    fn is_monotone(&self) -> bool {
        false
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        let counts = &class.sensitive[self.attribute];
        let (values, size) = (counts.values(), counts.size().max(1));
        let guards = class.sensitive[self.guard_attribute].values();
        guards.iter().filter_map(|&(code, _)| self.nodes[code as usize]).all(|(first, last)| {
            let under = values.iter().filter(|(code, _)| (first..=last).contains(code));
            Ratio::new(under.map(|&(_, count)| count).sum(), size) <= self.p
        })
    }

    // Of the rows under the node with the largest share, those of the most frequent value.
    fn overfull(&self, class: &Class<'_>) -> Option<(usize, u32)> {
        let values = &class.sensitive[self.attribute];
        let guards = class.sensitive[self.guard_attribute].values();
        let under = |(first, last): (u32, u32)| -> u64 {
            let cells = values.values().iter().filter(|(code, _)| (first..=last).contains(code));
            cells.map(|&(_, count)| count).sum()
        };
        let nodes = guards.iter().filter_map(|&(code, _)| self.nodes[code as usize]);
        let (first, last) = nodes.max_by_key(|&node| under(node))?;
        let is_too_many = Ratio::new(under((first, last)), values.size().max(1)) > self.p;
        let value = values.most_frequent(|code| (first..=last).contains(&code))?;
        is_too_many.then_some((self.attribute, value))
    }
}
