//! k-map: behind every class of a release there are at least k people of the population (Sweeney 2002). A
//! population that is not given is estimated: a class of f rows is large enough where fewer than k people
//! would show so many with a probability of at most the significance level (El Emam and Dankar 2008).

use super::cells::{Column, Role, covers};
use super::classes::{Shown, alike};
use super::fillings::Answer;
use super::{Fraction, float};
use crate::files::Rows;

/// Whether the population, which has a column for each quasi-identifier, has k people for each class.
pub(crate) fn is_counted(columns: &[Column], shown: &Shown, people: &Rows, k: usize) -> Answer {
    let quasi: Vec<&Column> = columns.iter().filter(|column| column.role == Role::Quasi).collect();
    let places: Option<Vec<usize>> =
        quasi.iter().map(|column| people.place(&column.name)).collect();
    let Some(places) = places else { return Answer::Open };
    let classes = alike(&shown.quasi).into_iter().map(|class| {
        let cells = &shown.quasi[class[0]];
        let is_inside = |person: &&Vec<String>| {
            let cells = quasi.iter().zip(&places).zip(cells);
            cells
                .map(|((column, &place), cell)| covers(column, cell, &person[place]))
                .try_fold(true, |all, covered| covered.map(|covered| all && covered))
        };
        let n_surely = people.rows.iter().filter(|row| is_inside(row) == Some(true)).count();
        let n_at_most = people.rows.iter().filter(|row| is_inside(row) != Some(false)).count();
        if n_surely >= k {
            Answer::Holds
        } else if n_at_most < k {
            Answer::Broken
        } else {
            Answer::Open
        }
    });
    classes.fold(Answer::Holds, Answer::and)
}

/// Whether every class is large enough, where the rows are this fraction of the population.
pub(crate) fn is_estimated(
    shown: &Shown,
    k: usize,
    fraction: Fraction,
    significance: Fraction,
) -> Answer {
    let of_class = |class: Vec<usize>| {
        let tail = tail(k - 1, fraction.value(), class.len());
        if class.len() >= k {
            Answer::Holds
        } else if (tail - significance.value()).abs() < 1e-9 {
            Answer::Open
        } else {
            Answer::of(tail <= significance.value())
        }
    };
    alike(&shown.quasi).into_iter().map(of_class).fold(Answer::Holds, Answer::and)
}

/// P(X ≥ x) for X ~ Binomial(n, p).
fn tail(n: usize, p: f64, x: usize) -> f64 {
    let ways = |k: usize| (0..k).fold(1.0, |ways, i| ways * float(n - i) / float(i + 1));
    let power = |base: f64, n: usize| (0..n).fold(1.0, |product, _| product * base);
    (x..=n).map(|k| ways(k) * power(p, k) * power(1.0 - p, n - k)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tail_of_the_binomial_distribution() {
        assert!((tail(4, 0.5, 3) - 5.0 / 16.0).abs() < 1e-12);
        assert!((tail(4, 0.5, 0) - 1.0).abs() < 1e-12);
        assert!(tail(4, 0.5, 5).abs() < 1e-12);
    }
}
