//! Each model against a plain reference, written from the definition alone.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::cast_precision_loss, reason = "small counts")]

use std::collections::{BTreeMap, BTreeSet};

use kohort_core::{
    Attribute, Codes, Column, Dictionary, Domain, Missing, Ratio, Role, Table, ValueType,
};
use kohort_models::{
    AlphaKAnonymity, BasicBetaLikeness, Class, ClassModel, Counts, DeltaDisclosurePrivacy,
    DeltaPresence, Distance, DistinctLDiversity, Distribution, EnhancedBetaLikeness,
    EntropyLDiversity, EpsilonMAnonymity, FrequencyLDiversity, KAnonymity, KeAnonymity,
    LMdiversity, LPdiversity, LkcPrivacy, PSensitiveKAnonymity, PersonalizedPrivacy,
    RecursiveClDiversity, SPECS, SensitivityClasses, TCloseness,
};
use proptest::prelude::*;

fn attribute(values: &[u8]) -> Attribute {
    of_texts(&values.iter().map(u8::to_string).collect::<Vec<_>>())
}

fn of_texts(texts: &[String]) -> Attribute {
    let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
    for text in texts {
        codes.push(dictionary.intern(text.as_bytes(), 2).unwrap());
    }
    let column = Column::new("s".into(), dictionary, codes, &Missing::default());
    let table = Table::new("t".into(), vec![column], true, Missing::default());
    let domain = Domain::new(&table, &table.columns()[0], None, &|_| false).unwrap();
    Attribute::new(&table, "s", Role::Sensitive, domain, None).unwrap()
}

fn count(values: &[u8]) -> BTreeMap<u8, u64> {
    let mut counts = BTreeMap::new();
    for &value in values {
        *counts.entry(value).or_insert(0) += 1;
    }
    counts
}

/// The code of a value, if the table has it.
fn code(values: &[u8], value: u8) -> Option<u32> {
    attribute(values).code_of(&value.to_string())
}

/// The codes of those of the chosen values that the table has.
fn codes(values: &[u8], chosen: impl IntoIterator<Item = u8>) -> Vec<u32> {
    chosen.into_iter().filter_map(|value| code(values, value)).collect()
}

/// The share of a value among these.
fn share(values: &[u8], value: u8) -> f64 {
    count(values).get(&value).copied().unwrap_or(0) as f64 / values.len() as f64
}

/// The verdict of a model on the class that the first `n` values of a table form.
fn judge(model: &dyn ClassModel, values: &[u8], n: usize) -> bool {
    judge_attribute(model, &attribute(values), n)
}

fn judge_attribute(model: &dyn ClassModel, attribute: &Attribute, n: usize) -> bool {
    let table = Distribution::new(attribute);
    let mut cells: BTreeMap<u32, u64> = BTreeMap::new();
    for row in 0..n {
        *cells.entry(attribute.codes().get(row)).or_insert(0) += 1;
    }
    let cells: Vec<(u32, u64)> = cells.into_iter().collect();
    let counts = [Counts { table: &table, cells: &cells }];
    model.holds(&Class { size: n as u64, sensitive: &counts })
}

fn descending(values: &[u8]) -> Vec<u64> {
    let mut counts: Vec<u64> = count(values).into_values().collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    counts
}

/// A table of values of which the first few are the class.
fn table() -> impl Strategy<Value = (Vec<u8>, usize)> {
    prop::collection::vec(0_u8..6, 1..24).prop_flat_map(|values| {
        let n = values.len();
        (Just(values), 1..=n)
    })
}

