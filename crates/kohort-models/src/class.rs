//! A class of rows as the models see it: its size, and how often each sensitive value occurs in it and
//! in the whole table.

use kohort_core::{Attribute, MissingAs, Ratio, Spec, Taxonomy};

use crate::LkcPrivacy;

/// A model that judges one class at a time.
pub trait ClassModel: Sync {
    /// What the model is.
    fn spec(&self) -> &'static Spec;

    /// Whether a union of two classes that hold always holds.
    fn is_monotone(&self) -> bool;

    /// No class of fewer rows keeps the promise.
    fn smallest(&self) -> u64 {
        1
    }

    /// Whether it looks at sensitive values, and not at the size of a class alone.
    fn needs_values(&self) -> bool {
        true
    }

    /// The sensitive attribute whose values must be spread, with l: as many rows with different values
    /// of it keep the promise.
    fn diversity(&self) -> Option<(usize, Ratio)> {
        None
    }

    /// The sensitive attribute with an l for which frequency l-diversity is at least as strict.
    fn implied_by_frequency(&self) -> Option<(usize, Ratio)> {
        self.diversity()
    }

    /// The sensitive attribute no value of which fills more than a share of a class, with that share.
    fn largest_share(&self) -> Option<(usize, Ratio)> {
        None
    }

    /// The l with which the values of every sensitive attribute must be spread, where that is all the
    /// model asks: as many rows of which no two agree on a sensitive attribute keep the promise.
    fn diversity_of_all(&self) -> Option<u64> {
        None
    }

    /// The sensitive attribute of which a class is compared with the whole table, where the rows of a class
    /// alone do not decide.
    fn compared(&self) -> Option<usize> {
        None
    }

    /// Whether it compares a class with the whole table.
    fn compares(&self) -> bool {
        self.compared().is_some()
    }

    /// The definition, where it is about the classes of sets of columns and `holds` asks for more.
    fn over_subsets(&self) -> Option<&LkcPrivacy> {
        None
    }

    /// Whether the class keeps the promise.
    fn holds(&self, class: &Class<'_>) -> bool;

    /// The sensitive attribute and the value of which a class that does not hold has too many rows:
    /// dropping one of them brings it nearest to the promise. None where dropping rows does not.
    fn overfull(&self, _class: &Class<'_>) -> Option<(usize, u32)> {
        None
    }
}

/// A borrowed model is the model: a goal can be asked again beside other models.
impl<M: ClassModel + ?Sized> ClassModel for &M {
    fn spec(&self) -> &'static Spec {
        (**self).spec()
    }

    fn is_monotone(&self) -> bool {
        (**self).is_monotone()
    }

    fn smallest(&self) -> u64 {
        (**self).smallest()
    }

    fn needs_values(&self) -> bool {
        (**self).needs_values()
    }

    fn diversity(&self) -> Option<(usize, Ratio)> {
        (**self).diversity()
    }

    fn implied_by_frequency(&self) -> Option<(usize, Ratio)> {
        (**self).implied_by_frequency()
    }

    fn largest_share(&self) -> Option<(usize, Ratio)> {
        (**self).largest_share()
    }

    fn diversity_of_all(&self) -> Option<u64> {
        (**self).diversity_of_all()
    }

    fn compared(&self) -> Option<usize> {
        (**self).compared()
    }

    fn over_subsets(&self) -> Option<&LkcPrivacy> {
        (**self).over_subsets()
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        (**self).holds(class)
    }

    fn overfull(&self, class: &Class<'_>) -> Option<(usize, u32)> {
        (**self).overfull(class)
    }
}

/// One class of rows.
#[derive(Clone, Copy, Debug)]
pub struct Class<'a> {
    /// The number of rows.
    pub size: u64,
    /// The sensitive values, one entry per sensitive attribute.
    pub sensitive: &'a [Counts<'a>],
}

/// How often each value of one sensitive attribute occurs in a class.
#[derive(Clone, Copy, Debug)]
pub struct Counts<'a> {
    /// The whole table's distribution of the attribute.
    pub table: &'a Distribution<'a>,
    /// Value codes with their counts, none zero, in code order; missing is the last.
    pub cells: &'a [(u32, u64)],
}

impl<'a> Counts<'a> {
    /// The values that could be learned, with their counts: without a missing one that says nothing.
    pub fn values(&self) -> &'a [(u32, u64)] {
        match self.cells {
            [values @ .., (last, _)] if Some(*last) == self.table.silent => values,
            cells => cells,
        }
    }

    /// Whether no row has a value that could be learned: then there is nothing to promise.
    pub fn is_silent(&self) -> bool {
        self.values().is_empty()
    }

    /// The number of rows that the shares of values are of: those with a value, and the others where they
    /// hide who has one.
    pub fn size(&self) -> u64 {
        let hides = self.table.attribute.missing_as() == MissingAs::Unprotected;
        let rows = if hides { self.cells } else { self.values() };
        rows.iter().map(|&(_, count)| count).sum()
    }

    /// The most frequent of the values that are asked about; the first of several.
    pub(crate) fn most_frequent(&self, is_asked: impl Fn(u32) -> bool) -> Option<u32> {
        let asked = self.values().iter().filter(|&&(code, _)| is_asked(code));
        asked.rev().max_by_key(|&&(_, count)| count).map(|&(code, _)| code)
    }

    /// The count of the most frequent value.
    pub fn largest(&self) -> u64 {
        self.values().iter().map(|&(_, count)| count).max().unwrap_or(0)
    }
}

