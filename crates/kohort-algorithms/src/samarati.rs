//! Samarati's binary search: a full-domain generalization of least height.
//!
//! # Guarantee
//! Every class keeps every promise, with outliers suppressed where the plan allows it, and no node of smaller
//! height is ok. Least height is not least loss: [`crate::optimal`] finds that. The more rows may be suppressed,
//! the further the two lie apart: with all of them, the values themselves are published and the rest is dropped.
//!
//! # Method
//! 1. Keep two heights: no node below `low` is ok, some node of height `high` is. Each attribute alone
//!    rules out its lowest levels.
//! 2. While they differ, test the nodes of the height in the middle: if one is ok, `high` comes down to it;
//!    if none is, `low` goes above it.
//! 3. Of all ok nodes of the height where they meet, take the one that the policy prefers: of least loss in
//!    the metric asked for (with the average class size, of most classes), of least relative distance, or
//!    of fewest suppressed rows. Among equals the one of least loss, then the first in lexicographic order.
//!
//! # Notation
//! | paper | here |
//! |---|---|
//! | DGH, VGH | the taxonomy, its levels |
//! | MaxSup | `settings.suppression` |
//! | height(DV) | the sum of the levels |
//!
//! # Cost
//! O(log height) layers of the lattice, each of their nodes grouped once: O(n) per node. Layers run on all cores.
//!
//! # Deviations
//! - The paper returns any ok node of the height, and lists policies to choose by; least loss is not among
//!   them, and is the one of step 3 unless another is asked for.
//! - Nodes are tested by grouping, not by the matrix of distance vectors, which is quadratic in rows.
//! - Where being ok is not monotone (sensitive promises with suppression), heights are tried from 0 up.
//!
//! # References
//! Samarati, TKDE 13(6), 2001, §5.

use kohort_core::{Ctx, Parameter, Ratio, Spec};
use rayon::prelude::*;

use crate::lattice::{Desk, Lattice, Node, Table, height};
use crate::{Algorithm, Candidate, Facts, Failure, Policy, Problem};

const SPEC: Spec = Spec {
    id: "samarati",
    title: "Samarati's full-domain generalization",
    paper: "Samarati 2001",
    promise: "no combination of levels of smaller height keeps the promises",
    parameters: &[Parameter {
        name: "policy",
        range: "least-loss, relative-distance or fewest-suppressed; least-loss when left out",
        doc: "which of the combinations of least height to take",
    }],
};

/// Lattices of more nodes have layers too large to visit.
const MOST_NODES: u64 = 2_000_000;

/// Samarati's binary search.
pub(crate) struct Samarati;

impl Algorithm for Samarati {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn facts(&self) -> Facts {
        Facts::FULL_DOMAIN
    }

    fn anonymize(&self, ctx: &Ctx<'_>, problem: &Problem<'_>) -> Result<Candidate, Failure> {
        let lattice = Lattice::new(problem)?;
        let table = lattice.table();
        Ok(lattice.release(&table, &search(ctx, &lattice, &table)?))
    }
}

/// The node of least height, and of least loss among those.
fn search(ctx: &Ctx<'_>, lattice: &Lattice<'_, '_>, table: &Table) -> Result<Node, Failure> {
    lattice.n_nodes(MOST_NODES)?;
    let lowest = lattice.lowest();
    let table = lattice.roll_up(table, &lowest);
    let (mut low, mut high) = (height(&lowest), height(&lattice.top()));
    while low < high {
        ctx.progress("heights left", 0, u64::from(high - low));
        let tried = if lattice.is_monotone() { u32::midpoint(low, high) } else { low };
        if is_some_ok(lattice, &table, &lattice.nodes_at(&lowest, tried)) {
            high = tried;
        } else {
            low = tried + 1;
        }
    }
    let no = || Failure::infeasible("no combination of levels keeps every promise");
    preferred(lattice, &table, &lattice.nodes_at(&lowest, high)).ok_or_else(no)
}

fn is_some_ok(lattice: &Lattice<'_, '_>, table: &Table, nodes: &[Node]) -> bool {
    let is_ok = |desk: &mut Desk, node: &Node| lattice.evaluate(table, node, desk).is_ok;
    nodes.par_iter().map_init(Desk::default, is_ok).any(|is_ok| is_ok)
}

