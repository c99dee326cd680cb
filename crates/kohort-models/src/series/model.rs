//! The promise of a series, whichever of the models makes it.

use kohort_core::Ratio;

use super::{
    BcfAnonymity, EEquivalence, GlobalGuarantee, MInvariance, RhoDifferent, XyAnonymity,
    XyLinkability,
};

/// What every release of a series must keep, together with those before it.
#[derive(Clone, Copy, Debug)]
pub enum SeriesModel {
    /// m-invariance.
    MInvariance(MInvariance),
    /// (m, e)-equivalence.
    EEquivalence(EEquivalence),
    /// rho-different.
    RhoDifferent(RhoDifferent),
    /// BCF-anonymity.
    Bcf(BcfAnonymity),
    /// (X,Y)-anonymity.
    XyAnonymity(XyAnonymity),
    /// (X,Y)-linkability.
    XyLinkability(XyLinkability),
    /// The global guarantee.
    Global(GlobalGuarantee),
}

impl SeriesModel {
    /// Whether a release publishes how many of its rows belong to nobody.
    pub fn counts_counterfeits(self) -> bool {
        !matches!(self, Self::RhoDifferent(_))
    }

    /// Whether the model compares what the classes of different releases cover.
    pub fn compares_boxes(self) -> bool {
        matches!(self, Self::Bcf(_))
    }

    /// The m of the models that promise that nobody's value is believed with more than 1/m, where values do
    /// not change.
    pub fn m(self) -> Option<u32> {
        match self {
            Self::MInvariance(model) => Some(model.m()),
            Self::EEquivalence(model) => Some(model.m()),
            _ => None,
        }
    }

    /// Whether one value may fill this share of a class.
    pub fn allows_share(self, share: Ratio) -> bool {
        match self {
            Self::MInvariance(model) => share <= Ratio::new(1, u64::from(model.m())),
            Self::EEquivalence(model) => share <= Ratio::new(1, u64::from(model.m())),
            Self::Global(model) => model.allows_share(share),
            Self::XyLinkability(model) => share <= model.confidence(),
            Self::RhoDifferent(_) | Self::Bcf(_) | Self::XyAnonymity(_) => true,
        }
    }
}
