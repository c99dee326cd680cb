//! A PostgreSQL of our own: a cluster in a temporary folder, reached by a socket in it, gone after.

pub(crate) mod compare;

use std::env;
use std::fmt::Write;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::thread::sleep;
use std::time::Duration;

use tempfile::TempDir;

/// What separates results, rows and fields in the output of `psql`.
const RESULT: char = '\u{1d}';
const ROW: char = '\u{1e}';
const FIELD: char = '\u{1f}';

/// A running server, stopped and removed when dropped.
pub(crate) struct Postgres {
    server: Mutex<Child>,
    folder: TempDir,
}

/// What a statement gave: the columns' names, and the rows. NULL is `None`.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Vec<Option<String>>>,
}

impl Postgres {
    /// Makes a cluster and waits until it answers.
    pub(crate) fn start() -> Self {
        let folder = tempfile::Builder::new().prefix("kohort-postgres-").tempdir().unwrap();
        let user = other_user();
        if let Some(user) = &user {
            let given = Command::new("chown").arg(user).arg(folder.path()).status().unwrap();
            assert!(given.success(), "the cluster's folder must belong to `{user}`");
        }
        let data = folder.path().join("data");
        let made = run_as(user.as_deref(), &binary("initdb"))
            .args(["--auth=trust", "--username=kohort", "--encoding=UTF8", "--locale=C"])
            .args(["--no-sync", "--pgdata"])
            .arg(&data)
            .current_dir("/")
            .output()
            .unwrap();
        assert!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
        let server = Mutex::new(server(folder.path()));
        let postgres = Self { server, folder };
        postgres.wait();
        postgres
    }

    /// Ends the server at once, as a failure of its machine does, and starts it again.
    pub(crate) fn restart(&self) {
        let mut child = self.server.lock().unwrap();
        let _ = Command::new("kill").args(["-QUIT", &child.id().to_string()]).status();
        let _ = child.wait();
        *child = server(self.folder.path());
        drop(child);
        self.wait();
    }

    /// The socket on which the server listens.
    pub(crate) fn socket(&self) -> PathBuf {
        self.folder.path().join(".s.PGSQL.5432")
    }

    fn wait(&self) {
        let answers = || {
            let ready = self.psql().args(["-c", "SELECT 1"]).output().unwrap();
            ready.status.success() || {
                sleep(Duration::from_millis(100));
                false
            }
        };
        assert!((0..300).any(|_| answers()), "PostgreSQL must answer within half a minute");
    }

    /// The address of the server's own database, as somebody.
    pub(crate) fn address(&self, user: &str) -> String {
        format!("postgres://{user}@/postgres?host={}", self.folder.path().display())
    }

    /// Lets somebody in with a password alone.
    pub(crate) fn ask_for_password(&self, user: &str, password: &str) {
        let rules = self.folder.path().join("data/pg_hba.conf");
        let old = std::fs::read_to_string(&rules).unwrap();
        std::fs::write(&rules, format!("local all {user} scram-sha-256\n{old}")).unwrap();
        let role = format!("CREATE ROLE {user} LOGIN PASSWORD '{password}';");
        self.run(&role, &["SELECT pg_reload_conf();"]);
    }

    fn psql(&self) -> Command {
        let mut psql = Command::new(binary("psql"));
        psql.args(["-X", "-q", "-A", "-U", "kohort", "-d", "postgres", "-h"])
            .arg(self.folder.path())
            .args(["-v", "ON_ERROR_STOP=1", "-P", "footer=off", "-P", "null=\\N"])
            .args(["-F", &FIELD.to_string(), "-R", &ROW.to_string()]);
        psql
    }

    /// Runs statements that give nothing, then statements that each give rows.
    pub(crate) fn run(&self, setup: &str, statements: &[&str]) -> Vec<Rows> {
        let mut psql = self.psql();
        psql.args(["-f", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut psql = psql.spawn().unwrap();
        let mut script = setup.to_owned();
        for statement in statements {
            let _ = writeln!(script, "{statement}\n\\echo {RESULT}");
        }
        // Written aside, so that a full pipe on one side cannot stop the other.
        let mut input = psql.stdin.take().unwrap();
        let writer = std::thread::spawn(move || {
            let _ = input.write_all(script.as_bytes());
        });
        let output = psql.wait_with_output().unwrap();
        writer.join().unwrap();
        assert!(output.status.success(), "psql: {}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        let mut results: Vec<&str> = text.split(&format!("{RESULT}\n")).collect();
        assert_eq!(results.pop(), Some(""));
        assert_eq!(results.len(), statements.len());
        results.into_iter().map(rows).collect()
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let mut server = self.server.lock().unwrap();
        let _ = Command::new("kill").args(["-QUIT", &server.id().to_string()]).status();
        let _ = server.wait();
    }
}

/// Starts the server of the cluster in a folder.
fn server(folder: &Path) -> Child {
    run_as(other_user().as_deref(), &binary("postgres"))
        .arg("-D")
        .arg(folder.join("data"))
        .arg("-k")
        .arg(folder)
        .args(["-c", "listen_addresses=", "-c", "fsync=off"])
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn rows(text: &str) -> Rows {
    let mut lines = text.trim_end_matches('\n').split(ROW).map(|line| line.split(FIELD));
    let columns = lines.next().unwrap().map(str::to_owned).collect();
    let cell = |text: &str| (text != "\\N").then(|| text.to_owned());
    Rows { columns, rows: lines.map(|line| line.map(cell).collect()).collect() }
}

/// PostgreSQL does not run as root; its own user does for root.
fn other_user() -> Option<String> {
    let id = |args: &[&str]| Command::new("id").args(args).output().unwrap();
    if id(&["-u"]).stdout.trim_ascii() != b"0" {
        return None;
    }
    let user = if id(&["-u", "postgres"]).status.success() { "postgres" } else { "nobody" };
    Some(user.to_owned())
}

/// A command that ends with this thread, even when the test is killed.
fn run_as(user: Option<&str>, program: &Path) -> Command {
    let mut command = Command::new("setpriv");
    if let Some(user) = user {
        command.args(["--reuid", user, "--clear-groups"]);
    }
    command.args(["--pdeathsig", "QUIT", "--"]).arg(program);
    command
}

fn binary(name: &str) -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut packaged: Vec<PathBuf> = versions.map(|version| version.path().join("bin")).collect();
    packaged.sort();
    let path = env::var_os("PATH").unwrap_or_default();
    // A server and its tools of one version: all from the first folder that has them.
    let has_all = |folder: &PathBuf| {
        ["initdb", "postgres", "psql"].iter().all(|name| folder.join(name).is_file())
    };
    let folder = packaged.into_iter().chain(env::split_paths(&path)).find(has_all);
    folder.expect("PostgreSQL must be installed: run `scripts/install-postgres`").join(name)
}
