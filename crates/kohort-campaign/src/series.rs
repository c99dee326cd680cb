//! Series of releases by every method, recomputed by their definitions and tampered with.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::campaign::Campaign;
use crate::files::{self, Failure, Rows};
use crate::findings::Finding;
use crate::plain::cells::{Column, Role, bare, covers};
use crate::plain::classes::alike;
use crate::plain::matching;
use crate::plain::releases::{self, CORRELATIONS, Promise, Release};
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
    let mut methods = Method::all();
    if number == 0 {
        for id in campaign.methods.clone() {
            if !methods.iter().any(|method| method.id == id) {
                campaign.unknown_model(&id)?;
            }
        }
    }
    let mut method = methods.swap_remove(random.below(methods.len()));
    // How values follow one another is told of values.
    method.has_buckets = method.id != "rho-different" && random.percent(30);
    stays::write(folder, &mut random, n_releases)?;
    method.write(folder, &mut random, n_releases)?;
    if !publish(campaign, &method, folder, (n_releases, number))? {
        return Ok(());
    }
    let mut ask = words(&["verify", "--plan", "series.toml"]);
    for table in 1..=n_releases {
        let files =
            [format!("release-{table}.csv"), "--original".into(), format!("stays-{table}.csv")];
        ask.extend(files);
    }
    let verdict = campaign.program.run(folder, &ask)?;
    let found = wrong(folder, n_releases, &method)?;
    if let Some(wrong) = found {
        take_down(
            campaign,
            &format!("{} publishes: {wrong}", method.id),
            &verdict,
            folder,
            number,
        )?;
    }
    if verdict.code != Some(0) {
        return take_down(
            campaign,
            &format!("verify rejects what {} made", method.id),
            &verdict,
            folder,
            number,
        );
    }
    for _ in 0..PER_SERIES {
        tamper(campaign, &mut random, &method, folder, (&ask, n_releases, number))?;
    }
    Ok(())
}

/// Publishes the tables one after the other; whether all were.
fn publish(
    campaign: &mut Campaign,
    method: &Method,
    folder: &Path,
    (n_releases, number): (usize, u64),
) -> Result<bool, Failure> {
    for table in 1..=n_releases {
        let ran = campaign.program.run(folder, &stays::publish(table))?;
        match ran.code {
            Some(0) => campaign.findings.count("releases recomputed", 1),
            Some(1) => {
                campaign.findings.count("goals called out of reach", 1);
                return Ok(false);
            }
            _ => {
                let kind = format!("publish by {} fails", method.id);
                return take_down(campaign, &kind, &ran, folder, number).map(|()| false);
            }
        }
    }
    Ok(true)
}

