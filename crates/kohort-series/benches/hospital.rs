//! rho-different on the tables of `kohort demo --data hospital`: what each release loses, and what it takes.
//!
//! `cargo bench -p kohort-series --bench hospital -- tables=h rho=1/2` makes a release of each
//! `h/stays-N.csv` against `h/follows.csv`, in the order of N. Further arguments: `slack=1/2`,
//! `counterfeits=1` in a class at most, `each` for a line per release. Without tables it does nothing.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads its tables")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on fails")]
#![expect(clippy::cast_precision_loss, reason = "numbers of rows are small")]

use std::collections::BTreeMap;

use kohort_algorithms::Space;
use kohort_core::{
    ABSENT, Attribute, Codes, Column, Ctx, Dataset, Dictionary, Domain, History, Level, Missing,
    Ratio, Role, Table, Taxonomy, Tree,
};
use kohort_models::CellMetric;
use kohort_models::series::{Correlations, Reading, RhoDifferent, Smoothing};
use kohort_series::{Counterfeit, Next, RhoDifferentMaker, SeriesMethod, Turn};

const NAMES: [&str; 3] = ["born", "sex", "zip"];

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let text = |name: &str| args.iter().find_map(|arg| arg.strip_prefix(&format!("{name}=")));
    let Some(folder) = text("tables") else { return };
    let is_each = args.iter().any(|arg| arg == "each");
    let rho: Ratio = text("rho").unwrap_or("1/2").parse().unwrap();
    let mut values = Numbers::default();
    let lines = lines(&format!("{folder}/follows.csv")).unwrap();
    let pairs: Vec<(u32, u32, Ratio)> = (lines.iter())
        .map(|line| (values.of(&line[0]), values.of(&line[1]), line[2].parse().unwrap()))
        .collect();
    let correlations = Correlations::new(&pairs).unwrap();
    let mut maker = RhoDifferentMaker::new(rho, correlations.clone())
        .unwrap()
        .with_most_counterfeits(text("counterfeits").unwrap_or("1").parse().unwrap());
    if let Some(slack) = text("slack") {
        maker = maker.with_slack(slack.parse().unwrap()).unwrap();
    }
    let mut series = Series {
        maker,
        rho,
        correlations,
        values,
        people: Numbers::default(),
        history: History::default(),
        standing: Vec::new(),
        next_id: 0,
        losses: Vec::new(),
        n_held_back: 0,
        cpus: Vec::new(),
        highest: 0.0,
    };
    for release in 1.. {
        let Some(lines) = self::lines(&format!("{folder}/stays-{release}.csv")) else { break };
        let Some(line) = series.publish(release, &lines) else {
            return println!("{folder}, rho {rho}: release {release} is refused");
        };
        if is_each {
            println!("{line}");
        }
    }
    let Series { losses, n_held_back, standing, highest, cpus, .. } = series;
    let n = losses.len();
    println!(
        "{folder} rho {rho}: loss {:.1} ({:.1} first, {:.1} last), counterfeits {} at last, \
         held back {n_held_back}, highest {highest:.3}, cpu {:.2} to {:.2}",
        losses.iter().sum::<f64>() / n as f64,
        losses[0],
        losses[n - 1],
        standing.len(),
        cpus[0],
        cpus[n - 1],
    );
}

/// The releases so far.
struct Series {
    maker: RhoDifferentMaker,
    rho: Ratio,
    correlations: Correlations,
    values: Numbers,
    people: Numbers,
    history: History,
    standing: Vec<Counterfeit>,
    next_id: u32,
    losses: Vec<f64>,
    n_held_back: usize,
    cpus: Vec<f64>,
    highest: f64,
}

impl Series {
    /// Makes the next release, and says what it costs; nothing if it is refused.
    fn publish(&mut self, release: u64, lines: &[Vec<String>]) -> Option<String> {
        let person_of_row: Vec<u32> = lines.iter().map(|line| self.people.of(&line[0])).collect();
        let value_of_row: Vec<u32> = lines.iter().map(|line| self.values.of(&line[4])).collect();
        let data = dataset(lines);
        let space = Space::new(&data.quasi(), CellMetric::Ncp, &[1.0; 3]);
        self.history.n_values = u32::try_from(self.values.0.len()).unwrap();
        let turn = Turn {
            data: &data,
            space: &space,
            person_of_row: &person_of_row,
            value_of_row: &value_of_row,
            history: &self.history,
            seed: release,
        };
        let start = cpu_seconds();
        let standing = std::mem::take(&mut self.standing);
        let maker = self.maker.clone().with_standing(standing, self.next_id);
        let next = maker.make(&Ctx::quiet(), &turn).ok()?;
        let (cpu, loss) = (cpu_seconds() - start, 100.0 * loss(&turn, &next));
        let released = next.released(&turn);
        let n_classes = released.classes.len();
        self.history.releases.push(released);
        let smoothing = Smoothing::new(&self.history, &self.correlations, Reading::PROMISED);
        let everybody: Vec<u32> = (0..).take(self.history.n_people()).collect();
        let finding = RhoDifferent::new(self.rho).unwrap().judge(&smoothing, &everybody);
        assert!(finding.holds());
        self.highest = self.highest.max(finding.max_posterior);
        self.losses.push(loss);
        self.cpus.push(cpu);
        self.n_held_back += next.n_held_back();
        let line = format!(
            "{release} rows {} classes {n_classes} loss {loss:.2} counterfeits {} held back {} \
             highest {:.3} cpu {cpu:.2}",
            lines.len(),
            next.counterfeits.len(),
            next.n_held_back(),
            finding.max_posterior,
        );
        let used = next.counterfeits.iter().map(|counterfeit| counterfeit.id + 1);
        self.next_id = used.max().unwrap_or(0).max(self.next_id);
        self.standing = next.counterfeits;
        Some(line)
    }
}

