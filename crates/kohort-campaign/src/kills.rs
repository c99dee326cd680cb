//! Kills at random moments: the state before or the state after, never a mixture, and nothing is left.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::campaign::Campaign;
use crate::files::Failure;
use crate::findings::{Finding, copy};
use crate::program::{spelled, wait};
use crate::random::Random;
use crate::stays;

/// What is interrupted.
#[derive(Clone, Copy, Debug)]
enum Deed {
    OneFile,
    TwoFiles,
    Publish,
    Rekey,
    Forget,
}

/// How it is interrupted.
#[derive(Clone, Copy, Debug)]
enum End {
    /// At once.
    Kill,
    /// With a chance to clean up.
    Terminate,
    /// No file may be longer than so many blocks of 512 bytes.
    FileLimit(usize),
}

impl Deed {
    fn words(self) -> Vec<String> {
        match self {
            Self::OneFile => stays::anonymize("one.toml", 2),
            Self::TwoFiles => stays::anonymize("two.toml", 2),
            Self::Publish => stays::publish(2),
            Self::Rekey => stays::rekey(),
            Self::Forget => stays::forget("p20"),
        }
    }

    /// What was done before.
    fn past(self) -> Vec<Vec<String>> {
        match self {
            Self::OneFile => vec![stays::anonymize("one.toml", 1)],
            Self::TwoFiles => vec![stays::anonymize("two.toml", 1)],
            Self::Publish | Self::Rekey | Self::Forget => vec![stays::publish(1)],
        }
    }
}

/// One command, interrupted once.
pub(crate) fn round(campaign: &mut Campaign, number: u64) -> Result<(), Failure> {
    let mut random = Random::of_round(campaign.seed, number);
    let deeds = [Deed::OneFile, Deed::TwoFiles, Deed::Publish, Deed::Rekey, Deed::Forget];
    let deed = deeds[usize::try_from(number)? % deeds.len()];
    let folder = tempfile::tempdir()?;
    stays::write(folder.path(), &mut random, 2)?;
    for words in deed.past() {
        let ran = campaign.program.run(folder.path(), &words)?;
        if ran.code != Some(0) {
            let details = ran.stderr;
            let kind = "what comes before a kill fails";
            let commands = vec![ran.command];
            return Ok(campaign.findings.add(&Finding {
                kind,
                details,
                files: folder.path(),
                commands,
            })?);
        }
    }
    let undisturbed = tempfile::tempdir()?;
    copy(folder.path(), undisturbed.path())?;
    let started = Instant::now();
    campaign.program.run(undisturbed.path(), &deed.words())?;
    let time = started.elapsed();
    let end = match random.below(8) {
        0 => End::Terminate,
        1 if cfg!(unix) => End::FileLimit(random.between(0, 120)),
        _ => End::Kill,
    };
    interrupt(campaign, folder.path(), &deed.words(), end, time, &mut random)?;
    campaign.findings.count("kills", 1);
    let wrong = match deed {
        Deed::OneFile | Deed::TwoFiles => {
            after_anonymize(campaign, deed, end, folder.path(), undisturbed.path())?
        }
        Deed::Publish => after_publish(campaign, folder.path())?,
        Deed::Rekey => after_rekey(campaign, folder.path())?,
        Deed::Forget => after_forget(campaign, folder.path())?,
    };
    if let Some(wrong) = wrong {
        let kind = format!("{deed:?} interrupted: {wrong}");
        let details = format!("seed {}, round {number}, {end:?}", campaign.seed);
        let commands = vec![spelled(&deed.words())];
        campaign.findings.add(&Finding { kind: &kind, details, files: folder.path(), commands })?;
    }
    Ok(())
}

/// Runs a command, and ends it at a random moment.
fn interrupt(
    campaign: &Campaign,
    folder: &Path,
    words: &[String],
    end: End,
    time: Duration,
    random: &mut Random,
) -> Result<(), Failure> {
    if let End::FileLimit(blocks) = end {
        let program = campaign.program.command(folder, words);
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("ulimit -f {blocks}; exec \"$0\" \"$@\"")]);
        shell.arg(program.get_program()).args(program.get_args()).current_dir(folder);
        shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        wait(shell.spawn()?)?;
        return Ok(());
    }
    let mut child = campaign.program.start(folder, words)?;
    // The last part is where files are put in place.
    let percent =
        u32::try_from(if random.percent(70) { random.between(60, 110) } else { random.below(60) })?;
    std::thread::sleep(time * percent / 100);
    match end {
        End::Terminate => {
            let kill = format!("kill -TERM {} 2> /dev/null", child.id());
            Command::new("sh").args(["-c", &kill]).status()?;
        }
        _ => child.kill()?,
    }
    wait(child)?;
    Ok(())
}

