//! A process that ends in the middle: the release that was there stays, or the whole other one is there.

use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::harness::Folder;

const ASK: &str = "anonymize plan.toml --algorithm mondrian --k 5 -o r.csv --force --quiet";

/// A folder with a large table, and what a release of it is.
fn census() -> (Folder, String) {
    let folder = Folder::new();
    assert_eq!(folder.run("demo --data census --rows 20000 -o c.csv").code, 0);
    assert_eq!(folder.run(ASK).code, 0);
    let whole = folder.text("r.csv").expect("it was written");
    (folder, whole)
}

/// Sends a signal after a number of milliseconds, if the program has not ended before.
fn send(folder: &Folder, signal: &str, after: u64) {
    let mut command = folder.command(ASK);
    let mut child = command.stdout(Stdio::null()).spawn().expect("the program starts");
    thread::sleep(Duration::from_millis(after));
    let kill = format!("kill -{signal} {} 2> /dev/null", child.id());
    let _ = Command::new("sh").args(["-c", &kill]).status().expect("a shell starts");
    child.wait().expect("the child ends");
}

#[expect(clippy::disallowed_methods, reason = "the moments are spread over a whole run")]
fn check(signal: &str, n_times: u64, is_clean: bool) {
    let (folder, whole) = census();
    let started = Instant::now();
    assert_eq!(folder.run(ASK).code, 0);
    let milliseconds = u64::try_from(started.elapsed().as_millis()).unwrap_or(1000);
    let names = folder.names();
    for time in 0..n_times {
        folder.put("r.csv", "before");
        // The second half is where files are written and judged.
        send(&folder, signal, milliseconds * (n_times + time) / (2 * n_times));
        let found = folder.text("r.csv").expect("a file is there");
        assert!(found == "before" || found == whole, "{signal}: {} bytes", found.len());
        if is_clean {
            assert_eq!(folder.names(), names, "{signal}");
        }
    }
    // What a killed process leaves behind goes with the next release.
    assert_eq!(folder.run(ASK).code, 0);
    assert_eq!(folder.names(), names);
}

#[test]
fn a_killed_command_leaves_no_half_release() {
    check("KILL", 6, false);
}

#[test]
fn a_terminated_command_leaves_no_half_release_and_no_other_file() {
    check("TERM", 6, true);
}

#[test]
fn a_command_killed_between_two_files_leaves_one_release() {
    let folder = Folder::new();
    assert_eq!(folder.run("demo --data hospital --rows 300 -o h.csv").code, 0);
    let plan = "input = \"h.csv\"\n[attributes]\nage = \"quasi\"\ndisease = \"sensitive\"\n[goal]\n\
                frequency-l-diversity = 2\n[method]\nalgorithm = \"anatomy\"\n";
    folder.put("p.toml", plan);
    let ask = |seed: u64| format!("anonymize p.toml --seed {seed} -o r.csv --force --quiet");
    let files = || ["r.csv", "r.sensitive.csv"].map(|name| folder.text(name));
    let versions = [1, 2].map(|seed| {
        assert_eq!(folder.run(&ask(seed)).code, 0);
        files()
    });
    assert!(versions[0][0] != versions[1][0] && versions[0][1] != versions[1][1]);
    let names = folder.names();
    let mut n_between = 0;
    let mut n_refused = 0;
    let moments = [".kohort-next-", ".kohort-last-", ".kohort-last-"];
    for (seed, moment) in [1, 2].repeat(12).into_iter().zip(moments.into_iter().cycle()) {
        let mut child = folder.command(&ask(seed)).stdout(Stdio::null()).spawn().unwrap();
        let is_between = || folder.names().iter().any(|name| name.starts_with(moment));
        while !is_between() && child.try_wait().unwrap().is_none() {
            thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        n_between += u32::from(is_between());
        // Who judges changes nothing: files of two versions are refused, not put right.
        let (before, found) = (folder.names(), files());
        let verdict = folder.run("verify r.csv --plan p.toml --original h.csv");
        assert_eq!((folder.names(), files()), (before, found.clone()));
        match verdict.code {
            0 => assert!(versions.contains(&found), "two versions"),
            2 => assert!(verdict.stderr.contains("was interrupted"), "{}", verdict.stderr),
            code => panic!("verify ended with {code}"),
        }
        n_refused += u32::from(verdict.code == 2);
    }
    assert!(n_between > 0, "no command was killed between the two files");
    assert!(n_refused > 0, "no release was left incomplete");
    assert_eq!(folder.run(&ask(1)).code, 0);
    assert_eq!(folder.names(), names);
}
