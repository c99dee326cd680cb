//! A partner of its own for each of some things (Kuhn 1955).

/// The most things that get a partner of their own; `partners` has those that each thing may have.
pub(crate) fn largest(partners: &[Vec<usize>], n_partners: usize) -> usize {
    let mut holder: Vec<Option<usize>> = vec![None; n_partners];
    let mut matched = 0;
    for thing in 0..partners.len() {
        let mut seen = vec![false; n_partners];
        matched += usize::from(find(thing, partners, &mut holder, &mut seen));
    }
    matched
}

fn find(
    thing: usize,
    partners: &[Vec<usize>],
    holder: &mut [Option<usize>],
    seen: &mut [bool],
) -> bool {
    for &partner in &partners[thing] {
        if seen[partner] {
            continue;
        }
        seen[partner] = true;
        let is_free = match holder[partner] {
            None => true,
            Some(other) => find(other, partners, holder, seen),
        };
        if is_free {
            holder[partner] = Some(thing);
            return true;
        }
    }
    false
}

/// Whether every thing gets a partner of its own.
pub(crate) fn is_complete(partners: &[Vec<usize>], n_partners: usize) -> bool {
    largest(partners, n_partners) == partners.len()
}
