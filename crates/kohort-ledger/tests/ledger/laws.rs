//! Laws on random series: what is read is what was written.

use std::collections::{BTreeMap, BTreeSet};

use kohort_core::ABSENT;
use kohort_ledger::{LastShown, Member, Standing};
use proptest::prelude::*;

use crate::harness::{
    create, entry, folder, key, open, other_secret, publish, put_in_place, secret,
};
use crate::tampering::{all, small_pages};

/// What happens to a series.
#[derive(Clone, Debug)]
enum Step {
    /// These people are published.
    Publish(BTreeSet<u32>),
    /// Their release fails before its files are in place.
    Fail(BTreeSet<u32>),
    /// A person is forgotten.
    Forget(u32),
    /// The ledger is closed and opened.
    Reopen,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let people = || prop::collection::btree_set(0_u32..20, 0..12);
    let step = prop_oneof![
        4 => people().prop_map(Step::Publish),
        1 => people().prop_map(Step::Fail),
        1 => (0_u32..20).prop_map(Step::Forget),
        1 => Just(Step::Reopen),
    ];
    prop::collection::vec(step, 1..12)
}

/// The books as a plain list: who is which number, and the rows of each release.
#[derive(Default)]
struct Plain {
    number_of: BTreeMap<u32, u32>,
    n_people: u32,
    releases: Vec<PlainRelease>,
}

/// How many people there were by then, the rows by person, and the values of each class.
type PlainRelease = (u32, BTreeMap<u32, Member>, Vec<Vec<u32>>);

impl Plain {
    /// The last release that shows a person, and the value there.
    fn last(&self, person: u32) -> Option<LastShown> {
        let is_shown = |row: &Member| matches!(row.standing, Standing::Shown { .. });
        let shows = |(_, rows, _): &PlainRelease| rows.get(&person).is_some_and(is_shown);
        let last = self.releases.iter().rposition(shows)?;
        let value = self.releases[last].1[&person].value;
        Some(LastShown { release: u32::try_from(last + 1).unwrap(), value })
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..Default::default() })]

    #[test]
    fn what_is_read_is_what_was_written(steps in steps()) {
        let home = folder();
        let mut ledger = create(home.path());
        let mut plain = Plain::default();
        for step in steps {
            match step {
                Step::Publish(people) => {
                    let people: Vec<u32> = people.into_iter().collect();
                    let mut publishing = ledger.begin("s").unwrap();
                    let entry = entry(&mut publishing, &people, home.path());
                    publishing.commit(&entry, || put_in_place(&entry.files)).unwrap();
                    // Whoever has a number keeps it, and the others have the next ones in some order.
                    let mut new = Vec::new();
                    for (&person, member) in people.iter().zip(&entry.members) {
                        match plain.number_of.insert(person, member.person) {
                            Some(number) => prop_assert_eq!(number, member.person),
                            None => new.push(member.person),
                        }
                    }
                    new.sort_unstable();
                    let n_before = plain.n_people;
                    plain.n_people += u32::try_from(new.len()).unwrap();
                    prop_assert_eq!(new, (n_before..plain.n_people).collect::<Vec<_>>());
                    let rows = entry.members.into_iter().map(|it| (it.person, it)).collect();
                    let classes = entry.classes.into_iter().map(|it| it.released.values).collect();
                    plain.releases.push((plain.n_people, rows, classes));
                }
                Step::Fail(people) => {
                    let people: Vec<u32> = people.into_iter().collect();
                    let mut publishing = ledger.begin("s").unwrap();
                    let entry = entry(&mut publishing, &people, home.path());
                    publishing.commit(&entry, || Err("no".into())).unwrap_err();
                }
                Step::Forget(person) => {
                    let forgotten = ledger.forget("s", &key(person));
                    let known = plain.number_of.remove(&person);
                    prop_assert_eq!(forgotten.is_ok(), known.is_some());
                    if let Some(number) = known {
                        for (_, rows, _) in &mut plain.releases {
                            rows.remove(&number);
                        }
                    }
                }
                Step::Reopen => {
                    drop(ledger);
                    ledger = open(home.path()).unwrap();
                }
            }
        }
        if plain.releases.is_empty() {
            prop_assert_eq!(ledger.series().unwrap(), []);
            return Ok(());
        }
        ledger.check("s").unwrap().unwrap();
        let history = ledger.history("s").unwrap();
        prop_assert_eq!(history.releases.len(), plain.releases.len());
        for (release, (n_people, rows, classes)) in history.releases.iter().zip(&plain.releases) {
            let class_of = |person| match rows.get(&person)?.standing {
                Standing::Shown { class } => Some(class),
                _ => None,
            };
            let expected: Vec<u32> =
                (0..*n_people).map(|person| class_of(person).unwrap_or(ABSENT)).collect();
            prop_assert_eq!(&release.class_of, &expected);
            let values: Vec<_> = release.classes.iter().map(|class| class.values.clone()).collect();
            prop_assert_eq!(&values, classes);
        }
        let last = ledger.begin("s").unwrap().past().last.clone();
        let expected: Vec<_> = (0..plain.n_people).map(|person| plain.last(person)).collect();
        prop_assert_eq!(last, expected);
        // Once more from the file alone.
        let read = all(&mut ledger).unwrap();
        drop(ledger);
        prop_assert_eq!(all(&mut open(home.path()).unwrap()).unwrap(), read);
    }
}

