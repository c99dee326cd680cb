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

    /// A context that never stops and reports to nobody.
    pub fn quiet() -> Ctx<'static> {
        Ctx { stop: &|| false, progress: &|_, _, _| {}, step: &|_| {} }
    }

    /// Whether a search should end with the best it has. Unwinds where nobody wants the answer any more.
    pub fn should_stop(&self) -> bool {
        alive();
        (self.stop)()
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
