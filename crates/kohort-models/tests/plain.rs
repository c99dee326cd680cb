//! Each model against a plain reference, written from the definition alone.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::cast_precision_loss, reason = "small counts")]

use std::collections::{BTreeMap, BTreeSet};

use kohort_core::{Attribute, Codes, Column, Dictionary, Domain, Missing, Ratio, Role, Table};
use kohort_models::{
    AlphaKAnonymity, Class, ClassModel, Counts, DeltaPresence, Distance, DistinctLDiversity,
    Distribution, EntropyLDiversity, FrequencyLDiversity, KAnonymity, PSensitiveKAnonymity,
    RecursiveClDiversity, SPECS, TCloseness,
};
use proptest::prelude::*;

fn attribute(values: &[u8]) -> Attribute {
    let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
    for value in values {
        codes.push(dictionary.intern(value.to_string().as_bytes(), 2).unwrap());
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

/// The verdict of a model on the class that the first `n` values of a table form.
fn judge(model: &dyn ClassModel, values: &[u8], n: usize) -> bool {
    let attribute = attribute(values);
    let table = Distribution::new(&attribute);
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
    fn delta_presence_bounds_the_share_of_members(
        members in 0_u64..6, more in 1_u64..6, low in 0_u64..5, high in 5_u64..11,
    ) {
        let public = members + more;
        let model = DeltaPresence::new(Ratio::new(low, 10), Ratio::new(high, 10)).unwrap();
        let within = members * 10 >= low * public && members * 10 <= high * public;
        prop_assert_eq!(model.holds(members, public), within);
    }
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
    assert!(TCloseness::new(0, Ratio::new(11, 10), Distance::Equal).is_err());
    assert!(DeltaPresence::new(Ratio::new(1, 2), Ratio::new(1, 3)).is_err());
    let message = KAnonymity::new(1).unwrap_err().to_string();
    assert_eq!(message, "`k` must be at least 2, but is 1");
}

#[test]
fn ids_are_distinct_and_kebab_case() {
    let ids: BTreeSet<&str> = SPECS.iter().map(|spec| spec.id).collect();
    assert_eq!(ids.len(), SPECS.len());
    for id in ids {
        assert!(id.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{id}");
    }
}
