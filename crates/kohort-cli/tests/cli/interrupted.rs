//! Signals: what is half-written goes, what was there stays.

use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::harness::Folder;

fn check(signal: &str, code: i32) {
    let folder = Folder::with(&[("people.csv", "before")]);
    // More rows than are made before the signal arrives.
    let mut command = folder.command("demo --data census --rows 100000000 -o people.csv --force");
    let mut child = command.stderr(Stdio::null()).spawn().expect("the program starts");
    while folder.names().len() < 2 {
        assert!(child.try_wait().expect("the child is there").is_none(), "it has ended by itself");
        thread::sleep(Duration::from_millis(1));
    }
    let kill = format!("kill -{signal} {}", child.id());
    let sent = Command::new("sh").args(["-c", &kill]).status().expect("a shell starts");
    assert!(sent.success());
    let status = child.wait().expect("the child ends");
    assert_eq!(status.code(), Some(code), "{signal}");
    assert_eq!(folder.names(), ["people.csv"]);
    assert_eq!(folder.text("people.csv").as_deref(), Some("before"));
}

#[test]
fn an_interrupted_command_leaves_nothing_behind() {
    check("INT", 130);
}

#[test]
fn a_terminated_command_leaves_nothing_behind() {
    check("TERM", 143);
}

#[test]
fn a_file_beyond_the_limit_of_the_process_leaves_nothing_behind() {
    let folder = Folder::with(&[("people.csv", "before")]);
    let program = env!("CARGO_BIN_EXE_kohort");
    let limited = format!(
        "ulimit -f 64; exec {program} demo --data census --rows 100000 -o people.csv --force"
    );
    let output = Command::new("bash")
        .args(["-c", &limited])
        .current_dir(folder.path("."))
        .output()
        .expect("a shell starts");
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("people.csv: cannot be written"), "{told}");
    assert_eq!(folder.names(), ["people.csv"]);
    assert_eq!(folder.text("people.csv").as_deref(), Some("before"));
}

/// Who may have no further process is not limited where he is root: then nobody asks in his place.
#[test]
#[cfg(target_os = "linux")]
fn a_user_who_may_have_no_further_thread_gets_the_same_answer() {
    let ask = ["diagnose", "-", "--quasi", "age", "--k", "2", "--quiet"];
    let table = "age\n1\n1\n2\n2\n";
    let answer = |runner: &[&str]| {
        let words: Vec<&str> = [runner, &[env!("CARGO_BIN_EXE_kohort")], &ask].concat();
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let mut stdin = child.stdin.take().expect("it is piped");
        stdin.write_all(table.as_bytes()).expect("the program reads");
        drop(stdin);
        let output = child.wait_with_output().expect("the child ends");
        (output.status.code(), String::from_utf8(output.stdout).expect("a text"))
    };
    let unlimited = answer(&["env"]);
    assert_eq!(unlimited.0, Some(0), "{}", unlimited.1);
    let id = Command::new("id").arg("-u").output().expect("there is an id");
    let nobody = ["setpriv", "--reuid=65534", "--clear-groups"];
    let nobody = if id.stdout == b"0\n" { &nobody[..] } else { &[] };
    for most in ["--nproc=1", "--nproc=2", "--nproc=3"] {
        assert_eq!(answer(&[nobody, &["prlimit", most]].concat()), unlimited, "{most}");
    }
}
