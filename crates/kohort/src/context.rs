//! What a program gives a long job: an ear for its progress, a way to cancel it, and secrets of its own.
//!
//! The library reads the system's clock and asks the system for random bytes here, and nowhere else.

use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kohort_core::{Cancelled, Ctx};

use crate::error::refused;
use crate::{Error, Stop};

/// The caller's side of a job. By default nobody listens, nothing is cancelled, and what hides something is
/// drawn from the system.
///
/// ```
/// use kohort::{Cancel, Cx};
///
/// let cancel = Cancel::default();
/// let cx = Cx::default().cancelled_by(&cancel);
/// // Another thread may say `cancel.cancel()` at any time: the job ends with `Stop::Cancelled`.
/// # drop(cx);
/// ```
#[derive(Clone, Default)]
pub struct Cx {
    observer: Option<Arc<dyn Observer>>,
    cancel: Cancel,
    secret: Option<[u8; 32]>,
}

/// Is told how far a job is. Calls come from the threads that work, and must not take long.
pub trait Observer: Send + Sync {
    /// A step begins: `anonymize`, `write`, `verify` or `measure`.
    fn step(&self, step: &'static str) {
        let _ = step;
    }

    /// Of what is named, `done` of `total` are behind us.
    fn progress(&self, what: &str, done: u64, total: u64) {
        let _ = (what, done, total);
    }
}

/// A switch that cancels jobs. Clones are one switch.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Cancels every job that was given this switch.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was used.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Cx {
    /// The same, and this observer is told how far a job is.
    #[must_use]
    pub fn observed_by(self, observer: impl Observer + 'static) -> Self {
        Self { observer: Some(Arc::new(observer)), ..self }
    }

    /// The same, and jobs end where this switch is used.
    #[must_use]
    pub fn cancelled_by(self, cancel: &Cancel) -> Self {
        Self { cancel: cancel.clone(), ..self }
    }

    /// The same, and what hides something is drawn from these 32 bytes, so that the same release can be made
    /// again. They must be random and as secret as the original: whoever has them can undo what they hide.
    #[must_use]
    pub fn with_secret(self, secret: [u8; 32]) -> Self {
        Self { secret: Some(secret), ..self }
    }

    /// The secret that was given, or else one from the system.
    pub(crate) fn secret(&self) -> Result<[u8; 32], Error> {
        if let Some(secret) = self.secret {
            return Ok(secret);
        }
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).map_err(|error| {
            refused(
                format!("the system provides no random numbers: {error}"),
                "give the job a secret of 32 random bytes",
            )
        })?;
        Ok(secret)
    }

    /// Runs a job, whose searches end when the time is used up. A job that is cancelled unwinds to here.
    #[expect(clippy::disallowed_methods, reason = "the clock of a program enters here")]
    pub(crate) fn run<T>(
        &self,
        budget: Option<Duration>,
        job: impl FnOnce(&Ctx<'_>) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let started = Instant::now();
        let stop = || budget.is_some_and(|budget| started.elapsed() > budget);
        let used =
            || budget.map_or(0.0, |budget| started.elapsed().as_secs_f64() / budget.as_secs_f64());
        let cancel = || self.cancel.is_cancelled();
        let step = |step| {
            if let Some(observer) = &self.observer {
                observer.step(step);
            }
        };
        let progress = |what: &str, done, total| {
            if let Some(observer) = &self.observer {
                observer.progress(what, done, total);
            }
        };
        let ctx =
            Ctx::new(&stop, &progress).with_cancel(&cancel).with_steps(&step).with_used(&used);
        match panic::catch_unwind(AssertUnwindSafe(|| job(&ctx))) {
            Ok(answer) => answer,
            Err(payload) if payload.is::<Cancelled>() => Err(Stop::Cancelled),
            Err(payload) => panic::resume_unwind(payload),
        }
    }
}

/// A clock: the seconds since it was made.
#[expect(clippy::disallowed_methods, reason = "the clock of a program enters here")]
pub(crate) fn clock() -> impl Fn() -> f64 + Sync {
    let started = Instant::now();
    move || started.elapsed().as_secs_f64()
}

// A secret must not reach a log.
impl fmt::Debug for Cx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cx")
            .field("is_observed", &self.observer.is_some())
            .field("cancel", &self.cancel)
            .field("has_secret", &self.secret.is_some())
            .finish()
    }
}
