//! Every node against the definition on texts, and the four algorithms against all nodes.

use std::collections::BTreeMap;

use kohort_core::{Attribute, Codes, Ctx, Dataset, Public, PublicColumn, Ratio, Role};
use kohort_models::{ClassModel, DeltaPresence, FrequencyLDiversity, KAnonymity};
use proptest::prelude::*;

use crate::lattice::tests::all_nodes;
use crate::lattice::{Desk, Lattice, Node};
use crate::tests::tables::{Given, dataset, judge, problem, settings};
use crate::{Candidate, Failure, Membership, Problem, SUPPRESSED, Settings, algorithm};

const COUNTRIES: &[&str] = &["at;west;*", "de;west;*", "pl;east;*", "cz;east;*", "jp;jp;*"];
const AGES: &[&str] = &["1;[0-2];[0-5]", "2;[0-2];[0-5]", "3;[3-5];[0-5]", "4;[3-5];[0-5]"];

type Row = [String; 3];

fn texts(rows: &[Row], axis: usize) -> Vec<String> {
    rows.iter().map(|row| row[axis].clone()).collect()
}

fn data(rows: &[Row], values: &[String]) -> Dataset {
    dataset(&[
        Given::flat("age", Role::Quasi, &texts(rows, 0)).with_taxonomy(AGES),
        Given::flat("country", Role::Quasi, &texts(rows, 1)).with_taxonomy(COUNTRIES),
        Given::flat("sex", Role::Quasi, &texts(rows, 2)),
        Given::flat("disease", Role::Sensitive, values),
    ])
}

/// The people in terms of a dataset of some rows; `atlantis` is no country.
fn public(original: &Dataset, rows: &[Row], people: &[Row]) -> Public {
    let all: Vec<Row> = rows.iter().chain(people).cloned().collect();
    let known: Vec<Row> = (all.iter().cloned())
        .map(|[age, country, sex]| {
            let country = if country == "atlantis" { rows[0][1].clone() } else { country };
            [age, country, sex]
        })
        .collect();
    let both = data(&known, &vec!["x".to_owned(); known.len()]);
    let column = |(axis, attribute): (usize, &&Attribute)| {
        let mut codes = Codes::default();
        for person in people {
            codes.push(attribute.code_of(&person[axis]).unwrap_or(attribute.n_codes()));
        }
        let own = original.quasi()[axis];
        let mut code_of_original = vec![0; own.n_codes() as usize];
        for (row, code) in rows.iter().zip(own.codes().iter()) {
            code_of_original[code as usize] = attribute.code_of(&row[axis]).unwrap();
        }
        PublicColumn { attribute: (*attribute).clone(), codes, code_of_original }
    };
    Public::new(both.quasi().iter().enumerate().map(column).collect())
}

/// What is shown for a row at a node, by the lines of the taxonomies alone.
fn label(row: &Row, node: &[u32]) -> Vec<String> {
    let of_axis = |(axis, (text, &level)): (usize, (&String, &u32))| {
        let lines = [AGES, COUNTRIES, &[]][axis];
        let (top, root) = if axis == 2 { (1, "*") } else { (2, "root") };
        if level == top {
            return root.to_owned();
        }
        let line = lines.iter().find(|line| line.split(';').next() == Some(text));
        let shown = line.and_then(|line| line.split(';').nth(level as usize));
        shown.unwrap_or(text).to_owned()
    };
    row.iter().zip(node).enumerate().map(of_axis).collect()
}

#[derive(Clone, Copy, Debug)]
struct Ask {
    k: u64,
    l: Option<u64>,
    range: (u64, u64),
    suppression: u64,
    keeps_suppressed: bool,
}

fn ask<'a>(data: &'a Dataset, public: &'a Public, asked: Ask) -> Problem<'a> {
    let mut models: Vec<Box<dyn ClassModel>> = Vec::new();
    if asked.k > 1 {
        models.push(Box::new(KAnonymity::new(asked.k).unwrap()));
    }
    if let Some(l) = asked.l {
        models.push(Box::new(FrequencyLDiversity::new(0, Ratio::whole(l)).unwrap()));
    }
    let (low, high) = asked.range;
    let model = DeltaPresence::new(Ratio::new(low, 10), Ratio::new(high, 10)).unwrap();
    let Ask { suppression, keeps_suppressed, .. } = asked;
    let dropped_may_tell = true;
    problem(
        data,
        models,
        Settings { suppression, keeps_suppressed, dropped_may_tell, ..settings(3) },
    )
    .with_membership(Some(Membership { model, public }))
}

/// Whether num / den, at most 1, is in a range of tenths.
fn is_in((num, den): (u64, u64), (low, high): (u64, u64)) -> bool {
    let num = num.min(den);
    num * 10 >= low * den && num * 10 <= high * den
}

