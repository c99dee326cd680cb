//! Algorithms against each other in one run: loss, classes and CPU seconds.
//!
//! `cargo bench -p kohort --bench anonymize -- mondrian,k-member 5,10 ../shared/data/adult` runs two
//! algorithms at two k on a folder with a table and `hierarchies/`; without a folder the table is the
//! made-up census. `all` stands for every algorithm. Further arguments: `exact` publishes numeric
//! columns as ranges, `rows=N` uses the first N rows (or N made-up people), `suppress=0.02` allows that share
//! of rows to be dropped (1: all); `sensitive=COLUMN l=L` asks for frequency l-diversity of a column besides
//! (`l=1` for none), and with `lkc=N` for LKC-privacy of it instead of k: who knows N columns finds k rows, and
//! no value with more than one half; `times=N` repeats each run and prints the mean of its times; `utility` measures what
//! can still be learned from each release, with the CPU seconds that each measure takes.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock and the folder")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on fails")]
#![expect(clippy::cast_precision_loss, reason = "numbers of rows are small")]
#![expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "shares are 0 to 1")]

mod table;

use std::path::{Path, PathBuf};
use std::time::Instant;

use kohort_algorithms::{
    ALGORITHMS, Algorithm, Candidate, Failure, Problem, SUPPRESSED, Settings, anonymize,
};
use kohort_core::{Ctx, Dataset, Ratio};
use kohort_models::utility::{MEASURES, Options, View};
use kohort_models::{
    CellMetric, ClassModel, Costs, FrequencyLDiversity, KAnonymity, LkcPrivacy, Promises, Undefined,
};

use table::{cpu_seconds, load};

struct Wanted {
    algorithms: Vec<&'static dyn Algorithm>,
    ks: Vec<u64>,
    folder: Option<PathBuf>,
    exact: bool,
    rows: Option<usize>,
    sensitive: Option<String>,
    l: u64,
    lkc: Option<usize>,
    suppress: f64,
    times: u32,
    utility: bool,
}

fn wanted() -> Wanted {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let chosen = args.first().map_or("all", String::as_str);
    let is_chosen = |id: &str| chosen == "all" || chosen.split(',').any(|name| name == id);
    let ks = args.get(1).map_or("5", String::as_str);
    let rest = args.get(2..).unwrap_or_default();
    let rows = rest.iter().find_map(|arg| arg.strip_prefix("rows="));
    let sensitive = rest.iter().find_map(|arg| arg.strip_prefix("sensitive="));
    let l = rest.iter().find_map(|arg| arg.strip_prefix("l="));
    let lkc = rest.iter().find_map(|arg| arg.strip_prefix("lkc="));
    let suppress = rest.iter().find_map(|arg| arg.strip_prefix("suppress="));
    let times = rest.iter().find_map(|arg| arg.strip_prefix("times="));
    Wanted {
        algorithms: ALGORITHMS.iter().copied().filter(|a| is_chosen(a.spec().id)).collect(),
        ks: ks.split(',').map(|k| k.parse().unwrap()).collect(),
        folder: rest.iter().find(|arg| Path::new(arg).is_dir()).map(PathBuf::from),
        exact: rest.iter().any(|arg| arg == "exact"),
        rows: rows.map(|rows| rows.parse().unwrap()),
        sensitive: sensitive.map(str::to_owned),
        l: l.map_or(3, |l| l.parse().unwrap()),
        lkc: lkc.map(|lkc| lkc.parse().unwrap()),
        suppress: suppress.map_or(0.0, |share| share.parse().unwrap()),
        times: times.map_or(1, |times| times.parse().unwrap()),
        utility: rest.iter().any(|arg| arg == "utility"),
    }
}

