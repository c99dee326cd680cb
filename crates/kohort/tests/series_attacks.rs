//! Every promise about series against the attacks on series, on small random histories; and independent
//! releases of the same people, where the attacks must win.

#![expect(clippy::unwrap_used, reason = "a test stops where something is wrong")]

use std::collections::BTreeMap;

use kohort_algorithms::Space;
use kohort_core::{
    ABSENT, Attribute, Codes, Column, Ctx, Dataset, Dictionary, Domain, History, Missing, Ratio,
    ReleasedClass, Role, SeriesRelease, Table,
};
use kohort_models::CellMetric;
use kohort_models::series::{
    BcfAnonymity, ClassBox, EEquivalence, MInvariance, XyAnonymity, XyLinkability,
};
use kohort_series::{
    BcfMaker, EEquivalentMaker, MInvariantMaker, Next, SeriesMethod, Surplus, Turn, XyMaker,
    XyModel,
};
use kohort_verify::attack::{
    ATTACKS, Finding, People, Released, Scene, Truth, highest_by_worlds, run,
};
use proptest::prelude::*;

const N_VALUES: u32 = 5;

/// Somebody: two numbers that are known, and a value that does not change.
type Person = (u32, u32, u32);

fn dataset(columns: &[(String, Role, Vec<String>)]) -> Dataset {
    let missing = Missing::default();
    let made = columns.iter().map(|(name, _, texts)| {
        let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
        for (line, text) in (2..).zip(texts) {
            codes.push(dictionary.intern(text.as_bytes(), line).unwrap());
        }
        Column::new(name.clone(), dictionary, codes, &missing)
    });
    let table = Table::new("t".into(), made.collect(), true, missing.clone());
    let with_role = columns.iter().filter(|(_, role, _)| *role != Role::Insensitive);
    let attributes = with_role.map(|(name, role, _)| {
        let domain = Domain::new(&table, table.column(name).unwrap(), None, &|_| false).unwrap();
        Attribute::new(&table, name, *role, domain, None).unwrap()
    });
    let attributes = attributes.collect();
    Dataset::new(table, attributes).unwrap()
}

fn numbers(name: &str, of: impl Iterator<Item = u32>) -> (String, Role, Vec<String>) {
    (name.to_owned(), Role::Quasi, of.map(|number| number.to_string()).collect())
}

/// One release of a series as it is made.
struct Made {
    next: Next,
    released: SeriesRelease,
    present: Vec<u32>,
    boxes: Vec<ClassBox>,
}

/// The next release, unless there is none.
fn make(
    method: &dyn SeriesMethod,
    people: &[Person],
    present: &[u32],
    history: &History,
) -> Option<Made> {
    let of = |p: &u32| people[*p as usize];
    let data = dataset(&[
        numbers("age", present.iter().map(|p| of(p).0)),
        numbers("zip", present.iter().map(|p| of(p).1)),
    ]);
    let space = Space::new(&data.quasi(), CellMetric::Ncp, &[1.0, 1.0]);
    let value_of_row: Vec<u32> = present.iter().map(|p| of(p).2).collect();
    let turn = Turn {
        data: &data,
        space: &space,
        person_of_row: present,
        value_of_row: &value_of_row,
        history,
        secret: [7; 32],
    };
    let next = method.make(&Ctx::quiet(), &turn).ok()?;
    let released = next.released(&turn);
    let boxes = next.cells.chunks(2).map(|cells| {
        let edges = |axis: usize| data.quasi()[axis].codes_of(cells[axis]);
        let (age, zip) = (edges(0), edges(1));
        ClassBox { lo: vec![age.0, zip.0], hi: vec![age.1, zip.1] }
    });
    let boxes = boxes.collect();
    Some(Made { next, released, present: present.to_vec(), boxes })
}

/// How classes are shown: by a column of their own that everybody's class is known by, or by boxes and the
/// number of the class.
#[derive(Clone, Copy, PartialEq)]
enum By {
    Class,
    Boxes,
}

/// The texts of the rows of a class.
fn shown(made: &Made, people: &[Person], class: u32) -> [String; 2] {
    if let Some(ClassBox { lo, hi }) = made.boxes.get(class as usize) {
        return [0, 1].map(|axis| format!("[{}, {}]", lo[axis], hi[axis]));
    }
    let rows = made.next.class_of_row.iter().zip(&made.present).filter(|(c, _)| **c == class);
    let members: Vec<Person> = rows.map(|(_, &p)| people[p as usize]).collect();
    [|p: &Person| p.0, |p: &Person| p.1].map(|of| {
        let (lo, hi) = (members.iter().map(of).min(), members.iter().map(of).max());
        lo.zip(hi).map_or("*".to_owned(), |(lo, hi)| format!("[{lo}, {hi}]"))
    })
}

