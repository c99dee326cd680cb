//! In which class of a release of a series the people of its original are, where nobody says.
//!
//! # Method
//! 1. A person may be in a class that covers the person's quasi-identifiers and shows the person's value: a
//!    slot of the class, with as many places as it has rows with the value. Counterfeits leave some empty.
//! 2. A slot or class that is full takes nobody else. One that cannot do without anybody who may be in it has
//!    all of them. Where as many people are in the original as rows are somebody's, everybody is in the release, and
//!    who has one slot left is there. Until nothing changes.
//! 3. A person of whom nothing follows is in one of the classes that are left, or was held back.
//!
//! What follows is so however the release was made; more may follow by reasoning about several slots at once.
//!
//! # Cost
//! Linear in the pairs of a person and a class that may be the person's.

use kohort_core::{ABSENT, Error, ReleasedClass};

use crate::attack::{People, Released, Sight};

/// Where the people of an original are in a release.
pub struct Whereabouts {
    // The classes that may be each person's: one, where that follows.
    options: Vec<Vec<u32>>,
    // Whether nobody was held back.
    is_everybody_in: bool,
    // Whether a class follows for each person.
    is_placed: Vec<bool>,
}

impl Whereabouts {
    /// Looks for people, by their quasi-identifiers and values, in the classes of a release. A class has at
    /// most as many counterfeits as it says, and the release has `n_nobody`.
    pub fn find(
        release: &Released<'_>,
        people: &People<'_>,
        (values, classes): (&[u32], &[ReleasedClass]),
        n_nobody: u64,
    ) -> Result<Self, Error> {
        let sight = Sight::of_people(release, people)?;
        let mut options = vec![Vec::new(); people.len()];
        for view in sight.views() {
            let mut of_view: Vec<u32> =
                view.shapes.iter().map(|&shape| release.class_of_shape(shape)).collect();
            of_view.sort_unstable();
            of_view.dedup();
            for &person in view.targets {
                let value = values[person as usize];
                let shows =
                    |class: &&u32| classes[**class as usize].values.binary_search(&value).is_ok();
                options[person as usize] = of_view.iter().filter(shows).copied().collect();
            }
        }
        Ok(Self::settled(options, values, classes, n_nobody))
    }

    fn settled(
        options: Vec<Vec<u32>>,
        values: &[u32],
        classes: &[ReleasedClass],
        n_nobody: u64,
    ) -> Self {
        let n_rows: u64 = classes.iter().map(|class| class.values.len() as u64).sum();
        let is_everybody_in = n_rows == options.len() as u64 + n_nobody;
        let is_placed = vec![false; options.len()];
        let mut found = Self { options, is_everybody_in, is_placed };
        let told: u64 = classes.iter().map(|class| u64::from(class.n_counterfeits)).sum();
        let mut bins = Bins::new(&found, values, classes, told == n_nobody);
        bins.put_who_has_one(&mut found);
        bins.settle(&mut found);
        found
    }

    /// The class of everybody of whom it follows, else `ABSENT`. Classes of one kind are as good as one
    /// another: who may be in several of them, and in no other, is in the first.
    pub fn class_of(&self, kind_of_class: &[u32]) -> Vec<u32> {
        let of = |(options, &is_placed): (&Vec<u32>, &bool)| {
            let kind = |class: &u32| kind_of_class[*class as usize];
            let is_one_kind = options.windows(2).all(|pair| kind(&pair[0]) == kind(&pair[1]));
            match options.first() {
                Some(&class) if is_placed || (self.is_everybody_in && is_one_kind) => class,
                _ => ABSENT,
            }
        };
        self.options.iter().zip(&self.is_placed).map(of).collect()
    }
}

/// The slots of a release, and after them its classes: what people are put into.
struct Bins {
    all: Vec<Bin>,
    // Who may be in each, and the slots that may be each person's.
    people_of: Vec<Vec<u32>>,
    slots_of: Vec<Vec<u32>>,
    // The class of each slot, as a bin.
    class_of_slot: Vec<u32>,
}

struct Bin {
    most: usize,
    least: usize,
    n_taken: usize,
    // People who may be in it and are nowhere yet.
    n_open: usize,
}

