//! Runs the program in a folder of its own, and looks at everything it leaves.

use std::fmt;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// What the cells of test tables hold: no output may show it unless `--show-values` asks for it.
pub(crate) const SECRET: &str = "SECRETCELL";

/// A folder of its own for a test; commands run inside it, so that no message has an absolute path.
pub(crate) struct Folder {
    home: TempDir,
    // What the program keeps of a user outside of it.
    state: TempDir,
}

impl Folder {
    pub(crate) fn new() -> Self {
        let folder = || TempDir::new().expect("a temporary folder can be made");
        Self { home: folder(), state: folder() }
    }

    /// A folder with these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        files.iter().fold(Self::new(), |folder, (name, text)| folder.and(name, text))
    }

    /// A folder with a made-up hospital: `h.csv` of 80 rows, its taxonomies, and `plan.toml`.
    pub(crate) fn hospital() -> Self {
        let folder = Self::new();
        assert_eq!(folder.run("demo --data hospital --rows 80 -o h.csv").code, 0);
        folder
    }

    /// The same folder with one more file.
    pub(crate) fn and(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        self.put(name, content);
        self
    }

    /// Puts a file into the folder, in the place of one of the same name.
    #[expect(clippy::disallowed_methods, reason = "a test writes its own input")]
    pub(crate) fn put(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        let parent = path.parent().expect("a file is in a folder");
        std::fs::create_dir_all(parent).expect("a folder can be made");
        std::fs::write(&path, content).expect("a file can be written");
        // As a careful user keeps them: a key that others may read is refused.
        #[cfg(unix)]
        {
            let own = std::os::unix::fs::PermissionsExt::from_mode(0o600);
            std::fs::set_permissions(path, own).expect("it is ours");
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// The text of a file, and nothing if there is none.
    #[expect(clippy::disallowed_methods, reason = "a test reads what was written")]
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.path(name)).ok()
    }

    /// The names of the files and folders in the folder, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = self.home.path().read_dir().expect("the folder can be listed");
        let name = |entry: std::io::Result<std::fs::DirEntry>| {
            entry.expect("an entry can be read").file_name().to_string_lossy().into_owned()
        };
        let mut names: Vec<String> = entries.map(name).collect();
        names.sort();
        names
    }

    /// Puts a secret file into the folder; the same number makes the same one.
    pub(crate) fn secret(&self, name: &str, number: u8) {
        self.put(name, (0..32).map(|i: u8| i.wrapping_mul(17) ^ number).collect::<Vec<u8>>());
    }

    /// The program, about to run with these words as its arguments.
    pub(crate) fn command(&self, words: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kohort"));
        command.current_dir(self.home.path()).args(words.split_whitespace());
        command.env("NO_COLOR", "1").env("COLUMNS", "100").env_remove("RUST_BACKTRACE");
        // Heads of ledgers are kept outside of the folder, as they are for a user.
        command.env("XDG_STATE_HOME", self.state.path());
        command
    }

    /// Runs the program with these words as its arguments.
    pub(crate) fn run(&self, words: &str) -> Output {
        finish(self.command(words), b"")
    }

    /// Runs the program with more arguments, which may hold spaces.
    pub(crate) fn run_with(&self, words: &str, more: &[&str]) -> Output {
        let mut command = self.command(words);
        command.args(more);
        finish(command, b"")
    }

    /// Runs the program with this on its standard input.
    pub(crate) fn pipe(&self, words: &str, input: &str) -> Output {
        finish(self.command(words), input.as_bytes())
    }

    /// Runs the program and reads its answer as JSON. The exit code is 0, or 1 for a no.
    pub(crate) fn json(&self, words: &str) -> Value {
        let output = self.run(&format!("{words} --format json"));
        assert!(output.code < 2, "{words}\n{output}");
        output.json()
    }

    /// Runs the program, which must answer no: exit code 1, nothing on standard output, nothing new in
    /// the folder. Gives what it says.
    pub(crate) fn says_no(&self, words: &str, more: &[&str]) -> String {
        let before = self.names();
        let output = self.run_with(words, more);
        assert_eq!((output.code, output.stdout.as_str()), (1, ""), "{words}\n{output}");
        assert_eq!(self.names(), before, "{words}: a no leaves no file");
        output.stderr
    }

    /// Runs the program, which must refuse: exit code 2, nothing on standard output, nothing new in
    /// the folder. Gives what it says.
    pub(crate) fn refused(&self, words: &str) -> String {
        let before = self.names();
        let output = self.run(words);
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{words}\n{output}");
        assert!(output.stderr.starts_with("error: "), "{words}\n{output}");
        assert_eq!(self.names(), before, "{words}: a refusal leaves no file");
        output.stderr
    }
}

/// How a run ended.
pub(crate) struct Output {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Output {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).expect("standard output is JSON")
    }
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "exit {}", self.code)?;
        for (name, text) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !text.is_empty() {
                write!(f, "--- {name}\n{text}")?;
            }
        }
        Ok(())
    }
}

fn finish(mut command: Command, input: &[u8]) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    // A program that reads no input closes it early.
    let _ = child.stdin.take().expect("it is piped").write_all(input);
    let found = child.wait_with_output().expect("the program ends");
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    let (stdout, stderr) = (text(found.stdout), text(found.stderr));
    let code = found.status.code().expect("no signal ends the program");
    let output = Output { code, stdout, stderr };
    assert!(!output.stderr.contains("panicked"), "{command:?}\n{output}");
    if !command.get_args().any(|arg| arg == "--show-values") {
        let shows = output.stdout.contains(SECRET) || output.stderr.contains(SECRET);
        assert!(!shows, "{command:?} shows a cell\n{output}");
    }
    output
}
