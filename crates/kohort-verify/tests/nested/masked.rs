//! Values that were cut off: a promise holds where it holds for every way to fill them, tried one by one.

use std::collections::BTreeSet;

use kohort_core::{Ratio, Role};
use kohort_verify::nested::{NestedClaims, NestedRelease, NestedRule, verify};
use proptest::prelude::*;

use super::given::{Schema, Spot, Vertex, vertex};
use super::laws::Draws;

/// People with two sensitive values, and visits with two.
fn people() -> Schema {
    let spot = |path: &str, names: [&str; 3]| {
        let roles = [Role::Quasi, Role::Sensitive, Role::Sensitive];
        let columns = names.into_iter().map(str::to_owned).zip(roles).collect();
        Spot { path: path.to_owned(), above: 0, columns }
    };
    Schema(vec![spot("", ["q", "s", "t"]), spot("v[]", ["v[].w", "v[].d", "v[].e"])])
}

/// A place of a released tree: its record, the visit if it is of one, and the column.
type Place = (usize, Option<usize>, usize);

fn cell(trees: &mut [Vertex], (record, visit, column): Place) -> &mut String {
    let tree = &mut trees[record];
    match visit {
        None => &mut tree.cells[column],
        Some(visit) => &mut tree.below[visit].cells[column],
    }
}

/// What nobody can tell apart: equal quasi-identifiers, and visits of equal ones among these.
fn looks(trees: &[Vertex], (record, visit, column): Place) -> (Vec<String>, Option<String>, usize) {
    let quasi = |vertex: &Vertex| vertex.cells[0].clone();
    let tree = &trees[record];
    let mut known: Vec<String> = tree.below.iter().map(quasi).collect();
    known.sort();
    known.push(quasi(tree));
    (known, visit.map(|visit| quasi(&tree.below[visit])), column)
}

fn places(trees: &[Vertex]) -> Vec<Place> {
    let of_record = |(record, tree): (usize, &Vertex)| {
        let visits = std::iter::once(None).chain((0..tree.below.len()).map(Some));
        visits
            .flat_map(|visit| [1, 2].map(|column| (record, visit, column)))
            .collect::<Vec<Place>>()
    };
    trees.iter().enumerate().flat_map(of_record).collect()
}

fn holds(schema: &Schema, trees: &[Vertex], claims: &NestedClaims) -> bool {
    let nested = schema.nested(trees);
    verify(NestedRelease::Generalized(&nested), claims, None).unwrap().is_ok()
}

/// Whether every filling of the open places holds.
fn every(schema: &Schema, trees: &mut Vec<Vertex>, open: &[Place], claims: &NestedClaims) -> bool {
    let Some((&place, rest)) = open.split_first() else { return holds(schema, trees, claims) };
    let holds = ["s0", "s1", "s9"].iter().all(|value| {
        (*value).clone_into(cell(trees, place));
        every(schema, trees, rest, claims)
    });
    cell(trees, place).clear();
    holds
}

fn drawn(draws: &mut Draws<'_>) -> Vec<Vertex> {
    let vertex_of = |spot: usize, draws: &mut Draws<'_>, below: &[Vertex]| {
        let [q, s, t] = [2, 2, 2].map(|n| draws.below(n));
        vertex(spot, &format!("q{q};s{s};s{t}"), below)
    };
    let n = 2 + draws.below(4);
    (0..n)
        .map(|_| {
            let n_visits = draws.below(3);
            let below: Vec<Vertex> = (0..n_visits).map(|_| vertex_of(1, draws, &[])).collect();
            vertex_of(0, draws, &below)
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_promise_holds_where_every_filling_keeps_it(
        draws in prop::collection::vec(any::<u8>(), 40..80),
        n_cut in 1_usize..5,
        l in 1_u32..4,
        rule in prop::option::of((1_u32..3, 1_u64..4, any::<bool>())),
    ) {
        let mut draws = Draws(draws.iter().cycle());
        let (schema, mut trees) = (people(), drawn(&mut draws));
        let all = places(&trees);
        let cut: BTreeSet<Place> = (0..n_cut).map(|_| all[draws.below(all.len())]).collect();
        for &place in &cut {
            cell(&mut trees, place).clear();
        }
        let is_shown = |place: &&Place| {
            let alike = |other: &&Place| looks(&trees, **other) == looks(&trees, **place);
            all.iter().filter(alike).any(|other| !cut.contains(other))
        };
        let open: Vec<Place> = cut.iter().filter(is_shown).copied().collect();
        let mut claims = schema.claims(1, l);
        claims.rules.extend(rule.map(|(at_least, quarters, is_of_one)| NestedRule {
            attribute: is_of_one.then(|| "v[].d".to_owned()),
            value: "s0".to_owned(),
            at_least,
            probability: Ratio::new(quarters, 4),
        }));
        prop_assume!(l > 1 || rule.is_some());
        let found = holds(&schema, &trees, &claims);
        prop_assert_eq!(found, every(&schema, &mut trees, &open, &claims));
    }
}

// HIV, flu and two of whom nothing is shown: both may have HIV.
#[test]
fn what_is_cut_off_is_not_counted_as_diverse() {
    let schema = people();
    let of = |values: [&str; 4]| -> Vec<Vertex> {
        values.map(|value| vertex(0, &format!("q0;{value};s0"), &[])).into()
    };
    let mut claims = schema.claims(2, 2);
    claims.l.truncate(1);
    assert!(holds(&schema, &of(["HIV", "HIV", "flu", "flu"]), &claims));
    assert!(!holds(&schema, &of(["HIV", "", "", "flu"]), &claims));
    assert!(holds(&schema, &of(["", "", "", ""]), &claims));
}
