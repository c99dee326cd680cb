//! Comparisons: every cell has the figures of the single release, whatever the threads, and the balance is
//! among what was tried.

#![expect(clippy::unwrap_used, reason = "a test stops where something is wrong")]

use std::collections::BTreeMap;
use std::fmt::Write;

use kohort::compare::{
    Caller, Comparison, Dimension, Grid, RISKS, UTILITIES, compare, sheet, text,
};
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
    let mut table = Vec::new();
    write_csv(Data::Hospital, n_rows, 7, &mut table).unwrap();
    made(&table, PLAN)
}

/// The case of a table and its plan.
fn made(table: &[u8], plan: &str) -> Case {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("patients.csv");
    write_atomically(&file, &mut |out| out.write_all(table)).unwrap();
    let plan = Plan::parse("plan.toml", plan).unwrap().in_folder(folder.path());
    let dataset = load(&plan, &|_, _| {}).unwrap().value;
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
        compare(&self.plan, &self.dataset, grid, caller)
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
        let k = cell.level.k.unwrap();
        let goal = format!("[goal]\nk-anonymity = {k}\nfrequency-l-diversity = 2");
        plan.goal.take_from(Plan::parse("goal", &goal).unwrap().goal);
        let target = case.folder.path().join("release.csv");
        let order = Order { plan: &plan, target: &target, secret: asked.secret };
        let name = format!("{} at k = {k}", cell.algorithm);
        match anonymize(order, &case.dataset, &Ctx::quiet()) {
            Ok(receipt) => {
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
            Err(stop) => assert_eq!(cell.reason, Some(stop.to_string()), "{name}"),
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
    assert_eq!(
        (mondrian.algorithm, mondrian.level.k, mondrian.releases),
        ("mondrian", Some(101), 0)
    );
    let reason = mondrian.reason.as_deref().unwrap();
    assert!(reason.contains("100 rows"), "{reason}");
    assert!(text(&found).contains(&format!("mondrian, k = 101, l = 2: {reason}")));
    let cells = "anatomy, k = 5, l = 2; anatomy, k = 101, l = 2";
    let reason = "an anatomized release shows quasi-identifiers as they are: `k-anonymity` cannot be promised";
    assert!(text(&found).contains(&format!("{cells}: {reason}")), "{}", text(&found));
    assert_eq!(found.points.iter().filter(|point| point.releases == 0).count(), 3);
    let ls = vec![Ratio::whole(2)];
    let found = case.compare(&Grid { ls, ..grid(&["mondrian", "anatomy"], &[]) });
    // Anatomy publishes quasi-identifiers as they are: no cell is lost, and learners read none.
    let anatomy = found.cells[1].release.as_ref().unwrap();
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
            let tried = |k: Option<u64>| [2, 5, 10].map(Some).contains(&k);
            for curve in &found.curves {
                for choice in [curve.maximin, curve.nash, curve.capped].into_iter().flatten() {
                    assert!(tried(choice.level.k), "{choice:?}");
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
        said.contains(
            "Share of correct predictions of `ward`, learned from each release, in 3 folds"
        )
    );
    assert!(said.contains("from the original") && said.contains("logistic"), "{said}");
    assert!(kohort::report::comparison::html(&found).contains("What can be learned"));
    let utility = found.points[0].utility.unwrap();
    assert!(utility.low <= utility.mean && utility.mean <= utility.high);
    let learned = |cell: usize| &found.cells[cell].release.as_ref().unwrap().learned;
    assert_ne!(learned(0), learned(1), "two ways to deal the rows give the same figures");
    let learned = learned(0);
    assert_eq!(learned.len(), 4);
    for figures in learned.values() {
        let (low, high) = (figures["lowest_fold"], figures["highest_fold"]);
        assert!(low <= figures["accuracy"] && figures["accuracy"] <= high);
    }
    let differs = |f: &BTreeMap<String, f64>| f["lowest_fold"] < f["highest_fold"];
    assert!(learned.values().any(differs), "all folds are alike");
    // The release of all rows shows those that a fold's was made without.
    assert!(learned.values().all(|figures| figures.contains_key("shown")));
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
    let unsafe_one = refused(grid(&["rank-swapping"], &[5]));
    assert_eq!(unsafe_one, "`rank-swapping` does not keep the goal for everybody");
    let target = |name: &str| Grid { target: Some(name.to_owned()), ..some() };
    assert_eq!(refused(target("age")), "`target` must not be a quasi-identifier, but `age` is one");
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

/// Four people: each age has both answers to the first question, and one to the second.
const ANSWERS: &[u8] = b"age,i1,i2\n1,a,x\n1,b,x\n2,a,y\n2,b,y\n";
const ANSWERED: &str = "\
input = 'patients.csv'
[attributes]
age = { role = 'quasi', type = 'integer' }
i1 = 'sensitive'
i2 = 'sensitive'
[goal]
l-mdiversity = 2
";

#[test]
fn a_second_attribute_costs_what_it_costs_by_hand() {
    let case = made(ANSWERS, ANSWERED);
    let risk_cap = Ratio::new(1, 4);
    let asked = Grid { attributes: vec![1, 2], risk_cap, ..grid(&["mondrian"], &[]) };
    let found = case.compare(&asked);
    let levels: Vec<_> = found.cells.iter().map(|c| (c.level.k, c.level.attributes)).collect();
    assert_eq!(levels, [(None, Some(1)), (None, Some(2))]);
    let release = |cell: usize| found.cells[cell].release.as_ref().unwrap();
    let is = |a: f64, b: f64| (a - b).abs() < 1e-12;
    // One attribute: both ages as they are, 2² + 2², and every count comes out right.
    let one = release(0);
    assert!(is(one.metrics["ncp"], 0.0) && is(one.metrics["dm"], 8.0), "{one:?}");
    assert!(is(one.avre.unwrap(), 0.0), "{one:?}");
    // Two: an age agrees on i2, so that all are one class of 4² that shows the whole of the ages. Of
    // somebody's age and i1 there is 1, and 2 · 1/2 is expected; of age and i2 there are 2, and 1 is.
    let two = release(1);
    assert!(is(two.metrics["ncp"], 1.0) && is(two.metrics["dm"], 16.0), "{two:?}");
    let avre = two.avre.unwrap();
    assert!((0.2..0.3).contains(&avre) && is((avre * 2000.0).fract(), 0.0), "{avre}");
    for (release, rows) in [(one, 1), (two, 2)] {
        assert_eq!((release.verified, release.guessing.len()), (true, rows));
        assert_eq!((release.max_disclosure, release.m_diversity), (Some(0.5), Some(2)));
        let shares: Vec<_> =
            release.disclosure.iter().map(|one| (one.probability_value, one.rows)).collect();
        assert_eq!(shares, [(0.5, 4)]);
    }
    // What is best is asked among releases of all attributes; theirs is no k.
    let best = found.best.unwrap();
    assert_eq!((best.choice.level.attributes, best.choice.level.k), (Some(2), None));
}

#[test]
fn l_is_varied_of_all_sensitive_attributes_and_k_only_where_it_is_named() {
    let plan = ANSWERED.replace("[goal]\nl-mdiversity = 2\n", "");
    let case = made(ANSWERS, &plan);
    let ls = vec![Ratio::whole(2), Ratio::whole(3)];
    let found = case.compare(&Grid { ls: ls.clone(), ..grid(&["mondrian"], &[]) });
    assert_eq!(found.cells.iter().map(|c| c.level.k).collect::<Vec<_>>(), [None, None]);
    let reason = found.cells[1].reason.as_deref().unwrap();
    assert!(reason.contains("l-mdiversity"), "{reason}");
    let found = case.compare(&Grid { ls, ..grid(&["mondrian"], &[2, 3]) });
    let ks: Vec<_> = found.cells.iter().map(|cell| cell.level.k).collect();
    assert_eq!(ks, [Some(2), Some(3), Some(2), Some(3)]);
    let found = case.compare(&grid(&["mondrian"], &[]));
    let ks: Vec<_> = found.cells.iter().filter_map(|cell| cell.level.k).collect();
    assert_eq!(ks, [2, 5, 10, 20, 50]);
}

#[test]
fn numbers_of_attributes_that_are_not_there_are_refused() {
    let case = made(ANSWERS, ANSWERED);
    let refused = |asked: Grid| case.try_compare(&asked).unwrap_err().to_string();
    let some =
        |attributes: &[u64]| Grid { attributes: attributes.to_vec(), ..grid(&["mondrian"], &[]) };
    for n in [0, 3] {
        assert_eq!(
            refused(some(&[1, n])),
            format!("`attributes` must be 1 to 2, the number of sensitive attributes, but is {n}")
        );
    }
    let target = refused(Grid { target: Some("i2".into()), ..some(&[1, 2]) });
    assert_eq!(target, "`target` must be in every release, but `i2` is not among the first 1");
}

#[test]
fn a_page_plots_each_level_that_varies_and_what_is_guessed() {
    let mut table = Vec::new();
    write_csv(Data::Poll(3), 200, 7, &mut table).unwrap();
    let plan = "input = 'patients.csv'\n[attributes]\nage = 'quasi'\nsex = 'quasi'\ni1 = 'sensitive'\n\
                i2 = 'sensitive'\ni3 = 'sensitive'\n[goal]\nl-mdiversity = 2\n[method]\nallow-unsafe = true\n";
    let case = made(&table, plan);
    let ls = vec![Ratio::whole(2), Ratio::whole(3)];
    let asked = Grid { ls, attributes: vec![1, 3], ..grid(&["mondrian", "rank-swapping"], &[]) };
    let found = case.compare(&asked);
    let page = kohort::report::comparison::html(&found);
    for id in ["loss", "dm", "avre", "time"] {
        for along in ["l", "attributes"] {
            assert!(page.contains(&format!("id=\"{id}-{along}-t\"")), "{id} by {along}");
        }
        assert!(!page.contains(&format!("id=\"{id}-k-t\"")), "there is no k");
    }
    assert!(page.contains("is guessed (l = 3, 3 attributes)"));
    assert!(page.contains("<section id=\"broken\""));
    assert!(page.contains("</svg>rank-swapping †</li>"), "what is guessed");
    assert!(page.contains("</svg>rank-swapping, l = 2 †</li>"), "what it costs");
    assert!(!page.contains("k = "), "the page pretends that a k was asked for");
    // What breaks the goal is measured, and is neither best nor on the front.
    let of = |id: &str| found.points.iter().filter(|p| p.algorithm == id).collect::<Vec<_>>();
    assert!(of("mondrian").iter().all(|point| point.breaks.is_none()));
    for point in of("rank-swapping") {
        let breaks = point.breaks.as_deref().unwrap();
        assert!(breaks.starts_with("breaks `l-mdiversity` in "), "{breaks}");
        assert!(point.releases == 1 && !point.on_front);
    }
    // The sheet has the levels of every cell, and where a promise breaks in how many classes.
    let sheet = sheet(&found);
    let at = |name: &str, row: usize| {
        let column = sheet.column(name).unwrap();
        column.dictionary().get(column.codes().get(row)).to_owned()
    };
    assert_eq!(
        (at("k", 3), at("l", 3), at("attributes", 3), at("violating_classes", 3)),
        (String::new(), "3".into(), "3".into(), "0".into())
    );
    assert_eq!(at("verified", 7), "false");
    assert_ne!(at("violating_classes", 7), "0");
    let disclosed = found.cells[3].release.as_ref().unwrap().max_disclosure.unwrap();
    assert_eq!(at("max_disclosure", 3), disclosed.to_string());
}

/// The loss of a release by itself.
fn loss_alone(case: &Case, metric: &str, k: u64) -> (Option<f64>, Option<f64>) {
    let mut plan = case.plan.clone();
    plan.method.algorithm = Some("auto".into());
    plan.method.metric = Some(metric.to_owned());
    plan.goal.k_anonymity = Some(k);
    let target = case.folder.path().join("release.csv");
    let order = Order { plan: &plan, target: &target, secret: [1; 32] };
    let receipt = anonymize(order, &case.dataset, &Ctx::quiet()).unwrap();
    (receipt.loss, receipt.lower_bound)
}

#[test]
fn the_loss_is_that_of_the_single_release_and_not_below_its_bound() {
    let mut table = Vec::new();
    write_csv(Data::Hospital, 120, 7, &mut table).unwrap();
    let weighted = PLAN.replace("sex = 'quasi'", "sex = { role = 'quasi', weight = 0.25 }");
    for plan in [PLAN, &weighted] {
        let mut case = made(&table, plan);
        for metric in ["ncp", "lm", "prec", "whd", "byun-il", "dm", "c-avg"] {
            let (loss, bound) = loss_alone(&case, metric, 4);
            case.plan.method.metric = Some(metric.to_owned());
            let found = case.compare(&grid(&["auto"], &[4]));
            let point = &found.points[0];
            assert_eq!(point.loss.map(|loss| loss.mean), loss, "{metric}");
            assert_eq!(point.lower_bound, bound, "{metric}");
            assert!(bound.unwrap_or(0.0) <= loss.unwrap() + 1e-9, "{metric}: {bound:?} {loss:?}");
        }
    }
    let prec = |found: &Comparison| found.cells[0].release.as_ref().unwrap().metrics["prec"];
    let mut case = made(&table, PLAN);
    case.plan.method.metric = Some("prec".into());
    let found = case.compare(&grid(&["mondrian"], &[4]));
    let loss = found.points[0].loss.unwrap().mean;
    assert!((loss - (1.0 - prec(&found))).abs() < 1e-12, "{loss}");
    assert!(text(&found).contains("loss 1 − prec"), "{}", text(&found));
}

#[test]
fn rows_that_stay_as_stars_are_lost_cells_and_no_class() {
    let plan = PLAN.replace("suppression = 0.02", "suppression = 0.2");
    let plan = format!("{plan}[output]\nsuppressed = 'keep'\n");
    let mut table = Vec::new();
    write_csv(Data::Hospital, 150, 7, &mut table).unwrap();
    let case = made(&table, &plan);
    let found = case.compare(&grid(&["datafly"], &[5]));
    let release = found.cells[0].release.as_ref().unwrap();
    assert!(release.suppressed >= 5, "{release:?}");
    let mut plan = case.plan.clone();
    plan.method.algorithm = Some("datafly".into());
    plan.goal.k_anonymity = Some(5);
    let target = case.folder.path().join("release.csv");
    let order = Order { plan: &plan, target: &target, secret: [1; 32] };
    let receipt = anonymize(order, &case.dataset, &Ctx::quiet()).unwrap();
    assert_eq!(release.classes, receipt.classes);
    // The cells of age, sex and zip are nodes of taxonomies, and all of them are published.
    let options = kohort::Options::default();
    let written = kohort::read_table(&target.to_string_lossy(), &options, &|_, _| {}).unwrap();
    let stars = |name: &str| {
        let column = written.table.column(name).unwrap();
        let texts = column.codes().iter().map(|code| column.dictionary().get(code).to_owned());
        texts.filter(|text| text == "*").count()
    };
    let lost = f64::from(u32::try_from(stars("sex") + stars("zip") + stars("age")).unwrap());
    let percent = release.privacy_percent.unwrap();
    assert!((percent - 100.0 * lost / 450.0).abs() < 1e-9, "{percent} {lost}");
}

#[test]
fn queries_reach_every_value_of_a_short_column() {
    let mut table = String::from("age,zip,s\n");
    for row in 0..500_u32 {
        let (age, zip, s) = (20 + row * 7 % 50, 10 + row * 13 % 21, row * 31 % 97 % 2);
        let _ = writeln!(table, "{age},{zip},{s}");
    }
    let plan =
        "input = 'patients.csv'\n[attributes]\nage = 'quasi'\nzip = 'quasi'\ns = 'sensitive'\n";
    let case = made(table.as_bytes(), plan);
    let found = case.compare(&Grid { utility: "queries", ..grid(&["mondrian"], &[5, 10]) });
    for release in found.cells.iter().filter_map(|cell| cell.release.as_ref()) {
        let (mean, median) = (release.avre.unwrap(), release.avre_median.unwrap());
        assert!(mean > 0.0 && median > 0.0 && (mean - median).abs() > 1e-9, "{mean} {median}");
        assert_eq!(release.queries, Some(1000.0));
    }
    let figure = |release: &kohort::compare::Release| release.avre_median.unwrap();
    let of_point = found.points[1].avre_median.unwrap().mean;
    assert!((of_point - figure(found.cells[1].release.as_ref().unwrap())).abs() < 1e-12);
}

#[test]
fn the_sheet_has_every_figure_of_the_learners_and_the_queries() {
    let case = case(90);
    let target = Some("ward".to_owned());
    let found = case.compare(&Grid { target, folds: Some(3), ..grid(&["mondrian"], &[5]) });
    let release = found.cells[0].release.as_ref().unwrap();
    let sheet = sheet(&found);
    let at = |name: &str| {
        let column = sheet.column(name).unwrap_or_else(|_| panic!("no {name}"));
        column.dictionary().get(column.codes().get(0)).to_owned()
    };
    for (id, figures) in &release.learned {
        for part in ["balanced_accuracy", "macro_f1", "log_loss", "floor", "original", "shown"] {
            assert_eq!(at(&format!("{part}.{id}")), figures[part].to_string());
        }
    }
    assert_eq!(at("avre_median"), release.avre_median.unwrap().to_string());
    assert_eq!(at("queries"), release.queries.unwrap().to_string());
    assert_eq!(at("loss"), release.loss.unwrap().to_string());
}

#[test]
fn a_curve_goes_over_what_varies() {
    let case = case(150);
    let ls: Vec<Ratio> = [2, 3, 4].map(Ratio::whole).to_vec();
    let asked = Grid { ls: ls.clone(), risk: "attribute-max", ..grid(&["mondrian", "auto"], &[]) };
    for k in [None, Some(4)] {
        let found = case.compare(&Grid { ks: k.into_iter().collect(), ..asked.clone() });
        assert_eq!(found.curves.len(), 2, "{:?}", found.curves);
        for curve in &found.curves {
            assert_eq!((curve.over, curve.level.k, curve.level.l), (Dimension::L, k, None));
            let points = || found.points.iter().filter(|point| point.algorithm == curve.algorithm);
            let smaller = |u: f64, risk: f64| u.min(1.0 - risk);
            let sides =
                |p: &kohort::compare::Point| (p.utility.unwrap().mean, p.risk.unwrap().mean);
            let largest = points().map(sides).map(|(u, r)| smaller(u, r));
            let chosen = curve.maximin.unwrap();
            let found = smaller(chosen.utility, chosen.risk);
            assert!((found - largest.fold(0.0, f64::max)).abs() < 1e-12, "{curve:?}");
            assert!([Some(2.0), Some(3.0), Some(4.0)].contains(&chosen.level.l), "{chosen:?}");
            assert!(
                curve.crossing.is_some_and(|at| (2.0..=4.0).contains(&at.at) && at.k.is_none())
            );
        }
        let said = text(&found);
        assert!(said.contains("Balance of utility and privacy (1 − risk): l, with"), "{said}");
        let page = kohort::report::comparison::html(&found);
        assert!(page.contains("The l that each rule chooses"));
        assert!(page.contains("utility and privacy"));
    }
    // Where k varies too, there is a curve over k for each l.
    let found = case.compare(&Grid { ks: vec![3, 6], ..asked });
    assert_eq!(found.curves.len(), 6);
    let is_over_k = |curve: &kohort::compare::Curve| {
        curve.over == Dimension::K && curve.level.k.is_none() && curve.level.l.is_some()
    };
    assert!(found.curves.iter().all(is_over_k));
}

#[test]
fn a_utility_that_means_nothing_says_why_once() {
    let mut table = String::from("age,zip,s,constant\n");
    for row in 0..140_u32 {
        let (age, zip, s) = (20 + row * 7 % 50, 10 + row * 13 % 21, row % 70);
        let _ = writeln!(table, "{age},{zip},v{s},c");
    }
    let plan = "input = 'patients.csv'\n[attributes]\nage = 'quasi'\nzip = 'quasi'\n\
                s = 'sensitive'\nconstant = 'insensitive'\n";
    let case = made(table.as_bytes(), plan);
    let reason = "naive-bayes, stump, cart, logistic: predicts a column of 2 to 64 values";
    let asked = grid(&["mondrian"], &[3, 5]);
    let constant = Some("constant".to_owned());
    for asked in [
        Grid { target: constant, utility: "cart", ..asked.clone() },
        Grid { folds: Some(5), ..asked.clone() },
    ] {
        let found = case.compare(&asked);
        let said = text(&found);
        assert_eq!(said.matches(reason).count(), 1, "{said}");
        assert_eq!(kohort::report::comparison::html(&found).matches(reason).count(), 1);
    }
    // Nobody asked what can be learned.
    assert!(!text(&case.compare(&asked)).contains("Undefined"));
    let ls = vec![Ratio::whole(2)];
    let asked = Grid { ls, folds: Some(3), ..grid(&["anatomy", "mondrian"], &[]) };
    let said = text(&self::case(90).compare(&asked));
    let why = "logistic of anatomy, l = 2: reads cells, and the release publishes quasi-identifiers as they are";
    assert_eq!(said.matches(why).count(), 1, "{said}");
    assert!(!said.contains("one fold has none"), "{said}");
}
