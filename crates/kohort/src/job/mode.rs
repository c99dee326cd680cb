//! Whether a release keeps promises about sensitive values against an adversary who runs its method again.

use kohort_algorithms::{Algorithm, can_be_transparent};
use kohort_core::{Message, Setting, message};

use super::Job;
use crate::Error;
use crate::error::refused;
use crate::goal::Principle;
use crate::plan::Method;

/// How a release is made.
pub(crate) enum Mode {
    /// Nothing about a person's values can be told from the choices that were made.
    Transparent,
    /// Choices depend on sensitive values.
    Opaque,
    /// The same, where the plan leaves it open and there is no other way: what to do about it.
    OpaqueAlone(Message),
}

impl Job {
    /// The mode of a release. Where the plan says nothing, it is the transparent one, if the method has it and can
    /// keep the goal in it; that depends on no cell of a table.
    pub(crate) fn mode(&self) -> Mode {
        let id = self.algorithm.spec().id;
        match self.terms.transparent {
            Some(true) => Mode::Transparent,
            Some(false) => Mode::Opaque,
            None if !can_be_transparent(self.algorithm) => Mode::OpaqueAlone(no_mode(id)),
            None => of_all_classes(&self.terms.principles).map_or(Mode::Transparent, |id| {
                Mode::OpaqueAlone(message!(
                    "with `{id}` in the goal there is no transparent mode; without it, promises about sensitive \
                     values hold against an adversary who runs the method again, too"
                ))
            }),
        }
    }
}

impl Mode {
    /// Whether it is the transparent one.
    pub(crate) fn is_transparent(&self) -> bool {
        matches!(self, Self::Transparent)
    }

    /// What a person should know who asks for a promise about sensitive values and did not choose the mode.
    pub(crate) fn note(self) -> Option<Message> {
        match self {
            Self::OpaqueAlone(note) => Some(note),
            Self::Transparent | Self::Opaque => None,
        }
    }
}

/// That an algorithm has no transparent mode, and which has.
pub(crate) fn no_mode(id: &str) -> Message {
    message!(
        "`{id}` has no transparent mode; {} makes a release whose promises about sensitive values hold \
         against an adversary who runs the method again, too",
        Setting::Algorithm.to("auto")
    )
}

/// The first promise about all classes together: it is kept by a choice among releases.
fn of_all_classes(principles: &[Principle]) -> Option<&'static str> {
    let is_of_each_class = |principle: &&Principle| matches!(principle, Principle::KMap(k_map) if k_map.sample().is_some());
    let mut all = principles.iter().filter(|it| it.is_of_all_classes());
    all.find(|it| !is_of_each_class(it)).map(Principle::id)
}

/// Refuses the transparent mode of an algorithm that has none.
pub(super) fn check_transparent(method: &Method, algorithm: &dyn Algorithm) -> Result<(), Error> {
    if method.transparent != Some(true) || can_be_transparent(algorithm) {
        return Ok(());
    }
    Err(no_transparent_mode(algorithm.spec().id))
}

/// The refusal of the transparent mode of an algorithm that has none.
pub(crate) fn no_transparent_mode(id: &str) -> Error {
    refused(
        format!("`{id}` has no transparent mode"),
        message!(
            "choose {}, or {} if nobody who knows the method is expected",
            Setting::Algorithm.to("auto"),
            Setting::Transparent.to("no")
        ),
    )
}
