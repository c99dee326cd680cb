//! A case: a random table, a plan, and how the release is made.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use crate::files::{self, Failure, Rows};
use crate::plain::Fraction;
use crate::plain::cells::{Buckets, Column, Kind, Missing, Role, Tree};
use crate::promise::{Model, Promise};

/// The line of a plan's `[method]` that turns the transparent mode off.
pub(crate) const OPAQUE: &str = "transparent = false";

/// A table, what is promised of its release, and how that is made.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) columns: Vec<Column>,
    pub(crate) table: Rows,
    pub(crate) promises: Vec<Promise>,
    /// The share of rows that may be dropped, in hundredths.
    pub(crate) suppression: Option<usize>,
    pub(crate) algorithm: String,
    /// Further lines of the plan's `[method]`.
    pub(crate) method: Vec<String>,
    /// Further lines of the plan's `[output]`.
    pub(crate) output: Vec<String>,
    /// The ends of the names of input and release.
    pub(crate) formats: [String; 2],
}

impl Case {
    /// The name of the release.
    pub(crate) fn release(&self) -> String {
        format!("release.{}", self.formats[1])
    }

    /// The name of the original.
    pub(crate) fn original(&self) -> String {
        format!("original.{}", self.formats[0])
    }

    /// The name of the second file of an anatomized release.
    pub(crate) fn values(&self) -> String {
        format!("release.sensitive.{}", self.formats[1])
    }

    /// Whether there may be suppressed rows, and they stay in the release.
    pub(crate) fn keeps_suppressed(&self) -> bool {
        self.suppression.is_some() && self.output.iter().any(|line| line.contains("keep"))
    }

    /// Writes table, taxonomies and plan into a folder.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), Failure> {
        let whole = self.columns.iter().filter(|column| column.kind == Kind::Integer);
        let whole: Vec<&str> = whole.map(|column| column.name.as_str()).collect();
        files::write(&folder.join(self.original()), &self.table, &whole)?;
        for (number, column) in self.columns.iter().enumerate() {
            if let Tree::Levels(levels) = &column.tree {
                std::fs::write(folder.join(format!("tree-{number}.csv")), arx(levels)?)?;
            }
        }
        for promise in &self.promises {
            if let Model::DeltaPresence { people, .. } | Model::KMap { people, .. } = &promise.model
            {
                files::write(&folder.join("people.csv"), people, &[])?;
            }
        }
        std::fs::write(folder.join("plan.toml"), self.plan())?;
        Ok(())
    }

    /// The plan as TOML.
    pub(crate) fn plan(&self) -> String {
        let mut plan = format!("input = {}\n\n[attributes]\n", quoted(&self.original()));
        for (number, column) in self.columns.iter().enumerate() {
            let _ = writeln!(plan, "{} = {}", quoted(&column.name), attribute(number, column));
        }
        plan += "\n[goal]\n";
        let mut goals: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for promise in &self.promises {
            let (key, value) = promise.toml();
            goals.entry(key).or_default().push(value);
        }
        for (key, values) in goals {
            let value = match values.as_slice() {
                [one] => one.clone(),
                several => format!("[{}]", several.join(", ")),
            };
            let _ = writeln!(plan, "{key} = {value}");
        }
        if let Some(suppression) = self.suppression {
            let _ = writeln!(plan, "suppression = {}", decimal(Fraction::hundredths(suppression)));
        }
        let _ = write!(plan, "\n[method]\nalgorithm = {}\n", quoted(&self.algorithm));
        for line in &self.method {
            let _ = writeln!(plan, "{line}");
        }
        let _ = write!(plan, "\n[output]\nrelease = {}\n", quoted(&self.release()));
        for line in &self.output {
            let _ = writeln!(plan, "{line}");
        }
        plan
    }
}

