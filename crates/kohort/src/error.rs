//! What can go wrong between a plan and its answer.

/// Could not do it: the kind says what, the text says where.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Error(Box<Kind>);

impl Error {
    /// An error of this kind.
    pub fn new(kind: Kind) -> Self {
        Self(Box::new(kind))
    }

    /// The kind, for callers that react to one.
    pub fn kind(&self) -> &Kind {
        &self.0
    }
}

impl<K: Into<Kind>> From<K> for Error {
    fn from(kind: K) -> Self {
        Self::new(kind.into())
    }
}

/// The kinds of error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Kind {
    /// A table, taxonomy or parameter is not as it must be.
    #[error(transparent)]
    Core(#[from] kohort_core::Error),
}
