//! Reads the line: rows wait until they are in a class, and rows are borrowed from further along.

use std::collections::BinaryHeap;

use super::Run;
use super::slots::Slots;

/// A value occurs at most this often in a class of rows along the line.
const FOLDS: u32 = 6;

/// As many rows ahead are looked at for each row of a class in which values are repeated.
const AHEAD: usize = 8;

/// As many of the rows set aside last are looked at for a value that is lacking.
const ASIDE: usize = 512;

struct Window<'r> {
    run: &'r Run<'r>,
    line: &'r [u32],
    // Where to read on, and which rows were read before their turn.
    next: usize,
    is_read: Vec<bool>,
    waiting: Slots<'r>,
    aside: Vec<u32>,
    // How many rows of each value, and of all, have no class yet.
    left: Vec<u32>,
    n_left: u32,
    critical: Critical,
    // Where each value occurs on the line, once it was asked for.
    places_of_value: Vec<std::vec::IntoIter<usize>>,
    // How often each value occurs in the class at hand.
    used: Vec<u32>,
}

/// Classes along the line, and the rows in none. Once more than `size` rows wait, the oldest must go.
pub(super) fn classes(run: &Run<'_>, line: &[u32], size: usize) -> (Vec<Vec<u32>>, Vec<u32>) {
    let mut window = Window::new(run, line, size);
    let mut classes = Vec::new();
    loop {
        kohort_core::alive();
        let is_over = !window.read();
        while let Some(class) = window.waiting.pick(|place| window.n_critical(place)) {
            if !window.borrow() {
                classes.push(window.take(&class));
            }
        }
        while window.waiting.len() > if is_over { 0 } else { size } {
            match window.waiting.search() {
                Some(class) => classes.push(window.take(&class)),
                None => match window.fold() {
                    Some(class) => classes.push(class),
                    None => window.set_aside(),
                },
            }
        }
        if is_over {
            return (classes, window.aside);
        }
    }
}

impl<'r> Window<'r> {
    fn new(run: &'r Run<'r>, line: &'r [u32], size: usize) -> Self {
        let left = run.counts(line);
        Self {
            run,
            line,
            next: 0,
            is_read: vec![false; line.len()],
            waiting: Slots::new(run, size + 1),
            aside: Vec::new(),
            critical: Critical::new(&left, run.l),
            left,
            n_left: u32::try_from(line.len()).expect("rows are counted in u32"),
            places_of_value: Vec::new(),
            used: vec![0; run.n_values],
        }
    }

    /// Lets the next row wait; false when there is none.
    fn read(&mut self) -> bool {
        while self.next < self.line.len() {
            self.next += 1;
            if !std::mem::replace(&mut self.is_read[self.next - 1], true) {
                self.waiting.push(self.line[self.next - 1]);
                return true;
            }
        }
        false
    }

    /// Whether every further class must have a value, or rows are left over.
    fn is_critical(&self, value: u32) -> bool {
        u64::from(self.left[value as usize]) * self.run.l as u64 >= u64::from(self.n_left)
    }

    fn n_critical(&self, place: u32) -> usize {
        self.run.values(place).iter().filter(|&&value| self.is_critical(value)).count()
    }

    /// Lets a row wait for each critical value that no waiting row has: the one set aside last, else the
    /// next of the line. False when nothing is borrowed.
    fn borrow(&mut self) -> bool {
        let mut has_borrowed = false;
        for value in self.critical.values(&self.left, self.n_left, self.run.l) {
            if self.waiting.has_value(value) || self.waiting.is_full() {
                continue;
            }
            let has = |place: &u32| self.run.values(*place).contains(&value);
            let from = self.aside.len().saturating_sub(ASIDE);
            if let Some(at) = self.aside[from..].iter().rposition(has) {
                self.waiting.push(self.aside.remove(from + at));
                has_borrowed = true;
            } else if let Some(at) = self.next_of_value(value) {
                self.is_read[at] = true;
                self.waiting.push(self.line[at]);
                has_borrowed = true;
            }
        }
        has_borrowed
    }

