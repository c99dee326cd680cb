//! A ledger from its first release on.

use std::fs;
use std::time::Duration;

use kohort_core::ABSENT;
use kohort_ledger::{Kind, Ledger, Secret, What};

use crate::harness::{
    NOW, Plain, VALUES, create, entry, folder, key, numbers, open, open_with, other_secret,
    publish, put_in_place, secret,
};

#[test]
fn what_was_published_is_on_the_books() {
    let folder = folder();
    let mut ledger = create(folder.path());
    let first = publish(&mut ledger, "hospital", &[1, 2, 3, 4, 5], folder.path());
    let second = publish(&mut ledger, "hospital", &[6, 2, 3, 5], folder.path());
    assert_eq!((first.release, second.release), (1, 2));
    drop(ledger);

    let mut ledger = open(folder.path()).unwrap();
    let series = ledger.series().unwrap();
    assert_eq!(series.len(), 1);
    assert_eq!(
        (series[0].name.as_str(), series[0].n_releases, series[0].n_people),
        ("hospital", 2, 6)
    );
    assert_eq!((series[0].time, series[0].head), (NOW, second.entry));
    let releases = ledger.releases("hospital").unwrap();
    assert_eq!((releases[0].0.n_shown, releases[0].0.n_held_back), (4, 1));
    assert_eq!(releases[1].0.previous, first.entry);
    let history = ledger.history("hospital").unwrap();
    // People are numbered release by release, in an order of the ledger's own.
    let number = numbers(&mut ledger, "hospital", &[1, 2, 3, 4, 5, 6]);
    let mut first_five = number[..5].to_vec();
    first_five.sort_unstable();
    assert_eq!((first_five, number[5]), (vec![0, 1, 2, 3, 4], 5));
    let class = |release: usize, person: usize| {
        let class_of = &history.releases[release].class_of;
        class_of.get(number[person - 1] as usize).copied().unwrap_or(ABSENT)
    };
    assert_eq!([1, 2, 3, 4, 5, 6].map(|person| class(0, person)), [0, 0, 1, 1, ABSENT, ABSENT]);
    assert_eq!([1, 2, 3, 4, 5, 6].map(|person| class(1, person)), [ABSENT, 0, 1, ABSENT, 1, 0]);
    assert_eq!((history.n_values, history.releases[1].classes[0].values.len()), (4, 3));
    let checked = ledger.check("hospital").unwrap().unwrap();
    assert_eq!(checked.entries, [first.entry, second.entry]);
    assert!(ledger.has_been_at(&first.head).unwrap() && ledger.has_been_at(&second.head).unwrap());
}

#[test]
fn a_maker_sees_the_last_row_of_each_person_and_the_named_states() {
    let folder = folder();
    let mut ledger = create(folder.path());
    publish(&mut ledger, "hospital", &[1, 2, 3, 4, 5], folder.path());
    publish(&mut ledger, "hospital", &[6, 2, 3, 5], folder.path());
    let mut publishing = ledger.begin("hospital").unwrap();
    assert_eq!(publishing.number(), 3);
    let people = publishing.people(&[&key(1), &key(5), &key(9), &key(5), "patient", &key(2)]);
    assert_eq!(people[1], people[3]);
    assert!(people[0] < 5 && people[1] < 5 && people[5] < 5, "{people:?}");
    assert!([[6, 7], [7, 6]].contains(&[people[2], people[4]]), "{people:?}");
    let last = publishing.past().last.clone();
    let release = |row: usize| last[people[row] as usize].map(|last| last.release);
    assert_eq!([release(0), release(1), release(5)], [Some(1), Some(2), Some(2)]);
    // The fifth person of the second release has the value of that release.
    let value = last[people[1] as usize].unwrap().value;
    assert_eq!(publishing.domain()[value as usize], VALUES[(5 + 2) % 4]);
    assert_eq!(publishing.state("union-find").unwrap(), Some(vec![7, 7]));
    assert_eq!(publishing.state("min-cut").unwrap(), None);
    assert_eq!(publishing.classes(2).unwrap()[0].cells, ["[2, 99]", "*"]);
    assert_eq!(publishing.values(&["gastritis", "new"]), [1, 4]);
}

