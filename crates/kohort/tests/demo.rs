//! The made-up tables: their form, their skew, and the files that go with them.

#![expect(clippy::unwrap_used, reason = "a test stops where something is wrong")]

use std::collections::{BTreeMap, BTreeSet};

use kohort::demo::{Data, File, companions, write, write_csv};
use kohort_core::date::days_from_civil;

fn csv(data: Data, rows: u64, seed: u64) -> String {
    let mut out = Vec::new();
    write_csv(data, rows, seed, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

struct Rows<'a> {
    header: Vec<&'a str>,
    rows: Vec<Vec<&'a str>>,
}

impl<'a> Rows<'a> {
    fn new(text: &'a str) -> Self {
        let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
        Self { header: lines.next().unwrap(), rows: lines.collect() }
    }

    fn column(&self, name: &str) -> Vec<&'a str> {
        let at = self.header.iter().position(|header| *header == name).unwrap();
        self.rows.iter().map(|row| row[at]).collect()
    }

    fn counts(&self, name: &str) -> BTreeMap<&'a str, f64> {
        let mut counts = BTreeMap::new();
        for cell in self.column(name) {
            *counts.entry(cell).or_insert(0.0) += 1.0;
        }
        counts
    }

    /// The share of the rows where `column` has this cell.
    fn share(&self, column: &str, cell: &str) -> f64 {
        share(&self.column(column), |&found| found == cell)
    }
}

fn share<T>(items: &[T], is: impl Fn(&T) -> bool) -> f64 {
    let n = u32::try_from(items.iter().filter(|item| is(item)).count()).unwrap();
    f64::from(n) / f64::from(u32::try_from(items.len()).unwrap())
}

fn within(number: f64, low: f64, high: f64) {
    assert!((low..=high).contains(&number), "{number} is not from {low} to {high}");
}

#[test]
fn same_seed_same_bytes() {
    for data in Data::ALL {
        assert_eq!(csv(data, 2000, 7), csv(data, 2000, 7));
        assert_ne!(csv(data, 2000, 7), csv(data, 2000, 8));
        // A longer table starts like a shorter one.
        assert!(csv(data, 3000, 7).starts_with(&csv(data, 2000, 7)));
        assert_eq!(csv(data, 0, 7).lines().count(), 1);
    }
}

// A change here changes every recorded run.
#[test]
fn the_bytes_of_a_seed_do_not_change() {
    let hospital = "\
name,age,sex,zip,admission,ward,disease,cost
Stefanie Müller,92,F,02160,2023-02-27,Pulmonology,influenza,4707.62
Tobias Silva,76,M,02470,2024-05-27,Surgery,diverticulitis,2143.71
Camille Voigt,3,F,04501,2024-10-01,Pediatrics,appendicitis,824.02
";
    assert_eq!(csv(Data::Hospital, 3, 7), hospital);
    let census = "\
sex,age,race,marital-status,education,native-country,workclass,occupation,salary-class
Male,31,White,Married-civ-spouse,HS-grad,United-States,Self-emp-inc,Sales,<=50K
Female,31,White,Never-married,Assoc-acdm,United-States,State-gov,Adm-clerical,>50K
Male,69,Black,Married-civ-spouse,5th-6th,United-States,?,?,>50K
";
    assert_eq!(csv(Data::Census, 3, 7), census);
    let poll = "\
voter,age,sex,zip,i1,i2,i3
V0000001,37,F,14402,5,5,5
V0000002,29,F,11612,3,0,0
";
    assert_eq!(csv(Data::Poll(3), 2, 7), poll);
}

#[test]
fn ids_come_back() {
    for data in Data::ALL {
        assert_eq!(Data::from_id(data.id()), Some(data));
    }
    assert_eq!(Data::from_id("school"), None);
}

