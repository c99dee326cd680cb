//! LKC-privacy: for every set of at most L quasi-identifiers, every class has K rows and no listed value in
//! more than a share C of them (Mohammed et al. 2009).

use super::Fraction;
use super::alpha_k_anonymity;
use super::cells::Missing;
use super::classes::{Shown, alike};
use super::fillings::{Answer, every};

pub(crate) fn holds(
    shown: &Shown,
    attribute: &str,
    l: usize,
    k: usize,
    c: Fraction,
    listed: Option<&[String]>,
    missing: Missing,
) -> Answer {
    let n_columns = shown.quasi.first().map_or(0, Vec::len);
    let sets = (1..1_usize << n_columns).filter(|set| set.count_ones() as usize <= l);
    sets.map(|set| {
        let known = |row: &Vec<String>| -> Vec<String> {
            (0..n_columns)
                .filter(|place| set >> place & 1 == 1)
                .map(|place| row[place].clone())
                .collect()
        };
        let keys: Vec<Vec<String>> = shown.quasi.iter().map(known).collect();
        let classes = alike(&keys).into_iter().map(|rows| {
            let options: Vec<&[String]> =
                rows.iter().map(|&row| shown.sensitive[attribute][row].as_slice()).collect();
            every(&options, |class| alpha_k_anonymity::holds(class, c, k, listed, missing))
        });
        classes.fold(Answer::Holds, Answer::and)
    })
    .fold(Answer::Holds, Answer::and)
}
