//! A set of attributes, as bits.

use kohort_core::{Error, Kind};

/// A set of at most 64 attributes, by their index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct AttributeSet(u64);

impl AttributeSet {
    /// The most attributes a set can have.
    pub const LIMIT: usize = 64;

    /// No attribute.
    pub const EMPTY: Self = Self(0);

    /// The first `n` attributes.
    pub fn full(n: usize) -> Result<Self, Error> {
        match n {
            0 => Ok(Self(0)),
            1..=Self::LIMIT => Ok(Self(u64::MAX >> (Self::LIMIT - n))),
            _ => Err(Kind::TooLarge {
                what: "the number of quasi-identifiers for a search over subsets".into(),
                limit: Self::LIMIT as u64,
                found: n as u64,
            }
            .into()),
        }
    }

    /// This set and one more attribute.
    #[must_use]
    pub fn with(self, attribute: usize) -> Self {
        Self(self.0 | 1 << attribute)
    }

    /// This set without one attribute.
    #[must_use]
    pub fn without(self, attribute: usize) -> Self {
        Self(self.0 & !(1 << attribute))
    }

    /// The attributes of this set that are not in `other`.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The attributes in both sets.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Whether an attribute is in the set.
    pub fn has(self, attribute: usize) -> bool {
        self.0 >> attribute & 1 == 1
    }

    /// Whether every attribute of this set is in `other`.
    pub fn is_within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// The number of attributes.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The attributes in ascending order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            if rest == 0 {
                return None;
            }
            let attribute = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            Some(attribute)
        })
    }

    /// The set with each attribute `i` renamed to `to[i]`.
    #[must_use]
    pub fn renamed(self, to: &[usize]) -> Self {
        self.iter().fold(Self::EMPTY, |set, attribute| set.with(to[attribute]))
    }
}

impl FromIterator<usize> for AttributeSet {
    fn from_iter<I: IntoIterator<Item = usize>>(attributes: I) -> Self {
        attributes.into_iter().fold(Self::EMPTY, Self::with)
    }
}

/// The sets of a family that have no proper superset in it (`keep_large`), or no proper subset.
pub(crate) fn extremes(mut sets: Vec<AttributeSet>, keep_large: bool) -> Vec<AttributeSet> {
    sets.sort_by_key(|set| if keep_large { usize::MAX - set.len() } else { set.len() });
    sets.dedup();
    let mut kept: Vec<AttributeSet> = Vec::new();
    for set in sets {
        let covered = kept
            .iter()
            .any(|&other| if keep_large { set.is_within(other) } else { other.is_within(set) });
        if !covered {
            kept.push(set);
        }
    }
    kept.sort();
    kept
}
