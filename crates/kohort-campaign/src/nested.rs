//! Releases of records inside records, recomputed by plain definitions and tampered with.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::campaign::Campaign;
use crate::files::Failure;
use crate::findings::Finding;
use crate::plain::records::{broken, is_true};
use crate::program::{Ran, words};
use crate::random::Random;

/// How often one release is tampered with.
const PER_RELEASE: usize = 8;

/// What is promised: classes of k, and values that at most one in l have.
#[derive(Clone, Copy, Debug)]
struct Goal {
    k: usize,
    l: Option<usize>,
    /// The share of records that may be dropped, in hundredths.
    suppression: usize,
}

/// One release, and changes of it.
pub(crate) fn round(campaign: &mut Campaign, number: u64) -> Result<(), Failure> {
    let mut random = Random::of_round(campaign.seed, number);
    let algorithm = random.pick(&campaign.nested).clone();
    let goal = Goal {
        k: random.between(2, 3),
        l: random.percent(60).then_some(2),
        suppression: *random.pick(&[0, 20, 50]),
    };
    let people: Vec<Value> = (0..random.between(6, 24)).map(|n| person(&mut random, n)).collect();
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    std::fs::write(folder.join("people.json"), Value::from(people.clone()).to_string())?;
    std::fs::write(folder.join("plan.toml"), plan(&algorithm.id, goal))?;
    let ran = campaign.program.run(folder, &words(&["anonymize", "plan.toml", "--quiet"]))?;
    let release = folder.join("release.json");
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
    let made: Vec<Value> = serde_json::from_slice(&std::fs::read(&release)?)?;
    if let Some(wrong) = wrong(&made, &people, goal) {
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
            tamper(&mut random, &mut tampered, &people);
        }
        std::fs::write(&release, Value::from(tampered.clone()).to_string())?;
        let verdict = campaign.program.run(folder, &words(&ask))?;
        campaign.findings.count("tamperings", 1);
        let kind = match (verdict.crash(), verdict.code, wrong(&tampered, &people, goal)) {
            (Some(crash), ..) => format!("verify of nested records crashes: {crash}"),
            (None, Some(0), Some(wrong)) => format!("verify of nested records says yes: {wrong}"),
            _ => continue,
        };
        take_down(campaign, &kind, &verdict, folder, number)?;
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
fn wrong(release: &[Value], people: &[Value], goal: Goal) -> Option<&'static str> {
    let n_dropped = people.len().saturating_sub(release.len());
    if 100 * n_dropped > goal.suppression * people.len() {
        return Some("too many records are gone");
    }
    if !is_true(release, people) {
        return Some("a record is nobody's");
    }
    broken(release, goal.k, goal.l)
}

fn plan(algorithm: &str, goal: Goal) -> String {
    let l = goal.l.map_or(String::new(), |l| format!("frequency-l-diversity = {l}\n"));
    let suppression = format!("suppression = 0.{:02}\n", goal.suppression);
    format!(
        "input = \"people.json\"\n[attributes]\nid = \"identifier\"\nq = {{ role = \"quasi\", type = \"text\" }}\n\
         s = \"sensitive\"\n\"v[].w\" = {{ role = \"quasi\", type = \"text\" }}\n\"v[].d\" = \"sensitive\"\n\
         [goal]\nk-anonymity = {}\n{l}{suppression}[method]\nalgorithm = \"{algorithm}\"\n[output]\n\
         release = \"release.json\"\n",
        goal.k
    )
}

fn person(random: &mut Random, number: usize) -> Value {
    let visits: Vec<Value> = (0..random.below(4)).map(|_| visit(random)).collect();
    let [q, s] = [&["a", "b", "c"], &["S1", "S2", "S3"]].map(|values| *random.pick(values));
    json!({ "id": format!("p{number}"), "q": q, "s": s, "v": visits })
}

fn visit(random: &mut Random) -> Value {
    json!({ "w": random.pick(&["k", "l"]), "d": random.pick(&["D1", "D2", "D3", "D4"]) })
}

/// Changes a release.
fn tamper(random: &mut Random, release: &mut Vec<Value>, people: &[Value]) {
    if release.is_empty() {
        return;
    }
    let [one, other] = [0, 1].map(|_| random.below(release.len()));
    let from_other = release[other].clone();
    let Some(record) = release[one].as_object_mut() else { return };
    let name = *random.pick(&["q", "s"]);
    match random.below(11) {
        0 => drop(release.remove(one)),
        1 => release.push(from_other),
        2 => release[one] = from_other,
        3 => set(record, name, from_other[name].clone()),
        4 => set(record, name, random.pick(people)[name].clone()),
        5 => set(record, name, (*random.pick(&["*", "", "x", "a\u{200b}"])).into()),
        6 => drop(record.remove(*random.pick(&["q", "s", "v"]))),
        7 => set(record, "id", random.pick(people)["id"].clone()),
        8 => set(record, "v", from_other["v"].clone()),
        _ => {
            let visit = visit(random);
            let visits = record.entry("v").or_insert_with(|| json!([]));
            let Some(visits) = visits.as_array_mut() else { return };
            match random.below(3) {
                0 => drop(visits.pop()),
                1 => visits.push(visit),
                _ => {
                    let name = *random.pick(&["w", "d"]);
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