fn table(made: &Made, people: &[Person], by: By, (at, n): (usize, usize)) -> Dataset {
    let mut rows: Vec<(u32, u32)> = (0..)
        .zip(&made.released.classes)
        .flat_map(|(class, shown)| shown.values.iter().map(move |&value| (class, value)))
        .collect();
    rows.sort_unstable();
    let column = |name: &str, role, of: &dyn Fn(u32) -> String| {
        (name.to_owned(), role, rows.iter().map(|&(class, _)| of(class)).collect::<Vec<_>>())
    };
    let mut columns = Vec::new();
    match by {
        By::Class => columns.extend((0..n).map(|other| {
            let of = |class: u32| if other == at { format!("c{class}") } else { "*".into() };
            column(&format!("c{other}"), Role::Quasi, &of)
        })),
        By::Boxes => {
            columns
                .push(column("age", Role::Quasi, &|class| shown(made, people, class)[0].clone()));
            columns
                .push(column("zip", Role::Quasi, &|class| shown(made, people, class)[1].clone()));
        }
    }
    columns.push(column("group", Role::Insensitive, &|class| class.to_string()));
    let values = rows.iter().map(|(_, value)| format!("v{value}")).collect();
    columns.push(("s".to_owned(), Role::Sensitive, values));
    dataset(&columns)
}

/// What an attack finds in a series, for anyone who knows who is in which release.
fn attack(id: &str, series: &[Made], people: &[Person], by: By) -> Finding {
    let n = series.len();
    let tables: Vec<Dataset> =
        series.iter().enumerate().map(|(at, made)| table(made, people, by, (at, n))).collect();
    let known = match by {
        By::Class => dataset(
            &(series
                .iter()
                .enumerate()
                .map(|(at, made)| {
                    let of =
                        |p: u32| made.released.class_of(p).map_or("-".into(), |c| format!("c{c}"));
                    let texts = (0..).take(people.len()).map(of).collect();
                    (format!("c{at}"), Role::Quasi, texts)
                })
                .collect::<Vec<_>>()),
        ),
        By::Boxes => dataset(&[
            numbers("age", people.iter().map(|p| p.0)),
            numbers("zip", people.iter().map(|p| p.1)),
        ]),
    };
    let mut releases: Vec<Released<'_>> = tables
        .iter()
        .zip(series)
        .map(|(table, made)| {
            let quasi: Vec<&str> = table.quasi().iter().map(|a| a.name()).collect();
            let fake = made.released.classes.iter().map(|class| class.n_counterfeits);
            let fake: BTreeMap<String, u32> =
                fake.enumerate().map(|(class, n)| (class.to_string(), n)).collect();
            Released::of_classes(table.table(), &quasi, "group", &fake, table.sensitive()).unwrap()
        })
        .collect();
    let newest = releases.pop().unwrap();
    let mut scene = Scene::new(newest, Some(People::new(&known, false))).unwrap();
    scene.others = releases;
    for (at, made) in series.iter().enumerate() {
        let is_in = |p: u32| made.released.class_of(p).is_some();
        scene.knowledge.add_presence((0..).take(people.len()).map(|p| ((at, p), is_in(p))));
    }
    let attack = *ATTACKS.iter().find(|attack| attack.spec().id == id).unwrap();
    let mut findings = run(&Ctx::quiet(), &[attack], &scene, &Truth::unknown()).unwrap();
    findings.found.pop().unwrap()
}

fn people(n: std::ops::Range<usize>) -> impl Strategy<Value = Vec<(Person, Vec<u32>)>> {
    let person = (0_u32..20, 0_u32..9, 0..N_VALUES);
    prop::collection::vec((person, prop::collection::vec(0_u32..4, 4)), n)
}

/// A series of these people by a method that needs no boxes: those who are drawn are there.
fn series(method: &dyn SeriesMethod, drawn: &[(Person, Vec<u32>)]) -> (Vec<Person>, Vec<Made>) {
    let people: Vec<Person> = drawn.iter().map(|&(person, _)| person).collect();
    let mut history = History { n_values: N_VALUES, releases: Vec::new() };
    let mut series = Vec::new();
    for release in 0..4 {
        let is_there = |p: &u32| drawn[*p as usize].1[release] > 0;
        let present: Vec<u32> = (0..).take(drawn.len()).filter(is_there).collect();
        if let Some(made) = make(method, &people, &present, &history)
            && made.next.class_of_row.iter().any(|&class| class != ABSENT)
        {
            history.releases.push(made.released.clone());
            series.push(made);
        }
    }
    (people, series)
}

