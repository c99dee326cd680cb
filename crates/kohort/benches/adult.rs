//! What the default loses on Adult, for each promise, beside the goals: NCP % and CPU seconds.
//!
//! `cargo bench -p kohort --bench adult -- ../shared/data/adult` (or `KOHORT_ADULT`) has a folder with
//! `adult.csv` and `hierarchies/`. Without one nothing is measured, and it says so. The first rows have all nine
//! columns as quasi-identifiers, the others all but the sensitive occupation. `transparent` is what a release
//! loses that holds against anyone who knows the method, `mondrian` what Mondrian loses at the same promise.

#![expect(
    clippy::disallowed_methods,
    reason = "a benchmark reads the clock, environment and folder"
)]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on fails")]
#![expect(clippy::cast_precision_loss, reason = "numbers of rows are small")]

mod table;

use std::path::{Path, PathBuf};

use kohort_algorithms::{
    Algorithm, Candidate, Failure, Problem, SUPPRESSED, Settings, algorithm, anonymize,
};
use kohort_core::{Ctx, Dataset, Ratio};
use kohort_models::{
    CellMetric, ClassModel, Costs, Distance, DistinctLDiversity, EntropyLDiversity, KAnonymity,
    Promises, TCloseness,
};

use table::{Wanted, cpu_seconds, load};

/// A promise about the sensitive attribute.
type Model = fn() -> Box<dyn ClassModel>;

/// A promise, what the default should lose at most (NCP %), and the best of ARX 3.9.2: NCP % and CPU seconds.
struct Row {
    name: &'static str,
    k: u64,
    about: Option<Model>,
    goal: f64,
    arx: (f64, f64),
}

const ROWS: [Row; 7] = [
    Row { name: "k = 2", k: 2, about: None, goal: 2.3, arx: (3.35, 4.1) },
    Row { name: "k = 5", k: 5, about: None, goal: 5.7, arx: (5.90, 12.9) },
    Row { name: "k = 10", k: 10, about: None, goal: 8.2, arx: (8.40, 26.0) },
    Row { name: "k = 50", k: 50, about: None, goal: 15.5, arx: (15.87, 48.0) },
    Row {
        name: "k = 5, distinct 3",
        k: 5,
        about: Some(|| Box::new(DistinctLDiversity::new(0, 3).unwrap())),
        goal: 3.4,
        arx: (3.55, 5.9),
    },
    Row {
        name: "k = 5, entropy 3",
        k: 5,
        about: Some(|| Box::new(EntropyLDiversity::new(0, Ratio::whole(3)).unwrap())),
        goal: 4.0,
        arx: (7.11, 19.0),
    },
    Row {
        name: "k = 5, t = 0.2",
        k: 5,
        about: Some(|| {
            Box::new(TCloseness::new(0, Ratio::new(1, 5), Distance::Hierarchical).unwrap())
        }),
        goal: 40.0,
        arx: (44.7, 75.0),
    },
];

fn main() {
    let given = std::env::args().skip(1).find(|arg| arg != "--bench").map(PathBuf::from);
    let folder = given.or_else(|| std::env::var_os("KOHORT_ADULT").map(PathBuf::from));
    let folder = folder.unwrap_or_else(|| {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/adult")
    });
    if !folder.join("adult.csv").is_file() {
        println!("NOTHING WAS MEASURED: there is no adult.csv in {}", folder.display());
        println!("give a folder with adult.csv and hierarchies/ as an argument or as KOHORT_ADULT");
        return;
    }
    let all = table(&folder, None);
    let without = table(&folder, Some("occupation"));
    println!("NCP % (CPU seconds)");
    println!(
        "                          auto    goal       best of ARX       transparent     mondrian"
    );
    for row in &ROWS {
        let dataset = if row.about.is_some() { &without } else { &all };
        let auto = figure(dataset, row, "auto", false);
        let transparent =
            if row.about.is_some() { figure(dataset, row, "auto", true) } else { "-".to_owned() };
        let mondrian = figure(dataset, row, "mondrian", false);
        let arx = format!("{:.2} ({:.1})", row.arx.0, row.arx.1);
        let Row { name, goal, .. } = row;
        println!("{name:18} {auto:>16} {goal:5.1} {arx:>16} {transparent:>16} {mondrian:>14}");
    }
}

fn table(folder: &Path, sensitive: Option<&str>) -> Dataset {
    load(&Wanted { folder: Some(folder), census: &[], rows: None, exact: false, sensitive })
}

/// The loss of a release, and the CPU seconds it took; rows dropped where there are any.
fn figure(dataset: &Dataset, row: &Row, id: &str, transparent: bool) -> String {
    let method = algorithm(id).unwrap();
    let cpu = cpu_seconds();
    let made = run(dataset, row, method, transparent);
    let cpu = cpu_seconds() - cpu;
    match made {
        Ok(candidate) => {
            let (loss, dropped) = measure(dataset, &candidate);
            let dropped = if dropped > 0 { format!(", {dropped} dropped") } else { String::new() };
            format!("{:.3} ({cpu:.2}){dropped}", 100.0 * loss)
        }
        Err(_) => "none".to_owned(),
    }
}

fn run(
    dataset: &Dataset,
    row: &Row,
    method: &dyn Algorithm,
    transparent: bool,
) -> Result<Candidate, Failure> {
    let mut models: Vec<Box<dyn ClassModel>> = vec![Box::new(KAnonymity::new(row.k).unwrap())];
    models.extend(row.about.map(|about| about()));
    let settings = Settings { transparent, ..Settings::plain(dataset.quasi().len(), 7) };
    let promises = Promises::new(models, &dataset.sensitive());
    anonymize(method, &Ctx::quiet(), &Problem::new(dataset, promises, settings))
}

/// NCP and suppressed rows.
fn measure(dataset: &Dataset, candidate: &Candidate) -> (f64, u64) {
    let quasi = dataset.quasi();
    let costs: Vec<Costs> = quasi.iter().map(|a| Costs::new(a, CellMetric::Ncp)).collect();
    let of_group = |cells: &mut dyn Iterator<Item = kohort_core::Cell>| {
        costs.iter().zip(cells).map(|(c, cell)| c.of(cell)).sum::<f64>() / quasi.len() as f64
    };
    let of_group: Vec<f64> =
        candidate.cells.classes().map(|mut cells| of_group(&mut cells)).collect();
    let (mut loss, mut dropped) = (0.0, 0);
    for &group in &candidate.group_of_row {
        if group == SUPPRESSED {
            dropped += 1;
            loss += 1.0;
        } else {
            loss += of_group[group as usize];
        }
    }
    (loss / candidate.group_of_row.len() as f64, dropped)
}