proptest! {
    #[test]
    fn k_counts_rows((values, n) in table(), k in 2_u64..8) {
        prop_assert_eq!(judge(&KAnonymity::new(k).unwrap(), &values, n), n as u64 >= k);
    }

    #[test]
    fn distinct_l_counts_values((values, n) in table(), l in 2_u64..6) {
        let different: BTreeSet<u8> = values[..n].iter().copied().collect();
        let model = DistinctLDiversity::new(0, l).unwrap();
        prop_assert_eq!(judge(&model, &values, n), different.len() as u64 >= l);
    }

    #[test]
    fn frequency_l_bounds_every_share((values, n) in table(), num in 3_u64..12, den in 1_u64..3) {
        prop_assume!(num > den);
        let model = FrequencyLDiversity::new(0, Ratio::new(num, den)).unwrap();
        let within = count(&values[..n]).values().all(|c| c * num <= n as u64 * den);
        prop_assert_eq!(judge(&model, &values, n), within);
    }

    #[test]
    fn entropy_l_bounds_the_uncertainty((values, n) in table(), l in 2_u64..6) {
        let share = |c: u64| c as f64 / n as f64;
        let entropy: f64 =
            count(&values[..n]).values().map(|&c| -share(c) * share(c).ln()).sum();
        let model = EntropyLDiversity::new(0, Ratio::whole(l)).unwrap();
        prop_assert_eq!(judge(&model, &values, n), entropy >= (l as f64).ln() - 1e-9);
    }

    #[test]
    fn recursive_compares_the_top_with_the_tail((values, n) in table(), c in 1_u64..5, l in 2_usize..5) {
        let counts = descending(&values[..n]);
        let tail: u64 = counts.iter().skip(l - 1).sum();
        let model = RecursiveClDiversity::new(0, Ratio::whole(c), l).unwrap();
        prop_assert_eq!(judge(&model, &values, n), counts[0] < c * tail);
    }

    #[test]
    fn the_two_ways_round_of_recursive_agree((values, n) in table(), c in 1_u64..5) {
        let attribute = attribute(&values[..n]);
        let table = Distribution::new(&attribute);
        let cells: Vec<(u32, u64)> =
            (0..).zip(attribute.counts().iter().map(|&c| u64::from(c))).collect();
        let counts = Counts { table: &table, cells: &cells };
        let largest = RecursiveClDiversity::largest_l(&counts, Ratio::whole(c));
        for l in 1..=cells.len() + 1 {
            let smallest = RecursiveClDiversity::smallest_c(&counts, l);
            let holds = smallest.is_some_and(|smallest| smallest < Ratio::whole(c));
            prop_assert_eq!(holds, l <= largest);
        }
    }

    /// By duality: the distance is the most that a function gains which changes by at most 1 / (m − 1) from
    /// rank to rank, and by at most 1 from any value to missing. Such functions in steps suffice.
    #[test]
    fn ordered_t_puts_missing_at_distance_one_from_every_value(
        (values, n) in table(), tenths in 0_u64..11,
    ) {
        // 0 stands for missing.
        let texts: Vec<String> =
            values.iter().map(|&v| if v == 0 { String::new() } else { v.to_string() }).collect();
        let attribute = of_texts(&texts);
        let ranks: Vec<u8> =
            values.iter().copied().filter(|&v| v > 0).collect::<BTreeSet<_>>().into_iter().collect();
        let steps = i64::try_from(ranks.len()).unwrap() - 1;
        let gain = |v: u8| share(&values[..n], v) - share(&values, v);
        let mut most = 0.0_f64;
        let mut open: Vec<Vec<i64>> = (-steps.max(1)..=steps.max(1)).map(|f| vec![f]).collect();
        while let Some(heights) = open.pop() {
            if heights.len() >= ranks.len() {
                let sum: f64 =
                    heights.iter().zip(&ranks).map(|(&f, &v)| f as f64 * gain(v)).sum();
                most = most.max(sum / steps.max(1) as f64);
                continue;
            }
            let last = heights[heights.len() - 1];
            for next in (last - 1..=last + 1).filter(|next| next.abs() <= steps) {
                open.push(heights.iter().copied().chain([next]).collect());
            }
        }
        let model = TCloseness::new(0, Ratio::new(tenths, 10), Distance::Ordered).unwrap();
        let holds = judge_attribute(&model, &attribute, n);
        prop_assume!((most - tenths as f64 / 10.0).abs() > 1e-6);
        prop_assert_eq!(holds, most < tenths as f64 / 10.0, "{}", most);
    }

    #[test]
    fn alpha_bounds_the_chosen_values((values, n) in table(), den in 1_u64..5, k in 1_u64..4) {
        let attribute = attribute(&values);
        let chosen = attribute.codes().get(0);
        let share = count(&values[..n])[&values[0]];
        let model = AlphaKAnonymity::new(0, Ratio::new(1, den), k, vec![chosen]).unwrap();
        prop_assert_eq!(judge(&model, &values, n), share * den <= n as u64 && n as u64 >= k);
    }

    #[test]
    fn p_sensitivity_counts_values_and_rows((values, n) in table(), p in 2_u64..4, more in 0_u64..4) {
        let model = PSensitiveKAnonymity::new(p, p + more).unwrap();
        let different = count(&values[..n]).len() as u64;
        prop_assert_eq!(judge(&model, &values, n), different >= p && n as u64 >= p + more);
    }

    #[test]
    fn p_and_m_diversity_bound_every_share_of_every_attribute(
        (values, n) in table(),
        others in prop::collection::vec(0_u8..6, 24),
        l in 2_u64..6,
    ) {
        let others = &others[..values.len()];
        let rows: Vec<usize> = (0..n).collect();
        let columns = [&values[..n], &others[..n]];
        let expected =
            columns.iter().all(|column| descending(column)[0] * l <= n as u64);
        let judge = |model: &dyn ClassModel| judge_together(model, &values, others, &rows);
        prop_assert_eq!(judge(&LPdiversity::new(l).unwrap()), expected);
        prop_assert_eq!(judge(&LMdiversity::new(l).unwrap()), expected);
    }

    #[test]
    fn t_bounds_the_distance((values, n) in table(), tenths in 0_u64..10) {
        let (here, all) = (count(&values[..n]), count(&values));
        let share = |counts: &BTreeMap<u8, u64>, value: u8, n: usize| {
            counts.get(&value).copied().unwrap_or(0) as f64 / n as f64
        };
        let difference =
            |value: u8| share(&here, value, n) - share(&all, value, values.len());
        let equal: f64 = all.keys().map(|&value| difference(value).abs()).sum::<f64>() / 2.0;
        let t = tenths as f64 / 10.0;
        prop_assume!((equal - t).abs() > 1e-6);
        let model = TCloseness::new(0, Ratio::new(tenths, 10), Distance::Equal).unwrap();
        prop_assert_eq!(judge(&model, &values, n), equal <= t);
    }

    #[test]
    fn basic_beta_bounds_every_gain((values, n) in table(), num in 1_u64..9, den in 1_u64..4) {
        let model = BasicBetaLikeness::new(0, Ratio::new(num, den)).unwrap();
        let (here, all) = (count(&values[..n]), count(&values));
        // (p − q) / q ≤ beta, times all the denominators.
        let within = here.iter().all(|(value, p)| {
            let (p, q) = (p * values.len() as u64, all[value] * n as u64);
            p <= q || (p - q) * den <= num * q
        });
        prop_assert_eq!(judge(&model, &values, n), within);
    }

    #[test]
    fn enhanced_beta_is_basic_beta_and_minus_ln_q((values, n) in table(), num in 1_u64..9) {
        let model = EnhancedBetaLikeness::new(0, Ratio::new(num, 2)).unwrap();
        let within = (0..6).all(|value| {
            let (p, q) = (share(&values[..n], value), share(&values, value));
            p <= q || (p - q) / q <= (num as f64 / 2.0).min(-q.ln()) + 1e-9
        });
        prop_assert_eq!(judge(&model, &values, n), within);
        let basic = BasicBetaLikeness::new(0, Ratio::new(num, 2)).unwrap();
        prop_assert!(!within || judge(&basic, &values, n));
    }

    #[test]
    fn delta_disclosure_bounds_every_value_of_the_table((values, n) in table(), tenths in 1_u64..30) {
        let model = DeltaDisclosurePrivacy::new(0, Ratio::new(tenths, 10)).unwrap();
        let within = count(&values).keys().all(|&value| {
            let count = |values: &[u8]| values.iter().map(|&other| usize::from(other == value)).sum::<usize>();
            let (here, all) = (count(&values[..n]) * values.len(), count(&values) * n);
            let (change, most) = (here as f64 / all as f64, 2_f64.powf(tenths as f64 / 10.0));
            1.0 / most < change && change < most
        });
        prop_assert_eq!(judge(&model, &values, n), within);
    }

    #[test]
    fn lkc_of_a_class_bounds_size_and_confidence(
        (values, n) in table(), l in 1_usize..4, k in 1_u64..6, den in 1_u64..5, listed in 1_u8..6,
    ) {
        let model =
            LkcPrivacy::new(0, l, k, Ratio::new(1, den), codes(&values, 0..listed)).unwrap();
        let here = count(&values[..n]);
        let within = here.iter().all(|(&value, c)| value >= listed || c * den <= n as u64);
        prop_assert_eq!(judge(&model, &values, n), within && n as u64 >= k);
        prop_assert_eq!(model.l(), l);
    }

    #[test]
    fn personalized_bounds_what_lies_under_each_guard(
        (values, n) in table(),
        nodes in prop::collection::vec(prop::option::of((0_u8..6, 0_u8..6)), 6),
        den in 1_u64..5,
    ) {
        // Value v guards the values from `low` to `high`.
        let within = values[..n].iter().all(|&value| match nodes[value as usize] {
            None => true,
            Some((low, high)) => {
                let under = values[..n].iter().filter(|&&v| low <= v && v <= high).count() as u64;
                under * den <= n as u64
            }
        });
        let between = |(low, high): (u8, u8)| {
            let under = codes(&values, low..=high);
            Some((*under.first()?, *under.last()?))
        };
        let nodes: Vec<Option<(u32, u32)>> = (0..6)
            .filter(|&value| code(&values, value).is_some())
            .map(|value| nodes[value as usize].and_then(between))
            .collect();
        let model = PersonalizedPrivacy::new(0, Ratio::new(1, den), 0, nodes).unwrap();
        prop_assert_eq!(judge(&model, &values, n), within);
    }

    #[test]
    fn ke_counts_numbers_and_measures_their_range((values, n) in table(), k in 2_u64..5, e in 0_u64..7) {
        let (least, most) = (values[..n].iter().min().unwrap(), values[..n].iter().max().unwrap());
        let model = KeAnonymity::new(0, k, Ratio::whole(e)).unwrap();
        let within = count(&values[..n]).len() as u64 >= k && u64::from(most - least) >= e;
        prop_assert_eq!(judge(&model, &values, n), within);
    }

    #[test]
    fn epsilon_m_bounds_the_rows_around_every_number(
        (values, n) in table(), epsilon in 0_u64..5, den in 1_u64..4, m in 2_u64..5, is_relative: bool,
    ) {
        let around = |x: u8| {
            let by = if is_relative { u64::from(x) } else { 1 };
            let is_near = |y: &&u8| u64::from(x.abs_diff(**y)) * den <= epsilon * by;
            values[..n].iter().filter(is_near).count() as u64
        };
        let within = values[..n].iter().all(|&x| around(x) * m <= n as u64);
        let model = EpsilonMAnonymity::new(0, Ratio::new(epsilon, den), m).unwrap();
        let model = if is_relative { model.relative() } else { model };
        prop_assert_eq!(judge(&model, &values, n), within);
        prop_assert!(!within || n as u64 >= model.smallest());
        // With no width it is frequency m-diversity, and otherwise it asks for more.
        let frequency = FrequencyLDiversity::new(0, Ratio::whole(m)).unwrap();
        let is_diverse = judge(&frequency, &values, n);
        let asks_more = !within || is_diverse;
        prop_assert!(asks_more && (epsilon > 0 || within == is_diverse));
    }

    #[test]
    fn sensitivity_classes_bound_the_high_values_together_and_every_value(
        (values, n) in table(), high in 0_u8..6, alpha in 1_u64..5,
        l in prop::option::of(2_u64..5), l_low in prop::option::of(2_u64..4),
    ) {
        let mut model =
            SensitivityClasses::new(0, codes(&values, 0..high), Ratio::new(1, alpha)).unwrap();
        if let Some(l) = l {
            model = model.with_l(Ratio::whole(l)).unwrap();
        }
        if let Some(l_low) = l_low {
            model = model.with_l_low(Ratio::whole(l_low)).unwrap();
        }
        let (rows, here) = (n as u64, count(&values[..n]));
        let together: u64 = here.iter().filter(|&(&v, _)| v < high).map(|(_, c)| c).sum();
        let each = here.iter().all(|(&value, count)| {
            let l = if value < high { l } else { l_low };
            count * l.unwrap_or(0) <= rows
        });
        prop_assert_eq!(judge(&model, &values, n), each && together * alpha <= rows);
        prop_assert!(!judge(&model, &values, n) || rows >= model.smallest());
    }

    #[test]
    fn delta_presence_bounds_the_share_of_members(
        members in 0_u64..6, more in 1_u64..6, low in 0_u64..5, high in 5_u64..11,
    ) {
        let public = members + more;
        let model = DeltaPresence::new(Ratio::new(low, 10), Ratio::new(high, 10)).unwrap();
        let within = members * 10 >= low * public && members * 10 <= high * public;
        prop_assert_eq!(model.holds(members, public), within);
    }
}