/// The number at the end of a note that begins so.
fn noted(finding: &Finding, start: &str) -> u32 {
    let note = finding.weakest().notes.iter().find(|note| note.starts_with(start)).unwrap();
    note.to_string().rsplit(' ').next().unwrap().parse().unwrap()
}

/// Every world of who sees boxes: somebody is in a class that covers the person in each release, and a row of
/// it has the person's value; as many rows of a class are somebody's as it says.
struct Worlds<'a> {
    series: &'a [Made],
    people: &'a [Person],
    // Whether it is known that the classes of a person show the same values in all releases.
    knows_signatures: bool,
    // By release and class: the rows of each value that are left, and how many are somebody's.
    left: Vec<Vec<(Vec<u32>, u32)>>,
    found: Vec<Vec<f64>>,
    so_far: Vec<u32>,
}

impl<'a> Worlds<'a> {
    fn of(series: &'a [Made], people: &'a [Person], knows_signatures: bool) -> Vec<Vec<f64>> {
        let left = series.iter().map(|made| {
            let left = made.released.classes.iter().map(|class| {
                let mut rows = vec![0; N_VALUES as usize];
                for &value in &class.values {
                    rows[value as usize] += 1;
                }
                let n = u32::try_from(class.values.len()).unwrap();
                (rows, n - class.n_counterfeits)
            });
            left.collect()
        });
        let left = left.collect();
        let found = vec![vec![0.0; N_VALUES as usize]; people.len()];
        let mut worlds = Self { series, people, knows_signatures, left, found, so_far: Vec::new() };
        worlds.deal(1.0);
        for of_value in &mut worlds.found {
            let all: f64 = of_value.iter().sum();
            for weight in of_value {
                *weight /= all.max(f64::MIN_POSITIVE);
            }
        }
        worlds.found
    }

    /// Gives the next person every value.
    fn deal(&mut self, weight: f64) {
        if self.so_far.len() == self.people.len() {
            for (of_value, &value) in self.found.iter_mut().zip(&self.so_far) {
                of_value[value as usize] += weight;
            }
            return;
        }
        for value in 0..N_VALUES {
            self.so_far.push(value);
            self.place(0, weight, None);
            self.so_far.pop();
        }
    }

    /// Gives the last person every class of the releases from `at` on, after one of this signature.
    fn place(&mut self, at: usize, weight: f64, signature: Option<&[u32]>) {
        let person = self.so_far.len() - 1;
        let value = self.so_far[person] as usize;
        let Some(made) = self.series.get(at) else { return self.deal(weight) };
        if made.released.class_of(u32::try_from(person).unwrap()).is_none() {
            return self.place(at + 1, weight, signature);
        }
        for class in 0..made.released.classes.len() {
            let own = made.released.classes[class].signature();
            let is_kept = !self.knows_signatures || signature.is_none_or(|before| before == own);
            let (rows, n) = &self.left[at][class];
            let (rows, n) = (rows[value], *n);
            if rows == 0 || n == 0 || !is_kept || !self.covers(made, class, person) {
                continue;
            }
            self.left[at][class].0[value] -= 1;
            self.left[at][class].1 -= 1;
            self.place(at + 1, weight * f64::from(rows), Some(&own));
            self.left[at][class].0[value] += 1;
            self.left[at][class].1 += 1;
        }
    }

    fn covers(&self, made: &Made, class: usize, person: usize) -> bool {
        let texts = shown(made, self.people, u32::try_from(class).unwrap());
        let known = [self.people[person].0, self.people[person].1];
        texts.iter().zip(known).all(|(text, known)| {
            let Some((lo, hi)) = text.trim_matches(['[', ']']).split_once(", ") else {
                return true;
            };
            (lo.parse().unwrap()..=hi.parse().unwrap()).contains(&known)
        })
    }
}

/// The attacks that see all releases, or the newest, and nothing that is not published but who is in which.
const WITH_PRESENCE: [&str; 8] = [
    "prosecutor",
    "homogeneity",
    "complementary-release",
    "temporal",
    "record-linking",
    "value-association",
    "correspondence",
    "value-equivalence",
];

