//! Random cases.

use std::collections::{BTreeMap, BTreeSet};

use crate::case::{Case, OPAQUE};
use crate::files::{FORMATS, Rows};
use crate::plain::Fraction;
use crate::plain::cells::{Buckets, Column, Kind, Missing, Role, Tree};
use crate::plain::t_closeness::Distance;
use crate::promise::{Model, Promise};
use crate::random::Random;

/// Labels, some of which are hard to write down.
const LABELS: [&str; 12] = [
    "red",
    "green",
    "blue",
    "a,b",
    "x \"y\"",
    "Köln",
    "n;m",
    "it's",
    "=1+1",
    "long label",
    "-",
    "02130",
];
const DISEASES: [&str; 8] =
    ["flu", "cold", "gastritis", "ulcer", "HIV", "cancer", "bronchitis", "asthma"];

/// A random case for an algorithm and a model, which the program lists by these ids.
pub(crate) fn case(random: &mut Random, algorithm: &str, model: &str) -> Case {
    let n_rows = *random.pick(&[8, 12, 16, 20, 24, 30, 40, 60, 120]);
    let columns = columns(random, model);
    let rows = (0..n_rows).map(|row| columns.iter().map(|c| cell(random, c, row)).collect());
    let header = columns.iter().map(|column| column.name.clone()).collect();
    let mut table = Rows { header, rows: rows.collect() };
    leave_out_values(random, &mut table, &columns);
    let mut case = Case {
        columns,
        table,
        promises: Vec::new(),
        suppression: random.percent(50).then(|| *random.pick(&[5, 10, 20, 40])),
        algorithm: algorithm.to_owned(),
        method: vec![format!("seed = {}", random.below(1000))],
        output: Vec::new(),
        formats: [0, 1].map(|_| (*random.pick(&FORMATS)).to_owned()),
    };
    if random.percent(75) {
        case.method.push(OPAQUE.into());
    }
    bind_trees(random, &mut case);
    if !names_values(model) {
        case.columns.iter_mut().for_each(|column| column.buckets = buckets(random, column));
    }
    let first = promise(random, &case, model);
    case.promises.extend(first);
    let needs_k = model == "sensitivity-classes";
    if (needs_k || random.percent(40)) && model != "k-anonymity" && !is_anatomized(algorithm) {
        let k = random.between(2, 4);
        case.promises.push(Promise { model: Model::KAnonymity { k }, attribute: None });
    }
    if random.percent(15) {
        case.output.push("suppressed = \"keep\"".into());
    }
    if is_anatomized(algorithm) && random.percent(30) {
        case.output.push("anatomy = \"one-file\"".into());
    }
    if random.percent(20) {
        case.method.push("numeric = \"taxonomy\"".into());
    }
    case
}

/// Leaves out some sensitive values of some tables.
fn leave_out_values(random: &mut Random, table: &mut Rows, columns: &[Column]) {
    for (place, column) in columns.iter().enumerate() {
        if column.role == Role::Sensitive && random.percent(35) {
            let share = random.between(3, 25);
            for row in &mut table.rows {
                if random.percent(share) {
                    row[place].clear();
                }
            }
        }
    }
}

/// What missing cells may say: what hides others is for promises about shares.
fn missing(random: &mut Random, model: &str) -> Missing {
    let of_shares = [
        "frequency-l-diversity",
        "alpha-k-anonymity",
        "lkc-privacy",
        "sensitivity-classes",
        "personalized-privacy",
        "l-pdiversity",
        "l-mdiversity",
        "epsilon-m-anonymity",
    ];
    match random.below(3) {
        0 => Missing::Value,
        1 if of_shares.contains(&model) => Missing::Unprotected,
        _ => Missing::Ignored,
    }
}

/// Whether a model is about values that are named, or about numbers as they are.
fn names_values(model: &str) -> bool {
    let of_values = ["alpha-k-anonymity", "lkc-privacy", "sensitivity-classes"];
    let others = ["personalized-privacy", "ke-anonymity", "epsilon-m-anonymity"];
    of_values.contains(&model) || others.contains(&model)
}

