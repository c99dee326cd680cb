//! (epsilon,m)-anonymity: around no number of a class lie more than 1/m of its numbers.
//!
//! # Definition
//! For every class E and every number x in it: at most |E|/m rows of E have a number in [x − ε, x + ε], or,
//! relative to x, in [x(1 − ε), x(1 + ε)]. A missing cell that is a value is near missing ones alone; of others
//! |E| counts what `Counts::size` says.
//!
//! # Promise
//! Who finds a person's class cannot tell with a probability above 1/m that the number lies within ε of some
//! number of the class.
//!
//! # What it does not promise
//! Nothing about ranges wider than ε, and nothing once the adversary can rule values out.
//!
//! # Parameters
//! Whole numbers are compared exactly. Decimals are floats: what is within 1e-9 of the end of an interval
//! counts as inside, against "holds".
//!
//! # References
//! Li, Tao and Xiao, Preservation of proximity privacy in publishing numerical sensitive data, SIGMOD 2008.
//! That it is not monotone is shown by the example of Zare-Mirakabad, CS & IT 2012: with ε = 15 and m = 2,
//! {40, 60} holds and {40, 50, 60} does not.

use kohort_core::{Error, Kind, Parameter, Ratio, Spec, Values};

use crate::{Class, ClassModel, Counts};

/// What the model is.
pub(crate) const SPEC: Spec = Spec {
    id: "epsilon-m-anonymity",
    title: "(epsilon,m)-anonymity",
    paper: "Li, Tao and Xiao 2008",
    promise: "nobody's number can be guessed to within epsilon with probability above 1/m",
    parameters: &[
        Parameter {
            name: "epsilon",
            range: "epsilon ≥ 0",
            doc: "numbers at most this far apart count as the same; with `relative`, a share of \
                  the number",
        },
        Parameter {
            name: "m",
            range: "m ≥ 2",
            doc: "one over the largest share that such numbers may have in a class",
        },
    ],
};

const TOLERANCE: f64 = 1e-9;

/// The (epsilon,m)-anonymity condition on one numeric sensitive attribute.
#[derive(Clone, Copy, Debug)]
pub struct EpsilonMAnonymity {
    attribute: usize,
    epsilon: Ratio,
    // Invariant: 2 ≤ m.
    m: u64,
    is_relative: bool,
}

/// The numbers of a class, each with the rows that are near it.
struct Near {
    code: u32,
    rows: u64,
}

impl EpsilonMAnonymity {
    /// Asks that of the numbers of the sensitive attribute with this index at most one in `m` lie within
    /// `epsilon` of a number of their class. No class of an attribute that is not numeric keeps it.
    pub fn new(attribute: usize, epsilon: Ratio, m: u64) -> Result<Self, Error> {
        if m < 2 {
            let found = m.to_string();
            return Err(Kind::Parameter { name: "m", found, expected: "at least 2" }.into());
        }
        Ok(Self { attribute, epsilon, m, is_relative: false })
    }

    /// The same with intervals that are as wide as the number itself times `epsilon`, to both sides.
    #[must_use]
    pub fn relative(self) -> Self {
        Self { is_relative: true, ..self }
    }

    /// For each number of a class, how many rows are near it.
    fn near(&self, counts: &Counts<'_>) -> Vec<Near> {
        let attribute = counts.table.attribute();
        let value = |code: u32| attribute.value_of_code()[code as usize] as usize;
        match attribute.values() {
            Values::Integer(values) => {
                let number = |code: u32| values.get(value(code)).copied();
                near(counts, number, |x, y| self.are_near_whole(*x, *y))
            }
            _ => near(counts, |code| attribute.number(code), |x, y| self.are_near(*x, *y)),
        }
    }

    /// Whether y lies in the interval around x.
    fn are_near_whole(&self, x: i64, y: i64) -> bool {
        let by = if self.is_relative { x.unsigned_abs() } else { 1 };
        let (num, den) = (u128::from(self.epsilon.num()), u128::from(self.epsilon.den()));
        u128::from(x.abs_diff(y)) * den <= num * u128::from(by)
    }

    fn are_near(&self, x: f64, y: f64) -> bool {
        let by = if self.is_relative { x.abs() } else { 1.0 };
        // What is written in decimals is a hair off as a float.
        let rest = 4.0 * f64::EPSILON * x.abs().max(y.abs());
        (x - y).abs() <= self.epsilon.value() * by * (1.0 + TOLERANCE) + rest
    }
}

/// For each number of a class, how many rows are near it; the numbers near one number lie side by side.
fn near<N: PartialOrd>(
    counts: &Counts<'_>,
    number: impl Fn(u32) -> Option<N>,
    are_near: impl Fn(&N, &N) -> bool,
) -> Vec<Near> {
    let of = |&(code, rows): &(u32, u64)| Some((number(code)?, code, rows));
    let mut numbers: Vec<(N, u32, u64)> = counts.values().iter().filter_map(of).collect();
    numbers.sort_by(|a, b| a.0.partial_cmp(&b.0).expect("no cell is NaN"));
    let mut below = vec![0];
    for &(_, _, rows) in &numbers {
        below.push(below[below.len() - 1] + rows);
    }
    let around = |(x, code, _): &(N, u32, u64)| {
        let first = numbers.partition_point(|(y, ..)| y < x && !are_near(x, y));
        let end = numbers.partition_point(|(y, ..)| y <= x || are_near(x, y));
        Near { code: *code, rows: below[end] - below[first] }
    };
    numbers.iter().map(around).collect()
}

impl ClassModel for EpsilonMAnonymity {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    // {40, 60} and {50, 90} hold for epsilon 15 and m = 2; of their union three rows are near 50.
    fn is_monotone(&self) -> bool {
        false
    }

    fn smallest(&self) -> u64 {
        self.m
    }

    // A number is near itself.
    fn largest_share(&self) -> Option<(usize, Ratio)> {
        Some((self.attribute, Ratio::new(1, self.m)))
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        let counts = &class.sensitive[self.attribute];
        let attribute = counts.table.attribute();
        let fits = |rows: u64| rows.saturating_mul(self.m) <= counts.size();
        let is_missing = |code: u32| attribute.missing() == Some(code);
        attribute.value_type().is_numeric()
            && counts.values().iter().all(|&(code, rows)| !is_missing(code) || fits(rows))
            && self.near(counts).iter().all(|near| fits(near.rows))
    }

    // Of all rows, those that most others are near weigh most.
    fn overfull(&self, class: &Class<'_>) -> Option<(usize, u32)> {
        let fullest = self.near(&class.sensitive[self.attribute]).into_iter();
        let fullest = fullest.rev().max_by_key(|near| near.rows)?;
        Some((self.attribute, fullest.code))
    }
}