// Zare-Mirakabad 2012, abstract: {40, 60} keeps it for epsilon = 15 and m = 2, {40, 50, 60} does not.
#[test]
fn epsilon_m_is_not_monotone() {
    let model = EpsilonMAnonymity::new(0, Ratio::whole(15), 2).unwrap();
    let holds = |values: &[u8]| judge(&model, values, values.len());
    assert!(holds(&[40, 60]));
    assert!(!holds(&[40, 50, 60]));
    assert!(holds(&[50, 90]));
    assert!(!holds(&[40, 60, 50, 90]), "of four rows three are near 50");
    assert!(!model.is_monotone());
    assert!(kohort_models::NOT_MONOTONE.contains(&model.spec().id));
}

#[test]
fn parameters_out_of_range_are_refused() {
    let one = Ratio::whole(1);
    assert!(KAnonymity::new(1).is_err());
    assert!(DistinctLDiversity::new(0, 1).is_err());
    assert!(FrequencyLDiversity::new(0, one).is_err());
    assert!(EntropyLDiversity::new(0, one).is_err());
    assert!(RecursiveClDiversity::new(0, Ratio::whole(0), 2).is_err());
    assert!(RecursiveClDiversity::new(0, one, 1).is_err());
    assert!(AlphaKAnonymity::new(0, Ratio::whole(0), 2, vec![]).is_err());
    assert!(AlphaKAnonymity::new(0, Ratio::new(11, 10), 2, vec![]).is_err());
    assert!(PSensitiveKAnonymity::new(3, 2).is_err());
    assert!(LPdiversity::new(1).is_err());
    assert!(LMdiversity::new(1).is_err());
    assert!(TCloseness::new(0, Ratio::new(11, 10), Distance::Equal).is_err());
    assert!(DeltaPresence::new(Ratio::new(1, 2), Ratio::new(1, 3)).is_err());
    let (zero, above) = (Ratio::whole(0), Ratio::new(11, 10));
    assert!(BasicBetaLikeness::new(0, zero).is_err());
    assert!(BasicBetaLikeness::new(0, Ratio::new(u64::MAX, 2)).is_err());
    assert!(EnhancedBetaLikeness::new(0, zero).is_err());
    assert!(DeltaDisclosurePrivacy::new(0, zero).is_err());
    assert!(LkcPrivacy::new(0, 0, 2, one, vec![]).is_err());
    assert!(LkcPrivacy::new(0, 1, 2, above, vec![]).is_err());
    assert!(PersonalizedPrivacy::new(0, zero, 0, vec![]).is_err());
    assert!(PersonalizedPrivacy::new(0, above, 0, vec![]).is_err());
    assert!(KeAnonymity::new(0, 1, one).is_err());
    assert!(EpsilonMAnonymity::new(0, one, 1).is_err());
    assert!(SensitivityClasses::new(0, vec![], zero).is_err());
    assert!(SensitivityClasses::new(0, vec![], one).unwrap().with_l(one).is_err());
    assert!(SensitivityClasses::new(0, vec![], one).unwrap().with_l_low(one).is_err());
    let message = KAnonymity::new(1).unwrap_err().to_string();
    assert_eq!(message, "`k` must be at least 2, but is 1");
}

