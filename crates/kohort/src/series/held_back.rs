//! What to do about people whom a release would hold back, where that would disclose their values.

use crate::release::No;
use kohort_core::{Message, Setting, message};

/// Whether a method can publish people with too frequent values beside counterfeits.
pub(super) fn takes_counterfeits(method: &str) -> bool {
    matches!(method, "m-invariance" | "e-equivalence" | "global-guarantee" | "xy-linkability")
}

/// What to know where counterfeits were made though nobody asked for them.
pub(super) fn counterfeits_instead() -> Message {
    message!(
        "people with a value that is too frequent are published with counterfeits: holding them back would \
         disclose their value ({} with {} does)",
        Setting::Surplus.to("hold-back"),
        Setting::AllowUnsafe
    )
}

/// The answer where holding people back would tell their values.
pub(super) fn no_held_back(broken: String) -> No {
    No {
        problem: "the release that was made does not keep its promise, and nothing was written"
            .into(),
        causes: vec![broken],
        hint: message!(
            "publish people with too frequent values together with counterfeits ({}), or say `allow-unsafe = \
             true` in the plan's `[method]` if that is what you want",
            Setting::Surplus.to("counterfeits")
        ),
        ..No::default()
    }
}
