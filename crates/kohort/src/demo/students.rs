//! Students with their courses and books, in the shape of Özalp 2017's syntheticS and syntheticT.
//!
//! # Method
//! 1. About as many students graduate every year, most of them at 22; their grade point average is shaped
//!    like a bell.
//! 2. Everybody has the obligatory courses, six of the core courses and a varying number of electives of
//!    one area: about 20 in all.
//! 3. A grade follows from the average and the kind of course: obligatory ones go better.
//! 4. For each course 0 to 2 books are bought, of three that there are.
//! 5. With four levels the courses are set apart by the year of study they are taken in, which is that of
//!    their number but for some.
//!
//! # References
//! Özalp, Privacy Preserving Publishing of Hierarchical Data, 2017, §2.4; the courses are made up.

use std::fmt::Write;

use super::File;
use super::draw::{Draw, Weighted};
use super::records::{Level, Object, People, path};

const STUDENT: Level = Level {
    array: "students",
    key: "student_id",
    fields: &[("major", false), ("birth_year", true), ("gpa", false)],
};
const YEAR: Level = Level { array: "years", key: "year_id", fields: &[("year", false)] };
const COURSE: Level = Level {
    array: "courses",
    key: "course_id",
    fields: &[("course", false), ("semester", false), ("grade", false)],
};
const BOOK: Level =
    Level { array: "books", key: "book_id", fields: &[("book", false), ("price", false)] };

const OBLIGATORY: [&str; 8] =
    ["CS201", "CS204", "CS300", "CS301", "MATH201", "MATH203", "MATH204", "ENS491"];
const CORE: [&str; 14] = [
    "CS302", "CS303", "CS305", "CS306", "CS307", "CS308", "EE201", "EE202", "EE301", "EE302",
    "MATH301", "MATH305", "ENS205", "ENS211",
];
const AREAS: [[&str; 10]; 3] = [
    ["CS401", "CS402", "CS404", "CS405", "CS406", "CS408", "CS411", "CS412", "CS432", "CS445"],
    ["EE401", "EE402", "EE403", "EE404", "EE408", "EE410", "EE411", "EE413", "EE414", "EE417"],
    [
        "MATH402", "MATH403", "MATH405", "MATH407", "IE301", "IE302", "IE303", "IE401", "IE402",
        "IE403",
    ],
];
const MAJORS: [(&str, &str, u32); 4] = [
    ("Computer Science", "Computing", 64),
    ("Electronics", "Engineering", 16),
    ("Mathematics", "Computing", 10),
    ("Industrial Engineering", "Engineering", 10),
];
const GRADES: [&str; 10] = ["A", "A-", "B+", "B", "B-", "C+", "C", "C-", "D", "F"];
const PRICES: [&str; 6] =
    ["under 20", "20 to 39", "40 to 59", "60 to 79", "80 to 99", "100 or more"];
const YEARS: [&str; 4] = ["freshman", "sophomore", "junior", "senior"];

/// Everything that is looked up while students are made.
pub(super) struct Students {
    levels: Vec<Level>,
    majors: Weighted,
    prices: Weighted,
}

impl Students {
    /// Students with this many levels: 2 without books, 3 as in syntheticS, 4 as in syntheticT.
    pub(super) fn new(depth: u32) -> Self {
        let mut levels = vec![STUDENT, COURSE];
        if depth > 2 {
            levels.push(BOOK);
        }
        if depth > 3 {
            levels.insert(1, YEAR);
        }
        Self {
            levels,
            majors: Weighted::of(MAJORS.map(|(_, _, share)| share)),
            prices: Weighted::of([10, 22, 28, 20, 12, 8]),
        }
    }

    fn course(&self, draw: &mut Draw, (name, gpa, entry): (&str, f64, u32), easy: f64) -> Object {
        let digit = year_of(name);
        let year = (digit + u32::from(draw.chance(0.2))).clamp(1, 4) - 1;
        let term = if draw.chance(0.5) { "fall" } else { "spring" };
        let step = (4.0 - gpa - easy + 0.55 * draw.bell()) * 3.0;
        let grade = GRADES[index(step, GRADES.len())];
        let cells = vec![name.to_owned(), format!("{} {term}", entry + year), grade.to_owned()];
        let mut below = Vec::new();
        let bought = if self.levels.len() > 2 { index(draw.unit() * 3.0, 3) } else { 0 };
        let first = index(draw.unit() * 3.0, 3);
        for book in 0..bought {
            let price = PRICES[self.prices.draw(draw)];
            let name = format!("{name} book {}", (first + book) % 3 + 1);
            below.push(Object { cells: vec![name, price.to_owned()], below: Vec::new() });
        }
        Object { cells, below }
    }
}

impl People for Students {
    fn levels(&self) -> &[Level] {
        &self.levels
    }