/// The ok node that the policy prefers.
fn preferred(lattice: &Lattice<'_, '_>, table: &Table, nodes: &[Node]) -> Option<Node> {
    let policy = lattice.problem.settings().policy;
    let of_node = |desk: &mut Desk, node: &Node| {
        let seen = lattice.evaluate(table, node, desk);
        let by_policy = match policy {
            Policy::LeastLoss => Ratio::whole(0),
            Policy::RelativeDistance => lattice.relative_distance(node),
            Policy::FewestSuppressed => Ratio::whole(seen.outliers),
        };
        seen.is_ok.then(|| (by_policy, seen.loss, node.clone()))
    };
    let best = nodes.par_iter().map_init(Desk::default, of_node).flatten().min();
    best.map(|(.., node)| node)
}

#[cfg(test)]
mod tests {
    use kohort_core::{Dataset, Role};
    use kohort_models::{ClassModel, KAnonymity};

    use super::*;
    use crate::lattice::tests::{all_nodes, k_anonymous, plainly, table_2};
    use crate::tests::tables::{Given, dataset, problem, settings};
    use crate::{Metric, Settings};

    fn found(data: &Dataset, k: u64, asked: Settings) -> Node {
        let models: Vec<Box<dyn ClassModel>> = vec![Box::new(KAnonymity::new(k).unwrap())];
        let problem = problem(data, models, asked);
        let lattice = Lattice::new(&problem).unwrap();
        search(&Ctx::quiet(), &lattice, &lattice.table()).unwrap()
    }

    // k = 2 → (1,1,1) at height 3; k = 3 → (2,2,1) at height 5.
    #[test]
    fn section_9_least_heights() {
        let data = table_2();
        for (k, expected) in [(2, [1, 1, 1]), (3, [2, 2, 1]), (4, [2, 2, 1])] {
            let problem = k_anonymous(&data, k);
            let lattice = Lattice::new(&problem).unwrap();
            let found = search(&Ctx::quiet(), &lattice, &lattice.table()).unwrap();
            assert_eq!(found, expected, "k = {k}");
        }
    }

    // The policies over all ok nodes at the least height. Heights are 3 for `a`, 2 for `b`
    // and 1 for `c`.
    #[test]
    fn section_2_policies() {
        let a = ["1;x;u;*", "2;x;u;*", "3;y;u;*", "4;z;v;*"];
        let b = ["p;P;*", "q;P;*", "r;R;*"];
        let split = |texts: &str| texts.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let data = dataset(&[
            Given::flat("a", Role::Quasi, &split("4 3 1 2 1 4 3 4 3 4")).with_taxonomy(&a),
            Given::flat("b", Role::Quasi, &split("r r p p r r q r p r")).with_taxonomy(&b),
            Given::flat("c", Role::Quasi, &split("m f f m m f m m f f")),
        ]);
        let policies = [Policy::LeastLoss, Policy::RelativeDistance, Policy::FewestSuppressed];
        let metrics = [Metric::Cells(kohort_models::CellMetric::Ncp), Metric::AverageClassSize];
        let mut different = std::collections::BTreeSet::new();
        for (suppression, policy, metric) in (0..4)
            .flat_map(|n| policies.map(|policy| (n, policy)))
            .flat_map(|(n, policy)| metrics.map(|metric| (n, policy, metric)))
        {
            let asked = Settings { metric, suppression, policy, ..settings(3) };
            let node = found(&data, 2, asked.clone());
            let models: Vec<Box<dyn ClassModel>> = vec![Box::new(KAnonymity::new(2).unwrap())];
            let problem = problem(&data, models, asked);
            let lattice = Lattice::new(&problem).unwrap();
            let worth = |node: &Node| {
                let (outliers, loss) = plainly(&problem, node);
                let distance: f64 = node
                    .iter()
                    .zip([3.0, 2.0, 1.0])
                    .map(|(&level, top)| f64::from(level) / top)
                    .sum();
                let by_policy = match policy {
                    Policy::LeastLoss => 0.0,
                    Policy::RelativeDistance => distance,
                    Policy::FewestSuppressed => outliers as f64,
                };
                (outliers <= suppression).then_some((by_policy, loss))
            };
            let ok = all_nodes(&lattice).into_iter().filter(|node| worth(node).is_some());
            let ok: Vec<Node> = ok.collect();
            let least = ok.iter().map(|node| height(node)).min().unwrap();
            assert_eq!(height(&node), least, "suppression {suppression}");
            for other in ok.iter().filter(|other| height(other) == least) {
                let (mine, theirs) = (worth(&node).unwrap(), worth(other).unwrap());
                let is_no_worse = mine.0 < theirs.0 - 1e-9
                    || (mine.0 <= theirs.0 + 1e-9 && mine.1 <= theirs.1 + 1e-9);
                assert!(is_no_worse, "{node:?} {other:?} {policy:?} {metric:?}");
            }
            different.insert(node);
        }
        assert!(different.len() > 4, "the policies choose different nodes: {different:?}");
    }
}
