//! Makers of nested releases on made-up students: loss, what is published, and seconds.
//!
//! `cargo bench -p kohort-nested --bench nested -- ctoff,clustree 2,3,4,5` runs two makers at four l on
//! 1,000 students of the shape of the thesis's *syntheticS*: (major, born; GPA) → about 20 courses (id;
//! grade) → 0 to 2 books each (title; price). `all` stands for every maker. Further arguments: `records=N`,
//! `shape=T` puts college years between students and courses, `k` asks for k-anonymity alone, with each
//! number of the second argument as k; `rule=2,1/2` asks that nobody has the grade C+ twice or more with a
//! probability above 1/2.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on fails")]
#![expect(clippy::cast_precision_loss, reason = "numbers of records are small")]

#[path = "../src/tests/given.rs"]
#[expect(dead_code, reason = "tests look for kinds by their names, too")]
mod given;

use std::time::Instant;

use given::{GivenColumn, GivenKind, build};
use kohort_core::{Ctx, Forest};
use kohort_models::nested::OccurrenceRule;
use kohort_nested::{Failure, NESTED_ALGORITHMS, NestedProblem, ONE, TreeCosts};

/// A generator of numbers that are always the same (SplitMix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        u32::try_from((z ^ (z >> 31)) % u64::from(sides)).unwrap()
    }

    /// About normal, from 0 to 24 around 12.
    fn bell(&mut self) -> u32 {
        (0..4).map(|_| self.roll(7)).sum()
    }

    /// Some of these, each at most once.
    fn some(&mut self, mut of: Vec<u32>, n: u32) -> Vec<u32> {
        let take = |_| {
            let at = self.roll(u32::try_from(of.len()).unwrap());
            of.swap_remove(at as usize)
        };
        (0..n).map(take).collect()
    }
}

const GRADES: [&str; 9] = ["F", "D", "C-", "C", "C+", "B-", "B", "A-", "A"];
const MAJORS: [&str; 6] = ["CS", "CS", "CS", "EE", "ME", "BIO"];

fn column(name: &str, taxonomy: Option<Vec<Vec<String>>>) -> GivenColumn {
    GivenColumn { name: name.into(), texts: Vec::new(), taxonomy }
}

fn kind(name: &str, parent: Option<usize>, quasi: Vec<GivenColumn>, secret: &str) -> GivenKind {
    let sensitive = (!secret.is_empty()).then(|| column(secret, None));
    GivenKind { name: name.into(), parent, quasi, sensitive, inside: Vec::new() }
}

/// Sixty courses of three departments, by hundreds.
fn course_name(course: u32) -> (String, String, String) {
    let department = ["CS", "MATH", "HUM"][(course / 20) as usize % 3];
    let level = course % 20 / 5 + 1;
    (
        format!("{department}{level}{:02}", course % 5),
        format!("{department}{level}**"),
        department.into(),
    )
}

fn kinds(is_tall: bool) -> Vec<GivenKind> {
    let line = |levels: &[&str]| levels.iter().map(|&level| level.to_owned()).collect::<Vec<_>>();
    let majors = [["CS", "computing"], ["EE", "computing"], ["ME", "other"], ["BIO", "other"]];
    let majors = majors.iter().map(|major| line(&[major[0], major[1], "*"])).collect();
    let born =
        (1985..2000).map(|y| line(&[&y.to_string(), &format!("{}*", y / 10), "*"])).collect();
    let years = ["freshman", "sophomore", "junior", "senior"];
    let years =
        years.iter().enumerate().map(|(at, year)| line(&[year, ["early", "late"][at / 2], "*"]));
    let names: Vec<_> = (0..60).map(course_name).collect();
    let courses = names.iter().map(|(id, level, of)| line(&[id, level, of, "*"])).collect();
    let books = names.iter().flat_map(|(id, level, of)| {
        (0..3).map(move |book| line(&[&format!("{id}/{book}"), id, level, of, "*"]))
    });
    let root = vec![column("major", Some(majors)), column("born", Some(born))];
    let mut kinds = vec![kind("student", None, root, "gpa")];
    if is_tall {
        kinds.push(kind("year", Some(0), vec![column("year", Some(years.collect()))], ""));
    }
    let above = kinds.len() - 1;
    kinds.push(kind("course", Some(above), vec![column("id", Some(courses))], "grade"));
    kinds.push(kind(
        "book",
        Some(above + 1),
        vec![column("title", Some(books.collect()))],
        "price",
    ));
    kinds
}