    fn next_of_value(&mut self, value: u32) -> Option<usize> {
        if self.places_of_value.is_empty() {
            let mut places = vec![Vec::new(); self.run.n_values];
            for (at, &place) in self.line.iter().enumerate() {
                for &value in self.run.values(place) {
                    places[value as usize].push(at);
                }
            }
            self.places_of_value = places.into_iter().map(Vec::into_iter).collect();
        }
        let is_read = &self.is_read;
        self.places_of_value[value as usize].find(|&at| !is_read[at])
    }

    /// A class with the oldest row in which values are repeated, each up to m times in m · l rows, for the
    /// least m that succeeds.
    fn fold(&mut self) -> Option<Vec<u32>> {
        let waiting = self.waiting.in_order();
        let class = (2..=FOLDS).find_map(|m| self.fitting(&waiting, m))?;
        for &(at, place) in &class {
            match waiting.get(at) {
                Some(&slot) => drop(self.waiting.remove(slot)),
                None => self.is_read[at - waiting.len()] = true,
            }
            self.forget(place);
        }
        Some(class.into_iter().map(|(_, place)| place).collect())
    }

    /// m · l rows that together have no value more than m times, the earliest that wait, then rows ahead.
    /// Each comes with its number: rows that wait first, then those of the line.
    fn fitting(&mut self, waiting: &[usize], m: u32) -> Option<Vec<(usize, u32)>> {
        let wanted = m as usize * self.run.l;
        let ahead = (self.next..self.line.len()).filter(|&at| !self.is_read[at]);
        let ahead = ahead.take(AHEAD * wanted).map(|at| (waiting.len() + at, self.line[at]));
        let places = waiting.iter().map(|&slot| self.waiting.place(slot)).enumerate();
        let mut class = Vec::with_capacity(wanted);
        for (at, place) in places.chain(ahead) {
            let values = self.run.values(place);
            if values.iter().all(|&value| self.used[value as usize] < m) {
                for &value in values {
                    self.used[value as usize] += 1;
                }
                class.push((at, place));
                if class.len() == wanted {
                    break;
                }
            }
        }
        for &value in class.iter().flat_map(|&(_, place)| self.run.values(place)) {
            self.used[value as usize] = 0;
        }
        (class.len() == wanted).then_some(class)
    }

    /// Ends the wait of rows that are a class.
    fn take(&mut self, class: &[usize]) -> Vec<u32> {
        let places: Vec<u32> = class.iter().map(|&slot| self.waiting.remove(slot)).collect();
        for &place in &places {
            self.forget(place);
        }
        places
    }

    fn set_aside(&mut self) {
        let oldest = self.waiting.oldest();
        self.aside.push(self.waiting.remove(oldest));
    }

    fn forget(&mut self, place: u32) {
        for &value in self.run.values(place) {
            self.left[value as usize] -= 1;
        }
        self.n_left -= 1;
    }
}

/// The values that are critical, without looking at all: a value with c rows is not before c · l rows
/// are left, and fewer of its rows never make it so sooner.
struct Critical {
    later: BinaryHeap<(u64, u32)>,
    found: Vec<u32>,
}

impl Critical {
    fn new(left: &[u32], l: usize) -> Self {
        let due = |(value, &count): (u32, &u32)| (u64::from(count) * l as u64, value);
        Self { later: (0..).zip(left).map(due).collect(), found: Vec::new() }
    }

    fn values(&mut self, left: &[u32], n_left: u32, l: usize) -> Vec<u32> {
        let due = |value: u32| u64::from(left[value as usize]) * l as u64;
        let later = &mut self.later;
        while let Some(&(at, value)) = later.peek()
            && at >= u64::from(n_left)
        {
            later.pop();
            self.found.push(value);
        }
        self.found.retain(|&value| {
            let is_critical = due(value) >= u64::from(n_left);
            if !is_critical {
                later.push((due(value), value));
            }
            is_critical
        });
        self.found.clone()
    }
}
