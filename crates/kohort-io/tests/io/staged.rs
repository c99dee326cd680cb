//! Files that appear whole or not at all, and are looked at before they do.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use kohort_io::{
    Format, Kind, Options, Reading, Staged, commit_all, commit_together, read_table, settle,
    write_atomically, write_privately, write_table,
};

use crate::table;

fn names(folder: &Path) -> Vec<String> {
    let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    fs::read_dir(folder).unwrap().map(name).collect()
}

#[test]
fn a_file_is_made_and_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.csv");
    for text in ["first", "second"] {
        write_atomically(&path, &mut |writer| writer.write_all(text.as_bytes())).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        assert_eq!(names(folder.path()), ["out.csv"]);
    }
}

#[test]
fn a_failure_leaves_the_target_untouched_and_nothing_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.csv");
    fs::write(&path, "before").unwrap();
    let error = write_atomically(&path, &mut |writer| {
        writer.write_all(b"half")?;
        Err(io::Error::other("no more"))
    })
    .unwrap_err();
    assert!(error.to_string().ends_with("out.csv: cannot be written"));
    assert!(matches!(error.kind(), Kind::Write { .. }));
    assert_eq!(fs::read_to_string(&path).unwrap(), "before");
    assert_eq!(names(folder.path()), ["out.csv"]);
}

#[test]
fn directories_and_missing_folders_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let error = write_atomically(folder.path(), &mut |_| Ok(())).unwrap_err();
    assert!(matches!(error.kind(), Kind::Directory { .. }));
    let path = folder.path().join("missing/out.csv");
    let error = write_atomically(&path, &mut |_| Ok(())).unwrap_err();
    assert!(matches!(error.kind(), Kind::Write { .. }));
}

#[cfg(unix)]
#[test]
fn permissions_and_links_are_kept() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (path, link) = (folder.path().join("out.csv"), folder.path().join("link.csv"));
    fs::write(&path, "before").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    std::os::unix::fs::symlink(&path, &link).unwrap();
    write_atomically(&link, &mut |writer| writer.write_all(b"after")).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "after");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    write_atomically(Path::new("/dev/null"), &mut |writer| writer.write_all(b"x")).unwrap();
}

#[cfg(unix)]
#[test]
fn a_file_is_for_its_owner_alone_until_it_is_in_place_and_a_private_one_stays_so() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let path = |name: &str| folder.path().join(name);
    fs::write(path("usual"), "").unwrap();
    let file = staged(&path("new.csv"), "new");
    assert_eq!(mode(file.path()), 0o600);
    file.commit().unwrap();
    assert_eq!(mode(&path("new.csv")), mode(&path("usual")));
    fs::set_permissions(path("usual"), fs::Permissions::from_mode(0o644)).unwrap();
    let file = staged(&path("usual"), "other");
    assert_eq!(mode(file.path()), 0o600);
    commit_together(&mut [file, staged(&path("beside.csv"), "other")]).unwrap();
    assert_eq!(mode(&path("usual")), 0o644);
    write_privately(&path("usual"), &mut |out| out.write_all(b"private")).unwrap();
    assert_eq!(mode(&path("usual")), 0o600);
}

#[test]
fn nobody_replaces_files_while_they_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    commit_together(&mut [staged(&path("a.csv"), "1"), staged(&path("b.csv"), "1")]).unwrap();
    let reading = Reading::new(&path("a.csv"), &[path("b.csv")]).unwrap();
    let other = Reading::new(&path("a.csv"), &[path("b.csv")]).unwrap();
    let mut both = [staged(&path("a.csv"), "2"), staged(&path("b.csv"), "2")];
    let writer = thread::spawn(move || commit_together(&mut both));
    thread::sleep(Duration::from_millis(200));
    let text = |name: &str| fs::read_to_string(path(name)).unwrap();
    assert_eq!((text("a.csv"), text("b.csv")), ("1".into(), "1".into()));
    drop((reading, other));
    writer.join().unwrap().unwrap();
    assert_eq!((text("a.csv"), text("b.csv")), ("2".into(), "2".into()));
}

#[test]
fn who_waits_too_long_is_refused_and_everything_is_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    fs::write(&path, "before").unwrap();
    let reading = Reading::new(&path, &[]).unwrap();
    let error = staged(&path, "after").commit().unwrap_err();
    assert!(matches!(error.kind(), Kind::Busy { .. }), "{error}");
    assert!(error.hint().is_some());
    drop(reading);
    assert_eq!(fs::read_to_string(&path).unwrap(), "before");
    assert_eq!(names(folder.path()), ["a.csv"]);
}