fn students(n_records: u32, is_tall: bool) -> Forest {
    let (mut kinds, mut dice) = (kinds(is_tall), Dice(7));
    let of_courses = kinds.len() - 2;
    for record in 0..n_records {
        let gpa = dice.bell();
        let major = MAJORS[dice.roll(6) as usize].to_owned();
        push(&mut kinds[0], 0, &[major, (1985 + dice.roll(15)).to_string()], &format!("g{gpa:02}"));
        // Eight that all must take, six of a core of twelve, and some electives.
        let mut courses: Vec<u32> = (0..8).collect();
        courses.extend(dice.some((8..20).collect(), 6));
        let n_electives = 3 + dice.roll(7);
        courses.extend(dice.some((20..60).collect(), n_electives));
        let year_of = |course: u32| if is_tall { (course % 20 / 5) as usize } else { 0 };
        for year in 0..if is_tall { 4 } else { 1 } {
            let taken: Vec<u32> = courses.iter().copied().filter(|&c| year_of(c) == year).collect();
            let mut above = record;
            if is_tall && !taken.is_empty() {
                let name = ["freshman", "sophomore", "junior", "senior"][year];
                above = push(&mut kinds[1], record, &[name.to_owned()], "");
            }
            for course in taken {
                let better = if course < 8 { 2 } else { 0 };
                let grade = ((gpa + better + dice.roll(9)) / 4).clamp(0, 8) as usize;
                let id = course_name(course).0;
                let row =
                    push(&mut kinds[of_courses], above, std::slice::from_ref(&id), GRADES[grade]);
                for _ in 0..dice.roll(3) {
                    let title = format!("{id}/{}", dice.roll(3));
                    let price = format!("p{}", dice.roll(6));
                    push(&mut kinds[of_courses + 1], row, &[title], &price);
                }
            }
        }
    }
    build(&kinds, n_records as usize)
}

fn push(kind: &mut GivenKind, above: u32, quasi: &[String], secret: &str) -> u32 {
    kind.inside.push(above);
    kind.quasi.iter_mut().zip(quasi).for_each(|(column, text)| column.texts.push(text.clone()));
    kind.sensitive.iter_mut().for_each(|column| column.texts.push(secret.to_owned()));
    u32::try_from(kind.inside.len() - 1).unwrap()
}

/// User and system time of this process so far.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> =
        text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |index: usize| fields.get(index).and_then(|f| f.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

/// A rule about the grade C+, the most frequent one.
fn rule_of(forest: &Forest, at_least: &str, probability: &str) -> OccurrenceRule {
    let codes = forest.kinds().iter().map(|kind| kind.sensitive.as_ref()?.code_of("C+"));
    let (at_least, probability) = (at_least.parse().unwrap(), probability.parse().unwrap());
    OccurrenceRule::new(codes.collect(), at_least, probability).unwrap()
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let chosen = args.first().map_or("all", String::as_str);
    let is_chosen = |id: &str| chosen == "all" || chosen.split(',').any(|name| name == id);
    let levels = args.get(1).map_or("3", String::as_str);
    let rest = args.get(2..).unwrap_or_default();
    let records = rest.iter().find_map(|arg| arg.strip_prefix("records="));
    let records = records.map_or(1000, |records| records.parse().unwrap());
    let is_k = rest.iter().any(|arg| arg == "k");
    let forest = students(records, rest.iter().any(|arg| arg == "shape=T"));
    let rule = rest.iter().find_map(|arg| arg.strip_prefix("rule=")?.split_once(','));
    let rules: Vec<OccurrenceRule> =
        rule.map(|(m, p)| rule_of(&forest, m, p)).into_iter().collect();
    println!("{records} students, {} vertices", forest.n_vertices());
    println!(
        "maker                     {}     LM %  records %  vertices %     wall      CPU",
        if is_k { 'k' } else { 'l' }
    );
    for level in levels.split(',').map(|level| level.parse::<u32>().unwrap()) {
        for algorithm in NESTED_ALGORITHMS.iter().filter(|a| is_chosen(a.spec().id)) {
            let (k, l) = if is_k { (level, 1) } else { (1, level) };
            let l = vec![l; forest.kinds().len()];
            let problem = NestedProblem {
                forest: &forest,
                k,
                l: &l,
                rules: &rules,
                sensitive_weight: 0.0,
                seed: 7,
            };
            let (started, cpu) = (Instant::now(), cpu_seconds());
            let made = algorithm.make(&Ctx::quiet(), &problem);
            let (wall, cpu) = (started.elapsed().as_secs_f64(), cpu_seconds() - cpu);
            let id = algorithm.spec().id;
            match made {
                Err(Failure::Infeasible { reason }) => println!("{id:24} {level:2}  {reason}"),
                Ok(candidate) => {
                    let lost = TreeCosts::new(&problem).of_candidate(&candidate);
                    let lm = 100.0 * lost as f64 / ONE as f64 / forest.n_labels() as f64;
                    let members: usize = candidate.classes.iter().map(|c| c.members.len()).sum();
                    let vertices: usize = candidate.classes.iter().map(|c| c.vertices.len()).sum();
                    let records = 100.0 * members as f64 / forest.n_records() as f64;
                    let vertices = 100.0 * vertices as f64 / forest.n_vertices() as f64;
                    println!(
                        "{id:24} {level:2} {lm:8.2} {records:10.1} {vertices:11.1} {wall:8.2} {cpu:8.2}"
                    );
                }
            }
        }
    }
}