#[test]
fn a_hospital_is_well_formed() {
    let text = csv(Data::Hospital, 20_000, 1);
    let table = Rows::new(&text);
    assert_eq!(table.rows.len(), 20_000);
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    for row in &table.rows {
        let [name, age, sex, zip, admission, ward, disease, cost] = row[..] else {
            panic!("a row has {} cells", row.len());
        };
        assert!(name.contains(' ') && !name.contains('"'));
        assert!(age.parse::<u8>().unwrap() <= 100);
        assert!(["F", "M", ""].contains(&sex));
        assert!(zip.is_empty() || (zip.len() == 5 && digits(zip)));
        let date: Vec<u32> = admission.split('-').map(|part| part.parse().unwrap()).collect();
        assert!([2023, 2024].contains(&date[0]));
        assert!(days_from_civil(date[0].cast_signed(), date[1], date[2]).is_some());
        assert!(!ward.is_empty() && !disease.is_empty());
        assert!(cost.is_empty() || cost.split_once('.').unwrap().1.len() == 2);
        assert!(cost.is_empty() || cost.parse::<f64>().unwrap() > 0.0);
    }
}

#[test]
fn a_hospital_is_skewed() {
    let text = csv(Data::Hospital, 20_000, 1);
    let table = Rows::new(&text);
    within(table.share("sex", ""), 0.015, 0.04);
    within(table.share("zip", ""), 0.02, 0.04);
    within(table.share("cost", ""), 0.02, 0.04);
    let ages: Vec<u32> = table.column("age").iter().map(|age| age.parse().unwrap()).collect();
    within(share(&ages, |&age| age == 0), 0.02, 0.08);
    within(share(&ages, |&age| (1..16).contains(&age)), 0.04, 0.12);
    within(share(&ages, |&age| age >= 65), 0.35, 0.6);
    let zips = table.counts("zip");
    within(f64::from(u32::try_from(zips.len()).unwrap()), 60.0, 200.0);
    within(share(&table.column("zip"), |zip| zip.starts_with("01")), 0.35, 0.55);
    for (column, least, most) in [("disease", 38, 48), ("ward", 9, 15), ("admission", 700, 731)] {
        let n = table.counts(column).len();
        assert!((least..=most).contains(&n), "{column}: {n}");
    }
    let most = |column: &str| table.counts(column).into_values().fold(0.0, f64::max);
    let least = |column: &str| table.counts(column).into_values().fold(f64::MAX, f64::min);
    assert!(most("disease") > 10.0 * least("disease"));
    assert!(most("zip") > 20.0 * least("zip"));

    let small = csv(Data::Hospital, 1000, 1);
    let names: BTreeSet<&str> = Rows::new(&small).column("name").into_iter().collect();
    assert!(names.len() >= 940, "{}", names.len());
    assert!(names.iter().any(|name| !name.is_ascii()));
}

#[test]
fn diseases_depend_on_sex_age_and_season_and_costs_on_disease() {
    let text = csv(Data::Hospital, 50_000, 2);
    let table = Rows::new(&text);
    let mut costs: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let (mut winter_flu, mut summer_flu) = (0, 0);
    for row in &table.rows {
        let [_, age, sex, _, admission, ward, disease, cost] = row[..] else { unreachable!() };
        let age: u32 = age.parse().unwrap();
        if ["vaginal delivery", "pre-eclampsia", "gestational diabetes"].contains(&disease) {
            assert!(sex != "M" && (16..50).contains(&age) && ward == "Obstetrics");
        }
        assert!(disease != "prostate cancer" || sex != "F");
        assert!(disease != "preterm birth" || age == 0);
        if disease == "influenza" {
            let month = &admission[5..7];
            winter_flu += u32::from(["12", "01", "02"].contains(&month));
            summer_flu += u32::from(["06", "07", "08"].contains(&month));
        }
        if let Ok(cost) = cost.parse() {
            costs.entry(disease).or_default().push(cost);
        }
    }
    assert!(winter_flu > 10 * summer_flu, "{winter_flu} {summer_flu}");
    let mean = |disease: &str| {
        let costs = &costs[disease];
        costs.iter().sum::<f64>() / f64::from(u32::try_from(costs.len()).unwrap())
    };
    assert!(mean("leukemia") > 4.0 * mean("gastroenteritis"));
    let hip = &mut costs.get_mut("hip fracture").unwrap()[..];
    hip.sort_by(f64::total_cmp);
    // A log-normal distribution has its mean above its median.
    assert!(
        hip.iter().sum::<f64>() / f64::from(u32::try_from(hip.len()).unwrap()) > hip[hip.len() / 2]
    );
    let weekend = |text: &&str| {
        let date: Vec<u32> = text.split('-').map(|part| part.parse().unwrap()).collect();
        let day = days_from_civil(date[0].cast_signed(), date[1], date[2]).unwrap();
        (day + 3) % 7 >= 5
    };
    within(share(&table.column("admission"), weekend), 0.12, 0.24);
}

