//! Releases about the same people, as plainly as their definitions can be written: what is surely broken.
//! Whoever may be in several classes, or in none, is left to others.

use std::collections::{BTreeMap, BTreeSet};

use super::cells::{Column, covers};
use super::{float, share};

/// One release.
pub(crate) struct Release {
    /// The people of the table that it was made of.
    pub(crate) people: BTreeSet<String>,
    /// The values that each class shows.
    pub(crate) classes: Vec<Vec<String>>,
    /// What each class shows of the quasi-identifiers.
    pub(crate) cells: Vec<Vec<String>>,
    /// Who is in which class, of those who can be in no other.
    pub(crate) class_of: BTreeMap<String, usize>,
    /// The classes that somebody may be in.
    pub(crate) may_be_in: BTreeMap<String, BTreeSet<usize>>,
}

/// What a series promises.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Promise {
    MInvariance { m: usize },
    EEquivalence { m: usize, e: usize },
    RhoDifferent { rho: f64 },
    Bcf { k: usize },
    XyAnonymity { k: usize },
    XyLinkability { confidence: f64 },
    Global { l: usize, horizon: usize },
}

/// How values follow one another: from, to, probability.
pub(crate) const CORRELATIONS: [(&str, &str, f64); 4] =
    [("flu", "flu", 0.5), ("flu", "cold", 0.2), ("HIV", "HIV", 0.9), ("gout", "ulcer", 0.3)];

/// Floats closer than this are equal.
const NOISE: f64 = 1e-9;

/// What is surely broken.
pub(crate) fn broken(
    promise: Promise,
    releases: &[Release],
    quasi: &[Column],
) -> Option<&'static str> {
    match promise {
        Promise::MInvariance { m } => m_invariance(releases, m),
        Promise::EEquivalence { m, e } => e_equivalence(releases, m, e),
        Promise::RhoDifferent { rho } => rho_different(releases, rho),
        Promise::Bcf { k } => bcf_anonymity(releases, k, quasi),
        Promise::XyAnonymity { k } => joined(releases, |beside| beside.len() >= k)
            .then_some("somebody has fewer than k values in the join"),
        Promise::XyLinkability { confidence } => joined(releases, |beside| {
            let (most, all) = (beside.values().max(), beside.values().sum());
            most.is_some_and(|&most| share(most, all) <= confidence + NOISE)
        })
        .then_some("somebody's value has too large a share of the join"),
        Promise::Global { l, horizon } => global_guarantee(releases, l, horizon),
    }
}

fn counts(values: &[String]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for value in values {
        *counts.entry(value.as_str()).or_default() += 1;
    }
    counts
}

fn largest_share(values: &[String]) -> f64 {
    share(counts(values).into_values().max().unwrap_or(0), values.len())
}

fn signature(values: &[String]) -> BTreeSet<&str> {
    values.iter().map(String::as_str).collect()
}

/// Xiao and Tao 2007: at least m rows in a class, all with different values; and nobody's signature changes.
fn m_invariance(releases: &[Release], m: usize) -> Option<&'static str> {
    let is_unique =
        |values: &Vec<String>| values.len() >= m && signature(values).len() == values.len();
    if !releases.iter().all(|release| release.classes.iter().all(is_unique)) {
        return Some("a class is not m-unique");
    }
    changes_signature(releases).then_some("somebody's signature changes")
}

/// Whether somebody who may be in two releases has no signature that is possible in both.
fn changes_signature(releases: &[Release]) -> bool {
    let of = |release: &Release, person: &String| -> BTreeSet<Vec<String>> {
        let classes = release.may_be_in.get(person).into_iter().flatten();
        let own = |&class: &usize| {
            signature(&release.classes[class]).into_iter().map(str::to_owned).collect()
        };
        classes.map(own).collect()
    };
    pairs(releases).any(|(before, after)| {
        before.people.iter().any(|person| {
            let [old, new] = [before, after].map(|release| of(release, person));
            !old.is_empty() && !new.is_empty() && old.is_disjoint(&new)
        })
    })
}

fn pairs(releases: &[Release]) -> impl Iterator<Item = (&Release, &Release)> {
    let all = releases.iter().enumerate();
    all.flat_map(|(at, after)| releases[..at].iter().map(move |before| (before, after)))
}