fn staged(path: &Path, text: &str) -> Staged {
    Staged::write(path, &mut |out| out.write_all(text.as_bytes())).unwrap()
}

#[test]
fn a_staged_file_is_looked_at_before_it_appears() {
    let folder = tempfile::tempdir().unwrap();
    let rows = [vec!["a".to_owned(), "b".into()], vec!["=1".into(), "-5".into()]];
    for name in ["out.csv", "out.jsonl", "out.parquet", "out.arrow", "out.csv.gz", "out.tsv"] {
        let path = folder.path().join(name);
        let format = Format::of(&path).unwrap();
        let staged =
            Staged::write(&path, &mut |out| Ok(write_table(&table(&rows), format, out)?)).unwrap();
        assert!(!path.exists());
        let hidden = staged.path().file_name().unwrap().to_str().unwrap();
        assert!(hidden.starts_with('.') && hidden.ends_with(&format!("-{name}")), "{hidden}");
        assert_eq!(Format::of(staged.path()).unwrap(), format);
        let source = staged.path().to_str().unwrap();
        let read = read_table(source, &Options::as_written(format), &|_, _| {}).unwrap();
        assert_eq!(crate::rows(&read.table), rows);
        staged.commit().unwrap();
        assert_eq!(names(folder.path()), [name]);
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn what_is_not_committed_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.csv");
    fs::write(&path, "before").unwrap();
    let file = staged(&path, "after");
    assert_eq!(fs::read_to_string(file.path()).unwrap(), "after");
    drop(file);
    assert_eq!(fs::read_to_string(&path).unwrap(), "before");
    assert_eq!(names(folder.path()), ["out.csv"]);
}

#[test]
fn files_of_one_release_follow_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let mut both = [staged(&path("a.csv"), "1"), staged(&path("b.csv"), "2")];
    assert_eq!(names(folder.path()).len(), 2);
    commit_all(&mut both).unwrap();
    assert_eq!(fs::read_to_string(path("a.csv")).unwrap(), "1");
    assert_eq!(fs::read_to_string(path("b.csv")).unwrap(), "2");

    let mut three =
        [staged(&path("a.csv"), "3"), staged(&path("folder"), "4"), staged(&path("b.csv"), "5")];
    fs::create_dir_all(path("folder/inside")).unwrap();
    let error = commit_all(&mut three).unwrap_err();
    drop(three);
    assert!(error.to_string().ends_with("folder: cannot be written"), "{error}");
    assert_eq!(fs::read_to_string(path("a.csv")).unwrap(), "3");
    assert_eq!(fs::read_to_string(path("b.csv")).unwrap(), "2");
    let mut names = names(folder.path());
    names.sort();
    assert_eq!(names, ["a.csv", "b.csv", "folder"]);
}

#[test]
fn files_that_are_read_together_are_all_replaced_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let text = |name: &str| fs::read_to_string(path(name)).unwrap();
    for version in ["1", "2"] {
        let mut both = [staged(&path("a.csv"), version), staged(&path("b.csv"), version)];
        commit_together(&mut both).unwrap();
        assert_eq!((text("a.csv"), text("b.csv")), (version.into(), version.into()));
    }
    let mut three =
        [staged(&path("a.csv"), "3"), staged(&path("b.csv"), "3"), staged(&path("folder"), "3")];
    fs::create_dir_all(path("folder/inside")).unwrap();
    let error = commit_together(&mut three).unwrap_err();
    drop(three);
    assert!(error.to_string().ends_with("folder: cannot be written"), "{error}");
    assert_eq!((text("a.csv"), text("b.csv")), ("2".into(), "2".into()));
    assert_eq!(names(folder.path()).len(), 3);
}

/// The variable that tells the next test that it is the child, and in which folder to write.
const FOLDER: &str = "KOHORT_TEST_REPLACES_BOTH";

