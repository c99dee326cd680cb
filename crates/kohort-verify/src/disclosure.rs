//! What the classes of a table give away about several sensitive attributes at once.
//!
//! # Method
//! 1. A row's disclosure is the largest share of its class that agrees on a sensitive attribute. The level
//!    of l-pdiversity is one over the largest disclosure, rounded down, and the level of l-mdiversity is
//!    the same: see that model.
//! 2. The worst posterior under one or two bits is the largest of all classes. Where no two rows agree it
//!    is 1/(g − b). The other classes are visited by falling bound, c / (g − c · b), and every set of bits
//!    is tried. The search ends as soon as no bound is above what was found: then the largest is known
//!    exactly.
//! 3. Masked cells are counted for every value that they allow, and missing ones that are no value not at
//!    all: a class with such cells has the bound of what is counted.
//! 4. It ends as well after `MOST_TRIED` classes or `MOST_STEPS` steps, about a second, however large the
//!    table: then what is said is the larger of what was found and the next bound, and it is called a
//!    bound. The levels do not depend on it.
//!
//! # References
//! Abdalaal, Privacy Preserving Data Publishing with Multiple Sensitive Attributes, 2012.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use kohort_core::{Attribute, Grouping, Ratio};
use kohort_models::{Evidence, Posterior, posterior_bound, worst_posterior};

use crate::risk::Shown;

/// The numbers of bits for which the worst posterior is looked for.
pub const BITS: [usize; 3] = [0, 1, 2];

/// The most classes whose sets of bits are tried, for each number of bits.
const MOST_TRIED: usize = 300;

/// The most steps that trying may take, for each number of bits, and what one class takes at most.
const MOST_STEPS: u64 = 200_000_000;
const STEPS_OF_CLASS: u64 = 50_000_000;

/// What the classes of a table give away about its sensitive attributes together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disclosure {
    /// Rows by the largest probability that a sensitive value of theirs is guessed, ascending.
    pub rows: Vec<(Ratio, u64)>,
    /// Classes by how their posteriors are known.
    pub classes: EvidenceCount,
    /// The worst posterior under each of `BITS`.
    pub worst: [Posterior; 3],
}

/// Classes by how their posteriors are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EvidenceCount {
    /// No two rows agree on a sensitive attribute.
    pub by_construction: u64,
    /// Every set of bits was tried.
    pub decided: u64,
    /// The bound says enough, or is all that is known.
    pub bounded: u64,
}

impl Disclosure {
    /// The largest probability that a sensitive value of anybody is guessed.
    pub fn max(&self) -> Ratio {
        self.worst[0].probability
    }

    /// The largest l of l-pdiversity, and of l-mdiversity.
    pub fn l(&self) -> u64 {
        self.max().den() / self.max().num().max(1)
    }

    /// How that l is known: by counting in every class, unless no two rows of any agree.
    pub fn evidence(&self) -> Evidence {
        self.worst[0].evidence
    }
}

impl Disclosure {
    /// Counts people who are in no class as well, of whom a value of some attribute fills this share.
    pub(crate) fn count_left_out(&mut self, people: u64, share: Ratio) {
        match self.rows.binary_search_by_key(&share, |row| row.0) {
            Ok(at) => self.rows[at].1 += people,
            Err(at) => self.rows.insert(at, (share, people)),
        }
        for (worst, bits) in self.worst.iter_mut().zip(BITS) {
            let bound = posterior_bound(share.den(), share.num(), bits);
            if bound > worst.probability {
                let evidence = if bits == 0 { Evidence::Decided } else { Evidence::Bounded };
                *worst = Posterior { probability: bound, evidence };
            }
        }
    }
}

