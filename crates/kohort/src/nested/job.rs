//! A plan for nested records, resolved: what a release is judged by, and what it is made by.

use kohort_nested::NestedAlgorithm;

use super::goal::NestedGoal;
use super::release::{algorithm, partitions};
use super::schema::Schema;
use crate::Error;
use crate::permit::AllowUnsafe;
use crate::plan::Plan;

/// What a nested release is judged by.
#[derive(Clone, Debug)]
pub(super) struct NestedTerms {
    pub(super) schema: Schema,
    pub(super) goal: NestedGoal,
}

impl NestedTerms {
    /// The terms of a plan.
    pub(super) fn new(plan: &Plan) -> Result<Self, Error> {
        Ok(Self { schema: Schema::new(plan), goal: NestedGoal::new(plan)? })
    }
}

/// What a nested release is made by.
pub(super) struct NestedJob {
    pub(super) terms: NestedTerms,
    pub(super) algorithm: &'static dyn NestedAlgorithm,
    /// The number of partitions, for an algorithm that has some.
    pub(super) partitions: Option<usize>,
    /// The seed of everything random that hides nothing.
    pub(super) seed: u64,
    pub(super) allow_unsafe: AllowUnsafe,
}

impl NestedJob {
    /// What a plan asks for.
    pub(super) fn new(plan: &Plan) -> Result<Self, Error> {
        Self::by(plan, algorithm(plan)?)
    }

    /// The same, by another algorithm.
    pub(super) fn by(plan: &Plan, algorithm: &'static dyn NestedAlgorithm) -> Result<Self, Error> {
        Ok(Self {
            terms: NestedTerms::new(plan)?,
            algorithm,
            partitions: partitions(plan, algorithm)?,
            seed: plan.method.seed(),
            allow_unsafe: AllowUnsafe::of(plan),
        })
    }
}
