//! Series of releases by m-invariance, recomputed by its definition and tampered with.

use std::collections::BTreeSet;
use std::path::Path;

use crate::campaign::Campaign;
use crate::files::{self, Failure, Rows};
use crate::findings::{Finding, copy};
use crate::plain::cells::{Role, covers};
use crate::plain::classes::alike;
use crate::plain::matching;
use crate::program::{Ran, words};
use crate::random::Random;
use crate::stays;
use crate::tampering;

/// How often one series is tampered with.
const PER_SERIES: usize = 8;

/// One series of two or three releases, and changes of it.
pub(crate) fn round(campaign: &mut Campaign, number: u64) -> Result<(), Failure> {
    let mut random = Random::of_round(campaign.seed, number);
    let n_releases = random.between(2, 3);
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    stays::write(folder, &mut random, n_releases)?;
    for table in 1..=n_releases {
        let ran = campaign.program.run(folder, &stays::publish(table))?;
        match ran.code {
            Some(0) => campaign.findings.count("releases recomputed", 1),
            Some(1) => {
                campaign.findings.count("goals called out of reach", 1);
                return Ok(());
            }
            _ => return take_down(campaign, "publish fails", &ran, folder, number),
        }
    }
    let mut ask = words(&["verify", "--plan", "series.toml"]);
    for table in 1..=n_releases {
        let files =
            [format!("release-{table}.csv"), "--original".into(), format!("stays-{table}.csv")];
        ask.extend(files);
    }
    let verdict = campaign.program.run(folder, &ask)?;
    let found = wrong(folder, n_releases)?;
    if let Some(wrong) = found {
        take_down(campaign, &format!("a series is published: {wrong}"), &verdict, folder, number)?;
    }
    if verdict.code != Some(0) {
        return take_down(campaign, "verify rejects a series", &verdict, folder, number);
    }
    let untouched = tempfile::tempdir()?;
    copy(folder, untouched.path())?;
    for _ in 0..PER_SERIES {
        let table = random.between(1, n_releases);
        let name = format!("release-{table}.csv");
        let case = stays::case(folder, table)?;
        let mut release = files::read(&folder.join(&name))?;
        let change = tampering::change_rows(&mut random, &case, &mut release);
        files::write(&folder.join(&name), &release, &[])?;
        let verdict = campaign.program.run(folder, &ask)?;
        campaign.findings.count("tamperings", 1);
        let kind = match (verdict.crash(), verdict.code, wrong(folder, n_releases)?) {
            (Some(crash), ..) => Some(format!("verify of a series crashes: {crash}")),
            (None, Some(0), Some(wrong)) => {
                Some(format!("verify of a series says yes: {wrong}, {change}"))
            }
            _ => None,
        };
        if let Some(kind) = kind {
            take_down(campaign, &kind, &verdict, folder, number)?;
        }
        copy(untouched.path(), folder)?;
    }
    Ok(())
}

fn take_down(
    campaign: &mut Campaign,
    kind: &str,
    ran: &Ran,
    files: &Path,
    number: u64,
) -> Result<(), Failure> {
    let said = format!("exit {:?}\n{}\n{}", ran.code, ran.stdout, ran.stderr);
    let details = format!("seed {}, round {number}\n{said}", campaign.seed);
    let commands = vec![ran.command.clone()];
    campaign.findings.add(&Finding { kind, details, files, commands })?;
    Ok(())
}

/// A release, whose classes are its groups.
struct Release {
    people: Rows,
    classes: Vec<Vec<usize>>,
    /// The values of each class, which are its signature.
    signatures: Vec<BTreeSet<String>>,
    /// The people whose each row may be.
    owners: Vec<Vec<usize>>,
}

/// What is surely wrong with the releases of a folder; m is 2 (Xiao and Tao 2007).
fn wrong(folder: &Path, n_releases: usize) -> Result<Option<&'static str>, Failure> {
    let mut before: Option<Release> = None;
    for number in 1..=n_releases {
        let mut rows = files::read(&folder.join(format!("release-{number}.csv")))?;
        let people = files::read(&folder.join(format!("stays-{number}.csv")))?;
        let names = ["born", "sex", "disease", "group"];
        // A quasi-identifier that is not there shows nothing.
        for name in ["born", "sex"] {
            if rows.place(name).is_none() {
                rows.header.push(name.to_owned());
                rows.rows.iter_mut().for_each(|row| row.push("*".to_owned()));
            }
        }
        if rows.header.len() != names.len() || names.iter().any(|name| rows.place(name).is_none()) {
            return Ok(Some("a column has no business there, or is not there"));
        }
        let rows = rows.only(&names);
        let groups: Vec<String> = rows.rows.iter().map(|row| row[3].trim().to_owned()).collect();
        let classes = alike(&groups);
        let values = |class: &Vec<usize>| -> BTreeSet<String> {
            class.iter().map(|&row| rows.rows[row][2].trim().to_owned()).collect()
        };
        let signatures: Vec<BTreeSet<String>> = classes.iter().map(values).collect();
        if (classes.iter().zip(&signatures))
            .any(|(class, values)| class.len() < 2 || values.len() < class.len())
        {
            return Ok(Some("a class is not m-unique"));
        }
        let counterfeits = folder.join(format!("release-{number}.counterfeits.csv"));
        let n_false = if counterfeits.exists() {
            let told = files::read(&counterfeits)?;
            let counts = told.column("count").ok_or("no column `count`")?;
            counts.iter().filter_map(|count| count.parse::<usize>().ok()).sum()
        } else {
            0
        };
        let owners = owners(&rows, &people);
        let n_true = matching::largest(&owners, people.rows.len());
        let release = Release { people, classes, signatures, owners };
        if n_true + n_false < rows.rows.len() {
            return Ok(Some("a row is nobody's"));
        }
        if before.as_ref().is_some_and(|before| changes_signature(before, &release)) {
            return Ok(Some("somebody's signature changes"));
        }
        before = Some(release);
    }
    Ok(None)
}

/// The people whose each row may be. A release has the columns of the table in their order, but for the first.
fn owners(release: &Rows, people: &Rows) -> Vec<Vec<usize>> {
    let mut columns = stays::columns();
    columns.retain(|column| column.role != Role::Identifier);
    let may_be = |shown: &Vec<String>, person: &Vec<String>| {
        let cells = columns.iter().zip(shown).zip(&person[1..]);
        cells.into_iter().all(|((column, cell), value)| covers(column, cell, value) != Some(false))
    };
    let of_row = |shown: &Vec<String>| {
        (0..people.rows.len()).filter(|&person| may_be(shown, &people.rows[person])).collect()
    };
    release.rows.iter().map(of_row).collect()
}

impl Release {
    /// The signatures that a person may have.
    fn signatures_of(&self, key: &str) -> Option<BTreeSet<&BTreeSet<String>>> {
        let person = self.people.rows.iter().position(|row| row[0] == key)?;
        let is_there =
            |class: &Vec<usize>| class.iter().any(|&row| self.owners[row].contains(&person));
        let found = self.classes.iter().zip(&self.signatures).filter(|(class, _)| is_there(class));
        Some(found.map(|(_, signature)| signature).collect())
    }
}

/// Whether somebody who may be in both releases has no signature that is possible in both.
fn changes_signature(before: &Release, after: &Release) -> bool {
    before.people.rows.iter().any(|row| {
        let [Some(old), Some(new)] = [before, after].map(|release| release.signatures_of(&row[0]))
        else {
            return false;
        };
        !old.is_empty() && !new.is_empty() && old.is_disjoint(&new)
    })
}
