//! Makers of nested releases on made-up students: loss, what is published, and seconds.
//!
//! `cargo bench -p kohort-nested --bench nested -- ctoff,clustree 2,3,4,5` runs two makers at four l on
//! 1,000 students of the shape of Özalp 2017's *syntheticS*: (major, born; GPA) → about 20 courses (id;
//! grade) → 0 to 2 books each (title; price). `all` stands for every maker. Further arguments: `records=N`,
//! `shape=T` puts college years between students and courses, `k` asks for k-anonymity alone, with each
//! number of the second argument as k; `rules=2,1/2` asks that nobody has one grade twice or more with a
//! probability above 1/2, whichever it is, and `rules=2,1/2,F,D` the same of the grades named;
//! `partitions=5` is for anatomies; `transparent` makes transparent releases
//! of the makers that have the mode, and says no where what is pruned would tell something.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on fails")]
#![expect(clippy::cast_precision_loss, reason = "numbers of records are small")]

#[path = "../src/tests/given.rs"]
mod given;
#[path = "../src/tests/students.rs"]
mod students;

use std::time::Instant;

use kohort_core::{Ctx, Forest, Ratio};
use kohort_models::nested::OccurrenceRule;
use kohort_nested::{Failure, NESTED_ALGORITHMS, NestedProblem, ONE, TreeCosts, make};
use students::students;

/// User and system time of this process so far.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> =
        text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |index: usize| fields.get(index).and_then(|f| f.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

/// Rules about grades: m, p, and the grades, all where none is named.
fn rules_of(forest: &Forest, given: &str) -> Vec<OccurrenceRule> {
    let mut given = given.split(',');
    let at_least: u32 = given.next().unwrap().parse().unwrap();
    let probability: Ratio = given.next().unwrap().parse().unwrap();
    let named: Vec<&str> = given.collect();
    let grades = if named.is_empty() { &students::GRADES[..] } else { &named };
    let rule = |grade: &&str| {
        let codes = forest.kinds().iter().map(|kind| kind.sensitive.as_ref()?.code_of(grade));
        OccurrenceRule::new(codes.collect(), at_least, probability).unwrap()
    };
    grades.iter().map(rule).collect()
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
    let rules = rest.iter().find_map(|arg| arg.strip_prefix("rules="));
    let rules = rules.map_or(Vec::new(), |given| rules_of(&forest, given));
    let partitions = rest.iter().find_map(|arg| arg.strip_prefix("partitions="));
    let partitions = partitions.map(|partitions| partitions.parse().unwrap());
    let transparent = rest.iter().any(|arg| arg == "transparent").then_some([7; 32]);
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
                models: &[],
                rules: &rules,
                sensitive_weight: 0.0,
                may_leave_out: forest.n_records(),
                seed: 7,
                partitions,
                transparent,
            };
            let (started, cpu) = (Instant::now(), cpu_seconds());
            let made = match transparent {
                Some(_) => make(*algorithm, &Ctx::quiet(), &problem, false),
                None => algorithm.make(&Ctx::quiet(), &problem),
            };
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
