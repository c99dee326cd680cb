//! Question 3 and its companions for l and t: the levels a table has for one quasi-identifier.
//!
//! # Guarantee
//! Every level is the largest (for t and c: the smallest) that holds in all classes, by integers where
//! the definition is one of integers. Row order and threads do not change a bit of it.

use kohort_core::{Attribute, Grouping, Ratio, group};
use kohort_models::{
    AlphaKAnonymity, Counts, Distance, DistinctLDiversity, Distribution, EntropyLDiversity,
    FrequencyLDiversity, RecursiveClDiversity, tally,
};
use rayon::prelude::*;

use crate::ClassSizes;

/// The levels of a table for one quasi-identifier.
#[derive(Clone, Debug)]
pub struct Levels {
    /// The sizes of the classes.
    pub sizes: ClassSizes,
    /// The levels of each sensitive attribute.
    pub sensitive: Vec<SensitiveLevels>,
}

/// The levels of one sensitive attribute.
#[derive(Clone, Debug)]
pub struct SensitiveLevels {
    /// The fewest different values in a class.
    pub distinct_l: u64,
    /// One over the largest share of a value in a class.
    pub frequency_l: Ratio,
    /// exp of the smallest entropy of a class.
    pub entropy_l: f64,
    /// For l = 2, 3, 4, 5: the infimum of c; `None` when some class has fewer than l values.
    pub recursive_c: [Option<Ratio>; 4],
    /// For c = 1, 2, 3: the largest l, 0 when there is none.
    pub recursive_l: [u64; 3],
    /// The largest share of one of the chosen values in a class; `None` when none was chosen.
    pub alpha: Option<Ratio>,
    /// The largest distance from the table's distribution, all values equally far apart.
    pub t_equal: f64,
    /// The same by rank; `None` for values that are no numbers.
    pub t_ordered: Option<f64>,
    /// The same by taxonomy; `None` without one.
    pub t_hierarchical: Option<f64>,
    /// The rows in classes that have one value only: whoever finds the class knows it.
    pub rows_disclosed: u64,
}

/// The levels of `n_rows` rows for a quasi-identifier. `chosen` has, per sensitive attribute, the codes
/// whose share is asked for, sorted.
pub fn levels(
    n_rows: usize,
    quasi: &[&Attribute],
    sensitive: &[&Attribute],
    chosen: &[Vec<u32>],
) -> Levels {
    let grouping = group(n_rows, quasi.iter().map(|a| (a.codes(), a.n_codes())));
    let sizes: ClassSizes = grouping.sizes().into_iter().map(u64::from).collect();
    let of = |(attribute, chosen): (&&Attribute, &Vec<u32>)| {
        sensitive_levels(&grouping, attribute, chosen)
    };
    let sensitive =
        if n_rows == 0 { Vec::new() } else { sensitive.par_iter().zip(chosen).map(of).collect() };
    Levels { sizes, sensitive }
}

fn sensitive_levels(grouping: &Grouping, attribute: &Attribute, chosen: &[u32]) -> SensitiveLevels {
    let table = Distribution::new(attribute);
    let (rows, ends) = grouping.members();
    let codes: Vec<u32> = rows.iter().map(|&row| attribute.codes().get(row as usize)).collect();
    let starts = std::iter::once(&0).chain(&ends);
    let classes: Vec<&[u32]> =
        starts.zip(&ends).map(|(&start, &end)| &codes[start as usize..end as usize]).collect();
    let worst = classes
        .par_chunks(4096)
        .map(|classes| {
            let mut worst = Worst::default();
            let mut cells = Vec::new();
            for class in classes {
                kohort_core::alive();
                tally(
                    class.iter().map(|&code| (code, 1)),
                    attribute.n_codes() as usize,
                    &mut cells,
                );
                worst.add(&Counts { table: &table, cells: &cells }, attribute, chosen);
            }
            worst
        })
        .reduce(Worst::default, Worst::or);
    worst.finish(!chosen.is_empty(), attribute)
}

/// The worst class so far, for each level.
#[derive(Clone, Copy, Debug, Default)]
struct Worst {
    distinct_l: Option<u64>,
    frequency_l: Option<Ratio>,
    entropy: Option<f64>,
    // One over the infimum of c, so that 0 means that no c will do.
    inverse_c: [Option<Ratio>; 4],
    recursive_l: [Option<u64>; 3],
    alpha: Option<Ratio>,
    t: [f64; 3],
    rows_disclosed: u64,
}

const DISTANCES: [Distance; 3] = [Distance::Equal, Distance::Ordered, Distance::Hierarchical];

impl Worst {
    fn add(&mut self, counts: &Counts<'_>, attribute: &Attribute, chosen: &[u32]) {
        if counts.is_silent() {
            return;
        }
        let distinct = DistinctLDiversity::level(counts);
        let wanted = [true, attribute.value_type().is_numeric(), !attribute.is_flat()];
        let t = std::array::from_fn(|i| if wanted[i] { DISTANCES[i].of(counts) } else { 0.0 });
        let here = Self {
            distinct_l: Some(distinct),
            frequency_l: Some(FrequencyLDiversity::level(counts)),
            entropy: Some(EntropyLDiversity::entropy(counts)),
            inverse_c: std::array::from_fn(|i| {
                let smallest = RecursiveClDiversity::smallest_c(counts, i + 2);
                Some(smallest.map_or(Ratio::whole(0), |c| Ratio::new(c.den(), c.num())))
            }),
            recursive_l: std::array::from_fn(|i| {
                Some(RecursiveClDiversity::largest_l(counts, Ratio::whole(i as u64 + 1)) as u64)
            }),
            alpha: Some(AlphaKAnonymity::level(counts, chosen)),
            t,
            rows_disclosed: if distinct == 1 { counts.size() } else { 0 },
        };
        *self = self.or(here);
    }

    fn or(self, other: Self) -> Self {
        fn least<T: PartialOrd>(a: Option<T>, b: Option<T>) -> Option<T> {
            match (a, b) {
                (Some(a), Some(b)) => Some(if b < a { b } else { a }),
                (a, b) => a.or(b),
            }
        }
        Self {
            distinct_l: least(self.distinct_l, other.distinct_l),
            frequency_l: least(self.frequency_l, other.frequency_l),
            entropy: least(self.entropy, other.entropy),
            inverse_c: std::array::from_fn(|i| least(self.inverse_c[i], other.inverse_c[i])),
            recursive_l: std::array::from_fn(|i| least(self.recursive_l[i], other.recursive_l[i])),
            alpha: self.alpha.max(other.alpha),
            t: std::array::from_fn(|i| self.t[i].max(other.t[i])),
            rows_disclosed: self.rows_disclosed + other.rows_disclosed,
        }
    }

    fn finish(self, has_chosen: bool, attribute: &Attribute) -> SensitiveLevels {
        SensitiveLevels {
            distinct_l: self.distinct_l.unwrap_or(0),
            frequency_l: self.frequency_l.unwrap_or(Ratio::whole(0)),
            entropy_l: self.entropy.unwrap_or(0.0).exp(),
            recursive_c: self.inverse_c.map(|inverse| {
                inverse.filter(|i| i.num() > 0).map(|i| Ratio::new(i.den(), i.num()))
            }),
            recursive_l: self.recursive_l.map(|l| l.unwrap_or(0)),
            alpha: self.alpha.filter(|_| has_chosen),
            t_equal: self.t[0],
            t_ordered: attribute.value_type().is_numeric().then_some(self.t[1]),
            t_hierarchical: (!attribute.is_flat()).then_some(self.t[2]),
            rows_disclosed: self.rows_disclosed,
        }
    }
}