/// The largest probability that an attack gives to anything.
fn largest(id: &str, series: &[Made], people: &[Person], by: By) -> f64 {
    let found = attack(id, series, people, by);
    found.scored.iter().map(|scored| scored.rate.max_probability).fold(0.0, f64::max)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn m_invariance_leaves_m_values_for_everybody(drawn in people(6..40), m in 2_u32..4) {
        let model = MInvariance::new(m).unwrap();
        let maker = MInvariantMaker { model, surplus: Surplus::Counterfeit };
        let (people, series) = series(&maker, &drawn);
        prop_assume!(series.len() > 1);
        for by in [By::Class, By::Boxes] {
            let found = attack("value-association", &series, &people, by);
            let most = found.weakest().rate.max_probability;
            prop_assert!(most <= 1.0 / f64::from(m) + 1e-9, "{most}");
            prop_assert!(noted(&found, "the fewest values") >= m);
            for id in WITH_PRESENCE {
                let most = largest(id, &series, &people, by);
                prop_assert!(most <= 1.0 / f64::from(m) + 1e-9, "{id}: {most}");
            }
        }
        let releases = series.iter().map(|made| made.released.clone()).collect();
        let most = highest_by_worlds(&History { n_values: N_VALUES, releases });
        prop_assert!(most.is_exact && most.belief <= 1.0 / f64::from(m) + 1e-9, "{most:?}");
    }

    #[test]
    fn who_knows_that_signatures_stay_believes_no_more_in_any_world(
        drawn in people(5..8), m in 2_u32..4,
    ) {
        let model = MInvariance::new(m).unwrap();
        let (people, series) = series(&MInvariantMaker { model, surplus: Surplus::Counterfeit }, &drawn);
        prop_assume!(series.len() > 1);
        let worlds = Worlds::of(&series[..2], &people, true);
        let most = worlds.into_iter().flatten().fold(0.0, f64::max);
        prop_assert!(most <= 1.0 / f64::from(m) + 1e-9, "{most}");
        // So that is what they say; who does not know it believes more in some series.
        for id in ["temporal", "record-linking"] {
            let said = largest(id, &series[..2], &people, By::Boxes);
            prop_assert!(said <= most + 1e-9, "{id}: {said} of {most}");
        }
    }

    #[test]
    fn e_equivalence_shows_nobody_to_be_anybodys_equal(drawn in people(12..60)) {
        let model = EEquivalence::new(2, 2).unwrap();
        let maker = EEquivalentMaker { model, surplus: Surplus::Counterfeit };
        let (people, series) = series(&maker, &drawn);
        prop_assume!(series.len() > 1);
        let found = attack("value-equivalence", &series, &people, By::Class);
        prop_assert!(found.weakest().notes[0].starts_with("0 blocks"), "{:?}", found.weakest().notes);
        prop_assert!(found.weakest().rate.max_probability <= 0.5 + 1e-9);
        for id in ["temporal", "record-linking"] {
            let most = largest(id, &series, &people, By::Boxes);
            prop_assert!(most <= 0.5 + 1e-9, "{id}: {most}");
        }
    }

    #[test]
    fn joins_of_other_columns_leave_k_values_or_no_likely_one(drawn in people(4..40), k in 2_u32..4) {
        let people: Vec<Person> = drawn.iter().map(|&(person, _)| person).collect();
        let present: Vec<u32> = (0..).take(people.len()).collect();
        let linkability = XyLinkability::new(Ratio::new(3, 5)).unwrap();
        let models = [XyModel::Anonymity(XyAnonymity::new(k).unwrap()), XyModel::Linkability(linkability)];
        for model in models {
            let mut history = History { n_values: N_VALUES, releases: Vec::new() };
            let mut series: Vec<Made> = Vec::new();
            for columns in [[1, 0], [0, 1], [1, 1]] {
                let of = |p: &Person| (p.0 * columns[0], p.1 * columns[1], p.2);
                let shown: Vec<Person> = people.iter().map(of).collect();
                let (is_alike, surplus) = (vec![true; series.len()], Surplus::HoldBack);
                let maker = XyMaker { model, is_alike, surplus };
                let Some(made) = make(&maker, &shown, &present, &history) else { break };
                history.releases.push(made.released.clone());
                series.push(made);
            }
            if series.is_empty() {
                continue;
            }
            prop_assert_eq!(series.len(), 3, "what keeps the promise can be gone on with");
            for n in 2..=3 {
                let found = attack("record-linking", &series[..n], &people, By::Class);
                let values = found.scored.iter().find(|scored| scored.attribute.is_some()).unwrap();
                let note = values.notes[0].to_string();
                let (_, fewest) = note.split_once("a target has at least ").unwrap();
                let fewest: u32 = fewest.split(' ').next().unwrap().parse().unwrap();
                match model {
                    XyModel::Anonymity(_) => prop_assert!(fewest >= k, "{}", note),
                    XyModel::Linkability(_) => {
                        let most = values.rate.max_probability;
                        prop_assert!(most <= 0.6 + 1e-9, "{most}: {}", note);
                        let share: f64 = note.rsplit(' ').next().unwrap().parse().unwrap();
                        prop_assert!(share < 0.6 + 1e-3, "{}", note);
                    }
                }
            }
        }
    }

    #[test]
    fn bcf_anonymity_leaves_k_rows_for_everybody(
        drawn in people(4..40), n_first in 2_usize..20, k in 2_u32..4,
    ) {
        // Somebody of every age and zip is in all releases: codes are numbers then.
        let whole = (0..20).map(|n| (n, n % 9, n % N_VALUES));
        let people: Vec<Person> = whole.chain(drawn.iter().map(|&(person, _)| person)).collect();
        let model = BcfAnonymity::new(u64::from(k)).unwrap();
        let mut history = History { n_values: N_VALUES, releases: Vec::new() };
        let mut made: Vec<Made> = Vec::new();
        for n in [(20 + n_first).min(people.len()), people.len()] {
            let earlier = made.iter().map(|made| made.boxes.clone()).collect();
            let present: Vec<u32> = (0..).take(n).collect();
            let next = make(&BcfMaker { model, earlier }, &people, &present, &history);
            let Some(next) = next else { break };
            history.releases.push(next.released.clone());
            made.push(next);
        }
        prop_assume!(made.len() > 1);
        let found = attack("correspondence", &made, &people, By::Boxes);
        let records = found.scored.iter().find(|scored| scored.attribute.is_none()).unwrap();
        let most = records.rate.max_probability;
        prop_assert!(most <= 1.0 / f64::from(k) + 1e-9, "{most}: {:?}", records.notes);
    }
}

