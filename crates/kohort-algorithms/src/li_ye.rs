//! Li and Ye's masking: classes by their size alone, then sensitive values generalized until they differ.
//!
//! # Guarantee
//! Every class has at least α rows and keeps every other promise, and the sensitive cells it shows stand
//! for at least l values of every attribute. There is no bound on a probability: a value that is shown may
//! fill nearly the whole class, and neither l-pdiversity nor l-mdiversity is kept. Sensitive values are
//! lost where they are masked.
//!
//! # Method
//! 1. Cut the table top-down, by Mondrian, while every part has α rows.
//! 2. In every class and for every sensitive attribute: while the cells shown stand for fewer than l
//!    values, the most frequent of them goes up its taxonomy by one level, `*` at the end.
//!
//! # Notation
//! α_QI → the larger one of l and the k of the goal; α_SA → `l`.
//!
//! # Cost
//! That of Mondrian, and O(n·d·h) for taxonomies of height h.
//!
//! # Deviations
//! - α_QI is read as a number of rows, which its example needs: a "diversity requirement for QI".
//! - Which value is masked first is open in Abdalaal 2012: the most frequent, lowest code first.
//!
//! # References
//! Li and Ye 2007, as described in section 3.3 of Abdalaal 2012.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use kohort_core::{Attribute, Cell, Ctx, Spec};
use kohort_models::KAnonymity;

use crate::shared_l::{instead, l_of_all};
use crate::{Algorithm, Candidate, Facts, Failure, Problem, mondrian};

/// What the algorithm is.
pub(crate) const SPEC: Spec = Spec {
    id: "li-ye",
    title: "Li and Ye's masking of sensitive values",
    paper: "Li and Ye 2007",
    promise: "the sensitive cells of a class cover l values, and are masked where they would \
              not; no bound on a probability, and masked values are lost",
    parameters: &[],
};

/// Li and Ye's masking.
pub(crate) struct LiYe;

impl Algorithm for LiYe {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn facts(&self) -> Facts {
        Facts { masks_sensitive: true, ..Facts::RIVAL }
    }

    fn anonymize(&self, _: &Ctx<'_>, problem: &Problem<'_>) -> Result<Candidate, Failure> {
        let l = l_of_all(problem, SPEC.id)?;
        let too_few = |attribute: &&&Attribute| (attribute.n_codes() as usize) < l;
        if let Some(attribute) = problem.sensitive().iter().find(too_few) {
            let (name, n_values) = (attribute.name(), attribute.n_codes());
            let reason = format!("`{name}` has {n_values} values, but l is {l}");
            return Err(Failure::infeasible(reason));
        }
        let own = instead(problem, vec![Box::new(KAnonymity::new(l as u64)?)]);
        let classes = mondrian::classes(&own, false)?;
        let masked = problem.sensitive().iter().map(|attribute| mask(attribute, &classes, l));
        Ok(Candidate::of_groups(problem, &classes).with_masked(masked.collect()))
    }
}

/// Step 2: the cell of every row.
fn mask(attribute: &Attribute, classes: &[Vec<u32>], l: usize) -> Vec<Cell> {
    let mut cells: Vec<Cell> = attribute.codes().iter().map(Cell::Leaf).collect();
    for class in classes {
        let mut rows_of_cell: BTreeMap<Cell, Vec<u32>> = BTreeMap::new();
        for &row in class {
            rows_of_cell.entry(cells[row as usize]).or_default().push(row);
        }
        while n_values(attribute, rows_of_cell.keys()) < l {
            let exposed = (rows_of_cell.iter())
                .filter(|(cell, _)| **cell != Cell::ANY)
                .max_by_key(|(cell, rows)| (rows.len(), Reverse(**cell)));
            let (&cell, _) =
                exposed.expect("the root stands for every value, and these are enough");
            let rows = rows_of_cell.remove(&cell).unwrap_or_default();
            rows_of_cell.entry(above(attribute, cell)).or_default().extend(rows);
        }
        for (cell, rows) in rows_of_cell {
            for row in rows {
                cells[row as usize] = cell;
            }
        }
    }
    cells
}

/// How many values these cells stand for.
fn n_values<'a>(attribute: &Attribute, cells: impl Iterator<Item = &'a Cell>) -> usize {
    let mut covered: Vec<(u32, u32)> = cells.map(|&cell| attribute.codes_of(cell)).collect();
    covered.sort_unstable();
    let (mut n, mut next) = (0, 0);
    for (first, last) in covered {
        n += (last + 1).saturating_sub(first.max(next)) as usize;
        next = next.max(last + 1);
    }
    n
}

