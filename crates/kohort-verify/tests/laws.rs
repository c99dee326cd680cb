//! Laws on random tables: fast equals plain, what is monotone stays so, and borders are each other's
//! transversals.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod tables;

use std::collections::BTreeMap;

use kohort_core::{Attribute, Ctx, Domain, Level, Ratio, Role, Table, Taxonomy, Tree, group};
use kohort_models::{
    AlphaKAnonymity, BasicBetaLikeness, Class, ClassModel, Counts, DeltaDisclosurePrivacy,
    Distance, DistinctLDiversity, Distribution, EnhancedBetaLikeness, EntropyLDiversity,
    FrequencyLDiversity, KAnonymity, KeAnonymity, LkcPrivacy, PSensitiveKAnonymity,
    PersonalizedPrivacy, RecursiveClDiversity, SensitivityClasses, TCloseness, tally,
};
use kohort_verify::{
    AttributeSet, ClassSizes, Projection, Promise, all_subsets, all_subsets_levels, borders, check,
    levels, linking, lkc, match_public, minimal_transversals, uniques,
};
use proptest::prelude::*;

const NAMES: [&str; 7] = ["a", "b", "c", "d", "e", "s", "z"];

/// Rows of five quasi-identifiers and two sensitive attributes, from few values so that classes form.
fn rows() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let row = (0u8..2, 0u8..3, 0u8..2, 0u8..4, 0u8..9, 0u8..4, 0u8..3);
    let row = row.prop_map(|(a, b, c, d, e, s, z)| vec![a, b, c, d, e, s, z]);
    prop::collection::vec(row, 1..40)
}

fn table(rows: &[Vec<u8>]) -> Table {
    let text = |row: &Vec<u8>| row.iter().map(u8::to_string).collect();
    tables::table(&NAMES, &rows.iter().map(text).collect::<Vec<Vec<String>>>())
}

/// The classes of a set by a plain map: row numbers per projection.
fn plain_classes(rows: &[Vec<u8>], set: AttributeSet) -> Vec<Vec<usize>> {
    let mut classes: BTreeMap<Vec<u8>, Vec<usize>> = BTreeMap::new();
    for (index, row) in rows.iter().enumerate() {
        classes.entry(set.iter().map(|a| row[a]).collect()).or_default().push(index);
    }
    classes.into_values().collect()
}

fn every_set() -> Vec<AttributeSet> {
    (0..32_u64).map(|bits| (0..5).filter(|i| bits >> i & 1 == 1).collect()).collect()
}

/// The monotone models under test, for two sensitive attributes.
fn models(n: u64) -> Vec<Box<dyn ClassModel>> {
    let l = Ratio::new(n + 2, 2);
    vec![
        Box::new(KAnonymity::new(n + 1).unwrap()),
        Box::new(DistinctLDiversity::new(0, n + 1).unwrap()),
        Box::new(FrequencyLDiversity::new(0, l).unwrap()),
        Box::new(EntropyLDiversity::new(1, l).unwrap()),
        Box::new(RecursiveClDiversity::new(0, Ratio::whole(n), 2).unwrap()),
        Box::new(AlphaKAnonymity::new(0, Ratio::new(1, n + 1), 2, vec![0, 1]).unwrap()),
        Box::new(PSensitiveKAnonymity::new(2, n + 1).unwrap()),
        Box::new(TCloseness::new(0, Ratio::new(1, n + 1), Distance::Equal).unwrap()),
        Box::new(TCloseness::new(0, Ratio::new(1, n + 2), Distance::Ordered).unwrap()),
        Box::new(TCloseness::new(1, Ratio::new(1, n + 1), Distance::Hierarchical).unwrap()),
        Box::new(BasicBetaLikeness::new(0, Ratio::new(1, n)).unwrap()),
        Box::new(EnhancedBetaLikeness::new(1, Ratio::whole(n)).unwrap()),
        Box::new(DeltaDisclosurePrivacy::new(0, Ratio::new(n + 1, 2)).unwrap()),
        Box::new(LkcPrivacy::new(1, 2, n, Ratio::new(2, n + 2), vec![0, 2]).unwrap()),
        Box::new(KeAnonymity::new(0, 2, Ratio::whole(n)).unwrap()),
        Box::new(
            SensitivityClasses::new(0, vec![0, 2], Ratio::new(2, n + 2))
                .and_then(|model| model.with_l(Ratio::whole(n + 1)))
                .and_then(|model| model.with_l_low(Ratio::new(3, 2)))
                .unwrap(),
        ),
    ]
}

