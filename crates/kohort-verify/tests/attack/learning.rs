//! Attacks that learn from how a release was made, and from all its classes: minimality, deFinetti.

use kohort_core::{Dataset, Ratio, Surface};
use kohort_models::{AlphaKAnonymity, ClassModel, FrequencyLDiversity, KAnonymity};
use kohort_verify::attack::{ATTACKS, People, Released, Scene, Scored, Truth, Verdict};
use proptest::prelude::*;

use crate::lab::{Lab, close, find, table};

/// Two people of one kind and four of another in one class with two cases of HIV: at most half may have it.
#[test]
fn spec_07_minimality_both_cases_are_among_the_two() {
    let original = ["1;hiv", "1;hiv", "2;a", "2;b", "2;c", "2;d"];
    let release = ["*;hiv", "*;hiv", "*;a", "*;b", "*;c", "*;d"];
    let lab = Lab::of(&release).with_original(&original);
    let hiv = lab.release.sensitive()[0].code_of("hiv").unwrap();
    let half = AlphaKAnonymity::new(0, Ratio::new(1, 2), 1, vec![hiv]).unwrap();
    let models: Vec<Box<dyn ClassModel>> = vec![Box::new(half)];
    let found = lab.find_promised("minimality", &models);
    let rate = found.weakest().rate;
    // The two have HIV for sure; each of the four has one of four other values.
    assert_eq!(rate.above, [2, 2, 2]);
    assert!(close(rate.max_probability, 1.0), "{rate:?}");
    assert!(close(rate.success, 3.0 / 6.0) && close(rate.baseline, 2.0 / 6.0), "{rate:?}");
}

#[test]
fn minimality_learns_nothing_where_k_was_the_reason() {
    let original = ["1;hiv", "2;hiv", "3;a", "4;b", "5;c", "6;d"];
    let release = ["*;hiv", "*;hiv", "*;a", "*;b", "*;c", "*;d"];
    let lab = Lab::of(&release).with_original(&original);
    let hiv = lab.release.sensitive()[0].code_of("hiv").unwrap();
    let half = AlphaKAnonymity::new(0, Ratio::new(1, 2), 2, vec![hiv]).unwrap();
    let models: Vec<Box<dyn ClassModel>> =
        vec![Box::new(half), Box::new(KAnonymity::new(2).unwrap())];
    let found = lab.find_promised("minimality", &models);
    let rate = found.weakest().rate;
    assert!(
        close(rate.max_probability, 1.0 / 3.0) && close(rate.success, rate.baseline),
        "{rate:?}"
    );
    assert_eq!(found.weakest().verdict, Verdict::NotRefuted);
}

/// A release of two sensitive attributes, of which people have nothing but `a`.
fn two_attributes(lines: &[String]) -> Dataset {
    use kohort_core::Role::{Quasi, Sensitive};
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let columns = [("a", Quasi, None), ("s", Sensitive, None), ("t", Sensitive, None)];
    crate::given::dataset(&columns, &crate::given::rows(&lines))
}

#[test]
fn minimality_knows_which_values_stand_together() {
    let lines = ["*;hiv;x", "*;hiv;x", "*;a;y", "*;b;y", "*;c;y", "*;d;y"].map(str::to_owned);
    let release = two_attributes(&lines);
    let lab = Lab { release, ..Lab::of(&["*;a"]).with_people(&["1", "1", "2", "2", "2", "2"]) };
    let hiv = lab.release.sensitive()[0].code_of("hiv").unwrap();
    let half = AlphaKAnonymity::new(0, Ratio::new(1, 2), 1, vec![hiv]).unwrap();
    let found = lab.find_promised("minimality", &[Box::new(half)]);
    let of = |attribute| found.scored.iter().find(|s| s.attribute == Some(attribute)).unwrap().rate;
    // Nothing was promised about `t`, and it is certain for everybody: the two have HIV, so x.
    assert_eq!((of(0).above[2], of(1).above[2]), (2, 6));
    // Of an anatomized release nobody knows what stands together.
    let anatomized = Released::new(lab.release.table(), &[], Some("a"), lab.release.sensitive());
    let known = lab.people.as_ref().map(|people| People::new(people, false));
    let mut scene = Scene::new(anatomized.unwrap(), known).unwrap();
    let models: [Box<dyn ClassModel>; 1] =
        [Box::new(AlphaKAnonymity::new(0, Ratio::new(1, 2), 1, vec![hiv]).unwrap())];
    scene.declared.models = &models;
    let minimality = ATTACKS.iter().find(|attack| attack.spec().id == "minimality").unwrap();
    assert!(
        minimality.needs(&scene).unwrap().contains("does not show which values belong together")
    );
}

