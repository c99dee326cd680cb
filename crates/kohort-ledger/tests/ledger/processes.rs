//! Real processes: several at once, and killed at any moment.
//!
//! A child is this test program again, told by its environment to publish.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use kohort_ledger::{Kind, Ledger, Recovered};

use crate::harness::{
    NOW, Plain, create, entry, key, open, open_with, other_secret, publish, put_in_place, secret,
};

const FOLDER: &str = "KOHORT_LEDGER_TEST_FOLDER";
const SERIES: &str = "KOHORT_LEDGER_TEST_SERIES";
const DIES: &str = "KOHORT_LEDGER_TEST_DIES";
const CREATES: &str = "KOHORT_LEDGER_TEST_CREATES";
const REKEYED: &str = "KOHORT_LEDGER_TEST_REKEYED";
const WRITES: &str = "KOHORT_LEDGER_TEST_WRITES";

/// Starts a process that publishes in a series, again and again.
fn child(folder: &Path, series: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "processes::publishes_if_told_to", "--nocapture"])
        .env(FOLDER, folder)
        .env(SERIES, series)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// Not a test of its own: what a child does.
#[test]
fn publishes_if_told_to() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let (folder, series) = (PathBuf::from(folder), std::env::var(SERIES).unwrap());
    let mut ledger = open_patiently(&folder);
    let wanted =
        fs::read_to_string(folder.join("wanted")).map_or(usize::MAX, |it| it.parse().unwrap());
    for _ in 0..wanted {
        let mut publishing = match ledger.begin(&series) {
            Ok(publishing) => publishing,
            Err(error) if matches!(error.kind(), Kind::Busy) => continue,
            Err(error) => panic!("{error}"),
        };
        let home = folder.join(&series);
        fs::create_dir_all(&home).unwrap();
        let first = publishing.number();
        let people: Vec<u32> = (first..first + 9).collect();
        let entry = entry(&mut publishing, &people, &home);
        publishing.commit(&entry, || put_in_place(&entry.files)).unwrap();
    }
}

/// Not a test of its own: a child that makes a ledger and takes it away, again and again; or that makes one
/// unless somebody else does, and publishes once.
#[test]
fn creates_if_told_to() {
    let Ok(told) = std::env::var(CREATES) else { return };
    let (how, folder) = told.split_once(' ').unwrap();
    let (folder, path) = (PathBuf::from(folder), PathBuf::from(folder).join("ledger"));
    if how == "forever" {
        loop {
            Ledger::create(&path, &secret(), Box::new(Plain), NOW).unwrap();
            fs::remove_file(&path).unwrap();
        }
    }
    match Ledger::create(&path, &secret(), Box::new(Plain), NOW) {
        Ok(_) => fs::write(folder.join(format!("made-by-{how}")), "").unwrap(),
        Err(error) => assert!(matches!(error.kind(), Kind::Exists), "{error}"),
    }
    let mut ledger = open_patiently(&folder);
    ledger.set_wait(Duration::from_mins(1)).unwrap();
    let home = folder.join(how);
    fs::create_dir(&home).unwrap();
    publish(&mut ledger, how, &[1, 2, 3, 4], &home);
}

fn creating(folder: &Path, how: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "processes::creates_if_told_to", "--nocapture"])
        .env(CREATES, format!("{how} {}", folder.display()))
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn a_process_killed_while_it_makes_a_ledger_leaves_all_of_it_or_none() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("ledger");
    let mut random = 0x9e37_79b9_7f4a_7c15;
    let (mut n_whole, mut n_none, mut n_hidden) = (0, 0, 0);
    for _ in 0..150 {
        let mut maker = creating(home.path(), "forever");
        thread::sleep(Duration::from_micros(5_000 + scattered(&mut random) % 40_000));
        maker.kill().unwrap();
        maker.wait().unwrap();
        let found = names(home.path());
        n_hidden += found.iter().filter(|name| name.starts_with(".kohort-ledger-")).count();
        if found.contains("ledger") {
            n_whole += 1;
            assert_eq!(open(home.path()).unwrap().series().unwrap(), []);
        } else {
            n_none += 1;
            create(home.path());
        }
        assert_eq!(names(home.path()), BTreeSet::from(["ledger".to_owned()]));
        fs::remove_file(&path).unwrap();
    }
    println!("{n_whole} were whole, {n_none} not there, {n_hidden} left a hidden file");
    assert!(n_none > 0 && n_whole + n_hidden > 0, "nobody was killed at work");
}

#[test]
fn of_processes_that_make_a_ledger_at_once_one_does_and_all_publish() {
    for _ in 0..10 {
        let home = tempfile::tempdir().unwrap();
        let makers = ["a", "b", "c"];
        let children = makers.map(|maker| creating(home.path(), maker));
        for mut child in children {
            assert!(child.wait().unwrap().success());
        }
        let found = names(home.path());
        let n_made = found.iter().filter(|name| name.starts_with("made-by-")).count();
        assert_eq!((n_made, found.len()), (1, 5), "{found:?}");
        let mut ledger = open(home.path()).unwrap();
        for maker in makers {
            assert_eq!(ledger.check(maker).unwrap().unwrap().entries.len(), 1);
        }
    }
}