#[test]
fn a_census_has_the_shape_of_adult() {
    let text = csv(Data::Census, 50_000, 1);
    let table = Rows::new(&text);
    assert_eq!(
        table.header.join(","),
        "sex,age,race,marital-status,education,native-country,workclass,occupation,salary-class"
    );
    assert!(table.rows.iter().all(|row| row.len() == 9 && row.iter().all(|cell| !cell.is_empty())));
    // The shares of the published table, from its documentation.
    within(table.share("sex", "Male"), 0.65, 0.69);
    within(table.share("race", "White"), 0.84, 0.88);
    within(table.share("native-country", "United-States"), 0.88, 0.92);
    within(table.share("workclass", "Private"), 0.66, 0.76);
    within(table.share("education", "HS-grad"), 0.29, 0.35);
    within(table.share("marital-status", "Married-civ-spouse"), 0.43, 0.5);
    within(table.share("salary-class", ">50K"), 0.21, 0.27);
    within(table.share("occupation", "?"), 0.04, 0.065);
    within(table.share("native-country", "?"), 0.01, 0.025);
    for (column, n) in [("education", 16), ("marital-status", 7), ("race", 5), ("salary-class", 2)]
    {
        assert_eq!(table.counts(column).len(), n, "{column}");
    }
    assert!(table.counts("native-country").len() >= 38);
    for row in &table.rows {
        assert!((17..=90).contains(&row[1].parse::<u8>().unwrap()));
        assert_eq!(row[6] == "?" || row[6] == "Never-worked", row[7] == "?");
    }
}

#[test]
fn a_census_has_the_correlations_of_adult() {
    let text = csv(Data::Census, 50_000, 1);
    let table = Rows::new(&text);
    let rows = |is: &dyn Fn(&[&str]) -> bool| -> Vec<&Vec<&str>> {
        table.rows.iter().filter(|row| is(row)).collect()
    };
    let rich = |rows: &[&Vec<&str>]| share(rows, |row| row[8] == ">50K");
    within(rich(&rows(&|row| row[4] == "Doctorate")), 0.55, 0.85);
    within(rich(&rows(&|row| row[4] == "Bachelors")), 0.35, 0.5);
    within(rich(&rows(&|row| row[4] == "11th")), 0.01, 0.12);
    within(rich(&rows(&|row| row[7] == "Exec-managerial")), 0.38, 0.56);
    within(rich(&rows(&|row| row[3] == "Never-married")), 0.01, 0.1);
    within(rich(&rows(&|row| row[0] == "Female")), 0.07, 0.17);
    let professionals = rows(&|row| row[4] == "Masters");
    within(share(&professionals, |row| row[7] == "Prof-specialty"), 0.45, 0.7);
    let young = rows(&|row| row[1].parse::<u8>().unwrap() < 23);
    within(share(&young, |row| row[3] == "Never-married"), 0.85, 0.97);
}

