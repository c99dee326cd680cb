//! A plan for nested records, resolved: what a release is judged by, and what it is made by.

use kohort_core::{Setting, message};
use kohort_nested::NestedAlgorithm;

use super::goal::NestedGoal;
use super::release::{algorithm, partitions};
use super::schema::Schema;
use crate::Error;
use crate::error::refused;
use crate::job::{Mode, no_mode, no_transparent_mode};
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
    /// Whether the plan asks for the transparent mode, or for the opaque one.
    transparent: Option<bool>,
    /// What a transparent release is drawn from.
    pub(super) secret: [u8; 32],
}

impl NestedJob {
    /// What a plan asks for.
    pub(super) fn new(plan: &Plan, secret: [u8; 32]) -> Result<Self, Error> {
        let job = Self::by(plan, secret, algorithm(plan)?)?;
        job.check_transparent()?;
        Ok(job)
    }

    /// The same, by another algorithm.
    pub(super) fn by(
        plan: &Plan,
        secret: [u8; 32],
        algorithm: &'static dyn NestedAlgorithm,
    ) -> Result<Self, Error> {
        Ok(Self {
            terms: NestedTerms::new(plan)?,
            algorithm,
            partitions: partitions(plan, algorithm)?,
            seed: plan.method.seed(),
            allow_unsafe: AllowUnsafe::of(plan),
            transparent: plan.method.transparent,
            secret,
        })
    }

    /// The mode of a release, by the rule of tables: it depends on the plan alone.
    pub(super) fn mode(&self) -> Mode {
        let id = self.algorithm.spec().id;
        match (self.transparent, self.has_mode()) {
            (Some(false), _) | (Some(true), false) => Mode::Opaque,
            (Some(true) | None, true) => Mode::Transparent,
            (None, false) if !self.terms.goal.rules.is_empty() => Mode::OpaqueAlone(
                "with rules about how often a value occurs there is no transparent mode; without them, \
                 promises about sensitive values hold against an adversary who runs the method again, too"
                    .into(),
            ),
            (None, false) if self.compares() => Mode::OpaqueAlone(
                "with promises that compare values with the whole data there is no transparent mode; without \
                 them, promises about sensitive values hold against an adversary who runs the method again, too"
                    .into(),
            ),
            (None, false) => Mode::OpaqueAlone(no_mode(id)),
        }
    }

    /// Whether the plan asks for the transparent mode by name.
    pub(super) fn is_asked_to_be_transparent(&self) -> bool {
        self.transparent == Some(true)
    }

    fn has_mode(&self) -> bool {
        self.algorithm.can_be_transparent() && self.terms.goal.rules.is_empty() && !self.compares()
    }

    fn compares(&self) -> bool {
        self.terms.goal.models.iter().any(|promise| promise.compares)
    }

    /// Refuses the transparent mode where there is none.
    fn check_transparent(&self) -> Result<(), Error> {
        if self.transparent != Some(true) || self.has_mode() {
            return Ok(());
        }
        if !self.terms.goal.rules.is_empty() {
            return Err(refused(
                "the transparent mode keeps no rule about how often a value occurs",
                message!("leave the rules out, or say {}", Setting::Transparent.to("no")),
            ));
        }
        if self.compares() {
            return Err(refused(
                "the transparent mode keeps no promise that compares values with the whole data",
                message!("leave such promises out, or say {}", Setting::Transparent.to("no")),
            ));
        }
        Err(no_transparent_mode(self.algorithm.spec().id))
    }
}