#[test]
fn what_is_dropped_or_given_up_leaves_nothing_but_its_log() {
    let folder = folder();
    let mut ledger = create(folder.path());
    drop(ledger.begin("hospital").unwrap());
    let mut publishing = ledger.begin("hospital").unwrap();
    publishing.people(&["a"]);
    publishing.abandon("the promise is not kept").unwrap();
    assert_eq!(ledger.series().unwrap(), []);
    let uses = ledger.uses().unwrap();
    let outcome: Vec<&str> = uses.iter().map(|it| it.outcome.as_str()).collect();
    assert_eq!(outcome, ["done", "the promise is not kept", "done"]);
    assert_eq!(uses[1].what, What::Abandoned { series: "hospital".into() });
    let first = publish(&mut ledger, "hospital", &[1, 2], folder.path());
    assert_eq!(first.release, 1);
}

#[test]
fn an_entry_that_does_not_fit_together_is_refused() {
    let folder = folder();
    let mut ledger = create(folder.path());
    let mut check = |spoil: &dyn Fn(&mut kohort_ledger::Entry), expected: &str| {
        let mut publishing = ledger.begin("hospital").unwrap();
        let mut entry = entry(&mut publishing, &[1, 2, 3], folder.path());
        spoil(&mut entry);
        let error = publishing.commit(&entry, || put_in_place(&entry.files)).unwrap_err();
        assert!(error.to_string().ends_with(expected), "{error}");
    };
    check(&|entry| entry.members[1].person = entry.members[0].person, "a person is in it twice");
    check(&|entry| entry.members[1].person = 9, "a number that the series has not given");
    check(&|entry| entry.members[1].value = 9, "a number that the series has not given");
    check(
        &|entry| entry.classes[0].released.values[0] = 9,
        "a number that the series has not given",
    );
    check(&|entry| entry.classes.clear(), "in a class that it does not have");
    check(&|entry| entry.files.clear(), "it has no file");
    let unseen = |entry: &mut kohort_ledger::Entry| {
        entry.classes[0].counterfeits.push(kohort_ledger::Counterfeit { id: 1, value: 2 });
    };
    check(&unseen, "a counterfeit has a value that its class does not show");
    assert_eq!(ledger.series().unwrap(), []);
}

#[test]
fn files_that_cannot_be_put_in_place_undo_the_release() {
    let folder = folder();
    let mut ledger = create(folder.path());
    let mut publishing = ledger.begin("hospital").unwrap();
    let first = entry(&mut publishing, &[1, 2], folder.path());
    let error = publishing.commit(&first, || Err("no space".into())).unwrap_err();
    assert!(error.to_string().ends_with("it is not recorded in the ledger"), "{error}");
    assert_eq!(ledger.series().unwrap(), []);
    assert!(!fs::exists(&first.files[0].staged).unwrap());
    // One of two is in its place: somebody may have read it.
    let mut publishing = ledger.begin("hospital").unwrap();
    let first = entry(&mut publishing, &[1, 2], folder.path());
    let half = || put_in_place(&first.files[..1]).and(Err("no space".into()));
    let error = publishing.commit(&first, half).unwrap_err();
    assert!(error.to_string().ends_with("it is recorded in the ledger: some were"), "{error}");
    assert_eq!(ledger.series().unwrap()[0].n_releases, 1);
    assert!(fs::exists(&first.files[1].target).unwrap());
    ledger.check("hospital").unwrap().unwrap();
}

