//! Races: several processes write one target at once.

use std::path::Path;

use crate::campaign::Campaign;
use crate::files::Failure;
use crate::findings::Finding;
use crate::program::{spelled, wait};
use crate::random::Random;
use crate::stays::{self, Version};

/// One race of two to four processes.
pub(crate) fn round(campaign: &mut Campaign, number: u64) -> Result<(), Failure> {
    let mut random = Random::of_round(campaign.seed, number);
    let n_processes = random.between(2, 4);
    let folder = tempfile::tempdir()?;
    stays::write(folder.path(), &mut random, 1 + n_processes)?;
    let (asked, wrong) = match number % 3 {
        0 => anonymize(campaign, folder.path(), "two", n_processes)?,
        1 => anonymize(campaign, folder.path(), "one", n_processes)?,
        _ => publish(campaign, folder.path(), n_processes)?,
    };
    campaign.findings.count("races", 1);
    if let Some((kind, details)) = wrong {
        let details = format!("seed {}, round {number}\n{details}", campaign.seed);
        let mut commands: Vec<String> = asked.iter().map(|w| format!("{} &", spelled(w))).collect();
        commands.push("wait".into());
        campaign.findings.add(&Finding { kind: &kind, details, files: folder.path(), commands })?;
    }
    Ok(())
}

type Raced = (Vec<Vec<String>>, Option<(String, String)>);

/// Starts all at once; their exit statuses.
fn race(
    campaign: &Campaign,
    folder: &Path,
    asked: &[Vec<String>],
) -> Result<Vec<Option<i32>>, Failure> {
    let children: Result<Vec<_>, _> =
        asked.iter().map(|words| campaign.program.start(folder, words)).collect();
    let ends: Result<Vec<_>, _> = children?.into_iter().map(wait).collect();
    Ok(ends?.into_iter().map(|status| status.and_then(|status| status.code())).collect())
}

/// Releases of several tables to one target: what is left is one of them, whole.
fn anonymize(
    campaign: &Campaign,
    folder: &Path,
    plan: &str,
    n_processes: usize,
) -> Result<Raced, Failure> {
    let asked: Vec<Vec<String>> = (1..=n_processes).map(|n| stays::anonymize(plan, n)).collect();
    let before = stays::names(folder)?;
    let ends = race(campaign, folder, &asked)?;
    let after = stays::names(folder)?;
    let found = stays::version(folder, n_processes)?;
    let others = after.iter().filter(|name| !before.contains(name));
    let left: Vec<&String> = others.filter(|name| !name.starts_with("release.")).collect();
    let kind = if ends.iter().any(|end| !matches!(end, Some(0..=2))) {
        "a race ends in a crash"
    } else if ends.iter().all(|end| *end != Some(0)) {
        "nobody wins a race"
    } else if !left.is_empty() {
        "a race leaves a file"
    } else {
        match found {
            Version::Nothing => "a race leaves nothing",
            Version::Mixture(_) => "a race leaves a mixture",
            Version::Of(number) if ends[number - 1] != Some(0) => {
                "a race leaves what a process wrote that failed"
            }
            Version::Of(_) => return Ok((asked, None)),
        }
    };
    let details = format!("{plan}: exit statuses {ends:?}, left behind {left:?}, {found:?}");
    Ok((asked, Some((kind.into(), details))))
}

/// Releases of one series: each that is said to be published is on the books and in its place.
fn publish(campaign: &Campaign, folder: &Path, n_processes: usize) -> Result<Raced, Failure> {
    let ran = campaign.program.run(folder, &stays::publish(1))?;
    if ran.code != Some(0) {
        return Ok((vec![stays::publish(1)], Some(("a series cannot begin".into(), ran.stderr))));
    }
    let asked: Vec<Vec<String>> =
        (0..n_processes).map(|process| stays::publish(2 + process)).collect();
    let ends = race(campaign, folder, &asked)?;
    let n_said = 1 + u64::try_from(ends.iter().filter(|end| **end == Some(0)).count())?;
    let n_there = stays::n_releases(folder);
    let mut left = stays::names(folder)?;
    left.retain(|name| name.starts_with('.'));
    let checked = campaign.program.run(folder, &stays::check("first.key"))?;
    let kind = if ends.iter().any(|end| !matches!(end, Some(0..=2))) {
        "a race ends in a crash"
    } else if checked.code != Some(0) {
        "the books are wrong after a race"
    } else if n_said != n_there {
        "a race of publish loses a release"
    } else if !left.is_empty() {
        "a race leaves a file"
    } else {
        return Ok((asked, None));
    };
    let said = format!("{}\n{}", checked.stdout, checked.stderr);
    let details = format!("{ends:?}, {n_there} releases, left behind {left:?}\n{said}");
    Ok((asked, Some((kind.into(), details))))
}
