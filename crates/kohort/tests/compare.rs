//! Comparisons: every cell has the figures of the single release, whatever the threads, and the balance is
//! among what was tried.

#![expect(clippy::unwrap_used, reason = "a test stops where something is wrong")]

use kohort::compare::{Caller, Comparison, Grid, RISKS, UTILITIES, compare, sheet, text};
use kohort::demo::{Data, write_csv};
use kohort::load::load;
use kohort::plan::Plan;
use kohort::release::{Order, anonymize};
use kohort::{ALGORITHMS, Ctx, Dataset, Ratio, write_atomically};

const PLAN: &str = "\
input = 'patients.csv'
[attributes]
name = 'identifier'
age = { role = 'quasi', taxonomy = { widths = [5, 10, 20] } }
sex = 'quasi'
zip = { role = 'quasi', type = 'text', taxonomy = 'mask' }
disease = 'sensitive'
ward = 'insensitive'
[goal]
suppression = 0.02
";

/// A plan and its dataset, in a folder of their own.
struct Case {
    folder: tempfile::TempDir,
    plan: Plan,
    dataset: Dataset,
}

fn case(n_rows: u64) -> Case {
    let folder = tempfile::tempdir().unwrap();
    let mut table = Vec::new();
    write_csv(Data::Hospital, n_rows, 7, &mut table).unwrap();
    let file = folder.path().join("patients.csv");
    write_atomically(&file, &mut |out| out.write_all(&table)).unwrap();
    let plan = Plan::parse("plan.toml", PLAN).unwrap();
    let dataset = load(&plan, folder.path(), &|_, _| {}).unwrap().value;
    Case { folder, plan, dataset }
}

fn grid(algorithms: &[&str], ks: &[u64]) -> Grid {
    Grid {
        algorithms: algorithms.iter().map(|&name| name.to_owned()).collect(),
        ks: ks.to_vec(),
        ls: Vec::new(),
        attributes: Vec::new(),
        seeds: Vec::new(),
        folds: None,
        target: None,
        utility: "ncp",
        risk: "prosecutor-max",
        risk_cap: Ratio::new(1, 5),
        budget: None,
        secret: [1; 32],
    }
}

impl Case {
    fn compare(&self, grid: &Grid) -> Comparison {
        self.try_compare(grid).unwrap()
    }

    fn try_compare(&self, grid: &Grid) -> Result<Comparison, kohort::Error> {
        let caller = Caller { clock: &|| 0.0, progress: &|_, _| {}, note: &|_| {} };
        compare(&self.plan, self.folder.path(), &self.dataset, grid, caller)
    }
}

#[test]
fn a_cell_has_the_figures_of_the_single_release() {
    let case = case(120);
    let asked = Grid { ls: vec![Ratio::whole(2)], ..grid(&["all"], &[3, 10]) };
    let found = case.compare(&asked);
    let n_safe = ALGORITHMS.iter().filter(|algorithm| algorithm.facts().is_safe).count();
    assert_eq!(found.cells.len(), 2 * n_safe);
    let mut n_released = 0;
    for cell in &found.cells {
        let mut plan = case.plan.clone();
        plan.method.algorithm = Some(cell.algorithm.to_owned());
        let goal = format!("[goal]\nk-anonymity = {}\nfrequency-l-diversity = 2", cell.k);
        plan.goal.take_from(Plan::parse("goal", &goal).unwrap().goal);
        let target = case.folder.path().join("release.csv");
        let base = case.folder.path();
        let order = Order { plan: &plan, base, target: &target, secret: asked.secret };
        let name = format!("{} at k = {}", cell.algorithm, cell.k);
        match anonymize(order, &case.dataset, &Ctx::quiet(), &|_| {}) {
            Ok(Ok(receipt)) => {
                n_released += 1;
                let release = cell.release.as_ref().unwrap_or_else(|| panic!("{name}: {cell:?}"));
                assert_eq!(release.metrics, receipt.metrics, "{name}");
                assert_eq!(release.lower_bound, receipt.lower_bound, "{name}");
                assert_eq!(release.verified, receipt.verified, "{name}");
                let counts = (release.rows, release.suppressed, release.classes);
                assert_eq!(
                    counts,
                    (receipt.rows_out, receipt.suppressed, receipt.classes),
                    "{name}"
                );
                assert_eq!(release.smallest_class, receipt.k, "{name}");
            }
            Ok(Err(no)) => assert_eq!(cell.reason, Some(no.causes.join("; ")), "{name}"),
            Err(error) => assert_eq!(cell.reason, Some(error.to_string()), "{name}"),
        }
    }
    assert!(n_released > n_safe, "only {n_released} releases were made");
}

