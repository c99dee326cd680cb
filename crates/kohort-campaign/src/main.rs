//! Campaigns against the program: `campaign PROGRAM --minutes N [--seed S] [--only NAME] [--findings DIR]`,
//! and files for a fuzzer to begin with: `campaign PROGRAM --corpus DIR`.
//!
//! Whatever is in doubt is decided by plain definitions that share nothing with the program. The exit
//! status is 1 where something was found, and each finding leaves a folder that reproduces it.

#![expect(clippy::disallowed_methods, reason = "a campaign has a clock and opens files of its own")]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a campaign says what it found")]

mod campaign;
mod case;
mod corpus;
mod differential;
mod ends;
mod files;
mod findings;
mod kills;
mod made_up;
mod nested;
mod plain;
mod program;
mod promise;
mod races;
mod random;
mod series;
mod stays;
mod tampering;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use campaign::Campaign;
use files::Failure;

/// A kind of campaign: its name, one round of it, and the rounds of a short run.
type Kind = (&'static str, fn(&mut Campaign, u64) -> Result<(), Failure>, u64);

const KINDS: [Kind; 6] = [
    ("differential", differential::round, 300),
    ("tampering", tampering::round, 40),
    ("nested", nested::round, 30),
    ("series", series::round, 6),
    ("races", races::round, 9),
    ("kills", kills::round, kills::N_DEEDS),
];

/// What was asked for.
struct Asked {
    program: PathBuf,
    // A short run of fixed rounds when left out.
    minutes: Option<u64>,
    seed: u64,
    only: Option<String>,
    // The one round to repeat.
    round: Option<u64>,
    findings: PathBuf,
    lists_refusals: bool,
    // Where to write files for a fuzzer, and nothing else.
    corpus: Option<PathBuf>,
}

impl Asked {
    fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, Failure> {
        let mut asked = Self {
            program: PathBuf::new(),
            minutes: None,
            seed: 1,
            only: None,
            round: None,
            findings: "findings".into(),
            lists_refusals: false,
            corpus: None,
        };
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("`{word}` needs a value"));
            match word.as_str() {
                "--minutes" => asked.minutes = Some(value()?.parse()?),
                "--seed" => asked.seed = value()?.parse()?,
                "--round" => asked.round = Some(value()?.parse()?),
                "--only" => asked.only = Some(value()?),
                "--findings" => asked.findings = value()?.into(),
                "--corpus" => asked.corpus = Some(value()?.into()),
                "--refusals" => asked.lists_refusals = true,
                _ if word.starts_with('-') => return Err(format!("unknown flag `{word}`").into()),
                _ => asked.program = word.into(),
            }
        }
        let names = KINDS.map(|(name, ..)| name);
        match &asked.only {
            Some(only) if !names.contains(&only.as_str()) => {
                Err(format!("`--only` must be one of {}, but is {only}", names.join(", ")).into())
            }
            _ => Ok(asked),
        }
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::from(2)
        }
    }
}

/// Runs what was asked for; whether nothing was found.
fn run() -> Result<bool, Failure> {
    let asked = Asked::parse(std::env::args().skip(1))?;
    let mut campaign = Campaign::new(&asked.program, asked.seed, &asked.findings)?;
    if let Some(folder) = &asked.corpus {
        return corpus::write(&campaign, folder).map(|()| true);
    }
    let is_asked = |name: &str| asked.only.as_ref().is_none_or(|only| only == name);
    let kinds: Vec<Kind> = KINDS.into_iter().filter(|(name, ..)| is_asked(name)).collect();
    for (name, round, n_rounds) in &kinds {
        eprintln!("== {name}");
        if let Some(number) = asked.round {
            round(&mut campaign, number)?;
            continue;
        }
        let started = Instant::now();
        let share = u32::try_from(kinds.len())?;
        let time = asked.minutes.map(|minutes| Duration::from_secs(60 * minutes) / share);
        let is_over = |number: u64| match time {
            Some(time) => started.elapsed() >= time,
            None => number == *n_rounds,
        };
        let mut number = 0;
        while !is_over(number) {
            round(&mut campaign, number)?;
            number += 1;
        }
    }
    if asked.lists_refusals {
        campaign.refusals().for_each(|(text, n)| eprintln!("{n:>9} {text}"));
    }
    println!("seed {}\n{}", asked.seed, campaign.findings.summary());
    Ok(campaign.findings.total() == 0)
}
