//! Releases of random tables by every algorithm, for every model and in every format, recomputed by
//! plain definitions.

use std::path::Path;

use serde_json::Value;

use crate::campaign::{Algorithm, Campaign};
use crate::case::{Case, OPAQUE};
use crate::files::{self, Failure, Rows};
use crate::findings::Finding;
use crate::made_up::{self, is_anatomized};
use crate::plain::cells::Role;
use crate::plain::classes::{Shown, alike, joined, without_suppressed};
use crate::plain::fillings::Answer;
use crate::plain::{left_out, truth};
use crate::program::{Ran, words};
use crate::promise::{Promise, Scene};
use crate::random::Random;

/// One release of this many is attacked.
const EACH_ATTACKED: u64 = 5;

/// One release, made and recomputed.
pub(crate) fn round(campaign: &mut Campaign, number: u64) -> Result<(), Failure> {
    let mut random = Random::of_round(campaign.seed, number);
    // All pairs come up, in an order that goes through both lists quickly.
    let (n_models, n_algorithms) = (campaign.models.len(), campaign.algorithms.len());
    let pair = usize::try_from(number)? * 7919 % (n_models * n_algorithms);
    let model = campaign.models[pair % n_models].clone();
    let algorithm = campaign.algorithms[pair / n_models].clone();
    let mut case = made_up::case(&mut random, &algorithm.id, &model);
    if case.promises.is_empty() {
        return campaign.unknown_model(&model);
    }
    let folder = tempfile::tempdir()?;
    let made = made(campaign, &mut case, &algorithm, folder.path())?;
    let Some(ran) = made else { return Ok(()) };
    campaign.findings.count("releases recomputed", 1);
    let mut complaints = recompute(&case, &algorithm, &ran.json(), folder.path());
    let (original, release) = (case.original(), case.release());
    let ask =
        ["verify", &release, "--plan", "plan.toml", "--original", &original, "--format", "json"];
    let verdict = campaign.program.run(folder.path(), &words(&ask))?;
    if let Some(crash) = verdict.crash() {
        complaints.push(("verify crashes".into(), crash));
    } else if !algorithm.is_unsafe && verdict.code != Some(0) {
        let said = format!("{}\n{}", verdict.stdout, verdict.stderr);
        complaints.push((format!("verify rejects what {} made", algorithm.id), said));
    }
    let mut commands = vec![ran.command.clone(), verdict.command.clone()];
    if number.is_multiple_of(EACH_ATTACKED) && !algorithm.is_unsafe {
        let attacked = attacked(campaign, &case, folder.path())?;
        campaign.findings.count("releases attacked", 1);
        complaints.extend(complaint_of_attack(&attacked, &algorithm.id));
        commands.push(attacked.command);
    }
    for (kind, details) in complaints {
        let details = format!("seed {}, round {number}\n{details}", campaign.seed);
        let commands = commands.clone();
        campaign.findings.add(&Finding { kind: &kind, details, files: folder.path(), commands })?;
    }
    Ok(())
}

/// Attacks a release, by all means but to make it again for every guess, which takes minutes.
fn attacked(campaign: &Campaign, case: &Case, folder: &Path) -> Result<Ran, Failure> {
    let ids = campaign.attacks.iter().map(String::as_str);
    let only = ids.filter(|id| *id != "re-execution").collect::<Vec<_>>().join(",");
    let (original, release) = (case.original(), case.release());
    let mut ask = vec!["attack", &release, "--plan", "plan.toml", "--original", &original];
    ask.extend(["--only", &only, "--format", "json", "--quiet"]);
    Ok(campaign.program.run(folder, &words(&ask))?)
}

/// What is wrong with how an attack on a verified release ends: it crashes, or it refutes a promise without
/// knowing how the release was made.
fn complaint_of_attack(ran: &Ran, algorithm: &str) -> Option<(String, String)> {
    if let Some(crash) = ran.crash() {
        return Some(("attack crashes".into(), crash));
    }
    let said = ran.json();
    let mut attacks = said["attacks"].as_array().into_iter().flatten();
    let refutes = attacks.find(|of| of["verdict"] == "refuted" && of["id"] != "minimality")?;
    let kind = format!("{} refutes what {algorithm} made", refutes["id"].as_str()?);
    Some((kind, refutes.to_string()))
}