/// What promises about a column count.
fn buckets(random: &mut Random, column: &Column) -> Buckets {
    match (column.role, column.kind, &column.tree) {
        (Role::Sensitive, Kind::Integer, _) if random.percent(40) => Buckets::Cuts(
            (*random.pick(&[&[4000, 8000][..], &[2500, 5000, 7500], &[6000]])).to_vec(),
        ),
        (Role::Sensitive, Kind::Text, Tree::Levels(_)) if random.percent(20) => {
            Buckets::Level(random.between(1, 2))
        }
        _ => Buckets::None,
    }
}

/// Adds what algorithms need that are made for a diversity.
pub(crate) fn ask_for_diversity(case: &mut Case) {
    let model = Model::FrequencyL { l: Fraction::whole(2) };
    case.promises.push(Promise { model, attribute: Some("disease".into()) });
}

/// Whether an algorithm publishes two tables.
pub(crate) fn is_anatomized(algorithm: &str) -> bool {
    ["anatomy", "mmdcf", "mbf", "msdcf", "decomposition"].contains(&algorithm)
}

fn column(name: &str, role: Role, kind: Kind, tree: Tree) -> Column {
    Column {
        name: name.to_owned(),
        role,
        kind,
        tree,
        buckets: Buckets::None,
        missing: Missing::Ignored,
    }
}

fn columns(random: &mut Random, model: &str) -> Vec<Column> {
    let mut columns = vec![column("id", Role::Identifier, Kind::Text, Tree::Flat)];
    let widths = if random.percent(50) { Tree::Widths(vec![5, 10, 20]) } else { Tree::Flat };
    let calendar = if random.percent(50) { Tree::Calendar } else { Tree::Flat };
    let levels = || Tree::Levels(BTreeMap::new());
    let mut quasi = vec![
        column("age", Role::Quasi, Kind::Integer, widths),
        column("weight, kg", Role::Quasi, Kind::Decimal, Tree::Flat),
        column("admitted", Role::Quasi, Kind::Date, calendar),
        column("zip", Role::Quasi, Kind::Text, Tree::Mask),
        column("color", Role::Quasi, Kind::Text, levels()),
        column("sex", Role::Quasi, Kind::Text, Tree::Flat),
    ];
    random.shuffle(&mut quasi);
    quasi.truncate(random.between(1, 4));
    columns.extend(quasi);
    let has_tree = model == "personalized-privacy" || random.percent(50);
    let tree = if has_tree { levels() } else { Tree::Flat };
    columns.push(column("disease", Role::Sensitive, Kind::Text, tree));
    if ["ke-anonymity", "epsilon-m-anonymity"].contains(&model) || random.percent(30) {
        columns.push(column("salary", Role::Sensitive, Kind::Integer, Tree::Flat));
    }
    if random.percent(30) {
        columns.push(column("note", Role::Insensitive, Kind::Text, Tree::Flat));
    }
    for column in columns.iter_mut().filter(|column| column.role == Role::Sensitive) {
        column.missing = missing(random, model);
    }
    let names = 1..columns.len();
    if random.percent(30) {
        random.shuffle(&mut columns[names]);
    }
    columns
}

/// A cell; small domains, so that classes form.
fn cell(random: &mut Random, column: &Column, row: usize) -> String {
    if column.role == Role::Quasi && random.percent(3) {
        return String::new();
    }
    match column.name.as_str() {
        "id" => format!("person {row}"),
        "age" => (18 + random.below(40)).to_string(),
        "weight, kg" => {
            let spelled = if random.percent(10) { "0" } else { "" };
            format!("{}.{}{spelled}", 50 + random.below(8), random.between(1, 9))
        }
        "admitted" => {
            let [year, month, day] =
                [2020 + random.below(2), random.between(1, 12), random.between(1, 28)];
            format!("{year}-{month:02}-{day:02}")
        }
        "zip" => format!("0{}{}{}", random.below(2), random.below(3), random.below(10)),
        "color" => LABELS[random.below(LABELS.len())].to_owned(),
        "sex" => (*random.pick(&["f", "m", "x, other"])).to_owned(),
        "disease" => {
            let skewed = random.below(DISEASES.len()).min(random.below(DISEASES.len()));
            DISEASES[skewed].to_owned()
        }
        "salary" => (1000 * random.between(1, 12)).to_string(),
        _ => (*random.pick(&["note", "'", "'", "\"", "a, 'b'"])).to_owned(),
    }
}

