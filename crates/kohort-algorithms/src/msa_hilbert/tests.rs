//! MSA diversity against its worked example, every partition of small tables, and its laws.

use std::collections::BTreeSet;

use kohort_core::{Ctx, Dataset, Ratio, Role};
use kohort_models::{CellMetric, ClassModel, FrequencyLDiversity, KAnonymity, LMdiversity};
use proptest::prelude::*;

use super::{MsaHilbert, SPEC};
use crate::check::Check;
use crate::extent::Extent;
use crate::tests::tables::{Given, dataset, groups_of, judge, problem, settings, shown};
use crate::{Algorithm, Candidate, Failure, Metric, Problem, SUPPRESSED, Settings};

/// An age, a sex and the answers to seven questions.
pub(crate) type Voter = (u32, u8, [u8; 7]);

const ISSUES: [&str; 7] = ["i1", "i2", "i3", "i4", "i5", "i6", "i7"];

/// A table of voters with the answers to the first `d` questions.
pub(crate) fn poll(voters: &[Voter], d: usize) -> Dataset {
    let ages: Vec<u32> = voters.iter().map(|voter| voter.0).collect();
    let sexes: Vec<String> = voters.iter().map(|voter| format!("s{}", voter.1)).collect();
    let mut columns =
        vec![Given::flat("age", Role::Quasi, &ages), Given::flat("sex", Role::Quasi, &sexes)];
    for (issue, name) in ISSUES.into_iter().enumerate().take(d) {
        let answers: Vec<String> = voters.iter().map(|v| format!("a{}", v.2[issue])).collect();
        columns.push(Given::flat(name, Role::Sensitive, &answers));
    }
    dataset(&columns)
}

/// Voters whose answers lean to the first.
pub(crate) fn voters(n: usize) -> impl Strategy<Value = Vec<Voter>> {
    let answer = || (0_u8..6, 0_u8..9).prop_map(|(a, b)| a.min(b));
    let answers = [(); 7].map(|()| answer());
    prop::collection::vec((0_u32..33, 0_u8..2, answers), 2..n)
}

pub(crate) fn mdiverse(l: u64) -> Vec<Box<dyn ClassModel>> {
    vec![Box::new(LMdiversity::new(l).unwrap())]
}

/// Table 43 of Abdalaal 2012: the nine tuples with both issues, t8 = (b, x). Its curve goes along zip first.
pub(crate) fn table_43() -> Dataset {
    let zips = [3000, 3500, 4000, 6500, 4500, 5500, 6000, 5000, 6500];
    let (one, two) = ("abdabacbc", "wzxxyyzxw");
    dataset(&[
        Given::flat("zip", Role::Quasi, &zips),
        Given::flat("age", Role::Quasi, &[20, 25, 25, 30, 35, 40, 45, 50, 55]),
        Given::flat("i1", Role::Sensitive, &one.chars().collect::<Vec<_>>()),
        Given::flat("i2", Role::Sensitive, &two.chars().collect::<Vec<_>>()),
    ])
}

/// The rows of which no two agree on a sensitive attribute.
fn is_sa_distinct(problem: &Problem<'_>, rows: &[u32]) -> bool {
    problem.sensitive().iter().all(|attribute| {
        let codes: BTreeSet<u32> =
            rows.iter().map(|&row| attribute.codes().get(row as usize)).collect();
        codes.len() == rows.len()
    })
}

