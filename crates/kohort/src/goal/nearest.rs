//! The goal nearest to one that is out of reach.
//!
//! # Guarantee
//! Every goal that is suggested is kept by some rows of the table as one class, and no more rows are
//! dropped for that than may be.
//!
//! # Method
//! 1. Promises are taken up one after the other, first those that can be kept alone. One that cannot be
//!    kept with those before it is asked for less: one of its parameters is changed as little as
//!    possible, or two of them.
//! 2. Where it can be kept alone, the others stand in its way: a parameter of theirs is changed instead, as
//!    another suggestion.
//! 3. Parameters are tried in steps of a few digits, since in full they could tell a cell: levels in whole
//!    numbers or tenths, shares in hundredths, widths with one digit. Bisection finds the first step that
//!    is within reach.

use kohort_core::Ratio;

use super::Principle;
use super::declared::Less;
use super::one_class::Reach;

/// The goals nearest to one that is out of reach, each of which could be asked for instead.
pub(super) fn nearest(reach: &Reach<'_>, goal: &[Principle]) -> Vec<Vec<Principle>> {
    let mut order: Vec<usize> = (0..goal.len()).collect();
    let is_kept_alone: Vec<bool> =
        goal.iter().map(|asked| reach.keeps(std::slice::from_ref(asked))).collect();
    order.sort_by_key(|&index| !is_kept_alone[index]);
    let mut kept: Vec<(usize, Principle)> = Vec::new();
    // With everything else as it was asked.
    let mut others: Vec<Vec<Principle>> = Vec::new();
    let mut n_changed = 0;
    for index in order {
        let before: Vec<Principle> = kept.iter().map(|(_, asked)| asked.clone()).collect();
        let with = |asked: &Principle| [&before[..], std::slice::from_ref(asked)].concat();
        if reach.keeps(&with(&goal[index])) {
            kept.push((index, goal[index].clone()));
            continue;
        }
        let keeps = |asked: &Principle| reach.keeps(&with(asked));
        let mut less = changed(reach, &goal[index], &keeps);
        if less.is_empty() {
            less.extend(changed_twice(reach, &goal[index], &keeps));
        }
        n_changed += 1;
        let as_asked = |asked: Principle| {
            let put = |(at, before): (usize, &Principle)| {
                if at == index { asked.clone() } else { before.clone() }
            };
            goal.iter().enumerate().map(put).collect::<Vec<_>>()
        };
        others.extend(less.iter().skip(1).cloned().map(as_asked));
        if is_kept_alone[index] {
            others.extend(instead(reach, goal, index));
        }
        let Some(first) = less.into_iter().next() else {
            return others.into_iter().filter(|goal| reach.keeps(goal)).collect();
        };
        kept.push((index, first));
    }
    kept.sort_by_key(|(index, _)| *index);
    let first: Vec<Principle> = kept.into_iter().map(|(_, asked)| asked).collect();
    if n_changed > 1 {
        others.clear();
    }
    let mut found = vec![first];
    found.extend(others);
    found.retain(|goal| reach.keeps(goal));
    found.dedup();
    found
}

/// The goals in which another promise than this one asks for less.
fn instead(reach: &Reach<'_>, goal: &[Principle], index: usize) -> Vec<Vec<Principle>> {
    let others = (0..goal.len()).filter(|&at| at != index);
    let goals = others.flat_map(|at| {
        let with = |asked: &Principle| {
            let mut goal = goal.to_vec();
            goal[at] = asked.clone();
            goal
        };
        let less = changed(reach, &goal[at], &|asked| reach.keeps(&with(asked)));
        less.iter().map(with).collect::<Vec<_>>()
    });
    goals.collect()
}

/// The promise with one parameter changed as little as makes it kept; one for each such parameter.
fn changed(
    reach: &Reach<'_>,
    asked: &Principle,
    keeps: &dyn Fn(&Principle) -> bool,
) -> Vec<Principle> {
    let found = asked.numbers().into_iter().filter_map(|(name, _)| {
        let steps = Steps::of(asked, name, reach.n_rows)?;
        let value = steps.first(|value| keeps(&asked.with_number(name, value)))?;
        Some(asked.with_number(name, value))
    });
    found.collect()
}

