//! Made-up students of the shapes of Özalp 2017's *syntheticS* and *syntheticT*, always the same.

use kohort_core::Forest;

use super::given::{GivenColumn, GivenKind, build};

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

pub(crate) const GRADES: [&str; 9] = ["F", "D", "C-", "C", "C+", "B-", "B", "A-", "A"];
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

/// So many students; tall ones have college years between them and their courses.
pub(crate) fn students(n_records: u32, is_tall: bool) -> Forest {
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