/// Makes taxonomies of the values that occur: two levels below the root.
fn bind_trees(random: &mut Random, case: &mut Case) {
    for (place, column) in case.columns.iter_mut().enumerate() {
        if !matches!(column.tree, Tree::Levels(_)) {
            continue;
        }
        let mut levels = BTreeMap::new();
        let n_groups = random.between(2, 4);
        for row in &case.table.rows {
            let value = &row[place];
            if value.is_empty() || levels.contains_key(value) {
                continue;
            }
            let group = random.below(n_groups);
            let above = [format!("group {group}"), format!("half {}", group % 2), "*".into()];
            levels.insert(value.clone(), above.to_vec());
        }
        column.tree = Tree::Levels(levels);
    }
}

/// The values of a column, each once.
fn domain(table: &Rows, column: &Column) -> Vec<String> {
    let cells = table.column(&column.name).expect("it is a column of the table");
    let values: BTreeSet<&str> = cells.into_iter().filter(|cell| !cell.is_empty()).collect();
    values.into_iter().map(str::to_owned).collect()
}

/// A random promise of a model; none for a model that is not known here.
fn promise(random: &mut Random, case: &Case, model: &str) -> Option<Promise> {
    let sensitive = |name: &str| case.columns.iter().find(|column| column.name == name);
    let disease = sensitive("disease").expect("every table has it");
    let numbers = sensitive("salary").filter(|_| random.percent(50));
    let column = numbers.unwrap_or(disease);
    let domain = domain(&case.table, column);
    let n_chosen = random.between(1, 2);
    let mut shuffled = domain.clone();
    random.shuffle(&mut shuffled);
    let chosen: Vec<String> = shuffled.into_iter().take(n_chosen).collect();
    let some = random.percent(60).then_some(chosen.clone());
    let share = Fraction::hundredths(random.between(25, 90));
    let level = Fraction::hundredths(*random.pick(&[125, 150, 200, 250, 300]));
    let whole = random.between(2, 4);
    let model = match model {
        "k-anonymity" => Model::KAnonymity { k: random.between(2, 6) },
        "average-risk" => Model::AverageRisk { p: share },
        "sample-uniqueness" => Model::SampleUniqueness { p: share },
        "k-map" => return Some(k_map(random, case)),
        "population-uniqueness" => {
            let fraction = Fraction::hundredths(*random.pick(&[10, 30, 100]));
            Model::PopulationUniqueness { p: share, fraction }
        }
        "distinct-l-diversity" => Model::DistinctL { l: whole },
        "frequency-l-diversity" => Model::FrequencyL { l: level },
        "entropy-l-diversity" => Model::EntropyL { l: level },
        "recursive-cl-diversity" => {
            Model::RecursiveCl { c: Fraction::hundredths(random.between(50, 400)), l: whole }
        }
        "alpha-k-anonymity" => {
            Model::AlphaK { alpha: share, k: random.between(1, 4), values: some }
        }
        "p-sensitive-k-anonymity" => Model::PSensitiveK { p: 2, k: random.between(2, 5) },
        "l-pdiversity" => Model::LPdiversity { l: random.between(2, 3) },
        "l-mdiversity" => Model::LMdiversity { l: random.between(2, 3) },
        "lkc-privacy" => {
            Model::Lkc { l: random.between(1, 3), k: random.between(1, 4), c: share, values: some }
        }
        "sensitivity-classes" => {
            let l = random.percent(50).then_some(Fraction::hundredths(200));
            let l_low = random.percent(30).then_some(Fraction::hundredths(150));
            Model::SensitivityClasses { high: chosen, alpha: share, l, l_low }
        }
        "personalized-privacy" => return Some(personalized(random, disease, share)),
        "ke-anonymity" | "epsilon-m-anonymity" => return Some(of_numbers(random, model)),
        "t-closeness" => return Some(t_closeness(random, column, domain)),
        "basic-beta-likeness" => {
            Model::BasicBeta { beta: Fraction::hundredths(random.between(50, 400)) }
        }
        "enhanced-beta-likeness" => {
            Model::EnhancedBeta { beta: Fraction::hundredths(random.between(50, 400)) }
        }
        "delta-disclosure-privacy" => {
            Model::DeltaDisclosure { delta: Fraction::hundredths(random.between(50, 300)) }
        }
        "delta-presence" => return Some(presence(random, case)),
        _ => return None,
    };
    let is_of_all = model.is_of_all();
    Some(Promise { model, attribute: (!is_of_all).then(|| column.name.clone()) })
}