/// The promise with two parameters changed: the first as little as possible when the second asks for
/// nothing, then the second.
fn changed_twice(
    reach: &Reach<'_>,
    asked: &Principle,
    keeps: &dyn Fn(&Principle) -> bool,
) -> Option<Principle> {
    let names: Vec<&str> = asked.numbers().into_iter().map(|(name, _)| name).collect();
    let pairs = names.iter().flat_map(|a| names.iter().map(move |b| (*a, *b)));
    pairs.filter(|(a, b)| a != b).find_map(|(a, b)| {
        let of_a = Steps::of(asked, a, reach.n_rows)?;
        let of_b = Steps::of(asked, b, reach.n_rows)?;
        let lax = asked.with_number(b, of_b.last()?);
        let with_a = asked.with_number(a, of_a.first(|v| keeps(&lax.with_number(a, v)))?);
        let value = of_b.first(|value| keeps(&with_a.with_number(b, value)))?;
        Some(with_a.with_number(b, value))
    })
}

/// The values of a parameter that ask for less, the strictest first.
enum Steps {
    /// So many parts of one, downwards to the last.
    Down { from: u64, to: u64, parts: u64 },
    /// Upwards.
    Up { from: u64, to: u64, parts: u64 },
    /// These.
    Listed(Vec<Ratio>),
}

impl Steps {
    fn of(asked: &Principle, name: &str, n_rows: u64) -> Option<Self> {
        let (now, less) = asked.number(name)?;
        let below = |parts: u64, to: u64| {
            let floor = now.floor_of(parts);
            let is_exact = Ratio::new(floor, parts) == now;
            let from = floor - u64::from(is_exact && floor > 0);
            (from >= to).then_some(Self::Down { from, to, parts })
        };
        let above = |to: u64| {
            let from = now.floor_of(100).saturating_add(1);
            (from <= to).then_some(Self::Up { from, to, parts: 100 })
        };
        match less {
            Less::None => None,
            Less::DownTo(least) => below(1, least),
            Less::TenthsAboveOne => below(10, 11),
            Less::UpToOne => above(100),
            Less::Up => above(n_rows.saturating_add(1).saturating_mul(100)),
            Less::OneDigit => Some(Self::Listed(one_digit(now))),
        }
    }

    fn len(&self) -> u64 {
        match self {
            Self::Down { from, to, .. } => from - to + 1,
            Self::Up { from, to, .. } => to - from + 1,
            Self::Listed(values) => values.len() as u64,
        }
    }

    fn at(&self, step: u64) -> Ratio {
        match self {
            Self::Down { from, parts, .. } => Ratio::new(from - step, *parts),
            Self::Up { from, parts, .. } => Ratio::new(from + step, *parts),
            Self::Listed(values) => values[usize::try_from(step).unwrap_or(usize::MAX)],
        }
    }

    /// The value that asks for least.
    fn last(&self) -> Option<Ratio> {
        Some(self.at(self.len().checked_sub(1)?))
    }

    /// The first value that is kept, where a value that asks for less is kept as well.
    fn first(&self, keeps: impl Fn(Ratio) -> bool) -> Option<Ratio> {
        self.last().filter(|&value| keeps(value))?;
        let (mut low, mut high) = (0, self.len() - 1);
        while low < high {
            let middle = low.midpoint(high);
            if keeps(self.at(middle)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Some(self.at(high))
    }
}

/// The numbers of one digit below this one, downwards.
fn one_digit(above: Ratio) -> Vec<Ratio> {
    let large = (0..19).rev().map(|zeros| (10_u64.pow(zeros), 1));
    let small = (1..10).map(|places| (1, 10_u64.pow(places)));
    let digits = |(num, den): (u64, u64)| {
        (1..10).rev().filter_map(move |digit| Some(Ratio::new(num.checked_mul(digit)?, den)))
    };
    large.chain(small).flat_map(digits).filter(|&value| value < above).collect()
}

/// What changed from a goal to another, in words. Promises beside `promise` are named.
pub(super) fn told(goal: &[Principle], nearest: &[Principle], promise: Option<&str>) -> String {
    let mut parts = Vec::new();
    for (asked, found) in goal.iter().zip(nearest) {
        let is_one = goal.iter().filter(|other| other.id() == asked.id()).count() == 1;
        let of = match asked.attribute() {
            _ if promise == Some(asked.id()) && is_one => String::new(),
            Some(attribute) => format!(" of `{}` of `{attribute}`", asked.id()),
            None => format!(" of `{}`", asked.id()),
        };
        for ((name, before), (_, after)) in asked.numbers().into_iter().zip(found.numbers()) {
            if before != after {
                let side = if after < before { "most" } else { "least" };
                parts.push(format!("at {side} {name} = {}{of}", after.value()));
            }
        }
    }
    parts.join(" with ")
}
