//! The rows that a database gave against a diagnosis.

use std::collections::{BTreeMap, BTreeSet};

use kohort::Ratio;
use kohort::diagnose::{Diagnosis, GoalAnswer, Question, Sensitive, Subset};

use super::Rows;

/// A statement's comment and what it gave.
pub(crate) struct Answer {
    pub(crate) figure: String,
    pub(crate) rows: Rows,
}

impl Answer {
    fn is(&self, start: &str) -> bool {
        self.figure.starts_with(start)
    }

    /// A figure of a row.
    fn get(&self, row: usize, column: &str) -> Option<&str> {
        let index = self.rows.columns.iter().position(|name| name == column).unwrap();
        self.rows.rows[row][index].as_deref()
    }

    fn whole(&self, row: usize, column: &str, expected: impl Into<Option<u64>>) {
        let found = self.get(row, column).map(|text| text.parse().unwrap());
        assert_eq!(found, expected.into(), "{}: {column}", self.figure);
    }

    fn real(&self, row: usize, column: &str, expected: impl Into<Option<f64>>) {
        let found = self.get(row, column).map(|text| text.parse::<f64>().unwrap());
        let expected = expected.into();
        let same = match (found, expected) {
            (Some(a), Some(b)) => (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1e-3),
            (a, b) => a.is_none() && b.is_none(),
        };
        assert!(same, "{}: {column} is {found:?}, not {expected:?}", self.figure);
    }

    fn holds(&self, row: usize) -> bool {
        matches!(self.get(row, "holds"), Some("t" | "1"))
    }

    fn n_rows(&self, expected: usize) {
        assert_eq!(self.rows.rows.len(), expected, "{}", self.figure);
    }

    fn attributes(&self, row: usize) -> &str {
        self.get(row, "attributes").unwrap()
    }
}

/// Checks every figure; a statement that is not known here fails.
pub(crate) fn check(names: &[&str], question: &Question, expected: &Diagnosis, answers: &[Answer]) {
    let (of_subsets, of_all): (Vec<&Answer>, Vec<&Answer>) =
        answers.iter().partition(|answer| answer.figure.ends_with(", for every subset"));
    assert_eq!(of_subsets.is_empty(), !question.subsets);
    let is_judged = |answer: &&Answer| answer.is("whether ") && !answer.is("whether dropping");
    let (judged, levels): (Vec<&Answer>, Vec<&Answer>) = of_all.into_iter().partition(is_judged);
    assert_eq!(judged.len(), expected.goal.len());
    for (answer, goal) in judged.into_iter().zip(&expected.goal) {
        check_goal(answer, goal);
    }
    assert!(levels.len() >= 4 + 3 * expected.sensitive.len());
    for answer in levels {
        check_level(answer, names, expected);
    }
    if expected.borders.is_some() {
        check_borders(names, question, expected, &of_subsets);
    }
    for answer in of_subsets.iter().filter(|_| expected.borders.is_none()) {
        check_subsets(answer, expected.subsets.as_ref().unwrap());
    }
}

fn check_goal(answer: &Answer, expected: &GoalAnswer) {
    answer.n_rows(1);
    assert_eq!(answer.holds(0), expected.holds, "{}", answer.figure);
    answer.whole(0, "violating_classes", expected.violating_classes);
    answer.whole(0, "violating_rows", expected.violating_rows);
}

fn check_level(answer: &Answer, names: &[&str], expected: &Diagnosis) {
    let suppression = &expected.suppression;
    if answer.is("k, the number of classes") {
        answer.n_rows(1);
        answer.whole(0, "n_rows", expected.rows);
        answer.whole(0, "k", expected.k);
        answer.whole(0, "classes", expected.classes);
        answer.real(0, "distinct_ratio", expected.distinct_ratio);
        answer.real(0, "separation_ratio", expected.separation_ratio);
    } else if answer.is("the number of classes of each size") {
        answer.n_rows(expected.class_sizes.len());
        for (row, size) in expected.class_sizes.iter().enumerate() {
            answer.whole(row, "size", size.size);
            answer.whole(row, "classes", size.classes);
        }
    } else if answer.is("the number of values") {
        let of = |sensitive: &&Sensitive| {
            answer.figure.ends_with(&format!(" of `{}`", sensitive.attribute))
        };
        let found = expected.sensitive.iter().find(of).unwrap();
        answer.whole(0, "values_in_table", found.values);
    } else if answer.is("the k that dropping") {
        answer.whole(0, "k_after", suppression.k_after.unwrap().0);
        answer.whole(0, "suppressed", suppression.suppressed);
    } else if answer.is("whether dropping") {
        assert_eq!(Some(answer.holds(0)), expected.holds, "{}", answer.figure);
    } else if answer.is("the rows to drop") {
        answer.whole(0, "suppressed", suppression.suppressed);
        answer.real(0, "suppression", suppression.suppression);
    } else if answer.is("every k") {
        let curve = suppression.curve.as_ref().unwrap();
        answer.n_rows(curve.len());
        for (row, point) in curve.iter().enumerate() {
            answer.whole(row, "k", point.k);
            answer.whole(row, "suppressed", point.suppressed);
        }
    } else if answer.is("p-sensitivity") {
        answer.whole(0, "k", expected.k);
        answer.whole(0, "p_sensitivity", expected.p_sensitivity);
    } else if answer.is("rows that each column") {
        check_uniques(answer, expected);
    } else if let Some((_, name)) = answer.figure.split_once(" of `") {
        let is_named = |sensitive: &&Sensitive| format!("{}`", sensitive.attribute) == name;
        check_sensitive(answer, expected.sensitive.iter().find(is_named).unwrap());
    } else {
        assert!(!names.is_empty());
        check_risk(answer, expected);
    }
}