/// Changes one release, asks, and puts it back.
fn tamper(
    campaign: &mut Campaign,
    random: &mut Random,
    method: &Method,
    folder: &Path,
    (ask, n_releases, number): (&[String], usize, u64),
) -> Result<(), Failure> {
    let table = random.between(1, n_releases);
    let path = folder.join(format!("release-{table}.csv"));
    let untouched = std::fs::read(&path)?;
    let case = stays::case(folder, table)?;
    let mut release = files::read(&path)?;
    let change = tampering::change_rows(random, &case, &mut release);
    files::write(&path, &release, &[])?;
    let verdict = campaign.program.run(folder, ask)?;
    campaign.findings.count("tamperings", 1);
    let id = method.id;
    let kind = match (verdict.crash(), verdict.code, wrong(folder, n_releases, method)?) {
        (Some(crash), ..) => Some(format!("verify of {id} crashes: {crash}")),
        (None, Some(0), Some(wrong)) => Some(format!("verify of {id} says yes: {wrong}, {change}")),
        _ => None,
    };
    if let Some(kind) = kind {
        take_down(campaign, &kind, &verdict, folder, number)?;
    }
    std::fs::write(&path, untouched)?;
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

/// A method, and what it is asked for.
struct Method {
    id: &'static str,
    promise: Promise,
    parameters: &'static str,
    /// Whether people leave, and whether values change.
    leaves: bool,
    changes: bool,
    /// Whether values are numbers, and promises about their buckets.
    has_buckets: bool,
}

/// Where buckets begin.
const CUTS: [usize; 6] = [10, 20, 30, 40, 50, 60];

impl Method {
    fn all() -> Vec<Self> {
        let method = |id, promise, parameters| Self {
            id,
            promise,
            parameters,
            leaves: true,
            changes: false,
            has_buckets: false,
        };
        vec![
            method("m-invariance", Promise::MInvariance { m: 2 }, "m = 2"),
            method("e-equivalence", Promise::EEquivalence { m: 2, e: 2 }, "m = 2\ne = 2"),
            Self {
                changes: true,
                ..method(
                    "rho-different",
                    Promise::RhoDifferent { rho: 0.6 },
                    "rho = 0.6\ncorrelations = \"correlations.csv\"",
                )
            },
            Self { leaves: false, ..method("bcf-anonymity", Promise::Bcf { k: 3 }, "k = 3") },
            method("xy-anonymity", Promise::XyAnonymity { k: 2 }, "k = 2"),
            method(
                "xy-linkability",
                Promise::XyLinkability { confidence: 0.6 },
                "confidence = 0.6",
            ),
            Self {
                changes: true,
                ..method(
                    "global-guarantee",
                    Promise::Global { l: 2, horizon: 3 },
                    "l = 2\nhorizon = 3",
                )
            },
        ]
    }

    /// Puts numbers in the place of values, the same for a person who keeps a value.
    fn write_numbers(
        folder: &Path,
        random: &mut Random,
        (n_tables, values): (usize, &[&str]),
    ) -> Result<(), Failure> {
        let mut drawn: BTreeMap<(String, String), usize> = BTreeMap::new();
        for number in 1..=n_tables {
            let path = folder.join(format!("stays-{number}.csv"));
            let mut table = files::read(&path)?;
            for row in &mut table.rows {
                let bucket = values.iter().position(|value| *value == row[3]).unwrap_or(0);
                let within = drawn
                    .entry((row[0].clone(), row[3].clone()))
                    .or_insert_with(|| random.below(10));
                row[3] = (10 * bucket + *within).to_string();
            }
            files::write(&path, &table, &[])?;
        }
        Ok(())
    }

    /// Writes the tables, as the method needs them, and the plan.
    fn write(&self, folder: &Path, random: &mut Random, n_tables: usize) -> Result<(), Failure> {
        let values = ["flu", "cold", "ulcer", "asthma", "gout", "HIV", "scurvy"];
        if !self.leaves || self.changes {
            let mut people: BTreeMap<String, Vec<String>> = BTreeMap::new();
            let mut stayed: Vec<Vec<String>> = Vec::new();
            for number in 1..=n_tables {
                let path = folder.join(format!("stays-{number}.csv"));
                let mut table = files::read(&path)?;
                if self.changes {
                    for row in &mut table.rows {
                        let before = people.get(&row[0]).map_or(&row[3], |before| &before[3]);
                        let next = if random.percent(60) {
                            before.clone()
                        } else {
                            (*random.pick(&values)).to_owned()
                        };
                        row[3] = next;
                        people.insert(row[0].clone(), row.clone());
                    }
                }
                if !self.leaves {
                    let is_new = |row: &&Vec<String>| !stayed.iter().any(|old| old[0] == row[0]);
                    let new: Vec<Vec<String>> = table.rows.iter().filter(is_new).cloned().collect();
                    stayed.extend(new);
                    table.rows.clone_from(&stayed);
                }
                files::write(&path, &table, &[])?;
            }
        }
        if self.has_buckets {
            Self::write_numbers(folder, random, (n_tables, &values))?;
        }
        let lines = CORRELATIONS.map(|(from, to, chance)| format!("{from},{to},{chance}\n"));
        let lines = format!("from,to,probability\n{}", lines.concat());
        std::fs::write(folder.join("correlations.csv"), lines)?;
        let plan = std::fs::read_to_string(folder.join("series.toml"))?;
        let own = format!("method = \"{}\"\n{}", self.id, self.parameters);
        let mut plan = plan.replace("method = \"m-invariance\"\nm = 2", &own);
        if self.has_buckets {
            let full = format!(
                "disease = {{ role = \"sensitive\", type = \"integer\", buckets = {{ cuts = {CUTS:?} }} }}"
            );
            plan = plan.replace("disease = \"sensitive\"", &full);
        }
        std::fs::write(folder.join("series.toml"), plan)?;
        Ok(())
    }
}

/// What is surely wrong with the releases of a folder.
fn wrong(
    folder: &Path,
    n_releases: usize,
    method: &Method,
) -> Result<Option<&'static str>, Failure> {
    let mut all = Vec::new();
    for number in 1..=n_releases {
        match release(folder, number, method.has_buckets)? {
            Ok(release) => all.push(release),
            Err(wrong) => return Ok(Some(wrong)),
        }
    }
    let quasi: Vec<Column> =
        stays::columns().into_iter().filter(|column| column.role == Role::Quasi).collect();
    Ok(releases::broken(method.promise, &all, &quasi))
}

/// What promises count: a value, or its bucket.
fn counted(text: &str, has_buckets: bool) -> String {
    let bucket = if has_buckets { bucket(text) } else { None };
    bucket.map_or_else(|| bare(text), |bucket| format!("bucket {bucket}"))
}