/// Not a test of its own: a child that replaces the secret by the other, and back, again and again.
#[test]
fn rekeys_if_told_to() {
    let Ok(folder) = std::env::var(REKEYED) else { return };
    let folder = PathBuf::from(folder);
    let mut ledger =
        open(&folder).or_else(|_| open_with(&folder, &other_secret())).expect("one of the two");
    for turn in 0_u32.. {
        ledger.rekey(&if turn % 2 == 0 { other_secret() } else { secret() }).unwrap();
    }
}

fn open_patiently(folder: &Path) -> Ledger {
    loop {
        let opened = open(folder);
        if !opened.as_ref().is_err_and(|error| matches!(error.kind(), Kind::Busy)) {
            return opened.unwrap();
        }
    }
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect()
}

/// Every release of the books has its two files, and there is no other file.
fn books_and_files_agree(ledger: &mut Ledger, folder: &Path, series: &str) -> u32 {
    let all = ledger.series().unwrap();
    let n = all.iter().find(|it| it.name == series).map_or(0, |it| it.n_releases);
    let files = |number| [format!("release-{number}.csv"), format!("release-{number}.html")];
    let expected: BTreeSet<String> = (1..=n).flat_map(files).collect();
    let found = names(&folder.join(series));
    // What was staged before its release was on the books at all is no release.
    let found: BTreeSet<String> =
        found.into_iter().filter(|name| !name.starts_with(".staged-")).collect();
    assert_eq!(found, expected, "{series}");
    n
}

/// A number that looks random and is the same in every run.
fn scattered(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

#[test]
fn a_process_killed_at_any_moment_leaves_the_release_and_its_entry_or_neither() {
    let home = tempfile::tempdir().unwrap();
    drop(create(home.path()));
    // The moments are spread over what two releases take, whatever the machine.
    fs::write(home.path().join("wanted"), "2").unwrap();
    let started = Instant::now();
    assert!(child(home.path(), "hospital").wait().unwrap().success());
    let whole = u64::try_from(started.elapsed().as_micros()).unwrap();
    fs::remove_file(home.path().join("wanted")).unwrap();
    let mut random = 0x9e37_79b9_7f4a_7c15;
    let (mut n_before, mut n_completed, mut n_undone, mut n_kills) = (2, 0, 0, 0);
    let started = Instant::now();
    while n_kills < 200 || n_kills < 300 && started.elapsed() < Duration::from_secs(20) {
        let mut publisher = child(home.path(), "hospital");
        thread::sleep(Duration::from_micros(whole / 4 + scattered(&mut random) % whole));
        publisher.kill().unwrap();
        publisher.wait().unwrap();
        n_kills += 1;
        let mut ledger = open(home.path()).unwrap();
        for recovered in ledger.recovered() {
            assert!(recovered.missing.is_empty() && recovered.left.is_empty());
            if recovered.is_published { n_completed += 1 } else { n_undone += 1 }
        }
        let n = books_and_files_agree(&mut ledger, home.path(), "hospital");
        assert!(n >= n_before, "a release is gone");
        n_before = n;
        if n_kills % 25 == 0 && n > 0 {
            ledger.check("hospital").unwrap().unwrap();
        }
    }
    println!("{n_kills} kills, {n_before} releases, {n_completed} completed, {n_undone} undone");
    assert!(n_before > 2, "no release in {n_kills} kills");
    let mut ledger = open(home.path()).unwrap();
    ledger.check("hospital").unwrap().unwrap();
}

#[test]
fn processes_that_publish_at_once_wait_for_each_other() {
    let home = tempfile::tempdir().unwrap();
    drop(create(home.path()));
    fs::write(home.path().join("wanted"), "12").unwrap();
    let same = ["hospital", "hospital", "clinic"];
    let children: Vec<Child> = same.iter().map(|series| child(home.path(), series)).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let mut ledger = open(home.path()).unwrap();
    for (series, expected) in [("hospital", 24), ("clinic", 12)] {
        assert_eq!(books_and_files_agree(&mut ledger, home.path(), series), expected);
        ledger.check(series).unwrap().unwrap();
    }
    assert!(ledger.recovered().is_empty());
}

/// Not a test of its own: a child that dies once it has put so many of its two files in their places.
#[test]
fn dies_if_told_to() {
    let Ok(told) = std::env::var(DIES) else { return };
    let (n_in_place, folder) = told.split_once(' ').unwrap();
    let (n_in_place, folder): (usize, _) = (n_in_place.parse().unwrap(), PathBuf::from(folder));
    let mut ledger = open(&folder).unwrap();
    let mut publishing = ledger.begin("hospital").unwrap();
    let entry = entry(&mut publishing, &[1, 2, 3, 4], &folder);
    let half_way = || {
        put_in_place(&entry.files[..n_in_place])?;
        std::process::abort()
    };
    publishing.commit(&entry, half_way).unwrap();
}

/// What the ledger says of a release whose process died, after `then` was done to its files.
fn died(n_in_place: usize, then: &dyn Fn(&Path)) -> (Vec<Recovered>, u32, BTreeSet<String>) {
    let home = tempfile::tempdir().unwrap();
    drop(create(home.path()));
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "processes::dies_if_told_to", "--nocapture"])
        .env(DIES, format!("{n_in_place} {}", home.path().display()))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(!status.success());
    then(home.path());
    let mut ledger = open(home.path()).unwrap();
    let recovered = ledger.recovered().to_vec();
    let n_releases = ledger.series().unwrap().first().map_or(0, |series| series.n_releases);
    if n_releases > 0 {
        ledger.check("hospital").unwrap().unwrap();
    }
    let mut files = names(home.path());
    files.remove("ledger");
    (recovered, n_releases, files)
}