/// Makes a release; none where the program says no or refuses.
pub(crate) fn made(
    campaign: &mut Campaign,
    case: &mut Case,
    algorithm: &Algorithm,
    folder: &Path,
) -> Result<Option<Ran>, Failure> {
    case.write(folder)?;
    let mut ask = words(&["anonymize", "plan.toml", "--format", "json", "--quiet"]);
    if algorithm.is_unsafe {
        ask.push("--allow-unsafe".into());
    }
    let mut ran = campaign.program.run(folder, &ask)?;
    if ran.code == Some(2) && ran.stderr.contains("needs a goal of") {
        made_up::ask_for_diversity(case);
        case.write(folder)?;
        ran = campaign.program.run(folder, &ask)?;
    }
    let mut complaint = ran.crash().map(|crash| ("anonymize crashes".to_owned(), crash));
    match ran.code {
        Some(0) => {}
        Some(1) => {
            campaign.findings.count("goals called out of reach", 1);
            if folder.join(case.release()).exists() {
                complaint = Some(("a no leaves a release".into(), String::new()));
            } else if ran.stderr.contains("whom no released row covers") {
                // A method that recodes the whole domain chooses its node before it knows who is left out.
                campaign.findings.count("releases refused for who is left out", 1);
            } else if is_reached_by_one_class(case, algorithm) {
                let kind = format!("{} says no where one class keeps the goal", algorithm.id);
                complaint = Some((kind, format!("{}\n{}", ran.stdout, ran.stderr)));
            }
        }
        _ => campaign.refused(&ran.stderr),
    }
    if let Some((kind, details)) = complaint {
        let commands = vec![ran.command.clone()];
        campaign.findings.add(&Finding { kind: &kind, details, files: folder, commands })?;
        return Ok(None);
    }
    Ok((ran.code == Some(0)).then_some(ran))
}

/// Whether the rows that show nothing but their sensitive values keep every promise.
fn is_reached_by_one_class(case: &Case, algorithm: &Algorithm) -> bool {
    // Blocks that were chosen without a look at values may fail where one class does not.
    let may_be_transparent = !case.method.iter().any(|line| line == OPAQUE);
    let is_unable = algorithm.is_unsafe || !algorithm.is_truthful || is_anatomized(&algorithm.id);
    if is_unable || may_be_transparent {
        return false;
    }
    let mut release = case.table.clone();
    for (place, column) in case.columns.iter().enumerate() {
        if column.role == Role::Quasi {
            release.rows.iter_mut().for_each(|row| row[place] = "*".into());
        }
    }
    let Some(shown) = Shown::read(&case.columns, &release, &case.table, None) else { return false };
    let scene = Scene { columns: &case.columns, shown: &shown };
    case.promises.iter().all(|promise| promise.judge(&scene) == Answer::Holds)
}

/// The release in a folder as one table, and whether it has groups.
pub(crate) fn read_release(case: &Case, folder: &Path) -> Result<(Rows, bool), Failure> {
    let table = files::read(&folder.join(case.release()))?;
    let values = folder.join(case.values());
    if values.exists() {
        let table = joined(&table, &files::read(&values)?);
        return Ok((table.ok_or("the two files do not have as many rows in each group")?, true));
    }
    let is_anatomized = table.place("group").is_some();
    Ok((table, is_anatomized))
}

