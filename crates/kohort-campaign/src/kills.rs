//! Interruptions at random moments: the state before or the state after, never a mixture, and nothing is
//! left.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::campaign::Campaign;
use crate::ends::{End, Interrupted, Place, interrupt};
use crate::files::Failure;
use crate::findings::{Finding, copy};
use crate::program::{Ran, spelled, words};
use crate::random::Random;
use crate::stays::{self, Version};

/// How often one prepared folder is interrupted: each time a copy of it.
const PER_FOLDER: u64 = 10;

/// What is interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    OneFile,
    TwoFiles,
    /// The first release, which makes the ledger, too.
    Begin,
    Publish,
    Rekey,
    Reseal,
    Forget,
    Migrate,
}

/// How many kinds of deeds there are: so many rounds interrupt each of them.
pub(crate) const N_DEEDS: u64 = DEEDS.len() as u64;

const DEEDS: [Deed; 8] = [
    Deed::OneFile,
    Deed::TwoFiles,
    Deed::Begin,
    Deed::Publish,
    Deed::Rekey,
    Deed::Reseal,
    Deed::Forget,
    Deed::Migrate,
];

/// A ledger of the first version, with three releases of a series `hospital`.
const VERSION_1: &[u8] = include_bytes!("../../kohort-ledger/tests/data/version-1.ledger");

/// How many tables there are.
const TABLES: usize = 2;

/// What is wrong with a folder after an interruption.
type Wrong = Option<&'static str>;

impl Deed {
    fn words(self) -> Vec<String> {
        match self {
            Self::OneFile => stays::anonymize("one", 2),
            Self::TwoFiles => stays::anonymize("two", 2),
            Self::Begin => stays::publish(1),
            Self::Publish => stays::publish(2),
            Self::Rekey => stays::rekey(),
            Self::Reseal => stays::reseal(),
            Self::Forget => stays::forget("p20"),
            // Whoever opens an old ledger migrates it.
            Self::Migrate => migrate(),
        }
    }

    /// What was done before.
    fn past(self) -> Option<Vec<String>> {
        match self {
            Self::OneFile => Some(stays::anonymize("one", 1)),
            Self::TwoFiles => Some(stays::anonymize("two", 1)),
            Self::Publish | Self::Rekey | Self::Reseal | Self::Forget => Some(stays::publish(1)),
            Self::Begin | Self::Migrate => None,
        }
    }

    /// What is wrong after an interruption in `folder`; `names` are the files after a run in peace.
    fn wrong(self, campaign: &Campaign, folder: &Path, names: &[String]) -> Result<Wrong, Failure> {
        match self {
            Self::OneFile | Self::TwoFiles => after_anonymize(campaign, self, folder, names),
            Self::Begin | Self::Publish => after_publish(campaign, self, folder),
            Self::Rekey | Self::Reseal => after_rekey(campaign, folder),
            Self::Forget => after_forget(campaign, folder),
            Self::Migrate => after_migration(campaign, folder),
        }
    }
}

/// Opens the ledger that was of the first version.
fn migrate() -> Vec<String> {
    let ledger = ["--ledger", "kohort.ledger", "--passphrase-file", "first.key"];
    words(&[["series", "check", "hospital", "--format", "json"].as_slice(), &ledger].concat())
}

/// One folder, and a command that is interrupted in copies of it.
pub(crate) fn round(campaign: &mut Campaign, number: u64) -> Result<(), Failure> {
    let mut random = Random::of_round(campaign.seed, number);
    let deed = DEEDS[usize::try_from(number % N_DEEDS)?];
    let prepared = tempfile::tempdir()?;
    let folder = prepared.path();
    stays::write(folder, &mut random, TABLES)?;
    match deed {
        Deed::Begin => std::fs::remove_file(folder.join("kohort.ledger"))?,
        Deed::Migrate => {
            std::fs::write(folder.join("kohort.ledger"), VERSION_1)?;
            std::fs::write(folder.join("first.key"), "correct horse\n")?;
        }
        _ => {}
    }
    if let Some(past) = deed.past() {
        let ran = campaign.program.run(folder, &past)?;
        if ran.code != Some(0) {
            return fail(campaign, "what comes before an interruption fails", &ran, folder, number);
        }
    }
    let undisturbed = tempfile::tempdir()?;
    copy(folder, undisturbed.path())?;
    let started = Instant::now();
    let ran = campaign.program.run(undisturbed.path(), &deed.words())?;
    let time = started.elapsed();
    if ran.code != Some(0) {
        return fail(campaign, "what is to be interrupted fails", &ran, folder, number);
    }
    let names = [stays::names(folder)?, stays::names(undisturbed.path())?];
    for _ in 0..PER_FOLDER {
        interrupt_once(campaign, deed, folder, &names, time, number, &mut random)?;
    }
    Ok(())
}

