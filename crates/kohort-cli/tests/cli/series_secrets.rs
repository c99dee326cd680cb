//! What opens a ledger: passphrases from files, the environment and a terminal; another secret.

use crate::harness::Folder;
use crate::series::{DISEASES, KEY, folder, people, publish};

const PASSPHRASE: &str = "correct horse battery";
const VARIABLE: &str = "KOHORT_LEDGER_PASSPHRASE";

/// How a command ends that finds a passphrase in the environment.
fn with_variable(folder: &Folder, words: &str, passphrase: &str) -> Option<i32> {
    let mut command = folder.command(words);
    let output = command.env(VARIABLE, passphrase).output().expect("the program ends");
    output.status.code()
}

#[test]
fn a_passphrase_in_a_file_is_the_one_in_the_environment() {
    let folder = folder()
        .and("1.csv", people(0..20, &DISEASES))
        .and("pass", format!("{PASSPHRASE}\nnot this line\n"))
        .and("short", "1234567\n");
    folder.json("publish plan.toml --input 1.csv --m 2 --passphrase-file pass");
    assert_eq!(with_variable(&folder, "series check", PASSPHRASE), Some(0));
    assert_eq!(with_variable(&folder, "series check", "another passphrase"), Some(2));
    let text = folder.refused("series check --passphrase-file short");
    assert!(text.contains("`passphrase` must have at least 8 characters, but has 7"), "{text}");
}

#[test]
fn another_secret_opens_the_ledger_and_the_one_before_does_not() {
    let folder = folder().and("1.csv", people(0..20, &DISEASES)).and("pass", PASSPHRASE);
    publish(&folder, "1.csv", "--m 2");
    let text = folder.refused(&format!("series rekey {KEY}"));
    assert!(text.contains("no new passphrase or key is given for the ledger"), "{text}");
    let told = folder.json(&format!("series rekey {KEY} --new-passphrase-file pass"));
    assert_eq!(told["rekeyed"], true);
    let text = folder.refused(&format!("series check {KEY}"));
    assert!(text.contains("does not open the ledger"), "{text}");
    let uses = folder.run("series history --passphrase-file pass");
    assert!(uses.stdout.contains("replaced the secret: done"), "{uses}");
    folder.json("series rekey --passphrase-file pass --new-key-file ledger.key");
    assert_eq!(folder.run(&format!("series check {KEY}")).code, 0);
}

#[test]
fn everything_is_sealed_anew_and_the_series_goes_on() {
    let folder = folder()
        .and("1.csv", people(0..20, &DISEASES))
        .and("2.csv", people(5..25, &DISEASES))
        .and("pass", PASSPHRASE);
    let first = publish(&folder, "1.csv", "--m 2");
    let rekeyed = folder.json(&format!("series rekey {KEY} --reseal --new-passphrase-file pass"));
    assert_eq!((&rekeyed["rekeyed"], &rekeyed["resealed"]), (&true.into(), &true.into()));
    let second = folder.json("publish plan.toml --input 2.csv --m 2 --passphrase-file pass");
    assert_eq!(second["release"], 2);
    let head = first["head"].as_str().expect("a hash");
    let checked = folder.run(&format!("series check --passphrase-file pass --head {head}"));
    assert_eq!(checked.code, 0, "{checked}");
}

#[cfg(unix)]
#[test]
fn a_secret_that_others_may_read_a_device_and_a_key_of_zeros_are_refused() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder().and("1.csv", people(0..20, &DISEASES)).and("zeros.key", [0; 32]);
    publish(&folder, "1.csv", "--m 2");
    let refuses = |words: &str, expected: &str| {
        let text = folder.refused(words);
        assert!(text.contains(expected), "{text}");
    };
    refuses("series check --key-file zeros.key", "has nothing but zeros");
    refuses("series check --key-file /dev/zero", "must be a regular file");
    let open = PermissionsExt::from_mode(0o640);
    std::fs::set_permissions(folder.path("ledger.key"), open).expect("it is ours");
    let expected =
        "ledger.key: only its owner may read a file that holds a secret, but its mode is 640";
    refuses(&format!("series check {KEY}"), expected);
    refuses("series check --passphrase-file ledger.key", expected);
}

#[cfg(unix)]
#[test]
fn what_is_planted_beside_a_ledger_or_in_its_place_is_neither_used_nor_waited_for() {
    let folder = folder().and("1.csv", people(0..20, &DISEASES));
    publish(&folder, "1.csv", "--m 2");
    let refuses = |ledger: &str, expected: &str| {
        let text = folder.refused(&format!("series list {KEY} --ledger {ledger}"));
        assert!(text.contains(expected), "{text}");
    };
    let pipe = |name: &str| {
        let made = std::process::Command::new("mkfifo").arg(folder.path(name)).status();
        assert!(made.expect("there is mkfifo").success());
    };
    for suffix in ["-journal", "-wal"] {
        let name = format!("kohort.ledger{suffix}");
        let expected = format!("with its name and `{suffix}` is not one of its journals");
        pipe(&name);
        refuses("kohort.ledger", &expected);
        std::fs::remove_file(folder.path(&name)).expect("it is there still");
    }
    std::os::unix::fs::symlink("1.csv", folder.path("kohort.ledger-journal")).expect("it is ours");
    refuses("kohort.ledger", "is not one of its journals");
    std::fs::remove_file(folder.path("kohort.ledger-journal")).expect("it is there still");
    folder.put("kohort.ledger-wal", "pages of somebody");
    refuses("kohort.ledger", "is not one of its journals");
    std::fs::remove_file(folder.path("kohort.ledger-wal")).expect("it is there still");
    pipe("pipe");
    refuses("pipe", "the ledger must be a regular file");
    assert_eq!(folder.run(&format!("series check {KEY}")).code, 0);
}