/// NCP, number of groups and suppressed rows.
fn measure(dataset: &Dataset, candidate: &Candidate) -> (f64, usize, u64) {
    let quasi = dataset.quasi();
    let d = quasi.len();
    let costs: Vec<Costs> = quasi.iter().map(|a| Costs::new(a, CellMetric::Ncp)).collect();
    let of_group: Vec<f64> = (candidate.cells.classes())
        .map(|cells| costs.iter().zip(cells).map(|(c, cell)| c.of(cell)).sum::<f64>() / d as f64)
        .collect();
    let (mut loss, mut suppressed, mut groups) = (0.0, 0, 0);
    for &group in &candidate.group_of_row {
        if group == SUPPRESSED {
            suppressed += 1;
            loss += 1.0;
        } else {
            // Anatomized and perturbed releases have no cells, and their NCP means nothing.
            loss += of_group.get(group as usize).unwrap_or(&0.0);
            groups = groups.max(group as usize + 1);
        }
    }
    (loss / candidate.group_of_row.len() as f64, groups, suppressed)
}

/// Prints what can still be learned from a release.
fn print_utility(dataset: &Dataset, candidate: &Candidate) {
    let Candidate { cells, group_of_row, .. } = candidate;
    let view = View { dataset, cells, group_of_row };
    for measure in MEASURES {
        let cpu = cpu_seconds();
        let result = (measure.measure)(&view, &Options::default());
        let cpu = cpu_seconds() - cpu;
        let text = match result {
            Ok(score) => format!("{:.4} {:?}", score.value, score.parts),
            Err(Undefined(why)) => why.to_owned(),
        };
        println!("  {:24} {cpu:6.2}  {text}", measure.id);
    }
}

/// One release, from the table to the candidate.
fn run(
    wanted: &Wanted,
    dataset: &Dataset,
    algorithm: &dyn Algorithm,
    k: u64,
) -> Result<Candidate, Failure> {
    let mut models: Vec<Box<dyn ClassModel>> = vec![Box::new(KAnonymity::new(k).unwrap())];
    if let Some(n_known) = wanted.lkc {
        let codes = (0..dataset.sensitive()[0].n_codes()).collect();
        let model = LkcPrivacy::new(0, n_known, k, Ratio::new(1, 2), codes).unwrap();
        models = vec![Box::new(model)];
    } else if wanted.sensitive.is_some() && wanted.l > 1 {
        let l = Ratio::whole(wanted.l);
        models.push(Box::new(FrequencyLDiversity::new(0, l).unwrap()));
    }
    let settings = Settings {
        suppression: (wanted.suppress * dataset.n_rows() as f64) as u64,
        ..Settings::plain(dataset.quasi().len(), 7)
    };
    let promises = Promises::new(models, &dataset.sensitive());
    let problem = Problem::new(dataset, promises, settings);
    anonymize(algorithm, &Ctx::quiet(), &problem)
}

fn main() {
    let wanted = wanted();
    let dataset = load(&table::Wanted {
        folder: wanted.folder.as_deref(),
        census: &["age", "sex", "race", "education", "occupation", "native-country"],
        rows: wanted.rows,
        exact: wanted.exact,
        sensitive: wanted.sensitive.as_deref(),
    });
    println!("{} rows, {} quasi-identifiers", dataset.n_rows(), dataset.quasi().len());
    println!("algorithm            k     NCP %    bound   groups  dropped     wall      CPU");
    for &k in &wanted.ks {
        for algorithm in &wanted.algorithms {
            let (started, cpu) = (Instant::now(), cpu_seconds());
            for _ in 1..wanted.times {
                std::hint::black_box(run(&wanted, &dataset, *algorithm, k).is_ok());
            }
            let candidate = run(&wanted, &dataset, *algorithm, k);
            let mean = |seconds: f64| seconds / f64::from(wanted.times);
            let (wall, cpu) = (started.elapsed().as_secs_f64(), cpu_seconds() - cpu);
            let (wall, cpu) = (mean(wall), mean(cpu));
            let id = algorithm.spec().id;
            match candidate {
                Ok(candidate) => {
                    let (loss, groups, dropped) = measure(&dataset, &candidate);
                    let bound = candidate
                        .lower_bound
                        .map_or(String::new(), |b| format!("{:.3}", 100.0 * b));
                    println!(
                        "{id:18} {k:4}  {:8.4} {bound:>8} {groups:8} {dropped:8} {wall:8.4} {cpu:8.4}",
                        100.0 * loss
                    );
                    if wanted.utility {
                        print_utility(&dataset, &candidate);
                    }
                }
                Err(failure) => println!("{id:18} {k:4}  {failure:?}"),
            }
        }
    }
}
