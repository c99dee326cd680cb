//! Attacks on random series against every world, written from the definition alone.

#![expect(clippy::cast_precision_loss, reason = "people are few")]

use std::collections::BTreeMap;
use std::ops::Range;

use kohort_core::Dataset;
use kohort_verify::attack::{Finding, Scene};
use proptest::prelude::*;

use crate::lab::{Lab, released, table};

/// People with a value that does not change, and for each release the class of everybody who is in it.
#[derive(Clone, Debug)]
struct Case {
    values: Vec<u32>,
    class_of: Vec<Vec<Option<u32>>>,
}

fn case() -> impl Strategy<Value = Case> {
    case_of(3..8, 3)
}

fn case_of(n_people: Range<usize>, n_classes: u32) -> impl Strategy<Value = Case> {
    (n_people, 2_usize..4).prop_flat_map(move |(n_people, n_releases)| {
        let place = prop::option::weighted(0.8, 0..n_classes);
        let class_of = prop::collection::vec(prop::collection::vec(place, n_people), n_releases);
        let values = prop::collection::vec(0_u32..3, n_people);
        (values, class_of).prop_map(|(values, mut class_of)| {
            // Somebody is in the newest release, and in the oldest; a table of nobody is no release.
            class_of[0][0] = Some(0);
            let last = class_of.len() - 1;
            class_of[last][0] = Some(0);
            for release in class_of.iter_mut().filter(|r| r.iter().all(Option::is_none)) {
                release[0] = Some(0);
            }
            Case { values, class_of }
        })
    })
}

impl Case {
    /// Each release has a column of its own that shows the class, and shows it of nobody else.
    fn releases(&self) -> Vec<Dataset> {
        let n_releases = self.class_of.len();
        let line = |release: usize, person: usize, class: u32| {
            let column = |at| if at == release { format!("c{class}") } else { "*".into() };
            let columns: Vec<String> = (0..n_releases).map(column).collect();
            format!("{};v{}", columns.join(";"), self.values[person])
        };
        let release = |(at, class_of): (usize, &Vec<Option<u32>>)| {
            let lines: Vec<String> = (class_of.iter().enumerate())
                .filter_map(|(person, class)| Some(line(at, person, (*class)?)))
                .collect();
            table(&lines.iter().map(String::as_str).collect::<Vec<_>>())
        };
        self.class_of.iter().enumerate().map(release).collect()
    }

    fn people(&self) -> Vec<String> {
        let of_person = |person: usize| {
            let column = |class_of: &Vec<Option<u32>>| match class_of[person] {
                Some(class) => format!("c{class}"),
                None => "nowhere".to_owned(),
            };
            self.class_of.iter().map(column).collect::<Vec<_>>().join(";")
        };
        (0..self.values.len()).map(of_person).collect()
    }

    /// Two people with the same value, where there are any.
    fn equals(&self) -> Option<(usize, usize)> {
        let n = self.values.len();
        let mut pairs = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b)));
        pairs.find(|&(a, b)| self.values[a] == self.values[b])
    }

    fn find(&self, id: &str, same: Option<(usize, usize)>) -> Finding {
        let mut others = self.releases();
        let newest = others.pop().unwrap();
        let people = self.people();
        let lines: Vec<&str> = people.iter().map(String::as_str).collect();
        let mut lab = Lab::of(&["x;x"]).with_people(&lines);
        lab.release = newest;
        find(&lab, &others, id, same)
    }

    fn is_seen(&self, person: usize) -> bool {
        self.class_of.iter().any(|class_of| class_of[person].is_some())
    }

    /// Every value of everybody that explains the releases, where two have the same.
    fn worlds(&self, same: Option<(usize, usize)>) -> Vec<Vec<u32>> {
        let mut worlds = Vec::new();
        self.go_on(same, &mut self.shown(&self.values), &mut Vec::new(), &mut worlds);
        worlds
    }

    /// Gives the next person every value of which all classes of the person have a row left.
    fn go_on(
        &self,
        same: Option<(usize, usize)>,
        left: &mut BTreeMap<(usize, u32, u32), u32>,
        world: &mut Vec<u32>,
        worlds: &mut Vec<Vec<u32>>,
    ) {
        let person = world.len();
        if person == self.values.len() {
            worlds.push(world.clone());
            return;
        }
        let places: Vec<(usize, u32)> = (self.class_of.iter().enumerate())
            .filter_map(|(release, class_of)| Some((release, class_of[person]?)))
            .collect();
        for value in 0..3 {
            let is_equal = same.is_none_or(|(a, b)| b != person || world[a] == value);
            let rows = |&(release, class): &(usize, u32)| left.get(&(release, class, value));
            if is_equal && places.iter().all(|place| rows(place).is_some_and(|&n| n > 0)) {
                for &(release, class) in &places {
                    *left.get_mut(&(release, class, value)).unwrap() -= 1;
                }
                world.push(value);
                self.go_on(same, left, world, worlds);
                world.pop();
                for &(release, class) in &places {
                    *left.get_mut(&(release, class, value)).unwrap() += 1;
                }
            }
        }
    }

    /// Over two people who are seen: how likely the value of the first, as likely as the worlds, leaves the
    /// second one value.
    fn opens(&self, same: Option<(usize, usize)>) -> f64 {
        let worlds = self.worlds(same);
        let seen: Vec<usize> = (0..self.values.len()).filter(|&p| self.is_seen(p)).collect();
        let mut n_opened = 0;
        for &first in &seen {
            for value in 0..3 {
                let with = || worlds.iter().filter(|world| world[first] == value);
                let Some(one) = with().next() else { continue };
                let others = seen.iter().filter(|&&second| second != first);
                let opened = others.filter(|&&p| with().all(|world| world[p] == one[p])).count();
                n_opened += opened * with().count();
            }
        }
        let n_pairs = seen.len() * (seen.len() - 1);
        // Nobody opens who is alone; who is certain is open.
        let is_certain = |&&p: &&usize| worlds.iter().all(|world| world[p] == worlds[0][p]);
        match seen.len() {
            1 => seen.iter().filter(is_certain).count() as f64,
            _ => n_opened as f64 / (n_pairs * worlds.len()) as f64,
        }
    }

    /// How often each class of each release shows each value.
    fn shown(&self, values: &[u32]) -> BTreeMap<(usize, u32, u32), u32> {
        let mut shown: BTreeMap<(usize, u32, u32), u32> = BTreeMap::new();
        for (release, class_of) in self.class_of.iter().enumerate() {
            for (person, class) in class_of.iter().enumerate() {
                if let Some(class) = class {
                    *shown.entry((release, *class, values[person])).or_default() += 1;
                }
            }
        }
        shown
    }

    /// By every world where two have the same: how likely the likeliest value of each is, and who is whose
    /// equal.
    fn plain(&self, same: Option<(usize, usize)>) -> (Vec<f64>, Vec<(usize, usize)>) {
        let n = self.values.len();
        let mut counts = vec![[0_u32; 3]; n];
        let mut differ = vec![vec![false; n]; n];
        for values in self.worlds(same) {
            for a in 0..n {
                counts[a][values[a] as usize] += 1;
                for b in 0..n {
                    differ[a][b] |= values[a] != values[b];
                }
            }
        }
        let likeliest = |person: &usize| {
            let counts = counts[*person];
            f64::from(*counts.iter().max().unwrap()) / f64::from(counts.iter().sum::<u32>())
        };
        let seen: Vec<usize> = (0..n).filter(|&person| self.is_seen(person)).collect();
        let pairs = seen.iter().flat_map(|&a| seen.iter().map(move |&b| (a, b)));
        let equal = pairs.filter(|&(a, b)| a < b && !differ[a][b]).collect();
        (seen.iter().map(likeliest).collect(), equal)
    }
}

