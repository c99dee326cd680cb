//! An adversary who runs a method again, on every way to give the values to the people.

use std::collections::BTreeMap;

use kohort_core::{ABSENT, History};
use kohort_models::Draw;
use kohort_models::series::{EEquivalence, MInvariance};

use super::people::{Person, drawn};
use crate::{EEquivalentMaker, MInvariantMaker, NearMInvariantMaker, Next, SeriesMethod, Surplus};

/// A plan's seed as bytes to draw from: what releases were drawn from when the seed was all there was.
fn seed(number: u64) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&number.to_le_bytes());
    bytes
}

/// What a class shows: its box, its values, and how many of its rows belong to nobody.
type Shown = (Vec<(u32, u32)>, Vec<u32>, usize);

/// What everybody sees of a release of all people, in no order.
fn shown(people: &[Person], next: &Next) -> Vec<Shown> {
    let mut classes: BTreeMap<u32, Shown> = BTreeMap::new();
    for (person, &class) in people.iter().zip(&next.class_of_row).filter(|(_, c)| **c != ABSENT) {
        let (extent, values, _) =
            classes.entry(class).or_insert_with(|| (vec![(u32::MAX, 0); 2], Vec::new(), 0));
        for (extent, &code) in extent.iter_mut().zip(&person.quasi) {
            *extent = (extent.0.min(code), extent.1.max(code));
        }
        values.push(person.value);
    }
    for counterfeit in &next.counterfeits {
        if let Some((_, values, n)) = classes.get_mut(&counterfeit.class) {
            values.push(counterfeit.value);
            *n += 1;
        }
    }
    let mut classes: Vec<Shown> = classes.into_values().collect();
    for (_, values, _) in &mut classes {
        values.sort_unstable();
    }
    classes.sort();
    classes
}

/// Every way to give the values to the people.
fn ways(mut left: BTreeMap<u32, u32>, n: usize) -> Vec<Vec<u32>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for value in left.clone().into_keys() {
        let Some(n_left) = left.get_mut(&value).filter(|n| **n > 0) else { continue };
        *n_left -= 1;
        for mut way in ways(left.clone(), n - 1) {
            way.push(value);
            all.push(way);
        }
        *left.entry(value).or_default() += 1;
    }
    all
}

/// Of a first release of these people: for each of the adversary's secrets what he believes most of anybody, and
/// with how many runs that lead to the release he does.
fn highest(
    method: &dyn SeriesMethod,
    people: &[Person],
    own: [u8; 32],
    tried: &[[u8; 32]],
) -> Option<(f64, u32)> {
    let present: Vec<u32> = (0..).take(people.len()).collect();
    let n_values = people.iter().map(|one| one.value + 1).max()?;
    let history = History { n_values, releases: Vec::new() };
    let made = |people: &[Person], secret| {
        let (next, _) = drawn(method, people, (&present, &history), secret).ok()?;
        Some(shown(people, &next))
    };
    let published = made(people, own)?;
    let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
    for one in people {
        *counts.entry(one.value).or_default() += 1;
    }
    let mut believed: Vec<BTreeMap<u32, u32>> = vec![BTreeMap::new(); people.len()];
    let mut n = 0;
    for way in ways(counts, people.len()) {
        let supposed: Vec<Person> =
            (people.iter().zip(&way)).map(|(one, &value)| Person { value, ..*one }).collect();
        for &secret in tried {
            if made(&supposed, secret).as_ref() == Some(&published) {
                n += 1;
                for (believed, &value) in believed.iter_mut().zip(&way) {
                    *believed.entry(value).or_default() += 1;
                }
            }
        }
    }
    let most = believed.iter().filter_map(|of| of.values().max()).max()?;
    Some((f64::from(*most) / f64::from(n), n))
}

/// Six people with two or three values, the most frequent of them half of the people's.
fn six(table: u64) -> Vec<Person> {
    let mut draw = Draw::new(table);
    let mut below = |n| u32::try_from(draw.below(n)).unwrap();
    let quasi: Vec<[u32; 2]> = (0..6).map(|_| [below(5), below(3)]).collect();
    let mut values: Vec<u32> = vec![0, 1, 0, 1, 0, 1 + u32::try_from(table % 2).unwrap()];
    draw.shuffle(&mut values);
    quasi.into_iter().zip(values).map(|(quasi, value)| Person { quasi, value }).collect()
}

/// In how many of twelve tables somebody is certain of a value who knows from which bytes it is drawn. Whoever
/// does not know believes no more than 1/2, within four standard errors.
fn n_certain(method: &dyn SeriesMethod) -> usize {
    let hidden: Vec<[u8; 32]> = (0..200_u8)
        .map(|number| {
            let mut secret = [9; 32];
            secret[0] = number;
            secret
        })
        .collect();
    let mut n_certain = 0;
    for table in 0..12 {
        let people = six(table);
        let (believed, _) = highest(method, &people, seed(7), &[seed(7)]).unwrap();
        n_certain += usize::from(believed > 0.999);
        let (believed, n) = highest(method, &people, hidden[0], &hidden).unwrap();
        let error = 0.5 / f64::from(n).sqrt();
        assert!(believed <= 0.5 + 4.0 * error, "{believed} in {n} runs of table {table}");
    }
    n_certain
}

#[test]
fn who_knows_what_is_drawn_from_is_certain_and_who_does_not_is_not() {
    let surplus = Surplus::HoldBack;
    let m_invariance = MInvariantMaker { model: MInvariance::new(2).unwrap(), surplus };
    assert!(n_certain(&m_invariance) >= 3);
    let e_equivalence = EEquivalentMaker { model: EEquivalence::new(2, 2).unwrap(), surplus };
    n_certain(&e_equivalence);
}

/// Signatures by who is near whom put near people together, whatever is drawn: of six people nobody is certain of a value without
/// the secret, but in two of twelve tables more is believed than 1/2.
#[test]
fn who_is_near_tells_something_without_the_secret_and_nothing_for_certain() {
    let model = MInvariance::new(2).unwrap();
    let m_invariance = NearMInvariantMaker { model, surplus: Surplus::HoldBack };
    let believed = (0..12).map(|table| highest(&m_invariance, &six(table), seed(1), &[seed(2)]));
    let believed: Vec<f64> = believed.map(|found| found.unwrap().0).collect();
    let n_above = |most: f64| believed.iter().filter(|&&believed| believed > most).count();
    assert_eq!((n_above(0.501), n_above(0.667)), (2, 0), "{believed:?}");
}
