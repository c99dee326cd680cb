//! Releases of records inside records, generalized and anatomized, recomputed by plain definitions and tampered
//! with.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::campaign::Campaign;
use crate::files::Failure;
use crate::findings::Finding;
use crate::plain::records::{OF_PEOPLE, OF_VISITS, Release, Spread, broken, is_true};
use crate::program::{Ran, words};
use crate::random::Random;

/// How often one release is tampered with.
const PER_RELEASE: usize = 8;

/// What is promised: classes of k, and values that at most one in l have.
#[derive(Clone, Debug)]
struct Goal {
    k: Option<usize>,
    spread: Option<Spread>,
    /// Whether people and visits have a second sensitive value.
    has_second: bool,
    /// The share of records that may be dropped, in hundredths.
    suppression: usize,
}

impl Goal {
    fn drawn(random: &mut Random, is_anatomized: bool) -> Self {
        let has_second = random.percent(50);
        let cuts = if has_second && random.percent(50) { vec![10, 20, 30] } else { Vec::new() };
        let n = if has_second { 2 } else { 1 };
        let of = OF_PEOPLE[..n].iter().chain(&OF_VISITS[..n]).copied().collect();
        Self {
            // An anatomized release shows quasi-identifiers as they are.
            k: (!is_anatomized).then(|| random.between(2, 3)),
            spread: (is_anatomized || random.percent(60)).then_some(Spread { l: 2, of, cuts }),
            has_second,
            suppression: *random.pick(&[0, 20, 50]),
        }
    }
}

/// One release, and changes of it.
pub(crate) fn round(campaign: &mut Campaign, number: u64) -> Result<(), Failure> {
    let mut random = Random::of_round(campaign.seed, number);
    let algorithm = random.pick(&campaign.nested).clone();
    let goal = Goal::drawn(&mut random, algorithm.id.contains("anatomy"));
    let people: Vec<Value> =
        (0..random.between(6, 24)).map(|n| person(&mut random, n, goal.has_second)).collect();
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    std::fs::write(folder.join("people.json"), Value::from(people.clone()).to_string())?;
    std::fs::write(folder.join("plan.toml"), plan(&algorithm.id, &goal))?;
    let ran = campaign.program.run(folder, &words(&["anonymize", "plan.toml", "--quiet"]))?;
    match ran.code {
        Some(0) => campaign.findings.count("releases recomputed", 1),
        Some(1) => {
            campaign.findings.count("goals called out of reach", 1);
            return Ok(());
        }
        Some(2) => {
            campaign.refused(&ran.stderr);
            return Ok(());
        }
        _ => return take_down(campaign, "anonymize crashes", &ran, folder, number),
    }
    let made = read(&algorithm.id, folder)?;
    if let Some(wrong) = wrong(&made, &people, &goal) {
        let kind = format!("{} makes a nested release: {wrong}", algorithm.id);
        take_down(campaign, &kind, &ran, folder, number)?;
    }
    let ask = ["verify", "release.json", "--plan", "plan.toml", "--original", "people.json"];
    let verdict = campaign.program.run(folder, &words(&ask))?;
    if verdict.code != Some(0) {
        let kind = format!("verify rejects what {} made", algorithm.id);
        return take_down(campaign, &kind, &verdict, folder, number);
    }
    for _ in 0..PER_RELEASE {
        let mut tampered = made.clone();
        for _ in 0..random.between(1, 2) {
            change(&mut random, &mut tampered, &people);
        }
        write(&tampered, folder)?;
        let verdict = campaign.program.run(folder, &words(&ask))?;
        campaign.findings.count("tamperings", 1);
        let kind = match (verdict.crash(), verdict.code, wrong(&tampered, &people, &goal)) {
            (Some(crash), ..) => format!("verify of nested records crashes: {crash}"),
            (None, Some(0), Some(wrong)) => {
                format!("verify of {} says yes: {wrong}", form(&tampered))
            }
            _ => continue,
        };
        take_down(campaign, &kind, &verdict, folder, number)?;
    }
    Ok(())
}

fn form(release: &Release) -> &'static str {
    match release {
        Release::Generalized(_) => "nested records",
        Release::Trees(..) => "trees of values",
        Release::Lists(..) => "lists of values",
    }
}

/// The release in a folder.
fn read(algorithm: &str, folder: &Path) -> Result<Release, Failure> {
    let read = |name: &str| -> Result<Vec<Value>, Failure> {
        Ok(serde_json::from_slice(&std::fs::read(folder.join(name))?)?)
    };
    let trees = read("release.json")?;
    Ok(if algorithm.starts_with("tree-anatomy") {
        Release::Trees(trees, read("release.sensitive.json")?)
    } else if algorithm.starts_with("vertex-anatomy") {
        Release::Lists(trees, read("release.sensitive.json")?)
    } else {
        Release::Generalized(trees)
    })
}

fn write(release: &Release, folder: &Path) -> Result<(), Failure> {
    let write = |name: &str, records: &Vec<Value>| {
        std::fs::write(folder.join(name), Value::from(records.clone()).to_string())
    };
    match release {
        Release::Generalized(trees) => write("release.json", trees)?,
        Release::Trees(trees, values) | Release::Lists(trees, values) => {
            write("release.json", trees)?;
            write("release.sensitive.json", values)?;
        }
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
    let said = format!("{}\n{}", ran.stdout, ran.stderr);
    let details = format!("seed {}, round {number}\n{said}", campaign.seed);
    let commands = vec![ran.command.clone()];
    campaign.findings.add(&Finding { kind, details, files, commands })?;
    Ok(())
}

/// What is surely wrong with a release.
fn wrong(release: &Release, people: &[Value], goal: &Goal) -> Option<&'static str> {
    let n_dropped = people.len().saturating_sub(release.trees().len());
    if 100 * n_dropped > goal.suppression * people.len() {
        return Some("too many records are gone");
    }
    if !is_true(release, people) {
        return Some("a record or a value is nobody's");
    }
    broken(release, goal.k, goal.spread.as_ref())
}