/// The least mean loss of any partition into classes that may be, by trying all.
pub(crate) fn least(problem: &Problem<'_>, mut may_be: impl FnMut(&[u32]) -> bool) -> f64 {
    let n = problem.n_rows();
    let (points, point_of_row) = (problem.points(), problem.points().point_of_row());
    let mut loss_of = |set: usize| {
        let rows: Vec<u32> = (0..).take(n).filter(|row| set >> row & 1 == 1).collect();
        let codes = rows.iter().map(|&row| points.codes(point_of_row[row as usize] as usize));
        let loss = || rows.len() as f64 * Extent::around(problem.space(), codes).cost;
        if !rows.is_empty() && may_be(&rows) { loss() } else { f64::INFINITY }
    };
    let losses: Vec<f64> = (0..1 << n).map(&mut loss_of).collect();
    let mut best = vec![f64::INFINITY; 1 << n];
    best[0] = 0.0;
    for set in 1_usize..1 << n {
        let mut class = set;
        while class > 0 {
            if class >> set.trailing_zeros() & 1 == 1 {
                best[set] = best[set].min(best[set ^ class] + losses[class]);
            }
            class = (class - 1) & set;
        }
    }
    best[(1 << n) - 1] / n as f64
}

fn made(problem: &Problem<'_>) -> Result<Candidate, String> {
    MsaHilbert.anonymize(&Ctx::quiet(), problem).map_err(|failure| match failure {
        Failure::Infeasible { reason } => reason,
        Failure::Error(error) => error.to_string(),
    })
}

// Abdalaal 2012, Table 43.
#[test]
fn table_43_of_001_is_grouped_as_in_the_text_which_no_partition_betters() {
    let data = table_43();
    let settings = Settings { metric: Metric::Cells(CellMetric::Lm), ..settings(2) };
    let problem = problem(&data, mdiverse(3), settings);
    let candidate = made(&problem).unwrap();
    let expected = [vec![0, 1, 2], vec![5, 7, 8], vec![3, 4, 6]];
    assert_eq!(groups_of(&candidate), BTreeSet::from(expected));
    assert!(candidate.notes.is_empty());
    let loss = judge(&problem, &candidate);
    assert!((loss - 0.38095).abs() < 5e-6, "{loss}");
    let best = least(&problem, |rows| rows.len() == 3 && is_sa_distinct(&problem, rows));
    assert!((loss - best).abs() < 1e-12, "{best}");
    let dm: usize = groups_of(&candidate).iter().map(|group| group.len() * group.len()).sum();
    assert_eq!(dm, 27);
}

#[test]
fn an_infeasible_l_names_the_attribute_and_the_largest_that_works() {
    let data = table_43();
    let check = |models, suppression, expected: Result<usize, &str>| {
        let problem = problem(&data, models, Settings { suppression, ..settings(2) });
        let found = made(&problem).map(|candidate| {
            judge(&problem, &candidate);
            candidate.group_of_row.iter().filter(|&&group| group == SUPPRESSED).count()
        });
        assert_eq!(found, expected.map_err(str::to_owned));
    };
    check(mdiverse(3), 0, Ok(0));
    check(
        mdiverse(4),
        0,
        Err("`i1` prevents l = 4: one value has 3 of 9 rows; the largest l that works is 3"),
    );
    // Four rows with four values each must be left of i1: one of each of a, b, c, and d.
    check(
        mdiverse(4),
        4,
        Err("`i1` prevents l = 4: one value has 3 of 9 rows; the largest l that works is 3"),
    );
    // One of each is left: (a, w), (b, y), (c, z) and (d, x), or others.
    check(mdiverse(4), 5, Ok(5));
    check(
        vec![Box::new(KAnonymity::new(2).unwrap())],
        0,
        Err(
            "`msa-hilbert` needs a goal of l-pdiversity or l-mdiversity, or of frequency-l-diversity \
             (or distinct) on a sensitive attribute",
        ),
    );
    let frequency = |attribute, num, den| -> Box<dyn ClassModel> {
        Box::new(FrequencyLDiversity::new(attribute, Ratio::new(num, den)).unwrap())
    };
    check(vec![frequency(0, 3, 1), frequency(1, 5, 2)], 0, Ok(0));
    check(
        vec![frequency(1, 7, 2)],
        0,
        Err("`i2` prevents l = 7/2: one value has 3 of 9 rows; the largest l that works is 3"),
    );
}