fn of_numbers(random: &mut Random, model: &str) -> Promise {
    let is_relative = random.percent(30);
    let most = if is_relative { 50 } else { 300_000 };
    let epsilon = Fraction::hundredths(random.between(0, most));
    let model = if model == "ke-anonymity" {
        Model::Ke { k: random.between(2, 4), e: 1000 * random.between(0, 6) }
    } else {
        Model::EpsilonM { epsilon, m: random.between(2, 3), is_relative }
    };
    Promise { model, attribute: Some("salary".into()) }
}

fn personalized(random: &mut Random, disease: &Column, p: Fraction) -> Promise {
    let Tree::Levels(levels) = &disease.tree else {
        unreachable!("the column was made with a tree")
    };
    let mut guards = BTreeMap::new();
    for (value, above) in levels {
        if guards.is_empty() || random.percent(40) {
            let node =
                if random.percent(50) { value } else { &above[random.below(above.len() - 1)] };
            guards.insert(value.clone(), node.clone());
        }
    }
    Promise { model: Model::Personalized { p, guards }, attribute: Some(disease.name.clone()) }
}

fn t_closeness(random: &mut Random, column: &Column, mut domain: Vec<String>) -> Promise {
    let distance = match (&column.tree, column.kind, &column.buckets) {
        // Missing as a value is in no order, and under no node.
        _ if column.missing == Missing::Value => Distance::Equal,
        (Tree::Levels(levels), _, Buckets::None) if random.percent(60) => {
            Distance::Hierarchical(levels.clone())
        }
        (_, Kind::Integer, _) if random.percent(70) => {
            domain.sort_by_key(|value| value.parse::<i64>().unwrap_or_default());
            let mut counted: Vec<String> = domain.iter().map(|v| column.counted(v)).collect();
            counted.dedup();
            Distance::Ordered(counted)
        }
        _ => Distance::Equal,
    };
    let t = Fraction::hundredths(random.between(5, 70));
    Promise { model: Model::TCloseness { t, distance }, attribute: Some(column.name.clone()) }
}

fn k_map(random: &mut Random, case: &Case) -> Promise {
    let k = random.between(2, 6);
    let model = if random.percent(50) {
        Model::KMap { k, people: people(random, case) }
    } else {
        let fraction = Fraction::hundredths(random.between(5, 100));
        let significance = Fraction::hundredths(random.between(1, 30));
        Model::EstimatedKMap { k, fraction, significance }
    };
    Promise { model, attribute: None }
}

fn presence(random: &mut Random, case: &Case) -> Promise {
    let people = people(random, case);
    let min = Fraction::hundredths(random.between(0, 30));
    let max = Fraction::hundredths(random.between(50, 100));
    Promise { model: Model::DeltaPresence { min, max, people }, attribute: None }
}

/// A public table: everybody in the table is in it, with others.
fn people(random: &mut Random, case: &Case) -> Rows {
    let quasi: Vec<&Column> = case.columns.iter().filter(|c| c.role == Role::Quasi).collect();
    let names: Vec<&str> = quasi.iter().map(|column| column.name.as_str()).collect();
    let mut people = case.table.only(&names);
    let levels = |column: &Column| match &column.tree {
        Tree::Levels(levels) => levels.keys().cloned().collect(),
        _ => Vec::new(),
    };
    for _ in 0..case.table.rows.len() * random.between(1, 3) {
        let row = quasi.iter().map(|column| match levels(column).as_slice() {
            [] => cell(random, column, 0),
            known => random.pick(known).clone(),
        });
        people.rows.push(row.collect());
    }
    random.shuffle(&mut people.rows);
    people
}