/// He, Barman and Naughton 2011: values of a class equally often, signatures stay, and where two classes of one
/// signature and size have different people, there are at least e of these.
fn e_equivalence(releases: &[Release], m: usize, e: usize) -> Option<&'static str> {
    let is_even = |values: &Vec<String>| {
        let counts: BTreeSet<usize> = counts(values).into_values().collect();
        signature(values).len() >= m && counts.len() == 1
    };
    if !releases.iter().all(|release| release.classes.iter().all(is_even)) {
        return Some("a class does not show m values equally often");
    }
    if changes_signature(releases) {
        return Some("somebody's signature changes");
    }
    let members = |release: &Release, class: usize| -> Option<BTreeSet<String>> {
        let sure = release.class_of.iter().filter(|(_, at)| **at == class);
        let sure: BTreeSet<String> = sure.map(|(person, _)| person.clone()).collect();
        (sure.len() == release.classes[class].len()).then_some(sure)
    };
    let tells = |(before, after): (&Release, &Release)| {
        (0..before.classes.len()).any(|old| {
            (0..after.classes.len()).any(|new| {
                let [a, b] = [&before.classes[old], &after.classes[new]];
                let is_alike = a.len() == b.len() && signature(a) == signature(b);
                let both = members(before, old).zip(members(after, new));
                both.is_some_and(|(old, new)| {
                    let n_other = old.difference(&new).count();
                    is_alike && n_other > 0 && n_other < e
                })
            })
        })
    };
    pairs(releases).any(tells).then_some("few people have the values of as many others")
}

/// Wong et al. 2010: nobody ever had a value with more than 1/l, over the horizon.
fn global_guarantee(releases: &[Release], l: usize, horizon: usize) -> Option<&'static str> {
    if releases.len() > horizon {
        return Some("there are more releases than were planned");
    }
    let least = 1.0 - 1.0 / float(l);
    let is_planned =
        |values: &Vec<String>| (1.0 - largest_share(values)).powf(float(horizon)) >= least - NOISE;
    if !releases.iter().all(|release| release.classes.iter().all(is_planned)) {
        return Some("a value has more than the planned share of a class");
    }
    None
}

/// Wang and Fung 2006: whether the values beside somebody, in a release, in the join of two or of all, are not
/// as they should be. Rows with one value multiply.
fn joined(releases: &[Release], holds: impl Fn(&BTreeMap<&str, usize>) -> bool) -> bool {
    let n = releases.len();
    let all: Vec<usize> = (0..n).collect();
    let ones = (0..n).map(|at| vec![at]);
    let twos = (0..n).flat_map(|a| (0..a).map(move |b| vec![b, a]));
    let sets: Vec<Vec<usize>> = ones.chain(twos).chain([all]).collect();
    let people: BTreeSet<&String> = releases.iter().flat_map(|r| r.class_of.keys()).collect();
    let fails = |person: &&String, set: &Vec<usize>| {
        let mut beside: Option<BTreeMap<&str, usize>> = None;
        for &at in set {
            let release = &releases[at];
            let Some(&class) = release.class_of.get(*person) else {
                // Who is in no release of these is not looked up there; who may be is left to others.
                if release.people.contains(*person) {
                    return false;
                }
                continue;
            };
            let here = counts(&release.classes[class]);
            beside = Some(match beside {
                None => here,
                Some(before) => before
                    .into_iter()
                    .filter_map(|(value, n)| Some((value, n * here.get(value)?)))
                    .collect(),
            });
        }
        beside.is_some_and(|beside| !holds(&beside))
    };
    people.iter().any(|person| sets.iter().any(|set| fails(person, set)))
}

/// Fung et al. 2008: what the forward, cross and backward counts leave.
fn bcf_anonymity(releases: &[Release], k: usize, quasi: &[Column]) -> Option<&'static str> {
    if releases.iter().any(|release| release.classes.iter().any(|values| values.len() < k)) {
        return Some("a class has fewer than k rows");
    }
    for (before, after) in pairs(releases) {
        for (person, &new) in &after.class_of {
            let left = match before.class_of.get(person) {
                Some(&old) => {
                    let [a, b] = [counts(&before.classes[old]), counts(&after.classes[new])];
                    let both = |(value, n): (&&str, &usize)| *n.min(b.get(value).unwrap_or(&0));
                    a.iter().map(both).sum()
                }
                None if before.people.contains(person) => continue,
                None => left_backward(before, after, new, quasi),
            };
            if left < k {
                return Some("the counts leave fewer than k rows for somebody");
            }
        }
    }
    None
}

fn left_backward(before: &Release, after: &Release, class: usize, quasi: &[Column]) -> usize {
    let meets = |a: &Vec<String>, b: &Vec<String>| {
        quasi.iter().zip(a).zip(b).all(|((column, a), b)| may_both_cover(column, a, b))
    };
    let old: Vec<usize> = (0..before.classes.len())
        .filter(|&at| meets(&before.cells[at], &after.cells[class]))
        .collect();
    let new = (0..after.classes.len())
        .filter(|&at| old.iter().any(|&other| meets(&before.cells[other], &after.cells[at])));
    let sum = |release: &Release, classes: Vec<usize>| {
        let mut sum: BTreeMap<String, usize> = BTreeMap::new();
        for value in classes.into_iter().flat_map(|at| &release.classes[at]) {
            *sum.entry(value.clone()).or_default() += 1;
        }
        sum
    };
    let own = counts(&after.classes[class]);
    let new: Vec<usize> = new.collect();
    let (old, new) = (sum(before, old), sum(after, new));
    let excluded = old.iter().map(|(value, &n)| {
        let others = new.get(value).copied().unwrap_or(0);
        let here = own.get(value.as_str()).copied().unwrap_or(0);
        (n + here).saturating_sub(others)
    });
    after.classes[class].len().saturating_sub(excluded.sum())
}

