//! Sensitive attributes as quasi-identifiers of each other: for each of them the others are generalized.
//!
//! # Guarantee
//! For every sensitive attribute, rows that show the same quasi-identifiers and the same cells of the other
//! sensitive attributes have at least l values of it, and every other promise is kept. There is no bound on
//! a probability: neither l-pdiversity nor l-mdiversity is kept. With two attributes or more nearly all
//! sensitive cells are masked.
//!
//! # Method
//! 1. Cut the table by Mondrian while every class has l values of every sensitive attribute.
//! 2. In a class, every sensitive attribute starts as one part: the smallest cell that covers its values.
//! 3. Attribute by attribute, cut its parts: a branch of the taxonomy from the rest, numbers at their
//!    median. A cut stands where for every other attribute the rows that agree on all the rest still have
//!    l values of it.
//! 4. Each row shows the smallest cell that covers its part. One attribute by itself shows its values: it
//!    is nobody's quasi-identifier.
//!
//! # Notation
//! SA_i → `attribute`; (QI*, other SA*) → a class, and the rows of it that agree on all other parts.
//!
//! # Cost
//! That of Mondrian, and O(v·d²·g·log g) for a class of g rows with v values.
//!
//! # Deviations
//! - Abdalaal 2012's Table 20 is not diverse (c, c and w, w): what it says is done, not what it prints.
//! - l values are counted among the true ones, whatever cells show them.
//! - The paper leaves open which attribute is kept finest: the first.
//!
//! # References
//! Machanavajjhala et al., TKDD 1(1), 2007, section 5.2, as described in section 3.2 of Abdalaal 2012.

use kohort_core::{Attribute, Cell, Ctx, Spec};

use crate::branches::{Branch, branches};
use crate::shared_l::{distinct_each, instead, l_of_all};
use crate::{Algorithm, Candidate, Facts, Failure, Problem, mondrian};

/// What the algorithm is.
pub(crate) const SPEC: Spec = Spec {
    id: "msa-as-quasi",
    title: "sensitive attributes as quasi-identifiers of each other",
    paper: "Machanavajjhala et al. 2007",
    promise: "an adversary who knows all other sensitive values of a person is left with l \
              values; no bound on a probability, and nearly all sensitive cells are masked",
    parameters: &[],
};

/// Sensitive attributes as quasi-identifiers of each other.
pub(crate) struct MsaAsQuasi;

impl Algorithm for MsaAsQuasi {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn facts(&self) -> Facts {
        Facts { masks_sensitive: true, ..Facts::RIVAL }
    }

    fn anonymize(&self, _: &Ctx<'_>, problem: &Problem<'_>) -> Result<Candidate, Failure> {
        let l = l_of_all(problem, SPEC.id)?;
        let own = instead(problem, distinct_each(problem, l)?);
        let classes = mondrian::classes(&own, false)?;
        let sensitive = problem.sensitive();
        let branches: Vec<_> = sensitive.iter().map(|a| branches(a.taxonomy())).collect();
        let mut cells = vec![vec![Cell::ANY; problem.n_rows()]; sensitive.len()];
        for rows in &classes {
            let mut class = Class::new(sensitive, rows, l);
            for (attribute, branches) in branches.iter().enumerate() {
                class.cut(attribute, branches);
            }
            for (attribute, cells) in cells.iter_mut().enumerate() {
                class.show(attribute, cells);
            }
        }
        Ok(Candidate::of_groups(problem, &classes).with_masked(cells))
    }
}

/// The rows of a class, and the part of each on every sensitive attribute.
struct Class<'a> {
    sensitive: &'a [&'a Attribute],
    rows: &'a [u32],
    // For each attribute, the code and the part of each row.
    codes: Vec<Vec<u32>>,
    parts: Vec<Vec<u32>>,
    n_parts: Vec<u32>,
    l: usize,
}