fn attribute(number: usize, column: &Column) -> String {
    let role = match column.role {
        Role::Identifier => "identifier",
        Role::Quasi => "quasi",
        Role::Sensitive => "sensitive",
        Role::Insensitive => "insensitive",
    };
    let kind = match column.kind {
        Kind::Integer => "integer",
        Kind::Decimal => "decimal",
        Kind::Date => "date",
        Kind::Text => "text",
    };
    let mut text = format!("{{ role = \"{role}\", type = \"{kind}\"");
    match &column.tree {
        Tree::Flat => {}
        Tree::Mask => text += ", taxonomy = \"mask\"",
        Tree::Calendar => text += ", taxonomy = [\"month\", \"quarter\", \"year\"]",
        Tree::Widths(widths) => {
            let _ = write!(text, ", taxonomy = {{ widths = {widths:?} }}");
        }
        Tree::Levels(_) => {
            let _ = write!(text, ", taxonomy = \"tree-{number}.csv\"");
        }
    }
    match &column.buckets {
        Buckets::None => {}
        Buckets::Cuts(cuts) => {
            let _ = write!(text, ", buckets = {{ cuts = {cuts:?} }}");
        }
        Buckets::Level(level) => {
            let _ = write!(text, ", buckets = {{ level = {level} }}");
        }
    }
    if column.role == Role::Sensitive {
        let missing = match column.missing {
            Missing::Ignored => "ignored",
            Missing::Value => "value",
            Missing::Unprotected => "unprotected",
        };
        let _ = write!(text, ", missing = \"{missing}\"");
    }
    text + " }"
}

impl Promise {
    /// The field of a plan's goal, and what is written there.
    fn toml(&self) -> (&'static str, String) {
        let of = |fields: Vec<(&str, String)>| {
            let mut all: Vec<String> =
                fields.into_iter().map(|(name, value)| format!("{name} = {value}")).collect();
            all.extend(self.attribute.iter().map(|name| format!("attribute = {}", quoted(name))));
            format!("{{ {} }}", all.join(", "))
        };
        let number = |n: usize| n.to_string();
        let value = match &self.model {
            Model::KAnonymity { k } => number(*k),
            Model::LPdiversity { l } | Model::LMdiversity { l } => number(*l),
            Model::AverageRisk { p } | Model::SampleUniqueness { p } => decimal(*p),
            Model::DistinctL { l } => of(vec![("l", number(*l))]),
            Model::FrequencyL { l } | Model::EntropyL { l } => of(vec![("l", decimal(*l))]),
            Model::RecursiveCl { c, l } => of(vec![("c", decimal(*c)), ("l", number(*l))]),
            Model::AlphaK { alpha, k, values } => {
                let mut fields = vec![("alpha", decimal(*alpha)), ("k", number(*k))];
                fields.extend(values.as_ref().map(|values| ("values", list(values))));
                of(fields)
            }
            Model::PSensitiveK { p, k } => of(vec![("p", number(*p)), ("k", number(*k))]),
            Model::Lkc { l, k, c, values } => {
                let mut fields = vec![("l", number(*l)), ("k", number(*k)), ("c", decimal(*c))];
                fields.extend(values.as_ref().map(|values| ("values", list(values))));
                of(fields)
            }
            Model::SensitivityClasses { high, alpha, l, l_low } => {
                let mut fields = vec![("high", list(high)), ("alpha", decimal(*alpha))];
                fields.extend(l.map(|l| ("l", decimal(l))));
                fields.extend(l_low.map(|l| ("l-low", decimal(l))));
                of(fields)
            }
            Model::Personalized { p, guards } => {
                let pair = |(value, node): (&String, &String)| {
                    format!("{} = {}", quoted(value), quoted(node))
                };
                let guards: Vec<String> = guards.iter().map(pair).collect();
                of(vec![("p", decimal(*p)), ("guards", format!("{{ {} }}", guards.join(", ")))])
            }
            Model::Ke { k, e } => of(vec![("k", number(*k)), ("e", number(*e))]),
            Model::EpsilonM { epsilon, m, is_relative } => of(vec![
                ("epsilon", decimal(*epsilon)),
                ("m", number(*m)),
                ("relative", is_relative.to_string()),
            ]),
            Model::TCloseness { t, distance } => {
                of(vec![("t", decimal(*t)), ("distance", quoted(distance.name()))])
            }
            Model::BasicBeta { beta } | Model::EnhancedBeta { beta } => {
                of(vec![("beta", decimal(*beta))])
            }
            Model::DeltaDisclosure { delta } => of(vec![("delta", decimal(*delta))]),
            Model::KMap { .. }
            | Model::EstimatedKMap { .. }
            | Model::PopulationUniqueness { .. }
            | Model::DeltaPresence { .. } => of(self.model.of_population()),
        };
        (self.model.id(), value)
    }
}

