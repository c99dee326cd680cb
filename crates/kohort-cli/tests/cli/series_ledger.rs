//! The ledger's file: what was deleted from it, one without bytes, one that may not be read, and the log of
//! what was asked for and is not there.

use rusqlite::Connection;

use crate::series::{DISEASES, KEY, folder, number, people, publish};

#[test]
fn a_series_that_was_deleted_is_a_break_and_does_not_begin_again() {
    let folder = folder().and("1.csv", people(0..20, &DISEASES));
    publish(&folder, "1.csv", "--m 2");
    publish(&folder, "1.csv", "--m 2");
    publish(&folder, "1.csv", "--m 2 --series other -o other.csv");
    let ledger = Connection::open(folder.path("kohort.ledger")).expect("it is a database");
    for table in ["series", "entry", "member", "class", "state", "person"] {
        ledger.execute(&format!("DELETE FROM {table} WHERE series = 1"), []).expect("it has rows");
    }
    drop(ledger);
    let gone = "stays: BROKEN at the entry of release 1: series `stays` is gone: the log names its 2 entries";
    for ask in ["series check", "series check stays"] {
        let output = folder.run(&format!("{ask} {KEY}"));
        assert!(output.code == 1 && output.stdout.contains(gone), "{output}");
    }
    let answer = folder.json(&format!("series check {KEY}"));
    assert_eq!((&answer[0]["holds"], &answer[1]["holds"]), (&false.into(), &false.into()));
    assert_eq!(number(&answer[1], "broken_release"), 1);
    // The rows of the other are as they were; the file is not.
    let other = &answer[0];
    assert!(other.get("broken_release").is_none_or(serde_json::Value::is_null), "{other}");
    assert!(other["broken"].to_string().contains("of the file"), "{other}");
    let text = folder.refused(&format!("publish plan.toml --input 1.csv {KEY} --m 2"));
    assert!(text.contains("series `stays` is gone") && text.contains("hint: "), "{text}");
    let history = folder.run(&format!("series history {KEY}")).stdout;
    assert!(history.contains("gave up a release of `stays`: the ledger was altered"), "{history}");
}

#[test]
fn a_ledger_without_bytes_is_refused_and_stays_what_it_is() {
    let folder = folder().and("1.csv", people(0..20, &DISEASES)).and("kohort.ledger", "");
    for ask in ["publish plan.toml --input 1.csv --m 2", "series list", "series check"] {
        let text = folder.refused(&format!("{ask} {KEY}"));
        assert!(text.contains("the ledger is a file of 0 bytes"), "{text}");
        assert!(text.contains("restore the ledger from its newest copy"), "{text}");
        assert!(text.contains("does not protect people against them"), "{text}");
        assert_eq!(folder.text("kohort.ledger").as_deref(), Some(""));
    }
    std::fs::remove_file(folder.path("kohort.ledger")).expect("it is ours");
    assert_eq!(number(&publish(&folder, "1.csv", "--m 2"), "release"), 1);
}

#[test]
fn what_fails_is_in_the_history() {
    let folder = folder().and("1.csv", people(0..20, &DISEASES));
    publish(&folder, "1.csv", "--m 2");
    folder.refused(&format!("series forget stays --person nobody {KEY}"));
    folder.refused(&format!("series show others {KEY}"));
    folder.refused(&format!("publish plan.toml --input 1.csv {KEY}"));
    let history = folder.run(&format!("series history {KEY}")).stdout;
    for told in [
        "read whom to forget of `stays`: series `stays` has no such person",
        "of `others`: no series `others` in the ledger",
        "gave up a release of `stays`: `m-invariance` needs `m`",
    ] {
        assert!(history.contains(told), "{told}\n{history}");
    }
    assert!(!history.contains("nobody"), "{history}");
    assert_eq!(folder.run(&format!("series check {KEY}")).code, 0);
}

#[cfg(unix)]
#[test]
fn a_ledger_that_may_not_be_read_says_so() {
    use std::fs::{OpenOptions, Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;

    let folder = folder().and("1.csv", people(0..20, &DISEASES));
    publish(&folder, "1.csv", "--m 2");
    let (ledger, key) = (folder.path("kohort.ledger"), folder.path("ledger.key"));
    for (path, mode) in [(&ledger, 0o000), (&folder.path("."), 0o755)] {
        set_permissions(path, Permissions::from_mode(mode)).expect("it is ours");
    }
    let mut command = folder.command(&format!("series list {KEY}"));
    // Nothing is forbidden to root: then somebody else asks.
    if OpenOptions::new().read(true).open(&ledger).is_ok() {
        command.uid(65_534).gid(65_534);
        std::os::unix::fs::chown(&key, Some(65_534), Some(65_534)).expect("it is ours");
    }
    let output = command.output().expect("the program starts");
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("error: the ledger may not be opened"), "{text}");
    assert!(text.contains("Permission denied"), "{text}");
    assert!(text.contains("check the permissions of the file and its folder"), "{text}");
}

#[test]
fn a_key_that_is_no_identifier_leads_to_the_flag() {
    let folder = folder().and("1.csv", people(0..20, &DISEASES));
    let text = folder.refused(&format!(
        "publish 1.csv --series s --key age --quasi age --sensitive disease --m 2 --quiet {KEY}"
    ));
    assert!(text.contains("say `--identifier age`, or"), "{text}");
}