/// Whether some value may be behind both cells: years, and sexes.
fn may_both_cover(column: &Column, a: &str, b: &str) -> bool {
    let years = (1900..2030).map(|year| year.to_string());
    let all = years.chain(["f", "m"].map(str::to_owned));
    let covers = |cell: &str, value: &str| covers(column, cell, value) == Some(true);
    all.into_iter().any(|value| covers(a, &value) && covers(b, &value))
}

/// Abdalaal 2012: no share of a class above rho; and over all paths of values that somebody may have taken, no
/// value at any release more likely than rho.
fn rho_different(releases: &[Release], rho: f64) -> Option<&'static str> {
    let is_high = |values: &Vec<String>| largest_share(values) > rho + NOISE;
    if releases.iter().any(|release| release.classes.iter().any(is_high)) {
        return Some("a value has more than rho of a class");
    }
    let totals: Vec<BTreeMap<String, usize>> = (releases.iter())
        .map(|release| {
            let mut totals = BTreeMap::new();
            for value in release.classes.iter().flatten() {
                *totals.entry(value.clone()).or_default() += 1;
            }
            totals
        })
        .collect();
    let values: BTreeSet<String> = totals.iter().flat_map(|t| t.keys().cloned()).collect();
    let values: Vec<String> = values.into_iter().collect();
    let people: BTreeSet<&String> = releases.iter().flat_map(|r| r.class_of.keys()).collect();
    let is_sure = |person: &&&String| {
        releases.iter().all(|r| r.class_of.contains_key(**person) || !r.people.contains(**person))
    };
    // Whoever takes the same way through classes is believed to have the same values.
    let ways: BTreeSet<Vec<Option<usize>>> = (people.iter().filter(is_sure))
        .map(|person| releases.iter().map(|r| r.class_of.get(*person).copied()).collect())
        .collect();
    let is_believed = |way: &Vec<Option<usize>>| {
        let beliefs = beliefs(releases, &totals, &values, way);
        let at = way.iter().zip(&beliefs).filter(|(class, _)| class.is_some());
        at.flat_map(|(_, beliefs)| beliefs).any(|&belief| belief > rho + 1e-6)
    };
    ways.iter().any(is_believed).then_some("somebody's value is believed with more than rho")
}

/// For each release how likely each value is, over all paths; nothing where no path is possible.
fn beliefs(
    releases: &[Release],
    totals: &[BTreeMap<String, usize>],
    values: &[String],
    way: &[Option<usize>],
) -> Vec<Vec<f64>> {
    let first = way.iter().position(Option::is_some).unwrap_or(0);
    let mut found = vec![vec![0.0; values.len()]; way.len()];
    let mut sum = 0.0;
    let mut path = vec![0; way.len() - first];
    loop {
        let mut chance = 1.0;
        for (step, &value) in path.iter().enumerate() {
            let at = first + step;
            let all = totals[at].values().sum();
            let of = |value: usize| totals[at].get(&values[value]).copied().unwrap_or(0);
            chance *= match step.checked_sub(1) {
                None => share(of(value), all),
                Some(before) => follows(values, path[before], value, &|v| share(of(v), all)),
            };
            if let Some(class) = way[at] {
                let own = counts(&releases[at].classes[class]);
                let own = own.get(values[value].as_str()).copied().unwrap_or(0);
                chance *= if own == 0 { 0.0 } else { share(own, of(value)) };
            }
        }
        sum += chance;
        path.iter().enumerate().for_each(|(step, &value)| found[first + step][value] += chance);
        // The next path.
        let Some(step) = path.iter().position(|&value| value + 1 < values.len()) else { break };
        path[step] += 1;
        path[..step].fill(0);
    }
    if sum > 0.0 {
        found.iter_mut().flatten().for_each(|belief| *belief /= sum);
    }
    found
}

/// How likely a value is after another: as listed; what the list leaves goes to the others by their shares.
fn follows(values: &[String], from: usize, to: usize, share: &dyn Fn(usize) -> f64) -> f64 {
    let listed = |to: usize| {
        let is = |pair: &&(&str, &str, f64)| pair.0 == values[from] && pair.1 == values[to];
        CORRELATIONS.iter().find(is).map(|pair| pair.2)
    };
    let all = 0..values.len();
    let sum: f64 = all.clone().filter_map(listed).sum();
    let open: f64 = all.filter(|&to| listed(to).is_none()).map(share).sum();
    match listed(to) {
        Some(chance) if open > 0.0 => chance,
        Some(chance) => chance / sum,
        None if open > 0.0 => (1.0 - sum) * share(to) / open,
        None => 0.0,
    }
}