#[test]
fn what_cannot_be_opened_says_why_and_is_not_changed() {
    let folder = folder();
    let path = folder.path().join("ledger");
    let open_with = |secret: &Secret| Ledger::open(&path, secret, Box::new(Plain), NOW);
    let kind = |expected: &str| {
        let before = fs::read(&path).ok();
        let error = open(folder.path()).err().expect("it cannot be opened");
        assert_eq!(error.to_string(), expected);
        assert_eq!(fs::read(&path).ok(), before);
    };
    kind("there is no ledger: no such file");
    fs::write(&path, b"").unwrap();
    let journal = folder.path().join("ledger-journal");
    fs::write(&journal, b"what was being written").unwrap();
    kind("the ledger is a file of 0 bytes: all of it is missing");
    let error = Ledger::create(&path, &secret(), Box::new(Plain), NOW).err().expect("it is there");
    assert!(matches!(error.kind(), Kind::Exists), "{error}");
    assert_eq!(fs::read(&journal).unwrap(), b"what was being written");
    fs::remove_file(&journal).unwrap();
    for bytes in [&b"age,sex\n1,f\n"[..], &[0; 5000]] {
        fs::write(&path, bytes).unwrap();
        kind("the file is not a ledger");
    }
    fs::remove_file(&path).unwrap();
    publish(&mut create(folder.path()), "hospital", &[1, 2], folder.path());
    let whole = fs::read(&path).unwrap();
    let wrong = [Secret::passphrase("correct house"), Secret::key_file(&[7; 32])];
    for secret in wrong {
        let error = open_with(&secret.unwrap()).err().expect("another secret");
        assert!(matches!(error.kind(), Kind::WrongKey), "{error}");
    }
    assert_eq!(fs::read(&path).unwrap(), whole);
    let mut later = whole.clone();
    later[63] = 4;
    fs::write(&path, &later).unwrap();
    kind("the ledger's schema must be at most 3, but is 4");
    later[63] = 1;
    fs::write(&path, &later).unwrap();
    kind("the ledger was altered or damaged: the version of the schema");
    let error = Ledger::create(&path, &secret(), Box::new(Plain), NOW).err().expect("it is there");
    assert!(matches!(error.kind(), Kind::Exists), "{error}");
}

#[test]
fn secrets_that_are_easily_guessed_are_refused() {
    let check = |secret: Result<Secret, _>, expected: &str| {
        let error: kohort_ledger::Error = secret.unwrap_err();
        assert_eq!(error.to_string(), expected);
    };
    check(Secret::passphrase("short"), "`passphrase` must have at least 8 characters, but has 5");
    check(Secret::key_file(&[1; 31]), "`key-file` must have at least 32 bytes, but has 31");
    let zeros = "`key-file` must have random bytes, but has nothing but zeros";
    check(Secret::key_file(&[0; 64]), zeros);
    assert_eq!(format!("{:?}", secret()), "Secret");
}

#[test]
fn one_who_publishes_keeps_others_out() {
    let folder = folder();
    let mut ledger = create(folder.path());
    let mut other = open(folder.path()).unwrap();
    other.set_wait(Duration::from_millis(20)).unwrap();
    let mut publishing = ledger.begin("hospital").unwrap();
    let busy = |error: &kohort_ledger::Error| matches!(error.kind(), Kind::Busy);
    assert!(other.begin("hospital").is_err_and(|error| busy(&error)));
    let first = entry(&mut publishing, &[1, 2], folder.path());
    // Also between the two commits.
    let in_between = || {
        assert!(other.series().is_err_and(|error| busy(&error)));
        put_in_place(&first.files)
    };
    publishing.commit(&first, in_between).unwrap();
    assert_eq!(other.series().unwrap()[0].n_releases, 1);
    assert_eq!(other.begin("hospital").unwrap().number(), 2);
}

