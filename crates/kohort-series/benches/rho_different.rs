//! rho-different over many releases: seconds of the clock and of the processors, classes, loss, counterfeits, rows held back, highest belief.
//!
//! `cargo bench -p kohort-series --bench rho_different -- people=100000 releases=10 values=50 rho=1/4`
//! makes up people who come, go, return and whose values follow a table of correlations in which a value
//! stays with 0.6 and becomes another with 0.2. Further arguments: `permanent=2` values never change,
//! `counterfeits=1` in a class at most, `slack=1/6`, `churn=0.1` of the people each time.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on fails")]
#![expect(clippy::cast_precision_loss, reason = "numbers of rows are small")]
#![expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "shares are 0 to 1")]

use std::time::Instant;

use kohort_algorithms::{Draw, Space};
use kohort_core::{
    ABSENT, Attribute, Codes, Column, Ctx, Dataset, Dictionary, Domain, History, Missing, Ratio,
    Role, Table,
};
use kohort_models::CellMetric;
use kohort_models::series::{Correlations, Reading, RhoDifferent, Smoothing};
use kohort_series::{Next, RhoDifferentMaker, SeriesMethod, Turn};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let text = |name: &str, default: &str| {
        let found = args.iter().find_map(|arg| arg.strip_prefix(&format!("{name}=")));
        found.unwrap_or(default).to_owned()
    };
    // Without arguments it is a smoke test.
    let is_smoke = !args.iter().any(|arg| arg.contains('='));
    let people: usize = text("people", if is_smoke { "2000" } else { "100000" }).parse().unwrap();
    let releases: u64 = text("releases", if is_smoke { "3" } else { "10" }).parse().unwrap();
    let n_values: u32 = text("values", "50").parse().unwrap();
    let churn: f64 = text("churn", "0.1").parse().unwrap();
    let rho: Ratio = text("rho", "1/4").parse().unwrap();
    let n_permanent: u32 = text("permanent", "0").parse().unwrap();
    let correlations = correlations(n_values, n_permanent);
    let maker = RhoDifferentMaker::new(rho, correlations.clone())
        .unwrap()
        .with_most_counterfeits(text("counterfeits", "1").parse().unwrap())
        .with_slack(text("slack", "1/6").parse().unwrap())
        .unwrap();
    let (mut town, mut standing, mut next_id) = (Town::new(people, n_values), Vec::new(), 0);
    let mut history = History { n_values, releases: Vec::new() };
    println!("release rows wall cpu loss% classes highest judge-cpu counterfeits held-back");
    for release in 0..releases {
        if release > 0 {
            town.move_on(&correlations, churn);
        }
        let rows = town.rows();
        let data = dataset(&rows.iter().map(|&p| town.quasi[p as usize]).collect::<Vec<_>>());
        let space = Space::new(&data.quasi(), CellMetric::Ncp, &[1.0; 4]);
        let values: Vec<u32> = rows.iter().map(|&person| town.value[person as usize]).collect();
        let turn = Turn {
            data: &data,
            space: &space,
            person_of_row: &rows,
            value_of_row: &values,
            history: &history,
            secret: [release.to_le_bytes()[0]; 32],
        };
        let maker = maker.clone().with_standing(standing, next_id);
        let (start, cpu) = (Instant::now(), cpu_seconds());
        let next = match maker.make(&Ctx::quiet(), &turn) {
            Ok(next) => next,
            Err(failure) => return println!("{release}: {failure:?}"),
        };
        let (wall, cpu) = (start.elapsed().as_secs_f64(), cpu_seconds() - cpu);
        let released = next.released(&turn);
        let loss = loss(&turn, &next);
        history.releases.push(released);
        print!("{} {} {wall:.2} {cpu:.2} {:.2} ", release + 1, rows.len(), loss * 100.0);
        print_finding(&history, &correlations, rho);
        println!(" {} {}", next.counterfeits.len(), next.n_held_back());
        let used = next.counterfeits.iter().map(|counterfeit| counterfeit.id + 1);
        next_id = used.max().unwrap_or(0).max(next_id);
        standing = next.counterfeits;
    }
}