#[cfg(unix)]
#[test]
fn others_may_not_write_to_the_folder_of_a_release_or_a_ledger() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder().and("1.csv", people(0..20, &DISEASES)).and("out/x", "");
    let mode = |mode| {
        let mode = PermissionsExt::from_mode(mode);
        std::fs::set_permissions(folder.path("out"), mode).expect("it is ours");
    };
    let ask = format!("publish plan.toml --input 1.csv --m 2 {KEY}");
    let publish = format!("{ask} -o out/r.csv");
    let anonymize = "anonymize 1.csv --quasi age,zip --identifier patient --sensitive disease --k 2 \
                     -o out/a.csv";
    for words in [&*publish, anonymize, &format!("{ask} --ledger out/l")] {
        for open in [0o777, 0o1777] {
            mode(open);
            let text = folder.refused(words);
            assert!(
                text.contains("others may write to") && text.contains("--trust-folder"),
                "{text}"
            );
        }
    }
    mode(0o770);
    let by_group = folder.run(anonymize);
    assert!(by_group.code == 0 && by_group.stderr.contains("may write to it"), "{by_group}");
    mode(0o777);
    let trusted = folder.run(&format!("{publish} --trust-folder"));
    assert!(trusted.code == 0 && !trusted.stderr.contains("may write to"), "{trusted}");
}

#[cfg(unix)]
#[test]
fn the_head_is_kept_for_its_owner_alone_and_where_none_is_known_it_is_said() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder().and("1.csv", people(0..20, &DISEASES));
    let mut command = std::process::Command::new("sh");
    let program =
        folder.command(&format!("publish plan.toml --input 1.csv --m 2 {KEY} --head kept"));
    let words: Vec<_> = program.get_args().collect();
    command
        .arg("-c")
        .arg("umask Zare Mirakabad 2010; exec \"$0\" \"$@\"")
        .arg(program.get_program())
        .args(words);
    command.current_dir(folder.path("."));
    assert!(command.status().expect("it ends").success());
    for name in ["kept", "kohort.ledger"] {
        let found = std::fs::metadata(folder.path(name)).expect("it was made");
        assert_eq!(found.permissions().mode() & 0o777, 0o600, "{name}");
    }
    let checked = folder.run(&format!("series check {KEY} --head kept"));
    assert!(checked.code == 0 && !checked.stderr.contains("no head"), "{checked}");
    let elsewhere = folder.run(&format!("series check {KEY}"));
    assert!(
        elsewhere.stderr.contains("an older copy put in its place would not be noticed"),
        "{elsewhere}"
    );
    let text = folder.refused(&format!("series check {KEY} --head typo"));
    assert!(text.contains("typo: neither a file nor a head"), "{text}");
}