/// The bucket of a number, or the one that a label shows: `below 10`, `[10, 20)`, `60 and above`.
fn bucket(text: &str) -> Option<usize> {
    let text = bare(text).to_lowercase();
    if text == format!("below {}", CUTS[0]) {
        return Some(0);
    }
    let number: usize = text.trim_start_matches('[').split(&[',', ' ']).next()?.parse().ok()?;
    let bucket = CUTS.iter().filter(|&&cut| number >= cut).count();
    let is_label = text == format!("{number} and above") && bucket == CUTS.len()
        || CUTS.get(bucket).is_some_and(|end| text == format!("[{number}, {end})"));
    (text == number.to_string() || is_label && CUTS.contains(&number)).then_some(bucket)
}

/// Reads a release; or what is surely wrong with it by itself.
fn release(
    folder: &Path,
    number: usize,
    has_buckets: bool,
) -> Result<Result<Release, &'static str>, Failure> {
    let mut rows = files::read(&folder.join(format!("release-{number}.csv")))?;
    let people = files::read(&folder.join(format!("stays-{number}.csv")))?;
    let names = ["born", "sex", "disease", "group"];
    // A quasi-identifier that is not there shows nothing, like `*`.
    for name in ["born", "sex"] {
        if rows.place(name).is_none() {
            rows.header.push(name.to_owned());
            rows.rows.iter_mut().for_each(|row| row.push("*".to_owned()));
        }
    }
    // Rows without a group are a class with those that look the same.
    if rows.place("group").is_none() {
        let quasi = rows.only(&["born", "sex"]);
        rows.header.push("group".to_owned());
        for (row, looks) in rows.rows.iter_mut().zip(quasi.rows) {
            row.push(looks.iter().map(|cell| cell.trim()).collect::<Vec<_>>().join("|"));
        }
    }
    if rows.header.len() != names.len() || names.iter().any(|name| rows.place(name).is_none()) {
        return Ok(Err("a column has no business there, or is not there"));
    }
    let rows = rows.only(&names);
    let groups: Vec<String> = rows.rows.iter().map(|row| row[3].trim().to_owned()).collect();
    let classes = alike(&groups);
    let counterfeits = folder.join(format!("release-{number}.counterfeits.csv"));
    let n_false: usize = if counterfeits.exists() {
        let told = files::read(&counterfeits)?;
        let counts = told.column("count").ok_or("no column `count`")?;
        counts.iter().filter_map(|count| count.parse::<usize>().ok()).sum()
    } else {
        0
    };
    let owners = owners(&rows, &people, has_buckets);
    if matching::largest(&owners, people.rows.len()) + n_false < rows.rows.len() {
        return Ok(Err("a row is nobody's"));
    }
    let mut may_be_in: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for (class, members) in classes.iter().enumerate() {
        for &person in members.iter().flat_map(|&row| &owners[row]) {
            may_be_in.entry(people.rows[person][0].clone()).or_default().insert(class);
        }
    }
    // Where nobody was held back, whoever may be in one class only is in that.
    let is_full = rows.rows.len() == people.rows.len() + n_false;
    let sure = may_be_in.iter().filter(|(_, classes)| is_full && classes.len() == 1);
    let class_of = sure.filter_map(|(person, at)| Some((person.clone(), *at.first()?))).collect();
    let of_row = |row: usize, at: usize| rows.rows[row][at].trim().to_owned();
    let values = |class: &Vec<usize>| {
        class.iter().map(|&row| counted(&of_row(row, 2), has_buckets)).collect()
    };
    let cells = |class: &Vec<usize>| vec![of_row(class[0], 0), of_row(class[0], 1)];
    Ok(Ok(Release {
        people: people.rows.iter().map(|row| row[0].clone()).collect(),
        cells: classes.iter().map(cells).collect(),
        classes: classes.iter().map(values).collect(),
        class_of,
        may_be_in,
    }))
}

/// The people whose each row may be. A release has the columns of the table in their order, but for the first.
fn owners(release: &Rows, people: &Rows, has_buckets: bool) -> Vec<Vec<usize>> {
    let mut columns = stays::columns();
    columns.retain(|column| column.role != Role::Identifier);
    let may_be = |shown: &Vec<String>, person: &Vec<String>| {
        let cells = columns.iter().zip(shown).zip(&person[1..]);
        cells.into_iter().all(|((column, cell), value)| {
            let is_label = has_buckets && column.role == Role::Sensitive && cell != value;
            match (is_label.then(|| bucket(cell)).flatten(), cell.trim().parse::<usize>()) {
                (Some(shown), Err(_)) => bucket(value) == Some(shown),
                _ => covers(column, cell, value) != Some(false),
            }
        })
    };
    let of_row = |shown: &Vec<String>| {
        (0..people.rows.len()).filter(|&person| may_be(shown, &people.rows[person])).collect()
    };
    release.rows.iter().map(of_row).collect()
}