    fn draw(&self, draw: &mut Draw) -> Object {
        let (major, ..) = MAJORS[self.majors.draw(draw)];
        let graduates = 2010 + whole(draw.unit() * 10.0);
        let age = 22 + whole(draw.unit() * 1.6);
        let gpa = (3.0 + 0.42 * draw.bell()).clamp(2.0, 3.99);
        let mut courses: Vec<(&str, f64)> = OBLIGATORY.iter().map(|name| (*name, 0.2)).collect();
        courses.extend(some(draw, &CORE, 6).into_iter().map(|name| (name, 0.05)));
        let area = &AREAS[index(draw.unit() * 3.0, 3)];
        let n_electives = 3 + index(draw.unit() * 7.0, 7);
        courses.extend(some(draw, area, n_electives).into_iter().map(|name| (name, 0.0)));
        let taken = courses.into_iter();
        let mut below: Vec<Object> =
            taken.map(|(name, easy)| self.course(draw, (name, gpa, graduates - 4), easy)).collect();
        if self.levels[1].array == YEAR.array {
            below = by_year(draw, below);
        }
        let bucket = whole(gpa * 4.0);
        let gpa =
            format!("{:.2} to {:.2}", f64::from(bucket) / 4.0, f64::from(bucket) / 4.0 + 0.24);
        Object { cells: vec![major.to_owned(), (graduates - age).to_string(), gpa], below }
    }
}

/// Courses set apart by the year they are taken in.
fn by_year(draw: &mut Draw, courses: Vec<Object>) -> Vec<Object> {
    let mut years: Vec<Vec<Object>> = YEARS.iter().map(|_| Vec::new()).collect();
    for course in courses {
        let usual = year_of(&course.cells[0]).clamp(1, 4) - 1;
        let later = u32::from(draw.chance(0.25));
        years[(usual + later).min(3) as usize].push(course);
    }
    let year =
        |(name, below): (&&str, Vec<Object>)| Object { cells: vec![(*name).to_owned()], below };
    YEARS.iter().zip(years).filter(|(_, courses)| !courses.is_empty()).map(year).collect()
}

/// The year of study that the number of a course tells.
fn year_of(course: &str) -> u32 {
    course.chars().find_map(|c| c.to_digit(10)).unwrap_or(1)
}

/// Some of a list, each once.
fn some<'a>(draw: &mut Draw, list: &[&'a str], n: usize) -> Vec<&'a str> {
    let mut left = list.to_vec();
    let n = n.min(left.len());
    (0..n)
        .map(|_| left.swap_remove(index(draw.unit() * f64::from(small(left.len())), left.len())))
        .collect()
}

fn small(n: usize) -> u32 {
    u32::try_from(n).expect("built-in lists are short")
}

/// The whole part of a number, as an index into a list of `n`.
fn index(number: f64, n: usize) -> usize {
    (whole(number.max(0.0)) as usize).min(n - 1)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "small numbers of at least 0"
)]
fn whole(number: f64) -> u32 {
    number as u32
}

/// A course's department and number: `CS`, `3**`.
fn split(course: &str) -> (&str, String) {
    let at = course.find(|c: char| c.is_ascii_digit()).unwrap_or(course.len());
    (&course[..at], format!("{}{}**", &course[..at], &course[at..=at]))
}

fn courses() -> impl Iterator<Item = &'static str> {
    OBLIGATORY.into_iter().chain(CORE).chain(AREAS.into_iter().flatten())
}

pub(super) fn taxonomies(depth: u32) -> Vec<File> {
    let (mut course, mut book, mut semester) = (String::new(), String::new(), String::new());
    for name in courses() {
        let (department, hundred) = split(name);
        let _ = writeln!(course, "{name};{hundred};{department};*");
        for number in 1..=3 {
            let _ = writeln!(book, "{name} book {number};{name};{hundred};{department};*");
        }
    }
    for year in 2006..=2019 {
        for term in ["fall", "spring"] {
            let pair = year / 2 * 2;
            let _ = writeln!(semester, "{year} {term};{year};{pair} to {};*", pair + 1);
        }
    }
    let majors = MAJORS.map(|(name, group, _)| format!("{name};{group};*\n")).concat();
    let mut files = vec![
        File::new("taxonomies/course.csv", course),
        File::new("taxonomies/major.csv", majors),
        File::new("taxonomies/semester.csv", semester),
    ];
    files.extend((depth > 2).then(|| File::new("taxonomies/book.csv", book)));
    files
}

/// What a plan says about the attributes.
pub(super) fn attributes(depth: u32) -> String {
    let students = Students::new(depth);
    let levels = students.levels();
    let at = |array: &str| levels.iter().position(|level| level.array == array);
    let mut plan = String::from(
        "# What an outsider may know: it is generalized where people are aligned.\nmajor = { \
         role = \"quasi\", taxonomy = \"taxonomies/major.csv\" }\nbirth_year = { role = \
         \"quasi\", type = \"integer\", taxonomy = { widths = [2, 4, 8] } }\n# What nobody \
         should learn about a person.\ngpa = \"sensitive\"\n",
    );
    let mut add = |array: &str, field: &str, value: &str| {
        if let Some(at) = at(array) {
            let _ = writeln!(plan, "{} = {value}", path(levels, at, field));
        }
    };
    add("years", "year", "\"quasi\"");
    add("courses", "course", "{ role = \"quasi\", taxonomy = \"taxonomies/course.csv\" }");
    add("courses", "semester", "{ role = \"quasi\", taxonomy = \"taxonomies/semester.csv\" }");
    add("courses", "grade", "\"sensitive\"");
    add("books", "book", "{ role = \"quasi\", taxonomy = \"taxonomies/book.csv\" }");
    add("books", "price", "\"sensitive\"");
    plan
}