/// The verdict on a class of rows with these values of two attributes.
fn judge_together(model: &dyn ClassModel, values: &[u8], others: &[u8], rows: &[usize]) -> bool {
    let attributes = [attribute(values), attribute(others)];
    let tables = attributes.each_ref().map(Distribution::new);
    let cells = attributes.each_ref().map(|attribute| {
        let mut cells: BTreeMap<u32, u64> = BTreeMap::new();
        for &row in rows {
            *cells.entry(attribute.codes().get(row)).or_insert(0) += 1;
        }
        cells.into_iter().collect::<Vec<(u32, u64)>>()
    });
    let counts = [0, 1].map(|i| Counts { table: &tables[i], cells: &cells[i] });
    model.holds(&Class { size: rows.len() as u64, sensitive: &counts })
}

#[test]
fn a_union_of_classes_that_are_personally_private_need_not_be() {
    // Values 0 and 1 are viral infections, 2 is not. Who has 1 guards both; who has 0 guards nothing.
    let values = [0, 0, 0, 1, 2];
    let nodes = vec![None, Some((0, 1)), None];
    let model = PersonalizedPrivacy::new(0, Ratio::new(1, 2), 0, nodes).unwrap();
    assert!(!model.is_monotone());
    let judge = |rows: &[usize]| judge_together(&model, &values, &values, rows);
    assert!(judge(&[0, 1, 2]), "nobody has a guard");
    assert!(judge(&[3, 4]), "one of two is viral");
    assert!(!judge(&[0, 1, 2, 3, 4]), "four of five are viral");
}