/// Whether a node is ok by the definitions.
fn plainly(rows: &[Row], values: &[String], people: &[Row], node: &Node, asked: Ask) -> bool {
    let mut classes: BTreeMap<Vec<String>, (Vec<usize>, u64)> = BTreeMap::new();
    for (index, row) in rows.iter().enumerate() {
        classes.entry(label(row, node)).or_default().0.push(index);
    }
    for person in people {
        classes.entry(label(person, node)).or_default().1 += 1;
    }
    let is_spread = |class: &[usize]| {
        let size = class.len() as u64;
        let most = |value: &String| class.iter().filter(|&&row| values[row] == *value).count();
        let largest = class.iter().map(|&row| most(&values[row])).max().unwrap_or(0) as u64;
        size >= asked.k && asked.l.is_none_or(|l| largest * l <= size)
    };
    let keeps = |(class, people): &(Vec<usize>, u64)| {
        let size = class.len() as u64;
        is_spread(class) && (*people == 0 || is_in((size, *people), (0, asked.range.1)))
    };
    let out = classes.values().filter(|class| !keeps(class));
    let out: Vec<usize> = out.flat_map(|class| class.0.iter().copied()).collect();
    let outliers = out.len() as u64;
    // Rows that stay as `*` are a class.
    if asked.keeps_suppressed && outliers > 0 && !is_spread(&out) {
        return false;
    }
    let starred = if asked.keeps_suppressed { outliers } else { 0 };
    let all = people.len() as u64;
    outliers <= asked.suppression.min(rows.len() as u64 - 1)
        && classes.values().filter(|class| class.1 > 0).all(|class| {
            let members = if keeps(class) { class.0.len() as u64 } else { 0 };
            is_in((members * all + starred * class.1, class.1 * all), asked.range)
        })
}

fn row(countries: &'static [&'static str]) -> impl Strategy<Value = Row> {
    let age = prop::option::weighted(0.9, 1_u8..5);
    (age, prop::sample::select(countries), 0_u8..2).prop_map(|(age, country, sex)| {
        [age.map_or(String::new(), |age| age.to_string()), country.into(), format!("s{sex}")]
    })
}

/// Rows with values, and people: the rows themselves unless the public table is not complete, and others.
fn tables() -> impl Strategy<Value = (Vec<Row>, Vec<String>, Vec<Row>)> {
    let rows = prop::collection::vec((row(&["at", "de", "pl", ""]), 0_u8..3), 1..20);
    let others = prop::collection::vec(row(&["at", "de", "pl", "cz", "jp", "atlantis", ""]), 0..40);
    (rows, others, prop::bool::weighted(0.8)).prop_map(|(rows, others, is_complete)| {
        let values = rows.iter().map(|(_, value)| format!("d{value}")).collect();
        let rows: Vec<Row> = rows.into_iter().map(|(row, _)| row).collect();
        let known = if is_complete { rows.len() } else { 1 };
        let people = rows[..known].iter().cloned().chain(others).collect();
        (rows, values, people)
    })
}

fn asked() -> impl Strategy<Value = Ask> {
    let suppression = prop_oneof![Just(0_u64), 1_u64..8];
    let range = prop_oneof![Just(0_u64), 0_u64..4].prop_flat_map(|low| (Just(low), low..=10));
    (1_u64..4, prop::option::weighted(0.3, Just(2_u64)), range, suppression, any::<bool>())
        .prop_map(|(k, l, range, suppression, keeps_suppressed)| Ask {
            k,
            l,
            range,
            suppression,
            keeps_suppressed,
        })
}