/// Interrupts a command once in a copy of a folder; `names` are the files before and after it.
fn interrupt_once(
    campaign: &mut Campaign,
    deed: Deed,
    prepared: &Path,
    names: &[Vec<String>; 2],
    time: Duration,
    number: u64,
    random: &mut Random,
) -> Result<(), Failure> {
    let end = End::any(random);
    let place = Place::new(end)?;
    let folder = place.path();
    copy(prepared, folder)?;
    let interrupted = interrupt(campaign, &place, &deed.words(), time, random)?;
    let is_late = matches!(interrupted, Interrupted::TooLate);
    campaign.findings.count(if is_late { "ended before a signal" } else { end.counted() }, 1);
    let ran = if let Interrupted::Ended(ran) = interrupted { Some(ran) } else { None };
    let mut wrong = ran.as_ref().and_then(Ran::crash).map(|_| "it crashes");
    // Who is killed cannot clean up.
    if wrong.is_none() && end != End::Kill && !is_clean(&stays::names(folder)?, deed, names) {
        wrong = Some("a file is left");
    }
    place.make_room()?;
    if wrong.is_none() {
        wrong = deed.wrong(campaign, folder, &names[1])?;
    }
    if let Some(wrong) = wrong {
        let kind = format!("{deed:?} interrupted: {wrong}");
        let said = ran.map(|ran| format!("exit {:?}\n{}\n{}", ran.code, ran.stdout, ran.stderr));
        let said = said.unwrap_or_default();
        let details = format!("seed {}, round {number}, {end:?}\n{said}", campaign.seed);
        let commands = vec![spelled(&deed.words())];
        campaign.findings.add(&Finding { kind: &kind, details, files: folder, commands })?;
    }
    Ok(())
}

/// Whether the files of a folder are those before a command or those after it.
fn is_clean(found: &[String], deed: Deed, names: &[Vec<String>; 2]) -> bool {
    // A journal is what the next use of the ledger undoes. A ledger without a series is a ledger.
    let is_new_ledger = |name: &str| deed == Deed::Begin && name == "kohort.ledger";
    let is_state = |name: &&String| !name.ends_with("-journal") && !is_new_ledger(name);
    let found: Vec<&String> = found.iter().filter(is_state).collect();
    names.iter().any(|names| names.iter().filter(is_state).eq(found.iter().copied()))
}

fn fail(
    campaign: &mut Campaign,
    kind: &str,
    ran: &Ran,
    files: &Path,
    number: u64,
) -> Result<(), Failure> {
    let details = format!("seed {}, round {number}\n{}", campaign.seed, ran.stderr);
    let commands = vec![ran.command.clone()];
    campaign.findings.add(&Finding { kind, details, files, commands })?;
    Ok(())
}