#[test]
fn the_same_seed_gives_the_same_figures_whatever_the_threads() {
    let case = case(80);
    let asked = Grid { seeds: vec![1, 2], ..grid(&[], &[4]) };
    let with = |n_threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
        serde_json::to_string(&pool.install(|| case.compare(&asked))).unwrap()
    };
    let once = with(1);
    assert_eq!(once, with(4));
    assert_eq!(once, with(1));
}

#[test]
fn a_cell_without_a_release_is_a_result() {
    let case = case(100);
    let ls = vec![Ratio::whole(2)];
    let found = case.compare(&Grid { ls, ..grid(&["mondrian", "anatomy"], &[5, 101]) });
    let mondrian = &found.points[1];
    assert_eq!((mondrian.algorithm, mondrian.k, mondrian.releases), ("mondrian", 101, 0));
    let reason = mondrian.reason.as_deref().unwrap();
    assert!(reason.contains("100 rows"), "{reason}");
    assert!(text(&found).contains(&format!("mondrian, k = 101, l = 2: {reason}")));
    assert_eq!(found.points.iter().filter(|point| point.releases == 0).count(), 2);
    // Anatomy publishes quasi-identifiers as they are: no cell is lost, and learners read none.
    let anatomy = found.cells[2].release.as_ref().unwrap();
    assert!(anatomy.utility.contains_key("queries"));
    assert!(anatomy.undefined.contains_key("naive-bayes"));
    // They find everybody's row all the same; what protects is the group's sensitive values.
    assert!((anatomy.risk["prosecutor-max"] - 1.0).abs() < 1e-12);
    assert!(anatomy.guessing[0].max <= 0.5);
}

#[test]
fn risks_and_utilities_are_shares_and_the_balance_is_among_what_was_tried() {
    let case = case(100);
    let asked = grid(&["mondrian", "optimal"], &[2, 5, 10]);
    for (utility, _) in UTILITIES {
        for (risk, _) in RISKS {
            let found = case.compare(&Grid { utility, risk, ..asked.clone() });
            for release in found.cells.iter().filter_map(|cell| cell.release.as_ref()) {
                let is_share = |share: &f64| (0.0..=1.0).contains(share);
                assert!(release.risk.values().all(is_share), "{:?}", release.risk);
                assert!(release.utility.values().all(is_share), "{:?}", release.utility);
                assert_eq!(release.risk.len(), RISKS.len());
            }
            let tried =
                |k: f64| found.points.iter().any(|point| point.k.to_string() == k.to_string());
            for curve in &found.curves {
                for choice in [curve.maximin, curve.nash, curve.capped].into_iter().flatten() {
                    assert!(tried(choice.k), "{choice:?}");
                }
                let is_capped = curve.capped.is_none_or(|choice| choice.risk <= 0.2 + 1e-9);
                assert!(is_capped, "{curve:?}");
            }
            let front: Vec<_> = found.points.iter().filter(|point| point.on_front).collect();
            for (a, b) in front.iter().flat_map(|&a| front.iter().map(move |&b| (a, b))) {
                let sides =
                    |p: &kohort::compare::Point| (p.utility.unwrap().mean, p.risk.unwrap().mean);
                let ((utility_a, risk_a), (utility_b, risk_b)) = (sides(a), sides(b));
                assert!(utility_a <= utility_b || risk_a >= risk_b, "{a:?} beats {b:?}");
            }
        }
        // One round of the expensive utilities is enough.
        if utility == "queries" {
            break;
        }
    }
}

