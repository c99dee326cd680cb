//! Levels that count people, where a person has several rows.
//!
//! # Definition
//! The people of a class are those who have a row in it. k is the fewest people of a class. A value is the
//! value of everybody of a class who has it in one of their rows there: frequency l is the smallest ratio of
//! the people of a class to the people with one value. Somebody gives a value away where all people of a
//! class have it.

use kohort_core::{Attribute, Grouping, Ratio};

/// What a table gives away about people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeopleLevels {
    /// The people of the table.
    pub n_people: u64,
    /// The fewest people of a class; none without rows.
    pub k: Option<u64>,
    /// The people who are alone in one of their classes.
    pub alone: u64,
    /// The levels of each sensitive attribute.
    pub sensitive: Vec<PeopleDiversity>,
}

/// What a table gives away about the values of one sensitive attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeopleDiversity {
    /// The smallest ratio of the people of a class to the people with one value.
    pub frequency_l: Ratio,
    /// The people in a class in which everybody has the same value.
    pub disclosed: u64,
}

/// The number of people of each class; `people` has the person of each row.
pub fn people_of_classes(classes: &Grouping, people: &[u32]) -> Vec<u64> {
    let mut pairs: Vec<(u32, u32)> =
        classes.ids.iter().copied().zip(people.iter().copied()).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let mut n_people = vec![0; classes.n_classes as usize];
    for (class, _) in pairs {
        n_people[class as usize] += 1;
    }
    n_people
}

/// The levels of the classes, counting people; `people` has the person of each row.
pub fn people_levels(classes: &Grouping, people: &[u32], sensitive: &[&Attribute]) -> PeopleLevels {
    let of_class = people_of_classes(classes, people);
    let is_alone = |class: u32| of_class[class as usize] == 1;
    PeopleLevels {
        n_people: n_distinct(people.iter().copied()),
        k: of_class.iter().copied().min(),
        alone: within(classes, people, is_alone),
        sensitive: (sensitive.iter())
            .map(|attribute| diversity(classes, people, &of_class, attribute))
            .collect(),
    }
}

fn diversity(
    classes: &Grouping,
    people: &[u32],
    of_class: &[u64],
    attribute: &Attribute,
) -> PeopleDiversity {
    let rows = classes.ids.iter().zip(attribute.codes().iter()).zip(people);
    let mut triples: Vec<(u32, u32, u32)> =
        rows.map(|((&class, value), &person)| (class, value, person)).collect();
    triples.sort_unstable();
    triples.dedup();
    let mut most = vec![1_u64; of_class.len()];
    for same in triples.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let most = &mut most[same[0].0 as usize];
        *most = (*most).max(same.len() as u64);
    }
    let ratios = of_class.iter().zip(&most).map(|(&people, &most)| Ratio::new(people, most));
    let is_given_away = |class: u32| of_class[class as usize] == most[class as usize];
    PeopleDiversity {
        frequency_l: ratios.min().unwrap_or(Ratio::whole(1)),
        disclosed: within(classes, people, is_given_away),
    }
}

/// The people with a row in one of these classes.
fn within(classes: &Grouping, people: &[u32], is_one: impl Fn(u32) -> bool) -> u64 {
    let rows = classes.ids.iter().zip(people).filter(|&(&class, _)| is_one(class));
    n_distinct(rows.map(|(_, &person)| person))
}

fn n_distinct(people: impl Iterator<Item = u32>) -> u64 {
    let mut people: Vec<u32> = people.collect();
    people.sort_unstable();
    people.dedup();
    people.len() as u64
}