/// The release that was there or the whole other one; and what is left goes with the next release.
fn after_anonymize(
    campaign: &Campaign,
    deed: Deed,
    folder: &Path,
    names: &[String],
) -> Result<Wrong, Failure> {
    let before = stays::names(folder)?;
    let name = if deed == Deed::OneFile { "one" } else { "two" };
    let found = stays::version(folder, TABLES)?;
    let number = if found == Version::Of(2) { 2 } else { 1 };
    let (plan, original) = (format!("{name}-{number}.toml"), format!("stays-{number}.csv"));
    let verify = ["verify", "release.csv", "--plan", &plan, "--original", &original];
    let ran = campaign.program.run(folder, &words(&verify))?;
    let is_whole = matches!(found, Version::Of(_));
    if ran.crash().is_some() {
        return Ok(Some("verify crashes"));
    }
    if stays::names(folder)? != before {
        return Ok(Some("verify changes the folder"));
    }
    if ran.code == Some(0) && !is_whole {
        return Ok(Some("a mixture, and verify says yes"));
    }
    // Between two files verify may refuse, and does so as long as something lies aside.
    let is_aside = before.iter().any(|name| name.starts_with(".kohort-"));
    if ran.code != Some(0) && is_whole && !is_aside {
        return Ok(Some("verify rejects what is there"));
    }
    if !is_whole && (deed == Deed::OneFile || !is_aside) {
        return Ok(Some("a half release"));
    }
    let again = campaign.program.run(folder, &deed.words())?;
    if again.code != Some(0) || stays::version(folder, TABLES)? != Version::Of(2) {
        return Ok(Some("the next release fails"));
    }
    let is_clean = stays::names(folder)? == names;
    Ok((!is_clean).then_some("a file is left after the next release"))
}

/// Whether there is any file that the series did not make.
fn has_strangers(folder: &Path) -> Result<bool, Failure> {
    let names = stays::names(folder)?;
    Ok(names.iter().any(|name| name.starts_with('.') || name.contains("-journal")))
}

/// The number of releases on the books where these are right.
fn on_the_books(campaign: &Campaign, folder: &Path, key: &str) -> Result<Option<u64>, Failure> {
    let mut check = stays::check(key);
    check.extend(words(&["--format", "json"]));
    let ran = campaign.program.run(folder, &check)?;
    let is_right = ran.code == Some(0) && ran.crash().is_none();
    Ok(ran.json()[0]["entries"].as_u64().filter(|_| is_right))
}

/// Whether the books are right and have the releases of the folder.
fn agree(campaign: &Campaign, folder: &Path) -> Result<bool, Failure> {
    Ok(on_the_books(campaign, folder, "first.key")? == Some(stays::n_releases(folder)))
}

fn after_publish(campaign: &Campaign, deed: Deed, folder: &Path) -> Result<Wrong, Failure> {
    // A series that has not begun is in no ledger, and a ledger without a series may be there.
    let has_begun = deed == Deed::Publish || stays::n_releases(folder) > 0;
    if has_begun && !agree(campaign, folder)? {
        return Ok(Some("the books are wrong, or not those of the folder"));
    }
    let next = campaign.program.run(folder, &stays::publish(2))?;
    Ok(if next.code != Some(0) {
        Some("the next publish fails")
    } else if !agree(campaign, folder)? {
        Some("the books are wrong, or not those of the folder, after the next publish")
    } else if has_strangers(folder)? {
        Some("a file is left after the next publish")
    } else {
        None
    })
}

fn after_rekey(campaign: &Campaign, folder: &Path) -> Result<Wrong, Failure> {
    let found = ["first.key", "second.key"].map(|key| on_the_books(campaign, folder, key));
    let [first, second] = found;
    Ok(match [first?, second?] {
        [None, None] => Some("no key opens the ledger"),
        [Some(_), Some(_)] => Some("two keys open the ledger"),
        [None, Some(n)] | [Some(n), None] if n != 1 => Some("a release is lost"),
        _ if has_strangers(folder)? => Some("a file is left after the next use"),
        _ => None,
    })
}

fn after_forget(campaign: &Campaign, folder: &Path) -> Result<Wrong, Failure> {
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
    } else if has_strangers(folder)? {
        Some("a file is left after the next use")
    } else {
        None
    })
}

fn after_migration(campaign: &Campaign, folder: &Path) -> Result<Wrong, Failure> {
    let checked = campaign.program.run(folder, &migrate())?;
    if checked.code != Some(0) {
        return Ok(Some("the books are wrong"));
    }
    Ok(if checked.json()[0]["entries"] != 3 {
        Some("a release is lost")
    } else if has_strangers(folder)? {
        Some("a file is left after the next use")
    } else {
        None
    })
}