/// Numbers for texts, in the order in which they come.
#[derive(Default)]
struct Numbers(BTreeMap<String, u32>);

impl Numbers {
    fn of(&mut self, text: &str) -> u32 {
        let next = u32::try_from(self.0.len()).unwrap();
        *self.0.entry(text.to_owned()).or_insert(next)
    }
}

/// The cells of a file without quotes, its head left out.
fn lines(path: &str) -> Option<Vec<Vec<String>>> {
    let text = std::fs::read_to_string(path).ok()?;
    Some(text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect())
}

/// User and system time of this process so far.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> =
        text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |index: usize| fields.get(index).and_then(|f| f.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

/// The mean loss of the rows that are shown.
fn loss(turn: &Turn<'_>, next: &Next) -> f64 {
    let quasi = turn.data.quasi();
    let mut boxes: BTreeMap<u32, ([u32; 3], [u32; 3], u32)> = BTreeMap::new();
    for (row, &class) in next.class_of_row.iter().enumerate().filter(|(_, c)| **c != ABSENT) {
        let (lo, hi, n) = boxes.entry(class).or_insert(([u32::MAX; 3], [0; 3], 0));
        for (axis, attribute) in quasi.iter().enumerate() {
            let code = attribute.codes().get(row);
            (lo[axis], hi[axis]) = (lo[axis].min(code), hi[axis].max(code));
        }
        *n += 1;
    }
    let n: u32 = boxes.values().map(|(.., n)| n).sum();
    let cost = boxes.values().map(|(lo, hi, n)| turn.space.cost(lo, hi) * f64::from(*n));
    cost.sum::<f64>() / f64::from(n)
}

fn dataset(lines: &[Vec<String>]) -> Dataset {
    let missing = Missing::default();
    let columns = (1..).zip(NAMES).map(|(at, name)| {
        let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
        for (number, line) in (2..).zip(lines) {
            codes.push(dictionary.intern(line[at].as_bytes(), number).unwrap());
        }
        Column::new(name.into(), dictionary, codes, &missing)
    });
    let table = Table::new("t".into(), columns.collect(), true, missing.clone());
    let attributes = NAMES.map(|name| {
        let column = table.column(name).unwrap();
        let domain = Domain::new(&table, column, None, &|_| false).unwrap();
        let tree = (name == "zip").then(|| masked(lines, &domain, column));
        Attribute::new(&table, name, Role::Quasi, domain, tree).unwrap()
    });
    Dataset::new(table, attributes.into()).unwrap()
}

/// The taxonomy of zip codes that lose their last digits.
fn masked(lines: &[Vec<String>], domain: &Domain, column: &Column) -> (Taxonomy, Vec<u32>) {
    let mut zips: Vec<&str> = lines.iter().map(|line| line[3].as_str()).collect();
    zips.sort_unstable();
    zips.dedup();
    let leaves: Vec<Option<u32>> = zips.iter().map(|zip| domain.find(zip, column)).collect();
    let level = |kept: usize| {
        let mut groups = Numbers::default();
        let group_of_leaf = zips.iter().map(|zip| groups.of(&zip[..kept])).collect();
        let mut labels = vec![String::new(); groups.0.len()];
        groups.0.into_iter().for_each(|(label, at)| labels[at as usize] = label);
        Level { group_of_leaf, labels }
    };
    let levels: Vec<Level> = (0..5).rev().map(level).collect();
    let n_values = u32::try_from(zips.len()).unwrap();
    let label = |leaf: usize| zips[leaf].to_owned();
    let tree = Tree {
        leaves: &leaves,
        label: &label,
        levels: &levels,
        n_values,
        missing: false,
        is_ordered: false,
    };
    Taxonomy::build(tree).unwrap()
}
