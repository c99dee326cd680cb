//! A hospital that publishes: tables, plans and command lines for races and kills.

use std::path::Path;

use crate::case::Case;
use crate::files::{self, Failure, Rows};
use crate::plain::cells::{Buckets, Column, Kind, Missing, Role, Tree};
use crate::plain::classes::joined;
use crate::plain::fillings::Answer;
use crate::plain::truth;
use crate::program::{STATE, words};
use crate::random::Random;

const ATTRIBUTES: &str = "[attributes]\npatient = \"identifier\"\nborn = { role = \"quasi\", type = \"integer\" }\n\
                          sex = \"quasi\"\ndisease = \"sensitive\"\n";

/// The plans for one table: a name, the goal, and the algorithm. The first makes one file, the second two.
const PLANS: [(&str, &str, &str); 2] =
    [("one", "k-anonymity = 3", "mondrian"), ("two", "frequency-l-diversity = 2", "anatomy")];

/// An empty ledger, and the key that opens it: made by `Ledger::create` with a secret of `Hardness::LIGHT`, so
/// that a command takes milliseconds and most of its time is where an interruption can do harm.
const LEDGER: &[u8] = include_bytes!("../data/light.ledger");
const KEY: [u8; 32] = {
    let mut key = [0; 32];
    let mut place = 0;
    while place < 32 {
        key[place as usize] = place + 1;
        place += 1;
    }
    key
};

/// Writes the tables of a series, `stays-1.csv` and so on, the plans `one-1.toml`, `two-1.toml` and so on for
/// each alone, a plan for the series, a ledger and two keys into a folder. No two tables have as many rows.
pub(crate) fn write(folder: &Path, random: &mut Random, n_tables: usize) -> Result<(), Failure> {
    let n_people = random.between(60, 140);
    let people: Vec<Vec<String>> = (0..n_people + 10 * n_tables)
        .map(|number| {
            let sex = *random.pick(&["f", "m"]);
            let disease =
                *random.pick(&["flu", "cold", "ulcer", "asthma", "gout", "HIV", "scurvy"]);
            let born = 1930 + random.below(70);
            vec![format!("p{number}"), born.to_string(), sex.to_owned(), disease.to_owned()]
        })
        .collect();
    let header = ["patient", "born", "sex", "disease"].map(str::to_owned).to_vec();
    for number in 1..=n_tables {
        // Some leave and others come; nobody's value changes.
        let first = if number == 1 { 0 } else { 5 * (number - 1) };
        let rows = people[first..n_people + 10 * (number - 1)].to_vec();
        let table = Rows { header: header.clone(), rows };
        files::write(&folder.join(format!("stays-{number}.csv")), &table, &[])?;
    }
    for number in 1..=n_tables {
        let input = format!("input = \"stays-{number}.csv\"\n");
        for (name, goal, algorithm) in PLANS {
            let plan = format!(
                "{input}{ATTRIBUTES}[goal]\n{goal}\n[method]\nalgorithm = \"{algorithm}\"\n[output]\n\
                 release = \"release.csv\"\n"
            );
            std::fs::write(folder.join(format!("{name}-{number}.toml")), plan)?;
        }
    }
    let series = format!(
        "input = \"stays-1.csv\"\n{ATTRIBUTES}[series]\nname = \"stays\"\nkey = \"patient\"\n\
         method = \"m-invariance\"\nm = 2\n[output]\nrelease = \"release-{{release}}.csv\"\n"
    );
    std::fs::write(folder.join("series.toml"), series)?;
    let other: Vec<u8> = (0..32).map(|_| u8::try_from(random.below(256)).unwrap_or(1)).collect();
    let owned = [("kohort.ledger", LEDGER), ("first.key", &KEY), ("second.key", &other)];
    for (name, bytes) in owned {
        let path = folder.join(name);
        std::fs::write(&path, bytes)?;
        owner_only(&path)?;
    }
    Ok(())
}