/// The distribution of a sensitive attribute over the whole table, with what the distances need.
#[derive(Clone, Debug)]
pub struct Distribution<'a> {
    attribute: &'a Attribute,
    n: u64,
    // The rank of each code in the order of the values that occur, and the share of the table up to and
    // including each rank, with the sums of those shares.
    rank_of_code: Vec<u32>,
    cumulated: Vec<f64>,
    cumulated_sums: Vec<f64>,
    // The number of rows with a code below each code.
    below: Vec<u64>,
    // The code of missing, where it is no value.
    silent: Option<u32>,
}

impl<'a> Distribution<'a> {
    /// The distribution of this attribute.
    pub fn new(attribute: &'a Attribute) -> Self {
        Self::of(attribute, attribute.counts())
    }

    /// The distribution of this attribute over some of the rows, in which each code occurs so often. Rows
    /// without a value that could be learned are none of them.
    #[expect(
        clippy::cast_precision_loss,
        reason = "shares are reported, t is compared within 1e-9"
    )]
    pub fn of(attribute: &'a Attribute, counts: &[u32]) -> Self {
        let silent = attribute.silent();
        let is_silent = |code: usize| silent.is_some_and(|silent| silent as usize == code);
        let counts = counts.iter().enumerate();
        let counts: Vec<u32> =
            counts.map(|(code, &count)| if is_silent(code) { 0 } else { count }).collect();
        let n: u64 = counts.iter().map(|&count| u64::from(count)).sum();
        let mut code_of_value = vec![0_usize; attribute.value_of_code().len()];
        for (code, &value) in attribute.value_of_code().iter().enumerate() {
            code_of_value[value as usize] = code;
        }
        let mut rank_of_code = vec![0; code_of_value.len()];
        let mut by_rank = Vec::with_capacity(code_of_value.len());
        for code in code_of_value {
            rank_of_code[code] = u32::try_from(by_rank.len()).expect("values are counted in u32");
            // A value that occurs in none of the rows has no rank: who reads them knows nothing of it.
            by_rank.extend(Some(u64::from(counts[code])).filter(|&count| count > 0));
        }
        let mut cumulated = Vec::with_capacity(by_rank.len());
        let mut cumulated_sums = Vec::with_capacity(by_rank.len() + 1);
        cumulated_sums.push(0.0);
        let (mut below, mut sum) = (0, 0.0);
        for count in by_rank {
            below += count;
            let share = below as f64 / n as f64;
            cumulated.push(share);
            sum += share;
            cumulated_sums.push(sum);
        }
        let mut below = vec![0];
        for count in counts {
            below.push(below[below.len() - 1] + u64::from(count));
        }
        Self { attribute, n, rank_of_code, cumulated, cumulated_sums, below, silent }
    }

    /// The attribute that is distributed.
    pub fn attribute(&self) -> &Attribute {
        self.attribute
    }

    /// The number of rows in the table that have a value.
    pub fn n(&self) -> u64 {
        self.n
    }

    /// The number of values in the table.
    pub fn n_values(&self) -> usize {
        self.cumulated.len()
    }

    /// The number of rows with a value.
    pub fn count(&self, code: u32) -> u64 {
        self.count_between(code, code)
    }

    /// The number of rows with a value of an interval of codes.
    pub fn count_between(&self, first: u32, last: u32) -> u64 {
        self.below[last as usize + 1] - self.below[first as usize]
    }

    /// The rank of a value in the order of values.
    pub fn rank(&self, code: u32) -> usize {
        self.rank_of_code[code as usize] as usize
    }

    /// The share of the table up to and including each rank.
    pub fn cumulated(&self) -> &[f64] {
        &self.cumulated
    }

    /// The sums of those shares: entry `i` is the sum over the ranks below `i`.
    pub fn cumulated_sums(&self) -> &[f64] {
        &self.cumulated_sums
    }

    /// The tree above the values.
    pub fn taxonomy(&self) -> &Taxonomy {
        self.attribute.taxonomy()
    }
}

/// Collects the cells of a class from its rows' codes, each with a weight, into `cells`, in code order.
pub fn tally(
    codes: impl ExactSizeIterator<Item = (u32, u64)>,
    n_codes: usize,
    cells: &mut Vec<(u32, u64)>,
) {
    cells.clear();
    if codes.len() >= n_codes / 4 {
        let mut counts = vec![0; n_codes];
        for (code, weight) in codes {
            counts[code as usize] += weight;
        }
        cells.extend((0..).zip(counts).filter(|&(_, count)| count > 0));
    } else {
        cells.extend(codes);
        cells.sort_unstable_by_key(|&(code, _)| code);
        cells.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
    }
}
