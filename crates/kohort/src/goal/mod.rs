//! What a release must promise: the goal of a plan, and the models that it asks for.
//!
//! A principle is declared in one file of `principles`, and in one line of the registry there: what a plan and a
//! command line have of it, its models, what is necessary for it, what less of it is, its statement for databases,
//! and what it does not promise. Plans, schema, flags, checks, suggestions and reports are made from that.
//!
//! ```
//! use kohort::goal::{PRINCIPLES, not_promised};
//! use kohort::plan::Plan;
//!
//! let plan = Plan::parse("plan.toml", "goal = { k-anonymity = 5, t-closeness = { t = 0.3 } }")?;
//! assert_eq!(plan.goal.k_anonymity, Some(5));
//! for principle in PRINCIPLES {
//!     println!("{}: {}", principle.id, principle.not_promised);
//! }
//! assert!(not_promised("k-anonymity").is_some());
//! # Ok::<(), kohort::Error>(())
//! ```

mod caps;
mod continuous;
mod declared;
mod feasible;
mod infeasible;
mod models;
mod named;
mod nearest;
pub(crate) mod numbers;
mod one_class;
mod principles;
pub(crate) mod spelled;
pub(crate) mod statement;

pub(crate) use continuous::{is_continuous, warning as continuous_warning};
pub use declared::{Declaration, Flag, InPlan, Level};
pub(crate) use infeasible::unreached;
pub use infeasible::{Infeasible, feasible, feasible_presence};
pub use models::{About, Asked};
pub(crate) use numbers::exact;
pub(crate) use principles::nearest_guarded;
pub use principles::*;
pub use spelled::{Diversity, OneOrMore};
