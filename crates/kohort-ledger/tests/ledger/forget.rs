//! A person is forgotten: the others are as they were.

use std::collections::BTreeSet;
use std::fs;

use kohort_core::ABSENT;
use kohort_ledger::{Forgotten, Kind, What};

use crate::harness::{create, folder, key, numbers, open, publish};

#[test]
fn what_identifies_a_person_goes_and_the_classes_stay() {
    let home = folder();
    let mut ledger = create(home.path());
    let first = publish(&mut ledger, "hospital", &[1, 2, 3, 4], home.path());
    let second = publish(&mut ledger, "hospital", &[2, 3, 4, 5, 6], home.path());
    let before = ledger.history("hospital").unwrap();
    let number = numbers(&mut ledger, "hospital", &[3, 4]);
    let forgotten = ledger.forget("hospital", &key(3)).unwrap();
    assert_eq!(forgotten, Forgotten { releases: vec![1, 2], classes: vec![(1, 1), (2, 0)] });
    let checked = ledger.check("hospital").unwrap().unwrap();
    assert_eq!(checked.entries, [first.entry, second.entry]);
    assert_eq!((checked.n_people, checked.n_forgotten), (6, 1));
    let after = ledger.history("hospital").unwrap();
    for (release, mut expected) in after.releases.iter().zip(before.releases) {
        expected.class_of[number[0] as usize] = ABSENT;
        assert_eq!(release.class_of, expected.class_of);
        assert_eq!(release.classes, expected.classes);
    }
    let what = What::Forgot { series: "hospital".into(), releases: vec![1, 2] };
    assert!(ledger.uses().unwrap().iter().any(|it| it.what == what));
    // On coming back it is somebody else.
    let mut publishing = ledger.begin("hospital").unwrap();
    assert_eq!(publishing.people(&[&key(3), &key(4)]), [6, number[1]]);
    let last = publishing.past().last.clone();
    assert_eq!((last.len(), &last[number[0] as usize]), (6, &None));
}

#[test]
fn a_person_who_is_not_there_is_not_named() {
    let home = folder();
    let mut ledger = create(home.path());
    publish(&mut ledger, "hospital", &[1, 2], home.path());
    let error = ledger.forget("hospital", &key(7)).unwrap_err();
    assert_eq!(error.to_string(), "series `hospital` has no such person");
    let error = ledger.forget("clinic", &key(1)).unwrap_err();
    assert!(matches!(error.kind(), Kind::UnknownSeries { .. }), "{error}");
}

#[test]
fn what_is_asked_for_and_not_there_is_logged() {
    let home = folder();
    let mut ledger = create(home.path());
    publish(&mut ledger, "hospital", &[1, 2, 3, 4], home.path());
    ledger.forget("hospital", &key(9)).unwrap_err();
    ledger.forget("clinic", &key(1)).unwrap_err();
    ledger.releases("clinic").unwrap_err();
    ledger.check("clinic").unwrap_err();
    let uses = ledger.uses().unwrap();
    let told: Vec<String> =
        uses.iter().skip(2).map(|it| format!("{}: {}", it.what, it.outcome)).collect();
    let none = "no series `clinic` in the ledger";
    assert_eq!(
        told,
        [
            "read whom to forget of `hospital`: series `hospital` has no such person".to_owned(),
            format!("read whom to forget of `clinic`: {none}"),
            format!("read the releases of `clinic`: {none}"),
            format!("checked `clinic`: {none}"),
        ]
    );
    // Nobody was forgotten.
    assert_eq!(ledger.check("hospital").unwrap().unwrap().n_forgotten, 0);
}

#[test]
fn the_bytes_of_a_person_are_nowhere_in_the_file() {
    let home = folder();
    let mut ledger = create(home.path());
    let people: Vec<u32> = (0..300).collect();
    for _ in 0..3 {
        publish(&mut ledger, "hospital", &people, home.path());
    }
    drop(ledger);
    let path = home.path().join("ledger");
    let sealed = || -> BTreeSet<Vec<u8>> {
        let connection = rusqlite::Connection::open(&path).unwrap();
        let sql = "SELECT sealed FROM member UNION ALL SELECT sealed FROM person
            UNION ALL SELECT name FROM member UNION ALL SELECT name FROM person";
        let mut statement = connection.prepare(sql).unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    let forgotten = [0, 17, 150, 151, 152, 299];
    let before = sealed();
    let is_there = |part: &[u8]| {
        let bytes = fs::read(&path).unwrap();
        bytes.windows(part.len()).any(|window| window == part)
    };
    let mut ledger = open(home.path()).unwrap();
    for person in forgotten {
        ledger.forget("hospital", &key(person)).unwrap();
    }
    drop(ledger);
    // What the file lost are the rows of six people, three and one each, with their names.
    let private: Vec<Vec<u8>> = before.difference(&sealed()).cloned().collect();
    assert_eq!(private.len(), 6 * 2 * (3 + 1));
    // Nor any half of a sealed row is left.
    for blob in private {
        let (one, other) = blob.split_at(blob.len() / 2);
        assert!(!is_there(one) && !is_there(other));
    }
    let checked = open(home.path()).unwrap().check("hospital").unwrap().unwrap();
    assert_eq!(checked.n_forgotten, 6);
}
