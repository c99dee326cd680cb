//! Anatomy of made-up students: vertices kept, people left out and seconds.
//!
//! `cargo bench -p kohort-nested --bench anatomy -- 1000 2,3,4 all` anatomizes 1,000 students of about 42
//! vertices (the thesis's *syntheticS*: about 20 courses a student, up to two books a course) at three l
//! with every method; instead of `all`, ids with commas between. Further arguments: `np=5` for a number of
//! partitions, `rule=2,1/2` for the rule that nobody has the first grade twice with a probability above 1/2.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on fails")]
#![expect(clippy::cast_precision_loss, reason = "numbers of vertices are small")]

use std::time::Instant;

use kohort_core::{
    Attribute, Codes, Column, Ctx, Dictionary, Domain, Forest, Missing, Role, Table, VertexKind,
};
use kohort_models::nested::OccurrenceRule;
use kohort_nested::{NestedAlgorithm, NestedCandidate, NestedProblem, TreeAnatomy};

const METHODS: [TreeAnatomy; 4] = [
    TreeAnatomy::BY_TREE,
    TreeAnatomy::BY_TREE_FIRST_FIT,
    TreeAnatomy::BY_VERTEX,
    TreeAnatomy::BY_VERTEX_FIRST_FIT,
];

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let n_records: usize = args.first().map_or(200, |n| n.parse().unwrap());
    let ls = args.get(1).map_or("2", String::as_str);
    let chosen = args.get(2).map_or("all", String::as_str);
    let rest = args.get(3..).unwrap_or_default();
    let partitions = rest.iter().find_map(|arg| arg.strip_prefix("np=")?.parse().ok());
    let rule = rest.iter().find_map(|arg| arg.strip_prefix("rule=")?.split_once(','));

    let forest = students(n_records);
    let rules: Vec<OccurrenceRule> = rule
        .map(|(m, p)| {
            let codes = vec![None, Some(0), None];
            OccurrenceRule::new(codes, m.parse().unwrap(), p.parse().unwrap()).unwrap()
        })
        .into_iter()
        .collect();
    println!("{n_records} students, {} vertices, {} rules", forest.n_vertices(), rules.len());
    println!("{:26} {:>2} {:>9} {:>9} {:>8}", "", "l", "kept", "left out", "seconds");
    for l in ls.split(',').map(|l| l.parse::<u32>().unwrap()) {
        for method in METHODS {
            let id = method.spec().id;
            if chosen != "all" && !chosen.split(',').any(|name| name == id) {
                continue;
            }
            let method = partitions.map_or(method, |np| method.with_partitions(np));
            let problem = NestedProblem {
                forest: &forest,
                k: 1,
                l: &[l, l, l],
                rules: &rules,
                sensitive_weight: 1.0,
                seed: 1,
            };
            let start = Instant::now();
            let candidate = method.make(&Ctx::quiet(), &problem).unwrap();
            let seconds = start.elapsed().as_secs_f64();
            let (accuracy, left_out) = kept(&forest, &candidate);
            println!("{id:26} {l:2} {accuracy:8.2}% {left_out:9} {seconds:8.2}");
        }
    }
}

/// The suppression accuracy, and how many people are left out.
fn kept(forest: &Forest, candidate: &NestedCandidate) -> (f64, usize) {
    let (mut sum, mut left_out) = (0.0, forest.n_records());
    for class in &candidate.classes {
        left_out -= class.members.len();
        for &member in &class.members {
            let n = forest.vertices(member as usize).len();
            sum += class.positions().len() as f64 / n as f64;
        }
    }
    (100.0 * sum / forest.n_records() as f64, left_out)
}

/// Students with a major and a year of birth (grade point average), courses (grade) and books (price).
fn students(n_records: usize) -> Forest {
    let mut dice = Dice(1);
    let mut student = [Vec::new(), Vec::new(), Vec::new()];
    let mut course = [Vec::new(), Vec::new()];
    let mut book = [Vec::new(), Vec::new()];
    let (mut courses_in, mut books_in) = (Vec::new(), Vec::new());
    for record in (0..).take(n_records) {
        let average = (dice.roll(4) + dice.roll(4) + dice.roll(2)) % 8;
        for (column, value) in student.iter_mut().zip([dice.roll(3), 1990 + dice.roll(8), average]) {
            column.push(value);
        }
        let electives = 8 + dice.roll(5);
        let obligatory = (0..10).map(|id| (id, 1));
        let chosen: Vec<_> = (0..electives).map(|_| (10 + dice.roll(50), 0)).collect();
        for (id, easy) in obligatory.chain(chosen) {
            let grade = (dice.roll(3) + dice.roll(4) + 7 - average).saturating_sub(easy) % 10;
            let row = u32::try_from(courses_in.len()).unwrap();
            courses_in.push(record);
            course[0].push(id);
            course[1].push(grade);
            for _ in 0..dice.roll(3) {
                books_in.push(row);
                book[0].push(id * 3 + dice.roll(3));
                book[1].push(dice.roll(3) + dice.roll(4));
            }
        }
    }
    let kind = |branch, parent, columns: &[Vec<u32>]| {
        let (sensitive, quasi) = columns.split_last().unwrap();
        VertexKind {
            branch,
            parent,
            quasi: quasi.iter().map(|column| attribute(column, Role::Quasi)).collect(),
            sensitive: Some(attribute(sensitive, Role::Sensitive)),
            is_member: false,
        }
    };
    let kinds = vec![kind(0, None, &student), kind(1, Some(0), &course), kind(2, Some(1), &book)];
    Forest::new(kinds, n_records, &[&[], &courses_in, &books_in])
}

fn attribute(values: &[u32], role: Role) -> Attribute {
    let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
    for (line, value) in (2..).zip(values) {
        codes.push(dictionary.intern(value.to_string().as_bytes(), line).unwrap());
    }
    let column = Column::new("c".into(), dictionary, codes, &Missing::default());
    let table = Table::new("t".into(), vec![column], true, Missing::default());
    let domain = Domain::new(&table, &table.columns()[0], None, &|_| false).unwrap();
    Attribute::new(&table, "c", role, domain, None).unwrap()
}

/// A stream of dice that is the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from(self.0 >> 33).unwrap() % sides
    }
}