impl Bins {
    fn new(found: &Whereabouts, values: &[u32], classes: &[ReleasedClass], is_told: bool) -> Self {
        // Where the slots of each class begin, in the order of its values.
        let (mut bins, mut starts, mut shown) = (Vec::new(), Vec::new(), Vec::new());
        let mut class_of_slot: Vec<u32> = Vec::new();
        let bin = |most: usize, least: usize| Bin { most, least, n_taken: 0, n_open: 0 };
        for (class, of_class) in (0..).zip(classes) {
            starts.push(bins.len());
            for run in of_class.values.chunk_by(|a, b| a == b) {
                shown.push(run[0]);
                class_of_slot.push(class);
                let n_counterfeits = of_class.n_counterfeits as usize;
                bins.push(bin(run.len(), run.len().saturating_sub(n_counterfeits)));
            }
        }
        let n_slots = bins.len();
        starts.push(n_slots);
        for class in classes {
            let n_rows = class.values.len();
            let least = n_rows.saturating_sub(class.n_counterfeits as usize);
            bins.push(bin(if is_told { least } else { n_rows }, least));
        }
        let number = |at: usize| u32::try_from(at).expect("slots are fewer than rows");
        for class in &mut class_of_slot {
            *class += number(n_slots);
        }
        let mut people_of = vec![Vec::new(); bins.len()];
        let mut slots_of = Vec::with_capacity(values.len());
        for (person, (options, value)) in (0..).zip(found.options.iter().zip(values)) {
            let slot = |&class: &u32| {
                let of_class = starts[class as usize]..starts[class as usize + 1];
                let at = shown[of_class.clone()].binary_search(value).ok()?;
                Some(number(of_class.start + at))
            };
            let own: Vec<u32> = options.iter().filter_map(slot).collect();
            for bin in own.iter().flat_map(|&slot| [slot, class_of_slot[slot as usize]]) {
                people_of[bin as usize].push(person);
                bins[bin as usize].n_open += 1;
            }
            slots_of.push(own);
        }
        Self { all: bins, people_of, slots_of, class_of_slot }
    }

    /// Places people until nothing follows. A bin that can never be filled says nothing here: who asks
    /// whether a release is true is told elsewhere.
    fn settle(mut self, found: &mut Whereabouts) {
        let mut bins: Vec<u32> = (0..).zip(&self.all).map(|(bin, _)| bin).collect();
        while let Some(at) = bins.pop() {
            let Bin { most, least, n_taken, n_open } = self.all[at as usize];
            let is_full = n_taken >= most;
            if !is_full && (n_open == 0 || n_taken + n_open != least) {
                continue;
            }
            for person in std::mem::take(&mut self.people_of[at as usize]) {
                let is_here = |slot: &u32| *slot == at || self.class_of_slot[*slot as usize] == at;
                let own = &self.slots_of[person as usize];
                let here = own.iter().copied().find(is_here);
                let Some(here) = here.filter(|_| !found.is_placed[person as usize]) else {
                    continue;
                };
                if is_full {
                    self.slots_of[person as usize].retain(|&slot| slot != here);
                    self.close(here, &mut bins);
                } else {
                    self.put(person, here, found, &mut bins);
                }
                // Who has one slot left, and is in the release, is there.
                if let &[only] = &self.slots_of[person as usize][..]
                    && found.is_everybody_in
                    && !found.is_placed[person as usize]
                {
                    self.put(person, only, found, &mut bins);
                }
            }
        }
        for (options, slots) in found.options.iter_mut().zip(&self.slots_of) {
            let n_slots =
                u32::try_from(self.class_of_slot.len()).expect("they are fewer than rows");
            *options = slots.iter().map(|&s| self.class_of_slot[s as usize] - n_slots).collect();
        }
    }

    /// Places whoever has one slot, where everybody is in the release.
    fn put_who_has_one(&mut self, found: &mut Whereabouts) {
        for person in 0..self.slots_of.len() {
            if let (&[only], true) = (&self.slots_of[person][..], found.is_everybody_in) {
                let person = u32::try_from(person).expect("people are numbered by u32");
                self.put(person, only, found, &mut Vec::new());
            }
        }
    }

    fn put(&mut self, person: u32, slot: u32, found: &mut Whereabouts, bins: &mut Vec<u32>) {
        for other in std::mem::replace(&mut self.slots_of[person as usize], vec![slot]) {
            self.close(other, bins);
        }
        for bin in [slot, self.class_of_slot[slot as usize]] {
            self.all[bin as usize].n_taken += 1;
        }
        found.is_placed[person as usize] = true;
    }