#[test]
fn one_who_waits_does_not_keep_the_other_from_finishing() {
    let folder = folder();
    let path = folder.path();
    let mut ledger = create(path);
    ledger.set_wait(Duration::from_secs(20)).unwrap();
    let (is_open, opened) = std::sync::mpsc::channel();
    let (go, told) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(move || {
            let mut other = open(path).unwrap();
            other.set_wait(Duration::from_secs(20)).unwrap();
            is_open.send(()).unwrap();
            told.recv().unwrap();
            other.begin("hospital").unwrap().number()
        });
        opened.recv().unwrap();
        let mut publishing = ledger.begin("hospital").unwrap();
        let first = entry(&mut publishing, &[1, 2], path);
        go.send(()).unwrap();
        // Long enough for the other to wait for the lock.
        std::thread::sleep(Duration::from_millis(300));
        let started = std::time::Instant::now();
        publishing.commit(&first, || put_in_place(&first.files)).unwrap();
        assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
        assert_eq!(waiting.join().unwrap(), 2);
    });
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_it_and_it_is_one_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let mut ledger = create(folder.path());
    publish(&mut ledger, "hospital", &[1, 2], folder.path());
    let mode = fs::metadata(folder.path().join("ledger")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let mut names: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["ledger", "release-1.csv", "release-1.html"]);
}

#[test]
fn another_secret_opens_the_same_books_and_the_one_before_does_not() {
    let home = folder();
    let mut ledger = create(home.path());
    let first = publish(&mut ledger, "hospital", &[1, 2, 3, 4], home.path());
    let path = home.path().join("ledger");
    let connection = rusqlite::Connection::open(&path).unwrap();
    let sql = "SELECT lock FROM lock";
    let lock: Vec<u8> = connection.query_row(sql, [], |row| row.get(0)).unwrap();
    drop(connection);
    ledger.rekey(&other_secret()).unwrap();
    // Whoever has it open goes on.
    ledger.check("hospital").unwrap().unwrap();
    drop(ledger);
    let error = open(home.path()).err().unwrap();
    assert!(matches!(error.kind(), Kind::WrongKey), "{error}");
    let mut ledger = open_with(home.path(), &other_secret()).unwrap();
    assert_eq!(ledger.check("hospital").unwrap().unwrap().entries, [first.entry]);
    assert!(ledger.uses().unwrap().iter().any(|it| it.what == What::Rekeyed));
    let bytes = fs::read(&path).unwrap();
    let is_there = |piece: &[u8]| bytes.windows(piece.len()).any(|window| window == piece);
    assert!(!lock.chunks_exact(16).any(is_there), "the lock of before is overwritten");
}

#[test]
fn the_lock_of_an_earlier_secret_does_not_open_the_ledger_again() {
    let home = folder();
    let mut ledger = create(home.path());
    publish(&mut ledger, "hospital", &[1, 2, 3, 4], home.path());
    let path = home.path().join("ledger");
    let sql = "SELECT lock FROM lock";
    let connection = rusqlite::Connection::open(&path).unwrap();
    let lock: Vec<u8> = connection.query_row(sql, [], |row| row.get(0)).unwrap();
    drop(connection);
    ledger.rekey(&other_secret()).unwrap();
    drop(ledger);
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute("UPDATE lock SET lock = ?1", [lock]).unwrap();
    drop(connection);
    let error = open(home.path()).err().expect("the lock is an old one");
    assert_eq!(error.to_string(), "the ledger was altered or damaged: the lock");
}