fn check_uniques(answer: &Answer, expected: &Diagnosis) {
    let Some(uniques) = &expected.uniques else {
        panic!("nothing is said about {}", answer.figure)
    };
    let counts = uniques.by_column.iter().chain(&uniques.by_pair);
    let counts: BTreeMap<String, u64> =
        counts.map(|count| (count.attributes.join(", "), count.rows)).collect();
    answer.n_rows(counts.len());
    for row in 0..counts.len() {
        answer.whole(row, "rows_unique", counts[answer.attributes(row)]);
    }
}

fn check_risk(answer: &Answer, expected: &Diagnosis) {
    let risk = &expected.risk;
    answer.n_rows(1);
    if answer.is("prosecutor risk") {
        answer.real(0, "risk_max", risk.prosecutor.max_value);
        answer.real(0, "risk_mean", risk.prosecutor.mean_value);
        answer.whole(0, "rows_unique", risk.prosecutor.unique);
        for above in &risk.prosecutor.above {
            answer.whole(0, &format!("rows_above_1_in_{}", above.one_in), above.rows);
            answer.real(0, &format!("share_above_1_in_{}", above.one_in), above.share);
        }
        return;
    }
    if answer.is("delta-presence") {
        let presence = expected.presence.as_ref().unwrap();
        answer.real(0, "delta_min", presence.delta_min_value);
        answer.real(0, "delta_max", presence.delta_max_value);
        answer.whole(0, "rows_not_covered", presence.rows_not_covered);
    } else {
        assert!(answer.is("journalist and marketer risk"), "{} is not checked", answer.figure);
    }
    answer.real(0, "journalist", risk.journalist.unwrap().value);
    answer.real(0, "marketer", risk.marketer.unwrap().value);
}

fn check_sensitive(answer: &Answer, expected: &Sensitive) {
    answer.n_rows(1);
    if answer.is("distinct, frequency and entropy l") {
        answer.whole(0, "distinct_l", expected.distinct_l);
        answer.real(0, "frequency_l", expected.frequency_l_value);
        answer.real(0, "entropy_l", expected.entropy_l);
        answer.whole(0, "rows_disclosed", expected.rows_disclosed);
    } else if answer.is("the infimum of c") {
        for (l, c) in &expected.recursive {
            answer.real(0, &format!("c_for_l_{l}"), *c);
        }
        for (c, l) in &expected.recursive_l {
            answer.whole(0, &format!("l_for_c_{c}"), *l);
        }
    } else if answer.is("alpha") {
        answer.real(0, "alpha", expected.alpha_value.unwrap());
    } else if answer.is("t by the equal distance") {
        answer.real(0, "t_equal", expected.t_equal);
    } else {
        assert!(answer.is("t by the ordered distance"), "{} is not checked", answer.figure);
        answer.real(0, "t_ordered", expected.t_ordered.unwrap());
    }
}

fn check_subsets(answer: &Answer, expected: &[Subset]) {
    let mut left: BTreeMap<String, &Subset> =
        expected.iter().map(|subset| (subset.attributes.join(", "), subset)).collect();
    if answer.is("every k") {
        let mut found: BTreeMap<&str, Vec<(u64, u64)>> = BTreeMap::new();
        let whole = |row, column| answer.get(row, column).unwrap().parse::<u64>().unwrap();
        for row in 0..answer.rows.rows.len() {
            let point = (whole(row, "k"), whole(row, "suppressed"));
            found.entry(answer.attributes(row)).or_default().push(point);
        }
        let expected: BTreeMap<&str, Vec<(u64, u64)>> = (left.iter())
            .map(|(name, subset)| {
                let curve = subset.suppression.curve.as_ref().unwrap();
                (name.as_str(), curve.iter().map(|point| (point.k, point.suppressed)).collect())
            })
            .collect();
        assert_eq!(found, expected);
        return;
    }
    if answer.is("the number of classes of each size") {
        let whole = |row, column| answer.get(row, column).unwrap().parse::<u64>().unwrap();
        let mut classes: BTreeMap<&str, u64> = BTreeMap::new();
        for row in 0..answer.rows.rows.len() {
            *classes.entry(answer.attributes(row)).or_default() += whole(row, "classes");
        }
        let expected: BTreeMap<&str, u64> =
            left.iter().map(|(name, subset)| (name.as_str(), subset.classes)).collect();
        assert_eq!(classes, expected);
        return;
    }
    answer.n_rows(expected.len());
    for row in 0..expected.len() {
        let subset = left.remove(answer.attributes(row)).unwrap();
        check_subset(answer, row, subset);
    }
}