/// A class of cells of equal size, of people with these values, and what minimality finds where no value may have
/// more than two thirds of a class.
fn one_class(n_cells: usize, values: &[String]) -> kohort_verify::attack::Finding {
    let size = values.len() / n_cells;
    let original: Vec<String> =
        values.iter().enumerate().map(|(at, value)| format!("{};{value}", at / size)).collect();
    let release: Vec<String> = values.iter().map(|value| format!("*;{value}")).collect();
    let lines = |lines: &'static [String]| lines.iter().map(String::as_str).collect::<Vec<_>>();
    let (original, release) = (lines(original.leak()), lines(release.leak()));
    let lab = Lab::of(&release).with_original(&original);
    let thirds = FrequencyLDiversity::new(0, Ratio::new(3, 2)).unwrap();
    lab.find_promised("minimality", &[Box::new(thirds)])
}

#[test]
fn minimality_leaves_a_class_of_too_many_worlds_at_once() {
    // Everybody has a value alone: in cells of two, and in two cells of thirty.
    for (n_people, n_cells) in [(600, 300), (60, 2)] {
        let values: Vec<String> = (0..n_people).map(|person| format!("v{person}")).collect();
        let found = one_class(n_cells, &values);
        let notes: Vec<String> =
            found.weakest().notes.iter().map(|note| note.on(Surface::CommandLine)).collect();
        assert!(
            notes.contains(&"1 classes have too many worlds to look at".to_owned()),
            "{notes:?}"
        );
        assert!(close(found.weakest().rate.success, found.weakest().rate.baseline));
    }
}

/// Two cells of 1,500 people each, of whom 1,200 have one of two values: more worlds have more weight than a
/// number has room for.
#[test]
fn minimality_weighs_the_worlds_of_a_large_class() {
    let (size, common) = (1_500_u32, 1_200_u32);
    let values: Vec<String> = (0..2 * size).map(|p| u8::from(p < common).to_string()).collect();
    let rate = one_class(2, &values).weakest().rate;
    let ln_choose = |n: u32, k: u32| -> f64 {
        (0..k).map(|i| (f64::from(n - i) / f64::from(i + 1)).ln()).sum()
    };
    let breaks = |n: u32| 3 * n > 2 * size || 3 * (size - n) > 2 * size;
    let worlds = (0..=common).filter(|&n| breaks(n) || breaks(common - n));
    let worlds: Vec<(u32, f64)> =
        worlds.map(|n| (n, ln_choose(size, n) + ln_choose(size, common - n))).collect();
    let most = worlds.iter().map(|world| world.1).fold(0.0, f64::max);
    let weigh = |world: &(u32, f64)| (world.1 - most).exp();
    let all: f64 = worlds.iter().map(weigh).sum();
    let of_one: f64 = worlds.iter().map(|world| weigh(world) * f64::from(world.0)).sum();
    let share = of_one / all / f64::from(size);
    assert!(close(rate.max_probability, share.max(1.0 - share)), "{rate:?} {share}");
}