impl Model {
    /// The fields of a model that is about a population.
    fn of_population(&self) -> Vec<(&'static str, String)> {
        let public = || ("public", "\"people.csv\"".to_owned());
        match self {
            Self::KMap { k, .. } => vec![("k", k.to_string()), public()],
            Self::EstimatedKMap { k, fraction, significance } => vec![
                ("k", k.to_string()),
                ("sampling-fraction", decimal(*fraction)),
                ("significance", decimal(*significance)),
            ],
            Self::PopulationUniqueness { p, fraction } => {
                vec![("p", decimal(*p)), ("sampling-fraction", decimal(*fraction))]
            }
            Self::DeltaPresence { min, max, .. } => {
                vec![("min", decimal(*min)), ("max", decimal(*max)), public()]
            }
            _ => Vec::new(),
        }
    }

    /// The id that the program lists it by.
    pub(crate) fn id(&self) -> &'static str {
        match self {
            Self::KAnonymity { .. } => "k-anonymity",
            Self::AverageRisk { .. } => "average-risk",
            Self::SampleUniqueness { .. } => "sample-uniqueness",
            Self::KMap { .. } | Self::EstimatedKMap { .. } => "k-map",
            Self::PopulationUniqueness { .. } => "population-uniqueness",
            Self::DistinctL { .. } => "distinct-l-diversity",
            Self::FrequencyL { .. } => "frequency-l-diversity",
            Self::EntropyL { .. } => "entropy-l-diversity",
            Self::RecursiveCl { .. } => "recursive-cl-diversity",
            Self::AlphaK { .. } => "alpha-k-anonymity",
            Self::PSensitiveK { .. } => "p-sensitive-k-anonymity",
            Self::LPdiversity { .. } => "l-pdiversity",
            Self::LMdiversity { .. } => "l-mdiversity",
            Self::Lkc { .. } => "lkc-privacy",
            Self::SensitivityClasses { .. } => "sensitivity-classes",
            Self::Personalized { .. } => "personalized-privacy",
            Self::Ke { .. } => "ke-anonymity",
            Self::EpsilonM { .. } => "epsilon-m-anonymity",
            Self::TCloseness { .. } => "t-closeness",
            Self::BasicBeta { .. } => "basic-beta-likeness",
            Self::EnhancedBeta { .. } => "enhanced-beta-likeness",
            Self::DeltaDisclosure { .. } => "delta-disclosure-privacy",
            Self::DeltaPresence { .. } => "delta-presence",
        }
    }
}

/// A number as a plan has it.
fn decimal(fraction: Fraction) -> String {
    if fraction.num.is_multiple_of(fraction.den) {
        return (fraction.num / fraction.den).to_string();
    }
    fraction.value().to_string()
}

/// A text of TOML: its basic strings are escaped as those of JSON are.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn list(values: &[String]) -> String {
    let quoted: Vec<String> = values.iter().map(|value| quoted(value)).collect();
    format!("[{}]", quoted.join(", "))
}

/// A taxonomy in ARX's layout.
pub(crate) fn arx(levels: &BTreeMap<String, Vec<String>>) -> Result<Vec<u8>, Failure> {
    let mut writer = csv::WriterBuilder::new().delimiter(b';').from_writer(Vec::new());
    for (value, above) in levels {
        writer.write_record(std::iter::once(value).chain(above))?;
    }
    Ok(writer.into_inner()?)
}