/// What is done to a ledger, whatever comes of it.
#[derive(Clone, Copy, Debug)]
enum Deed {
    /// So many people are published, in one of three series.
    Publish(u32, u32),
    /// Their release fails before its files are in place.
    Fail(u32, u32),
    /// Their release is given up.
    Abandon(u32, u32),
    /// A person of the first series is forgotten, or is not there.
    Forget(u32),
    /// The list of series is read so many times.
    List(u32),
    /// What is not there is asked for.
    Ask,
    /// Another secret, and the one before again.
    Rekey,
    /// Another master key.
    Renew,
    /// The ledger is closed and opened.
    Reopen,
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let some = || (0_u32..3, prop_oneof![3 => 0_u32..12, 1 => 0_u32..120]);
    let deed = prop_oneof![
        4 => some().prop_map(|(series, n)| Deed::Publish(series, n)),
        3 => some().prop_map(|(series, n)| Deed::Fail(series, n)),
        1 => some().prop_map(|(series, n)| Deed::Abandon(series, n)),
        2 => (0_u32..20).prop_map(Deed::Forget),
        3 => (0_u32..40).prop_map(Deed::List),
        1 => Just(Deed::Ask),
        1 => Just(Deed::Rekey),
        1 => Just(Deed::Renew),
        1 => Just(Deed::Reopen),
    ];
    prop::collection::vec(deed, 1..25)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..Default::default() })]

    /// Whatever is done with it, nothing in the file was altered, and nothing is left to be put right.
    #[test]
    fn a_ledger_that_nobody_altered_is_never_called_altered(deeds in deeds(), is_small: bool) {
        let home = folder();
        let mut ledger = create(home.path());
        publish(&mut ledger, "hospital", &(0..20).collect::<Vec<_>>(), home.path());
        if is_small {
            ledger = small_pages(ledger, home.path(), 7);
        }
        for deed in deeds {
            let name = |series: u32| ["hospital", "clinic", "office"][series as usize];
            let people = |n: u32| (5..5 + n).collect::<Vec<u32>>();
            match deed {
                Deed::Publish(series, n) => {
                    publish(&mut ledger, name(series), &people(n), home.path());
                }
                Deed::Fail(series, n) => {
                    let mut publishing = ledger.begin(name(series)).unwrap();
                    let entry = entry(&mut publishing, &people(n), home.path());
                    publishing.commit(&entry, || Err("no".into())).unwrap_err();
                }
                Deed::Abandon(series, n) => {
                    let mut publishing = ledger.begin(name(series)).unwrap();
                    entry(&mut publishing, &people(n), home.path());
                    publishing.abandon("nobody wants it").unwrap();
                }
                Deed::Forget(person) => drop(ledger.forget("hospital", &key(person))),
                Deed::List(n) => (0..n).for_each(|_| drop(ledger.series().unwrap())),
                Deed::Ask => drop(ledger.releases("nothing").unwrap_err()),
                Deed::Rekey => {
                    ledger.rekey(&other_secret()).unwrap();
                    ledger.rekey(&secret()).unwrap();
                }
                Deed::Renew => ledger.renew(&secret()).unwrap(),
                Deed::Reopen => {
                    drop(ledger);
                    ledger = open(home.path()).unwrap();
                }
            }
            for series in ledger.names().unwrap() {
                let checked = ledger.check(&series).unwrap();
                prop_assert!(checked.is_ok(), "{:?} after {deed:?}", checked);
            }
        }
    }
}