#[test]
fn a_poll_has_answers_that_are_spread_and_go_together() {
    let text = csv(Data::Poll(9), 20_000, 7);
    let poll = Rows::new(&text);
    assert_eq!(poll.header.len(), 4 + 9);
    let voters: BTreeSet<&str> = poll.column("voter").into_iter().collect();
    assert_eq!(voters.len(), 20_000);
    for issue in 1..=9 {
        let counts = poll.counts(&format!("i{issue}"));
        assert_eq!(counts.len(), 11);
        // No answer stands in the way of l = 6.
        assert!(counts.values().all(|&count| count * 6.0 <= 20_000.0), "{counts:?}");
    }
    let answers = |issue: &str| -> Vec<f64> {
        poll.column(issue).iter().map(|answer| answer.parse().unwrap()).collect()
    };
    within(correlation(&answers("i1"), &answers("i2")), 0.3, 0.6);
    within(correlation(&answers("i1"), &answers("i7")), 0.05, 0.35);
    within(correlation(&answers("i1"), &answers("age")), 0.05, 0.3);
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let n = f64::from(u32::try_from(a.len()).unwrap());
    let mean = |x: &[f64]| x.iter().sum::<f64>() / n;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let product = |x: &[f64], y: &[f64], (p, q): (f64, f64)| -> f64 {
        x.iter().zip(y).map(|(x, y)| (x - p) * (y - q)).sum()
    };
    let spread = product(a, a, (mean_a, mean_a)) * product(b, b, (mean_b, mean_b));
    product(a, b, (mean_a, mean_b)) / spread.sqrt()
}

fn file<'a>(files: &'a [File], name: &str) -> &'a str {
    &files.iter().find(|file| file.name == name).unwrap().text
}

#[test]
fn every_value_has_a_leaf_in_its_taxonomy() {
    for (data, columns) in [
        (Data::Hospital, &["disease", "ward"][..]),
        (
            Data::Census,
            &["education", "marital-status", "native-country", "workclass", "occupation"][..],
        ),
    ] {
        let files = companions(data, "data.csv", 0, 7);
        let text = csv(data, 50_000, 3);
        let table = Rows::new(&text);
        assert_eq!(files.len(), columns.len() + 1);
        for column in columns {
            let taxonomy = file(&files, &format!("taxonomies/{column}.csv"));
            let lines: Vec<Vec<&str>> = taxonomy.lines().map(|l| l.split(';').collect()).collect();
            assert!(lines.iter().all(|line| line.len() == lines[0].len()), "{column}");
            assert!(lines.iter().all(|line| line.last() == Some(&"*")), "{column}");
            let leaves: BTreeSet<&str> = lines.iter().map(|line| line[0]).collect();
            assert_eq!(leaves.len(), lines.len(), "{column}");
            // A node has one parent.
            let mut parents = BTreeMap::new();
            for (level, pair) in lines.iter().flat_map(|line| line.windows(2).enumerate()) {
                let parent = *parents.entry((level, pair[0])).or_insert(pair[1]);
                assert_eq!(parent, pair[1], "{column}: {}", pair[0]);
            }
            for value in table.counts(column).into_keys().filter(|value| *value != "?") {
                assert!(leaves.contains(value), "{column}: {value}");
            }
        }
    }
}

#[test]
fn plans_are_toml_and_name_every_column() {
    for data in Data::TABLES {
        let files = companions(data, "my \"own\".csv", 0, 7);
        let plan: toml::Table = file(&files, "plan.toml").parse().unwrap();
        assert_eq!(plan["input"].as_str(), Some("my \"own\".csv"));
        let text = csv(data, 0, 1);
        let attributes = plan["attributes"].as_table().unwrap();
        let mut columns: Vec<&str> = text.trim().split(',').collect();
        columns.sort_unstable();
        let mut named: Vec<&str> = attributes.keys().map(String::as_str).collect();
        named.sort_unstable();
        assert_eq!(named, columns);
        for path in attributes.values().filter_map(|value| value.get("taxonomy")?.as_str()) {
            assert!(path == "mask" || files.iter().any(|file| file.name == path), "{path}");
        }
        let (name, level) = match data {
            Data::Poll(_) => ("l-mdiversity", 3),
            _ => ("k-anonymity", 5),
        };
        assert_eq!(plan["goal"][name].as_integer(), Some(level));
        assert_eq!(plan["method"]["seed"].as_integer(), Some(7));
    }
}

