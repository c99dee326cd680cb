//! Laws on series that people join.

use kohort_core::History;
use proptest::prelude::*;

use super::*;
use crate::tests::people::{Person, boxes_of, histories, make};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_series_keeps_bcf_anonymity(
        (people, _) in histories(4..60, 4), joins in prop::collection::vec(1_usize..30, 3), k in 2_u64..4,
    ) {
        let model = BcfAnonymity::new(k).unwrap();
        let mut history = History { n_values: 4, releases: vec![] };
        // Boxes in the numbers of the columns, which stay what they are when codes do not.
        let mut earlier: Vec<Vec<ClassBox>> = Vec::new();
        let mut n = 0;
        for more in joins {
            n = (n + more).min(people.len());
            let present: Vec<u32> = (0..).take(n).collect();
            let coded = earlier.iter().map(|boxes| coded(&people[..n], boxes)).collect();
            let maker = BcfMaker { model, earlier: coded };
            let Ok((next, released)) = make(&maker, &people, &present, &history) else {
                // A first release of fewer than k people, or newcomers who cannot hide among others.
                continue;
            };
            let boxes = boxes_of(&people, &present, &next);
            let shown: Vec<Shown<'_>> = (history.releases.iter().zip(&earlier))
                .map(|(release, boxes)| Shown { release, boxes })
                .collect();
            prop_assert_eq!(model.check(&shown, Shown { release: &released, boxes: &boxes }), Ok(()));
            history.releases.push(released);
            earlier.push(boxes);
        }
    }
}

/// Boxes of numbers as boxes of the codes of a table of some people: the codes of the numbers inside. A box
/// beside all of them has the code before which it stands.
fn coded(people: &[Person], boxes: &[ClassBox]) -> Vec<ClassBox> {
    let code = |axis: usize, number: u32| {
        let mut numbers: Vec<u32> = people.iter().map(|person| person.quasi[axis]).collect();
        numbers.sort_unstable();
        numbers.dedup();
        u32::try_from(numbers.partition_point(|&other| other < number)).unwrap()
    };
    let of = |edge: &[u32]| (0..).zip(edge).map(|(axis, &number)| code(axis, number)).collect();
    boxes.iter().map(|shown| ClassBox { lo: of(&shown.lo), hi: of(&shown.hi) }).collect()
}

#[test]
fn a_first_release_is_as_fine_as_k_allows() {
    let people: Vec<Person> = (0..8).map(|at| Person { quasi: [at, 0], value: at % 2 }).collect();
    let maker = BcfMaker { model: BcfAnonymity::new(2).unwrap(), earlier: vec![] };
    let present: Vec<u32> = (0..8).collect();
    let (next, released) = make(&maker, &people, &present, &History::default()).unwrap();
    assert_eq!(released.classes.len(), 4);
    assert_eq!(next.cells.len(), 8);
    let Err(Failure::Infeasible { reason }) = make(&maker, &people, &[3], &History::default())
    else {
        panic!("one person cannot hide");
    };
    assert_eq!(
        reason,
        "even a single class of everybody does not keep it: 1 class of fewer than 2 rows"
    );
}
