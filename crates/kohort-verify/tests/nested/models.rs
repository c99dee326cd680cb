//! Promises about the values of orbits, against their plain definitions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kohort_core::{Attribute, Ratio, Role};
use kohort_models::{
    AlphaKAnonymity, ClassModel, Distance, DistinctLDiversity, EntropyLDiversity,
    PSensitiveKAnonymity, RecursiveClDiversity, TCloseness,
};
use kohort_verify::nested::{
    NestedClaims, NestedOriginal, NestedReason, NestedRelease, PathModel, verify,
};
use proptest::prelude::*;

use super::given::{Schema, Vertex, vertex};
use super::laws::{Draws, are_isomorphic, given, tree};

/// A promise, and whether the values of an orbit keep it where its class has so many people and the whole data
/// has these values.
struct Promise {
    id: &'static str,
    bind: fn(&Attribute) -> Box<dyn ClassModel>,
    holds: fn(&Counted, u32, &Counted) -> bool,
}

/// How often each value occurs.
type Counted = BTreeMap<String, u32>;

fn total(counts: &Counted) -> f64 {
    f64::from(counts.values().sum::<u32>())
}

fn descending(counts: &Counted) -> Vec<u32> {
    let mut counts: Vec<u32> = counts.values().copied().collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    counts
}

const PROMISES: [Promise; 6] = [
    Promise {
        id: "distinct-l-diversity",
        bind: |_| Box::new(DistinctLDiversity::new(0, 2).unwrap()),
        holds: |own, people, _| own.len() >= 2 && people >= 2,
    },
    Promise {
        id: "entropy-l-diversity",
        bind: |_| Box::new(EntropyLDiversity::new(0, Ratio::new(9, 5)).unwrap()),
        holds: |own, people, _| {
            let share = |&count: &u32| f64::from(count) / total(own);
            let entropy: f64 = own.values().map(share).map(|share| -share * share.ln()).sum();
            entropy >= 1.8_f64.ln() - 1e-9 && people >= 1
        },
    },
    Promise {
        id: "recursive-cl-diversity",
        bind: |_| Box::new(RecursiveClDiversity::new(0, Ratio::new(3, 2), 2).unwrap()),
        holds: |own, people, _| {
            let counts = descending(own);
            let tail: u32 = counts.iter().skip(1).sum();
            2 * counts[0] < 3 * tail && people >= 2
        },
    },
    Promise {
        id: "alpha-k-anonymity",
        bind: |_| {
            let all = vec![0, 1, 2];
            Box::new(AlphaKAnonymity::new(0, Ratio::new(2, 3), 2, all).unwrap())
        },
        holds: |own, people, _| {
            let most = descending(own)[0];
            3 * most <= 2 * own.values().sum::<u32>() && people >= 2
        },
    },
    Promise {
        id: "p-sensitive-k-anonymity",
        bind: |_| Box::new(PSensitiveKAnonymity::new(2, 3).unwrap()),
        holds: |own, people, _| own.len() >= 2 && people >= 3,
    },
    Promise {
        id: "t-closeness",
        bind: |_| Box::new(TCloseness::new(0, Ratio::new(2, 5), Distance::Equal).unwrap()),
        holds: |own, _, whole| {
            let of = |counts: &Counted, value: &String| {
                f64::from(*counts.get(value).unwrap_or(&0)) / total(counts)
            };
            let apart: f64 =
                whole.keys().map(|value| (of(own, value) - of(whole, value)).abs()).sum();
            apart / 2.0 <= 0.4 + 1e-9
        },
    },
];

fn models(path: &str) -> Vec<PathModel> {
    let model = |promise: &Promise| {
        let bind = promise.bind;
        PathModel {
            path: path.to_owned(),
            id: promise.id,
            parameters: String::new(),
            bind: Arc::new(move |attribute: &Attribute| Ok(bind(attribute))),
        }
    };
    PROMISES.iter().map(model).collect()
}