/// Two classes of each release cover who is of 5, and only {a, b} recurs: {a, c} and {a, d} do not. Who does not
/// know that takes a for likelier, which all four show.
#[test]
fn who_does_not_know_that_signatures_stay_believes_more() {
    let people: Vec<Person> =
        vec![(5, 0, 0), (0, 0, 1), (3, 0, 0), (8, 0, 2), (2, 0, 0), (9, 0, 3)];
    let made = |of: [(&[u32], &[u32]); 2]| {
        let class_of = (0..6_u32).map(|person| {
            let class = of.iter().position(|(members, _)| members.contains(&person));
            class.map_or(ABSENT, |class| u32::try_from(class).unwrap())
        });
        let class_of: Vec<u32> = class_of.collect();
        let classes =
            of.map(|(_, values)| ReleasedClass { values: values.to_vec(), n_counterfeits: 0 });
        let present: Vec<u32> = (0..6).filter(|p| class_of[*p as usize] != ABSENT).collect();
        let next = Next::of_classes(present.iter().map(|&p| class_of[p as usize]).collect());
        let released = SeriesRelease { class_of, classes: classes.to_vec() };
        Made { next, released, present, boxes: Vec::new() }
    };
    let series = [
        made([(&[0, 1], &[0, 1]), (&[2, 3], &[0, 2])]),
        made([(&[0, 1], &[0, 1]), (&[4, 5], &[0, 3])]),
    ];
    let highest =
        |knows| Worlds::of(&series, &people, knows)[0].iter().copied().fold(0.0, f64::max);
    assert!(highest(false) > 0.5 + 1e-9 && (highest(true) - 0.5).abs() < 1e-9);
    for id in ["temporal", "record-linking"] {
        assert!((largest(id, &series, &people, By::Boxes) - 0.5).abs() < 1e-9, "{id}");
    }
}

/// Releases that know nothing of each other: each is m-unique, made as if it were the first.
#[test]
fn independent_releases_of_the_same_people_are_won() {
    let people: Vec<Person> = (0..40).map(|n| (n * 7 % 20, n * 5 % 9, n % N_VALUES)).collect();
    let model = MInvariance::new(2).unwrap();
    let maker = MInvariantMaker { model, surplus: Surplus::HoldBack };
    let series: Vec<Made> = (0..4_u32)
        .map(|release| {
            // Some leave, so that classes are others.
            let present: Vec<u32> = (0..40).filter(|p| (p + release) % 5 > 0).collect();
            make(&maker, &people, &present, &History::default()).unwrap()
        })
        .collect();
    for id in ["value-association", "correspondence", "value-equivalence"] {
        let found = attack(id, &series, &people, By::Class);
        let values = found.scored.iter().find(|scored| scored.attribute.is_some()).unwrap();
        assert!(values.rate.above[2] > 10, "{id}: {:?}", values.rate);
        assert!(values.rate.advantage() > 0.2, "{id}: {:?}", values.rate);
    }
}
