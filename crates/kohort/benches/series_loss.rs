//! What series lose on Adult beside `auto` release by release: NCP % of each release, and counterfeits.
//!
//! `cargo bench -p kohort --bench series_loss -- people=3000 releases=10 m=2,3,4` has seven quasi-identifiers and
//! the occupation as sensitive attribute. In each release one in ten has left since the one before, a quarter of
//! those who left at some time is back, and as many others have come. `auto` keeps frequency l-diversity with
//! l = m, opaque, and looks at no other release.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock and folder")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on fails")]
#![expect(clippy::cast_possible_truncation, reason = "numbers of rows are small")]

#[expect(dead_code, reason = "the tables of all benchmarks")]
mod table;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kohort_algorithms::{Problem, Settings, Space, algorithm, anonymize};
use kohort_core::{ABSENT, Ctx, Dataset, History, Ratio};
use kohort_models::series::{EEquivalence, GlobalGuarantee, MInvariance};
use kohort_models::{CellMetric, ClassModel, Draw, FrequencyLDiversity, Promises};
use kohort_series::{
    EEquivalentMaker, GlobalMaker, NearMInvariantMaker, Next, SeriesMethod, Surplus, Turn,
};

use table::{Wanted, cpu_seconds, load_lines};

const N_VALUES: u32 = 14;

fn main() {
    let given: BTreeMap<String, String> = std::env::args()
        .filter_map(|text| {
            let (name, value) = text.split_once('=')?;
            Some((name.to_owned(), value.to_owned()))
        })
        .collect();
    let number =
        |name: &str, default: usize| given.get(name).map_or(default, |text| text.parse().unwrap());
    let folder = given.get("folder").map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/adult")
    });
    if !folder.join("adult.csv").is_file() {
        println!("NOTHING WAS MEASURED: there is no adult.csv in {}", folder.display());
        return;
    }
    let crowd = Crowd::new(&folder, number("people", 3000), number("releases", 10));
    let methods = given.get("methods").map_or("auto,m-invariance", String::as_str);
    let ms = given.get("m").map_or("2,3,4", String::as_str);
    for m in ms.split(',').map(|m| m.parse::<u32>().unwrap()) {
        for id in methods.split(',') {
            let cpu = cpu_seconds();
            let (losses, counterfeits, held_back) = crowd.series(id, m);
            let shown: Vec<String> =
                losses.iter().map(|loss| format!("{:.2}", 100.0 * loss)).collect();
            println!(
                "m = {m} {id:17} {} % ({counterfeits} counterfeits, {held_back} held back, {:.1} CPU s)",
                shown.join(" "),
                cpu_seconds() - cpu
            );
        }
    }
}

/// Adult, and who is in each release.
struct Crowd {
    releases: Vec<(Vec<u32>, Dataset, Vec<u32>)>,
}

impl Crowd {
    fn new(folder: &Path, n_people: usize, n_releases: usize) -> Self {
        let text = std::fs::read_to_string(folder.join("adult.csv")).unwrap();
        let mut lines = text.lines();
        let header = lines.next().unwrap();
        let mut order: Vec<&str> = lines.collect();
        Draw::new(1).shuffle(&mut order);
        let occupation = header.split(';').position(|name| name == "occupation").unwrap();
        let value = |person: u32| order[person as usize].split(';').nth(occupation).unwrap();
        let mut values: Vec<&str> = (0..order.len() as u32).map(value).collect();
        values.sort_unstable();
        values.dedup();
        let (mut present, mut next) = ((0..n_people as u32).collect::<Vec<u32>>(), n_people as u32);
        let (mut gone, mut draw, mut releases) = (Vec::new(), Draw::new(2), Vec::new());
        for _ in 0..n_releases {
            let rows: Vec<&str> = present.iter().map(|&person| order[person as usize]).collect();
            let text = format!("{header}\n{}\n", rows.join("\n"));
            let wanted = Wanted {
                folder: Some(folder),
                census: &[],
                rows: None,
                exact: false,
                sensitive: Some("occupation"),
            };
            let dataset = load_lines(&wanted, text.into_bytes(), Some("salary-class"));
            let of = |&person: &u32| values.binary_search(&value(person)).unwrap() as u32;
            releases.push((present.clone(), dataset, present.iter().map(of).collect()));
            draw.shuffle(&mut present);
            let leaving = present.split_off(n_people * 9 / 10);
            draw.shuffle(&mut gone);
            let back = gone.split_off(gone.len() - gone.len() / 4);
            gone.extend(leaving);
            present.extend(back);
            while present.len() < n_people {
                present.push(next % order.len() as u32);
                next += 1;
            }
            present.sort_unstable();
            present.dedup();
        }
        Self { releases }
    }