#[cfg(unix)]
fn owner_only(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
fn owner_only(_: &Path) -> std::io::Result<()> {
    Ok(())
}

/// Makes a release of a table, of one file or of two.
pub(crate) fn anonymize(plan: &str, table: usize) -> Vec<String> {
    words(&["anonymize", &format!("{plan}-{table}.toml"), "--force", "--quiet"])
}

/// Publishes a table of the series.
pub(crate) fn publish(number: usize) -> Vec<String> {
    let input = format!("stays-{number}.csv");
    words(&["publish", "series.toml", "--input", &input, "--key-file", "first.key", "--quiet"])
}

/// Looks through the books with a key.
pub(crate) fn check(key: &str) -> Vec<String> {
    words(&["series", "check", "stays", "--ledger", "kohort.ledger", "--key-file", key])
}

/// Gives the ledger the second key.
pub(crate) fn rekey() -> Vec<String> {
    let keys = ["--key-file", "first.key", "--new-key-file", "second.key"];
    words(&[["series", "rekey", "--ledger", "kohort.ledger"].as_slice(), &keys].concat())
}

/// Gives the ledger the second key, and seals everything anew.
pub(crate) fn reseal() -> Vec<String> {
    let mut words = rekey();
    words.push("--reseal".into());
    words
}

/// Erases a person.
pub(crate) fn forget(person: &str) -> Vec<String> {
    let ledger = ["--ledger", "kohort.ledger", "--key-file", "first.key"];
    words(&[["series", "forget", "stays", "--person", person].as_slice(), &ledger].concat())
}

/// The names of the files of a folder, without what the program keeps elsewhere.
pub(crate) fn names(folder: &Path) -> Result<Vec<String>, Failure> {
    let entries = std::fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    let names = entries.iter().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name != STATE).collect();
    names.sort();
    Ok(names)
}

/// What release of a table is in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    Nothing,
    /// The whole release of the table with this number.
    Of(usize),
    /// No release of any table, and why.
    Mixture(String),
}

/// Looks at what release is in a folder: whatever is there must be a release of one of the tables.
pub(crate) fn version(folder: &Path, n_tables: usize) -> Result<Version, Failure> {
    let [main, values] = ["release.csv", "release.sensitive.csv"].map(|name| folder.join(name));
    let mixture = |why: String| Ok(Version::Mixture(why));
    let release = match (main.exists(), values.exists()) {
        (false, false) => return Ok(Version::Nothing),
        (false, true) => return mixture("values alone".into()),
        (true, has_values) => {
            let found = files::read(&main).and_then(|rows| {
                if !has_values {
                    return Ok(Some(rows));
                }
                Ok(joined(&rows, &files::read(&values)?))
            });
            match found {
                Ok(Some(release)) => release,
                Ok(None) => return mixture("the two files do not fit together".into()),
                Err(problem) => return mixture(problem.to_string()),
            }
        }
    };
    for number in 1..=n_tables {
        let table = files::read(&folder.join(format!("stays-{number}.csv")))?;
        if table.rows.len() == release.rows.len() {
            let truth = if values.exists() { truth::anatomized } else { truth::generalized };
            return if truth(&columns(), &release, &table) == Answer::Broken {
                mixture(format!("the rows are not those of table {number}"))
            } else {
                Ok(Version::Of(number))
            };
        }
    }
    mixture(format!("{} rows", release.rows.len()))
}

/// A table as a case, without promises.
pub(crate) fn case(folder: &Path, number: usize) -> Result<Case, Failure> {
    Ok(Case {
        columns: columns(),
        table: files::read(&folder.join(format!("stays-{number}.csv")))?,
        promises: Vec::new(),
        suppression: None,
        algorithm: String::new(),
        method: Vec::new(),
        output: Vec::new(),
        formats: ["csv", "csv"].map(str::to_owned),
    })
}

pub(crate) fn columns() -> Vec<Column> {
    let column = |name: &str, role: Role, kind: Kind| Column {
        name: name.to_owned(),
        role,
        kind,
        tree: Tree::Flat,
        buckets: Buckets::None,
        missing: Missing::Ignored,
    };
    vec![
        column("patient", Role::Identifier, Kind::Text),
        column("born", Role::Quasi, Kind::Integer),
        column("sex", Role::Quasi, Kind::Text),
        column("disease", Role::Sensitive, Kind::Text),
    ]
}

/// How many releases of the series there are, from the first on without a gap.
pub(crate) fn n_releases(folder: &Path) -> u64 {
    let mut n = 0;
    while folder.join(format!("release-{}.csv", n + 1)).exists() {
        n += 1;
    }
    n
}
