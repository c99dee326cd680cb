//! The algorithms in the box.

use crate::Algorithm;
use crate::additive_noise::AdditiveNoise;
use crate::anatomy::Anatomy;
use crate::auto::Auto;
use crate::bucket::Bucket;
use crate::codip::Codip;
use crate::datafly::Datafly;
use crate::decomposition::Decomposition;
use crate::gal::Gal;
use crate::hilbert::Hilbert;
use crate::incognito::Incognito;
use crate::k_member::KMember;
use crate::l_member::LMember;
use crate::li_ye::LiYe;
use crate::mdav::Mdav;
use crate::mmdcf::{Capacity, Mmdcf};
use crate::mondrian::Mondrian;
use crate::msa_as_quasi::MsaAsQuasi;
use crate::msa_hilbert::MsaHilbert;
use crate::msa_naive::MsaNaive;
use crate::msa_search::MsaSearch;
use crate::oka::Oka;
use crate::optimal::Optimal;
use crate::randomized_response::RandomizedResponse;
use crate::rank_swapping::RankSwapping;
use crate::samarati::Samarati;
use crate::sensitive_split::SensitiveSplit;
use crate::top_down::TopDown;
use crate::two_phase::TwoPhase;

/// Every algorithm, in the order they are listed.
pub static ALGORITHMS: &[&dyn Algorithm] = &[
    &Auto,
    &Samarati,
    &Datafly,
    &Incognito,
    &Optimal,
    &Mondrian { is_relaxed: false },
    &Mondrian { is_relaxed: true },
    &TopDown,
    &KMember,
    &Oka,
    &TwoPhase::A,
    &TwoPhase::B,
    &Hilbert,
    &Bucket,
    &LMember,
    &Anatomy,
    &MsaHilbert,
    &MsaSearch,
    &Mdav,
    &SensitiveSplit,
    &AdditiveNoise,
    &RandomizedResponse,
    &RankSwapping,
    &MsaNaive,
    &MsaAsQuasi,
    &LiYe,
    &Gal,
    &Mmdcf(Capacity::Sum),
    &Mmdcf(Capacity::Cell),
    &Mmdcf(Capacity::Largest),
    &Decomposition,
    &Codip,
];

/// The algorithm with this id.
pub fn algorithm(id: &str) -> Option<&'static dyn Algorithm> {
    ALGORITHMS.iter().copied().find(|algorithm| algorithm.spec().id == id)
}