#[test]
fn a_release_whose_files_are_all_staged_is_undone_and_any_other_stays() {
    let nothing: &dyn Fn(&Path) = &|_| {};
    let (recovered, n_releases, files) = died(0, nothing);
    assert!(!recovered[0].is_published && recovered[0].left.is_empty());
    assert_eq!((n_releases, files.len()), (0, 0), "{files:?}");
    for n_in_place in 1..3 {
        let (recovered, n_releases, files) = died(n_in_place, nothing);
        assert!(recovered[0].is_published && recovered[0].missing.is_empty());
        assert_eq!((n_releases, files.len()), (1, 2), "{files:?}");
    }
    // Whoever took the files away has seen them.
    let take_away: &dyn Fn(&Path) = &|home| {
        for name in ["release-1.csv", "release-1.html"] {
            fs::remove_file(home.join(name)).unwrap();
        }
    };
    let (recovered, n_releases, _) = died(2, take_away);
    assert!(recovered[0].is_published);
    assert_eq!((recovered[0].missing.len(), n_releases), (2, 1));
}

#[test]
fn a_process_killed_while_it_replaces_the_secret_leaves_one_that_opens() {
    let home = tempfile::tempdir().unwrap();
    let mut ledger = create(home.path());
    publish(&mut ledger, "hospital", &[1, 2, 3, 4], home.path());
    drop(ledger);
    let mut random = 0x9e37_79b9_7f4a_7c15;
    let mut n_opened = [0, 0];
    for _ in 0..60 {
        let mut rekeying = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "processes::rekeys_if_told_to", "--nocapture"])
            .env(REKEYED, home.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_micros(20_000 + scattered(&mut random) % 60_000));
        rekeying.kill().unwrap();
        rekeying.wait().unwrap();
        let opened = [secret(), other_secret()].map(|secret| open_with(home.path(), &secret));
        n_opened = [0, 1].map(|at| n_opened[at] + i32::from(opened[at].is_ok()));
        let ([Ok(mut ledger), Err(error)] | [Err(error), Ok(mut ledger)]) = opened else {
            panic!("one of the two opens it");
        };
        assert!(matches!(error.kind(), Kind::WrongKey), "{error}");
        ledger.check("hospital").unwrap().unwrap();
    }
    println!("{n_opened:?} times it was the one and the other");
    assert!(n_opened.iter().all(|&n| n > 0));
}

/// Not a test of its own: a child that publishes, undoes, forgets and lists, again and again.
#[test]
fn writes_if_told_to() {
    let Ok(folder) = std::env::var(WRITES) else { return };
    let folder = PathBuf::from(folder);
    let mut ledger = open(&folder).unwrap();
    for turn in 0_u32.. {
        let mut publishing = ledger.begin("hospital").unwrap();
        let people: Vec<u32> = (turn..turn + 60).collect();
        let entry = entry(&mut publishing, &people, &folder);
        let is_undone = turn % 3 == 0;
        let put = || if is_undone { Err("no".into()) } else { put_in_place(&entry.files) };
        assert_eq!(publishing.commit(&entry, put).is_err(), is_undone);
        ledger.series().unwrap();
        // Some are there, and some were forgotten before.
        let _ = ledger.forget("hospital", &key(turn + 30));
    }
}

#[test]
fn a_process_killed_at_any_moment_leaves_a_file_that_nobody_calls_altered() {
    let home = tempfile::tempdir().unwrap();
    let mut ledger = create(home.path());
    publish(&mut ledger, "hospital", &[1, 2, 3, 4], home.path());
    drop(ledger);
    let mut random = 0x9e37_79b9_7f4a_7c15;
    let (mut n_kills, mut n_hot) = (0, 0);
    let started = Instant::now();
    while n_kills < 40 || n_kills < 200 && started.elapsed() < Duration::from_secs(15) {
        let mut writer = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "processes::writes_if_told_to", "--nocapture"])
            .env(WRITES, home.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_micros(5_000 + scattered(&mut random) % 100_000));
        writer.kill().unwrap();
        writer.wait().unwrap();
        n_kills += 1;
        n_hot += usize::from(home.path().join("ledger-journal").exists());
        let checked = open(home.path()).unwrap().check("hospital").unwrap();
        checked.unwrap_or_else(|broken| panic!("after {n_kills} kills: {broken:?}"));
    }
    println!("{n_kills} kills, {n_hot} of them in a transaction");
    assert!(n_hot > 0, "nobody was killed at work");
}
