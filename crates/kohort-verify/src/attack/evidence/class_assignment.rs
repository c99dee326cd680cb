//! Who is in which class of a release, where boxes overlap and several classes cover a person.
//!
//! # Method
//! A person whom one class covers is in it. Where everybody who is in the release is known, so that there
//! are as many people as rows that are somebody's, more follows: a class that is full takes nobody else; a
//! class that nobody else can fill has all whom it may have. Until nothing changes.
//!
//! Nobody is placed in a class that covers more such people than it has rows: some are not in the release.
//!
//! # Cost
//! Linear in the pairs of a person and a class that may be the person's.

use kohort_core::ABSENT;

/// The class of everybody who is in one for certain, else `ABSENT`. `options` are the classes that may be a
/// person's, `capacity` the rows of each class that are somebody's.
pub(in crate::attack) fn place<'o>(
    n_people: u32,
    options: &dyn Fn(u32) -> &'o [(u32, u32)],
    capacity: &[u32],
) -> Vec<u32> {
    let present: Vec<u32> = (0..n_people).filter(|&person| !options(person).is_empty()).collect();
    let is_complete = present.len() as u64 == capacity.iter().map(|&n| u64::from(n)).sum::<u64>();
    let filled = is_complete.then(|| Filling::new(n_people, &present, options, capacity).fill());
    filled.flatten().unwrap_or_else(|| {
        let mut class_of = vec![ABSENT; n_people as usize];
        let mut n_placed = vec![0; capacity.len()];
        for &person in &present {
            if let [(class, _)] = options(person) {
                class_of[person as usize] = *class;
                n_placed[*class as usize] += 1;
            }
        }
        for class in class_of.iter_mut().filter(|class| **class != ABSENT) {
            if n_placed[*class as usize] > capacity[*class as usize] {
                *class = ABSENT;
            }
        }
        class_of
    })
}

struct Filling<'f, 'o> {
    options: &'f dyn Fn(u32) -> &'o [(u32, u32)],
    class_of: Vec<u32>,
    // The rows of each class that are left.
    left: Vec<u32>,
    // The people who are not placed, by class that may be theirs, and their number.
    people_of: Vec<Vec<u32>>,
    n_open: Vec<u32>,
    // The classes with rows left that may be a person's.
    n_options: Vec<u32>,
    people: Vec<u32>,
    classes: Vec<u32>,
}

impl<'f, 'o> Filling<'f, 'o> {
    fn new(
        n_people: u32,
        present: &[u32],
        options: &'f dyn Fn(u32) -> &'o [(u32, u32)],
        capacity: &[u32],
    ) -> Self {
        let mut filling = Self {
            options,
            class_of: vec![ABSENT; n_people as usize],
            left: capacity.to_vec(),
            people_of: vec![Vec::new(); capacity.len()],
            n_open: vec![0; capacity.len()],
            n_options: vec![0; n_people as usize],
            people: Vec::new(),
            classes: (0..).take(capacity.len()).collect(),
        };
        for &person in present {
            for &(class, _) in options(person) {
                filling.people_of[class as usize].push(person);
                filling.n_open[class as usize] += 1;
                filling.n_options[person as usize] += 1;
            }
            filling.people.extend((filling.n_options[person as usize] == 1).then_some(person));
        }
        filling
    }

    /// Places people until nothing follows; none where that leads to a contradiction.
    fn fill(mut self) -> Option<Vec<u32>> {
        for class in (0..).take(self.left.len()) {
            if self.left[class as usize] == 0 {
                self.close(class);
            }
        }
        loop {
            if let Some(person) = self.people.pop() {
                if self.class_of[person as usize] == ABSENT {
                    let mut open = (self.options)(person).iter();
                    let found = open.find(|&&(class, _)| self.left[class as usize] > 0);
                    self.put(person, found?.0)?;
                }
            } else if let Some(class) = self.classes.pop() {
                let (left, open) = (self.left[class as usize], self.n_open[class as usize]);
                if open < left {
                    return None;
                }
                if left > 0 && open == left {
                    for person in self.people_of[class as usize].clone() {
                        if self.class_of[person as usize] == ABSENT {
                            self.put(person, class)?;
                        }
                    }
                }
            } else {
                return Some(self.class_of);
            }
        }
    }

    fn put(&mut self, person: u32, class: u32) -> Option<()> {
        let left = &mut self.left[class as usize];
        *left = left.checked_sub(1)?;
        let is_full = *left == 0;
        self.class_of[person as usize] = class;
        for &(other, _) in (self.options)(person) {
            self.n_open[other as usize] -= 1;
            self.classes.push(other);
        }
        if is_full {
            self.close(class);
        }
        Some(())
    }

    /// A class that is full is nobody else's.
    fn close(&mut self, class: u32) {
        for &person in &self.people_of[class as usize] {
            let n = &mut self.n_options[person as usize];
            *n -= 1;
            if *n == 1 && self.class_of[person as usize] == ABSENT {
                self.people.push(person);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Every way to give everybody a class that may be theirs, so that all rows are somebody's.
    fn ways(
        options: &[Vec<(u32, u32)>],
        left: &mut [u32],
        so_far: &mut Vec<u32>,
        all: &mut Vec<Vec<u32>>,
    ) {
        let Some(own) = options.get(so_far.len()) else {
            if left.iter().all(|&n| n == 0) {
                all.push(so_far.clone());
            }
            return;
        };
        for &(class, _) in own {
            if left[class as usize] > 0 {
                left[class as usize] -= 1;
                so_far.push(class);
                ways(options, left, so_far, all);
                so_far.pop();
                left[class as usize] += 1;
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn whoever_is_placed_is_there_in_every_way(
            truth in prop::collection::vec((0_u32..3, prop::collection::btree_set(0_u32..3, 0..3)), 1..7),
        ) {
            let options: Vec<Vec<(u32, u32)>> = truth
                .iter()
                .map(|(class, others)| {
                    let mut all = others.clone();
                    all.insert(*class);
                    all.into_iter().map(|class| (class, 1)).collect()
                })
                .collect();
            let mut capacity = vec![0; 3];
            for (class, _) in &truth {
                capacity[*class as usize] += 1;
            }
            let n = u32::try_from(truth.len()).unwrap();
            let found = place(n, &|person| &options[person as usize], &capacity);
            let mut all = Vec::new();
            ways(&options, &mut capacity.clone(), &mut Vec::new(), &mut all);
            for (person, &class) in found.iter().enumerate().filter(|(_, class)| **class != ABSENT) {
                prop_assert!(all.iter().all(|way| way[person] == class));
            }
            for (person, options) in options.iter().enumerate() {
                prop_assert!(options.len() > 1 || found[person] == options[0].0);
            }
        }
    }

    #[test]
    fn a_full_class_takes_nobody_else_and_a_needed_one_everybody() {
        let options: [&[(u32, u32)]; 4] =
            [&[(0, 2)], &[(0, 2)], &[(0, 2), (1, 2)], &[(0, 2), (1, 2), (2, 1)]];
        let check = |capacity: &[u32], expected: [u32; 4]| {
            assert_eq!(place(4, &|person| options[person as usize], capacity), expected);
        };
        check(&[2, 2, 0], [0, 0, 1, 1]);
        check(&[2, 1, 1], [0, 0, 1, 2]);
        // Fewer rows than people: who is in one class only is there, and no more is known.
        check(&[2, 1, 0], [0, 0, ABSENT, ABSENT]);
        check(&[1, 1, 1], [ABSENT, ABSENT, ABSENT, ABSENT]);
    }
}