#[test]
fn a_hundred_thousand_rows_go_to_any_writer() {
    struct Count(usize, usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += std::str::from_utf8(bytes).unwrap().lines().count();
            self.1 = self.1.max(bytes.len());
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    for data in Data::TABLES {
        let mut count = Count(0, 0);
        write_csv(data, 100_000, 1, &mut count).unwrap();
        assert_eq!(count.0, 100_001);
        // Rows are handed on in blocks, so that memory does not grow with the table.
        assert!(count.1 < 100_000);
    }
}

fn json(data: Data, rows: u64) -> serde_json::Value {
    let mut out = Vec::new();
    write(data, "records.json", rows, 7, &mut out).unwrap();
    serde_json::from_slice(&out).unwrap()
}

fn objects<'a>(record: &'a serde_json::Value, path: &[&str]) -> Vec<&'a serde_json::Value> {
    path.iter().fold(vec![record], |found, name| {
        let below = found.into_iter().filter_map(|object| object.get(name)?.as_array());
        below.flatten().collect()
    })
}

/// Özalp 2017: 1,000 students, about 20 courses each, 0 to 2 books a course, some 42,000 vertices.
#[test]
fn students_are_shaped_like_the_synthetic_ones_of_the_thesis() {
    let students = json(Data::Students(3), 1000);
    let count = |path: &[&str]| -> usize {
        students.as_array().unwrap().iter().map(|record| objects(record, path).len()).sum()
    };
    let (courses, books) = (count(&["courses"]), count(&["courses", "books"]));
    assert!((19_000..21_500).contains(&courses), "{courses}");
    assert!((38_000..45_000).contains(&(1000 + courses + books)), "{books}");
    let taller = json(Data::Students(4), 1000);
    let years: Vec<usize> =
        taller.as_array().unwrap().iter().map(|record| objects(record, &["years"]).len()).collect();
    assert!(years.iter().all(|n| (1..=4).contains(n)) && years.contains(&3));
    let flat = json(Data::Students(2), 20);
    assert!(flat.as_array().unwrap().iter().all(|r| objects(r, &["courses", "books"]).is_empty()));
}

#[test]
fn patients_have_visits_and_visits_have_diagnoses() {
    for (depth, path) in [
        (2, &["visits"][..]),
        (3, &["visits", "diagnoses"][..]),
        (4, &["visits", "diagnoses", "treatments"][..]),
    ] {
        let patients = json(Data::Patients(depth), 50);
        let found = patients.as_array().unwrap().iter().map(|record| objects(record, path).len());
        assert!(found.sum::<usize>() > 50, "{depth}");
    }
}

/// The related tables have a row for each object of the records, and the keys of a plan.
#[test]
fn records_and_related_tables_are_the_same_data() {
    for data in [Data::Students(4), Data::Patients(3)] {
        let files = companions(data, "people.csv", 30, 7);
        let records = json(data, 30);
        let tables: Vec<&File> = files.iter().filter(|file| !file.name.contains('/')).collect();
        let mut path = Vec::new();
        for table in tables.iter().filter(|file| file.name != "plan.toml") {
            path.push(table.name.strip_suffix(".csv").unwrap());
            let objects = records.as_array().unwrap().iter().map(|r| objects(r, &path).len());
            assert_eq!(table.text.lines().count() - 1, objects.sum::<usize>(), "{}", table.name);
        }
        let plan = kohort::plan::Plan::parse("plan.toml", file(&files, "plan.toml")).unwrap();
        assert_eq!(plan.tables.len(), path.len());
    }
}
