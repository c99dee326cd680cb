//! What all campaigns share: the program, its lists, the seed, the findings.

use std::collections::BTreeMap;
use std::path::Path;

use crate::files::Failure;
use crate::findings::{Finding, Findings};
use crate::program::{Program, words};

/// A campaign under way.
pub(crate) struct Campaign {
    pub(crate) program: Program,
    pub(crate) seed: u64,
    pub(crate) findings: Findings,
    /// The ids of the models for tables that the program lists.
    pub(crate) models: Vec<String>,
    /// The algorithms for tables.
    pub(crate) algorithms: Vec<Algorithm>,
    /// The algorithms for records inside records that keep their goal.
    pub(crate) nested: Vec<Algorithm>,
    /// The ids of the methods for series.
    pub(crate) methods: Vec<String>,
    /// The ids of the attacks.
    pub(crate) attacks: Vec<String>,
    // How often each refusal was heard, by its first line.
    refusals: BTreeMap<String, u64>,
}

/// An algorithm that the program lists.
#[derive(Clone, Debug)]
pub(crate) struct Algorithm {
    pub(crate) id: String,
    pub(crate) is_unsafe: bool,
    pub(crate) is_truthful: bool,
}

impl Campaign {
    pub(crate) fn new(program: &Path, seed: u64, findings: &Path) -> Result<Self, Failure> {
        let program = Program::new(program)?;
        let list = |what: &str| -> Result<Vec<(String, String)>, Failure> {
            let ran = program.run(Path::new("."), &words(&["list", what, "--format", "json"]))?;
            let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
            let items = ran.json().as_array().cloned().unwrap_or_default();
            Ok(items.iter().map(|item| (text(&item["id"]), text(&item["facts"]))).collect())
        };
        let of_tables = |(id, facts): (String, String)| (!facts.starts_with("for ")).then_some(id);
        let models = list("models")?.into_iter().filter_map(of_tables).collect();
        let (nested, flat): (Vec<_>, Vec<_>) = (list("algorithms")?.into_iter())
            .partition(|(_, facts)| facts.contains("for nested records"));
        let keeps_goal = |(_, facts): &(String, String)| !facts.contains("unsafe");
        let algorithm = |(id, facts): (String, String)| Algorithm {
            id,
            is_unsafe: facts.contains("unsafe"),
            is_truthful: !facts.contains("not truthful"),
        };
        let methods = list("methods")?.into_iter().map(|(id, _)| id).collect();
        let attacks = list("attacks")?.into_iter().map(|(id, _)| id).collect();
        Ok(Self {
            methods,
            attacks,
            program,
            seed,
            findings: Findings::new(findings.to_owned()),
            models,
            algorithms: flat.into_iter().map(algorithm).collect(),
            nested: nested.into_iter().filter(keeps_goal).map(algorithm).collect(),
            refusals: BTreeMap::new(),
        })
    }

    /// Takes down that there is no plain definition of a model.
    pub(crate) fn unknown_model(&mut self, id: &str) -> Result<(), Failure> {
        let folder = tempfile::tempdir()?;
        let kind = format!("no plain definition of {id}");
        let details = "write one in `plain/`, and how it is asked for in `promise.rs`".to_owned();
        let commands = vec!["kohort list models".to_owned()];
        self.findings.add(&Finding { kind: &kind, details, files: folder.path(), commands })?;
        Ok(())
    }

    /// Counts a refusal.
    pub(crate) fn refused(&mut self, stderr: &str) {
        self.findings.count("plans refused", 1);
        let lines: Vec<&str> = stderr.lines().take(2).map(str::trim).collect();
        *self.refusals.entry(lines.join(" / ")).or_default() += 1;
    }

    /// The refusals, for a person to look at: a campaign that is refused tests nothing.
    pub(crate) fn refusals(&self) -> impl Iterator<Item = (&String, &u64)> {
        self.refusals.iter()
    }
}