fn plan(algorithm: &str, goal: &Goal) -> String {
    let k = goal.k.map_or(String::new(), |k| format!("k-anonymity = {k}\n"));
    let spread = goal.spread.as_ref();
    let l =
        spread.map_or(String::new(), |spread| format!("frequency-l-diversity = {}\n", spread.l));
    let cuts = spread.map(|spread| &spread.cuts).filter(|cuts| !cuts.is_empty());
    let e = cuts.map_or("\"sensitive\"".to_owned(), |cuts| {
        format!("{{ role = \"sensitive\", type = \"integer\", buckets = {{ cuts = {cuts:?} }} }}")
    });
    let second = if goal.has_second {
        format!("t = \"sensitive\"\n\"v[].e\" = {e}\n")
    } else {
        String::new()
    };
    let suppression = format!("suppression = 0.{:02}\n", goal.suppression);
    format!(
        "input = \"people.json\"\n[attributes]\nid = \"identifier\"\nq = {{ role = \"quasi\", type = \"text\" }}\n\
         s = \"sensitive\"\n\"v[].w\" = {{ role = \"quasi\", type = \"text\" }}\n\"v[].d\" = \"sensitive\"\n\
         {second}[goal]\n{k}{l}{suppression}[method]\nalgorithm = \"{algorithm}\"\n[output]\n\
         release = \"release.json\"\n"
    )
}

fn person(random: &mut Random, number: usize, has_second: bool) -> Value {
    let visits: Vec<Value> = (0..random.below(4)).map(|_| visit(random, has_second)).collect();
    let [q, s] = [&["a", "b", "c"], &["S1", "S2", "S3"]].map(|values| *random.pick(values));
    let mut person = json!({ "id": format!("p{number}"), "q": q, "s": s, "v": visits });
    if has_second {
        person["t"] = (*random.pick(&["T1", "T2", "T3"])).into();
    }
    person
}

fn visit(random: &mut Random, has_second: bool) -> Value {
    let mut visit =
        json!({ "w": random.pick(&["k", "l"]), "d": random.pick(&["D1", "D2", "D3", "D4"]) });
    if has_second {
        visit["e"] = random.below(40).into();
    }
    visit
}

/// Changes a release, in one of its files.
fn change(random: &mut Random, release: &mut Release, people: &[Value]) {
    match release {
        Release::Generalized(trees) => tamper(random, trees, people),
        Release::Trees(trees, values) => {
            let (first, second) =
                if random.percent(50) { (trees, values) } else { (values, trees) };
            match random.below(4) {
                0 => exchange(random, first, "group"),
                1 => {
                    // The same of both files.
                    let at = random.below(first.len().max(1));
                    for file in [first, second] {
                        if at < file.len() {
                            file.remove(at);
                        }
                    }
                }
                _ => tamper(random, first, people),
            }
        }
        Release::Lists(trees, values) => match random.below(4) {
            0 => tamper(random, trees, people),
            1 => exchange(random, values, "value"),
            2 => exchange(random, values, "group"),
            _ => {
                let at = random.below(values.len().max(1));
                let Some(value) = values.get_mut(at) else { return };
                match random.below(3) {
                    0 => drop(values.remove(at)),
                    1 => value["value"] = (*random.pick(&["S1", "D1", "*", "x"])).into(),
                    _ => value["attribute"] = (*random.pick(&["s", "v[].d"])).into(),
                }
            }
        },
    }
}

/// Exchanges a member of two records.
fn exchange(random: &mut Random, records: &mut [Value], name: &str) {
    if records.is_empty() {
        return;
    }
    let [one, other] = [0, 1].map(|_| random.below(records.len()));
    let kept = records[one][name].clone();
    records[one][name] = records[other][name].clone();
    records[other][name] = kept;
}

/// Changes a file.
fn tamper(random: &mut Random, release: &mut Vec<Value>, people: &[Value]) {
    if release.is_empty() {
        return;
    }
    let [one, other] = [0, 1].map(|_| random.below(release.len()));
    let from_other = release[other].clone();
    let Some(record) = release[one].as_object_mut() else { return };
    let name = *random.pick(&["q", "s", "t"]);
    match random.below(11) {
        0 => drop(release.remove(one)),
        1 => release.push(from_other),
        2 => release[one] = from_other,
        3 => set(record, name, from_other[name].clone()),
        4 => set(record, name, random.pick(people)[name].clone()),
        5 => set(record, name, (*random.pick(&["*", "", "x", "a\u{200b}", "{S1, S2}"])).into()),
        6 => drop(record.remove(*random.pick(&["q", "s", "v"]))),
        7 => set(record, "id", random.pick(people)["id"].clone()),
        8 => set(record, "v", from_other["v"].clone()),
        _ => {
            let visit = visit(random, true);
            let visits = record.entry("v").or_insert_with(|| json!([]));
            let Some(visits) = visits.as_array_mut() else { return };
            match random.below(4) {
                0 => drop(visits.pop()),
                1 => visits.push(visit),
                2 => {
                    let name = *random.pick(&["d", "e"]);
                    if let Some(first) = visits.first_mut() {
                        first[name] = "*".into();
                    }
                }
                _ => {
                    let name = *random.pick(&["w", "d", "e"]);
                    if let Some(first) = visits.first_mut() {
                        first[name] = visit[name].clone();
                    }
                }
            }
        }
    }
}

fn set(record: &mut Map<String, Value>, name: &str, value: Value) {
    record.insert(name.to_owned(), value);
}
