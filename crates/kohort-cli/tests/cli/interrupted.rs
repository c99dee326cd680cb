//! Signals: what is half-written goes, what was there stays.

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