#[test]
fn a_ledger_with_another_master_key_is_the_same_books_and_shares_no_sealed_byte() {
    let home = folder();
    let path = home.path().join("ledger");
    let mut ledger = create(home.path());
    let people: Vec<u32> = (0..40).collect();
    publish(&mut ledger, "hospital", &people, home.path());
    let second = publish(&mut ledger, "hospital", &people[3..], home.path());
    publish(&mut ledger, "clinic", &[1, 2], home.path());
    ledger.forget("hospital", &key(7)).unwrap();
    let numbered = numbers(&mut ledger, "hospital", &people[8..]);
    let (history, id) = (ledger.history("hospital").unwrap(), ledger.id());
    let old = fs::read(&path).unwrap();
    ledger.renew(&other_secret()).unwrap();
    // Whoever has it open goes on.
    let checked = ledger.check("hospital").unwrap().unwrap();
    assert_eq!((checked.entries.len(), checked.n_people, checked.n_forgotten), (2, 40, 1));
    assert!(!checked.entries.contains(&second.entry));
    assert!(ledger.has_been_at(&second.head).unwrap());
    drop(ledger);
    assert!(matches!(open(home.path()).err().unwrap().kind(), Kind::WrongKey));
    let mut ledger = open_with(home.path(), &other_secret()).unwrap();
    let again = ledger.history("hospital").unwrap();
    assert_eq!(format!("{again:?}"), format!("{history:?}"));
    assert_eq!(numbers(&mut ledger, "hospital", &people[8..]), numbered);
    assert_eq!(ledger.id(), id);
    for series in ["hospital", "clinic"] {
        ledger.check(series).unwrap().unwrap();
    }
    let third = publish(&mut ledger, "hospital", &people, home.path());
    assert_eq!(third.release, 3);
    ledger.check("hospital").unwrap().unwrap();
    // Nothing that was sealed with the old key is in the file: none of its random nonces is.
    let new = fs::read(&path).unwrap();
    let copy = home.path().join("copy");
    fs::write(&copy, &old).unwrap();
    let connection = rusqlite::Connection::open(&copy).unwrap();
    let mut n_sealed = 0;
    for table in ["head", "log", "series", "person", "entry", "member", "class", "state"] {
        let mut statement = connection.prepare(&format!("SELECT sealed FROM {table}")).unwrap();
        let sealed = statement.query_map([], |row| row.get::<_, Vec<u8>>(0)).unwrap();
        for sealed in sealed.map(Result::unwrap) {
            assert!(!new.windows(24).any(|window| window == &sealed[..24]), "{table}");
            n_sealed += 1;
        }
    }
    assert!(n_sealed > 150, "{n_sealed}");
}

#[test]
fn a_release_that_is_asked_for_again_is_drawn_from_the_same_secret() {
    let folder = folder();
    let mut ledger = create(folder.path());
    let drawn = |ledger: &mut Ledger| ledger.begin("hospital").unwrap().secret("draws");
    let first = drawn(&mut ledger);
    ledger.begin("hospital").unwrap().abandon("there is none").unwrap();
    publish(&mut ledger, "clinic", &[1, 2, 3, 4], folder.path());
    assert_eq!(drawn(&mut ledger), first);
    ledger.rekey(&other_secret()).unwrap();
    assert_eq!(drawn(&mut ledger), first);
    ledger.renew(&secret()).unwrap();
    drop(ledger);
    let mut ledger = open(folder.path()).unwrap();
    assert_eq!(drawn(&mut ledger), first);
    // Another purpose, series, release or ledger has another one.
    let order = ledger.begin("hospital").unwrap().secret("order");
    let clinic = ledger.begin("clinic").unwrap().secret("draws");
    publish(&mut ledger, "hospital", &[1, 2, 3, 4], folder.path());
    let second = drawn(&mut ledger);
    let elsewhere = drawn(&mut create(crate::harness::folder().path()));
    let all = std::collections::BTreeSet::from([first, order, clinic, second, elsewhere]);
    assert_eq!(all.len(), 5);
    // None stands in the file, in bytes or in digits.
    drop(ledger);
    let bytes = fs::read(folder.path().join("ledger")).unwrap();
    for secret in [first, order, clinic, second] {
        let digits = secret.map(|byte| format!("{byte:02x}")).concat();
        for told in [&secret[..], digits.as_bytes()] {
            assert!(!bytes.windows(16).any(|window| window == &told[..16]));
        }
    }
}