#[test]
fn whom_to_forget_is_read_from_a_file_or_a_pipe() {
    let folder = folder().and("1.csv", people(0..20, &DISEASES)).and("whom", "p001\n");
    publish(&folder, "1.csv", "--m 2");
    let forget = format!("series forget stays {KEY}");
    assert_eq!(folder.pipe(&format!("{forget} --person-file -"), "p000\n").code, 0);
    assert_eq!(folder.run(&format!("{forget} --person-file whom")).code, 0);
    let again = folder.pipe(&format!("{forget} --person-file -"), "p000\n");
    assert!(again.code == 2 && again.stderr.contains("no such person"), "{again}");
    let nobody = folder.pipe(&format!("{forget} --person-file -"), "");
    assert!(nobody.code == 2 && nobody.stderr.contains("but is empty"), "{nobody}");
    assert_eq!(folder.run(&forget).code, 2);
    assert_eq!(folder.json(&format!("series check stays {KEY}"))[0]["forgotten"], 2);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test puts an older copy back")]
fn an_older_copy_of_the_ledger_is_found_by_the_head_that_was_kept() {
    let folder = folder()
        .and("1.csv", people(0..20, &DISEASES))
        .and("2.csv", people(5..25, &DISEASES))
        .and("3.csv", people(0..25, &DISEASES));
    publish(&folder, "1.csv", "--m 2");
    let path = folder.path("kohort.ledger");
    let old = std::fs::read(&path).expect("it is there");
    let second = publish(&folder, "2.csv", "--m 2");
    assert_eq!(second["previous_entry"].as_str().map(str::len), Some(64));
    let new = std::fs::read(&path).expect("it is there");
    std::fs::write(&path, &old).expect("it is ours");
    // By default, from the user's own folder.
    let publish_next = format!("publish plan.toml --input 3.csv --m 2 {KEY} -o next.csv");
    let text = folder.says_no(&publish_next, &[]);
    assert!(text.contains("kohort.ledger is an older copy of the ledger"), "{text}");
    assert!(text.contains("are not in it"), "{text}");
    let checked = folder.run(&format!("series check {KEY}"));
    assert!(checked.code == 1 && checked.stdout.contains("never been at the head"), "{checked}");
    let listed = folder.run(&format!("series list {KEY}"));
    assert!(listed.code == 0 && listed.stderr.contains("is an older copy"), "{listed}");
    // From a file that the user names, which is kept up to date.
    std::fs::write(&path, &new).expect("it is ours");
    let with_file = format!("{publish_next} --head kept");
    assert_eq!(folder.run(&with_file).code, 0);
    let kept = folder.text("kept").expect("it was written");
    assert_eq!(kept.trim().len(), 64);
    std::fs::write(&path, &new).expect("it is ours");
    assert_eq!(folder.run(&format!("series check {KEY} --head kept")).code, 1);
    folder.put("kept", "no head");
    let text = folder.refused(&format!("series check {KEY} --head kept"));
    assert!(text.contains("kept: must hold the head of a ledger"), "{text}");
}

#[cfg(target_os = "linux")]
mod on_a_terminal {
    use std::fs::File;
    use std::io::{Read, Write};
    use std::process::Stdio;
    use std::sync::{Arc, Mutex};
    use std::thread;
    use std::time::Duration;

    use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer, openpt, unlockpt};
    use rustix::termios::{LocalModes, tcgetattr};

    use super::{DISEASES, PASSPHRASE, folder, people, with_variable};
    use crate::harness::Folder;

    /// Runs a command on a terminal, types a line after each question once what is typed is not shown, and
    /// gives the exit code and what the terminal shows.
    fn typed(folder: &Folder, words: &str, lines: &[&str]) -> (Option<i32>, String) {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY;
        let terminal = openpt(flags).expect("there are terminals");
        unlockpt(&terminal).expect("it is ours");
        let inside = ioctl_tiocgptpeer(&terminal, flags).expect("it has another side");
        let mut command = folder.command(words);
        command.stdin(inside.try_clone().expect("it can be shared")).stdout(Stdio::null());
        let mut child = command.stderr(inside).spawn().expect("the program starts");
        // The other side is held by the child alone: reading ends when it does.
        drop(command);
        let mut terminal = File::from(terminal);
        let mut reader = terminal.try_clone().expect("it can be shared");
        let shown = Arc::new(Mutex::new(String::new()));
        let reading = Arc::clone(&shown);
        let reading = thread::spawn(move || {
            let mut buffer = [0; 512];
            while let Ok(n @ 1..) = reader.read(&mut buffer) {
                let text = String::from_utf8_lossy(&buffer[..n]).into_owned();
                reading.lock().expect("nobody panics").push_str(&text);
            }
        });
        for (before, line) in lines.iter().enumerate() {
            let is_asked = || {
                let n_questions = shown.lock().expect("nobody panics").matches(": ").count();
                let modes = tcgetattr(&terminal).expect("it is a terminal").local_modes;
                n_questions > before && !modes.contains(LocalModes::ECHO)
            };
            while !is_asked() && child.try_wait().expect("it is ours").is_none() {
                thread::sleep(Duration::from_millis(5));
            }
            terminal.write_all(format!("{line}\n").as_bytes()).expect("it can be typed");
        }
        let code = child.wait().expect("it ends").code();
        reading.join().expect("it ends with the program");
        let shown = shown.lock().expect("nobody panics").clone();
        (code, shown)
    }

    #[test]
    fn a_passphrase_is_asked_for_twice_and_not_shown() {
        let folder = folder().and("1.csv", people(0..20, &DISEASES));
        let ask = "publish plan.toml --input 1.csv --m 2 --quiet";
        let (code, shown) = typed(&folder, ask, &[PASSPHRASE, "correct horse buttery"]);
        assert_eq!(code, Some(2), "{shown}");
        assert!(shown.contains("the two passphrases differ"), "{shown}");
        assert!(folder.text("release-1.csv").is_none());
        let (code, shown) = typed(&folder, ask, &[PASSPHRASE, PASSPHRASE]);
        assert_eq!(code, Some(0), "{shown}");
        assert!(shown.contains("Passphrase of the ledger: "), "{shown}");
        assert!(shown.contains("The same again: ") && !shown.contains(PASSPHRASE), "{shown}");
        assert_eq!(with_variable(&folder, "series check", PASSPHRASE), Some(0));
        // One that is there is asked for once.
        let (code, shown) = typed(&folder, "series check", &[PASSPHRASE]);
        assert_eq!((code, shown.contains("The same again")), (Some(0), false), "{shown}");
    }
}