/// The release that was there or the whole other one; and what is left goes with the next release.
fn after_anonymize(
    campaign: &Campaign,
    deed: Deed,
    end: End,
    folder: &Path,
    undisturbed: &Path,
) -> Result<Option<&'static str>, Failure> {
    let before = tempfile::tempdir()?;
    copy(folder, before.path())?;
    for name in ["release.csv", "release.sensitive.csv"] {
        let _ = std::fs::remove_file(before.path().join(name));
    }
    for words in deed.past() {
        campaign.program.run(before.path(), &words)?;
    }
    let versions = [before.path(), undisturbed]
        .map(|folder| stays::contents(folder).map(|contents| stays::release(&contents)));
    let [old, new] = versions;
    let (old, new) = (old?, new?);
    if matches!(end, End::Terminate) {
        let names: Vec<String> = stays::contents(folder)?.into_keys().collect();
        if names != stays::contents(undisturbed)?.into_keys().collect::<Vec<_>>() {
            return Ok(Some("a file is left after SIGTERM"));
        }
    }
    let plan = if matches!(deed, Deed::OneFile) { "one.toml" } else { "two.toml" };
    let verify = ["verify", "release.csv", "--plan", plan, "--original", "stays-1.csv"];
    let ran = campaign.program.run(folder, &crate::program::words(&verify))?;
    let found = stays::release(&stays::contents(folder)?);
    let is_one = found == old || found == new;
    if ran.crash().is_some() {
        return Ok(Some("verify crashes"));
    }
    if ran.code == Some(0) && !is_one {
        return Ok(Some("a mixture, and verify says yes"));
    }
    if ran.code != Some(0) && is_one {
        return Ok(Some("verify rejects what is there"));
    }
    if !is_one && matches!(deed, Deed::OneFile) {
        return Ok(Some("a half release"));
    }
    let again = campaign.program.run(folder, &deed.words())?;
    let after = stays::contents(folder)?;
    if again.code != Some(0) || stays::release(&after) != new {
        return Ok(Some("the next release fails"));
    }
    let names: Vec<String> = after.into_keys().collect();
    let is_clean = names == stays::contents(undisturbed)?.into_keys().collect::<Vec<_>>();
    Ok((!is_clean).then_some("a file is left after the next release"))
}

/// The releases in a folder, and whether there is any file that the series did not make.
fn releases(folder: &Path) -> Result<(usize, bool), Failure> {
    let contents = stays::contents(folder)?;
    let n = stays::n_releases(&contents);
    let strange = contents.keys().any(|name| name.starts_with('.') || name.contains("-journal"));
    Ok((n, strange))
}

/// The number of releases on the books.
fn on_the_books(campaign: &Campaign, folder: &Path, key: &str) -> Result<Option<usize>, Failure> {
    let ran = campaign.program.run(folder, &stays::show(key))?;
    Ok(ran.json()["releases"].as_array().map(Vec::len))
}

fn after_publish(campaign: &Campaign, folder: &Path) -> Result<Option<&'static str>, Failure> {
    let checked = campaign.program.run(folder, &stays::check("first.key"))?;
    if checked.code != Some(0) {
        return Ok(Some("the books are wrong"));
    }
    if on_the_books(campaign, folder, "first.key")? != Some(releases(folder)?.0) {
        return Ok(Some("the books and the folder differ"));
    }
    let next = campaign.program.run(folder, &stays::publish(2))?;
    let (n, strange) = releases(folder)?;
    let is_said = next.code == Some(0);
    Ok(if next.crash().is_some() || !is_said {
        Some("the next publish fails")
    } else if on_the_books(campaign, folder, "first.key")? != Some(n) {
        Some("the books and the folder differ after the next publish")
    } else if strange {
        Some("a file is left after the next publish")
    } else {
        None
    })
}

fn after_rekey(campaign: &Campaign, folder: &Path) -> Result<Option<&'static str>, Failure> {
    let mut opens = [false; 2];
    for (opens, key) in opens.iter_mut().zip(["first.key", "second.key"]) {
        let ran = campaign.program.run(folder, &stays::check(key))?;
        *opens = ran.code == Some(0);
        if ran.crash().is_some() {
            return Ok(Some("check crashes"));
        }
    }
    Ok(match opens {
        [false, false] => Some("no key opens the ledger"),
        [true, true] => Some("two keys open the ledger"),
        _ if releases(folder)?.1 => Some("a file is left"),
        _ => None,
    })
}

fn after_forget(campaign: &Campaign, folder: &Path) -> Result<Option<&'static str>, Failure> {
    let checked = campaign.program.run(folder, &stays::check("first.key"))?;
    if checked.code != Some(0) {
        return Ok(Some("the books are wrong"));
    }
    let again = campaign.program.run(folder, &stays::forget("p20"))?;
    let checked = campaign.program.run(folder, &stays::check("first.key"))?;
    Ok(if again.crash().is_some() {
        Some("forget crashes")
    } else if checked.code != Some(0) {
        Some("the books are wrong after forgetting again")
    } else if releases(folder)?.1 {
        Some("a file is left")
    } else {
        None
    })
}
