//! Unsorted matching.

use kohort_core::{Ctx, Dataset};
use kohort_verify::attack::{ATTACKS, Finding, People, Released, Scene, Truth, Verdict, run};

use crate::lab::{Lab, close, of_records, people as known, table};

fn find(release: Dataset, other: &Dataset) -> Finding {
    let lab = Lab { release, ..Lab::of(&["1;x"]) };
    lab.find_with("unsorted-matching", other)
}

/// Thirty people, each with an age and a zip of their own and one of two values, in no order.
fn people() -> Vec<(u32, u32, u32)> {
    let value = |i: u32| 0b10_1100_1110_0010_1101_1011_1000_1010_u32 >> i & 1;
    (0..30).map(|i| (20 + i * 7 % 30, 100 + i * 11 % 30, value(i))).collect()
}

fn texts(lines: impl Iterator<Item = String>) -> Dataset {
    let lines: Vec<String> = lines.collect();
    table(&lines.iter().map(String::as_str).collect::<Vec<_>>())
}

fn pair(number: u32) -> String {
    format!("[{},{}]", number / 2 * 2, number / 2 * 2 + 1)
}

/// Ages in pairs, zips hidden.
fn by_age(people: &[(u32, u32, u32)]) -> Dataset {
    texts(people.iter().map(|&(age, _, value)| format!("{};*;{value}", pair(age))))
}

/// Zips in pairs, ages hidden.
fn by_zip(people: &[(u32, u32, u32)]) -> Dataset {
    texts(people.iter().map(|&(_, zip, value)| format!("*;{};{value}", pair(zip))))
}

#[test]
fn rows_in_the_same_order_are_joined() {
    let people = people();
    let found = find(by_age(&people), &by_zip(&people));
    let rate = of_records(&found);
    assert!(close(rate.success, 1.0) && close(rate.baseline, 0.5), "{rate:?}");
    let notes = &found.weakest().notes;
    assert!(notes[0].starts_with("in their order, 100.0 %"), "{notes:?}");
}

#[test]
fn rows_in_another_order_are_not() {
    let people = people();
    let mut sorted = people.clone();
    sorted.sort_by_key(|&(age, zip, _)| (age * 5 + zip * 11) % 23);
    let found = find(by_age(&people), &by_zip(&sorted));
    for scored in &found.scored {
        assert!(close(scored.rate.advantage(), 0.0), "{scored:?}");
        assert!(scored.notes[0].starts_with("no order of rows"), "{scored:?}");
    }
}

#[test]
fn an_order_by_a_published_column_is_found_out() {
    // One release shows ages, in no order; the other hides them, and stands in their order.
    let people = people();
    let mut sorted = people.clone();
    sorted.sort_unstable();
    let ages = || texts(people.iter().map(|&(age, _, value)| format!("{age};*;{value}")));
    let found = find(ages(), &by_zip(&sorted));
    let notes = &found.weakest().notes;
    assert!(notes[0].starts_with("with this release sorted by `a`, 100.0 %"), "{notes:?}");
    // And the other way round.
    let found = find(by_zip(&sorted), &ages());
    let notes = &found.weakest().notes;
    assert!(notes[0].starts_with("with the other release sorted by `a`, 100.0 %"), "{notes:?}");
    assert!(close(of_records(&found).advantage(), 0.5), "{:?}", of_records(&found));
}

#[test]
fn sorting_both_by_the_sensitive_value_is_no_order_of_people() {
    // Two people with each value, side by side in both releases.
    let mut people = people();
    people.iter_mut().zip(0..).for_each(|(person, i)| person.2 = i / 2);
    let found = find(by_age(&people), &by_zip(&people));
    for scored in &found.scored {
        assert!(close(scored.rate.advantage(), 0.0), "{scored:?}");
    }
}

#[test]
fn where_any_pair_is_compatible_the_order_proves_nothing() {
    let this = texts((0..20).map(|i| format!("{};*;x", i / 4)));
    let other = texts((0..20).map(|i| format!("*;{};x", i / 2)));
    for scored in &find(this, &other).scored {
        assert!(close(scored.rate.advantage(), 0.0), "{scored:?}");
    }
}

#[test]
fn a_release_of_another_length_is_refused_in_words() {
    fn check<'a>(lab: &'a Lab, other: &'a Dataset) -> String {
        let found = lab.try_find("unsorted-matching", |scene: &mut Scene<'a>| {
            scene.others.push(crate::lab::released(other));
        });
        found.err().unwrap()
    }
    assert!(check(&Lab::of(&["1;x", "2;y"]), &table(&["1;x"])).contains("--release2"));
}

/// An anatomized release of 30 people in groups of three, whose values stand in an order; and the original.
fn anatomized(order: impl Fn(u32) -> u32) -> Finding {
    let line = |i: u32, at: u32| format!("{i};g{};v{}", i / 3, at);
    let data = texts((0..30).map(|i| line(i, order(i))));
    let original = texts((0..30).map(|i| line(i, i % 3)));
    let release = Released::new(data.table(), &["a"], Some("b"), data.sensitive()).unwrap();
    let ids: Vec<String> = (0..30).map(|i| i.to_string()).collect();
    let everybody = known(&ids.iter().map(String::as_str).collect::<Vec<_>>());
    let scene = Scene::new(release, Some(People::new(&everybody, true))).unwrap();
    let rows: Vec<Option<u32>> = (0..30).map(Some).collect();
    let truth = Truth::of_release(&scene.release).with_people(&scene.release, &original, &rows);
    let attack = *ATTACKS.iter().find(|a| a.spec().id == "unsorted-matching").unwrap();
    run(&Ctx::quiet(), &[attack], &scene, &truth).unwrap().found.pop().unwrap()
}

// Abdalaal 2012, Table 9: the table of sensitive values stands in the order of the tuples.
#[test]
fn table_9_values_in_the_order_of_the_rows_give_everybody_away() {
    let found = anatomized(|i| i % 3);
    let rate = found.weakest().rate;
    assert!(close(rate.success, 1.0) && close(rate.baseline, 1.0 / 3.0), "{rate:?}");
    assert_eq!(found.weakest().verdict, Verdict::Succeeds);
}

#[test]
fn values_in_an_order_of_their_own_give_nobody_away() {
    // Each group is turned by another step: four of the ten keep their values.
    let found = anatomized(|i| (i + i / 3) % 3);
    let rate = found.weakest().rate;
    assert!(close(rate.success, 0.4) && close(rate.baseline, 1.0 / 3.0), "{rate:?}");
    assert_eq!(found.weakest().verdict, Verdict::NotRefuted);
}

#[test]
fn releases_that_have_nothing_in_common_cannot_be_told_apart_by_order() {
    // One hides zips, the other ages, and everybody has the same value.
    let same: Vec<(u32, u32, u32)> =
        people().into_iter().map(|(age, zip, _)| (age, zip, 0)).collect();
    let hidden = |people: &[(u32, u32, u32)]| texts(people.iter().map(|_| "*;*;0".to_owned()));
    let found = find(by_age(&same), &hidden(&same));
    for scored in &found.scored {
        assert!(close(scored.rate.advantage(), 0.0), "{scored:?}");
        assert!(scored.notes[0].starts_with("any order of rows"), "{scored:?}");
    }
}
