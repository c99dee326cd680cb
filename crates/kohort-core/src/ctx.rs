//! What a long computation asks of its caller: whether to stop or to give up, and where to report progress.
//!
//! # Stopping and cancelling
//! A search that should stop ends with the best it has. A job that is cancelled gives no answer: wherever it
//! reports progress or asks whether to stop, it unwinds, as it does from [`alive`](crate::alive).

use crate::cancel::{Cancelled, alive, is_cancelled};

/// The caller's side of a long computation.
#[derive(Clone, Copy)]
pub struct Ctx<'a> {
    stop: &'a (dyn Fn() -> bool + Sync),
    progress: &'a (dyn Fn(&str, u64, u64) + Sync),
    step: &'a (dyn Fn(&'static str) + Sync),
    used: Option<&'a (dyn Fn() -> f64 + Sync)>,
}

impl<'a> Ctx<'a> {
    /// A context that asks `stop` whether the time is used up, and tells `progress` the step, what is done
    /// and what there is to do.
    pub fn new(
        stop: &'a (dyn Fn() -> bool + Sync),
        progress: &'a (dyn Fn(&str, u64, u64) + Sync),
    ) -> Self {
        Self { stop, progress, ..Self::quiet() }
    }

    /// The same context, which also tells `step` when a step begins.
    #[must_use]
    pub fn with_steps(self, step: &'a (dyn Fn(&'static str) + Sync)) -> Self {
        Self { step, ..self }
    }

    /// The same context, which also asks `used` for the share of its time that is used up, for what is searched
    /// in several steps.
    #[must_use]
    pub fn with_used(self, used: &'a (dyn Fn() -> f64 + Sync)) -> Self {
        Self { used: Some(used), ..self }
    }

    /// The same context for a step that ends where `stop` says so.
    #[must_use]
    pub fn with_stop<'b>(self, stop: &'b (dyn Fn() -> bool + Sync)) -> Ctx<'b>
    where
        'a: 'b,
    {
        Ctx { stop, ..self }
    }

    /// A context that never stops and reports to nobody.
    pub fn quiet() -> Ctx<'static> {
        Ctx { stop: &|| false, progress: &|_, _, _| {}, step: &|_| {}, used: None }
    }

    /// Whether a search should end with the best it has. Unwinds where nobody wants the answer any more.
    pub fn should_stop(&self) -> bool {
        alive();
        (self.stop)()
    }

    /// Whether a step of a search should end that may use this share of the time.
    pub fn has_used(&self, share: f64) -> bool {
        self.should_stop() || self.used.is_some_and(|used| used() >= share)
    }

    /// Gives up where nobody wants the answer any more.
    pub fn check(&self) -> Result<(), Cancelled> {
        if is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }

    /// Reports that `done` of `total` units of `step` are behind us. Unwinds where nobody wants the answer any
    /// more.
    pub fn progress(&self, step: &str, done: u64, total: u64) {
        alive();
        (self.progress)(step, done, total);
    }

    /// Reports that a step begins.
    pub fn step(&self, step: &'static str) {
        (self.step)(step);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cancel;

    #[test]
    fn a_step_ends_with_its_share_of_the_time() {
        let half = Ctx::quiet().with_used(&|| 0.5);
        assert!(half.has_used(0.4) && !half.has_used(0.6) && !half.should_stop());
        let stop = || half.has_used(0.4);
        assert!(half.with_stop(&stop).should_stop());
        assert!(!Ctx::quiet().has_used(0.0));
    }

    #[test]
    fn time_that_is_used_up_is_not_a_cancellation() {
        let late = Ctx::new(&|| true, &|_, _, _| {});
        assert!(late.should_stop() && late.check().is_ok());
        let cancel = Cancel::default();
        cancel.cancel();
        let unwanted = Ctx::quiet();
        let asks: [fn(&Ctx<'_>); 2] = [
            |ctx| {
                ctx.should_stop();
            },
            |ctx| ctx.progress("", 0, 0),
        ];
        assert_eq!(cancel.during(|| unwanted.check()), Ok(Err(Cancelled)));
        for ask in asks {
            assert_eq!(cancel.during(|| ask(&unwanted)), Err(Cancelled));
            assert_eq!(Cancel::default().during(|| ask(&unwanted)), Ok(()));
        }
    }
}