#[test]
fn a_guard_may_be_another_for_each_row_of_one_value() {
    // Code 0 of the guards is none, code 1 guards the values 0 and 1.
    let (values, guards) = ([0, 0, 1, 2], [0, 1, 0, 0]);
    let nodes = vec![None, Some((0, 1))];
    let model = PersonalizedPrivacy::new(0, Ratio::new(1, 2), 1, nodes).unwrap();
    let judge = |rows: &[usize]| judge_together(&model, &values, &guards, rows);
    assert!(judge(&[0, 2]), "nobody in this class has a guard");
    assert!(judge(&[1, 3]), "one of two lies under the guard");
    assert!(!judge(&[1, 2]), "both lie under the guard of the first");
}

#[test]
fn a_missing_number_counts_for_neither_k_nor_e_and_decimals_are_measured() {
    let column = |texts: &[&str]| {
        let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
        for text in texts {
            codes.push(dictionary.intern(text.as_bytes(), 2).unwrap());
        }
        let column = Column::new("s".into(), dictionary, codes, &Missing::default());
        let table = Table::new("t".into(), vec![column], true, Missing::default());
        // As by looking, but for whole numbers that look like keys.
        let found = Some(table.columns()[0].value_type());
        let found = if texts[0].len() > 16 { Some(ValueType::Integer) } else { found };
        let domain = Domain::new(&table, &table.columns()[0], found, &|_| false).unwrap();
        Attribute::new(&table, "s", Role::Sensitive, domain, None).unwrap()
    };
    let holds = |attribute: &Attribute, k: u64, e: &str| {
        let table = Distribution::new(attribute);
        let cells: Vec<(u32, u64)> = (0..attribute.n_codes()).map(|code| (code, 1)).collect();
        let counts = [Counts { table: &table, cells: &cells }];
        let model = KeAnonymity::new(0, k, e.parse().unwrap()).unwrap();
        model.holds(&Class { size: cells.len() as u64, sensitive: &counts })
    };
    let near = |attribute: &Attribute, epsilon: &str| {
        let table = Distribution::new(attribute);
        let cells: Vec<(u32, u64)> = (0..attribute.n_codes()).map(|code| (code, 1)).collect();
        let counts = [Counts { table: &table, cells: &cells }];
        let model = EpsilonMAnonymity::new(0, epsilon.parse().unwrap(), 2).unwrap();
        model.holds(&Class { size: cells.len() as u64, sensitive: &counts })
    };
    assert!(!near(&column(&["0.3", "0.4"]), "0.1"), "0.4 − 0.3 as floats is 0.10000000000000003");
    assert!(near(&column(&["0.3", "0.4"]), "0.09"));
    assert!(near(
        &column(&["-9223372036854775808", "9223372036854775807"]),
        "18446744073709551614"
    ));
    assert!(!near(
        &column(&["-9223372036854775808", "9223372036854775807"]),
        "18446744073709551615"
    ));
    assert!(!near(&column(&["flu", "gout"]), "0"), "texts are no numbers");
    let decimals = column(&["0.1", "0.3", ""]);
    assert!(holds(&decimals, 2, "0.2"), "0.3 − 0.1 as floats is 0.19999999999999998");
    assert!(!holds(&decimals, 2, "0.21"));
    assert!(!holds(&decimals, 3, "0.2"));
    assert!(holds(
        &column(&["-9223372036854775808", "9223372036854775807"]),
        2,
        "18446744073709551615"
    ));
    assert!(!holds(&column(&["flu", "gout"]), 2, "0"), "texts are no numbers");
}

