//! What a long computation may ask of its caller: whether to stop, and where to report progress.

/// The caller's side of a long computation.
#[derive(Clone, Copy)]
pub struct Ctx<'a> {
    stop: &'a (dyn Fn() -> bool + Sync),
    progress: &'a (dyn Fn(&str, u64, u64) + Sync),
}

impl<'a> Ctx<'a> {
    /// A context that asks `stop` whether to give up, and tells `progress` the step, what is done
    /// and what there is to do.
    pub fn new(
        stop: &'a (dyn Fn() -> bool + Sync),
        progress: &'a (dyn Fn(&str, u64, u64) + Sync),
    ) -> Self {
        Self { stop, progress }
    }

    /// A context that never stops and reports to nobody.
    pub fn quiet() -> Ctx<'static> {
        Ctx { stop: &|| false, progress: &|_, _, _| {} }
    }

    /// Whether the caller wants the computation to end early.
    pub fn should_stop(&self) -> bool {
        (self.stop)()
    }

    /// Reports that `done` of `total` units of `step` are behind us.
    pub fn progress(&self, step: &str, done: u64, total: u64) {
        (self.progress)(step, done, total);
    }
}