/// Whether a release has the classes of a node: rows that are published together or not at all.
fn shows(candidate: &Candidate, rows: &[Row], node: &Node) -> bool {
    let mut group_of_label: BTreeMap<Vec<String>, u32> = BTreeMap::new();
    for (&group, row) in candidate.group_of_row.iter().zip(rows) {
        if *group_of_label.entry(label(row, node)).or_insert(group) != group {
            return false;
        }
    }
    let mut groups: Vec<u32> =
        group_of_label.into_values().filter(|&group| group != SUPPRESSED).collect();
    let n_groups = groups.len();
    groups.sort_unstable();
    groups.dedup();
    groups.len() == n_groups
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn nodes_are_judged_as_defined_and_the_algorithms_find_one(
        (rows, values, people) in tables(),
        asked in asked(),
    ) {
        let data = data(&rows, &values);
        let public = public(&data, &rows, &people);
        let problem = ask(&data, &public, asked);
        let Ok(lattice) = Lattice::new(&problem) else { return Ok(()) };
        let table = lattice.table();
        let mut ok: Vec<Node> = Vec::new();
        let mut hopeless: Vec<Node> = Vec::new();
        let mut desk = Desk::default();
        for node in all_nodes(&lattice) {
            let expected = plainly(&rows, &values, &people, &node, asked);
            let seen = lattice.evaluate(&table, &node, &mut desk);
            prop_assert_eq!(seen.is_ok, expected, "{:?}", node);
            hopeless.extend(seen.is_hopeless.then(|| node.clone()));
            let mut half = node.clone();
            for level in &mut half {
                *level /= 2;
            }
            let rolled = lattice.roll_up(&table, &half);
            let seen = lattice.evaluate(&rolled, &node, &mut desk);
            prop_assert_eq!(seen.is_ok, expected);
            if expected {
                ok.push(node.clone());
            }
        }
        for high in &hopeless {
            let is_below = |node: &&Node| node.iter().zip(high).all(|(low, high)| low <= high);
            prop_assert_eq!(ok.iter().find(is_below), None, "{:?} is hopeless", high);
        }
        if lattice.is_monotone() {
            for node in all_nodes(&lattice) {
                let above = |low: &Node| low.iter().zip(&node).all(|(low, high)| low <= high);
                prop_assert!(!ok.iter().any(above) || ok.contains(&node), "{:?}", node);
            }
        }
        for id in ["samarati", "datafly", "incognito", "optimal"] {
            match algorithm(id).unwrap().anonymize(&Ctx::quiet(), &problem) {
                Ok(candidate) => {
                    judge(&problem, &candidate);
                    let is_shown = ok.iter().any(|node| shows(&candidate, &rows, node));
                    prop_assert!(is_shown, "{}", id);
                }
                // Greedy climbing passes nodes that would do when being ok is not monotone.
                Err(Failure::Infeasible { .. }) => {
                    prop_assert!(ok.is_empty() || id == "datafly", "{}", id);
                }
                Err(Failure::Error(error)) => prop_assert!(false, "{}", error),
            }
        }
    }
}

#[test]
fn a_taxonomy_that_parts_the_original_otherwise_is_refused() {
    let rows = [["1", "at", "s0"], ["3", "pl", "s0"]].map(|row| row.map(str::to_owned));
    let values = vec!["x".to_owned(), "x".to_owned()];
    let data = data(&rows, &values);
    let mut public = public(&data, &rows, &rows);
    let mut columns = public.columns().to_vec();
    columns[0].code_of_original.reverse();
    columns[0].code_of_original[0] = columns[0].code_of_original[1];
    public = Public::new(columns);
    let asked = Ask { k: 1, l: None, range: (0, 10), suppression: 0, keeps_suppressed: false };
    let error = match Lattice::new(&ask(&data, &public, asked)) {
        Err(Failure::Error(error)) => error.to_string(),
        _ => panic!("it was accepted"),
    };
    assert_eq!(
        error,
        "`delta-presence` needs a taxonomy of `age` that stays the same with the values of the public table"
    );
}

/// Two regions of four people each, of whom so many are rows.
fn regions(members: [usize; 2]) -> (Vec<Row>, Vec<Row>) {
    let person = |country: &str| ["1", country, "s0"].map(str::to_owned);
    let people: Vec<Row> = ["at", "pl"].iter().flat_map(|c| vec![person(c); 4]).collect();
    let rows = ["at", "pl"].iter().zip(members).flat_map(|(c, n)| vec![person(c); n]).collect();
    (rows, people)
}

// Who shares the quasi-identifiers of a dropped row is a member with 0 of the people like them.
#[test]
fn no_row_is_suppressed_where_everybody_is_to_be_likely() {
    let (rows, people) = regions([3, 1]);
    let data = data(&rows, &vec!["x".to_owned(); rows.len()]);
    let public = public(&data, &rows, &people);
    let asked =
        |range, keeps_suppressed| Ask { k: 1, l: None, range, suppression: 3, keeps_suppressed };
    for (range, keeps_suppressed) in [((1, 6), false), ((4, 6), true)] {
        let problem = ask(&data, &public, asked(range, keeps_suppressed));
        let lattice = Lattice::new(&problem).unwrap();
        assert!(lattice.is_monotone() && lattice.allowed == 0);
        let made = algorithm("optimal").unwrap().anonymize(&Ctx::quiet(), &problem).unwrap();
        // Both regions as one: 4 of 8.
        assert!(!made.group_of_row.contains(&SUPPRESSED));
        assert_eq!(made.levels, [0, 2, 0]);
        assert!(made.notes[0].starts_with("no row is suppressed: "), "{:?}", made.notes);
    }
    // A range from 0 lets three of four be dropped, and one of four stay.
    let problem = ask(&data, &public, asked((0, 6), false));
    let lattice = Lattice::new(&problem).unwrap();
    let seen = lattice.evaluate(&lattice.table(), &lattice.bottom(), &mut Desk::default());
    assert!(seen.is_ok && seen.outliers == 3);
    let made = algorithm("optimal").unwrap().anonymize(&Ctx::quiet(), &problem).unwrap();
    assert!(made.notes.is_empty(), "{:?}", made.notes);
}