/// The probability of each value of each attribute for each person, by every way to give rows to people
/// that leaves a reason to merge; without one, by all of them.
fn by_every_way(rows: &[[u32; 2]], cells: &[u32]) -> [Vec<[f64; 3]>; 2] {
    let n = rows.len();
    let mut ways: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..n {
        let longer = |way: &Vec<usize>| {
            let free: Vec<usize> = (0..n).filter(|row| !way.contains(row)).collect();
            let way = way.clone();
            free.into_iter().map(move |row| [&way[..], &[row]].concat())
        };
        ways = ways.iter().flat_map(longer).collect();
    }
    let holds = |way: &Vec<usize>, cell: u32, attribute: usize| {
        let members = (0..n).filter(|&person| cells[person] == cell);
        let values: Vec<u32> = members.map(|person| rows[way[person]][attribute]).collect();
        let most = (0..3).map(|value| values.iter().filter(|&&v| v == value).count()).max();
        2 * most.unwrap() <= values.len()
    };
    let is_kept =
        |way: &Vec<usize>| !cells.iter().all(|&cell| holds(way, cell, 0) && holds(way, cell, 1));
    let kept: Vec<&Vec<usize>> = ways.iter().filter(|way| is_kept(way)).collect();
    let kept = if kept.is_empty() { ways.iter().collect() } else { kept };
    let share = |person: usize, attribute: usize, value: u32| {
        let has = kept.iter().filter(|way| rows[way[person]][attribute] == value).count();
        f64::from(u32::try_from(has).unwrap()) / f64::from(u32::try_from(kept.len()).unwrap())
    };
    [0, 1].map(|attribute| {
        (0..n).map(|person| [0, 1, 2].map(|value| share(person, attribute, value))).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn minimality_is_what_every_way_to_give_rows_says(
        members in prop::collection::vec((0_u32..3, 0_u32..3, 0_u32..2), 2..7),
    ) {
        let rows: Vec<[u32; 2]> = members.iter().map(|&(s, t, _)| [s, t]).collect();
        let cells: Vec<u32> = members.iter().map(|&(.., cell)| cell).collect();
        let lines: Vec<String> = rows.iter().map(|[s, t]| format!("*;{s};{t}")).collect();
        let people: Vec<String> = cells.iter().map(ToString::to_string).collect();
        let people: Vec<&str> = people.iter().map(String::as_str).collect();
        let release = two_attributes(&lines);
        let lab = Lab { release, ..Lab::of(&["*;a"]).with_people(&people) };
        let half = |attribute| -> Box<dyn ClassModel> {
            Box::new(FrequencyLDiversity::new(attribute, Ratio::whole(2)).unwrap())
        };
        let found = lab.find_promised("minimality", &[half(0), half(1)]);
        for (attribute, expected) in by_every_way(&rows, &cells).iter().enumerate() {
            let of = |scored: &&Scored| scored.attribute == Some(attribute);
            let rate = found.scored.iter().find(of).unwrap().rate;
            let highest = expected.iter().map(|shares| shares.iter().copied().fold(0.0, f64::max));
            let n = f64::from(u32::try_from(expected.len()).unwrap());
            // Nobody knows the truth: the success is what is expected.
            prop_assert!(close(rate.success, highest.clone().sum::<f64>() / n), "{rate:?}");
            prop_assert!(close(rate.max_probability, highest.fold(0.0, f64::max)), "{rate:?}");
        }
    }
}

/// An anatomized release in which smokers have cancer and others the flu, with the truth.
#[test]
fn definetti_finds_the_smokers_in_an_anatomized_release() {
    let mut original = Vec::new();
    let mut released = Vec::new();
    for group in 0..30 {
        original.extend(["smoker;cancer".to_owned(), "other;flu".to_owned()]);
        released.extend([format!("smoker;{group};flu"), format!("other;{group};cancer")]);
    }
    // A few groups with a third value break the tie between the two explanations.
    for group in 30..36 {
        original.extend(["smoker;cancer".to_owned(), "smoker;cold".to_owned()]);
        released.extend([format!("smoker;{group};cancer"), format!("smoker;{group};cold")]);
    }
    let lines: Vec<&str> = original.iter().map(String::as_str).collect();
    let original = table(&lines);
    let lines: Vec<&str> = released.iter().map(String::as_str).collect();
    let release = table(&lines);
    let read = Released::new(release.table(), &["a"], Some("b"), release.sensitive()).unwrap();
    let scene = Scene::new(read, None).unwrap();
    let truth = Truth::of_release(&scene.release);
    let rate = find("definetti", &scene, &truth).weakest().rate;
    assert!(rate.max_probability > 0.95 && close(rate.baseline, 0.5), "{rate:?}");
    // A smoker may be in any group with a smoker: what is learned is said of people too.
    let read = Released::new(release.table(), &["a"], Some("b"), release.sensitive()).unwrap();
    let scene = Scene::new(read, Some(People::new(&original, true))).unwrap();
    let rows: Vec<Option<u32>> = (0..).take(original.n_rows()).map(Some).collect();
    let truth = Truth::of_release(&scene.release).with_people(&scene.release, &original, &rows);
    let rate = find("definetti", &scene, &truth).weakest().rate;
    // 36 of 42 smokers have cancer, and all 30 others the flu.
    assert!(close(rate.success, 66.0 / 72.0), "{rate:?}");
}