impl<'a> Class<'a> {
    fn new(sensitive: &'a [&'a Attribute], rows: &'a [u32], l: usize) -> Self {
        let of = |a: &&Attribute| rows.iter().map(|&row| a.codes().get(row as usize)).collect();
        let codes = sensitive.iter().map(of).collect();
        let parts = vec![vec![0; rows.len()]; sensitive.len()];
        Self { sensitive, rows, codes, parts, n_parts: vec![1; sensitive.len()], l }
    }

    /// Step 3 for one attribute. A cut that was refused stays refused: parts only become smaller.
    fn cut(&mut self, attribute: usize, branches: &[Vec<Branch>]) {
        let mut open = vec![0];
        while let Some(part) = open.pop() {
            let n_before = self.n_parts[attribute];
            for codes in self.cuts(attribute, part, branches) {
                self.try_cut(attribute, part, codes);
            }
            let n_after = self.n_parts[attribute];
            open.extend(n_before..n_after);
            open.extend((n_before < n_after).then_some(part));
        }
    }

    /// The intervals of codes that may be parted from the rest of a part.
    fn cuts(&self, attribute: usize, part: u32, branches: &[Vec<Branch>]) -> Vec<(u32, u32)> {
        let codes = self.codes_of(attribute, part);
        let (lo, hi) = (codes[0], codes[codes.len() - 1]);
        match self.sensitive[attribute].smallest_cell(lo, hi) {
            Cell::Leaf(_) => Vec::new(),
            Cell::Node(node) if !self.sensitive[attribute].is_ranged() => {
                branches[node as usize].iter().map(|branch| (branch.first, branch.last)).collect()
            }
            _ => vec![(lo, codes[(codes.len() - 1) / 2])],
        }
    }

    /// The codes of a part, sorted, each once.
    fn codes_of(&self, attribute: usize, part: u32) -> Vec<u32> {
        let pairs = self.codes[attribute].iter().zip(&self.parts[attribute]);
        let mut codes: Vec<u32> = pairs.filter(|(_, p)| **p == part).map(|(&c, _)| c).collect();
        codes.sort_unstable();
        codes.dedup();
        codes
    }

    /// Parts an interval of codes from the rest of a part, if every other attribute stays diverse.
    fn try_cut(&mut self, attribute: usize, part: u32, (first, last): (u32, u32)) {
        let before = self.parts[attribute].clone();
        let apart = self.n_parts[attribute];
        let is_in = |code: u32| first <= code && code <= last;
        for (at, &code) in self.parts[attribute].iter_mut().zip(&self.codes[attribute]) {
            if *at == part && is_in(code) {
                *at = apart;
            }
        }
        let is_cut =
            self.parts[attribute].contains(&apart) && self.parts[attribute].contains(&part);
        let is_other = |other: &usize| *other != attribute;
        let mut others = (0..self.sensitive.len()).filter(is_other);
        if is_cut && others.all(|other| self.is_diverse(other)) {
            self.n_parts[attribute] += 1;
        } else {
            self.parts[attribute] = before;
        }
    }

    /// Whether rows that agree on the parts of all other attributes have l values of this one.
    fn is_diverse(&self, attribute: usize) -> bool {
        let key = |row: usize| -> Vec<u32> {
            let others = (0..self.sensitive.len()).filter(|&other| other != attribute);
            others.map(|other| self.parts[other][row]).collect()
        };
        let mut found: Vec<(Vec<u32>, u32)> =
            (0..self.rows.len()).map(|row| (key(row), self.codes[attribute][row])).collect();
        found.sort_unstable();
        found.dedup();
        found.chunk_by(|a, b| a.0 == b.0).all(|group| group.len() >= self.l)
    }

    /// Step 4 for one attribute.
    fn show(&self, attribute: usize, cells: &mut [Cell]) {
        for part in 0..self.n_parts[attribute] {
            let codes = self.codes_of(attribute, part);
            let cell = self.sensitive[attribute].smallest_cell(codes[0], codes[codes.len() - 1]);
            for (&row, _) in
                self.rows.iter().zip(&self.parts[attribute]).filter(|(_, p)| **p == part)
            {
                cells[row as usize] = cell;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use kohort_core::Role;
    use kohort_models::{ClassModel, LMdiversity};
    use proptest::prelude::*;

    use super::*;
    use crate::tests::laws::several;
    use crate::tests::tables::{Given, classes_of, dataset, problem, settings};

    fn models(l: u64) -> Vec<Box<dyn ClassModel>> {
        vec![Box::new(LMdiversity::new(l).unwrap())]
    }

    /// The fewest values of a sensitive attribute among rows that show the same of everything else.
    fn fewest(problem: &Problem<'_>, candidate: &Candidate) -> usize {
        let n_sensitive = problem.sensitive().len();
        let mut fewest = usize::MAX;
        for rows in classes_of(problem, candidate) {
            for (at, attribute) in problem.sensitive().iter().enumerate() {
                let mut values: BTreeMap<Vec<Cell>, BTreeSet<u32>> = BTreeMap::new();
                for row in rows.iter().map(|&row| row as usize) {
                    let others = (0..n_sensitive).filter(|&other| other != at);
                    let shown = others.map(|other| candidate.sensitive[other][row]).collect();
                    values.entry(shown).or_default().insert(attribute.codes().get(row));
                }
                fewest = values.values().map(BTreeSet::len).fold(fewest, usize::min);
            }
        }
        fewest
    }

    // Table 19 of Abdalaal 2012: its Table 20 shows c for I1 with x and y, and w for I2 with a and b. Nothing finer
    // than `*` is 2-diverse.
    #[test]
    fn table_19_has_not_the_flaw_of_table_20() {
        let data = dataset(&[
            Given::flat("age", Role::Quasi, &[30, 20, 23, 27]),
            Given::flat("zip", Role::Quasi, &[1200, 2400, 1500, 3400]),
            Given::flat("i1", Role::Sensitive, &["b", "c", "a", "c"]),
            Given::flat("i2", Role::Sensitive, &["w", "x", "w", "y"]),
        ]);
        let problem = problem(&data, models(2), settings(2));
        let candidate = MsaAsQuasi.anonymize(&Ctx::quiet(), &problem).unwrap();
        assert!(fewest(&problem, &candidate) >= 2);
    }

    #[test]
    fn attributes_that_are_crossed_need_no_mask_and_neither_does_one_by_itself() {
        let first = Given::flat("i1", Role::Sensitive, &["a", "a", "b", "b"]);
        let second = Given::flat("i2", Role::Sensitive, &["w", "x", "w", "x"]);
        let age = || Given::flat("age", Role::Quasi, &[1, 1, 1, 1]);
        for given in [
            vec![age(), first, second],
            vec![age(), Given::flat("i1", Role::Sensitive, &["a", "b", "b", "b"])],
        ] {
            let data = dataset(&given);
            let problem = problem(&data, models(2), settings(1));
            let candidate = MsaAsQuasi.anonymize(&Ctx::quiet(), &problem).unwrap();
            assert_eq!(candidate.notes, ["sensitive cells that are masked: 0 %"]);
            assert!(fewest(&problem, &candidate) >= 2);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn rows_that_show_the_same_of_all_else_have_l_values(data in several(), l in 2_u64..4) {
            let problem = problem(&data, models(l), settings(2));
            let Ok(candidate) = MsaAsQuasi.anonymize(&Ctx::quiet(), &problem) else {
                return Ok(());
            };
            prop_assert!(fewest(&problem, &candidate) as u64 >= l);
            for (attribute, cells) in problem.sensitive().iter().zip(&candidate.sensitive) {
                for (code, &cell) in attribute.codes().iter().zip(cells) {
                    let (first, last) = attribute.codes_of(cell);
                    prop_assert!(first <= code && code <= last);
                }
            }
        }
    }
}