/// The values of each orbit of a column, with the number of people in its class: plain backtracking.
fn orbits(
    schema: &Schema,
    trees: &[Vertex],
    (spot, column): (usize, usize),
) -> Vec<(Counted, u32)> {
    let mut found: BTreeMap<BTreeSet<(usize, usize)>, (Counted, u32)> = BTreeMap::new();
    for a in trees {
        let class: Vec<usize> =
            (0..trees.len()).filter(|&b| are_isomorphic(schema, a, &trees[b])).collect();
        for at in 0..a.n_vertices() {
            let mut marked = a.clone();
            if marked.nth(at).spot != spot {
                continue;
            }
            marked.nth(at).cells.push("#".into());
            let (mut members, mut values) = (BTreeSet::new(), Counted::new());
            for &b in &class {
                for other in 0..trees[b].n_vertices() {
                    let mut twin = trees[b].clone();
                    twin.nth(other).cells.push("#".into());
                    if are_isomorphic(schema, &marked, &twin) {
                        members.insert((b, other));
                        *values.entry(twin.nth(other).cells[column].clone()).or_default() += 1;
                    }
                }
            }
            found.insert(members, (values, u32::try_from(class.len()).unwrap()));
        }
    }
    found.into_values().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_model_equals_its_plain_definition((schema, draws) in given(), n in 1_usize..7) {
        let mut draws = Draws(draws.iter().cycle());
        let trees: Vec<Vertex> = (0..n)
            .map(|_| tree(&schema, 0, &mut draws))
            .filter(|tree| tree.n_vertices() < 9)
            .collect();
        for (spot, place) in schema.0.iter().enumerate() {
            for (column, (path, role)) in place.columns.iter().enumerate() {
                if *role != Role::Sensitive {
                    continue;
                }
                let orbits = orbits(&schema, &trees, (spot, column));
                let mut whole = Counted::new();
                for (value, count) in orbits.iter().flat_map(|(values, _)| values) {
                    *whole.entry(value.clone()).or_default() += count;
                }
                let claims = NestedClaims { models: models(path), ..schema.claims(1, 1) };
                let nested = schema.nested(&trees);
                let verdict = verify(NestedRelease::Generalized(&nested), &claims, None).unwrap();
                let found = match &verdict {
                    Ok(verified) => verified.findings(),
                    Err(rejected) => rejected.findings(),
                };
                for (promise, finding) in PROMISES.iter().zip(&found.models) {
                    let breaks = |(own, people): &&(Counted, u32)| {
                        !(promise.holds)(own, *people, &whole)
                    };
                    let broken = orbits.iter().filter(breaks).count() as u64;
                    prop_assert_eq!(finding.broken_orbits, broken, "{} of {}", promise.id, path);
                }
            }
        }
    }
}

/// People with a sex and an illness.
fn people(of: &[(&str, &str)]) -> (Schema, Vec<Vertex>) {
    let columns = vec![("sex".to_owned(), Role::Quasi), ("ill".to_owned(), Role::Sensitive)];
    let spot = super::given::Spot { path: String::new(), above: 0, columns };
    let trees = of.iter().map(|(sex, ill)| vertex(0, &format!("{sex};{ill}"), &[])).collect();
    (Schema(vec![spot]), trees)
}

#[test]
fn the_whole_data_is_the_original_and_what_is_cut_counts() {
    let (schema, all) =
        people(&[("f", "a"), ("f", "a"), ("f", "b"), ("f", "b"), ("f", "c"), ("f", "c")]);
    let original = schema.nested(&all);
    let forest = schema.forest(&original, &[]);
    let claims = |models| NestedClaims { models, ..schema.claims(1, 1) };
    let judge = |kept: &[usize], claims: &NestedClaims, is_known: bool| {
        let trees: Vec<Vertex> = kept.iter().map(|&at| all[at].clone()).collect();
        let release = schema.nested(&trees);
        let original = is_known.then_some(NestedOriginal {
            nested: &original,
            forest: &forest,
            certificate: None,
        });
        verify(NestedRelease::Generalized(&release), claims, original).unwrap().err()
    };
    let close: Vec<PathModel> =
        models("ill").into_iter().filter(|of| of.id == "t-closeness").collect();
    let claims = claims(close);
    // By itself the release is the whole data: nothing differs from it.
    assert!(judge(&[0, 1, 2, 3], &claims, false).is_none());
    assert!(judge(&[0, 1, 2, 3, 4, 5], &claims, true).is_none());
    // Both who have c are missing: of those who are shown 1/3 differs, of those who are not 2/3.
    let reasons = judge(&[0, 1, 2, 3], &claims, true).unwrap().reasons().to_vec();
    let found = reasons.iter().find_map(|reason| match reason {
        NestedReason::Model { finding, .. } => Some(*finding),
        _ => None,
    });
    let found = found.unwrap();
    assert_eq!((found.broken_orbits, found.broken_cut), (0, Some(2)));
}