/// What the classes of a grouping give away; `None` without a row or an attribute.
pub fn disclosure(grouping: &Grouping, sensitive: &[&Attribute]) -> Option<Disclosure> {
    if sensitive.is_empty() || grouping.ids.is_empty() {
        return None;
    }
    let (rows, ends) = grouping.members();
    let starts = std::iter::once(&0).chain(&ends);
    let mut classes = Vec::with_capacity(ends.len());
    let mut shares: BTreeMap<Ratio, u64> = BTreeMap::new();
    let mut shown: Vec<Shown<'_>> = sensitive.iter().copied().map(Shown::new).collect();
    for (&start, &end) in starts.zip(&ends) {
        kohort_core::alive();
        let members = &rows[start as usize..end as usize];
        let share = |&(most, n): &(u64, u64)| Ratio::new(most, n.max(1));
        let (most, size) =
            shown.iter_mut().map(|shown| shown.most(members)).max_by_key(share).unwrap_or((0, 0));
        // Somebody of whom nothing is known is still one of the rows.
        let (most, size) = if most == 0 { (1, members.len() as u64) } else { (most, size) };
        let is_partial = shown.iter().any(|shown| shown.is_partial(members));
        let class = Class { members, size, most, is_partial };
        *shares.entry(class.bound(0)).or_insert(0) += members.len() as u64;
        classes.push(class);
    }
    let mut search = Search { sensitive, classes, decided: BTreeSet::new() };
    let worst = BITS.map(|bits| search.worst(bits));
    let by_construction = search.classes.iter().filter(|class| class.is_distinct()).count() as u64;
    let decided = search.decided.len() as u64;
    let bounded = search.classes.len() as u64 - by_construction - decided;
    let classes = EvidenceCount { by_construction, decided, bounded };
    Some(Disclosure { rows: shares.into_iter().collect(), classes, worst })
}

/// A class and the count of its most frequent value of any attribute, and of how many rows that is.
struct Class<'a> {
    members: &'a [u32],
    size: u64,
    most: u64,
    // Whether a cell is masked, or missing and no value: then what is counted is a bound.
    is_partial: bool,
}

impl Class<'_> {
    fn size(&self) -> u64 {
        self.size
    }

    fn bound(&self, bits: usize) -> Ratio {
        posterior_bound(self.size(), self.most, bits)
    }

    fn is_distinct(&self) -> bool {
        self.most == 1 && !self.is_partial
    }
}

struct Search<'a> {
    sensitive: &'a [&'a Attribute],
    classes: Vec<Class<'a>>,
    // The first rows of the classes whose sets of bits were tried.
    decided: BTreeSet<u32>,
}

impl Search<'_> {
    fn worst(&mut self, bits: usize) -> Posterior {
        let is_exact = |class: &Class<'_>| class.is_distinct() || bits == 0 && !class.is_partial;
        let exact = self.classes.iter().filter(|class| is_exact(class));
        let mut found = exact.map(|class| class.bound(bits)).max().unwrap_or(Ratio::whole(0));
        let mut others: Vec<&Class<'_>> = self.classes.iter().collect();
        others.retain(|class| !is_exact(class) && class.bound(bits) > found);
        // Of equal bounds the smallest classes come first: they are tried quickly.
        others.sort_by_cached_key(|class| {
            (Reverse(class.bound(bits)), class.size(), class.members[0])
        });
        let (mut above, mut n_steps) = (Ratio::whole(0), 0);
        for (n_tried, class) in others.into_iter().enumerate() {
            let bound = class.bound(bits);
            if bound <= found.max(above) {
                break;
            }
            n_steps += self.steps(class, bits);
            if n_tried == MOST_TRIED || n_steps > MOST_STEPS {
                above = bound;
                break;
            }
            let posterior = (!class.is_partial)
                .then(|| worst_posterior(&self.values(class), self.sensitive.len(), bits));
            let posterior = posterior.filter(|found| found.evidence != Evidence::Bounded);
            let Some(posterior) = posterior else {
                above = bound;
                continue;
            };
            self.decided.insert(class.members[0]);
            found = found.max(posterior.probability);
        }
        let evidence = if above > found {
            Evidence::Bounded
        } else if self.classes.iter().all(Class::is_distinct) {
            Evidence::ByConstruction
        } else {
            Evidence::Decided
        };
        Posterior { probability: found.max(above), evidence }
    }

    /// No fewer steps than it takes to try the sets of bits of a class.
    fn steps(&self, class: &Class<'_>, bits: usize) -> u64 {
        let n = class.members.len().min(20) as u64;
        let choices = n * (self.sensitive.len() * bits) as u64;
        (0..bits).fold(n << n, |steps, _| steps.saturating_mul(choices)).min(STEPS_OF_CLASS)
    }

    /// The sensitive values of a class, row by row.
    fn values(&self, class: &Class<'_>) -> Vec<u32> {
        let row = |&row: &u32| {
            self.sensitive.iter().map(move |attribute| attribute.codes().get(row as usize))
        };
        class.members.iter().flat_map(row).collect()
    }
}