/// What the model finds in a history.
fn print_finding(history: &History, correlations: &Correlations, rho: Ratio) {
    let start = cpu_seconds();
    let smoothing = Smoothing::new(history, correlations, Reading::PROMISED);
    let everybody: Vec<u32> = (0..).take(history.n_people()).collect();
    let finding = RhoDifferent::new(rho).unwrap().judge(&smoothing, &everybody);
    assert!(finding.holds());
    let n_classes = history.releases.last().unwrap().classes.len();
    print!("{n_classes} {} {:.2}", finding.max_posterior, cpu_seconds() - start);
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
    let n_classes = next.class_of_row.iter().filter(|&&c| c != ABSENT).max().unwrap() + 1;
    let mut boxes = vec![([u32::MAX; 4], [0_u32; 4], 0_u32); n_classes as usize];
    for (row, &class) in next.class_of_row.iter().enumerate().filter(|(_, c)| **c != ABSENT) {
        let (lo, hi, n) = &mut boxes[class as usize];
        for (axis, attribute) in quasi.iter().enumerate() {
            let code = attribute.codes().get(row);
            (lo[axis], hi[axis]) = (lo[axis].min(code), hi[axis].max(code));
        }
        *n += 1;
    }
    let cost = |(lo, hi, n): &([u32; 4], [u32; 4], u32)| turn.space.cost(lo, hi) * f64::from(*n);
    boxes.iter().map(cost).sum::<f64>() / turn.person_of_row.len() as f64
}

fn correlations(n_values: u32, n_permanent: u32) -> Correlations {
    let mut pairs: Vec<(u32, u32, Ratio)> =
        (0..n_permanent).map(|value| (value, value, Ratio::whole(1))).collect();
    for value in n_permanent..n_values {
        pairs.push((value, value, Ratio::new(3, 5)));
        pairs.push((value, (value + 7) % n_values, Ratio::new(1, 5)));
    }
    Correlations::new(&pairs).unwrap()
}

/// People who come, go and return; they are numbered as they first come.
struct Town {
    draw: Draw,
    n_values: u32,
    quasi: Vec<[u32; 4]>,
    value: Vec<u32>,
    is_here: Vec<bool>,
}

impl Town {
    fn new(n: usize, n_values: u32) -> Self {
        let draw = Draw::new(7);
        let mut town =
            Self { draw, n_values, quasi: Vec::new(), value: Vec::new(), is_here: Vec::new() };
        (0..n).for_each(|_| town.come());
        town
    }

    fn come(&mut self) {
        let draw = &mut self.draw;
        let skewed = |draw: &mut Draw, n: u32| {
            (f64::from(n) * draw.uniform() * (0.4 + 0.6 * draw.uniform())) as u32
        };
        let value = skewed(draw, self.n_values);
        let mut below = |n: usize| draw.below(n) as u32;
        self.quasi.push([below(80), below(500), below(2), below(16)]);
        self.value.push(value);
        self.is_here.push(true);
    }

    fn rows(&self) -> Vec<u32> {
        (0..).zip(&self.is_here).filter(|(_, is_here)| **is_here).map(|(p, _)| p).collect()
    }

    fn move_on(&mut self, correlations: &Correlations, churn: f64) {
        let mut counts = vec![0.0; self.n_values as usize];
        self.rows().iter().for_each(|&p| counts[self.value[p as usize] as usize] += 1.0);
        let n: f64 = counts.iter().sum();
        let matrix = correlations.complete(counts.into_iter().map(|count| count / n).collect());
        for person in 0..self.value.len() {
            let mut left = self.draw.uniform();
            let mut values = 0..self.n_values;
            let before = self.value[person];
            let next = values.find(|&value| {
                left -= matrix.probability(before, value);
                left < 0.0
            });
            self.value[person] = next.unwrap_or(before);
            let change = self.draw.uniform();
            // A third of those who have gone comes back each time.
            self.is_here[person] =
                if self.is_here[person] { change >= churn } else { change < 1.0 / 3.0 };
        }
        for _ in 0..(n * churn * 0.8) as usize {
            self.come();
        }
    }
}

fn dataset(rows: &[[u32; 4]]) -> Dataset {
    let missing = Missing::default();
    let names = ["age", "zip", "sex", "job"];
    let columns = names.iter().enumerate().map(|(at, name)| {
        let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
        for (line, row) in (2..).zip(rows) {
            codes.push(dictionary.intern(row[at].to_string().as_bytes(), line).unwrap());
        }
        Column::new((*name).into(), dictionary, codes, &missing)
    });
    let table = Table::new("t".into(), columns.collect(), true, missing.clone());
    let attributes = names.map(|name| {
        let domain = Domain::new(&table, table.column(name).unwrap(), None, &|_| false).unwrap();
        Attribute::new(&table, name, Role::Quasi, domain, None).unwrap()
    });
    Dataset::new(table, attributes.into()).unwrap()
}