fn check_subset(answer: &Answer, row: usize, subset: &Subset) {
    let suppression = &subset.suppression;
    if answer.is("k, the number of classes and the ratios") {
        answer.whole(row, "k", subset.k);
        answer.whole(row, "classes", subset.classes);
        answer.real(row, "distinct_ratio", subset.distinct_ratio);
        answer.real(row, "separation_ratio", subset.separation_ratio);
    } else if answer.is("the k that dropping") {
        answer.whole(row, "k_after", suppression.k_after.unwrap().0);
        answer.whole(row, "suppressed", suppression.suppressed);
    } else if answer.is("the rows to drop") {
        answer.whole(row, "suppressed", suppression.suppressed);
        answer.real(row, "suppression", suppression.suppression);
    } else {
        assert!(answer.is("distinct, frequency and entropy l"), "{} is not checked", answer.figure);
        let is_named = |name: &str| answer.figure.contains(&format!(" of `{name}`"));
        let found = subset.sensitive.iter().find(|s| is_named(&s.attribute)).unwrap();
        answer.whole(row, "distinct_l", found.distinct_l);
        answer.real(row, "frequency_l", found.frequency_l_value);
        answer.real(row, "entropy_l", found.entropy_l);
    }
}

/// Whether dropping the question's share of the rows reaches its k in each set, from the sizes of classes:
/// a share that is too long for a dialect has no statement there.
fn reached_by_size(question: &Question, sizes: &Answer) -> BTreeMap<String, bool> {
    let (k, share) = (question.k.unwrap(), question.suppress.unwrap());
    let whole = |row, column| sizes.get(row, column).unwrap().parse::<u64>().unwrap();
    let mut counts: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for row in 0..sizes.rows.rows.len() {
        let (size, rows) = (whole(row, "size"), whole(row, "size") * whole(row, "classes"));
        let (small, all) = counts.entry(sizes.attributes(row).to_owned()).or_default();
        *small += if size < k { rows } else { 0 };
        *all += rows;
    }
    let reached = |(small, all): (u64, u64)| Ratio::new(small, all) <= share;
    counts.into_iter().map(|(set, count)| (set, reached(count))).collect()
}

/// The sets that hold in every statement, and their borders, by inclusion.
fn check_borders(names: &[&str], question: &Question, expected: &Diagnosis, answers: &[&Answer]) {
    let sets: Vec<u32> = (0..1 << names.len()).collect();
    let attributes = |set: u32| -> Vec<String> {
        let chosen = names.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1);
        chosen.map(|(_, name)| (*name).to_owned()).collect()
    };
    let mut safe: BTreeSet<u32> = sets.iter().copied().collect();
    let is_judged = answers.iter().any(|answer| answer.is("whether "));
    for answer in answers {
        if answer.is("the number of classes of each size") {
            if !is_judged {
                let reached = reached_by_size(question, answer);
                safe.retain(|&set| reached[attributes(set).join(", ").as_str()]);
            }
            continue;
        }
        assert!(answer.is("whether "), "{} is not checked", answer.figure);
        answer.n_rows(sets.len());
        let found: BTreeMap<&str, bool> =
            (0..sets.len()).map(|row| (answer.attributes(row), answer.holds(row))).collect();
        safe.retain(|&set| found[attributes(set).join(", ").as_str()]);
    }
    let inside = |a: u32, b: u32| a & b == a && a != b;
    let largest = safe.iter().filter(|&&a| !safe.iter().any(|&b| inside(a, b)));
    let is_unsafe = |set: &&u32| !safe.contains(set);
    let smallest = (sets.iter().filter(is_unsafe))
        .filter(|&&a| !sets.iter().filter(is_unsafe).any(|&b| inside(b, a)));
    let borders = expected.borders.as_ref().unwrap();
    let listed = |sets: &[Vec<String>]| sets.iter().cloned().collect::<BTreeSet<_>>();
    let found: BTreeSet<_> = largest.map(|&set| attributes(set)).collect();
    assert_eq!(found, listed(&borders.positive_border));
    let found: BTreeSet<_> = smallest.map(|&set| attributes(set)).collect();
    assert_eq!(found, listed(&borders.negative_border));
}