#[test]
fn ids_are_distinct_and_kebab_case() {
    let ids: BTreeSet<&str> = SPECS.iter().map(|spec| spec.id).collect();
    assert_eq!(ids.len(), SPECS.len());
    for id in ids {
        assert!(id.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{id}");
    }
}

#[test]
fn a_share_that_just_doubles_breaks_delta_disclosure_of_1() {
    let check = |values: &[u8], n: usize, delta: Ratio, holds: bool| {
        let model = DeltaDisclosurePrivacy::new(0, delta).unwrap();
        assert_eq!(judge(&model, values, n), holds, "{values:?} {delta}");
    };
    // 0 becomes 2/3 of 1/3: twice as likely, and 1 half as likely, 1/3 of 2/3.
    let doubled = [0, 0, 1, 1, 1, 1, 0, 1, 1];
    check(&doubled, 3, Ratio::whole(1), false);
    check(&doubled, 3, Ratio::new(1001, 1000), true);
    check(&doubled, 3, Ratio::new(7, 10), false);
    check(&doubled, 9, Ratio::new(1, 1000), true);
}

#[test]
fn a_class_of_three_equal_counts_has_entropy_3() {
    let values = [0, 0, 1, 1, 2, 2, 3];
    let holds = |l: Ratio| judge(&EntropyLDiversity::new(0, l).unwrap(), &values, 6);
    assert!(holds(Ratio::whole(3)));
    assert!(!holds(Ratio::new(3_000_001, 1_000_000)));
    for n in 2..40_u8 {
        let equal: Vec<u8> = (0..n).chain(0..n).collect();
        let model = EntropyLDiversity::new(0, Ratio::whole(n.into())).unwrap();
        assert!(judge(&model, &equal, equal.len()), "{n}");
    }
}
