//! Several processes with one target: one after the other, or a clean refusal.

use std::process::{Command, Stdio};

use crate::harness::Folder;

#[test]
fn releases_of_two_files_to_one_target_at_once_leave_one_of_them() {
    let folder = Folder::new();
    assert_eq!(folder.run("demo --data hospital --rows 300 -o h.csv").code, 0);
    let files = || ["r.csv", "r.sensitive.csv"].map(|name| folder.text(name));
    folder.secret("secret.key", 7);
    let ask =
        |l: u32| format!("anonymize p{l}.toml -o r.csv --force --quiet --secret-file secret.key");
    let versions = [2, 3, 5].map(|l| {
        let plan = format!(
            "input = \"h.csv\"\n[attributes]\nage = \"quasi\"\ndisease = \"sensitive\"\n[goal]\n\
             frequency-l-diversity = {l}\n[method]\nalgorithm = \"anatomy\"\n"
        );
        folder.put(&format!("p{l}.toml"), &plan);
        assert_eq!(folder.run(&ask(l)).code, 0);
        (l, files())
    });
    let names = folder.names();
    for round in 0..20 {
        let ls = if round % 2 == 0 { &[2, 5][..] } else { &[5, 3, 2, 5] };
        let start = |&l: &u32| {
            let mut command = folder.command(&ask(l));
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
        };
        let children: Vec<_> = ls.iter().map(start).collect();
        for child in children {
            let output = child.wait_with_output().unwrap();
            let told = String::from_utf8(output.stderr).unwrap();
            let code = output.status.code();
            assert!(
                code == Some(0) || code == Some(2) && told.contains("another process"),
                "{told}"
            );
        }
        let found = files();
        let version = versions.iter().find(|(_, version)| *version == found);
        let (l, _) = version.unwrap_or_else(|| panic!("round {round}: files of two releases"));
        let verdict = folder.run(&format!("verify r.csv --plan p{l}.toml --original h.csv"));
        assert_eq!(verdict.code, 0, "{}", verdict.stderr);
        assert_eq!(folder.names(), names, "round {round}");
    }
}

#[test]
fn planted_pipes_and_files_neither_hang_nor_mislead_who_judges() {
    let folder = Folder::new();
    assert_eq!(folder.run("demo --data hospital --rows 300 -o h.csv").code, 0);
    let plan = "input = \"h.csv\"\n[attributes]\nage = \"quasi\"\ndisease = \"sensitive\"\n[goal]\n\
                frequency-l-diversity = 2\n[method]\nalgorithm = \"anatomy\"\n";
    folder.put("p.toml", plan);
    assert_eq!(folder.run("anonymize p.toml -o r.csv --quiet").code, 0);
    let digits = "0123456789abcdef0123456789abcdef";
    for pipe in [
        format!(".kohort-next-{digits}-{digits}-r.sensitive.csv"),
        ".kohort-next-00000000-0000000000000000-00000000-r.sensitive.csv".to_owned(),
        ".kohort-tmp-1-0-r.csv".to_owned(),
    ] {
        let made = Command::new("mkfifo").arg(folder.path(&pipe)).status().unwrap();
        assert!(made.success());
    }
    assert_eq!(folder.run("verify r.csv --plan p.toml --original h.csv").code, 0);
    assert_eq!(folder.run("anonymize p.toml -o r.csv --force --quiet").code, 0);
    std::fs::remove_file(folder.path("r.sensitive.csv")).unwrap();
    let values = folder.path("r.sensitive.csv");
    assert!(Command::new("mkfifo").arg(values).status().unwrap().success());
    for command in ["verify r.csv --plan p.toml", "attack r.csv --plan p.toml"] {
        let refused = folder.run(command);
        assert_eq!(refused.code, 2, "{command}");
        assert!(refused.stderr.contains("must be a regular file"), "{}", refused.stderr);
    }
}

#[test]
fn reports_are_for_their_owner_alone_and_releases_follow_the_umask() {
    use std::os::unix::fs::PermissionsExt;

    let folder = Folder::hospital();
    let program = env!("CARGO_BIN_EXE_kohort");
    let run = |words: &str| {
        let script = format!("umask 022; exec {program} {words} --quiet");
        let mut command = Command::new("sh");
        command.args(["-c", &script]).current_dir(folder.path(".")).stdout(Stdio::null());
        assert!(command.status().unwrap().code().is_some_and(|code| code < 2), "{words}");
    };
    run("anonymize plan.toml --k 2 -o r.csv --force --report release.html");
    run("diagnose plan.toml --report diagnosis.html");
    run("attack r.csv --plan plan.toml --original h.csv --report attack.html");
    let mode = |name: &str| folder.path(name).metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("r.csv"), 0o644);
    for report in ["release.html", "diagnosis.html", "attack.html"] {
        assert_eq!(mode(report), 0o600, "{report}");
    }
}