/// The cell one level up.
fn above(attribute: &Attribute, cell: Cell) -> Cell {
    let taxonomy = attribute.taxonomy();
    match cell {
        Cell::Leaf(code) => Cell::Node(taxonomy.parent(code)),
        Cell::Node(node) => Cell::Node(taxonomy.nodes()[node as usize].parent.unwrap_or(0)),
        Cell::Range { .. } | Cell::Rounded { .. } => Cell::ANY,
    }
}

#[cfg(test)]
mod tests {
    use kohort_core::Role;
    use kohort_models::{ClassModel, LMdiversity};
    use proptest::prelude::*;

    use super::*;
    use crate::tests::laws::several;
    use crate::tests::tables::{Given, classes_of, dataset, groups_of, problem, settings};

    fn models(l: u64) -> Vec<Box<dyn ClassModel>> {
        vec![Box::new(LMdiversity::new(l).unwrap())]
    }

    // Table 21 of Abdalaal 2012: Amy and Che lose I2, Bob and Dina I1. The zip code comes first: it is the one that
    // is split, and both attributes are as wide.
    #[test]
    fn table_21_comes_out() {
        let data = dataset(&[
            Given::flat("zip", Role::Quasi, &[1200, 1500, 2400, 3400]),
            Given::flat("age", Role::Quasi, &[30, 23, 20, 27]),
            Given::flat("i1", Role::Sensitive, &["b", "a", "c", "c"]),
            Given::flat("i2", Role::Sensitive, &["w", "w", "x", "y"]),
        ]);
        let problem = problem(&data, models(2), settings(2));
        let candidate = LiYe.anonymize(&Ctx::quiet(), &problem).unwrap();
        let groups: Vec<Vec<u32>> = groups_of(&candidate).into_iter().collect();
        assert_eq!(groups, [[0, 1], [2, 3]]);
        let (leaf, any) = (Cell::Leaf, Cell::ANY);
        assert_eq!(candidate.sensitive[0], [leaf(1), leaf(0), any, any]);
        assert_eq!(candidate.sensitive[1], [any, any, leaf(1), leaf(2)]);
        assert_eq!(candidate.notes, ["sensitive cells that are masked: 50 %"]);
    }

    #[test]
    fn values_go_up_their_taxonomy_no_further_than_needed() {
        let data = dataset(&[
            Given::flat("age", Role::Quasi, &[1, 1, 1, 9, 9, 9]),
            Given::flat("illness", Role::Sensitive, &["flu", "flu", "flu", "cough", "burn", "cut"])
                .with_taxonomy(&["flu;lung;*", "cough;lung;*", "burn;skin;*", "cut;skin;*"]),
        ]);
        let shown = |l| {
            let problem = problem(&data, models(l), settings(1));
            LiYe.anonymize(&Ctx::quiet(), &problem).unwrap().sensitive[0].clone()
        };
        // Lung stands for two values, only the root for three.
        let (two, three) = (shown(2), shown(3));
        assert!(matches!(two[0], Cell::Node(node) if node > 0) && two[0] == two[2]);
        assert_eq!(three[..3], [Cell::ANY; 3]);
        assert!(two[3..].iter().chain(&three[3..]).all(|cell| matches!(cell, Cell::Leaf(_))));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn cells_cover_their_rows_and_stand_for_l_values(data in several(), l in 2_u64..5) {
            let problem = problem(&data, models(l), settings(2));
            let Ok(candidate) = LiYe.anonymize(&Ctx::quiet(), &problem) else { return Ok(()) };
            for (attribute, cells) in problem.sensitive().iter().zip(&candidate.sensitive) {
                let covers = |cell: Cell, code: u32| {
                    let (first, last) = attribute.codes_of(cell);
                    first <= code && code <= last
                };
                for (code, &cell) in attribute.codes().iter().zip(cells) {
                    prop_assert!(covers(cell, code));
                }
                for rows in classes_of(&problem, &candidate) {
                    let is_told = |code: &u32| {
                        rows.iter().any(|&row| covers(cells[row as usize], *code))
                    };
                    let n = (0..attribute.n_codes()).filter(is_told).count();
                    prop_assert!(n as u64 >= l && rows.len() as u64 >= l);
                }
            }
        }
    }
}