    /// Somebody does not wait for a slot any more.
    fn close(&mut self, slot: u32, bins: &mut Vec<u32>) {
        for bin in [slot, self.class_of_slot[slot as usize]] {
            self.all[bin as usize].n_open -= 1;
            bins.push(bin);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    const N_CLASSES: usize = 3;

    /// Every way to put people into classes that may be theirs, or nowhere, so that each class has as many
    /// people as it says and no more of a value than it shows.
    fn ways(options: &[Vec<u32>], values: &[u32], classes: &[ReleasedClass]) -> Vec<Vec<u32>> {
        let mut all: Vec<Vec<u32>> = vec![Vec::new()];
        for own in options {
            let with = |way: &Vec<u32>| {
                own.iter().chain([&ABSENT]).map(|&class| [&way[..], &[class]].concat()).collect()
            };
            all = all.iter().flat_map(|way| -> Vec<Vec<u32>> { with(way) }).collect();
        }
        let fits = |way: &Vec<u32>| {
            (0..).zip(classes).all(|(at, class)| {
                let people = way.iter().zip(values).filter(|&(&class, _)| class == at);
                let own: Vec<u32> = people.map(|(_, &value)| value).collect();
                let n = |all: &[u32], value| all.iter().filter(|&&other| other == value).count();
                let is_shown = |&value: &u32| n(&own, value) <= n(&class.values, value);
                own.len() + class.n_counterfeits as usize == class.values.len()
                    && own.iter().all(is_shown)
            })
        };
        all.into_iter().filter(fits).collect()
    }

    type Person = (u32, u32, BTreeSet<u32>);

    /// Options, values and classes of people, who are held back where their class is the last.
    fn given(
        people: &[Person],
        counterfeits: &[(u32, u32)],
    ) -> (Vec<Vec<u32>>, Vec<u32>, Vec<ReleasedClass>) {
        let mut classes = vec![ReleasedClass { values: Vec::new(), n_counterfeits: 0 }; N_CLASSES];
        for (value, class, _) in people {
            if let Some(class) = classes.get_mut(*class as usize) {
                class.values.push(*value);
            }
        }
        for &(value, class) in counterfeits {
            classes[class as usize].values.push(value);
            classes[class as usize].n_counterfeits += 1;
        }
        for class in &mut classes {
            class.values.sort_unstable();
        }
        let options = people.iter().map(|(value, class, others)| {
            let own = others.iter().copied().chain([*class]);
            let shows = |class: &u32| {
                classes.get(*class as usize).is_some_and(|class| class.values.contains(value))
            };
            own.filter(shows).collect::<BTreeSet<u32>>().into_iter().collect()
        });
        let options = options.collect();
        (options, people.iter().map(|(value, ..)| *value).collect(), classes)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn whoever_is_placed_is_there_in_every_way(
            people in prop::collection::vec((0_u32..2, 0_u32..4, prop::collection::btree_set(0_u32..3, 0..3)), 1..6),
            counterfeits in prop::collection::vec((0_u32..2, 0_u32..3), 0..2),
        ) {
            let (options, values, classes) = given(&people, &counterfeits);
            let all = ways(&options, &values, &classes);
            prop_assert!(!all.is_empty());
            let found = Whereabouts::settled(options, &values, &classes, counterfeits.len() as u64);
            for (person, &class) in found.class_of(&[0, 1, 2]).iter().enumerate() {
                prop_assert!(class == ABSENT || all.iter().all(|way| way[person] == class));
            }
            // Where all classes are of one kind, whoever is in the release for certain is in one.
            for (person, &class) in found.class_of(&[0; N_CLASSES]).iter().enumerate() {
                prop_assert!(class == ABSENT || all.iter().all(|way| way[person] != ABSENT));
            }
        }
    }

    #[test]
    fn a_needed_slot_has_everybody_and_a_full_one_nobody_else() {
        // Two people of value 0 in class 0; a third, of value 1, in class 0 or 1, where class 0 is full of 1.
        let others = |classes: &[u32]| classes.iter().copied().collect::<BTreeSet<u32>>();
        let people = [(0, 0, others(&[])), (1, 0, others(&[])), (1, 1, others(&[0]))];
        let check = |counterfeits: &[(u32, u32)], more: &[Person], expected: &[u32]| {
            let people = [&people[..], more].concat();
            let (options, values, classes) = given(&people, counterfeits);
            let found = Whereabouts::settled(options, &values, &classes, counterfeits.len() as u64);
            assert_eq!(found.class_of(&[0, 1, 2]), expected);
        };
        check(&[], &[], &[0, 0, 1]);
        // Somebody is held back whom class 0 may have: who is in it does not follow.
        check(&[], &[(0, 3, others(&[0]))], &[ABSENT, 0, 1, ABSENT]);
        // The only row that somebody may have is needed, and the other is the counterfeit's.
        check(&[(1, 1)], &[(0, 3, others(&[0]))], &[ABSENT, 0, 1, ABSENT]);
        check(&[(1, 2)], &[(1, 3, others(&[2]))], &[0, 0, 1, ABSENT]);
    }
}