#[test]
fn folds_and_seeds_give_intervals() {
    let case = case(90);
    let target = Some("ward".to_owned());
    let utility = "naive-bayes";
    let seeds = vec![1, 2];
    let asked = Grid { folds: Some(3), seeds, target, utility, ..grid(&["mondrian"], &[5]) };
    let found = case.compare(&asked);
    assert_eq!((found.folds, found.target.as_deref()), (Some(3), Some("ward")));
    let said = text(&found);
    assert!(
        said.contains("Share of right guesses at `ward`, learned from each release, in 3 folds")
    );
    assert!(said.contains("from the original") && said.contains("logistic"), "{said}");
    assert!(kohort::report::comparison::html(&found).contains("What can be learned"));
    let utility = found.points[0].utility.unwrap();
    assert!(utility.low <= utility.mean && utility.mean <= utility.high);
    let learned = |cell: usize| &found.cells[cell].release.as_ref().unwrap().learned;
    assert_ne!(learned(0), learned(1), "two ways to deal the rows give the same figures");
    let learned = learned(0);
    assert_eq!(learned.len(), 4);
    // Nothing can be shown of rows that a release was made without.
    assert!(learned.values().all(|figures| !figures.contains_key("shown")));
    let whole = case.compare(&Grid { folds: None, ..asked });
    let learned = &whole.cells[0].release.as_ref().unwrap().learned;
    assert!(learned.values().all(|figures| figures.contains_key("shown")));
}

#[test]
fn the_sheet_has_every_cell_and_every_plotted_figure() {
    let case = case(150);
    let found = case.compare(&Grid { seeds: vec![1, 2], ..grid(&["mondrian"], &[5, 200]) });
    let sheet = sheet(&found);
    assert_eq!(sheet.n_rows(), 4);
    let mut names: Vec<&str> = sheet.columns().iter().map(kohort::Column::name).collect();
    let n_columns = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), n_columns, "two columns have one name");
    let at = |name: &str, row: usize| {
        let column = sheet.column(name).unwrap();
        column.dictionary().get(column.codes().get(row)).to_owned()
    };
    let release = found.cells[1].release.as_ref().unwrap();
    assert_eq!((at("k", 1), at("seed", 1)), ("5".into(), "2".into()));
    assert_eq!(at("ncp", 1), release.metrics["ncp"].to_string());
    assert_eq!(at("utility.ncp", 1), release.utility["ncp"].to_string());
    assert_eq!(at("risk.prosecutor-max", 1), release.risk["prosecutor-max"].to_string());
    assert_eq!(
        (at("ncp", 2), at("reason", 2)),
        (String::new(), found.cells[2].reason.clone().unwrap())
    );
}

#[test]
fn what_no_cell_could_answer_is_refused() {
    let case = case(50);
    let refused = |asked: Grid| case.try_compare(&asked).unwrap_err().to_string();
    let some = || grid(&["mondrian"], &[5]);
    let unknown = refused(grid(&["mondrain"], &[5]));
    assert_eq!(unknown, "there is no algorithm `mondrain`; did you mean `mondrian`?");
    assert_eq!(refused(grid(&[], &[1])), "`k` must be at least 2, but is 1");
    assert_eq!(refused(grid(&[], &[])), "no k is named");
    let unsafe_one = refused(grid(&["rank-swapping"], &[5]));
    assert_eq!(unsafe_one, "`rank-swapping` does not keep the goal for everybody");
    let target = |name: &str| Grid { target: Some(name.to_owned()), ..some() };
    assert_eq!(refused(target("age")), "`target` must be no quasi-identifier, but `age` is one");
    assert!(refused(target("wrad")).contains("ward"));
    let folds = refused(Grid { folds: Some(1), ..some() });
    assert_eq!(folds, "`folds` must be 2 to 50, the number of rows, but is 1");
}

#[test]
fn no_cell_of_the_table_is_in_the_page_and_it_loads_nothing() {
    let case = case(150);
    let page = kohort::report::comparison::html(
        &case.compare(&grid(&["mondrian", "optimal"], &[2, 5, 200])),
    );
    assert!(page.starts_with("<!doctype html>"));
    for id in ["curves", "map", "balance", "figures", "without", "not-promised"] {
        assert!(page.contains(&format!("<section id=\"{id}\"")), "{id}");
    }
    for forbidden in ["<script", "http:", "https:", "src=", "NaN", "inf"] {
        let found =
            page.match_indices(forbidden).filter(|(at, _)| !page[*at..].starts_with("info"));
        assert_eq!(found.count(), 0, "{forbidden}");
    }
    // What a person reads: no style, no markup.
    let body = page.split_once("</style>").unwrap().1;
    let read: Vec<&str> =
        body.split('<').filter_map(|part| Some(part.split_once('>')?.1)).collect();
    let disease = case.dataset.sensitive()[0];
    let column = case.dataset.table().column(disease.name()).unwrap();
    for value in column.dictionary().iter() {
        assert!(!read.iter().any(|text| text.contains(value)), "a disease is in the page");
    }
    assert_eq!(case.folder.path().read_dir().unwrap().count(), 1, "a comparison writes nothing");
}
