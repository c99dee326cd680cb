//! What a diagnosis found: the answer, its sentences and its text.

mod answer;
mod asked_for;
mod disclosure;
mod people;
mod population;
mod promise;
mod sentences;
mod text;

pub use self::answer::*;
pub use self::asked_for::{AskedFor, AskedLevel};
pub use self::disclosure::{
    DisclosureAnswer, DisclosureCount, EvidenceAnswer, MDiversityAnswer, PDiversityAnswer,
    PosteriorAnswer,
};
pub use self::people::{PeopleAnswer, PeopleSensitive};
pub use self::population::{EstimateAnswer, ModelAnswer, PopulationAnswer};
pub use self::promise::{GoalAnswer, LevelAsked, MembersAnswer};
pub use self::sentences::{Line, NOT_PROMISED, level_lines, sensitive_lines};
pub use self::text::text;

use crate::wording::{count, decimal, grouped, percent, share, visible};