fn find<'a>(
    lab: &'a Lab,
    others: &'a [Dataset],
    id: &str,
    same: Option<(usize, usize)>,
) -> Finding {
    let number = |person: usize| u32::try_from(person).unwrap();
    lab.find(id, |scene: &mut Scene<'a>| {
        scene.others.extend(others.iter().map(released));
        scene.knowledge.add_same(same.map(|(a, b)| (number(a), number(b))));
    })
}

/// Whether an attack says of everybody what every world says.
fn says_what_worlds_say(case: &Case, found: &Finding, same: Option<(usize, usize)>) -> bool {
    let (likeliest, _) = case.plain(same);
    let rate = found.weakest().rate;
    let mean = likeliest.iter().sum::<f64>() / likeliest.len() as f64;
    let most = likeliest.iter().copied().fold(0.0, f64::max);
    rate.targets == likeliest.len() as u64
        && (rate.success - mean).abs() < 1e-9
        && (rate.max_probability - most).abs() < 1e-9
}

/// How likely one value opens another by the notes of tuple equivalence, and whether that is exact.
fn opens(found: &Finding) -> (f64, bool) {
    let note = found.weakest().notes[1].to_string();
    let (_, rest) = note.split_once("opens that of another with probability ").unwrap();
    (rest.split(',').next().unwrap().parse().unwrap(), note.ends_with("exact, by every world"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn value_association_of_few_people_is_that_of_every_world(case in case()) {
        let found = case.find("value-association", None);
        prop_assert!(says_what_worlds_say(&case, &found, None), "{:?}", found.weakest());
    }

    #[test]
    fn tuple_equivalence_of_few_people_is_that_of_every_world(case in case()) {
        let same = case.equals();
        prop_assume!(same.is_some());
        let found = case.find("tuple-equivalence", same);
        prop_assert!(says_what_worlds_say(&case, &found, same), "{:?}", found.weakest());
        let ((opens, is_exact), plain) = (opens(&found), case.opens(same));
        prop_assert!(is_exact && (opens - plain).abs() < 1e-6, "{opens}, {plain}");
    }

    #[test]
    fn one_value_opens_no_more_of_many_people_than_every_world_says(case in case_of(11..15, 3)) {
        let same = case.equals();
        let ((opens, is_exact), plain) = (opens(&case.find("tuple-equivalence", same)), case.opens(same));
        prop_assert!(opens < plain + 1e-6, "{opens}, {plain}");
        prop_assert!(!is_exact || (opens - plain).abs() < 1e-6, "{opens}, {plain}");
    }

    #[test]
    fn blocks_of_value_equivalence_are_equal_in_every_world(case in case()) {
        let (_, equal) = case.plain(None);
        let found = case.find("value-equivalence", None);
        let note = found.weakest().notes[1].to_string();
        let opens: f64 = note.rsplit(' ').next().unwrap().parse().unwrap();
        let n = case.values.len() as f64;
        let most = 2.0 * equal.len() as f64 / (n * (n - 1.0));
        prop_assert!(opens <= most + 1e-6, "{note}, of {} pairs", equal.len());
    }
}
