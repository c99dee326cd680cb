//! What attacks found: the answer and its text.

mod answer;
mod text;

pub use self::answer::{
    Above, Answer, AttackAnswer, CriterionAnswer, NotRun, Score, Targets, criteria, not_run,
    weakest_first,
};
pub use self::text::{NOT_SHOWN, gain, headline, interval, targets, text};
