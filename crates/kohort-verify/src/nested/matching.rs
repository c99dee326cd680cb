//! Matchings: a thing of its own for each of some others.

/// A matching of some things with others that grows one by one.
pub(super) struct Matching {
    // What each of the others is matched with, and the other way round.
    owner: Vec<Option<u32>>,
    holds: Vec<Option<u32>>,
    // The last search that came to each of the others, and from whom.
    seen: Vec<u32>,
    came_from: Vec<u32>,
    search: u32,
}

impl Matching {
    /// Nothing is matched yet.
    pub(super) fn new(n: usize, n_others: usize) -> Self {
        Self {
            owner: vec![None; n_others],
            seen: vec![0; n_others],
            search: 0,
            came_from: vec![0; n_others],
            holds: vec![None; n],
        }
    }

    /// Matches one more, moving those that can be moved; whether that is possible.
    pub(super) fn place<I: Iterator<Item = u32>>(
        &mut self,
        one: u32,
        candidates: impl Fn(u32) -> I,
    ) -> bool {
        self.search += 1;
        let mut queue = vec![one];
        let mut next = 0;
        while let Some(&at) = queue.get(next) {
            next += 1;
            for other in candidates(at) {
                if std::mem::replace(&mut self.seen[other as usize], self.search) == self.search {
                    continue;
                }
                self.came_from[other as usize] = at;
                let Some(owner) = self.owner[other as usize] else {
                    self.shift(other);
                    return true;
                };
                queue.push(owner);
            }
        }
        false
    }

    /// Hands what is free to the one that found it, and what that had to the one before.
    fn shift(&mut self, free: u32) {
        let mut next = Some(free);
        while let Some(free) = next {
            let to = self.came_from[free as usize];
            self.owner[free as usize] = Some(to);
            next = self.holds[to as usize].replace(free);
        }
    }

    /// What is matched with each of the first.
    pub(super) fn found(&self) -> &[Option<u32>] {
        &self.holds
    }
}
