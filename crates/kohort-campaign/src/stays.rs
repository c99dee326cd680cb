//! A hospital that publishes: tables, plans and command lines for races and kills.

use std::collections::BTreeMap;
use std::path::Path;

use crate::files::{self, Failure, Rows};
use crate::program::words;
use crate::random::Random;

const ATTRIBUTES: &str = "[attributes]\npatient = \"identifier\"\nborn = { role = \"quasi\", type = \"integer\" }\n\
                          sex = \"quasi\"\ndisease = \"sensitive\"\n";

/// Writes the tables of a series, `stays-1.csv` and so on, two plans and two keys into a folder.
pub(crate) fn write(folder: &Path, random: &mut Random, n_tables: usize) -> Result<(), Failure> {
    let n_people = random.between(60, 200);
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
    let input = "input = \"stays-1.csv\"\n";
    let one = format!(
        "{input}{ATTRIBUTES}[goal]\nk-anonymity = 3\n[method]\nalgorithm = \"mondrian\"\n[output]\n\
         release = \"release.csv\"\n"
    );
    let two = format!(
        "{input}{ATTRIBUTES}[goal]\nfrequency-l-diversity = 2\n[method]\nalgorithm = \"anatomy\"\n[output]\n\
         release = \"release.csv\"\n"
    );
    let series = format!(
        "{input}{ATTRIBUTES}[series]\nname = \"stays\"\nkey = \"patient\"\nmethod = \"m-invariance\"\nm = 2\n\
         [output]\nrelease = \"release-{{release}}.csv\"\n"
    );
    for (name, text) in [("one.toml", one), ("two.toml", two), ("series.toml", series)] {
        std::fs::write(folder.join(name), text)?;
    }
    for name in ["first.key", "second.key"] {
        let key: Vec<u8> = (0..32).map(|_| u8::try_from(random.below(256)).unwrap_or(1)).collect();
        let path = folder.join(name);
        std::fs::write(&path, key)?;
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

/// Makes a release of one file, or of two.
pub(crate) fn anonymize(plan: &str, seed: usize) -> Vec<String> {
    words(&["anonymize", plan, "--seed", &seed.to_string(), "--force", "--quiet"])
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

/// Tells the releases that are on the books.
pub(crate) fn show(key: &str) -> Vec<String> {
    let ledger = ["--ledger", "kohort.ledger", "--key-file", key, "--format", "json"];
    words(&[["series", "show", "stays"].as_slice(), &ledger].concat())
}

/// Gives the ledger the second key.
pub(crate) fn rekey() -> Vec<String> {
    let keys = ["--key-file", "first.key", "--new-key-file", "second.key"];
    words(&[["series", "rekey", "--ledger", "kohort.ledger"].as_slice(), &keys].concat())
}

/// Erases a person.
pub(crate) fn forget(person: &str) -> Vec<String> {
    let ledger = ["--ledger", "kohort.ledger", "--key-file", "first.key"];
    words(&[["series", "forget", "stays", "--person", person].as_slice(), &ledger].concat())
}

/// Every file of a folder with its bytes.
pub(crate) fn contents(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>, Failure> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        found.insert(name, std::fs::read(entry.path())?);
    }
    Ok(found)
}

/// The two files of a release, or the one.
pub(crate) fn release(contents: &BTreeMap<String, Vec<u8>>) -> [Option<Vec<u8>>; 2] {
    ["release.csv", "release.sensitive.csv"].map(|name| contents.get(name).cloned())
}

/// How many releases of the series there are, from the first on without a gap.
pub(crate) fn n_releases(contents: &BTreeMap<String, Vec<u8>>) -> usize {
    let mut n = 0;
    while contents.contains_key(&format!("release-{}.csv", n + 1)) {
        n += 1;
    }
    n
}
