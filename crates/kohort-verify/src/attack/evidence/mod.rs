//! What attacks work with: the scene that an adversary sees, and what follows from it.
//!
//! [`scene`] puts a [`released`] table and a [`background`] together; [`axes`] and [`refinement`] lay two releases
//! side by side; [`series`] and what it uses read releases over time: [`class_assignment`] says who may be in which
//! class, [`candidates`] what each release says of a person, [`deduction`] what follows for certain.

pub(super) mod assignments;
pub(super) mod axes;
pub(super) mod background;
pub(super) mod candidates;
pub(super) mod chained_disclosure;
pub(super) mod class_assignment;
pub(super) mod deduction;
pub(super) mod equal_values;
pub(super) mod refinement;
pub(super) mod released;
pub(super) mod rules;
pub(super) mod scene;
pub(super) mod series;
pub(super) mod signatures;
pub(super) mod worlds;