    /// The losses of a series, and how many counterfeits it has and people it holds back.
    fn series(&self, id: &str, m: u32) -> (Vec<f64>, usize, usize) {
        let (mut history, mut losses) = (History { n_values: N_VALUES, releases: vec![] }, vec![]);
        let (mut counterfeits, mut held_back) = (0, 0);
        for (person_of_row, data, value_of_row) in &self.releases {
            if id == "auto" {
                losses.push(independent(data, m));
                continue;
            }
            let space = Space::new(&data.quasi(), CellMetric::Ncp, &vec![1.0; data.quasi().len()]);
            let turn = Turn {
                data,
                space: &space,
                person_of_row,
                value_of_row,
                history: &history,
                secret: [1; 32],
            };
            let next = method(id, m).make(&Ctx::quiet(), &turn).unwrap();
            counterfeits += next.counterfeits.len();
            held_back += next.n_held_back();
            losses.push(loss(&turn, &next));
            let released = next.released(&turn);
            history.releases.push(released);
        }
        (losses, counterfeits, held_back)
    }
}

fn method(id: &str, m: u32) -> Box<dyn SeriesMethod> {
    let surplus = Surplus::HoldBack;
    match id {
        "m-invariance" => {
            Box::new(NearMInvariantMaker { model: MInvariance::new(m).unwrap(), surplus })
        }
        "e-equivalence" => {
            Box::new(EEquivalentMaker { model: EEquivalence::new(m, 2).unwrap(), surplus })
        }
        _ => Box::new(GlobalMaker { model: GlobalGuarantee::new(m, 10).unwrap(), surplus }),
    }
}

/// The loss of `auto`.
fn independent(data: &Dataset, m: u32) -> f64 {
    let model = FrequencyLDiversity::new(0, Ratio::whole(u64::from(m))).unwrap();
    let models: Vec<Box<dyn ClassModel>> = vec![Box::new(model)];
    let settings = Settings::plain(data.quasi().len(), 7);
    let problem = Problem::new(data, Promises::new(models, &data.sensitive()), settings);
    let made = anonymize(algorithm("auto").unwrap(), &Ctx::quiet(), &problem).unwrap();
    of_classes(data, problem.space(), &made.group_of_row)
}

fn loss(turn: &Turn<'_>, next: &Next) -> f64 {
    of_classes(turn.data, turn.space, &next.class_of_row)
}

/// The mean loss of the rows that are published.
fn of_classes(data: &Dataset, space: &Space, class_of_row: &[u32]) -> f64 {
    let quasi = data.quasi();
    let n_classes = class_of_row.iter().filter(|&&class| class != ABSENT).max().unwrap() + 1;
    let mut boxes =
        vec![(vec![u32::MAX; quasi.len()], vec![0; quasi.len()], 0); n_classes as usize];
    for (row, &class) in class_of_row.iter().enumerate().filter(|&(_, &class)| class != ABSENT) {
        let (lo, hi, n) = &mut boxes[class as usize];
        *n += 1;
        for (axis, attribute) in quasi.iter().enumerate() {
            let code = attribute.codes().get(row);
            (lo[axis], hi[axis]) = (code.min(lo[axis]), code.max(hi[axis]));
        }
    }
    let boxes = boxes.iter().filter(|(.., n)| *n > 0);
    let (mut total, mut n_rows) = (0.0, 0);
    for (lo, hi, n) in boxes {
        total += f64::from(*n) * space.cost(lo, hi);
        n_rows += n;
    }
    total / f64::from(n_rows)
}