/// Whether a set keeps a model, class by class.
fn plain_holds(
    rows: &[Vec<u8>],
    set: AttributeSet,
    model: &dyn ClassModel,
    sensitive: &[Attribute],
    distributions: &[Distribution<'_>],
) -> bool {
    plain_classes(rows, set).iter().all(|class| {
        let cells: Vec<Vec<(u32, u64)>> = sensitive
            .iter()
            .map(|attribute| {
                let mut cells: BTreeMap<u32, u64> = BTreeMap::new();
                for &row in class {
                    *cells.entry(attribute.codes().get(row)).or_default() += 1;
                }
                cells.into_iter().collect()
            })
            .collect();
        let counts: Vec<Counts<'_>> = (distributions.iter().zip(&cells))
            .map(|(table, cells)| Counts { table, cells })
            .collect();
        model.holds(&Class { size: class.len() as u64, sensitive: &counts })
    })
}

struct Fixture {
    table: Table,
    quasi: Vec<Attribute>,
    sensitive: Vec<Attribute>,
}

fn fixture(rows: &[Vec<u8>]) -> Fixture {
    let table = table(rows);
    let quasi = tables::attributes(&table, &NAMES[..5], Role::Quasi);
    let sensitive = tables::attributes(&table, &NAMES[5..], Role::Sensitive);
    Fixture { table, quasi, sensitive }
}

fn sorted(mut sets: Vec<AttributeSet>) -> Vec<AttributeSet> {
    sets.sort();
    sets
}

proptest! {
    #[test]
    fn every_subset_has_the_class_sizes_of_a_plain_count(rows in rows()) {
        let Fixture { table, quasi, .. } = fixture(&rows);
        let projection = Projection::new(table.n_rows(), &Vec::from_iter(&quasi), &[]);
        let found = all_subsets(&projection, 5, &Ctx::quiet(), &Clone::clone).unwrap();
        prop_assert_eq!(found.len(), 32);
        for (set, sizes) in found {
            let plain: ClassSizes =
                plain_classes(&rows, set).iter().map(|class| class.len() as u64).collect();
            prop_assert_eq!(sizes.iter().collect::<Vec<_>>(), plain.iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn frequency_entropy_distinct_and_k_are_in_order(rows in rows()) {
        let Fixture { table, quasi, sensitive } = fixture(&rows);
        let (quasi, sensitive) = (Vec::from_iter(&quasi), Vec::from_iter(&sensitive));
        let found = levels(table.n_rows(), &quasi[..2], &sensitive, &[vec![], vec![]]);
        for s in &found.sensitive {
            #[expect(clippy::cast_precision_loss, reason = "small counts")]
            let distinct = s.distinct_l as f64;
            prop_assert!(s.frequency_l.value() <= s.entropy_l + 1e-9);
            prop_assert!(s.entropy_l <= distinct + 1e-9);
            prop_assert!(s.distinct_l <= found.sizes.k().unwrap());
        }
    }

    #[test]
    fn levels_of_a_set_are_those_of_the_walk_over_all_sets(rows in rows()) {
        let Fixture { table, quasi, sensitive } = fixture(&rows);
        let (quasi, sensitive) = (Vec::from_iter(&quasi), Vec::from_iter(&sensitive));
        let projection = Projection::new(table.n_rows(), &quasi, &sensitive);
        let distributions: Vec<Distribution<'_>> =
            sensitive.iter().map(|a| Distribution::new(a)).collect();
        for (set, found) in all_subsets_levels(&projection, &distributions, 5, &Ctx::quiet()).unwrap() {
            let chosen: Vec<&Attribute> = set.iter().map(|a| quasi[a]).collect();
            let direct = levels(table.n_rows(), &chosen, &sensitive, &[vec![], vec![]]);
            for (walked, direct) in found.iter().zip(&direct.sensitive) {
                prop_assert_eq!(walked.0, direct.distinct_l);
                prop_assert_eq!(walked.1, direct.frequency_l);
                prop_assert!((walked.2 - direct.entropy_l).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn monotone_models_hold_for_subsets_of_what_they_hold_for(rows in rows(), n in 1_u64..4) {
        let Fixture { sensitive, .. } = fixture(&rows);
        let distributions: Vec<Distribution<'_>> =
            sensitive.iter().map(Distribution::new).collect();
        for model in models(n) {
            prop_assert!(model.is_monotone());
            let holds =
                |set| plain_holds(&rows, set, model.as_ref(), &sensitive, &distributions);
            for set in every_set() {
                if holds(set) {
                    for attribute in set.iter() {
                        prop_assert!(holds(set.without(attribute)), "{}", model.spec().id);
                    }
                }
            }
        }
    }

    #[test]
    fn no_smaller_class_holds_than_a_model_says(rows in rows(), n in 1_u64..4) {
        let Fixture { sensitive, .. } = fixture(&rows);
        let distributions: Vec<Distribution<'_>> =
            sensitive.iter().map(Distribution::new).collect();
        let nodes = vec![Some((0, 1)), None, Some((0, 0)), None];
        let mut models = models(n);
        models.push(Box::new(PersonalizedPrivacy::new(0, Ratio::new(1, 2), 0, nodes).unwrap()));
        for model in models {
            let smallest = usize::try_from(model.smallest()).unwrap();
            for end in 1..smallest.min(rows.len() + 1) {
                let few = &rows[..end];
                let holds =
                    plain_holds(few, AttributeSet::EMPTY, model.as_ref(), &sensitive, &distributions);
                prop_assert!(!holds, "{} with {end} rows", model.spec().id);
            }
        }
    }

    #[test]
    fn lkc_equals_its_definition_and_follows_from_the_model(
        rows in rows(), l in 1_usize..6, k in 1_u64..5, den in 1_u64..4,
    ) {
        let Fixture { table, quasi, sensitive } = fixture(&rows);
        let (quasi, all) = (Vec::from_iter(&quasi), Vec::from_iter(&sensitive));
        // The listed values are the first two that occur, in the order of values.
        let mut listed: Vec<u8> = rows.iter().map(|row| row[5]).collect();
        listed.sort_unstable();
        listed.dedup();
        listed.truncate(2);
        let codes = (0..u32::try_from(listed.len()).unwrap()).collect();
        let model = LkcPrivacy::new(0, l, k, Ratio::new(1, den), codes).unwrap();
        let breaks = |class: &Vec<usize>| {
            let size = class.len() as u64;
            let with = |value: u8| class.iter().filter(|&&row| rows[row][5] == value).count();
            size < k || listed.iter().any(|&value| with(value) as u64 * den > size)
        };
        let broken: Vec<Vec<usize>> = every_set().into_iter().filter(|set| set.len() <= l)
            .flat_map(|set| plain_classes(&rows, set)).filter(breaks).collect();
        let mut members: Vec<usize> = broken.iter().flatten().copied().collect();
        members.sort_unstable();
        members.dedup();
        let quasi: Vec<_> = quasi.iter().map(|a| (a.codes(), a.n_codes())).collect();
        let found = lkc(table.n_rows(), &quasi, &all, &model);
        prop_assert_eq!(found.classes, broken.len() as u64);
        prop_assert_eq!(found.rows, members.len() as u64);
        let models: Vec<Box<dyn ClassModel>> = vec![Box::new(model)];
        prop_assert_eq!(check(&group(table.n_rows(), quasi.iter().copied()), &quasi, &all, &models)[0], found);
        let breaks_all = plain_classes(&rows, (0..5).collect()).iter().any(breaks);
        prop_assert!(breaks_all || found.classes == 0);
        prop_assert!(l < 5 || breaks_all == (found.classes > 0));
    }

    #[test]
    fn borders_equal_exhaustive_search_and_are_each_others_transversals(
        rows in rows(), n in 1_u64..4,
    ) {
        let Fixture { table, quasi, sensitive } = fixture(&rows);
        let distributions: Vec<Distribution<'_>> =
            sensitive.iter().map(Distribution::new).collect();
        let projection = Projection::new(
            table.n_rows(), &Vec::from_iter(&quasi), &Vec::from_iter(&sensitive),
        );
        let full: AttributeSet = (0..5).collect();
        for model in models(n) {
            let holds =
                |set| plain_holds(&rows, set, model.as_ref(), &sensitive, &distributions);
            let positive = every_set().into_iter().filter(|&set| {
                holds(set) && full.minus(set).iter().all(|a| !holds(set.with(a)))
            });
            let negative = every_set().into_iter().filter(|&set| {
                !holds(set) && set.iter().all(|a| holds(set.without(a)))
            });
            let (positive, negative) = (sorted(positive.collect()), sorted(negative.collect()));
            let promise =
                Promise::EveryClass { models: vec![model], distributions: &distributions };
            let found = borders(&projection, &promise, None, &Ctx::quiet()).unwrap();
            prop_assert!(found.is_complete);
            let complements: Vec<AttributeSet> =
                found.positive.iter().map(|&set| full.minus(set)).collect();
            prop_assert_eq!(minimal_transversals(&complements), sorted(found.negative.clone()));
            prop_assert_eq!(sorted(found.positive), positive);
            prop_assert_eq!(sorted(found.negative), negative);
        }
    }

    #[test]
    fn borders_with_suppression_equal_exhaustive_search(
        rows in rows(), k in 2_u64..5, budget in 0_u64..12,
    ) {
        let Fixture { table, quasi, .. } = fixture(&rows);
        let projection = Projection::new(table.n_rows(), &Vec::from_iter(&quasi), &[]);
        let dropped = |set| -> u64 {
            let classes = plain_classes(&rows, set);
            classes.iter().map(|c| c.len() as u64).filter(|&size| size < k).sum()
        };
        let safe: Vec<AttributeSet> =
            every_set().into_iter().filter(|&set| dropped(set) <= budget).collect();
        let promise = Promise::Suppressing { k, budget };
        let found = borders(&projection, &promise, None, &Ctx::quiet()).unwrap();
        for set in every_set() {
            let below = found.positive.iter().any(|&top| set.is_within(top));
            let above = found.negative.iter().any(|&bottom| bottom.is_within(set));
            prop_assert_eq!(below, safe.contains(&set));
            prop_assert_eq!(above, !safe.contains(&set));
        }
    }

    #[test]
    fn a_size_limit_cuts_the_borders_and_says_so(rows in rows(), limit in 1_usize..5) {
        let Fixture { table, quasi, .. } = fixture(&rows);
        let projection = Projection::new(table.n_rows(), &Vec::from_iter(&quasi), &[]);
        let promise = Promise::Suppressing { k: 2, budget: 0 };
        let whole = borders(&projection, &promise, None, &Ctx::quiet()).unwrap();
        let cut = borders(&projection, &promise, Some(limit), &Ctx::quiet()).unwrap();
        let small: Vec<AttributeSet> =
            whole.negative.iter().filter(|set| set.len() <= limit).copied().collect();
        prop_assert_eq!(&cut.negative, &small);
        prop_assert!(cut.is_complete || cut.complete_to == limit);
        if cut.is_complete {
            prop_assert_eq!(cut.positive, whole.positive);
        }
    }

    #[test]
    fn suggested_suppression_gives_its_k_and_one_row_fewer_does_not(rows in rows(), k in 2_u64..6) {
        let classes = plain_classes(&rows, (0..5).collect());
        let sizes: ClassSizes = classes.iter().map(|class| class.len() as u64).collect();
        let needed = sizes.suppressed_for(k);
        let left: ClassSizes = sizes.iter().filter(|&(size, _)| size >= k)
            .flat_map(|(size, n)| (0..n).map(move |_| size)).collect();
        prop_assert!(left.k().is_none_or(|reached| reached >= k));
        prop_assert_eq!(left.n_rows() + needed, rows.len() as u64);
        if let Some((reached, dropped)) = sizes.k_with_budget(needed) {
            prop_assert!(reached >= k);
            prop_assert_eq!(dropped, sizes.suppressed_for(reached));
        }
        if needed > 0 {
            prop_assert!(sizes.k_with_budget(needed - 1).unwrap().0 < k);
        }
        for (reachable, dropped) in sizes.curve() {
            prop_assert_eq!(sizes.suppressed_for(reachable), dropped);
        }
    }

    #[test]
    fn unique_rows_and_their_minimal_sets_equal_a_plain_search(rows in rows()) {
        let Fixture { table, quasi, .. } = fixture(&rows);
        let projection = Projection::new(table.n_rows(), &Vec::from_iter(&quasi), &[]);
        let found = uniques(&projection, 1000).unwrap();
        let alone = |set: AttributeSet| -> Vec<usize> {
            let classes = plain_classes(&rows, set);
            classes.into_iter().filter(|class| class.len() == 1).map(|class| class[0]).collect()
        };
        for (attribute, &count) in found.single.iter().enumerate() {
            prop_assert_eq!(alone(AttributeSet::EMPTY.with(attribute)).len() as u64, count);
        }
        prop_assert_eq!(found.pairs.len(), 10);
        for &(set, count) in &found.pairs {
            prop_assert_eq!(alone(set).len() as u64, count);
        }
        let alone_by_set: BTreeMap<AttributeSet, Vec<usize>> =
            every_set().into_iter().map(|set| (set, alone(set))).collect();
        let minimal = |row: usize| -> Vec<AttributeSet> {
            let single = |set: AttributeSet| alone_by_set[&set].contains(&row);
            sorted(every_set().into_iter().filter(|&set| {
                single(set) && set.iter().all(|a| !single(set.without(a)))
            }).collect())
        };
        prop_assert_eq!(found.riskiest.len(), alone((0..5).collect()).len());
        for singled in &found.riskiest {
            let row = usize::try_from(singled.row).unwrap() - 1;
            prop_assert_eq!(sorted(singled.sets.clone()), minimal(row));
        }
        for (index, &count) in found.by_size.iter().enumerate() {
            let smallest = |row: usize| minimal(row).iter().map(|set| set.len()).min();
            let plain = (0..rows.len()).filter(|&row| smallest(row) == Some(index + 1)).count();
            prop_assert_eq!(plain as u64, count);
        }
    }

    #[test]
    fn distances_equal_their_definitions(rows in rows()) {
        let Fixture { sensitive, .. } = fixture(&rows);
        let attribute = &sensitive[0];
        let table = Distribution::new(attribute);
        for class in plain_classes(&rows, (0..2).collect()) {
            let mut cells = Vec::new();
            let codes = class.iter().map(|&row| (attribute.codes().get(row), 1));
            tally(codes, table.n_values(), &mut cells);
            let counts = Counts { table: &table, cells: &cells };
            let difference: Vec<f64> = (0..attribute.n_codes()).map(|code| {
                let here = cells.iter().find(|cell| cell.0 == code).map_or(0, |cell| cell.1);
                Ratio::new(here, class.len() as u64).value()
                    - Ratio::new(table.count(code), table.n()).value()
            }).collect();
            let equal = difference.iter().map(|d| d.abs()).sum::<f64>() / 2.0;
            let mut sum = 0.0;
            let steps: f64 = difference.iter().map(|d| { sum += d; sum.abs() }).sum();
            #[expect(clippy::cast_precision_loss, reason = "small counts")]
            let ordered = if difference.len() < 2 { 0.0 } else { steps / (difference.len() - 1) as f64 };
            prop_assert!((Distance::Equal.of(&counts) - equal).abs() < 1e-9);
            prop_assert!((Distance::Ordered.of(&counts) - ordered).abs() < 1e-9);
            // A flat taxonomy has one inner node: the hierarchical distance is the equal one.
            prop_assert!((Distance::Hierarchical.of(&counts) - equal).abs() < 1e-9);
        }
    }

    #[test]
    fn hierarchical_distance_equals_its_definition_on_random_trees(
        rows in rows(),
        lower in prop::collection::vec(0_u32..3, 9),
        upper in prop::collection::vec(0_u32..2, 3),
    ) {
        let table = table(&rows);
        let column = table.column("e").unwrap();
        let domain = Domain::new(&table, column, None, &|_| false).unwrap();
        let n = domain.values().len();
        let level = |group_of_leaf: Vec<u32>, n: usize| Level {
            group_of_leaf, labels: (0..n).map(|group| format!("g{n}-{group}")).collect(),
        };
        let low: Vec<u32> = lower[..n].to_vec();
        let high: Vec<u32> = low.iter().map(|&group| upper[group as usize]).collect();
        let (taxonomy, position) = Taxonomy::build(Tree {
            leaves: &(0..u32::try_from(n).unwrap()).map(Some).collect::<Vec<_>>(),
            label: &|leaf| leaf.to_string(),
            levels: &[level(low.clone(), 3), level(high.clone(), 2)],
            n_values: u32::try_from(n).unwrap(),
            missing: false,
            is_ordered: true,
        }).unwrap();
        let attribute =
            Attribute::new(&table, "e", Role::Sensitive, domain, Some((taxonomy, position.clone())))
                .unwrap();
        let distribution = Distribution::new(&attribute);
        for class in plain_classes(&rows, (0..2).collect()) {
            let mut cells = Vec::new();
            let codes = class.iter().map(|&row| (attribute.codes().get(row), 1));
            tally(codes, distribution.n_values(), &mut cells);
            let counts = Counts { table: &distribution, cells: &cells };
            // The surplus of each value, then of each group, then what is moved inside each node.
            let surplus: Vec<f64> = (0..n).map(|value| {
                let here = cells.iter().find(|cell| cell.0 == position[value]).map_or(0, |c| c.1);
                Ratio::new(here, class.len() as u64).value()
                    - Ratio::new(distribution.count(position[value]), distribution.n()).value()
            }).collect();
            let moved = |parts: &[f64]| {
                let positive: f64 = parts.iter().map(|part| part.max(0.0)).sum();
                let negative: f64 = parts.iter().map(|part| (-part).max(0.0)).sum();
                positive.min(negative)
            };
            let of_low = |group: u32| -> Vec<f64> {
                (0..n).filter(|&value| low[value] == group).map(|value| surplus[value]).collect()
            };
            let low_sum = |group: u32| of_low(group).iter().sum::<f64>();
            let of_high = |group: u32| -> Vec<f64> {
                (0..3).filter(|&low| upper[low as usize] == group).map(low_sum).collect()
            };
            let high_sums: Vec<f64> = (0..2).map(|group| of_high(group).iter().sum()).collect();
            let work = (0..3).map(|group| moved(&of_low(group)) / 3.0).sum::<f64>()
                + (0..2).map(|group| moved(&of_high(group)) * 2.0 / 3.0).sum::<f64>();
            // With one group on the upper level that group is the root, and the tree is lower.
            let height = attribute.taxonomy().height();
            prop_assume!(height == 3);
            let expected = work + moved(&high_sums);
            prop_assert!((Distance::Hierarchical.of(&counts) - expected).abs() < 1e-9);
        }
    }

    #[test]
    fn row_order_changes_nothing(rows in rows(), seed in any::<u64>()) {
        let mut shuffled = rows.clone();
        shuffled.sort_by_key(|row| row.iter().fold(seed, |hash, &v| {
            (hash ^ u64::from(v)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23)
        }));
        let public = table(&[rows.clone(), rows.clone(), vec![vec![0; 7]; 3]].concat());
        let of = |rows: &[Vec<u8>]| {
            let Fixture { table, quasi, sensitive } = fixture(rows);
            let chosen = Vec::from_iter(&quasi[..3]);
            let found = levels(table.n_rows(), &chosen, &Vec::from_iter(&sensitive), &[vec![], vec![]]);
            let presence = match_public(table.n_rows(), &chosen, &public).unwrap();
            let linked = linking(&presence).unwrap();
            format!("{:?} {:?} {:?} {linked:?}", found.sizes, found.sensitive, presence.range())
        };
        prop_assert_eq!(of(&rows), of(&shuffled));
    }
}