/// What is wrong with a release and with what the program says of it: kinds and details.
fn recompute(
    case: &Case,
    algorithm: &Algorithm,
    said: &Value,
    folder: &Path,
) -> Vec<(String, String)> {
    let (written, has_groups) = match read_release(case, folder) {
        Ok(found) => found,
        Err(problem) => {
            return vec![("a release that cannot be read".into(), problem.to_string())];
        }
    };
    let release = without_suppressed(&written, case.keeps_suppressed());
    let mut complaints = Vec::new();
    let group = has_groups.then_some("group");
    let Some(shown) = Shown::read(&case.columns, &release, &case.table, group) else {
        let header = format!("{:?}", release.header);
        return vec![("a column is not in the release".into(), header)];
    };
    let scene = Scene { columns: &case.columns, shown: &shown };
    for promise in &case.promises {
        let id = promise.model.id();
        let claims = claimed(said, id, promise.attribute.as_deref());
        let found = promise.judge(&scene);
        let details =
            || format!("{promise:?}\nthe program says {claims:?}, the definition {found:?}");
        match (claims, found) {
            (None, _) => complaints.push((format!("{id} is not judged"), details())),
            (Some(true), Answer::Broken) => {
                complaints.push((format!("{id} is said to hold"), details()));
            }
            (Some(false), Answer::Holds) => {
                complaints.push((format!("{id} is said to fail"), details()));
            }
            _ => {}
        }
        let is_kept = algorithm.is_unsafe || found != Answer::Broken;
        if !is_kept && claims != Some(true) {
            complaints.push((format!("{} breaks {id}", algorithm.id), details()));
        }
    }
    let answer = if !algorithm.is_truthful {
        Answer::Open
    } else if has_groups {
        truth::anatomized(&case.columns, &release, &case.table)
    } else {
        truth::generalized(&case.columns, &release, &case.table)
    };
    if answer == Answer::Broken {
        complaints.push((format!("{} is not truthful", algorithm.id), String::new()));
    }
    if !algorithm.is_unsafe {
        complaints.extend(left_out(case, algorithm, &release));
    }
    complaints.extend(figures(case, said, written.rows.len(), &shown));
    complaints
}

/// Promises about values that are broken by who is not in the release, as a class. What compares a class with
/// the table is not looked at: the class would be compared with itself.
fn left_out(case: &Case, algorithm: &Algorithm, release: &Rows) -> Vec<(String, String)> {
    let Some(rows) = left_out::rows(&case.columns, release, &case.table) else { return Vec::new() };
    if rows.rows.is_empty() {
        return Vec::new();
    }
    let Some(shown) = Shown::read(&case.columns, &rows, &case.table, None) else {
        return Vec::new();
    };
    let scene = Scene { columns: &case.columns, shown: &shown };
    let judged = case.promises.iter().filter(|promise| promise.model.is_about_values_alone());
    let broken = judged.filter(|promise| promise.judge(&scene) == Answer::Broken);
    let told = |promise: &Promise| {
        let kind = format!("who {} leaves out breaks {}", algorithm.id, promise.model.id());
        (kind, format!("{promise:?}\n{} people", rows.rows.len()))
    };
    broken.map(told).collect()
}

/// Whether the program says that a promise holds; none where it says nothing of it.
fn claimed(said: &Value, id: &str, attribute: Option<&str>) -> Option<bool> {
    let entries = said["goal"].as_array()?.iter();
    let about = entries.filter(|entry| {
        let named = entry["attribute"].as_str();
        entry["model"] == id && (attribute.is_none() || named.is_none() || named == attribute)
    });
    // What is said of who is left out is no word about the classes.
    let holds = |entry: &Value| {
        let is_of_left_out = entry["left_out"].is_number() && entry["violating_classes"] == 0;
        Some(entry["holds"].as_bool()? || is_of_left_out)
    };
    let verdicts: Vec<bool> = about.filter_map(holds).collect();
    (!verdicts.is_empty()).then(|| verdicts.iter().all(|&holds| holds))
}

/// Figures that the program states, against those of the release.
fn figures(case: &Case, said: &Value, n_written: usize, shown: &Shown) -> Vec<(String, String)> {
    let sizes: Vec<usize> = alike(&shown.quasi).iter().map(Vec::len).collect();
    let n_rows = case.table.rows.len();
    let n_dropped = n_rows - shown.quasi.len().min(n_rows);
    let figures = [
        ("rows_in", n_rows),
        ("rows_out", n_written),
        ("k", sizes.iter().copied().min().unwrap_or(0)),
        ("suppressed", n_dropped),
        ("classes", shown.classes.len()),
    ];
    let mut complaints: Vec<(String, String)> = figures
        .into_iter()
        .filter(|&(name, found)| said[name] != found)
        .map(|(name, found)| {
            let details = format!("the program says {}, the release has {found}", said[name]);
            (format!("another figure: {name}"), details)
        })
        .collect();
    if 100 * n_dropped > case.suppression.unwrap_or(0) * n_rows {
        complaints.push(("more rows dropped than may be".into(), format!("{n_dropped}")));
    }
    complaints
}
