//! Both anatomies, and the one that keeps more: what `auto` is where there are rules.
//!
//! # Guarantee
//! That of `TreeAnatomy`, in the form that is published.
//!
//! # Method
//! 1. Make t-t and v-v anatomy by assignment.
//! 2. Publish the one that keeps more vertices. Where both keep as many, v-v: it does not link the sensitive
//!    values of a person with one another. A note says what both keep.
//!
//! # Cost
//! That of both.
//!
//! # Deviations
//! Ours: Özalp 2017 leaves the choice to the publisher.
//!
//! # References
//! Özalp, Privacy Preserving Publishing of Hierarchical Data, 2017, §3.3.

use kohort_core::{Ctx, Spec};

use super::{PARAMETERS, TreeAnatomy};
use crate::{Failure, NestedAlgorithm, NestedCandidate, NestedForm, NestedProblem};

const SPEC: Spec = Spec {
    id: "auto",
    title: "Anatomy by tree or by vertex, whichever keeps more",
    paper: "kohort",
    promise: "nobody's sensitive values can be linked to the person with probability above 1/l, \
              and the rules about occurrences hold; membership and the quasi-identifiers are not \
              hidden",
    parameters: PARAMETERS,
};

/// The anatomy that keeps more vertices.
#[derive(Clone, Copy, Debug)]
pub struct BetterAnatomy;

impl NestedAlgorithm for BetterAnatomy {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    // Or by tree: what is true of both is asked beforehand.
    fn form(&self) -> NestedForm {
        NestedForm::VertexAnatomy
    }

    fn is_quadratic(&self) -> bool {
        false
    }

    fn make(&self, ctx: &Ctx<'_>, problem: &NestedProblem<'_>) -> Result<NestedCandidate, Failure> {
        let trees = TreeAnatomy::BY_TREE.make(ctx, problem);
        let lists = TreeAnatomy::BY_VERTEX.make(ctx, problem);
        let (trees, lists) = match (trees, lists) {
            (Ok(trees), Ok(lists)) => (trees, lists),
            (trees, lists) => return trees.or(lists),
        };
        let kept = |made: &NestedCandidate| -> usize {
            made.classes.iter().map(|class| class.vertices.len()).sum()
        };
        let (of_trees, of_lists) = (kept(&trees), kept(&lists));
        let mut better = if of_lists < of_trees { trees } else { lists };
        let chosen = if better.form == NestedForm::TreeAnatomy { "tree" } else { "vertex" };
        better.notes.push(format!(
            "anatomy by tree keeps {of_trees} vertices, by vertex {of_lists}: by {chosen} is published"
        ));
        Ok(better)
    }
}