// The test runs itself as the process that is killed.
#[test]
fn a_killed_process_leaves_files_that_are_settled_as_one_version() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        let path = |name: &str| Path::new(&folder).join(name);
        for version in (0..10).cycle().map(|version| version.to_string()) {
            let mut both = [staged(&path("a.csv"), &version), staged(&path("b.csv"), &version)];
            commit_together(&mut both).unwrap();
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let text = |name: &str| fs::read_to_string(folder.path().join(name)).ok();
    let mut n_alone = 0;
    for round in 0..60 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "staged::a_killed_process_leaves_files_that_are_settled_as_one_version",
            ])
            .env(FOLDER, folder.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let before = text("a.csv");
        while text("a.csv") == before {
            assert!(child.try_wait().unwrap().is_none(), "the child has ended by itself");
            thread::yield_now();
        }
        thread::sleep(Duration::from_micros(round * 7919 % 5000));
        child.kill().unwrap();
        child.wait().unwrap();
        let (first, second) = (text("a.csv"), text("b.csv"));
        assert!(first.is_some() && (second.is_none() || first == second), "two versions");
        n_alone += u32::from(second.is_none());
        settle(&folder.path().join("a.csv"), &[folder.path().join("b.csv")]).unwrap();
        assert!(first == text("a.csv") && first == text("b.csv"), "two versions once settled");
        let is_aside = |name: &String| name.starts_with(".kohort-") && !name.contains("-tmp-");
        assert!(!names(folder.path()).iter().any(is_aside));
    }
    assert!(n_alone > 0, "no child was killed between the two");
}

#[cfg(unix)]
#[test]
fn what_is_no_file_cannot_be_staged() {
    let error = Staged::write(Path::new("/dev/null"), &mut |_| Ok(())).unwrap_err();
    assert!(matches!(error.kind(), Kind::NotAFile { .. }));
    let expected = "/dev/null: must be a regular file, to be looked at before it appears";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn the_reason_of_whoever_fills_the_file_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let rows = [vec![" a".to_owned()], vec!["1".into()]];
    let error = Staged::write(&folder.path().join("out.csv"), &mut |out| {
        Ok(write_table(&table(&rows), Format::Csv(None), out)?)
    })
    .unwrap_err();
    let Kind::Write { source, .. } = error.kind() else { panic!("{error}") };
    assert!(source.to_string().starts_with("column ` a`: "), "{source}");
}

#[test]
fn leftovers_go_and_what_is_being_written_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.csv");
    let leftover = ".kohort-tmp-1-0-out.csv";
    for name in [leftover, ".kohort-tmp-1-0-other.csv", ".kohort-tmp-mine-out.csv"] {
        fs::write(folder.path().join(name), "half").unwrap();
    }
    let first = staged(&path, "first");
    let second = staged(&path, "second");
    assert!(first.path().exists());
    let found = names(folder.path());
    assert_eq!(found.len(), 4, "{found:?}");
    assert!(!found.iter().any(|name| name == leftover));
    second.commit().unwrap();
    first.commit().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "first");
}

/// The variable that tells this test that it is the child, and which file to overwrite.
const TARGET: &str = "KOHORT_TEST_OVERWRITES";
const LENGTH: usize = 300_000;

// The test runs itself as the process that is killed.
#[test]
fn a_killed_process_leaves_one_of_the_complete_versions() {
    if let Some(target) = std::env::var_os(TARGET) {
        for letter in (b'a'..=b'z').cycle() {
            write_atomically(Path::new(&target), &mut |out| {
                // In pieces, so that it can be killed between two of them.
                (0..LENGTH / 1000).try_for_each(|_| out.write_all(&[letter; 1000]))
            })
            .unwrap();
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.csv");
    fs::write(&path, vec![b'-'; LENGTH]).unwrap();
    let (mut versions, mut n_leftovers) = (BTreeSet::new(), 0);
    for round in 0..30 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "staged::a_killed_process_leaves_one_of_the_complete_versions"])
            .env(TARGET, &path)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let before = fs::read(&path).unwrap();
        while fs::read(&path).unwrap() == before {
            assert!(child.try_wait().unwrap().is_none(), "the child has ended by itself");
            thread::yield_now();
        }
        thread::sleep(Duration::from_micros(round * 7919 % 5000));
        child.kill().unwrap();
        child.wait().unwrap();
        let found = fs::read(&path).unwrap();
        assert!(found.len() == LENGTH && found.iter().all(|byte| *byte == found[0]));
        versions.insert(found[0]);
        n_leftovers += names(folder.path()).len() - 1;
        // A leftover of a killed process is removed by the next that writes.
        assert!(names(folder.path()).len() <= 2);
    }
    assert!(versions.len() > 1, "no child has written more than once");
    assert!(n_leftovers > 0, "no child was killed while it wrote");
    write_atomically(&path, &mut |out| out.write_all(b"last")).unwrap();
    assert_eq!(names(folder.path()), ["out.csv"]);
}