fn has_too_many(data: &Dataset, l: u64) -> bool {
    let largest = |counts: &[u32]| u64::from(counts.iter().copied().max().unwrap());
    data.sensitive().iter().any(|a| largest(a.counts()) * l > data.n_rows() as u64)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn whatever_is_feasible_is_found_and_a_note_says_what_is_not_sa_distinct(
        voters in voters(60),
        d in 1_usize..8,
        l in 2_u64..6,
        k in 1_u64..8,
    ) {
        let data = poll(&voters, d);
        let mut models = mdiverse(l);
        if k > 1 {
            models.push(Box::new(KAnonymity::new(k).unwrap()));
        }
        let problem = problem(&data, models, settings(2));
        let is_feasible = !has_too_many(&data, l) && data.n_rows() as u64 >= k;
        match made(&problem) {
            Ok(candidate) => {
                prop_assert!(is_feasible);
                judge(&problem, &candidate);
                prop_assert!(!candidate.group_of_row.contains(&SUPPRESSED));
                let groups = groups_of(&candidate);
                let n = groups.iter().filter(|rows| !is_sa_distinct(&problem, rows)).count();
                let note = format!("{n} of {} classes are not SA-distinct", groups.len());
                let is_noted = candidate.notes.iter().any(|found| found.starts_with(&note));
                prop_assert_eq!(is_noted, n > 0, "{:?}", candidate.notes);
            }
            Err(reason) => prop_assert!(!is_feasible, "{}", reason),
        }
    }

    #[test]
    fn the_largest_l_that_is_said_to_work_does_and_the_next_does_not(
        voters in voters(60),
        d in 1_usize..8,
        suppression in 0_u64..8,
    ) {
        let data = poll(&voters, d);
        let settings = Settings { suppression, ..settings(2) };
        let at = |l| made(&problem(&data, mdiverse(l), settings.clone()));
        let Err(reason) = at(40) else { panic!("no answer has so few voters") };
        let said = reason.rsplit(' ').next().unwrap().parse::<u64>().unwrap_or(1);
        if suppression == 0 && said > 1 {
            prop_assert!(at(said).is_ok());
        }
        prop_assert!(at(said + 1).is_err());
        for l in 2..=said {
            let problem = problem(&data, mdiverse(l), settings.clone());
            if let Ok(candidate) = made(&problem) {
                judge(&problem, &candidate);
            }
        }
    }

    #[test]
    fn row_order_does_not_matter(voters in voters(60), d in 1_usize..8, l in 2_u64..4) {
        let published = |voters: &[Voter]| {
            let data = poll(voters, d);
            let problem = problem(&data, mdiverse(l), settings(2));
            let candidate = made(&problem).ok()?;
            let row = |(row, &group): (usize, &u32)| {
                let cells = shown(&candidate, group);
                (cells, problem.sensitive().iter().map(|a| a.codes().get(row)).collect::<Vec<_>>())
            };
            let mut rows: Vec<_> = candidate.group_of_row.iter().enumerate().map(row).collect();
            rows.sort_unstable();
            Some(rows)
        };
        let reversed: Vec<Voter> = voters.iter().rev().copied().collect();
        prop_assert_eq!(published(&voters), published(&reversed), "{}", SPEC.id);
    }

    #[test]
    fn no_partition_into_diverse_classes_loses_more_than_it_does_less(
        voters in voters(9),
        d in 1_usize..4,
    ) {
        let data = poll(&voters, d);
        let problem = problem(&data, mdiverse(2), settings(2));
        let mut check = Check::new(&problem);
        let best = least(&problem, |rows| check.holds(rows));
        match made(&problem) {
            Ok(candidate) => prop_assert!(best <= judge(&problem, &candidate) + 1e-9),
            Err(_) => prop_assert!(best.is_infinite()),
        }
    }
}
